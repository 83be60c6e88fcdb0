"""The rewriter's table of functions: all that analysts may write over private rows, one row each.

What is not in it is refused. The allow-list (`reading.admit`), the walk, what Postgres takes for total, the list of
functions in docs/sql.md and `dp.functions` are read from it.

Checked by: tests/test_functions.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from sqlglot import exp

from dpproxy.rewrite.expressions import columns
from dpproxy.rewrite.expressions.casts import functions as casts
from dpproxy.rewrite.expressions.conditions import functions as conditions
from dpproxy.rewrite.expressions.constants import literals
from dpproxy.rewrite.expressions.facts.fact import Typed
from dpproxy.rewrite.expressions.function import Form, Function
from dpproxy.rewrite.expressions.intervals import functions as intervals
from dpproxy.rewrite.expressions.logic import functions as logic
from dpproxy.rewrite.expressions.numbers import functions as numbers
from dpproxy.rewrite.expressions.patterns import functions as patterns
from dpproxy.rewrite.expressions.text import functions as text
from dpproxy.rewrite.expressions.time import functions as time
from dpproxy.rewrite.expressions.trees.refusals import unsupported
from dpproxy.rewrite.expressions.walk import Entry, Walk

SUBJECTS: Mapping[str, tuple[Function, ...]] = MappingProxyType(
    {
        "Logic": (*logic.FUNCTIONS, *conditions.FUNCTIONS, *casts.FUNCTIONS),
        "Numbers": numbers.FUNCTIONS,
        "Texts": (*text.FUNCTIONS, *patterns.FUNCTIONS),
        "Dates, times and intervals": (*time.FUNCTIONS, *intervals.FUNCTIONS),
    }
)
FUNCTIONS: tuple[Function, ...] = tuple(each for subject in SUBJECTS.values() for each in subject)
# Functions that the parser knows no node for.
NAMED: Mapping[str, Function] = {name: each for each in FUNCTIONS if each.kind is exp.Anonymous for name in each.names}
# What is made of them, and what an engine has to know of it.
FORMS: Mapping[type[exp.Expression], Form] = {kind: form for each in FUNCTIONS for kind, form in each.makes.items()}


def _named(node: exp.Expression, walk: Walk) -> Typed:
    """The function of that name. Raises FeatureNotSupported where there is none."""
    found = NAMED.get(str(node.this).lower())
    if found is None:
        raise unsupported(node)
    return found.rule(node, walk)


RULES: Mapping[type[exp.Expression], Entry] = {
    **{each.kind: each.entry for each in FUNCTIONS},
    exp.Anonymous: Entry(_named, frozenset({"this", "expressions"})),
    exp.Column: Entry(columns.column, frozenset({"this", "table", "db", "catalog"})),
    exp.Parameter: Entry(columns.parameter, frozenset({"this"})),
    exp.Paren: Entry(columns.parenthesis, frozenset({"this"})),
    exp.Literal: Entry(literals.literal, frozenset({"this", "is_string"})),
    exp.Boolean: Entry(literals.boolean, frozenset({"this"})),
    exp.Null: Entry(literals.null, frozenset()),
}

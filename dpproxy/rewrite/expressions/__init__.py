"""Expressions over private rows, made total: no row's values can make them raise; what would raise is NULL.

A table maps each kind of node to its rule; a rule takes the analyst's node and gives SQL for the engine with what is
known of it (`Typed`). What the table does not hold is refused.

From the top to the bottom, none importing upwards:

table        all functions and operators, a row each; every subject has its rows in `functions`
columns      what stands for itself
casts        CAST, and text read as numbers and booleans
conditions   what conditions say of values; CASE, COALESCE, NULLIF, GREATEST, LEAST
patterns     LIKE, SIMILAR TO, regular expressions
text         functions of text
numbers      operators and functions of numbers; grid steps
logic        comparisons, AND, OR, NOT, IS
time         dates and timestamps: clocks, EXTRACT, date_trunc, age, to_date, to_char
intervals    intervals of time
types        Postgres's types of results, and the engine's that hold them without raising
constants    literals, arrays, finite sets of values
function     what a row says
walk         one rule per kind of node, and no other way down
facts        what is known of values
trees        pieces of SQL, places in the analyst's text, refusals

Checked by: tests/test_expressions.py, tests/test_expressions_in_postgres.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from sqlglot import exp

from dpproxy.catalog.types import INTERVAL
from dpproxy.errors import DPProxyError, FeatureNotSupported
from dpproxy.rewrite.expressions.conditions import narrowing
from dpproxy.rewrite.expressions.conditions.exclusive import are_exclusive, known_values
from dpproxy.rewrite.expressions.conditions.unmet import unmet
from dpproxy.rewrite.expressions.conditions.written_conditions import conjuncts
from dpproxy.rewrite.expressions.facts.fact import Fact, Interval, Scope, Typed, column_fact, is_unread
from dpproxy.rewrite.expressions.intervals.durations import Duration, as_microseconds, is_in_microseconds, is_of_length
from dpproxy.rewrite.expressions.intervals.whole_numbers import is_zero
from dpproxy.rewrite.expressions.logic import connectives
from dpproxy.rewrite.expressions.numbers.grid import grid_step, step_range, steps
from dpproxy.rewrite.expressions.table import RULES
from dpproxy.rewrite.expressions.trees.position import position
from dpproxy.rewrite.expressions.trees.refusals import refused
from dpproxy.rewrite.expressions.walk import UNREAD_HINT, Walk

Made = TypeVar("Made")

__all__ = [
    "Fact",
    "Interval",
    "Scope",
    "Typed",
    "carried",
    "column_fact",
    "condition",
    "conjuncts",
    "exclusive",
    "grid_step",
    "is_length",
    "left_by",
    "narrow",
    "narrow_and_say",
    "position",
    "step_range",
    "steps",
    "total",
]


_INTERVAL = "an interval by itself is not supported over private tables"
_LENGTH = "Use EXTRACT(epoch FROM …) or EXTRACT(day FROM …) of it, or compare it with an interval constant."


def total(expression: exp.Expression, scope: Scope) -> Typed:
    """The total form of an expression whose columns mean what `scope` says.

    Claim: evaluating it raises for no values of the columns that their types admit.
    Because: each rule's operands are total by induction, and the rule casts and guards by what is proved of them.
    Checked by: tests/test_expressions.py, test_generated_expressions_are_total.
    Raises FeatureNotSupported for what has no rule, UndefinedColumn for a column that the scope lacks.
    """
    typed = carried(expression, scope)
    if is_in_microseconds(typed.fact):
        raise refused(expression, _INTERVAL, _LENGTH)
    if is_unread(typed.fact):
        raise refused(expression, f"{typed.fact.type} values are not read over private tables", UNREAD_HINT)
    return typed


def carried(expression: exp.Expression, scope: Scope) -> Typed:
    """The same where it is carried on, or asked whether it is there: of a type that is not read, too; and the
    difference of timestamps, as its microseconds."""
    typed = _shallow(lambda: _walk(scope)(expression))
    if isinstance(typed, Duration) and is_of_length(typed):
        return as_microseconds(typed)
    if typed.fact.type == INTERVAL and not is_unread(typed.fact):
        raise refused(expression, _INTERVAL, _LENGTH)
    return typed


def is_length(expression: exp.Expression, scope: Scope) -> bool:
    """Whether it is an interval without months, all of which its length in seconds says."""
    try:
        typed = _shallow(lambda: _walk(scope)(expression))
    except DPProxyError:
        return False
    return isinstance(typed, Duration) and is_zero(typed.months)


def condition(expression: exp.Expression, scope: Scope) -> Typed:
    """The total form of a boolean. Raises as `total` does, and where it is no boolean."""
    return _shallow(lambda: connectives.condition(expression, _walk(scope)))


def exclusive(conditions: Sequence[exp.Expression], scope: Scope) -> bool:
    """Whether no row meets two of the conditions, as far as is seen in them."""
    return _shallow(lambda: are_exclusive(conditions, _walk(scope)))


def left_by(conditions: Sequence[exp.Expression], scope: Scope) -> list[int] | None:
    """How many of the known values of one expression each of the conditions leaves; None where it is not of one."""
    return _shallow(lambda: known_values(conditions, _walk(scope)))


def narrow(conditions: Sequence[exp.Expression], scope: Scope) -> Scope:
    """The scope for rows where all conditions are true: only what is believed narrows, what is proved stays."""
    return _shallow(lambda: narrowing.narrow(conditions, _walk(scope)))


def narrow_and_say(conditions: Sequence[exp.Expression], scope: Scope) -> tuple[Scope, tuple[str, ...]]:
    """The same, and the words for columns of which the conditions leave nothing that the policy says."""
    if not conditions:
        return scope, ()
    rows = _shallow(lambda: narrowing.RowsReached(_walk(scope)).where(conditions))
    return _shallow(lambda: rows.walked().scope), tuple(unmet(rows.known, scope))


def _shallow(make: Callable[[], Made]) -> Made:
    """What `make` gives; a refusal where Python's stack ends before the expression does."""
    try:
        return make()
    except RecursionError:
        raise FeatureNotSupported(
            "the expression is nested too deeply", hint="Split it into columns of a derived table."
        ) from None


def _walk(scope: Scope) -> Walk:
    return Walk(scope, RULES, narrowing.narrow)

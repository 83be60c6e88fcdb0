"""Aggregates and keys that are lengths of time: what is asked of the engine is their seconds, as a number.

    asked    SELECT avg(ended - began) FROM visits
    made     SELECT days(avg(EXTRACT(epoch FROM ended - began))) FROM visits

where days(x) is x / 86400 whole days, and what is left of the last as a time, as Postgres tells differences of moments.
An interval with months in it has no such number.
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from dpproxy.catalog.types import INTERVAL
from dpproxy.rewrite.calculus.aggregates_of import above, aggregates
from dpproxy.rewrite.calculus.relations import Joined
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.expressions.trees.templates import filled

_CALLS: Final = (exp.Avg, exp.Sum, exp.Min, exp.Max, exp.Median)
_MADE_OF: Final = (exp.Sub, exp.Interval)
_MOST: Final = 9 * 10**12
"""Seconds: 285,000 years, and a microsecond of each fits into 64 bits. Noise may make more, which is NULL."""
_SECONDS: Final = "EXTRACT(epoch FROM x)"
_KEPT: Final = "CAST(CASE WHEN x BETWEEN -m AND m THEN x END AS double precision)"
_LENGTH: Final = (
    "CAST(TRUNC(s / 86400) AS integer) * INTERVAL '1 day' "
    "+ CAST((s - 86400 * TRUNC(s / 86400)) * 1000000 AS bigint) * INTERVAL '1 microsecond'"
)


def in_seconds(
    select: exp.Select, joined: Joined, context: PlanningContext
) -> tuple[dict[exp.Expr, exp.Expr], list[exp.Expr]]:
    """What is made of seconds in the place of the aggregates of `select` that are lengths of time, and of such keys;
    and where there are such keys all of them, these as numbers.

    Checked by: tests/test_fixtures.py (rewrite/lengths.sql), tests/test_column_types.py.
    """
    group = select.args.get("group")
    written = [] if group is None else group.expressions
    keys = [key for key in written if _is_length(key, joined, context)]
    found = [node for part in above(select) for node in aggregates(part)]
    made = {node: told for node in found if (told := _aggregate(node, joined, context)) is not None}
    made |= {key: _length(_seconds(key)) for key in keys}
    return made, [_seconds(key) if key in keys else key.copy() for key in written] if keys else []


def _aggregate(node: exp.Expr, joined: Joined, context: PlanningContext) -> exp.Expr | None:
    value = _value(node)
    if value is None or not _is_length(value, joined, context):
        return None
    made = node.copy()
    if (inner := _value(made)) is not None:
        inner.replace(_seconds(inner))
    return _length(made)


def _value(node: exp.Expr) -> exp.Expr | None:
    """What it is of: an argument, or of one quantile what WITHIN GROUP orders by."""
    call = node.this if isinstance(node, exp.Filter) else node
    if isinstance(call, exp.WithinGroup):
        several = call.this.find(exp.Array) is not None or len(call.expression.expressions) != 1
        value = None if several else call.expression.expressions[0].this
    else:
        value = call.this if isinstance(call, _CALLS) else None
    return value if isinstance(value, exp.Expr) else None


def _is_length(value: exp.Expr, joined: Joined, context: PlanningContext) -> bool:
    return _may_be_length(value, joined) and context.is_length(value, joined.scope)


def _may_be_length(value: exp.Expr, joined: Joined) -> bool:
    """Whether it is made of what may be one: most values are not, and are not typed for this."""
    if type(value) is exp.Column:
        return _is_interval(value, joined)
    return value.find(*_MADE_OF) is not None or any(_is_interval(each, joined) for each in value.find_all(exp.Column))


def _is_interval(column: exp.Column, joined: Joined) -> bool:
    found = joined.scope.get((column.table, column.name))
    return found is not None and found.fact.type == INTERVAL


def _seconds(value: exp.Expr) -> exp.Expr:
    return filled(_SECONDS, {"x": value})


def _length(seconds: exp.Expr) -> exp.Expr:
    return exp.Paren(this=filled(_LENGTH, {"s": filled(_KEPT, {"x": seconds, "m": exp.Literal.number(_MOST)})}))

"""STRING_AGG, ARRAY_AGG, JSON_AGG and JSONB_AGG of DISTINCT values, as the analyst wrote them: of what, of which rows.

Which values there are can be told, as keys of a release; how many rows have each, or in which order, is not in a list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from dpproxy.errors import FeatureNotSupported, NotPrivate
from dpproxy.rewrite.calculus.aggregates_of import above, aggregates
from dpproxy.rewrite.calculus.relations import Joined
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.expressions import conjuncts
from dpproxy.rewrite.expressions.trees.position import position
from dpproxy.rewrite.releases.asked import function_name
from dpproxy.rewrite.releases.grouping import grouping_sets
from dpproxy.rewrite.releases.keys import names_one
from dpproxy.rewrite.shown import shown

_KINDS = (exp.GroupConcat, exp.ArrayAgg, exp.JSONArrayAgg, exp.AnonymousAggFunc)


@dataclass(frozen=True, slots=True)
class Values:
    """The values that a list has: an expression over rows, and the conditions of those that count. Lists of the same
    ones have one release."""

    value: exp.Expr
    conditions: tuple[exp.Expr, ...]


def is_list(node: exp.Expr) -> bool:
    """Whether an aggregate lists values."""
    return isinstance(_call(node), _KINDS)


def asks_lists(select: exp.Select) -> bool:
    """Whether some aggregate of a SELECT lists values."""
    return bool(_lists_in(select))


def values_of(node: exp.Expr, joined: Joined, context: PlanningContext) -> Values:
    """What the list `node` is of.

    Raises NotPrivate where it is of each row's value, or of what only one unit has.
    """
    call, argument = _call(node), _argument(node)
    bare = argument.this if isinstance(argument, exp.Order) else argument
    if not isinstance(bare, exp.Distinct):
        raise _of_rows(call)
    (value,) = bare.expressions
    if isinstance(value, exp.Column) and names_one(value, joined, context):
        raise NotPrivate(
            f'a list of "{value.name}" would name single {joined.rowset.unit}s',
            hint="List a column that many share, or count: COUNT(*).",
            position=position(value),
        )
    kept = tuple(conjuncts(node.expression.this)) if isinstance(node, exp.Filter) else ()
    return Values(value, (*kept, *_there(call, value, joined, context)))


def refuse_sets(select: exp.Select) -> None:
    """Raises FeatureNotSupported for lists beside grouping sets."""
    if grouping_sets(select) is not None:
        node = _lists_in(select)[0]
        raise FeatureNotSupported(
            f"{function_name(_call(node))} beside GROUPING SETS, ROLLUP or CUBE is not supported over private tables",
            hint="Ask for the lists in a statement of their own: GROUP BY the columns of one set.",
            position=position(node),
        )


def refuse_correlated(select: exp.Select) -> None:
    """Raises FeatureNotSupported for lists in a subquery that is correlated on public columns."""
    for node in _lists_in(select):
        raise FeatureNotSupported(
            f"{function_name(_call(node))} is not supported in a correlated subquery over private tables",
            hint="Join the lists: WITH m AS (SELECT k, STRING_AGG(DISTINCT x, ', ') AS l FROM t GROUP BY k) "
            "SELECT … LEFT JOIN m ON m.k = t.k.",
            position=position(node),
        )


def refuse_read(select: exp.Select) -> None:
    """Raises FeatureNotSupported for lists in a query over public or released rows that the engine has to read."""
    for node in _lists_in(select):
        raise FeatureNotSupported(
            f"{function_name(_call(node))} cannot be read together with private rows",
            hint="Leave it out there, or join the values themselves: (SELECT DISTINCT x FROM …) AS v.",
            position=position(node),
        )


def refuse_more(node: exp.Expr, made: exp.Expr, known: Sequence[exp.Expr]) -> None:
    """Raises FeatureNotSupported where the list `made` of `node` reads a column that is not `known`: of a subquery."""
    if all(column in known for column in made.find_all(exp.Column)):
        return
    raise FeatureNotSupported(
        f"a subquery beside the values of {function_name(made)} is not supported over private tables",
        hint="Write the delimiter itself: STRING_AGG(DISTINCT x, ', ').",
        position=position(node),
    )


def without_filter(node: exp.Expr) -> exp.Expr:
    """A copy of the call itself."""
    return _call(node).copy()


def _lists_in(select: exp.Select) -> list[exp.Expr]:
    return [node for part in above(select) for node in aggregates(part) if is_list(node)]


def _call(node: exp.Expr) -> exp.Expr:
    return node.this if isinstance(node, exp.Filter) else node


def _argument(node: exp.Expr) -> exp.Expr:
    call = _call(node)
    argument = call.expressions[0] if isinstance(call, exp.AnonymousAggFunc) else call.this
    assert isinstance(argument, exp.Expr)
    return argument


def _there(call: exp.Expr, value: exp.Expr, joined: Joined, context: PlanningContext) -> tuple[exp.Expr, ...]:
    """STRING_AGG leaves NULL out, and the others do not."""
    if not isinstance(call, exp.GroupConcat) or not context.total(value, joined.scope).fact.nullable:
        return ()
    return (exp.Is(this=value.copy(), expression=exp.Null(), negate=True),)


def _of_rows(call: exp.Expr) -> NotPrivate:
    """The refusal of a list of all rows' values, with the one of distinct values that can be told."""
    told = call.copy()
    argument = _argument(told)
    value = argument.this if isinstance(argument, exp.Order) else argument
    distinct: exp.Expr = exp.Distinct(expressions=[value.copy()])
    if isinstance(argument, exp.Order):
        distinct = exp.Order(this=distinct, expressions=[exp.Ordered(this=value.copy())])
    argument.replace(distinct)
    return NotPrivate(
        f"{function_name(call)} would tell the value of each row",
        hint=f"Which values there are can be told: {shown(told)}.".replace('"', ""),
        position=position(call),
    )

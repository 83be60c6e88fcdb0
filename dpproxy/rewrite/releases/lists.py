"""Aggregates of the values that there are, as the analyst wrote them: of what, of which rows.

    lists       STRING_AGG, ARRAY_AGG, JSON_AGG and JSONB_AGG of DISTINCT values
    each once   SUM, AVG, VARIANCE and their like of DISTINCT values
    ends        MIN and MAX of what has no place on a grid: texts

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
from dpproxy.rewrite.releases.aggregate_call import function_name
from dpproxy.rewrite.releases.naming_keys import naming
from dpproxy.rewrite.releases.statistics import OF_ONE
from dpproxy.rewrite.releases.value_buckets import can_be_placed
from dpproxy.rewrite.shown import shown

SURELY, SURELY_ALL = "dpproxy_surely", "dpproxy_surely_all"
"""Columns of released values: whether the value is there, by its own count, and by those of all of a group at once."""
_KINDS = (exp.GroupConcat, exp.ArrayAgg, exp.JSONArrayAgg, exp.AnonymousAggFunc)
_ENDS = (exp.Min, exp.Max)
_OF_EACH_ONCE: tuple[type[exp.Expr], ...] = (exp.Sum, exp.Avg, *OF_ONE)


@dataclass(frozen=True, slots=True)
class Values:
    """The values that an aggregate is of: an expression over rows, and the conditions of those that count. Aggregates
    of the same ones have one release."""

    value: exp.Expr
    conditions: tuple[exp.Expr, ...]


def is_list(node: exp.Expr) -> bool:
    """Whether an aggregate lists values."""
    return isinstance(_call(node), _KINDS)


def is_of_values(node: exp.Expr, joined: Joined, context: PlanningContext) -> bool:
    """Whether an aggregate is of the values that there are, and so of keys of a release."""
    call = _call(node)
    if isinstance(call, _OF_EACH_ONCE):
        return isinstance(call.this, exp.Distinct) and len(call.this.expressions) == 1
    return isinstance(call, _KINDS) or (isinstance(call, _ENDS) and _is_end(call, joined, context))


def _is_end(call: exp.Expr, joined: Joined, context: PlanningContext) -> bool:
    """Whether the least or greatest is of one expression that has no place on a grid."""
    argument = call.this
    if isinstance(argument, exp.Order) or call.expressions or argument.is_star:
        return False
    return not can_be_placed(context.total(_bare(call), joined.scope))


def asks_values(select: exp.Select, joined: Joined, context: PlanningContext) -> bool:
    """Whether some aggregate of a SELECT is of the values that there are."""
    return bool(_of_values_in(select, joined, context))


def values_of(node: exp.Expr, joined: Joined, context: PlanningContext) -> Values:
    """What the aggregate `node` is of.

    Raises NotPrivate where it is of each row's value, or of what only one unit has.
    """
    call = _call(node)
    value = _bare(call)
    if (column := naming(value, joined, context)) is not None:
        raise NotPrivate(
            f'{_told_of(call)} "{column.name}" would name single {joined.rowset.unit}s',
            hint=f"{'List' if is_list(node) else 'Take'} a column that many share, or count: COUNT(*).",
            position=position(column),
        )
    if isinstance(call, _KINDS) and not isinstance(_unordered(call), exp.Distinct):
        raise _of_rows(call)
    kept = tuple(conjuncts(node.expression.this)) if isinstance(node, exp.Filter) else ()
    return Values(value, (*kept, *_there(call, value, joined, context)))


def is_json(node: exp.Expr) -> bool:
    """Whether an aggregate lists values as JSON, which has no order."""
    return isinstance(_call(node), exp.JSONArrayAgg | exp.AnonymousAggFunc)


def refuse_read(select: exp.Select) -> None:
    """Raises FeatureNotSupported for lists in a query over public or released rows that the engine has to read, and for
    what only the front can tell of values."""
    found = [node for part in above(select) for node in aggregates(part)]
    for node in filter(_is_for_front, found):
        raise FeatureNotSupported(
            f"{_told_as(node)} cannot be read together with private rows",
            hint="Ask for it in a statement of its own, and write its value here; values of groups, CREATE TABLE m AS "
            "SELECT k, … GROUP BY k, are then joined: JOIN m USING (k).",
            position=position(_call(node)),
        )
    for node in filter(is_list, found):
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


def _of_values_in(select: exp.Select, joined: Joined, context: PlanningContext) -> list[exp.Expr]:
    return [node for part in above(select) for node in aggregates(part) if is_of_values(node, joined, context)]


def _is_for_front(node: exp.Expr) -> bool:
    """Whether it adds each value once, or is of values that are surely there: that is told in the front."""
    if is_list(node):
        return False
    surely = isinstance(node, exp.Filter) and any(each.name == SURELY_ALL for each in node.find_all(exp.Column))
    call = _call(node)
    return surely or (isinstance(call, _OF_EACH_ONCE) and isinstance(call.this, exp.Distinct))


def _told_as(node: exp.Expr) -> str:
    """What an aggregate is called where it is refused."""
    call = _call(node)
    if isinstance(call, _OF_EACH_ONCE):
        return f"{function_name(call)}(DISTINCT …)"
    return f"{function_name(call)} of texts" if isinstance(call, _ENDS) else function_name(call)


def _told_of(call: exp.Expr) -> str:
    return "a list of" if isinstance(call, _KINDS) else f"{function_name(call)} of"


def _call(node: exp.Expr) -> exp.Expr:
    return node.this if isinstance(node, exp.Filter) else node


def _bare(call: exp.Expr) -> exp.Expr:
    """The value itself, without DISTINCT and ORDER BY."""
    argument = _unordered(call)
    if not isinstance(argument, exp.Distinct):
        return argument
    (value,) = argument.expressions
    assert isinstance(value, exp.Expr)
    return value


def _unordered(call: exp.Expr) -> exp.Expr:
    argument = _argument(call)
    return argument.this if isinstance(argument, exp.Order) else argument


def _argument(node: exp.Expr) -> exp.Expr:
    call = _call(node)
    argument = call.expressions[0] if isinstance(call, exp.AnonymousAggFunc) else call.this
    assert isinstance(argument, exp.Expr)
    return argument


def _there(call: exp.Expr, value: exp.Expr, joined: Joined, context: PlanningContext) -> tuple[exp.Expr, ...]:
    """NULL is left out by all but arrays."""
    leaves_out = isinstance(call, exp.GroupConcat) or not isinstance(call, _KINDS)
    if not leaves_out or not context.total(value, joined.scope).fact.nullable:
        return ()
    return (exp.Is(this=value.copy(), expression=exp.Null(), negate=True),)


def _of_rows(call: exp.Expr) -> NotPrivate:
    """The refusal of a list of all rows' values, with the one of distinct values that can be told."""
    told = call.copy()
    argument = _argument(told)
    value = argument.this if isinstance(argument, exp.Order) else argument
    if isinstance(value, exp.TableColumn) or value.is_star:
        value = exp.column("x", table=value.name if isinstance(value, exp.TableColumn) else value.text("table"))
    distinct: exp.Expr = exp.Distinct(expressions=[value.copy()])
    if isinstance(argument, exp.Order):
        distinct = exp.Order(this=distinct, expressions=[exp.Ordered(this=value.copy())])
    argument.replace(distinct)
    return NotPrivate(
        f"{function_name(call)} would tell the value of each row",
        hint=f"Which values there are can be told: {shown(told)}.".replace('"', ""),
        position=position(call),
    )

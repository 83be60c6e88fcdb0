"""Aggregates over the rows of one unit, exact, with what is known of their results; over public rows, the same.

Sums are of integers or decimals: a sum of floating point would depend on the order of rows, and so on other units'.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.types import BIGINT, BOOLEAN, DOUBLE, NUMERIC, Family, SqlType
from dpproxy.errors import FeatureNotSupported
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.expressions import conjuncts, narrow
from dpproxy.rewrite.expressions.facts.fact import Fact, Interval, Scope, Typed, proved_by_type
from dpproxy.rewrite.expressions.numbers.grid import OPEN_STEPS, grid_step, open_step, steps
from dpproxy.rewrite.expressions.trees.build import binary, cast, chosen, computed, marked, number
from dpproxy.rewrite.expressions.trees.position import position
from dpproxy.rewrite.expressions.types.carriers import held_as

_NUMBERS = (Family.INTEGER, Family.NUMERIC, Family.FLOAT)
_MOST = 10**18
_MOST_STEPS = 2**62
_ROOMY_DIGITS, _MOST_PLACES = 19, 9
Hold = Callable[[Typed], Typed]


@dataclass(frozen=True, slots=True)
class Group:
    """Rows that are aggregated together: their scope, the most that a unit is believed to have of them, whether there
    may be none, and `hold`, which puts an operand where the aggregate reads it. public: they are nobody's."""

    scope: Scope
    rows: int
    may_be_empty: bool
    hold: Hold
    public: bool = False


def aggregated(node: exp.Expr, group: Group, context: PlanningContext) -> Typed:
    """The aggregate `node` over the rows of `group`.

    Raises FeatureNotSupported for one that has no exact form.
    """
    inner, condition, scope = _filtered(node, group, context)
    empty = group.may_be_empty or condition is not None
    within = replace(group, scope=scope, may_be_empty=empty)
    match inner:
        case exp.Count():
            return _count(inner, condition, within, context)
        case exp.Sum():
            return _sum(_numeric(inner, within, context), condition, within)
        case exp.Avg():
            return _mean(_numeric(inner, within, context), condition, within)
        case exp.Min() | exp.Max():
            operand = _operand(inner, within, context)
            _refuse_uuid(operand, inner)
            return _same(type(inner), operand, condition, within)
        case exp.LogicalAnd() | exp.LogicalOr():
            operand = context.condition(_argument(inner), within.scope)
            made = _same(type(inner), operand, condition, within)
            return Typed(made.sql, replace(made.fact, type=BOOLEAN, domain=(False, True)))
        case _:
            raise unsupported(inner)


def _filtered(node: exp.Expr, group: Group, context: PlanningContext) -> tuple[exp.Expr, exp.Expression | None, Scope]:
    if not isinstance(node, exp.Filter):
        return node, None, group.scope
    predicate = node.expression.this
    narrowed = narrow([context.constant(c) for c in conjuncts(predicate)], group.scope)
    return node.this, context.condition(predicate, group.scope).sql, narrowed


def _argument(node: exp.Expr) -> exp.Expr:
    argument = node.this
    if node.expressions or not isinstance(argument, exp.Expr) or isinstance(argument, exp.Distinct | exp.Order):
        raise unsupported(node)
    return argument


def _operand(node: exp.Expr, group: Group, context: PlanningContext) -> Typed:
    return context.total(_argument(node), group.scope)


def _numeric(node: exp.Expr, group: Group, context: PlanningContext) -> Typed:
    operand = _operand(node, group, context)
    if operand.fact.type.family not in _NUMBERS:
        raise unsupported(node)
    return operand


def _where(condition: exp.Expression | None, operand: Typed) -> Typed:
    if condition is None:
        return operand
    return Typed(chosen(condition.copy(), operand.sql), replace(operand.fact, nullable=True))


def _count(node: exp.Count, condition: exp.Expression | None, group: Group, context: PlanningContext) -> Typed:
    least = Fraction(0 if group.may_be_empty else 1)
    argument = node.this
    if isinstance(argument, exp.Star | exp.Literal | exp.Boolean) and condition is None:
        return Typed(exp.Count(this=exp.Star()), _counted(least, group))
    if isinstance(argument, exp.Star | exp.Literal | exp.Boolean):
        one = group.hold(_where(condition, Typed(number(1), _counted(least, group))))
        return Typed(exp.Count(this=one.sql), _counted(least, group))
    distinct = isinstance(argument, exp.Distinct) and len(argument.expressions) == 1 and not argument.args.get("on")
    if distinct:
        operand = context.total(argument.expressions[0], group.scope)
    else:
        operand = context.carried(_argument(node), group.scope)
    if distinct and operand.fact.engine.family is Family.FLOAT:
        raise unsupported(node)
    held = group.hold(_where(condition, operand)).sql
    fact = _counted(Fraction(0) if operand.fact.nullable else least, group)
    return Typed(exp.Count(this=exp.Distinct(expressions=[held]) if distinct else held), fact)


def _counted(least: Fraction, group: Group) -> Fact:
    return Fact(
        type=BIGINT,
        interval=Interval(least, Fraction(max(group.rows, 1))),
        proved=Interval(Fraction(0), Fraction(2**63 - 1)),
        domain=None,
        nullable=False,
        private=True,
        step=Decimal(1),
    )


def _same(kind: type[exp.Expression], operand: Typed, condition: exp.Expression | None, group: Group) -> Typed:
    """MIN, MAX and their like: one of the values."""
    held = group.hold(_where(condition, operand))
    nullable = operand.fact.nullable or group.may_be_empty
    return Typed(kind(this=held.sql), replace(operand.fact, nullable=nullable))


def _refuse_uuid(operand: Typed, node: exp.Expr) -> None:
    if operand.fact.engine.family in (Family.UUID, Family.BOOLEAN):
        raise unsupported(node)


def _sum(operand: Typed, condition: exp.Expression | None, group: Group) -> Typed:
    """The sum; an exact one saturates at 10^18, one of floating point is of whole grid steps between its bounds."""
    fact, type_ = operand.fact, _sum_type(operand.fact.type)
    nullable = fact.nullable or group.may_be_empty
    interval = None if fact.interval is None else _times(fact.interval, group)
    scale = fact.scale
    if group.public and scale is None:
        made = replace(fact, type=type_, carrier=DOUBLE, proved=None, interval=None, domain=None, nullable=nullable)
        added = exp.Sum(this=group.hold(_where(condition, Typed(held_as(operand, DOUBLE), made))).sql)
        return Typed(marked(added, DOUBLE), made)
    if scale is None or scale > _MOST_PLACES:
        step, total = _stepped(operand, condition, group)
        whole = held_as(total, DOUBLE)
        inverse = 1 / Fraction(step)
        value = computed(
            exp.Div if inverse.denominator == 1 else exp.Mul,
            whole,
            cast(exp.Literal.string(repr(float(inverse if inverse.denominator == 1 else step))), DOUBLE),
            DOUBLE,
        )
        most = Fraction(_MOST_STEPS) * Fraction(step) * 2
        made = replace(fact, type=type_, carrier=DOUBLE, step=step, proved=Interval(-most, most))
    else:
        held = group.hold(_where(condition, _summable(operand, scale))).sql
        carrier = BIGINT if not scale else SqlType("numeric", (19 + scale, scale))
        value = _saturated(marked(exp.Sum(this=held), carrier), carrier)
        most = Fraction(_MOST)
        made = replace(fact, type=type_, carrier=carrier, proved=Interval(-most, most))
    return Typed(value, replace(made, interval=interval, domain=None, nullable=nullable))


def _summable(operand: Typed, scale: int) -> Typed:
    """The operand, held to what a sum has room for.

    Claim: the sum of less than 10^19 of them raises for no rows. Because: a bigint is summed in 128 bits; a decimal has
    at most 19 digits, of the 38 that its sum has, or is clipped to as many. Checked by: tests/test_checker_total.py.
    """
    digits = operand.fact.engine.modifiers[0] if operand.fact.engine.modifiers else 0
    if digits <= _ROOMY_DIGITS:
        return operand
    most = 10 ** (_ROOMY_DIGITS - 1 - scale)
    clipped = _saturated(operand.sql, SqlType("numeric", (_ROOMY_DIGITS, scale)), most)
    return Typed(clipped, replace(operand.fact, proved=Interval(Fraction(-most), Fraction(most)), carrier=None))


def _stepped(operand: Typed, condition: exp.Expression | None, group: Group) -> tuple[Decimal, Typed]:
    """The sum in grid steps. Values without bounds are held to those of the numbers that can be added up, as where they
    are released."""
    fact, known = operand.fact, operand.fact.interval
    step = grid_step(fact) if known is not None else open_step(fact)
    lower, upper = (-_reach(step), _reach(step)) if known is None else (known.lower, known.upper)
    whole = Typed(
        steps(operand, lower, upper, Decimal(0), step),
        replace(fact, type=BIGINT, carrier=None, proved=proved_by_type(BIGINT)),
    )
    total = _saturated(exp.Sum(this=group.hold(_where(condition, whole)).sql), BIGINT, _MOST_STEPS)
    return step, Typed(total, whole.fact)


def _reach(step: Decimal) -> Fraction:
    return OPEN_STEPS * Fraction(step)


def _saturated(sql: exp.Expression, carrier: SqlType, most: int = _MOST) -> exp.Expression:
    """NULL stays NULL, unlike under LEAST and GREATEST."""
    above = exp.If(this=binary(exp.GT, sql, number(most)), true=number(most))
    below = exp.If(this=binary(exp.LT, sql.copy(), number(-most)), true=number(-most))
    return marked(cast(exp.Case(ifs=[above, below], default=sql.copy()), carrier), NUMERIC)


def _times(interval: Interval, group: Group) -> Interval:
    """The sums of as many values as a unit has at most; of none at all too, where that may be."""
    rows = max(group.rows, 1)
    lower, upper = min(interval.lower, rows * interval.lower), max(interval.upper, rows * interval.upper)
    return Interval(min(lower, Fraction(0)), max(upper, Fraction(0))) if group.may_be_empty else Interval(lower, upper)


def _mean(operand: Typed, condition: exp.Expression | None, group: Group) -> Typed:
    total = _sum(operand, condition, group)
    counted = exp.Count(this=group.hold(_where(condition, operand)).sql)
    share = exp.Nullif(this=cast(counted, DOUBLE), expression=exp.Literal.number(0))
    sql = computed(exp.Div, held_as(total, DOUBLE), share, DOUBLE)
    type_ = DOUBLE if operand.fact.type.family is Family.FLOAT else NUMERIC
    fact = replace(total.fact, type=type_, carrier=DOUBLE, interval=operand.fact.interval, step=None)
    return Typed(sql, fact)


def _sum_type(type_: SqlType) -> SqlType:
    if type_.family is Family.INTEGER:
        return NUMERIC if type_.name == "bigint" else BIGINT
    return NUMERIC if type_.family is Family.NUMERIC else SqlType(type_.name)


def unsupported(node: exp.Expr) -> FeatureNotSupported:
    """The refusal of an aggregate that has no exact form for a unit."""
    name = node.sql(dialect="postgres").partition("(")[0]
    return FeatureNotSupported(
        f"{name.upper()} of these arguments is not supported within the rows of one unit",
        hint="Use COUNT, COUNT(DISTINCT x), SUM, AVG, MIN, MAX, BOOL_AND or BOOL_OR, with FILTER if need be.",
        position=position(node),
    )

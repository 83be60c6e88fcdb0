"""What conditions say of columns: WHERE and CASE narrow what is believed of those that they name."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.types import Family
from dpproxy.rewrite.expressions.calendars import as_days
from dpproxy.rewrite.expressions.domains import distinct
from dpproxy.rewrite.expressions.fact import Fact, Interval, Scope, Typed, exact
from dpproxy.rewrite.expressions.literals import as_type, is_constant, value_of
from dpproxy.rewrite.expressions.promotion import NUMBERS
from dpproxy.rewrite.expressions.walk import Walk
from dpproxy.rows import Value

Name = tuple[str, str]
_FLIPPED: dict[type[exp.Expression], type[exp.Expression]] = {
    exp.LT: exp.GT,
    exp.GT: exp.LT,
    exp.LTE: exp.GTE,
    exp.GTE: exp.LTE,
    exp.EQ: exp.EQ,
}
_OPPOSITE: dict[type[exp.Expression], type[exp.Expression]] = {
    exp.LT: exp.GTE,
    exp.GT: exp.LTE,
    exp.LTE: exp.GT,
    exp.GTE: exp.LT,
    exp.NEQ: exp.EQ,
}
_DISCRETE = (Family.INTEGER, Family.TEXT, Family.BOOLEAN, Family.DATE, Family.UUID, Family.NUMERIC)


@dataclass(frozen=True, slots=True)
class Known:
    """What conditions say of one column; None: nothing. present: it is not NULL. absent: it is NULL."""

    lower: Fraction | None = None
    upper: Fraction | None = None
    values: tuple[Value, ...] | None = None
    present: bool = True
    absent: bool = False

    def met(self, other: Known) -> Known:
        """Both hold."""
        values = self.values if other.values is None else other.values
        if self.values is not None and other.values is not None:
            values = tuple(value for value in self.values if value in other.values)
        return Known(
            _either(max, self.lower, other.lower),
            _either(min, self.upper, other.upper),
            values,
            self.present or other.present,
            self.absent or other.absent,
        )

    def joined(self, other: Known) -> Known:
        """One of them holds; where the column is NULL, its bounds and values are the other's."""
        if self.absent or other.absent:
            return replace(self if other.absent else other, present=self.present and other.present)
        values = None if self.values is None or other.values is None else distinct([*self.values, *other.values])
        return Known(
            None if self.lower is None or other.lower is None else min(self.lower, other.lower),
            None if self.upper is None or other.upper is None else max(self.upper, other.upper),
            values,
            self.present and other.present,
        )


Knowledge = Mapping[Name, Known]


def conjuncts(where: exp.Expression | None) -> tuple[exp.Expression, ...]:
    """The conditions that AND connects, each by itself; none for None."""
    match where:
        case None:
            return ()
        case exp.Paren():
            return conjuncts(where.this)
        case exp.And():
            return (*conjuncts(where.this), *conjuncts(where.expression))
    return (where,)


def excluded(condition: exp.Expression) -> tuple[exp.Expression, ...]:
    """What holds where `condition` is not true: for `x > 5`, that x <= 5 or x is NULL. Empty where it is unclear."""
    match condition:
        case exp.Paren():
            return excluded(condition.this)
        case exp.Or():
            return (*excluded(condition.this), *excluded(condition.expression))
        case exp.Is(expression=exp.Null()):
            return (exp.Not(this=exp.Paren(this=condition.copy())),)
    opposite = _OPPOSITE.get(type(condition))
    sides = [side for side in (condition.this, condition.expression) if isinstance(_bare(side), exp.Column)]
    if opposite is None or len(sides) != 1:
        return ()
    reverse = opposite(this=condition.this.copy(), expression=condition.expression.copy())
    return (exp.Or(this=reverse, expression=exp.Is(this=sides[0].copy(), expression=exp.Null())),)


def narrow(conditions: Sequence[exp.Expression], walk: Walk) -> Scope:
    """The scope for rows where all conditions are true. What is proved stays as it was."""
    known = _of_all(conditions, walk)
    return {name: _narrowed(typed, known[name]) if name in known else typed for name, typed in walk.scope.items()}


def _of_all(conditions: Sequence[exp.Expression], walk: Walk) -> Knowledge:
    met: dict[Name, Known] = {}
    for condition in conditions:
        for part in conjuncts(condition):
            for name, known in _of(part, walk).items():
                met[name] = met[name].met(known) if name in met else known
    return met


def _of(condition: exp.Expression, walk: Walk) -> Knowledge:
    rule = _RULES.get(type(condition))
    return rule(condition, walk) if rule else {}


def _of_comparison(node: exp.Expression, walk: Walk) -> Knowledge:
    kind, column, other = type(node), node.this, node.expression
    if not isinstance(_bare(column), exp.Column):
        kind, column, other = _FLIPPED[kind], other, column
    name, values = _column(column, walk), _constants([other], column, walk)
    if name is None or values is None:
        return {}
    return {name: _KINDS[kind](walk.scope[name].fact, values[0])}


def _of_between(node: exp.Expression, walk: Walk) -> Knowledge:
    name, values = _column(node.this, walk), _constants([node.args["low"], node.args["high"]], node.this, walk)
    if name is None or values is None or node.args.get("symmetric"):
        return {}
    fact = walk.scope[name].fact
    return {name: _at_least(fact, values[0]).met(_at_most(fact, values[1]))}


def _of_membership(node: exp.Expression, walk: Walk) -> Knowledge:
    name, values = _column(node.this, walk), _constants(node.expressions, node.this, walk)
    if name is None or not values:
        return {}
    options = [_equal(walk.scope[name].fact, value) for value in values if value is not None]
    known = options[0] if options else Known()
    for option in options[1:]:
        known = known.joined(option)
    return {name: known}


def _of_not(node: exp.Expression, walk: Walk) -> Knowledge:
    inner = _bare(node.this)
    if isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null):
        return _of_presence(inner, walk, bool(inner.args.get("negate")))
    if isinstance(inner, exp.Column):
        return _of_truth(inner, walk, False)
    opposite = _OPPOSITE.get(type(inner))
    if opposite is None:
        return {}
    return _of(opposite(this=inner.this, expression=inner.expression), walk)


def _of_column(node: exp.Expression, walk: Walk) -> Knowledge:
    return _of_truth(node, walk, True)


def _of_is(node: exp.Expression, walk: Walk) -> Knowledge:
    negated = bool(node.args.get("negate"))
    if isinstance(node.expression, exp.Null):
        return _of_presence(node, walk, not negated)
    return {} if negated else _of_truth(node.this, walk, bool(node.expression.this))


def _of_presence(node: exp.Expression, walk: Walk, absent: bool) -> Knowledge:
    name = _column(node.this, walk)
    return {} if name is None else {name: Known(present=not absent, absent=absent)}


def _of_truth(node: exp.Expression, walk: Walk, value: bool) -> Knowledge:
    name = _column(node, walk)
    if name is None or walk.scope[name].fact.type.family is not Family.BOOLEAN:
        return {}
    return {name: Known(values=(value,))}


def _of_either(node: exp.Expression, walk: Walk) -> Knowledge:
    left, right = _of_all(conjuncts(node.this), walk), _of_all(conjuncts(node.expression), walk)
    return {name: left[name].joined(right[name]) for name in left if name in right}


def _of_inside(node: exp.Expression, walk: Walk) -> Knowledge:
    return _of_all([node.this], walk)


_RULES: dict[type[exp.Expression], Callable[[exp.Expression, Walk], Knowledge]] = {
    exp.LT: _of_comparison,
    exp.LTE: _of_comparison,
    exp.GT: _of_comparison,
    exp.GTE: _of_comparison,
    exp.EQ: _of_comparison,
    exp.Between: _of_between,
    exp.In: _of_membership,
    exp.Not: _of_not,
    exp.Column: _of_column,
    exp.Is: _of_is,
    exp.Or: _of_either,
    exp.Paren: _of_inside,
}


def _at_least(fact: Fact, value: Value) -> Known:
    number = exact(value)
    return Known(lower=Fraction(math.ceil(number)) if number is not None and _whole(fact) else number)


def _at_most(fact: Fact, value: Value) -> Known:
    number = exact(value)
    return Known(upper=Fraction(math.floor(number)) if number is not None and _whole(fact) else number)


def _above(fact: Fact, value: Value) -> Known:
    number = exact(value)
    return Known(lower=math.floor(number) + Fraction(1)) if number is not None and _whole(fact) else Known(lower=number)


def _below(fact: Fact, value: Value) -> Known:
    number = exact(value)
    return Known(upper=math.ceil(number) - Fraction(1)) if number is not None and _whole(fact) else Known(upper=number)


def _equal(fact: Fact, value: Value) -> Known:
    number = exact(value)
    return Known(number, number, (value,) if fact.type.family in _DISCRETE and value is not None else None)


_KINDS: dict[type[exp.Expression], Callable[[Fact, Value], Known]] = {
    exp.GTE: _at_least,
    exp.LTE: _at_most,
    exp.GT: _above,
    exp.LT: _below,
    exp.EQ: _equal,
}


def _whole(fact: Fact) -> bool:
    return fact.type.family in (Family.INTEGER, Family.DATE)


def _bare(node: exp.Expression) -> exp.Expression:
    return _bare(node.this) if isinstance(node, exp.Paren) else node


def _column(node: exp.Expression, walk: Walk) -> Name | None:
    bare = _bare(node)
    if not isinstance(bare, exp.Column):
        return None
    name = (str(bare.table), str(bare.name))
    return name if name in walk.scope else None


def _constants(nodes: Sequence[exp.Expression], column: exp.Expression, walk: Walk) -> list[Value] | None:
    """The values of constants that a column is compared with, on the column's own scale; None where some is none."""
    name = _column(column, walk)
    if name is None or any(node.find(exp.Column) for node in nodes):
        return None
    type_ = walk.scope[name].fact.type
    typed = [as_type(node, walk(node), type_) for node in nodes]
    if type_.family is Family.DATE:
        typed = as_days(typed)
    if not all(is_constant(value) and _comparable(value, type_.family) for value in typed):
        return None
    return [_as_of(type_.family, value_of(value)) for value in typed]


def _as_of(family: Family, value: Value) -> Value:
    """A whole or decimal constant as the column's values are written."""
    if family is Family.NUMERIC and isinstance(value, int):
        return Decimal(value)
    if family is Family.INTEGER and isinstance(value, Decimal) and value == value.to_integral_value():
        return int(value)
    return value


def _comparable(typed: Typed, family: Family) -> bool:
    other = typed.fact.type.family
    return other is family or (other in NUMBERS and family in NUMBERS) or typed.fact.domain == ()


def _narrowed(typed: Typed, known: Known) -> Typed:
    fact = typed.fact
    interval, domain = _tighter(fact.interval, known), fact.domain
    if known.values is not None:
        domain = known.values if domain is None else tuple(value for value in domain if value in known.values)
    if domain is not None:
        domain = tuple(value for value in domain if _admits(known, value))
    nullable = fact.nullable and not known.present
    return Typed(typed.sql, replace(fact, interval=interval, domain=domain, nullable=nullable))


def _tighter(interval: Interval | None, known: Known) -> Interval | None:
    lower = known.lower if interval is None else _either(max, interval.lower, known.lower)
    upper = known.upper if interval is None else _either(min, interval.upper, known.upper)
    return interval if lower is None or upper is None or lower > upper else Interval(lower, upper)


def _admits(known: Known, value: Value) -> bool:
    number = exact(value)
    if number is None:
        return True
    return (known.lower is None or known.lower <= number) and (known.upper is None or number <= known.upper)


def _either(
    choose: Callable[[Fraction, Fraction], Fraction], left: Fraction | None, right: Fraction | None
) -> Fraction | None:
    if left is None or right is None:
        return right if left is None else left
    return choose(left, right)

"""COUNT, SUM and AVG over private rows -> measures (integers that a unit can move by so much) and outputs."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.types import BIGINT, DOUBLE, NUMERIC, Family, SqlType
from dpproxy.errors import BoundsRequired, FeatureNotSupported
from dpproxy.plan.model import CountOf, Formula, MeanOf, Measure, MeasureKind, Output, SelectedCount, SumOf
from dpproxy.rewrite.expressions import conjuncts, narrow
from dpproxy.rewrite.expressions.fact import Fact, Interval, Scope, Typed
from dpproxy.rewrite.expressions.grid import grid_step, step_range, steps
from dpproxy.rewrite.expressions.position import position
from dpproxy.rewrite.joins import Joined
from dpproxy.rewrite.parse import with_constants
from dpproxy.rewrite.world import World

_MOST_STEPS = 2**62
_NUMBERS = (Family.INTEGER, Family.NUMERIC, Family.FLOAT)


@dataclass(frozen=True, slots=True)
class Measured:
    """A measure, and the text of what one row adds to it; None counts rows."""

    measure: Measure
    text: str | None


@dataclass(slots=True)
class Measures:
    """The distinct measures and outputs of one release, in order of first use. Identical ones are shared, paid once."""

    joined: Joined
    world: World
    rows_are_selected: bool
    found: list[Measured] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)

    def output(self, aggregate: exp.Expr) -> Output:
        """The released column that `aggregate` is.

        Raises FeatureNotSupported for other aggregates than COUNT, SUM and AVG, BoundsRequired for one without bounds.
        """
        inner, scope, condition = self._filtered(aggregate)
        label = aggregate.sql(dialect="postgres")
        match inner:
            case exp.Count():
                counted = self._count(inner, scope, condition)
                return self._add(BIGINT, SelectedCount() if counted is None else CountOf(counted), label)
            case exp.Sum():
                return self._sum(inner, scope, condition, label)
            case exp.Avg():
                return self._mean(inner, scope, condition, label)
            case _:
                raise unsupported(inner)

    def rows(self) -> int:
        """The index of the measure that counts rows."""
        return self._measure(MeasureKind.ROWS, None, 0, 1, Decimal(1), Decimal(0), "COUNT(*)")

    def _filtered(self, aggregate: exp.Expr) -> tuple[exp.Expr, Scope, str | None]:
        if not isinstance(aggregate, exp.Filter):
            return aggregate, self.joined.scope, None
        predicate = aggregate.expression.this
        narrowed = narrow([with_constants(c, self.world.parameters) for c in conjuncts(predicate)], self.joined.scope)
        return aggregate.this, narrowed, self.world.text(self.world.condition(predicate, self.joined.scope))

    def _count(self, count: exp.Count, scope: Scope, condition: str | None) -> int | None:
        """The index of the measure that counts; None where partition selection has counted already."""
        argument = _argument(count)
        if argument is None:
            return self._rows_where(condition)
        typed = self.world.total(argument, scope)
        if not typed.fact.nullable and typed.fact.type.family is not Family.FLOAT:
            return self._rows_where(condition)
        return self._values(typed, condition, argument)

    def _rows_where(self, condition: str | None) -> int | None:
        if condition is None:
            return None if self.rows_are_selected else self.rows()
        text = f"CASE WHEN {condition} THEN 1 END"
        return self._measure(MeasureKind.VALUES, text, 0, 1, Decimal(1), Decimal(0), "COUNT(*) FILTER")

    def _values(self, typed: Typed, condition: str | None, argument: exp.Expr) -> int:
        """The number of values, NULL and NaN apart."""
        value = self.world.text(typed)
        present = [f"{value} IS NOT NULL"]
        if typed.fact.type.family is Family.FLOAT:
            present.append(f"{value} <> CAST('NaN' AS DOUBLE PRECISION)")
        if condition is not None:
            present.insert(0, f"({condition})")
        text = f"CASE WHEN {' AND '.join(present)} THEN 1 END"
        label = f"COUNT({argument.sql(dialect='postgres')})"
        return self._measure(MeasureKind.VALUES, text, 0, 1, Decimal(1), Decimal(0), label)

    def _sum(self, node: exp.Sum, scope: Scope, condition: str | None, label: str) -> Output:
        typed, interval = self._bounded(node, scope)
        step = grid_step(typed.fact)
        index = self._summed(MeasureKind.SUM, typed, interval, condition, step, Decimal(0), label)
        return self._add(_sum_type(typed.fact.type), SumOf(index), label)

    def _mean(self, node: exp.Avg, scope: Scope, condition: str | None, label: str) -> Output:
        """AVG is centred: half the bound, so half the noise (Li, Lyu, Su, Yang 2016, section 2)."""
        typed, interval = self._bounded(node, scope)
        step = grid_step(typed.fact)
        centre = step * math.floor((interval.lower + interval.upper) / 2 / Fraction(step))
        total = self._summed(MeasureKind.CENTRED, typed, interval, condition, step, centre, label)
        counted = self._count(exp.Count(this=node.this), scope, condition)
        formula = MeanOf(total, counted, _decimal(interval.lower), _decimal(interval.upper))
        return self._add(_mean_type(typed.fact.type), formula, label)

    def _bounded(self, node: exp.Expr, scope: Scope) -> tuple[Typed, Interval]:
        argument = _argument(node)
        if argument is None:
            raise unsupported(node)
        typed = self.world.total(argument, scope)
        if typed.fact.type.family not in _NUMBERS:
            raise unsupported(node)
        return typed, _interval(typed.fact, argument)

    def _summed(
        self,
        kind: MeasureKind,
        typed: Typed,
        interval: Interval,
        condition: str | None,
        step: Decimal,
        centre: Decimal,
        label: str,
    ) -> int:
        text = steps(typed, interval.lower, interval.upper, centre, step).sql(dialect=self.world.dialect)
        if condition is not None:
            text = f"CASE WHEN {condition} THEN {text} END"
        lower, upper = step_range(interval.lower, interval.upper, centre, step)
        return self._measure(kind, text, min(lower, 0), max(upper, 0), step, centre, label)

    def _measure(
        self, kind: MeasureKind, text: str | None, lower: int, upper: int, step: Decimal, centre: Decimal, label: str
    ) -> int:
        """The index of this measure, a new one if there is none like it.

        Claim: a unit's total lies in [rows·lower, rows·upper], since `bound` clamps it there.
        """
        rows = self.joined.rowset.rows
        if rows * max(-lower, upper) >= _MOST_STEPS:
            raise BoundsRequired(
                f"{label} could pass 2^62 grid steps of {step:f} for one {self.joined.rowset.unit}",
                hint="Clip the value to a narrower range: SUM(LEAST(GREATEST(x, 0), 100000)).",
            )
        measure = Measure("", kind, rows * lower, rows * upper, step, centre, label)
        for index, known in enumerate(self.found):
            if known.text == text and replace(known.measure, name="", label=label) == measure:
                return index
        self.found.append(Measured(replace(measure, name=f"m{len(self.found)}"), text))
        return len(self.found) - 1

    def _add(self, type_: SqlType, formula: Formula, label: str) -> Output:
        for output in self.outputs:
            if (output.type, output.formula) == (type_, formula):
                return output
        self.outputs.append(Output(f"o{len(self.outputs)}", type_, formula, label))
        return self.outputs[-1]


def unsupported(node: exp.Expr) -> FeatureNotSupported:
    """The refusal of an aggregate that has no private form."""
    name = node.sql_name() if isinstance(node, exp.Func) else type(node).__name__.upper()
    return FeatureNotSupported(
        f"{name.upper()} of these arguments is not supported over private tables",
        hint="Use COUNT(*), COUNT(x), SUM(x) or AVG(x) of a numeric expression, with FILTER if need be.",
        position=position(node),
    )


def _argument(node: exp.Expr) -> exp.Expr | None:
    """What is aggregated; None for COUNT(*) and COUNT of a constant that is not NULL."""
    argument = node.this
    if isinstance(argument, exp.Distinct) or node.expressions:
        raise FeatureNotSupported(
            "DISTINCT inside an aggregate is not supported over private tables",
            hint="COUNT(*) over a table with one row per unit counts units; or GROUP BY the column instead.",
            position=position(node),
        )
    if isinstance(argument, exp.Column) and argument.is_star:
        raise FeatureNotSupported(
            "whole rows are not supported over private tables", hint="Write COUNT(*).", position=position(node)
        )
    star = isinstance(argument, exp.Star) or (
        isinstance(argument, exp.Literal | exp.Boolean) and isinstance(node, exp.Count)
    )
    return None if star else argument


def _interval(fact: Fact, argument: exp.Expr) -> Interval:
    if fact.interval is None:
        written = argument.sql(dialect="postgres").replace('"', "")
        raise BoundsRequired(
            f"{written} has no finite bounds, so one unit's share of the sum has none",
            hint=f"Clip it: LEAST(GREATEST({written}, 0), 1000) with bounds that fit, or ask the owner for bounds.",
            position=position(argument),
        )
    return fact.interval


def _sum_type(type_: SqlType) -> SqlType:
    if type_.family is Family.INTEGER:
        return NUMERIC if type_.name == "bigint" else BIGINT
    return NUMERIC if type_.family is Family.NUMERIC else SqlType(type_.name)


def _mean_type(type_: SqlType) -> SqlType:
    return DOUBLE if type_.family is Family.FLOAT else NUMERIC


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)

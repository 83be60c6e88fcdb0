"""The measures of one release: integers that a unit can move by so much, and the columns that are made of them.

A measure is known by what it adds, its kind and its bounds: whatever asks for the same one shares it, paid once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from sqlglot import exp

from dpproxy.catalog.types import SqlType
from dpproxy.errors import BoundsRequired
from dpproxy.plan.formulas import Formula
from dpproxy.plan.private_plan import Measure, MeasureKind, Output, RowEnds
from dpproxy.rewrite.expressions.numbers.grid import OPEN_STEPS
from dpproxy.rewrite.expressions.trees.build import chosen, every, number

MOST_STEPS = 2**62
WIDE_STEPS = 2**80
"""The same of products of two numbers without bounds, which are wider than a bigint: as many sums of them as there
could be units and keys fit into 128 bits."""
_FINEST, _COARSEST = Decimal("1e-280"), Decimal("1e280")
"""Grids on which a double holds any total, of 2^62 steps and more."""
_ONE, _ZERO = Decimal(1), Decimal(0)


@dataclass(frozen=True, slots=True)
class Measured:
    """A measure, and what one row adds to it; None counts rows. row: at most how much. is_open: it has no bounds.
    factors: the measures whose values a row adds the product of, where it adds that."""

    measure: Measure
    value: exp.Expression | None
    row: int = 1
    is_open: bool = False
    factors: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Steps:
    """What one row adds: a whole number of grid steps in [lower, upper], or NULL, in the engine. ends: where more is
    known of it."""

    value: exp.Expression
    lower: int
    upper: int
    step: Decimal
    centre: Decimal = _ZERO
    is_open: bool = False
    ends: RowEnds | None = None


@dataclass(frozen=True, slots=True)
class MeasurePool:
    """The distinct measures and outputs of one release, in order of first use.

    rows: how many rows of a `unit` count within a key. rows_are_selected: key selection counts rows already. scaled: a
    unit's contributions will be scaled down, so that what it may add to a key needs no limit but that of numbers.
    """

    unit: str
    rows: int
    rows_are_selected: bool
    scaled: bool = False
    found: list[Measured] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)

    def all_rows(self) -> int:
        """The index of the measure that counts rows."""
        return self._index(Measure("", MeasureKind.ROWS, 0, self.rows, _ONE, _ZERO, "COUNT(*)"), None)

    def rows_where(self, conditions: Sequence[exp.Expression], label: str) -> int | None:
        """The index of the measure that counts rows where all conditions are true; None: selection has counted them."""
        if not conditions:
            return None if self.rows_are_selected else self.all_rows()
        return self.counted(when(conditions, number(1)), label)

    def counted(self, value: exp.Expression, label: str) -> int:
        """The index of the measure that counts rows where `value`, which is 1 or NULL, is 1."""
        return self._index(Measure("", MeasureKind.VALUES, 0, self.rows, _ONE, _ZERO, label), value)

    def units_where(self, conditions: Sequence[exp.Expression], label: str) -> int:
        """The index of the measure that counts units with a row where all conditions are true; one row, one unit."""
        kind = MeasureKind.VALUES if self.rows == 1 else MeasureKind.UNITS
        return self._index(Measure("", kind, 0, 1, _ONE, _ZERO, label), when(conditions, number(1)))

    def added(self, kind: MeasureKind, steps: Steps, label: str) -> int:
        """The index of the measure that adds up `steps`.

        Claim: a unit's total lies in [rows·lower, rows·upper], since `bound` clamps it there.
        Raises BoundsRequired where it could pass 2^62.
        """
        lower, upper = min(steps.lower, 0), max(steps.upper, 0)
        row = max(-lower, upper)
        if self.scaled or steps.is_open:
            lower, upper = max(-OPEN_STEPS, self.rows * lower), min(OPEN_STEPS, self.rows * upper)
            measure = Measure("", kind, lower, upper, steps.step, steps.centre, label, ends=steps.ends)
            return self._index(measure, steps.value, row, steps.is_open)
        if self.rows * row >= MOST_STEPS:
            raise BoundsRequired(
                f"{label} could pass 2^62 grid steps of {steps.step:f} for one {self.unit}",
                hint="Clip the value to a narrower range: SUM(LEAST(GREATEST(x, 0), 100000)).",
            )
        lower, upper = self.rows * lower, self.rows * upper
        measure = Measure("", kind, lower, upper, steps.step, steps.centre, label, ends=steps.ends)
        return self._index(measure, steps.value, row)

    def multiplied(self, kind: MeasureKind, first: int, second: int, label: str) -> int:
        """The index of the measure that adds up, of each row, the product of what it adds to two others. It is made of
        their columns, so that the engine computes no value twice."""
        one, other = (self.found[index].measure for index in (first, second))
        least = 0 if first == second else -WIDE_STEPS
        measure = Measure("", kind, least, WIDE_STEPS, one.step * other.step, _ZERO, label)
        return self._known(Measured(measure, None, is_open=True, factors=(min(first, second), max(first, second))))

    def output(self, type_: SqlType, formula: Formula, label: str) -> Output:
        """The released column of that type and formula, a new one if there is none like it."""
        for output in self.outputs:
            if (output.type, output.formula) == (type_, formula):
                return output
        self.outputs.append(Output(f"o{len(self.outputs)}", type_, formula, label))
        return self.outputs[-1]

    def _index(self, measure: Measure, value: exp.Expression | None, row: int = 1, is_open: bool = False) -> int:
        return self._known(Measured(measure, value, row, is_open))

    def _known(self, made: Measured) -> int:
        """The index of this measure, a new one if there is none like it.

        Raises BoundsRequired where a double would not hold the total.
        """
        if not _FINEST <= made.measure.step <= _COARSEST:
            raise BoundsRequired(
                f"{made.measure.label} adds up values too large or too small for double precision",
                hint="Multiply them so that they are nearer to 1, and the answer back again.",
            )
        for index, known in enumerate(self.found):
            same = known.factors == made.factors and known.value == made.value
            if same and replace(known.measure, name="", label=made.measure.label) == made.measure:
                return index
        named = replace(made.measure, name=f"m{len(self.found)}")
        self.found.append(Measured(named, made.value, made.row, made.is_open, made.factors))
        return len(self.found) - 1


def is_wide(measure: Measure) -> bool:
    """Whether its squares would pass 128 bits."""
    return measure.bound > OPEN_STEPS


def when(conditions: Sequence[exp.Expression], value: exp.Expression) -> exp.Expression:
    """`value` where all conditions are true, else NULL."""
    return chosen(every(conditions), value) if conditions else value

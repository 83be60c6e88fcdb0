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
from dpproxy.plan.private_plan import Measure, MeasureKind, Output
from dpproxy.rewrite.expressions.trees.build import chosen, every, number

_MOST_STEPS = 2**62
_ONE, _ZERO = Decimal(1), Decimal(0)


@dataclass(frozen=True, slots=True)
class Measured:
    """A measure, and what one row adds to it; None counts rows."""

    measure: Measure
    value: exp.Expression | None


@dataclass(frozen=True, slots=True)
class Steps:
    """What one row adds: a whole number of grid steps in [lower, upper], or NULL, in the engine."""

    value: exp.Expression
    lower: int
    upper: int
    step: Decimal
    centre: Decimal = _ZERO


@dataclass(frozen=True, slots=True)
class MeasurePool:
    """The distinct measures and outputs of one release, in order of first use.

    rows: how many rows of a `unit` count within a key. rows_are_selected: key selection counts rows already.
    """

    unit: str
    rows: int
    rows_are_selected: bool
    found: list[Measured] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)

    def all_rows(self) -> int:
        """The index of the measure that counts rows."""
        return self._index(Measure("", MeasureKind.ROWS, 0, self.rows, _ONE, _ZERO, "COUNT(*)"), None)

    def rows_where(self, conditions: Sequence[exp.Expression], label: str) -> int | None:
        """The index of the measure that counts rows where all conditions are true; None: selection has counted them."""
        if not conditions:
            return None if self.rows_are_selected else self.all_rows()
        measure = Measure("", MeasureKind.VALUES, 0, self.rows, _ONE, _ZERO, label)
        return self._index(measure, when(conditions, number(1)))

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
        if self.rows * max(-lower, upper) >= _MOST_STEPS:
            raise BoundsRequired(
                f"{label} could pass 2^62 grid steps of {steps.step:f} for one {self.unit}",
                hint="Clip the value to a narrower range: SUM(LEAST(GREATEST(x, 0), 100000)).",
            )
        lower, upper = self.rows * lower, self.rows * upper
        return self._index(Measure("", kind, lower, upper, steps.step, steps.centre, label), steps.value)

    def output(self, type_: SqlType, formula: Formula, label: str) -> Output:
        """The released column of that type and formula, a new one if there is none like it."""
        for output in self.outputs:
            if (output.type, output.formula) == (type_, formula):
                return output
        self.outputs.append(Output(f"o{len(self.outputs)}", type_, formula, label))
        return self.outputs[-1]

    def _index(self, measure: Measure, value: exp.Expression | None) -> int:
        """The index of this measure, a new one if there is none like it."""
        for index, known in enumerate(self.found):
            if known.value == value and replace(known.measure, name="", label=measure.label) == measure:
                return index
        self.found.append(Measured(replace(measure, name=f"m{len(self.found)}"), value))
        return len(self.found) - 1


def when(conditions: Sequence[exp.Expression], value: exp.Expression) -> exp.Expression:
    """`value` where all conditions are true, else NULL."""
    return chosen(every(conditions), value) if conditions else value

"""Privacy loss as a value of two coordinates, exact.

Both coordinates lie on a grid of 1e-30: sums and comparisons are exact, and only the way from a real number to the grid
rounds, up for what is charged and down for what is granted.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal, Inexact
from enum import Enum
from fractions import Fraction

GRID = Decimal("1e-30")
_EXACT = Context(prec=80, traps=[Inexact])
_WIDE = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[Inexact])


class Accounting(Enum):
    """The first coordinate of a loss: ε of pure differential privacy, or ρ of zero-concentrated (Bun, Steinke 2016)."""

    PURE = "pure"
    ZCDP = "zcdp"


@dataclass(frozen=True, slots=True)
class Loss:
    """Privacy loss: `main` is ε or ρ by the account's `Accounting`, `delta` what key selection spends."""

    main: Decimal
    delta: Decimal

    def __add__(self, other: Loss) -> Loss:
        """Basic composition, coordinate by coordinate. Exact: raises `decimal.Inexact` rather than round."""
        return Loss(_EXACT.add(self.main, other.main), _EXACT.add(self.delta, other.delta))

    def __sub__(self, other: Loss) -> Loss:
        """What is left of `self` after `other`, exact."""
        return Loss(_EXACT.subtract(self.main, other.main), _EXACT.subtract(self.delta, other.delta))

    def within(self, limit: Loss) -> bool:
        """Whether both coordinates are at most those of `limit`."""
        return self.main <= limit.main and self.delta <= limit.delta


ZERO = Loss(Decimal(0), Decimal(0))


def charged(value: Decimal | Fraction | float) -> Decimal:
    """`value` rounded up to the grid, for what is charged. Never below `value`."""
    return _on_grid(value, ROUND_CEILING)


def granted(value: Decimal | Fraction | float) -> Decimal:
    """`value` rounded down to the grid, for what is granted. Never above `value`."""
    return _on_grid(value, ROUND_FLOOR)


def _on_grid(value: Decimal | Fraction | float, rounding: str) -> Decimal:
    exact = Fraction(value)
    steps = exact.numerator * 10**30 // exact.denominator
    if rounding == ROUND_CEILING and steps * exact.denominator != exact.numerator * 10**30:
        steps += 1
    return _WIDE.scaleb(Decimal(steps), -30)

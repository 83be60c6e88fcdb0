"""The intervals of quantiles, as numbers: the buckets that were told with them; and what may be computed from them.

Checked by: tests/test_error_bars.py, tests/test_quantile_brackets.py.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final

import numpy as np

from dpproxy.catalog.types import Family, parse_type
from dpproxy.error_bars.design import Floats, dealt
from dpproxy.mechanisms.quantile_ends import DEVIATIONS
from dpproxy.plan.formulas import QuantileOf
from dpproxy.plan.grids import EvenGrid, value_of
from dpproxy.released_ends import ends_of
from dpproxy.rows import Rows

_NOTHING: Final = float("nan")
_NUMBERS: Final = (Family.INTEGER, Family.NUMERIC, Family.FLOAT)
_SUREST: Final = tuple(sorted(DEVIATIONS, reverse=True))


def quantile_ends(
    released: Rows, rows: Rows, column: int, formula: QuantileOf, confidence: Decimal
) -> tuple[Floats, Floats] | None:
    """For each row where the interval begins and ends; None where none was told, or it is none of numbers.

    Each end is a bucket further out, since values are told as buckets. One that is open for too few units is the bound
    of all values, where there are bounds; an extreme's own is not known: NaN.
    """
    ends = ends_of(released, formula.rank, confidence)
    if ends is None or parse_type(rows.columns[column].type).family not in _NUMBERS:
        return None
    grid, rank, last = formula.grid, formula.rank, formula.grid.buckets - 1
    bounded = isinstance(grid, EvenGrid)
    least = float(value_of(grid, 0)) if bounded and rank.numerator > 0 else _NOTHING
    most = float(value_of(grid, last)) if bounded and rank.numerator < rank.denominator else _NOTHING
    low = [least if each is None else float(value_of(grid, max(each - 1, 0))) for each, _ in ends]
    high = [most if each is None else float(value_of(grid, min(each + 1, last))) for _, each in ends]
    return np.array(low), np.array(high)


def anywhere(released: Rows, formula: QuantileOf, confidence: Decimal) -> tuple[bool, ...]:
    """For each row whether its quantile may be any value: no end of its interval is known, but for an extreme's own."""
    rank, ends = formula.rank, ends_of(released, formula.rank, confidence) or ()
    if rank.numerator == 0:
        return tuple(high is None for _, high in ends)
    if rank.numerator == rank.denominator:
        return tuple(low is None for low, _ in ends)
    return tuple(low is None and high is None for low, high in ends)


def quantile_replicates(
    released: Rows, rows: Rows, column: int, formula: QuantileOf, places: range, size: int, place: list[int]
) -> Floats | None:
    """For each of the rows `size` numbers that the exact quantile may be; None where none are known.

    Claim: of the replicates no more than (1 - c) / 2 lie within either end of the interval of confidence c, for each c
    of `DEVIATIONS`; so the interval of a quantile by itself is as wide from its replicates as it was told.
    Because: those at and below that share are the ends themselves; between them and what was told, evenly.
    Checked by: tests/test_error_bars.py.
    """
    told = [quantile_ends(released, rows, column, formula, each) for each in _SUREST]
    known = [each for each in told if each is not None]
    if len(known) < len(told):
        return None
    centre = np.array([_NOTHING if each is None else float(str(each)) for each in rows.column(column)])
    at = (np.arange(size) + 0.5) / size
    below = np.searchsorted([float((1 - each) / 2) for each in _SUREST], np.minimum(at, 1 - at))
    chosen = np.minimum(below, len(_SUREST) - 1)
    lows, highs = (np.array([each[side] for each in known])[:, list(places)] for side in (0, 1))
    ends = np.where(at < 0.5, lows[chosen].T, highs[chosen].T)
    least = float((1 - _SUREST[-1]) / 2)
    inward = np.clip((np.minimum(at, 1 - at) - least) / (0.5 - least), 0, 1)
    made = np.where(inward > 0, ends + inward * (centre[list(places)][:, None] - ends), ends)
    order = dealt(np.arange(size, dtype=np.float64), len(places), place).astype(np.int64)
    return np.asarray(np.take_along_axis(made, order, axis=1))

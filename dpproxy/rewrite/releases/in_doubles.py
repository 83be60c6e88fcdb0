"""Sums of whole numbers in floating point: where an engine adds those up in the fraction of the time that numbers of
128 bits take."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from dpproxy.catalog.types import BIGINT, DOUBLE
from dpproxy.engines.dialects import Dialect
from dpproxy.rewrite.expressions.trees.build import cast, marked, number
from dpproxy.rewrite.releases.measured import Measured
from dpproxy.rewrite.releases.totals import counted, held, or_zero

_EXACT_UP_TO: Final = 2**53
_MOST_ROWS: Final = 2**30
"""Of one unit in a key. Who has more adds nothing to a sum of numbers of both signs."""


def summed_in_doubles(value: exp.Expression, measured: Measured, dialect: Dialect) -> exp.Expression | None:
    """The sum of what rows add to a measure, `value`, held to its ends, where that may be had so, and is quicker."""
    measure = measured.measure
    if not dialect.adds_in_doubles or measured.value is None or measured.factors is not None:
        return None
    if measure.lower == 0 and max(measure.upper, measured.row) <= _EXACT_UP_TO:
        return held_in_doubles(value, measure.upper)
    few = max(measured.row * _MOST_ROWS, measure.bound) <= _EXACT_UP_TO
    return held_with_signs(value, measure.lower, measure.upper) if few else None


def held_in_doubles(value: exp.Expression, most: int) -> exp.Expression:
    """clamp(SUM(value), 0, most), a bigint, of whole numbers that are 0 or above, with `most` up to 2^53.

    Claim: it is what it would be in whole numbers, in whatever order they are added. Because: as long as what was added
    so far is no more than 2^53, it is exact; what passes it once, in any task, is never below it again, since rounding
    keeps order and nothing is subtracted, and is `most` at the end, as the true sum is. Nothing raises: 2^63 numbers
    come to less than 2^127, and what is cast was held before. Checked by: tests/test_sums_in_doubles.py.
    """
    return cast(held(_added(value), 0, most), BIGINT)


def held_with_signs(value: exp.Expression, lower: int, upper: int) -> exp.Expression:
    """clamp(SUM(value), lower, upper), a bigint, of whole numbers of up to 2^23 of either sign; of more than 2^30 rows,
    clamp(0).

    Claim: it is a function of these rows alone, in whatever order they are added. Because: as many such numbers as are
    added come to 2^53 at most, so that each sum on the way is exact; of more rows none is told. Nothing raises, as
    above. Checked by: tests/test_sums_in_doubles.py.
    """
    few = exp.If(this=exp.LTE(this=counted(), expression=number(_MOST_ROWS)), true=_added(value))
    return cast(held(exp.Case(ifs=[few], default=number(0)), lower, upper), BIGINT)


def _added(value: exp.Expression) -> exp.Expression:
    return or_zero(marked(exp.Sum(this=cast(value, DOUBLE)), DOUBLE))

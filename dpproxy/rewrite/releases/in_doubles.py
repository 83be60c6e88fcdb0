"""Sums of whole numbers that are 0 or above, in floating point: where an engine adds those up in the fraction of the
time that numbers of 128 bits take."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from dpproxy.catalog.types import BIGINT, DOUBLE
from dpproxy.engines.dialects import Dialect
from dpproxy.rewrite.expressions.trees.build import cast, marked
from dpproxy.rewrite.releases.measured import Measured
from dpproxy.rewrite.releases.totals import held, or_zero

_EXACT_UP_TO: Final = 2**53


def is_added_in_doubles(measured: Measured, dialect: Dialect) -> bool:
    """Whether `held_in_doubles` may add up what rows add to a measure, and is quicker."""
    measure = measured.measure
    adds = measured.value is not None and measured.factors is None
    return dialect.adds_in_doubles and adds and measure.lower == 0 and max(measure.upper, measured.row) <= _EXACT_UP_TO


def held_in_doubles(value: exp.Expression, most: int) -> exp.Expression:
    """clamp(SUM(value), 0, most), a bigint, of whole numbers that are 0 or above, with `most` up to 2^53.

    Claim: it is what it would be in whole numbers, in whatever order they are added. Because: as long as what was added
    so far is no more than 2^53, it is exact; what passes it once, in any task, is never below it again, since rounding
    keeps order and nothing is subtracted, and is `most` at the end, as the true sum is. Nothing raises: 2^63 numbers
    come to less than 2^127, and what is cast was held before. Checked by: tests/test_sums_in_doubles.py.
    """
    added = marked(exp.Sum(this=cast(value, DOUBLE)), DOUBLE)
    return cast(held(or_zero(added), 0, most), BIGINT)

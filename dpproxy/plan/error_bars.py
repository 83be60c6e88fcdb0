"""What the post statement is told of the noise beside released numbers: `dp.low`, `dp.high` and their like.

All of it is made of what was released and of the plan alone: how is `dpproxy.error_bars`.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import Final

from dpproxy.plan.told_columns import Part

_USUAL: Final = 399
_MANY: Final = 3999
MOST_CONFIDENCE: Final = Decimal("0.999")
LEAST_CONFIDENCE: Final = Decimal("0.5")
USUAL_CONFIDENCE: Final = Decimal("0.95")


class Bar(Enum):
    """What is told of a number: the ends of its interval, half of its length, the standard deviation of its noise, and
    the share of units that were scaled down."""

    LOW = "low"
    HIGH = "high"
    HALF_WIDTH = "half_width"
    STDDEV = "stddev"
    CLIPPED = "clipped"


@dataclass(frozen=True, slots=True)
class BarColumn:
    """Column `column` of release `release`: for each row its bar, as double precision. part: of those rows alone."""

    release: int
    column: int
    bar: Bar
    confidence: Decimal
    part: Part | None = None


@dataclass(frozen=True, slots=True)
class Replicates:
    """Column `column` of release `release`: for each row the text of an array of what the exact number may be, by the
    noise around what was released. `size` of them. part: of those rows alone."""

    release: int
    column: int
    size: int
    part: Part | None = None


def size_for(confidence: Decimal) -> int:
    """How many replicates an interval is made of: with one more it is cut into parts that the ends lie between."""
    return _USUAL if _outside(confidence, _USUAL) >= 2 else _MANY


def rank_for(confidence: Decimal) -> int:
    """Which replicate is an end of the interval, counted from the outermost.

    Claim: a number that is distributed as the replicates are lies within with at least that confidence. Because: each
    of the size + 1 gaps between them is as likely, and 2 · rank of them lie outside.
    Checked by: tests/test_error_bars.py::test_ranks_keep_the_confidence.
    """
    return int(_outside(confidence, size_for(confidence)))


def rank_beside_clips(confidence: Decimal) -> int:
    """The same of replicates of what was clipped: half of them are as if nothing had been, half as if all that may be.

    Claim: a number that is distributed as one of the halves are lies within with at least that confidence. Because:
    of either half no more lie outside, on either side, than `rank_for` lets of all, to the next whole number.
    Checked by: tests/test_error_bars.py::test_what_was_clipped_is_covered.
    """
    return max(1, rank_for(confidence) // 2)


def _outside(confidence: Decimal, size: int) -> Decimal:
    return (1 - confidence) / 2 * (size + 1)

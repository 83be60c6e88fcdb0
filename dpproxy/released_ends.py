"""The ends of the intervals of quantiles, beside the rows that they are of: in columns which no statement reads.

They were read off noisy counts, which are told by them alone. So they are stored with a release, and told again with
it.
Checked by: tests/test_quantiles.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from dpproxy.mechanisms.kinds import Counted
from dpproxy.mechanisms.quantile_ends import DEVIATIONS, Ends
from dpproxy.mechanisms.ranks import Rank
from dpproxy.plan.private_plan import Release
from dpproxy.rows import Rows

_OPEN = "-"


def kept_ends(plan_release: Release) -> tuple[Rank, ...]:
    """The ranks whose intervals are told, in order; none of answers of blocks."""
    mechanisms = (each.mechanism for each in plan_release.mechanisms)
    counted = [each for each in mechanisms if isinstance(each, Counted)]
    return tuple(rank for each in counted for rank in each.ranks) if plan_release.bounded.blocks is None else ()


def ends_name(rank: Rank) -> str:
    """The column of a rank's ends."""
    return f"ends of {rank.numerator}/{rank.denominator}"


def ends_text(ends: Sequence[Ends]) -> str:
    """As it is stored."""
    return " ".join(_OPEN if end is None else str(end) for pair in ends for end in pair)


def ends_of(released: Rows, rank: Rank, confidence: Decimal) -> tuple[Ends, ...] | None:
    """For each row the buckets where the interval begins and ends, of the least confidence that is told and enough;
    None where none are."""
    names = [each.name for each in released.columns]
    enough = [place for place, told in enumerate(DEVIATIONS) if told >= confidence]
    if ends_name(rank) not in names or not enough:
        return None
    return tuple(_read(str(text), enough[0]) for text in released.column(names.index(ends_name(rank))))


def _read(text: str, place: int) -> Ends:
    low, high = (None if each == _OPEN else int(each) for each in text.split(" ")[2 * place : 2 * place + 2])
    return low, high

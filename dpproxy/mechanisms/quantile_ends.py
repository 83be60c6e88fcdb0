"""What is read off noisy counts of one histogram: by rank a bucket, and the ends of its interval."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from dpproxy.mechanisms.quantile_choice import Buckets

DEVIATIONS: Final = {Decimal("0.9"): 1.645, Decimal("0.95"): 1.96, Decimal("0.99"): 2.576, Decimal("0.999"): 3.291}
"""The confidences at which ends are told, in order, and what of a normal distribution lies beyond: its quantiles."""
Ends = tuple[int | None, int | None]
"""The buckets where an interval begins and ends; None where it is open."""


@dataclass(frozen=True, slots=True)
class ReadOff:
    """By rank a bucket, and for each confidence of `DEVIATIONS` the ends of its interval."""

    buckets: Buckets
    ends: tuple[tuple[Ends, ...], ...]

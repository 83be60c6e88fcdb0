"""Two things timed in turn, A B A B …, so that a ratio holds when the machine's speed drifts."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Pair:
    """Medians in seconds, and the median of the ratios pair by pair."""

    first: float
    second: float
    ratio: float


def paired(first: Callable[[], object], second: Callable[[], object], rounds: int) -> Pair:
    """Time both `rounds` times in turn, after a round that is not counted."""
    times = [(timed(first), timed(second)) for _ in range(rounds + 1)][1:]
    return Pair(
        statistics.median(a for a, _ in times),
        statistics.median(b for _, b in times),
        statistics.median(a / b for a, b in times),
    )


def timed(action: Callable[[], object]) -> float:
    """Seconds of one call."""
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


def median_of(action: Callable[[], object], rounds: int) -> float:
    """The median of `rounds` calls, in seconds, after one that is not counted."""
    return statistics.median([timed(action) for _ in range(rounds + 1)][1:])

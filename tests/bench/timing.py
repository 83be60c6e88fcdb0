"""Things timed in turn, A B C A B C …, so that a ratio holds when the machine's speed drifts."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Pair:
    """Medians in seconds, and the median of the ratios pair by pair."""

    first: float
    second: float
    ratio: float


@dataclass(frozen=True)
class Figures:
    """What one thing gave, round by round: seconds, or so many a second."""

    rounds: tuple[float, ...]

    @property
    def median(self) -> float:
        """Of all rounds."""
        return statistics.median(self.rounds)

    @property
    def least(self) -> float:
        """Of all rounds: for seconds, the one that was disturbed least."""
        return min(self.rounds)

    def over(self, other: Figures) -> float:
        """The median of the ratios round by round."""
        return statistics.median(a / b for a, b in zip(self.rounds, other.rounds, strict=True))


def in_turn(actions: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, Figures]:
    """The figures that each action returns, after a round that is not counted."""
    found = [{name: action() for name, action in actions.items()} for _ in range(rounds + 1)][1:]
    return {name: Figures(tuple(each[name] for each in found)) for name in actions}


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

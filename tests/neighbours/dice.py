"""Chances as a list of whole numbers, so that a case is its seed, and shrinks by leaving numbers out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

T = TypeVar("T")
_LARGE = 1 << 16


@dataclass
class Dice:
    """Replays `given`, then throws anew; without a `random` what is missing is 0, which is always the simplest."""

    given: Sequence[int] = ()
    random: Random | None = None
    thrown: list[int] = field(default_factory=list)

    @classmethod
    def seeded(cls, seed: str) -> Dice:
        """A series of its own for each seed."""
        return cls(random=Random(seed))

    def below(self, count: int) -> int:
        """0 to count - 1."""
        rest = self.given[len(self.thrown) :][:1]
        found = rest[0] if rest else self.random.randrange(_LARGE) if self.random else 0
        self.thrown.append(found)
        return found * count // _LARGE

    def one(self, options: Sequence[T]) -> T:
        """One of them, the simplest first."""
        return options[self.below(len(options))]

    def some(self, options: Sequence[T], most: int) -> list[T]:
        """Up to `most` of them, at least one, each once, in the order of their throws."""
        return list(dict.fromkeys(self.one(options) for _ in range(1 + self.below(most))))

    def rarely(self, times: int, of: int = 10) -> bool:
        """True `times` in `of`; never when shrunk."""
        return self.below(of) >= of - times


def shrunk(numbers: Sequence[int], fails: Callable[[Sequence[int]], bool], tries: int) -> list[int]:
    """A shorter or smaller list that still fails, after so many tries at most: large blocks first, to 0 or away."""
    best, left, size = list(numbers), tries, max(len(numbers) // 2, 1)
    while size:
        start = 0
        while start < len(best):
            for block in ([0] * len(best[start : start + size]), []):
                candidate = best[:start] + block + best[start + size :]
                if candidate != best and left > 0:
                    left -= 1
                    if fails(candidate):
                        best = candidate
                        break
            start += size
        size //= 2
    return best

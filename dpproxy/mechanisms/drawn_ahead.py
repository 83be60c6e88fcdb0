"""Noise that is drawn before there is a total that it is added to. Of what OpenDP takes for a few numbers most is the
way into the library and back, on which the interpreter goes to other threads a score of times.

Checked by: tests/test_drawn_ahead.py, tests/attacks/test_randomness.py.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar
from weakref import WeakSet

LARGEST_TOLD: Final = 2**62 - 1
"""Beyond it, to either side, a total with noise that was drawn ahead is told as this."""
_AT_ONCE: Final = 64
_KINDS: Final = 256
_Kind = TypeVar("_Kind")


def noised(total: int, drawn: int) -> int:
    """A total with noise that was drawn ahead, which is cut off at the ends of 64 bits.

    Claim: for totals of ±2**62 at most it is `total` and the noise as it was before that, held to ±LARGEST_TOLD: so the
    mechanism that adds the noise to the total, and then something done to what it told.
    Because: noise that is not cut off is itself. Noise n ≥ 2**63 is 2**63 − 1 here: both total + n and
    total + 2**63 − 1 are at least 2**62 − 1, and held to that. Noise n < −2**63 is −2**63 here: both sums are −2**62 at
    most, and held to −(2**62 − 1).
    Checked by: tests/test_drawn_ahead.py::test_what_is_cut_off_makes_no_difference.
    """
    return max(-LARGEST_TOLD, min(LARGEST_TOLD, total + drawn))


class DrawnAhead(Generic[_Kind]):
    """Noise of several kinds. draw: so many numbers of one.

    Of a kind that is asked for again twice as many are drawn as the last time, up to 64; of one that is asked for once
    none is left over.

    Claim: each number that `take` gives was drawn by `draw`, independently of all others and of all that it is added
    to, and is given once. Because: `draw` gives numbers that are independent; each is taken off the list as it is
    given, which no two threads do to the same; and nothing that is asked depends on those that are left, which nobody
    has seen. A process that is forked has none of what was drawn before.
    Checked by: tests/test_drawn_ahead.py.
    """

    def __init__(self, draw: Callable[[_Kind, int], list[int]]) -> None:
        self._draw = draw
        self._left: dict[_Kind, list[int]] = {}
        self._last: dict[_Kind, int] = {}
        _ALL.add(self)

    def take(self, kind: _Kind, count: int) -> list[int]:
        """So many numbers of a kind."""
        left = self._left.get(kind)
        if left is None:
            left = self._begun(kind)
        taken: list[int] = []
        while len(taken) < count:
            try:
                taken.append(left.pop())
            except IndexError:  # another thread may have taken the last one in this moment
                left += self._more(kind, count - len(taken))
        return taken

    def forget(self) -> None:
        """Nothing is left of what was drawn before."""
        self._left.clear()
        self._last.clear()

    def _begun(self, kind: _Kind) -> list[int]:
        if len(self._left) >= _KINDS:
            self.forget()
        return self._left.setdefault(kind, [])

    def _more(self, kind: _Kind, needed: int) -> list[int]:
        number = self._last[kind] = max(needed, min(2 * self._last.get(kind, 0), _AT_ONCE))
        return self._draw(kind, number)


_ALL: Final[WeakSet[DrawnAhead[Any]]] = WeakSet()


def _forget_all() -> None:
    for each in list(_ALL):
        each.forget()


os.register_at_fork(after_in_child=_forget_all)

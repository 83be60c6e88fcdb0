"""What comes again and again in a run of messages, but for values: found by comparing bytes, not message by message.

A pipeline says the same thing hundreds of times, and is answered hundreds of times in the same form. To compare all of
it takes as long as to look at a few of its messages.

Checked by: tests/test_repeated_messages.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

LONG: Final = 1024
"""Bytes from which on it is worth looking."""
_FEW, _MOST = 16, 512  # repetitions that are compared at once
_GOOD: Final = 4


def repetitions(data: bytes, begin: int, end: int, fixed: bytes) -> int:
    """How often `data[begin:end]` comes again from `end` on, as far as is looked. fixed: ff where bytes have to be the
    same, 00 where they may differ.

    Claim: where kind and length of each message of the part are fixed, each repetition consists of messages of the
    same kinds and lengths. Because: the part consists of whole messages, so that a header begins behind it; its length
    is the same, so that the next header is where the part's next is; and so on to the end, behind which a header begins
    again.
    """
    size = end - begin
    times = min((len(data) - end) // size, _MOST)
    if times < _FEW:
        return 0
    first, others = (np.frombuffer(each, np.uint8) for each in (data[begin:end] * times, fixed * times))
    differs = (np.frombuffer(data, np.uint8, times * size, end) ^ first) & others != 0
    at = int(differs.argmax())
    return at // size if differs[at] else times


class Repeated:
    """Looks for them in one run. Where it was in vain, more and more is left out before the next look.

    fixed: of a part of `data`, from where to where, the bytes that have to be the same.
    """

    __slots__ = ("_data", "_fixed", "_from", "_pause")

    def __init__(self, data: bytes, fixed: Callable[[bytes, int, int], bytes]) -> None:
        self._data, self._fixed = data, fixed
        self._from, self._pause = 0, 1

    def after(self, begin: int, end: int) -> int:
        """How often the part that ends there comes again at once."""
        size = end - begin
        if end < self._from or len(self._data) - end < _FEW * size:
            return 0
        times = repetitions(self._data, begin, end, self._fixed(self._data, begin, end))
        if times < _GOOD:
            self._pause *= 2
            self._from = end + self._pause * size
        else:
            self._pause = 1
        return times

"""What is fuzzed: a function of bytes, made once for a process, and how an input of it is changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

Mutate = Callable[[bytes, int], bytes]


@dataclass(frozen=True)
class Target:
    """try_: raises for what must not be.

    change: an input, a source of chance, and libFuzzer's own mutation to at most so many bytes -> another input. blind:
    the share of libFuzzer's own mutations of the whole. words: pieces that it may put in. longest: bytes of an input.
    """

    try_: Callable[[bytes], None]
    change: Callable[[bytes, Random, Mutate], bytes]
    words: Sequence[bytes] = ()
    longest: int = 1024
    blind: float = 0.4

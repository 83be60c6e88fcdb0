"""Noise that is drawn ahead: each number is told once, by whoever asks, and a total is told as if its noise were drawn
for it."""

from __future__ import annotations

import itertools
import os
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dpproxy.mechanisms.drawn_ahead import LARGEST_TOLD, DrawnAhead, noised
from dpproxy.mechanisms.noise import LARGEST, Distribution, Noise, add_noise
from dpproxy.mechanisms.sensitivity import Sensitivity

ONE = Sensitivity(1, 1)
P_VALUE = 1e-7


def counting() -> tuple[DrawnAhead[str], list[tuple[str, int]]]:
    """What is drawn are numbers that never were before; and how many were, of which kind."""
    numbers, drawn = itertools.count(), list[tuple[str, int]]()

    def draw(kind: str, count: int) -> list[int]:
        drawn.append((kind, count))
        return list(itertools.islice(numbers, count))

    return DrawnAhead(draw), drawn


def test_more_are_drawn_of_what_is_asked_for_again() -> None:
    ahead, drawn = counting()
    told = [ahead.take("a", 3) for _ in range(70)]
    assert ahead.take("b", 5) and ahead.take("d", 0) == []
    assert len(set(itertools.chain(*told))) == 210
    assert [count for kind, count in drawn if kind == "a"] == [3, 6, 12, 24, 48, 64, 64]
    assert ("b", 5) in drawn


def test_a_number_is_told_once_whoever_asks() -> None:
    """Threads that take turns in any moment."""
    ahead, _ = counting()
    every = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            told = list(itertools.chain(*pool.map(lambda each: ahead.take("a", 1 + each % 8), range(8_000))))
    finally:
        sys.setswitchinterval(every)
    assert len(set(told)) == len(told) == 36_000


def test_kinds_that_are_too_many_are_drawn_anew() -> None:
    ahead, _ = counting()
    told = [ahead.take(str(each % 300), 2) for each in range(1_500)]
    assert len(set(itertools.chain(*told))) == 3_000 and len(ahead._left) <= 256


def test_a_child_has_nothing_of_what_was_drawn_before() -> None:
    ahead, _ = counting()
    for _ in range(4):
        ahead.take("a", 1)
    assert ahead._left["a"]
    read, write = os.pipe()
    if not (child := os.fork()):
        os.write(write, b"left" if ahead._left else b"none")
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read, 4) == b"none" and ahead._left["a"]
    os.close(read)
    os.close(write)


@given(st.integers(-LARGEST, LARGEST), st.integers(-(2**66), 2**66) | st.integers(-3, 3).map(lambda by: 2**63 + by))
def test_what_is_cut_off_makes_no_difference(total: int, noise: int) -> None:
    for each in (noise, -noise):
        cut = max(-(2**63), min(2**63 - 1, each))
        assert noised(total, cut) == max(-LARGEST_TOLD, min(LARGEST_TOLD, total + each))


def test_opendp_cuts_off_at_the_ends_of_64_bits() -> None:
    drawn = add_noise(Noise(Distribution.LAPLACE, 1e19, ONE), [0] * 200)
    assert {2**63 - 1, -(2**63)} <= set(drawn) and all(-(2**63) <= each < 2**63 for each in drawn)
    told = [Noise(Distribution.LAPLACE, 1e19, ONE).release([LARGEST, -LARGEST]) for _ in range(100)]
    assert {LARGEST_TOLD, -LARGEST_TOLD} <= set(itertools.chain(*told))


WEIGHTS: dict[Distribution, Callable[[int, float], float]] = {
    Distribution.LAPLACE: lambda point, scale: float(np.exp(-abs(point) / scale)),
    Distribution.GAUSSIAN: lambda point, scale: float(np.exp(-(point**2) / (2 * scale**2))),
}


@pytest.mark.parametrize("distribution", list(Distribution))
@pytest.mark.parametrize("count", [1, 3, 8])
def test_a_few_totals_have_exactly_this_noise(distribution: Distribution, count: int) -> None:
    """A chi-square test of some 20,000 numbers, each less its total, against the exact probabilities."""
    noise, totals = Noise(distribution, 3.7, ONE), [10**9 * each for each in range(count)]
    answers = 20_000 // count
    found: Counter[int] = Counter()
    for _ in range(answers):
        found.update(told - total for told, total in zip(noise.release(totals), totals, strict=True))
    points = range(-200, 201)
    raw = np.array([WEIGHTS[distribution](point, 3.7) for point in points])
    expected, seen = raw / raw.sum() * answers * count, np.array([found[point] for point in points])
    common = expected >= 20
    pairs = [np.append(part[common], part[~common].sum()) for part in (seen, expected)]
    assert pairs[0].sum() == answers * count
    assert float(stats.chisquare(*pairs).pvalue) > P_VALUE

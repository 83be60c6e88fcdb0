"""Robust estimators beside what answers a median and a mean: smooth sensitivity (Nissim, Raskhodnikova, Smith 2007),
propose-test-release (Dwork, Lei 2009) and sample and aggregate, over ε and the number of units.

The first two are not of the product. They get δ = 10⁻⁶ for nothing, beside pure ε for the others, and their noise is
drawn in floating point. Each figure is the median error of some runs, in per cent of the exact answer.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpproxy.accounting.loss import Accounting
from dpproxy.mechanisms.clipped_noise import TotalsByNorm, clipped_noise
from dpproxy.mechanisms.histograms import Histograms
from dpproxy.mechanisms.norms import Norm, edge
from dpproxy.mechanisms.quantile_choice import quantile_choice
from dpproxy.mechanisms.ranks import Rank
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.plan.grids import GrowingGrid, value_of
from dpproxy.rewrite.releases.sample_aggregate import MOVED, default_blocks

Floats = NDArray[np.float64]
SIZES: Final = (1_000, 10_000, 100_000)
EPSILONS: Final = (0.1, 0.5, 2.0)
DELTA: Final = 1e-6
_GRID: Final = 2**16
_TRIMMED: Final = 0.05
_FINE: Final = GrowingGrid(Decimal(2) ** -20, 512, 736 * 512)
_SHAPES: Final[Mapping[str, Callable[[np.random.Generator, int], Floats]]] = {
    "normal, 50 ± 15": lambda random, n: random.normal(50, 15, n),
    "lognormal, σ = 1": lambda random, n: 20 * random.lognormal(0, 1, n),
    "lognormal, σ = 2": lambda random, n: 5 * random.lognormal(0, 2, n),
}
_BOUNDS: Final = {"bounds 0 to 1,000": 1e3, "bounds 0 to 1,000,000": 1e6}


def lines(runs: int, sizes: tuple[int, ...] = SIZES) -> Iterator[str]:
    """A line for each shape of the data, ε and size: first of the median, then of the mean."""
    random = np.random.default_rng(1)
    for shape, draw in _SHAPES.items():
        for bounds, most in _BOUNDS.items():
            for epsilon, n in ((epsilon, n) for epsilon in EPSILONS for n in sizes):
                values = np.sort(np.clip(draw(random, n), 0, most))
                told = (f"{name} {_error(way, runs):.3g} %" for name, way in _medians(values, most, epsilon, random))
                yield f"median, {shape}, {bounds}, ε = {epsilon}, n = {n:,}: {', '.join(told)}"
        for epsilon, n in ((epsilon, n) for epsilon in EPSILONS for n in sizes):
            values = np.sort(np.clip(draw(random, n), 0, 1e6))
            told = (f"{name} {_error(way, runs):.3g} %" for name, way in _means(values, epsilon, random))
            yield f"mean, {shape}, ε = {epsilon}, n = {n:,}: {', '.join(told)}"


def _error(way: Callable[[], float], runs: int) -> float:
    return 100 * statistics.median(way() for _ in range(runs))


Ways = Iterator[tuple[str, Callable[[], float]]]


def _medians(values: Floats, most: float, epsilon: float, random: np.random.Generator) -> Ways:
    exact = float(np.median(values))
    chosen = quantile_choice((Rank(1, 2),), _GRID + 1, Sensitivity(1, 1), Accounting.PURE, Decimal(str(epsilon)))
    counts = Counter(np.rint(values / most * _GRID).astype(int).tolist())
    histogram = Histograms(_GRID + 1, (dict(sorted(counts.items())),))
    yield "exponential mechanism", lambda: abs(chosen.release(histogram)[0][0] / _GRID * most - exact) / exact
    growing = quantile_choice((Rank(1, 2),), _FINE.buckets, Sensitivity(1, 1), Accounting.PURE, Decimal(str(epsilon)))
    fine = _histogram(values)
    yield "on a growing grid", lambda: abs(float(value_of(_FINE, growing.release(fine)[0][0])) - exact) / exact
    beta = epsilon / (2 * math.log(2 / DELTA))
    laplace, cauchy = smooth(values, most, beta) * 2 / epsilon, smooth(values, most, epsilon / 6) * 6 / epsilon
    yield "smooth with δ", lambda: abs(random.laplace(0, laplace)) / exact
    yield "smooth, pure", lambda: abs(cauchy * random.standard_cauchy()) / exact


def smooth(values: Floats, most: float, beta: float) -> float:
    """The β-smooth sensitivity of the median of sorted values between 0 and `most`: over k changed units, e^(−kβ) times
    the largest gap of k + 1 values around it."""
    n = len(values)
    places, found, k = np.arange(-n - 1, 2 * n + 1), 0.0, 0
    padded = np.where(places < 0, 0.0, np.where(places >= n, most, values[np.clip(places, 0, n - 1)]))
    middle = n // 2 + n + 1
    while k <= n and math.exp(-k * beta) * most > found:
        upper = padded[middle : middle + k + 2]
        lower = padded[middle - k - 1 : middle + 1]
        found = max(found, math.exp(-k * beta) * float(np.max(upper - lower)))
        k += 1
    return found


def _means(values: Floats, epsilon: float, random: np.random.Generator) -> Ways:
    exact, n = float(np.mean(values)), len(values)
    steps = np.rint(values * 100).astype(np.int64)
    buckets = np.ceil(np.log2(np.maximum(steps, 1)) * 8).astype(int)
    units = Counter(buckets.tolist())
    totals = {bucket: int(steps[buckets == bucket].sum()) for bucket in units}
    clip = clipped_noise(Norm.L1, Accounting.PURE, Decimal(str(epsilon)), None)
    assert all(steps[buckets == bucket].max() <= edge(bucket) for bucket in units)

    def clipped() -> float:
        told = clip.release(TotalsByNorm(units, [totals]))
        return abs(float(told.totals[0] * told.part) / 100 / n - exact) / exact

    yield "private clip", clipped
    yield "propose-test-release", lambda: abs(_proposed(values, epsilon, random) - exact) / exact
    yield "sample and aggregate", lambda: abs(_sampled(values, epsilon, random) - exact) / exact


def _proposed(values: Floats, epsilon: float, random: np.random.Generator) -> float:
    """A mean without a twentieth at each end; 0 where the test fails. A third of ε each: for the width that is
    proposed, twice what lies between the ends, by the exponential mechanism; the test; the noise."""
    n, third = len(values), epsilon / 3
    cut = int(n * _TRIMMED)
    ranks = (Rank(1, 20), Rank(19, 20))
    width = quantile_choice(ranks, _FINE.buckets, Sensitivity(1, 1), Accounting.PURE, Decimal(str(third)))
    low, high = (float(value_of(_FINE, bucket)) for bucket in width.release(_histogram(values))[0])
    proposed = 2 * max(high - low, 0.0)
    far = next((k for k in range(cut) if values[n - cut + k] - values[cut - k - 1] > proposed), cut)
    if far + random.laplace(0, 1 / third) <= math.log(1 / (2 * DELTA)) / third:
        return 0.0
    kept = values[cut : n - cut]
    return float(np.mean(kept)) + random.laplace(0, proposed / len(kept) / third)


def _sampled(values: Floats, epsilon: float, random: np.random.Generator) -> float:
    blocks = default_blocks(Decimal(str(epsilon)), 1)
    dealt = random.integers(0, blocks, len(values))
    counts = np.bincount(dealt, minlength=blocks)
    answers = np.bincount(dealt, values, blocks)[counts > 0] / counts[counts > 0]
    made = quantile_choice((Rank(1, 2),), _FINE.buckets, Sensitivity(1, MOVED), Accounting.PURE, Decimal(str(epsilon)))
    return float(value_of(_FINE, made.release(_histogram(answers))[0][0]))


def _histogram(values: Floats) -> Histograms:
    placed = np.rint(np.log1p(values / float(_FINE.finest)) * _FINE.density).astype(int) + _FINE.middle
    return Histograms(_FINE.buckets, (dict(sorted(Counter(placed.tolist()).items())),))

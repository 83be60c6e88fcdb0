"""The quantiles of a noise, and how they are dealt to rows: a fixed design, the same for the same answer.

Each row has all quantiles, in an order of its own (a Latin hypercube; McKay, Beckman, Conover 1979): what depends on
one noise alone is exact but for the grid, and what depends on several has less error than by independent draws.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Final, assert_never

import numpy as np
from numpy.typing import NDArray

from dpproxy.mechanisms.noise import Distribution, Noise
from dpproxy.mechanisms.remembered import remembered

Floats = NDArray[np.float64]
_SMALL: Final = 64.0
_REACH: Final = 40
_NORMAL: Final = NormalDist()


def reach(noise: Noise, outside: float) -> float:
    """The least t >= 0 with P(|Z| > t) <= 2 · outside, for 0 < outside <= 1/2.

    Claim: so says the discrete noise itself where its scale is small; beyond, it is rounded away from 0.
    Because: P(Z >= t) of discrete Laplace noise is e^(−t/s) / (1 + e^(−1/s)); a Gaussian's is summed up, and that of a
    wide one is the integral's from t − 1/2 on, to much less than the grid of the design.
    Checked by: tests/test_error_bars.py::test_a_quantile_is_that_of_the_discrete_noise.
    """
    scale = noise.scale
    match noise.distribution:
        case Distribution.LAPLACE:
            first = -scale * math.log(outside * (1 + math.exp(-1 / scale)))
            return float(max(0, math.ceil(first - 1e-9) - 1))
        case Distribution.GAUSSIAN if scale > _SMALL:
            return float(max(0, math.ceil(-scale * _NORMAL.inv_cdf(outside) - 0.5)))
        case Distribution.GAUSSIAN:
            return float(np.count_nonzero(_tails(scale) > outside))
        case _:
            assert_never(noise.distribution)


@remembered(256)
def _tails(scale: float) -> Floats:
    """P(Z > t) for t = 0, 1 … of a discrete Gaussian."""
    sizes = np.arange(math.ceil(scale * _REACH) + 2, dtype=np.float64)
    weights = np.exp(-(sizes**2) / (2 * scale**2))
    return np.asarray((weights[::-1].cumsum()[::-1] - weights) / (2 * weights.sum() - 1))


@remembered(256)
def quantiles(noise: Noise, size: int) -> Floats:
    """The quantiles of the noise at 1/(size + 1), 2/(size + 1) and so on."""
    below = [-reach(noise, place / (size + 1)) for place in range(1, size // 2 + 1)]
    return np.array([*below, *([0.0] * (size % 2)), *(-each for each in reversed(below))])


def dealt(points: Floats, rows: int, place: Sequence[int]) -> Floats:
    """For each row all of the points in an order of its own."""
    order = np.random.Generator(np.random.PCG64(list(place)))
    return order.permuted(np.tile(points, (rows, 1)), axis=1)

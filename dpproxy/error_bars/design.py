"""The quantiles of a noise, and how they are dealt to rows: a fixed design, the same for the same answer.

Each row has all quantiles, in an order of its own (a Latin hypercube; McKay, Beckman, Conover 1979): what depends on
one noise alone is exact but for the grid, and what depends on several has less error than by independent draws.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dpproxy.mechanisms.contract import TotalNoise
from dpproxy.remembered import remembered

Floats = NDArray[np.float64]


@remembered(256)
def quantiles(noise: TotalNoise, size: int) -> Floats:
    """The quantiles of the noise at 1/(size + 1), 2/(size + 1) and so on."""
    below = [-noise.reach(place / (size + 1)) for place in range(1, size // 2 + 1)]
    return np.array([*below, *([0.0] * (size % 2)), *(-each for each in reversed(below))])


def dealt(points: Floats, rows: int, place: Sequence[int]) -> Floats:
    """For each row all of the points in an order of its own."""
    order = np.random.Generator(np.random.PCG64(list(place)))
    return order.permuted(np.tile(points, (rows, 1)), axis=1)

"""Quantiles and modes without noise, as PERCENTILE_DISC has them: what tests put in the place of the mechanisms."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from dpproxy.mechanisms.histograms import Cells, histograms
from dpproxy.mechanisms.kinds import Quantiles
from dpproxy.mechanisms.mode_choice import ModeChoice
from dpproxy.mechanisms.quantile_brackets import QuantileBrackets
from dpproxy.mechanisms.quantile_choice import QuantileChoice
from dpproxy.mechanisms.quantile_ends import DEVIATIONS, ReadOff
from dpproxy.mechanisms.quantile_tree import QuantileTree
from dpproxy.mechanisms.ranks import Rank


def exactly(mechanism: Quantiles, vector: Sequence[int]) -> list[tuple[int, ...]]:
    """For each histogram the bucket of each rank; 0 of an empty one."""
    return [tuple(_bucket(cells, rank) for rank in mechanism.ranks) for cells in histograms(vector, mechanism.buckets)]


def _read_off(made: QuantileBrackets | QuantileTree, vector: Sequence[int]) -> list[ReadOff]:
    """With intervals that are the quantile alone."""
    return [ReadOff(each, tuple(((at, at),) * len(DEVIATIONS) for at in each)) for each in exactly(made, vector)]


def _bucket(cells: Cells, rank: Rank) -> int:
    total, below = sum(cells.values()), 0
    for bucket, count in sorted(cells.items()):
        below += count
        if below * rank.denominator >= total * rank.numerator:
            return bucket
    return 0


_RELEASES = {QuantileChoice: exactly, QuantileBrackets: _read_off, QuantileTree: _read_off}


def without_noise(patch: pytest.MonkeyPatch) -> None:
    """The product has no such switch."""
    for kind in _RELEASES:
        patch.setattr(kind, "release", _RELEASES[kind])
    patch.setattr(ModeChoice, "release", _modes)


def _modes(mechanism: ModeChoice, vector: Sequence[int]) -> list[int]:
    """For each histogram the bucket that counts most."""
    return [
        max(range(mechanism.buckets), key=lambda at: cells.get(at, 0))
        for cells in histograms(vector, mechanism.buckets)
    ]

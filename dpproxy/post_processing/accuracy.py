"""How much less noise there is in numbers that were made consistent, where that is known before anything is released.

Where all keys are declared values, parts are all combinations of them. With n_i values of key i, B the keys of a
level, and λ_U the eigenvalue of the normal equations on vectors that sum to 0 over each key in U, and are constant over
others,

    λ_U = sum over levels with U within B of (1 / v) · product of n_i over i outside B
    v'  = sum over U within B of (1 / λ_U) · product of (n_i outside B, 1 - 1/n_i in U, 1/n_i in B without U)

is the variance of a number of that level after least squares.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from dpproxy.plan.hierarchies import Hierarchy, Level
from dpproxy.plan.private_plan import Literals, Plan, Release
from dpproxy.post_processing.consistency import is_small, variance

_Keys = frozenset[int]


def narrowed(plan: Plan) -> Mapping[tuple[int, int], float]:
    """By release and column, what the standard deviation is multiplied by; what is not there is not known to be less.

    Claim: the error of that number has this standard deviation, but for rounding to the grid.
    Because: its covariance is the inverse of the matrix of the normal equations, which is diagonal in the above basis.
    Checked by: tests/test_post_processing.py::test_narrowed_is_what_least_squares_leave.
    """
    return {place: ratio for each in plan.hierarchies for place, ratio in _of(each, plan.releases)}


def _of(hierarchy: Hierarchy, releases: Sequence[Release]) -> Iterator[tuple[tuple[int, int], float]]:
    sizes = _sizes(releases[hierarchy.parts.release])
    variances = [variance(releases, each) for each in hierarchy.levels]
    known = [each for each in variances if each is not None]
    if sizes is None or len(known) < len(variances):
        return
    levels = [(frozenset(i for i, at in enumerate(each.keys) if at is not None), each) for each in hierarchy.levels]
    if not is_small([math.prod(sizes[i] for i in own) for own, _ in levels]):
        return
    weights = [(own, 1 / each) for (own, _), each in zip(levels, known, strict=True)]
    for (own, level), before in zip(levels, known, strict=True):
        yield _place(level), math.sqrt(_variance(own, weights, sizes) / before)


def _place(level: Level) -> tuple[int, int]:
    return level.release, level.column


def _sizes(release: Release) -> list[int] | None:
    """How many values each key has; None where they are not all declared."""
    domains = [key.domain for key in release.bounded.keys]
    sizes = [len(set(each.values)) for each in domains if isinstance(each, Literals)]
    return sizes if len(sizes) == len(domains) and all(sizes) else None


def _variance(own: _Keys, weights: Sequence[tuple[_Keys, float]], sizes: Sequence[int]) -> float:
    """Of a number of the level whose keys are `own`."""
    return sum(_share(varying, own, sizes) / _eigenvalue(varying, weights, sizes) for varying in _subsets(own))


def _share(varying: _Keys, own: _Keys, sizes: Sequence[int]) -> float:
    rest = math.prod(1 / sizes[i] for i in own - varying)
    return _outside(own, sizes) * math.prod(1 - 1 / sizes[i] for i in varying) * rest


def _eigenvalue(varying: _Keys, weights: Sequence[tuple[_Keys, float]], sizes: Sequence[int]) -> float:
    return sum(weight * _outside(keys, sizes) for keys, weight in weights if varying <= keys)


def _outside(keys: _Keys, sizes: Sequence[int]) -> float:
    return float(math.prod(size for i, size in enumerate(sizes) if i not in keys))


def _subsets(keys: _Keys) -> Iterator[_Keys]:
    return (frozenset(each) for size in range(len(keys) + 1) for each in combinations(sorted(keys), size))

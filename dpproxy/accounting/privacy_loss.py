"""The privacy loss distribution of dominating pairs, made and composed by dp-accounting (Google), pessimistically.

dp-accounting takes seconds to import, with scipy: it is imported when the first figure is asked for, and whoever asks
does so where nobody waits.

*Discrete noise by continuous pairs.* The noise is discrete, and dp-accounting's discrete forms add up every point of
it, which for sums in cents are millions. So each is replaced by a continuous pair that dominates it:

Gaussian: let F be the noise's distribution function, and z(m) the quantile of the normal distribution at F(m). The best
tests of a shift by b are thresholds, since the likelihood ratio is monotone: at m they err by 1 − F(m) and F(m − b).
The normal pair at distance μ has an error of the second kind no larger at the same first if z(m) − z(m − b) <= μ;
between thresholds the curve is straight, and the normal one convex. So μ = b·g dominates, with g the largest z(m) −
z(m − 1). From scale σ = 64 on g <= (1 + 1/(12σ²))/σ: by Euler and Maclaurin's formula, F(m) is the normal distribution
function at (m + 1/2)·(1 + 1/(24σ²))/σ, up to terms in σ⁻⁴. Below, g is looked for. A vector's entries compose: μ² adds
up.

Laplace: with q = e^(−1/s), errors at threshold m >= 0 add up to F(m) − e^ε·F(m − b) = 1 − (q^(m+1) + e^ε·q^(b−m))/(1 +
q), which over all real m is at most 1 − e^((ε − x)/2), the curve of the continuous pair at distance x = b/s + 2·log
cosh(1/2s). For one step the pair is randomized response itself, of ε = 1/s.

Checked by: tests/test_history.py.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from decimal import ROUND_CEILING, Context, Decimal
from typing import Any, Final, assert_never

from dpproxy.accounting.dominating_pairs import GaussianPair, LaplacePair, Pair, Pairs, PurePair, RangePair
from dpproxy.remembered import remembered

_UP: Final = 1 + 1e-12
"""More than what a handful of float operations err by, in proportion."""
_WIDE: Final = 64.0
_BEGIN, _FAR = 36, 30
_MOST_KINDS: Final = 48
_LARGEST: Final = 300.0
_STEPS: Final = 10_000
_FINEST: Final = 200_000


def epsilon_of_pairs(pairs: Pairs, delta: float, about: float) -> float:
    """The ε at `delta` of mechanisms that these pairs dominate; infinity where delta is too small for floats, or ε
    is above what means anything.

    about: how large it may be: the distribution's grid is a ten-thousandth of that, or finer where pairs are small.

    Claim: they are together (epsilon_of_pairs, delta)-differentially private, if each was chosen whatever came before.
    Because: pairs are replaced by pairs that dominate them (the module, and rounding up to few digits); dp-accounting
    rounds each distribution to its grid so that its curve grows ("connect the dots", Doroshenko and others 2022). What
    floats err by is held back of delta.
    Checked by: tests/test_history.py::test_never_below_the_exact_figure.
    """
    held_back = delta * (1 - 1e-6) - 1e-13
    gaussian, rest = _gathered(pairs)
    if not gaussian and not rest:
        return 0.0
    if held_back <= 0 or max((about, gaussian, *(size for _, size in rest))) > _LARGEST:
        return math.inf
    grid = _grid(about, rest)
    made = [_gaussian(gaussian, grid)] if gaussian else []
    made += [_curve(kind, size, grid).self_compose(times) for (kind, size), times in rest.items()]
    whole = made[0]
    for each in made[1:]:
        whole = whole.compose(each)
    return float(whole.get_epsilon_for_delta(held_back)) * _UP


def distance(pair: GaussianPair) -> float:
    """μ of the normal pair that dominates it, rounded up."""
    return math.sqrt(pair.square) * steepest(pair.scale) * _UP


def _gathered(pairs: Pairs) -> tuple[float, Counter[tuple[type[Pair], float]]]:
    """All Gaussians as one distance; the others by kind and size, rounded up to as few digits as leave few of them."""
    square = sum(times * distance(pair) ** 2 for pair, times in pairs if isinstance(pair, GaussianPair))
    others = [(*_sized(pair), times) for pair, times in pairs if not isinstance(pair, GaussianPair)]
    for digits in (12, 4, 3, 2, 1):
        rest: Counter[tuple[type[Pair], float]] = Counter()
        for kind, size, times in others:
            rest[kind, _rounded_up(size, digits)] += times
        if len(rest) <= _MOST_KINDS:
            break
    return math.sqrt(square) * _UP, rest


def _sized(pair: LaplacePair | PurePair | RangePair) -> tuple[type[Pair], float]:
    """Which curve dominates it, and the one number that it has; it grows with that number."""
    match pair:
        case LaplacePair(scale, 1):
            return PurePair, _UP / scale
        case LaplacePair(scale, steps):
            discrete = 2 * math.log(math.cosh(0.5 / scale)) if scale > 1e-2 else math.inf
            return LaplacePair, (steps / scale + discrete) * _UP
        case PurePair(size) | RangePair(size):
            return type(pair), float(size) * _UP
        case _:
            assert_never(pair)


def _rounded_up(size: float, digits: int) -> float:
    return float(Context(prec=digits, rounding=ROUND_CEILING).create_decimal(Decimal(size))) * _UP


def _grid(about: float, rest: Counter[tuple[type[Pair], float]]) -> float:
    """As fine as twenty steps for the smallest pair, within limits."""
    least = min((size for _, size in rest), default=math.inf)
    return max(min(about / _STEPS, least / 20), about / _FINEST)


@remembered(4096)
def steepest(scale: float) -> float:
    """At least the largest z(m) − z(m − 1) of the module."""
    if scale >= _WIDE:
        return (1 + 1 / (12 * scale * scale)) / scale
    import numpy as np
    from scipy.special import ndtri

    # Sums begin with their smallest terms, and are looked at from where 1e-190 of all is left.
    points = np.arange(-math.ceil(_BEGIN * scale) - 1, 1)
    weights = np.exp(-(points.astype(float) ** 2) / (2 * scale * scale))
    below = np.cumsum(weights[:-1])
    quantiles = ndtri(below / (2 * below[-1] + 1))[-math.ceil(_FAR * scale) - 1 :]
    return float(np.diff(quantiles).max(initial=-2 * quantiles[-1])) * (1 + 1e-9)


def _gaussian(mu: float, grid: float) -> Any:
    from dp_accounting.pld import privacy_loss_distribution

    return privacy_loss_distribution.from_gaussian_mechanism(1 / mu, value_discretization_interval=grid)


def _curve(kind: type[Pair], size: float, grid: float) -> Any:
    from dp_accounting.pld import privacy_loss_distribution as made

    if kind is RangePair:
        return _connected(size, grid, lambda epsilon: _of_range(size, epsilon))
    if kind is PurePair:
        return _connected(size, grid, lambda epsilon: _of_response(size, epsilon))
    return made.from_laplace_mechanism(1 / size, value_discretization_interval=grid)


def _connected(size: float, grid: float, curve: Callable[[float], float]) -> Any:
    """The distribution on the grid whose curve goes through the given one at each of its points; that one is 0 from
    `size` on, and symmetric: δ(−ε) = 1 − e^−ε·(1 − δ(ε))."""
    from dp_accounting.pld import pld_pmf, privacy_loss_distribution

    last = math.ceil(size / grid)
    above = [max(0.0, curve(step * grid)) for step in range(last + 1)]
    below = [1 - math.exp(-step * grid) * (1 - above[step]) for step in range(last, 0, -1)]
    made = pld_pmf.create_pmf_pessimistic_connect_dots(grid, list(range(-last, last + 1)), [*below, *above])
    return privacy_loss_distribution.PrivacyLossDistribution(made)


def _of_response(size: float, epsilon: float) -> float:
    """Randomized response: (e^ε₀ − e^ε)/(e^ε₀ + 1)."""
    return -math.expm1(epsilon - size) / (1 + math.exp(-size)) if epsilon < size else 0.0


def _of_range(length: float, epsilon: float) -> float:
    """The worst of all mechanisms of this range: with losses t and t − length, p = (e^length − e^t)/(e^length − 1) of
    the first, δ(ε) = p·(1 − e^(ε − t)), and t = (ε + length)/2 is the worst (Dong, Durfee, Rogers 2020)."""
    if epsilon >= length:
        return 0.0
    return math.expm1((epsilon - length) / 2) ** 2 / -math.expm1(-length)

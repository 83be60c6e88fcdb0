"""What so many repetitions of a statement come to, by five ways of adding losses up: for comparison."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final, assert_never

from dpproxy.accounting.conversion import epsilon_of_rho
from dpproxy.accounting.dominating_pairs import (
    GaussianPair,
    LaplacePair,
    Pair,
    Pairs,
    PurePair,
    RangePair,
    repeated,
)
from dpproxy.accounting.loss import granted
from dpproxy.accounting.privacy_loss import epsilon_of_pairs

_ORDERS: Final = tuple(1 + 10 ** (power / 40) for power in range(-120, 241))


@dataclass(frozen=True, slots=True)
class OneRun:
    """What a statement's mechanisms say. pure: their ε, None where one has none. rho, delta: the same of ρ and δ."""

    pairs: Pairs
    pure: Decimal | None
    rho: Decimal
    delta: Decimal


@dataclass(frozen=True, slots=True)
class Repetitions:
    """The ε of so many runs; None where nothing finite is promised by that way.

    basic: ε adds up; where there is none, that of ρ, at its part of δ. advanced: the same by Kairouz, Oh, Viswanath
    (2015, theorem 3.4). rdp: by the best of some orders of Rényi's divergence. zcdp: by ρ. pld: by the distribution,
    which is the exact one but for choices of bounded range: those have no one worst pair, and its curve is that of the
    worst at each ε.
    """

    times: int
    basic: float | None
    advanced: float | None
    rdp: float | None
    zcdp: float | None
    pld: float | None


def compared(run: OneRun, delta: Decimal, times: Iterable[int]) -> tuple[Repetitions, ...]:
    """The ε of each number of runs at `delta`, of which the runs' own δ is taken first."""
    return tuple(_compared(run, Fraction(delta) - each * Fraction(run.delta), each) for each in times)


def _compared(run: OneRun, left: Fraction, times: int) -> Repetitions:
    sums = None if run.pure is None else float(run.pure * times)
    delta = granted(left / (2 * times)) if left > 0 else Decimal(0)
    if not delta:
        return Repetitions(times, sums if left >= 0 else None, None, None, None, None)
    rest = float(left)
    if run.pure is None or sums is None:
        each, slack = float(epsilon_of_rho(run.rho, delta)), rest / 2
        sums = times * float(epsilon_of_rho(run.rho, 2 * delta))
    else:
        each, slack = float(run.pure), rest
    zcdp = float(epsilon_of_rho(run.rho * times, granted(left)))
    advanced = times * each * math.tanh(each / 2) + each * math.sqrt(2 * times * -math.log(slack))
    rdp = _rdp(run.pairs, times, rest)
    about = max(1e-9, min(sums, advanced, rdp, zcdp))
    pld = epsilon_of_pairs(repeated(run.pairs, times), rest, about)
    return Repetitions(times, sums, min(sums, advanced), rdp, zcdp, _finite(pld))


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _rdp(pairs: Pairs, times: int, delta: float) -> float:
    """The module `conversion` says how an order becomes an ε."""
    return max(0.0, min(_converted(order, times * _divergence(pairs, order), delta) for order in _ORDERS))


def _converted(order: float, divergence: float, delta: float) -> float:
    return divergence - math.log1p(1 / (order - 1)) - (math.log(delta) + math.log(order)) / (order - 1)


def _divergence(pairs: Pairs, order: float) -> float:
    return math.fsum(_terms(pairs, order))


def _terms(pairs: Pairs, order: float) -> Iterator[float]:
    for pair, times in pairs:
        yield times * _of(pair, order)


def _of(pair: Pair, order: float) -> float:
    """Rényi's divergence of that order, or more."""
    match pair:
        case GaussianPair(scale, square):
            return order * square / (2 * scale * scale)
        case LaplacePair(scale, steps):
            return _of_laplace(scale, steps, order)
        case PurePair(epsilon):
            return _of_response(float(epsilon), order)
        case RangePair(length):
            return min(order * float(length) ** 2 / 8, _of_response(float(length), order))
        case _:
            assert_never(pair)


def _of_response(epsilon: float, order: float) -> float:
    """log of cosh(ε·(α − 1/2))/cosh(ε/2): see `concentrated`."""
    grown = epsilon * (order - 0.5)
    log_cosh = grown + math.log1p(math.exp(-2 * grown)) - epsilon / 2 - math.log1p(math.exp(-epsilon))
    return min(epsilon, max(0.0, log_cosh / (order - 1)))


def _of_laplace(scale: float, steps: int, order: float) -> float:
    """The larger of both sums of `concentrated` is taken out; the steps between are a geometric sum."""
    if scale < 1e-2:
        return steps / scale
    rate = 1 / scale
    across = 2 * order - 1
    # Over e^((α − 1)·rate·steps): outside on both sides, and between.
    outside = (1 + math.exp(-across * rate * steps)) / -math.expm1(-rate)
    between = math.exp(-across * rate) * math.expm1(-across * rate * (steps - 1)) / math.expm1(-across * rate)
    weight = math.tanh(rate / 2)
    return rate * steps + math.log(weight * (outside + between)) / (order - 1)

"""Pairs of distributions that dominate what a mechanism tells of two neighbours, as values, and as the text of a
ledger.

A pair (P, Q) dominates a mechanism if, at every ε, no two neighbours are told apart better than P and Q, in either
direction: the mechanism's privacy curve is nowhere above theirs. The curve of several mechanisms, one after the other,
is then nowhere above that of the product of their pairs, whatever each goes by of what was told before (Zhu, Dong, Wang
2022, "Optimal accounting of differential privacy via characteristic function", theorem 10), and of that product the
privacy loss distribution is computed (`history.py`).

What makes events that are not covered at all, as a lonely key's coming out, is no pair: its probability is the δ of a
loss, and δ adds up beside.

Checked by: tests/test_history.py.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, assert_never

from dpproxy.remembered import remembered


@dataclass(frozen=True, slots=True)
class GaussianPair:
    """Discrete Gaussian noise of that scale on each entry of a vector of integers, whose moves' squares add up to
    `square` at most, over however many entries."""

    scale: float
    square: int


@dataclass(frozen=True, slots=True)
class LaplacePair:
    """Discrete Laplace noise of that scale on one integer, which moves by so many steps at most."""

    scale: float
    steps: int


@dataclass(frozen=True, slots=True)
class PurePair:
    """Any mechanism that is ε-differentially private."""

    epsilon: Decimal


@dataclass(frozen=True, slots=True)
class RangePair:
    """Any mechanism of two neighbours of which the logarithms of all ratios of probabilities lie within an interval of
    this length (Dong, Durfee, Rogers 2020: a bounded range)."""

    length: Decimal


Pair = GaussianPair | LaplacePair | PurePair | RangePair
Pairs = tuple[tuple[Pair, int], ...]
"""Each with how often it is there; no pair twice, in one order."""

NO_PAIRS: Final[Pairs] = ()
_NAMES: Final[dict[str, type[Pair]]] = {
    "gaussian": GaussianPair,
    "laplace": LaplacePair,
    "pure": PurePair,
    "range": RangePair,
}


def together(parts: Iterable[Pairs]) -> Pairs:
    """All of them."""
    counted: Counter[Pair] = Counter()
    for pairs in parts:
        for pair, times in pairs:
            counted[pair] += times
    return tuple(sorted(counted.items(), key=lambda item: (_name(item[0]), _fields(item[0]))))


def repeated(pairs: Pairs, times: int) -> Pairs:
    """Each so many times as often."""
    return tuple((pair, each * times) for pair, each in pairs)


@remembered(256)
def written(pairs: Pairs) -> str:
    """As text: floats by the shortest digits that name them, decimals as texts."""
    return json.dumps([[_name(pair), times, *map(_told, _fields(pair))] for pair, times in pairs])


def read(text: str) -> Pairs:
    """What `written` wrote."""
    return tuple((_pair(name, *rest), times) for name, times, *rest in json.loads(text))


def _name(pair: Pair) -> str:
    match pair:
        case GaussianPair():
            return "gaussian"
        case LaplacePair():
            return "laplace"
        case PurePair():
            return "pure"
        case RangePair():
            return "range"
        case _:
            assert_never(pair)


def _fields(pair: Pair) -> tuple[float | Decimal, ...]:
    match pair:
        case GaussianPair(scale, square):
            return scale, square
        case LaplacePair(scale, steps):
            return scale, steps
        case PurePair(epsilon):
            return (epsilon,)
        case RangePair(length):
            return (length,)
        case _:
            assert_never(pair)


def _told(value: float | Decimal) -> float | str:
    return str(value) if isinstance(value, Decimal) else value


def _pair(name: str, *fields: float | str) -> Pair:
    made = _NAMES[name]
    return made(*(Decimal(each) if isinstance(each, str) else each for each in fields))  # type: ignore[arg-type]

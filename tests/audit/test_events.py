"""Events are chosen well and counted honestly: on answers that are made here, of mechanisms whose loss is known."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal

import numpy as np
import pytest

from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.audit.asking import Result, TimedAnswer
from dpproxy.audit.epsilon_bounds import ChargePromise, promised
from dpproxy.audit.events import Tally, choose, count, learn

pytestmark = pytest.mark.long

Random = np.random.Generator
Maker = Callable[[Random, bool], TimedAnswer]


def told(*results: Result) -> TimedAnswer:
    """An answer with those results, in no time."""
    return TimedAnswer(results, (0.0,) * len(results))


PURE = promised(Loss(Decimal(1), Decimal(0)), Accounting.PURE)
RISK = 1e-8


def _audited(make: Maker, answers: int, seed: int, at: ChargePromise = PURE) -> list[Tally]:
    """What the whole way from answers to bounds finds of a mechanism."""
    random = np.random.default_rng(seed)
    part = answers // 6
    base, target = ([make(random, there) for _ in range(answers)] for there in (False, True))
    sight = learn(base[:part], target[:part])
    events = choose(sight, base[part : 2 * part], target[part : 2 * part], at, answers - 2 * part, RISK, 3)
    return count(sight, base[2 * part :], target[2 * part :], events, RISK)


def _laplace(random: Random, scale: float) -> int:
    ratio = math.exp(-1 / scale)
    return int(random.geometric(1 - ratio) - random.geometric(1 - ratio))


def _one(scale: float) -> Maker:
    return lambda random, there: told(((50 + there + _laplace(random, scale),),))


def _keyed(scale: float) -> Maker:
    """A count for each of three keys; the target is in one."""
    return lambda random, there: told(
        tuple((key, 20 + (there and key == "b") + _laplace(random, scale)) for key in ("a", "b", "c"))
    )


def _spread(scale: float) -> Maker:
    """The target is in eight keys, so that only all of them together show what it adds up to."""
    return lambda random, there: told(tuple((f"key {key}", 5 + there + _laplace(random, scale)) for key in range(8)))


def _gaussian(scale: float) -> Maker:
    return lambda random, there: told(((float(round(random.normal(0, scale))) + there,),))


def _selected(random: Random, there: bool, chance: float) -> TimedAnswer:
    """A key of the target's own, which comes out with some chance."""
    rows = (("common", 40 + _laplace(random, 1)),)
    return told((*rows, ("only", 3)) if there and random.random() < chance else rows)


@pytest.mark.parametrize(
    ("make", "answers"),
    [(_one(1), 600), (_keyed(1), 600), (_spread(8), 600), (_one(0.999), 3000)],
    ids=("one number", "a key", "many numbers", "more answers"),
)
def test_what_keeps_to_its_charge_is_not_accused(make: Maker, answers: int) -> None:
    """ε = 1, exactly used up; each of the audits accuses with probability 1e-8 at most."""
    for seed in range(8):
        assert not any(each.broken for each in _audited(make, answers, seed))


def test_a_gaussian_is_not_accused() -> None:
    at = promised(Loss(Decimal("0.5"), Decimal(0)), Accounting.ZCDP)
    assert not any(each.broken for seed in range(6) for each in _audited(_gaussian(1.05), 900, seed, at))


def test_bounds_come_near_to_what_is_lost() -> None:
    """With many answers: 0.7 of ε = 1, whatever the number of keys."""
    assert max(each.bound for each in _audited(_one(1), 12_000, 1)) > 0.7
    assert max(each.bound for each in _audited(_keyed(1), 12_000, 1)) > 0.7


@pytest.mark.parametrize("seed", range(4))
def test_half_the_noise_is_found(seed: int) -> None:
    """In one key of several, and spread over keys, where no single number shows it."""
    assert any(each.broken for each in _audited(_one(0.5), 1500, seed))
    assert any(each.broken for each in _audited(_keyed(0.5), 1500, seed))
    assert any(each.broken for each in _audited(_spread(1), 1500, seed))


@pytest.mark.parametrize("seed", range(4))
def test_half_the_gaussian_noise_is_found(seed: int) -> None:
    at = promised(Loss(Decimal("0.5"), Decimal(0)), Accounting.ZCDP)
    assert any(each.broken for each in _audited(_gaussian(0.5), 1500, seed, at))


@pytest.mark.parametrize("seed", range(4))
def test_lonely_keys_are_found_by_their_presence(seed: int) -> None:
    at = promised(Loss(Decimal(1), Decimal("0.001")), Accounting.PURE)
    assert any(each.broken for each in _audited(lambda random, there: _selected(random, there, 0.5), 400, seed, at))
    found = _audited(lambda random, there: _selected(random, there, 0.001), 400, seed, at)
    assert not any(each.broken for each in found)


@pytest.mark.parametrize("seed", range(4))
def test_errors_are_answers_too(seed: int) -> None:
    def make(random: Random, there: bool) -> TimedAnswer:
        return told("DP005") if there else told(((_laplace(random, 1),),))

    assert any(each.broken for each in _audited(make, 300, seed))


@pytest.mark.parametrize("seed", range(4))
def test_noise_that_cancels_is_found(seed: int) -> None:
    """The same noise in two measures, the second ten times as large: only their combination is without it."""

    def make(random: Random, there: bool) -> TimedAnswer:
        noise = _laplace(random, 30)
        return told(((noise + there, 10 * noise + 3 * there),))

    assert any(each.broken for each in _audited(make, 300, seed))


def test_an_answer_may_be_anything() -> None:
    """NULL, NaN, no rows at all, dates, texts in place of numbers: nothing raises, nothing is found."""
    odd: list[TimedAnswer] = [
        told(()),
        told("57014"),
        told("DP005"),
        told((("a", None),)),
        told((("a", math.nan), ("b", math.inf))),
        told((("a", Decimal("NaN")), ("b", True))),
    ]

    def make(random: Random, there: bool) -> TimedAnswer:
        return odd[int(random.integers(len(odd)))]

    assert not any(each.broken for each in _audited(make, 120, 1))


def _slow(seconds: float) -> Maker:
    """A target that makes answers later by so much, under noise whose scale is a second."""
    return lambda random, there: TimedAnswer(
        (((_laplace(random, 1e6),),),), (5 + float(random.laplace(0, 1)) + there * seconds,)
    )


@pytest.mark.parametrize("seed", range(4))
def test_seconds_are_looked_at(seed: int) -> None:
    """ε = 1 covers one second, and not three; what is found there is said to be of time, and nothing else is found."""
    assert not any(each.broken for each in _audited(_slow(1), 900, seed))
    found = [each for each in _audited(_slow(3), 900, seed) if each.broken]
    assert found and all(each.event.timed for each in found)


@pytest.mark.parametrize("seed", range(4))
def test_how_an_answer_ends_is_looked_at(seed: int) -> None:
    """A time limit that is a mechanism, and one that is not; 57014 and DP005 are told apart."""

    def make(often: float, seldom: float) -> Maker:
        return lambda random, there: told("57014" if random.random() < (often if there else seldom) else "DP005")

    assert not any(each.broken for each in _audited(make(0.7, 0.5), 900, seed))
    assert any(each.broken for each in _audited(make(0.9, 0.05), 900, seed))


@pytest.mark.parametrize("seed", range(4))
def test_a_delay_that_two_statements_share_is_found(seed: int) -> None:
    """Only the difference of their seconds is without it."""

    def make(random: Random, there: bool) -> TimedAnswer:
        delay, jitter = random.laplace(10, 5), random.normal(0, 0.1, 2)
        seconds = delay + jitter[0] + there, delay + jitter[1]
        return TimedAnswer(((), ()), seconds)

    found = [each for each in _audited(make, 600, seed) if each.broken]
    assert found and all(each.event.timed for each in found)

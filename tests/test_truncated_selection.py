"""Selection by truncated noise: small worlds with all that may be told of them, enumerated, and δ by exact sums."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from random import Random

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lanes import sized
from scipy import stats

from dpproxy.accounting.concentrated import rho_of_pure
from dpproxy.accounting.dominating_pairs import PurePair
from dpproxy.accounting.loss import Accounting, Loss, charged
from dpproxy.mechanisms import truncated_selection
from dpproxy.mechanisms.noise import Distribution, Noise, gaussian
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.mechanisms.spread_selection import MOST_LONELY, WHOLE, spread_laplace, weight
from dpproxy.mechanisms.truncated_selection import TruncatedSelection, truncated_delta, truncated_laplace
from dpproxy.rewrite.checker.losses import between

P_VALUE = 1e-9
DRAWS = sized(4000, 20_000, 400_000)
SHARES = st.floats(1e-3, 20).map(Decimal)
DELTAS = st.floats(1e-12, 1e-2).map(Decimal)
NOTHING = None
Told = int | None


def of_scale(scale: float, threshold: int) -> TruncatedSelection:
    return TruncatedSelection(Noise(Distribution.LAPLACE, scale, Sensitivity(1, WHOLE)), threshold)


# Small worlds


def exactly(scale: float, at: int) -> float:
    """P(Z = at)."""
    q = math.exp(-1 / scale)
    return (1 - q) / (1 + q) * q ** abs(at)


def of_key(scale: float, threshold: int, weighed: int) -> Mapping[Told, float]:
    """All that may be told of a key, by its chance: a number, or nothing."""
    chances = {told: exactly(scale, told - weighed) for told in range(threshold, weighed + threshold)}
    return {NOTHING: 1 - math.fsum(chances.values()), **chances}


def of_world(scale: float, threshold: int, weights: Sequence[int]) -> Mapping[tuple[Told, ...], float]:
    each = [of_key(scale, threshold, weighed).items() for weighed in weights]
    return {
        tuple(told for told, _ in found): math.prod(chance for _, chance in found) for found in itertools.product(*each)
    }


def beyond(one: Mapping[tuple[Told, ...], float], other: Mapping[tuple[Told, ...], float], epsilon: float) -> float:
    """The least δ for which `one` is within (ε, δ) of `other`."""
    return math.fsum(max(0.0, chance - math.exp(epsilon) * other.get(told, 0.0)) for told, chance in one.items())


def neighbours(whole: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Weights of up to three keys without a unit, and with it: it adds `whole` in sum at most."""
    for without in itertools.chain(*(itertools.product((0, 1, 2, 5), repeat=keys) for keys in (1, 2, 3))):
        for added in itertools.product(range(whole + 1), repeat=len(without)):
            if sum(added) <= whole:
                yield without, tuple(map(sum, zip(without, added, strict=True)))


@pytest.mark.parametrize("whole", [1, 2, 4])
@pytest.mark.parametrize("scale", [0.4, 1.0, 3.0])
def test_small_worlds_lose_what_it_says(monkeypatch: pytest.MonkeyPatch, whole: int, scale: float) -> None:
    """A unit of few parts, so that all that may be told can be told apart: no more is lost, and about as much is."""
    monkeypatch.setattr(truncated_selection, "WHOLE", whole)
    threshold = whole + 2
    claimed = float(truncated_delta.__wrapped__(of_scale(scale, threshold).noise, threshold))
    epsilon, worst = whole / scale, 0.0
    for without, with_unit in neighbours(whole):
        one, other = of_world(scale, threshold, with_unit), of_world(scale, threshold, without)
        found = beyond(one, other, epsilon)
        assert found <= claimed + 1e-12
        assert beyond(other, one, epsilon) <= 1e-12
        worst = max(worst, found)
    assert worst >= claimed / 1.2


def test_noise_as_it_is_would_lose_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four keys that a unit has alone, with a part of it each: one comes out more often than is claimed."""
    monkeypatch.setattr(truncated_selection, "WHOLE", 4)
    scale, threshold = 30.0, 80
    claimed = float(truncated_delta.__wrapped__(of_scale(scale, threshold).noise, threshold))
    at_all = math.fsum(exactly(scale, at) for at in range(threshold - 1, 3000))
    assert 1 - (1 - at_all) ** 4 > 5 * claimed
    truncated = 1 - of_key(scale, threshold, 1)[NOTHING]
    assert 1 - (1 - truncated) ** 4 <= claimed


@pytest.mark.long
@pytest.mark.larger
@pytest.mark.parametrize("weights", [(0, 3, 9, 40), (12,) * 5])
def test_what_is_told_is_distributed_so(weights: tuple[int, ...]) -> None:
    """Each key by itself, with small noise: the numbers, and how often nothing is told."""
    scale, threshold = 3.0, 8
    selection = of_scale(scale, threshold)
    found: list[Counter[Told]] = [Counter() for _ in weights]
    for _ in range(DRAWS):
        told = selection.release(weights)
        for place, counter in enumerate(found):
            counter[told.get(place, NOTHING)] += 1
    for weighed, counter in zip(weights, found, strict=True):
        chances = of_key(scale, threshold, weighed)
        assert counter.keys() <= chances.keys()
        for key, chance in chances.items():
            assert stats.binomtest(counter[key], DRAWS, min(1.0, chance)).pvalue > P_VALUE


# δ


def chance(noise: Noise, first: int, width: int) -> mpmath.mpf:
    """P(first <= Z < first + width), first >= 1."""
    scale = mpmath.mpf(noise.scale)
    return mpmath.exp(-first / scale) * -mpmath.expm1(-width / scale) / (1 + mpmath.exp(-1 / scale))


@pytest.mark.larger
@settings(deadline=None, max_examples=sized(8, 60, 600))
@given(SHARES, DELTAS, st.integers(0, 2**32))
def test_delta_is_not_below_the_exact_sums(share: Decimal, delta: Decimal, seed: int) -> None:
    """For any split of what a unit adds over keys, which may be private parts of several; and hardly above."""
    selection = truncated_laplace(share, delta)
    noise, threshold = selection.noise, selection.threshold
    claimed = mpmath.mpf(str(truncated_delta(noise, threshold)))
    assert claimed <= mpmath.mpf(str(delta))
    with mpmath.workdps(40):
        for split in _splits(Random(seed)):
            parts = Counter(split).items()
            exact = mpmath.fsum(count * chance(noise, threshold - part, part) for part, count in parts)
            assert exact <= claimed + mpmath.mpf("1e-30")
        assert claimed <= chance(noise, threshold - WHOLE, WHOLE) * 1.2 + mpmath.mpf("1e-29")


def _splits(random: Random) -> Iterator[list[int]]:
    yield [WHOLE]
    for keys in (1, 2, 3, 63, 64, MOST_LONELY):
        yield [weight(truncated_selection.Norm.L1, keys)] * keys
    for _ in range(10):
        cuts = sorted(random.randint(0, WHOLE) for _ in range(random.choice([1, 2, 10, 500])))
        yield [high - low for low, high in itertools.pairwise([0, *cuts, WHOLE])]


@pytest.mark.parametrize("share", ["1e-6", "0.1", "3", "1e5"])
def test_the_checker_says_no_less_than_the_exact_sum(share: str) -> None:
    """By a formula of its own, which is no more than what is charged."""
    selection = truncated_laplace(Decimal(share), Decimal("1e-7"))
    noise, first = selection.noise, selection.threshold - WHOLE
    with mpmath.workdps(40):
        said = between(noise, first, WHOLE)
        exact = chance(noise, first, WHOLE)
        assert exact <= mpmath.mpf(said.numerator) / said.denominator <= exact * (1 + mpmath.mpf("1e-20"))
    assert charged(said) <= truncated_delta(noise, selection.threshold)


def test_a_threshold_below_one_unit_costs_all() -> None:
    noise = truncated_laplace(Decimal(1), Decimal("1e-6")).noise
    for threshold in (-1, 0, WHOLE - 1, WHOLE):
        assert truncated_delta(noise, threshold) == 1
    assert truncated_delta(noise, WHOLE + 1) < 1


@pytest.mark.long
@pytest.mark.larger
@pytest.mark.parametrize("keys", [1, 2, 64, MOST_LONELY])
def test_lonely_keys_come_out_as_delta_says(keys: int) -> None:
    selection = truncated_laplace(Decimal("0.5"), Decimal("0.1"))
    each = weight(selection.norm, keys)
    exact = float(1 - (1 - chance(selection.noise, selection.threshold - each, each)) ** keys)
    assert exact <= selection.loss(Accounting.PURE).delta <= Decimal("0.1")
    draws = max(20, DRAWS // keys)
    found = sum(bool(selection.release([each] * keys)) for _ in range(draws))
    assert stats.binomtest(found, draws, exact).pvalue > P_VALUE


def test_a_key_without_weight_never_comes_out() -> None:
    selection = replace(truncated_laplace(Decimal("0.5"), Decimal("0.1")), threshold=1)
    assert selection.release([0] * 1000) == {}


@pytest.mark.parametrize("epsilon", ["0.01", "0.1", "1"])
def test_more_keys_are_told_for_less(epsilon: str) -> None:
    """A fifth of a price tells keys of less weight than a third of it does with noise as it is, at the δ of a demo."""
    delta = Decimal("5e-7")
    truncated = truncated_laplace(Decimal(epsilon) / 5, delta)
    whole = Noise(Distribution.LAPLACE, truncated.noise.scale * 3 / 5, Sensitivity(1, WHOLE))
    at = truncated_selection.tail(whole.distribution, whole.scale, truncated.threshold)
    assert (MOST_LONELY - 1) * at > delta


# Loss


@pytest.mark.larger
@settings(deadline=None, max_examples=sized(20, 60, 600))
@given(SHARES, DELTAS)
def test_it_keeps_to_its_share(share: Decimal, delta: Decimal) -> None:
    """And takes about all of both."""
    selection = truncated_laplace(share, delta)
    loss = selection.loss(Accounting.PURE)
    assert share * Decimal("0.999999") <= loss.main <= share
    assert loss.main >= WHOLE / Fraction(selection.noise.scale)
    assert loss.delta <= delta
    assert truncated_delta(selection.noise, selection.threshold - 1) > delta or selection.threshold == WHOLE + 1
    assert selection.loss(Accounting.ZCDP) == Loss(rho_of_pure(loss.main), loss.delta)
    assert selection.pairs == ((PurePair(loss.main), 1),)
    assert selection.made_for == Sensitivity(1, WHOLE)
    assert selection.tells_keys and selection.error is None


def test_what_cannot_be_selected_is_refused() -> None:
    for share, delta in ((Decimal(0), Decimal("0.1")), (Decimal(1), Decimal(0))):
        with pytest.raises(ValueError, match=r"share|delta|finite"):
            truncated_laplace(share, delta)
    noise = gaussian(Sensitivity(1, WHOLE), Decimal(1))
    for accounting in Accounting:
        with pytest.raises(ValueError, match=r"Laplace|pure"):
            TruncatedSelection(noise, 100 * WHOLE).loss(accounting)
    with pytest.raises(ValueError, match="Laplace"):
        truncated_delta(noise, 100 * WHOLE)


def test_it_names_keys_by_their_place() -> None:
    selection = truncated_laplace(Decimal(10**4), Decimal("0.4"))
    told = selection.release([0, 9 * WHOLE, 1, 5 * WHOLE])
    assert set(told) == {1, 3}
    assert all(math.isclose(told[place], weighed, rel_tol=0.01) for place, weighed in ((1, 9 * WHOLE), (3, 5 * WHOLE)))
    assert "spreads one over its keys (L1), truncated laplace" in selection.described(1.0, "person").text


def test_a_statement_of_rho_has_noise_as_it_is() -> None:
    """Of Laplace noise the exact ρ is less than that of any mechanism of its ε."""
    assert spread_laplace(Decimal("0.01"), Decimal("1e-6")).loss(Accounting.ZCDP).main <= Decimal("0.01")

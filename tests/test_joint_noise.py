"""Noise that two totals share: its exact distribution, what it loses on neighbours, its error, and who asks for it."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from applied import noises_of
from attacks.plan_mutants import loosened
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from lanes import sized
from neighbours.claims import broken, shown
from neighbours.data import World, opened, worlds
from scipy import stats
from worlds import plan, uncapped, world_catalog

from dpproxy.accounting.account import terms
from dpproxy.accounting.dominating_pairs import PurePair
from dpproxy.accounting.loss import Accounting
from dpproxy.catalog.policy import Catalog
from dpproxy.catalog.types import DOUBLE, TEXT
from dpproxy.error_bars import ToldRows, margins
from dpproxy.mechanisms.joint_noise import JointNoise, SharedNoise, joint_laplace, joint_weights
from dpproxy.mechanisms.noise import Distribution, Noise, gaussian, laplace
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.plan.formulas import CountOf, Formula, MeanOf, SumOf
from dpproxy.plan.private_plan import (
    Applied,
    Bounded,
    Key,
    Limit,
    Literals,
    Measure,
    MeasureKind,
    Output,
    Plan,
    Release,
)
from dpproxy.plan.space import key_space
from dpproxy.release import release
from dpproxy.rewrite.checker import CheckFault, check_plan
from dpproxy.rows import Column, Rows

P_VALUE = 1e-9
DRAWS = sized(20_000, 100_000, 1_000_000)
PURE = terms(Accounting.PURE, Decimal(100), Decimal("1e-5"))
ZCDP = terms(Accounting.ZCDP, Decimal(100), Decimal("1e-5"))
Told = tuple[int, int]


def of_scale(scale: float, own: int, other: int, moved: int = 1) -> JointNoise:
    return JointNoise(Noise(Distribution.LAPLACE, scale, Sensitivity(1, moved)), own, other)


# The distribution, and what it loses


def exactly(scale: float, at: int) -> float:
    """P(Z = at)."""
    q = math.exp(-1 / scale)
    return (1 - q) / (1 + q) * q ** abs(at)


def chance(joint: JointNoise, exact: Told, told: Told) -> float:
    """That this is told of two totals: of all noisy sums and differences that are rounded to it, halves to even."""
    scale, (first, second) = joint.noise.scale, exact
    sums, differences = joint.own * first + joint.other * second, joint.own * first - joint.other * second
    return math.fsum(
        exactly(scale, (one + two) // 2 - sums) * exactly(scale, (one - two) // 2 - differences)
        for one, two in itertools.product(
            *(_rounded_to(*each) for each in zip(told, (joint.own, joint.other), strict=True))
        )
        if (one + two) % 2 == 0
    )


def _rounded_to(told: int, weight: int) -> list[int]:
    """The whole numbers that are so many of 2·weight, rounded."""
    near = range(2 * weight * told - weight, 2 * weight * told + weight + 1)
    return [each for each in near if round(Fraction(each, 2 * weight)) == told]


def distribution(joint: JointNoise, exact: Told, within: int) -> Mapping[Told, float]:
    """What may be told that is near, by its chance."""
    near = (range(each - within, each + within + 1) for each in exact)
    return {told: chance(joint, exact, told) for told in itertools.product(*near)}


@pytest.mark.larger
@pytest.mark.parametrize(("own", "other", "exact"), [(1, 1, (3, -2)), (4, 1, (7, 9)), (1, 3, (0, 0)), (5, 3, (-1, 2))])
def test_the_distribution_is_the_claimed_one(own: int, other: int, exact: Told) -> None:
    """Of both totals together, with small noise."""
    joint = of_scale(2.0, own, other)
    expected = distribution(joint, exact, 6)
    found = Counter(zip(*joint.release([exact] * DRAWS), strict=True))
    for each, so_often in expected.items():
        if so_often * DRAWS > 5:
            assert stats.binomtest(found[each], DRAWS, so_often).pvalue > P_VALUE, each
    elsewhere = DRAWS - sum(found[each] for each in expected)
    assert stats.binomtest(elsewhere, DRAWS, max(0.0, 1 - math.fsum(expected.values()))).pvalue > P_VALUE


@pytest.mark.parametrize(("first", "second", "scale"), [(1, 1, 2.0), (1, 4, 6.0), (2, 3, 9.0), (3, 1, 4.0)])
def test_neighbours_are_covered(first: int, second: int, scale: float) -> None:
    """Whatever a unit adds to both, within its bounds, nothing is told e^ε times as likely; and at their ends it is."""
    weights = joint_weights(first, second)
    assert weights is not None
    moved = 2 * max(weights[0] * first, weights[1] * second)
    joint = of_scale(scale, *weights, moved)
    near = list(itertools.product(range(-4, 5), repeat=2))
    without, worst = {told: chance(joint, (0, 0), told) for told in near}, 0.0
    for added in itertools.product(range(-first, first + 1), range(-second, second + 1)):
        worst = max(worst, *(abs(math.log(chance(joint, added, told) / without[told])) for told in near))
    assert worst <= moved / scale * (1 + 1e-9)
    assert worst >= moved / scale * 0.8


def test_several_keys_are_rotated_each_by_itself() -> None:
    joint = joint_laplace(2, 1, 5, Decimal(10**6))
    assert joint.release([(1, 5), (0, -3), (7, 0)]) == ([1, 0, 7], [5, -3, 0])
    assert joint.release([]) == ([], [])


@pytest.mark.larger
@settings(deadline=None, max_examples=sized(20, 60, 600))
@given(st.integers(1, 50), st.integers(1, 10**6), st.integers(1, 10**6), st.floats(1e-3, 20).map(Decimal))
def test_a_share_is_kept_and_used_up(keys: int, first: int, second: int, share: Decimal) -> None:
    joint = joint_laplace(keys, first, second, share)
    moved = 2 * max(joint.own * first, joint.other * second)
    assert joint.made_for == Sensitivity(keys, moved)
    loss = joint.loss(Accounting.PURE)
    assert share * Decimal("0.999999") <= loss.main <= share and loss.delta == 0
    assert Fraction(loss.main) >= Fraction(keys * moved) / Fraction(joint.noise.scale)
    assert joint.pairs == ((PurePair(loss.main), 1),)
    assert not joint.tells_keys
    assert min(joint.own * first, joint.other * second) >= moved / 2 * (1 - 1 / 32)


def test_what_cannot_be_shared_is_refused() -> None:
    for first, second in ((0, 1), (1, 0), (1, 2**32)):
        assert joint_weights(first, second) is None
        with pytest.raises(ValueError, match="cannot share"):
            joint_laplace(1, first, second, Decimal(1))


# Its error


def of_rounded(scale: float, weight: int) -> Mapping[float, float]:
    """What (Z + Z')/2w is, halves to both sides, as of even totals and odd ones in the mean."""
    noise = np.array([exactly(scale, at) for at in range(-math.ceil(36 * scale), math.ceil(36 * scale) + 1)])
    both, found = np.convolve(noise, noise), dict[float, float]()
    for at, so_often in enumerate(both.tolist(), -(len(both) // 2)):
        far = Fraction(at, 2 * weight)
        for ends in (math.ceil(far - Fraction(1, 2)), math.floor(far + Fraction(1, 2))):
            found[ends] = found.get(ends, 0.0) + so_often / 2
    return found


@pytest.mark.parametrize(("scale", "weight"), [(0.5, 1), (2.0, 1), (6.0, 3), (12.0, 7), (15.0, 1)])
def test_a_quantile_is_that_of_the_rounded_noise(scale: float, weight: int) -> None:
    shared = SharedNoise(Noise(Distribution.LAPLACE, scale, Sensitivity(1, 1)), weight, False)
    chances = of_rounded(scale, weight)
    variance = math.fsum(at**2 * chance for at, chance in chances.items())
    assert math.isclose(shared.stddev, math.sqrt(variance), rel_tol=1e-6)
    for outside in (0.4, 0.1, 0.025, 0.005):
        reach = shared.reach(outside)
        beyond = math.fsum(chance for at, chance in chances.items() if at > reach)
        assert beyond <= outside * (1 + 1e-9)
        if reach:
            halves = math.fsum(chance for at, chance in chances.items() if at >= reach - 1)
            assert halves > outside * (1 - 1e-9)


def test_a_wide_one_is_hardly_wider_than_it_is_taken_for() -> None:
    wide = SharedNoise(Noise(Distribution.LAPLACE, 33.0, Sensitivity(1, 1)), 1, False)
    exact = 2 * 2 * math.exp(-1 / 33) / (1 - math.exp(-1 / 33)) ** 2 / 4
    assert math.sqrt(exact) <= wide.stddev <= 1.001 * math.sqrt(exact + 1 / 8)


def test_the_error_is_the_one_it_claims() -> None:
    """And less than that of two noises at the same price: by a root of two."""
    joint = joint_laplace(1, 1, 400, Decimal(1))
    first, second = (np.array(each) for each in joint.release([(50, -7000)] * DRAWS))
    for told, exact, seen, bound in ((first, 50, joint, 1), (second, -7000, joint.turned(), 400)):
        error = seen.error
        assert error.stddev is not None
        assert math.isclose(np.std(told - exact), error.stddev, rel_tol=0.06)
        within = seen.total_noise.reach(0.025)
        assert abs(error.half_width - within) <= 1
        assert np.mean(np.abs(told - exact) > within) <= 0.05 + 6 * math.sqrt(0.05 / DRAWS)
        alone = laplace(Sensitivity(1, bound), Decimal("0.5"))
        assert error.stddev < 0.73 * alone.stddev


def test_it_is_described_for_people() -> None:
    joint = joint_laplace(1, 1, 400, Decimal(1))
    told = joint.turned().described(0.5, "person")
    assert told.text == "laplace, shared by two totals, standard deviation 400.0001"
    assert (told.name, told.role) == ("joint laplace", "Measure")
    assert joint.turned().turned() == joint


# Who asks for it


ASKED: Mapping[str, list[tuple[int | None, ...]]] = {
    "SELECT avg(income) FROM people": [(0, 1)],
    "SELECT sex, avg(age) FROM people GROUP BY sex": [(0, 1)],
    "SELECT count(*), sum(age) FROM people": [(0, 1)],
    "SELECT count(*) FROM people": [(0,)],
    "SELECT sum(age), sum(income), count(*) FROM people": [(0, 1), (2,)],
    "SELECT stddev(age) FROM people": [(0, 1), (2,)],
    "SELECT city, avg(age) FROM people GROUP BY city": [(None,), (0,)],
    "SELECT city, sum(age), sum(income) FROM people GROUP BY city": [(None,), (0, 1)],
    "SELECT dp.median(age), count(*), sum(income) FROM people": [(0,), (0, 1)],
}


def read_by(made: Plan) -> list[tuple[int | None, ...]]:
    return [tuple(each.measures) for it in made.releases for each in it.mechanisms]


@pytest.mark.parametrize("sql", ASKED)
def test_totals_share_their_noise_two_by_two(sql: str, catalog: Catalog) -> None:
    made = plan(sql, catalog, account=PURE)
    found = read_by(made)
    assert sorted(map(len, found)) == sorted(map(len, ASKED[sql]))
    assert sorted(each for one in found for each in one if each is not None) == sorted(
        each for one in ASKED[sql] for each in one if each is not None
    )
    check_plan(made, catalog, "duckdb", Accounting.PURE)
    for it in made.releases:
        assert all(isinstance(each.mechanism, JointNoise) == (len(each.measures) == 2) for each in it.mechanisms)


def test_what_has_a_clip_or_a_gaussian_shares_nothing(catalog: Catalog) -> None:
    for account, where in ((ZCDP, catalog), (PURE, uncapped(catalog))):
        sql = "SELECT avg(income), count(*) FROM people" if account is ZCDP else "SELECT avg(cost) FROM visits"
        assert all(each.beside is None for it in plan(sql, where, account=account).releases for each in it.mechanisms)


def test_a_total_of_hardly_any_weight_has_noise_of_its_own(catalog: Catalog) -> None:
    """Where what is told beside it is all that counts, it would take half of the variance for nothing."""
    sql = "SELECT count(*) AS n, sum(age) AS s FROM people"
    alike, apart = (plan(sql, catalog, {"weights": each}, account=PURE).releases[0] for each in ("n: 2", "n: 10000"))
    assert not noises_of(alike)
    assert len(noises_of(apart)) == 2


@pytest.mark.parametrize(("weights", "better"), [("", 0.72), ("n: 4", 0.9)])
def test_the_weighted_error_is_smaller(weights: str, better: float, catalog: Catalog) -> None:
    """Than that of two noises with the best shares, by the mechanisms' own words: the root of weighted variances."""
    sql = "SELECT count(*) AS n, sum(age) AS s FROM people"
    it = plan(sql, catalog, {"weights": weights}, account=PURE).releases[0]
    weighed = [4.0 if weights else 1.0, 1.0]
    price = sum(float(each.mechanism.loss(Accounting.PURE).main) for each in it.mechanisms)
    shares = [each ** (1 / 3) for each in weighed]
    together, alone = 0.0, 0.0
    for at, measure in enumerate(it.bounded.measures):
        found = it.applied_to(at)
        assert found is not None and found.error is not None and found.error.stddev is not None
        together += weighed[at] * (found.error.stddev / measure.bound) ** 2
        noise = laplace(Sensitivity(1, measure.bound), Decimal(price * shares[at] / sum(shares)))
        alone += weighed[at] * (noise.stddev / measure.bound) ** 2
    assert math.sqrt(together / alone) < better


# The checker


def _changed(change: Callable[[Applied, JointNoise], Applied]) -> Callable[[Release], Release]:
    def change_all(it: Release) -> Release:
        joint = [(each, each.mechanism) for each in it.mechanisms]
        found = (change(each, one) if isinstance(one, JointNoise) else each for each, one in joint)
        return replace(it, mechanisms=tuple(found))

    return change_all


def _noise(**parts: object) -> Callable[[Release], Release]:
    return _changed(
        lambda each, joint: replace(each, mechanism=replace(joint, noise=replace(joint.noise, **parts)))  # type: ignore[arg-type]
    )


LOOSENED: Mapping[str, tuple[Callable[[Release], Release], str]] = {
    "half of the noise": (lambda it: _noise(scale=_scale(it) / 2)(it), "lose more"),
    "made for one of both": (lambda it: _noise(sensitivity=Sensitivity(1, _most(it)))(it), "less than one unit"),
    "made for no key": (lambda it: _noise(sensitivity=Sensitivity(0, 2 * _most(it)))(it), "less than one unit"),
    "other weights": (
        _changed(lambda each, joint: replace(each, mechanism=replace(joint, own=2 * joint.own))),
        "less than one unit",
    ),
    "no weight": (_changed(lambda each, joint: replace(each, mechanism=replace(joint, other=0))), "does not read"),
    "one measure": (_changed(lambda each, _: replace(each, beside=None)), "two measures"),
    "one measure twice": (_changed(lambda each, _: replace(each, beside=each.measure)), "read twice"),
    "a measure told twice": (
        lambda it: replace(it, mechanisms=(*it.mechanisms, Applied(it.mechanisms[0].mechanism, 0, 1))),
        "read twice",
    ),
    "a measure that there is not": (_changed(lambda each, _: replace(each, beside=7)), "read twice"),
    "other noise of two": (
        _changed(lambda each, joint: replace(each, mechanism=joint.noise)),
        "shared noise is that of two",
    ),
    "Gaussian noise": (
        _changed(
            lambda each, joint: replace(each, mechanism=replace(joint, noise=gaussian(joint.made_for, Decimal(1))))
        ),
        "not Laplace",
    ),
}


def _joint(it: Release) -> JointNoise:
    (found,) = (each.mechanism for each in it.mechanisms if isinstance(each.mechanism, JointNoise))
    return found


def _scale(it: Release) -> float:
    return _joint(it).noise.scale


def _most(it: Release) -> int:
    return _joint(it).made_for.linf // 2


@pytest.mark.parametrize("name", LOOSENED)
def test_loosened_noise_is_refused(name: str, catalog: Catalog) -> None:
    change, reason = LOOSENED[name]
    made = plan("SELECT avg(income) FROM people", catalog, account=PURE)
    check_plan(made, catalog, "duckdb", Accounting.PURE)
    (it,) = made.releases
    with pytest.raises(CheckFault, match=reason):
        check_plan(replace(made, releases=(change(it),)), catalog, "duckdb", Accounting.PURE)


@pytest.mark.parametrize("sql", ASKED)
def test_loosened_plans_are_refused(sql: str, catalog: Catalog) -> None:
    """As those under zCDP are (tests/attacks/test_checker_attacked.py), which share nothing."""
    made = plan(sql, catalog, account=PURE)
    for kind, each in loosened(made):
        if each != made:
            with pytest.raises(CheckFault):
                check_plan(each, catalog, "duckdb", Accounting.PURE)
            assert kind


# Neighbours


BESIDE = (
    "SELECT sex, avg(age), count(*) FROM people GROUP BY sex",
    "SELECT count(*), sum(cost) FROM visits",
    "SELECT dept, sum(cost), avg(cost), count(*) FROM visits GROUP BY dept",
    "SELECT city, sum(age), sum(income) FROM people GROUP BY city",
    "SELECT building, stddev(cost), count(*) FROM visits JOIN departments USING (dept) GROUP BY building",
)


def _halved(it: Release) -> Release:
    """As if one of both alone were moved."""
    mechanisms = []
    for each in it.mechanisms:
        joint = each.mechanism
        if isinstance(joint, JointNoise):
            made_for = replace(joint.made_for, linf=joint.made_for.linf // 2)
            each = replace(each, mechanism=replace(joint, noise=replace(joint.noise, sensitivity=made_for)))
        mechanisms.append(each)
    return replace(it, mechanisms=tuple(mechanisms))


def _faults(world: World, catalog: Catalog, change: Callable[[Release], Release]) -> Iterator[str]:
    with opened(world, catalog) as around:
        for sql in BESIDE:
            (it,) = plan(sql, around.catalog, account=PURE).releases
            assert any(each.beside is not None for each in it.mechanisms)
            base = shown(it.bounded, around.base)
            for name, cursor in around.others.items():
                other = shown(it.bounded, cursor)
                one, less = (other, base) if name == "heavy" else (base, other)
                yield from broken(change(it), one, less)


@pytest.mark.larger
@settings(
    max_examples=sized(2, 10, 300), deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate]
)
@given(world=worlds())
def test_no_unit_moves_both_further_than_their_noise_is_made_for(world: World) -> None:
    assert list(_faults(world, world_catalog(), lambda it: it)) == []


@settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
@given(world=worlds())
def test_noise_for_half_of_that_is_noticed(world: World) -> None:
    assert list(_faults(world, world_catalog(), _halved))


# Of what the release itself looks at: all but how much noise there is.
NOT_OF_THE_RELEASE = ("half of the noise", "Gaussian noise", "one measure twice", "a measure that there is not")


@pytest.mark.parametrize("name", [each for each in LOOSENED if each not in NOT_OF_THE_RELEASE])
def test_a_release_that_does_not_hang_together_is_refused(name: str, catalog: Catalog) -> None:
    change, _ = LOOSENED[name]
    (it,) = plan("SELECT avg(income) FROM people", catalog, account=PURE).releases
    exact = Rows((Column("m0", "bigint"), Column("m1", "bigint")), ((3, 4),))
    release(it, exact, ())
    with pytest.raises(ValueError, match=r"less than its sensitivity|of two totals|each measure|weight of 1"):
        release(change(it), exact, ())


# Error bars


def _release(outputs: tuple[Formula, ...], keys: int, epsilon: str) -> Release:
    """Rows and a sum by key, which share their noise."""
    measures = (
        Measure("m0", MeasureKind.ROWS, 0, 1, Decimal(1), Decimal(0), ""),
        Measure("m1", MeasureKind.CENTRED, -50, 50, Decimal("0.5"), Decimal(20), ""),
    )
    domain = Literals(tuple(f"k{each}" for each in range(keys)))
    bounded = Bounded("SELECT", "person", (Key("k0", TEXT, domain, ""),), measures, False, 1, 1, Limit.ONE_ROW)
    named = tuple(Output(f"o{at}", DOUBLE, each, "") for at, each in enumerate(outputs))
    return Release(bounded, (Applied(joint_laplace(1, 1, 50, Decimal(epsilon)), 0, 1),), named)


@pytest.mark.parametrize("epsilon", ["0.05", "0.5", "4"])
def test_an_interval_holds_the_exact_number_as_often_as_it_says(epsilon: str) -> None:
    """Of a mean, whose two totals have noise that is not independent, as of each of both."""
    keys = sized(700, 2_000, 10_000)
    it = _release((CountOf(0), SumOf(1), MeanOf(1, 0)), keys, epsilon)
    columns = (Column("k0", "text"), Column("m0", "bigint"), Column("m1", "bigint"))
    exact = Rows(columns, tuple((f"k{each}", 300, 11_000) for each in range(keys)))
    told = release(it, exact, key_space(it.bounded.keys, {}, ()))
    rows = ToldRows([it], [told], [told])
    for confidence in map(Decimal, ("0.9", "0.95", "0.99")):
        for column, true in _true():
            found = margins(rows, 0, column, confidence)
            low, high = (
                np.where(np.isnan(each), end, each) for each, end in ((found.low, -np.inf), (found.high, np.inf))
            )
            share = np.mean((low <= true + 1e-9) & (true - 1e-9 <= high))
            least = stats.binom.ppf(1e-9, keys, float(confidence)) / keys
            assert share >= least - (0.01 if column == 3 else 0), (column, confidence)


def _true() -> Iterator[tuple[int, float]]:
    yield 1, 300.0
    yield 2, 11_000 * 0.5
    yield 3, 20 + 11_000 * 0.5 / 300


def test_a_mean_at_an_end_is_as_sure_as_its_noise() -> None:
    """All values at the upper bound: of both noises one alone counts, and independent draws would say more."""
    it = _release((MeanOf(1, 0),), 400, "1")
    columns = (Column("k0", "text"), Column("m0", "bigint"), Column("m1", "bigint"))
    exact = Rows(columns, tuple((f"k{each}", 5000, 250_000) for each in range(400)))
    told = release(it, exact, key_space(it.bounded.keys, {}, ()))
    found = margins(ToldRows([it], [told], [told]), 0, 1, Decimal("0.95"))
    # mean − centre is (u − w)/(u + w) · 25, and w is noise alone: 2 · 25 · w/u, u being twice 50 · 5000.
    expected = _joint(it).noise.reach(0.025) * 50 / (2 * 50 * 5000)
    assert math.isclose(float(np.median(found.half_width)), expected, rel_tol=0.1)

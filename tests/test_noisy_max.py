"""Report noisy max: its loss, its exact distribution, what it is made for; which statements ask for it; the checker."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from applied import noises_of
from hypothesis import given, settings
from hypothesis import strategies as st
from lanes import crossed, sized
from scipy import stats
from worlds import plan

from dpproxy.accounting.account import Terms, terms
from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.catalog.policy import Catalog
from dpproxy.catalog.types import BIGINT, TEXT
from dpproxy.errors import FeatureNotSupported
from dpproxy.mechanisms.joint_noise import JointNoise
from dpproxy.mechanisms.noise import LARGEST, Noise, laplace
from dpproxy.mechanisms.noisy_max import NoisyMax, ScoreNoise, noisy_max
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.plan.formulas import CountOf
from dpproxy.plan.losses import lost
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
    PrivateKeys,
    Release,
)
from dpproxy.plan.space import key_space
from dpproxy.release import release
from dpproxy.rewrite import Parameter
from dpproxy.rewrite.checker import CheckFault, check_plan
from dpproxy.rewrite.checker.mechanisms import loss_of
from dpproxy.rewrite.explain import explain_as, explain_text
from dpproxy.rows import Rows, Value
from dpproxy.session.dp_tables import last_statement

P_VALUE = 1e-8
DRAWS = sized(500, 3000, 200_000)
SHARES = st.floats(1e-3, 50).map(Decimal)
MOST = st.integers(1, 2**40)
BY_SEX = "SELECT sex FROM people GROUP BY sex ORDER BY count(*) DESC LIMIT 1"


# Loss


@settings(deadline=None)
@given(MOST, st.booleans(), st.sampled_from(Accounting), SHARES, st.sampled_from((1, 1, 2, 7)))
def test_it_keeps_to_its_share(linf: int, one_sided: bool, accounting: Accounting, share: Decimal, places: int) -> None:
    """And takes all of it; the checker works out the same."""
    made = noisy_max(Sensitivity(7, linf), one_sided, accounting, share, places=places)
    loss = made.loss(accounting)
    assert share * Decimal("0.999999") <= loss.main <= share and not loss.delta
    own = proved(made, -linf if not one_sided else 0, linf, accounting)
    assert own.main <= loss.main <= own.main * Decimal("1.00000001") and not own.delta
    for more in (2 * linf, linf + 1):
        with pytest.raises(CheckFault, match="less than one unit"):
            proved(made, 0, more, accounting)
    if one_sided:
        with pytest.raises(CheckFault, match="both ways"):
            proved(made, -1, linf, accounting)


def proved(made: NoisyMax, lower: int, upper: int, accounting: Accounting) -> Loss:
    """What the checker says that it loses, where a unit adds so much to a total."""
    key = Key("k0", TEXT, Literals(("a",)), "k")
    measure = Measure("m0", MeasureKind.SUM, lower, upper, Decimal(1), Decimal(0), "m")
    return loss_of(Applied(made, 0), Bounded("", "person", (key,), (measure,), False, 7, 1, Limit.NO_KEYS), accounting)


def test_extremes() -> None:
    for accounting in Accounting:
        for share in (Decimal(0), Decimal(-1)):
            with pytest.raises(ValueError, match="above 0"):
                noisy_max(Sensitivity(1, 1), True, accounting, share)
        with pytest.raises(ValueError, match="grid steps"):
            noisy_max(Sensitivity(1, LARGEST + 1), True, accounting, Decimal(1))
        with pytest.raises(ValueError, match="places"):
            noisy_max(Sensitivity(1, 1), True, accounting, Decimal(1), places=0)
        made = noisy_max(Sensitivity(1, 1), True, accounting, Decimal(50))
        assert made.release([]) == ()
        assert made.release([5]) == (0,)
        assert made.release([-(2**70), 2**70, 0]) == (1,)
        several = replace(made, places=2)
        assert (several.release([]), several.release([5])) == ((), (0,))
        assert several.release([-(2**60), 2**60, 0]) == (1, 2)
    with pytest.raises(ValueError, match="zCDP"):
        noisy_max(Sensitivity(1, 1), True, Accounting.ZCDP, Decimal(1)).loss(Accounting.PURE)


# Distribution


def chances(noise: ScoreNoise, scale: float, totals: Sequence[int]) -> list[Fraction | float]:
    """The exact chance of each place: of permute-and-flip, over all orders; of the exponential mechanism, in closed
    form."""
    weights = [math.exp((total - max(totals)) / scale) for total in totals]
    if noise is ScoreNoise.GUMBEL:
        return [weight / sum(weights) for weight in weights]
    found: list[Fraction | float] = [0.0] * len(totals)
    orders = list(itertools.permutations(range(len(totals))))
    for order in orders:
        left = 1 / len(orders)
        for place in order:
            found[place] += left * weights[place]
            left *= 1 - weights[place]
    return found


def of_places(made: NoisyMax, totals: Sequence[int]) -> dict[tuple[int, ...], float]:
    """The exact chance of each sequence of places: each is chosen among those that are left."""
    found: dict[tuple[int, ...], float] = {(): 1.0}
    for _ in range(min(made.places, len(totals))):
        told, found = found, {}
        for places, chance in told.items():
            left = [place for place in range(len(totals)) if place not in places]
            for place, own in zip(left, chances(made.noise, made.scale, [totals[each] for each in left]), strict=True):
                found[(*places, place)] = chance * float(own)
    return found


@pytest.mark.larger
@pytest.mark.parametrize("totals", [[3, 1, 2, 2, 0], [0, 0, 0], [10, -4], [1000, 1001, 1003, 990]])
@pytest.mark.parametrize("accounting", Accounting)
@pytest.mark.parametrize("one_sided", [True, False])
@pytest.mark.parametrize("places", [1, *(pytest.param(each, marks=pytest.mark.long) for each in (2, 3))])
def test_it_draws_as_it_should(accounting: Accounting, one_sided: bool, totals: list[int], places: int) -> None:
    made = noisy_max(Sensitivity(1, 1), one_sided, accounting, Decimal("0.5") * places, places=places)
    found = Counter(made.release(totals) for _ in range(DRAWS))
    exact = of_places(made, totals)
    assert found.keys() <= exact.keys()
    expected = np.array(list(exact.values())) * DRAWS
    seen = np.array([found[each] for each in exact])
    often = expected >= 5
    rest = float(expected[~often].sum())
    assert stats.poisson.sf(seen[~often].sum() - 1, rest) > P_VALUE if seen[~often].sum() else True
    if often.sum() == 1:
        return
    assert stats.chisquare(seen[often], expected[often] * seen[often].sum() / expected[often].sum()).pvalue > P_VALUE


VECTORS = st.lists(st.integers(-30, 30), min_size=1, max_size=4)


@settings(deadline=None)
@given(VECTORS, st.data(), st.booleans(), st.floats(0.01, 2).map(Decimal), st.integers(1, 3))
def test_the_distribution_is_as_private_as_it_says(
    totals: list[int], data: st.DataObject, one_sided: bool, share: Decimal, places: int
) -> None:
    """Over neighbouring totals, of which any number move: ratios against ε, Rényi divergences against ρ."""
    steps = data.draw(st.lists(st.integers(0 if one_sided else -3, 3), min_size=len(totals), max_size=len(totals)))
    other = [total + step for total, step in zip(totals, steps, strict=True)]
    made = noisy_max(Sensitivity(1, 3), one_sided, Accounting.PURE, share, places=places)
    one, two = (np.array(list(of_places(made, each).values())) for each in (totals, other))
    bound = math.exp(float(made.loss(Accounting.PURE).main)) * (1 + 1e-9)
    assert np.all(one <= two * bound) and np.all(two <= one * bound)
    made = noisy_max(Sensitivity(1, 3), one_sided, Accounting.ZCDP, share, places=places)
    rho = float(made.loss(Accounting.ZCDP).main)
    p, q = (_logs(made, each) for each in (totals, other))
    for order in (1.01, 1.5, 2.0, 5.0, 20.0):
        for often, seldom in ((p, q), (q, p)):
            divergence = np.logaddexp.reduce(order * often + (1 - order) * seldom) / (order - 1)
            assert divergence <= order * rho * (1 + 1e-9) + 1e-9


def _logs(made: NoisyMax, totals: Sequence[int]) -> np.ndarray[Any, Any]:
    """Logarithms of the chances of all sequences, by the closed form of the exponential mechanism."""
    found = []
    for places in itertools.permutations(range(len(totals)), min(made.places, len(totals))):
        chance, left = 0.0, dict(enumerate(np.array(totals) / made.scale))
        for place in places:
            chance += left[place] - np.logaddexp.reduce(list(left.values()))
            del left[place]
        found.append(chance)
    return np.array(found)


@pytest.mark.parametrize("accounting", Accounting)
@pytest.mark.parametrize("places", [1, 2, 3])
def test_it_seldom_misses_by_more_than_it_says(accounting: Accounting, places: int) -> None:
    """Exactly: over vectors with ever more that lie just too far below."""
    for among in (2, 3, 6):
        made = noisy_max(Sensitivity(1, 1), True, accounting, Decimal("0.3"), among, places)
        assert made.error is not None and made.error.stddev is None
        below = math.floor(made.error.half_width) + 1
        for far in range(among):
            totals = [0] * (among - far) + [-below] * far
            missed = 0.0
            for told, chance in of_places(made, totals).items():
                missed += chance * any(totals[place] < totals[at] for at, place in enumerate(told))
            assert missed <= 0.05
    assert noisy_max(Sensitivity(1, 1), True, accounting, Decimal(1)).error is None


# Release

COUNT = Measure("m0", MeasureKind.ROWS, 0, 3, Decimal(1), Decimal(0), "COUNT(*)")
SUM = Measure("m1", MeasureKind.SUM, -3, 3, Decimal(1), Decimal(0), "SUM(x)")
SURE = Decimal(10**6)


def chosen(*applied: Applied, values: Sequence[str] = ("a", "b", "c"), outputs: tuple[Output, ...] = ()) -> Release:
    key = Key("k0", TEXT, Literals(tuple(values)), "k")
    measures = (COUNT, SUM)[: 1 + max(each.measure or 0 for each in applied)]
    return Release(Bounded("", "person", (key,), measures, False, 3, 3, Limit.FEW_PUBLIC_KEYS), applied, outputs)


def choice(measure: Measure = COUNT, one_sided: bool = True) -> NoisyMax:
    return noisy_max(Sensitivity(3, measure.bound), one_sided, Accounting.PURE, SURE)


def run(it: Release, *exact: tuple[Value, ...]) -> tuple[tuple[Value, ...], ...]:
    return release(it, Rows((), exact), key_space(it.bounded.keys, {}, ())).rows


def test_one_key_comes_out_and_nothing_else() -> None:
    it = chosen(Applied(choice(), 0))
    assert run(it, ("a", 3), ("c", 9)) == (("c",),)
    assert run(it, ("a", 3), ("elsewhere", 9)) == (("a",),), "no key but the declared ones"


def test_absent_keys_count_as_none() -> None:
    """They are among those that are chosen from: with nobody at all each comes out as often."""
    it = chosen(Applied(choice(), 0))
    found = Counter(run(it)[0][0] for _ in range(3000))
    assert stats.chisquare([found[each] for each in "abc"]).pvalue > P_VALUE
    assert run(chosen(Applied(choice(), 0), values=())) == ()


def test_a_choice_then_noise_for_what_was_chosen() -> None:
    """The shape of what goes by an earlier mechanism: noise is for the one key that the choice has told."""
    noise = laplace(Sensitivity(3, 3), SURE)
    output = Output("o0", BIGINT, CountOf(1), "n")
    it = chosen(Applied(choice(), 0), Applied(noise, 1), outputs=(output,))
    assert run(it, ("a", 3, 30), ("c", 9, 90)) == (("c", 90),)
    assert lost([it], None, Accounting.PURE) == choice().loss(Accounting.PURE) + noise.loss(Accounting.PURE)


def test_the_number_of_what_was_chosen() -> None:
    """Of two keys in their order, by noise that is made for two."""
    several, noise = replace(choice(), places=2), laplace(Sensitivity(2, 3), SURE)
    count = Output("o0", BIGINT, CountOf(0), "n")
    it = chosen(Applied(several, 0), Applied(noise, 0), outputs=(count,))
    assert run(it, ("a", 3), ("c", 9)) == (("c", 9), ("a", 3))
    assert run(it, ("b", 3)) in ((("b", 3), ("a", 0)), (("b", 3), ("c", 0)))
    assert lost([it], None, Accounting.PURE) == several.loss(Accounting.PURE) + noise.loss(Accounting.PURE)


@pytest.mark.parametrize(
    "it",
    [
        chosen(Applied(replace(choice(), places=2), 0), Applied(laplace(Sensitivity(1, 3), SURE), 0)),
        chosen(Applied(laplace(Sensitivity(3, 3), SURE), 0), Applied(choice(), 0)),
        chosen(Applied(choice(), 0), Applied(choice(), 0)),
        chosen(Applied(choice(), None)),
        chosen(Applied(noisy_max(Sensitivity(3, 2), True, Accounting.PURE, SURE), 0)),
        chosen(Applied(choice(), 0), Applied(choice(SUM, one_sided=True), 1)),
    ],
    ids=["for one key of two", "chosen too late", "chosen twice", "of no measure", "for less", "of both signs"],
)
def test_choices_that_do_not_hang_together_are_refused(it: Release) -> None:
    with pytest.raises(ValueError, match=r"mechanism|sensitivity"):
        run(it)


# Statements


CHOICES = {
    "declared values": BY_SEX,
    "a public table's": "SELECT dept FROM visits JOIN departments USING (dept)"
    " GROUP BY dept ORDER BY count(*) DESC LIMIT 1",
    "many rows per unit": "SELECT p.sex FROM visits JOIN people p USING (person_id)"
    " GROUP BY 1 ORDER BY count(*) DESC LIMIT 1",
    "two keys": "SELECT sex, smoker FROM people GROUP BY sex, smoker ORDER BY count(*) DESC LIMIT 1",
    "an expression of the key": "SELECT lower(sex) || '!' FROM people GROUP BY sex ORDER BY count(*) DESC LIMIT 1",
    "then by the key": "SELECT sex FROM people GROUP BY sex ORDER BY count(*) DESC, sex LIMIT 1",
    "NULLS LAST": "SELECT sex FROM people GROUP BY sex ORDER BY count(*) DESC NULLS LAST LIMIT 1",
    "a count of values": "SELECT sex FROM people GROUP BY sex ORDER BY count(income) DESC LIMIT 1",
    "a filter": "SELECT sex FROM people GROUP BY sex ORDER BY count(*) FILTER (WHERE age > 60) DESC LIMIT 1",
    "a sum": "SELECT sex FROM people WHERE smoker GROUP BY sex ORDER BY sum(age) DESC LIMIT 1",
    "a CTE": "WITH p AS (SELECT * FROM people WHERE age > 30) SELECT sex FROM p"
    " GROUP BY sex ORDER BY count(*) DESC LIMIT 1",
}
SIX = "FROM orders JOIN lineitem USING (orderkey) GROUP BY priority, flag"
# Several keys, in order; the places, and the numbers that are told of them.
SEVERAL = {
    "two keys": (f"SELECT priority, flag {SIX} ORDER BY count(*) DESC LIMIT 2", 2, 0),
    "then by the key": (f"SELECT flag {SIX} ORDER BY count(*) DESC, priority LIMIT 2", 2, 0),
    "one with its number": (f"SELECT priority, flag, count(*) {SIX} ORDER BY count(*) DESC LIMIT 1", 1, 1),
    "the number's place": (f"SELECT priority, flag, count(*) {SIX} ORDER BY 3 DESC LIMIT 2", 2, 1),
    "the number's name": (f"SELECT priority, flag, count(*) AS n {SIX} ORDER BY n DESC, flag LIMIT 1", 1, 1),
    "an expression of it": (f"SELECT flag, 2 * count(*) {SIX} ORDER BY count(*) DESC LIMIT 1", 1, 1),
    "another number": (f"SELECT flag, sum(quantity) {SIX} ORDER BY count(*) DESC LIMIT 1", 1, 1),
    "two numbers": (f"SELECT flag, count(*), sum(quantity) {SIX} ORDER BY count(*) DESC LIMIT 1", 1, 2),
}
# What asks for more, or for something else, is answered as it was before there was a choice.
ORDINARY = {
    "the number beside": "SELECT sex, count(*) FROM people GROUP BY sex ORDER BY count(*) DESC LIMIT 1",
    "the number's name": "SELECT sex, count(*) AS n FROM people GROUP BY sex ORDER BY n DESC LIMIT 1",
    "another number": "SELECT sex, avg(age) FROM people GROUP BY sex ORDER BY count(*) DESC LIMIT 1",
    "private keys": "SELECT city FROM people GROUP BY city ORDER BY count(*) DESC LIMIT 1",
    "a private key beside": "SELECT sex FROM people GROUP BY sex, city ORDER BY count(*) DESC LIMIT 1",
    "as many as there are": "SELECT sex FROM people GROUP BY sex ORDER BY count(*) DESC LIMIT 2",
    "none": "SELECT sex FROM people GROUP BY sex ORDER BY count(*) DESC LIMIT 0",
    "all but one": f"SELECT priority, flag {SIX} ORDER BY count(*) DESC LIMIT 6",
    "ever so many": f"SELECT priority, flag {SIX} ORDER BY count(*) DESC LIMIT 10000000000000000000000",
    "a median beside": f"SELECT flag, dp.median(quantity) {SIX} ORDER BY count(*) DESC LIMIT 1",
    "by another number's name": f"SELECT flag, avg(quantity) AS n {SIX} ORDER BY n DESC LIMIT 1",
    "no limit": "SELECT sex FROM people GROUP BY sex ORDER BY count(*) DESC",
    "OFFSET": "SELECT sex FROM people GROUP BY sex ORDER BY count(*) DESC LIMIT 1 OFFSET 1",
    "HAVING": "SELECT sex FROM people GROUP BY sex HAVING count(*) > 5 ORDER BY count(*) DESC LIMIT 1",
    "DISTINCT": "SELECT DISTINCT sex FROM people GROUP BY sex, smoker ORDER BY sex LIMIT 1",
    "the least": "SELECT sex FROM people GROUP BY sex ORDER BY count(*) LIMIT 1",
    "by the key first": "SELECT sex FROM people GROUP BY sex ORDER BY sex, count(*) DESC LIMIT 1",
    "by a second number": "SELECT sex FROM people GROUP BY sex ORDER BY count(*) DESC, sum(age) LIMIT 1",
    "by a mean": "SELECT sex FROM people GROUP BY sex ORDER BY avg(age) DESC LIMIT 1",
    "by distinct values": "SELECT sex FROM people GROUP BY sex ORDER BY count(DISTINCT city) DESC LIMIT 1",
    "by an expression": "SELECT sex FROM people GROUP BY sex ORDER BY count(*) + 1 DESC LIMIT 1",
    "a window": "SELECT sex, rank() OVER (ORDER BY sex) FROM people GROUP BY sex ORDER BY count(*) DESC LIMIT 1",
    "an outer query": f"SELECT upper(sex) FROM ({BY_SEX}) AS s",
    "a subquery": f"SELECT count(*) FROM people WHERE sex IN ({BY_SEX})",
    "a union": f"({BY_SEX}) UNION ALL ({BY_SEX})",
    "grouping sets": "SELECT sex FROM people GROUP BY ROLLUP (sex) ORDER BY count(*) DESC LIMIT 1",
    "no keys": "SELECT count(*) FROM people ORDER BY count(*) DESC LIMIT 1",
    "a parameter": "SELECT sex FROM people GROUP BY sex ORDER BY count(*) DESC LIMIT $1",
}
PURE = terms(Accounting.PURE, Decimal(100), Decimal("1e-5"))
ZCDP = terms(Accounting.ZCDP, Decimal(100), Decimal("1e-5"))


@pytest.mark.parametrize(("dialect", "account"), crossed(("duckdb", "postgres"), {"pure": PURE, "zcdp": ZCDP}))
@pytest.mark.parametrize("sql", CHOICES.values(), ids=CHOICES)
def test_it_is_charged_as_one_choice(sql: str, dialect: str, account: Terms, catalog: Catalog) -> None:
    made = plan(sql, catalog, dialect=dialect, account=account)
    (it,) = made.releases
    (applied,) = it.mechanisms
    assert isinstance(applied.mechanism, NoisyMax) and applied.measure == 0 and not it.outputs
    assert made.cost.delta == 0
    own = lost(made.releases, made.time, account.accounting)
    assert made.cost.main * Decimal("0.9999") <= own.main <= made.cost.main
    assert len(made.post.inputs) == len(it.bounded.keys), "the post statement is told the key alone"
    assert "ORDER BY" not in made.post.sql
    check_plan(made, catalog, dialect, account.accounting)


@pytest.mark.parametrize(("dialect", "account"), crossed(("duckdb", "postgres"), {"pure": PURE, "zcdp": ZCDP}))
@pytest.mark.parametrize("name", SEVERAL)
def test_several_and_their_numbers(name: str, dialect: str, account: Terms, catalog: Catalog) -> None:
    sql, places, numbers = SEVERAL[name]
    made = plan(sql, catalog, dialect=dialect, account=account)
    (it,) = made.releases
    first, *rest = it.mechanisms
    assert isinstance(first.mechanism, NoisyMax) and first.mechanism.places == places == it.places
    assert [type(it.applied_to(at)) for each in rest for at in each.measures] == [
        JointNoise if numbers == 2 and account.accounting is Accounting.PURE else Noise
    ] * numbers
    assert all(each.mechanism.made_for.l0 == places for each in rest)
    own = lost(made.releases, made.time, account.accounting)
    assert made.cost.main * Decimal("0.9999") <= own.main <= made.cost.main
    by_place = "by the key" in name or (places > 1 and not numbers)
    assert ("ORDER BY dpproxy_0.place" in made.post.sql) == by_place or places == 1
    assert ("WITH ORDINALITY" in made.post.sql) == (places > 1)
    check_plan(made, catalog, dialect, account.accounting)


@pytest.mark.parametrize("sql", ORDINARY.values(), ids=ORDINARY)
def test_anything_else_takes_the_ordinary_way(sql: str, catalog: Catalog) -> None:
    parameters = (Parameter("bigint", "1"),) if "$1" in sql else ()
    made = plan(sql, catalog, parameters=parameters, account=ZCDP)
    assert not [each for it in made.releases for each in it.mechanisms if isinstance(each.mechanism, NoisyMax)]
    check_plan(made, catalog, "duckdb", Accounting.ZCDP)


def test_ties_are_refused_as_before(catalog: Catalog) -> None:
    with pytest.raises(FeatureNotSupported, match="WITH TIES"):
        plan("SELECT sex FROM people GROUP BY sex ORDER BY count(*) DESC FETCH FIRST 1 ROW WITH TIES", catalog)


def test_no_unit_is_held_to_fewer_keys_than_there_are(catalog: Catalog) -> None:
    """How many totals move is of no price: there is no limit step, and the scale is that of one key."""
    sql = CHOICES["many rows per unit"]
    made = plan(sql, catalog, {"max_groups_per_unit": "1"}, account=ZCDP).releases[0]
    assert made.bounded.limit in (Limit.FEW_PUBLIC_KEYS, Limit.KEY_OF_UNIT)
    few = plan(BY_SEX, catalog, account=ZCDP).releases[0].mechanisms[0].mechanism
    many = plan(CHOICES["two keys"], catalog, account=ZCDP).releases[0].mechanisms[0].mechanism
    assert isinstance(few, NoisyMax) and isinstance(many, NoisyMax) and few.scale == many.scale


def test_it_says_so(catalog: Catalog) -> None:
    made = plan(BY_SEX, catalog, account=ZCDP)
    (line,) = [each for each in explain_text(made, Decimal(1), Decimal(0)) if "Choice" in each]
    assert line.startswith("  Choice by COUNT(*): rows, bounds [0, 1], step 1, sensitivity 1")
    assert "charged as one choice" in line and "in 95 of 100 cases" in line
    assert '"Mechanism": "noisy max"' in explain_as("json", made, Decimal(1), Decimal(0))
    ((column, mechanism, stddev, half_width),) = last_statement(made).rows
    assert (column, mechanism, stddev) == ('"people"."sex"', "noisy max", None)
    assert isinstance(half_width, float) and half_width > 0


# The checker

Change = Callable[[Plan], Plan]


def of_release(**parts: object) -> Change:
    return lambda made: replace(made, releases=(replace(made.releases[0], **parts),))


def of_bounded(**parts: object) -> Change:
    return lambda made: of_release(bounded=replace(made.releases[0].bounded, **parts))(made)


def of_choice(**parts: object) -> Change:
    def change(made: Plan) -> Plan:
        (applied,) = made.releases[0].mechanisms
        assert isinstance(applied.mechanism, NoisyMax)
        return of_release(mechanisms=(Applied(replace(applied.mechanism, **parts), applied.measure),))(made)

    return change


def of_key(domain: object) -> Change:
    return lambda made: of_bounded(keys=(replace(made.releases[0].bounded.keys[0], domain=domain),))(made)


def of_text(old: str, new: str) -> Change:
    def change(made: Plan) -> Plan:
        sql = made.releases[0].bounded.sql
        assert old in sql
        return of_bounded(sql=sql.replace(old, new))(made)

    return change


LESS = noisy_max(Sensitivity(1, 0), True, Accounting.ZCDP, Decimal("0.001"))
TOLD = (Output("o0", BIGINT, CountOf(0), "COUNT(*)"),)
SUMMED = f"SELECT flag {SIX} ORDER BY sum(quantity - 25) DESC LIMIT 1"
LOOSENED: dict[str, tuple[str, Change, str]] = {
    "the number is told": (BY_SEX, of_release(outputs=TOLD), "no measure"),
    "a smaller scale": (BY_SEX, lambda p: of_choice(scale=_choice_of(p).scale * 0.99)(p), "more than is charged"),
    "no scale": (BY_SEX, of_choice(scale=0.0), "without a scale"),
    "noise of the other accounting": (
        BY_SEX,
        lambda p: of_choice(noise=ScoreNoise.EXPONENTIAL, scale=_choice_of(p).scale)(p),
        "more than is charged",
    ),
    "made for less": (CHOICES["many rows per unit"], of_choice(sensitivity=Sensitivity(9, 1)), "less than one unit"),
    "made for one side": (SUMMED, of_choice(one_sided=True), "both ways"),
    "by the number of units": (BY_SEX, of_release(mechanisms=(Applied(LESS, None),)), "private keys"),
    "two choices": (BY_SEX, lambda p: of_release(mechanisms=p.releases[0].mechanisms * 2)(p), "chosen when"),
    "more places": (BY_SEX, of_choice(places=2), "more than is charged"),
    "no place": (BY_SEX, of_choice(places=0), "no keys"),
    "no choice": (BY_SEX, of_release(mechanisms=()), "without noise"),
    "private keys": (BY_SEX, of_key(PrivateKeys()), "private keys"),
    "a key that is not declared": (BY_SEX, of_key(Literals(("F",))), "declared values"),
    "keys that the rows choose": (BY_SEX, of_text("k0 IN ('F', 'M')", "TRUE"), "declared values"),
    "no keys": (BY_SEX, of_bounded(keys=()), "no keys|among keys"),
    "more rows of a unit": (
        CHOICES["many rows per unit"],
        lambda p: of_bounded(measures=(replace(p.releases[0].bounded.measures[0], upper=1),))(p),
        "not clipped",
    ),
    "half the price": (BY_SEX, lambda p: replace(p, cost=Loss(p.cost.main / 2, p.cost.delta)), "more than is charged"),
}


def _choice_of(made: Plan) -> NoisyMax:
    found = made.releases[0].mechanisms[0].mechanism
    assert isinstance(found, NoisyMax)
    return found


@pytest.mark.parametrize("name", LOOSENED)
def test_loosened_choices_are_refused(name: str, catalog: Catalog) -> None:
    sql, change, reason = LOOSENED[name]
    made = plan(sql, catalog, account=ZCDP)
    check_plan(made, catalog, "duckdb", Accounting.ZCDP)
    with pytest.raises(CheckFault, match=reason):
        check_plan(change(made), catalog, "duckdb", Accounting.ZCDP)


def test_its_row_stands_beside_no_other(catalog: Catalog) -> None:
    """A release of all keys, and the choice of one of them, have no rows in common."""
    every = plan("SELECT sex, count(*) FROM people GROUP BY sex", catalog, account=ZCDP)
    one = plan(BY_SEX, catalog, account=ZCDP).releases[0]
    both = replace(
        every,
        releases=(every.releases[0], one),
        cost=Loss(every.cost.main * 2, every.cost.delta),
        post=replace(every.post, inputs=(replace(every.post.inputs[0], release=1), every.post.inputs[1])),
    )
    with pytest.raises(CheckFault, match="rows differ"):
        check_plan(both, catalog, "duckdb", Accounting.ZCDP)


def test_numbers_keep_their_noise(catalog: Catalog) -> None:
    """A choice takes nothing of another statement's way."""
    made = plan("SELECT sex, count(*) FROM people GROUP BY sex ORDER BY 2 DESC LIMIT 1", catalog, account=ZCDP)
    assert len(noises_of(made.releases[0])) == 1

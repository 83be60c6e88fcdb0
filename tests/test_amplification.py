"""Amplification by sampling: the formula, its proof on worlds that can be enumerated, and what statements lose."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lanes import thinned
from worlds import plan

from dpproxy.accounting.account import Terms, terms
from dpproxy.accounting.amplification import amplified, amplified_in, within, within_of
from dpproxy.accounting.concentrated import rho_of_pure
from dpproxy.accounting.dominating_pairs import PurePair
from dpproxy.accounting.loss import GRID, Accounting, Loss, charged
from dpproxy.catalog.policy import Catalog
from dpproxy.mechanisms.noise import Distribution
from dpproxy.plan.losses import by_sample, dominating, lost, within_sample
from dpproxy.plan.private_plan import Plan
from dpproxy.plan.samples import COINS, Sample
from dpproxy.rewrite.checker import check_plan
from dpproxy.rewrite.checker.losses import in_sample

PURE = terms(Accounting.PURE, Decimal(10), Decimal("1e-6"))
ZCDP = terms(Accounting.ZCDP, Decimal(10), Decimal("1e-6"))
NONE = Decimal(0)
COINED = st.integers(1, COINS - 1)
EPSILONS = st.decimals("1e-20", 900, allow_nan=False, places=20)
STATEMENTS = (
    "SELECT count(*) FROM visits TABLESAMPLE BERNOULLI (10)",
    "SELECT count(*), avg(age), count(DISTINCT city), sum(income) FROM people TABLESAMPLE BERNOULLI (1)",
    "SELECT city, sum(income) FROM people TABLESAMPLE BERNOULLI (25) GROUP BY city",
    "SELECT sex, count(*) FROM people TABLESAMPLE BERNOULLI (50) GROUP BY ROLLUP (sex)",
    "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY age) FROM people TABLESAMPLE BERNOULLI (10)",
    "SELECT sex FROM people TABLESAMPLE BERNOULLI (10) GROUP BY sex ORDER BY count(*) DESC LIMIT 1",
    "SELECT (SELECT count(*) FROM people TABLESAMPLE BERNOULLI (10)), (SELECT avg(age) FROM people)",
    "SELECT (SELECT count(*) FROM people TABLESAMPLE BERNOULLI (10)), "
    "(SELECT count(*) FROM visits TABLESAMPLE BERNOULLI (10)), "
    "(SELECT count(*) FROM people TABLESAMPLE BERNOULLI (0.001))",
    "SELECT count(*) FROM people TABLESAMPLE BERNOULLI (99)",
)
ASKED = [(PURE, "auto"), (ZCDP, "auto"), (ZCDP, "laplace"), (ZCDP, "gaussian")]


def exact(epsilon: Decimal, rate: Fraction) -> Decimal:
    """ε' in more digits than the product counts with."""
    with localcontext(prec=300):
        return (1 + Decimal(rate.numerator) / Decimal(rate.denominator) * (epsilon.exp() - 1)).ln()


@settings(deadline=None)
@given(EPSILONS, COINED)
def test_it_is_the_formula_rounded_up(epsilon: Decimal, coins: int) -> None:
    rate = Fraction(coins, COINS)
    made, truth = amplified(Loss(charged(epsilon), NONE), rate).main, exact(epsilon, rate)
    with localcontext(prec=300):
        assert truth <= made <= truth * (1 + Decimal("1e-50")) + GRID
        assert made <= epsilon + GRID


@settings(deadline=None)
@given(EPSILONS, COINED, st.decimals(0, "1e-3", allow_nan=False, places=12))
def test_it_is_the_inverse(epsilon: Decimal, coins: int, delta: Decimal) -> None:
    rate, loss = Fraction(coins, COINS), Loss(charged(epsilon), charged(delta))
    inside = within(loss, rate)
    assert amplified(inside, rate).within(loss)
    assert inside.main >= loss.main and inside.delta >= loss.delta
    with localcontext(prec=300):
        most = (1 + (epsilon.exp() - 1) * COINS / coins).ln()
    assert inside.main >= most * (1 - Decimal("1e-9")) - GRID * COINS


@settings(deadline=None)
@given(EPSILONS, COINED, st.decimals(0, 1, allow_nan=False, places=12))
def test_the_checker_has_the_same_formula(epsilon: Decimal, coins: int, delta: Decimal) -> None:
    inside = Loss(charged(epsilon), charged(delta))
    for accounting in Accounting:
        ours, theirs = amplified_in(accounting, inside, Fraction(coins, COINS)), in_sample(inside, coins, accounting)
        assert abs(ours.main - theirs.main) <= ours.main * Decimal("1e-40") + 2 * GRID or epsilon > 99
        assert ours.main <= theirs.main + 2 * GRID and ours.delta == theirs.delta


def test_a_loss_without_end_is_itself() -> None:
    whole = Loss(Decimal(10**6), Decimal("1e-7"))
    assert amplified(whole, Fraction(1, 2)) == Loss(whole.main, Decimal("5e-8"))
    assert amplified(within(whole, Fraction(1, 2)), Fraction(1, 2)).within(whole)


def test_under_zcdp_it_is_what_any_pure_mechanism_costs() -> None:
    share = Loss(Decimal("0.005"), NONE)
    inside = within_of(Accounting.ZCDP, share, Fraction(1, 10))
    assert rho_of_pure(amplified(inside, Fraction(1, 10)).main) <= share.main
    assert amplified_in(Accounting.ZCDP, inside, Fraction(1, 10)).main > share.main * Decimal("0.999999")
    assert inside.main > 7 * within_of(Accounting.ZCDP, share, Fraction(1)).main


# Worlds that can be enumerated: units that count in some totals, a mechanism with rational probabilities.
RATIO = Fraction(1, 3)
"""e^−ε of one step."""
ENDS = (-3, 8)


def noised(total: int) -> dict[int, Fraction]:
    """Geometric noise on a total, held to ENDS: ε of a step is log(1/RATIO)."""
    found: Counter[int] = Counter()
    one_sided = (1 - RATIO) / (1 + RATIO)
    for place in range(ENDS[0], ENDS[1] + 1):
        found[place] = one_sided * RATIO ** abs(place - total)  # type: ignore[assignment]
    found[ENDS[0]] += one_sided * RATIO ** (total - ENDS[0]) * RATIO / (1 - RATIO)  # type: ignore[assignment]
    found[ENDS[1]] += one_sided * RATIO ** (ENDS[1] - total) * RATIO / (1 - RATIO)  # type: ignore[assignment]
    assert sum(found.values()) == 1
    return dict(found)  # type: ignore[arg-type]


def told(units: Sequence[Sequence[int]], rate: Fraction) -> dict[tuple[int, ...], Fraction]:
    """The distribution of all totals of one sample: each unit adds its numbers, one to each total."""
    totals = range(2)
    found: dict[tuple[int, ...], Fraction] = {}
    for coins in itertools.product((False, True), repeat=len(units)):
        weight = math.prod((rate if coin else 1 - rate for coin in coins), start=Fraction(1))
        sums = [sum(unit[at] for unit, coin in zip(units, coins, strict=True) if coin) for at in totals]
        tables = [noised(each) for each in sums]
        for outcome in itertools.product(*tables):
            chance = math.prod((table[each] for table, each in zip(tables, outcome, strict=True)), start=Fraction(1))
            found[outcome] = found.get(outcome, Fraction(0)) + weight * chance
    return found


def worst(units: Sequence[Sequence[int]], rate: Fraction) -> Fraction:
    """The largest ratio of probabilities with the first unit and without it, in either direction."""
    with_, without = told(units, rate), told(units[1:], rate)
    return max(max(with_[each] / without[each], without[each] / with_[each]) for each in with_)


@pytest.mark.parametrize("rate", [Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)])
@pytest.mark.parametrize("others", [(), ((1, 1),), ((1, 0), (0, 1))])
def test_enumerated_worlds_lose_no_more(rate: Fraction, others: tuple[tuple[int, int], ...]) -> None:
    """Exactly 1 + p·(e^ε − 1), of both totals together: e^ε is 9."""
    both, one = 1 + rate * (1 / RATIO**2 - 1), 1 + rate * (1 / RATIO - 1)
    found = worst(((1, 1), *others), rate)
    assert found <= both
    assert found == both or others
    # One by one it would be less than the truth: two totals of one sample tell who is in it.
    assert worst(((1, 1),), rate) > one**2
    assert worst(((1, 0), *others), rate) <= one


def test_a_sample_of_rows_is_no_sample_of_units() -> None:
    """A unit of four rows that counts once is there far too often, where each row has its own coin."""
    rate, rows = Fraction(1, 10), 4
    there = 1 - (1 - rate) ** rows
    assert 1 + there * (1 / RATIO - 1) > 1 + rate * (1 / RATIO - 1)


@pytest.mark.parametrize("sql", STATEMENTS)
@pytest.mark.parametrize("epsilon", thinned(["1", "0.001", "0.1", "7.3"], 4))
@pytest.mark.parametrize(("account", "mechanism"), ASKED)
def test_statements_lose_what_is_charged(
    sql: str, epsilon: str, account: Terms, mechanism: str, catalog: Catalog
) -> None:
    made = plan(sql, catalog, {"epsilon": epsilon, "mechanism": mechanism}, account=account)
    check_plan(made, catalog, "duckdb", account.accounting)
    own = lost(made.releases, made.time, account.accounting)
    assert own.within(made.cost)
    if mechanism != "gaussian":
        assert own.main > made.cost.main * Decimal("0.99999")
    assert (made.cost.delta > 0) == ("city," in sql and "DISTINCT" not in sql)


def groups(made: Plan) -> dict[Sample, Loss | None]:
    return {
        sample: within_sample(each, sample, Accounting.PURE)
        for sample, each in by_sample(made.releases).items()
        if sample is not None
    }


def test_what_reads_one_sample_is_amplified_together(catalog: Catalog) -> None:
    """And what reads two, apart."""
    made = plan(STATEMENTS[-2], catalog, {"epsilon": "1"}, account=PURE)
    found = groups(made)
    assert [each.releases for each in made.samples] == [(0, 1), (2,)]
    assert len(found) == 2
    for told_, sample in zip(made.samples, found, strict=True):
        assert told_.within == found[sample] is not None
        assert told_.price == amplified(found[sample] or Loss(NONE, NONE), sample.rate)
    each = plan(STATEMENTS[0], catalog, {"epsilon": "1"}, account=PURE).samples[0]
    assert each.within is not None and each.within.main > Decimal("2.8")


def test_pairs_are_those_of_what_is_amplified(catalog: Catalog) -> None:
    made = plan(STATEMENTS[0], catalog, {"epsilon": "1"}, account=PURE)
    pairs = dominating(made.releases, None, Accounting.PURE)
    assert pairs == ((PurePair(made.samples[0].price.main), 1),)


def test_gaussian_noise_is_not_amplified(catalog: Catalog) -> None:
    asked = {"epsilon": "1", "mechanism": "gaussian"}
    sampled, whole = (plan(sql, catalog, asked, account=ZCDP) for sql in (STATEMENTS[0], "SELECT count(*) FROM visits"))
    assert [each.mechanisms for each in sampled.releases] == [each.mechanisms for each in whole.releases]
    assert sampled.samples[0].within is None
    assert dominating(sampled.releases, None, Accounting.ZCDP) == dominating(whole.releases, None, Accounting.ZCDP)


@pytest.mark.parametrize("account", [PURE, ZCDP])
def test_a_sample_has_less_noise_for_its_price(account: Terms, catalog: Catalog) -> None:
    scales = []
    for sql in ("SELECT count(*) FROM people", "SELECT count(*) FROM people TABLESAMPLE BERNOULLI (10)"):
        (release,) = plan(sql, catalog, {"epsilon": "0.1"}, account=account).releases
        noise: object = release.mechanisms[0].mechanism
        scales.append(noise.stddev)  # type: ignore[attr-defined]
    assert scales[0] > 5 * scales[1]
    assert noise.distribution is Distribution.LAPLACE  # type: ignore[attr-defined]

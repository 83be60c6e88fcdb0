"""The price of a statement against what its mechanisms, once built, say they lose."""

from __future__ import annotations

from decimal import Decimal

import pytest
from applied import selection_of
from lanes import thinned
from worlds import plan
from worlds import uncapped as without_caps

from dpproxy.accounting.account import Terms, default_delta, statement_loss, terms
from dpproxy.accounting.loss import ZERO, Accounting, Loss
from dpproxy.catalog.policy import Catalog
from dpproxy.errors import InvalidPrivacySetting
from dpproxy.mechanisms.joint_noise import JointNoise
from dpproxy.mechanisms.noise import Distribution, Noise
from dpproxy.mechanisms.selection import lonely_delta
from dpproxy.plan.losses import lost
from dpproxy.plan.private_plan import MeasureKind, Plan

PURE = terms(Accounting.PURE, Decimal(10), Decimal("1e-6"))
ZCDP = terms(Accounting.ZCDP, Decimal(10), Decimal("1e-6"))
STATEMENTS = (
    "SELECT count(*) FROM people",
    "SELECT sum(income), avg(age), count(*), count(city) FROM people",
    "SELECT sex, smoker, avg(income) FROM people GROUP BY 1, 2",
    "SELECT city, count(*) FROM people GROUP BY city",
    "SELECT city, sex, avg(age) FROM people GROUP BY city, sex",
    "SELECT dept, count(*), avg(cost), sum(cost) FROM visits GROUP BY dept",
    "SELECT flag, sum(quantity), sum(price * (1 - discount)), avg(discount) FROM lineitem GROUP BY flag",
    "SELECT d.building, v.dept, sum(v.cost) FROM visits v JOIN departments d ON v.cost > d.beds GROUP BY 1, 2",
    "WITH a AS (SELECT city, count(*) AS n FROM people GROUP BY city), b AS (SELECT avg(age) AS m FROM people), "
    "c AS (SELECT dept, sum(cost) AS s FROM visits GROUP BY dept) SELECT * FROM a, b, c",
)


def own_loss(made: Plan, accounting: Accounting) -> Loss:
    """What the built mechanisms lose together, by their own account."""
    found = [each.mechanism.loss(accounting) for release in made.releases for each in release.mechanisms]
    own = sum(found, ZERO if made.time is None else made.time.loss(accounting))
    assert own == lost(made.releases, made.time, accounting)
    return own


@pytest.mark.parametrize("sql", STATEMENTS)
@pytest.mark.parametrize("epsilon", thinned(["1", "0.001", "0.1", "7.3"], 4))
@pytest.mark.parametrize(
    ("account", "mechanism"), [(PURE, "auto"), (PURE, "laplace"), (ZCDP, "auto"), (ZCDP, "laplace"), (ZCDP, "gaussian")]
)
def test_the_mechanisms_lose_what_is_charged(
    sql: str, epsilon: str, account: Terms, mechanism: str, catalog: Catalog
) -> None:
    raw = {"epsilon": epsilon, "mechanism": mechanism, "max_groups_per_unit": "3", "max_rows_per_unit": "7"}
    made = plan(sql, catalog, raw, account=account)
    own = own_loss(made, account.accounting)
    assert own.within(made.cost)
    assert own.main >= made.cost.main * Decimal("0.99")
    assert made.cost.main == statement_loss(account, Decimal(epsilon))


@pytest.mark.parametrize("sql", STATEMENTS)
@pytest.mark.parametrize("delta", [None, "1e-9", "0.001"])
@pytest.mark.parametrize("account", [PURE, ZCDP], ids=["pure", "zcdp"])
def test_thresholds_are_the_smallest_for_their_share_of_delta(
    sql: str, delta: str | None, account: Terms, catalog: Catalog
) -> None:
    made = plan(sql, catalog, {"delta": delta}, account=account)
    selections = [found for each in made.releases if (found := selection_of(each)) is not None]
    assert all((selection_of(r) is not None) == r.bounded.counts_units for r in made.releases)
    expected = default_delta(account, Decimal(1)) if delta is None else Decimal(delta)
    assert made.cost.delta == (expected if selections else 0)
    for selection in selections:
        share = made.cost.delta / len(selections)
        assert lonely_delta(selection.noise, selection.threshold) <= share
        assert lonely_delta(selection.noise, selection.threshold - 1) > share * Decimal("0.999")


@pytest.mark.parametrize("account", [PURE, ZCDP], ids=["pure", "zcdp"])
def test_every_noise_is_made_for_its_measure(account: Terms, catalog: Catalog) -> None:
    for sql in STATEMENTS:
        for release in plan(sql, catalog, account=account).releases:
            for index, measure in enumerate(release.bounded.measures):
                found = release.applied_to(index)
                assert isinstance(found, Noise | JointNoise)
                noise = found if isinstance(found, Noise) else found.noise
                weight = 1 if isinstance(found, Noise) else 2 * found.own
                assert noise.sensitivity.l0 >= release.bounded.groups
                assert noise.sensitivity.linf >= weight * max(measure.upper, -measure.lower)
                pure = account.accounting is Accounting.PURE
                assert noise.distribution is (Distribution.LAPLACE if pure else Distribution.GAUSSIAN)


def kinds(sql: str, catalog: Catalog) -> list[MeasureKind]:
    return [m.kind for release in plan(sql, catalog).releases for m in release.bounded.measures]


def test_identical_measures_are_paid_once(catalog: Catalog) -> None:
    rows, values, total, centred = MeasureKind.ROWS, MeasureKind.VALUES, MeasureKind.SUM, MeasureKind.CENTRED
    assert kinds("SELECT count(*), count(*), count(age), count(1) FROM people", catalog) == [rows]
    assert kinds("SELECT count(*), avg(age) FROM people", catalog) == [rows, centred]
    assert kinds("SELECT avg(age), count(*) FROM people", catalog) == [centred, rows]
    assert kinds("SELECT avg(income), count(income), avg(income) * 2 FROM people", catalog) == [centred, values]
    assert kinds("SELECT count(*), avg(income) FROM people", catalog) == [rows, centred, values]
    assert kinds("SELECT sum(age), sum(people.age) + 1 FROM people HAVING sum(age) > 0", catalog) == [total]
    assert kinds("SELECT sum(age), sum(age) FILTER (WHERE smoker) FROM people", catalog) == [total, total]
    assert kinds("SELECT dept, count(*), avg(cost) FROM visits GROUP BY dept ORDER BY count(*)", catalog) == [
        *(rows, centred, values)  # cost is a double: NaN is not counted
    ]


def test_the_count_of_a_selection_is_paid_with_it(catalog: Catalog) -> None:
    assert kinds("SELECT city, count(*) FROM people GROUP BY city", catalog) == []
    assert kinds("SELECT city, count(*), avg(age) FROM people GROUP BY city", catalog) == [MeasureKind.CENTRED]
    assert kinds("SELECT city, sex, count(*) FROM people GROUP BY city, sex", catalog) == [MeasureKind.ROWS]
    assert kinds("SELECT dept, count(*) FROM visits GROUP BY dept", catalog) == [MeasureKind.ROWS]


@pytest.mark.parametrize("account", [PURE, ZCDP], ids=["pure", "zcdp"])
def test_the_price_is_the_statements(account: Terms, catalog: Catalog) -> None:
    few = plan("SELECT dept, count(*) FROM visits GROUP BY dept", catalog, account=account)
    many = plan("SELECT dept, count(*), sum(cost), avg(cost) FROM visits GROUP BY dept", catalog, account=account)
    twice = plan("SELECT (SELECT count(*) FROM people) + (SELECT avg(age) FROM people)", catalog, account=account)
    assert few.cost == many.cost
    assert twice.cost == Loss(few.cost.main, Decimal(0))
    assert plan("SELECT building FROM departments", catalog, account=account).cost == Loss(Decimal(0), Decimal(0))


def test_private_keys_need_a_delta(catalog: Catalog) -> None:
    nothing = terms(Accounting.PURE, Decimal(10), Decimal(0))
    with pytest.raises(InvalidPrivacySetting):
        plan("SELECT city, count(*) FROM people GROUP BY city", catalog, account=nothing)
    assert plan("SELECT sex, count(*) FROM people GROUP BY sex", catalog, account=nothing).cost.delta == 0


@pytest.mark.parametrize(
    ("account", "numbers", "expected"),
    [
        (PURE, "count(*)", "0.25"),
        (ZCDP, "count(*)", "0.5"),
        (PURE, "count(*), sum(cost)", "0.5"),
        (ZCDP, "count(*), sum(cost)", "0.5"),
        (PURE, "avg(cost)", "0.4075"),
    ],
)
def test_what_keys_that_are_spread_have_beside_a_measure(
    account: Terms, numbers: str, expected: str, catalog: Catalog
) -> None:
    """In pure accounting a fifth of their release, under zCDP half of a measure. Where keys are all that is asked for,
    they have all of it. Before an average comes a release of its centre."""
    *_, release = plan(
        f"SELECT dept, {numbers} FROM visits GROUP BY dept", without_caps(catalog), account=account
    ).releases
    keys, *measures = (each.mechanism.loss(account.accounting).main for each in release.mechanisms)
    assert abs(keys / max(measures) - Decimal(expected)) < Decimal("0.01")
    made = plan("SELECT DISTINCT dept FROM visits", without_caps(catalog), account=account)
    assert own_loss(made, account.accounting).main >= made.cost.main * Decimal("0.99")

"""Rows that ask by EXISTS, IN, ANY and ALL which private keys there are: a release of keys, in every policy."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

import pytest
from lanes import crossed
from sql_cases import FIXTURES, cases
from worlds import plan, uncapped

from dpproxy.accounting.account import Terms, terms
from dpproxy.accounting.loss import Accounting
from dpproxy.catalog.policy import Catalog
from dpproxy.errors import DPProxyError
from dpproxy.mechanisms.selection import Selection
from dpproxy.plan.losses import lost
from dpproxy.plan.private_plan import MeasureKind
from dpproxy.rewrite import Parameter
from dpproxy.rewrite.checker import check_plan
from dpproxy.session.noise_notices import words_beside

PURE = terms(Accounting.PURE, Decimal(100), Decimal("1e-5"))
ZCDP = terms(Accounting.ZCDP, Decimal(100), Decimal("1e-5"))
SETTINGS: tuple[Mapping[str, str], ...] = ({}, {"error_columns": "on"}, {"max_rows_per_unit": "3"})
FILES = ("membership", "anti_joins", "public_scalars", "pulled_up")
ASKED = {f"{name}: {case.title}": case.sql for name in FILES for case in cases(FIXTURES / "rewrite" / f"{name}.sql")}
ABSENT = "SELECT d.dept FROM departments d WHERE NOT EXISTS (SELECT 1 FROM visits v WHERE v.dept = d.dept)"


@pytest.mark.parametrize(("dialect", "account"), crossed(("duckdb", "postgres"), {"pure": PURE, "zcdp": ZCDP}))
@pytest.mark.parametrize("raw", [SETTINGS[0], *(pytest.param(raw, marks=pytest.mark.long) for raw in SETTINGS[1:])])
@pytest.mark.parametrize("name", ASKED)
def test_the_checker_takes_it_at_its_price(
    name: str, raw: Mapping[str, str], dialect: str, account: Terms, catalog: Catalog
) -> None:
    for policy in (catalog, uncapped(catalog)):
        made = plan(ASKED[name], policy, raw, account=account, dialect=dialect)
        check_plan(made, policy, dialect, account.accounting)
        own = lost(made.releases, made.time, account.accounting)
        assert made.cost.main * Decimal("0.9999") <= own.main <= made.cost.main


def test_private_keys_cost_their_choice_alone(catalog: Catalog) -> None:
    (it,) = plan(ABSENT, catalog).releases
    assert [type(each.mechanism) for each in it.mechanisms] == [Selection]
    assert not it.outputs and not it.bounded.measures


def test_a_test_and_its_opposite_are_paid_once(catalog: Catalog) -> None:
    both = plan(
        f"{ABSENT} OR d.dept IN (SELECT dept FROM visits) OR 'x' = ANY (SELECT DISTINCT dept FROM visits)", catalog
    )
    assert len(both.releases) == 1 and both.cost == plan(ABSENT, catalog).cost


def test_declared_keys_are_counted_and_a_unit_counts_once(catalog: Catalog) -> None:
    (it,) = plan("SELECT 'A' IN (SELECT flag FROM lineitem)", catalog).releases
    (measure,) = it.bounded.measures
    assert measure.kind is MeasureKind.UNITS and (measure.lower, measure.upper) == (0, 1)


def test_it_is_said_what_counts_as_absent(catalog: Catalog) -> None:
    assert words_beside(plan(ABSENT, catalog)) == ('values of "v"."dept" that few persons have count as absent',)
    assert words_beside(plan("SELECT EXISTS (SELECT 1 FROM people)", catalog)) == (
        "rows that few persons have count as absent",
    )


def test_what_is_asked_before_the_charge_knows_the_parameters(catalog: Catalog) -> None:
    sql = "SELECT count(*) FROM people WHERE age > (SELECT beds FROM departments WHERE building = $1)"
    made = plan(sql, catalog, parameters=(Parameter("text", "it's"),))
    assert made.post.before is not None and "CAST('it''s' AS TEXT)" in made.post.before
    assert made.reads == frozenset([0])


@pytest.mark.parametrize("sql", [ABSENT, "SELECT EXISTS (SELECT 1 FROM people)"])
def test_blocks_have_no_keys(sql: str, catalog: Catalog) -> None:
    with pytest.raises(DPProxyError) as caught:
        plan(sql, catalog, {"mechanism": "sample_aggregate"})
    assert caught.value.hint == "SET dp.mechanism = auto."

"""STRING_AGG, ARRAY_AGG, JSON_AGG, JSONB_AGG of DISTINCT values: keys of a release, of which the front makes lists."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal

import numpy as np
import pytest
from lanes import crossed
from scipy import stats
from worlds import plan, uncapped

from dpproxy.accounting.account import Terms, terms
from dpproxy.accounting.loss import Accounting
from dpproxy.catalog.policy import Catalog
from dpproxy.error_bars import ToldRows
from dpproxy.error_bars.bars import bars
from dpproxy.errors import DPProxyError
from dpproxy.mechanisms.noise import Distribution, Noise
from dpproxy.mechanisms.selection import Selection
from dpproxy.plan.error_bars import Bar, BarColumn
from dpproxy.plan.losses import lost
from dpproxy.plan.private_plan import MeasureKind
from dpproxy.plan.space import key_space
from dpproxy.release import release
from dpproxy.rewrite.checker import check_plan
from dpproxy.rewrite.explain import explain_text
from dpproxy.rows import Rows

PURE = terms(Accounting.PURE, Decimal(100), Decimal("1e-5"))
ZCDP = terms(Accounting.ZCDP, Decimal(100), Decimal("1e-5"))
P_VALUE = 1e-8
DRAWS = 1000
BOTH = "people JOIN visits USING (person_id)"
# Statements, and how many releases they need.
ASKED = {
    "private values": ("SELECT string_agg(DISTINCT city, ', ' ORDER BY city) FROM people", 1),
    "of private groups": (f"SELECT city, array_agg(DISTINCT dept) FROM {BOTH} GROUP BY city", 1),
    "of public groups": (f"SELECT sex, json_agg(DISTINCT dept) FROM {BOTH} GROUP BY sex", 1),
    "declared values": ("SELECT city, jsonb_agg(DISTINCT sex) FROM people GROUP BY city", 1),
    "a public table's": (
        "SELECT building, array_agg(DISTINCT d.dept) FROM visits v JOIN departments d USING (dept) GROUP BY building",
        1,
    ),
    "of some rows": ("SELECT array_agg(DISTINCT city) FILTER (WHERE age > 40 AND smoker) FROM people", 1),
    "of the rows of a unit": ("SELECT flag, array_agg(DISTINCT linenumber) FROM lineitem GROUP BY flag", 1),
    "two of the same": (
        f"SELECT sex, string_agg(DISTINCT dept, ','), json_agg(DISTINCT dept) FROM {BOTH} GROUP BY 1",
        1,
    ),
    "two of different ones": (
        f"SELECT city, array_agg(DISTINCT dept), array_agg(DISTINCT sex) FROM {BOTH} GROUP BY 1",
        2,
    ),
    "beside others": (
        f"SELECT city, count(*), avg(age), count(DISTINCT dept), dp.median(age), array_agg(DISTINCT dept) FROM {BOTH} "
        "GROUP BY city HAVING count(*) > 3 ORDER BY 2 DESC LIMIT 5",
        4,
    ),
    "of a sample": ("SELECT array_agg(DISTINCT city), count(*) FROM people TABLESAMPLE BERNOULLI (20)", 2),
    "in a derived table": (
        "SELECT t.l FROM (SELECT sex, string_agg(DISTINCT city, ',') AS l FROM people GROUP BY sex) AS t",
        1,
    ),
    "of a derived table": (
        "SELECT array_agg(DISTINCT n) FROM (SELECT person_id, count(*) AS n FROM visits GROUP BY person_id) AS t",
        1,
    ),
    "the key itself": ("SELECT sex, string_agg(DISTINCT sex, ',') FROM people GROUP BY sex", 1),
    "the least and the greatest": ("SELECT min(city), upper(max(city)) FROM people", 1),
    "of public groups, beside a list": (
        f"SELECT sex, min(dept), string_agg(DISTINCT dept, ',') FROM {BOTH} GROUP BY sex HAVING max(dept) > 'b'",
        1,
    ),
    "the least of declared values": ("SELECT city, max(sex), count(*) FROM people GROUP BY city", 2),
    "each once": ("SELECT sum(DISTINCT age), avg(DISTINCT age), stddev(DISTINCT age) FROM people", 1),
    "each once of a unit's rows": ("SELECT flag, sum(DISTINCT price) FROM lineitem GROUP BY flag", 1),
    "each once, of some rows": ("SELECT sum(DISTINCT income) FILTER (WHERE smoker) FROM people", 1),
    "of grouping sets, beside numbers": (
        f"SELECT sex, city, count(*), array_agg(DISTINCT dept), max(dept), sum(DISTINCT age) FROM {BOTH} "
        "GROUP BY ROLLUP (sex, city)",
        9,
    ),
    "correlated with public rows": (
        "SELECT d.dept, (SELECT min(p.city) || count(*) FROM people p JOIN visits v USING (person_id) "
        "WHERE v.dept = d.dept) FROM departments d",
        2,
    ),
    "correlated with rows of others": (
        "SELECT count(*) FROM people p WHERE city > (SELECT min(q.city) FROM people q WHERE q.age = p.age)",
        2,
    ),
    "the least as a constant of another": (
        "SELECT count(*) FROM people WHERE city = (SELECT min(city) FROM people)",
        2,
    ),
    "columns of the answer with their ends": ("SELECT cardinality(array_agg(DISTINCT sex)) FROM people", 1),
}


@pytest.mark.parametrize(("dialect", "account"), crossed(("duckdb", "postgres"), {"pure": PURE, "zcdp": ZCDP}))
@pytest.mark.parametrize("raw", [{"error_columns": "on"}, pytest.param({}, marks=pytest.mark.long)], ids=["bars", ""])
@pytest.mark.parametrize("name", ASKED)
def test_values_are_keys_of_a_release(
    name: str, raw: Mapping[str, str], dialect: str, account: Terms, catalog: Catalog
) -> None:
    sql, count = ASKED[name]
    for policy in (catalog, uncapped(catalog)):
        made = plan(sql, policy, raw, account=account, dialect=dialect)
        check_plan(made, policy, dialect, account.accounting)
        own = lost(made.releases, made.time, account.accounting)
        assert made.cost.main * Decimal("0.9999") <= own.main <= made.cost.main
        assert len(made.releases) == count or policy is not catalog


def test_private_values_cost_their_choice_alone(catalog: Catalog) -> None:
    for sql in (ASKED["private values"][0], ASKED["of private groups"][0]):
        (it,) = plan(sql, catalog).releases
        assert [type(each.mechanism) for each in it.mechanisms] == [Selection]
        assert not it.outputs and not it.bounded.measures


def test_a_unit_counts_once_for_a_value_that_others_may_not_have(catalog: Catalog) -> None:
    for name in ("of public groups", "a public table's"):
        (it,) = plan(ASKED[name][0], catalog).releases
        (measure,) = it.bounded.measures
        assert measure.kind is MeasureKind.UNITS and (measure.lower, measure.upper) == (0, 1)
        assert it.bounded.rows > 1


def test_conditions_of_filter_are_those_of_the_rows(catalog: Catalog) -> None:
    (one,) = plan("SELECT array_agg(DISTINCT city) FILTER (WHERE age > 40 AND smoker) FROM people", catalog).releases
    (other,) = plan("SELECT array_agg(DISTINCT city) FROM people WHERE age > 40 AND smoker", catalog).releases
    assert one.bounded.sql == other.bounded.sql


@pytest.mark.parametrize("account", [PURE, ZCDP], ids=["pure", "zcdp"])
def test_a_value_that_nobody_has_is_seldom_listed(account: Terms, catalog: Catalog) -> None:
    """In one of 40 answers, and where everybody has it, in each."""
    (it,) = plan("SELECT array_agg(DISTINCT sex) FROM people", catalog, account=account).releases
    space = key_space(it.bounded.keys, {}, ())
    listed = {"F": 0, "M": 0}
    for _ in range(DRAWS):
        told = release(it, Rows((), (("F", 1000),)), space)
        low = bars(ToldRows([it], [told], [told]), BarColumn(0, 1, Bar.LOW, Decimal("0.95")))
        for (value, _), end in zip(told.rows, low, strict=True):
            listed[str(value)] += end is not None and end > 0
    assert listed["F"] == DRAWS
    assert stats.binomtest(listed["M"], DRAWS, 0.025, alternative="greater").pvalue > P_VALUE


@pytest.mark.parametrize("account", [PURE, ZCDP], ids=["pure", "zcdp"])
@pytest.mark.parametrize("confidence", ["0.5", "0.95", "0.999"])
@pytest.mark.parametrize("epsilon", ["0.01", "1", "4", "30"])
def test_of_values_that_nobody_has_one_is_seldom_the_least(
    epsilon: str, confidence: str, account: Terms, catalog: Catalog
) -> None:
    """However many there are: what the front asks for is above the noise by a chance of (1 − confidence)/2 of them."""
    raw = {"confidence": confidence, "epsilon": epsilon}
    made = plan("SELECT min(sex) FROM people", catalog, raw, account=account)
    (noise,) = [each.mechanism for each in made.releases[0].mechanisms]
    assert isinstance(noise, Noise)
    chance = (1 - Decimal(confidence)) / 2
    assert f"LN(CAST((COUNT(*) OVER ()) AS DOUBLE PRECISION) / ({chance}))" in made.post.sql
    for values in (1, 2, 10, 1000, 10**6):
        far = math.log(values / float(chance))
        least = noise.stddev * max(far / math.sqrt(2), math.sqrt(2 * far))
        assert values * above(noise, math.floor(least)) <= float(chance) * (1 + 1e-9)


def above(noise: Noise, value: int) -> float:
    """The chance of noise above a whole number."""
    if noise.distribution is Distribution.LAPLACE:
        return float(stats.dlaplace(1 / noise.scale).sf(value))
    reach = 100 + int(40 * noise.scale)
    weights = np.exp(-(np.arange(-reach, reach + 1) ** 2) / (2 * noise.scale**2))
    return float(weights[reach + 1 + value :].sum() / weights.sum())


def test_explain_says_which_values_are_listed(catalog: Catalog) -> None:
    private, public = (
        "\n".join(explain_text(plan(sql, catalog), Decimal(1), Decimal(0)))
        for sql in ("SELECT array_agg(DISTINCT city) FROM people", "SELECT array_agg(DISTINCT sex) FROM people")
    )
    assert 'Note: values of ARRAY_AGG(DISTINCT "people"."city"): those that were chosen' in private
    assert "those whose noisy count is above 0 with its interval" in public


def test_the_hint_of_a_list_of_rows_is_answered(catalog: Catalog) -> None:
    for call in ("string_agg(city, ', ')", "array_agg(age ORDER BY income)", "json_agg(city)", "jsonb_agg(age)"):
        with pytest.raises(DPProxyError, match="would tell the value of each row") as caught:
            plan(f"SELECT sex, {call} FROM people GROUP BY sex", catalog)
        told = (caught.value.hint or "").removeprefix("Which values there are can be told: ").removesuffix(".")
        assert "DISTINCT" in told
        assert plan(f"SELECT sex, {told} FROM people GROUP BY sex", catalog).releases

"""Samples of units, before the checker: what is planned passes, and a coin that is not the unit's, or a price of
another sample, is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from functools import cache

import pytest
from complete_engines import COMPLETE
from uncapped import policy
from worlds import plan

from dpproxy.accounting.account import Terms, terms
from dpproxy.accounting.loss import Accounting
from dpproxy.plan.private_plan import Plan
from dpproxy.plan.samples import Sample
from dpproxy.rewrite.checker import CheckFault, check_plan
from dpproxy.rewrite.checker.engines import facts_of
from dpproxy.rewrite.checker.nodes import parsed
from dpproxy.rewrite.checker.relation import context_of, read_relation

DIALECTS = COMPLETE
ACCOUNTS = [
    terms(Accounting.PURE, Decimal(10), Decimal("1e-6")),
    terms(Accounting.ZCDP, Decimal(10), Decimal("1e-6")),
]
TENTH, FIFTH = Sample(2**64 // 10), Sample(2**64 // 5)
STATEMENTS = {
    "rows": "SELECT count(*) FROM visits TABLESAMPLE BERNOULLI (10)",
    "link": "SELECT sum(quantity) FROM lineitem TABLESAMPLE BERNOULLI (10)",
    "one row": "SELECT city, avg(age) FROM people TABLESAMPLE BERNOULLI (10) GROUP BY city",
    "join": "SELECT count(*) FROM people p TABLESAMPLE BERNOULLI (10) JOIN visits v ON v.person_id = p.person_id",
    "full": "SELECT count(*) FROM people p TABLESAMPLE BERNOULLI (10) "
    "FULL JOIN visits v TABLESAMPLE BERNOULLI (10) ON v.person_id = p.person_id",
    "distinct": "SELECT count(DISTINCT dept) FROM visits TABLESAMPLE BERNOULLI (10)",
    "quantiles": "SELECT dept, dp.median(cost) FROM visits TABLESAMPLE BERNOULLI (10) GROUP BY dept",
    "per unit": "SELECT avg(n) FROM (SELECT person_id, count(*) AS n FROM visits TABLESAMPLE BERNOULLI (10) "
    "GROUP BY person_id) t",
    "union": "SELECT count(*) FROM (SELECT person_id FROM people TABLESAMPLE BERNOULLI (10) "
    "UNION ALL SELECT person_id FROM visits TABLESAMPLE BERNOULLI (10)) t",
    "window": "SELECT sum(cost) FROM (SELECT cost, row_number() OVER (PARTITION BY person_id ORDER BY day) AS r "
    "FROM visits TABLESAMPLE BERNOULLI (10)) t WHERE r <= 3",
    "guarded": "SELECT sum(ln(cost + 1)) FROM visits TABLESAMPLE BERNOULLI (10) WHERE ln(cost + 1) > 1",
}


VISITS = 'SELECT s0."person_id" AS u, s0."dept" AS c0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL'


@cache
def made(name: str, dialect: str, account: Terms) -> Plan:
    return plan(STATEMENTS[name], policy(), {"epsilon": "0.5"}, account=account, dialect=dialect)


def checked(found: Plan, dialect: str, account: Terms) -> None:
    check_plan(found, policy(), dialect, account.accounting)


@pytest.mark.parametrize("account", ACCOUNTS)
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", STATEMENTS)
def test_what_is_planned_passes(name: str, dialect: str, account: Terms) -> None:
    found = made(name, dialect, account)
    assert all(each.bounded.sample == TENTH and "$coin" in each.bounded.sql for each in found.releases)
    checked(found, dialect, account)


def coin_of(found: Plan) -> str:
    """The condition as the text has it."""
    sql = found.releases[0].bounded.sql
    coin = re.search(r"SHA256\(.*?\) < (?:'[0-9a-f]{16}'|CAST\('\\x[0-9a-f]{16}' AS BYTEA\))", sql)
    assert coin is not None
    return coin[0]


def with_sql(change: Callable[[str, str], str]) -> Callable[[Plan], Plan]:
    """The plan with each text changed, of that and of its coin."""

    def changed(found: Plan) -> Plan:
        coin = coin_of(found)
        releases = []
        for each in found.releases:
            sql = change(each.bounded.sql, coin)
            assert sql != each.bounded.sql
            releases.append(replace(each, bounded=replace(each.bounded, sql=sql)))
        return replace(found, releases=tuple(releases))

    return changed


def with_sample(sample: Sample | None) -> Callable[[Plan], Plan]:
    def changed(found: Plan) -> Plan:
        releases = (replace(each, bounded=replace(each.bounded, sample=sample)) for each in found.releases)
        return replace(found, releases=tuple(releases))

    return changed


MUTATIONS: dict[str, tuple[Callable[[Plan], Plan], str]] = {
    "no coin": (with_sql(lambda sql, coin: sql.replace(f" AND {coin}", "")), "outside of the sample|inputs"),
    "of a row": (
        with_sql(lambda sql, coin: sql.replace(coin, re.sub(r'"(person_id|custkey|u)"', '"visit_id"', coin))),
        "inside an expression|not on the list|not to be read",
    ),
    "of nobody": (
        with_sql(lambda sql, coin: sql.replace(coin, re.sub(r"\|\| CAST\(.*? AS TEXT\)", "|| 'x'", coin))),
        "inside an expression|not on the list",
    ),
    "without a secret": (
        with_sql(lambda sql, coin: sql.replace("CAST($coin AS TEXT) || ", "")),
        "inside an expression|not on the list",
    ),
    "of another secret": (with_sql(lambda sql, coin: sql.replace("$coin", "$r0c0")), "no array of a release"),
    "more of them": (
        with_sql(lambda sql, coin: sql.replace("1999999999999999", "3333333333333333")),
        "inside an expression",
    ),
    "not in it": (with_sql(lambda sql, coin: sql.replace(coin, f"NOT {coin}")), "inside an expression"),
    "in it or not": (with_sql(lambda sql, coin: sql.replace(coin, f"({coin} OR TRUE)")), "inside an expression"),
    "the other way": (
        with_sql(lambda sql, coin: sql.replace(coin, coin.replace(") < ", ") >= "))),
        "inside an expression|not on the list",
    ),
    "as a key": (
        with_sql(lambda sql, coin: sql.replace("SELECT ", f"SELECT CAST({coin} AS INT) AS k9, ", 1)),
        ".",
    ),
    "not said": (with_sample(None), "parameter|released column"),
    "of another price": (with_sample(FIFTH), "inside an expression"),
    "of nobody's price": (with_sample(Sample(0)), "inside an expression"),
}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("statement", ["rows", "link", "one row", "quantiles", "guarded"])
@pytest.mark.parametrize("name", MUTATIONS)
def test_loosened_samples_are_refused(name: str, statement: str, dialect: str) -> None:
    change, reason = MUTATIONS[name]
    with pytest.raises(CheckFault, match=reason):
        checked(change(made(statement, dialect, ACCOUNTS[0])), dialect, ACCOUNTS[0])


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_coin_of_one_side_is_none_of_the_whole(dialect: str) -> None:
    """Of a derived table that may miss, and of one side of a union, it proves nothing of the rows around it."""
    found = made("rows", dialect, ACCOUNTS[0])
    (release,) = found.releases
    coin, sql = coin_of(found), release.bounded.sql
    inner = f"{VISITS} AND {coin}"
    for rows in (
        f'SELECT s1."person_id" AS u FROM "people" AS s1 LEFT JOIN ({inner}) AS s2 ON s2.u = s1."person_id" '
        'WHERE s1."person_id" IS NOT NULL',
        f"SELECT s3.u AS u FROM ({inner} UNION ALL {VISITS}) AS s3 WHERE s3.u IS NOT NULL",
    ):
        start, end = sql.index('SELECT s0."person_id" AS u'), sql.index(") AS r")
        bounded = replace(release.bounded, sql=sql[:start] + rows + sql[end:])
        changed = replace(found, releases=(replace(release, bounded=bounded),))
        with pytest.raises(CheckFault, match="outside of the sample"):
            checked(changed, dialect, ACCOUNTS[0])


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_coin_of_what_is_always_there_is_one_of_the_whole(dialect: str) -> None:
    found = made("rows", dialect, ACCOUNTS[0])
    (release,) = found.releases
    coin, sql = coin_of(found), release.bounded.sql
    inner = f"{VISITS} AND {coin}"
    rows = f"SELECT s2.u AS u FROM ({inner}) AS s2 WHERE s2.u IS NOT NULL"
    start, end = sql.index('SELECT s0."person_id" AS u'), sql.index(") AS r")
    bounded = replace(release.bounded, sql=sql[:start] + rows + sql[end:])
    checked(replace(found, releases=(replace(release, bounded=bounded),)), dialect, ACCOUNTS[0])


def test_what_was_read_in_a_sample_is_read_anew_in_another() -> None:
    """What is proved of a query is remembered for a plan's other releases, but of those of its sample alone."""
    text = f"{VISITS} AND {coin_of(made('rows', 'duckdb', ACCOUNTS[0]))}"
    first = context_of(policy(), (), facts_of("duckdb"))
    tenth = replace(first, sample=TENTH)
    found = read_relation(parsed(text, "duckdb"), tenth)
    assert found.sampled and read_relation(parsed(text, "duckdb"), tenth) is found
    for other in (first, replace(first, sample=FIFTH)):
        with pytest.raises(CheckFault):
            read_relation(parsed(text, "duckdb"), other)


@pytest.mark.parametrize("account", ACCOUNTS)
def test_a_price_for_each_release_apart_is_refused(account: Terms) -> None:
    """Two releases of one sample, each with noise for what it would lose by itself within half of the price."""
    both = "SELECT (SELECT count(*) FROM people TABLESAMPLE BERNOULLI (1)), (SELECT count(*) FROM people)"
    one = plan(both, policy(), {"epsilon": "2"}, account=account)
    sampled = next(each for each in one.releases if each.bounded.sample is not None)
    doubled = replace(one, releases=(sampled, sampled))
    with pytest.raises(CheckFault, match="lose more than is charged"):
        checked(doubled, "duckdb", account)

"""The small world where nobody declared caps, the statements that are scaled down in it, and expressions of their steps
in an engine of the test's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import psycopg
from scratch_postgres import MAJORS, scratch_postgres
from sqlglot import exp
from worlds import fitted, make_world, plan
from worlds import uncapped as without_caps

from dpproxy.accounting.account import Terms, terms
from dpproxy.accounting.loss import Accounting
from dpproxy.catalog.policy import Catalog
from dpproxy.plan.private_plan import Plan

ACCOUNTS: Mapping[Accounting, Terms] = {each: terms(each, Decimal(100), Decimal("1e-5")) for each in Accounting}
STATEMENTS = (
    "SELECT count(*) FROM visits",
    "SELECT sum(cost), avg(cost), count(DISTINCT person_id) FROM visits",
    "SELECT dept, count(*), avg(cost) FROM visits GROUP BY dept",
    "SELECT flag, count(*), sum(quantity) FROM lineitem GROUP BY flag",
    "SELECT flag, count(*) FILTER (WHERE quantity > 20), avg(discount) FROM lineitem GROUP BY flag",
    "SELECT city, count(*), sum(cost) FROM people JOIN visits USING (person_id) GROUP BY city",
    "SELECT sex, dept, count(*) FROM people JOIN visits USING (person_id) GROUP BY sex, dept",
    "SELECT building, count(*), sum(cost) FROM visits JOIN departments USING (dept) GROUP BY building",
    "SELECT date_trunc('month', day), count(*), count(DISTINCT person_id), sum(cost) FROM visits GROUP BY 1",
    "SELECT corr(cost, extract(year from day)) FROM visits",
    "SELECT stddev(visit_id), var_pop(visit_id) FILTER (WHERE cost > 10) FROM visits",
    "SELECT dept, corr(visit_id, cost), regr_sxy(cost, visit_id), avg(visit_id) FROM visits GROUP BY dept",
    "SELECT sex, covar_pop(visit_id, visit_id * 1000000) FROM people JOIN visits USING (person_id) GROUP BY sex, dept",
    "SELECT sum(s * s), stddev(s) FROM (SELECT person_id, sum(cost) AS s FROM visits GROUP BY person_id) AS q",
    "SELECT avg(n) FROM (SELECT person_id, count(*) AS n FROM visits GROUP BY person_id) AS q",
    "SELECT sum(s) FROM (SELECT person_id, sum(cost) AS s FROM visits GROUP BY person_id) AS q",
    "SELECT sum(price * quantity * 1000) FROM lineitem",
    "SELECT avg(r) FROM (SELECT row_number() OVER (PARTITION BY person_id ORDER BY day) AS r FROM visits) AS q",
    "SELECT count(*) FROM visits v JOIN visits w ON v.person_id = w.person_id",
    "SELECT count(*) FROM visits WHERE cost > (SELECT avg(cost) FROM visits)",
    "SELECT DISTINCT dept FROM visits",
    "SELECT flag, count(*) FROM lineitem GROUP BY flag",
    "SELECT CASE WHEN cost > 100 THEN 3 WHEN cost > 50 THEN -2 END, count(*) FROM visits GROUP BY 1",
    "SELECT flag FROM lineitem GROUP BY flag ORDER BY count(*) DESC LIMIT 1",
    "SELECT flag, shipdate, sum(price) FROM lineitem GROUP BY ROLLUP (flag, shipdate)",
    "SELECT sex, count(*) FILTER (WHERE extract(dow FROM day) = 0), sum(CASE extract(dow FROM day) WHEN 6 THEN 1 END) "
    "FROM people JOIN visits USING (person_id) GROUP BY sex",
    "SELECT count(DISTINCT day) FROM visits",
    "SELECT dept, count(DISTINCT day) FILTER (WHERE cost > 10), count(*) FROM visits GROUP BY dept",
    "SELECT flag, count(DISTINCT quantity) FROM lineitem GROUP BY flag",
    "SELECT sex, count(DISTINCT dept) FROM people JOIN visits USING (person_id) GROUP BY sex",
)
"""Each has a release that is scaled down, by one of the norms at least."""


@cache
def policy() -> Catalog:
    """The catalog of sql_fixtures/world.toml without caps."""
    with TemporaryDirectory() as directory:
        return without_caps(fitted(make_world(Path(directory)))[1])


@cache
def capped() -> Catalog:
    """The same with the caps of the file, which are where the search for a clip ends."""
    with TemporaryDirectory() as directory:
        return replace(fitted(make_world(Path(directory)))[1], caps_hold=False)


def uncapped(
    sql: str,
    accounting: Accounting = Accounting.ZCDP,
    dialect: str = "duckdb",
    catalog: Catalog | None = None,
    settings: Mapping[str, str | None] | None = None,
) -> Plan:
    """The plan of a statement where nobody declared caps."""
    return plan(sql, catalog or policy(), settings, account=ACCOUNTS[accounting], dialect=dialect)


Evaluated = Callable[[exp.Expression, str, Sequence[int]], list[Any]]
"""The values of an expression of one column, where the column has those values, in order."""


@contextmanager
def evaluating(dialect: str) -> Iterator[Evaluated]:
    """In DuckDB, or in the newest Postgres that is here."""
    if dialect == "duckdb":
        with duckdb.connect() as connection:
            yield lambda node, name, values: _rows(connection.execute, node, name, values, dialect, "HUGEINT")
        return
    with (
        scratch_postgres(list(MAJORS.values())[-1]) as server,
        psycopg.connect(server.conninfo, autocommit=True) as session,
    ):
        yield lambda node, name, values: _rows(session.execute, node, name, values, dialect, "NUMERIC")


def _rows(
    execute: Callable[[str], Any], node: exp.Expression, name: str, values: Sequence[int], dialect: str, wide: str
) -> list[Any]:
    given = ", ".join(f"({place}, CAST('{value}' AS {wide}))" for place, value in enumerate(values))
    text = f"SELECT {node.sql(dialect)} FROM (VALUES {given}) AS t(place, {name}) ORDER BY place"
    return [row[0] for row in execute(text).fetchall()]

"""Texts of several collations in one database: no row raises, and they compare by the database's."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from scratch_postgres import MAJORS, ScratchPostgres, scratch_postgres
from worlds import fitted, make_postgres_world, plan

from dpproxy.accounting.loss import Accounting
from dpproxy.catalog.policy import Catalog
from dpproxy.config import load
from dpproxy.engines import EngineQuery, Ticket, in_turn
from dpproxy.rewrite.checker import check_plan
from dpproxy.schema_fit import opened

pytestmark = pytest.mark.larger

COLLATIONS = """
ALTER TABLE people ALTER city TYPE text COLLATE "C";
ALTER TABLE people ALTER sex TYPE text COLLATE "POSIX";
CREATE DOMAIN word AS text COLLATE "POSIX";
ALTER TABLE visits ALTER dept TYPE word;
"""
STATEMENTS = (
    "SELECT count(*) FROM people WHERE city = sex",
    "SELECT count(*) FROM people WHERE city < sex OR sex BETWEEN city AND 'x'",
    "SELECT count(*) FROM people WHERE upper(city || sex) = 'A' OR city || sex LIKE '%x%'",
    "SELECT count(*) FROM people WHERE greatest(city, sex) = 'x' OR nullif(city, sex) = 'x'",
    "SELECT count(*) FROM people WHERE coalesce(city, sex) ~ 'a' OR starts_with(city || sex, 'a')",
    "SELECT city || sex AS k, count(*) FROM people GROUP BY 1",
    "SELECT CASE WHEN age > 40 THEN city ELSE sex END AS k, count(*) FROM people GROUP BY 1",
    "SELECT count(*) FROM people p JOIN visits v ON p.person_id = v.person_id AND p.city = v.dept",
    "SELECT d.building, count(*) FROM visits v JOIN departments d ON v.dept = d.dept GROUP BY 1",
    "SELECT count(*) FROM visits WHERE dept IN (SELECT dept FROM departments WHERE building > 'a')",
    "SELECT dept, count(*) FROM (SELECT dept, row_number() OVER (PARTITION BY person_id ORDER BY dept) AS r"
    " FROM visits) t WHERE r = 1 GROUP BY dept",
)


@pytest.fixture(scope="module", params=[min(MAJORS), max(MAJORS)])
def world(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[ScratchPostgres, Path, Catalog]]:
    with scratch_postgres(MAJORS[request.param]) as server:
        policy = make_postgres_world(tmp_path_factory.mktemp("collations"), server)
        with psycopg.connect(server.conninfo, autocommit=True) as connection:
            connection.execute(COLLATIONS)
        yield server, policy, fitted(policy)[1]


def test_the_plain_database_raises_where_a_row_gets_there(world: tuple[ScratchPostgres, Path, Catalog]) -> None:
    with psycopg.connect(world[0].conninfo, autocommit=True) as connection:
        asked = "SELECT count(*) FROM people WHERE person_id = %s AND city = sex"
        assert connection.execute(asked, (-1,)).fetchone() == (0,)
        with pytest.raises(psycopg.errors.IndeterminateCollation):
            connection.execute(asked, (8,))


def test_no_statement_raises(world: tuple[ScratchPostgres, Path, Catalog]) -> None:
    _, policy, catalog = world

    async def run() -> None:
        engine = await opened(load(policy, {}))
        try:
            for sql in STATEMENTS:
                made = plan(sql, catalog, dialect="postgres")
                check_plan(made, catalog, "postgres", Accounting.ZCDP)
                for release in made.releases:
                    await engine.run(in_turn(EngineQuery(release.bounded.sql)), Ticket())
        finally:
            await engine.close()

    asyncio.run(run())

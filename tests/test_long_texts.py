"""Texts of many megabytes: in Postgres a row of several keys of them, or what they are hashed from, passes 1 GB."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from scratch_postgres import MAJORS, scratch_postgres
from worlds import fitted, make_postgres_world, plan

from dpproxy.accounting.loss import Accounting
from dpproxy.catalog.policy import Catalog
from dpproxy.config import load
from dpproxy.engines import EngineQuery, Ticket, in_turn
from dpproxy.rewrite.checker import check_plan
from dpproxy.rewrite.releases.bound import LONGEST_KEY
from dpproxy.rows import Rows
from dpproxy.schema_fit import opened

pytestmark = pytest.mark.long

KEYS = [f"left(city, {100_000_000 + number})" for number in range(20)]
MANY = f"SELECT {', '.join(KEYS)}, count(*) FROM people GROUP BY {', '.join(map(str, range(1, 21)))}"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Catalog]]:
    """Person 9's city has 60 MB, person 8's is as long as a key may be."""
    with scratch_postgres(list(MAJORS.values())[-1]) as server:
        policy = make_postgres_world(tmp_path_factory.mktemp("long"), server)
        with psycopg.connect(server.conninfo, autocommit=True) as connection:
            for person, length in ((8, LONGEST_KEY), (9, 60_000_000)):
                connection.execute("UPDATE people SET city = repeat('x', %s) WHERE person_id = %s", (length, person))
        yield policy, fitted(policy)[1]


def run(world: tuple[Path, Catalog], sql: str) -> list[Rows]:
    policy, catalog = world
    made = plan(sql, catalog, dialect="postgres")
    check_plan(made, catalog, "postgres", Accounting.ZCDP)

    async def ask() -> list[Rows]:
        engine = await opened(load(policy, {}))
        try:
            return [(await engine.run(in_turn(EngineQuery(each.bounded.sql)), Ticket()))[0] for each in made.releases]
        finally:
            await engine.close()

    return asyncio.run(ask())


def test_long_keys_are_left_out_and_nothing_raises(world: tuple[Path, Catalog]) -> None:
    [many], [one] = run(world, MANY), run(world, "SELECT city, count(*) FROM people GROUP BY city")
    for found in (many, one):
        lengths = {len(str(row[0] or "")) for row in found.rows}
        assert max(lengths) == LONGEST_KEY
    assert sum(int(str(row[1])) for row in one.rows) == 399


def test_long_values_are_not_counted(world: tuple[Path, Catalog]) -> None:
    [found] = run(world, "SELECT count(DISTINCT city) FROM people")
    assert found.rows == ((4,),)
    joined = "SELECT p.city, count(DISTINCT v.dept), count(*) FROM people p JOIN visits v USING (person_id) GROUP BY 1"
    assert len(run(world, joined)) == 2

"""Keys that the policy declares and no constraint of Postgres enforces: believed for nothing, told at the start."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from scratch_postgres import MAJORS, ScratchPostgres, scratch_postgres
from worlds import make_postgres_world, plan

from dpproxy.config import load
from dpproxy.engines import EngineQuery, Ticket, Work, in_turn
from dpproxy.errors import ConfigFault
from dpproxy.rows import Rows
from dpproxy.schema_fit import Fitted, fit, opened


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ScratchPostgres, Path]]:
    with scratch_postgres(list(MAJORS.values())[-1]) as server:
        yield server, make_postgres_world(tmp_path_factory.mktemp("unenforced"), server)


def fitted(world: tuple[ScratchPostgres, Path], *constraints: str) -> Fitted:
    """As it is without these constraints, which come back afterwards."""
    server, policy = world

    async def read() -> Fitted:
        config = load(policy, {})
        engine = await opened(config)
        try:
            return await fit(config, engine)
        finally:
            await engine.close()

    with psycopg.connect(server.conninfo, autocommit=True) as connection:
        for name in constraints:
            table = name.removesuffix("_pkey")
            connection.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
        try:
            return asyncio.run(read())
        finally:
            for name in constraints:
                table = name.removesuffix("_pkey")
                key = {"people": "person_id", "orders": "orderkey", "customer": "custkey"}[table]
                connection.execute(f"ALTER TABLE {table} ADD CONSTRAINT {name} PRIMARY KEY ({key})")


def test_enforced_keys_are_believed(world: tuple[ScratchPostgres, Path]) -> None:
    found = fitted(world)
    assert found.catalog.tables["people"].unique == {("person_id",)}
    assert not any("primary_key" in line for line in found.warnings)


def test_a_primary_key_that_nothing_enforces_takes_the_general_form(world: tuple[ScratchPostgres, Path]) -> None:
    found = fitted(world, "people_pkey")
    people = found.catalog.tables["people"]
    assert not people.unique
    assert people.max_rows_per_unit == 100
    [line] = [line for line in found.warnings if "primary_key" in line]
    assert line.startswith("tables.people.primary_key: no constraint of the engine keeps (person_id) unique")
    made = plan("SELECT count(*) FROM people", found.catalog, dialect="postgres")
    [release] = made.releases
    assert release.bounded.rows == 100
    assert release.bounded.measures[0].upper == 100
    # A link to the unit's own key is an equality: whose row it is does not hang on people's rows.
    linked = plan("SELECT sum(cost) FROM visits", found.catalog, dialect="postgres").releases[0].bounded
    assert "people" not in linked.sql


def test_a_link_to_what_nothing_keeps_unique_is_a_fault(world: tuple[ScratchPostgres, Path]) -> None:
    with pytest.raises(ConfigFault) as told:
        fitted(world, "orders_pkey")
    assert told.value.detail is not None
    assert told.value.detail.splitlines()[0].endswith(
        "tables.lineitem.link.orderkey: no constraint of the engine keeps orders.orderkey unique and not null; "
        "expected a target with a PRIMARY KEY, or with UNIQUE and NOT NULL"
    )


LOOSENED = {
    "the constraint is dropped": ("ALTER TABLE people DROP CONSTRAINT people_pkey",),
    "a table inherits": ("CREATE TABLE more () INHERITS (people)",),
    "another table has its name": (
        "ALTER TABLE people RENAME TO before",
        "CREATE TABLE people AS SELECT * FROM before",
    ),
    "NULL is allowed": (
        "ALTER TABLE people DROP CONSTRAINT people_pkey",
        "ALTER TABLE people ALTER person_id DROP NOT NULL",
        "ALTER TABLE people ADD UNIQUE (person_id)",
    ),
    "it waits until the end": (
        "ALTER TABLE people DROP CONSTRAINT people_pkey",
        "ALTER TABLE people ADD PRIMARY KEY (person_id) DEFERRABLE",
    ),
}
KEPT = {
    "another key besides": ("CREATE UNIQUE INDEX besides ON people (person_id)",),
    "a new table with the key": (
        "ALTER TABLE people RENAME TO before",
        "CREATE TABLE people (LIKE before INCLUDING ALL)",
    ),
}


@pytest.mark.parametrize("change", [*LOOSENED, *KEPT])
def test_what_was_believed_is_proved_in_each_snapshot(world: tuple[ScratchPostgres, Path], change: str) -> None:
    server, _ = world
    proof = fitted(world).catalog.proof
    assert proof is not None
    own = f"changed_{abs(hash(change)) % 10**6}"
    with psycopg.connect(server.conninfo, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {own} TEMPLATE {server.database}".encode())
    changed = server.conninfo_of(server.owner, database=own)
    with psycopg.connect(changed, autocommit=True) as connection:
        assert connection.execute(proof.sql.encode()).fetchone() == (True,)
        for statement in {**LOOSENED, **KEPT}[change]:
            connection.execute(statement.encode())
        assert connection.execute(proof.sql.encode()).fetchone() == (change in KEPT,)


def test_the_engine_itself_asks_it(world: tuple[ScratchPostgres, Path]) -> None:
    async def ask() -> object:
        config = load(world[1], {})
        engine = await opened(config)
        try:
            proof = (await fit(config, engine)).catalog.proof
            assert proof is not None
            return (await engine.run(in_turn(EngineQuery(proof.sql, lock=proof.lock)), Ticket()))[0].rows
        finally:
            await engine.close()

    assert asyncio.run(ask()) == ((True,),)


def test_no_name_changes_its_table_while_a_statement_runs(world: tuple[ScratchPostgres, Path]) -> None:
    """Plans are made by the newest catalog, whatever the snapshot: a swapped table would be read with the old proof."""
    server, policy = world

    async def run() -> None:
        config = load(policy, {})
        engine = await opened(config)
        try:
            proof = (await fit(config, engine)).catalog.proof
            assert proof is not None

            def work() -> Work[Rows]:
                yield EngineQuery(proof.sql, lock=proof.lock)
                with psycopg.connect(server.conninfo, autocommit=True) as other:
                    other.execute("SET lock_timeout = '200ms'")
                    for statement in (
                        "ALTER TABLE people RENAME TO old",
                        "ALTER TABLE people DROP CONSTRAINT people_pkey",
                    ):
                        with pytest.raises(psycopg.errors.LockNotAvailable):
                            other.execute(statement)
                return (yield EngineQuery('SELECT count(*) FROM "public"."people"'))

            assert (await engine.run(work(), Ticket())).rows == ((400,),)
        finally:
            await engine.close()

    asyncio.run(run())

"""Indexes along links that an owner's Postgres lacks: `check` tells which, and `check --data` their sizes."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

import psycopg
import pytest
from scratch_postgres import MAJORS, ScratchPostgres, scratch_postgres
from test_unit_index import POLICY, TABLES, rows
from towns import ran
from worlds import READER, write_postgres_policy

from dpproxy.config import load
from dpproxy.link_indexes import missing_indexes
from dpproxy.schema_fit import fit, opened

pytestmark = pytest.mark.long  # before the oldest Postgres

# Parts of bills of visits, which have their unit's key: a bill's primary key holds no link beside it.
BILLS, VISITS, PARTS, BEYOND = (
    'CREATE INDEX ON "public"."bills" ("visit")',
    'CREATE INDEX ON "public"."visits" ("visit") INCLUDE ("person")',
    'CREATE INDEX ON "public"."parts" ("bill")',
    'CREATE INDEX ON "public"."bills" ("bill") INCLUDE ("visit")',
)


@pytest.fixture(scope="module")
def server() -> Iterator[ScratchPostgres]:
    with scratch_postgres(MAJORS[min(MAJORS)]) as server:
        with psycopg.connect(server.conninfo, autocommit=True) as owner:
            owner.execute(f"{TABLES}{rows(Random(1))};{READER}".encode())
        yield server


def missing(policy: Path) -> list[str]:
    async def found() -> list[str]:
        config = load(policy, {})
        engine = await opened(config)
        try:
            return [each.statement for each in await missing_indexes((await fit(config, engine)).catalog, engine)]
        finally:
            await engine.close()

    return asyncio.run(found())


def test_what_is_missing_is_told_until_it_is_there(tmp_path: Path, server: ScratchPostgres) -> None:
    path = write_postgres_policy(tmp_path, server, POLICY)
    told = json.loads(ran("check", "--config", str(path), "--json").stdout)["missing_indexes"]
    assert [each["statement"] for each in told] == [BILLS, VISITS, PARTS, BEYOND]
    assert {each["table"] for each in told} == {"bills", "visits", "parts"}
    assert all(set(each) == {"table", "statement"} for each in told), "nothing of rows"
    with psycopg.connect(server.conninfo, autocommit=True) as owner:
        owner.execute("CREATE INDEX ON bills (visit, bill) WHERE bill > 0; CREATE INDEX ON parts (price, bill)")
        assert len(missing(path)) == 4, "an index of some rows, and one that begins elsewhere"
        owner.execute(f"{VISITS}; CREATE INDEX ON parts (bill, price); CREATE INDEX ON bills (bill, visit)".encode())
        assert missing(path) == [BILLS]
        owner.execute(BILLS.encode())
    assert missing(path) == []


def test_the_size_is_about_that_of_the_index(tmp_path: Path, server: ScratchPostgres) -> None:
    path = write_postgres_policy(tmp_path, server, POLICY)
    with psycopg.connect(server.conninfo, autocommit=True) as owner:
        owner.execute(
            "DROP INDEX IF EXISTS bills_visit_idx; INSERT INTO bills SELECT i, i FROM generate_series(1000, 30000) t(i)"
        )
        shown = ran("check", "--config", str(path), "--data").stdout
        found = re.search(r"an index of bills, about (\d+\.\d) MB for ([\d,]+) rows: (.*)\.\n", shown)
        assert found is not None and found[3] == BILLS, shown
        owner.execute("CREATE INDEX made ON bills (visit)")
        size, count = owner.execute("SELECT pg_relation_size('made'), (SELECT count(*) FROM bills)").fetchone() or (
            0,
            0,
        )
    assert int(found[2].replace(",", "")) == count
    assert 0.6 < float(found[1]) * 1e6 / size < 1.4

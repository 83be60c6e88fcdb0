"""Indexes along links that an owner's Postgres lacks: `check` tells which, and `check --data` their sizes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

import psycopg
import pytest
from scratch_postgres import MAJORS, ScratchPostgres, scratch_postgres
from test_unit_index import POLICY, TABLES, rows
from towns import ran
from worlds import READER, write_postgres_policy

# Parts of bills of visits, which have their unit's key: a bill's primary key holds no link beside it.
STATEMENTS = (
    ("bills", 'CREATE INDEX ON "public"."bills" ("visit")'),
    ("visits", 'CREATE INDEX ON "public"."visits" ("visit") INCLUDE ("person")'),
    ("parts", 'CREATE INDEX ON "public"."parts" ("bill")'),
    ("bills", 'CREATE INDEX ON "public"."bills" ("bill") INCLUDE ("visit")'),
)


@pytest.fixture(scope="module")
def server() -> Iterator[ScratchPostgres]:
    with scratch_postgres(MAJORS[min(MAJORS)]) as server:
        with psycopg.connect(server.conninfo, autocommit=True) as owner:
            owner.execute(f"{TABLES}{rows(Random(1))};{READER}".encode())
        yield server


def told(path: Path, *words: str) -> dict[str, list[dict[str, object]]]:
    done = ran("check", "--config", str(path), *words, "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, list[dict[str, object]]] = json.loads(done.stdout)
    return found


def test_what_is_missing_is_told_until_it_is_there(tmp_path: Path, server: ScratchPostgres) -> None:
    path = write_postgres_policy(tmp_path, server, POLICY)
    missing = told(path)["missing_indexes"]
    assert [(each["table"], each["statement"]) for each in missing] == list(STATEMENTS)
    assert all(set(each) == {"table", "statement"} for each in missing), "nothing of rows"
    with psycopg.connect(server.conninfo, autocommit=True) as owner:
        owner.execute("CREATE INDEX ON bills (visit, bill) WHERE bill > 0; CREATE INDEX ON parts (price, bill)")
        assert len(told(path)["missing_indexes"]) == 4, "an index of some rows, and one that begins elsewhere"
        owner.execute(f"{STATEMENTS[1][1]}; CREATE INDEX ON parts (bill, price); CREATE INDEX ON bills (bill, visit)")
        assert [each["statement"] for each in told(path)["missing_indexes"]] == [STATEMENTS[0][1]]
        seen = told(path, "--data")["missing_indexes"]
        (count,) = owner.execute("SELECT count(*) FROM bills").fetchone() or (0,)
        assert [(each["rows"], each["statement"]) for each in seen] == [(count, STATEMENTS[0][1])]
        shown = ran("check", "--config", str(path), "--data").stdout
        assert f"by an index of bills, about 0.0 MB for {count} rows: {STATEMENTS[0][1]}." in shown
        assert STATEMENTS[0][1] in ran("check", "--config", str(path)).stdout
        owner.execute(STATEMENTS[0][1])
    assert told(path)["missing_indexes"] == []


def test_the_size_is_about_that_of_the_index(tmp_path: Path, server: ScratchPostgres) -> None:
    path = write_postgres_policy(tmp_path, server, POLICY)
    with psycopg.connect(server.conninfo, autocommit=True) as owner:
        owner.execute(
            "DROP INDEX bills_visit_idx; INSERT INTO bills SELECT i, i FROM generate_series(1000, 30000) AS t(i)"
        )
        (found,) = told(path, "--data")["missing_indexes"]
        owner.execute(STATEMENTS[0][1])
        (size,) = owner.execute("SELECT pg_relation_size('bills_visit_idx')").fetchone() or (0,)
    assert 0.7 < float(str(found["bytes"])) / size < 1.3

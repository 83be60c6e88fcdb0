"""Unit indexes: what they are made of, when they are used, that nothing but time hangs on them, and what is refused."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from random import Random
from stat import S_IMODE

import duckdb
import psycopg
import pytest
from proxies import serving
from sql_cases import by_file, cases
from towns import ALICE, OPENING, check, fill, ran, write
from worlds import fitted, make_world, opened_room, plan

from dpproxy.accounting.loss import Accounting
from dpproxy.catalog.policy import UNIT_OF_ROW, Catalog, Hop, UnitIndex
from dpproxy.cli.check_data import look
from dpproxy.config import load
from dpproxy.engines import EngineQuery
from dpproxy.engines.duckdb import unit_file
from dpproxy.engines.duckdb.driver import DuckDBEngine
from dpproxy.errors import DPProxyError
from dpproxy.plan.private_plan import Bounded, Plan
from dpproxy.plan.samples import COIN
from dpproxy.release_identity import identity
from dpproxy.rewrite.checker import CheckFault, check_plan
from dpproxy.rewrite.explain import explain_text
from dpproxy.rows import Rows, Value

PLACE = ("dp_units", "bills")
INDEX = UnitIndex(PLACE, (Hop("visit", "visits", "visit"),), "person")
# Bills of visits of people; some links dangle, some are NULL, and some visits are nobody's.
TABLES = """
CREATE TABLE people (id BIGINT PRIMARY KEY, age INTEGER NOT NULL);
CREATE TABLE visits (visit BIGINT PRIMARY KEY, person BIGINT, day DATE);
CREATE TABLE bills (bill BIGINT PRIMARY KEY, visit BIGINT, amount NUMERIC(10, 2), kind TEXT);
CREATE TABLE parts (bill BIGINT, part TEXT, price INTEGER);
"""
POLICY = f"""{OPENING}[server]
port = 0
[privacy]
caps = "hold"
[tables.people]
unit = "person"
primary_key = ["id"]
max_rows_per_unit = 10
max_groups_per_unit = 4
[tables.people.columns]
id = {{ type = "bigint" }}
age = {{ type = "integer", bounds = [0, 120] }}
[tables.visits]
unit = "person"
primary_key = ["visit"]
link = {{ person = "people.id" }}
max_rows_per_unit = 10
max_groups_per_unit = 4
[tables.visits.columns]
visit = {{ type = "bigint" }}
person = {{ type = "bigint", nullable = true }}
day = {{ type = "date", bounds = ["2024-01-01", "2024-12-31"], nullable = true }}
[tables.bills]
unit = "person"
primary_key = ["bill"]
link = {{ visit = "visits.visit" }}
max_rows_per_unit = 10
max_groups_per_unit = 4
[tables.bills.columns]
bill = {{ type = "bigint" }}
visit = {{ type = "bigint", nullable = true }}
amount = {{ type = "numeric(10,2)", bounds = [0, 100], nullable = true }}
kind = {{ type = "text", nullable = true }}
[tables.parts]
unit = "person"
link = {{ bill = "bills.bill" }}
max_rows_per_unit = 10
max_groups_per_unit = 4
[tables.parts.columns]
bill = {{ type = "bigint", nullable = true }}
part = {{ type = "text", nullable = true }}
price = {{ type = "integer", bounds = [0, 9], nullable = true }}
{ALICE}"""
QUESTIONS = (
    "SELECT count(*) FROM bills",
    "SELECT kind, sum(amount), avg(amount), count(amount) FROM bills WHERE amount > 20 GROUP BY kind",
    "SELECT count(DISTINCT kind), percentile_cont(0.5) WITHIN GROUP (ORDER BY amount) FROM bills",
    "SELECT count(*) FROM (SELECT bill, sum(price) AS n FROM parts GROUP BY bill HAVING sum(price) > 5) AS t",
    "SELECT part, count(*) FROM parts GROUP BY part",
    "SELECT sum(price) FROM parts TABLESAMPLE BERNOULLI (50)",
    "SELECT count(*) FROM bills LEFT JOIN parts USING (bill) WHERE part = 'x'",
    "SELECT sum(price) FROM parts WHERE EXISTS (SELECT FROM bills WHERE bills.bill = parts.bill AND amount > 50)",
    "SELECT sum(n) FROM (SELECT price AS n FROM parts UNION ALL SELECT price FROM parts WHERE price > 3) AS t",
    "SELECT sum(r) FROM (SELECT row_number() OVER (PARTITION BY bill ORDER BY price) AS r FROM parts) AS t",
    "SELECT day, count(*) FROM bills JOIN visits USING (visit) GROUP BY day",
)


def rows(random: Random, without: int | None = None) -> str:
    """Rows of six people, without those of one of them."""
    people = [i for i in range(1, 7) if i != without]
    owners = {i: random.choice([1, 2, 3, 4, 5, 6, 7, None]) for i in range(1, 25)}
    bills = {i: random.choice([*range(1, 30), None]) for i in range(1, 60)}
    amounts = {i: random.choice(["NULL", f"{random.random() * 120:.2f}"]) for i in bills}
    kinds = {i: random.choice(["NULL", "'a'", "'b'", "'c'"]) for i in bills}
    parts = [(random.choice([*range(1, 70), None]), random.choice("xyz"), random.randrange(12)) for _ in range(150)]
    gone = {i for i, person in owners.items() if person == without and without is not None}
    bills_gone = {i for i, visit in bills.items() if visit in gone}
    found = {
        "people": [f"{i}, {20 + i}" for i in people],
        "visits": [f"{i}, {null(p)}, '2024-01-0{1 + i % 9}'" for i, p in owners.items() if i not in gone],
        "bills": [f"{i}, {null(v)}, {amounts[i]}, {kinds[i]}" for i, v in bills.items() if i not in bills_gone],
        "parts": [f"{null(b)}, '{p}', {n}" for b, p, n in parts if b not in bills_gone],
    }
    return ";\n".join(f"INSERT INTO {table} VALUES ({'), ('.join(each)})" for table, each in found.items())


def null(value: int | None) -> str:
    return "NULL" if value is None else f"{value}"


def town(directory: Path, seed: int = 1, without: int | None = None) -> Path:
    """The policy over a database with indexes."""
    fill(directory, TABLES + rows(Random(seed), without))
    path = write(directory, POLICY)
    asyncio.run(look(load(path, {})))
    return path


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return fitted(town(tmp_path_factory.mktemp("indexed")))[1]


def planned(sql: str, catalog: Catalog) -> Plan:
    """A plan that the checker has taken."""
    made = plan(sql, catalog)
    check_plan(made, catalog, "duckdb", Accounting.ZCDP)
    return made


def exact(text: str, bounded: Bounded, run: Callable[[EngineQuery], Rows]) -> list[tuple[Value, ...]]:
    """The rows of a text; without `c`, as each unit is counted in one of its rows, whichever the engine has first."""
    secrets = {} if bounded.sample is None else {COIN: "c" * 64}
    at = len(bounded.keys) + bounded.counts_units
    found = run(EngineQuery(text, secrets=secrets)).rows
    return sorted((row if bounded.clip is None else (*row[:at], *row[at + 1 :]) for row in found), key=repr)


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.long)])
def test_it_gives_the_same_integers(tmp_path: Path, seed: int) -> None:
    """Whoever's rows are there: so that what moves without an index moves as far with one."""
    for without in (None, 1 + seed):
        config, catalog = fitted(town(tmp_path, seed, without))
        assert set(catalog.indexes) == {"bills", "parts"}
        used = 0
        with opened_room(config) as run:
            for sql in QUESTIONS:
                for each in planned(sql, catalog).releases:
                    bounded = each.bounded
                    used += bounded.plain is not None
                    assert exact(bounded.sql, bounded, run) == exact(bounded.question, bounded, run), sql
        assert used >= len(QUESTIONS) - 2


@pytest.mark.long
def test_statements_of_all_kinds_give_the_same_integers(tmp_path: Path) -> None:
    path = make_world(tmp_path)
    asyncio.run(look(load(path, {})))
    config, catalog = fitted(path)
    assert set(catalog.indexes) == {"lineitem"}
    used = set()
    asked = [case for file in by_file("rewrite") for case in cases(file) if "lineitem" in case.sql]
    with opened_room(config) as run:
        for case in asked:
            try:
                made = plan(case.sql, catalog, {k: v for k, v in case.settings.items() if k != "confidence"})
            except (DPProxyError, ValueError):
                continue
            check_plan(made, catalog, "duckdb", Accounting.ZCDP)
            for bounded in (each.bounded for each in made.releases if each.bounded.plain is not None):
                used.add(case.title)
                if not bounded.inputs:
                    assert exact(bounded.sql, bounded, run) == exact(bounded.question, bounded, run), case.title
    assert len(used) > 12, used


def test_a_row_is_beside_the_unit_that_the_links_give(tmp_path: Path) -> None:
    town(tmp_path)
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH '{tmp_path}/town.duckdb' AS town (READ_ONLY); USE town")
        connection.execute(f"ATTACH '{tmp_path}/town.units.duckdb' AS dp_units (READ_ONLY)")
        linked = "parts JOIN bills USING (bill) JOIN visits ON visits.visit = bills.visit WHERE person IS NOT NULL"
        found = connection.execute(f"SELECT {UNIT_OF_ROW}, bill, part, price FROM dp_units.parts").fetchall()
        expected = connection.execute(f"SELECT person, parts.bill, part, price FROM {linked}").fetchall()
        assert sorted(found, key=repr) == sorted(expected, key=repr)
        assert [unit for unit, *_ in found] == sorted(unit for unit, *_ in found), "not in the order of the units"


@pytest.mark.parametrize("sql", QUESTIONS)
def test_nothing_but_time_hangs_on_it(catalog: Catalog, sql: str) -> None:
    """Its name, its price, its work and what EXPLAIN shows are those without an index."""
    with_, without = plan(sql, catalog), plan(sql, catalog.without_indexes())
    assert without.releases == tuple(
        replace(each, bounded=replace(each.bounded, sql=each.bounded.question, plain=None)) for each in with_.releases
    )
    assert (with_.cost, with_.post, with_.work) == (without.cost, without.post, without.work)
    assert [identity(b"", each, ()) for each in with_.releases] == [
        identity(b"", each, ()) for each in without.releases
    ]
    shown = [explain_text(each, each.epsilon, Decimal(0)) for each in (with_, without)]
    assert shown[0] == shown[1]


def test_it_is_of_this_very_file(tmp_path: Path) -> None:
    path = town(tmp_path)
    assert set(fitted(path)[1].indexes) == {"bills", "parts"}
    with duckdb.connect(str(tmp_path / "town.duckdb")) as connection:
        connection.execute("UPDATE visits SET person = 2 WHERE visit = 1")
    assert not fitted(path)[1].indexes, "it is older than the rows"
    assert "none: dpproxy check --data makes it" in check(path).stdout
    assert "Unit indexes of bills" in re.sub(r"\s+", " ", check(path, "--data").stdout)
    assert set(fitted(path)[1].indexes) == {"bills", "parts"}
    assert "Unit indexes of" not in check(path, "--data").stdout, "it was there already"


def test_it_is_made_by_this_very_policy(tmp_path: Path) -> None:
    path = town(tmp_path)
    path.write_text(path.read_text().replace('part = { type = "text", nullable = true }\n', ""))
    assert set(fitted(path)[1].indexes) == {"bills"}, "the copy of parts has other columns"


@pytest.mark.parametrize("content", [b"", b"no database", None])
def test_another_file_in_its_place_is_no_index(tmp_path: Path, content: bytes | None) -> None:
    path, place = town(tmp_path), tmp_path / "town.units.duckdb"
    place.unlink()
    if content is not None:
        place.write_bytes(content)
    else:
        duckdb.connect(str(place)).close()
    assert not fitted(path)[1].indexes


def test_a_schema_of_its_name_is_in_its_way(tmp_path: Path) -> None:
    fill(tmp_path, TABLES + rows(Random(1)) + "; CREATE SCHEMA dp_units; CREATE TABLE dp_units.bills (bill BIGINT)")
    path = write(tmp_path, POLICY)
    asyncio.run(look(load(path, {})))
    assert not fitted(path)[1].indexes
    with opened_room(load(path, {})) as run:
        run(EngineQuery('SELECT bill FROM "dp_units"."bills"'))


def test_the_owner_says_where_it_is_or_that_there_is_none(tmp_path: Path) -> None:
    fill(tmp_path, TABLES + rows(Random(1)))
    for word, there in (("off", False), ("elsewhere.db", True)):
        path = write(tmp_path, POLICY.replace("[engine]", f'[engine]\nunit_index = "{word}"'))
        asyncio.run(look(load(path, {})))
        assert bool(fitted(path)[1].indexes) is there
        assert ((tmp_path / word).exists(), (tmp_path / "town.units.duckdb").exists()) == (there, False)


@pytest.mark.parametrize("mode", [0o600, 0o640])
def test_who_may_not_read_the_database_may_not_read_it(tmp_path: Path, mode: int) -> None:
    fill(tmp_path, TABLES + rows(Random(1)))
    (tmp_path / "town.duckdb").chmod(mode)
    asyncio.run(look(load(write(tmp_path, POLICY), {})))
    assert S_IMODE((tmp_path / "town.units.duckdb").stat().st_mode) == mode
    assert not list(tmp_path.glob("*.new*"))


def test_another_group_than_the_databases_may_not_read_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who makes it has a group of their own, and may be in none that the database is for."""
    fill(tmp_path, TABLES + rows(Random(1)))
    (tmp_path / "town.duckdb").chmod(0o640)
    asked: list[tuple[int, int]] = []

    def chown(_path: Path, user: int, group: int) -> None:
        asked.append((user, group))
        raise PermissionError

    monkeypatch.setattr(unit_file.os, "chown", chown)
    asyncio.run(look(load(write(tmp_path, POLICY), {})))
    assert asked == [(-1, (tmp_path / "town.duckdb").stat().st_gid)]
    assert S_IMODE((tmp_path / "town.units.duckdb").stat().st_mode) == 0o600


def test_a_postgres_has_none(tmp_path: Path) -> None:
    path = write(tmp_path, re.sub('duckdb:[^"]*', "postgresql://reader@localhost/town", POLICY))
    assert load(path, {}).unit_index is None
    path.write_text(path.read_text().replace("[engine]", '[engine]\nunit_index = "elsewhere.db"'))
    assert "an index would not stay true" in ran("check", "--config", str(path)).stderr


async def test_a_reload_takes_what_was_made_since(tmp_path: Path) -> None:
    fill(tmp_path, TABLES + rows(Random(1)))
    path = write(tmp_path, POLICY)
    engine = DuckDBEngine.open(tmp_path / "town.duckdb", {}, load(path, {}).unit_index)
    try:
        assert not await engine.replaced({}, frozenset())
        await look(load(path, {}))
        assert await engine.replaced({}, frozenset())
    finally:
        await engine.close()


Change = Callable[[UnitIndex], UnitIndex]
WRONG: dict[str, Change] = {
    "another column": lambda index: replace(index, path=(replace(index.path[0], column="bill"),)),
    "another table": lambda index: replace(index, path=(replace(index.path[0], table="people"),)),
    "another target": lambda index: replace(index, path=(replace(index.path[0], target="person"),)),
    "another key": lambda index: replace(index, key="visit"),
    "no way": lambda index: replace(index, path=()),
    "too far": lambda index: replace(index, path=(*index.path, Hop("person", "people", "id")), key="id"),
}


@pytest.mark.parametrize("name", WRONG)
def test_an_index_by_another_way_is_refused(catalog: Catalog, name: str) -> None:
    assert catalog.indexes["bills"] == INDEX
    made = planned("SELECT kind, count(*) FROM bills GROUP BY kind", catalog)
    assert made.releases[0].bounded.plain is not None
    wrong = replace(catalog, indexes={"bills": WRONG[name](INDEX)})
    with pytest.raises(CheckFault):
        check_plan(made, wrong, "duckdb", Accounting.ZCDP)


TEXTS: dict[str, Callable[[str], str]] = {
    "the unit of another column": lambda sql: sql.replace(f's0."{UNIT_OF_ROW}" AS u', 's0."bill" AS u'),
    "the link for the unit": lambda sql: sql.replace(f's0."{UNIT_OF_ROW}" AS u', 's0."visit" AS u'),
    "the index of another table": lambda sql: sql.replace('"dp_units"."bills"', '"dp_units"."people"'),
    "a table without the unit": lambda sql: sql.replace('"dp_units"."bills"', '"bills"'),
    "another schema": lambda sql: sql.replace('"dp_units"."bills"', '"dp_others"."bills"'),
    "the unit as a key": lambda sql: sql.replace('s0."kind" AS k0', f's0."{UNIT_OF_ROW}" AS k0'),
    "a row of nobody": lambda sql: sql.replace(f' WHERE s0."{UNIT_OF_ROW}" IS NOT NULL', ""),
}


@pytest.mark.parametrize("name", TEXTS)
def test_mutated_texts_are_refused(catalog: Catalog, name: str) -> None:
    made = planned("SELECT kind, count(*) FROM bills GROUP BY kind", catalog)
    (release,) = made.releases
    text = TEXTS[name](release.bounded.sql)
    assert text != release.bounded.sql, release.bounded.sql
    with pytest.raises(CheckFault):
        changed = replace(release, bounded=replace(release.bounded, sql=text))
        check_plan(replace(made, releases=(changed,)), catalog, "duckdb", Accounting.ZCDP)


def test_a_text_that_reads_an_index_is_refused_where_there_is_none(catalog: Catalog) -> None:
    made = planned("SELECT count(*) FROM bills", catalog)
    with pytest.raises(CheckFault):
        check_plan(made, catalog.without_indexes(), "duckdb", Accounting.ZCDP)


def test_where_there_is_no_room_it_says_what_to_write(tmp_path: Path) -> None:
    fill(tmp_path, TABLES + rows(Random(1)))
    path = write(tmp_path, POLICY.replace("[engine]", '[engine]\nunit_index = "taken"'))
    (tmp_path / "taken").mkdir()
    done = check(path, "--data")
    assert done.returncode == 1
    assert "the unit indexes cannot be made in" in done.stderr and 'or "off"' in done.stderr
    assert "Private tables" in done.stdout, "what was seen is told"


@pytest.mark.long
def test_over_the_wire_nobody_sees_it(tmp_path: Path) -> None:
    config = load(town(tmp_path), {})
    with serving(config) as proxy, psycopg.connect(proxy.dsn("alice"), autocommit=True) as alice:
        assert alice.execute("SELECT count(*) FROM bills").fetchall()
        shown = "\n".join(str(row[0]) for row in alice.execute("EXPLAIN VERBOSE SELECT count(*) FROM bills"))
        assert "dp_unit" not in shown and "JOIN" in shown
        catalog = b"SELECT count(*) FROM pg_class, pg_attribute WHERE relname ~ 'dp_unit' OR attname ~ 'dp_unit'"
        assert alice.execute(catalog).fetchall() == [(0,)]
        for sql in (b"SELECT dp_unit FROM bills", b'SELECT count(*) FROM "dp_units"."bills"'):
            with pytest.raises(psycopg.Error, match="does not exist"):
                alice.execute(sql)

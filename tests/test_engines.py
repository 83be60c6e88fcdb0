"""Engines are found by their names and URLs alone: a third one, of the tests' own, needs no file of the package."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random

import duckdb
import pytest
import toy
from neighbours.claims import broken, shown
from neighbours.dag import everything, noise_of, released
from neighbours.places import Place
from scratch_postgres import MAJORS, scratch_postgres
from toy.dialect import DIALECT
from toy.driver import connected, rows_of
from toy.facts import FACTS
from toy.provider import PROVIDER, SQLiteFile, creating
from worlds import TERMS, plan

from dpproxy.audit.engine_databases import databases, held
from dpproxy.audit.neighbouring_data import BASE, TARGETS, make_world
from dpproxy.catalog.policy import Catalog
from dpproxy.catalog.types import parse_type
from dpproxy.config import Config, load
from dpproxy.draft import drafted
from dpproxy.engines import EngineQuery, Ticket, dialects, in_turn, providers
from dpproxy.engines.dialects import UnknownEngine, folders
from dpproxy.engines.duckdb.provider import DuckDBFile
from dpproxy.engines.postgres.provider import PostgresDatabase
from dpproxy.engines.providers import WrongUrl, forms, located, provider_of
from dpproxy.errors import ConfigFault, FeatureNotSupported
from dpproxy.plan.private_plan import Plan, Release
from dpproxy.plan.space import key_space
from dpproxy.release import release
from dpproxy.rewrite.checker import check_plan
from dpproxy.rewrite.checker import engines as checker
from dpproxy.rewrite.checker.fault import CheckFault
from dpproxy.schema_fit import fit, opened

BIGINT, INTEGER, TEXT = parse_type("bigint"), parse_type("integer"), parse_type("text")
PEOPLE = (("id", BIGINT), ("sex", TEXT), ("city", TEXT), ("age", INTEGER))
VISITS = (("visit", BIGINT), ("person", BIGINT), ("ward", TEXT), ("city", TEXT), ("cost", BIGINT))
POLICY = """
[server]
database = "demo"
[front]
url = "embedded:front"
[engine]
url = "{url}"
[privacy]
accounting = "zcdp"
data_version = "1"
caps = "hold"
[units.person]
table = "people"
key = "id"
[tables.people]
unit = "person"
primary_key = ["id"]
max_rows_per_unit = 100
max_groups_per_unit = 8
[tables.people.columns]
id = {{ type = "bigint" }}
sex = {{ type = "text", values = ["F", "M"] }}
city = {{ type = "text", nullable = true }}
age = {{ type = "integer", bounds = [0, 120], nullable = true }}
[tables.visits]
unit = "person"
link = {{ person = "people.id" }}
primary_key = ["visit"]
max_rows_per_unit = 3
max_groups_per_unit = 2
[tables.visits.columns]
visit = {{ type = "bigint" }}
person = {{ type = "bigint", nullable = true }}
ward = {{ type = "text", values = ["a", "b", "c"] }}
city = {{ type = "text", nullable = true }}
cost = {{ type = "bigint", bounds = [0, 400], nullable = true }}
[analysts.alice]
trust = true
epsilon = 5.0
delta = 1e-6
"""
STATEMENTS = (
    "SELECT count(*) FROM people",
    "SELECT sex, count(*), sum(age) FROM people GROUP BY sex",
    "SELECT count(*) FROM people WHERE age BETWEEN 18 AND 40 AND NOT (sex = 'F' OR city IS NULL)",
    "SELECT sum(abs(age) + 7), avg(age - 1) FROM people WHERE upper(city) = 'DELFT' AND length(city) > 2",
    "SELECT ward, sum(cost), count(*), count(cost) FROM visits GROUP BY ward",
    "SELECT sum(cost), avg(cost) FROM visits WHERE cost > 5",
    "SELECT city, count(*) FROM visits GROUP BY city",
    "SELECT p.sex, v.ward, count(*), sum(v.cost) FROM visits v JOIN people p ON v.person = p.id GROUP BY 1, 2",
    "SELECT count(*), sum(age) FROM people WHERE least(age, 40) > 20 AND coalesce(city, sex) <> 'a'",
    "SELECT CASE WHEN age < 18 THEN 'young' ELSE 'old' END AS years, count(*) FROM people GROUP BY 1",
)
NUMBERS = (None, 0, 1, 20, 40, 121, -1, 400, 401, 2**62, 2**63 - 1, -(2**63))
SMALL = (None, 0, 1, 20, 40, 121, -1, 2**31 - 1, -(2**31))
TEXTS = (None, "", "delft", "Delft", "a", "b", "c", "F", "M", "é" * 20)
Rows = list[tuple[object, ...]]


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The engine is known for the length of a test."""
    for place in ((providers, "_REGISTERED"), (dialects, "_REGISTERED"), (checker, "_FACTS")):
        monkeypatch.setattr(*place, dict(getattr(*place)))
    toy.registered()
    toy.registered_facts()
    yield


def people(random: Random) -> Rows:
    return [(unit, random.choice(TEXTS), random.choice(TEXTS), random.choice(SMALL)) for unit in range(1, 6)]


def visits(random: Random, units: range, most: int) -> Rows:
    return [
        (
            units.start * 1000 + number,
            random.choice([None, *units]),
            random.choice(TEXTS),
            random.choice(TEXTS),
            random.choice(NUMBERS),
        )
        for number in range(most)
    ]


def written(path: Path, people: Rows, visits: Rows) -> Path:
    with closing(sqlite3.connect(path)) as connection, connection:
        for name, columns, key, rows in (("people", PEOPLE, "id", people), ("visits", VISITS, "visit", visits)):
            connection.execute(creating(name, columns, [(key,)]))
            connection.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(columns))})", rows)
    return path


def policy(directory: Path, url: str) -> Config:
    path = directory / "policy.toml"
    path.write_text(POLICY.format(url=url))
    return load(path, {})


def fitted(config: Config) -> Catalog:
    async def looked() -> Catalog:
        engine = await opened(config)
        try:
            return (await fit(config, engine)).catalog
        finally:
            await engine.close()

    return asyncio.run(looked())


@contextmanager
def place(path: Path) -> Iterator[Place]:
    with closing(connected(path)) as connection:
        yield lambda query: rows_of(connection, query)


def planned(sql: str, catalog: Catalog) -> Plan:
    made = plan(sql, catalog, {"epsilon": "0.5"}, dialect="sqlite")
    check_plan(made, catalog, "sqlite", TERMS.accounting)
    return made


@pytest.mark.usefixtures("engine")
def test_no_unit_moves_more_than_the_plan_claims(tmp_path: Path) -> None:
    """Each unit dropped, and a heavy one more, over worlds in which bounds and values do not hold."""
    random, moved = Random(13), 0
    catalog = None
    for number in range(6):
        rows, seen = people(random), visits(random, range(1, 6), 25)
        heavy = visits(random, range(77, 78), 60)
        directory = tmp_path / str(number)
        directory.mkdir()
        base = written(directory / "base", rows, seen)
        others = {77: written(directory / "heavy", [*rows, (77, "F", "a", 2**31 - 1)], [*seen, *heavy])}
        for unit in range(1, 6):
            less = [row for row in rows if row[0] != unit], [row for row in seen if row[1] != unit]
            others[unit] = written(directory / f"without_{unit}", *less)
        catalog = catalog or fitted(policy(directory, f"sqlite:///{base}"))
        for sql in STATEMENTS:
            for each in planned(sql, catalog).releases:
                moved += sum(moves(each, base, other, unit == 77) for unit, other in others.items())
    assert moved > 100


def moves(made: Release, base: Path, other: Path, heavy: bool) -> bool:
    with place(base) as here, place(other) as there:
        one, less = shown(made.bounded, here), shown(made.bounded, there)
    if heavy:
        one, less = less, one
    assert list(broken(made, one, less)) == [], made.bounded.sql
    return one != less


@pytest.mark.usefixtures("engine")
def test_answers_are_those_of_the_data(tmp_path: Path) -> None:
    """From the URL to released rows: exact without noise, and near with it."""
    rows: Rows = [(unit, "FM"[unit % 2], "Delft", unit % 120) for unit in range(400)]
    path = written(tmp_path / "data", rows, [(unit, unit, "abc"[unit % 3], "x", unit % 400) for unit in range(400)])
    config = policy(tmp_path, f"sqlite:///{path}")
    assert config.engine.url == SQLiteFile(path)
    catalog = fitted(config)
    made = planned("SELECT sex, count(*), sum(age) FROM people GROUP BY sex", catalog)
    with place(path) as here, noise_of(lambda total: total):
        (exact,) = released(made, here, everything)
        (wards,) = released(planned("SELECT ward, sum(cost) FROM visits GROUP BY ward", catalog), here, everything)
    ages = {sex: sum(row[3] for row in rows if row[1] == sex) for sex in "FM"}  # type: ignore[misc]
    assert sorted(exact.rows) == [("F", 200, ages["F"]), ("M", 200, ages["M"])]
    costs = {ward: sum(unit % 400 for unit in range(400) if "abc"[unit % 3] == ward) for ward in "abc"}
    assert sorted(wards.rows) == sorted(costs.items())

    async def answered() -> list[tuple[object, ...]]:
        engine = await opened(config)
        try:
            (found,) = await engine.run(in_turn(EngineQuery(made.releases[0].bounded.sql)), Ticket())
        finally:
            await engine.close()
        return sorted(release(made.releases[0], found, key_space(made.releases[0].bounded.keys, {}, ())).rows)

    told = asyncio.run(answered())
    assert [row[0] for row in told] == ["F", "M"]
    assert all(abs(int(str(row[1])) - 200) < 5_000 for row in told)  # a Laplace of scale below 50 is no 100 times that


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("expression", ["lower(city) = 'a'", "age * 2 > 3", "city LIKE 'a%'", "sqrt(age) > 2"])
def test_what_it_has_not_is_refused_by_name(expression: str, tmp_path: Path) -> None:
    catalog = fitted(policy(tmp_path, f"sqlite:///{written(tmp_path / 'data', [], [])}"))
    with pytest.raises(FeatureNotSupported, match="the engine has no"):
        planned(f"SELECT count(*) FROM people WHERE {expression}", catalog)


def test_without_a_record_the_checker_refuses_it(tmp_path: Path, engine: None) -> None:
    catalog = fitted(policy(tmp_path, f"sqlite:///{written(tmp_path / 'data', [], [])}"))
    made = planned(STATEMENTS[1], catalog)
    del checker._FACTS["sqlite"]
    with pytest.raises(CheckFault, match="nothing is known of the engine sqlite"):
        check_plan(made, catalog, "sqlite", TERMS.accounting)
    with pytest.raises(CheckFault, match="nothing is known of the engine sqlite"):
        plan("SELECT count(*) FROM people WHERE age = 33", catalog, {"epsilon": "0.5"}, dialect="sqlite")


def test_unregistered_nobody_knows_it(tmp_path: Path) -> None:
    with pytest.raises(ConfigFault) as fault:
        policy(tmp_path, "sqlite:///data")
    assert fault.value.detail and "engine.url: is no URL that is known here" in fault.value.detail
    with pytest.raises(UnknownEngine):
        dialects.dialect_of("sqlite")
    with pytest.raises(LookupError):
        provider_of("sqlite")


@pytest.mark.usefixtures("engine")
def test_a_policy_is_drafted_from_it(tmp_path: Path) -> None:
    path = written(tmp_path / "data", [], [])
    database = located(f"sqlite:///{path}", tmp_path).describe(tmp_path, lambda _: None)
    (tmp_path / "drafted.toml").write_text(drafted(database, ("people",), "drafted.toml").text)
    config = load(tmp_path / "drafted.toml", {})
    assert config.engine.url == SQLiteFile(path)
    assert set(fitted(config).tables) >= {"people"}


@pytest.mark.long
@pytest.mark.usefixtures("engine")
def test_an_audit_makes_its_databases(tmp_path: Path) -> None:
    config = policy(tmp_path, "sqlite:///none")
    world = make_world(config, (), held("sqlite"))

    async def catalogs() -> list[Catalog]:
        async with databases("sqlite", tmp_path, world, (BASE, *TARGETS)) as stands:
            return [await asyncio.to_thread(fitted, policy(tmp_path, each.url)) for each in stands.values()]

    assert [set(each.tables) for each in asyncio.run(catalogs())] == [{"people", "visits"}] * 3


def test_a_name_that_has_a_folder_or_a_record_is_not_taken() -> None:
    with pytest.raises(ValueError, match="not one engine"):
        providers.register(PROVIDER, dialects.dialect_of("duckdb"))
    with pytest.raises(ValueError, match="not one engine"):
        providers.register(provider_of("duckdb"), dialects.dialect_of("duckdb"))
    with pytest.raises(ValueError, match="has a record"):
        checker.register(checker.facts_of("duckdb"))
    assert DIALECT.name == FACTS.name == PROVIDER.name


# Those of the package


def test_a_folder_has_all_parts_of_an_engine() -> None:
    assert folders() == checker.records()
    for name in folders():
        assert name == provider_of(name).name == dialects.dialect_of(name).name == checker.facts_of(name).name


def test_urls_lead_to_their_engines(tmp_path: Path) -> None:
    assert located("duckdb:///a.duckdb", tmp_path) == DuckDBFile(tmp_path / "a.duckdb")
    for scheme in ("postgres", "postgresql"):
        assert located(f"{scheme}://u@h/d", tmp_path) == PostgresDatabase(f"{scheme}://u@h/d")
    for url in ("mysql://u@h/d", "duckdb", "", "duckdb:a", "postgresql://u@h", "sc://u@h"):
        with pytest.raises(WrongUrl):
            located(url, tmp_path)
    assert (
        forms()
        == '"duckdb:///FILE" (an absolute path has a fourth slash) or "postgresql://READER@HOST/DATABASE" or "sc://HOST:15002"'
    )


OPENED = """
import asyncio, sys
from pathlib import Path
from dpproxy.engines.providers import located
from dpproxy.rewrite import plan_statement
import dpproxy.schema_fit, dpproxy.config, dpproxy.answering, dpproxy.server, dpproxy.session
assert not {"duckdb", "asyncpg"} & set(sys.modules)
async def opened():
    engine = await located(sys.argv[1], Path()).open({}, None, frozenset(), max_concurrency=1, statement_timeout=10)
    await engine.close()
asyncio.run(opened())
print(*{"duckdb", "asyncpg"} & set(sys.modules))
"""


@pytest.mark.long
def test_a_driver_is_loaded_when_its_engine_is_opened(tmp_path: Path) -> None:
    duckdb.connect(str(tmp_path / "a.duckdb")).close()
    assert _loaded(f"duckdb:///{tmp_path}/a.duckdb") == "duckdb"
    with scratch_postgres(list(MAJORS.values())[-1]) as server:
        assert _loaded(f"postgresql://{server.owner}@/{server.database}?host={server.directory}") == "asyncpg"


def _loaded(url: str) -> str:
    done = subprocess.run([sys.executable, "-c", OPENED, url], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()

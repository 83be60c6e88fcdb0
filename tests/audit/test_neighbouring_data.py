"""Neighbours made from policies: they fit their own policy, differ by one unit, and that unit is as bad as can be."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import duckdb
import pytest
from worlds import FIXTURES, make_world

from dpproxy.audit.engine_databases import databases, held
from dpproxy.audit.neighbouring_data import BASE, HEAVY, LIGHT, TARGETS, MadeTable
from dpproxy.audit.neighbouring_data import make_world as make_neighbours
from dpproxy.audit.statements import suggested
from dpproxy.cli.demo_data import write_policy
from dpproxy.config import Config, load
from dpproxy.schema_fit import fit, opened

from .statements import TWO_UNITS

pytestmark = pytest.mark.long

POLICIES = ("world", "postgres", "demo")


def policy(name: str, directory: Path) -> Config:
    if name == "demo":
        return load(write_policy(directory, 0), {})
    if name == "world":
        return load(make_world(directory), {})
    path = directory / "policy.toml"
    path.write_text((FIXTURES / f"{name}.toml").read_text())
    return load(path, {})


def made(config: Config, kind: str = "duckdb", *statements: str) -> dict[str, MadeTable]:
    return {table.name: table for table in make_neighbours(config, statements, held(kind))}


@pytest.mark.parametrize(
    ("name", "kind"),
    [("world", "duckdb"), ("demo", "duckdb"), ("postgres", "postgres"), ("world", "postgres")],
)
def test_the_databases_fit_their_policy(name: str, kind: str, tmp_path: Path) -> None:
    """Types, keys and links are as the policy says, in both engines, with all targets."""
    config = policy(name, tmp_path)

    async def warnings() -> list[str]:
        world, found = make_neighbours(config, (), held(kind)), []
        async with databases(kind, tmp_path, world, (BASE, *TARGETS)) as stands:
            for each in stands.values():
                path = tmp_path / "made.toml"
                path.write_text(_with_engine(config.path.read_text(), each.url))
                engine = await opened(load(path, {}))
                try:
                    found += (await fit(load(path, {}), engine)).warnings
                finally:
                    await engine.close()
        return found

    doubtful = asyncio.run(warnings())
    assert not [each for each in doubtful if "primary_key" in each], doubtful


def _with_engine(text: str, url: str) -> str:
    return re.sub('"(duckdb:///|postgresql://)[^"]*"', f'"{url}"', text)


def test_neighbours_differ_by_one_unit(tmp_path: Path) -> None:
    world = made(policy("world", tmp_path))
    for target in TARGETS:
        units = {row[0] for row in world["people"].rows[target]}
        assert len(units) == 1
        assert not units & {row[0] for row in world["people"].rows[BASE]}
        visits = world["visits"]
        at = [name for name, _ in visits.columns].index("person_id")
        assert {row[at] for row in visits.rows[target]} == units
        assert visits.of(target)[: len(visits.rows[BASE])] == visits.rows[BASE]
    assert all(not world["departments"].rows[target] for target in TARGETS)


def test_rows_of_two_units_are_with_many_of_the_second(tmp_path: Path) -> None:
    """None of which leaves with the target."""
    path = make_world(tmp_path)
    path.write_text(path.read_text() + TWO_UNITS)
    world = made(load(path, {}))
    shipped, suppliers = world["shipments"].rows, {row[0] for row in world["supplier"].rows[BASE]}
    assert len({customer for customer, _ in shipped[HEAVY]}) == 1
    for place in (BASE, HEAVY):
        assert {supplier for _, supplier in shipped[place]} == suppliers
    assert {supplier for _, supplier in shipped[LIGHT]} <= suppliers


def test_links_lead_to_rows_of_the_same_unit(tmp_path: Path) -> None:
    """Also the second link of a chain: lines to orders to customers."""
    world = made(policy("world", tmp_path))
    for place in (BASE, *TARGETS):
        orders, lines = ({row[0] for row in world[name].rows[place]} for name in ("orders", "lineitem"))
        assert lines <= orders


def test_the_heavy_target_is_more_than_is_allowed(tmp_path: Path) -> None:
    config = policy("world", tmp_path)
    rows = made(config)["visits"].rows[HEAVY]
    limits = config.tables["visits"]
    assert len(rows) > (limits.max_rows_per_unit or 0)
    day, cost, dept = (list(column) for column in list(zip(*rows, strict=True))[2:])
    assert len({each for each in dept if each and each.startswith("only")}) > (limits.max_groups_per_unit or 0)
    assert {"NaN", "Infinity", "1e300", None} <= set(cost)
    assert {"infinity", None} <= set(day)


def test_the_light_target_is_within_the_policy_and_alone(tmp_path: Path) -> None:
    config = policy("world", tmp_path)
    (person,) = made(config)["people"].rows[LIGHT]
    others = made(config)["people"].rows[BASE]
    names = list(config.tables["people"].columns)
    age, city = person[names.index("age")], person[names.index("city")]
    assert age is not None and 0 < int(age) < 120
    assert city not in {row[names.index("city")] for row in others}


def test_words_of_statements_are_among_the_values(tmp_path: Path) -> None:
    """What a statement asks for is there, so that its filter does not leave out everybody."""
    world = made(policy("world", tmp_path), "duckdb", "SELECT count(*) FROM people WHERE city = 'Delft'", "no SQL '")
    at = [name for name, _ in world["people"].columns].index("city")
    assert "Delft" in {row[at] for row in world["people"].rows[BASE]}


def test_the_same_each_time(tmp_path: Path) -> None:
    assert made(policy("world", tmp_path)) == made(load(tmp_path / "world.toml", {}))


def test_data_of_the_owner_is_not_read(tmp_path: Path) -> None:
    """The engine's file may be gone: the policy is all that is needed, and no value of the file is in it."""
    config = policy("world", tmp_path)
    before = made(config)
    with duckdb.connect(str(tmp_path / "world.duckdb")) as connection:
        connection.execute("DELETE FROM visits")
    assert made(config) == before
    (tmp_path / "world.duckdb").unlink()
    assert made(config) == before


@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_suggests_statements(name: str, tmp_path: Path) -> None:
    config = policy(name, tmp_path)
    found = [text for (text,) in suggested(config, next(iter(config.analysts)))]
    assert len(found) >= 6
    for word in ("count(*)", "sum(", "avg(", "GROUP BY", "DISTINCT"):
        assert any(word in text for text in found)

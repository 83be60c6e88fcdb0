"""The policy against a real DuckDB file: the catalog that comes out, and every way of not fitting."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from towns import ALICE, OPENING, fill, write

from dpproxy.catalog.policy import Link, TableColumn, Unit
from dpproxy.catalog.types import BIGINT, BOOLEAN, DATE, INTEGER, TEXT, SqlType, parse_type
from dpproxy.config import load
from dpproxy.engines.duckdb.driver import DuckDBEngine
from dpproxy.errors import ConfigFault
from dpproxy.schema_fit import Fitted, fit
from dpproxy.session import dp_tables

WORLD = """
CREATE SCHEMA shop;
CREATE TABLE people (
    extra INTEGER, id BIGINT PRIMARY KEY, age INTEGER, city VARCHAR, wage DECIMAL(10,2), total HUGEINT);
INSERT INTO people SELECT i, i, i % 90, 'c' || i % 3, i, i FROM range(10) AS n(i);
CREATE TABLE visits (visit BIGINT NOT NULL UNIQUE, person BIGINT, day DATE);
INSERT INTO visits SELECT i, i % 4, DATE '2020-01-01' FROM range(20) AS n(i);
CREATE TABLE shop.items (item BIGINT, visit BIGINT, seen BOOLEAN);
INSERT INTO shop.items SELECT i, i % 20, TRUE FROM range(40) AS n(i);
CREATE TABLE cards (card BIGINT PRIMARY KEY, owner BIGINT, nick BIGINT, UNIQUE (nick));
INSERT INTO cards SELECT 100 + i, i, i FROM range(5) AS n(i);
CREATE TABLE badges (holder BIGINT NOT NULL UNIQUE);
CREATE TABLE scans (holder BIGINT);
CREATE TABLE places (name VARCHAR PRIMARY KEY, open BOOLEAN, plan BLOB, size UHUGEINT);
INSERT INTO places VALUES ('a', TRUE, NULL, 1), ('b', FALSE, NULL, 2);
CREATE TABLE odd (id BIGINT, nick VARCHAR COLLATE nocase, large UHUGEINT, made BIGINT AS (id / 2),
  tags STRUCT(a INTEGER)[]);
CREATE VIEW looks AS SELECT * FROM people;
"""

POLICY = f"""{OPENING}[tables.people]
unit = "person"
primary_key = ["id"]
[tables.people.columns]
id = {{ type = "bigint" }}
age = {{ type = "integer", bounds = [0, 120], step = 5 }}
city = {{ type = "varchar", nullable = true, values = ["c0", "c1"] }}
[tables.visits]
unit = "person"
link = {{ person = "people.id" }}
max_rows_per_unit = 50
[tables.visits.columns]
visit = {{ type = "bigint", hidden = true }}
person = {{ type = "bigint" }}
day = {{ type = "date", bounds = ["2020-01-01", "2020-12-31"], note = "when" }}
[tables."shop.items"]
unit = "person"
link = {{ visit = "visits.visit" }}
max_groups_per_unit = 3
note = "what they bought"
[tables."shop.items".columns]
visit = {{ type = "bigint" }}
item = {{ type = "bigint" }}
[tables.places]
public = true
primary_key = ["name"]
{ALICE}"""


async def fitted(tmp_path: Path, policy: str) -> Fitted:
    fill(tmp_path, WORLD)
    config = load(write(tmp_path, policy), {})
    engine = DuckDBEngine.open(config.engine.url.path)
    try:
        return await fit(config, engine)
    finally:
        await engine.close()


async def faults(tmp_path: Path, policy: str) -> list[str]:
    with pytest.raises(ConfigFault) as caught:
        await fitted(tmp_path, policy)
    name = f"{tmp_path / 'town.toml'}: "
    return [line.removeprefix(name) for line in (caught.value.detail or "").splitlines()]


def changed(old: str, new: str) -> str:
    assert POLICY.count(old) == 1, old
    return POLICY.replace(old, new)


async def test_the_catalog(tmp_path: Path) -> None:
    catalog = (await fitted(tmp_path, POLICY)).catalog
    assert catalog.units == {"person": Unit("person", "people", "id")}
    people, visits = catalog.tables["people"], catalog.tables["visits"]
    assert people.columns == (
        TableColumn("id", BIGINT),
        TableColumn("age", INTEGER, bounds=(0, 120), step=Decimal(5)),
        TableColumn("city", SqlType("character varying"), nullable=True, values=("c0", "c1")),
    )
    assert (people.unit, people.unit_key, people.primary_key, people.links) == ("person", "id", ("id",), ())
    assert (people.max_rows_per_unit, people.max_groups_per_unit) == (1, None)
    assert people.unique == {("id",)}
    assert visits.columns == (
        TableColumn("visit", BIGINT, hidden=True),
        TableColumn("person", BIGINT),
        TableColumn("day", DATE, bounds=(date(2020, 1, 1), date(2020, 12, 31)), note="when"),
    )
    assert (visits.unit_key, visits.links) == ("person", (Link("person", "people", "id"),))
    assert (visits.max_rows_per_unit, visits.unique) == (50, {("visit",)})


async def test_a_chain_reaches_the_key_by_its_links(tmp_path: Path) -> None:
    catalog = (await fitted(tmp_path, POLICY)).catalog
    items = catalog.tables["shop.items"]
    assert (items.schema, items.relation, items.note) == ("shop", "items", "what they bought")
    assert (items.unit, items.unit_key, items.links) == ("person", None, (Link("visit", "visits", "visit"),))
    assert (items.max_rows_per_unit, items.max_groups_per_unit, items.unique) == (None, 3, frozenset())
    assert dp_tables.tables(catalog).rows == (
        ("people", "person", 1, None, None),
        ("visits", "person", 50, None, None),
        ("shop.items", "person", None, 3, "what they bought"),
        ("places", None, None, None, None),
    )


async def test_a_public_table_is_read_from_the_engine(tmp_path: Path) -> None:
    result = await fitted(tmp_path, POLICY)
    places = result.catalog.tables["places"]
    assert places.public
    assert places.columns == (
        TableColumn("name", TEXT),
        TableColumn("open", BOOLEAN, nullable=True),
        TableColumn("plan", parse_type("bytea"), nullable=True),
    )
    assert places.unique == {("name",)}
    assert result.warnings == (
        "tables.places: the column size is left out, its type UHUGEINT is not supported",
        "tables.places.columns: none are listed, so what is there at the first start is public, and what is added later"
        ' is hidden; write columns = { name = { type = "text" }, open = { type = "boolean", nullable = true },'
        ' plan = { type = "bytea", nullable = true } }',
    )
    assert result.unlisted == {"people": ("extra", "wage", "total"), "shop.items": ("seen",)}


async def test_a_public_table_with_some_columns(tmp_path: Path) -> None:
    policy = changed('primary_key = ["name"]', 'columns = { open = { type = "boolean" } }')
    result = await fitted(tmp_path, policy)
    assert result.catalog.tables["places"].columns == (TableColumn("open", BOOLEAN),)
    assert result.warnings == ()


BADGES = """
[tables.badges]
unit = "person"
link = { holder = "people.id" }
columns = { holder = { type = "bigint" } }
[tables.scans]
unit = "person"
link = { holder = "badges.holder" }
columns = { holder = { type = "bigint" } }
"""


async def test_a_link_to_a_column_that_holds_the_key_holds_it_too(tmp_path: Path) -> None:
    tables = (await fitted(tmp_path, POLICY + BADGES)).catalog.tables
    assert (tables["badges"].unit_key, tables["badges"].max_rows_per_unit) == ("holder", 1)
    assert (tables["scans"].unit_key, tables["scans"].max_rows_per_unit) == ("holder", None)


async def test_a_units_key_need_not_be_unique(tmp_path: Path) -> None:
    policy = """
    [front]
    url = "embedded:front"
    [engine]
    url = "duckdb:///town.duckdb"
    [units.person]
    table = "visits"
    key = "person"
    [tables.visits]
    unit = "person"
    columns = { person = { type = "bigint" } }
    """
    visits = (await fitted(tmp_path, policy)).catalog.tables["visits"]
    assert (visits.unit_key, visits.unique, visits.max_rows_per_unit) == ("person", frozenset(), None)


AGE = 'age = { type = "integer", bounds = [0, 120], step = 5 }'
PERSON = 'person = { type = "bigint" }'
NAMES = "badges, cards, odd, people, places, scans, shop.items, visits"
PEOPLE = "age, city, extra, id, total, wage"
TYPE = "tables.people.columns.extra.type: is"


def odd(column: str, kind: str) -> str:
    return (
        POLICY
        + f"""
[tables.odd]
unit = "person"
link = {{ id = "people.id" }}
[tables.odd.columns]
id = {{ type = "bigint" }}
{column} = {{ type = "{kind}" }}
"""
    )


def cards(link: str) -> str:
    return (
        POLICY
        + f"""
[tables.cards]
unit = "person"
link = {{ owner = "people.id" }}
columns = {{ card = {{ type = "bigint" }}, owner = {{ type = "bigint" }}, nick = {{ type = "bigint" }} }}
[tables.scans]
unit = "person"
link = {{ holder = "{link}" }}
columns = {{ holder = {{ type = "bigint" }} }}
"""
    )


@pytest.mark.parametrize(
    ("policy", "line"),
    [
        (
            changed("[tables.places]", "[tables.place]"),
            f'tables.place: is not in the engine; expected "places" (the nearest of {NAMES})',
        ),
        (changed("[tables.places]", "[tables.looks]"), "tables.looks: is a view in the engine; expected a table"),
        (
            changed(AGE, AGE + '\nages = { type = "integer" }'),
            "tables.people.columns.ages: the engine's people has no such column; "
            f'expected "age" (the nearest of {PEOPLE})',
        ),
        (
            changed(AGE, AGE + '\nextra = { type = "bigint" }'),
            f'{TYPE} bigint, in the engine it is integer; expected "integer"',
        ),
        (
            changed(AGE, AGE + '\nextra = { type = "text" }'),
            f'{TYPE} text, in the engine it is integer; expected "integer"',
        ),
        (
            changed(AGE, AGE + '\nwage = { type = "numeric(12,2)" }'),
            "tables.people.columns.wage.type: is numeric(12,2), in the engine it is numeric(10,2); "
            'expected "numeric(10,2)"',
        ),
        (
            changed('"varchar"', '"varchar(20)"'),
            'tables.people.columns.city.type: is character varying(20), in the engine it is text; expected "text"',
        ),
        *(
            (
                odd(column, kind),
                f"tables.odd.columns.{column}.type: is {kind}, in the engine it is {real}; "
                "expected the column to be left out: its type is not supported",
            )
            for column, kind, real in (
                ("nick", "text", "VARCHAR with a collation"),
                ("large", "numeric", "UHUGEINT"),
                ("made", "bigint", "a generated BIGINT"),
                ("tags", "integer", "STRUCT(a INTEGER)[]"),
            )
        ),
        (
            changed('primary_key = ["name"]', 'primary_key = ["nam"]'),
            'tables.places.primary_key[0]: the engine\'s places has no column "nam"; '
            'expected "name" (the nearest of name, open, plan, size)',
        ),
        (
            cards("cards.nick"),
            "tables.scans.link.holder: no constraint of the engine keeps cards.nick unique and not null; "
            "expected a target with a PRIMARY KEY, or with UNIQUE and NOT NULL, "
            "or one that dpproxy check --data verified on this very file",
        ),
    ],
)
async def test_each_misfit_has_its_line(tmp_path: Path, policy: str, line: str) -> None:
    assert await faults(tmp_path, policy) == [line]


async def test_a_unique_target_that_is_no_unit_key(tmp_path: Path) -> None:
    tables = (await fitted(tmp_path, cards("cards.card"))).catalog.tables
    assert tables["cards"].unique == {("card",)}
    assert tables["scans"].unit_key is None


async def test_a_link_to_the_units_key_in_a_table_of_many_rows_is_an_equality(tmp_path: Path) -> None:
    tables = (await fitted(tmp_path, cards("cards.owner"))).catalog.tables
    assert (tables["scans"].unit_key, tables["cards"].unique) == ("holder", frozenset())


async def test_numeric_stands_for_every_numeric(tmp_path: Path) -> None:
    policy = changed(AGE, AGE + '\nwage = { type = "numeric(10,2)" }\ntotal = { type = "numeric" }')
    columns = (await fitted(tmp_path, policy)).catalog.tables["people"].columns
    assert [str(column.type) for column in columns[2:4]] == ["numeric(10,2)", "numeric"]


async def test_all_misfits_at_once(tmp_path: Path) -> None:
    policy = cards("cards.nick").replace("[tables.places]", "[tables.place]")
    policy = policy.replace(AGE, 'age = { type = "text" }\nagee = { type = "integer" }').replace("item =", "itm =")
    assert [line.partition(": ")[0] for line in await faults(tmp_path, policy)] == [
        "tables.people.columns.age.type",
        "tables.people.columns.agee",
        'tables."shop.items".columns.itm',
        "tables.place",
        "tables.scans.link.holder",
    ]


async def test_the_most_of_a_statement_that_no_budget_holds_is_a_warning(tmp_path: Path) -> None:
    """Under zCDP one statement of the whole epsilon is more than the whole budget; a tenth of it is not."""
    told = [
        (await fitted(tmp_path, changed("epsilon = 5", f"epsilon = 5\ndefaults = {{ max_epsilon = {most} }}"))).warnings
        for most in (5, 0.5)
    ]
    assert [[each for each in warnings if "max_epsilon" in each] for warnings in told] == [
        ["analysts.alice.defaults.max_epsilon: the whole budget allows one statement of at most 0.9399"], []
    ]  # fmt: skip


async def test_doubts_are_warnings(tmp_path: Path) -> None:
    policy = changed("epsilon = 5", "epsilon = 50\ndefaults = { max_epsilon = 60 }")
    policy = policy.replace('primary_key = ["name"]', 'columns = { open = { type = "boolean" } }')
    assert (await fitted(tmp_path, policy + "[budgets.everyone]\nepsilon = 99\ndelta = 1e-5\n")).warnings == (
        "analysts.alice.epsilon: 50 protects very little; usual is at most 20",
        "analysts.alice.defaults.max_epsilon: is more than the whole epsilon, 50",
        "budgets.everyone.epsilon: 99 protects very little; usual is at most 20",
    )

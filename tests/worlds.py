"""The small world of sql_fixtures, for tests: its data in DuckDB, its policy, and statements planned over it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

import duckdb
import psycopg
from recursions import recursive_rows, worked_out
from scratch_postgres import ScratchPostgres
from sql_cases import FIXTURES
from sqlglot import exp

from dpproxy.accounting.account import Terms, terms
from dpproxy.accounting.loss import Accounting
from dpproxy.catalog.policy import Catalog
from dpproxy.catalog.views import VIEWS
from dpproxy.cli.check_data import look
from dpproxy.config import Config, load
from dpproxy.engines import EngineQuery, Ticket, in_turn
from dpproxy.engines.dialects import dialect_of, register
from dpproxy.engines.duckdb.driver import DuckDBEngine
from dpproxy.plan.private_plan import FromPublic, OwnTable, Plan
from dpproxy.plan.told_columns import OwnColumn
from dpproxy.rewrite import Parameter, Question, plan_statement, read_settings
from dpproxy.rows import Column, Rows, Value
from dpproxy.schema_fit import fit, opened

SCRIPT = (FIXTURES / "world.sql").read_text()
NOW = datetime(2024, 5, 17, 10, 30)
# A table of the analyst's own in the front: columns, and rows as text.
MINE = OwnTable(
    "alice",
    "mine",
    (
        Column("dept", "text"),
        Column("weight", "integer"),
        Column("since", "date"),
        Column("share", "numeric(6,2)"),
        Column('Odd "name"', "double precision"),
        Column("notes", "jsonb"),
    ),
    rows=8,
)
MINE_ROWS: tuple[tuple[str | None, ...], ...] = (
    ("cardio", "1", "2024-01-01", "0.25", "1.5", "{}"),
    ("cardio", "3", "2024-06-01", "0.50", None, "{}"),
    ("neuro", "5", "2025-01-01", "0.25", "-1", None),
    (None, "7", None, None, "0", "{}"),
    ("nowhere", "9", "2024-03-01", "1.00", "NaN", "{}"),
)
OWN = {"mine": MINE, "alice.mine": MINE}
TERMS = terms(Accounting.ZCDP, Decimal(100), Decimal("1e-5"))


def make_world(directory: Path) -> Path:
    """Write the world's DuckDB file and its policy into `directory`; the path of the policy."""
    (directory / "world.duckdb").write_bytes(_database())
    text = (FIXTURES / "world.toml").read_text()
    text = text.replace("duckdb:///world.duckdb", f"duckdb:///{directory}/world.duckdb")
    (directory / "world.toml").write_text(text.replace("embedded:front", f"embedded:{directory}/front"))
    return directory / "world.toml"


@cache
def _database() -> bytes:
    """The world's DuckDB file: made once, and copied for each test that has one of its own."""
    with TemporaryDirectory() as directory:
        file = Path(directory) / "world.duckdb"
        with duckdb.connect(str(file)) as connection:
            for statement in statements(SCRIPT):
                connection.execute(statement)
        return file.read_bytes()


def make_postgres_world(directory: Path, server: ScratchPostgres, name: str = "world") -> Path:
    """Run the script `name` in the server's database and write its policy into `directory`; the path of the policy.

    The proxy reads as a role that may do nothing else.
    """
    with psycopg.connect(server.conninfo, autocommit=True) as connection:
        connection.execute((FIXTURES / f"{name}.sql").read_text())
        connection.execute(READER)
    return write_postgres_policy(directory, server, (FIXTURES / f"{name}.toml").read_text())


def write_postgres_policy(directory: Path, server: ScratchPostgres, policy: str) -> Path:
    """The path of the policy, whose engine is the server's database as the reader sees it."""
    url = f"postgresql://reader:reading@/{server.database}?host={quote(str(server.directory), safe='')}"
    text = re.sub(r'"(duckdb:///|postgresql://)[^"]*"', f'"{url}"', policy)
    path = directory / "postgres.toml"
    path.write_text(text.replace("embedded:front", f"embedded:{directory}/postgres_front"))
    return path


# Roles belong to the whole server: the tests of a module may ask for the reader again.
READER = """
SET password_encryption = 'scram-sha-256';
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'reader') THEN
    CREATE ROLE reader LOGIN PASSWORD 'reading';
  END IF;
END $$;
DO $$ DECLARE name text; BEGIN
  FOR name IN SELECT nspname FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema)' LOOP
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA %I TO reader', name, name);
  END LOOP;
END $$;
"""


def recorded(policy: Path) -> Path:
    """The policy, whose keys are verified on the rows of its DuckDB file and recorded, as `check --data` does it."""
    seen = asyncio.run(look(load(policy, {})))
    assert not seen.refuted
    return policy


def statements(script: str) -> list[str]:
    """The statements of a script without semicolons inside of literals."""
    return [part for part in script.split(";") if part.strip()]


def fitted(policy: Path) -> tuple[Config, Catalog]:
    """The configuration and the catalog of a policy whose engine is there."""
    config = load(policy, {})

    async def read() -> Catalog:
        engine = await opened(config)
        try:
            return (await fit(config, engine)).catalog
        finally:
            await engine.close()

    return config, asyncio.run(read())


@cache
def world_catalog() -> Catalog:
    """The catalog of the small world in DuckDB, made once."""
    with TemporaryDirectory() as directory:
        return fitted(make_world(Path(directory)))[1]


@contextmanager
def opened_room(config: Config) -> Iterator[Callable[[EngineQuery], Rows]]:
    """What runs one query in the engine of a configuration, as the proxy does, for the length of a block."""
    with asyncio.Runner() as runner:
        engine = runner.run(opened(config))
        try:
            yield lambda query: runner.run(engine.run(in_turn(query), Ticket()))[0]
        finally:
            runner.run(engine.close())


@contextmanager
def keys_in_one_order() -> Iterator[None]:
    """Which keys of a unit are kept is each engine's own: to compare both, DuckDB's texts have Postgres's order."""
    own = dialect_of("duckdb")
    register(replace(own, mixes=None))
    try:
        yield
    finally:
        register(own)


def open_engine(config: Config) -> DuckDBEngine:
    """The engine of a configuration."""
    return DuckDBEngine.open(config.engine.url.path, units=config.unit_index)


def make_mine() -> str:
    """The statement that makes the table of the analyst's own, without its rows."""
    columns = ", ".join(
        f"{exp.to_identifier(each.name, quoted=True).sql('postgres')} {each.type}" for each in MINE.columns
    )
    return f"CREATE TABLE alice.mine ({columns})"


def own_column(made: Plan, column: OwnColumn) -> tuple[Value, ...]:
    """The values of an input of a plan over the world, of a table of the analyst's own."""
    table = made.tables[column.table]
    if table.query is not None:
        return tuple(row[column.column] for row in recursive_rows(table))
    assert (table.schema, table.name) == (MINE.schema, MINE.name)
    names = [each.name for each in MINE.columns]
    return tuple(row[names.index(table.columns[column.column].name)] for row in MINE_ROWS)


def names_of(catalog: Catalog) -> Mapping[str, str]:
    """What the front would resolve each name to: tables as they are, `public.` before them, and the dp tables."""
    names = {name: name for name in catalog.tables} | {f"public.{name}": name for name in catalog.tables}
    return names | {f"dp.{view}": f"dp.{view}" for view in VIEWS}


def plan(
    sql: str,
    catalog: Catalog,
    raw: Mapping[str, str | None] | None = None,
    parameters: tuple[Parameter, ...] = (),
    account: Terms = TERMS,
    dialect: str = "duckdb",
) -> Plan:
    """The plan of a statement with raw settings such as {"epsilon": "1"}."""
    return plan_statement(question_of(sql, catalog, raw, parameters, account), catalog, account, dialect)


def question_of(
    sql: str,
    catalog: Catalog,
    raw: Mapping[str, str | None] | None = None,
    parameters: tuple[Parameter, ...] = (),
    account: Terms = TERMS,
) -> Question:
    """What a session would ask: with its settings, and what the front says of names and recursive queries."""
    settings = read_settings({"epsilon": "1", **(raw or {})}, account)
    question = Question(sql, parameters, (), settings, names_of(catalog), NOW, OWN)
    return replace(question, own={**OWN, **worked_out(question, catalog)})


def held_plan(
    sql: str,
    catalog: Catalog,
    raw: Mapping[str, str | None] | None = None,
    dialect: str = "duckdb",
    size: int = 20_000,
) -> Plan:
    """The plan where each text of public tables, of those that the plan as it stands has, gives so many keys."""
    domains = [key.domain for each in plan(sql, catalog, raw, dialect=dialect).releases for key in each.bounded.keys]
    sizes = {each.sql: size for each in domains if isinstance(each, FromPublic)}
    settings = read_settings({"epsilon": "1", **(raw or {})}, TERMS)
    question = Question(sql, (), (), settings, names_of(catalog), NOW, OWN, sizes=tuple(sorted(sizes.items())))
    return plan_statement(question, catalog, TERMS, dialect)


def at_the_time(sql: str) -> str:
    """The words with what the tests take for now in place of the clock."""
    sql = re.sub(
        r"\b(now\(\)|current_timestamp\b|transaction_timestamp\(\)|localtimestamp\b)",
        f"TIMESTAMP '{NOW}'",
        sql,
        flags=re.I,
    )
    sql = re.sub(r"\bcurrent_date\b", f"DATE '{NOW.date()}'", sql, flags=re.I)
    return re.sub(r"\bage\((\w+)\)", rf"age(TIMESTAMP '{NOW.date()}', \1)", sql)


def uncapped(catalog: Catalog) -> Catalog:
    """The catalog as if its policy declared no cap on the rows and keys of a unit."""
    tables = {
        name: replace(each, max_rows_per_unit=None if each.max_rows_per_unit != 1 else 1, max_groups_per_unit=None)
        for name, each in catalog.tables.items()
    }
    return replace(catalog, tables=tables)

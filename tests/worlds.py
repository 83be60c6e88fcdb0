"""The small world of sql_fixtures, for tests: its data in DuckDB, its policy, and statements planned over it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path

import duckdb

from dpproxy.accounting.account import Terms, terms
from dpproxy.accounting.loss import Accounting
from dpproxy.catalog.model import Catalog
from dpproxy.catalog.views import VIEWS
from dpproxy.config import Config, load
from dpproxy.engines.duckdb import DuckDBEngine
from dpproxy.fit import fit
from dpproxy.plan.model import Plan
from dpproxy.rewrite import Parameter, Question, plan_statement, read_settings

FIXTURES = Path(__file__).parents[1] / "sql_fixtures"
SCRIPT = (FIXTURES / "world.sql").read_text()
TERMS = terms(Accounting.ZCDP, Decimal(100), Decimal("1e-5"))


def make_world(directory: Path) -> Path:
    """Write the world's DuckDB file and its policy into `directory`; the path of the policy."""
    with duckdb.connect(str(directory / "world.duckdb")) as connection:
        for statement in statements(SCRIPT):
            connection.execute(statement)
    text = (FIXTURES / "world.toml").read_text()
    text = text.replace("duckdb:///world.duckdb", f"duckdb:///{directory}/world.duckdb")
    (directory / "world.toml").write_text(text.replace("embedded:front", f"embedded:{directory}/front"))
    return directory / "world.toml"


def statements(script: str) -> list[str]:
    """The statements of a script without semicolons inside of literals."""
    return [part for part in script.split(";") if part.strip()]


def fitted(policy: Path) -> tuple[Config, Catalog]:
    """The configuration and the catalog of a policy whose engine is there."""
    config = load(policy, {})

    async def read() -> Catalog:
        engine = open_engine(config)
        try:
            return (await fit(config, engine)).catalog
        finally:
            await engine.close()

    return config, asyncio.run(read())


def open_engine(config: Config) -> DuckDBEngine:
    """The engine of a configuration."""
    return DuckDBEngine.open(config.engine.url.path)


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
    settings = read_settings({"epsilon": "1", **(raw or {})}, account)
    return plan_statement(Question(sql, parameters, (), settings, names_of(catalog)), catalog, account, dialect)

"""The databases of an audit: a DuckDB file each, or a database each in a Postgres that is made for it and then gone."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import assert_never
from urllib.parse import quote

import duckdb
import psycopg
from psycopg import sql

from dpproxy.audit.values import Cell, Held
from dpproxy.audit.world import Made
from dpproxy.catalog.types import SqlType
from dpproxy.config.fields import DuckDBFile, Postgres
from dpproxy.config.model import Config
from dpproxy.front.address import FrontAddress
from dpproxy.front.embedded import EmbeddedFront


class Kind(StrEnum):
    """The engine that an audit runs on."""

    DUCKDB = "duckdb"
    POSTGRES = "postgres"


def kind_of(config: Config) -> Kind:
    """The kind of a policy's own engine."""
    match config.engine.url:
        case DuckDBFile():
            return Kind.DUCKDB
        case Postgres():
            return Kind.POSTGRES
        case _:
            assert_never(config.engine.url)


def held(kind: Kind) -> Held:
    """What the engine's types hold."""
    return Held(exact_nan=kind is Kind.POSTGRES)


@asynccontextmanager
async def databases(
    kind: Kind, directory: Path, world: Sequence[Made], places: Sequence[str]
) -> AsyncIterator[dict[str, str]]:
    """The URL of each place's database, filled, for as long as the block lasts.

    Raises FrontUnavailable where there are no binaries of a Postgres.
    """
    match kind:
        case Kind.DUCKDB:
            yield {place: _duckdb(directory / f"audited_{place}.duckdb", world, place) for place in places}
        case Kind.POSTGRES:
            async with await EmbeddedFront.start(directory / "engine", "postgres") as server:
                yield {place: await _postgres(server.address, world, place) for place in places}
        case _:
            assert_never(kind)


def _duckdb(path: Path, world: Sequence[Made], place: str) -> str:
    with duckdb.connect(str(path)) as connection:
        for table in world:
            for statement in _created(table, _duckdb_type):
                connection.execute(statement)
            rows = table.of(place)
            casts = ", ".join(f"CAST(unnest(?::text[]) AS {_duckdb_type(kind)})" for _, kind in table.columns)
            if rows:
                connection.execute(
                    f"INSERT INTO {_name(table.name)} SELECT {casts}", [*map(list, zip(*rows, strict=True))]
                )
    return f"duckdb:///{path}"


async def _postgres(address: FrontAddress, world: Sequence[Made], place: str) -> str:
    database = f"audited_{place}"
    async with await psycopg.AsyncConnection.connect(address.conninfo(), autocommit=True) as connection:
        await connection.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0").format(sql.Identifier(database)))
    there = replace(address, database=database)
    async with await psycopg.AsyncConnection.connect(there.conninfo()) as connection:
        for table in world:
            for statement in _created(table, str):
                await connection.execute(statement.encode())
            await _copied(connection, table, table.of(place))
        await connection.execute("ANALYZE")
    login = f"{quote(address.owner, safe='')}:{quote(address.password or '', safe='')}"
    return f"postgresql://{login}@/{database}?host={quote(address.host, safe='')}&port={address.port}"


async def _copied(
    connection: psycopg.AsyncConnection[tuple[object, ...]], table: Made, rows: Iterable[tuple[Cell, ...]]
) -> None:
    async with connection.cursor().copy(f"COPY {_name(table.name)} FROM STDIN".encode()) as copy:
        for row in rows:
            await copy.write_row(row)


def _created(table: Made, typed: Callable[[SqlType], str]) -> Iterable[str]:
    """The statements that make an empty table. No column is NOT NULL but those of keys: the policy's word for it is
    only believed."""
    schema, _, _ = table.name.rpartition(".")
    if schema:
        yield f"CREATE SCHEMA IF NOT EXISTS {_quoted(schema)}"
    keys = {column for key in table.unique for column in key}
    parts = [f"{_quoted(name)} {typed(kind)}{' NOT NULL' if name in keys else ''}" for name, kind in table.columns]
    for place, key in enumerate(table.unique):
        columns = ", ".join(map(_quoted, key))
        parts.append(f"{'UNIQUE' if place else 'PRIMARY KEY'} ({columns})")
    yield f"CREATE TABLE {_name(table.name)} ({', '.join(parts)})"


def _duckdb_type(kind: SqlType) -> str:
    """The type as DuckDB writes it; a numeric of any digits has to have some there."""
    if kind == SqlType("numeric"):
        return "DECIMAL(38,6)"
    name = {"timestamp without time zone": "timestamp", "character varying": "varchar"}.get(kind.name, kind.name)
    return re.sub(r"^[^(]*", name, str(kind), count=1)


def _name(table: str) -> str:
    return ".".join(map(_quoted, table.split(".", 1)))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'

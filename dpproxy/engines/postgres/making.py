"""Databases of a Postgres for an audit, in a server that is started for them.

Checked by: tests/audit/test_neighbouring_data.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from urllib.parse import quote

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from dpproxy.engines.scratch import Cells, ScratchTable, Server, creating, quoted_table

_EMPTY = "audited"


async def made_empty(server: Server, tables: Sequence[ScratchTable]) -> None:
    """The tables without rows, of which all databases are copies: so that each has the same numbers for them."""
    await _made(server, _EMPTY, "template0")
    async with await psycopg.AsyncConnection.connect(_conninfo(server, _EMPTY)) as connection:
        for statement in (each for table in tables for each in creating(table, str)):
            await connection.execute(statement.encode())


async def made(server: Server, tables: Sequence[ScratchTable], place: str) -> str:
    """The URL of a database with the rows of one place."""
    database = f"audited_{place}"
    await _made(server, database, _EMPTY)
    async with await psycopg.AsyncConnection.connect(_conninfo(server, database)) as connection:
        for table in tables:
            await _copied(connection, table, table.of(place))
        await connection.execute("ANALYZE")
    login = f"{quote(server.owner, safe='')}:{quote(server.password or '', safe='')}"
    return f"postgresql://{login}@/{database}?host={quote(server.host, safe='')}&port={server.port}"


async def _made(server: Server, database: str, template: str) -> None:
    conninfo = _conninfo(server, server.database)
    async with await psycopg.AsyncConnection.connect(conninfo, autocommit=True) as connection:
        text = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
        await connection.execute(text.format(sql.Identifier(database), sql.Identifier(template)))


async def _copied(
    connection: psycopg.AsyncConnection[tuple[object, ...]], table: ScratchTable, rows: Iterable[Cells]
) -> None:
    async with connection.cursor().copy(f"COPY {quoted_table(table.name)} FROM STDIN".encode()) as copy:
        for row in rows:
            await copy.write_row(row)


def _conninfo(server: Server, database: str) -> str:
    return make_conninfo(
        host=server.host, port=server.port, dbname=database, user=server.owner, password=server.password
    )

"""Public tables: their rows are copied into the front at first use, and again when the data's version changes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import psycopg
from psycopg import AsyncConnection, sql

from dpproxy.catalog.policy import Catalog, Table
from dpproxy.errors import ConfigFault, FeatureNotSupported, FrontUnavailable
from dpproxy.front.stubs import identifier, visible
from dpproxy.rows import Rows

MOST_ROWS = 1_000_000
_ROWS_AT_ONCE = 1_000


class ReadPublicTable(Protocol):
    """Reads the first `limit` rows of a public table from the engine."""

    async def __call__(self, name: str, columns: Sequence[str], limit: int) -> Rows: ...


class PublicTables:
    """The public tables of one front.

    conninfo: of the front's owner. data_version: as configured; another one than the rows were copied at copies them
    anew. most_rows: how many rows a public table may have.
    """

    def __init__(
        self, conninfo: str, catalog: Catalog, read: ReadPublicTable, data_version: str = "", most_rows: int = MOST_ROWS
    ) -> None:
        self._conninfo = conninfo
        self._tables = {table.name: table for table in catalog.tables.values() if table.public}
        self._read = read
        self._data_version = data_version
        self._most_rows = most_rows
        self._there: set[str] = set()
        self._lock = asyncio.Lock()

    async def ensure(self, names: Iterable[str]) -> None:
        """Sees to it that those of `names` that are public tables hold their rows; the others are passed over.

        Raises FeatureNotSupported where a table has too many rows, ConfigFault where its rows are not what the policy
        says, FrontUnavailable where the front cannot be reached.
        """
        missing = [name for name in names if name in self._tables and name not in self._there]
        if not missing:
            return
        async with self._lock:
            for name in sorted(set(missing) - self._there):
                await self._load(self._tables[name])
                self._there.add(name)

    async def _load(self, table: Table) -> None:
        try:
            async with await AsyncConnection.connect(self._conninfo) as connection:
                if not await self._is_loaded(connection, table):
                    await self._copy(connection, table, await self._rows(table))
        except psycopg.OperationalError as error:
            raise FrontUnavailable("the front cannot be reached") from error
        except (psycopg.DataError, psycopg.IntegrityError) as error:
            raise ConfigFault(
                f'the rows of the public table "{table.name}" are not what the policy says',
                detail=error.diag.message_primary,
            ) from error

    async def _is_loaded(self, connection: AsyncConnection[Any], table: Table) -> bool:
        """Whether its rows are there, under a lock that makes other proxies wait."""
        await connection.execute("SELECT FROM dp_front.stubs WHERE name = %s FOR UPDATE", (table.name,))
        cursor = await connection.execute(
            "SELECT FROM dp_front.publics WHERE name = %s AND data_version = %s", (table.name, self._data_version)
        )
        return cursor.rowcount == 1

    async def _rows(self, table: Table) -> Rows:
        columns = [column.name for column in visible(table)]
        rows = await self._read(table.name, columns, self._most_rows + 1)
        if len(rows.rows) > self._most_rows:
            raise FeatureNotSupported(
                f'the public table "{table.name}" has more than {self._most_rows} rows',
                hint="Ask the owner to raise public_rows in [front], or join the table with a private one.",
            )
        return rows

    async def _copy(self, connection: AsyncConnection[Any], table: Table, rows: Rows) -> None:
        """Replaces the rows. DELETE, because TRUNCATE would wait for every session that has typed a statement on it."""
        name = identifier(table)
        columns = sql.SQL(", ").join(sql.Identifier(column.name) for column in visible(table))
        async with connection.cursor() as cursor:
            await cursor.execute(sql.SQL("DELETE FROM {}").format(name))
            async with cursor.copy(sql.SQL("COPY {} ({}) FROM STDIN").format(name, columns)) as copy:
                for at, row in enumerate(rows.rows):
                    await copy.write_row(row)
                    if at % _ROWS_AT_ONCE == 0:
                        await asyncio.sleep(0)
            await cursor.execute(sql.SQL("ANALYZE {}").format(name))
            await cursor.execute(
                "INSERT INTO dp_front.publics VALUES (%s, %s)"
                " ON CONFLICT (name) DO UPDATE SET data_version = excluded.data_version",
                (table.name, self._data_version),
            )

"""Where a bounded SQL runs: a place is a world of rows, as a function from a query to its rows, in DuckDB or Postgres.

In DuckDB every place is a schema. In Postgres the policy's tables are made once, without a row; a world is put into
them inside of a transaction, and a place is a savepoint from which it differs for the length of a query.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import duckdb
import psycopg

from dpproxy.catalog.policy import Catalog
from dpproxy.engines import EngineQuery
from dpproxy.engines.duckdb.parsed_texts import ParsedTexts
from dpproxy.engines.duckdb.request_thread import _query as run_query
from dpproxy.engines.postgres.inputs import numbered
from dpproxy.rows import Column, Rows, Value
from dpproxy.wire.arrays import text_array

Place = Callable[[EngineQuery], Rows]
FAILURES = (duckdb.Error, psycopg.Error)
Connection = psycopg.Connection[tuple[Value, ...]]


def in_duckdb(cursor: duckdb.DuckDBPyConnection) -> Place:
    """The tables that the cursor sees."""
    return partial(run_query, cursor, texts=ParsedTexts())


@dataclass(frozen=True)
class Hall:
    """A Postgres with the policy's tables, empty, and a catalog of them. changed: what is done to them at first."""

    connection: Connection
    catalog: Catalog
    changed: str = ""

    @contextmanager
    def holding(self, script: str) -> Iterator[None]:
        """Inside, the tables hold what `script` makes of empty ones."""
        self.connection.execute("BEGIN")
        try:
            self.connection.execute(self.changed + script)
            yield
        finally:
            self.connection.execute("ROLLBACK")

    def place(self, script: str = "") -> Place:
        """The world that is there, but for what `script` changes."""
        return partial(self._query, script)

    def _query(self, script: str, query: EngineQuery) -> Rows:
        self.connection.execute("SAVEPOINT here")
        try:
            if script:
                self.connection.execute(script)
            return in_postgres(self.connection, query)
        finally:
            self.connection.execute("ROLLBACK TO here")


def in_postgres(connection: Connection, query: EngineQuery) -> Rows:
    """The rows of a query, its parameters as the engine sends them."""
    sql, given = numbered(query.sql, query.inputs, query.secrets)
    with psycopg.RawCursor(connection) as cursor:
        cursor.execute(sql, [each if isinstance(each, str) else text_array(each).decode() for each in given] or None)
        return Rows(tuple(Column(each.name, each.type_display) for each in cursor.description or ()), tuple(cursor))

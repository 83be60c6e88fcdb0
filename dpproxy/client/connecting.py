"""What may be given as a connection."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import psycopg


class SQLAlchemyEngine(Protocol):
    """An engine of SQLAlchemy's over psycopg, `create_engine("postgresql+psycopg://…")`."""

    def raw_connection(self) -> Any:
        """A connection of its pool."""
        ...


class SQLAlchemyConnection(Protocol):
    """A connection of such an engine."""

    @property
    def connection(self) -> Any:
        """The connection below it."""
        ...


Source = str | psycopg.Connection[Any] | SQLAlchemyEngine | SQLAlchemyConnection
"""A conninfo or URL, which is opened for one statement, a psycopg connection, or SQLAlchemy's."""


@contextmanager
def connected(source: Source) -> Iterator[psycopg.Connection[Any]]:
    """The psycopg connection of a source, for the length of a block. Raises TypeError, psycopg.OperationalError."""
    if isinstance(source, str):
        with psycopg.connect(re.sub(r"^postgresql\+\w+:", "postgresql:", source), autocommit=True) as connection:
            yield connection
    elif isinstance(source, psycopg.Connection):
        yield source
    elif hasattr(source, "raw_connection"):
        pooled = source.raw_connection()
        try:
            yield _driver(pooled.driver_connection)
        finally:
            pooled.close()
    else:
        yield _driver(getattr(getattr(source, "connection", None), "driver_connection", source))


def _driver(found: object) -> psycopg.Connection[Any]:
    if isinstance(found, psycopg.Connection):
        return found
    raise TypeError(
        f"{type(found).__module__}.{type(found).__name__} is no connection that can be asked here; give a conninfo"
        ' such as "host=127.0.0.1 port=6432 dbname=demo user=alice", a psycopg connection, or an engine of'
        ' create_engine("postgresql+psycopg://…")'
    )

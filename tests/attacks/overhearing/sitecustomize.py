"""On the path of a proxy under test: what it asks of DuckDB is written to the file OVERHEARD, a line each, first."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import duckdb

_OPEN = duckdb.connect


class Overheard:
    """A connection that is DuckDB's own in all but that it is listened to."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def cursor(self) -> Overheard:
        """One that is listened to, too."""
        return Overheard(self._connection.cursor())

    def execute(self, query: Any, *parameters: Any) -> Any:
        """DuckDB's own, heard."""
        _write(query, parameters)
        return self._connection.execute(query, *parameters)

    def extract_statements(self, query: str) -> Any:
        """DuckDB's own, heard."""
        _write(query, ())
        return self._connection.extract_statements(query)


def _write(query: Any, parameters: tuple[Any, ...]) -> None:
    with Path(os.environ["OVERHEARD"]).open("a") as heard:
        heard.write(f"{[str(getattr(query, 'query', query)), *map(repr, parameters)]!r}\n")


def _connect(*arguments: Any, **options: Any) -> Overheard:
    return Overheard(_OPEN(*arguments, **options))


if "OVERHEARD" in os.environ:
    duckdb.connect = _connect

"""A DuckDB file for an audit.

Checked by: tests/audit/test_neighbouring_data.py.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import duckdb

from dpproxy.catalog.types import SqlType
from dpproxy.engines.scratch import ScratchTable, creating, quoted_table


def made(path: Path, tables: Sequence[ScratchTable], place: str) -> None:
    """Makes the file, with the rows of one place."""
    with duckdb.connect(str(path)) as connection:
        for table in tables:
            for statement in creating(table, _type):
                connection.execute(statement)
            rows = table.of(place)
            casts = ", ".join(f"CAST(unnest(?::text[]) AS {_type(kind)})" for _, kind in table.columns)
            if rows:
                columns = [*map(list, zip(*rows, strict=True))]
                connection.execute(f"INSERT INTO {quoted_table(table.name)} SELECT {casts}", columns)


def _type(kind: SqlType) -> str:
    """The type as DuckDB writes it; a numeric of any digits has to have some there."""
    if kind == SqlType("numeric"):
        return "DECIMAL(38,6)"
    name = {"timestamp without time zone": "timestamp", "character varying": "varchar"}.get(kind.name, kind.name)
    return re.sub(r"^[^(]*", name, str(kind), count=1)

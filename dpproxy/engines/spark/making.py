"""Databases for an audit: Parquet files in a directory for each, and a Sail of our own that reads them.

Checked by: tests/audit/test_neighbouring_data.py.
"""

from __future__ import annotations

import asyncio
import re
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import duckdb

from dpproxy.catalog.types import SqlType
from dpproxy.engines.scratch import ScratchTable, quoted
from dpproxy.errors import ConfigFault

_SERVER: Final = """
import sys
from pysail.spark import SparkConnectServer
server = SparkConnectServer("127.0.0.1", 0)
server.start(background=True)
print(server.listening_address[1], flush=True)
sys.stdin.read()
"""
"""Ends when whoever started it does."""
_PATIENCE: Final = 60.0


@asynccontextmanager
async def sail() -> AsyncIterator[str]:
    """The URL of a Sail, for as long as the block lasts. Raises ConfigFault where there is none."""
    if find_spec("pysail") is None:
        raise ConfigFault(
            "an audit on Spark asks a Sail of its own, which is not installed", detail="pip install pysail"
        )
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _SERVER, stdin=PIPE, stdout=PIPE, stderr=DEVNULL
    )
    assert process.stdout is not None
    try:
        line = await asyncio.wait_for(process.stdout.readline(), _PATIENCE)
        if not line:
            raise ConfigFault("the Sail of the audit did not start")
        yield f"sc://127.0.0.1:{int(line)}"
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def write_files(directory: Path, table: ScratchTable, place: str) -> str:
    """One file of the table's rows in one place, in a directory of its own; the pattern that finds it."""
    of_table = directory / table.name
    of_table.mkdir(parents=True)
    rows = table.of(place)
    parts = [f"CAST(unnest(?::text[]) AS {_type(kind)}) AS {quoted(name)}" for name, kind in table.columns]
    columns = [*map(list, zip(*rows, strict=True))] if rows else [[] for _ in table.columns]
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(f"CREATE TABLE made AS SELECT {', '.join(parts)}", columns)
        connection.execute(f"COPY made TO '{of_table}/rows.parquet' (FORMAT parquet)")
    return f"{of_table}/*.parquet"


def _type(kind: SqlType) -> str:
    """The type as DuckDB writes it; a numeric of any digits has to have some there."""
    if kind == SqlType("numeric"):
        return "DECIMAL(38,6)"
    name = {"timestamp without time zone": "timestamp", "character varying": "varchar"}.get(kind.name, kind.name)
    return re.sub(r"^[^(]*", name, str(kind), count=1)

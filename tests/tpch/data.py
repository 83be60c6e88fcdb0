"""TPC-H rows at a scale, in a DuckDB file and from there in a Postgres, and the policy over them."""

from __future__ import annotations

import re
import subprocess
import sysconfig
import tomllib
from pathlib import Path

import duckdb
import psycopg
from scratch_postgres import ScratchPostgres
from worlds import READER, recorded, write_postgres_policy

TABLES = ("customer", "orders", "lineitem", "part", "supplier", "partsupp", "nation", "region")
PRIVATE = frozenset({"customer", "orders", "lineitem"})
_POLICY = Path(__file__).with_name("policy.toml")


def make_tpch(directory: Path, scale: float) -> Path:
    """Write `tpch.duckdb` with the rows of `scale`, and the policy over it, into `directory`; the policy's path.

    The tables have no constraints, whose indexes would be as large as they are: keys are verified and recorded.
    """
    make_rows(directory, scale)
    return recorded(write_policy(directory))


def make_undeclared(directory: Path, scale: float) -> Path:
    """The same, where the owner declared no bounds and no caps."""
    make_rows(directory, scale)
    return recorded(write_undeclared(directory))


def make_rows(directory: Path, scale: float) -> None:
    """Write `tpch.duckdb` with the rows of `scale` into `directory`."""
    parquet = directory / "parquet"
    program = Path(sysconfig.get_path("scripts")) / "tpchgen-cli"
    subprocess.run([program, "parquet", "-s", f"{scale:g}", f"--output-dir={parquet}"], check=True, capture_output=True)
    with duckdb.connect(str(directory / "tpch.duckdb")) as connection:
        for table in TABLES:
            path = parquet / f"{table}.parquet"
            connection.execute(f"CREATE TABLE {table} AS FROM '{path}'")
            path.unlink()


def copy_to_postgres(directory: Path, server: ScratchPostgres) -> Path:
    """The rows of `directory` again, in a Postgres that enforces the primary keys; the path of the policy over it."""
    with (
        duckdb.connect(str(directory / "tpch.duckdb"), read_only=True) as duck,
        psycopg.connect(server.conninfo, autocommit=True) as connection,
    ):
        for table in TABLES:
            kinds = duck.execute(f"DESCRIBE {table}").fetchall()
            columns = [f"{name} {kind.replace('VARCHAR', 'TEXT')} NOT NULL" for name, kind, *_ in kinds]
            connection.execute(f"CREATE TABLE {table} ({', '.join(columns)})")
            duck.execute(f"COPY {table} TO '{directory}/{table}.csv' (HEADER false)")
            with connection.cursor().copy(f"COPY {table} FROM STDIN (FORMAT csv)") as copy:
                copy.write((directory / f"{table}.csv").read_bytes())
        for table, key in tomllib.loads(_POLICY.read_text())["tables"].items():
            connection.execute(f"ALTER TABLE {table} ADD PRIMARY KEY ({', '.join(key['primary_key'])})")
        connection.execute(f"{READER}; ANALYZE")
    return write_postgres_policy(directory, server, _POLICY.read_text())


def write_policy(directory: Path) -> Path:
    """The policy over `tpch.duckdb` of `directory`, with its front there too; its path."""
    text = _POLICY.read_text()
    text = text.replace("duckdb:///tpch.duckdb", f"duckdb:///{directory}/tpch.duckdb")
    path = directory / "tpch.toml"
    path.write_text(text.replace("embedded:front", f"embedded:{directory}/front"))
    return path


def write_undeclared(directory: Path) -> Path:
    """`write_policy` without bounds and caps: what is left are keys, links, types and the values of a few columns."""
    path = write_policy(directory)
    text = re.sub(r"max_(rows|groups)_per_unit = \d+\n", "", path.read_text())
    path.write_text(re.sub(r", bounds = \[[^\]]*\]", "", text))
    return path

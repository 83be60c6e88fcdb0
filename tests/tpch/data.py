"""TPC-H rows at a scale, in a DuckDB file, and the policy over them."""

from __future__ import annotations

import subprocess
import sysconfig
from pathlib import Path

import duckdb

TABLES = ("customer", "orders", "lineitem", "part", "supplier", "partsupp", "nation", "region")
PRIVATE = frozenset({"customer", "orders", "lineitem"})
_POLICY = Path(__file__).with_name("policy.toml")


def make_tpch(directory: Path, scale: float) -> Path:
    """Write `tpch.duckdb` with the rows of `scale`, and the policy over it, into `directory`; the policy's path.

    The tables have no constraints: that their keys are unique is verified when the policy is fitted.
    """
    parquet = directory / "parquet"
    program = Path(sysconfig.get_path("scripts")) / "tpchgen-cli"
    subprocess.run([program, "parquet", "-s", f"{scale:g}", f"--output-dir={parquet}"], check=True, capture_output=True)
    with duckdb.connect(str(directory / "tpch.duckdb")) as connection:
        for table in TABLES:
            path = parquet / f"{table}.parquet"
            connection.execute(f"CREATE TABLE {table} AS FROM '{path}'")
            path.unlink()
    return write_policy(directory)


def write_policy(directory: Path) -> Path:
    """The policy over `tpch.duckdb` of `directory`, with its front there too; its path."""
    text = _POLICY.read_text()
    text = text.replace("duckdb:///tpch.duckdb", f"duckdb:///{directory}/tpch.duckdb")
    path = directory / "tpch.toml"
    path.write_text(text.replace("embedded:front", f"embedded:{directory}/front"))
    return path

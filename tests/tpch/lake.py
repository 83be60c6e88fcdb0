"""TPC-H as a lake has it: a folder of Parquet files for each table, without keys, and the policy over them for Spark.

Beside each line stands its customer, and the policy says that an order is of one customer: nobody keeps keys there.
"""

from __future__ import annotations

import re
import subprocess
import sysconfig
from pathlib import Path

import duckdb

from tpch.data import TABLES

_POLICY = Path(__file__).with_name("policy.toml")
_PARTS = 4
"""Files of each private table, so that a cluster has tasks to share out."""


def make_lake(directory: Path, scale: float) -> Path:
    """Write the rows of `scale` into `directory`; its path."""
    program = Path(sysconfig.get_path("scripts")) / "tpchgen-cli"
    subprocess.run(
        [program, "parquet", "-s", f"{scale:g}", f"--output-dir={directory}"], check=True, capture_output=True
    )
    for table in TABLES:
        place = directory / table
        place.mkdir()
        (directory / f"{table}.parquet").rename(place / "0.parquet")
    with duckdb.connect() as connection:
        connection.execute(f"CREATE VIEW lines AS FROM '{directory}/lineitem/0.parquet'")
        connection.execute(f"CREATE VIEW orders AS FROM '{directory}/orders/0.parquet'")
        connection.execute(f"CREATE VIEW customers AS FROM '{directory}/customer/0.parquet'")
        joined = "SELECT lines.*, o_custkey AS l_custkey FROM lines JOIN orders ON l_orderkey = o_orderkey"
        _apart(connection, joined, "l_custkey", directory / "lineitem")
        _apart(connection, "FROM orders", "o_custkey", directory / "orders")
    return directory


def _apart(connection: duckdb.DuckDBPyConnection, rows: str, key: str, place: Path) -> None:
    """The rows in several files, in the place of the one that there is."""
    for part in range(_PARTS):
        chosen = f"SELECT * FROM ({rows}) WHERE {key} % {_PARTS} = {part}"
        connection.execute(f"COPY ({chosen}) TO '{place}/part{part}.parquet' (FORMAT parquet)")
    (place / "0.parquet").unlink()


def write_lake_policy(path: Path, lake: Path, url: str, analysts: int) -> Path:
    """The policy over the lake by the server of `url`, with `analysts` of them: `analyst0`, …; its path.

    Pure accounting: its accounts last for as little noise as one likes.
    """
    text = _POLICY.read_text()
    text = text.replace("duckdb:///tpch.duckdb", url).replace("embedded:front", f"embedded:{path.parent}/front")
    text = re.sub(r'(unit = "customer"\n)primary_key = .*\n', r"\1", text)
    text = re.sub(r"\[tables\.(\w+)\]\n", rf'[tables.\1]\nsource = "{lake}/\1/*.parquet"\n', text)
    text = text.replace("max_rows_per_unit = 100\n", "max_rows_per_unit = 1\nmax_unit_rows = 1\n")
    text = text.replace('{ l_orderkey = "orders.o_orderkey" }', '{ l_custkey = "customer.c_custkey" }')
    for table, key in (("orders", "o_orderkey"), ("lineitem", "l_orderkey")):
        text = text.replace(f"[tables.{table}]\n", f'[tables.{table}]\ndetermines = ["{key}"]\n')
    text = text.replace("[tables.lineitem.columns]\n", '[tables.lineitem.columns]\nl_custkey = { type = "bigint" }\n')
    for number in range(analysts):
        text += f"\n[analysts.analyst{number}]\ntrust = true\nepsilon = 1e15\ndelta = 0.5\n"
    path.write_text(text.replace('accounting = "zcdp"', 'accounting = "pure"'))
    return path

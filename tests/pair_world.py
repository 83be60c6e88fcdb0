"""A small world of rows that belong to two units each: lines of a customer and a supplier, transfers of two people."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
from worlds import fitted

from dpproxy.catalog.policy import Catalog

TABLES = {
    "customer": "c bigint PRIMARY KEY, nation integer, balance integer",
    "supplier": "s bigint PRIMARY KEY, nation integer",
    "orders": "o bigint PRIMARY KEY, c bigint, total integer",
    "lineitem": "o bigint, s bigint, n integer, amount integer, flag varchar",
    "person": "p varchar PRIMARY KEY, city varchar",
    "transfers": "t integer PRIMARY KEY, sender varchar, receiver varchar, amount integer",
    "nation": "nation integer PRIMARY KEY, name varchar",
}
POLICY = """
[front]
url = "embedded:front"
[engine]
url = "duckdb:///pairs.duckdb"
[units.customer]
table = "customer"
key = "c"
[units.supplier]
table = "supplier"
key = "s"
[units.person]
table = "person"
key = "p"
[tables.customer]
unit = "customer"
primary_key = ["c"]
max_rows = 1000
columns = { c = { type = "bigint" }, nation = { type = "integer" }, balance = { type = "integer", bounds = [-9, 9] } }
[tables.supplier]
unit = "supplier"
primary_key = ["s"]
max_rows = 1000
columns = { s = { type = "bigint" }, nation = { type = "integer", values = [0, 1, 2] } }
[tables.orders]
unit = "customer"
primary_key = ["o"]
link = { c = "customer.c" }
[tables.orders.columns]
o = { type = "bigint" }
c = { type = "bigint", nullable = true }
total = { type = "integer", bounds = [0, 9] }
[tables.lineitem]
units = { customer = { o = "orders.o" }, supplier = { s = "supplier.s" } }
[tables.lineitem.columns]
o = { type = "bigint", hidden = true, nullable = true }
s = { type = "bigint", nullable = true }
n = { type = "integer" }
amount = { type = "integer", bounds = [-5, 9], nullable = true }
flag = { type = "text", values = ["A", "N"] }
[tables.person]
unit = "person"
primary_key = ["p"]
columns = { p = { type = "text" }, city = { type = "text", values = ["X", "Y"] } }
[tables.transfers]
units = { person = { sender = "person.p", receiver = "person.p" } }
primary_key = ["t"]
[tables.transfers.columns]
t = { type = "integer" }
sender = { type = "text" }
receiver = { type = "text" }
amount = { type = "integer" }
[tables.nation]
public = true
primary_key = ["nation"]
columns = { nation = { type = "integer" }, name = { type = "text" } }
[analysts.alice]
trust = true
epsilon = 100
delta = 1e-5
"""


def create(connection: duckdb.DuckDBPyConnection) -> None:
    """The tables, without a row."""
    for name, columns in TABLES.items():
        connection.execute(f"CREATE TABLE {name} ({columns})")


@cache
def catalog() -> Catalog:
    """The policy over them."""
    with TemporaryDirectory() as directory:
        with duckdb.connect(f"{directory}/pairs.duckdb") as connection:
            create(connection)
        path = Path(directory) / "policy.toml"
        path.write_text(POLICY.replace("duckdb:///", f"duckdb:///{directory}/"))
        return fitted(path)[1]

"""A small world of rows that name rows of others: answers to questions, votes on posts, who works for whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import numpy as np
from worlds import fitted

from dpproxy.catalog.policy import Catalog

TABLES = {
    "kinds": "kind integer PRIMARY KEY, name varchar",
    "users": "u bigint PRIMARY KEY, boss bigint, level integer",
    "posts": "p bigint PRIMARY KEY, owner bigint, parent bigint, kind integer, score integer, made timestamp",
    "votes": "v bigint PRIMARY KEY, p bigint, voter bigint, stars integer",
    "marks": "m bigint PRIMARY KEY, p bigint, stars integer",
    "lines": "bill bigint, item bigint, buyer bigint, kind integer, paid integer, PRIMARY KEY (bill, item)",
    "refunds": "bill bigint, item bigint, taker bigint, amount integer, why integer, PRIMARY KEY (bill, item)",
}
POLICY = """
[front]
url = "embedded:front"
[engine]
url = "duckdb:///strangers.duckdb"
[units.user]
table = "users"
key = "u"
[tables.kinds]
public = true
primary_key = ["kind"]
columns = { kind = { type = "integer" }, name = { type = "text" } }
[tables.users]
unit = "user"
primary_key = ["u"]
[tables.users.columns]
u = { type = "bigint" }
boss = { type = "bigint", nullable = true }
level = { type = "integer", values = [0, 1, 2] }
[tables.posts]
unit = "user"
link = { owner = "users.u" }
primary_key = ["p"]
[tables.posts.columns]
p = { type = "bigint" }
owner = { type = "bigint", nullable = true }
parent = { type = "bigint", nullable = true }
kind = { type = "integer", values = [1, 2] }
score = { type = "integer", bounds = [-5, 9], nullable = true }
made = { type = "timestamp", bounds = ["2024-01-01", "2024-12-31"] }
[tables.votes]
unit = "user"
link = { voter = "users.u" }
primary_key = ["v"]
[tables.votes.columns]
v = { type = "bigint" }
p = { type = "bigint" }
voter = { type = "bigint", nullable = true }
stars = { type = "integer", bounds = [0, 9] }
[tables.marks]
unit = "user"
primary_key = ["m"]
link = { p = "posts.p" }
[tables.marks.columns]
m = { type = "bigint" }
p = { type = "bigint", hidden = true }
stars = { type = "integer", bounds = [0, 2] }
[tables.lines]
unit = "user"
link = { buyer = "users.u" }
primary_key = ["bill", "item"]
[tables.lines.columns]
bill = { type = "bigint" }
item = { type = "bigint" }
buyer = { type = "bigint", nullable = true }
kind = { type = "integer", values = [1, 2] }
paid = { type = "integer", bounds = [0, 50], nullable = true }
[tables.refunds]
unit = "user"
link = { taker = "users.u" }
primary_key = ["bill", "item"]
[tables.refunds.columns]
bill = { type = "bigint" }
item = { type = "bigint" }
taker = { type = "bigint", nullable = true }
amount = { type = "integer", bounds = [0, 20], nullable = true }
why = { type = "integer", values = [1, 2, 3] }
[analysts.alice]
trust = true
epsilon = 100
delta = 1e-5
"""
OWNED = {
    "users": "u = {0}",
    "posts": "owner = {0}",
    "votes": "voter = {0}",
    "marks": "p IN (SELECT p FROM posts WHERE owner = {0})",
    "lines": "buyer = {0}",
    "refunds": "taker = {0}",
}
"""What of each table is a user's, in the order in which it may leave last."""
UNITS = 6


def create(connection: duckdb.DuckDBPyConnection) -> None:
    """The tables, without a row."""
    for name, columns in TABLES.items():
        connection.execute(f"CREATE TABLE {name} ({columns})")


def rows_of(random: np.random.Generator) -> Mapping[str, Sequence[Sequence[object]]]:
    """Few users with few rows, some of nobody, some that name nothing, some that name a row of their own."""

    def drawn(*most: int) -> list[int]:
        return [int(random.integers(0, each)) for each in most]

    posts = [(p, *drawn(7, 18, 2, 15, 300)) for p in range(int(random.integers(10, 18)))]
    return {
        "kinds": [(1, "question"), (2, "answer")],
        "users": [(u, *drawn(7, 3)) for u in range(UNITS)],
        "posts": [
            (p, None if p == 3 else owner, None if p == 4 else parent, 1 + kind, None if p == 5 else score - 5,
             f"2024-{1 + day // 28:02}-{1 + day % 28:02} 10:00")
            for p, owner, parent, kind, score, day in posts
        ],
        "votes": [(v, p, None if v == 2 else voter, stars) for v, p, voter, stars in
                  [(v, *drawn(18, 7, 10)) for v in range(int(random.integers(10, 40)))]],
        "marks": [(m, *drawn(18, 3)) for m in range(int(random.integers(8, 20)))],
        "lines": [(at // 3, at % 3, None if at == 4 else u, 1 + kind, None if paid > 50 else paid)
                  for at in range(30) if random.integers(0, 4) for u, kind, paid in [drawn(7, 2, 56)]],
        "refunds": [(at // 3, at % 3, None if at == 6 else u, None if amount > 20 else amount, 1 + why)
                    for at in range(36) if random.integers(0, 2) for u, amount, why in [drawn(7, 24, 3)]],
    }  # fmt: skip


def rows_at_ends() -> Mapping[str, Sequence[Sequence[object]]]:
    """Rows as no policy would have them: keys, numbers and moments at the ends of their types, most of one user's, who
    answers and follows herself, and of users without a row of their own."""
    least, most = -(2**63), 2**63 - 1
    posts = [least, most, 0, 1, 2, 3, 4, 5]
    owners = [0, 0, 0, least, most, 77, None, 1]
    parents = [least, 0, most, 0, 2, None, 2, 4]
    scores = [None, 2**31 - 1, -(2**31), -5, 9, 0, 2**31 - 1, None]
    moments = [
        "infinity",
        "-infinity",
        "0001-01-01 00:00",
        "9999-12-31 23:59:59.999999",
        "290000-01-01",
        "4713-01-01 00:00:00 BC",
        "2024-02-29 00:00",
        "1969-12-31 23:59:59.999999",
    ]
    kinds = [1, 2, 3, None, 2**31 - 1, 1, 2, 2]
    return {
        "kinds": [(1, "question"), (2, "answer"), (3, None)],
        "users": [(0, 0, 1), (1, 0, None), (2, 1, -(2**31)), (3, 77, 2**31 - 1), (4, None, 0), (5, 5, 2)],
        "posts": list(zip(posts, owners, parents, kinds, scores, moments, strict=True)),
        "votes": [(v, posts[v % 8], owners[(v // 2) % 8], scores[v % 8]) for v in range(16)] + [(most, 0, 0, None)],
        "marks": [(m, posts[m % 8], scores[m % 8]) for m in range(8)] + [(most, 0, 0), (least, most, 1)],
    }  # fmt: skip


@cache
def catalog(policy: str = POLICY) -> Catalog:
    """The policy over them."""
    with TemporaryDirectory() as directory:
        with duckdb.connect(f"{directory}/strangers.duckdb") as connection:
            create(connection)
        path = Path(directory) / "policy.toml"
        path.write_text(policy.replace("duckdb:///", f"duckdb:///{directory}/"))
        return fitted(path)[1]

"""Bounded SQL against the plain query, side by side in one DuckDB."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import duckdb
from bench.timing import paired
from worlds import fitted, make_world, plan

PEOPLE = """
CREATE TABLE people AS SELECT i AS person_id, 'name' AS name, CAST((i * 7) % 100 AS INTEGER) AS age,
    CASE WHEN i % 2 = 0 THEN 'F' ELSE 'M' END AS sex, CAST((i * 137) % 400000 AS DOUBLE) AS income,
    'city ' || (i % 30) AS city, i % 4 = 0 AS smoker, DATE '2020-01-01' + CAST(i % 2000 AS INTEGER) AS joined
FROM range({}) AS g(i)
"""
CUSTOMER = """
CREATE TABLE customer AS SELECT i AS custkey, CASE WHEN i % 2 = 0 THEN 'BUILDING' ELSE 'MACHINERY' END AS segment,
    CAST(1 + i % 3 AS INTEGER) AS nationkey, CAST((i * 977) % 9000 AS DECIMAL(15,2)) AS acctbal
FROM range({}) AS g(i)
"""
ORDERS = """
CREATE TABLE orders AS SELECT i AS orderkey, hash(i) % {0} AS custkey,
    DATE '1994-01-01' + CAST(i % 1500 AS INTEGER) AS orderdate,
    CASE WHEN i % 5 = 0 THEN '1-URGENT' ELSE '5-LOW' END AS priority
FROM range({0} * 15) AS g(i)
"""
LINEITEM = """
CREATE TABLE lineitem AS SELECT i // 4 AS orderkey, CAST(i % 4 AS INTEGER) AS linenumber,
    CAST(1 + hash(i) % 50 AS DECIMAL(15,2)) AS quantity, CAST(900 + hash(i + 1) % 90000 AS DECIMAL(15,2)) AS price,
    CAST((hash(i + 2) % 11) / 100.0 AS DECIMAL(15,2)) AS discount,
    CASE WHEN hash(i) % 4 = 0 THEN 'A' WHEN hash(i) % 4 < 3 THEN 'N' ELSE 'R' END AS flag,
    DATE '1994-02-01' + CAST(hash(i) % 1500 AS INTEGER) AS shipdate
FROM range({0} * 60) AS g(i)
"""

ONE_ROW = (
    "SELECT count(*) FROM people",
    "SELECT count(*) FROM people WHERE age >= 40",
    "SELECT sum(age) FROM people",
    "SELECT sum(income) FROM people",
    "SELECT avg(income) FROM people",
    "SELECT sex, avg(income) FROM people GROUP BY sex",
    "SELECT city, count(*) FROM people GROUP BY city",
)
LINKED = (
    "SELECT flag, sum(quantity) FROM lineitem JOIN orders USING (orderkey) GROUP BY flag",
    "SELECT flag, sum(quantity), sum(price * (1 - discount)), count(*) FROM lineitem JOIN orders USING (orderkey) "
    "WHERE shipdate <= DATE '1998-02-01' GROUP BY flag",
    "SELECT segment, sum(price) FROM customer JOIN orders USING (custkey) JOIN lineitem USING (orderkey) "
    "GROUP BY segment",
)


def lines(people: int, customers: int, rounds: int) -> Iterator[str]:
    """A line for each query: medians and the ratio."""
    with tempfile.TemporaryDirectory() as directory:
        catalog = fitted(make_world(Path(directory)))[1]
    with duckdb.connect() as engine:
        for table, size in ((PEOPLE, people), (CUSTOMER, customers), (ORDERS, customers), (LINEITEM, customers)):
            engine.execute(table.format(size))
        for sql in (*ONE_ROW, *LINKED):
            text = plan(sql, catalog).releases[0].bounded.sql
            found = paired(
                lambda t=text: engine.execute(t).fetchall(), lambda s=sql: engine.execute(s).fetchall(), rounds
            )
            yield f"{found.ratio:6.2f} times  {found.first * 1e3:8.2f} ms / {found.second * 1e3:8.2f} ms  {sql}"

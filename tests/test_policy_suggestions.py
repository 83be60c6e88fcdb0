"""A join of rows of two units of one kind by a key: where the work of all could be too much, what the refusal lets the
owner declare is enough, word for word; and it makes no other answer."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import numpy as np
import pytest
from worlds import TERMS, fitted, plan

from dpproxy.catalog.policy import Catalog
from dpproxy.errors import NotPrivate
from dpproxy.plan.private_plan import Plan
from dpproxy.plan.timing import Speed, schedule
from dpproxy.rewrite.checker import check_plan

TABLES = """
CREATE TABLE users (u integer PRIMARY KEY);
CREATE TABLE posts (p integer PRIMARY KEY, owner integer, kind integer, parent integer);
CREATE TABLE votes (v integer PRIMARY KEY, p integer, voter integer, score integer);
CREATE TABLE kinds (kind integer PRIMARY KEY, name varchar);
"""
OF_ONE = 'unit = "user"\nlink = { voter = "users.u" }'
POLICY = f"""
[front]
url = "embedded:front"
[engine]
url = "duckdb:///forum.duckdb"
[units.user]
table = "users"
key = "u"
[tables.users]
unit = "user"
primary_key = ["u"]
columns = {{ u = {{ type = "integer" }} }}
[tables.posts]
unit = "user"
link = {{ owner = "users.u" }}
primary_key = ["p"]
[tables.posts.columns]
p = {{ type = "integer" }}
owner = {{ type = "integer", nullable = true }}
kind = {{ type = "integer", nullable = true }}
parent = {{ type = "integer", nullable = true }}
[tables.votes]
{OF_ONE}
primary_key = ["v"]
[tables.votes.columns]
v = {{ type = "integer" }}
p = {{ type = "integer" }}
voter = {{ type = "integer", nullable = true }}
score = {{ type = "integer", bounds = [0, 9] }}
[tables.kinds]
public = true
primary_key = ["kind"]
columns = {{ kind = {{ type = "integer" }}, name = {{ type = "text" }} }}
[analysts.alice]
trust = true
epsilon = 100
delta = 1e-5
"""
OF_OTHERS = (
    "SELECT count(*) FROM posts p JOIN votes v ON v.p = p.p",
    "SELECT k.name, count(*), avg(v.score) FROM posts p JOIN votes v ON p.p = v.p JOIN kinds k USING (kind) GROUP BY 1",
    "SELECT count(*) FROM users u JOIN posts p ON p.owner = u.u JOIN votes v ON v.p = p.p",
    "SELECT count(*) FROM votes v, posts p WHERE v.p = p.p AND p.kind = 1",
)


@cache
def catalog(policy: str) -> Catalog:
    with TemporaryDirectory() as directory:
        with duckdb.connect(f"{directory}/forum.duckdb") as connection:
            connection.execute(TABLES)
        path = Path(directory) / "policy.toml"
        path.write_text(policy.replace("duckdb:///", f"duckdb:///{directory}/"))
        return fitted(path)[1]


FAR = Speed(60.0, 3.3e-6)
"""An engine so slow that all of the tables are too many rows for it, and those of one unit are not."""


def _limits(made: Plan) -> None:
    assert made.time is not None
    schedule(made.time, made.work, FAR, made.releases[0].bounded.unit)


def _declared(sql: str) -> str:
    """What the refusal's hint lets the owner declare for votes."""
    with pytest.raises(NotPrivate) as refused:
        _limits(plan(sql, catalog(POLICY), raw={"epsilon": "50"}))
    found = re.search(r"belongs to two users, the owner may declare for it (units = .*)\.$", refused.value.hint or "")
    assert found is not None, refused.value.hint
    return found[1]


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
@pytest.mark.parametrize("sql", OF_OTHERS)
def test_what_the_owner_may_declare_is_enough(sql: str, dialect: str) -> None:
    declared = _declared(sql)
    assert declared == 'units = { user = { voter = "users.u", p = "posts.p" } }'
    both = catalog(POLICY.replace(OF_ONE, declared))
    made = plan(sql, both, dialect=dialect, raw={"epsilon": "50"})
    check_plan(made, both, dialect, TERMS.accounting)
    assert made.releases[0].bounded.pair == ("user", "user")
    _limits(made)


@pytest.mark.parametrize("sql", OF_OTHERS)
def test_it_is_the_same_answer(sql: str) -> None:
    """But for which of both is the first, and whether rows of nobody's post are looked for."""
    both = catalog(POLICY.replace(OF_ONE, _declared(sql)))
    random = np.random.default_rng(3)
    with duckdb.connect() as connection:
        connection.execute(TABLES)
        connection.execute("INSERT INTO kinds VALUES (1, 'x'), (2, 'y')")
        connection.execute("INSERT INTO users SELECT range FROM range(6)")
        for post in range(12):
            connection.execute("INSERT INTO posts VALUES (?, ?, ?, NULL)", [post, *_drawn(random, 7, 3)])
        for vote in range(60):
            connection.execute("INSERT INTO votes VALUES (?, ?, ?, ?)", [vote, *_drawn(random, 13, 7, 10)])
        made = [plan(sql, each).releases[0].bounded for each in (catalog(POLICY), both)]
        found = [connection.execute(each.sql).fetchall() for each in made]
    places = len(made[0].keys)
    one, other = (
        sorted((row[:places], *sorted(row[places : places + 2]), row[places + 2 :]) for row in rows) for rows in found
    )
    assert one and _added(one) == _added(other)


def _drawn(random: np.random.Generator, *most: int) -> list[int]:
    return [int(random.integers(0, each)) for each in most]


def _added(rows: list[tuple[Any, ...]]) -> dict[Any, Any]:
    """What each two units have together, whichever is the first."""
    found: dict[Any, Any] = {}
    for key, i, j, measures in rows:
        before = found.get((key, i, j), (0,) * len(measures))
        found[key, i, j] = tuple(a + b for a, b in zip(before, measures, strict=True))
    return found


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM posts q JOIN posts a ON a.parent = q.p",  # a table's link to itself
        "SELECT count(*) FROM votes v JOIN votes w ON w.score = v.v",
    ],
)
def test_nothing_is_said_where_it_would_not_help(sql: str) -> None:
    with pytest.raises(NotPrivate) as refused:
        _limits(plan(sql, catalog(POLICY)))
    assert "units =" not in (refused.value.hint or "")

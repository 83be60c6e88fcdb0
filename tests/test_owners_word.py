"""A join of rows of two units of one kind: what the refusal lets the owner declare is enough, word for word."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import pytest
from worlds import TERMS, fitted, plan

from dpproxy.catalog.policy import Catalog
from dpproxy.errors import NotPrivate
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


def _declared(sql: str) -> str:
    """What the refusal's hint lets the owner declare for votes."""
    with pytest.raises(NotPrivate) as refused:
        plan(sql, catalog(POLICY))
    found = re.search(r"belongs to two users, the owner may declare for it (units = .*)\.$", refused.value.hint or "")
    assert found is not None, refused.value.hint
    return found[1]


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
@pytest.mark.parametrize("sql", OF_OTHERS)
def test_what_the_owner_may_declare_is_enough(sql: str, dialect: str) -> None:
    declared = _declared(sql)
    assert declared == 'units = { user = { voter = "users.u", p = "posts.p" } }'
    both = catalog(POLICY.replace(OF_ONE, declared))
    made = plan(sql, both, dialect=dialect)
    check_plan(made, both, dialect, TERMS.accounting)
    assert made.releases[0].bounded.pair == ("user", "user")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM posts p JOIN votes v ON v.score = p.kind",  # names no row
        "SELECT count(*) FROM posts q JOIN posts a ON a.parent = q.p",  # a table's link to itself
        "SELECT count(*) FROM votes v JOIN votes w ON w.score = v.v",
    ],
)
def test_nothing_is_said_where_it_would_not_help(sql: str) -> None:
    with pytest.raises(NotPrivate) as refused:
        plan(sql, catalog(POLICY))
    assert "units =" not in (refused.value.hint or "")

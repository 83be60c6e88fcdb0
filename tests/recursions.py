"""What the front would say of the recursive queries of a statement over the world of sql_fixtures, and their rows."""

from __future__ import annotations

from functools import cache

import duckdb
import sqlglot
from sql_cases import FIXTURES

from dpproxy.catalog.policy import Catalog
from dpproxy.plan.private_plan import OwnTable
from dpproxy.rewrite import Question, recursive_queries
from dpproxy.rewrite.reading.recursion import RECURSION, may_be_recursive, written_place
from dpproxy.rows import Column, Value

_TYPES = {"VARCHAR": "text", "DOUBLE": "double precision"}
_PUBLIC = ("departments", "nation")


def worked_out(question: Question, catalog: Catalog) -> dict[str, OwnTable]:
    """What a question has to tell of its recursive queries."""
    found = recursive_queries(question, catalog) if may_be_recursive(question.sql) else ()
    return {
        written_place(each.name): OwnTable(RECURSION, each.name, _columns(each.sql), query=each.sql) for each in found
    }


def recursive_rows(table: OwnTable) -> list[tuple[Value, ...]]:
    """The rows of a recursive query of a plan, of its columns there."""
    assert table.query is not None
    names = [each.name for each in _columns(table.query)]
    places = [names.index(each.name) for each in table.columns]
    return [tuple(row[place] for place in places) for row in _world().execute(_written(table.query)).fetchall()]


def _columns(query: str) -> tuple[Column, ...]:
    described = _world().execute(f"DESCRIBE {_written(query)}").fetchall()
    return tuple(Column(name, _TYPES.get(type_, type_.lower())) for name, type_, *_ in described)


def _written(query: str) -> str:
    return sqlglot.transpile(query.replace('"public".', ""), read="postgres", write="duckdb")[0]


@cache
def _world() -> duckdb.DuckDBPyConnection:
    """The public tables alone."""
    world = duckdb.connect()
    for statement in (FIXTURES / "world.sql").read_text().split(";"):
        if statement.split("(")[0].split()[2:3] in [[name] for name in _PUBLIC]:
            world.execute(statement)
    return world

"""What becomes of each statement: on Postgres itself, and before a served proxy, where EXPLAIN asks it free."""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

import psycopg
import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from coverage.corpus import Question

_ONE_UNIT = re.compile("would give one row for each|would return rows of private tables")
_NAMES = re.compile(r'"[^"]*"|\b\d[\d,.]*\b')


@dataclass(frozen=True, slots=True)
class Judged:
    """runs: whether Postgres runs it. private, aggregate: what it asks for. refused: SQLSTATE and reason without names;
    None: it is answered. seconds: that EXPLAIN took, of which planning is the most."""

    question: Question
    runs: bool
    private: bool = False
    aggregate: bool = False
    refused: tuple[str, str] | None = None
    seconds: float = 0.0

    @property
    def single(self) -> bool:
        """Whether it asks for rows of single units, which nobody is told."""
        return self.refused is not None and bool(_ONE_UNIT.search(self.refused[1]))


def judged(
    asked: Iterable[Question], owner: psycopg.Connection[object], analyst: str, private: Collection[str]
) -> Iterator[Judged]:
    """One after the other; `private` are the names of private tables."""
    connection = psycopg.connect(analyst, autocommit=True)
    for each in asked:
        if not runs_on(owner, each.sql):
            yield Judged(each, runs=False)
            continue
        if connection.closed:
            connection = psycopg.connect(analyst, autocommit=True)
        begun = time.perf_counter()
        refused = _refused(connection, each.sql)
        taken = time.perf_counter() - begun
        yield Judged(each, True, *_asks(each.sql, private), refused, taken)
    connection.close()


def runs_on(owner: psycopg.Connection[object], sql: str) -> bool:
    """Whether that Postgres takes it."""
    try:
        owner.execute(f"EXPLAIN {sql}".encode())
    except psycopg.Error:
        return False
    return True


def _refused(connection: psycopg.Connection[object], sql: str) -> tuple[str, str] | None:
    try:
        connection.execute(f"EXPLAIN {sql}".encode())
    except psycopg.Error as error:
        return error.sqlstate or "", _NAMES.sub("…", error.diag.message_primary or str(error))
    return None


def _asks(sql: str, private: Collection[str]) -> tuple[bool, bool]:
    """Whether it reads a private table, and whether what it returns is aggregated."""
    try:
        tree = sqlglot.parse_one(sql, read="postgres")
    except SqlglotError:
        return True, True
    told = any(table.name.lower() in private for table in tree.find_all(exp.Table))
    return told, isinstance(tree, exp.Query) and _is_aggregate(tree, {})


def _is_aggregate(query: exp.Expr, ctes: Mapping[str, bool]) -> bool:
    """Whether each of its rows is one of groups, or is made of such alone. ctes: of the queries of WITH by name."""
    with_ = query.args.get("with_")
    for cte in with_.expressions if with_ is not None else ():
        ctes = {**ctes, cte.alias: _is_aggregate(cte.this, ctes)}
    if isinstance(query, exp.SetOperation):
        return all(_is_aggregate(side, ctes) for side in (query.this, query.expression))
    if not isinstance(query, exp.Select):
        return isinstance(query, exp.Subquery) and _is_aggregate(query.this, ctes)
    if query.args.get("group") or query.args.get("distinct") or any(map(_aggregates, query.expressions)):
        return True
    sources = [query.args.get("from_"), *(query.args.get("joins") or [])]
    return any(
        ctes.get(each.this.name, False) if isinstance(each.this, exp.Table) else _is_aggregate(each.this, ctes)
        for each in sources
        if each is not None
    )


def _aggregates(item: exp.Expr) -> bool:
    """Whether an aggregate stands in it, of its own query, that is no window."""
    return any(
        not isinstance(each.parent, exp.Window) and each.find_ancestor(exp.Subquery, exp.Select) is item.parent
        for each in item.find_all(exp.AggFunc)
    )

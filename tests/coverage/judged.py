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
from dpproxy.config import Config

_ONE_UNIT = re.compile(
    "would give one row for each|would return rows of private tables|the value of each row|would name single"
)
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
        return self.refused is not None and (not self.aggregate or bool(_ONE_UNIT.search(self.refused[1])))


@dataclass(frozen=True, slots=True)
class Private:
    """The names of private tables, and of columns that tell their rows apart."""

    tables: frozenset[str]
    keys: frozenset[str]


def private_of(config: Config) -> Private:
    """Those of a policy, in small letters."""
    tables = {name.rpartition(".")[2].lower(): table for name, table in config.tables.items() if not table.public}
    keys = {key[0] for key in (table.primary_key for table in tables.values()) if len(key or ()) == 1}
    named = {key.lower() for key in (*keys, *(unit.key for unit in config.units.values()))}
    return Private(frozenset(tables), frozenset(named))


def judged(
    asked: Iterable[Question], owner: psycopg.Connection[object], analyst: str, private: Private
) -> Iterator[Judged]:
    """One after the other."""
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


def _asks(sql: str, private: Private) -> tuple[bool, bool]:
    """Whether it reads a private table, and whether what it returns is aggregated."""
    try:
        tree = sqlglot.parse_one(sql, read="postgres")
    except SqlglotError:
        return True, True
    return _is_private(tree, private.tables), isinstance(tree, exp.Query) and _is_aggregate(tree, private, {})


def _is_private(tree: exp.Expr, tables: Collection[str]) -> bool:
    return any(table.name.lower() in tables for table in tree.find_all(exp.Table))


def _is_aggregate(query: exp.Expr, private: Private, ctes: Mapping[str, exp.Expr]) -> bool:
    """Whether each of its rows is one of groups of several rows, or is made of such alone. ctes: the queries of WITH,
    by name. A group by a key of private rows is one of them."""
    with_ = query.args.get("with_")
    ctes = {**ctes, **{cte.alias: cte.this for cte in (with_.expressions if with_ is not None else ())}}
    if isinstance(query, exp.SetOperation):
        return all(_is_aggregate(side, private, ctes) for side in (query.this, query.expression))
    if not isinstance(query, exp.Select):
        return isinstance(query, exp.Subquery) and _is_aggregate(query.this, private, ctes)
    group = query.args.get("group")
    if group is not None or query.args.get("distinct"):
        listed = group.expressions if group is not None else [item.unalias() for item in query.expressions]
        return not any(isinstance(each, exp.Column) and each.name.lower() in private.keys for each in listed)
    if any(map(_aggregates, query.expressions)):
        return True
    sources = [each.this for each in (query.args.get("from_"), *(query.args.get("joins") or [])) if each is not None]
    made = [ctes.get(each.name, each) if isinstance(each, exp.Table) else each for each in sources]
    inner = {name: each for name, each in ctes.items() if each is not query}
    found = [(_reads_private(each, private, inner), _is_aggregate(each, private, inner)) for each in made]
    return any(told for _, told in found) and all(told for read, told in found if read)


def _reads_private(query: exp.Expr, private: Private, ctes: Mapping[str, exp.Expr]) -> bool:
    """Whether it reads private rows, by queries of WITH or not."""
    names = [table.name for table in query.find_all(exp.Table)]
    below = [(name, ctes[name]) for name in names if name in ctes and ctes[name] is not query]
    rest = {name: each for name, each in ctes.items() if name not in {name for name, _ in below}}
    return _is_private(query, private.tables) or any(_reads_private(each, private, rest) for _, each in below)


def _aggregates(item: exp.Expr) -> bool:
    """Whether an aggregate stands in it, of its own query, that is no window."""
    return any(
        not isinstance(each.parent, exp.Window) and each.find_ancestor(exp.Subquery, exp.Select) is item.parent
        for each in item.find_all(exp.AggFunc)
    )

"""Names of plain statements: each is bound as sqlglot's own `qualify` binds it, with the same places in the text."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

import pytest
from sql_cases import by_file, cases
from sqlglot import exp
from sqlglot.errors import SqlglotError
from worlds import OWN, names_of

from dpproxy.catalog.policy import Catalog
from dpproxy.errors import DPProxyError
from dpproxy.rewrite.reading import resolve as reading
from dpproxy.rewrite.reading.columns_known import KnownColumns
from dpproxy.rewrite.reading.parse import parse_statement
from dpproxy.rewrite.reading.plain_names import Known, bound_plainly

# Tables, and some of their columns. What they are called is a column of another, or of a result, or of two in turn.
TABLES = {
    "people": ("age", "city", "sex", "person_id"),
    "visits": ("cost", "day", "person_id"),
    "departments": ("beds",),
}
ALIASES = ("p", "p", "v", "v", "d", "t", "age", "city")
ITEMS = ("{c}", "{c}", "{c} AS n", "{c} AS age", "{c} AS cost", "{c} = 1 AS t", "count(*)", "sum({c}) AS n", "1 AS one")


@pytest.fixture
def bound(monkeypatch: pytest.MonkeyPatch) -> dict[bool, int]:
    """Each statement that is resolved is bound in both ways; and how many are plain."""
    found = {True: 0, False: 0}

    def twice(query: exp.Query, nodes: Sequence[exp.Expr], known: Known) -> exp.Query | None:
        ours, theirs = (bind(query.copy(), known) for bind in (plainly, by_sqlglot))
        found[ours is not None] += 1
        if ours is not None:
            assert ours == theirs, query.sql("postgres")
        return None

    monkeypatch.setattr(reading, "bound_plainly", twice)
    return found


def plainly(query: exp.Query, known: Known) -> list[object] | None:
    made = bound_plainly(query, list(query.walk()), known)
    return None if made is None else told(reading._quoted(made))


def by_sqlglot(query: exp.Query, known: Known) -> list[object] | str:
    columns = KnownColumns(known)
    try:
        bound = reading._qualified(query, columns, reading._is_one_select(list(query.walk())))
        return told(reading.unique_aliases(reading.whole_rows(bound, columns)))
    except SqlglotError as fault:
        return f"refused: {fault}"


def told(tree: exp.Query) -> list[object]:
    """All of a tree, with what is noted of its nodes."""
    return [repr(tree), *((type(node), dict(node._meta or {})) for node in tree.walk())]


def resolve(sql: str, catalog: Catalog) -> None:
    with suppress(DPProxyError):
        reading.resolve(parse_statement(sql), sql, catalog, names_of(catalog), OWN)


def test_every_statement_of_the_fixtures(catalog: Catalog, bound: Mapping[bool, int]) -> None:
    for path in [*by_file("rewrite"), *by_file("refuse")]:
        for case in cases(path):
            resolve(case.sql, catalog)
    assert bound[True] > bound[False]


def test_statements_whose_names_mean_several_things(catalog: Catalog, bound: Mapping[bool, int]) -> None:
    series = random.Random(5)
    for _ in range(1200):
        resolve(select(series, series.randrange(3)), catalog)
    assert min(bound.values()) > 150, bound


def select(series: random.Random, depth: int, around: Sequence[str] = ()) -> str:
    """A SELECT of these names, most of which mean something. around: names that its expressions may be for."""
    made, names = source(series, depth)
    if series.random() < 0.3:
        second, more = source(series, depth)
        names = [*names, *more]
        made += f" JOIN {second} ON {condition(series, 0, names)}"
    seen = [*names * 3, *around]
    items = ", ".join(series.choice(ITEMS).format(c=series.choice(seen)) for _ in range(series.randint(1, 2)))
    found = (f" {clause} {text}" for clause, text in clauses(series, depth, seen) if series.random() < 0.3)
    union = f" UNION ALL {select(series, depth - 1)}" if depth and series.random() < 0.1 else ""
    return f"SELECT {items} FROM {made}{''.join(found)}{union}"


def clauses(series: random.Random, depth: int, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    yield "WHERE", condition(series, depth, names)
    yield "GROUP BY", series.choice(names)
    yield "HAVING", condition(series, 0, names)
    yield "ORDER BY", series.choice((*names, "n", "n", "n", "age", "count(*)", "1"))


def source(series: random.Random, depth: int) -> tuple[str, list[str]]:
    """It, and the names of its columns."""
    alias, table = series.choice(ALIASES), series.choice(list(TABLES))
    if depth and series.random() < 0.3:
        return f"({select(series, depth - 1)}) {alias}", ["n", "age", f"{alias}.n"]
    columns = TABLES[table]
    return f"{table} {alias}", [*columns, *(f"{alias}.{column}" for column in columns)]


def condition(series: random.Random, depth: int, names: Sequence[str]) -> str:
    column = series.choice(names)
    if depth and series.random() < 0.5:
        inner = select(series, depth - 1, names)
        return series.choice((f"EXISTS ({inner})", f"{column} IN ({inner})", f"{column} > ({inner})"))
    return f"{column} {series.choice(('=', '<'))} {series.choice(names)}"

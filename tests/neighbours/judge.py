"""Plain Postgres as the judge: the analyst's statement over plain tables, and the post statement over what the
releases of its plan give without noise."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import duckdb
import psycopg
from clusters import front_in
from worlds import keys_in_one_order, plan

from dpproxy.canonical import canonical
from dpproxy.engines import EngineQuery
from dpproxy.engines.duckdb.opening import _CONFIG
from dpproxy.error_bars import ToldRows
from dpproxy.errors import DPProxyError
from dpproxy.front.embedded_front import EmbeddedFront
from dpproxy.plan.private_plan import Plan, Release
from dpproxy.post_arrays import arrays
from dpproxy.rows import Value
from dpproxy.wire.arrays import text_array
from neighbours import rooms
from neighbours.dag import Kept, everything, noise_of, present, released
from neighbours.data import World
from neighbours.grammar import Statement
from neighbours.places import FAILURES, in_duckdb, in_postgres
from neighbours.trial import CASES, Wrong, planned, policy

WIDE = {"max_rows_per_unit": "100000", "max_groups_per_unit": "1000"}
_ROUNDED = ("VAR", "STDDEV", "CORR", "REGR_", "COVAR")
_EMPTY = (*_ROUNDED, "AVG")
Row = tuple[Value, ...]


@dataclass(frozen=True)
class Court:
    """Clean worlds in DuckDB, a cursor each, and in Postgres, a schema each."""

    worlds: tuple[World, ...]
    ducks: tuple[duckdb.DuckDBPyConnection, ...]
    postgres: psycopg.Connection[Row]


@contextmanager
def court(directory: Path, worlds: Sequence[World]) -> Iterator[Court]:
    """A Postgres of its own for the length of a block."""
    with asyncio.Runner() as runner:
        front = runner.run(EmbeddedFront.start(front_in(directory / "front"), "judged"))
        try:
            with (
                psycopg.connect(front.address.conninfo(), autocommit=True) as postgres,
                duckdb.connect(config={**_CONFIG, "threads": "1"}) as duck,
            ):
                duck.execute("SET TimeZone = 'UTC'")
                duck.execute(rooms.PUBLIC)
                postgres.execute("SET TimeZone = 'UTC'; SET statement_timeout = '20s'")
                postgres.execute(rooms.PUBLIC)
                cursors = []
                for index, world in enumerate(worlds):
                    schema = f"clean{index}"
                    duck.execute(world.script(schema))
                    postgres.execute(world.script(schema))
                    cursors.append(duck.cursor())
                    cursors[-1].execute(f"SET search_path = '{schema},main'")
                yield Court(tuple(worlds), tuple(cursors), postgres)
        finally:
            runner.run(front.stop())


def compared(statement: Statement, court: Court, index: int) -> None:
    """The answer over a clean world, without noise and clips that bind, is that of the judge. Raises Wrong."""
    settings: Mapping[str, str | None] = {**statement.settings, **WIDE}
    if (made := planned(statement, settings, policy())) is None:
        return
    try:
        theirs = _judged(court, index, statement)
    except psycopg.Error as fault:
        CASES[f"the judge: {type(fault).__name__}"] += 1
        return
    texts = "\n".join([*(f"bounded: {each.bounded.sql}" for each in made.releases), f"post: {made.post.sql}"])
    try:
        # Keys that plain SQL has no rows of are left out, or, where a scalar subquery asks for them, are there with 0.
        told = _difference(_proxied(court, index, made, present), theirs, statement.sql)
        if told and not _difference(_proxied(court, index, made, everything), theirs, statement.sql):
            told = ""
    except (*FAILURES, DPProxyError, ValueError) as fault:
        raise Wrong(f"answering raised {type(fault).__name__}", f"{fault}\n{texts}", statement) from fault
    CASES["answers"] += 1
    if told:
        raise Wrong("another answer than Postgres's", f"{told}\njudged: {statement.judged}\n{texts}", statement)


@keys_in_one_order()
def same_integers(statement: Statement, court: Court, index: int) -> None:
    """Bounded SQL in the words of each engine gives the same over a clean world; a plan made again is the same.

    Raises Wrong.
    """
    if (made := planned(statement, statement.settings, policy())) is None:
        return
    if plan(statement.sql, policy(), statement.settings) != made:
        raise Wrong("two plans for one statement", made.post.sql, statement)
    other = plan(statement.sql, policy(), statement.settings, dialect="postgres")
    with noise_of(lambda total: total):
        earlier = released(made, in_duckdb(court.ducks[index]), everything)
    for here, there in zip(made.releases, other.releases, strict=True):
        inputs = {each.name: earlier[each.release].column(each.column) for each in here.bounded.inputs}
        texts = f"duckdb: {here.bounded.sql}\npostgres: {there.bounded.sql}"
        try:
            found = _by_key(here, in_duckdb(court.ducks[index])(EngineQuery(here.bounded.sql, inputs)).rows)
            with court.postgres.transaction():
                court.postgres.execute(f"SET LOCAL search_path = clean{index}, public")
                theirs = _by_key(there, in_postgres(court.postgres, EngineQuery(there.bounded.sql, inputs)).rows)
        except (*FAILURES, DPProxyError) as fault:
            raise Wrong(f"an engine raised {type(fault).__name__}", f"{fault}\n{texts}", statement) from fault
        CASES["on both engines"] += 1
        if found != theirs:
            rows = f"duckdb alone: {found - theirs}\npostgres alone: {theirs - found}"
            raise Wrong("the engines differ", f"{rows}\n{texts}", statement)


def _by_key(release: Release, rows: Sequence[Row]) -> set[Row]:
    keys = release.bounded.keys
    return {
        (*(canonical(v, key.type) for v, key in zip(row, keys, strict=False)), *map(int, row[len(keys) :]))  # type: ignore[arg-type]
        for row in rows
    }


def _judged(court: Court, index: int, statement: Statement) -> tuple[list[str], list[Row]]:
    with court.postgres.transaction():
        court.postgres.execute(f"SET LOCAL search_path = clean{index}, public")
        return _answer(court, statement.judged, ())


def _proxied(court: Court, index: int, made: Plan, kept: Kept) -> tuple[list[str], list[Row]]:
    with noise_of(lambda total: total):
        rows = released(made, in_duckdb(court.ducks[index]), kept)
    told = ToldRows(made.releases, rows, rows)
    return _answer(court, made.post.sql, [text_array(array).decode() for array in arrays(made.post, told, {})])


def _answer(court: Court, sql: str, parameters: Sequence[str]) -> tuple[list[str], list[Row]]:
    with psycopg.RawCursor(court.postgres) as cursor:
        cursor.execute(sql, parameters or None)
        return [column.name for column in cursor.description or ()], cursor.fetchall()


def _difference(ours: tuple[list[str], list[Row]], theirs: tuple[list[str], list[Row]], sql: str) -> str:
    """What is not the same, in words; rows of public keys that only the proxy has may be there with zeros."""
    pairs = zip(ours[0], theirs[0], strict=True)
    names = [pair for pair in pairs if pair[0] != pair[1] and pair[1] not in ("?column?", "coalesce")]
    if names and len(set(theirs[0])) == len(theirs[0]):
        return f"columns are called {names}"
    near = _near_for(sql)
    left = list(ours[1])
    missing = []
    for row in theirs[1]:
        found = next((mine for mine in left if all(map(near, mine, row))), None)
        if found is None:
            missing.append(row)
        else:
            left.remove(found)
    extra = [row for row in left if any(isinstance(value, int | float | Decimal) and value for value in row)]
    if not missing and not extra:
        return ""
    return f"rows of the judge alone: {missing[:4]}\nrows of the proxy alone: {extra[:4]}"


class _near_for:  # noqa: N801
    """Whether a value is the judge's, as near as the statement's functions let it be."""

    def __init__(self, sql: str) -> None:
        rounded = any(word in sql for word in _ROUNDED)
        self._relative, self._absolute = (1e-2, 1e-1) if rounded else (1e-6, 1e-6)
        self._empty = any(word in sql for word in _EMPTY)

    def __call__(self, mine: Value, theirs: Value) -> bool:
        if theirs is None and self._empty and isinstance(mine, float | Decimal):
            return True
        numbers = float | Decimal | int
        if isinstance(mine, bool) or isinstance(theirs, bool):
            return mine is theirs
        if isinstance(mine, numbers) and isinstance(theirs, numbers):
            return math.isclose(mine, theirs, rel_tol=self._relative, abs_tol=self._absolute)
        return mine == theirs

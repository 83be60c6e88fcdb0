"""What is left of pairs of units at clips of several sizes: of all rows, of those that stay where a unit leaves, and in
several engines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import product

import duckdb
import psycopg
from scratch_postgres import MAJORS, scratch_postgres
from worlds import plan

from dpproxy.catalog.policy import Catalog
from dpproxy.exact_pairs import NO_PAIRS, pairs_by_key
from dpproxy.mechanisms.paired_noise import Totals, halves_of, left_of
from dpproxy.plan.private_plan import Bounded, Literals
from dpproxy.plan.space import Block, KeyValues, Space
from dpproxy.rows import Rows

LEFT = tuple(product((0, 1, 3), (0, 1)))
Tables = Mapping[str, str]
"""By table its columns."""
Filled = Mapping[str, Sequence[Sequence[object]]]
"""By table its rows."""
Owned = Mapping[str, str]
"""By table the condition of a unit's rows there, in the order in which they may leave last."""


@contextmanager
def opened(tables: Tables, worlds: Iterable[Filled]) -> Iterator[list[duckdb.DuckDBPyConnection]]:
    """Each world in a DuckDB of its own: who takes something away gives it back."""
    with ExitStack() as stack:
        found = []
        for world in worlds:
            found.append(stack.enter_context(duckdb.connect()))
            fill(found[-1], tables, world)
        yield found


def fill(connection: duckdb.DuckDBPyConnection, tables: Tables, world: Filled) -> None:
    """The tables with their rows."""
    for name, columns in tables.items():
        connection.execute(f"CREATE TABLE {name} ({columns})")
    for table, rows in world.items():
        connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)


def asked(connection: duckdb.DuckDBPyConnection, bounded: Bounded) -> list[tuple[object, ...]]:
    """What the engine has."""
    return connection.execute(bounded.sql).fetchall()


def without(connection: duckdb.DuckDBPyConnection, owned: Owned, bounded: Bounded) -> list[tuple[object, ...]]:
    """The same where a unit left with all its rows."""
    connection.execute("BEGIN")
    try:
        for table, condition in reversed(owned.items()):
            connection.execute(f"DELETE FROM {table} WHERE {condition}")
        return asked(connection, bounded)
    finally:
        connection.execute("ROLLBACK")


def moved(bounded: Bounded, connections: Iterable[duckdb.DuckDBPyConnection], leaving: Sequence[Owned]) -> int:
    """How many of those `leaving` change what is there, none of them by more than a clip."""
    changed = 0
    for connection in connections:
        rows = asked(connection, bounded)
        whole = pairs_of(bounded, rows, rows)
        before = {(key, index): left_at_clips(each) for key, found in whole.items() for index, each in enumerate(found)}
        for owned in leaving:
            others = without(connection, owned, bounded)
            assert set(others) <= set(rows), "no row of others is changed, and none comes"
            changed += len(others) < len(rows)
            after = pairs_of(bounded, others, rows)
            for (key, index), left in before.items():
                there = left_at_clips(after[key][index] if key in after else NO_PAIRS)
                assert all(0 <= left[each] - there[each] <= 1 << each[0] for each in LEFT)
    return changed


def left_at_clips(pairs: Totals) -> dict[tuple[int, int], int]:
    """What is left of either half of pairs, at clips of several powers of two."""
    halves = halves_of(pairs)
    return {(power, half): left_of(halves[half], power) for power, half in LEFT}


def pairs_of(
    bounded: Bounded, rows: Sequence[tuple[object, ...]], every: Sequence[tuple[object, ...]]
) -> Mapping[KeyValues, Sequence[Totals]]:
    """The pairs of some rows, for each key that any of `every` has."""
    return pairs_by_key(bounded, Rows((), tuple(rows)), space_of(bounded, every))  # type: ignore[arg-type]


def space_of(bounded: Bounded, rows: Sequence[tuple[object, ...]]) -> Space:
    """All values that there are, and those that are declared."""
    blocks = []
    for place, key in enumerate(bounded.keys):
        known = key.domain.values if isinstance(key.domain, Literals) else tuple({row[place] for row in rows})
        blocks.append(Block((place,), tuple((value,) for value in known)))  # type: ignore[misc]
    return tuple(blocks)


def numbers_of(bounded: Bounded, rows: Sequence[tuple[object, ...]]) -> dict[object, object]:
    """What is made of pairs, whatever the numbers of units are."""
    return {
        key: [
            (left_of(halves_of(each)[0], 0), left_of(halves_of(each)[1], 2), int(each.amounts.sum())) for each in found
        ]
        for key, found in pairs_of(bounded, rows, rows).items()
    }


def assert_engines_agree(statements: Iterable[str], catalog: Catalog, tables: Tables, world: Filled) -> None:
    """DuckDB's and Postgres's numbers of units differ, and all that is made of them is alike."""
    with (
        scratch_postgres(list(MAJORS.values())[-1]) as server,
        psycopg.connect(server.conninfo, autocommit=True) as postgres,
        duckdb.connect() as duck,
    ):
        fill(duck, tables, world)
        for table, rows in world.items():
            postgres.execute(f"CREATE TABLE {table} ({tables[table]})".encode())
            places = ", ".join(["%s"] * len(rows[0]))
            postgres.cursor().executemany(f"INSERT INTO {table} VALUES ({places})".encode(), rows)
        for sql in statements:
            ours, theirs = (plan(sql, catalog, dialect=each).releases for each in ("duckdb", "postgres"))
            for one, other in zip(ours, theirs, strict=True):
                found = postgres.execute(other.bounded.sql.encode()).fetchall()
                assert numbers_of(one.bounded, asked(duck, one.bounded)) == numbers_of(other.bounded, found)

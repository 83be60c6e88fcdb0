"""A Postgres with the policy's tables, for neighbours: with the keys that the policy says, or with none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random

import psycopg
from scratch_postgres import scratch_postgres
from worlds import FIXTURES, READER, fitted, write_postgres_policy

from neighbours.data import World, postgres_tables
from neighbours.places import Hall


@contextmanager
def keyed(directory: Path, binaries: Path) -> Iterator[Hall]:
    """Every primary key of the policy is one in the server."""
    with scratch_postgres(binaries) as server, psycopg.connect(server.conninfo, autocommit=True) as connection:
        connection.execute(f"{postgres_tables()}; {READER}; SET TimeZone = 'UTC'; SET statement_timeout = '2min'")
        connection.execute("SET jit = off")
        connection.prepare_threshold = None
        policy = write_postgres_policy(directory, server, (FIXTURES / "world.toml").read_text())
        yield Hall(connection, fitted(policy)[1])


def unkeyed(hall: Hall) -> Hall:
    """The same, but nothing enforces the primary keys, nor does the catalog believe them; public rows are there twice.

    As fit makes of such tables, only that links to them are allowed.
    """
    tables = {
        name: replace(table, unique=frozenset(), max_rows_per_unit=max(3, table.max_rows_per_unit or 0))
        for name, table in hall.catalog.tables.items()
    }
    changes = [
        f"ALTER TABLE public.{name} DROP CONSTRAINT {name}_pkey, ALTER COLUMN {column} DROP NOT NULL;"
        for name, table in tables.items()
        for column in table.primary_key
    ]
    twice = [
        f"INSERT INTO public.{name} SELECT * FROM public.{name};" for name, table in tables.items() if table.public
    ]
    return Hall(hall.connection, replace(hall.catalog, tables=tables), "".join([*changes, *twice]))


def doubled(world: World, random: Random) -> World:
    """The world with rows that violate each key: several of one key, of several units, and of none."""
    tables = dict(world.tables)
    for name in ("people", "customer", "orders"):
        rows = tables[name]
        again = [(row[0], *random.choice(rows)[1:]) for row in rows for _ in range(random.choice([0, 1, 3]))]
        tables[name] = [*rows, *again, *(("NULL", *row[1:]) for row in rows[:1])]
    return World(tables, world.heavy * 2)

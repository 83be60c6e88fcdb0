"""What the proxy of the clients' tests stands before: DuckDB and a front of its own, or a given Postgres server.

What clients do not get from a given front whose owner is no superuser stands in `REFUSED_WHERE_GIVEN`, and nothing else
differs but what is `OPEN_WHERE_GIVEN`.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Any, assert_never

import duckdb
import psycopg
from given import make_given_world
from psycopg.conninfo import make_conninfo
from scratch_postgres import INSTALLATIONS, ScratchPostgres, scratch_postgres
from worlds import make_world

from dpproxy.config import load
from dpproxy.config.field_types import Embedded, Postgres
from dpproxy.engines.duckdb.provider import DuckDBFile
from dpproxy.engines.postgres.provider import PostgresDatabase
from dpproxy.front.embedded_front import running

from .served import Served, serving


class Backend(StrEnum):
    """EMBEDDED: the engine is a DuckDB file; front and ledger are dpproxy's own Postgres.

    GIVEN: engine, front and ledger are three databases of one server, each of a role that is no superuser.
    """

    EMBEDDED = "embedded"
    GIVEN = "given"


# The role that owns what the proxy makes in the front.
OWNERS = {Backend.EMBEDDED: "dpproxy", Backend.GIVEN: "keeper"}

# What is in the embedded front, where Postgres itself locks it or hides others in it, and what the gate refuses by name
# (42501) on a given front whose owner is no superuser: only a superuser can lock what is Postgres's own.
REFUSED_WHERE_GIVEN = {
    "pg_stat_activity": "who else is there, and what they ask",
    "pg_stat_database": "how much all of them do",
    "pg_stat_all_tables": "how often tables are read and written",
    "pg_stat_user_tables": "the same",
    "pg_stat_user_indexes": "the same, of indexes",
    "pg_statio_user_tables": "how much of them is read from the disk",
    "pg_statio_user_sequences": "the same, of sequences",
    "pg_stat_wal": "how much is written",
    "pg_stat_bgwriter": "the same",
    "pg_stat_io": "the same",
    "pg_stat_slru": "the same",
    "pg_stat_progress_copy": "who copies how much",
    "pg_locks": "what others have open",
    "pg_blocking_pids": "for whom others wait",
    "pg_prepared_xacts": "transactions of others",
    "pg_replication_slots": "what reads along",
    "pg_database_size": "how much others keep",
    "pg_tablespace_size": "the same",
}
# What nobody holds back there: how many sessions the server has, which tools ask about their own.
OPEN_WHERE_GIVEN = "pg_stat_ssl"
# psql's commands that ask for these.
COMMANDS_REFUSED_WHERE_GIVEN = {r"\l+": "pg_database_size", r"\db+": "pg_tablespace_size"}


def refused_in(backend: Backend, sql: str) -> set[str]:
    """The names in a statement that the gate refuses before such a front."""
    words = set(re.findall(r"\w+", sql))
    return words & REFUSED_WHERE_GIVEN.keys() if backend is Backend.GIVEN else set()


@contextmanager
def made_world(backend: Backend, directory: Path) -> Iterator[Path]:
    """The path of the policy of sql_fixtures' world, whose servers are there until the block ends.

    Each given one has a server of its own: fronts of one server share the analysts' names.
    """
    match backend:
        case Backend.EMBEDDED:
            yield make_world(directory)
        case Backend.GIVEN:
            with scratch_postgres(list(INSTALLATIONS.values())[-1]) as server:
                yield make_given_world(directory, server)
        case _:
            assert_never(backend)


def superuser_of_the_front(served: Served) -> str:
    """How a superuser connects to the front's database, behind the proxy's back."""
    match load(served.policy, {}).front.url:
        case Embedded(directory):
            return asyncio.run(_running(directory, served.database))
        case Postgres(url):
            return make_conninfo(url, user=ScratchPostgres.owner)


async def _running(directory: Path, database: str) -> str:
    async with running(directory, database) as found:
        return found.conninfo()


def in_the_engine(served: Served, sql: str) -> list[tuple[Any, ...]]:
    """The rows of a statement in the engine itself, behind the proxy's back."""
    match load(served.policy, {}).engine.url:
        case DuckDBFile(path):
            with duckdb.connect(str(path), read_only=True) as connection:
                return connection.execute(sql).fetchall()
        case PostgresDatabase(url):
            with psycopg.connect(url) as connection:
                return connection.execute(sql.encode()).fetchall()


@contextmanager
def served_lavishly(backend: Backend, directory: Path) -> Iterator[Served]:
    """The world's proxy, whose analyst alice may ask without noise to speak of."""
    with made_world(backend, directory) as policy:
        policy.write_text(policy.read_text().replace("epsilon = 100.0", "epsilon = 1e15"))
        with serving(policy, "demo") as served:
            yield served

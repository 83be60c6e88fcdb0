"""What the proxy of the clients' tests stands before: DuckDB and the embedded front, or a Postgres server that is given.

Of what there is on a given front only for a superuser as its owner, `REFUSED` says what clients get instead.
"""

from __future__ import annotations

import asyncio
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
from dpproxy.config.fields import DuckDBFile, Embedded, Postgres
from dpproxy.front.embedded import running

from .served import Served


class Backend(StrEnum):
    """EMBEDDED: the engine is a DuckDB file; front and ledger are dpproxy's own Postgres.

    GIVEN: engine, front and ledger are three databases of one server, each of a role that is no superuser.
    """

    EMBEDDED = "embedded"
    GIVEN = "given"


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
        case Postgres(url):
            with psycopg.connect(url) as connection:
                return connection.execute(sql.encode()).fetchall()

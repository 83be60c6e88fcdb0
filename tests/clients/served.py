"""A proxy in a process of its own, and the ways to it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg
from clusters import with_front
from forked import serve
from psycopg.conninfo import make_conninfo

from dpproxy.config import load
from dpproxy.front.binaries import find_binaries

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Served:
    """A running proxy: where it listens, and the file that its log goes to."""

    host: str
    port: int
    database: str
    log: Path

    @property
    def policy(self) -> Path:
        """The proxy's configuration."""
        return self.log.with_suffix(".toml")

    def conninfo(self, user: str = "alice", **more: Any) -> str:
        """How libpq connects."""
        keywords = {"host": self.host, "port": self.port, "dbname": self.database, "user": user, **more}
        return make_conninfo("", **{name: str(value) for name, value in keywords.items()})

    def connect(self, user: str = "alice", **more: Any) -> psycopg.Connection[Any]:
        """A connection of psycopg in autocommit, so that each statement stands for itself."""
        return psycopg.connect(self.conninfo(user, **more), autocommit=True)

    def keywords(self, user: str = "alice", **settings: str) -> dict[str, Any]:
        """How asyncpg connects."""
        return {
            "host": self.host,
            "port": self.port,
            "database": self.database,
            "user": user,
            "ssl": False,
            "server_settings": settings,
        }


@contextmanager
def serving(policy: Path, database: str) -> Iterator[Served]:
    """The proxy of a configuration with port 0, until the block ends. It then has to end well, too."""
    with_front(load(policy, os.environ))
    log = policy.with_suffix(".log")
    with log.open("wb") as errors:
        process = serve(policy, errors, ROOT)
    try:
        line = process.stdout.readline()
        assert line.startswith("listening on "), log.read_text()
        host, _, port = line.removeprefix("listening on ").strip().rpartition(":")
        yield Served(host, int(port), database, log)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
    assert process.returncode in (0, 1), (process.returncode, log.read_text())


def psql_program() -> Path | None:
    """A psql: that beside the front's server, whose catalog it knows, or that of the machine."""
    found = shutil.which("psql")
    return find_binaries().psql or (Path(found) if found else None)


@dataclass(frozen=True)
class Said:
    """What psql wrote, and its exit status (3 where a statement failed under ON_ERROR_STOP)."""

    out: str
    err: str
    status: int


def psql(program: Path, conninfo: str, *arguments: str, script: str = "") -> Said:
    """Run psql without a .psqlrc: unaligned rows without headers, columns apart by |."""
    done = subprocess.run(
        [program, "-X", "-At", "-v", "ON_ERROR_STOP=1", *arguments, conninfo],
        input=script,
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PGCLIENTENCODING": "UTF8", "LC_ALL": "C.UTF-8"},
    )
    return Said(done.stdout, done.stderr, done.returncode)


def spent(connection: psycopg.Connection[Any]) -> tuple[Decimal, Decimal, int]:
    """What the analyst of this connection has spent: ε, δ, and the number of charges."""
    row: tuple[Decimal, Decimal, int] | None = connection.execute(
        "SELECT spent_epsilon, spent_delta, (SELECT coalesce(max(id), 0) FROM dp.statements) FROM dp.budget"
    ).fetchone()
    assert row is not None
    return row

"""A proxy of its own for a test, as a process: started, killed, looked at from outside, and gone at the end."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import psutil
import psycopg
from clusters import with_front
from forked import ForkedProcess, serve
from psycopg.rows import dict_row
from worlds import make_world

from dpproxy.config import Config, load
from dpproxy.front.embedded_front import running
from dpproxy.front.front_directory import FrontDirectory
from dpproxy.front.orphans import servers

PATIENCE_SECONDS = 60.0


def write_policy(directory: Path, changes: Mapping[str, str]) -> Config:
    """The small world and its policy in `directory`, with each text of `changes` replaced, which must be there."""
    directory.mkdir(exist_ok=True)
    path = make_world(directory)
    text = path.read_text()
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new)
    path.write_text(text)
    return load(path, {})


@dataclass(slots=True)
class ServedProxy:
    """A running `dpproxy serve`, listening on 127.0.0.1. `log` is its stderr, kept over restarts."""

    config: Config
    log: Path
    process: ForkedProcess
    port: int

    @property
    def postmaster(self) -> int:
        """The process id of the front's postmaster."""
        return int((self.config.front.url.directory / "data" / "postmaster.pid").read_text().split()[0])

    def kill(self) -> None:
        """kill -9 of the proxy alone."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        """SIGTERM; the exit status."""
        self.process.terminate()
        return self.process.wait(PATIENCE_SECONDS)

    def dsn(self, user: str) -> str:
        """How an analyst connects."""
        return f"postgresql://{user}@127.0.0.1:{self.port}/{self.config.server.database}"


def start(config: Config) -> ServedProxy:
    """Start a proxy on a policy; returns when it listens."""
    with_front(config)
    log = config.path.with_suffix(".log")
    with log.open("a") as errors:
        process = serve(config.path, errors)
    line = process.stdout.readline()
    if not line.startswith("listening on "):
        process.kill()
        process.wait()
        raise AssertionError(f"the proxy did not start: {line!r}\n{log.read_text()[-4000:]}")
    return ServedProxy(config, log, process, int(line.rsplit(":", 1)[1]))


@contextmanager
def serving(config: Config) -> Iterator[ServedProxy]:
    """A proxy for the length of a block; see `nothing_left`."""
    with nothing_left(config):
        proxy = start(config)
        try:
            yield proxy
            assert proxy.stop() == 0, proxy.log.read_text()[-4000:]
        finally:
            proxy.kill()


@contextmanager
def nothing_left(config: Config) -> Iterator[None]:
    """Ends what still runs of the front after a block, whatever happened in it."""
    try:
        yield
    finally:
        for process in front_processes(config):
            end(process)


def end(process: psutil.Process) -> None:
    """An immediate stop of a server process that may have ended by itself.

    Not kill -9: that would leave its shared memory with the kernel, which has room for 4,096 servers' in all.
    """
    with suppress(psutil.NoSuchProcess):
        process.send_signal(signal.SIGCONT)
        process.send_signal(signal.SIGQUIT)
        try:
            process.wait(PATIENCE_SECONDS)
        except psutil.TimeoutExpired:
            process.kill()


def front_processes(config: Config) -> list[psutil.Process]:
    """All server processes of the policy's front."""
    place = FrontDirectory(config.front.url.directory)
    return servers(place.tag()) if place.data.exists() else []


@dataclass(frozen=True, slots=True)
class Books:
    """The ledger at one moment: all charges in order, and what each account spent, by kind and name."""

    charges: list[dict[str, Any]]
    spent: dict[tuple[str, str], Decimal]


async def books(config: Config) -> Books:
    """The ledger as the owner of the front's database sees it, while a proxy runs. Raises psycopg.OperationalError."""
    async with running(config.front.url.directory, config.server.database) as address:
        connection = await psycopg.AsyncConnection.connect(address.conninfo(), row_factory=dict_row)
        async with connection:
            await connection.set_isolation_level(psycopg.IsolationLevel.REPEATABLE_READ)
            charges = await (await connection.execute("SELECT * FROM dp_ledger.charges ORDER BY id")).fetchall()
            accounts = await (await connection.execute("SELECT kind, name, main FROM dp_ledger.accounts")).fetchall()
    return Books(charges, {(row["kind"], row["name"]): row["main"] for row in accounts})

"""The embedded front: a Postgres of our own in one directory, started and stopped with the proxy.

It listens on a Unix socket in its own private directory only, everyone signs in by SCRAM, and the owner's random
password lies in a file of mode 0600. `front_directory.py` says what is on disk, `directory_lock.py` who holds it,
`server_process.py` how server processes start and `orphans.py` how they end.
"""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from subprocess import Popen
from types import TracebackType
from typing import IO

import psycopg
from psycopg import sql

from dpproxy.errors import FrontUnavailable
from dpproxy.front.binaries import Binaries, find_binaries, within_reach
from dpproxy.front.directory_lock import claimed, sync_directory, write_private
from dpproxy.front.front_address import FrontAddress
from dpproxy.front.front_directory import FrontDirectory, ServerUser
from dpproxy.front.orphans import end_orphans, stop_server
from dpproxy.front.roles import USUAL
from dpproxy.front.server_process import OWNER, PORT, Launcher, exited, log_tail, ready

__all__ = ["Binaries", "EmbeddedFront", "FrontAddress", "find_binaries", "make_ahead", "running"]

_LONGEST_SOCKET_PATH = 103  # bytes: 107 on Linux, 103 on macOS
_LONGEST_NAME = 63  # bytes of a Postgres identifier


class EmbeddedFront:
    """A running front. `start` makes one; `stop`, or leaving `async with`, ends it and gives the directory back.

    Start it from a thread that lives as long as the front: on Linux the server is told to stop when that thread ends,
    so that it does not outlive a proxy that was killed.
    """

    __slots__ = ("_held", "_process", "address")

    def __init__(self, address: FrontAddress, process: Popen[bytes], held: AsyncExitStack) -> None:
        self.address = address
        self._process = process
        self._held = held

    @classmethod
    async def start(cls, directory: Path, database: str, sessions: int = USUAL) -> EmbeddedFront:
        """Start the server in `directory`, making the cluster and the database where they are missing.

        sessions: how many analysts' sessions there is to be room for.

        Raises FrontUnavailable: another proxy uses the directory, it belongs to another user or another program,
        binaries are missing, or the server does not start (with the end of its log).
        """
        _check_name(database)
        try:
            return await cls._start(directory, database, sessions)
        except OSError as error:
            raise FrontUnavailable(
                f"the embedded front could not be started in {directory}", detail=str(error)
            ) from error

    @classmethod
    async def _start(cls, directory: Path, database: str, sessions: int) -> EmbeddedFront:
        async with AsyncExitStack() as held:
            place = held.enter_context(claimed(directory))
            launcher = _launcher(place)
            await end_orphans(place)
            if not place.data.exists():
                await _make_cluster(launcher)
            process = launcher.postgres(sessions)
            held.push_async_callback(stop_server, process, place.tag())
            await ready(process, place)
            address = FrontAddress(_socket_directory(place), PORT, database, OWNER, _read_password(place))
            await _make_database(address)
            return cls(address, process, held.pop_all())
        raise AssertionError("what is held swallows no error")

    @property
    def pid(self) -> int:
        """The postmaster's process id."""
        return self._process.pid

    async def stop(self) -> None:
        """Stop the server (fast shutdown: open transactions roll back) and give the directory back. May be repeated."""
        await self._held.aclose()

    async def wait(self) -> None:
        """Return when the postmaster has ended; after that `stop` and `start` bring the front back."""
        await exited(self._process, every=0.1)

    async def __aenter__(self) -> EmbeddedFront:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()


async def make_ahead(directory: Path) -> None:
    """Make the cluster in `directory` where it is missing, so that `EmbeddedFront.start` finds it there.

    Raises FrontUnavailable.
    """
    with claimed(directory) as place:
        if not place.data.exists():
            await _make_cluster(_launcher(place))


@asynccontextmanager
async def running(directory: Path, database: str) -> AsyncIterator[FrontAddress]:
    """Where a front listens that another process started in `directory`; it may have ended meanwhile.

    Nothing is started and nothing is claimed. Raises FrontUnavailable where there is no front that is ours to read.
    """
    place = FrontDirectory(directory.absolute())
    try:
        host = _socket_directory(place)
    except OSError as error:
        raise FrontUnavailable(f"there is no front in {directory}", detail=str(error)) from None
    yield FrontAddress(host, PORT, database, OWNER, _read_password(place))


def _check_name(database: str) -> None:
    if not database or len(database.encode()) > _LONGEST_NAME or "\0" in database:
        raise FrontUnavailable(
            f"{database!r} cannot be the name of a database", hint=f"Choose a name of 1 to {_LONGEST_NAME} bytes."
        )


def _launcher(place: FrontDirectory) -> Launcher:
    user = place.server_user()
    return Launcher(within_reach(find_binaries(place.major_version()), user), place, user)


async def _make_cluster(launcher: Launcher) -> None:
    """Make the cluster beside its place and rename it last: a half one, from a start that was killed, is made anew."""
    place = launcher.directory
    if place.unfinished.exists():
        shutil.rmtree(place.unfinished)
    place.unfinished.mkdir(mode=0o700)
    password = secrets.token_urlsafe(24)
    with tempfile.TemporaryFile() as secret:
        _give(launcher.user, place.unfinished, secret)
        secret.write(password.encode())
        secret.seek(0)
        await _run_initdb(launcher, secret)
    write_private(place.password, password)
    place.unfinished.rename(place.data)
    sync_directory(place.path)


def _give(user: ServerUser | None, directory: Path, secret: IO[bytes]) -> None:
    if user is not None:
        os.chown(directory, user.uid, user.gid)
        os.fchown(secret.fileno(), user.uid, user.gid)


async def _run_initdb(launcher: Launcher, secret: IO[bytes]) -> None:
    process = launcher.initdb(secret)
    try:
        if await exited(process) != 0:
            raise FrontUnavailable("the front's cluster could not be made", detail=log_tail(launcher.directory))
    finally:
        process.kill()  # after a cancellation; without effect on one that has ended
        process.wait()


def _read_password(place: FrontDirectory) -> str:
    try:
        return place.password.read_text()
    except OSError as error:
        raise FrontUnavailable(f"the owner's password in {place.password} cannot be read", detail=str(error)) from None


def _socket_directory(place: FrontDirectory) -> str:
    """Where clients find the socket. A path that is too long for one, or that libpq would split at a comma, is
    reached through an open directory of this process instead, which leaves nothing to clean up."""
    socket = place.data / f".s.PGSQL.{PORT}"
    if len(os.fsencode(socket)) <= _LONGEST_SOCKET_PATH and "," not in str(socket):
        return str(place.data)
    through = f"/proc/{os.getpid()}/fd/{_door(place.data, place.data.stat().st_ino)}"
    if not Path(through).exists():
        raise FrontUnavailable(f"the path {place.path} does not fit a Unix socket", hint="Choose a shorter, plain one.")
    return through


@cache
def _door(data: Path, _inode: int) -> int:
    """A descriptor of the directory that stays open as long as this process: addresses outlive a front's restart."""
    return os.open(data, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)


async def _make_database(address: FrontAddress) -> None:
    try:
        connection = await psycopg.AsyncConnection.connect(
            replace(address, database="postgres").conninfo(), autocommit=True
        )
        async with connection:
            known = await connection.execute("SELECT FROM pg_database WHERE datname = %s", (address.database,))
            if known.rowcount == 0:
                name = sql.Identifier(address.database)
                await connection.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8'").format(name))
            # Whoever signs in is an analyst, and has no business there.
            await connection.execute("REVOKE ALL ON DATABASE postgres, template1 FROM PUBLIC")
    except psycopg.Error as error:
        raise FrontUnavailable("the embedded front refused its owner", detail=str(error)) from None

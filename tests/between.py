"""What may stand between a proxy and a Postgres: a pooler, and a network that fails.

`pooled` is pgbouncer in transaction mode, which gives each transaction to any of few server processes. `Wire` relays
connections and fails when it is told to.
"""

from __future__ import annotations

import asyncio
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict

PATIENCE_SECONDS = 20.0
_SETTINGS = """
[databases]
{database} = {there}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
pool_mode = transaction
default_pool_size = {size}
query_wait_timeout = 10
server_login_retry = 1
server_connect_timeout = 5
auth_type = any
"""


def pgbouncer() -> str | None:
    """Where pgbouncer is; Debian puts it where not everybody looks."""
    return shutil.which("pgbouncer", path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin")


@asynccontextmanager
async def pooled(conninfo: str, size: int = 3) -> AsyncIterator[str]:
    """A pgbouncer with `size` connections to a database, which it shows to everybody; how to connect to it."""
    program = pgbouncer()
    assert program is not None
    there, port = conninfo_to_dict(conninfo), _free_port()
    with tempfile.TemporaryDirectory(prefix="dpp") as directory:
        settings = Path(directory) / "ini"
        words = " ".join(f"{key}={there[key]}" for key in ("host", "port", "dbname", "user") if there.get(key))
        settings.write_text(_SETTINGS.format(database=there["dbname"], there=words, port=port, size=size))
        nobody = pwd.getpwnam("nobody") if os.geteuid() == 0 else None
        if nobody is not None:
            for path in (directory, settings):
                os.chown(path, nobody.pw_uid, nobody.pw_gid)
        with (Path(directory) / "log").open("wb") as log:
            process = subprocess.Popen(
                [program, "-q", settings], stdout=log, stderr=log, user=nobody.pw_uid if nobody else None
            )
        try:
            own = f"host=127.0.0.1 port={port} dbname={there['dbname']} user={there['user']} sslmode=disable"
            await asyncio.to_thread(_wait, process, own, Path(directory) / "log")
            yield own
        finally:
            process.kill()
            process.wait()


def _wait(process: subprocess.Popen[bytes], conninfo: str, log: Path) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            psycopg.connect(conninfo, connect_timeout=5).close()
            return
        except psycopg.OperationalError as fault:
            assert process.poll() is None and time.monotonic() < until, f"{fault}\n{log.read_text()[-2000:]}"
            time.sleep(0.05)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


class Wire:
    """A relay to one server. `port` is where it listens, on 127.0.0.1.

    replies: how many more packets of the server's are passed on before all connections are cut; None is no end.
    silent: whether nothing is passed on any more, either way, while connections stay.
    closed: whether new connections are ended at once.
    """

    def __init__(self, conninfo: str) -> None:
        self._there = conninfo_to_dict(conninfo)
        self._open: set[asyncio.StreamWriter] = set()
        self.port = 0
        self.replies: int | None = None
        self.silent = False
        self.closed = False

    @property
    def conninfo(self) -> str:
        """How to connect through it."""
        return (
            f"host=127.0.0.1 port={self.port} dbname={self._there['dbname']} user={self._there['user']} sslmode=disable"
        )

    def cut(self) -> None:
        """Ends all connections, as a reset does."""
        for writer in self._open:
            writer.transport.abort()
        self._open.clear()

    async def relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, from its beginning to its end."""
        try:
            if self.closed:
                raise ConnectionRefusedError
            there, back = await self._connected()
        except OSError:
            writer.transport.abort()
            return
        self._open |= {writer, back}
        try:
            await asyncio.gather(self._pump(reader, back, False), self._pump(there, writer, True))
        finally:
            self._open -= {writer, back}
            writer.transport.abort()
            back.transport.abort()

    async def _connected(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        host, port = str(self._there["host"]), int(self._there.get("port") or 5432)
        if host.startswith("/"):
            return await asyncio.open_unix_connection(f"{host}/.s.PGSQL.{port}")
        return await asyncio.open_connection(host, port)

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, reply: bool) -> None:
        with suppress(OSError):
            while data := await source.read(65536):
                if reply and self.replies is not None:
                    self.replies -= 1
                    if self.replies < 0:
                        self.cut()
                        return
                if not self.silent:
                    sink.write(data)
                    await sink.drain()
        sink.transport.abort()


@asynccontextmanager
async def wired(conninfo: str) -> AsyncIterator[Wire]:
    """A relay to the server that `conninfo` names, for the length of a block."""
    wire = Wire(conninfo)
    server = await asyncio.start_server(wire.relay, "127.0.0.1", 0)
    wire.port = server.sockets[0].getsockname()[1]
    try:
        yield wire
    finally:
        server.close()
        wire.cut()
        await server.wait_closed()

"""The listener: who connects, and what is served to whom."""

from __future__ import annotations

import asyncio
import logging
import signal
import ssl
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Final

from dpproxy.config import Config
from dpproxy.config.model import Analyst
from dpproxy.errors import ConfigFault, DPProxyError, ProtocolFault, TooManyConnections
from dpproxy.server import fronts
from dpproxy.server.greeting import (
    ALPN,
    Caller,
    Gone,
    admit,
    authenticate,
    caller,
    check_database,
    first_packet,
    negotiate,
)
from dpproxy.server.house import open_house
from dpproxy.server.pipe import Pipe
from dpproxy.server.reload import reloading
from dpproxy.server.sessions import Keys, Session
from dpproxy.session.clerk import Clerk
from dpproxy.session.faults import error_bytes
from dpproxy.wire import FRONTEND_LIMITS, CancelRequest, Limits, ProtocolViolation, StartupMessage

_log: Final = logging.getLogger(__name__)
_MINOR_SINCE: Final = 180000
_SPARE_CONNECTIONS: Final = 20


class Proxy:
    """A running proxy: `start`, then `port`; `stop` ends it. Also an async context manager."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._stack = AsyncExitStack()
        self._keys = Keys()
        self._tasks: set[asyncio.Task[None]] = set()
        self._dismissable: dict[asyncio.Task[Any], str] = {}
        largest = config.server.max_message_bytes
        self._limits = Limits({**FRONTEND_LIMITS.caps, **dict.fromkeys((b"B", b"Q", b"P"), largest)})

    async def start(self) -> Proxy:
        """Open everything and listen. Raises ConfigFault and FrontUnavailable; then nothing is left open."""
        try:
            self._tls = tls_context(self._config)
            self.house = await open_house(self._config, self._stack)
            self._server = await asyncio.get_running_loop().create_server(
                lambda: Pipe(self._connected), self._config.server.host, self._config.server.port, backlog=1024
            )
        except OSError as fault:
            await self.stop()
            raise ConfigFault(f"cannot listen on {self._config.server.host}:{self._config.server.port}") from fault
        except BaseException:
            await self.stop()
            raise
        self._stack.push_async_callback(self._hang_up)
        return self

    @property
    def port(self) -> int:
        """The port that it listens on."""
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def stop(self) -> None:
        """End all sessions and close everything. May be repeated."""
        await self._stack.aclose()

    @property
    def path(self) -> Path:
        """The file that the configuration was read from."""
        return self._config.path

    async def reload(self, config: Config) -> None:
        """Serve another policy from now on. Sessions go on and read it at their next statement, but those of analysts
        who are gone, or have another password, end.

        Raises ConfigFault and FrontUnavailable; then nothing has changed.
        """
        before = self.house.config.analysts
        await self.house.furnish(config)
        for task, user in tuple(self._dismissable.items()):
            if _way_in(before.get(user)) != _way_in(config.analysts.get(user)):
                task.cancel()

    async def __aenter__(self) -> Proxy:
        return await self.start()

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def _hang_up(self) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _connected(self, pipe: Pipe) -> None:
        """Serve it, unless so many are there that they can only be cancel requests or sockets that say nothing."""
        if len(self._tasks) >= 2 * self._config.server.max_connections + _SPARE_CONNECTIONS:
            pipe.close()
            return
        task = asyncio.get_running_loop().create_task(self._serve(pipe))
        self._tasks.add(task)
        task.add_done_callback(self._served)

    def _served(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._dismissable.pop(task, None)
        if not task.cancelled() and (fault := task.exception()) is not None:
            _log.error("a session could not begin", exc_info=fault)

    async def _serve(self, pipe: Pipe) -> None:
        try:
            await self._greet_and_run(pipe)
        except DPProxyError as fault:
            pipe.write(error_bytes(fault, "utf-8", severity="FATAL"))
        except ProtocolViolation as fault:
            pipe.write(error_bytes(_as_fault(fault), "utf-8", severity="FATAL"))
        except (Gone, OSError, TimeoutError):
            _log.debug("a client left before its session began")
        finally:
            pipe.close()

    async def _greet_and_run(self, pipe: Pipe) -> None:
        client, config = caller(pipe), self._config
        async with asyncio.timeout(config.server.startup_timeout):
            packet = await first_packet(client, self._tls)
            if isinstance(packet, CancelRequest):
                await self._keys.cancel(packet, self.house.address)
                return
            if len(self._tasks) > config.server.max_connections:
                raise TooManyConnections("sorry, too many clients already")
            startup = await negotiate(client, packet, self._minor)
            user = admit(startup, config, client.encrypted)
            await authenticate(client, user, self.house.config.analysts.get(user))
            self._dismissable[_this_task()] = user
            check_database(startup, config)
            front, first = await self._open_front(startup, user)
        await self._run(client, front, first, Clerk(lambda: self.house.office(user), fronts.settings_of(startup)))

    @property
    def _minor(self) -> int:
        """The newest minor version of the protocol that the front speaks."""
        return 2 if self.house.catalog.server_version >= _MINOR_SINCE else 0

    async def _open_front(self, startup: StartupMessage, user: str) -> tuple[Pipe, bytes]:
        address = self.house.address
        packet = fronts.front_startup(startup, user, address.database, self.house.config.startup_options(user))
        front = await fronts.connect(address)
        try:
            return front, await fronts.sign_in(front, packet, user, self.house.passwords[user])
        except BaseException:
            front.abort()
            raise

    async def _run(self, client: Caller, front: Pipe, first: bytes, clerk: Clerk) -> None:
        session = Session(client.pipe, front, clerk, self._limits, self._keys, self._config.server.idle_timeout)
        await session.run(client.ahead, first, self.house.address)


def _this_task() -> asyncio.Task[Any]:
    task = asyncio.current_task()
    assert task is not None
    return task


def _way_in(analyst: Analyst | None) -> tuple[bool, str | None] | None:
    return None if analyst is None else (analyst.trust, analyst.password)


def _as_fault(fault: ProtocolViolation) -> DPProxyError:
    return ProtocolFault(str(fault))


def tls_context(config: Config) -> ssl.SSLContext | None:
    """The certificate and its key; None where there are none. Raises ConfigFault where they cannot be used."""
    if config.server.tls_cert is None or config.server.tls_key is None:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(config.server.tls_cert, config.server.tls_key)
        context.set_alpn_protocols([ALPN])
    except (OSError, ssl.SSLError) as fault:
        told = (
            f"{config.path}: server.tls_cert: cannot be used with server.tls_key ({fault}); expected a pair that fits"
        )
        raise ConfigFault(f"{config.path} has a fault", detail=told) from fault
    return context


async def serve(config: Config) -> None:
    """Serve until SIGTERM or SIGINT. Prints the line "listening on HOST:PORT" to stdout, and nothing else."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    async with Proxy(config) as proxy, reloading(proxy):
        sys.stdout.write(f"listening on {config.server.host}:{proxy.port}\n")
        sys.stdout.flush()
        await stopped.wait()

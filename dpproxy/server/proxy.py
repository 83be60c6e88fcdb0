"""The listener: who connects, and what is served to whom."""

from __future__ import annotations

import asyncio
import logging
import ssl
from contextlib import AsyncExitStack
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any, Final, assert_never

from dpproxy.answer import Rooms
from dpproxy.config import Config
from dpproxy.config.model import Allowed, Analyst
from dpproxy.errors import ConfigFault, DPProxyError, ProtocolFault
from dpproxy.front.schema import FrontHeld
from dpproxy.server import fronts
from dpproxy.server.gauges import TEXTS, Gauges
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
from dpproxy.server.guests import Guest, Guests
from dpproxy.server.health import Health
from dpproxy.server.holdings import Holdings
from dpproxy.server.house import open_house
from dpproxy.server.lobby import Lobby
from dpproxy.server.logs import event, told
from dpproxy.server.metrics import Metrics
from dpproxy.server.pace import pace_of
from dpproxy.server.parts import parts, pools
from dpproxy.server.pipe import Pipe
from dpproxy.server.planning import Planning
from dpproxy.server.sessions import Keys, Rules, Session
from dpproxy.server.shapes import names_of
from dpproxy.server.turns import Turns, share
from dpproxy.server.watched import SessionWatch, WatchedClerk, Watchers, watched
from dpproxy.session.faults import error_bytes
from dpproxy.wire import FRONTEND_LIMITS, CancelRequest, Limits, ProtocolViolation, StartupMessage

_log: Final = logging.getLogger(__name__)
_MINOR_SINCE: Final = 180000
_SPARE_CONNECTIONS: Final = 20


class CannotConnectNow(DPProxyError, sqlstate="57P03"):
    """The proxy stops, or too many others knock."""


class Proxy:
    """A running proxy: `start`, then `port`; `stop` ends it. Also an async context manager."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._stack = AsyncExitStack()
        self._keys = Keys()
        self._tasks: set[asyncio.Task[None]] = set()
        self._lobby = Lobby(config.server.max_connections + _SPARE_CONNECTIONS)
        self._guests = Guests(config.server.max_connections, lambda user: self._allowed(user).connections)
        self._turns = Turns(config.engine.max_concurrency, lambda user: share(self._allowed(user)))
        self._planning = Planning(self._allowed)
        self._numbers = count(1)
        self._closed = self._ending = False
        self.metrics = Metrics()
        largest = config.server.max_message_bytes
        limits = Limits({**FRONTEND_LIMITS.caps, **dict.fromkeys((b"B", b"Q", b"P"), largest)})
        holdings = Holdings(lambda user: self._allowed(user).memory)
        self._rules = Rules(limits, self._keys, config.server.idle_timeout, holdings)

    async def start(self) -> Proxy:
        """Open everything and listen. Raises ConfigFault and FrontUnavailable; then nothing is left open."""
        try:
            self._stack.callback(self._planning.close)
            self._tls = tls_context(self._config)
            self.house = await open_house(self._config, self._stack, self._watched)
            self.health = Health(parts(self.house, self._turns))
            self._stack.push_async_callback(self.health.close)
            self._server = await asyncio.get_running_loop().create_server(
                lambda: Pipe(self._connected), self._config.server.host, self._config.server.port, backlog=1024
            )
        except OSError as fault:
            await self.stop()
            raise ConfigFault(f"cannot listen on {self._config.server.host}:{self._config.server.port}") from fault
        except BaseException:
            await self.stop()
            raise
        self._port: int = self._server.sockets[0].getsockname()[1]
        self._stack.push_async_callback(self._hang_up)
        gauges = Gauges(self._lobby, self._guests, self._turns, self._rules.holdings, self.health, pools(self.house))
        self.metrics.gauges(TEXTS, gauges.now)
        return self

    def _watched(self, rooms: Rooms) -> Rooms:
        watchers = Watchers(self.metrics)
        pace = pace_of(self._config, watchers.held, lambda: self._ending)
        return replace(watched(rooms, watchers, self._turns.turn), pace=pace)

    def _allowed(self, user: str) -> Allowed:
        return self.house.config.limits_of(user)

    @property
    def port(self) -> int:
        """The port that it listens on, or did before it was drained."""
        return self._port

    async def stop(self) -> None:
        """End all sessions and close everything. May be repeated."""
        await self._stack.aclose()

    async def drain(self) -> None:
        """Let nobody in any more, and wait until nobody is there, or for as long as is allowed.

        Sessions end at once that have nothing at work and no transaction open, others as soon as it is so. Whoever is
        still there afterwards is for `stop` to end.
        """
        self.health.draining = True
        await asyncio.sleep(self._config.server.drain_delay)
        self._closed = True
        self._server.close()
        self._lobby.clear()
        event(_log, logging.INFO, "draining", sessions=len(self._guests))
        for guest in self._guests:
            if guest.session is not None:
                guest.session.drain()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=self._config.server.drain_timeout)
        event(_log, logging.INFO, "drained", sessions_left=len(self._guests))

    @property
    def path(self) -> Path:
        """The file that the configuration was read from."""
        return self._config.path

    async def reload(self, config: Config) -> None:
        """Serve another policy from now on. Sessions go on and read it at their next statement, but those of analysts
        who are gone, or have another password, end; and where a transaction keeps the front from being changed, those
        that have one open, or a policy could be kept from getting tighter for as long as one likes.

        Raises ConfigFault and FrontUnavailable; then the policy is as it was.
        """
        before = self.house.config.analysts
        try:
            await self.house.furnish(config)
        except FrontHeld:
            await self._end_transactions()
            await self.house.furnish(config)
        for task, guest in self._guests.by_task.items():
            if _way_in(before.get(guest.user)) != _way_in(config.analysts.get(guest.user)):
                task.cancel()

    async def _end_transactions(self) -> None:
        busy = [task for task, guest in self._guests.by_task.items() if guest.session and not guest.session.resting]
        event(_log, logging.WARNING, "a reload ends open transactions", sessions=len(busy))
        for task in busy:
            task.cancel()
        await asyncio.gather(*busy, return_exceptions=True)

    async def __aenter__(self) -> Proxy:
        return await self.start()

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def _hang_up(self) -> None:
        self._ending = True
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _connected(self, pipe: Pipe) -> None:
        task = asyncio.get_running_loop().create_task(self._serve(pipe))
        self._tasks.add(task)
        task.add_done_callback(self._served)
        if self._lobby.enter(task, pipe.peer, task.cancel):
            self.metrics.turned_away("crowded")

    def _served(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._lobby.left(task)
        self._guests.left(task)
        if not task.cancelled() and (fault := task.exception()) is not None:
            _log.error("a session could not begin", exc_info=fault)

    async def _serve(self, pipe: Pipe) -> None:
        try:
            client = caller(pipe)
            guest, first = await self._greeted(client)
            if guest.session is not None:
                await self._run(client, first, guest.session)
        except DPProxyError as fault:
            self._turn_away(pipe, fault)
        except ProtocolViolation as fault:
            self._turn_away(pipe, ProtocolFault(str(fault)))
        except (Gone, OSError, TimeoutError) as fault:
            self.metrics.turned_away("gone")
            event(_log, logging.DEBUG, "a client left before its session began", error=told(fault))
        finally:
            pipe.close()

    def _turn_away(self, pipe: Pipe, fault: DPProxyError) -> None:
        self.metrics.turned_away(fault.sqlstate)
        event(_log, logging.INFO, "connection refused", client=pipe.peer, sqlstate=fault.sqlstate)
        pipe.write(error_bytes(fault, "utf-8", severity="FATAL"))

    async def _greeted(self, client: Caller) -> tuple[Guest, bytes]:
        """Whoever has logged in, and what the front said first; no session for a request to cancel another's."""
        try:
            async with asyncio.timeout(self._config.server.startup_timeout):
                packet = await first_packet(client, self._tls)
                if isinstance(packet, CancelRequest):
                    await self._keys.cancel(packet, self.house.address)
                    return Guest(""), b""
                self._guests.check_room()
                startup = await negotiate(client, packet, self._minor)
                guest = await self._known(client, startup)
                check_database(startup, self._config)
                front, first = await self._open_front(startup, guest.user)
        except asyncio.CancelledError:
            fault = CannotConnectNow("the proxy takes no connections now")
            client.pipe.write(error_bytes(fault, "utf-8", severity="FATAL"))
            raise
        self._open_session(client.pipe, front, guest, fronts.settings_of(startup))
        return guest, first

    async def _known(self, client: Caller, startup: StartupMessage) -> Guest:
        user = admit(startup, self._config, client.encrypted)
        await authenticate(client, user, self.house.config.analysts)
        guest = self._guests.enter(_this_task(), user)
        self._lobby.left(_this_task())
        return guest

    def _open_session(self, client: Pipe, front: Pipe, guest: Guest, settings: frozenset[str]) -> None:
        user = guest.user
        watch = SessionWatch(self.metrics, user, next(self._numbers), self._names())
        clerk = WatchedClerk(lambda: self.house.office(user), settings, self._planning.made, watch)
        guest.session = Session(client, front, clerk, self._rules, watch)

    def _names(self) -> frozenset[str] | None:
        """What the log may show of statements' texts; None: nothing."""
        match self._config.server.log_statements:
            case "none":
                return None
            case "shape":
                return names_of(office.catalog for office in self.house.offices.values())
            case _:
                assert_never(self._config.server.log_statements)

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

    async def _run(self, client: Caller, first: bytes, session: Session) -> None:
        begun, who = asyncio.get_running_loop().time(), session.watch.who
        try:
            self.metrics.connected()
            event(_log, logging.INFO, "session begins", **who, client=client.pipe.peer, tls=client.encrypted)
            if self._closed:
                session.drain()
            await session.run(client.ahead, first, self.house.address)
        finally:
            seconds = round(asyncio.get_running_loop().time() - begun, 3)
            event(_log, logging.INFO, "session ends", **who, seconds=seconds)


def _this_task() -> asyncio.Task[Any]:
    task = asyncio.current_task()
    assert task is not None
    return task


def _way_in(analyst: Analyst | None) -> tuple[bool, str | None] | None:
    return None if analyst is None else (analyst.trust, analyst.password)


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

"""The listener: who connects, and what is served to whom."""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Final, assert_never

from dpproxy.answering.deadlines import Deadlines
from dpproxy.answering.planning_thread import PlanningThread
from dpproxy.answering.queue import CHARGED, StatementQueue, place_share, turn_share
from dpproxy.answering.resources import Resources
from dpproxy.config import Config
from dpproxy.config.sections import AnalystLimits, AnalystSection
from dpproxy.errors import ConfigFault, DPProxyError, ProtocolFault
from dpproxy.front.schema import FrontHeld
from dpproxy.server import front_connections
from dpproxy.server.byte_stream import ByteStream
from dpproxy.server.client_sessions import CancelKeys, ClientSession, SessionRules
from dpproxy.server.gauges import TEXTS, Gauges
from dpproxy.server.handshake import (
    ALPN,
    ClientConnection,
    ClientGone,
    admit,
    authenticate,
    check_database,
    client_connection,
    first_packet,
    negotiate,
)
from dpproxy.server.health import Health
from dpproxy.server.health_checks import connection_pools, health_checks
from dpproxy.server.listening import cannot_listen
from dpproxy.server.logins import Login, Logins
from dpproxy.server.logs import event, told
from dpproxy.server.memory_limits import MemoryLimits
from dpproxy.server.metrics import Metrics
from dpproxy.server.open_files import make_room
from dpproxy.server.services import open_services
from dpproxy.server.session_metrics import AnswerMetrics, SessionMetrics
from dpproxy.server.startup_settings import check_settings, settings_of
from dpproxy.server.statement_shapes import names_of
from dpproxy.server.unauthenticated import UnauthenticatedConnections
from dpproxy.session.analyst_backend import AnalystBackend
from dpproxy.session.error_messages import error_bytes
from dpproxy.wire import FRONTEND_LIMITS, CancelRequest, FrameLimits, ProtocolViolation, StartupMessage

_log: Final = logging.getLogger(__name__)
_MINOR_SINCE: Final = 180000
_SPARE_CONNECTIONS: Final = 20


class CannotConnectNow(DPProxyError, sqlstate="57P03"):
    """The proxy stops, or too many others knock."""


class Proxy:
    """A running proxy: `start`, then `port`; `stop` ends it. Also an async context manager.

    change: of what statements are answered with; the audit exchanges the engine there.
    """

    def __init__(self, config: Config, change: Callable[[Resources], Resources] = lambda resources: resources) -> None:
        self._config = config
        self._changed = change
        self._stack = AsyncExitStack()
        self._keys = CancelKeys()
        self._tasks: set[asyncio.Task[None]] = set()
        self._unauthenticated = UnauthenticatedConnections(config.server.max_connections + _SPARE_CONNECTIONS)
        self._logins = Logins(config.server.max_connections, lambda user: self._allowed(user).connections)
        most = config.engine.max_concurrency
        self._turns = StatementQueue(most * CHARGED, lambda user: turn_share(self._allowed(user), most))
        self._places = StatementQueue(most, lambda user: place_share(self._allowed(user)))
        self._planning = PlanningThread(self._allowed)
        self._figures = PlanningThread(self._allowed)
        self._numbers = count(1)
        self._closed = self._ending = False
        self.metrics = Metrics()
        largest = config.server.max_message_bytes
        limits = FrameLimits({**FRONTEND_LIMITS.caps, **dict.fromkeys((b"B", b"Q", b"P", b"d"), largest)})
        memory_limits = MemoryLimits(lambda user: self._allowed(user).memory)
        self._rules = SessionRules(limits, self._keys, config.server.idle_timeout, memory_limits)

    async def start(self) -> Proxy:
        """Open everything and listen. Raises ConfigFault and FrontUnavailable; then nothing is left open."""
        try:
            self._stack.callback(self._planning.close)
            self._stack.callback(self._figures.close)
            self._tls = tls_context(self._config)
            most = self._config.server.max_connections
            make_room(most, most + _SPARE_CONNECTIONS)
            self.services = await open_services(self._config, self._stack, self._complete)
            self.health = Health(health_checks(self.services, self._places))
            self._stack.push_async_callback(self.health.close)
            self._server = await asyncio.get_running_loop().create_server(
                lambda: ByteStream(self._connected), self._config.server.host, self._config.server.port, backlog=1024
            )
        except OSError as fault:
            await self.stop()
            raise cannot_listen(fault, self._config.server.host, self._config.server.port, "port") from fault
        except BaseException:
            await self.stop()
            raise
        self._port: int = self._server.sockets[0].getsockname()[1]
        self._stack.push_async_callback(self._hang_up)
        gauges = Gauges(
            self._unauthenticated,
            self._logins,
            self._turns,
            self._places,
            self._rules.memory_limits,
            self.health,
            connection_pools(self.services),
        )
        self.metrics.gauges(TEXTS, gauges.now)
        return self

    def _complete(self, resources: Resources) -> Resources:
        observer = AnswerMetrics(self.metrics)
        deadlines = Deadlines(observer, lambda: self._ending)
        resources.ledger.observe = observer.ledger
        resources.ledger.supplied = lambda: self._places.crowded
        turn, place = self._turns.place, self._places.place
        given = replace(resources, turn=turn, place=place, deadline=deadlines.block, observer=observer)
        return self._changed(given)

    def _allowed(self, user: str) -> AnalystLimits:
        return self.services.config.limits_of(user)

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
        self._unauthenticated.clear()
        event(_log, logging.INFO, "draining", sessions=len(self._logins))
        for login in self._logins:
            if login.session is not None:
                login.session.drain()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=self._config.server.drain_timeout)
        event(_log, logging.INFO, "drained", sessions_left=len(self._logins))

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
        before = self.services.config.analysts
        try:
            await self.services.serve_policy(config)
        except FrontHeld:
            await self._end_transactions()
            await self.services.serve_policy(config)
        for task, login in self._logins.by_task.items():
            if _way_in(before.get(login.user)) != _way_in(config.analysts.get(login.user)):
                task.cancel()

    async def _end_transactions(self) -> None:
        busy = [task for task, login in self._logins.by_task.items() if login.session and not login.session.resting]
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

    def _connected(self, pipe: ByteStream) -> None:
        task = asyncio.get_running_loop().create_task(self._serve(pipe))
        self._tasks.add(task)
        task.add_done_callback(self._served)
        if self._unauthenticated.enter(task, pipe.peer, task.cancel):
            self.metrics.turned_away("crowded")

    def _served(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._unauthenticated.left(task)
        self._logins.left(task)
        if not task.cancelled() and (fault := task.exception()) is not None:
            _log.error("a session could not begin", exc_info=fault)

    async def _serve(self, pipe: ByteStream) -> None:
        try:
            client = client_connection(pipe)
            login, first = await self._logged_in(client)
            if login.session is not None:
                await self._run(client, first, login.session)
        except DPProxyError as fault:
            self._turn_away(pipe, fault)
        except ProtocolViolation as fault:
            self._turn_away(pipe, ProtocolFault(str(fault)))
        except (ClientGone, OSError, TimeoutError) as fault:
            self.metrics.turned_away("gone")
            event(_log, logging.DEBUG, "a client left before its session began", error=told(fault))
        finally:
            pipe.close()

    def _turn_away(self, pipe: ByteStream, fault: DPProxyError) -> None:
        self.metrics.turned_away(fault.sqlstate)
        event(_log, logging.INFO, "connection refused", client=pipe.peer, sqlstate=fault.sqlstate)
        pipe.write(error_bytes(fault, "utf-8", severity="FATAL"))

    async def _logged_in(self, client: ClientConnection) -> tuple[Login, bytes]:
        """Whoever has logged in, and what the front said first; no session for a request to cancel another's."""
        try:
            async with asyncio.timeout(self._config.server.startup_timeout):
                packet = await first_packet(client, self._tls)
                if isinstance(packet, CancelRequest):
                    await self._keys.cancel(packet, self.services.address)
                    return Login(""), b""
                await self._logins.check_room()
                startup = await negotiate(client, packet, self._minor)
                login = await self._known(client, startup)
                check_database(startup, self._config)
            front, first = await self._front_for(login, startup)  # not the client's time
        except asyncio.CancelledError:
            fault = CannotConnectNow("the proxy takes no connections now")
            client.pipe.write(error_bytes(fault, "utf-8", severity="FATAL"))
            raise
        self._open_session(client.pipe, front, login, settings_of(startup))
        return login, first

    async def _front_for(self, login: Login, startup: StartupMessage) -> tuple[ByteStream, bytes]:
        check_settings(startup, self.services.catalog.printing, self.services.context(login.user).account.terms)
        return await self._open_front(startup, login.user)

    @property
    def database(self) -> str:
        """The name that clients connect to."""
        return self._config.server.database

    @property
    def logins(self) -> tuple[Login, ...]:
        """Who is logged in now."""
        return tuple(self._logins)

    async def converse(
        self, pipe: ByteStream, user: str, startup: StartupMessage, begun: Callable[[Login], None]
    ) -> None:
        """The session of a client within this process, who is known already: like any other's from then on.

        begun: told of the login as soon as it has one.
        """
        client = client_connection(pipe)
        try:
            if self._closed:
                raise CannotConnectNow("the proxy takes no connections now")
            login = await self._logins.enter(_this_task(), user)
            front, first = await self._front_for(login, startup)
            self._open_session(pipe, front, login, settings_of(startup))
            begun(login)
            assert login.session is not None
            await self._run(client, first, login.session)
        except DPProxyError as fault:
            self._turn_away(pipe, fault)
        finally:
            self._logins.left(_this_task())
            pipe.close()

    async def _known(self, client: ClientConnection, startup: StartupMessage) -> Login:
        user = admit(startup, self._config, client.encrypted)
        await authenticate(client, user, self.services.config.analysts)
        login = await self._logins.enter(_this_task(), user, client.pipe.peer)
        self._unauthenticated.left(_this_task())
        return login

    def _open_session(self, client: ByteStream, front: ByteStream, login: Login, settings: frozenset[str]) -> None:
        user = login.user
        metrics = SessionMetrics(self.metrics, user, next(self._numbers), self._names())
        threads = self._planning.made, self._figures.made
        backend = AnalystBackend(partial(self.services.context, user), settings, *threads, metrics)
        login.session = ClientSession(client, front, backend, self._rules, metrics)

    def _names(self) -> frozenset[str] | None:
        """What the log may show of statements' texts; None: nothing."""
        match self._config.server.log_statements:
            case "none":
                return None
            case "shape":
                return names_of(context.catalog for context in self.services.contexts.values())
            case _:
                assert_never(self._config.server.log_statements)

    @property
    def _minor(self) -> int:
        """The newest minor version of the protocol that the front speaks."""
        return 2 if self.services.catalog.server_version >= _MINOR_SINCE else 0

    async def _open_front(self, startup: StartupMessage, user: str) -> tuple[ByteStream, bytes]:
        address = self.services.address
        packet = front_connections.front_startup(
            startup, user, address.database, self.services.config.startup_options(user)
        )
        front = await front_connections.connect(address)
        try:
            return front, await front_connections.sign_in(front, packet, user, self.services.passwords[user])
        except BaseException:
            front.abort()
            raise

    async def _run(self, client: ClientConnection, first: bytes, session: ClientSession) -> None:
        begun, who = asyncio.get_running_loop().time(), session.metrics.who
        try:
            self.metrics.connected()
            event(_log, logging.INFO, "session begins", **who, client=client.pipe.peer, tls=client.encrypted)
            if self._closed:
                session.drain()
            await session.run(client.ahead, first, self.services.address)
        finally:
            seconds = round(asyncio.get_running_loop().time() - begun, 3)
            event(_log, logging.INFO, "session ends", **who, seconds=seconds)


def _this_task() -> asyncio.Task[Any]:
    task = asyncio.current_task()
    assert task is not None
    return task


def _way_in(analyst: AnalystSection | None) -> tuple[bool, str | None] | None:
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

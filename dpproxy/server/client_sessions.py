"""One client's session: its two connections, the relay between them, and what may end it.

Checked by: tests/test_server.py.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
from dataclasses import dataclass, field
from typing import Final

from dpproxy.errors import DPProxyError, FrontUnavailable, InternalFault, ProtocolFault
from dpproxy.front.front_address import FrontAddress
from dpproxy.server import front_connections
from dpproxy.server.byte_stream import ByteStream
from dpproxy.server.logs import event, fields
from dpproxy.server.memory_limits import MemoryLimits, OutOfMemory
from dpproxy.server.session_metrics import SessionMetrics
from dpproxy.session.analyst_backend import AnalystBackend
from dpproxy.session.error_messages import error_bytes
from dpproxy.session.relay import Relay
from dpproxy.wire import BackendKeyData, CancelRequest, Frame, FrameLimits, ProtocolViolation, decode_backend

_log: Final = logging.getLogger(__name__)
_FRONT_GONE: Final = "terminating connection because the front has ended"
_LOOK_AFTER: Final = 1 << 16  # bytes
_LOOKS: Final = 16  # within the time that a client may say nothing
_SHUTDOWN: Final = "terminating connection due to administrator command"


class AdminShutdown(DPProxyError, sqlstate="57P01"):
    """The proxy stops."""


class IdleTimeout(DPProxyError, sqlstate="57P05"):
    """The client said nothing for too long."""


@dataclass(slots=True)
class CancelKeys:
    """Cancel keys of running sessions, by process id of the front's backend."""

    known: dict[int, tuple[bytes, ClientSession]] = field(default_factory=dict)

    def forget(self, pid: int, session: ClientSession) -> None:
        """The session has ended. Its backend may have ended before, and another session have its number by now."""
        if self.known.get(pid, (b"", None))[1] is session:
            del self.known[pid]

    async def cancel(self, request: CancelRequest, address: FrontAddress) -> None:
        """Cancel what that session does now. Nobody is told whether there was one."""
        key, session = self.known.get(request.pid, (b"", None))
        if session is not None and hmac.compare_digest(key, request.key) and not session.backend.cancel():
            await front_connections.cancel(address, request)


@dataclass(frozen=True, slots=True)
class SessionRules:
    """What holds for every session: sizes of messages, cancel keys, idle time in seconds, what analysts may hold."""

    limits: FrameLimits
    keys: CancelKeys
    idle: float
    memory_limits: MemoryLimits


class ClientSession:
    """The relay of one client at work. `run` returns when either side has ended."""

    def __init__(
        self,
        client: ByteStream,
        front: ByteStream,
        backend: AnalystBackend,
        rules: SessionRules,
        metrics: SessionMetrics,
    ) -> None:
        self._client, self._front, self.backend = client, front, backend
        self._rules, self.metrics = rules, metrics
        self._loop = asyncio.get_running_loop()
        self._relay = Relay(backend, front.write, self._loop.create_future, self._learn_key, rules.limits, metrics)
        self._request: CancelRequest | None = None
        self._heard, self._working = self._loop.time(), False
        self._held = self._unseen = 0
        self._draining = self._parting = False
        self._timer = self._loop.call_later(rules.idle / _LOOKS, self._look)

    @property
    def resting(self) -> bool:
        """Whether nothing is at work and no transaction is open."""
        return self._relay.resting and not self._working

    @property
    def unheard(self) -> bool:
        """Whether the client has closed its side."""
        return self._client.ended

    def drain(self) -> None:
        """End as soon as nothing is at work and no transaction is open."""
        self._draining = True
        self._end_at_rest()

    def _end_at_rest(self) -> None:
        if self._draining and self._relay.resting and not self._working and not self._client.pending:
            self._say_goodbye(AdminShutdown(_SHUTDOWN))
            self._front.close()

    def _learn_key(self, raw: bytes) -> None:
        key = decode_backend(Frame(raw[:1], raw[5:]))
        assert isinstance(key, BackendKeyData)
        self._request = CancelRequest(key.pid, key.key)
        self._rules.keys.known[key.pid] = (key.key, self)

    async def run(self, ahead: bytes, first: bytes, address: FrontAddress) -> None:
        """ahead, first: what client and front had sent before the relay began."""
        self._client.on_end = self._interrupt
        self._client.at_once, self._client.onto = self._relay.pass_on, self._front
        self._front.at_once, self._front.onto = self._tell, self._client
        self.metrics.begin()
        pumps = [asyncio.create_task(self._from_front(first)), asyncio.create_task(self._from_client(ahead))]
        try:
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
            if not self._relay.idle and self._request is not None and not pumps[0].done():
                await front_connections.cancel(address, self._request)
        except asyncio.CancelledError:
            self._say_goodbye(AdminShutdown(_SHUTDOWN))
            raise
        finally:
            self._timer.cancel()
            self.backend.cancel()
            for pump in pumps:
                pump.cancel()
            for result in await asyncio.gather(*pumps, return_exceptions=True):
                self._report(result)
            self._end()

    def _interrupt(self) -> None:
        """The client is gone: nobody waits for what the engine does."""
        self.backend.cancel()

    def _end(self) -> None:
        if self._request is not None:
            self._rules.keys.forget(self._request.pid, self)
        self._rules.memory_limits.change(self.metrics.analyst, -self._held)
        self._held = 0
        self._front.close()
        self._client.close()

    def _hold(self, size: int) -> None:
        """Looks what is held, after every so many bytes. Raises OutOfMemory."""
        self._unseen += size
        if self._unseen >= _LOOK_AFTER:
            self._look_at_held()

    def _look_at_held(self) -> None:
        self._unseen = 0
        before, self._held = self._held, self._relay.held
        if self._held != before:
            self._rules.memory_limits.change(self.metrics.analyst, self._held - before)

    def _look(self) -> None:
        """Ends a session whose client has said nothing for too long while nothing was asked of the front.

        When something was said is not looked up each time, but here: that it was, since the last look.
        """
        if self._client.heard or self._front.heard:
            self._client.heard = self._front.heard = False
            self._heard = self._loop.time()
        quiet = self._loop.time() - self._heard
        idle = self._rules.idle
        if quiet >= idle and self._relay.idle and not self._working:
            self._say_goodbye(IdleTimeout("terminating connection due to idle-session timeout"))
            self._front.close()
            return
        self._timer = self._loop.call_later(max(min(idle - quiet, idle / _LOOKS), 1.0), self._look)

    async def _from_client(self, ahead: bytes) -> None:
        try:
            data = ahead or await self._client.read()
            while data:
                self._working = True
                await self._relay.client_data(data)
                self._hold(len(data))
                await self._front.drain()
                self._working, self._heard = False, self._loop.time()
                if self._relay.ended:
                    return
                self._end_at_rest()
                data = await self._client.read()
        except ProtocolViolation as fault:
            self._say_goodbye(ProtocolFault(str(fault)))
        except OutOfMemory as fault:
            self._say_goodbye(fault)

    def _tell(self, data: bytes) -> int:
        """What the front says goes to the client, all of it."""
        self._client.write(self._relay.front_data(data))
        self._unseen += len(data)
        if self._unseen >= _LOOK_AFTER:
            self._look_at_held()
        if self._draining:
            self._end_at_rest()
        return len(data)

    async def _from_front(self, first: bytes) -> None:
        try:
            data = first
            while data:
                self._tell(data)
                await self._client.drain()
                data = await self._front.read()
        except OutOfMemory as fault:
            self._say_goodbye(fault)
        if not self._relay.told and not self._relay.ended:
            self._say_goodbye(FrontUnavailable(_FRONT_GONE))

    def _say_goodbye(self, fault: DPProxyError) -> None:
        """Once: what ends a session is the first reason for it."""
        if self._parting:
            return
        self._parting = True
        event(_log, logging.INFO, "session is ended", **self.metrics.who, sqlstate=fault.sqlstate)
        self._client.write(error_bytes(fault, self._relay.codec, severity="FATAL"))
        self._client.close()

    def _report(self, result: BaseException | None) -> None:
        """A pump ends by itself or is cancelled; anything else is a fault of dpproxy's own."""
        if isinstance(result, Exception):
            _log.error("a session ended by a fault", exc_info=result, extra=fields(**self.metrics.who))
            self._say_goodbye(InternalFault(InternalFault.ENDED))

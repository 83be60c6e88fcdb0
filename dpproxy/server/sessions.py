"""One client's session: its two connections, the relay between them, and what may end it."""

from __future__ import annotations

import asyncio
import hmac
import logging
from dataclasses import dataclass, field
from typing import Final

from dpproxy.errors import DPProxyError, FrontUnavailable, InternalFault, ProtocolFault
from dpproxy.front.address import FrontAddress
from dpproxy.server import fronts
from dpproxy.server.pipe import Pipe
from dpproxy.session.clerk import Clerk
from dpproxy.session.faults import error_bytes
from dpproxy.session.relay import Relay
from dpproxy.wire import BackendKeyData, CancelRequest, Frame, Limits, ProtocolViolation, decode_backend

_log: Final = logging.getLogger(__name__)
_FRONT_GONE: Final = "terminating connection because the front has ended"


class AdminShutdown(DPProxyError, sqlstate="57P01"):
    """The proxy stops."""


class IdleTimeout(DPProxyError, sqlstate="57P05"):
    """The client said nothing for too long."""


@dataclass(slots=True)
class Keys:
    """Cancel keys of running sessions, by process id of the front's backend."""

    known: dict[int, tuple[bytes, Session]] = field(default_factory=dict)

    async def cancel(self, request: CancelRequest, address: FrontAddress) -> None:
        """Cancel what that session does now. Nobody is told whether there was one."""
        key, session = self.known.get(request.pid, (b"", None))
        if session is not None and hmac.compare_digest(key, request.key) and not session.clerk.cancel():
            await fronts.cancel(address, request)


class Session:
    """The relay of one client at work. `run` returns when either side has ended."""

    def __init__(self, client: Pipe, front: Pipe, clerk: Clerk, limits: Limits, keys: Keys, idle: float) -> None:
        self._client, self._front, self.clerk = client, front, clerk
        self._keys, self._idle_after = keys, idle
        self._loop = asyncio.get_running_loop()
        self._relay = Relay(clerk, front.write, self._loop.create_future, self._learn_key, limits)
        self._request: CancelRequest | None = None
        self._heard, self._working = self._loop.time(), False
        self._timer = self._loop.call_later(idle, self._watch)

    def _learn_key(self, raw: bytes) -> None:
        key = decode_backend(Frame(raw[:1], raw[5:]))
        assert isinstance(key, BackendKeyData)
        self._request = CancelRequest(key.pid, key.key)
        self._keys.known[key.pid] = (key.key, self)

    async def run(self, ahead: bytes, first: bytes, address: FrontAddress) -> None:
        """ahead, first: what client and front had sent before the relay began."""
        self._client.on_end = self._interrupt
        pumps = [asyncio.create_task(self._from_front(first)), asyncio.create_task(self._from_client(ahead))]
        try:
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
            if not self._relay.idle and self._request is not None and not pumps[0].done():
                await fronts.cancel(address, self._request)
        except asyncio.CancelledError:
            self._say_goodbye(AdminShutdown("terminating connection due to administrator command"))
            raise
        finally:
            self._timer.cancel()
            for pump in pumps:
                pump.cancel()
            for result in await asyncio.gather(*pumps, return_exceptions=True):
                self._report(result)
            self._end()

    def _interrupt(self) -> None:
        """The client is gone: nobody waits for what the engine does."""
        self.clerk.cancel()

    def _end(self) -> None:
        if self._request is not None:
            self._keys.known.pop(self._request.pid, None)
        self._front.close()
        self._client.close()

    def _watch(self) -> None:
        """Ends a session whose client has said nothing for too long while nothing was asked of the front."""
        quiet = self._loop.time() - self._heard
        if quiet >= self._idle_after and self._relay.idle and not self._working:
            self._say_goodbye(IdleTimeout("terminating connection due to idle-session timeout"))
            self._front.close()
            return
        self._timer = self._loop.call_later(max(self._idle_after - quiet, 1.0), self._watch)

    async def _from_client(self, ahead: bytes) -> None:
        try:
            if ahead:
                await self._relay.client_data(ahead)
            while not self._relay.ended and (data := await self._client.read()):
                self._working = True
                await self._relay.client_data(data)
                await self._front.drain()
                self._working, self._heard = False, self._loop.time()
        except ProtocolViolation as fault:
            self._say_goodbye(ProtocolFault(str(fault)))

    async def _from_front(self, first: bytes) -> None:
        self._client.write(self._relay.front_data(first))
        while data := await self._front.read():
            self._client.write(self._relay.front_data(data))
            self._heard = self._loop.time()
            await self._client.drain()
        if not self._relay.told and not self._relay.ended:
            self._say_goodbye(FrontUnavailable(_FRONT_GONE))

    def _say_goodbye(self, fault: DPProxyError) -> None:
        self._client.write(error_bytes(fault, self._relay.codec, severity="FATAL"))
        self._client.close()

    def _report(self, result: BaseException | None) -> None:
        """A pump ends by itself or is cancelled; anything else is a fault of dpproxy's own."""
        if isinstance(result, Exception):
            _log.error("a session ended by a fault", exc_info=result)
            self._say_goodbye(InternalFault())

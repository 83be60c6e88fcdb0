"""The front of a running proxy. An embedded one is started again whenever its postmaster has ended; a given one is
somebody else's to start and stop.

Checked by: tests/test_front_lifecycle.py, tests/test_faults.py.
"""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Final, assert_never

from dpproxy.config import Config
from dpproxy.config.field_types import Embedded, Postgres
from dpproxy.errors import FrontUnavailable
from dpproxy.front.disk_reserve import keep_reserve
from dpproxy.front.embedded_front import EmbeddedFront
from dpproxy.front.front_address import FrontAddress
from dpproxy.front.given_front import GivenFront, given_front

_log: Final = logging.getLogger(__name__)
_PAUSE: Final = 1.0  # seconds between two attempts
_SPARE: Final = 10  # connections of the proxy's own: the owner's and the ledger's


class FrontSupervisor:
    """Keeps one front. Sessions end with it; the proxy does not, and its next sessions find it when it is back."""

    def __init__(self, front: EmbeddedFront | GivenFront) -> None:
        self._front = front
        self._keeping: list[asyncio.Task[None]] = []

    @classmethod
    async def start(cls, config: Config) -> FrontSupervisor:
        """Start the front, or look whether a given one will do. Raises FrontUnavailable, ConfigFault."""
        match config.front.url:
            case Embedded(directory):
                sessions = config.server.max_connections
                supervisor = cls(await EmbeddedFront.start(directory, config.server.database, sessions))
                tasks = supervisor._keep(directory, sessions), keep_reserve(supervisor.address, directory)
                supervisor._keeping = [asyncio.get_running_loop().create_task(each) for each in tasks]
                return supervisor
            case Postgres(url):
                front = await given_front(url)
                _warn(config, front)
                return cls(front)
            case _:
                assert_never(config.front.url)

    @property
    def address(self) -> FrontAddress:
        """Where the front listens now."""
        return self._front.address

    async def stop(self) -> None:
        """Stop keeping, then the front if it is ours."""
        for each in self._keeping:
            each.cancel()
        await asyncio.gather(*self._keeping, return_exceptions=True)
        if isinstance(self._front, EmbeddedFront):
            await self._front.stop()

    async def _keep(self, directory: Path, sessions: int) -> None:
        database = self._front.address.database
        while isinstance(self._front, EmbeddedFront):
            await self._front.wait()
            _log.error("the front has ended; starting it again")
            try:
                await self._front.stop()
                self._front = await EmbeddedFront.start(directory, database, sessions)
            except FrontUnavailable as fault:
                _log.error("the front does not start: %s %s", fault.message, fault.detail or "")
                await asyncio.sleep(_PAUSE)


def _warn(config: Config, front: GivenFront) -> None:
    named, given = config.server.database, front.address.database
    if named != given:
        _log.warning(
            'server.database: is "%s", and current_database() in the front is "%s"; tools show both, so give one name',
            named,
            given,
        )
    if front.room < config.server.max_connections + _SPARE:
        _log.warning(
            "server.max_connections: is %d, and the front's server takes %d connections of everybody's together",
            config.server.max_connections,
            front.room,
        )

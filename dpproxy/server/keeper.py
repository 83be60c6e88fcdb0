"""The embedded front of a running proxy, started again whenever its postmaster has ended."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Final, assert_never

from dpproxy.config import Config
from dpproxy.config.fields import Embedded, Postgres
from dpproxy.errors import ConfigFault, FrontUnavailable
from dpproxy.front.address import FrontAddress
from dpproxy.front.embedded import EmbeddedFront

_log: Final = logging.getLogger(__name__)
_PAUSE: Final = 1.0  # seconds between two attempts


class Keeper:
    """Keeps one front. Sessions end with a postmaster; the proxy does not, and its next sessions find the new one."""

    def __init__(self, config: Config, front: EmbeddedFront) -> None:
        self._config = config
        self._front = front
        self._task = asyncio.get_running_loop().create_task(self._keep())

    @classmethod
    async def start(cls, config: Config) -> Keeper:
        """Start the front. Raises FrontUnavailable."""
        return cls(config, await _started(config))

    @property
    def address(self) -> FrontAddress:
        """Where the front listens now."""
        return self._front.address

    async def stop(self) -> None:
        """Stop keeping, then the front."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        await self._front.stop()

    async def _keep(self) -> None:
        while True:
            await self._front.wait()
            _log.error("the front has ended; starting it again")
            try:
                await self._front.stop()
                self._front = await _started(self._config)
            except FrontUnavailable as fault:
                _log.error("the front does not start: %s %s", fault.message, fault.detail or "")
                await asyncio.sleep(_PAUSE)


async def _started(config: Config) -> EmbeddedFront:
    return await EmbeddedFront.start(embedded(config), config.server.database)


def embedded(config: Config) -> Path:
    """The directory of an embedded front. Raises ConfigFault."""
    match config.front.url:
        case Embedded(directory):
            return directory
        case Postgres():
            raise ConfigFault("a given front is not there yet")
        case _:
            assert_never(config.front.url)

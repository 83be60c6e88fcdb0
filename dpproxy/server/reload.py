"""A new policy without a restart: on SIGHUP the configuration is read again, and served if it has no fault."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, Protocol

from dpproxy.config import Config, load
from dpproxy.errors import DPProxyError

_log: Final = logging.getLogger(__name__)


class Reloadable(Protocol):
    """What serves a configuration."""

    @property
    def path(self) -> Path:
        """The file that it was read from."""
        ...

    async def reload(self, config: Config) -> None:
        """Serve another one from now on. Raises DPProxyError, and nothing has changed then."""
        ...


@asynccontextmanager
async def reloading(served: Reloadable) -> AsyncIterator[None]:
    """Reads the file again at each SIGHUP as long as the block lasts; one reload after the other."""
    asked = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGHUP, asked.set)
    task = loop.create_task(_reload_when(asked, served))
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGHUP)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _reload_when(asked: asyncio.Event, served: Reloadable) -> None:
    while True:
        await asked.wait()
        asked.clear()
        try:
            await served.reload(load(served.path, os.environ))
        except DPProxyError as fault:
            _log.error("not reloaded, all is as it was: %s\n%s", fault.message, fault.detail or "")
        except Exception as fault:  # noqa: BLE001 (sessions go on as they were; its words may hold a secret)
            _log.error("not reloaded, all is as it was: %s", type(fault).__name__)
        else:
            _log.info("reloaded %s", served.path)

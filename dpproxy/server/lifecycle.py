"""From start to end: a proxy that is started, drained and stopped on signals, with the operator's port beside it."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from typing import Final

from dpproxy.answering.garbage import collect_seldom
from dpproxy.answering.resources import Resources
from dpproxy.config import Config
from dpproxy.server.large_pages import large_pages
from dpproxy.server.logs import event
from dpproxy.server.operator_port import OperatorPort
from dpproxy.server.proxy import Proxy
from dpproxy.server.reload import reloading
from dpproxy.server.systemd import READY, STOPPING, notify

_log: Final = logging.getLogger(__name__)


async def serve(
    config: Config,
    resources: Callable[[Resources], Resources] = lambda resources: resources,
    beside: Callable[[Proxy], AbstractAsyncContextManager[object]] = nullcontext,
) -> None:
    """Serve until SIGTERM, which drains, or SIGINT, or a second SIGTERM, which end all at once.

    resources: as of `Proxy`. beside: what is served from the proxy as long as it runs. Prints the line
    "listening on HOST:PORT" to stdout, and nothing else.
    """
    signals: asyncio.Queue[int] = asyncio.Queue()
    for each in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(each, signals.put_nowait, each)
    async with (
        Proxy(config, resources) as proxy,
        operator_port(proxy, config),
        beside(proxy),
        reloading(proxy),
        large_pages(),
    ):
        sys.stdout.write(f"listening on {config.server.host}:{proxy.port}\n")
        sys.stdout.flush()
        event(_log, logging.INFO, "listening", host=config.server.host, port=proxy.port)
        notify(READY)
        collect_seldom()
        number = await signals.get()
        notify(STOPPING)
        event(_log, logging.INFO, "stopping", signal=signal.Signals(number).name)
        if number == signal.SIGTERM:
            await _drained(proxy, signals)


async def _drained(proxy: Proxy, signals: asyncio.Queue[int]) -> None:
    """Until the proxy is drained, or another signal comes."""
    waits = [asyncio.ensure_future(proxy.drain()), asyncio.ensure_future(signals.get())]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for each in waits:
            each.cancel()
        await asyncio.gather(*waits, return_exceptions=True)


@asynccontextmanager
async def operator_port(proxy: Proxy, config: Config) -> AsyncIterator[None]:
    """/metrics, /healthz and /readyz for as long as the block lasts, where the configuration has a port for them."""
    if config.server.metrics_port is None:
        yield
        return
    port = OperatorPort(proxy.metrics.page, proxy.health, proxy.metrics.asked)
    await port.start(config.server.metrics_host, config.server.metrics_port)
    try:
        event(_log, logging.INFO, "operator's port", host=config.server.metrics_host, port=port.port)
        yield
    finally:
        await port.stop()

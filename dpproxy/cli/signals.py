"""Ctrl-C and its kin end the work in order: what was started is stopped, what was made is removed."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

import typer
import uvloop

from dpproxy.cli.commands import say

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run(work: Coroutine[Any, Any, None]) -> None:
    """Run `work` to its end. The first signal cancels it; later ones change nothing while it cleans up.

    Raises typer.Exit with status 1 where it was cancelled before it came to `until_stopped`.
    """
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_cancelled_by_signals(work))
    except asyncio.CancelledError:
        say("dpproxy: interrupted")
        raise typer.Exit(1) from None


async def until_stopped() -> None:
    """Wait for a signal, which is the expected end."""
    with suppress(asyncio.CancelledError):
        await asyncio.Event().wait()


async def _cancelled_by_signals(work: Coroutine[Any, Any, None]) -> None:
    task = asyncio.ensure_future(work)
    received: list[int] = []

    def stop(number: int) -> None:
        if not received:
            task.cancel()
        received.append(number)

    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup
            asyncio.get_running_loop().add_signal_handler(number, stop, number)
    await task

"""`dpproxy demo`: everything at once, on a city of made-up people, in a directory that is gone afterwards.

The front's cluster is made by a process of Postgres's own. That is begun first, and the rest is imported meanwhile.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Final

import typer

from dpproxy.cli.signals import run
from dpproxy.front.embedded_front import make_ahead
from dpproxy.server.logs import log_to_stderr

FRONT: Final = "front"
"""Where the policy has it."""


def demo(
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Where to listen; a free port is taken if this one is not.")
    ] = 6432,
    once: Annotated[bool, typer.Option("--once", help="End after the tour.")] = False,
) -> None:
    """Show private answers on made-up data, then serve that to you."""
    log_to_stderr("text")
    logging.getLogger().setLevel(logging.WARNING)  # the tour is for reading; only what is wrong comes between
    run(_demo(port, once))


async def _demo(port: int, once: bool) -> None:
    with TemporaryDirectory(prefix="dpproxy-demo-") as name:
        directory = Path(name)
        async with _beside(make_ahead(directory / FRONT)):
            from dpproxy.cli.demo_served import city, show

            true = city(directory)
        await show(directory, port, true, once)


@asynccontextmanager
async def _beside(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Work that has begun when the block begins, and has ended when the block has."""
    task = asyncio.create_task(work)
    await asyncio.sleep(0)
    try:
        yield
    except BaseException:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        raise
    await task

"""One proxy before several databases: `dpproxy serve`, whose engine is exchanged from statement to statement.

Time tells of the database only where nothing else differs. Two proxies differ in much that no unit has a part in: the
places of their memory, what their front and ledger have on disk, what the machine did when they started. That is as
large as what a unit does, and stays the same for as long as they run, so that with two proxies the same database twice
is told apart. So there is one: one process, one front, one ledger, one event loop. What differs between two answers is
the engine that the bounded SQL runs in, and the name of the analyst who asks: there is an analyst for each database,
with the same rights, and names of the same length.

The catalog is made from each database alone, and all of them have to make the same one: no row has a part in it.

Checked by: tests/audit/test_asking.py.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, cast

import uvloop

from dpproxy.answering.resources import Resources
from dpproxy.catalog.policy import Catalog
from dpproxy.config import load
from dpproxy.engines import Engine, Ticket
from dpproxy.errors import ConfigFault
from dpproxy.schema_fit import fit, opened
from dpproxy.server.lifecycle import serve
from dpproxy.server.logs import log_to_stderr

PLACES: Final = "places.json"
"""Beside the policy: for each analyst of another database the path of a policy with its engine."""
_ASKING: Final[ContextVar[str]] = ContextVar("the analyst whose statement is answered", default="")


class EnginePerAnalyst:
    """An engine that is that of whoever asks: of `others` where the analyst is there, else `own`."""

    def __init__(self, own: Engine, others: Mapping[str, Engine]) -> None:
        self._own, self._others = own, others

    def __getattr__(self, name: str) -> Any:
        return getattr(self._others.get(_ASKING.get(), self._own), name)


def with_engine_per_analyst(resources: Resources, others: Mapping[str, Engine]) -> Resources:
    """The resources, in which each analyst's statements meet the analyst's own engine, if there is one."""

    @asynccontextmanager
    async def turn(analyst: str, ticket: Ticket) -> AsyncIterator[None]:
        async with resources.turn(analyst, ticket):
            _ASKING.set(analyst)
            yield

    return replace(resources, engine=cast(Engine, EnginePerAnalyst(resources.engine, others)), turn=turn)


async def serve_engine_per_analyst(policy: Path) -> None:
    """Serve `policy` until a signal, and the databases of its `PLACES` beside its own.

    Raises ConfigFault where one of them does not make the catalog that its own engine makes.
    """
    config = load(policy, os.environ)
    log_to_stderr(config.server.log)
    async with AsyncExitStack() as stack:
        async with AsyncExitStack() as first:  # `serve` opens it again, and a file cannot be opened twice
            _, own = await _opened(policy, first)
        others = {}
        for analyst, path in json.loads(policy.with_name(PLACES).read_text()).items():
            others[analyst], catalog = await _opened(Path(path), stack)
            if catalog != own:
                raise ConfigFault("the catalog differs between neighbours: it depends on rows")
        await serve(config, lambda resources: with_engine_per_analyst(resources, others))


async def _opened(policy: Path, stack: AsyncExitStack) -> tuple[Engine, Catalog]:
    """The engine of a policy, and the catalog that is made over it."""
    config = load(policy, os.environ)
    engine = await opened(config)
    stack.push_async_callback(engine.close)
    return engine, (await fit(config, engine)).catalog


def main(words: Sequence[str]) -> None:
    """`serve --config FILE`, as of the program."""
    command, _, policy = words
    assert command == "serve"
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve_engine_per_analyst(Path(policy)))


if __name__ == "__main__":
    main(sys.argv[1:])

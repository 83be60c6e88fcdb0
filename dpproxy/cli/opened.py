"""The engine and the ledger, for commands that need them for a moment."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress

import psycopg

from dpproxy.config import Config
from dpproxy.config.faults import nearest
from dpproxy.engines import Engine
from dpproxy.errors import ConfigFault, FrontUnavailable
from dpproxy.fit import opened
from dpproxy.front.address import FrontAddress
from dpproxy.front.directory import FrontDirectory
from dpproxy.front.embedded import EmbeddedFront, running
from dpproxy.ledger import Ledger
from dpproxy.server.keeper import embedded


@asynccontextmanager
async def opened_engine(config: Config) -> AsyncIterator[Engine]:
    """The engine, open. Raises ConfigFault."""
    engine = await opened(config)
    try:
        yield engine
    finally:
        await engine.close()


@asynccontextmanager
async def opened_ledger(config: Config) -> AsyncIterator[Ledger]:
    """The ledger, in the front that a running proxy holds or else in one started for as long as this.

    Raises FrontUnavailable, LedgerUnavailable, ConfigFault.
    """
    async with AsyncExitStack() as held:
        address = await _running(config, held) or await _started(config, held)
        ledger = await Ledger.open(address.conninfo(), config.accounting, connections=1)
        held.push_async_callback(ledger.close)
        yield ledger


def kept(config: Config) -> bool:
    """Whether there is a ledger at all; until the first start of a proxy nobody has spent anything."""
    return FrontDirectory(embedded(config)).data.exists()


def known(config: Config, analyst: str) -> str:
    """`analyst`, if the policy has such a one; raises ConfigFault where not."""
    if analyst in config.analysts:
        return analyst
    expected = f"expected {nearest(analyst, config.analysts)}"
    raise ConfigFault(f'there is no analyst "{analyst}"', detail=f"{config.path}: analysts.{analyst}: {expected}")


async def _running(config: Config, held: AsyncExitStack) -> FrontAddress | None:
    """The address of the front that is up already, if there is one."""
    with suppress(FrontUnavailable, psycopg.Error):
        address = await held.enter_async_context(running(embedded(config), config.server.database))
        await (await psycopg.AsyncConnection.connect(address.conninfo())).close()
        return address
    return None


async def _started(config: Config, held: AsyncExitStack) -> FrontAddress:
    front = await EmbeddedFront.start(embedded(config), config.server.database)
    return (await held.enter_async_context(front)).address

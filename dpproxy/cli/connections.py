"""The engine and the ledger, for commands that need them for a moment."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import assert_never

import psycopg

from dpproxy.catalog.policy import Catalog
from dpproxy.cli.console import waiting
from dpproxy.config import Config
from dpproxy.config.faults import nearest
from dpproxy.config.field_types import Embedded, Postgres
from dpproxy.engines import Engine, MissingIndex
from dpproxy.errors import ConfigFault, EngineFailure, EngineUnavailable, FrontUnavailable, LedgerUnavailable
from dpproxy.front.embedded_front import EmbeddedFront, running
from dpproxy.front.front_address import FrontAddress
from dpproxy.front.front_directory import FrontDirectory
from dpproxy.ledger import Ledger
from dpproxy.link_indexes import missing_indexes
from dpproxy.public_columns import Approved, seen
from dpproxy.schema_fit import Fitted, fit, opened


@asynccontextmanager
async def opened_engine(config: Config) -> AsyncIterator[Engine]:
    """The engine, open. Raises ConfigFault."""
    with waiting("opening the engine"):
        engine = await opened(config)
    try:
        yield engine
    finally:
        await engine.close()


async def fitted(config: Config, engine: Engine) -> Fitted:
    """The policy over what the engine holds. Raises ConfigFault."""
    with waiting("comparing the policy with the engine"):
        return await fit(config, engine)


async def missing_of(catalog: Catalog, engine: Engine) -> Sequence[MissingIndex]:
    """The indexes along links that the engine lacks. Raises ConfigFault."""
    try:
        return await missing_indexes(catalog, engine)
    except (EngineFailure, EngineUnavailable) as fault:
        raise ConfigFault("the engine's indexes cannot be looked at", detail=str(fault.__cause__)) from fault


@asynccontextmanager
async def opened_ledger(config: Config) -> AsyncIterator[Ledger]:
    """The ledger where it is given; else in the front: a given one, the one that a running proxy holds, or one started
    for as long as this.

    Raises FrontUnavailable, LedgerUnavailable, ConfigFault.
    """
    async with AsyncExitStack() as held:
        ledger = await Ledger.open(await _conninfo(config, held), config.accounting, connections=1)
        held.push_async_callback(ledger.close)
        yield ledger


async def approved_columns(config: Config, catalog: Catalog) -> Approved:
    """What the ledger keeps of public tables that list no columns; nothing where there is no ledger to look into."""
    unlisted = seen(config, catalog)
    if not unlisted or not kept(config):
        return {}
    try:
        async with opened_ledger(config) as ledger:
            return await ledger.approved_columns().kept(unlisted)
    except (FrontUnavailable, LedgerUnavailable):
        return {}


def kept(config: Config) -> bool:
    """Whether there is a ledger to look into: in an embedded front until the first start of a proxy there is none, and
    nobody has spent anything."""
    match config.front.url:
        case Embedded(directory) if config.ledger.url is None:
            return FrontDirectory(directory).data.exists()
        case Embedded() | Postgres():
            return True
        case _:
            assert_never(config.front.url)


def known(config: Config, analyst: str) -> str:
    """`analyst`, if the policy has such a one; raises ConfigFault where not."""
    if analyst in config.analysts:
        return analyst
    expected = f"expected {nearest(analyst, config.analysts)}"
    raise ConfigFault(f'there is no analyst "{analyst}"', detail=f"{config.path}: analysts.{analyst}: {expected}")


async def _conninfo(config: Config, held: AsyncExitStack) -> str:
    """Where the ledger is, and open for as long as `held` is."""
    if config.ledger.url is not None:
        return config.ledger.url.url
    match config.front.url:
        case Postgres(url):
            return url
        case Embedded(directory):
            database = config.server.database
            address = await _running(directory, database, held) or await _started(directory, database, held)
            return address.conninfo()
        case _:
            assert_never(config.front.url)


async def _running(directory: Path, database: str, held: AsyncExitStack) -> FrontAddress | None:
    """The address of the front that is up already, if there is one."""
    with suppress(FrontUnavailable, psycopg.Error):
        address = await held.enter_async_context(running(directory, database))
        await (await psycopg.AsyncConnection.connect(address.conninfo())).close()
        return address
    return None


async def _started(directory: Path, database: str, held: AsyncExitStack) -> FrontAddress:
    with waiting("starting the Postgres that holds the ledger"):
        front = await EmbeddedFront.start(directory, database)
    return (await held.enter_async_context(front)).address

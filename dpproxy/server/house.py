"""The rooms of a running proxy, opened in order and closed in the opposite one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any, Final

from dpproxy.accounting.loss import Loss
from dpproxy.answer import Account, Rooms
from dpproxy.catalog.model import Catalog
from dpproxy.config import Config
from dpproxy.engines import Engine, Ticket
from dpproxy.fit import fit, opened
from dpproxy.front.address import FrontAddress
from dpproxy.front.publics import Publics
from dpproxy.front.roles import AnalystRole, role_passwords
from dpproxy.front.schema import FrontCatalog, sync_front
from dpproxy.ledger.ledger import Ledger
from dpproxy.ledger.model import AccountRef
from dpproxy.rows import Rows
from dpproxy.server.keeper import Keeper
from dpproxy.session.clerk import Office, office

_log: Final = logging.getLogger(__name__)


@dataclass(slots=True)
class Errands:
    """Coroutines that nobody waits for, until the end. One that fails is logged."""

    _running: set[asyncio.Task[None]] = field(default_factory=set)

    def later(self, work: Coroutine[Any, Any, None]) -> None:
        """Run it some time."""
        task = asyncio.get_running_loop().create_task(work)
        self._running.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (fault := task.exception()) is not None:
            _log.warning("an errand failed: %s", fault)

    async def finish(self) -> None:
        """Wait for all of them."""
        while self._running:
            await asyncio.wait(set(self._running))


@dataclass(slots=True)
class House:
    """What sessions are served from. `passwords` are those of the analysts' roles in the front."""

    config: Config
    keeper: Keeper
    catalog: FrontCatalog
    passwords: Mapping[str, str]
    offices: Mapping[str, Office]

    @property
    def address(self) -> FrontAddress:
        """Where the front listens."""
        return self.keeper.address


async def open_house(config: Config, stack: AsyncExitStack) -> House:
    """Open everything; `stack` closes it. Raises ConfigFault and FrontUnavailable."""
    engine = await opened(config)
    stack.push_async_callback(engine.close)
    fitted = await fit(config, engine)
    for warning in fitted.warnings:
        _log.warning("%s", warning)
    keeper = await Keeper.start(config)
    stack.push_async_callback(keeper.stop)
    owner = keeper.address.conninfo()
    front_catalog = await sync_front(owner, fitted.catalog, roles(config))
    ledger = await Ledger.open(owner if config.ledger is None else config.ledger.url.url, config.accounting)
    stack.push_async_callback(ledger.close)
    errands = Errands()
    stack.push_async_callback(errands.finish)
    rooms = Rooms(engine, ledger, errands.later)
    publics = Publics(owner, fitted.catalog, _Reader(engine), config.privacy.data_version, config.front.public_rows)
    offices = _offices(config, rooms, fitted.catalog, front_catalog, publics)
    return House(config, keeper, front_catalog, await role_passwords(owner), offices)


def roles(config: Config) -> tuple[AnalystRole, ...]:
    """The analysts as roles of the front."""
    return tuple(AnalystRole(name, tuple(sorted(config.tables_of(name)))) for name in config.analysts)


def account(config: Config, catalog: Catalog, analyst: str) -> Account:
    """An analyst's account. Raises KeyError where there is no such analyst."""
    allowed = config.tables_of(analyst)
    groups: tuple[tuple[str, Loss], ...] = ()
    if config.budgets.everyone is not None:
        groups = (("everyone", config.group_terms("everyone").limit),)
    tables = {name: table for name, table in catalog.tables.items() if name in allowed}
    return Account(AccountRef(analyst), Catalog(tables, catalog.units), config.terms(analyst), groups)


def _offices(
    config: Config, rooms: Rooms, catalog: Catalog, front: FrontCatalog, publics: Publics
) -> dict[str, Office]:
    loaded: set[str] = set()
    previews = config.privacy.preview == "empty"
    return {
        name: office(rooms, account(config, catalog, name), catalog, front, publics, loaded, previews)
        for name in config.analysts
    }


class _Reader:
    """Reads public tables from the engine for the front."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def __call__(self, name: str, columns: Sequence[str], limit: int) -> Rows:
        return await self._engine.read(name, tuple(columns), limit, Ticket())

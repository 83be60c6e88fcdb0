"""The rooms of a running proxy, opened in order and closed in the opposite one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from contextvars import Context
from dataclasses import dataclass, field
from typing import Any, Final

from dpproxy.accounting.loss import Loss
from dpproxy.answer import Account, Rooms
from dpproxy.catalog.model import Catalog
from dpproxy.config import Config, Fault, refuse
from dpproxy.engines import Engine, Ticket
from dpproxy.errors import InsufficientPrivilege
from dpproxy.fit import Fitted, fit, opened
from dpproxy.front.address import FrontAddress
from dpproxy.front.publics import Publics
from dpproxy.front.roles import AnalystRole, role_passwords
from dpproxy.front.schema import FrontCatalog, sync_front
from dpproxy.ledger.ledger import Ledger
from dpproxy.ledger.model import AccountRef, Reset
from dpproxy.ledger.store import Store
from dpproxy.recall import Memory
from dpproxy.repeats import digest
from dpproxy.rows import Rows
from dpproxy.server import fronts
from dpproxy.server.apart import check_apart
from dpproxy.server.keeper import Keeper
from dpproxy.session.clerk import Office, office

_log: Final = logging.getLogger(__name__)


@dataclass(slots=True)
class Errands:
    """Coroutines that nobody waits for, until the end. One that fails is logged."""

    _running: set[asyncio.Task[None]] = field(default_factory=set)

    def later(self, work: Coroutine[Any, Any, None]) -> None:
        """Run it some time."""
        # In a context of its own: what it takes is no part of anybody's statement.
        task = asyncio.get_running_loop().create_task(work, context=Context())
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


@dataclass(frozen=True, slots=True)
class Foundations:
    """What stays as long as the proxy runs. `store` is None where no release is kept."""

    engine: Engine
    keeper: Keeper
    rooms: Rooms
    store: Store | None


@dataclass(slots=True)
class House:
    """What sessions are served from. `passwords` are those of the analysts' roles in the front.

    `furnish` puts another policy in place of the one that is there: all of it at once, between two statements.
    """

    foundations: Foundations
    config: Config
    catalog: FrontCatalog
    passwords: Mapping[str, str]
    offices: Mapping[str, Office]

    @property
    def address(self) -> FrontAddress:
        """Where the front listens."""
        return self.foundations.keeper.address

    def office(self, analyst: str) -> Office:
        """Raises InsufficientPrivilege for an analyst whom the policy no longer has."""
        found = self.offices.get(analyst)
        if found is None:
            raise InsufficientPrivilege(f'"{analyst}" is no analyst any more', hint="Ask the owner.")
        return found

    async def furnish(self, config: Config) -> None:
        """Serve `config` from now on; sessions that are there read it at their next statement.

        Raises ConfigFault where it does not fit the engine or the front, or needs a restart, and FrontUnavailable; then
        all is as it was.
        """
        refuse(config.path, tuple(restarts(self.config, config)))
        new = await _furnished(self.foundations, config, await fit(config, self.foundations.engine))
        self.config, self.catalog, self.passwords = new.config, new.catalog, new.passwords
        self.offices = new.offices


async def open_house(
    config: Config, stack: AsyncExitStack, watched: Callable[[Rooms], Rooms] = lambda rooms: rooms
) -> House:
    """Open everything; `stack` closes it. Raises ConfigFault and FrontUnavailable.

    watched: puts watchers into the rooms that statements are answered with.
    """
    engine = await opened(config)
    stack.push_async_callback(engine.close)
    fitted = await fit(config, engine)
    for warning in await check_apart(config):
        _log.warning("%s", warning)
    keeper = await Keeper.start(config)
    stack.push_async_callback(keeper.stop)
    given = keeper.address.conninfo() if config.ledger is None else config.ledger.url.url
    ledger = await Ledger.open(given, config.accounting)
    stack.push_async_callback(ledger.close)
    store = ledger.store(config.privacy.stored_bytes, config.privacy.stored_for)
    stack.push_async_callback(store.close)
    errands = Errands()
    stack.push_async_callback(errands.finish)
    kept = store if config.privacy.stored_bytes else None
    rooms = watched(Rooms(engine, ledger, errands.later))
    return await _furnished(Foundations(engine, keeper, rooms, kept), config, fitted)


async def _furnished(foundations: Foundations, config: Config, fitted: Fitted) -> House:
    """The house with the policy of `config`, and the front as it says."""
    for warning in fitted.warnings:
        _log.warning("%s", warning)
    owner = foundations.keeper.address.conninfo()
    front = await sync_front(owner, fitted.catalog, roles(config))
    for warning in front.warnings:
        _log.warning("%s", warning)
    reader = _Reader(foundations.engine)
    publics = Publics(owner, fitted.catalog, reader, config.privacy.data_version, config.front.public_rows)
    policy = digest(config.server.database, config.privacy.data_version, fitted.catalog)
    memory = None if foundations.store is None else Memory(foundations.store, policy)
    offices = _offices(config, foundations.rooms, fitted.catalog, front, publics, memory)
    passwords = await role_passwords(owner)
    await _try_out(foundations.keeper.address, passwords, config)
    return House(foundations, config, front, passwords, offices)


async def _try_out(address: FrontAddress, passwords: Mapping[str, str], config: Config) -> None:
    """Whether a given front lets analysts in, and nobody without a password."""
    name = next(iter(config.analysts), None)
    if address.url is None or name is None:
        return
    if not await fronts.try_out(address, name, passwords[name]):
        _log.warning("front.url: the server asks analysts' roles for no password; its pg_hba.conf should")


def restarts(old: Config, new: Config) -> Iterator[Fault]:
    """The keys that only a restart can change, where they did."""
    wrong, expected = "cannot change while the proxy runs", "what it was at the start, or a restart"
    for section in ("server", "front", "engine"):
        for key in type(getattr(new, section)).model_fields:
            if getattr(getattr(old, section), key) != getattr(getattr(new, section), key):
                yield Fault((section, key), wrong, expected)
    if old.ledger != new.ledger:
        yield Fault(("ledger",), wrong, expected)
    for key in ("accounting", "stored_bytes", "stored_for"):
        if getattr(old.privacy, key) != getattr(new.privacy, key):
            yield Fault(("privacy", key), wrong, expected)


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
    ref = AccountRef(analyst, Reset(config.analysts[analyst].reset), config.privacy.data_version)
    return Account(ref, Catalog(tables, catalog.units, catalog.proof), config.terms(analyst), groups)


def _offices(
    config: Config, rooms: Rooms, catalog: Catalog, front: FrontCatalog, publics: Publics, memory: Memory | None
) -> dict[str, Office]:
    loaded: set[str] = set()
    previews = config.privacy.preview == "empty"
    return {
        name: office(rooms, account(config, catalog, name), catalog, front, publics, loaded, previews, memory)
        for name in config.analysts
    }


class _Reader:
    """Reads public tables from the engine for the front."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def __call__(self, name: str, columns: Sequence[str], limit: int) -> Rows:
        return await self._engine.read(name, tuple(columns), limit, Ticket())

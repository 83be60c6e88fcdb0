"""The resources of a running proxy, opened in order and closed in the opposite one.

Checked by: tests/test_faults.py.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import AsyncExitStack
from contextvars import Context
from dataclasses import dataclass, field, replace
from typing import Any, Final

from dpproxy.answering.resources import AnalystAccount, Resources, Users
from dpproxy.answering.stored import StoredReleases
from dpproxy.catalog.policy import Catalog
from dpproxy.config import Config, Fault, refuse
from dpproxy.config.field_types import Postgres
from dpproxy.engines import Engine
from dpproxy.errors import InsufficientPrivilege
from dpproxy.front.front_address import FrontAddress
from dpproxy.front.public_tables import PublicTables
from dpproxy.front.roles import AnalystRole, role_passwords
from dpproxy.front.schema import FrontCatalog, sync_front
from dpproxy.ledger.ledger import Ledger
from dpproxy.ledger.records import EVERYONE, AccountRef, Reset
from dpproxy.ledger.release_store import ReleaseStore
from dpproxy.plan.timing import Speed
from dpproxy.public_columns import later_columns, only_approved, seen
from dpproxy.release_identity import digest
from dpproxy.schema_fit import Fitted, fit, opened, reopened
from dpproxy.server import front_connections
from dpproxy.server.chain_head_file import head_kept
from dpproxy.server.database_separation import check_separate_databases
from dpproxy.server.front_supervisor import FrontSupervisor
from dpproxy.server.logs import event
from dpproxy.server.policy_terms import policy_terms, warnings
from dpproxy.server.served_engine import ServedEngine
from dpproxy.session.analyst_context import AnalystContext, analyst_context

_log: Final = logging.getLogger(__name__)
_PLENTY: Final = 10_000


@dataclass(slots=True)
class BackgroundTasks:
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
            _log.warning("a background task failed: %s", fault)

    async def finish(self) -> None:
        """Wait for all of them."""
        while self._running:
            await asyncio.wait(set(self._running))


@dataclass(frozen=True, slots=True)
class PermanentServices:
    """What stays as long as the proxy runs; of the engine, as long as its files do. `store` is None where no release is
    kept."""

    served: ServedEngine
    front: FrontSupervisor
    resources: Resources
    store: ReleaseStore | None

    @property
    def engine(self) -> Engine:
        """The one that is served now."""
        return self.served.engine

    def over(self, engine: Engine) -> PermanentServices:
        """The same over another engine."""
        return replace(self, resources=replace(self.resources, engine=engine, users=Users()))


@dataclass(slots=True)
class Services:
    """What sessions are served from. `passwords` are those of the analysts' roles in the front.

    `serve_policy` puts another policy in place of the one that is there: all of it at once, between two statements.
    """

    permanent: PermanentServices
    config: Config
    catalog: FrontCatalog
    passwords: Mapping[str, str]
    contexts: Mapping[str, AnalystContext]

    @property
    def address(self) -> FrontAddress:
        """Where the front listens."""
        return self.permanent.front.address

    def context(self, analyst: str) -> AnalystContext:
        """Raises InsufficientPrivilege for an analyst whom the policy no longer has."""
        found = self.contexts.get(analyst)
        if found is None:
            raise InsufficientPrivilege(f'"{analyst}" is no analyst any more', hint="Ask the owner.")
        return found

    async def serve_policy(self, config: Config) -> None:
        """Serve `config` from now on; sessions that are there read it at their next statement.

        Raises ConfigFault where it does not fit the engine or the front, or needs a restart, and FrontUnavailable; then
        all is as it was.
        """
        refuse(config.path, tuple(restarts(self.config, config)))
        other = await reopened(config, self.permanent.engine)
        permanent = self.permanent if other is None else self.permanent.over(other)
        try:
            new = await _with_policy(permanent, config, await fit(config, permanent.resources.engine))
        except BaseException:
            if other is not None:
                await other.close()
            raise
        if other is not None:
            event(_log, logging.INFO, "the engine reads other files")
            if other.version != self.permanent.resources.engine.version:  # else it is another file of unit indexes
                _tell_replaced(self.config, config)
            permanent.served.replace(other, permanent.resources.users)
        self.permanent = permanent
        self.config, self.catalog, self.passwords = new.config, new.catalog, new.passwords
        self.contexts = new.contexts


async def open_services(
    config: Config, stack: AsyncExitStack, complete: Callable[[Resources], Resources] = lambda resources: resources
) -> Services:
    """Open everything; `stack` closes it. Raises ConfigFault and FrontUnavailable.

    complete: adds the queue, the deadlines and the observer that statements are answered with.
    """
    engine = await opened(config)
    background = BackgroundTasks()
    served = ServedEngine(engine, background.later)
    stack.push_async_callback(served.close)
    fitted = await fit(config, engine)
    for warning in await check_separate_databases(config):
        _log.warning("%s", warning)
    front = await FrontSupervisor.start(config)
    stack.push_async_callback(front.stop)
    given = front.address.conninfo() if config.ledger.url is None else config.ledger.url.url
    ledger = await Ledger.open(given, config.accounting)
    stack.push_async_callback(ledger.close)
    await stack.enter_async_context(head_kept(ledger, config))
    store = ledger.store(config.privacy.stored_bytes, config.privacy.stored_for)
    stack.push_async_callback(store.close)
    stack.push_async_callback(background.finish)
    kept = store if config.privacy.stored_bytes else None
    speed = Speed(config.engine.statement_timeout, engine.per_operation)
    resources = complete(Resources(engine, ledger, background.later, speed, users=served.users))
    return await _with_policy(PermanentServices(served, front, resources, kept), config, fitted)


async def _with_policy(permanent: PermanentServices, config: Config, fitted: Fitted) -> Services:
    """The services with the policy of `config`, and the front as it says."""
    waiting = await permanent.resources.ledger.meet(policy_terms(config), "serve")
    keeper = permanent.resources.ledger.approved_columns()
    approved = await keeper.keep(seen(config, fitted.catalog))
    later = later_columns(config, fitted.catalog, approved)
    for warning in (*fitted.warnings, *warnings(config, waiting), *later):
        _log.warning("%s", warning)
    catalog = only_approved(config, fitted.catalog, approved)
    owner = permanent.front.address.conninfo()
    front = await sync_front(owner, catalog, roles(config))
    for warning in front.warnings:
        _log.warning("%s", warning)
    version = f"{config.privacy.data_version} {permanent.resources.engine.version}".rstrip()
    publics = PublicTables(owner, catalog, permanent.served.read, version, config.front.public_rows)
    policy = digest(config.server.database, config.privacy.data_version, catalog.without_indexes())
    stored = None if permanent.store is None else StoredReleases(permanent.store, policy)
    contexts = _contexts(config, permanent.resources, catalog, front, publics, stored)
    passwords = await role_passwords(owner)
    await _try_out(permanent.front.address, passwords, config)
    return Services(permanent, config, front, passwords, contexts)


def _tell_replaced(old: Config, new: Config) -> None:
    if old.privacy.data_version == new.privacy.data_version and new.privacy.stored_bytes:
        _log.warning("privacy.data_version is as it was: releases of the files before are told again until it changes")


async def _try_out(address: FrontAddress, passwords: Mapping[str, str], config: Config) -> None:
    """Whether a given front lets analysts in, and nobody without a password."""
    name = next(iter(config.analysts), None)
    if address.url is None or name is None:
        return
    if not await front_connections.try_out(address, name, passwords[name]):
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
    """The analysts as roles of the front. Several proxies may have one that is given: how many sessions an analyst has
    is for each of them to say there."""
    given = isinstance(config.front.url, Postgres)
    return tuple(
        AnalystRole(
            name, tuple(sorted(config.tables_of(name))), _PLENTY if given else config.limits_of(name).connections
        )
        for name in config.analysts
    )


def account(config: Config, catalog: Catalog, analyst: str) -> AnalystAccount:
    """An analyst's account. Raises KeyError where there is no such analyst."""
    allowed = config.tables_of(analyst)
    groups = () if config.budgets.everyone is None else ((EVERYONE, config.group_terms(EVERYONE)),)
    ref = AccountRef(analyst, Reset(config.analysts[analyst].reset), config.privacy.data_version)
    return AnalystAccount(ref, catalog.limited_to(allowed), config.terms(analyst), groups)


def _contexts(
    config: Config,
    resources: Resources,
    catalog: Catalog,
    front: FrontCatalog,
    publics: PublicTables,
    stored: StoredReleases | None,
) -> dict[str, AnalystContext]:
    loaded: set[str] = set()
    previews = config.privacy.preview == "empty"
    return {
        name: analyst_context(
            resources,
            account(config, catalog, name),
            catalog,
            front,
            publics,
            loaded,
            previews,
            stored,
            config.limits_of(name).own,
        )
        for name in config.analysts
    }

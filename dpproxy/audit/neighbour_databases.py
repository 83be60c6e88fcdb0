"""The place of an audit: its databases and their proxy, for as long as it lasts."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from dpproxy.audit.asking import Statements
from dpproxy.audit.audit_proxy import DPPROXY, AuditedDatabase, AuditSettings, audited_databases
from dpproxy.audit.engine_databases import databases, held
from dpproxy.audit.neighbouring_data import BASE, TARGETS, make_world
from dpproxy.config import Config


@asynccontextmanager
async def neighbours(
    config: Config,
    asked: AuditSettings,
    engine: str,
    statements: Sequence[Statements],
    targets: Sequence[str] = TARGETS,
    command: Sequence[str] = DPPROXY,
) -> AsyncIterator[dict[str, AuditedDatabase]]:
    """The ways to the database without a target, and to one with each of `targets`.

    engine: the name of theirs. statements: what is going to be asked; they tell which texts to compare with.
    command: what starts the proxy.
    Raises FrontUnavailable and AuditProxyUnavailable.
    """
    with TemporaryDirectory(prefix="dpproxy-audit-") as name:
        directory, places = Path(name), (BASE, *targets)
        world = make_world(config, [each for series in statements for each in series], held(engine))
        async with (
            databases(engine, directory, world, places) as made,
            audited_databases(config.path, made, directory, asked, command) as served,
        ):
            yield served

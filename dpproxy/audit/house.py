"""The place of an audit: its databases and proxies, for as long as it lasts."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from dpproxy.audit.databases import Kind, databases, held
from dpproxy.audit.stands import DPPROXY, Settings, Stand, stands
from dpproxy.audit.trial import Statements
from dpproxy.audit.world import BASE, TARGETS, make_world
from dpproxy.config import Config


@asynccontextmanager
async def neighbours(
    config: Config,
    asked: Settings,
    kind: Kind,
    statements: Sequence[Statements],
    targets: Sequence[str] = TARGETS,
    command: Sequence[str] = DPPROXY,
) -> AsyncIterator[dict[str, Stand]]:
    """A proxy before the database without a target, and before one with each of `targets`.

    statements: what is going to be asked; they tell which texts to compare with. command: what starts a proxy.
    Raises FrontUnavailable and StandUnavailable.
    """
    with TemporaryDirectory(prefix="dpproxy-audit-") as name:
        directory, places = Path(name), (BASE, *targets)
        world = make_world(config, [each for series in statements for each in series], held(kind))
        async with (
            databases(kind, directory, world, places) as urls,
            stands(config.path, urls, directory, asked, command) as served,
        ):
            yield served

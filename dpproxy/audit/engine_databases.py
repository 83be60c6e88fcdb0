"""The databases of an audit, each of them made for it and then gone: files, or databases of a Postgres of our own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from dpproxy.audit.column_values import TypeLimits
from dpproxy.audit.neighbouring_data import MadeTable
from dpproxy.catalog.policy import TableColumn
from dpproxy.catalog.types import parse_type
from dpproxy.engines.dialects import dialect_of
from dpproxy.engines.providers import provider_of
from dpproxy.engines.scratch import ScratchDatabase
from dpproxy.front.embedded_front import EmbeddedFront
from dpproxy.front.front_address import FrontAddress

_EXACT = TableColumn("n", parse_type("numeric(15,2)"))


def held(engine: str) -> TypeLimits:
    """What the types of the engine of that name hold."""
    return TypeLimits(exact_nan=dialect_of(engine).may_be_nan(_EXACT))


@asynccontextmanager
async def databases(
    engine: str, directory: Path, world: Sequence[MadeTable], places: Sequence[str]
) -> AsyncIterator[Mapping[str, ScratchDatabase]]:
    """Each place's database of the engine of that name, filled, for as long as the block lasts.

    Raises FrontUnavailable where there are no binaries of a Postgres.
    """
    async with provider_of(engine).made(directory, world, places, _server) as made:
        yield made


@asynccontextmanager
async def _server(directory: Path) -> AsyncIterator[FrontAddress]:
    async with await EmbeddedFront.start(directory, "audit") as server:
        yield server.address

"""Engines by their names and URLs: the one place that finds them.

An engine is a folder here, and what it provides is in the module `provider` of that folder: how its URLs are written,
how a database is opened, described for `dpproxy init`, and made for `dpproxy audit`. Nothing is touched, and no driver
is loaded, until one of these is asked for. What plans know of an engine is apart from this (`dialects`).

Checked by: tests/test_engines.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Protocol

from dpproxy import engines
from dpproxy.engines import Engine
from dpproxy.engines.described import Database
from dpproxy.engines.dialects import Dialect, folders
from dpproxy.engines.dialects import register as register_dialect
from dpproxy.engines.scratch import ScratchDatabase, ScratchTable, StartServer

VERSIONED = ("delta", "iceberg")
"""Formats of tables that have versions: a source names one before its directory."""


class WrongUrl(ValueError):
    """A URL that names no database. wrong: why, as the end of a sentence. It shows nothing of the URL."""

    def __init__(self, wrong: str) -> None:
        super().__init__(wrong)
        self.wrong = wrong


class Location(Protocol):
    """A database, as a URL names it. Nobody has looked yet whether it is there."""

    @property
    def provider(self) -> Provider:
        """What its engine provides."""
        ...

    @property
    def conninfo(self) -> str | None:
        """Its URL in libpq's words, where it is in a Postgres server: the front must not be there, too."""
        ...

    async def open(
        self,
        sources: Mapping[str, str],
        units: Path | None,
        unpinned: frozenset[str],
        *,
        max_concurrency: int,
        statement_timeout: float,
    ) -> Engine:
        """Open it: at most so many requests at once, each for so many seconds. Raises ConfigFault.

        sources: a pattern of files for each table that is not in the database but in these; none where the provider
        does not read files. unpinned: the tables of which a statement's queries may read different rows; none where the
        provider has snapshots of all.
        """
        ...

    def describe(self, beside: Path, tell: Callable[[str], None]) -> Database:
        """Its schema, for a policy in the directory `beside`; `tell` hears how it goes on. Reads no row.

        Raises ConfigFault, in which no secret is.
        """
        ...


@dataclass(frozen=True, slots=True)
class Provider:
    """What an engine of one name provides.

    name: the one that its dialect and its driver have. schemes: those of its URLs, before the first colon.
    form: how a URL is written, in quotes, for who wrote another. openable: what a database has to be to be opened.
    holds_rows: whether rows stay as they are for as long as the engine is open, so that what was verified on them once
    can be believed again (`Engine.digest`).
    keeps_keys: whether its tables may have constraints that keep a key unique and not null.
    reads_files: whether a table may be files that a pattern finds (`[tables.NAME] source`).
    reads_versions: whether it may be a directory of a format of VERSIONED.
    may_lack_snapshots: whether there are tables of which no snapshot can be had (`[tables.NAME] snapshot`).
    located: what a URL names; a relative path is one in the directory. Raises WrongUrl.
    made: databases for an audit in a directory, one for each of the places, filled, for as long as the block lasts.
    Raises FrontUnavailable where a server is needed, and none can be started.
    """

    name: str
    schemes: frozenset[str]
    form: str
    openable: str
    holds_rows: bool
    keeps_keys: bool
    reads_files: bool
    reads_versions: bool
    may_lack_snapshots: bool
    located: Callable[[str, Path], Location]
    made: Callable[
        [Path, Sequence[ScratchTable], Sequence[str], StartServer],
        AbstractAsyncContextManager[Mapping[str, ScratchDatabase]],
    ]


def register(provider: Provider, dialect: Dialect) -> None:
    """Make an engine known that has no folder here. Its record of facts is the checker's, and registered there."""
    if not provider.name == dialect.name not in folders():
        raise ValueError(f"{provider.name} and {dialect.name} are not one engine, or it has a folder")
    register_dialect(dialect)
    _REGISTERED[provider.name] = provider


def providers() -> tuple[Provider, ...]:
    """All engines, by name."""
    mine = [import_module(f"{engines.__name__}.{name}.provider").PROVIDER for name in folders()]
    return tuple(sorted((*mine, *_REGISTERED.values()), key=lambda each: each.name))


def forms() -> str:
    """How a URL of an engine may be written, for who wrote another."""
    return " or ".join(each.form for each in providers())


def provider_of(name: str) -> Provider:
    """The provider of that name. Raises LookupError."""
    for each in providers():
        if each.name == name:
            return each
    raise LookupError(f"there is no engine {name}")


def located(url: str, directory: Path) -> Location:
    """What a URL of an engine names, relative to a directory. Raises WrongUrl."""
    scheme, colon, _ = url.partition(":")
    for each in providers():
        if colon and scheme in each.schemes:
            return each.located(url, directory)
    raise WrongUrl("is no URL that is known here")


_REGISTERED: dict[str, Provider] = {}

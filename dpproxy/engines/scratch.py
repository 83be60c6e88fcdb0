"""What databases for an audit are made of: tables with all of their rows, each value as a text that its type reads.

Checked by: tests/audit/test_neighbouring_data.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from dpproxy.catalog.types import SqlType

Cells = tuple[str | None, ...]


class ScratchTable(Protocol):
    """A table, whose rows are others in each of several places. unique: what its database keeps unique and not null."""

    @property
    def name(self) -> str:
        """As the policy has it: `table`, or `schema.table`."""
        ...

    @property
    def columns(self) -> tuple[tuple[str, SqlType], ...]:
        """Names and types."""
        ...

    @property
    def unique(self) -> tuple[tuple[str, ...], ...]:
        """The primary key first, if there is one."""
        ...

    def of(self, place: str) -> tuple[Cells, ...]:
        """The rows in one place."""
        ...


@dataclass(frozen=True, slots=True)
class ScratchDatabase:
    """One that was made. sources: the files of tables that are made of such, as a policy names them."""

    url: str
    sources: Mapping[str, str] = field(default_factory=dict)


class Server(Protocol):
    """A Postgres that runs for an engine that is one. A host that begins with a slash is its socket's directory."""

    @property
    def host(self) -> str:
        """Where it listens."""
        ...

    @property
    def port(self) -> int:
        """Where it listens."""
        ...

    @property
    def database(self) -> str:
        """A database that is there."""
        ...

    @property
    def owner(self) -> str:
        """Who may make databases."""
        ...

    @property
    def password(self) -> str | None:
        """The owner's."""
        ...


StartServer = Callable[[Path], AbstractAsyncContextManager[Server]]
"""Starts a Postgres in a directory, for as long as the block lasts. Raises FrontUnavailable where it cannot."""


def creating(table: ScratchTable, typed: Callable[[SqlType], str]) -> Iterable[str]:
    """The statements that make an empty table. No column is NOT NULL but those of keys: the policy's word for it is
    only believed."""
    schema, _, _ = table.name.rpartition(".")
    if schema:
        yield f"CREATE SCHEMA IF NOT EXISTS {quoted(schema)}"
    keys = {column for key in table.unique for column in key}
    parts = [f"{quoted(name)} {typed(kind)}{' NOT NULL' if name in keys else ''}" for name, kind in table.columns]
    for place, key in enumerate(table.unique):
        columns = ", ".join(map(quoted, key))
        parts.append(f"{'UNIQUE' if place else 'PRIMARY KEY'} ({columns})")
    yield f"CREATE TABLE {quoted_table(table.name)} ({', '.join(parts)})"


def quoted_table(table: str) -> str:
    """`table`, or `schema.table`, as identifiers."""
    return ".".join(map(quoted, table.split(".", 1)))


def quoted(name: str) -> str:
    """A name as an identifier."""
    return '"' + name.replace('"', '""') + '"'

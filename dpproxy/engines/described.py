"""What the catalog of a database tells. Names of tables are the policy's: `table`, or `schema.table`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dpproxy.catalog.policy_names import is_name, reads_as_secret, unsayable
from dpproxy.catalog.schemas import is_taken
from dpproxy.catalog.types import SqlType, parse_type


@dataclass(frozen=True, slots=True)
class DescribedColumn:
    """A column. `type` as Postgres prints it, of a domain its base type, of an enum `text` with its `labels`.

    checks: conditions of its domain, which say VALUE for it.
    refused: why it can be in no policy, whatever its type.
    """

    name: str
    type: str
    nullable: bool
    labels: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    comment: str | None = None
    refused: str | None = None

    @property
    def kind(self) -> SqlType | None:
        """Its type in a policy; None where it can be in none."""
        try:
            return None if self.refused or unsayable(self.name) else parse_type(self.type)
        except ValueError:
            return None


@dataclass(frozen=True, slots=True, order=True)
class ForeignKey:
    """`columns` name the row of `table` that has the same values in `targets`. by_name: nobody declared it, it is
    guessed."""

    columns: tuple[str, ...]
    table: str
    targets: tuple[str, ...]
    by_name: bool = False


@dataclass(frozen=True, slots=True)
class DescribedTable:
    """A base table. `unique` are sets of columns that the database enforces as unique; `checks` are conditions.

    remarks: what else its owner should know, sentences.
    """

    name: str
    columns: tuple[DescribedColumn, ...]
    primary_key: tuple[str, ...] = ()
    unique: frozenset[tuple[str, ...]] = frozenset()
    foreign_keys: tuple[ForeignKey, ...] = ()
    checks: tuple[str, ...] = ()
    comment: str | None = None
    remarks: tuple[str, ...] = ()

    def column(self, name: str) -> DescribedColumn | None:
        """The column of that name."""
        return next((column for column in self.columns if column.name == name), None)


def sayable(schema: str, relation: str) -> bool:
    """Whether a policy can name a table so: it has a dot between schema and table, and some schemas are taken."""
    plain = "." not in schema + relation and not reads_as_secret(schema + relation)
    return plain and is_name(relation) and (not schema or is_name(schema)) and not is_taken(schema)


@dataclass(frozen=True, slots=True)
class Database:
    """All of a database: `name` for people, `url` for the policy. `others` are what a policy cannot hold: views …"""

    name: str
    url: str
    tables: Mapping[str, DescribedTable] = field(default_factory=dict)
    others: tuple[str, ...] = ()

"""The three kinds of relation inside a statement, as the passes see them.

A `Private` relation is a text that can stand in FROM, with all that is known of it: whose rows they are, what its
columns are, and what one unit can do to it. A `Post` relation is public or released: its tree stays where it is and
runs in the front. A `Shared` one is a public table that an engine can also read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dpproxy.rewrite.expressions.fact import Fact


@dataclass(frozen=True, slots=True)
class Weight:
    """Of an expression with all derived tables put into it: nodes, texts that are put together, calls of replace()."""

    nodes: int
    pieces: int
    replaces: int


PLAIN = Weight(1, 0, 0)


@dataclass(frozen=True, slots=True)
class Private:
    """Rows that each belong to one unit.

    sql: a table or a parenthesised SELECT of the engine. facts: its columns, by the analyst's names; held: the engine's
    names of them, for a SELECT from position, since an engine may fold what the analyst tells apart ("U" and "u").
    key: the column that holds the unit's key; None where `link` leads to it (a scan of a table that has only links).
    key_columns: columns that equal the unit's key. origins: columns that are plain copies of a table's column.
    one_row: proved that a unit has one row at most; of_unit: columns that are proved to be a function of the unit.
    weights: of its columns, those of a table apart, which are PLAIN.
    rows, groups: the policy's limits; rows is 1 where that is proved.
    """

    unit: str
    sql: str
    facts: Mapping[str, Fact]
    held: Mapping[str, str]
    key: str | None
    key_columns: frozenset[str]
    origins: Mapping[str, tuple[str, str]]
    one_row: bool
    of_unit: frozenset[str]
    rows: int
    groups: int
    weights: Mapping[str, Weight] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Shared:
    """A public table: exact, and readable by the engine too. `unique` are sets of columns proved unique."""

    sql: str
    facts: Mapping[str, Fact]
    held: Mapping[str, str]
    unique: frozenset[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Post:
    """A public or released relation whose tree stays in the analyst's statement."""


Relation = Private | Shared | Post


@dataclass(frozen=True, slots=True)
class Source:
    """One item of FROM in a SELECT over private rows: `alias` is the analyst's, `name` the engine's (from position)."""

    alias: str
    name: str
    relation: Private | Shared


@dataclass(frozen=True, slots=True)
class Join:
    """A source and the text that joins it to those before it: ` JOIN "orders" AS s1 ON …`."""

    text: str


@dataclass(frozen=True, slots=True)
class Rowset:
    """A joined and filtered FROM: the text from `FROM` to `WHERE …`, and what it proves.

    key: the unit key as an expression of the text. public_where: for each public source, the conditions that read
    nothing else, as texts.
    """

    unit: str
    text: str
    key: str
    sources: tuple[Source, ...]
    one_row: bool
    rows: int
    groups: int
    public_where: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

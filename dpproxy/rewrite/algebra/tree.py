"""Bounded SQL as a tree: relations as frozen values, whose expressions are values too.

    Scan          a table of the engine
    Arrays        parameters side by side: released rows, and those of the analyst's own tables
    Constants     a list of VALUES
    Select        a join that is filtered and projected, or aggregated
    SetOperation  UNION, INTERSECT, EXCEPT
    Sharing       rows that are made once, and a query that reads them more often; there they are `Shared`

Nothing here is changed after it is made, and no expression that stands in it is: whoever wants another one makes it.
Names that stand here are dpproxy's own (u, k0, m0, c0, s0 …), but for those of tables and their columns.

Checked by: tests/test_fixtures.py, tests/test_algebra.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from sqlglot import exp


class JoinKind(Enum):
    """How a source is joined to those before it."""

    INNER = "JOIN"
    LEFT = "LEFT JOIN"
    FULL = "FULL JOIN"


class SetKind(Enum):
    """Which set operation it is."""

    UNION = "UNION"
    INTERSECT = "INTERSECT"
    EXCEPT = "EXCEPT"


@dataclass(frozen=True, slots=True)
class Item:
    """value AS name; without a name in a nested query, which needs none."""

    name: str
    value: exp.Expression


@dataclass(frozen=True, slots=True)
class Scan:
    """A table of the engine, by the parts of its name; one without a schema is in the engine's default one."""

    place: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Arrays:
    """Rows that the engine is given: each item is an array, and they are read side by side."""

    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Constants:
    """Rows of constants. Of none, the types are in a row that is not there: `rows` has it, and `empty` is said."""

    names: tuple[str, ...]
    rows: tuple[tuple[exp.Expression, ...], ...]
    empty: bool = False


@dataclass(frozen=True, slots=True)
class Source:
    """A relation in FROM, under a name; a table may be without one."""

    relation: Relation
    name: str = ""


@dataclass(frozen=True, slots=True)
class Join:
    """A source with how it is joined to those before it. on: all conditions; none is a cross join, or ON TRUE."""

    kind: JoinKind
    source: Source
    on: tuple[exp.Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class JoinedRows:
    """FROM, JOIN and WHERE: the first source, those joined to it, and what is true of each row. Without any source, it
    is one row of no columns."""

    first: Source | None = None
    joins: tuple[Join, ...] = ()
    where: tuple[exp.Expression, ...] = ()

    @property
    def sources(self) -> tuple[Source, ...]:
        """Its sources, in order."""
        return () if self.first is None else (self.first, *(join.source for join in self.joins))


@dataclass(frozen=True, slots=True)
class Order:
    """ORDER BY, LIMIT and OFFSET: which rows of a public relation are kept. fenced: all are, and the
    engine computes them by themselves."""

    by: tuple[exp.Expression, ...] = ()
    limit: int | None = None
    offset: int | None = None
    fenced: bool = False


ALL = Order()
"""All rows, in any order."""


@dataclass(frozen=True, slots=True)
class Select:
    """A projection of rows; `by` are columns that they are grouped by, each with all of these and one of `or_by` if
    there are some (grouping sets). star: all columns as they are, without items. alone: nothing is asked of its rows
    above it that they were better asked before: an engine that would compute its steps there, and again, is kept from
    it."""

    items: tuple[Item, ...]
    rows: JoinedRows
    by: tuple[str, ...] = ()
    or_by: tuple[str, ...] = ()
    distinct: bool = False
    order: Order = ALL
    star: bool = False
    alone: bool = False


@dataclass(frozen=True, slots=True)
class SetOperation:
    """Rows of two relations with as many columns. every: duplicates stay (ALL)."""

    kind: SetKind
    every: bool
    left: Relation
    right: Relation


@dataclass(frozen=True, slots=True)
class Shared:
    """The rows of a `Sharing` around it, by its name."""

    name: str


@dataclass(frozen=True, slots=True)
class Sharing:
    """WITH name AS MATERIALIZED (rows) query: what the query reads as `Shared` is made once, whatever is in it."""

    name: str
    rows: Relation
    query: Select


Relation = Scan | Arrays | Constants | Select | SetOperation | Shared | Sharing


def of(relation: Relation, name: str = "") -> JoinedRows:
    """All rows of one relation."""
    return JoinedRows(Source(relation, name))

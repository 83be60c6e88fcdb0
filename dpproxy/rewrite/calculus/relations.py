"""The kinds of relation inside a statement, as the passes see them.

A `Readable` relation is a tree that can stand in FROM of the engine, with all that is known of it: whose rows they are
(Private if they are a unit's, Public if nobody's), what its columns are, and what one unit can do to it. A
`FrontRelation` is public or released: its tree stays where it is and runs in the front, until the engine has to read
it, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from dpproxy.plan.caps import Caps
from dpproxy.plan.samples import Sample
from dpproxy.rewrite import algebra
from dpproxy.rewrite.expressions.facts.fact import Fact, Scope
from dpproxy.rewrite.expressions.trees.build import column_of, without_nan

Cell = tuple[str, str]
UNIT = "u"
"""The column that holds the unit's key in all relations that are made here."""


@dataclass(frozen=True, slots=True)
class Weight:
    """Of an expression with all derived tables put into it: nodes, texts that are put together, calls of replace()."""

    nodes: int
    pieces: int
    replaces: int


PLAIN = Weight(1, 0, 0)


@dataclass(frozen=True, slots=True)
class PublicPart:
    """Columns of a private relation that are functions of public rows alone: what values they can have together.

    tree: a SELECT over public tables; columns: the relation's names -> those of `tree`. nullable: an outer join may
    put NULL into all of them.
    """

    tree: algebra.Relation
    columns: Mapping[str, str]
    nullable: bool


@dataclass(frozen=True, slots=True)
class Readable:
    """Rows that the engine can read; each belongs to one unit, or `unit` is None and they are public.

    tree: what the engine reads. facts: its columns, by the analyst's names; held: the engine's
    names of them, for a SELECT from position, since an engine may fold what the analyst tells apart ("U" and "u").
    key: the column that holds the unit's key; None where links lead to it (a scan of a table that has only links).
    key_columns: columns that equal the unit's key. origins: columns that are plain copies of a table's column.
    unique: sets of columns proved unique in public rows. publics: what public columns private rows carry.
    one_row: proved that a unit has one row at most; of_unit: columns that are proved to be a function of the unit.
    weights: of its columns, those of a table apart, which are PLAIN. notes: what the analyst is told.
    rows, groups: the policy's limits; rows is 1 where that is proved. most: rows of a unit in all, where the statement
    holds them to a number, or how many public rows of constants there are; numbers: columns that number a unit's rows
    from 1. once: sets of columns of which a unit has no combination twice. table: of the policy, if it is that itself.
    may_be_nan: columns of numerics that may be NaN, and are read without it. sample: the units that count, in whatever
    is released of it; rows of others are still there.
    """

    unit: str | None
    tree: algebra.Relation
    facts: Mapping[str, Fact]
    held: Mapping[str, str]
    key: str | None = None
    key_columns: frozenset[str] = frozenset()
    origins: Mapping[str, Cell] = field(default_factory=dict)
    unique: frozenset[tuple[str, ...]] = frozenset()
    publics: tuple[PublicPart, ...] = ()
    one_row: bool = False
    of_unit: frozenset[str] = frozenset()
    rows: int = 1
    groups: int = 1
    most: int | None = None
    numbers: frozenset[str] = frozenset()
    once: frozenset[frozenset[str]] = frozenset()
    weights: Mapping[str, Weight] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    table: str | None = None
    may_be_nan: frozenset[str] = frozenset()
    sample: Sample | None = None

    def column(self, name: str, held: str, table: str) -> exp.Expression:
        """A column as expressions read it: `held` is the engine's name of it, and `table` that of the source."""
        column = column_of(held, table)
        return without_nan(column) if name in self.may_be_nan else column


@dataclass(frozen=True, slots=True)
class FrontRelation:
    """A public or released relation whose tree stays in the analyst's statement; `names` are the CTEs that it sees."""

    tree: exp.Expr
    names: Mapping[str, Relation]


Relation = Readable | FrontRelation


@dataclass(frozen=True, slots=True)
class FromRelation:
    """One item of FROM: `alias` is the analyst's, `name` the engine's (from position).

    nullable: an outer join may put NULL into its columns.
    """

    alias: str
    name: str
    relation: Readable
    nullable: bool = False


@dataclass(frozen=True, slots=True)
class Edge:
    """An equality of two columns that holds wherever a row of `owner` is present; wherever at all, if that is None.

    An edge of an owner leads to it alone: in rows that an outer join made without it, it says nothing of others.
    """

    left: Cell
    right: Cell
    owner: str | None


@dataclass(frozen=True, slots=True)
class Enclosing:
    """What a correlated subquery sees of the SELECT around it. `prefix` is for the names of its own sources."""

    sources: tuple[FromRelation, ...]
    scope: Scope
    edges: tuple[Edge, ...]
    prefix: str

    @property
    def within(self) -> Enclosing:
        """What a derived table of that subquery sees: nothing of all this, but the names that are taken."""
        return Enclosing((), {}, (), deeper(self.prefix))

    @property
    def beside(self) -> Enclosing:
        """What a derived table in FROM sees, whose own names are apart from those around it: nothing."""
        return Enclosing((), {}, (), self.prefix)


def deeper(prefix: str) -> str:
    """The prefix for names one query further in."""
    return f"q{1 + int(prefix[1:-1] or 0)}_" if prefix else "q1_"


@dataclass(frozen=True, slots=True)
class PairKey:
    """Of rows that belong to two units each: the kinds of both, and the key of the second as an expression. aliases:
    the sources whose rows are of the one, and those of the other."""

    units: tuple[str, str]
    other: exp.Expression
    aliases: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())


@dataclass(frozen=True, slots=True)
class Rowset:
    """A joined and filtered FROM, and what it proves.

    unit: None for public rows. outer: the sources of enclosing SELECTs. key: the unit's key as an expression over
    `tree`, of private rows. public_conditions: those that read public columns alone. subqueries: what the public ones
    among its subqueries read, by the column in their place. sample: the units that count. pair: where each row belongs
    to a second unit, too. caps: what was declared where `rows` and `groups` have no limit, since a clip is chosen.
    """

    unit: str | None
    tree: algebra.JoinedRows
    key: exp.Expression | None
    sources: tuple[FromRelation, ...]
    one_row: bool
    rows: int
    groups: int
    most: int | None = None
    edges: tuple[Edge, ...] = ()
    outer: tuple[FromRelation, ...] = ()
    public_conditions: tuple[exp.Expr, ...] = ()
    subqueries: Mapping[Cell, frozenset[Cell]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    sample: Sample | None = None
    pair: PairKey | None = None
    caps: Caps | None = None

    @property
    def unit_item(self) -> tuple[algebra.Item, ...]:
        """The unit's key as the first item of what is made of these rows; none where they are public."""
        return () if self.key is None else (algebra.Item(UNIT, self.key),)


@dataclass(frozen=True, slots=True)
class Joined:
    """The rows of a SELECT before grouping, and the scope of its expressions."""

    rowset: Rowset
    scope: Scope

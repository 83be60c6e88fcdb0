"""What is counted of the rows that stand in FROM."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Generic, Never, TypeVar

from sqlglot import exp

from dpproxy.catalog.policy import Catalog
from dpproxy.catalog.types import Family
from dpproxy.plan.private_plan import OwnTable, Release
from dpproxy.plan.work import Factor

Product = tuple[Factor, ...]
Unique = frozenset[frozenset[str]]
Decides = frozenset[tuple[frozenset[str], frozenset[str]]]
MANY = 1_000
"""From how many rows of a unit on it is looked for bounds that are not at hand: of most statements it has fewer."""
ONE_ROW: Unique = frozenset([frozenset[str]()])
_Sets = TypeVar("_Sets")


def no_sets() -> frozenset[Never]:
    """Of rows of which nobody knows any."""
    return frozenset()


def given(sets: _Sets) -> Callable[[], _Sets]:
    """Sets that are known already."""
    return lambda: sets


@dataclass(slots=True)
class Once(Generic[_Sets]):
    """Sets that are found where somebody asks for them, and then known: of most rows nobody does."""

    find: Callable[[], _Sets]
    found: _Sets | None = None

    def __call__(self) -> _Sets:
        if self.found is None:
            self.found = self.find()
        return self.found


@dataclass(frozen=True, slots=True)
class Origin:
    """Rows of which one decides a value. path: where they stand, from FROM to FROM. rows: how many one unit has, or a
    public relation; all_rows: how many all units have."""

    path: tuple[str, ...]
    rows: int
    all_rows: int
    private: bool


Origins = frozenset[Origin]


def own_row() -> None:
    """What decides a value, where nothing is known but the row that it stands in."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A column of counted rows.

    cost: nodes that an engine may evaluate again where the column is read; of an aggregate, a window or what is behind
    a LIMIT it is 1. key: it holds the key of its row's unit. family: that of its type, where it is known. origins: of
    one unit, rows that decide its value together; None: a row of its own relation. numbers: it is a ROW_NUMBER, 1 at
    least. grouped: where it is NULL, that is one value more, which no two rows of a release have alone.
    """

    cost: int = 1
    family: Family | None = None
    key: bool = False
    origins: Callable[[], Origins | None] = own_row
    numbers: bool = False
    grouped: bool = False


@dataclass(frozen=True, slots=True)
class Counted:
    """A relation of a bounded text: public rows, or private ones as far as they are of one unit.

    rows: how many there are at most: of one unit, or of a public relation in all.
    product: the public rows that one private row was multiplied by to stand here; of a public relation, its own rows.
    widest: the largest such product in it, and in all that is evaluated for one of its rows.
    work: nodes that are evaluated for the unit's rows to make it, and all of its public parts once: an engine may leave
    those out where there is no private row. most: the most rows of one unit in it, and in anything below.
    scans: how many private tables are read from start to end to make it.
    all_rows: rows of all units together, or of a public relation; whole: nodes that are evaluated for all of them.
    units: how many units have any of its rows.
    unique: sets of columns on which no two of these rows agree; the empty set where there is one row at most.
    decides: sets of columns, each with those on which rows that agree on the set agree, too.
    """

    private: bool
    rows: int
    columns: Mapping[str, Cell]
    product: Product = ()
    widest: Product = ()
    work: int = 0
    most: int = 0
    scans: int = 0
    all_rows: int = 0
    whole: int = 0
    units: int = 0
    unique: Callable[[], Unique] = no_sets
    decides: Callable[[], Decides] = no_sets


Outer = Mapping[str, Counted]


@dataclass(frozen=True, slots=True)
class WorkContext:
    """What every reader may look at: the policy, the releases before this one, the analyst's own tables, the engine's
    dialect, the way down into a query, which sees the sources around it, and rows that are made once, by their name."""

    catalog: Catalog
    releases: tuple[Release, ...]
    tables: tuple[OwnTable, ...]
    dialect: str
    query: Reader = field(repr=False)
    shared: Mapping[str, Counted] = field(default_factory=dict, repr=False)


Reader = Callable[[exp.Expr, Outer, WorkContext], Counted]


def reading_once(query: Reader) -> Reader:
    """A reader of one plan's queries, which reads alike ones once where they see nothing of what is around them.

    Because: what is counted is of the query, the policy and the own tables, which are a plan's; of earlier releases,
    those that its arrays name: they were there before a later release, too. Checked by: tests/test_work.py.
    """
    known: dict[exp.Expr, Counted] = {}

    def read(node: exp.Expr, outer: Outer, context: WorkContext) -> Counted:
        if outer:
            return query(node, outer, context)
        found = known.get(node)
        if found is None:
            found = known[node] = query(node, outer, context)
        return found

    return read


def size(product: Product) -> int:
    """How many rows one row becomes."""
    return math.prod(factor.rows for factor in product)


def widest(products: Iterable[Product]) -> Product:
    """The largest of them; mostly there is none."""
    found = list(products)
    return max(found, key=size) if any(found) else ()


def multiplied(*products: Product) -> Product:
    """One inside of the other."""
    return tuple([factor for product in products for factor in product if factor.rows > 1])


def as_rows(product: Product, rows: int) -> Product:
    """So many public rows, which were made of those of a product."""
    return (Factor(", ".join(dict.fromkeys(factor.name for factor in product)), rows),)


def none_twice(names: Iterable[str], columns: Mapping[str, Cell]) -> Unique:
    """Columns on which no two rows agree, but for the unit's key, which is one for all rows that are counted."""
    return frozenset([frozenset(name for name in names if not columns[name].key)])


def is_correlated(query: exp.Expr, outer: Outer) -> bool:
    """Whether a query reads a column of a source around it, as far as names tell."""
    return bool(outer) and any(column.table in outer for column in query.find_all(exp.Column) if column.table)

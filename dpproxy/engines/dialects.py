"""What one engine needs differently: one folder per engine, and nowhere else.

All passes make one tree, whose forms are total where floating point overflows to infinity. A `Dialect` says how that
tree becomes a text of its engine that is total there, too, and how a table's columns are read. It is in the module
`dialect` of the engine's folder, and pure: who plans never loads a driver. The checker knows of engines by itself
(`rewrite.checker.engines`).

Checked by: tests/test_expressions.py, tests/test_expressions_in_postgres.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum, auto
from importlib import import_module
from pkgutil import iter_modules

from sqlglot import exp

from dpproxy import engines
from dpproxy.catalog.policy import TableColumn
from dpproxy.catalog.types import SqlType


class Packing(Enum):
    """How one row of a unit tells its counts by several keys: in the bits of a few sums, or a column for each."""

    BITS = auto()
    COLUMNS = auto()


@dataclass(frozen=True, slots=True)
class Dialect:
    """An engine's dialect. name: sqlglot's.

    total: the tree that raises for no row in this engine, of one that raises for none in DuckDB; it may share nodes.
    written: a whole tree in the engine's words; nobody else has it, so that it may be changed.
    typed: the tree of an item of a SELECT, which the engine holds in that type: a bare NULL may need to be told.
    read: how a scan reads a column, so that what `column_fact` says of it is true; None: as it is.
    held: the type in which it then has it. may_be_nan: whether it then is a numeric that may be NaN.
    holds_nul: whether its texts can hold the letter 0, which Postgres's cannot.
    quick_when_small: whether sums of INTEGER are much quicker than those of BIGINT, and clips of numerics than those of
    doubles made of them. endless_numerics: whether a numeric without digits has room for any sum and product of such.
    adds_in_doubles: whether sums of floating point are much quicker than those of whole numbers that have room.
    groups_early: whether it is quicker to group a unit's rows by a link before they are joined with their unit by it.
    joins_norms: whether it is quicker to join a unit's rows with aggregates of them than to have windows over them.
    packs_counts: how it is quicker to count a unit's rows by a few known keys than in a row for each; None: in no way.
    takes_elements: whether the first value of an array is quicker read by its place than by a query of its rows.
    sees_clamps: whether its planner reads a test of a clamped sum through the clamp, as true or to calculate it again.
    pulls_up: whether its planner writes the expressions of a derived table into those that read it.
    reworded: a text for an owner, in words that DuckDB and Postgres have in common, in the engine's.
    digest_below: the condition that SHA-256 of a text, in hexadecimal digits, comes before these digits.
    hashed: a whole number for each value of a unit's key, the same for equal ones of one type: a bigint.
    mixes: the function of any values that gives a number without a pattern, the same for equal ones, raising for none;
    None where there is none that is documented.
    bytes_of_text: the function that tells how many bytes a text has. wide: a type of whole numbers that holds sums of
    squares of bigints. has: whether a kind of node, of those that
    functions are made of, has a form in this engine.
    """

    name: str
    total: Callable[[exp.Expression], exp.Expression]
    written: Callable[[exp.Expr], str]
    typed: Callable[[exp.Expression, SqlType], exp.Expression]
    read: Callable[[TableColumn], exp.Expression | None]
    held: Callable[[TableColumn], SqlType]
    may_be_nan: Callable[[TableColumn], bool]
    reworded: Callable[[str], str]
    digest_below: Callable[[exp.Expression, str], exp.Expression]
    hashed: Callable[[exp.Expression], exp.Expression]
    holds_nul: bool
    quick_when_small: bool
    endless_numerics: bool
    adds_in_doubles: bool
    groups_early: bool
    joins_norms: bool
    packs_counts: Packing | None
    takes_elements: bool
    sees_clamps: bool
    pulls_up: bool
    mixes: str | None
    bytes_of_text: str
    wide: exp.DataType
    has: Callable[[type[exp.Expression]], bool]


class UnknownEngine(LookupError):
    """There is no dialect of that name: nothing can be planned for the engine, whatever is asked."""

    def __init__(self, name: str) -> None:
        super().__init__(f"no dialect is known of the engine {name}")


def folders() -> frozenset[str]:
    """The names of the engines that have a folder here."""
    return frozenset(each.name for each in iter_modules(engines.__path__) if each.ispkg)


def dialect_of(name: str) -> Dialect:
    """The dialect of that name. Raises UnknownEngine for one that is not here: none is taken for another."""
    found = _REGISTERED.get(name)
    if found is None and name in folders():
        found = _REGISTERED[name] = import_module(f"{engines.__name__}.{name}.dialect").DIALECT
    if found is None:
        raise UnknownEngine(name)
    return found


def engines_of(kinds: Iterable[type[exp.Expression]]) -> tuple[str, ...]:
    """The engines with a folder here that have a form of all these kinds of node."""
    needed = tuple(kinds)
    return tuple(name for name in sorted(folders()) if all(map(dialect_of(name).has, needed)))


def register(dialect: Dialect) -> None:
    """Make the dialect of an engine known that has no folder here (`providers.register`)."""
    _REGISTERED[dialect.name] = dialect


def read(column: TableColumn, name: str) -> exp.Expression | None:
    """How a scan reads the column; None: as it is."""
    return dialect_of(name).read(column)


_REGISTERED: dict[str, Dialect] = {}

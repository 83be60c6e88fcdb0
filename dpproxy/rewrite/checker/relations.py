"""What is proved of the rows that stand in FROM."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from dpproxy.catalog.types import Family
from dpproxy.rewrite.checker.fault import CheckFault
from dpproxy.rewrite.checker.held import Held

UNIT = "u"

Cell = tuple[str, str]
Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class BlocksOf:
    """In place of a unit: units dealt into so many blocks, each of which holds all rows of its units. No table has it,
    so that rows of blocks are tied to nothing else."""

    unit: str
    blocks: int


Unit = str | BlocksOf


@dataclass(frozen=True, slots=True)
class ColumnFact:
    """What is proved of a column.

    family: that of its type, where it is known. hidden: it ties sources together, and no expression may read it.
    key: it holds the key of its row's unit, or NULL. origins: (table, column) each, a column of a private table that is
    proved unique: it holds one of its values, or NULL, and its row is of the unit of that value's row.
    steady: all rows of a unit agree on it. held: how the engine holds it, and in which range.
    """

    family: Family | None
    hidden: bool = False
    key: bool = False
    origins: frozenset[Cell] = frozenset()
    steady: bool = False
    held: Held | None = None


def unclipped(_: str) -> Range:
    """The `ranged` of rows of which no column is proved to be clipped."""
    raise CheckFault("a measure's row is not clipped to whole numbers")


@dataclass(frozen=True, slots=True)
class Relation:
    """Rows of `columns`, in order. `unit` None: public.

    Of a private one it is proved that each row belongs to one unit, and that a unit's rows, as a multiset, depend on
    nothing but the unit's own rows in the tables of the policy, and on public or released ones.
    one_row: a unit has one row at most. unique: sets of columns on which no two rows agree (of public ones only); the
    empty set says that there is one row at most. ranged: between which whole numbers a column lies, or is NULL.
    sampled: none is of a unit whose coin does not let it in.
    """

    unit: Unit | None
    columns: Mapping[str, ColumnFact]
    one_row: bool = False
    unique: frozenset[tuple[str, ...]] = frozenset()
    ranged: Callable[[str], Range] = unclipped
    sampled: bool = False


def same_unit(left: ColumnFact, right: ColumnFact) -> bool:
    """Claim: rows whose columns `left` and `right` are equal belong to one unit, if both relations are of one kind.

    Because: both hold the unit's key, and NULL equals nothing; or both rows are of the unit of the one row of a table
    that their value names, of which there is one, since its column is proved unique.
    Checked by: tests/test_checker_relations.py.
    """
    return (left.key and right.key) or bool(left.origins & right.origins)

"""What an expression sees: the sources of its SELECT, and those of the SELECTs around it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from dpproxy.catalog.policy import Catalog
from dpproxy.plan.private_plan import OwnTable, Release
from dpproxy.plan.samples import Sample
from dpproxy.rewrite.checker.engines import Facts
from dpproxy.rewrite.checker.fault import CheckFault
from dpproxy.rewrite.checker.relations import Cell, ColumnFact, Relation, Unit
from dpproxy.rewrite.checker.syntax import plain

Pairs = frozenset[tuple[Cell, Cell]]


@dataclass(frozen=True, slots=True)
class Scope:
    """Sources by alias, those of enclosing SELECTs among them: no alias is taken twice.

    own: the aliases of the SELECT itself. reached: private sources whose rows, where there are any, belong to the unit
    of the row that the expression is evaluated for. equated: cells that are equal wherever the expression counts.
    unit: the kind of units. sole: the source of columns that are written without one.
    """

    sources: Mapping[str, Relation]
    own: frozenset[str] = frozenset()
    reached: frozenset[str] = frozenset()
    equated: Pairs = frozenset()
    unit: Unit | None = None
    sole: str | None = None

    def cell(self, column: exp.Column) -> Cell:
        """The cell that a column is. Raises CheckFault where it is of no source, or its name is not certain."""
        alias, name = column.table or self.sole, column.name
        written = column.this
        certain = plain(column) is not None if not column.table else written.args.get("quoted") or name.islower()
        if alias is None or alias not in self.sources or name not in self.sources[alias].columns or not certain:
            raise CheckFault(f"column {column.sql()} is not to be read here")
        return alias, name

    def fact(self, cell: Cell) -> ColumnFact:
        """What is proved of a cell."""
        return self.sources[cell[0]].columns[cell[1]]

    def seen(self, column: exp.Column) -> Cell:
        """The cell that an expression reads. Raises CheckFault for a hidden one too."""
        cell = self.cell(column)
        if self.fact(cell).hidden:
            raise CheckFault(f"column {column.sql()} is not to be read here")
        return cell


NOTHING = Scope({})


@dataclass(frozen=True, slots=True)
class CheckContext:
    """What every reader may look at: the policy, the releases before this one, own tables, and the two ways down.

    relation: the private relation that a query is. subquery: what is proved of the value of EXISTS (…) or (SELECT …) in
    an expression. Both raise CheckFault for what is not proved. engine: the facts of that which all texts are for.
    sample: the one of the release whose text is read. known: what was found of public queries of the same plan, which
    read tables alone, as this catalog has them; private: of queries over private rows, in which sample they are read;
    readings: of tables, each column in a form of its own.
    """

    catalog: Catalog
    releases: tuple[Release, ...]
    tables: tuple[OwnTable, ...]
    relation: Callable[[exp.Expr, CheckContext], Relation]
    subquery: Callable[[exp.Expr, Scope, CheckContext], ColumnFact]
    engine: Facts
    sample: Sample | None = None
    known: dict[exp.Expr, Relation] = field(default_factory=dict, repr=False, compare=False)
    private: dict[tuple[exp.Expr, Sample | None], Relation] = field(default_factory=dict, repr=False, compare=False)
    readings: dict[exp.Expr, Relation] = field(default_factory=dict, repr=False, compare=False)

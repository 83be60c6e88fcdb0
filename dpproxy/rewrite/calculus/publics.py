"""Public keys: what values columns of public tables can have, whatever private rows they are joined with.

The public sources of a SELECT, and the public columns that its private sources carry, are tables of a query of their
own; the conditions that read nothing else are its WHERE. Never those that the join meets: that would be data.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from dpproxy.errors import DPProxyError
from dpproxy.rewrite import algebra
from dpproxy.rewrite.calculus.from_clause import FromItem
from dpproxy.rewrite.calculus.relations import Cell, FromRelation, Joined, PublicPart
from dpproxy.rewrite.calculus.ties import equal_cells, source_of
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.expressions.facts.fact import Scope, Typed
from dpproxy.rewrite.expressions.trees.build import column_of, without_nan

Reads = Mapping[Cell, frozenset[Cell]]
_NONE: Reads = {}


@dataclass(frozen=True, slots=True)
class _Table:
    """A public table of the query: a source itself, or the public part of a private one."""

    name: str
    tree: algebra.Relation
    cells: Mapping[Cell, str]
    nullable: bool
    may_be_nan: frozenset[Cell] = frozenset()

    def column(self, cell: Cell) -> exp.Expression:
        """A cell as expressions read it."""
        column = column_of(self.cells[cell], self.name)
        return without_nan(column) if cell in self.may_be_nan else column


@dataclass(frozen=True, slots=True)
class PublicReach:
    """Public tables that conditions connect, and those conditions."""

    rows: algebra.JoinedRows
    nullable: bool

    def where(self, condition: exp.Expression) -> PublicReach:
        """The rows where a condition holds, too."""
        return replace(self, rows=replace(self.rows, where=(*self.rows.where, condition)))

    def select(self, values: Sequence[exp.Expression]) -> algebra.Relation:
        """The distinct values that some expressions have together, as d0, d1, …."""
        items = tuple(algebra.Item(f"d{index}", value) for index, value in enumerate(values))
        return algebra.Select(items, self.rows, distinct=True)


def reads(node: exp.Expr, subqueries: Reads = _NONE) -> frozenset[Cell]:
    """The columns that an expression reads, whatever they are of; those of a public subquery in its place."""
    found: set[Cell] = set()
    for column in node.find_all(exp.Column):
        cell = (column.table, column.name)
        found |= subqueries.get(cell, frozenset([cell]))
    return frozenset(found)


def public_conditions(
    sources: Sequence[FromRelation], items: Sequence[FromItem], written: Sequence[exp.Expr], subqueries: Reads
) -> tuple[exp.Expr, ...]:
    """The conditions of joins and WHERE that read public columns alone."""
    own = [c for source, item in zip(sources, items, strict=True) if source.relation.unit is None for c in item.on]
    return further_conditions(sources, (*written, *own), subqueries)


def further_conditions(
    sources: Sequence[FromRelation], written: Sequence[exp.Expr], subqueries: Reads
) -> tuple[exp.Expr, ...]:
    """Those of some conditions that read public columns alone."""
    tables = _tables(sources)
    if not tables:
        return ()
    certain = {cell for table in tables if not table.nullable for cell in table.cells}
    found = [(c, reads(c, subqueries)) for c in dict.fromkeys(written)]
    # What an outer join may leave out says nothing of the rows that stay.
    alone = [table.cells.keys() for table in tables if table.nullable]
    return tuple(c for c, read in found if read and (read <= certain or any(read <= cells for cells in alone)))


def _tables(sources: Sequence[FromRelation]) -> tuple[_Table, ...]:
    found: list[_Table] = []
    for source in sources:
        relation = source.relation
        if relation.unit is None:
            cells = {(source.alias, name): held for name, held in relation.held.items()}
            odd = frozenset((source.alias, name) for name in relation.may_be_nan)
            found.append(_Table(source.name, relation.tree, cells, source.nullable, odd))
        for index, part in enumerate(relation.publics):
            cells = {(source.alias, name): held for name, held in part.columns.items()}
            found.append(_Table(f"{source.name}p{index}", part.tree, cells, part.nullable or source.nullable))
    return tuple(found)


Reached = tuple[PublicReach, tuple[exp.Expression, ...]]


def reach(expressions: Sequence[exp.Expr], joined: Joined, context: PlanningContext) -> Reached | None:
    """The public tables that some expressions read, with all that conditions connect to them, and their values there.

    None where one of them reads anything else, or nothing.
    """
    return _PublicSide.of(joined, context).reach(expressions)


def reach_each(expressions: Iterable[exp.Expr], joined: Joined, context: PlanningContext) -> list[Reached | None]:
    """The same of each expression by itself."""
    side = _PublicSide.of(joined, context)
    return [side.reach([node]) for node in expressions]


@dataclass(frozen=True, slots=True)
class _PublicSide:
    """The public tables of joined rows, and the scope in which expressions read these instead. formed: the total forms
    of conditions, each made once; None for one that is not understood here, without which there are only more values.
    """

    joined: Joined
    context: PlanningContext
    tables: Sequence[_Table]
    scope: Scope
    formed: dict[exp.Expr, exp.Expression | None] = field(default_factory=dict)

    @classmethod
    def of(cls, joined: Joined, context: PlanningContext) -> _PublicSide:
        tables = _tables(joined.rowset.sources)
        return cls(joined, context, tables, _scope(tables, joined.scope))

    def reach(self, expressions: Sequence[exp.Expr]) -> Reached | None:
        expressions = [_public(node, self.joined) for node in expressions]
        cells = {cell: table for table in self.tables for cell in table.cells}
        seen = self.joined.rowset.subqueries
        read = {cell for node in expressions for cell in reads(node, seen)}
        if not all(reads(node, seen) for node in expressions) or not read <= cells.keys():
            return None
        if any(cells[cell].nullable for cell in read) and not all(isinstance(node, exp.Column) for node in expressions):
            return None
        met, names = self._met({cells[cell].name for cell in read}, cells)
        used = [table for table in self.tables if table.name in names]
        where = tuple(formed for c in met if (formed := self._condition(c)) is not None)
        values = tuple(self.context.formed(self.context.total(node, self.scope)) for node in expressions)
        first, *others = (algebra.Source(table.tree, table.name) for table in used)
        crossed = tuple(algebra.Join(algebra.JoinKind.INNER, source) for source in others)
        return PublicReach(algebra.JoinedRows(first, crossed, where), any(table.nullable for table in used)), values

    def _met(self, names: set[str], cells: Mapping[Cell, _Table]) -> tuple[list[exp.Expr], set[str]]:
        """The conditions that connect tables to those of these names, and the names of all of them."""
        seen = self.joined.rowset.subqueries
        read = [(c, {cells[cell].name for cell in reads(c, seen)}) for c in self.joined.rowset.public_conditions]
        while True:
            met = [(c, tables) for c, tables in read if tables & names]
            wider = names.union(*(tables for _, tables in met))
            if wider == names:
                return [c for c, _ in met], names
            names = wider

    def _condition(self, node: exp.Expr) -> exp.Expression | None:
        if node not in self.formed:
            try:
                self.formed[node] = self.context.formed(self.context.condition(node, self.scope))
            except DPProxyError:
                self.formed[node] = None
        return self.formed[node]


def _public(node: exp.Expr, joined: Joined) -> exp.Expr:
    """The column of a public table that a private one always equals, in its place; so for USING's COALESCE of both."""
    rowset = joined.rowset
    parts = [node] if isinstance(node, exp.Column) else []
    if isinstance(node, exp.Coalesce):
        parts = [part for part in (node.this, *node.expressions) if isinstance(part, exp.Column)]
    whole = parts and (isinstance(node, exp.Column) or len(parts) == 1 + len(node.expressions))
    if not whole:
        return node
    cells = {(part.table, part.name) for part in parts}
    for equal in equal_cells(rowset.sources, rowset.edges, None):
        if cells <= set(equal):
            public = [cell for cell in equal if _is_public(cell, joined)]
            return exp.column(public[0][1], table=public[0][0], quoted=True) if public else node
    return node


def _is_public(cell: Cell, joined: Joined) -> bool:
    source = source_of(cell, joined.rowset.sources)
    return source is not None and source.relation.unit is None and not source.nullable


def _scope(tables: Sequence[_Table], scope: Scope) -> Scope:
    """The same facts, read from the public tables."""
    return dict(scope) | {
        cell: Typed(table.column(cell), scope[cell].fact) for table in tables for cell in table.cells if cell in scope
    }


def carried(cells: Mapping[str, exp.Expr], joined: Joined, context: PlanningContext) -> tuple[PublicPart, ...]:
    """What the named items of a SELECT carry on of public columns: one part for those that are reached together."""
    parts: dict[PublicReach, tuple[list[str], list[exp.Expression]]] = {}
    for name, found in zip(cells, reach_each(cells.values(), joined, context), strict=True):
        if found is not None:
            names, values = parts.setdefault(found[0], ([], []))
            names.append(name)
            values.append(found[1][0])
    return tuple(
        PublicPart(made.select(values), {name: f"d{i}" for i, name in enumerate(names)}, made.nullable)
        for made, (names, values) in parts.items()
    )

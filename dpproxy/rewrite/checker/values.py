"""Expressions: what one reads of its scope, and what is proved of its value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlglot import exp

from dpproxy.catalog.types import Family
from dpproxy.rewrite.checker.engines import Facts
from dpproxy.rewrite.checker.families import EXACT_NUMBERS, family
from dpproxy.rewrite.checker.fault import CheckFault, require
from dpproxy.rewrite.checker.held import Held
from dpproxy.rewrite.checker.nodes import AGGREGATES, QUERIES, VALUES
from dpproxy.rewrite.checker.relations import Cell, ColumnFact, Range
from dpproxy.rewrite.checker.scope import CheckContext, Scope
from dpproxy.rewrite.checker.syntax import inside
from dpproxy.rewrite.checker.total import Total
from dpproxy.rewrite.checker.total_logic import either as one_of

Nested = Mapping[int, ColumnFact]


@dataclass(frozen=True, slots=True)
class Value:
    """An expression that is allowed in its scope.

    cells: what it reads outside of subqueries. nested: the families of its subqueries, by the identity of their nodes.
    engine: that which evaluates it. steady: all rows of a unit agree on it, if they do on the columns that are steady
    in its scope. held: how the engine holds it, where it is proved that it raises for no row.
    """

    node: exp.Expr
    scope: Scope
    cells: frozenset[Cell]
    nested: Nested
    engine: Facts
    steady: bool = False
    held: Held | None = None

    @property
    def family(self) -> Family | None:
        """The family of its type, where it is proved."""
        return self.family_of(self.node)

    def family_of(self, part: exp.Expr) -> Family | None:
        """The family of a part of it."""
        return family(part, self._leaf, self.engine)

    def range_of(self, column: exp.Column) -> Range:
        """Between which whole numbers a column of it lies, or is NULL. Raises CheckFault where that is not proved."""
        alias, name = self.scope.cell(column)
        return self.scope.sources[alias].ranged(name)

    @property
    def copied(self) -> Cell | None:
        """The cell of which it is a copy, if it is a plain column."""
        return self.scope.cell(self.node) if type(self.node) is exp.Column else None

    def _leaf(self, part: exp.Expr) -> Family | None:
        fact = self._fact(part)
        return None if fact is None else fact.family

    def _fact(self, part: exp.Expr) -> ColumnFact | None:
        if type(part) is exp.Column:
            return self.scope.fact(self.scope.cell(part))
        return self.nested.get(id(part))

    def proved(self) -> Value:
        """The same, proved to raise for no row."""
        held = Total(self._holds, self.engine)(self.node)
        return Value(self.node, self.scope, self.cells, self.nested, self.engine, self.steady, held)

    def _holds(self, part: exp.Expr) -> Held | None:
        fact = self._fact(part)
        return None if fact is None else fact.held


def value(node: exp.Expr, scope: Scope, context: CheckContext) -> Value:
    """An expression over one row of `scope`; subqueries in it are read with it around them.

    Raises CheckFault where it reads anything but columns that analysts see, each of its source, or calculates anything
    that is not on the list.
    """
    cells: set[Cell] = set()
    nested: dict[int, ColumnFact] = {}
    for part in parts(node):
        if type(part) in QUERIES:
            nested[id(part)] = context.subquery(part, scope, context)
        elif type(part) is exp.Column:
            cells.add(scope.seen(part))
        elif type(part) not in VALUES:
            raise CheckFault(f"{type(part).__name__} inside an expression")
    steady = not nested and all(scope.fact(cell).steady for cell in cells)
    return Value(node, scope, frozenset(cells), nested, context.engine, steady).proved()


def over_groups(node: exp.Expr, scope: Scope, context: CheckContext, free: Iterable[Cell]) -> Value:
    """An expression over groups of rows of `scope`: aggregates of columns, and the `free` cells by themselves.

    Raises CheckFault where it reads anything else, or an aggregate depends on the order of rows.
    """
    free = frozenset(free)
    cells: set[Cell] = set()
    nested: dict[int, ColumnFact] = {}
    steady = True
    for part in parts(node, *AGGREGATES):
        if type(part) in AGGREGATES:
            nested.update(aggregate(part, scope, context).nested)
            steady = False
        elif type(part) is exp.Column:
            cell = scope.seen(part)
            require(cell in free, f"column {cell[1]} is neither grouped nor aggregated")
            cells.add(cell)
        else:
            require(type(part) in VALUES, f"{type(part).__name__} beside aggregates")
    steady = steady and all(scope.fact(cell).steady for cell in cells)
    return Value(node, scope, frozenset(cells), nested, context.engine, steady).proved()


def aggregate(node: exp.Expr, scope: Scope, context: CheckContext) -> Value:
    """The argument of an aggregate of rows of the SELECT itself.

    Claim: the aggregate is a function of the rows as a multiset. Because: sums are of whole numbers and decimals, which
    are exact; what counts, compares or decides knows no order. It is of this SELECT's rows, not of those around it,
    because it reads a column of its own, or none.
    Checked by: tests/test_checker_relations.py.
    """
    argument = node.this
    if type(node) is exp.Count and type(argument) is exp.Star:
        return Value(exp.Literal.number(1), scope, frozenset(), {}, context.engine)
    if type(node) is exp.Count and type(argument) is exp.Distinct:
        require(len(argument.expressions) == 1, "a count of several columns")
        argument = argument.expressions[0]
    if argument is None:
        raise CheckFault("an aggregate of nothing")
    inner = value(argument, scope, context)
    own = {alias for alias, _ in inner.cells} & scope.own
    require(own or not (inner.cells or inner.nested), "an aggregate that could be of the rows around it")
    if type(node) in (exp.Sum, exp.Avg):
        require(inner.family in EXACT_NUMBERS, "a sum that depends on the order of rows")
    return inner


def either(left: ColumnFact, right: ColumnFact, context: CheckContext) -> Held:
    """How a column is held that has values of both. Raises CheckFault where a value could have no room in it."""
    if left.held is None or right.held is None:
        raise CheckFault("nothing is known of the type of a column")
    return one_of(left.held, right.held, Total(lambda _: None, context.engine))


def parts(node: exp.Expr, *closed: type[exp.Expr]) -> Iterable[exp.Expr]:
    """The nodes of an expression, not going into columns, subqueries, nor `closed` ones."""
    return inside(node, (exp.Column, *QUERIES, *closed))

"""Steps become columns of a projection below, computed once; where that would be the longer text, they are written out.

    SELECT f(a), f(b)              SELECT f(t.g0), f(t.g1) FROM (
      where f(x) = CASE   ->         SELECT a AS g0, b AS g1 FROM … WHERE …
      WHEN x > 0 THEN x END        ) AS t

A step that reads steps is in a layer above theirs, so that the text grows by what is computed, and not by how often it
is read. Conditions stand where their steps are known; those without any stay with the joins.

Checked by: tests/test_algebra.py, tests/test_fixtures.py (rewrite/steps.sql).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from dpproxy.errors import FeatureNotSupported
from dpproxy.rewrite.algebra.nested import nested_in
from dpproxy.rewrite.algebra.tree import ALL, Item, JoinedRows, Order, Select, Source
from dpproxy.rewrite.expressions.trees.nodes import nodes_of
from dpproxy.rewrite.expressions.trees.steps import Definition, definition_of, steps_in

MOST_NODES = 20_000
"""Of one expression, where its steps cannot be columns."""
_ALIAS = "t"
_FENCED, _FENCE = 3, Order(fenced=True)
_UNIT = "u"
_ITEM, _LAYER = 4, 24  # nodes, about: of a column that is handed on, and of a SELECT around another one
_WHOLE = (exp.AggFunc, exp.Window)
_READ = (exp.Column, exp.Coalesce, *_WHOLE)  # a unit's key may be a COALESCE of two
_OPEN = (exp.Func, exp.If, exp.Paren, exp.Tuple, exp.Ordered)


def layered(select: Select, fenced: bool) -> Select:
    """The select without steps in its expressions.

    fenced: for an engine that would write them out itself, layer into layer, and so grow with depth: every third layer
    has an OFFSET '0', which keeps all rows, and keeps the layer by itself; of a select that stands alone, each has.

    Claim: it has the same rows. Because: a projection hands on, row by row, what is read above it; a condition is
    tested of the same rows, before or after columns are added to them.
    """
    ons = [condition for join in select.rows.joins for condition in join.on]
    if any(next(steps_in(condition), None) is not None for condition in ons):
        joins = tuple(replace(join, on=tuple(map(written_out, join.on))) for join in select.rows.joins)
        select = replace(select, rows=replace(select.rows, joins=joins))
    roots = [*(item.value for item in select.items), *select.rows.where, *select.order.by]
    found = _definitions(roots)
    if not found:
        return select
    layers = _Layers.of(select, roots, found)
    longer = layers is not None and not (fenced and select.alone) and layers.cost() >= sum(map(_size, roots))
    return _without_steps(select) if layers is None or longer else layers.built(fenced)


def written_out(value: exp.Expression) -> exp.Expression:
    """The expression with each step written where it is read.

    Raises FeatureNotSupported where that is out of proportion: in a correlated subquery, or in ON.
    """
    if next(steps_in(value), None) is None:
        return value
    if _size(value) > MOST_NODES:
        raise FeatureNotSupported(
            "the expression is too large", hint="Split it into the columns of a derived table, or shorten it."
        )

    def whole(node: exp.Expr) -> exp.Expr:
        found = definition_of(node)
        if found is None:
            return node
        made, parent = written_out(found.value), node.parent
        bare = parent is None or (isinstance(parent, _OPEN) and not isinstance(parent, exp.Binary))
        return made if bare or isinstance(made, exp.Column | exp.Func | exp.Paren) else exp.Paren(this=made)

    made = value.transform(whole)
    assert isinstance(made, exp.Expression)
    return made


def _without_steps(select: Select) -> Select:
    items = tuple(Item(item.name, written_out(item.value)) for item in select.items)
    where = tuple(map(written_out, select.rows.where))
    order = replace(select.order, by=tuple(map(written_out, select.order.by)))
    return replace(select, items=items, rows=replace(select.rows, where=where), order=order)


def _definitions(roots: Sequence[exp.Expression]) -> dict[exp.Expr, Definition]:
    """All steps that are read, by their leaves; those that others read come first."""
    found: dict[exp.Expr, Definition] = {}

    def collect(value: exp.Expression) -> None:
        for leaf in (value,) if type(value) is exp.Column else value.find_all(exp.Column):
            definition = definition_of(leaf)
            if definition is not None and leaf not in found:
                collect(definition.value)
                found[leaf] = definition

    for root in roots:
        collect(root)
    return found


def _size(root: exp.Expression) -> int:
    """How many nodes it has with its steps written out."""
    return len(nodes_of(root)) + sum(each.written for each in steps_in(root))


def _depth(value: exp.Expression) -> int:
    """The layer whose columns it reads last; -1 for one without steps."""
    return max((each.depth for each in steps_in(value)), default=-1)


def _cells(value: exp.Expr) -> list[exp.Expr]:
    """What an expression reads of the rows themselves: columns, and aggregates and windows as a whole; in order."""
    found, left = list[exp.Expr](), [value]
    while left:
        node = left.pop()
        if isinstance(node, _WHOLE):
            found.append(node)
        elif not isinstance(node, exp.Column):
            left += reversed(list(node.iter_expressions()))
        elif definition_of(node) is None:
            found.append(node)
    return found


@dataclass(frozen=True, slots=True)
class _Layers:
    """A select whose steps are put below. leaves: the steps of each layer, the lowest first."""

    select: Select
    leaves: tuple[tuple[exp.Expr, ...], ...]
    definitions: Mapping[exp.Expr, Definition]

    @classmethod
    def of(
        cls, select: Select, roots: Sequence[exp.Expression], found: Mapping[exp.Expr, Definition]
    ) -> _Layers | None:
        """None where an expression reads more than rows of this select, or aggregates what is computed in steps."""
        if select.star:
            return None
        local = {source.name for source in select.rows.sources} | {""}
        for value in (*roots, *(each.value for each in found.values())):
            for cell in _cells(value):
                if isinstance(cell, _WHOLE) and next(steps_in(cell), None) is not None:
                    return None
                if any(column.table not in local for column in cell.find_all(exp.Column)):
                    return None
            if any(nested_in(leaf) is not None for leaf in value.find_all(exp.Var)):
                return None
        whole = any(isinstance(cell, _WHOLE) for value in roots for cell in _cells(value))
        if (whole or select.by) and any(_depth(condition) >= 0 for condition in select.rows.where):
            return None
        depth = max(each.depth for each in found.values())
        leaves = tuple(tuple(leaf for leaf, each in found.items() if each.depth == at) for at in range(depth + 1))
        return cls(select, leaves, found)

    def _above(self, layer: int) -> list[exp.Expression]:
        """The expressions that are computed above a layer."""
        select = self.select
        top = [*(item.value for item in select.items if item.name != _UNIT), *select.order.by]
        steps = [self.definitions[leaf].value for leaves in self.leaves[layer + 1 :] for leaf in leaves]
        return [*top, *steps, *(each for each in select.rows.where if _depth(each) >= layer and _depth(each) >= 0)]

    def _handed_on(self, layer: int) -> list[exp.Expr]:
        """What a layer hands on to those above it: first what rows have, then the steps of layers below it."""
        above = self._above(layer)
        unit = [self.select.items[0].value] if self.select.items[0].name == _UNIT else []
        cells = [*unit, *(cell for value in above for cell in _cells(value))]
        below = {leaf for leaves in self.leaves[:layer] for leaf in leaves}
        steps = [leaf for value in above for leaf in value.find_all(exp.Column) if leaf in below]
        return list(dict.fromkeys([*cells, *steps]))

    def cost(self) -> int:
        """About how many nodes it comes to."""
        select = self.select
        roots = [*(item.value for item in select.items), *select.rows.where, *select.order.by]
        values = [*roots, *(each.value for each in self.definitions.values())]
        handed = sum(len(self._handed_on(layer)) + len(self.leaves[layer]) for layer in range(len(self.leaves)))
        return sum(len(nodes_of(value)) for value in values) + _ITEM * handed + _LAYER * len(self.leaves)

    def built(self, fenced: bool) -> Select:
        """The layers, each reading the one below it."""
        select, names = self.select, self._names()
        rows = replace(select.rows, where=tuple(each for each in select.rows.where if _depth(each) < 0))
        read: dict[exp.Expr, str] = {}
        for layer, leaves in enumerate(self.leaves):
            values = [(node, node) for node in self._handed_on(layer)]
            values += [(leaf, self.definitions[leaf].value) for leaf in leaves]
            items = tuple(Item(names[node], _bare(_placed(value, read))) for node, value in values)
            whole = _FENCE if fenced and (select.alone or layer % _FENCED == _FENCED - 1) else ALL
            made = Select(items, rows, by=() if layer else select.by, order=whole)
            read = {node: names[node] for node, _ in values}
            rows = JoinedRows(Source(made, _ALIAS), where=self._tests(layer, read))
        items = tuple(Item(item.name, _placed(item.value, read)) for item in select.items)
        order = replace(select.order, by=tuple(_placed(each, read) for each in select.order.by))
        return Select(items, rows, distinct=select.distinct, order=order)

    def _tests(self, layer: int, read: Mapping[exp.Expr, str]) -> tuple[exp.Expression, ...]:
        """What is asked of the rows of a layer: first that they are still somebody's."""
        asked = [_placed(each, read) for each in self.select.rows.where if _depth(each) == layer]
        if _UNIT not in read.values():
            return tuple(asked)
        unit = exp.column(_UNIT, table=_ALIAS)
        return (exp.Is(this=unit, expression=exp.Null(), negate=True), *asked)

    def _names(self) -> dict[exp.Expr, str]:
        """The unit's key keeps its name; what rows have is x0, x1 …, and steps are g0, g1 …."""
        first = self.select.items[0]
        cells = list(dict.fromkeys(cell for layer in range(len(self.leaves)) for cell in self._handed_on(layer)))
        cells = [cell for cell in cells if cell not in self.definitions]
        names = {cell: f"x{index}" for index, cell in enumerate(cells)}
        names |= {leaf: f"g{index}" for index, leaf in enumerate(self.definitions)}
        return names | ({first.value: _UNIT} if first.name == _UNIT else {})


def _bare(value: exp.Expression) -> exp.Expression:
    return value.this if isinstance(value, exp.Paren) else value


def _placed(value: exp.Expr, read: Mapping[exp.Expr, str]) -> exp.Expression:
    """The expression over the columns of a layer; over rows themselves, as it is."""

    def place(node: exp.Expr) -> exp.Expr:
        name = read.get(node) if isinstance(node, _READ) else None
        return node if name is None else exp.column(name, table=_ALIAS)

    made = value.transform(place) if read else value
    assert isinstance(made, exp.Expression)
    return made

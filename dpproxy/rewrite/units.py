"""Whose rows a join's rows are: one unit, or a refusal.

A join row belongs to a unit if each private row in it does, to the same one. That is so for two rows where the
condition equates their unit keys, or where it equates a declared link of a table that has no key of its own with its
proved-unique target (the row's unit is its target's by the policy).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from dpproxy.catalog.model import Catalog
from dpproxy.errors import NotPrivate
from dpproxy.rewrite.relations import Private, Source
from dpproxy.rewrite.scans import engine_name, hidden_path, quoted

Cell = tuple[str, str]


@dataclass(frozen=True, slots=True)
class UnitKey:
    """The unit's key in a join: an expression, and the hidden joins that it needs."""

    expression: str
    joins: str


def equalities(conditions: Iterable[exp.Expr]) -> tuple[tuple[Cell, Cell], ...]:
    """The pairs of columns that the conjuncts equate, both ways round."""
    pairs = [
        ((c.this.table, c.this.name), (c.expression.table, c.expression.name))
        for c in conditions
        if isinstance(c, exp.EQ) and isinstance(c.this, exp.Column) and isinstance(c.expression, exp.Column)
    ]
    return tuple(pairs) + tuple((right, left) for left, right in pairs)


def unit_key(sources: Sequence[Source], equated: Sequence[tuple[Cell, Cell]], catalog: Catalog) -> UnitKey:
    """The key of the one unit that every row of the join belongs to.

    Claim: in every row of the join with a non-NULL key, all private rows belong to the unit of that key.
    Because: all private sources lie in one class of the relation `_same_unit`, whose every edge is an equality that the
    join's condition enforces on each row; the key is one member's own, or its parent's along proved-unique links.
    Checked by: tests/test_neighbours.py.
    Raises NotPrivate where rows of two units could meet.
    """
    private = [source for source in sources if isinstance(source.relation, Private)]
    _one_kind(private)
    joined = _reachable(private, equated, catalog)
    apart = [source for source in private if source.alias not in joined]
    if apart:
        raise _mixed(private[0], apart[0], catalog)
    own = next((source for source in private if _relation(source).key is not None), None)
    if own is not None:
        return UnitKey(f"{own.name}.{quoted(_relation(own).key or '')}", "")
    return _along_links(private, catalog)


def _relation(source: Source) -> Private:
    assert isinstance(source.relation, Private)
    return source.relation


def _one_kind(private: Sequence[Source]) -> None:
    for source in private[1:]:
        first, other = _relation(private[0]).unit, _relation(source).unit
        if first != other:
            raise NotPrivate(
                f'"{private[0].alias}" belongs to unit {first} and "{source.alias}" to unit {other}',
                hint="Join tables of one privacy unit only; answer each of the others in a statement of its own.",
            )


def _reachable(private: Sequence[Source], equated: Sequence[tuple[Cell, Cell]], catalog: Catalog) -> frozenset[str]:
    by_alias = {source.alias: _relation(source) for source in private}
    reached = {private[0].alias}
    growing = True
    while growing:
        found = {
            right[0]
            for left, right in equated
            if left[0] in reached
            and right[0] in by_alias
            and right[0] not in reached
            and _same_unit(by_alias[left[0]], left[1], by_alias[right[0]], right[1], catalog)
        }
        reached |= found
        growing = bool(found)
    return frozenset(reached)


def _same_unit(left: Private, x: str, right: Private, y: str, catalog: Catalog) -> bool:
    if x in left.key_columns and y in right.key_columns:
        return True
    return _follows_link(left, x, right, y, catalog) or _follows_link(right, y, left, x, catalog)


def _follows_link(child: Private, x: str, parent: Private, y: str, catalog: Catalog) -> bool:
    if child.key is not None or x not in child.origins or y not in parent.origins:
        return False
    table, column = child.origins[x]
    target = parent.origins[y]
    return any(
        link.column == column and (link.table, link.target) == target
        for link in catalog.tables[table].links
        if catalog.tables[link.table].proves_unique(link.target)
    )


def _along_links(private: Sequence[Source], catalog: Catalog) -> UnitKey:
    """Hidden joins from the source with the shortest way to a table that carries the key."""
    ways = []
    for source in private:
        table = next(iter(_relation(source).origins.values()))[0]
        path = hidden_path(catalog.tables[table], catalog)
        if path:
            ways.append((len(path), source.name, path))
    if not ways:
        raise NotPrivate(
            f'no proved link leads from "{private[0].alias}" to its unit',
            hint="Ask the data owner: the links of this table must point at columns that are unique.",
        )
    _, here, path = min(ways, key=lambda way: way[:2])
    joins = ""
    for index, (column, parent, target) in enumerate(path):
        joins += f" JOIN {engine_name(parent)} AS h{index} ON {here}.{quoted(column)} = h{index}.{quoted(target)}"
        here = f"h{index}"
    return UnitKey(f"{here}.{quoted(path[-1][1].unit_key or '')}", joins)


def _mixed(left: Source, right: Source, catalog: Catalog) -> NotPrivate:
    return NotPrivate(
        f'joining "{left.alias}" with "{right.alias}" could put rows of two {_relation(left).unit}s together',
        hint=_joining(left, right, catalog),
    )


def _joining(left: Source, right: Source, catalog: Catalog) -> str:
    for child, parent in ((left, right), (right, left)):
        tables = {table for table, _ in _relation(parent).origins.values()}
        for table in dict.fromkeys(table for table, _ in _relation(child).origins.values()):
            for link in catalog.tables[table].links:
                if link.table in tables:
                    return f"Join them ON {child.alias}.{link.column} = {parent.alias}.{link.target}."
    keys = (_relation(left).key, _relation(right).key)
    if all(keys):
        return f"Join them ON {left.alias}.{keys[0]} = {right.alias}.{keys[1]}."
    return "Join each table to its parent along the policy's links."

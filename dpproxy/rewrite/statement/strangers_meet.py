"""Whether a SELECT puts rows of two units of one kind together by a key, as far as text and policy tell: through
derived tables that choose rows and compute of each. `calculus/strangers` decides; here it is asked what to inline.

Checked by: tests/test_fixtures.py (rewrite/pairs.sql), tests/test_stranger_neighbours.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from sqlglot import exp

from dpproxy.catalog.policy import Catalog, Table
from dpproxy.rewrite.calculus.joins import where_of
from dpproxy.rewrite.expressions import conjuncts

_Place = tuple[str, str]
_Inner = Callable[[exp.Expr], exp.Select | None]


@dataclass(frozen=True, slots=True)
class _Base:
    """The private tables below a SELECT, the places that are equal in all of its rows, and what its items are."""

    tables: Mapping[str, Table]
    equal: tuple[tuple[_Place, _Place], ...]
    items: Mapping[str, _Place]


def strangers_meet(select: exp.Select, inner: _Inner, catalog: Catalog) -> bool:
    """Whether private tables of one kind of unit are joined by a key of one of them, and by nothing that ties them.
    inner: the SELECT that an item of FROM is, if it is read as one."""
    base = _base(select, "", inner, catalog)
    if len(base.tables) < 2 or len({table.unit for table in base.tables.values()}) > 1:
        return False
    if any(table.ways for table in base.tables.values()):
        return False
    first = next(iter(base.tables))
    reached = _reached(first, base)
    across = [pair for pair in base.equal if (pair[0][0] in reached) != (pair[1][0] in reached)]
    met = {alias: {name for pair in across for own, name in pair if own == alias} for alias in base.tables}
    return any(base.tables[alias].proves_unique(*names) for alias, names in met.items())


def sides_of(select: exp.Select, catalog: Catalog) -> tuple[frozenset[str], ...]:
    """The private tables of either side, where strangers meet."""
    if not strangers_meet(select, lambda _: None, catalog):
        return ()
    base = _base(select, "", lambda _: None, catalog)
    reached = _reached(next(iter(base.tables)), base)
    return reached, frozenset(base.tables) - reached


def _reached(first: str, base: _Base) -> frozenset[str]:
    reached = {first}
    while True:
        found = {
            other[0]
            for left, right in base.equal
            for own, other in ((left, right), (right, left))
            if own[0] in reached and other[0] not in reached and _anchors(own, base) & _anchors(other, base)
        }
        if not found:
            return frozenset(reached)
        reached |= found


def _anchors(place: _Place, base: _Base) -> set[tuple[str, ...]]:
    """What a value of the column names, as far as that settles the unit."""
    table, name = base.tables[place[0]], place[1]
    found: set[tuple[str, ...]] = {("unit",)} if name == table.unit_key else set()
    found |= {(table.name, name)} if table.proves_unique(name) else set()
    found |= {("determined",)} if any(name in columns for columns in table.determines) else set()
    links = table.links if table.unit_key is None else ()
    return found | {(link.table, link.target) for link in links if link.column == name}


def _base(select: exp.Select, prefix: str, inner: _Inner, catalog: Catalog) -> _Base:
    tables: dict[str, Table] = {}
    equal: list[tuple[_Place, _Place]] = []
    below: dict[str, _Base] = {}
    for node in _nodes(select):
        alias = f"{prefix}{node.alias_or_name}"
        table = catalog.table(node.db, node.name) if isinstance(node, exp.Table) and node.db else None
        if table is not None and not table.public:
            tables[alias] = table
        elif table is None and (made := inner(node)) is not None:
            below[alias] = _base(made, f"{alias}.", inner, catalog)
            tables |= below[alias].tables
            equal += below[alias].equal

    def place(node: exp.Expr | None) -> _Place | None:
        if not isinstance(node, exp.Column):
            return None
        alias = f"{prefix}{node.table}"
        return below[alias].items.get(node.name) if alias in below else (alias, node.name)

    for part in _conditions(select):
        sides = (place(part.this), place(part.expression)) if isinstance(part, exp.EQ) else (None, None)
        if sides[0] is not None and sides[1] is not None and {sides[0][0], sides[1][0]} <= tables.keys():
            equal.append((sides[0], sides[1]))
    items = {item.alias_or_name: found for item in select.expressions if (found := place(item.unalias())) is not None}
    return _Base(tables, tuple(equal), items)


def _nodes(select: exp.Select) -> list[exp.Expr]:
    from_ = select.args.get("from_")
    return [] if from_ is None else [from_.this, *(join.this for join in select.args.get("joins") or [])]


def _conditions(select: exp.Select) -> Iterator[exp.Expr]:
    """Those of WHERE and of the joins that keep what stands before them, as far as others are there."""
    yield from where_of(select)
    for join in select.args.get("joins") or []:
        if str(join.args.get("side") or "").upper() in ("", "LEFT"):
            yield from conjuncts(join.args.get("on"))

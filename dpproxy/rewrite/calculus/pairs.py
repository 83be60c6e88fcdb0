"""Rows that belong to two units each: of a table that names both, of a join of tables of two kinds, or of one that puts
rows of two units of one kind together by a key.

For each of the two all is as if there were no other: the private rows of its kind are tied together, and the key comes
from one of them or along links. A table that names several units is then one of the unit in question alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from dpproxy.catalog.policy import Catalog, UnitWay
from dpproxy.errors import NotPrivate
from dpproxy.plan.private_plan import UNCAPPED
from dpproxy.rewrite.calculus.from_clause import WrittenJoin
from dpproxy.rewrite.calculus.joins import Filtered, From, Key, along_links, mixed, place_of_source
from dpproxy.rewrite.calculus.publics import public_conditions
from dpproxy.rewrite.calculus.relations import FromRelation, Joined, PairKey, Rowset
from dpproxy.rewrite.calculus.strangers import strangers
from dpproxy.rewrite.calculus.ties import private_of, tied
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.expressions.trees.build import column_of
from dpproxy.rewrite.shown import as_written

_BY_LINKS = "Join the tables that lead from the one to the other, each ON its link."


@dataclass(frozen=True, slots=True)
class _Side:
    """One of the units of each row. turn: which of the ways to a unit of that kind it is by, where a table has two.
    first: a source whose rows are of that side, where no table tells."""

    unit: str
    turn: int
    first: str | None = None

    def way(self, name: str | None, catalog: Catalog) -> UnitWay | None:
        """That of a table of several units."""
        table = catalog.tables.get(name or "")
        found = [] if table is None else [way for way in table.ways if way.unit == self.unit]
        return found[min(self.turn, len(found) - 1)] if found else None

    def of(self, source: FromRelation, catalog: Catalog) -> FromRelation:
        """The source as if its rows were of this unit alone."""
        way = self.way(source.relation.table, catalog)
        if way is None:
            return source
        key = frozenset([way.key] if way.key else [])
        return replace(source, relation=replace(source.relation, unit=way.unit, key=way.key, key_columns=key))

    def seen(self, catalog: Catalog) -> Catalog:
        """The policy as if every table were of this unit alone that names it."""
        ways = {name: self.way(name, catalog) for name in catalog.tables}
        made = {name: each if (way := ways[name]) is None else each.by(way) for name, each in catalog.tables.items()}
        return replace(catalog, tables=made)


def joins_strangers(rows: Filtered, catalog: Catalog) -> bool:
    """Whether a row of one unit names a row of another of its kind, which no table says of both: by a column that
    equals one that is proved unique. See `strangers`."""
    return not has_several(rows.made, catalog) and strangers(rows, catalog) is not None


def has_several(made: From, catalog: Catalog) -> bool:
    """Whether rows of some sources belong to several units, or rows of several kinds of unit meet."""
    units = {source.relation.unit for source, _ in private_of(made.sources)}
    return len(units) > 1 or any(_is_several(source, catalog) for source in made.sources)


def _is_several(source: FromRelation, catalog: Catalog) -> bool:
    return bool(_ways(source, catalog))


def _ways(source: FromRelation, catalog: Catalog) -> tuple[UnitWay, ...]:
    table = catalog.tables.get(source.relation.table or "")
    return () if table is None else table.ways


def paired(rows: Filtered, context: PlanningContext) -> Joined:
    """The joined and filtered rows, each belonging to two units.

    Claim: a row of the result is there with its values if and only if certain rows of its two units are, and public
    ones; and its keys, none of which is NULL, are those of both.
    Because: all joins of private rows are inner ones, and a public table that is joined by LEFT JOIN adds rows to what
    is there already, by its values; each private source is tied, for each kind of its rows, to the
    source that the key of that kind is read from (`ties.tied`), or to its parent along proved-unique links; subqueries
    are public.
    Checked by: tests/test_pair_neighbours.py and `rewrite.checker`.
    Raises NotPrivate where rows of a third unit could meet, or where a private row may be missing.
    """
    catalog = context.catalog
    _refuse_more(rows, catalog)
    sides = _sides(rows, catalog)
    keys = [_key(side, rows, f"v{turn}_" if turn else "", context) for turn, side in enumerate(sides)]
    _refuse_untied(sides, rows, catalog)
    tests = tuple(exp.Is(this=key.copy(), expression=exp.Null(), negate=True) for key, _ in keys)
    joins = tuple(join for _, found in keys for join in found)
    first, second = sides
    aliases = [frozenset(each.alias for each in _reached(side, rows, catalog)) for side in sides]
    rowset = Rowset(
        unit=whole(first.unit, second.unit),
        tree=replace(rows.tree, joins=(*rows.tree.joins, *joins), where=(*tests, *rows.tree.where)),
        key=keys[0][0],
        sources=rows.made.sources,
        one_row=False,
        rows=UNCAPPED,
        groups=UNCAPPED,
        edges=rows.edges,
        public_conditions=public_conditions(rows.made.sources, rows.made.items, rows.written, rows.subqueries),
        subqueries=rows.subqueries,
        notes=(*rows.made.notes, *rows.unmet, *(note for each in rows.made.sources for note in each.relation.notes)),
        pair=PairKey((first.unit, second.unit), keys[1][0], (aliases[0], aliases[1])),
    )
    return Joined(rowset, rows.scope)


def whole(first: str, second: str) -> str:
    """Both units in words."""
    return first if first == second else f"{first} and {second}"


def _refuse_more(rows: Filtered, catalog: Catalog) -> None:
    """Raises NotPrivate for what could make rows depend on more than two units."""
    made = rows.made
    kinds = sorted({unit for source, _ in private_of(made.sources) for unit in _units(source, catalog)})
    private = private_of(made.sources)
    if len(kinds) > 2:
        raise NotPrivate(
            f"these rows belong to three kinds of unit: {', '.join(kinds)}",
            hint="Join tables of two kinds of unit at most; aggregate the others first, and join their results.",
            position=place_of_source(private[-1][0], made),
        )
    for source, kind in zip(made.sources, made.kinds, strict=True):
        if source.relation.unit is not None and (kind is not WrittenJoin.INNER or source.nullable):
            raise NotPrivate(
                f"an outer join of rows of {' and '.join(kinds)}",
                hint="Use JOIN: where a row may be missing, others would depend on who is not there.",
                position=place_of_source(source, made),
            )
        if source.relation.unit is not None and source.relation.table is None:
            raise NotPrivate(
                f'a derived table, "{as_written(source.alias)}", beside rows of {" and ".join(kinds)}',
                hint="Let it choose rows and compute of each, without DISTINCT, GROUP BY, LIMIT, windows and outer "
                "joins; or join the tables themselves.",
                position=place_of_source(source, made),
            )
        if source.relation.sample is not None:
            raise NotPrivate(
                f"a sample of rows that belong to {' and '.join(kinds)}",
                hint="Leave TABLESAMPLE out.",
                position=place_of_source(source, made),
            )


def _units(source: FromRelation, catalog: Catalog) -> tuple[str, ...]:
    own = () if source.relation.unit is None else (source.relation.unit,)
    return tuple(dict.fromkeys(way.unit for way in _ways(source, catalog))) or own


def _sides(rows: Filtered, catalog: Catalog) -> tuple[_Side, _Side]:
    several = next((each for each in rows.made.sources if _is_several(each, catalog)), None)
    made = _sides_from(several, rows, catalog)
    for source in rows.made.sources:
        ways = _ways(source, catalog)
        other = not ways and source.relation.unit not in (None, *(side.unit for side in made))
        if other or (ways and {side.way(source.relation.table, catalog) for side in made} != set(ways)):
            raise NotPrivate(
                f'"{source.alias}" belongs to other units than "{several.alias if several else ""}"',
                hint="Join tables of the same two units; aggregate the others first, and join their results.",
                position=place_of_source(source, rows.made),
            )
    return made


def _sides_from(several: FromRelation | None, rows: Filtered, catalog: Catalog) -> tuple[_Side, _Side]:
    if several is not None:
        ways = _ways(several, catalog)
        if len(ways) > 2:
            raise NotPrivate(
                f"rows of {several.relation.table} belong to {len(ways)} units each",
                hint="Ask the data owner for a table whose rows belong to two units at most.",
                position=place_of_source(several, rows.made),
            )
        first, second = ways
        return _Side(first.unit, 0), _Side(second.unit, int(first.unit == second.unit))
    apart = strangers(rows, catalog)
    if apart is not None:
        one, other = apart
        return _Side(one.relation.unit or "", 0, one.alias), _Side(other.relation.unit or "", 0, other.alias)
    first_kind, second_kind = dict.fromkeys(relation.unit or "" for _, relation in private_of(rows.made.sources))
    return _Side(first_kind, 0), _Side(second_kind, 0)


def _start(side: _Side, sources: tuple[FromRelation, ...], catalog: Catalog) -> FromRelation:
    """A source whose rows are of that side for certain: of several units, if there is one."""
    own = [each for each in sources if each.relation.unit == side.unit and side.first in (None, each.alias)]
    return next((each for each in own if side.way(each.relation.table, catalog) is not None), own[0])


def _reached(side: _Side, rows: Filtered, catalog: Catalog) -> tuple[FromRelation, ...]:
    """The sources whose rows are of that side, as it sees them."""
    sources = tuple(side.of(each, catalog) for each in rows.made.sources)
    start = _start(side, sources, catalog)
    found = tied(sources, frozenset([start.alias]), rows.edges, side.seen(catalog), rows.made.held_together)
    return tuple(each for each in sources if each.alias in found)


def _key(side: _Side, rows: Filtered, prefix: str, context: PlanningContext) -> Key:
    """The key of one of the units, and the hidden joins that it needs."""
    reached = _reached(side, rows, context.catalog)
    own = next((each for each in reached if each.relation.key is not None), None)
    if own is not None:
        return column_of(own.relation.key or "", own.name), ()
    return along_links(reached, prefix, replace(context, catalog=side.seen(context.catalog)))


def _refuse_untied(sides: tuple[_Side, _Side], rows: Filtered, catalog: Catalog) -> None:
    """Raises NotPrivate for a source that is of neither of the two, or of a third of their kind."""
    reached = [{each.alias for each in _reached(side, rows, catalog)} for side in sides]
    for source, _ in private_of(rows.made.sources):
        own = [
            (side, source.alias in there)
            for side, there in zip(sides, reached, strict=True)
            if side.of(source, catalog).relation.unit == side.unit
        ]
        found = [is_tied for _, is_tied in own]
        if not (all(found) if _is_several(source, catalog) else any(found)):
            side = next(side for side, is_tied in own if not is_tied)
            start = _start(side, tuple(side.of(each, catalog) for each in rows.made.sources), catalog)
            raise mixed(start, side.of(source, catalog), rows, side.seen(catalog), _BY_LINKS)

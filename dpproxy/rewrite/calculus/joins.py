"""FROM, JOIN and WHERE over rows that the engine reads -> a tree, its scope, and what it proves of a unit's rows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from dpproxy.catalog.policy import Catalog
from dpproxy.errors import NotPrivate
from dpproxy.plan.notes import Unmet
from dpproxy.plan.private_plan import UNCAPPED
from dpproxy.rewrite import algebra
from dpproxy.rewrite.calculus.determinations import Determination, determinations
from dpproxy.rewrite.calculus.from_clause import FOLDED, FromItem, WrittenJoin, column_as_written, kinds, refuse_absence
from dpproxy.rewrite.calculus.one_row import one_row_each
from dpproxy.rewrite.calculus.policy_suggestions import answered_of_both, owners_word
from dpproxy.rewrite.calculus.publics import public_conditions
from dpproxy.rewrite.calculus.relations import Cell, Edge, Enclosing, FromRelation, Joined, Readable, Rowset
from dpproxy.rewrite.calculus.samples import sample_of_join
from dpproxy.rewrite.calculus.scans import hidden_path, scan_tree
from dpproxy.rewrite.calculus.ties import anchors, edges_of, private_of, tied
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.expressions import conjuncts, narrow_and_say
from dpproxy.rewrite.expressions.facts.fact import Scope, Typed
from dpproxy.rewrite.expressions.trees.build import column_of
from dpproxy.rewrite.expressions.trees.position import position
from dpproxy.rewrite.shown import as_written

# Rows per unit where each private table has one, and a public table multiplies them.
UNPROVED_ROWS = 100
_KINDS = {
    WrittenJoin.INNER: algebra.JoinKind.INNER,
    WrittenJoin.LEFT: algebra.JoinKind.LEFT,
    WrittenJoin.FULL: algebra.JoinKind.FULL,
}
Key = tuple[exp.Expression, tuple[algebra.Join, ...]]
"""The unit's key, and the hidden joins that it needs."""
_BY_KEY = "Join them ON the key of the {}; let a derived table select it."


@dataclass(frozen=True, slots=True)
class From:
    """The sources of a SELECT, in the engine's order: how each is joined, and by which item of the analyst's.
    determined: what keeps rows of two units apart."""

    sources: tuple[FromRelation, ...]
    kinds: tuple[WrittenJoin, ...]
    items: tuple[FromItem, ...]
    notes: tuple[str, ...]
    determined: tuple[Determination, ...] = ()

    @property
    def held_together(self) -> frozenset[tuple[str, str]]:
        """Aliases (of what is reached, from which) of sources that `determined` ties: an outer join's from others."""
        ties = {(each.later.alias, each.earlier.alias) for each in self.determined}
        inner = {s.alias for s, kind in zip(self.sources, self.kinds, strict=True) if kind is WrittenJoin.INNER}
        return frozenset(ties | {(earlier, later) for later, earlier in ties if later in inner})

    @property
    def scope(self) -> Scope:
        """What each column means to expressions."""
        return {
            (source.alias, name): Typed(
                source.relation.column(name, _held(source.relation, name), source.name),
                replace(fact, nullable=True) if source.nullable and not fact.nullable else fact,
            )
            for source in self.sources
            for name, fact in source.relation.facts.items()
        }


def _held(relation: Readable, name: str) -> str:
    """The engine's name of a column; a copy of the unit's key in a derived relation is read as the key itself."""
    if relation.key is not None and name in relation.key_columns:
        return relation.key
    return relation.held[name]


def arranged(
    found: Sequence[FromItem], relations: Sequence[Readable], where: Sequence[exp.Expr], prefix: str, catalog: Catalog
) -> From:
    """The sources in the engine's order, with names from position."""
    refuse_absence(found, relations, where)
    notes: list[str] = []
    order = kinds(found, relations, notes.append)
    full = any(kind is WrittenJoin.FULL for _, kind in order)
    sources = tuple(
        FromRelation(found[i].node.alias_or_name, f"{prefix}s{n}", relations[i], full or kind is WrittenJoin.LEFT)
        for n, (i, kind) in enumerate(order)
    )
    ons = _own_conditions(order, found)
    made = From(sources, tuple(kind for _, kind in order), ons, tuple(notes))
    return _links_are_inner(made, catalog)


def _own_conditions(order: Sequence[tuple[int, WrittenJoin]], found: Sequence[FromItem]) -> tuple[FromItem, ...]:
    """Each item with the ON that joins it: two items that changed places have changed their condition too."""
    places = [i for i, _ in order]
    if places == sorted(places):
        return tuple(found[i] for i in places)
    first, second = places
    return replace(found[first], on=()), replace(found[second], on=found[first].on)


def _links_are_inner(made: From, catalog: Catalog) -> From:
    """A LEFT JOIN along a table's only link is an inner one: rows whose link dangles belong to nobody."""
    if WrittenJoin.LEFT not in made.kinds:
        return made
    kinds_, sources = list(made.kinds), list(made.sources)
    for index, (source, kind, item) in enumerate(zip(made.sources, made.kinds, made.items, strict=True)):
        if kind is not WrittenJoin.LEFT or source.relation.unit is None or len(item.on) != 1:
            continue
        before = [each for each in sources[:index] if each.relation.key is None and not each.nullable]
        if index and before and len(private_of(sources[:index])) == len(before):
            plain = [replace(each, nullable=False) for each in (*before, source)]
            reached = tied(plain, frozenset(each.alias for each in before), edges_of(item.on, None), catalog)
            if source.alias in reached and source.relation.origins and _is_target(item, source, catalog):
                kinds_[index], sources[index] = WrittenJoin.INNER, replace(source, nullable=False)
    return replace(made, kinds=tuple(kinds_), sources=tuple(sources))


def _is_target(item: FromItem, source: FromRelation, catalog: Catalog) -> bool:
    """Whether the condition is an equality with a proved-unique column of a table's own scan."""
    for edge in edges_of(item.on, None):
        for cell in (edge.left, edge.right):
            origin = source.relation.origins.get(cell[1]) if cell[0] == source.alias else None
            if origin and source.relation.table is not None:
                return catalog.tables[origin[0]].proves_unique(origin[1])
    return False


def edges(made: From, where: Sequence[exp.Expr]) -> tuple[Edge, ...]:
    """The equalities that the joins and WHERE enforce, each with where it holds."""
    found = edges_of(where, None)
    for source, kind, item in zip(made.sources, made.kinds, made.items, strict=True):
        if kind is WrittenJoin.INNER:
            found += edges_of(item.on, None)
        else:
            own = edges_of(item.on, source.alias)
            found += tuple(edge for edge in own if source.alias in (edge.left[0], edge.right[0]))
    return found


@dataclass(frozen=True, slots=True)
class Filtered:
    """Sources joined and filtered, before their unit is known. written: the analyst's conditions that hold; unmet: the
    words for those that no row meets, if the policy is right; nested: what stands for subqueries over private rows."""

    made: From
    edges: tuple[Edge, ...]
    scope: Scope
    tree: algebra.JoinedRows
    written: tuple[exp.Expr, ...]
    subqueries: Mapping[Cell, frozenset[Cell]]
    unmet: tuple[Unmet, ...]
    nested: frozenset[Cell] = frozenset()


def filtered(
    made: From,
    where: Sequence[exp.Expr],
    scope: Scope,
    subqueries: Mapping[Cell, frozenset[Cell]],
    context: PlanningContext,
) -> Filtered:
    """The rows, and the scope narrowed by what holds in every one."""
    made = _determined_units(made, where, context.catalog)
    certain = [
        c for kind, item in zip(made.kinds, made.items, strict=True) if kind is WrittenJoin.INNER for c in item.on
    ]
    constant = [context.constant(c) for c in (*certain, *where)]
    narrowed, unmet = narrow_and_say(constant, scope)
    conditions = tuple(context.formed(context.condition(c, scope)) for c in where)
    rows = _from(made, scope, conditions, context)
    return Filtered(made, edges(made, where), narrowed, rows, (*certain, *where), subqueries, tuple(map(Unmet, unmet)))


def _determined_units(made: From, where: Sequence[exp.Expr], catalog: Catalog) -> From:
    if WrittenJoin.FULL in made.kinds or len(private_of(made.sources)) < 2:
        return made
    found = tuple(determinations(made.sources, edges(made, where), catalog))
    return replace(made, determined=found, notes=(*made.notes, *dict.fromkeys(each.note for each in found)))


def _from(made: From, scope: Scope, where: tuple[exp.Expression, ...], context: PlanningContext) -> algebra.JoinedRows:
    joins = tuple(
        algebra.Join(
            _KINDS[kind],
            algebra.Source(source.relation.tree, source.name),
            (
                *(context.formed(context.condition(c, scope)) for c in item.on),
                *(each.condition for each in made.determined if each.later is source),
            ),
        )
        for source, kind, item in zip(made.sources, made.kinds, made.items, strict=True)
    )
    return algebra.JoinedRows(joins[0].source if joins else None, joins[1:], where)


def joined(rows: Filtered, outer: Enclosing | None, context: PlanningContext) -> Joined:
    """The joined and filtered rows, each belonging to one unit, none without.

    Claim: in every row of the result, each private row belongs to the unit whose key is `key`, which is not NULL.
    Because: `ties.tied` reaches all private sources from the one that holds the key, or the two of a FULL JOIN from one
    another; the key is that source's own, or its parent's along proved-unique links.
    Checked by: tests/test_neighbours.py and `rewrite.checker`.
    Raises NotPrivate where rows of two units could meet.
    """
    sources = rows.made.sources
    private = private_of(sources)
    key, joins = _key(rows, outer, context) if private else (None, ())
    tests = [] if key is None else [exp.Is(this=key, expression=exp.Null(), negate=True)]
    tree = algebra.JoinedRows(rows.tree.first, (*rows.tree.joins, *joins), (*tests, *rows.tree.where))
    known = () if outer is None else outer.sources
    one_row = WrittenJoin.FULL not in rows.made.kinds and one_row_each(sources, rows.edges, known)
    limits = [relation.rows for _, relation in private if not relation.one_row]
    unproved = UNCAPPED if _groups(relation for _, relation in private) == UNCAPPED else UNPROVED_ROWS
    most = None if one_row else _most(rows, private)
    rowset = Rowset(
        unit=private[0][1].unit if private else None,
        tree=tree,
        key=key,
        sources=sources,
        one_row=one_row,
        rows=1 if one_row else _least(context.settings.max_rows or max(limits, default=unproved), most),
        groups=_least(context.settings.max_groups or _groups(relation for _, relation in private), most),
        most=most,
        edges=rows.edges,
        outer=known,
        public_conditions=public_conditions(sources, rows.made.items, rows.written, rows.subqueries),
        subqueries=rows.subqueries,
        notes=(*rows.made.notes, *rows.unmet, *(note for source in sources for note in source.relation.notes)),
        sample=sample_of_join(rows.made.items, sources),
    )
    return Joined(rowset, rows.scope)


def _groups(private: Iterable[Readable]) -> int:
    """The largest cap on a unit's keys. A table of one row per unit that has none leaves it to the others."""
    capped = [each.groups for each in private if not (each.one_row and each.groups == UNCAPPED)]
    return max(capped, default=UNCAPPED)


def _least(limit: int, most: int | None) -> int:
    return limit if most is None else max(1, min(limit, most))


def _most(rows: Filtered, private: Sequence[tuple[FromRelation, Readable]]) -> int | None:
    """How many rows a unit has at most, by the text of one private source and the conditions on its row numbers, times
    the rows of constants that it may meet. Of public rows alone, how many there are.

    It is no proof: a limit that is set too low by it costs accuracy.
    """
    if len(private) > 1:
        return None
    counts = [_held_to(source, rows) for source in rows.made.sources]
    known = [count for count in counts if count is not None]
    return math.prod(known) if len(known) == len(counts) > 0 else None


def _held_to(source: FromRelation, rows: Filtered) -> int | None:
    """How many rows of a source a unit has at most, or how many there are of a public one; None if that is unknown."""
    relation = source.relation
    ends = [rows.scope[(source.alias, name)].fact.interval for name in relation.numbers]
    known = [int(end.upper) for end in ends if end is not None] + ([] if relation.most is None else [relation.most])
    return min(known, default=1 if relation.unit is not None and relation.one_row else None)


def _key(rows: Filtered, outer: Enclosing | None, context: PlanningContext) -> Key:
    """The unit's key as an expression, and the hidden joins that it needs."""
    catalog = context.catalog
    sources, private = rows.made.sources, [source for source, _ in private_of(rows.made.sources)]
    one_unit(private, rows.made)
    _of_one(private, rows.made, catalog)
    if WrittenJoin.FULL in rows.made.kinds:
        left, right = sources
        for source in sources:
            if source.relation.key is None:
                raise NotPrivate(
                    f'FULL JOIN of "{_name(source)}", which does not carry the key of the {source.relation.unit}',
                    hint="Join it to its parent in a derived table that selects the key, or use LEFT JOIN.",
                    position=place_of_source(source, rows.made),
                )
        both = [replace(source, nullable=False) for source in sources]
        if right.alias not in tied(both, frozenset([left.alias]), rows.edges, catalog):
            raise mixed(left, right, rows, catalog)
        ends = [column_of(source.relation.key or "", source.name) for source in (left, right)]
        return exp.Coalesce(this=ends[0], expressions=ends[1:]), ()
    present = [source for source in private if not source.nullable]
    reached = tied(sources, frozenset([present[0].alias]), rows.edges, catalog, rows.made.held_together)
    apart = [source for source in private if source.alias not in reached]
    if apart:
        raise mixed(present[0], apart[0], rows, catalog)
    own = next((source for source in present if source.relation.key is not None), None)
    if own is not None:
        return column_of(own.relation.key or "", own.name), ()
    return along_links(present, "" if outer is None else outer.prefix, context)


def along_links(private: Sequence[FromRelation], prefix: str, context: PlanningContext) -> Key:
    """Hidden joins from the source with the shortest way to a table that carries the key."""
    ways = []
    for source in private:
        path = hidden_path(context.catalog.tables[source.relation.table or ""], context.catalog)
        if path:
            ways.append((len(path), source.name, path))
    if not ways:
        raise NotPrivate(
            f'no proved link leads from "{private[0].alias}" to its unit',
            hint="Ask the data owner: the links of this table must point at columns that are unique.",
        )
    _, here, path = min(ways, key=lambda way: way[:2])
    joins = []
    for index, (column, parent, target) in enumerate(path):
        name = f"{prefix}h{index}"
        tied_ = exp.EQ(this=column_of(column, here), expression=column_of(target, name))
        scanned = algebra.Source(scan_tree(parent, context.dialect), name)
        joins.append(algebra.Join(algebra.JoinKind.INNER, scanned, (tied_,)))
        here = name
    return column_of(path[-1][1].unit_key or "", here), tuple(joins)


def _of_one(private: Sequence[FromRelation], made: From, catalog: Catalog) -> None:
    """Raises NotPrivate for rows each of which belongs to several units."""
    for source in private:
        table = catalog.tables.get(source.relation.table or "")
        if table is not None and table.ways:
            raise NotPrivate(
                f'each row of "{_name(source)}" belongs to several units: {source.relation.unit}',
                hint="Ask for COUNT, SUM or AVG of them, by public keys. A derived table of them may choose rows and "
                "compute of each, no more: no DISTINCT, LIMIT, window, UNION or outer join.",
                position=place_of_source(source, made),
            )


def one_unit(private: Sequence[FromRelation], made: From) -> None:
    """Raises NotPrivate where the sources, which are of `made`, are of two kinds of unit."""
    for source in private[1:]:
        first, other = private[0].relation.unit, source.relation.unit
        if first != other:
            raise NotPrivate(
                f'"{_name(private[0])}" belongs to unit {first} and "{_name(source)}" to unit {other}',
                hint="Ask for COUNT, SUM or AVG of the joined rows, by public keys; or join tables of one privacy unit "
                "only: aggregate the others first, and join their results.",
                position=place_of_source(source, made),
            )


def mixed(
    left: FromRelation, right: FromRelation, rows: Filtered, catalog: Catalog, instead: str = _BY_KEY
) -> NotPrivate:
    """The refusal of a join that could put rows of two units together. instead: of a unit, where no two columns tie."""
    condition, said = tie(left, right, catalog), owners_word(left, right, rows.edges)
    unit, both = left.relation.unit, answered_of_both(left, right, rows.edges, catalog)
    return NotPrivate(
        f'joining "{_name(left)}" with "{_name(right)}" could put rows of two {unit}s together',
        hint=both or (instead.format(unit) if condition is None else f"Join them ON {condition}.") + said,
        position=place_of_source(right, rows.made),
    )


def tie(left: FromRelation, right: FromRelation, catalog: Catalog) -> str | None:
    """A condition that ties rows of two sources to one unit; None where no two columns of theirs do."""
    ends = [
        {name: anchors((source.alias, name), source, catalog) for name in source.relation.facts}
        for source in (left, right)
    ]
    pairs = ((one, other) for one, first in ends[0].items() for other, second in ends[1].items() if first & second)
    found = next(pairs, None)
    return None if found is None else f"{column_as_written(left, found[0])} = {column_as_written(right, found[1])}"


def _name(source: FromRelation) -> str:
    return as_written(source.alias.removeprefix(FOLDED).strip())


def place_of_source(source: FromRelation, made: From) -> int | None:
    """Where the item of FROM stands that the source is."""
    return next(
        (position(item.node) for each, item in zip(made.sources, made.items, strict=True) if each is source), None
    )


def where_of(select: exp.Select) -> list[exp.Expr]:
    """The conjuncts of WHERE."""
    where = select.args.get("where")
    return list(conjuncts(where.this if where else None))

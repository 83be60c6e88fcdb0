"""Public queries: every table in them is public or released, so whatever they are made of, their rows are public."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlglot import exp

from dpproxy.catalog.types import Family
from dpproxy.rewrite.checker.constants import read_constants
from dpproxy.rewrite.checker.families import common
from dpproxy.rewrite.checker.fault import CheckFault, require
from dpproxy.rewrite.checker.held import Held, Kind
from dpproxy.rewrite.checker.nodes import AGGREGATES, PARAMETERS, QUERIES, VALUES, WINDOWS
from dpproxy.rewrite.checker.relations import ColumnFact, Relation
from dpproxy.rewrite.checker.released import is_released, read_released
from dpproxy.rewrite.checker.scope import CheckContext, Scope
from dpproxy.rewrite.checker.syntax import (
    SET_OPERATIONS,
    aliases_of,
    bare,
    clause,
    conjuncts,
    grouped,
    integer,
    keeps_all,
    named,
    plain,
)
from dpproxy.rewrite.checker.tables import is_reading, read_table, scanned, table_of
from dpproxy.rewrite.checker.ties import Added, determined, equated
from dpproxy.rewrite.checker.values import Value, aggregate, either, parts

_ORDERS = (exp.Order, exp.Ordered)
_JOINS = frozenset(
    {
        *((side, kind, True) for side in ("LEFT", "RIGHT", "FULL") for kind in ("", "OUTER")),
        *(("", "", True), ("", "INNER", True), ("", "CROSS", False)),
    }
)


def read_public(query: exp.Expr, outer: Scope, context: CheckContext) -> Relation:
    """The rows of a query over public tables and released ones; `outer` is what it may be correlated to.

    Claim: if nothing is raised, its rows are a function of them, and of the row of `outer` that it is evaluated for.
    Because: no private table is in it, and every column in it is of its own sources or of `outer`. What is known of a
    query was proved of one that is written alike, of the policy's tables alone: nothing of a release is in it.
    Checked by: tests/test_checker_relations.py.
    """
    if outer.sources or context.sample is not None or query.find(*PARAMETERS) is not None:
        return _read_query(query, outer, context)
    if query not in context.known:
        context.known[query] = _read_query(query, outer, context)
    return context.known[query]


def _read_query(query: exp.Expr, outer: Scope, context: CheckContext) -> Relation:
    if type(query) is exp.Select:
        return read_released(query, context) if is_released(query) else _select(query, outer, context)
    if type(query) in SET_OPERATIONS:
        return _set_operation(query, outer, context)
    if type(query) is exp.Subquery and not query.alias:
        return read_public(query.this, outer, context)
    raise CheckFault(f"{type(query).__name__} is no public query")


BOOLEAN = ColumnFact(Family.BOOLEAN, held=Held(Kind.BOOLEAN))


def public_value(node: exp.Expr, scope: Scope, context: CheckContext) -> ColumnFact:
    """What is proved of what EXISTS (…) or (SELECT …) over public rows is.

    Raises CheckFault for a value of which there could be several: the engine would fail, for this row and not for that.
    """
    relation = read_public(node.this, scope, context)
    if type(node) is exp.Exists:
        return BOOLEAN
    require(len(relation.columns) == 1, "a value of several columns")
    require(() in relation.unique, "a value of which there could be several")
    (fact,) = relation.columns.values()
    return fact


def _set_operation(node: exp.Expr, outer: Scope, context: CheckContext) -> Relation:
    left, right = (read_public(side, outer, context) for side in (node.this, node.expression))
    require(len(left.columns) == len(right.columns), "a set operation of different columns")
    pairs = zip(left.columns.items(), right.columns.values(), strict=True)
    columns = {
        name: ColumnFact(common(fact.family, other.family), held=either(fact, other, context))
        for (name, fact), other in pairs
    }
    if type(node) is exp.Union:
        return Relation(None, columns, unique=frozenset([tuple(columns)] if node.args.get("distinct") else []))
    return Relation(None, columns, unique=left.unique)


def _source(node: exp.Expr, outer: Scope, context: CheckContext) -> Relation:
    """The rows of a source. A derived one sees what is around the query, and nothing beside it."""
    if type(node) is exp.Table:
        table = table_of(node, context.catalog)
        require(table.public, f"{node.name}, which is not public, inside of a public query")
        return scanned(node, context)
    if type(node) is exp.Subquery and is_reading(node.this):
        table = table_of(node.this.args["from_"].this, context.catalog)
        require(table.public, f"{table.name}, which is not public, inside of a public query")
        return read_table(node.this, context)
    if type(node) is exp.Subquery:
        return read_public(node.this, outer, context)
    if type(node) is exp.Values:
        return read_constants(node, context)
    raise CheckFault("a source that is neither a table nor a derived one")


def _select(select: exp.Expr, outer: Scope, context: CheckContext) -> Relation:
    require(not select.args.get("with_"), "rows of another name inside of a public query")
    from_, joins = select.args.get("from_"), select.args.get("joins") or []
    nodes = [*([] if from_ is None else [from_.this]), *(join.this for join in joins)]
    aliases = aliases_of(nodes, outer.sources)
    own = {alias: _source(node, outer, context) for alias, node in zip(aliases, nodes, strict=True)}
    sole = aliases[0] if len(nodes) == 1 and type(nodes[0]) is exp.Subquery else None
    scope = Scope({**outer.sources, **own}, frozenset(own), sole=sole)
    strict = _is_correlated(select, outer)
    items = {name: _read(item, scope, context, strict) for name, item in _items(select).items()}
    for part in _other_parts(select, items):
        _read(part, scope, context, strict)
    _check_clauses(select, items, strict)
    columns = {name: ColumnFact(item.family, held=item.held) for name, item in items.items()}
    return Relation(None, columns, unique=_unique(select, items, scope, outer))


def _is_correlated(select: exp.Expr, outer: Scope) -> bool:
    """Whether it is evaluated for private rows: how often, and in which order, is then up to the engine."""
    if all(relation.unit is None for relation in outer.sources.values()):
        return False
    return any(column.table in outer.sources for column in select.find_all(exp.Column))


def _items(select: exp.Expr) -> Mapping[str, exp.Expr]:
    """The items by name; one alone, as in EXISTS (SELECT 1 …), needs none."""
    items = select.expressions
    if len(items) == 1 and type(items[0]) not in (exp.Alias, exp.Column):
        return {"": items[0]}
    return named(select)


def _other_parts(select: exp.Expr, items: Mapping[str, Value]) -> Iterator[exp.Expr]:
    """All expressions of a SELECT but its items. ORDER BY may name an item."""
    for join in select.args.get("joins") or []:
        side, kind = (str(join.args.get(name) or "").upper() for name in ("side", "kind"))
        on = join.args.get("on")
        require((side, kind, on is not None) in _JOINS, f"a {side} {kind} join")
        yield from () if on is None else (on,)
    yield from (part for name in ("where", "having") if (part := clause(select, name)) is not None)
    for part in grouped(select):
        require(type(bare(part)) is not exp.Literal, "grouped by a number, which counts items")
        yield part
    yield from (ordered.this for ordered in _ordered(select) if plain(ordered.this) not in items)


def _ordered(select: exp.Expr) -> list[exp.Expr]:
    order = select.args.get("order")
    return [] if order is None else list(order.expressions)


def _read(node: exp.Expr, scope: Scope, context: CheckContext, strict: bool) -> Value:
    """An expression; `strict` where it is calculated for each private row, and may not depend on the order of rows."""
    nested: dict[int, ColumnFact] = {}
    for part in parts(node):
        if type(part) in QUERIES:
            nested[id(part)] = public_value(part, scope, context)
        elif type(part) is exp.Column:
            scope.seen(part)
        elif type(part) in AGGREGATES:
            if strict:
                aggregate(part, scope, context)
        elif type(part) in (exp.Star, exp.Distinct):
            require(type(part.parent) is exp.Count, f"{type(part).__name__} outside of COUNT")
        else:
            allowed = type(part) in VALUES or (not strict and (type(part) in WINDOWS or type(part) in _ORDERS))
            require(allowed, f"{type(part).__name__} inside a public query")
    return Value(node, scope, frozenset(), nested, context.engine).proved()


def _check_clauses(select: exp.Expr, items: Mapping[str, Value], strict: bool) -> None:
    distinct = select.args.get("distinct")
    require(distinct is None or not distinct.expressions, "DISTINCT of some columns")
    for name in ("limit", "offset"):
        cut = select.args.get(name)
        require(cut is None or integer(cut.expression) is not None, f"a {name} that is no whole number")
        if cut is not None and strict and not (name == "offset" and keeps_all(cut)):
            ordered = [each.this for each in _ordered(select)]
            certain = all(item.node in ordered or type(item.node) is exp.Literal for item in items.values())
            require(certain, "a cut that depends on the order of rows")


def _unique(select: exp.Expr, items: Mapping[str, Value], scope: Scope, outer: Scope) -> frozenset[tuple[str, ...]]:
    """Sets of items on which no two rows agree."""
    limit, group = select.args.get("limit"), grouped(select)
    names = {item.node: name for name, item in items.items()}
    if _is_one(select, items, scope, outer) or (limit is not None and (integer(limit.expression) or 0) == 1):
        return frozenset([()])
    found: list[tuple[str, ...]] = []
    if group:
        found = [tuple(names[part] for part in group)] if all(part in names for part in group) else []
    elif len(scope.own) == 1:
        copied = {item.copied[1]: name for name, item in items.items() if item.copied and item.copied[0] in scope.own}
        (own,) = scope.own
        found = [tuple(copied[c] for c in cs) for cs in scope.sources[own].unique if set(cs) <= set(copied)]
    return frozenset([*found, *([tuple(items)] if select.args.get("distinct") else [])])


def _is_one(select: exp.Expr, items: Mapping[str, Value], scope: Scope, outer: Scope) -> bool:
    """Whether there is one row at most: the aggregates of all rows, or rows that are all found by what is unique."""
    parts_of_groups = [*(item.node for item in items.values()), *conjuncts(clause(select, "having"))]
    if any(type(part) in AGGREGATES for node in parts_of_groups for part in parts(node, exp.Window)):
        return not grouped(select)
    inner = all(not join.args.get("side") for join in select.args.get("joins") or [])
    ons = [part for join in select.args.get("joins") or [] for part in conjuncts(join.args.get("on"))]
    pairs = equated([*conjuncts(clause(select, "where")), *ons])
    waiting = [Added(alias, pairs) for alias in sorted(scope.own)]
    return inner and determined(waiting, frozenset(outer.sources), scope.sources)

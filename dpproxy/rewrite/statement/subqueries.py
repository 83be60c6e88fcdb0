"""Subqueries in the expressions of a SELECT that the engine runs: EXISTS, IN, ANY, ALL, and scalars.

Each becomes a text that stands for a column. Over public rows anything may be asked. Over private rows a subquery must
be tied to the unit of the row that asks: then its answer is a function of that unit's rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from dpproxy.catalog.types import BOOLEAN, Family
from dpproxy.rewrite import algebra
from dpproxy.rewrite.algebra.nested import exists, scalar
from dpproxy.rewrite.calculus.aggregates_of import above, aggregates, is_aggregating, substitute
from dpproxy.rewrite.calculus.determined_outside import determined_alike
from dpproxy.rewrite.calculus.from_clause import WrittenJoin, items
from dpproxy.rewrite.calculus.joins import Filtered, From, edges, where_of
from dpproxy.rewrite.calculus.per_unit import Group, aggregated
from dpproxy.rewrite.calculus.relations import Cell, Enclosing, Readable, deeper
from dpproxy.rewrite.calculus.ties import private_of, tied
from dpproxy.rewrite.caps import rows_within_a_unit
from dpproxy.rewrite.expressions import conjuncts
from dpproxy.rewrite.expressions.facts.fact import Fact, Scope, Typed
from dpproxy.rewrite.expressions.trees.build import column_of, number
from dpproxy.rewrite.shown import stands_for
from dpproxy.rewrite.statement.correlated import as_release
from dpproxy.rewrite.statement.correlation import outer_reads
from dpproxy.rewrite.statement.expression_queries import holds_query, outermost
from dpproxy.rewrite.statement.membership import compared, correlated_by, set_point, settling
from dpproxy.rewrite.statement.own_operands import reading_own
from dpproxy.rewrite.statement.public_scalars import determined, largest
from dpproxy.rewrite.statement.pulled_up import as_extreme, as_whole, beyond, pulled_up
from dpproxy.rewrite.statement.quantified import as_wide, equal, quantified
from dpproxy.rewrite.statement.subquery_forms import bare, copies, with_conditions
from dpproxy.rewrite.statement.subquery_refusals import by_counts, correlated, first_row, instead, several, untied
from dpproxy.rewrite.statement.tracker import Names, Tracker

PLACE = "dpproxy subquery"
_NEGATED: dict[type[exp.Expr], type[exp.Expression]] = {
    exp.EQ: exp.NEQ,
    exp.NEQ: exp.EQ,
    exp.LT: exp.GTE,
    exp.GTE: exp.LT,
    exp.GT: exp.LTE,
    exp.LTE: exp.GT,
}
_BOOLEAN = Fact(BOOLEAN, None, None, (False, True), nullable=False, private=True, step=None)
Comparison = Callable[[Sequence[exp.Expr]], exp.Expr]


@dataclass(slots=True)
class Bound:
    """The scope of a SELECT with its subqueries, and what the public ones among them read. private: those over private
    rows. changed: whether there are any, so that the SELECT is another one now. notes: what analysts are told of them.
    """

    scope: dict[Cell, Typed]
    reads: dict[Cell, frozenset[Cell]] = field(default_factory=dict)
    private: set[Cell] = field(default_factory=set)
    changed: bool = False
    notes: list[str] = field(default_factory=list)


def bind(select: exp.Select, made: From, tracker: Tracker, names: Names, outer: Enclosing | None) -> Bound:
    """Put a column in the place of each subquery that is evaluated for single rows of FROM; `select` is changed."""
    scope = scope_of(made, outer)
    roots = _row_level(select)
    if not any(map(holds_query, roots)):
        return Bound(scope)
    bound = Bound(dict(scope), changed=True)
    known = () if outer is None else outer.sources
    before = () if outer is None else outer.edges
    prefix = deeper("" if outer is None else outer.prefix)
    inside = Enclosing((*known, *made.sources), scope, (*before, *edges(made, where_of(select))), prefix)
    binder = _Binder(select, tracker, names, inside, bound)
    certain = {
        id(c)
        for c in (*where_of(select), *(c for item in items(select) if item.kind is WrittenJoin.INNER for c in item.on))
    }
    group = select.args.get("group")
    written = [node.copy() for node in group.expressions] if group is not None else []
    for root in roots:
        for node in outermost(root):
            binder.replace(node, id(node) in certain)
    if group is not None:
        substitute(select, dict(zip(written, group.expressions, strict=True)))
    return bound


def scope_of(made: From, outer: Enclosing | None) -> dict[Cell, Typed]:
    """What the columns of FROM mean to expressions, and those around it."""
    return {**(outer.scope if outer else {}), **made.scope}


def asks_others(query: exp.Select, select: exp.Select, made: From, tracker: Tracker, names: Names) -> bool:
    """Whether a correlated query in `select`, whose FROM is `made`, aggregates private rows of whomever."""
    inside = Enclosing(made.sources, made.scope, edges(made, where_of(select)), deeper(""))
    binder = _Binder(select, tracker, names, inside, Bound({}))
    return binder.aggregates_private(query) and binder.is_of_others(query, outer_reads(query))


def _row_level(select: exp.Select) -> list[exp.Expr]:
    """The parts whose expressions are over single rows of FROM: not those over groups."""
    found = [part for part in (select.args.get("where"), select.args.get("group")) if part is not None]
    found += [on for join in select.args.get("joins") or [] if (on := join.args.get("on")) is not None]
    if is_aggregating(select):
        return [*found, *(node for part in above(select) for node in aggregates(part))]
    return [*found, *above(select)]


@dataclass(slots=True)
class _Binder:
    """Replaces subqueries of one SELECT. `inside` is what they see of it."""

    select: exp.Select
    tracker: Tracker
    names: Names
    inside: Enclosing
    bound: Bound

    def replace(self, node: exp.Expr, certain: bool) -> None:
        """Put a column in the place of `node`; `certain` is one whose being NULL is being false."""
        typed, public = self._typed(node, certain)
        cell = (PLACE, f"q{sum(name == PLACE for name, _ in self.bound.scope)}")
        self.bound.scope[cell] = typed
        direct = {source.alias for source in self.inside.sources if source.relation.unit is None}
        if public is None:
            self.bound.private.add(cell)
        elif {alias for alias, _ in public} <= direct:
            self.bound.reads[cell] = public
        node.replace(stands_for(exp.column(cell[1], table=PLACE), node))

    def _typed(self, node: exp.Expr, certain: bool) -> tuple[Typed, frozenset[Cell] | None]:
        query = node.this if isinstance(node, exp.Exists) else quantified(node)
        if query is None:
            return self._scalar(node)
        reads = outer_reads(node)
        select = self._simple(_any_row(bare(query)) if isinstance(node, exp.Exists) else bare(query))
        private = any(r.unit is not None for r in self._relations(select))
        as_wide(node, select)
        if not private and not outer_reads(select):
            # Its own subqueries become releases where they have to.
            self.tracker.query(select, self.names)
        elif private and self._means_keys(node, select):
            private = False
        match node:
            case exp.Exists():
                typed = Typed(self._exists(select, [], private), _BOOLEAN)
            case _ if isinstance(node, exp.In) or isinstance(node.expression, exp.Any):
                typed = self._any(select, lambda found: _compared(node, found), certain, private)
            case _:
                some = self._any(select, lambda found: _compared(node, found), False, private)
                typed = Typed(exp.Paren(this=exp.Not(this=some.sql)), some.fact)
        return typed, None if private else reads

    def _means_keys(self, node: exp.Expr, select: exp.Select) -> bool:
        """Whether `node` compares with rows of whomever: then `select` reads the keys that are released of these."""
        pairs, selected = correlated_by(select), compared(node, select)
        known = [*selected, *(pair[0] for pair in pairs if pair is not None)]
        if not known or None in pairs:
            return False
        compares = [_compared(node, copies(selected))] if selected else []
        rows = self.tracker.prepared(with_conditions(select, compares), self.names, self.inside)
        sources, catalog = rows.made.sources, self.tracker.context.catalog
        if self._is_tied(rows) or settling(known, sources, catalog) is not None:
            return False
        if not set_point(select, selected, self.tracker, self.names, instead(rows, self.inside, catalog)):
            raise by_counts(select)
        return True

    def _simple(self, query: exp.Expr) -> exp.Select:
        """The query itself, where it only joins and filters; else a SELECT from it."""
        plain = isinstance(query, exp.Select) and not is_aggregating(query)
        clauses = ("with_", "distinct", "limit", "offset", "windows")
        if plain and not any(query.args.get(name) for name in clauses) and query.find(exp.Window) is None:
            assert isinstance(query, exp.Select)
            return query
        if outer_reads(query) and self._reads_private(outer_reads(query)):
            return self._pulled_up(query)
        relation = self.tracker.query(query, self.names)
        made = self.tracker.read(relation, replace(self.inside, prefix=deeper(self.inside.prefix)))
        alias = f"{PLACE} {len(self.bound.scope)}"
        table = exp.Table(this=exp.to_identifier(alias), alias=exp.TableAlias(this=exp.to_identifier(alias)))
        self.names = {**self.names, alias: made}
        columns = [exp.column(name, table=alias, quoted=True) for name in made.facts]
        return exp.Select(expressions=columns, from_=exp.From(this=table))

    def _pulled_up(self, query: exp.Expr) -> exp.Select:
        alias = f"{PLACE} groups {len(self.bound.scope)}"
        made = pulled_up(query, alias) if isinstance(query, exp.Select) else None
        if made is None or query.args.get("limit") is not None:
            raise correlated(query)
        return made

    def _relations(self, select: exp.Select) -> list[Readable]:
        found = [self.tracker.source(item.node, self.names, self.inside) for item in items(select)]
        return [relation for relation in found if isinstance(relation, Readable)]

    def _any(self, select: exp.Select, compare: Comparison, certain: bool, private: bool) -> Typed:
        """Whether a row compares true; NULL where none does and some comparison is NULL."""
        values = [item.unalias() for item in select.expressions]
        comparison = compare(copies(values))
        assert isinstance(comparison, exp.Expression)
        rows = self.tracker.prepared(with_conditions(select, [comparison]), self.names, self.inside)
        found = self._has_row(rows, select, private)
        if certain:
            return Typed(found, _BOOLEAN)
        before = self.tracker.prepared(with_conditions(select, []), self.names, self.inside)
        if not self.tracker.context.condition(comparison, before.scope).fact.nullable:
            return Typed(found, _BOOLEAN)
        rest = self._unknown(select, comparison, rows, private)
        if rest is None:
            return Typed(found, _BOOLEAN)
        cases = [
            exp.If(this=found, true=exp.true()),
            exp.If(this=self._has_row(rest, select, private), true=exp.null()),
        ]
        return Typed(exp.Case(ifs=cases, default=exp.false()), replace(_BOOLEAN, nullable=True))

    def _unknown(
        self, select: exp.Select, comparison: exp.Expression, true: Filtered, private: bool
    ) -> Filtered | None:
        """The rows for which the comparison is NULL; None where such rows belong to nobody.

        true: those for which it is; what determines the unit ties the others as it ties them. Else what of it ties the
        row to the unit that asks must be true: where that is NULL, so is the unit.
        """
        parts = list(conjuncts(comparison))
        for ties in [[], *([part] for part in parts)] if private else [[]]:
            others = [part.copy() for part in parts if part not in ties]
            whole = exp.Paren(this=exp.and_(*others, copy=False)) if others else None
            missing = [] if whole is None else [exp.Is(this=whole, expression=exp.Null())]
            rows = self.tracker.prepared(with_conditions(select, [*ties, *missing]), self.names, self.inside)
            rows = rows if ties else determined_alike(rows, true)
            if not private or self._is_tied(rows):
                return rows if others else None
        return None

    def _exists(self, select: exp.Select, conditions: Sequence[exp.Expr], private: bool) -> exp.Expression:
        rows = self.tracker.prepared(with_conditions(select, conditions), self.names, self.inside)
        return self._has_row(rows, select, private)

    def _has_row(self, rows: Filtered, select: exp.Select, private: bool) -> exp.Expression:
        if private and not self._is_tied(rows):
            raise untied(select, rows, self.inside, self.tracker.context.catalog)
        self.bound.notes += rows.made.notes
        return exists(algebra.Select((algebra.Item("", number(1)),), rows.tree))

    def _is_tied(self, rows: Filtered) -> bool:
        """Claim: if true, each private row inside is of the unit of the row that asks.

        Because: `ties.tied` reaches its source from those outside. Checked by: tests/test_language.py.
        """
        outside = frozenset(source.alias for source, _ in private_of(self.inside.sources))
        sources, held = (*self.inside.sources, *rows.made.sources), rows.made.held_together
        reached = tied(sources, outside, (*self.inside.edges, *rows.edges), self.tracker.context.catalog, held)
        return all(source.alias in reached for source, _ in private_of(rows.made.sources))

    def _scalar(self, node: exp.Expr) -> tuple[Typed, frozenset[Cell] | None]:
        query, reads = bare(node), outer_reads(node)
        if reads and query.args.get("with_") is not None:
            raise correlated(query)
        if reads and isinstance(query, exp.Select) and self.aggregates_private(query):
            if beyond(query):
                raise several(query)
            if not self.is_of_others(query, reads):
                return self._aggregate(as_whole(query)), None
            as_release(query, self.select, self.tracker, self.names)
        if reads and isinstance(query, exp.Select) and self._looks_up(query):
            return self._aggregate(query), None
        if reads and isinstance(query, exp.Select) and query.args.get("limit") is not None and self._is_private(query):
            return self._aggregate(self._extreme(query)), None
        made = self._one_row(determined(query), reads)
        held = next(iter(made.held.values()))
        fact = replace(next(iter(made.facts.values())), nullable=True)
        item = algebra.Item("", column_of(held, "t"))
        return Typed(scalar(algebra.Select((item,), algebra.of(made.tree, "t"))), fact), reads

    def is_of_others(self, query: exp.Select, reads: frozenset[Cell]) -> bool:
        """Whether rows of whomever may be among those of a correlated query."""
        return not (self._reads_private(reads) and self._is_tied(self._rows(query)))

    def _rows(self, query: exp.Select) -> Filtered:
        return self.tracker.prepared(with_conditions(query, []), self.names, self.inside)

    def _one_row(self, query: exp.Expr, reads: frozenset[Cell]) -> Readable:
        relation = self.tracker.query(query, self.names, self.inside if reads else None)
        if isinstance(relation, Readable):
            raise several(query)
        made = self.tracker.read(relation, self.inside)
        return made if () in made.unique else largest(query, made, self.tracker, self.names, self.inside)

    def _is_private(self, query: exp.Select) -> bool:
        return any(relation.unit is not None for relation in self._relations(query))

    def _extreme(self, query: exp.Select) -> exp.Select:
        """The first value of rows of the unit that asks, in its own order, as the least or the largest of them."""
        (item, *_), scope = query.expressions, self._rows(query).scope
        made = None if query.args.get("group") else as_extreme(query)
        if made is None or self.tracker.context.total(item.unalias(), scope).fact.nullable:
            raise first_row(query)
        return made

    def aggregates_private(self, query: exp.Select) -> bool:
        """Whether it is an aggregate of private rows."""
        return is_aggregating(query) and any(relation.unit is not None for relation in self._relations(query))

    def _looks_up(self, query: exp.Select) -> bool:
        """Make a look-up of the unit's one row an aggregate over that row; False for any other query."""
        clauses = ("with_", "distinct", "group", "having", "limit", "offset", "joins")
        relations = self._relations(query)
        plain = len(query.expressions) == len(relations) == 1 and not any(query.args.get(name) for name in clauses)
        if not plain or not relations[0].one_row or is_aggregating(query) or query.find(exp.Window) is not None:
            return False
        item = query.expressions[0].unalias()
        rows = self._rows(query)
        boolean = self.tracker.context.total(item, rows.scope).fact.type.family is Family.BOOLEAN
        kind = exp.LogicalOr if boolean else exp.Max
        query.set("expressions", [exp.Alias(this=kind(this=item), alias=exp.to_identifier("one"))])
        return True

    def _reads_private(self, reads: frozenset[Cell]) -> bool:
        private = {source.alias for source, _ in private_of(self.inside.sources)}
        return any(alias in private for alias, _ in reads)

    def _aggregate(self, query: exp.Select) -> Typed:
        """A scalar aggregate over rows of the unit that asks."""
        if len(query.expressions) != 1:
            raise correlated(query)
        context, item = self.tracker.context, query.expressions[0].unalias()
        rows = self.tracker.prepared(query, self.names, self.inside)
        if not self._is_tied(rows):
            raise untied(query, rows, self.inside, context.catalog)
        self.bound.notes += rows.made.notes
        item = query.expressions[0].unalias()
        most = context.settings.max_rows or max((r.rows for _, r in private_of(rows.made.sources)), default=1)
        most = rows_within_a_unit(most, context)
        group = Group(rows.scope, most, True, lambda typed: reading_own(typed, rows.made.scope))
        scope: Scope = {(PLACE, f"a{i}"): aggregated(n, group, context) for i, n in enumerate(aggregates(item))}
        places = {node.copy(): f"a{i}" for i, node in enumerate(aggregates(item))}
        placed = item.transform(lambda node: exp.column(places[node], table=PLACE) if node in places else node)
        typed = context.total(placed, scope)
        return Typed(scalar(algebra.Select((algebra.Item("", context.formed(typed)),), rows.tree)), typed.fact)


def _compared(node: exp.Expr, found: Sequence[exp.Expr]) -> exp.Expr:
    """What IN and ANY say of some row, and ALL denies of every one."""
    if isinstance(node, exp.In):
        return equal(node.this, found)
    kind = type(node) if isinstance(node.expression, exp.Any) else _NEGATED[type(node)]
    return kind(this=node.this.copy(), expression=found[0])


def _any_row(query: exp.Expr) -> exp.Expr:
    """The same query, where only its having a row is asked: DISTINCT, ORDER BY and a LIMIT above 0 don't matter."""
    limit = query.args.get("limit") if isinstance(query, exp.Select) else None
    number = limit.expression if isinstance(limit, exp.Limit) else None
    if limit is not None and not (isinstance(number, exp.Literal) and number.is_int and int(number.name) > 0):
        return query
    if isinstance(query, exp.Select) and not is_aggregating(query) and not query.args.get("offset"):
        for clause in ("distinct", "order", "limit"):
            query.set(clause, None)
    return query

"""Correlated scalar aggregates over rows of the unit that asks: made once for each key, in a derived table, and joined.

    asked   SELECT avg((SELECT sum(t.amount) FROM transactions t WHERE t.account_id = a.account_id)) FROM accounts a
    made    SELECT avg(g.v0) FROM accounts a
            LEFT JOIN (SELECT t.account_id AS k0, sum(t.amount) AS v0 FROM transactions t GROUP BY t.account_id) AS g
              ON g.k0 = a.account_id

A guard needs its operand several times, and a text in its place would be evaluated as often for each row. Subqueries
over the same rows share one derived table.

Claim: the same rows, with the same values. Because: the rows with one value of k0 are those that the correlation lets
through, and none has NULL for it; a row meets the one group of its value or none; and of none a count is 0, all else
NULL. Checked by: tests/test_fixtures.py (rewrite/subqueries.sql), tests/test_executed.py, tests/test_neighbours.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from dpproxy.errors import DPProxyError
from dpproxy.rewrite.calculus.aggregates_of import above, aggregates, is_aggregating, substitute
from dpproxy.rewrite.calculus.from_clause import WrittenJoin
from dpproxy.rewrite.calculus.grouped import groups_units
from dpproxy.rewrite.calculus.joins import From, edges, where_of
from dpproxy.rewrite.calculus.one_row import one_row_each
from dpproxy.rewrite.calculus.pairs import has_several
from dpproxy.rewrite.calculus.relations import Edge, FromRelation, Readable
from dpproxy.rewrite.calculus.ties import edges_of, private_of, tied
from dpproxy.rewrite.shown import stands_for
from dpproxy.rewrite.statement.correlation import aliases_read, equality, own_aliases
from dpproxy.rewrite.statement.expression_queries import outermost
from dpproxy.rewrite.statement.pulled_up import as_whole, beyond
from dpproxy.rewrite.statement.tracker import Names, Tracker

AGGREGATES = "dpproxy aggregates"
_CLAUSES = ("with_", "distinct", "limit", "offset", "order", "windows")


@dataclass(frozen=True, slots=True)
class AskedAggregate:
    """A subquery in the place of `node`: an item over aggregates of `rows`, a SELECT without items, where `inner` are
    equal to `outer`, one by one."""

    node: exp.Expr
    item: exp.Expr
    rows: exp.Select
    inner: tuple[exp.Expr, ...]
    outer: tuple[exp.Expr, ...]

    @property
    def aliases(self) -> list[str]:
        """Of what stands in FROM, in order."""
        own = own_aliases(self.rows)
        return list(dict.fromkeys(node.alias_or_name for node in self.rows.walk() if node.alias_or_name in own))

    def read_as(self, aliases: Sequence[str]) -> AskedAggregate:
        """The same with these aliases."""
        names = dict(zip(self.aliases, aliases, strict=True))
        renamed = [_renamed(node, names) for node in (self.item, self.rows, *self.inner)]
        item, rows, *inner = renamed
        assert isinstance(rows, exp.Select), "its aliases alone are others"
        return replace(self, item=item, rows=rows, inner=tuple(inner))

    def shares(self, other: AskedAggregate) -> bool:
        """Whether both are over the same rows."""
        if len(self.aliases) != len(other.aliases):
            return False
        same = self.read_as(other.aliases)
        return (same.rows, same.inner, same.outer) == (other.rows, other.inner, other.outer)


@dataclass(frozen=True, slots=True)
class AggregateJoins:
    """The joins that `select`, whose FROM is `made`, needs for such subqueries."""

    select: exp.Select
    made: From
    tracker: Tracker
    names: Names

    def join(self) -> bool:
        """Change the SELECT to have them; False where there is none."""
        group = self.select.args.get("group")
        written = [] if group is None else [node.copy() for node in group.expressions]
        asked = list(_asked(self.select, self.made, self.tracker))
        found = False
        while asked:
            first, *rest = asked
            shared = [first, *(each.read_as(first.aliases) for each in rest if each.shares(first))]
            asked = [each for each in rest if not each.shares(first)]
            found = self._join(shared) or found
        if found and group is not None:
            substitute(self.select, dict(zip(written, group.expressions, strict=True)))
        return found

    def _join(self, shared: Sequence[AskedAggregate]) -> bool:
        """Join one derived table for all that is over the same rows; False where these may be of others, or where the
        unit would have more rows than without."""
        joined = joined_by_key(shared, f"{AGGREGATES} {len(self.tracker.known)}")
        relation = _of_units(joined.derived, self.tracker, self.names)
        if relation is None:
            return False
        found = FromRelation(joined.alias, "", relation, True)
        if not _meets(found, joined.on, self.select, self.made, self.tracker):
            return False
        joined.put(self.select)
        return True


def _asked(select: exp.Select, made: From, tracker: Tracker) -> Iterator[AskedAggregate]:
    """Those that could be: over rows of a unit, in a SELECT of rows of such units, that add none without a unit."""
    private = {source.alias for source, _ in private_of(made.sources)}
    if not may_join(made, tracker):
        return
    for node in [node for root in _places(select) for node in outermost(root)]:
        query = aggregating(node)
        each = correlated(node, query) if query is not None and not beyond(query) else None
        if each is not None and any(aliases_read(part) & private for part in each.outer):
            yield each


def may_join(made: From, tracker: Tracker) -> bool:
    """Whether FROM is of rows of one unit each, to which a LEFT JOIN may be added."""
    plain = all(item.kind in (WrittenJoin.INNER, WrittenJoin.LEFT) for item in made.items)
    is_private = bool(private_of(made.sources))
    return is_private and plain and not made.notes and not has_several(made, tracker.context.catalog)


def _places(select: exp.Select) -> list[exp.Expr]:
    """The parts whose expressions are over single rows of FROM, and see all of it."""
    found = [part for part in (select.args.get("where"), select.args.get("group")) if part is not None]
    if is_aggregating(select):
        return [*found, *(node for part in above(select) for node in aggregates(part))]
    return [*found, *above(select)]


def aggregating(node: exp.Expr) -> exp.Select | None:
    """The SELECT that a scalar subquery is, where it aggregates the rows of FROM that WHERE keeps, and no more."""
    while isinstance(node, exp.Subquery) and not any(node.args.get(name) for name in ("order", "limit", "with_")):
        node = node.this
    plain = isinstance(node, exp.Select) and not any(node.args.get(name) for name in _CLAUSES)
    if not plain or not isinstance(node, exp.Select) or len(node.expressions) != 1 or not is_aggregating(node):
        return None
    parts = [part for name, part in node.args.items() if name not in ("from_", "joins") and isinstance(part, exp.Expr)]
    queries = any(part.find(exp.Query, exp.Window) for part in (*parts, *node.expressions))
    return None if queries else node


def correlated(node: exp.Expr, query: exp.Select) -> AskedAggregate | None:
    """What it asks, where equalities are all that correlates it."""
    own = own_aliases(query)
    outward = [part for part in where_of(query) if aliases_read(part) - own]
    pairs = [pair for part in outward if (pair := equality(part, own)) is not None]
    item = as_whole(query).expressions[0].unalias()
    read = [*aggregates(item), *(each for name in ("from_", "joins") for each in _listed(query.args.get(name)))]
    if not pairs or len(pairs) < len(outward) or any(aliases_read(part) - own for part in read):
        return None
    kept = [part.copy() for part in where_of(query) if part not in outward]
    rows = exp.Select(from_=query.args["from_"].copy(), joins=[each.copy() for each in query.args.get("joins") or []])
    if kept:
        rows.set("where", exp.Where(this=exp.and_(*kept, copy=False)))
    return AskedAggregate(
        node, item.copy(), rows, tuple(inner for inner, _ in pairs), tuple(outer for _, outer in pairs)
    )


def _listed(part: object) -> list[exp.Expr]:
    return [each for each in (part if isinstance(part, list) else [part]) if isinstance(each, exp.Expr)]


@dataclass(frozen=True, slots=True)
class JoinedAggregates:
    """A derived table for the aggregates of `shared`, which are `computed`, and the condition that joins it."""

    shared: Sequence[AskedAggregate]
    alias: str
    computed: Sequence[exp.Expr]
    derived: exp.Subquery
    on: Sequence[exp.Expr]

    def put(self, select: exp.Select) -> None:
        """Join it to what stands in FROM of `select`, and read its columns in the place of the subqueries."""
        for join in select.args.get("joins") or []:
            if not any(join.args.get(name) for name in ("side", "kind", "on")):
                # A comma ends what the condition of a later join can see.
                join.set("kind", "CROSS")
        select.append("joins", exp.Join(this=self.derived, side="LEFT", on=exp.and_(*self.on, copy=False)))
        values = {node: _value(node, self.alias, at) for at, node in enumerate(self.computed)}
        for each in self.shared:
            each.node.replace(exp.Paren(this=_placed(each.item, values)))


def joined_by_key(shared: Sequence[AskedAggregate], alias: str) -> JoinedAggregates:
    """What is to be joined for subqueries over the same rows."""
    first = shared[0]
    computed = list(dict.fromkeys(node for each in shared for node in aggregates(each.item)))
    keys = [exp.column(f"k{i}", table=alias, quoted=True) for i in range(len(first.inner))]
    on = [exp.EQ(this=key, expression=outer.copy()) for key, outer in zip(keys, first.outer, strict=True)]
    return JoinedAggregates(shared, alias, computed, grouped_by_key(first, computed, alias), on)


def grouped_by_key(asked: AskedAggregate, computed: Sequence[exp.Expr], alias: str) -> exp.Subquery:
    """The groups of `asked` by what it is correlated by, with the aggregates."""
    rows = asked.rows.copy()
    items = {f"k{i}": key for i, key in enumerate(asked.inner)} | {f"v{i}": node for i, node in enumerate(computed)}
    listed = [exp.Alias(this=n.copy(), alias=exp.to_identifier(name, quoted=True)) for name, n in items.items()]
    rows.set("expressions", listed)
    rows.set("group", exp.Group(expressions=[key.copy() for key in dict.fromkeys(asked.inner)]))
    return exp.Subquery(this=rows, alias=exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))


def _of_units(derived: exp.Subquery, tracker: Tracker, names: Names) -> Readable | None:
    """The derived table, where each of its rows is of one unit; else it would be a release."""
    before = len(tracker.drafts)
    try:
        copy = derived.this.copy()
        if groups_units(copy, tracker.joined(copy, names, None), tracker.context):
            relation = tracker.query(derived, names)
            return relation if isinstance(relation, Readable) and relation.unit is not None else None
    except DPProxyError:
        pass
    del tracker.drafts[before:]
    return None


def _meets(found: FromRelation, on: Sequence[exp.Expr], select: exp.Select, made: From, tracker: Tracker) -> bool:
    """Whether it is tied to the unit of the rows that it is joined to, and gives that unit no more rows, or keys."""
    private = private_of(made.sources)
    held: tuple[Edge, ...] = (*edges(made, where_of(select)), *edges_of(on, found.alias))
    sources, start = (*made.sources, found), frozenset(source.alias for source, _ in private)
    if found.alias not in tied(sources, start, held, tracker.context.catalog, made.held_together):
        return False
    own = found.relation
    if own.one_row:
        return True
    single = one_row_each(made.sources, held, ()) or any(each.numbers or each.most is not None for _, each in private)
    rows, groups = max(each.rows for _, each in private), max(each.groups for _, each in private)
    return not single and own.rows <= rows and own.groups <= groups


def _value(node: exp.Expr, alias: str, at: int) -> exp.Expr:
    """The aggregate as what is joined has it; a row that meets none has no rows to count."""
    column = stands_for(exp.column(f"v{at}", table=alias, quoted=True), node)
    counts = isinstance(node.this if isinstance(node, exp.Filter) else node, exp.Count)
    return exp.Coalesce(this=column, expressions=[exp.Literal.number(0)]) if counts else column


def _placed(item: exp.Expr, values: Mapping[exp.Expr, exp.Expr]) -> exp.Expr:
    return item.transform(lambda node: values[node].copy() if node in values else node)


def _renamed(node: exp.Expr, names: Mapping[str, str]) -> exp.Expr:
    """A copy with other aliases of what stands in FROM."""
    made = node.copy()
    for part in made.walk():
        if isinstance(part, exp.Column) and part.table in names:
            part.set("table", exp.to_identifier(names[part.table], quoted=True))
        elif isinstance(part, exp.Table | exp.Subquery) and part.alias in names:
            part.args["alias"].set("this", exp.to_identifier(names[part.alias], quoted=True))
    return made

"""Public / Private / Released: what kind of relation each query of the tree is.

The pass copies the tree, once; its rules edit the copy: queries over private rows disappear into bounded SQL, release
points read released rows, and what is left is the statement for the front. Each construct has one rule, in a module of
its own; here they meet.

    query      a query as a relation          -> Readable (private rows) or Post (public, released: its tree in place)
    read       a Post relation for the engine -> Readable (public rows; `for_the_engine`)
    prepared   FROM and WHERE of a SELECT, its sources read by the engine
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from dpproxy.errors import FeatureNotSupported, NotPrivate
from dpproxy.rewrite.calculus.aggregates_of import is_aggregating, substitute
from dpproxy.rewrite.calculus.counted_nowhere import told_where_counted
from dpproxy.rewrite.calculus.determined_outside import determined_outside
from dpproxy.rewrite.calculus.distinct import group_instead, is_distinct_on, refuse_distinct, with_row_numbers
from dpproxy.rewrite.calculus.distinct_aggregates import without_distinct
from dpproxy.rewrite.calculus.expanded_size import weigh
from dpproxy.rewrite.calculus.from_clause import flat, items, unfold
from dpproxy.rewrite.calculus.grouped import GROUPED, grouped, groups_units
from dpproxy.rewrite.calculus.joins import Filtered, From, arranged, filtered, joined, where_of
from dpproxy.rewrite.calculus.lengths import in_seconds
from dpproxy.rewrite.calculus.order_and_limit import has_tail, refuse_tail, tail
from dpproxy.rewrite.calculus.projection import project
from dpproxy.rewrite.calculus.relations import Enclosing, FrontRelation, Joined, Readable, Relation
from dpproxy.rewrite.calculus.samples import refuse_in_expressions, refuse_sample, sampled
from dpproxy.rewrite.calculus.scans import scan
from dpproxy.rewrite.calculus.setops import as_keys, combined, means_keys
from dpproxy.rewrite.calculus.shifted_sums import shifted_sums
from dpproxy.rewrite.calculus.windowed import WINDOWED, name_windows, of_several, windowed, windows
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.expressions.trees.position import position
from dpproxy.rewrite.reading.constants import CONSTANTS
from dpproxy.rewrite.reading.own_tables import place_of
from dpproxy.rewrite.releases.choice import asks_choice, choice_point
from dpproxy.rewrite.releases.draft import RELEASED, ReleaseDraft
from dpproxy.rewrite.releases.list_point import asks_lists, list_point
from dpproxy.rewrite.releases.mode_point import asks_mode, mode_point
from dpproxy.rewrite.releases.sample_aggregate import is_sampled, point
from dpproxy.rewrite.statement.correlated import lookup, unreleased
from dpproxy.rewrite.statement.correlation import around, is_test, outer_reads
from dpproxy.rewrite.statement.expression_queries import asks_queries, expression_queries
from dpproxy.rewrite.statement.for_the_engine import readable
from dpproxy.rewrite.statement.joined_lookups import LookupJoins
from dpproxy.rewrite.statement.lateral import has_laterals, refuse_with, unfold_laterals
from dpproxy.rewrite.statement.membership import compared, set_point, tested
from dpproxy.rewrite.statement.own_aggregates import AggregateJoins
from dpproxy.rewrite.statement.pairs import is_of_pairs, pair_release, refused_beside
from dpproxy.rewrite.statement.public_scalars import ask_alone
from dpproxy.rewrite.statement.recursive import recursive_rows
from dpproxy.rewrite.statement.refusals import (
    private_rows,
    refused_in_from,
    returns_rows,
    row_per_unit,
)
from dpproxy.rewrite.statement.released import released
from dpproxy.rewrite.statement.released_windows import (
    MOST_NESTED,
    NOTE,
    SelectAsWritten,
    as_written,
    is_released,
    nested_windows,
    released_windows,
)
from dpproxy.rewrite.statement.subqueries import Bound, bind, scope_of
from dpproxy.rewrite.statement.subquery_refusals import returned
from dpproxy.rewrite.statement.tracker import Names
from dpproxy.rewrite.statement.with_clause import visible


def track(tree: exp.Query, context: PlanningContext) -> tuple[exp.Query, Sequence[ReleaseDraft]]:
    """What is left of the tree for the front, and the releases in order.

    Raises NotPrivate where it would return private rows.
    """
    made = tree.copy()
    tracked = Tracked(context, made)
    if isinstance(tracked.query(made, {}), Readable):
        raise private_rows(made)
    return made, tracked.drafts


@dataclass(slots=True)
class Tracked:
    """The walk over the pass's own tree: the releases found so far, in order. `known` are relations of nodes that were
    read before; `with_releases`: how many SELECTs were read once more, beside releases of the same rows."""

    context: PlanningContext
    outermost: exp.Query
    drafts: list[ReleaseDraft] = field(default_factory=list)
    known: dict[int, tuple[exp.Expr, Relation]] = field(default_factory=dict)
    scans: dict[str, Readable] = field(default_factory=dict)
    with_releases: int = 0

    def query(self, node: exp.Expr, names: Names, outer: Enclosing | None = None) -> Relation:
        """The relation that a query is. `outer`: the SELECT around a correlated one."""
        if id(node) not in self.known:
            self.known[id(node)] = (node, self._query(node, names, outer))
        return self.known[id(node)][1]

    def _query(self, node: exp.Expr, names: Names, outer: Enclosing | None) -> Relation:
        match node:
            case exp.Select():
                return self._select(node, names, outer)
            case exp.Subquery():
                inside = visible(node, names, self)
                relation = self.query(node.this, inside, outer)
                if isinstance(relation, FrontRelation):
                    self._nested_in(node, [node.this], inside)
                    return FrontRelation(node, names)
                self._refuse_tail(node)
                return relation
            case exp.Union() | exp.Intersect() | exp.Except():
                return self._set_operation(node, names)
            case _:
                raise refused_in_from(node)

    def _set_operation(self, node: exp.SetOperation, names: Names) -> Relation:
        names = visible(node, names, self)
        copies, before = (node.this.copy(), node.expression.copy()), len(self.drafts)
        sides = [self.query(side, names) for side in (node.this, node.expression)]
        if means_keys(node, sides, node is self.outermost):
            del self.drafts[before:]
            sides = [self.query(side, names) for side in self._of_keys(node, copies, sides)]
        if all(isinstance(side, FrontRelation) for side in sides):
            self._nested_in(node, [node.this, node.expression], names)
            return FrontRelation(node, names)
        self._refuse_tail(node)
        return combined(node, [self.read(side) for side in sides], self.context)

    @staticmethod
    def _of_keys(node: exp.SetOperation, written: Sequence[exp.Expr], sides: Sequence[Relation]) -> list[exp.Expr]:
        """The sides as they were written, in their place again, those of rows of units as sets of keys."""
        made = [as_keys(w) if isinstance(side, Readable) else w for w, side in zip(written, sides, strict=True)]
        node.set("this", made[0])
        node.set("expression", made[1])
        return made

    def _refuse_tail(self, node: exp.Query) -> None:
        """What returns rows of units must not, whether with a limit or without."""
        if node is self.outermost and has_tail(node):
            raise private_rows(node)
        refuse_tail(node)

    def _select(self, select: exp.Select, names: Names, outer: Enclosing | None) -> Relation:
        names = visible(select, names, self)
        name_windows(select)
        written = as_written(select, len(self.drafts))
        if has_laterals(select) and self._reads_private(select, names, outer):
            unfold_laterals(select, self)
        unfold(select)
        relations = [self.source(item.node, names, outer) for item in items(select)]
        if not any(isinstance(relation, Readable) and relation.unit is not None for relation in relations):
            self._nested(select, names)
            return FrontRelation(select, names)
        return self._private(select, names, outer, written)

    def _reads_private(self, select: exp.Select, names: Names, outer: Enclosing | None) -> bool:
        """Whether some item of FROM is of private rows, or reads them by LATERAL."""
        nodes = [node for item in items(select) for node in flat(item.node)]
        inner = [
            node.this.this for node in nodes if isinstance(node, exp.Lateral) and isinstance(node.this, exp.Subquery)
        ]
        refuse_with(inner)
        nodes += [item.node for query in inner if isinstance(query, exp.Select) for item in items(query)]
        relations = [self.source(node, names, outer) for node in nodes if not isinstance(node, exp.Lateral)]
        return any(isinstance(relation, Readable) and relation.unit is not None for relation in relations)

    def _private(
        self, select: exp.Select, names: Names, outer: Enclosing | None, written: SelectAsWritten | None
    ) -> Relation:
        if is_distinct_on(select) and not is_aggregating(select):
            return self.query(with_row_numbers(select), names, outer)
        group_instead(select)
        if not is_aggregating(select):
            self._refuse_tail(select)
        try:
            prepared = self.prepared(select, names, outer)
        except NotPrivate as fault:
            raise refused_beside(fault, select, self.context.catalog) from None
        if outer is None and is_of_pairs(select, prepared, self.context.catalog):
            pair_release(select, prepared, self.context, self.drafts)
            self._nested(select, names)
            return FrontRelation(select, names)
        rows = joined(prepared, outer, self.context)
        weigh(select, rows.rowset.sources)
        substitute(select, without_distinct(select, rows, self.context.catalog))
        if is_aggregating(select) and not groups_units(select, rows, self.context):
            lengths, keys = in_seconds(select, rows, self.context)
            if keys:
                select.args["group"].set("expressions", keys)
            substitute(select, lengths)
            if not is_sampled(self.context):
                substitute(select, shifted_sums(select, rows, self.context))
            alone = asks_mode(select)
            if not is_sampled(self.context) and not alone and asks_lists(select, rows, self.context):
                list_point(select, rows, self.context, self.drafts)
            elif select is self.outermost and asks_choice(select) and not is_sampled(self.context):
                choice_point(select, rows, self.context, self.drafts)
            elif is_sampled(self.context) or not (alone and mode_point(select, rows, self.context, self.drafts)):
                point(select, rows, self.context, self.drafts)
            self._nested(select, names)
            return FrontRelation(select, names)
        if select is self.outermost:
            raise row_per_unit(select, rows, self.context) if select.args.get("group") else private_rows(select)
        return self.finished(select, rows, names, outer, written)

    def joined(self, select: exp.Select, names: Names, outer: Enclosing | None) -> Joined:
        """The rows of FROM and WHERE, each of one unit where they are private."""
        return joined(self.prepared(select, names, outer), outer, self.context)

    def prepared(self, select: exp.Select, names: Names, outer: Enclosing | None) -> Filtered:
        """FROM and WHERE, with what stands for subqueries in scope. Whose rows they are is not asked yet."""
        unfold(select)
        name_windows(select)
        found = items(select)
        within = None if outer is None else outer.within
        relations = [self.read(self.source(item.node, names, within), within) for item in found]
        if outer is not None:
            refuse_in_expressions(found, relations)
        prefix = "" if outer is None else outer.prefix
        made = arranged(found, relations, where_of(select), prefix, self.context.catalog)
        if made.notes and outer is not None and outer.sources:
            raise FeatureNotSupported(
                "an outer join that keeps public rows is not supported in a correlated subquery over private ones",
                hint="Write the subquery as a derived table grouped by the unit's key, and join it ON the key.",
                position=position(found[0].node),
            )
        bound = self._bound(select, made, names, outer)
        if bound is None:
            return self.prepared(select, names, outer)
        if bound.changed:
            made = arranged(items(select), relations, where_of(select), prefix, self.context.catalog)
        made = told_where_counted(made, select)
        rows = filtered(made, where_of(select), bound.scope, bound.reads, self.context)
        rows = determined_outside(rows, outer, self.context.catalog)
        if not (bound.private or bound.notes):
            return rows
        noted = replace(rows.made, notes=tuple(dict.fromkeys((*rows.made.notes, *bound.notes))))
        return replace(rows, made=noted, nested=frozenset(bound.private))

    def _bound(self, select: exp.Select, made: From, names: Names, outer: Enclosing | None) -> Bound | None:
        """The scope of a SELECT with its subqueries; None where they have become joins, and FROM is another one."""
        if not asks_queries(select):
            return Bound(scope_of(made, outer))
        asked = (AggregateJoins(select, made, self, names), LookupJoins(select, made, self, names))
        if outer is None and any(joins.join() for joins in asked):
            return None
        return bind(select, made, self, names, outer)

    def finished(
        self,
        select: exp.Select,
        rows: Joined,
        names: Names,
        outer: Enclosing | None,
        written: SelectAsWritten | None = None,
    ) -> Readable:
        """GROUP BY, windows and the items of a SELECT, each over the rows of the step before."""
        refuse_distinct(select)
        if is_aggregating(select):
            made = grouped(select, rows, self.context)
            return self._next(select, GROUPED, made, names, outer)
        weights = weigh(select, rows.rowset.sources)
        several = of_several(select, rows, self.context)
        if several and returns_rows(select, self.outermost):
            raise private_rows(self.outermost)
        if several and written is not None and outer is None and all(map(is_released, several)):
            return self._with_releases(written, several, names, rows)
        if windows(select):
            made = windowed(select, rows, self.context)
            return self._next(select, WINDOWED, made, names, outer)
        return project(select, rows, weights, self.context, tail(select, rows, self.context))

    def _next(self, select: exp.Select, alias: str, made: Readable, names: Names, outer: Enclosing | None) -> Readable:
        """The rest of a SELECT that now reads `made` as `alias`."""
        inside = {**names, alias: made}
        written = as_written(select, len(self.drafts))
        return self.finished(select, self.joined(select, inside, outer), inside, outer, written)

    def _with_releases(
        self, written: SelectAsWritten, several: Sequence[exp.Window], names: Names, rows: Joined
    ) -> Readable:
        """Rows of units, beside what was released for the windows over several units."""
        self.with_releases += 1
        if self.with_releases > MOST_NESTED:
            raise nested_windows(several[0])
        del self.drafts[written.drafts :]
        select = released_windows(written.select, several, lambda part: self.context.total(part, rows.scope).fact)
        made = self.query(select, names)
        assert isinstance(made, Readable), "its rows are the same"
        return replace(made, notes=(*made.notes, NOTE.format(rows.rowset.unit)))

    def source(self, node: exp.Expr, names: Names, outer: Enclosing | None) -> Relation:
        """The relation that an item of FROM is."""
        relation = self._source(node, names, outer)
        if isinstance(relation, FrontRelation) or relation.unit is None:
            refuse_sample(node)
            return relation
        if not isinstance(node, exp.Table) or not node.db:
            refuse_sample(node)
            return relation
        sample = sampled(node, self.context)
        return relation if sample is None else replace(relation, sample=sample)

    def _source(self, node: exp.Expr, names: Names, outer: Enclosing | None) -> Relation:
        match node:
            case exp.Table() if node.db == RELEASED:
                return released(node, self.drafts, self.context.zone)
            case exp.Table() if node.db == CONSTANTS:
                return FrontRelation(node, names)
            case exp.Table() if not node.db:
                return names[node.name]
            case exp.Table() if place_of(node, self.context.tables) is not None:
                return FrontRelation(node, names)
            case exp.Table() if node.db == "dp" and f"dp.{node.name}" not in self.context.catalog.tables:
                return FrontRelation(node, names)
            case exp.Table():
                table = self.context.catalog.table(node.db, node.name)
                assert table is not None, "resolve bound it"
                if table.name not in self.scans:
                    self.scans[table.name] = scan(table, self.context.dialect)
                return self.scans[table.name]
            case exp.Subquery():
                return self.query(node, names, None if outer is None else outer.beside)
            case exp.Lateral() if isinstance(self.query(node.this, names), FrontRelation):
                return FrontRelation(node, names)
            case _:
                raise refused_in_from(node)

    def read(self, relation: Relation, outer: Enclosing | None = None) -> Readable:
        """The relation for the engine; one that stays in the front's statement is read from a copy of its tree."""
        if isinstance(relation, Readable):
            return relation
        if isinstance(relation.tree, exp.CTE):
            raise recursive_rows(relation.tree, self.outermost, self.context.catalog)
        return readable(relation.tree.copy(), relation.names, outer, self)

    def _nested(self, select: exp.Select, names: Names) -> None:
        """Subqueries in the expressions of a query over public or released rows; each must be such itself."""
        if not asks_queries(select):
            return
        found = expression_queries(select, [item.node for item in items(select)])
        for query in found:
            asked = tested(query)
            if asked is not None and self._is_private(asked, names):
                set_point(asked, compared(around(query), asked), self, names)
            elif outer_reads(query):
                lookup(query, select, self, names)
        self._nested_in(select, [item.node for item in items(select)], names)

    def _is_private(self, select: exp.Select, names: Names) -> bool:
        relations = [self.source(item.node, names, None) for item in items(select)]
        return any(isinstance(relation, Readable) and relation.unit is not None for relation in relations)

    def _nested_in(self, node: exp.Expr, sources: list[exp.Expr], names: Names) -> None:
        for query in expression_queries(node, sources):
            if isinstance(self.query(query, names), Readable):
                raise unreleased(query) if is_test(query) else returned(query)
            ask_alone(query, self)

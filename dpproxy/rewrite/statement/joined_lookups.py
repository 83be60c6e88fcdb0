"""Correlated aggregates over private rows of whomever, asked by private rows: what is released of them is joined.

    asked   SELECT count(*) FROM visits v WHERE v.cost > (SELECT avg(w.cost) FROM visits w WHERE w.dept = v.dept)
    made    SELECT count(*) FROM visits v
            LEFT JOIN (SELECT r.k0, max(r.o0) AS v0 FROM released r GROUP BY r.k0) AS g ON g.k0 = v.dept
            WHERE v.cost > g.v0

A subquery in its place would be looked for in all that was released, by each row.

Claim: the same rows, with the same values. Because: as in `own_aggregates`, of released rows.
Checked by: tests/test_fixtures.py (rewrite/correlated.sql), tests/test_executed.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from dpproxy.rewrite.calculus.aggregates_of import above, aggregates, is_aggregating
from dpproxy.rewrite.calculus.joins import From, edges, where_of
from dpproxy.rewrite.calculus.one_row import is_settled
from dpproxy.rewrite.calculus.relations import FromRelation
from dpproxy.rewrite.calculus.ties import edges_of, private_of
from dpproxy.rewrite.statement.correlated import as_release
from dpproxy.rewrite.statement.correlation import aliases_read, outer_reads
from dpproxy.rewrite.statement.expression_queries import outermost
from dpproxy.rewrite.statement.own_aggregates import aggregating, correlated, joined_by_key, may_join
from dpproxy.rewrite.statement.pulled_up import beyond
from dpproxy.rewrite.statement.subqueries import asks_others
from dpproxy.rewrite.statement.tracker import Names, Tracker

LOOKUPS = "dpproxy lookups"


@dataclass(frozen=True, slots=True)
class LookupJoins:
    """The joins that `select`, whose FROM is `made`, needs for such subqueries."""

    select: exp.Select
    made: From
    tracker: Tracker
    names: Names

    def join(self) -> bool:
        """Change the SELECT to have them; False where there is none."""
        if not may_join(self.made, self.tracker):
            return False
        found = [self._join(node) for node in list(_asked(self.select, self.made))]
        return any(found)

    def _join(self, node: exp.Expr) -> bool:
        """Make it a release, and join that, where a row meets one of its rows at most, as far as types tell."""
        query, select, made, tracker = aggregating(node), self.select, self.made, self.tracker
        if query is None or not asks_others(query, select, made, tracker, self.names):
            return False
        as_release(query, select, tracker, self.names)
        asked = correlated(node, query)
        if asked is None:
            return False
        joined = joined_by_key([asked], f"{LOOKUPS} {len(tracker.known)}")
        relation = tracker.read(tracker.query(joined.derived, self.names))
        found, before = FromRelation(joined.alias, "", relation, True), {source.alias for source in made.sources}
        held = (*edges(made, where_of(select)), *edges_of(joined.on, joined.alias))
        if relation.unit is not None or not is_settled(found, before, (*made.sources, found), held):
            return False
        joined.put(select)
        return True


def _asked(select: exp.Select, made: From) -> Iterator[exp.Expr]:
    """Scalar subqueries beside what is private: a condition on public rows alone may settle public keys."""
    private = {source.alias for source, _ in private_of(made.sources)}
    places = [*where_of(select), *(node for part in above(select) for node in aggregates(part))]
    for place in places if is_aggregating(select) else where_of(select):
        for node in outermost(place) if aliases_read(place) & private else ():
            query = aggregating(node)
            if query is not None and outer_reads(query) and not beyond(query):
                yield node

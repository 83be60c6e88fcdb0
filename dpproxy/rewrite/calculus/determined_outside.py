"""Subqueries that are tied to the row that asks by what the policy says determines the unit.

    written   SELECT count(*) FROM orders o WHERE EXISTS (SELECT 1 FROM lines l WHERE l.order_no = o.order_no)
    asked     … WHERE EXISTS (SELECT 1 FROM lines l WHERE l.order_no = o.order_no AND l.customer = o.customer)

As in a join, the owner's word is not believed: the equality of the units' keys goes into the subquery's condition.
"""

from __future__ import annotations

from dataclasses import replace

from dpproxy.catalog.policy import Catalog
from dpproxy.rewrite.calculus.determinations import Determination, determinations
from dpproxy.rewrite.calculus.from_clause import WrittenJoin
from dpproxy.rewrite.calculus.joins import Filtered
from dpproxy.rewrite.calculus.relations import Enclosing


def determined_outside(rows: Filtered, outer: Enclosing | None, catalog: Catalog) -> Filtered:
    """The rows of a subquery, kept to those of the unit that asks where the policy says that they are of no other.

    Claim: each source that is said to be tied belongs, in every row that is left, to the unit of one outside.
    Because: an equality that holds in every row, not in those of an outer join alone, leads there; and both keys are
    equal by a condition on every row. Checked by: tests/test_determinations.py, tests/test_neighbours.py and
    `rewrite.checker`, which reads the condition.
    """
    if outer is None or not outer.sources or WrittenJoin.FULL in rows.made.kinds:
        return rows
    inner = {source.alias for source in rows.made.sources}
    always = [edge for edge in (*outer.edges, *rows.edges) if edge.owner is None]
    found = tuple(
        each
        for each in determinations((*outer.sources, *rows.made.sources), always, catalog)
        if each.later.alias in inner and each.earlier.alias not in inner
    )
    return _kept(rows, found)


def determined_alike(rows: Filtered, other: Filtered) -> Filtered:
    """Rows of the sources of `other` by other conditions, kept to the unit that asks as those are."""
    inner = {source.alias for source in rows.made.sources}
    known = {(each.earlier.alias, each.later.alias) for each in rows.made.determined}
    outside = [each for each in other.made.determined if each.earlier.alias not in inner]
    return _kept(rows, tuple(each for each in outside if (each.earlier.alias, each.later.alias) not in known))


def _kept(rows: Filtered, found: tuple[Determination, ...]) -> Filtered:
    if not found:
        return rows
    notes = tuple(dict.fromkeys((*rows.made.notes, *(each.note for each in found))))
    made = replace(rows.made, determined=(*rows.made.determined, *found), notes=notes)
    tree = replace(rows.tree, where=(*rows.tree.where, *(each.condition for each in found)))
    return replace(rows, made=made, tree=tree)

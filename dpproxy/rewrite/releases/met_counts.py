"""COUNT(DISTINCT x) over rows that belong to two units each, where x settles one of both.

    SELECT count(DISTINCT q.id) FROM posts q JOIN posts a ON a.parent = q.id

is how many posts are met by others' rows: each counts once, whoever meets it, and as long as somebody does.

Checked by: tests/test_met_neighbours.py, tests/test_fixtures.py (rewrite/met.sql).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from dpproxy.catalog.types import Family
from dpproxy.plan.rows_met import RowsMet
from dpproxy.rewrite.calculus.relations import Joined, PairKey
from dpproxy.rewrite.calculus.ties import anchors, equal_cells, source_of
from dpproxy.rewrite.context import PlanningContext

_ONCE: Final = "dpproxy once"


@dataclass(frozen=True, slots=True)
class CountedOnce:
    """Rows of one side: by which column they are told apart, as it is written, and its family."""

    met: RowsMet
    column: exp.Column
    family: Family


def counted_rows(node: exp.Expr, joined: Joined, pair: PairKey, context: PlanningContext) -> CountedOnce | None:
    """What COUNT(DISTINCT x) [FILTER (…)] counts, where it is rows of one side that meet others, or whose values are
    added up `once`; None for all else.

    Claim: x is NULL in no row, and all rows with a value of it are of one unit of that side. Because: it is equal in
    every row to a column that names a row of it, or the unit itself (`ties.anchors`), of a source that is always there.
    """
    call = node.this if isinstance(node, exp.Filter) else node
    counted = call.this if isinstance(call, exp.Count) else None
    columns = counted.expressions if isinstance(counted, exp.Distinct) else []
    column = columns[0] if len(columns) == 1 else call.this.expressions[1] if is_once(call.this) else None
    side = _side(column, joined, pair, context) if isinstance(column, exp.Column) else None
    if side is None or not isinstance(column, exp.Column):
        return None
    return CountedOnce(RowsMet(side), column, context.total(column, joined.scope).fact.type.family)


def once(value: exp.Expr, key: exp.Column) -> exp.Expr:
    """In an aggregate: what a row has that the key names, which counts once however often the row is there."""
    return exp.Anonymous(this=_ONCE, expressions=[value.copy(), key.copy()])


def is_once(node: object) -> bool:
    """Whether it is made by `once`. No statement can have it: its name is no function's."""
    return isinstance(node, exp.Anonymous) and node.name == _ONCE


def has_once(node: exp.Expr) -> bool:
    """Whether an aggregate is of such."""
    return is_once((node.this if isinstance(node, exp.Filter) else node).this)


def of_each_row(node: exp.Expr) -> exp.Expr:
    """COUNT(DISTINCT x) [FILTER (…)] as how many rows meet one: COUNT(*) [FILTER (…)]; SUM(once(x)) as SUM(x)."""
    call = node.this if isinstance(node, exp.Filter) else node
    made: exp.Expr = exp.Count(this=exp.Star())
    if is_once(call.this):
        made = type(call)(this=call.this.expressions[0].copy())
    return exp.Filter(this=made, expression=node.expression.copy()) if isinstance(node, exp.Filter) else made


def _side(column: exp.Column, joined: Joined, pair: PairKey, context: PlanningContext) -> int | None:
    """Which of both units a value of the column settles; None: neither."""
    rowset, cell = joined.rowset, (column.table, column.name)
    alike = next((each for each in equal_cells(rowset.sources, rowset.edges, None) if cell in each), (cell,))
    for side, aliases in enumerate(pair.aliases):
        for other in alike:
            source = source_of(other, rowset.sources)
            own = source is not None and source.alias in aliases
            if own and source is not None and not source.nullable and anchors(other, source, context.catalog):
                return side
    return None

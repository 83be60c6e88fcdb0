"""What the walk refuses: rows of units where none may be.

Checked by: tests/test_fixtures.py (refuse/).
"""

from __future__ import annotations

from sqlglot import exp

from dpproxy.catalog.types import Family
from dpproxy.errors import DPProxyError, FeatureNotSupported, RowPerUnit, RowsOfUnits
from dpproxy.rewrite.calculus.aggregates_of import is_aggregating
from dpproxy.rewrite.calculus.grouped import settles_unit
from dpproxy.rewrite.calculus.relations import Joined
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.expressions.trees.position import position, start
from dpproxy.rewrite.reading.ctes import cte_of


def private_rows(query: exp.Query) -> RowsOfUnits:
    """The refusal of a statement that returns rows of single units."""
    return RowsOfUnits(
        "this statement would return rows of private tables",
        hint="Select aggregates: COUNT(*), SUM(x) or AVG(x), with GROUP BY for a row per group.",
        position=start(query),
    )


def returns_rows(select: exp.Select, outermost: exp.Query) -> bool:
    """Whether what a SELECT of rows of units has comes out of the statement, row by row."""
    rows, selects = {id(select)}, list(outermost.find_all(exp.Select))
    while more := {id(each) for each in selects if id(each) not in rows and _has_rows(each, rows)}:
        rows |= more
    return id(outermost) in rows


def _has_rows(select: exp.Select, rows: set[int]) -> bool:
    if is_aggregating(select) or select.args.get("distinct"):
        return False
    sources = [part.this for part in (select.args.get("from_"), *(select.args.get("joins") or [])) if part is not None]
    ctes = [cte_of(each) if isinstance(each, exp.Table) else each for each in sources]
    return any(each is not None and id(each.this) in rows for each in ctes)


def row_per_unit(select: exp.Select, rows: Joined, context: PlanningContext) -> RowPerUnit:
    """The refusal of a result with a row for each unit, or for even less."""
    keys = select.args["group"].expressions
    key = next(node for node in keys if settles_unit(node, rows, context))
    name = f'"{key.name}"' if isinstance(key, exp.Column) else f"the {rows.rowset.unit}'s key"
    return RowPerUnit(
        f"GROUP BY or DISTINCT {name} would give one row for each {rows.rowset.unit}, or several",
        hint="Group by a column that many share, or aggregate these rows once more: SELECT AVG(n) FROM (…) AS t.",
        position=position(key),
        shared=frozenset(place for place, node in enumerate(keys) if _is_shared(node, rows, context)),
    )


def _is_shared(node: exp.Expr, rows: Joined, context: PlanningContext) -> bool:
    """Whether a key is one that many units have: public, of values that all are known, a date, true or false."""
    if settles_unit(node, rows, context):
        return False
    public = {source.alias for source in rows.rowset.sources if source.relation.unit is None}
    columns = [column.table for column in node.find_all(exp.Column)]
    try:
        fact = context.total(node, rows.scope).fact
    except DPProxyError:
        return False
    known = fact.domain is not None or fact.type.family in (Family.DATE, Family.BOOLEAN)
    return bool(columns) and (known or public.issuperset(columns))


def refused_in_from(node: exp.Expr) -> FeatureNotSupported:
    """The refusal of what is no source of rows here."""
    return FeatureNotSupported(
        f"{type(node).__name__.upper()} is not supported in FROM together with private tables",
        hint="Select from tables of the policy, subqueries and CTEs.",
        position=position(node),
    )

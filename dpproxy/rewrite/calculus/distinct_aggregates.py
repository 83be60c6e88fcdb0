"""DISTINCT inside of an aggregate is left out where it changes nothing: SUM(DISTINCT orderkey) is SUM(orderkey)."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from dpproxy.catalog.policy import Catalog
from dpproxy.rewrite.calculus.aggregates_of import above, aggregates
from dpproxy.rewrite.calculus.relations import Joined

_DECIDED: Final = (exp.Min, exp.Max, exp.LogicalAnd, exp.LogicalOr)
"""What is the same however often a value is there."""


def without_distinct(select: exp.Select, joined: Joined, catalog: Catalog) -> dict[exp.Expr, exp.Expr]:
    """The aggregates of `select` that come to the same without DISTINCT, and each without it.

    Checked by: tests/test_fixtures.py.
    """
    found = [node for part in above(select) for node in aggregates(part)]
    return {node: made for node in found if (made := _without(node, joined, catalog)) is not None}


def _without(node: exp.Expr, joined: Joined, catalog: Catalog) -> exp.Expr | None:
    call = _call(node)
    distinct = call.this
    if not isinstance(distinct, exp.Distinct) or len(distinct.expressions) != 1 or distinct.args.get("on"):
        return None
    (value,) = distinct.expressions
    if not isinstance(call, _DECIDED) and not (isinstance(call, exp.AggFunc) and _is_once(value, joined, catalog)):
        return None
    made = node.copy()
    _call(made).set("this", value.copy())
    return made


def _call(node: exp.Expr) -> exp.Expr:
    """The aggregate itself, of one that may have a FILTER."""
    called: exp.Expr = node.this if isinstance(node, exp.Filter) else node
    return called


def _is_once(value: exp.Expr, joined: Joined, catalog: Catalog) -> bool:
    """Whether no two rows have the same value: a column that is proved unique, in the table's own rows."""
    sources = joined.rowset.sources
    if len(sources) != 1 or not isinstance(value, exp.Column) or sources[0].relation.table is None:
        return False
    origin = sources[0].relation.origins.get(value.name)
    return origin is not None and catalog.tables[origin[0]].proves_unique(origin[1])

"""Public rows that an outer join keeps although no private row meets them: what would have counted them says so.

They belong to no unit, and are dropped; a count of what is private is 0 of them anyway, but COUNT(*), and what reads
public columns alone, would have counted them.

Checked by: sql_fixtures/rewrite/from_clause.sql, tests/test_counted_nowhere.py.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from dpproxy.plan.notes import Beside
from dpproxy.rewrite.calculus.aggregates_of import AGGREGATES, above, aggregates
from dpproxy.rewrite.calculus.joins import From
from dpproxy.rewrite.calculus.ties import private_of


def told_where_counted(made: From, select: exp.Select) -> From:
    """The same FROM; its notes on dropped rows are told beside the answer where an aggregate reads nothing private."""
    if not made.notes:
        return made
    private = {source.alias for source, _ in private_of(made.sources)}
    found = (each for part in above(select) for each in aggregates(part) if _is_over_rows(each))
    if not any(private.isdisjoint(column.table for column in each.find_all(exp.Column)) for each in found):
        return made
    return replace(made, notes=tuple(map(Beside, made.notes)))


def _is_over_rows(node: exp.Expr) -> bool:
    return isinstance(node, AGGREGATES) and not isinstance(node, exp.Grouping)

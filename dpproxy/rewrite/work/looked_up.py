"""Queries in expressions of which an engine reads no more than what a row meets.

Checked by: tests/test_work.py.
"""

from __future__ import annotations

from sqlglot import exp

from dpproxy.rewrite.checker.syntax import bare, filtered
from dpproxy.rewrite.checker.tables import is_public, table_of
from dpproxy.rewrite.work.counted import Outer, WorkContext

_ROWS = frozenset({"kind", "hint", "expressions", "from_", "joins", "where"})


def is_looked_up(query: exp.Expr, outer: Outer, context: WorkContext) -> bool:
    """Whether the rows of EXISTS are found in a hash table, which is made of them once.

    Because: equalities alone tie it to the row that asks, as those of a join do, and the first row that is found is
    enough: such a join is made of it by each engine (a semi-join; in Postgres, a hashed subplan where it cannot be
    one). Where another condition is asked of what is found, all that has one value may be looked at: that is no such.
    """
    if type(query) is not exp.Select or any(value for name, value in query.args.items() if name not in _ROWS):
        return False
    asked = [part for part in filtered(query) if _reads(part, outer)]
    found = sum([len(_columns(part, outer)) for part in asked])
    return found == len(_columns(query, outer)) - _closed(query, outer, context) and all(
        _is_equality(part, outer) for part in asked
    )


def _closed(query: exp.Select, outer: Outer, context: WorkContext) -> int:
    """How many columns of derived tables have the names of what is around, which private ones do not see."""
    holders = [query.args.get("from_"), *(query.args.get("joins") or [])]
    nodes = [holder.this for holder in holders if holder is not None]
    derived = [node for node in nodes if type(node) is exp.Subquery and not is_public(node.this, context.catalog)]
    return sum(_reads(node, outer) for node in derived)


def reads_units_alone(query: exp.Expr, context: WorkContext) -> bool:
    """Whether all that stands in it are tables of private rows."""
    tables = list(query.find_all(exp.Table))
    known = all(node.db or node.name not in context.shared for node in tables)
    return (
        known
        and query.find(exp.Values, exp.Explode) is None
        and not any(table_of(node, context.catalog).public for node in tables)
    )


def _is_equality(part: exp.Expr, outer: Outer) -> bool:
    """Whether one side is of the row that asks alone, and the other of the query alone."""
    found = bare(part)
    if type(found) is not exp.EQ or found.find(exp.Subquery, exp.Exists) is not None:
        return False
    sides = [(_reads(side, outer), len(list(side.find_all(exp.Column)))) for side in (found.this, found.expression)]
    apart = all(of_outer in (0, columns) and columns for of_outer, columns in sides)
    return apart and sum(of_outer > 0 for of_outer, _ in sides) == 1


def _columns(node: exp.Expr, outer: Outer) -> list[exp.Column]:
    return [column for column in node.find_all(exp.Column) if column.table in outer]


def _reads(node: exp.Expr, outer: Outer) -> int:
    return len(_columns(node, outer))

"""Columns and parentheses: what stands for itself."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from dpproxy.errors import UndefinedColumn
from dpproxy.rewrite.expressions.facts.fact import Typed
from dpproxy.rewrite.expressions.intervals.durations import is_in_microseconds, of_microseconds
from dpproxy.rewrite.expressions.trees.position import position
from dpproxy.rewrite.expressions.trees.refusals import refused, unsupported
from dpproxy.rewrite.expressions.walk import Walk

_AROUND: Final = (
    "A derived table may ask of it in WHERE: anything where each row is by itself, equality where there are groups. "
    "Else join the rows before they are grouped: FROM p JOIN t ON t.key = p.key AND t.x > p.y GROUP BY …."
)


def column(node: exp.Expression, walk: Walk) -> Typed:
    """A column as the scope has it. Raises UndefinedColumn where it has none, FeatureNotSupported for one of a query
    around the one that is read."""
    table = str(node.args["table"].name) if node.args.get("table") else ""
    found = walk.scope.get((table, str(node.name)))
    if found is None and table and all(alias != table for alias, _ in walk.scope):
        raise refused(node, f'"{node.name}" of the query around this one cannot be read here', _AROUND)
    if found is None:
        raise UndefinedColumn(f'column "{node.name}" does not exist', position=position(node))
    read = Typed(_again(found.sql), found.fact)
    return of_microseconds(read) if is_in_microseconds(found.fact) else read


def _again(sql: exp.Expression) -> exp.Expression:
    """Another node for the same value: rules leave marks on theirs."""
    if type(sql) is exp.Column and not sql._meta:
        return exp.Column(this=sql.this, table=sql.args.get("table"))
    return sql.copy()


def parameter(node: exp.Expression, walk: Walk) -> Typed:
    """A parameter of the bounded statement, which the scope has as ("", "$n")."""
    found = walk.scope.get(("", f"${node.name}"))
    if found is None:
        raise unsupported(node, "Write abs(x) instead of @ x." if isinstance(node.this, exp.Var) else None)
    return Typed(found.sql.copy(), found.fact)


def parenthesis(node: exp.Expression, walk: Walk) -> Typed:
    """What is inside; parentheses are put where they are needed again."""
    return walk(node.this)

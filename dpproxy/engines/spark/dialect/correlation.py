"""Subqueries of an expression that read the row around them: Sail has those alone that do so in their own WHERE.

Spark has all of them. Which of both it is nobody knows before a query is sent, and then it is charged.

Checked by: tests/spark/test_spark_values.py.
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from dpproxy.engines.spark.dialect.flat_scalars import is_asked, outer_columns
from dpproxy.errors import FeatureNotSupported

_HINT: Final = "Join it: WITH t AS (SELECT k, avg(x) AS m FROM … GROUP BY k) SELECT … JOIN t USING (k) WHERE x > m."


def check_correlation(tree: exp.Expr) -> None:
    """Raises FeatureNotSupported for a subquery that is no aggregate, or reads the row around it from further down."""
    for query in tree.find_all(exp.Subquery, exp.Exists):
        if isinstance(query.parent, exp.From | exp.Join):
            continue
        outer = outer_columns(query.this)
        is_there = is_asked if isinstance(query, exp.Subquery) else _is_at
        further_down = not all(is_there(column, query.this) for column in outer)
        if outer and (further_down or (isinstance(query, exp.Subquery) and _has_rows(query))):
            raise FeatureNotSupported("the engine has no subquery that reads the row around it so", hint=_HINT)


def _is_at(column: exp.Column, query: exp.Expr) -> bool:
    return column.find_ancestor(exp.Select) is query


def _has_rows(query: exp.Expr) -> bool:
    """Whether it is no aggregate of all its rows, so that it may have several."""
    select = query.this
    if not isinstance(select, exp.Select) or select.args.get("group"):
        return True
    return not all(each.find(exp.AggFunc) for each in select.expressions)

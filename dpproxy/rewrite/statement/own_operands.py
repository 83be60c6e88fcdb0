"""Operands of an aggregate in a subquery, which say that it is of the subquery's own rows.

`(SELECT COUNT((SELECT COUNT(*) FROM departments)) FROM visits AS v WHERE v.person_id = p.person_id)` counts visits. By
the rule of SQL an aggregate whose operand reads columns of the rows around it alone is one of these, and engines differ
on what an operand with a query in it reads.

Checked by: sql_fixtures/rewrite/subqueries.sql.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from dpproxy.rewrite.algebra.nested import nested_in
from dpproxy.rewrite.expressions.facts.fact import Scope, Typed
from dpproxy.rewrite.expressions.trees.build import chosen
from dpproxy.rewrite.expressions.trees.steps import definition_of

_QUERY = "dpproxy query"


def reading_own(operand: Typed, own: Scope) -> Typed:
    """The operand, which reads a column of `own`, where it reads any: behind a condition that is always true."""
    columns = [column for typed in own.values() for column in typed.sql.find_all(exp.Column)]
    reads = {part.table if isinstance(part, exp.Column) else _QUERY for part in _leaves(operand.sql)}
    if not reads or reads & {column.table for column in columns}:
        return operand
    unknown = exp.Paren(this=exp.Is(this=columns[0].copy(), expression=exp.Null()))
    always = exp.Not(this=exp.Is(this=unknown, expression=exp.Null()))
    return Typed(chosen(always, operand.sql), operand.fact)


def _leaves(sql: exp.Expr) -> Iterator[exp.Expr]:
    """The columns and queries that it is computed from, by steps or not."""
    for part in sql.walk():
        if (step := definition_of(part)) is not None:
            yield from _leaves(step.value)
        elif isinstance(part, exp.Column) or nested_in(part) is not None:
            yield part

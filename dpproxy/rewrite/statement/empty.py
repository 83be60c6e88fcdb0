"""Statements that are empty whatever their tables hold: LIMIT 0, WHERE 1 = 0. Tools ask so for names and types.

Their private tables are replaced by relations of the same columns without rows. What is left is Public: it reads no
data, costs nothing, and runs in the front.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sqlglot import exp

from dpproxy.catalog.policy import Catalog, Table
from dpproxy.errors import FeatureNotSupported
from dpproxy.rewrite.calculus.aggregates_of import above, aggregates
from dpproxy.rewrite.calculus.order_and_limit import end_of
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.expressions import conjuncts
from dpproxy.rewrite.expressions.constants.literals import is_constant, value_of
from dpproxy.rewrite.expressions.trees.position import position

_CONSTANT = (exp.Literal, exp.Boolean, exp.Null, exp.Predicate, exp.Not, exp.Paren, exp.Neg)
_SETS = (exp.Tuple, exp.Rollup, exp.Cube, exp.GroupingSets)


def is_empty(query: exp.Expr, context: PlanningContext) -> bool:
    """Whether the words alone say that it has no row. False wherever that is not plain."""
    if _keeps_none(query):
        return True
    match query:
        case exp.Subquery():
            return is_empty(query.this, context)
        case exp.Select() if _never(query, "having", context):
            return True
        case exp.Select():
            return _never(query, "where", context) and not _has_a_row_of_nothing(query)
        case _:
            return False


def without_rows(tree: exp.Query, catalog: Catalog) -> exp.Query:
    """A copy of the tree with a relation without rows in the place of each private table.

    Claim: what comes out reads no private table. Because: each of the policy's is replaced by constants.
    Checked by: rewrite.checker.check_post, tests/clients/test_bi_tools.py. Raises FeatureNotSupported for whole rows.
    """
    for whole in tree.find_all(exp.TableColumn):
        raise FeatureNotSupported(
            "whole rows are not supported over private tables",
            hint=f"Write {whole.name}.*, or name the columns.",
            position=position(whole),
        )
    made = tree.copy()
    for table in list(made.find_all(exp.Table)):
        known = catalog.table(table.db, table.name) if table.db else None
        if known is not None and not known.public:
            table.replace(_of_columns(table, known))
    return made


def _keeps_none(query: exp.Expr) -> bool:
    """LIMIT 0, or FETCH FIRST 0 ROWS ONLY."""
    limit = query.args.get("limit")
    end = None if limit is None else end_of(limit)
    return isinstance(end, exp.Literal) and not end.is_string and end.name == "0"


def _never(select: exp.Select, clause: str, context: PlanningContext) -> bool:
    """Whether some condition of WHERE or HAVING is false, or NULL, as written."""
    around = select.args.get(clause)
    written = [part for part in conjuncts(around and around.this) if all(isinstance(n, _CONSTANT) for n in part.walk())]
    conditions = [context.condition(part, {}) for part in written]
    return any(is_constant(typed) and value_of(typed) is not True for typed in conditions)


def _has_a_row_of_nothing(select: exp.Select) -> bool:
    """Whether it makes a row of no rows, as COUNT(*) without GROUP BY does, and GROUP BY ()."""
    group = select.args.get("group")
    if group is None:
        order = select.args.get("order")
        ordered = order is not None and order.find(exp.AggFunc) is not None
        return ordered or select.args.get("having") is not None or any(map(aggregates, above(select)))
    kinds = {name for name, value in group.args.items() if value}
    return kinds != {"expressions"} or any(isinstance(node, _SETS) for node in group.expressions)


class _Named(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def type(self) -> object: ...


def nothing_of(columns: Sequence[_Named]) -> list[exp.Expression]:
    """CAST(NULL AS t) AS x of each column; its type may be any of Postgres's, and is told by its name."""
    return [
        exp.Alias(
            this=exp.Cast(this=exp.Null(), to=exp.DataType(this=exp.DataType.Type.USERDEFINED, kind=str(column.type))),
            alias=exp.to_identifier(column.name, quoted=True),
        )
        for column in columns
    ]


def _of_columns(table: exp.Table, known: Table) -> exp.Expr:
    """(SELECT CAST(NULL AS t) AS x, … WHERE FALSE) under the table's alias."""
    shown = [column for column in known.columns if not column.hidden]
    query = exp.Select(expressions=nothing_of(shown), where=exp.Where(this=exp.false()))
    return exp.Subquery(this=query, alias=table.args["alias"], joins=table.args.get("joins"))

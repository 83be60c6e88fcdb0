"""DuckDB: all trees are made for it, and are total as they stand."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB

from dpproxy.catalog.policy import TableColumn
from dpproxy.catalog.types import SqlType
from dpproxy.engines.dialects import Dialect

_WRITER = DuckDB()


def _as_it_is(tree: exp.Expression) -> exp.Expression:
    return tree


def _written(tree: exp.Expr) -> str:
    return _WRITER.generate(tree, copy=False)


def _untold(tree: exp.Expression, type_: SqlType) -> exp.Expression:
    return tree


def _read(column: TableColumn) -> exp.Expression | None:
    return None


def _held(column: TableColumn) -> SqlType:
    return column.type


def _is_a_number(column: TableColumn) -> bool:
    return False


def _digest_below(text: exp.Expression, digits: str) -> exp.Expression:
    digest = exp.SHA2(this=text, length=exp.Literal.number(256))
    return exp.LT(this=digest, expression=exp.Literal.string(digits))


def _has(kind: type[exp.Expression]) -> bool:
    return True


DIALECT = Dialect(
    "duckdb",
    _as_it_is,
    _written,
    _untold,
    _read,
    _held,
    _is_a_number,
    _digest_below,
    holds_nul=True,
    quick_when_small=False,
    pulls_up=False,
    bytes_of_text="strlen",
    wide=exp.DataType(this=exp.DataType.Type.INT128),
    has=_has,
)

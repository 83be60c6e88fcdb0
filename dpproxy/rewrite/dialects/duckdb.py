"""DuckDB: all trees are made for it, and are total as they stand."""

from __future__ import annotations

from sqlglot import exp

from dpproxy.catalog.model import Column
from dpproxy.catalog.types import SqlType
from dpproxy.rewrite.dialects.model import Dialect


def _as_it_is(tree: exp.Expression) -> exp.Expression:
    return tree


def _untold(tree: exp.Expression, type_: SqlType) -> exp.Expression:
    return tree


def _read(column: Column) -> exp.Expression | None:
    return None


def _held(column: Column) -> SqlType:
    return column.type


def _is_a_number(column: Column) -> bool:
    return False


DIALECT = Dialect("duckdb", _as_it_is, _untold, _read, _held, _is_a_number, holds_nul=True, quick_when_small=False)

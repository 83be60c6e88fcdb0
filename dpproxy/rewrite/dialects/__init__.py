"""What one engine needs differently: one file per engine, and nowhere else.

All passes make one tree, whose forms are total where floating point overflows to infinity. A `Dialect` says how that
tree becomes a text of its engine that is total there, too, and how a table's columns are read.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from dpproxy.catalog.model import Column
from dpproxy.rewrite.dialects import duckdb, postgres
from dpproxy.rewrite.dialects.model import Dialect

__all__ = ["Dialect", "dialect_of", "read", "text"]

_DIALECTS: Mapping[str, Dialect] = {each.name: each for each in (duckdb.DIALECT, postgres.DIALECT)}


def dialect_of(name: str) -> Dialect:
    """The dialect of that name. Raises KeyError for an engine that is not known."""
    return _DIALECTS[name]


def text(tree: exp.Expression, name: str) -> str:
    """The tree as a text of the engine."""
    return dialect_of(name).total(tree).sql(dialect=name)


def read(column: Column, name: str) -> exp.Expression | None:
    """How a scan reads the column; None: as it is."""
    return dialect_of(name).read(column)

"""What a dialect says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from dpproxy.catalog.model import Column
from dpproxy.catalog.types import SqlType


@dataclass(frozen=True, slots=True)
class Dialect:
    """An engine's dialect. name: sqlglot's.

    total: the tree that raises for no row in this engine, of one that raises for none in DuckDB; it may share nodes.
    typed: the tree of an item of a SELECT, which the engine holds in that type: a bare NULL may need to be told.
    read: how a scan reads a column, so that what `column_fact` says of it is true; None: as it is.
    held: the type in which it then has it. may_be_nan: whether it then is a numeric that may be NaN.
    holds_nul: whether its texts can hold the letter 0, which Postgres's cannot.
    quick_when_small: whether sums of INTEGER are much quicker than those of BIGINT, and clips of numerics than those of
    doubles made of them.
    """

    name: str
    total: Callable[[exp.Expression], exp.Expression]
    typed: Callable[[exp.Expression, SqlType], exp.Expression]
    read: Callable[[Column], exp.Expression | None]
    held: Callable[[Column], SqlType]
    may_be_nan: Callable[[Column], bool]
    holds_nul: bool
    quick_when_small: bool

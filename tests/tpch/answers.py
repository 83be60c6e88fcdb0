"""An answer beside the true one, cell by cell."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import duckdb

from tpch.queries import Query

Row = Sequence[Any]
MISSING = 1.0  # the relative error of every cell of a row that is not there, as if 0 had been said


@dataclass(frozen=True, slots=True)
class Compared:
    """cells: each number of the true answer, as (said, true); None was said where the row is not there, or NULL is.
    rows, found: how many rows the true answer has, and how many of them were said. beyond: rows that it has not."""

    cells: tuple[tuple[float | None, float], ...]
    rows: int
    found: int
    beyond: tuple[Row, ...]

    def errors(self) -> Iterator[float]:
        """The relative error of each cell."""
        for said, true in self.cells:
            yield MISSING if said is None else _relative(said, true)


def true_answer(connection: duckdb.DuckDBPyConnection, query: Query) -> list[Row]:
    """The query's own rows in the engine that holds the data."""
    return connection.execute(query.sql).fetchall()


def compared(query: Query, answer: Sequence[Row], truth: Sequence[Row]) -> Compared:
    """Rows are matched by their keys, so the order does not count."""
    said = {_key(row, query): row for row in answer}
    there = {_key(row, query): row for row in truth}
    cells = [cell for key, row in there.items() for cell in _cells(said.get(key), row, query)]
    beyond = tuple(row[query.keys :] for key, row in said.items() if key not in there)
    return Compared(tuple(cells), len(there), sum(key in said for key in there), beyond)


def _cells(said: Row | None, true: Row, query: Query) -> Iterator[tuple[float | None, float]]:
    for at in range(query.keys, len(true)):
        if isinstance(true[at], int | float | Decimal):
            yield None if said is None or said[at] is None else float(said[at]), float(true[at])


def _relative(said: float, true: float) -> float:
    if said == true:
        return 0.0
    return abs(said - true) / abs(true) if true else math.inf


def _key(row: Row, query: Query) -> tuple[Any, ...]:
    return tuple(float(each) if isinstance(each, int | float | Decimal) else each for each in row[: query.keys])

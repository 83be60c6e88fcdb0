"""The `values` of a column beside its rows: which of them no row has, and which others rows have.

Checked by: tests/test_check_data.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from dpproxy.catalog.policy import Table, TableColumn
from dpproxy.engines import Engine, Ticket, in_turn
from dpproxy.inspection.asked import asked
from dpproxy.rewrite.calculus.scans import engine_name, quoted
from dpproxy.rewrite.literals import literal
from dpproxy.rows import Value

_MOST_TOLD: Final = 10


@dataclass(frozen=True, slots=True)
class ListedValues:
    """A column's. absent: values of the policy that are in no row. others: what rows have beside them, as text, and in
    how many rows: the most frequent."""

    column: str
    absent: tuple[Value, ...]
    others: tuple[tuple[str, int], ...]

    @property
    def as_listed(self) -> bool:
        """Whether rows have these values, and no others."""
        return not self.absent and not self.others


async def see_values(engine: Engine, table: Table, seconds: float) -> tuple[ListedValues, ...]:
    """Look at all rows of a private table, for each column with values. Raises EngineFailure, EngineUnavailable."""
    found = []
    for column in table.columns:
        if column.values is not None and not column.hidden:
            queries = (asked(text, engine) for text in _texts(table, column, column.values))
            there, others = await engine.run(in_turn(*queries), Ticket(), seconds)
            places = {int(str(place)) for (place,) in there.rows}
            absent = tuple(value for place, value in enumerate(column.values) if place not in places)
            counted = tuple((str(text), int(str(rows))) for text, rows in others.rows)
            found.append(ListedValues(column.name, absent, counted))
    return tuple(each for each in found if not each.as_listed)


def _texts(table: Table, column: TableColumn, values: tuple[Value, ...]) -> Iterator[str]:
    """The places of the values that are there; then the others."""
    read, source = read_column(column), f"{engine_name(table)} AS t0"
    listed = ", ".join(map(written, values))
    cases = " ".join(f"WHEN {read} = {written(value)} THEN {place}" for place, value in enumerate(values))
    yield f"SELECT DISTINCT CAST(CASE {cases} END AS BIGINT) AS place FROM {source} WHERE {read} IN ({listed})"
    yield (
        f"SELECT CAST({read} AS TEXT) AS other, CAST(COUNT(*) AS BIGINT) AS n FROM {source}"
        f" WHERE {read} NOT IN ({listed}) GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {_MOST_TOLD}"
    )


def read_column(column: TableColumn) -> str:
    """A column of `t0`, of the type that the policy says."""
    own = f"t0.{quoted(column.name)}"
    return own if column.stored is None else f"CAST({own} AS {column.type})"


def written(value: Value) -> str:
    """A constant."""
    return literal(value).sql("postgres")

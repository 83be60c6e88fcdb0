"""What a policy says determines a row's unit beside the rows: values that rows of several units have.

Checked by: tests/test_check_data.py.
"""

from __future__ import annotations

from dataclasses import dataclass

from dpproxy.catalog.policy import Table
from dpproxy.engines import Engine, Ticket, in_turn
from dpproxy.inspection.asked import asked
from dpproxy.rewrite.calculus.scans import quoted


@dataclass(frozen=True, slots=True)
class SharedValues:
    """Columns that determine the unit by the policy, and how many of their values are of several units."""

    columns: tuple[str, ...]
    values: int


async def see_shared(engine: Engine, table: Table, owned: tuple[str, str], seconds: float) -> tuple[SharedValues, ...]:
    """Look at all rows of a private table. owned: its unit's key, and the table joined with what leads there.

    Raises EngineFailure, EngineUnavailable.
    """
    texts = (_counting(columns, *owned) for columns in table.determines)
    counted = (
        await engine.run(in_turn(*(asked(text, engine) for text in texts)), Ticket(), seconds)
        if table.determines
        else ()
    )
    found = (
        SharedValues(columns, int(str(told.rows[0][0])))
        for columns, told in zip(table.determines, counted, strict=True)
    )
    return tuple(each for each in found if each.values)


def _counting(columns: tuple[str, ...], unit: str, source: str) -> str:
    names = ", ".join(f"t0.{quoted(column)}" for column in columns)
    known = " AND ".join(f"t0.{quoted(column)} IS NOT NULL" for column in columns)
    shared = f"SELECT 1 AS n FROM {source} WHERE {known} GROUP BY {names} HAVING COUNT(DISTINCT {unit}) > 1"
    return f"SELECT CAST(COUNT(*) AS BIGINT) FROM ({shared}) AS s"

"""How long an engine takes for a row operation: measured when it is opened, over rows that it makes itself.

A row operation (`rewrite.work`) is a row that goes through one relational operator with a few cheap expressions. No row
of the data is read for this, so what is measured tells of the machine alone.

Checked by: tests/test_engine_duckdb.py, tests/test_engine_postgres.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

RUNS: Final = 5
SECONDS: Final = 60.0
"""What a run of the text may take: whatever the limit of statements is."""
ROWS: Final = 50_000
_OPERATIONS: Final = 4  # of each row: made, computed, grouped, added up
_TEXT: Final = """SELECT count(*), CAST(sum(g.n) AS bigint)
FROM (SELECT t.i % 5000 AS k, CAST(sum(CASE WHEN t.i % 7 > 2 THEN t.i ELSE 0 END) AS bigint) AS n
      FROM {rows} GROUP BY 1) AS g"""


def text_over(rows: str, count: int = ROWS) -> str:
    """The text to run. rows: how the engine makes numbers, up to a place for how many, as the column i of t. count: as
    many as take longer than it takes to begin, whatever a query is."""
    return _TEXT.format(rows=rows.format(count))


def per_operation(seconds: Sequence[float], count: int = ROWS) -> float:
    """Seconds for one operation, from what some runs of the text took: the least, so that what else the machine did
    just then does not count."""
    return min(seconds) / (count * _OPERATIONS)

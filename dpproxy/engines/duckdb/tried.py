"""Types of DuckDB whose values a scan reads in another type, by TRY_CAST."""

from typing import Final

MOMENTS: Final = frozenset({"TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"})
"""Of which microseconds have not room for all."""

WHOLE: Final = frozenset({"TINYINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"})
"""On which arithmetic raises where Postgres's type of the same values would not: an error that depends on a row."""

TRIED: Final = MOMENTS | WHOLE

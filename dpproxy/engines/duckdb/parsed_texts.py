"""Texts that DuckDB has parsed: of a short one that is asked again, parsing is a good part of its time.

A parsed text knows nothing of any table: DuckDB copies it, and binds and plans the copy, whenever it is run.
Checked by: tests/test_engine_duckdb.py.
"""

from __future__ import annotations

from typing import Final

import duckdb
from duckdb import DuckDBPyConnection, Statement

MOST_TEXTS: Final = 64
MOST_CHARACTERS: Final = 4096
"""Of a text that is kept: with `MOST_TEXTS`, a few megabytes in all."""


class ParsedTexts:
    """Those of one engine; its threads share them. What was used longest ago is forgotten first."""

    def __init__(self) -> None:
        self._kept: dict[str, Statement] = {}

    def query(self, cursor: DuckDBPyConnection, text: str) -> Statement:
        """The one query that a text is. Raises ValueError for anything else than exactly one."""
        found = self._kept.pop(text, None) or _parsed(cursor, text)
        if len(text) <= MOST_CHARACTERS:
            self._kept[text] = found
            for oldest in list(self._kept)[:-MOST_TEXTS]:
                self._kept.pop(oldest, None)
        return found


def _parsed(cursor: DuckDBPyConnection, text: str) -> Statement:
    statements = cursor.extract_statements(text)
    if [statement.type for statement in statements] != [duckdb.StatementType.SELECT]:
        raise ValueError("exactly one query is expected")
    return statements[0]

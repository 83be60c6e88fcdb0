"""The statements of a folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import sqlglot
from sqlglot.errors import SqlglotError
from sqlglot.tokens import TokenType

SCHEMA = "schema.sql"


@dataclass(frozen=True, slots=True)
class Question:
    """A statement, and the file and place where it stands."""

    name: str
    sql: str


def questions(folder: Path) -> Iterator[Question]:
    """The statements of all files but the schema, in the order of their names."""
    for path in sorted(folder.glob("*.sql"), key=lambda each: (len(each.name), each.name)):
        if path.name != SCHEMA:
            parts = statements(path.read_text(errors="replace"))
            for number, sql in enumerate(parts, 1):
                yield Question(path.stem if len(parts) == 1 else f"{path.stem}:{number}", sql)


def statements(script: str) -> list[str]:
    """The statements of a script, `;` between them: not in literals, names or comments."""
    try:
        ends = [
            each.start for each in sqlglot.tokenize(script, read="postgres") if each.token_type is TokenType.SEMICOLON
        ]
    except SqlglotError:
        ends = []
    parts = [script[start:end] for start, end in zip([0, *(at + 1 for at in ends)], [*ends, len(script)], strict=True)]
    return [part.strip() for part in parts if part.strip()]

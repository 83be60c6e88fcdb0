"""Which released columns, and which of the analyst's own tables, a text of the engine reads."""

from __future__ import annotations

from itertools import pairwise

from sqlglot import TokenType, tokenize

from dpproxy.plan.model import OwnColumn, PublicColumn, ReleasedColumn


def inputs_of(sql: str, dialect: str) -> tuple[PublicColumn, ...]:
    """The released columns that a text reads, in order, and then the columns of own tables."""
    if "$r" not in sql and "$t" not in sql:
        return ()
    tokens = tokenize(sql, read=dialect)
    found = {
        name.text
        for mark, name in pairwise(tokens)
        if mark.token_type == TokenType.PARAMETER and mark.end + 1 == name.start
    }
    places = sorted((name[0], int(index), int(column)) for name in found for index, column in [name[1:].split("c")])
    return tuple(ReleasedColumn(i, column) if kind == "r" else OwnColumn(i, column) for kind, i, column in places)

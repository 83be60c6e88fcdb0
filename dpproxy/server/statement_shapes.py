"""Statements without what was written into them: the shape of a text, for the log."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any, Final

from postgast import PgQueryError, scan

from dpproxy.catalog.policy import Catalog
from dpproxy.catalog.views import VIEWS

MOST_CHARACTERS: Final = 2_000
UNREADABLE: Final = "(not read)"
_NO_KEYWORD: Final = 0
_OWN: Final = ("dp", "public", "pg_catalog", "epsilon", "delta")
# Operators, brackets, parameters: no letter and no digit of the analyst's own.
_MARKS: Final = re.compile(r"""[^\w\s"'$]+|\$[0-9]+""")


def statement_shape(sql: str, names: Collection[str]) -> str:
    """The text in one line with `?` for all but keywords, operators, names of functions, and these `names`.

    So literals and comments are gone, and so is what only looks like a name: WHERE surname = "Parks" is one error away
    from a literal.
    Claim: each word of it is one of SQL's, one of `names`, or stands before a bracket.
    Checked by: tests/test_operation.py::test_shapes.
    """
    raw = sql.encode()
    try:
        tokens = list(scan(sql).tokens)
    except PgQueryError:
        return UNREADABLE
    texts = [raw[each.start : each.end].decode() for each in tokens]
    return " ".join(_shown(tokens, texts, names))[:MOST_CHARACTERS]


def names_of(catalogs: Iterable[Catalog]) -> frozenset[str]:
    """Names of schemas, tables and columns that policies have."""
    tables = [table for catalog in catalogs for table in catalog.tables.values()]
    columns = [column.name for table in tables for column in table.columns]
    own = [column.name for view in VIEWS.values() for column in view]
    return frozenset([*_OWN, *VIEWS, *own, *columns, *(part for table in tables for part in table.name.split("."))])


def _shown(tokens: list[Any], texts: list[str], names: Collection[str]) -> Iterator[str]:
    for token, text, following in zip(tokens, texts, [*texts[1:], ""], strict=True):
        name = text[1:-1] if text.startswith('"') else text.lower()
        called = following == "(" and text.isidentifier()
        kept = token.keyword_kind != _NO_KEYWORD or _MARKS.fullmatch(text) or name in names or called
        yield text if kept else "?"

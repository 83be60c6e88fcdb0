"""Where a table or view is made that is named without a schema: in the analyst's own.

`public` comes first in the search path, because tools take the first schema for the one whose tables they show; nobody
can make anything there.

Checked by: tests/test_pipelined_names.py.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from dpproxy.session.postgres_parser import Parsed, Tree, parse
from dpproxy.session.quoting import quoted
from dpproxy.session.wrapping_statements import into_of

_NAMED: Final = {"CreateStmt": ("relation",), "ViewStmt": ("view",), "CreateTableAsStmt": ("into", "rel")}


def in_own_schema(parsed: Parsed, schema: str) -> tuple[Parsed, int]:
    """The statement with the schema before the name of what it makes, and how many characters that is; the statement
    itself if it makes nothing, or says where. Temporary ones have no schema."""
    made = _made(parsed)
    if made is None or "schemaname" in made or made.get("relpersistence") == "t" or "location" not in made:
        return parsed, 0
    at = parsed.position(made["location"]) - 1
    inserted = quoted(schema) + "."
    (again,) = parse(f"{parsed.sql[:at]}{inserted}{parsed.sql[at:]}")
    return replace(again, start=parsed.start + again.start), len(inserted)


def _made(parsed: Parsed) -> Tree | None:
    """The relation that a statement makes."""
    if parsed.kind == "SelectStmt":
        return into_of(parsed.body)
    made: Tree = parsed.body
    for key in _NAMED.get(parsed.kind, ()):
        made = made.get(key, {})
    return made if parsed.kind in _NAMED else None

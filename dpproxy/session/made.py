"""Where a table or view is made that is named without a schema: in the analyst's own.

`public` comes first in the search path, because tools take the first schema for the one whose tables they show; nobody
can make anything there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from dpproxy.session.parser import Parsed, Tree, parse

_NAMED: Final = {"CreateStmt": ("relation",), "ViewStmt": ("view",), "CreateTableAsStmt": ("into", "rel")}
_INTO: Final = ("intoClause", "rel")


def in_own_schema(parsed: Parsed, schema: str) -> tuple[Parsed, int]:
    """The statement with the schema before the name of what it makes, and how many characters that is; the statement
    itself if it makes nothing, or says where. Temporary ones have no schema."""
    path = _INTO if parsed.kind == "SelectStmt" and "intoClause" in parsed.body else _NAMED.get(parsed.kind, ())
    made: Tree = parsed.body
    for key in path:
        made = made.get(key, {})
    if not path or "schemaname" in made or made.get("relpersistence") == "t" or "location" not in made:
        return parsed, 0
    at = parsed.position(made["location"]) - 1
    inserted = '"' + schema.replace('"', '""') + '".'
    (again,) = parse(f"{parsed.sql[:at]}{inserted}{parsed.sql[at:]}")
    return replace(again, start=parsed.start + again.start), len(inserted)

"""What a name in FROM means: a table of the policy, one of the proxy's own, or the analyst's.

Checked by: tests/test_fixtures.py (rewrite/resolve.sql).
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from dpproxy.catalog.policy import Catalog
from dpproxy.catalog.views import VIEWS
from dpproxy.plan.private_plan import OwnTable

Meaning = tuple[str, str, tuple[str, ...]]
"""Schema, name, and the names of its columns."""


def written_name(table: exp.Table) -> str:
    """The name as it is written, with its schema if that is."""
    return f"{table.db}.{table.name}" if table.db else table.name


def meaning(
    table: exp.Table, catalog: Catalog, names: Mapping[str, str], own: Mapping[str, OwnTable]
) -> Meaning | None:
    """What the name of a table that is no query of WITH means, or None."""
    written = written_name(table)
    if written in own and "." not in table.db + table.name:  # else another table may be written alike
        mine = own[written]
        return mine.schema, mine.name, tuple(column.name for column in mine.columns)
    known = names.get(written)
    if known is None:
        return None
    space, _, relation = known.rpartition(".")
    if space == "dp" and known not in catalog.tables:
        return "dp", relation, tuple(column.name for column in VIEWS[relation])
    found = catalog.tables[known]
    return found.schema, relation, tuple(column.name for column in found.columns if not column.hidden)


def public_place(
    table: exp.Table, catalog: Catalog, names: Mapping[str, str], own: Mapping[str, OwnTable]
) -> tuple[str, str] | None:
    """Schema and name of a public table, or of one of the analyst's own; None for any other."""
    found = meaning(table, catalog, names, own)
    if found is None:
        return None
    known = catalog.known(found[0], found[1])
    is_public = found[0] != "dp" if known is None else known.public
    return found[:2] if is_public else None

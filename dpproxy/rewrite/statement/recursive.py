"""Recursive queries that stay with the front: over released rows, or within another query.

Checked by: tests/test_fixtures.py (rewrite/recursion.sql, refuse/recursion.sql).
"""

from __future__ import annotations

from sqlglot import exp

from dpproxy.catalog.policy import Catalog
from dpproxy.errors import FeatureNotSupported
from dpproxy.rewrite.expressions.trees.position import position


def recursive_rows(cte: exp.CTE, outermost: exp.Query, catalog: Catalog) -> FeatureNotSupported:
    """The refusal of a recursive query that would read private rows, or of rows that the engine would have to make."""
    known = [catalog.known(table.db or None, table.name) for table in cte.find_all(exp.Table) if table.db]
    first = outermost.args.get("with_")
    nested = cte.parent is not first and all(table is None or table.public for table in known)
    return FeatureNotSupported(
        f'the recursive query "{cte.alias}" cannot be combined with private rows'
        f"{' within another query' if nested else ''}",
        hint=f"Begin the whole statement with it: WITH RECURSIVE {cte.alias} AS (…) SELECT …."
        if nested
        else "Write it without RECURSIVE, level by level: each level a CTE that reads the one before.",
        position=position(cte.args["alias"]),
    )

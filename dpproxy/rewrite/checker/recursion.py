"""The text of a recursive query, whose rows the front works out and a release is told."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from dpproxy.catalog.policy import Catalog
from dpproxy.rewrite.checker.fault import require
from dpproxy.rewrite.checker.front_texts import front_query


def check_recursion(text: str, catalog: Catalog) -> None:
    """Claim: if nothing is raised, the rows that the front gives for the text do not depend on private rows.

    Because: it is one query, and each table in it is one of its WITH, or written with its schema and public, or none of
    the policy: no other table of the front holds private rows. Checked by: tests/test_checker.py.
    """
    tree = front_query(text, "a recursive query")
    for table in tree.find_all(exp.Table):
        if not isinstance(table.this, exp.Identifier):
            require(isinstance(table.this, exp.Unnest | exp.ExplodingGenerateSeries), "a function in FROM")
        elif not table.db:
            require(table.name in _queries_of_with(table), f"{table.name} is no query of WITH")
        else:
            require(table.db != "dp" and not table.db.startswith("dpproxy "), "a table of the proxy's own")
            known = catalog.known(table.db, table.name)
            require(known is None or known.public, f"a recursive query reads {table.name}")


def _queries_of_with(table: exp.Expr) -> Iterator[str]:
    """The names that WITH gives where the table stands: within a WITH that is not recursive, those that come before."""
    below: exp.Expr = table
    node = table.parent
    while node is not None:
        if isinstance(node, exp.With):
            names = [cte.alias for cte in node.expressions]
            before = next(index for index, cte in enumerate(node.expressions) if cte is below)
            yield from names if node.args.get("recursive") else names[:before]
        elif (with_ := node.args.get("with_")) is not None and with_ is not below:
            yield from (cte.alias for cte in with_.expressions)
        below, node = node, node.parent

"""Texts for the front, as trees.

Checked by: tests/test_checker.py, tests/test_checker_dag.py.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.dialects.postgres import Postgres
from sqlglot.errors import SqlglotError

from dpproxy.rewrite.checker.fault import CheckFault

_FRONT = Postgres()


def front_query(sql: str, what: str) -> exp.Query:
    """The one query that the text is. Raises CheckFault, in which it is called `what`, where it is none."""
    try:
        trees = _FRONT.parse(sql)
    except (SqlglotError, RecursionError) as fault:
        raise CheckFault(f"{what} does not parse: {type(fault).__name__}") from None
    tree = trees[0] if len(trees) == 1 else None
    if not isinstance(tree, exp.Query):
        raise CheckFault(f"{what} is not one query")
    return tree

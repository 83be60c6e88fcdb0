"""Texts for the front, as trees.

Checked by: tests/test_checker.py, tests/test_checker_dag.py.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.dialects.postgres import Postgres
from sqlglot.errors import SqlglotError

from dpproxy.kept_parsers import KeptParsers
from dpproxy.remembered import remembered
from dpproxy.rewrite.checker.fault import CheckFault

_FRONT = KeptParsers(Postgres())
_SHORT = 1_000  # characters; of longer texts no two questions have the same


def front_query(sql: str, what: str) -> exp.Query:
    """The one query that the text is. Raises CheckFault, in which it is called `what`, where it is none.

    Many questions leave the front the same to do, such as to call one number "count". Nobody changes such a tree.
    """
    try:
        trees = _remembered(sql) if len(sql) <= _SHORT else _parsed(sql)
    except (SqlglotError, RecursionError) as fault:
        raise CheckFault(f"{what} does not parse: {type(fault).__name__}") from None
    tree = trees[0] if len(trees) == 1 else None
    if not isinstance(tree, exp.Query):
        raise CheckFault(f"{what} is not one query")
    return tree


@remembered(64)
def _remembered(sql: str) -> list[exp.Expr | None]:
    return _parsed(sql)


def _parsed(sql: str) -> list[exp.Expr | None]:
    return _FRONT.trees(_FRONT.tokens(sql), sql)

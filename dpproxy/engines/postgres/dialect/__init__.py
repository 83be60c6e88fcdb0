"""Postgres's dialect.

forms    the total form of each node, and how columns are read
floats   of floating point, which overflows and underflows with an error; reach: how large numbers can be

Checked by: tests/test_expressions_in_postgres.py.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.dialects.postgres import Postgres

from dpproxy.engines.dialects import Dialect
from dpproxy.engines.postgres.dialect.forms import has, held, may_be_nan, read, total, typed

_WRITER = Postgres()


def _written(tree: exp.Expr) -> str:
    return _WRITER.generate(tree, copy=False)


DIALECT = Dialect(
    "postgres",
    total,
    _written,
    typed,
    read,
    held,
    may_be_nan,
    holds_nul=False,
    quick_when_small=True,
    pulls_up=True,
    bytes_of_text="octet_length",
    has=has,
)

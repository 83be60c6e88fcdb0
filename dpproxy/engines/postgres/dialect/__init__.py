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
from dpproxy.kept_parsers import KeptParsers

_WRITER = KeptParsers(Postgres())


def _written(tree: exp.Expr) -> str:
    return _WRITER.text(tree)


def _digest_below(text: exp.Expression, digits: str) -> exp.Expression:
    """Bytes are compared one by one, whatever the collation; the encoding is UTF-8 in each engine that is served."""
    encoded = exp.Anonymous(this="CONVERT_TO", expressions=[text, exp.Literal.string("UTF8")])
    digest = exp.SHA2Digest(this=encoded, length=exp.Literal.number(256))
    first = exp.Cast(this=exp.Literal.string(f"\\x{digits}"), to=exp.DataType(this=exp.DataType.Type.VARBINARY))
    return exp.LT(this=digest, expression=first)


def _hashed(key: exp.Expression) -> exp.Expression:
    text = exp.Cast(this=key, to=exp.DataType(this=exp.DataType.Type.TEXT))
    return exp.Anonymous(this="HASHTEXTEXTENDED", expressions=[text, exp.Literal.number(0)])


def _reworded(text: str) -> str:
    return text


DIALECT = Dialect(
    "postgres",
    total,
    _written,
    typed,
    read,
    held,
    may_be_nan,
    _reworded,
    _digest_below,
    _hashed,
    holds_nul=False,
    quick_when_small=True,
    endless_numerics=True,
    adds_in_doubles=False,
    groups_early=False,
    joins_norms=False,
    packs_counts=None,
    takes_elements=False,
    sees_clamps=False,
    pulls_up=True,
    mixes=None,
    bytes_of_text="octet_length",
    wide=exp.DataType(this=exp.DataType.Type.DECIMAL),
    has=has,
)

"""SQLite's dialect: a few nodes, as they stand but for their types and for what SQLite calls otherwise."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.dialects.sqlite import SQLite

from dpproxy.catalog.policy import TableColumn
from dpproxy.catalog.types import SqlType
from dpproxy.engines.dialects import Dialect
from dpproxy.errors import FeatureNotSupported

_NODES: frozenset[type[exp.Expr]] = frozenset(
    {
        *(exp.Column, exp.Identifier, exp.Literal, exp.Boolean, exp.Null, exp.Paren, exp.DataType, exp.Neg, exp.Star),
        *(exp.And, exp.Or, exp.Not, exp.Is, exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.In, exp.Between),
        *(exp.Case, exp.If, exp.Coalesce, exp.Nullif, exp.Cast, exp.Add, exp.Sub, exp.Least, exp.Greatest, exp.Count),
        *(exp.Length, exp.Upper, exp.Abs),
    }
)
_EXTREMES = {exp.Least: "LEAST", exp.Greatest: "GREATEST"}


def _total(tree: exp.Expression) -> exp.Expression:
    """Raises FeatureNotSupported for what SQLite has not."""
    for node in tree.walk():
        if type(node) not in _NODES:
            name = node.key.upper()
            raise FeatureNotSupported(f"the engine has no {name}", hint="It has LENGTH, UPPER and ABS, and no others.")
    return tree.copy()


def _written(tree: exp.Expr) -> str:
    for node in reversed(list(tree.walk())):  # the inner ones first
        named = _named(node)
        if named is not node:
            node.replace(named)
    return SQLite().generate(tree, copy=False)


def _named(node: exp.Expr) -> exp.Expr:
    """sqlglot would write MIN for LEAST, which is NULL where one side is, and INTEGER for BIGINT."""
    if type(node) in _EXTREMES:
        return exp.Anonymous(this=_EXTREMES[type(node)], expressions=[node.this, *node.expressions])
    if type(node) is exp.DataType and node.this is exp.DataType.Type.BIGINT:
        return exp.DataType(this=exp.DataType.Type.USERDEFINED, kind="BIGINT")
    return node


def _typed(tree: exp.Expression, _type: SqlType) -> exp.Expression:
    return tree


def _read(_column: TableColumn) -> exp.Expression | None:
    return None


def _held(column: TableColumn) -> SqlType:
    return column.type


def _may_be_nan(_column: TableColumn) -> bool:
    return False


def _digest_below(_text: exp.Expression, _digits: str) -> exp.Expression:
    raise FeatureNotSupported("the engine has no samples", hint="Leave TABLESAMPLE out.")


def _hashed(_key: exp.Expression) -> exp.Expression:
    raise FeatureNotSupported("the engine has no hashes", hint="Ask for rows of one kind of unit.")


def _reworded(text: str) -> str:
    return text


DIALECT = Dialect(
    "sqlite",
    _total,
    _written,
    _typed,
    _read,
    _held,
    _may_be_nan,
    _reworded,
    _digest_below,
    _hashed,
    holds_nul=False,
    quick_when_small=False,
    endless_numerics=False,
    adds_in_doubles=False,
    groups_early=False,
    joins_norms=False,
    packs_counts=None,
    takes_elements=False,
    sees_clamps=False,
    pulls_up=False,
    mixes=None,
    bytes_of_text="octet_length",
    wide=exp.DataType(this=exp.DataType.Type.BIGINT),
    has=_NODES.__contains__,
)

"""DuckDB: all trees are made for it, and are total as they stand."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB

from dpproxy.catalog.policy import TableColumn
from dpproxy.catalog.types import MOMENT, Family, SqlType
from dpproxy.engines.dialects import Dialect, Packing
from dpproxy.engines.duckdb.tried import TRIED
from dpproxy.kept_parsers import KeptParsers
from dpproxy.rewrite.expressions.trees.build import cast, column_of, datatype, held_when_read, presence

_WRITER = KeptParsers(DuckDB())


def _as_it_is(tree: exp.Expression) -> exp.Expression:
    return tree


def _written(tree: exp.Expr) -> str:
    return _WRITER.text(tree)


def _untold(tree: exp.Expression, type_: SqlType) -> exp.Expression:
    return tree


def _read(column: TableColumn) -> exp.Expression | None:
    """How a scan reads a column, so that what is known of its type holds; None: as it is.

    Claim: no row raises. Because: a moment in UTC is the same number; seconds and milliseconds that microseconds have
    no room for become NULL, where a cast would raise, or end the database; a wider type has all whole numbers of a
    narrow one; labels are texts; of other values it is told alone whether they are there. Checked by:
    tests/test_column_types.py.
    """
    plain = column_of(column.name)
    if column.type.family in (Family.OPAQUE, Family.INTERVAL):
        return presence(plain)
    stored = column.stored or ""
    if stored == MOMENT.name:
        return exp.AtTimeZone(this=plain, zone=exp.Literal.string("UTC"))
    if stored in TRIED:
        return exp.TryCast(this=plain, to=datatype(column.type))
    return cast(plain, column.type) if stored.startswith("ENUM(") else None


def _held(column: TableColumn) -> SqlType:
    return held_when_read(column.type)


def _is_a_number(column: TableColumn) -> bool:
    return False


def _digest_below(text: exp.Expression, digits: str) -> exp.Expression:
    digest = exp.SHA2(this=text, length=exp.Literal.number(256))
    return exp.LT(this=digest, expression=exp.Literal.string(digits))


def _hashed(key: exp.Expression) -> exp.Expression:
    """HASH has 64 bits without a sign."""
    hashed = exp.Anonymous(this="HASH", expressions=[key])
    rest = exp.Mod(this=hashed, expression=exp.Literal.number(2**63 - 1))
    return exp.Cast(this=rest, to=exp.DataType(this=exp.DataType.Type.BIGINT))


def _has(kind: type[exp.Expression]) -> bool:
    return True


def _reworded(text: str) -> str:
    return text


DIALECT = Dialect(
    "duckdb",
    _as_it_is,
    _written,
    _untold,
    _read,
    _held,
    _is_a_number,
    _reworded,
    _digest_below,
    _hashed,
    holds_nul=True,
    quick_when_small=False,
    endless_numerics=False,
    adds_in_doubles=False,
    groups_early=True,
    joins_norms=True,
    packs_counts=Packing.BITS,
    takes_elements=True,
    sees_clamps=True,
    pulls_up=False,
    mixes="HASH",
    bytes_of_text="strlen",
    wide=exp.DataType(this=exp.DataType.Type.INT128),
    has=_has,
)

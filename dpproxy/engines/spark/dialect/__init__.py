"""Spark's dialect, which is Sail's, too: texts are compared byte by byte, and what has no form is refused by name.

forms        which nodes of an expression it has, and of which values
regexes      regular expressions without a matcher
days_in_texts   those of days and moments
flat_scalars scalar subqueries of an expression, as far as they can be written so that Sail plans them
correlation  which subqueries of an expression it has
writing      a whole tree in its words

Checked by: tests/spark/test_spark_values.py.
"""

from __future__ import annotations

import math

from sqlglot import exp, parse_one

from dpproxy.catalog.policy import TableColumn
from dpproxy.catalog.types import DOUBLE, MOMENT, TIMESTAMP, Family, SqlType
from dpproxy.engines.dialects import Dialect, Packing
from dpproxy.engines.spark.dialect.forms import TYPE, VALUES, total
from dpproxy.engines.spark.dialect.writing import widest, written
from dpproxy.rewrite.expressions.trees.build import cast, chosen, column_of, computed, held_when_read, presence
from dpproxy.rewrite.expressions.trees.steps import named


def _typed(tree: exp.Expression, type_: SqlType) -> exp.Expression:
    """A NULL of its type: by itself it has none. A double without NaN and -0.0, of which Sail makes several groups."""
    if isinstance(tree, exp.Null):
        return cast(tree, type_)
    return _as_key(tree) if type_ == DOUBLE else tree


def _as_key(number: exp.Expression) -> exp.Expression:
    value = named(number)
    least, most, zero = (cast(exp.Literal.string(repr(each)), DOUBLE) for each in (-math.inf, math.inf, 0.0))
    among = exp.Between(this=value, low=least, high=most)
    return chosen(among, computed(exp.Add, value.copy(), zero, DOUBLE))


def _read(column: TableColumn) -> exp.Expression | None:
    """How a scan reads a column; None: as it is. A moment is read in UTC, which each session has."""
    plain = column_of(column.name)
    if column.stored == MOMENT.name:
        return cast(plain, TIMESTAMP)
    return presence(plain) if column.type.family in (Family.OPAQUE, Family.INTERVAL) else None


def _held(column: TableColumn) -> SqlType:
    return held_when_read(column.type)


def _is_a_number(column: TableColumn) -> bool:
    return False


def _digest_below(text: exp.Expression, digits: str) -> exp.Expression:
    digest = exp.SHA2(this=text, length=exp.Literal.number(256))
    return exp.LT(this=digest, expression=exp.Literal.string(digits))


def _hashed(key: exp.Expression) -> exp.Expression:
    return exp.Anonymous(this="XXHASH64", expressions=[exp.Cast(this=key, to=exp.DataType(this=TYPE.TEXT))])


def _reworded(text: str) -> str:
    tree = parse_one(text, read="postgres")
    for kind in list(tree.find_all(exp.DataType)):
        if kind.this is TYPE.TIMESTAMP:
            kind.set("this", TYPE.TIMESTAMPNTZ)
    return str(tree.sql("spark"))


DIALECT = Dialect(
    "spark",
    total,
    written,
    _typed,
    _read,
    _held,
    _is_a_number,
    _reworded,
    _digest_below,
    _hashed,
    mixes=None,
    holds_nul=True,
    quick_when_small=True,
    endless_numerics=False,
    adds_in_doubles=True,
    groups_early=False,
    joins_norms=False,
    packs_counts=Packing.COLUMNS,
    takes_elements=False,
    sees_clamps=False,
    pulls_up=False,
    bytes_of_text="octet_length",
    wide=widest(),
    has=VALUES.__contains__,
)

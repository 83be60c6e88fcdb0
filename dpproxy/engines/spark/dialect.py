"""Spark's dialect: whole numbers, numerics of few digits, dates, booleans and texts, which are compared byte by byte.

What is not listed is refused by name: nothing is passed on that was not tried with extreme values. There is no floating
point: Spark cuts off where others round, Sail rounds another way than Spark, and has a NaN below all numbers, too.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.dialects.spark import Spark

from dpproxy.catalog.policy import TableColumn
from dpproxy.catalog.types import Family, SqlType
from dpproxy.engines.dialects import Dialect
from dpproxy.errors import FeatureNotSupported
from dpproxy.rewrite.expressions.trees.build import HELD, cast, held_when_read, presence
from dpproxy.rewrite.expressions.trees.steps import definition_of

MOST_DIGITS = 18
"""Of a numeric's type: with what `_ROOM` allows beside it, products stay below 38 digits, where Spark cuts places."""
_ROOM = 17
_WRITER = Spark()
_TYPE = exp.DataType.Type
_WHOLE = frozenset({_TYPE.SMALLINT, _TYPE.INT, _TYPE.BIGINT})
_TYPES = _WHOLE | {_TYPE.DECIMAL, _TYPE.DOUBLE, _TYPE.TEXT, _TYPE.BOOLEAN, _TYPE.DATE}
_WHOLE_NAMES = frozenset({"smallint", "integer", "bigint"})
_CAST_FROM = {
    **dict.fromkeys(_WHOLE, _WHOLE_NAMES | {"numeric", "boolean"}),
    _TYPE.DECIMAL: _WHOLE_NAMES | {"numeric"},
}
_ARITHMETIC = frozenset({exp.Add, exp.Sub, exp.Mul})
_CONSTANTS = (exp.Literal, exp.Null, exp.Neg)
_OWN = (*_CONSTANTS, exp.Least, exp.Ceil, exp.Floor, exp.Column)
"""What dpproxy itself casts to whole numbers around expressions: whole numbers all of them."""
_VALUES: frozenset[type[exp.Expr]] = frozenset(
    {
        *(exp.Column, exp.Identifier, exp.Literal, exp.Boolean, exp.Null, exp.Paren, exp.Neg, exp.Abs, exp.Var),
        *(exp.DataType, exp.DataTypeParam, exp.Cast, exp.Star, exp.Tuple, exp.Count, exp.Sum, exp.Min, exp.Max),
        *(exp.And, exp.Or, exp.Not, exp.Is, exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.In, exp.Between),
        *(exp.NullSafeEQ, exp.NullSafeNEQ),
        *(exp.Case, exp.If, exp.Coalesce, exp.Nullif, exp.Least, exp.Greatest, exp.Length, *_ARITHMETIC),
    }
)
_AROUND: frozenset[type[exp.Expr]] = frozenset(
    {
        *(exp.Select, exp.From, exp.Where, exp.Join, exp.Table, exp.TableAlias, exp.Alias, exp.Subquery, exp.Group),
        *(exp.GroupingSets, exp.Order, exp.Ordered, exp.Window, exp.RowNumber, exp.Distinct, exp.Exists, exp.Limit),
        *(exp.DenseRank, exp.Rank),
        *(exp.Union, exp.Intersect, exp.Except, exp.MD5, exp.DPipe, exp.StrPosition, exp.Chr, exp.Ln, exp.Ceil),
        *(exp.Floor, exp.Sqrt, exp.Div, exp.Having, exp.Round),
    }
)
"""What dpproxy itself writes around expressions: steps, limits and norms."""
_HINT = (
    "It has comparisons, CASE, COALESCE, NULLIF, LEAST, GREATEST, LENGTH, ABS, COUNT, SUM, AVG, and + - * of whole"
    " numbers, or of a numeric and a constant."
)


def _total(tree: exp.Expression) -> exp.Expression:
    """The tree as it stands, where Spark raises for no row that DuckDB does not raise for, and has the same value.

    Claim: its values are DuckDB's, and none raises. Because: each node here is computed in types that have the room
    that is proved in DuckDB's; a cast is of what it is marked as, and rounds (`_written`); no other node is let
    through. Checked by: tests/spark/test_spark_values.py.
    """
    room = _ROOM
    for node in _nodes(tree):
        kind, held = type(node), node.meta_get(HELD)
        if kind not in _VALUES:
            raise _refused(kind.__name__)
        if kind in _ARITHMETIC and held not in _WHOLE_NAMES:
            room -= _digits_beside(node, held)
        if kind is exp.Cast:
            _check_cast(node, held)
        if kind is exp.DataType and node.this is _TYPE.DOUBLE:
            raise _refused("floating point")
        if kind is exp.Sum and held not in (None, *_WHOLE_NAMES):
            raise _refused("Sum of what is no whole number")
    if room < 0:
        raise _refused("arithmetic of numerics with so many digits")
    return tree


def _nodes(tree: exp.Expression) -> Iterator[exp.Expr]:
    """All of them, and those that steps hold in their place."""
    for node in tree.walk(prune=lambda each: definition_of(each) is not None):
        definition = definition_of(node)
        yield from (node,) if definition is None else _nodes(definition.value)


def _digits_beside(node: exp.Expr, held: object) -> int:
    """By how many digits a numeric grows that is added to, or multiplied with, a constant."""
    constants = [side for side in (node.this, node.expression) if _is_constant(side)]
    if held != "numeric" or not constants:
        raise _refused(f"{type(node).__name__} of what is no whole number, nor a numeric and a constant")
    return sum(len(literal.name) for side in constants for literal in side.find_all(exp.Literal))


def _is_constant(node: exp.Expr) -> bool:
    while isinstance(node, exp.Paren | exp.Neg | exp.Cast):
        node = node.this
    return isinstance(node, exp.Literal)


def _check_cast(node: exp.Expr, held: object) -> None:
    """A constant, whose text was read before; or what is marked as of a type that casts alike."""
    to = node.args["to"].this
    if _is_constant(node.this) or isinstance(node.this, exp.Null):
        if to is _TYPE.DATE and node.this.name.endswith("infinity"):
            raise _refused("infinite DATE")
    elif held not in _CAST_FROM.get(to, ()):
        raise _refused(f"CAST of such a value as {to.name}")


def _refused(what: str) -> FeatureNotSupported:
    return FeatureNotSupported(f"the engine has no {what} yet", hint=_HINT)


def _written(tree: exp.Expr) -> str:
    """Sums are added up in 38 digits: those of BIGINT would pass their type, and raise. A cast of a numeric to a whole
    number would cut off: it is rounded before."""
    for node in tree.walk():
        if type(node) not in _VALUES and type(node) not in _AROUND:
            raise _refused(type(node).__name__)
        if type(node) is exp.DataType and node.this not in _TYPES:
            raise _refused(str(node.this.name))
    for node in list(tree.find_all(exp.LT)):
        if _is_nan(node.expression):
            node.replace(exp.Not(this=exp.Is(this=node.this, expression=exp.Null())))
    for node in list(tree.find_all(exp.Cast)):
        _round_before(node)
    for node in tree.find_all(exp.Sum):
        node.set("this", exp.Cast(this=node.this, to=_widest()))
    return _WRITER.generate(tree, copy=False)


def _round_before(node: exp.Expr) -> None:
    to, inner, held = node.args["to"], node.this, node.meta_get(HELD)
    if to.this in _WHOLE and held == "numeric":
        node.set("this", exp.Round(this=inner))
    elif to.this in _WHOLE and held is None and not isinstance(inner, _OWN):
        raise _refused("CAST of such a value")


def _is_nan(node: exp.Expr) -> bool:
    """NaN of a numeric, of which there is none: any number is below it. Beside a double, Sail would make that a
    numeric."""
    number = isinstance(node, exp.Cast) and node.args["to"].this is _TYPE.DECIMAL
    return number and isinstance(node.this, exp.Literal) and node.this.name == "NaN"


def _widest() -> exp.DataType:
    digits = [exp.DataTypeParam(this=exp.Literal.number(number)) for number in (38, 0)]
    return exp.DataType(this=_TYPE.DECIMAL, expressions=digits)


def _typed(tree: exp.Expression, type_: SqlType) -> exp.Expression:
    """A NULL of its type: by itself it has none."""
    return cast(tree, type_) if isinstance(tree, exp.Null) else tree


def _read(column: TableColumn) -> exp.Expression | None:
    """How a scan reads a column; None: as it is."""
    plain = exp.column(exp.to_identifier(column.name, quoted=True))
    return presence(plain) if column.type.family in (Family.OPAQUE, Family.INTERVAL) else None


def _held(column: TableColumn) -> SqlType:
    return held_when_read(column.type)


def _is_a_number(column: TableColumn) -> bool:
    return False


def _digest_below(_text: exp.Expression, _digits: str) -> exp.Expression:
    raise FeatureNotSupported("the engine has no samples yet", hint="Leave TABLESAMPLE out.")


def _hashed(_key: exp.Expression) -> exp.Expression:
    raise FeatureNotSupported("the engine has no numbers of units yet", hint="Ask for rows of one kind of unit.")


DIALECT = Dialect(
    "spark",
    _total,
    _written,
    _typed,
    _read,
    _held,
    _is_a_number,
    _digest_below,
    _hashed,
    mixes=None,
    holds_nul=True,
    quick_when_small=True,
    pulls_up=False,
    bytes_of_text="octet_length",
    wide=_widest(),
    has=_VALUES.__contains__,
)

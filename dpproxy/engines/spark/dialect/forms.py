"""What Spark has a form of: each node of an expression that it lets through was tried with extreme values.

The trees raise for no row in DuckDB. Spark in ANSI mode raises for more, and Sail for other things than Spark: what is
not listed is refused by name. Numbers of a numeric and of floating point are never beside each other: Sail would make
numerics of both.

Checked by: tests/spark/test_spark_values.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Final

from sqlglot import exp

from dpproxy.catalog.types import BIGINT, DATE, DOUBLE
from dpproxy.errors import FeatureNotSupported
from dpproxy.rewrite.expressions.trees.build import HELD
from dpproxy.rewrite.expressions.trees.steps import definition_of

MOST_DIGITS: Final = 18
"""Of a numeric's type: with what `_ROOM` allows beside it, products stay below 38 digits, where Spark cuts places."""
_ROOM: Final = 17
TYPE = exp.DataType.Type
WHOLE: Final = frozenset({TYPE.SMALLINT, TYPE.INT, TYPE.BIGINT})
_WHOLE_NAMES: Final = frozenset({"smallint", "integer", "bigint"})
_FLOAT: Final = DOUBLE.name
_NUMBERS: Final = _WHOLE_NAMES | {"numeric", _FLOAT}
_CAST_FROM: Final[Mapping[exp.DType, frozenset[str]]] = {
    **dict.fromkeys(WHOLE, _NUMBERS | {"boolean"}),
    TYPE.DECIMAL: _WHOLE_NAMES | {"numeric"},
}
_FROM_ANY: Final = (TYPE.DATE, TYPE.TIMESTAMP, TYPE.DOUBLE)
"""No text is cast, since none matches a pattern here: moments to days and back, and numbers to floating point."""
_OPERATORS: Final = (exp.Add, exp.Sub, exp.Mul)
_CONSTANTS: Final = (exp.Literal, exp.Null, exp.Neg)
_FIELDS: Final = frozenset({"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "DOY", "HOUR", "MINUTE"})
"""Those that Spark and Sail count alike."""
_UNITS: Final = frozenset({"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"})
OWN: Final = (exp.Literal, exp.Null, exp.Neg, exp.Least, exp.Ceil, exp.Floor, exp.Extract, exp.Length)
"""What dpproxy itself casts to whole numbers around expressions: whole numbers all of them."""
SHORT: Final = (exp.Upper, exp.Lower, exp.Literal)
CUT: Final = (exp.Column, exp.Substring, exp.Left, exp.Right, exp.Trim)
"""Texts of some length, whatever they are made of; and those that may be as long as a column's."""
VALUES: Final[frozenset[type[exp.Expr]]] = frozenset(
    {
        *(exp.Column, exp.Identifier, exp.Literal, exp.Boolean, exp.Null, exp.Paren, exp.Neg, exp.Abs, exp.Var),
        *(exp.DataType, exp.DataTypeParam, exp.Cast, exp.Star, exp.Tuple, exp.Count, exp.Sum, exp.Min, exp.Max),
        *(exp.And, exp.Or, exp.Not, exp.Is, exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.In, exp.Between),
        *(exp.NullSafeEQ, exp.NullSafeNEQ),
        *(exp.Case, exp.If, exp.Coalesce, exp.Nullif, exp.Least, exp.Greatest, exp.Length, *_OPERATORS),
        *(exp.IntDiv, exp.Mod, exp.Div, exp.Floor, exp.Ceil, exp.Round, exp.Sqrt, exp.Ln),
        *(exp.Upper, exp.Lower, exp.Substring, exp.Left, exp.Right, exp.Trim, exp.Like, exp.ILike, exp.StartsWith),
        *(exp.Extract, exp.TimestampTrunc),
    }
)


def total(tree: exp.Expression) -> exp.Expression:
    """The tree as it stands, where Spark raises for no row that DuckDB does not raise for.

    Claim: none raises, as `writing` writes it. Because: each node here is computed in types that have the room that is
    proved in DuckDB's; floating point has infinities and NaN, and is divided by what is not 0; a cast is of what it is
    marked as, and rounds; no other node is let through. Checked by: tests/spark/test_spark_values.py.
    """
    room = _ROOM
    for node in _nodes(tree):
        kind, held = type(node), node.meta_get(HELD)
        if kind not in VALUES and not _is_share(node):
            raise refused(kind.__name__)
        if kind in _OPERATORS and held not in (*_WHOLE_NAMES, _FLOAT) and not _is_day_moved(node, held):
            room -= _digits_beside(node, held)
        if kind in _RULES:
            _RULES[kind](node, held)
    if room < 0:
        raise refused("arithmetic of numerics with so many digits")
    return tree


def _nodes(tree: exp.Expression) -> Iterator[exp.Expr]:
    """All of them, and those that steps hold in their place."""
    for node in tree.walk(prune=lambda each: definition_of(each) is not None):
        definition = definition_of(node)
        yield from (node,) if definition is None else _nodes(definition.value)


def _is_share(node: exp.Expr) -> bool:
    """Whether it is a sum over all rows of a partition, without an order: of a unit's rows, say."""
    return isinstance(node, exp.Window) and isinstance(node.this, exp.Sum) and not node.args.get("order")


def is_moved(node: exp.Expr) -> bool:
    """Whether it is a whole number less another one."""
    return isinstance(node, exp.Sub) and node.meta_get(HELD) == BIGINT.name


def _is_day_moved(node: exp.Expr, held: object) -> bool:
    """Whether it is a date and a number of days, or the days between two dates."""
    return held == DATE.name


def is_apart(node: exp.Expr) -> bool:
    """Whether it is the days between two dates: a date is moved by what is cast to INTEGER."""
    by = node.expression
    moved = isinstance(by, exp.Cast) and by.args["to"].this is TYPE.INT
    return isinstance(node, exp.Sub) and node.meta_get(HELD) == DATE.name and not moved


def _digits_beside(node: exp.Expr, held: object) -> int:
    """By how many digits a numeric grows that is added to, or multiplied with, a constant."""
    constants = [side for side in (node.this, node.expression) if is_constant(side)]
    if held != "numeric" or not constants:
        raise refused(f"{type(node).__name__} of what is no number, nor a numeric and a constant")
    return sum(len(literal.name) for side in constants for literal in side.find_all(exp.Literal))


def is_constant(node: exp.Expr) -> bool:
    """Whether it is a constant, perhaps cast."""
    while isinstance(node, exp.Paren | exp.Neg | exp.Cast):
        node = node.this
    return isinstance(node, exp.Literal)


def _written_number(node: exp.Expr, held: object) -> None:
    """Beside one that a bigint has no room for, Spark 4.3 takes a comparison with NULL for true."""
    beyond = not node.is_string and abs(Decimal(node.name)) >= 2**63
    if beyond:
        raise refused("number of more than 64 bits")


def _whole_numbers(node: exp.Expr, held: object) -> None:
    """Quotients and rests of whole numbers."""
    if held not in _WHOLE_NAMES:
        raise refused(f"{type(node).__name__} of what is no whole number")


def _ratio(node: exp.Expr, held: object) -> None:
    """A quotient of doubles, by a constant or by what is NULL where it is 0 (`writing`)."""
    divisor = node.expression
    if held != _FLOAT or not (is_constant(divisor) or isinstance(divisor, exp.Nullif)):
        raise refused("Div of such numbers")


def _cast(node: exp.Expr, held: object) -> None:
    """A constant, whose text was read before; or what is marked as of a type that casts alike."""
    to = node.args["to"].this
    if is_constant(node.this) or isinstance(node.this, exp.Null):
        if to in (TYPE.DATE, TYPE.TIMESTAMP) and node.this.name.endswith("infinity"):
            raise refused("infinite DATE")
    elif to not in _FROM_ANY and not (isinstance(node.this, OWN) or is_moved(node.this) or is_apart(node.this)):
        if held in _CAST_FROM.get(to, ()):
            return
        raise refused(f"CAST of such a value as {to.name}")


def _added(node: exp.Expr, held: object) -> None:
    if held not in (None, *_WHOLE_NAMES):
        raise refused("Sum of what is no whole number")


def _rounded(node: exp.Expr, held: object) -> None:
    """To places before the point there are doubles, of numerics too; to some behind it numerics alone."""
    places = node.args.get("decimals")
    if places is not None and (held == _FLOAT and places.name != "0"):
        raise refused(f"{type(node).__name__} of floating point to places")


def _field(node: exp.Expr, held: object) -> None:
    if node.name.upper() not in _FIELDS:
        raise refused(f"EXTRACT of {node.name.upper()}")


def _truncated(node: exp.Expr, held: object) -> None:
    if node.args["unit"].name.upper() not in _UNITS:
        raise refused(f"DATE_TRUNC to {node.args['unit'].name.lower()}")
    if any(type(each) is exp.TimestampTrunc for each in _nodes(node.this)):
        raise refused("DATE_TRUNC of another one")


def _part(node: exp.Expr, held: object) -> None:
    """Letters by constant places, from the first one: Spark counts what is below from the end."""
    for name, least in (("start", 1), ("length", 0), ("expression", 0)):
        count = node.args.get(name)
        if count is not None and not (
            isinstance(count, exp.Literal) and count.name.isdecimal() and least <= int(count.name) < 2**31
        ):
            raise refused(f"{type(node).__name__} with such places")


def _pattern(node: exp.Expr, held: object) -> None:
    """A constant, in which nothing is escaped: Spark raises where a letter is that needs none."""
    if not isinstance(node.expression, exp.Literal) or "\\" in node.expression.name:
        raise refused(f"{type(node).__name__} of such a pattern")


def _letters(node: exp.Expr, held: object) -> None:
    """Of a column, whose texts are held to a length (`writing`), or of what is made of such."""
    if not isinstance(node.this, (*CUT, *SHORT)):
        raise refused(f"{type(node).__name__} of such a text")


def refused(what: str) -> FeatureNotSupported:
    """The refusal of what has no form."""
    return FeatureNotSupported(f"the engine has no {what} yet", hint=_HINT)


_HINT: Final = (
    "docs/engines/spark.md has what Spark has: comparisons, CASE, COALESCE, NULLIF, LEAST, GREATEST; ABS, FLOOR, CEIL,"
    " ROUND, SQRT, LN, + - * / %; LENGTH, UPPER, LOWER, SUBSTRING, LEFT, RIGHT, TRIM, LIKE; EXTRACT, DATE_TRUNC;"
    " COUNT, SUM, AVG."
)
_RULES: Final[Mapping[type[exp.Expr], Callable[[exp.Expr, object], None]]] = {
    exp.Literal: _written_number,
    exp.Cast: _cast,
    exp.Sum: _added,
    exp.IntDiv: _whole_numbers,
    exp.Mod: _whole_numbers,
    exp.Div: _ratio,
    exp.Round: _rounded,
    exp.Extract: _field,
    exp.TimestampTrunc: _truncated,
    exp.Substring: _part,
    exp.Left: _part,
    exp.Right: _part,
    exp.Like: _pattern,
    exp.ILike: _pattern,
    exp.Upper: _letters,
    exp.Lower: _letters,
}

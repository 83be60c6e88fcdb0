"""What Spark has a form of: each node of an expression that it lets through was tried with extreme values.

The trees raise for no row in DuckDB. Spark in ANSI mode raises for more, and Sail for other things than Spark: what is
not listed is refused by name. Numbers of a numeric and of floating point are never beside each other: Sail would make
numerics of both.

Checked by: tests/spark/test_spark_values.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Final

from sqlglot import exp

from dpproxy.catalog.types import BIGINT, DATE, DOUBLE, INTERVAL
from dpproxy.engines.spark.dialect import text_forms
from dpproxy.engines.spark.dialect.days_in_texts import DAYS, MOMENTS
from dpproxy.engines.spark.dialect.numbers_in_texts import PATTERNS
from dpproxy.engines.spark.dialect.refusals import bare, refused
from dpproxy.engines.spark.dialect.regexes import NotToldError, without_matcher
from dpproxy.engines.spark.dialect.replacing import replaced
from dpproxy.rewrite.expressions.trees.build import HELD
from dpproxy.rewrite.expressions.trees.position import note
from dpproxy.rewrite.expressions.trees.steps import definition_of

MOST_DIGITS: Final = 38
"""Of a numeric's type."""
TYPE = exp.DataType.Type
WHOLE: Final = frozenset({TYPE.SMALLINT, TYPE.INT, TYPE.BIGINT})
_WHOLE_NAMES: Final = frozenset({"smallint", "integer", "bigint"})
_FLOAT: Final = DOUBLE.name
_NUMBERS: Final = _WHOLE_NAMES | {"numeric", _FLOAT}
_CAST_FROM: Final[Mapping[exp.DType, frozenset[str]]] = {
    **dict.fromkeys(WHOLE, _NUMBERS | {"boolean"}),
    TYPE.DECIMAL: _WHOLE_NAMES | {"numeric"},
}
_FROM_ANY: Final = (TYPE.DATE, TYPE.TIMESTAMP, TYPE.DOUBLE, TYPE.TEXT)
"""Moments to days and back, numbers to floating point, and what has a text of its own, which is the same here: none of
floating point. Of texts those of whole numbers alone are read (`is_read`)."""
_OPERATORS: Final = (exp.Add, exp.Sub, exp.Mul)
_CONSTANTS: Final = (exp.Literal, exp.Null, exp.Neg)
_FIELDS: Final = frozenset({"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "DOY", "HOUR", "MINUTE"})
"""Those that Spark and Sail count alike."""
DAYS_OF_A_WEEK: Final = frozenset({"DOW", "ISODOW"})
"""Which they count in two ways: `writing` counts from a Monday."""
_SPANS: Final = frozenset({"MICROSECOND", "DAY", "MONTH"})
_FORMAT: Final = re.compile(r"(%[YmdHMS]|[-/:., ])+")
"""Of a moment's text: fields of digits alone, since names and signs are a locale's."""
_MOST_NODES: Final = 24
_UNITS: Final = frozenset({"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"})
_PLACES: Final = (exp.RowNumber, exp.Rank, exp.DenseRank, exp.Ntile)
RANKS: Final = (*_PLACES, exp.PercentRank, exp.CumeDist, exp.Lag, exp.Lead)
"""What there is of rows in an order alone."""
WINDOWS: Final[frozenset[type[exp.Expr]]] = frozenset(
    {
        *(exp.Window, exp.WindowSpec, exp.Order, exp.Ordered, *RANKS, exp.FirstValue, exp.LastValue),
    }
)
"""Over a unit's own rows: none raises, for constants that the rewriter leaves."""
OWN: Final = (
    *(exp.Literal, exp.Null, exp.Neg, exp.Least, exp.Ceil, exp.Floor, exp.Extract, exp.Length, exp.StrPosition),
    *(exp.DateDiff, exp.Sign),
)
"""What dpproxy itself casts to whole numbers around expressions: whole numbers all of them."""
OF_EXPRESSIONS: Final = "of an expression"
"""The mark of nodes that `writing` has another form of than where dpproxy itself writes them around expressions."""
_ALSO_AROUND: Final = (exp.DPipe, exp.StrPosition, exp.Window)
VALUES: Final[frozenset[type[exp.Expr]]] = frozenset(
    {
        *(exp.Column, exp.Identifier, exp.Literal, exp.Boolean, exp.Null, exp.Paren, exp.Neg, exp.Abs, exp.Var),
        *(
            exp.DataType,
            exp.DataTypeParam,
            exp.Cast,
            exp.Star,
            exp.Tuple,
            exp.Count,
            exp.Distinct,
            exp.Sum,
            exp.Min,
            exp.Max,
        ),
        *(exp.And, exp.Or, exp.Not, exp.Is, exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.In, exp.Between),
        *(exp.NullSafeEQ, exp.NullSafeNEQ),
        *(exp.Case, exp.If, exp.Coalesce, exp.Nullif, exp.Least, exp.Greatest, exp.Length, *_OPERATORS),
        *(exp.IntDiv, exp.Mod, exp.Div, exp.Floor, exp.Ceil, exp.Round, exp.Sqrt, exp.Ln),
        *(exp.Upper, exp.Lower, exp.Substring, exp.Left, exp.Right, exp.Trim, exp.Like, exp.ILike, exp.StartsWith),
        *(exp.Extract, exp.TimestampTrunc, exp.TimeToStr, exp.Interval, exp.DateDiff),
        *(
            exp.DPipe,
            exp.Concat,
            exp.ConcatWs,
            exp.Replace,
            exp.StrPosition,
            exp.MD5,
            exp.RegexpLike,
            exp.RegexpReplace,
        ),
        *(exp.Reverse, exp.Translate, exp.Pad, exp.SplitPart, exp.Repeat, exp.Escape),
        *(exp.Exp, exp.Cbrt, exp.Sin, exp.Cos, exp.Pow, exp.Log, exp.Sign),
    }
)


def total(tree: exp.Expression) -> exp.Expression:
    """The tree as it stands, where Spark raises for no row that DuckDB does not raise for.

    Claim: none raises, as `writing` writes it. Because: each node here is computed in types that have the room that is
    proved in DuckDB's; floating point has infinities and NaN, and is divided by what is not 0; a cast is of what it is
    marked as, and rounds; no other node is let through. Checked by: tests/spark/test_spark_values.py.
    """
    for node in _nodes(tree):
        kind, held = type(node), node.meta_get(HELD)
        if kind not in VALUES and kind not in WINDOWS:
            raise refused(kind.__name__)
        if kind in _OPERATORS and not _is_computed(node, held):
            raise refused(f"{kind.__name__} of what is no number")
        if kind in _ALSO_AROUND:
            note(node, {OF_EXPRESSIONS: True})
        if kind in _RULES:
            _RULES[kind](node, held)
    return tree


_MATCHER: Final = "such regular expression, whose matcher may be endless on one row's text,"


def _is_computed(node: exp.Expr, held: object) -> bool:
    """Whether it is of numbers, of dates and days, or of a moment and an interval that is a constant."""
    moved = type(node) is exp.Add and held == INTERVAL.name and isinstance(node.expression, exp.Interval)
    return moved or held in (*_NUMBERS, DATE.name)


def is_place(node: exp.Expr) -> bool:
    """Whether it is a place in an order, in a window of an expression: INT in Spark."""
    return isinstance(node, exp.Window) and bool(node.meta_get(OF_EXPRESSIONS)) and isinstance(node.this, _PLACES)


def _nodes(tree: exp.Expression) -> Iterator[exp.Expr]:
    """All of them, and those that steps hold in their place."""
    for node in tree.walk(prune=lambda each: definition_of(each) is not None):
        definition = definition_of(node)
        yield from (node,) if definition is None else _nodes(definition.value)


def is_moved(node: exp.Expr) -> bool:
    """Whether it is a whole number less another one."""
    return isinstance(node, exp.Sub) and node.meta_get(HELD) == BIGINT.name


def is_apart(node: exp.Expr) -> bool:
    """Whether it is the days between two dates: a date is moved by what is cast to INTEGER."""
    by = node.expression
    moved = isinstance(by, exp.Cast) and by.args["to"].this is TYPE.INT
    return isinstance(node, exp.Sub) and node.meta_get(HELD) == DATE.name and not moved


def is_whole(node: exp.Expr) -> bool:
    """Whether it is one of dpproxy's own whole numbers: a difference of such or of days, or a place in an order."""
    return is_moved(node) or is_apart(node) or is_place(node)


def is_read(node: exp.Expr) -> bool:
    """Whether it is a text read as a number, a day or a moment, where it is one by its letters."""
    to, choice = node.args["to"], node.this
    test = choice.args["ifs"][0].this if isinstance(choice, exp.Case) else None
    if isinstance(test, exp.And):  # of a template, whose parts make a day
        test = test.expression
    if not isinstance(test, exp.RegexpLike):
        return False
    if to.this in (TYPE.DATE, TYPE.TIMESTAMP, TYPE.TIMESTAMPNTZ):
        return test.expression.name in (DAYS, MOMENTS)
    whole = to.this is TYPE.DECIMAL and [each.name for each in to.expressions[1:]] in ([], ["0"])
    return whole or is_read_without_spaces(node)


def is_read_without_spaces(node: exp.Expr) -> bool:
    """Whether it is a text read as a number with places, or of floating point."""
    choice = node.this
    test = choice.args["ifs"][0].this if isinstance(choice, exp.Case) else None
    return isinstance(test, exp.RegexpLike) and test.expression.name in PATTERNS


def is_constant(node: exp.Expr) -> bool:
    """Whether it is a constant, perhaps cast."""
    while isinstance(node, exp.Paren | exp.Neg | exp.Cast):
        node = node.this
    return isinstance(node, exp.Literal)


def _written_number(node: exp.Expr, held: object) -> None:
    """Beside one that a bigint has no room for, Spark 4.3 takes a comparison of a column's NULL for true; one of what
    was a text it does not."""
    beyond = not node.is_string and abs(Decimal(node.name)) >= 2**63
    if beyond and not _is_beside_text(node):
        raise refused("number of more than 64 bits")


def _is_beside_text(node: exp.Expr) -> bool:
    between = node.find_ancestor(exp.Between)
    if between is None:
        return False
    definition = definition_of(between.this)
    value = bare(between.this if definition is None else definition.value)
    return isinstance(value, exp.Cast) and is_read(value)


def _whole_numbers(node: exp.Expr, held: object) -> None:
    """Quotients and rests of whole numbers."""
    if held not in _WHOLE_NAMES:
        raise refused(f"{type(node).__name__} of what is no whole number")


def _is_rest(node: exp.Expr) -> bool:
    """Whether it is a rest of numerics, which keeps to the digits of one of them."""
    return isinstance(node, exp.Mod) and node.meta_get(HELD) == "numeric"


def _rest(node: exp.Expr, held: object) -> None:
    """Of numbers with an end to their digits."""
    if held not in (*_WHOLE_NAMES, "numeric"):
        raise refused("Mod of floating point")


def _ratio(node: exp.Expr, held: object) -> None:
    """A quotient of doubles, by a constant or by what is NULL where it is 0 (`writing`)."""
    divisor = node.expression
    if held != _FLOAT or not (is_constant(divisor) or isinstance(divisor, exp.Nullif)):
        raise refused("Div of such numbers")


def _power(node: exp.Expr, held: object) -> None:
    """By a constant that is not below 0: Sail raises for such a power of 0."""
    exponent = node.expression
    constant = isinstance(exponent, exp.Cast) and isinstance(exponent.this, exp.Literal)
    if not constant or float(exponent.this.name) < 0:
        raise refused("power of such an exponent")


def _cast(node: exp.Expr, held: object) -> None:
    """A constant, whose text was read before; or what is marked as of a type that casts alike."""
    to = node.args["to"].this
    if is_constant(node.this) or isinstance(node.this, exp.Null):
        if to in (TYPE.DATE, TYPE.TIMESTAMP) and node.this.name.endswith("infinity"):
            raise refused("infinite DATE")
    elif (
        to not in _FROM_ANY
        and not is_read(node)
        and not (isinstance(node.this, OWN) or is_whole(node.this) or _is_rest(node.this))
    ):
        if held in _CAST_FROM.get(to, ()):
            return
        raise refused(f"CAST of such a value as {to.name}")


def _added(node: exp.Expr, held: object) -> None:
    if held not in (None, *_WHOLE_NAMES, "numeric"):
        raise refused("Sum of floating point")


def _distinct(node: exp.Expr, held: object) -> None:
    """Values that are counted."""
    if not isinstance(node.parent, exp.Count) or len(node.expressions) != 1:
        raise refused("DISTINCT in such an aggregate")


def _rounded(node: exp.Expr, held: object) -> None:
    """To places before the point there are doubles, of numerics too; to some behind it numerics alone."""
    places = node.args.get("decimals")
    if places is not None and (held == _FLOAT and places.name != "0"):
        raise refused(f"{type(node).__name__} of floating point to places")


def _field(node: exp.Expr, held: object) -> None:
    if node.name.upper() not in _FIELDS | DAYS_OF_A_WEEK:
        raise refused(f"EXTRACT of {node.name.upper()}")


def _truncated(node: exp.Expr, held: object) -> None:
    if node.args["unit"].name.upper() not in _UNITS:
        raise refused(f"DATE_TRUNC to {node.args['unit'].name.lower()}")
    if any(type(each) is exp.TimestampTrunc for each in _nodes(node.this)):
        raise refused("DATE_TRUNC of another one")


def _span(node: exp.Expr, held: object) -> None:
    if node.args["unit"].name.upper() not in _SPANS:
        raise refused(f"interval of {node.args['unit'].name.lower()}")


def _apart(node: exp.Expr, held: object) -> None:
    if node.args["unit"].name.upper() != "MICROSECOND":
        raise refused("DATE_DIFF of such a unit")


def _formatted(node: exp.Expr, held: object) -> None:
    if not _FORMAT.fullmatch(node.args["format"].name):
        raise refused("TO_CHAR of other fields than YYYY, MM, DD, HH24, MI and SS")


def _matched(node: exp.Expr, held: object) -> None:
    """One that needs no matcher (`regexes`), of a text that is short to write: it is written for each place."""
    if sum(1 for _ in node.this.walk()) > _MOST_NODES:
        raise refused("regular expression of a text that is made of so much")
    try:
        without_matcher(node.this, node.expression.name)
    except NotToldError:
        raise refused(_MATCHER) from None


def _put_in_place(node: exp.Expr, held: object) -> None:
    """What is replaced without a matcher (`replacing`), of a text that is short to write."""
    if sum(1 for _ in node.this.walk()) > _MOST_NODES or replaced(node) is None:
        raise refused(_MATCHER)


_RULES: Final[Mapping[type[exp.Expr], Callable[[exp.Expr, object], None]]] = {
    exp.Literal: _written_number,
    exp.Cast: _cast,
    exp.Sum: _added,
    exp.Distinct: _distinct,
    exp.IntDiv: _whole_numbers,
    exp.Mod: _rest,
    exp.Div: _ratio,
    exp.Pow: _power,
    exp.Round: _rounded,
    exp.Extract: _field,
    exp.Interval: _span,
    exp.DateDiff: _apart,
    exp.TimeToStr: _formatted,
    exp.TimestampTrunc: _truncated,
    exp.RegexpLike: _matched,
    exp.RegexpReplace: _put_in_place,
    **text_forms.RULES,
}

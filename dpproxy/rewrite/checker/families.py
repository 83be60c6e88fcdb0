"""The family of an expression's type, where its own nodes prove it.

A clip of text would compare letters, a declared number could equal many texts, a sum of floating point depends on the
order of its rows: all these proofs ask here first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from sqlglot import exp

from dpproxy.catalog.types import Family
from dpproxy.rewrite.checker.engines import Facts
from dpproxy.rewrite.checker.function import OPERANDS
from dpproxy.rewrite.checker.functions import FUNCTIONS
from dpproxy.rewrite.checker.held import WHOLE, Kind

NUMBERS = frozenset({Family.INTEGER, Family.NUMERIC, Family.FLOAT})
EXACT_NUMBERS = frozenset({Family.INTEGER, Family.NUMERIC})

_TYPE = exp.DataType.Type
_DIGITS_OF_DECIMAL, _DIGITS_OF_BIGINT = 38, 18
_OF_TYPE = {
    **dict.fromkeys((_TYPE.SMALLINT, _TYPE.INT, _TYPE.BIGINT, _TYPE.INT128), Family.INTEGER),
    **dict.fromkeys((_TYPE.FLOAT, _TYPE.DOUBLE), Family.FLOAT),
    **dict.fromkeys((_TYPE.TEXT, _TYPE.VARCHAR), Family.TEXT),
    **dict.fromkeys((_TYPE.TIMESTAMP, _TYPE.TIMESTAMPNTZ), Family.TIMESTAMP),
    _TYPE.DECIMAL: Family.NUMERIC,
    _TYPE.BOOLEAN: Family.BOOLEAN,
    _TYPE.DATE: Family.DATE,
    _TYPE.UUID: Family.UUID,
    _TYPE.TIME: Family.TIME,
}
_ALWAYS: dict[type[exp.Expr], Family] = {
    **{kind: each.family for kind, each in FUNCTIONS.items() if isinstance(each.family, Family)},
    **dict.fromkeys((exp.Exists, exp.LogicalAnd, exp.LogicalOr), Family.BOOLEAN),
    **dict.fromkeys((exp.Count, exp.RowNumber, exp.Rank, exp.DenseRank, exp.Ntile), Family.INTEGER),
    **dict.fromkeys((exp.PercentRank, exp.CumeDist), Family.FLOAT),
}
_OF_OPERANDS = frozenset({exp.Paren, *(kind for kind, each in FUNCTIONS.items() if each.family == OPERANDS)})
# Fields and functions without fractions in all engines, of whatever type: a sum of them is exact.
_WHOLE_NAMES = frozenset(
    {
        *("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "DOW", "DAYOFWEEK", "ISODOW", "DOY", "DAYOFYEAR", "ISOYEAR"),
        *("DECADE", "CENTURY", "MILLENNIUM", "HOUR", "MINUTE", "MICROSECOND", "MICROSECONDS"),
        "OCTET_LENGTH",
    }
)
_LATER: Mapping[tuple[Family | None, ...], Family] = {
    (Family.DATE, Family.INTEGER): Family.DATE,
    (Family.INTEGER, Family.DATE): Family.DATE,
    (Family.DATE, Family.INTERVAL): Family.TIMESTAMP,
    (Family.INTERVAL, Family.DATE): Family.TIMESTAMP,
    (Family.TIMESTAMP, Family.INTERVAL): Family.TIMESTAMP,
    (Family.INTERVAL, Family.TIMESTAMP): Family.TIMESTAMP,
}
_ROUNDED: Mapping[type[exp.Expr], str] = {
    exp.Floor: "FLOOR",
    exp.Ceil: "CEIL",
    exp.Round: "ROUND",
    exp.Trunc: "TRUNC",
}
_HELD = {Family.INTEGER: Kind.INTEGER, Family.NUMERIC: Kind.DECIMAL}
_OF_NUMBERS = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.IntDiv, exp.Neg)
_OF_ALTERNATIVES = (exp.Case, exp.Lag, exp.Lead)


Leaf = Callable[[exp.Expr], Family | None]


def family(node: exp.Expr, leaf: Leaf, engine: Facts) -> Family | None:
    """The family of the node's type in an engine, or None where that is not proved. FLOAT stands for any number of
    unknown kind.

    leaf: the family of a column, or of a subquery.
    """
    kind = type(node)
    if kind is exp.Column or kind is exp.Subquery:
        return leaf(node)
    if kind in _ALWAYS:
        return _ALWAYS[kind]
    if kind in _OF_ITSELF:
        return _OF_ITSELF[kind](node, engine)
    if kind in _OF_ARGUMENT:
        return _OF_ARGUMENT[kind](family(node.this, leaf, engine), engine)
    if kind in _OF_ALTERNATIVES:
        return _common(family(each, leaf, engine) for each in _alternatives(node) if not _is_nothing(each))
    if kind not in _OF_OPERANDS:
        return None
    operands = [node.this, *node.expressions, *([node.expression] if node.args.get("expression") else [])]
    families = [family(operand, leaf, engine) for operand in operands if not _is_nothing(operand)]
    if kind in (exp.Add, exp.Sub) and tuple(families) in _LATER:
        return _LATER[tuple(families)]
    return _result(kind, _common(families), engine)


def _alternatives(node: exp.Expr) -> list[exp.Expr]:
    first = [branch.args.get("true") for branch in node.args["ifs"]] if type(node) is exp.Case else [node.this]
    return [*first, node.args.get("default")]


def of_type(type_: exp.Expr) -> Family | None:
    """The family of a type that is written there."""
    return _OF_TYPE.get(type_.this)


def common(left: Family | None, right: Family | None) -> Family | None:
    """The family of a column that holds values of both."""
    return _common((left, right))


def _summed(argument: Family | None, engine: Facts) -> Family | None:
    """A sum of decimals is a decimal, and one of whole numbers too where that of the widest is; one of floating point
    is refused elsewhere."""
    if argument is Family.INTEGER:
        return _of_kind(engine.sum_types.get(Kind.BIGINT))
    return argument if argument in EXACT_NUMBERS else None


def _of_number(text: str, engine: Facts) -> Family:
    """Of a number as it is written."""
    digits = text.replace(".", "", 1)
    if not digits.isdecimal() or len(digits) > _DIGITS_OF_DECIMAL:
        return Family.FLOAT if engine.long_numbers_are_float else Family.NUMERIC
    return Family.INTEGER if len(text) <= _DIGITS_OF_BIGINT and text.isdecimal() else Family.NUMERIC


def _cast(cast: exp.Expr, _: Facts) -> Family | None:
    return of_type(cast.args["to"])


def _named(call: exp.Expr, _: Facts) -> Family:
    return Family.INTEGER if call.name.upper() in _WHOLE_NAMES else Family.FLOAT


def _written(literal: exp.Expr, engine: Facts) -> Family:
    return Family.TEXT if literal.is_string else _of_number(literal.name, engine)


_OF_ITSELF: Mapping[type[exp.Expr], Callable[[exp.Expr, Facts], Family | None]] = {
    **dict.fromkeys((exp.Cast, exp.TryCast), _cast),
    **dict.fromkeys((exp.Anonymous, exp.Extract), _named),
    exp.Literal: _written,
}


def _copied(argument: Family | None, _: Facts) -> Family | None:
    return argument


def _averaged(argument: Family | None, engine: Facts) -> Family:
    return Family.NUMERIC if argument in EXACT_NUMBERS and engine.mean_is_decimal else Family.FLOAT


_OF_ARGUMENT: Mapping[type[exp.Expr], Callable[[Family | None, Facts], Family | None]] = {
    exp.Sum: _summed,
    exp.Avg: _averaged,
    **dict.fromkeys((exp.Min, exp.Max, exp.FirstValue, exp.LastValue, exp.NthValue, exp.Window), _copied),
}


def _is_nothing(node: object) -> bool:
    return node is None or type(node) is exp.Null


def _common(found: Iterable[Family | None]) -> Family | None:
    families = set(found)
    if len(families) == 1:
        return families.pop()
    if not families or not families <= NUMBERS:
        return None
    return Family.FLOAT if Family.FLOAT in families else Family.NUMERIC


def _result(kind: type[exp.Expr], operands: Family | None, engine: Facts) -> Family | None:
    """What the operator makes of operands of one family, in an engine: days between dates are whole."""
    if kind in (exp.TimestampTrunc, exp.DateTrunc):
        return Family.TIMESTAMP if operands in (Family.DATE, Family.TIMESTAMP) else None
    if kind is exp.Sub and operands is Family.DATE:
        return Family.INTEGER
    if kind is exp.Sign and operands in _HELD:
        return _of_kind(engine.sign_types.get(_HELD[operands]))
    if kind in _ROUNDED and operands is Family.INTEGER:
        return Family.FLOAT if _ROUNDED[kind] in engine.floats_of_whole else operands
    if kind not in _OF_NUMBERS:
        return operands
    rests = kind in (exp.IntDiv, exp.Mod) and operands is Family.NUMERIC and engine.rests_are_float
    if rests or (kind is exp.Div and engine.division_is_float):
        return Family.FLOAT if operands in NUMBERS else None
    return operands if operands in NUMBERS else None


def _of_kind(kind: Kind | None) -> Family:
    """The family of a number that is held so."""
    return Family.INTEGER if kind in WHOLE else Family.NUMERIC if kind is Kind.DECIMAL else Family.FLOAT

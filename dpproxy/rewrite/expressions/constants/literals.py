"""Constants: numbers, text, NULL, booleans, and text that stands for a date, a timestamp, a uuid or a number."""

from __future__ import annotations

import re
import struct
import uuid
from collections.abc import Callable
from datetime import UTC, date, datetime, time
from decimal import Decimal
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog import zones
from dpproxy.catalog.types import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    INTEGER,
    NUMERIC,
    TEXT,
    TIMESTAMP,
    TIMESTAMPTZ,
    Family,
    SqlType,
)
from dpproxy.errors import DPProxyError
from dpproxy.rewrite.expressions.facts.fact import INTEGER_BITS, MOST_DIGITS, Fact, Interval, Typed, exact
from dpproxy.rewrite.expressions.trees.build import cast
from dpproxy.rewrite.expressions.trees.refusals import refused
from dpproxy.rewrite.expressions.walk import Walk
from dpproxy.rows import Value

_LONGEST_NUMBER = 300
_AROUND = (exp.Cast, exp.Neg)
_CONSTANTS = (exp.Literal, exp.Boolean, exp.Null)
_CLOCK = r"[ T]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?"
_ZONE = r"Z|[+-](0\d|1[0-4])(:?[0-5]\d)?"
_MOMENT = re.compile(rf"\s*(?P<day>\d{{4}}-\d{{2}}-\d{{2}})(?P<clock>{_CLOCK})?(?(clock)(?P<zone>{_ZONE})?)\s*")
_TIME = re.compile(r"\s*(([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?)\s*")
TRUTHS = ("t", "tr", "tru", "true", "y", "ye", "yes", "on", "1")
FALSEHOODS = ("f", "fa", "fal", "fals", "false", "n", "no", "of", "off", "0")
_BOOLEANS = dict.fromkeys(TRUTHS, True) | dict.fromkeys(FALSEHOODS, False)
_ENDLESS, _ENDS = (Family.DATE, Family.TIMESTAMP, Family.MOMENT), ("infinity", "+infinity", "-infinity")
_HINTS = {
    Family.DATE: "Write a date as 'YYYY-MM-DD', in the years 0001 to 9999.",
    Family.TIMESTAMP: "Write a timestamp as 'YYYY-MM-DD HH:MM:SS', in the years 0001 to 9999.",
    Family.MOMENT: "Write a timestamp with its zone, as '2024-01-31 18:00+01', in the years 0001 to 9999.",
    Family.TIME: "Write a time as 'HH:MM:SS', before 24:00.",
}


def literal(node: exp.Expression, walk: Walk) -> Typed:
    """A number or a text as written. Text is of no type yet: what it meets decides (`as_family`)."""
    text = str(node.this)
    if node.args.get("is_string"):
        return constant(text, TEXT)
    if len(text) > _LONGEST_NUMBER or abs(Decimal(text).adjusted()) > _LONGEST_NUMBER:
        raise refused(node, "the number is too large or too small", "Use a number of fewer digits.")
    value = int(text) if re.fullmatch(r"[0-9]+", text) else Decimal(text)
    return constant(value, number_type(value))


def boolean(node: exp.Expression, walk: Walk) -> Typed:
    """TRUE and FALSE."""
    return constant(bool(node.this), BOOLEAN)


def null(node: exp.Expression, walk: Walk) -> Typed:
    """NULL, which takes the type of what it meets."""
    return constant(None, TEXT)


def number_type(value: int | Decimal) -> SqlType:
    """The type that Postgres gives a number as written: integer, bigint, or numeric."""
    if isinstance(value, Decimal):
        return NUMERIC
    return next((type_ for type_, bits in ((INTEGER, 31), (BIGINT, 63)) if -(2**bits) <= value < 2**bits), NUMERIC)


def constant(value: Value, type_: SqlType) -> Typed:
    """A constant: exact in both engines; all is proved of it."""
    if type_.family is Family.FLOAT and value is not None:
        value = _floating(value, type_)
    if isinstance(value, int | Decimal) and _digits(Decimal(value)) > MOST_DIGITS:
        value = Decimal(float(value))
    sql, carrier = _written(value, type_)
    number = exact(value)
    interval = None if number is None else Interval(number, number)
    step = _grid(number) if type_.family in (Family.INTEGER, Family.NUMERIC, Family.FLOAT) else None
    domain = () if value is None else (value,)
    return Typed(sql, Fact(type_, interval, interval, domain, value is None, False, step, carrier))


def _floating(value: Value, type_: SqlType) -> float:
    """A number as a float of the type holds it."""
    number = float(value)  # type: ignore[arg-type]
    return number if type_ == DOUBLE else float(struct.unpack("f", struct.pack("f", number))[0])


def is_constant(typed: Typed) -> bool:
    """Whether an expression was written or folded to one value."""
    sql = typed.sql
    if typed.fact.domain is None:
        return False
    while isinstance(sql, _AROUND):
        sql = sql.this
    return isinstance(sql, _CONSTANTS)


def is_null(typed: Typed) -> bool:
    """Whether an expression is NULL as written."""
    return is_constant(typed) and not typed.fact.domain


def value_of(typed: Typed) -> Value:
    """The value of a constant."""
    return typed.fact.domain[0] if typed.fact.domain else None


def is_untyped(typed: Typed) -> bool:
    """Whether it is a text constant or NULL, whose type comes from what it meets."""
    return is_constant(typed) and typed.fact.type == TEXT


def as_type(node: exp.Expression, typed: Typed, type_: SqlType) -> Typed:
    """A text constant read as a value of `type_`; NULL and anything typed stays as it is.

    Raises 0A000 where the text is in none of the plain forms that both engines read alike.
    """
    value = value_of(typed)
    if not is_untyped(typed) or not isinstance(value, str) or type_.family is Family.TEXT:
        return typed
    return written_as(node, value, type_)


def written_as(node: exp.Expression, text: str, type_: SqlType) -> Typed:
    """The value of `type_` that a text constant stands for; of a date or timestamp also the end of all times, of which
    no more is known than of a column's."""
    if type_.family in _ENDLESS and text.strip().lower() in _ENDS:
        held = TIMESTAMP if type_.family is Family.MOMENT else type_
        fact = Fact(type_, None, None, None, False, False, None, None if held == type_ else held)
        return Typed(cast(exp.Literal.string(text.strip().lower().removeprefix("+")), held), fact)
    return constant(parse(node, text, type_), type_)


def parse(node: exp.Expression, text: str, type_: SqlType) -> Value:
    """The value of `type_` that a text constant stands for."""
    try:
        if type_ == TIMESTAMPTZ and _moment(text)["zone"]:
            raise ValueError(text)  # of which the session's zone would make another time
        return _READERS[type_.family](text) if type_.zone is None else _read_moment(text, type_.zone)
    except (ValueError, LookupError, ArithmeticError):
        raise _unreadable(node, type_) from None


def _unreadable(node: exp.Expression, type_: SqlType) -> DPProxyError:
    hint = _HINTS.get(type_.family, f"Write a plain constant of type {type_}.")
    return refused(node, f"the constant is no plain value of type {type_}", hint)


def _read_date(text: str) -> date:
    """Of a time and its zone behind the day Postgres makes nothing."""
    return date.fromisoformat(_moment(text)["day"])


def _read_timestamp(text: str) -> datetime:
    """Of a zone Postgres makes nothing."""
    found = _moment(text)
    return datetime.fromisoformat(found["day"] + (found["clock"] or ""))


def _read_moment(text: str, zone: str) -> datetime:
    """Without a zone of its own, it is in the session's."""
    found = _moment(text)
    if not found["zone"]:
        return zones.moment_of(_read_timestamp(text), zone)
    written = datetime.fromisoformat(found["day"] + found["clock"] + found["zone"])
    return written.astimezone(UTC)


def _read_time(text: str) -> time:
    found = _TIME.fullmatch(text)
    if found is None:
        raise ValueError(text)
    return time.fromisoformat(found[1])


def _moment(text: str) -> re.Match[str]:
    found = _MOMENT.fullmatch(text)
    if found is None:
        raise ValueError(text)
    return found


def _read_number(text: str) -> Decimal:
    if not re.fullmatch(r"\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?\s*", text):
        raise ValueError(text)
    number = Decimal(text.strip())
    if len(text) > _LONGEST_NUMBER or abs(number.adjusted()) > _LONGEST_NUMBER:
        raise ValueError(text)
    return number


def _read_integer(text: str) -> int:
    if not re.fullmatch(r"\s*[+-]?\d{1,19}\s*", text):
        raise ValueError(text)
    return int(text)


_READERS: dict[Family, Callable[[str], Value]] = {
    Family.INTEGER: _read_integer,
    Family.NUMERIC: _read_number,
    Family.FLOAT: lambda text: float(_read_number(text)),
    Family.BOOLEAN: lambda text: _BOOLEANS[text.strip().lower()],
    Family.DATE: _read_date,
    Family.TIMESTAMP: _read_timestamp,
    Family.UUID: lambda text: uuid.UUID(text.strip()),
    Family.TIME: _read_time,
    Family.TEXT: str,
}


def _written(value: Value, type_: SqlType) -> tuple[exp.Expression, SqlType | None]:
    """The constant in SQL, and the type that an engine gives it where that is not `type_`."""
    match value:
        case None:
            return exp.Null(), None
        case bool():
            return exp.Boolean(this=value), None
        case str():
            return exp.Literal.string(value), None
        case float():
            return cast(exp.Literal.string(repr(value)), type_), None
        case int() | Decimal():
            return _written_number(Decimal(value), type_)
        case datetime():
            plain = value if value.tzinfo is None else value.astimezone(UTC).replace(tzinfo=None)
            return cast(exp.Literal.string(plain.isoformat(" ")), TIMESTAMP), None if type_ == TIMESTAMP else TIMESTAMP
        case time():
            return cast(exp.Literal.string(value.isoformat()), type_), None
        case date() | uuid.UUID():
            return cast(exp.Literal.string(str(value)), type_), None


def _written_number(value: Decimal, type_: SqlType) -> tuple[exp.Expression, SqlType | None]:
    text = f"{value.copy_abs():f}"
    places, digits = text.partition(".")[2], _digits(value)
    if digits > MOST_DIGITS:
        return cast(exp.Literal.string(repr(float(value))), DOUBLE), DOUBLE
    sql: exp.Expression = exp.Literal.number(text)
    carrier: SqlType | None = SqlType("numeric", (digits, len(places)))
    if type_.family is Family.INTEGER:
        # Postgres has no such integer; the engine has it in the type that its digits ask for.
        carrier = None if _fits(value, type_) else BIGINT if _fits(value, BIGINT) else carrier
    return (exp.Neg(this=sql) if value < 0 else sql), carrier


def _fits(value: Decimal, type_: SqlType) -> bool:
    most: int = 2 ** INTEGER_BITS[type_.name]
    return -most <= int(value) < most


def _digits(value: Decimal) -> int:
    """How many digits the number has as written, those of its places at least."""
    whole, _, places = f"{value.copy_abs():f}".partition(".")
    return max(len((whole + places).lstrip("0")), len(places), 1)


def _grid(number: Fraction | None) -> Decimal | None:
    """The coarsest power of ten, 1 at most, that the constant is a multiple of: 0.05 lies on the grid of 0.01."""
    if number is None:
        return None
    return next((Decimal(1).scaleb(-places) for places in range(16) if 10**places % number.denominator == 0), None)

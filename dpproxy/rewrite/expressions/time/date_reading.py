"""Dates and timestamps read from the text of rows, and made of numbers: NULL for what is none.

Postgres and DuckDB each read many forms of dates. One form alone is read here, which both read alike: YYYY-MM-DD with a
time behind it, or what a template of to_date() says; of other text the value is NULL. A pattern decides, up to the
length of each month, so that no cast can fail.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from sqlglot import exp

from dpproxy.catalog.types import DATE, TIMESTAMP, TIMESTAMPTZ, Family, SqlType
from dpproxy.rewrite.expressions.constants.domains import folded, image
from dpproxy.rewrite.expressions.constants.literals import constant, is_constant, value_of
from dpproxy.rewrite.expressions.facts.fact import Fact, Typed, points
from dpproxy.rewrite.expressions.time.date_texts import MONTHS
from dpproxy.rewrite.expressions.time.templates import Piece, read_template
from dpproxy.rewrite.expressions.trees.build import atom, cast, chosen, number
from dpproxy.rewrite.expressions.trees.refusals import mismatch, refused
from dpproxy.rewrite.expressions.trees.steps import named
from dpproxy.rewrite.expressions.types.calendars import years
from dpproxy.rewrite.expressions.walk import Walk
from dpproxy.rows import Value

_YEAR = "([1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])"
_LEAP = "(([0-9]{2}(0[48]|[2468][048]|[13579][26]))|((0[48]|[2468][048]|[13579][26])00))"
DAY = (
    f"(({_YEAR}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)"
    f"|02-(0[1-9]|1[0-9]|2[0-8])))|({_LEAP}-02-29))"
)
TIME = "([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6})?)?)?"
_BETWEEN = frozenset(" -/.,:;_")
_WIDTHS = {"YYYY": 4, "MM": 2, "MON": 3, "MONTH": None, "DD": 2}
"""Of the parts of a day; None: a month's whole name."""
_MONTHS = ("MM", "MON", "MONTH")
_TIMES = {"HH24": 2, "MI": 2, "SS": 2, "US": 6}
_DASH = exp.Literal.string("-")
_MOMENT_HINT = (
    "Write a template such as 'YYYY-MM-DD HH24:MI:SS.US' or 'DD Mon YYYY', or less of the time from the right."
)
_NAMES = tuple(each.lower() for each in MONTHS)
_ROWS_HINT = "CAST the text to timestamp, or write to_date(x, 'DD Mon YYYY'), which may have names of months."
_HINT = "Write a template such as 'YYYY-MM-DD', 'DD.MM.YYYY' or 'Mon DD, YYYY', with year, month and day once each."


def to_date(node: exp.Expression, operand: Typed, target: SqlType) -> Typed:
    """CAST(text AS date): of YYYY-MM-DD, a time behind it being cut off."""
    day = exp.Left(this=_again(operand), expression=number(10))
    return _read(operand, day, {DAY + TIME: _again(operand)}, DATE, lambda text: date.fromisoformat(text[:10]))


def to_timestamp(node: exp.Expression, operand: Typed, target: SqlType) -> Typed:
    """CAST(text AS timestamp): of YYYY-MM-DD HH:MM:SS, or less of it from the right."""
    return _read(operand, _again(operand), {DAY + TIME: _again(operand)}, TIMESTAMP, datetime.fromisoformat)


def by_template(node: exp.Expression, walk: Walk) -> Typed:
    """to_date(text, constant template of YYYY, a month and DD): of text that has the template's very form.

    Raises FeatureNotSupported for other templates, and for constant text of another form.
    """
    operand, template = walk(node.this), walk(node.args["format"])
    text = value_of(template)
    if operand.fact.type.family is not Family.TEXT:
        raise mismatch(node, operand.fact.type)
    if not is_constant(template) or not isinstance(text, str):
        raise refused(node, "the template of to_date() must be a constant", _HINT)
    typed = _by_form(operand, _form(node, read_template(node, text)))
    if is_constant(operand) and operand.fact.domain and not typed.fact.domain:
        raise refused(node, "the constant does not have the form of its template", f"Write it exactly as {text}.")
    return typed


def moment_by_template(node: exp.Expression, walk: Walk) -> Typed:
    """to_timestamp(constant text, constant template): a time in the session's zone.

    Raises FeatureNotSupported for texts of rows, other templates, and text of another form.
    """
    operand, template = walk(node.this), walk(node.args["format"])
    text, form = value_of(operand), value_of(template)
    if not (is_constant(operand) and is_constant(template) and isinstance(text, str) and isinstance(form, str)):
        raise refused(node, "to_timestamp() needs constants over private tables", _ROWS_HINT)
    pieces = read_template(node, form)
    names = ["MM" if name in _MONTHS else name for name in (p.text.upper() for p in pieces if p.is_pattern)]
    plain = all(_BETWEEN.issuperset(piece.text) for piece in pieces if not piece.is_pattern)
    known = sorted(names[:3]) == ["DD", "MM", "YYYY"] and names[3:] == list(_TIMES)[: len(names) - 3]
    if not known or not plain or any(piece.bare for piece in pieces):
        raise refused(node, "the template of to_timestamp() is not supported over private tables", _MOMENT_HINT)
    pattern = "".join(f"({_pattern(piece)})" if piece.is_pattern else _pattern(piece) for piece in pieces)
    found = re.fullmatch(pattern, text, re.ASCII)
    try:
        parts = dict(zip(names, map(_number, found.groups() if found else ()), strict=False))
        year, month, day, hour, minute, second, micros = (parts.get(name, 0) for name in ("YYYY", "MM", "DD", *_TIMES))
        return constant(datetime(year, month, day, hour, minute, second, micros), TIMESTAMPTZ)
    except ValueError:
        hint = f"Write it exactly as {form}."
        raise refused(node, "the constant does not have the form of its template", hint) from None


@dataclass(frozen=True, slots=True)
class _Form:
    """A form of dates: its pattern, and where in it each part begins: from 1, or behind a month's whole name from the
    end, which is -1."""

    pattern: str
    places: Mapping[str, int]


def _form(node: exp.Expression, pieces: Sequence[Piece]) -> _Form:
    pattern, names, widths = "", list[str](), list[int | None]()
    for piece in pieces:
        name = piece.text.upper()
        twice = name in names or (name in _MONTHS and not set(_MONTHS).isdisjoint(names))
        known = name in _WIDTHS and not twice and not piece.bare
        if not (known if piece.is_pattern else _BETWEEN.issuperset(piece.text)):
            raise refused(node, f'"{piece.text}" is not supported in to_date() over private tables', _HINT)
        pattern += _pattern(piece)
        names.append(name if piece.is_pattern else "")
        widths.append(_WIDTHS[name] if piece.is_pattern else len(piece.text))
    if "YYYY" not in names:
        raise refused(node, "to_date() needs a year of four digits over private tables", _HINT)
    return _Form(pattern, {name: _place(at, widths) for at, name in enumerate(names) if name})


def _place(at: int, widths: Sequence[int | None]) -> int:
    before, after = widths[:at], widths[at:]
    return -sum(filter(None, after)) if None in before else 1 + sum(filter(None, before))


def _pattern(piece: Piece) -> str:
    """Of the text that stands for a piece of a template; a month's name in any letters."""
    name = piece.text.upper()
    if not piece.is_pattern:
        return "".join(f"[{letter}]" for letter in piece.text)
    if name in ("MON", "MONTH"):
        known = (month[: _WIDTHS[name]] for month in _NAMES)
        return f"(?:{'|'.join(''.join(f'[{letter.upper()}{letter.lower()}]' for letter in each) for each in known)})"
    return f"[0-9]{{{_WIDTHS.get(name) or _TIMES.get(name)}}}"


def _number(text: str) -> int:
    """Of digits, or of a month's name."""
    return int(text) if text.isdigit() else [each[:3] for each in _NAMES].index(text[:3].lower()) + 1


def _by_form(operand: Typed, form: _Form) -> Typed:
    if form == _ISO:
        return _read(operand, _again(operand), {DAY: _again(operand)}, DATE, date.fromisoformat)
    month = next((name for name in _MONTHS if name in form.places), "MM")

    def parsed(text: str) -> date:
        year, day = (_cut(text, form.places.get(name, 0), _WIDTHS[name] or 0) for name in ("YYYY", "DD"))
        return date(int(year), _number(_cut(text, form.places.get(month, 0), _WIDTHS[month] or 3)), int(day))

    def written() -> exp.Expression:
        year, day = (_part(operand, form.places.get(name, 0), _WIDTHS[name] or 0) for name in ("YYYY", "DD"))
        middle = _part(operand, form.places.get(month, 0), _WIDTHS[month] or 3)
        parts = [year, _DASH.copy(), middle if month == "MM" else _numbered(middle), _DASH.copy(), day]
        return exp.Concat(expressions=parts, safe=True, coalesce=True)

    return _read(operand, written(), {form.pattern: _again(operand), DAY: written()}, DATE, parsed)


def _cut(text: str, at: int, width: int) -> str:
    """A part of a text, 01 of what is not there."""
    rest = text[at - 1 :] if at > 0 else text[at:]
    return rest[:width] if at else "01"


def _part(operand: Typed, at: int, width: int) -> exp.Expression:
    if not at:
        return exp.Literal.string("01")
    if at < 0:
        return exp.Left(this=exp.Right(this=_again(operand), expression=number(-at)), expression=number(width))
    return exp.Substring(this=_again(operand), start=number(at), length=number(width))


def _numbered(name: exp.Expression) -> exp.Expression:
    """The number of a month, of which the first three letters are given."""
    letters = named(exp.Lower(this=name))
    known = [(exp.Literal.string(each[:3]), exp.Literal.string(f"{at:02}")) for at, each in enumerate(_NAMES, 1)]
    return exp.Case(ifs=[exp.If(this=exp.EQ(this=letters.copy(), expression=each), true=at) for each, at in known])


def _read(
    operand: Typed,
    sql: exp.Expression,
    forms: Mapping[str, exp.Expression],
    type_: SqlType,
    parse: Callable[[str], date],
) -> Typed:
    """`sql` as a value of the type where each pattern is that of its whole text, else NULL.

    Claim: the cast never raises. Because: the pattern of days holds those that exist alone, and those of times alike.
    Checked by: tests/test_dates.py, test_every_text_of_the_pattern_is_a_date.
    """

    def fold(value: Value) -> Value:
        try:
            return parse(value) if isinstance(value, str) and re.fullmatch(first, value, re.ASCII) else None
        except ValueError:
            return None

    first = next(iter(forms))
    if result := folded(fold, type_, operand):
        return result
    conditions: list[exp.Expression] = [
        exp.RegexpLike(this=atom(text), expression=exp.Literal.string(f"^({form})$")) for form, text in forms.items()
    ]
    condition = functools.reduce(lambda left, right: exp.And(this=left, expression=right), conditions)
    domain = image(fold, operand)
    fact = Fact(type_, points(domain), years(type_), domain, True, operand.fact.private, None)
    return Typed(cast(chosen(condition, sql), type_), fact)


def _again(operand: Typed) -> exp.Expression:
    return named(operand.sql)


_ISO = _Form("[0-9]{4}[-][0-9]{2}[-][0-9]{2}", {"YYYY": 1, "MM": 6, "DD": 9})

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
from dpproxy.rewrite.expressions.time.templates import Piece, read_template
from dpproxy.rewrite.expressions.trees.build import atom, cast, chosen, number
from dpproxy.rewrite.expressions.trees.refusals import mismatch, refused
from dpproxy.rewrite.expressions.trees.steps import named
from dpproxy.rewrite.expressions.types.calendars import years
from dpproxy.rewrite.expressions.walk import Walk
from dpproxy.rows import Value

_YEAR = "([1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])"
_LEAP = "(([0-9]{2}(0[48]|[2468][048]|[13579][26]))|((0[48]|[2468][048]|[13579][26])00))"
_DAY = (
    f"(({_YEAR}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)"
    f"|02-(0[1-9]|1[0-9]|2[0-8])))|({_LEAP}-02-29))"
)
_TIME = "([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6})?)?)?"
_BETWEEN = frozenset(" -/.,:;_")
_WIDTHS = {"YYYY": 4, "MM": 2, "DD": 2}
_PARTS = {
    "YYYY": "([0-9]{4})",
    "MM": "([0-9]{2})",
    "DD": "([0-9]{2})",
    "HH24": "([0-9]{2})",
    "MI": "([0-9]{2})",
    "SS": "([0-9]{2})",
    "US": "([0-9]{6})",
}
_IN_ORDER = list(_PARTS)
_DASH = exp.Literal.string("-")
_MOMENT_HINT = "Write a template such as 'YYYY-MM-DD HH24:MI:SS.US', or less of it from the right."
_HINT = "Write a template such as 'YYYY-MM-DD' or 'DD.MM.YYYY', with YYYY, MM and DD once each."


def to_date(node: exp.Expression, operand: Typed, target: SqlType) -> Typed:
    """CAST(text AS date): of YYYY-MM-DD, a time behind it being cut off."""
    day = exp.Left(this=_again(operand), expression=number(10))
    return _read(operand, day, {_DAY + _TIME: _again(operand)}, DATE, lambda text: date.fromisoformat(text[:10]))


def to_timestamp(node: exp.Expression, operand: Typed, target: SqlType) -> Typed:
    """CAST(text AS timestamp): of YYYY-MM-DD HH:MM:SS, or less of it from the right."""
    return _read(operand, _again(operand), {_DAY + _TIME: _again(operand)}, TIMESTAMP, datetime.fromisoformat)


def by_template(node: exp.Expression, walk: Walk) -> Typed:
    """to_date(text, constant template of YYYY, MM and DD): of text that has the template's very form.

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
        raise refused(node, "to_timestamp() needs constants over private tables", "CAST the text to timestamp.")
    pieces = read_template(node, form)
    names = [piece.text.upper() for piece in pieces if piece.is_pattern]
    plain = all(_BETWEEN.issuperset(piece.text) for piece in pieces if not piece.is_pattern)
    if names != _IN_ORDER[: len(names)] or len(names) < 3 or not plain or any(piece.bare for piece in pieces):
        raise refused(node, "the template of to_timestamp() is not supported over private tables", _MOMENT_HINT)
    pattern = "".join(_PARTS.get(piece.text.upper(), "") or re.escape(piece.text) for piece in pieces)
    found = re.fullmatch(pattern, text, re.ASCII)
    try:
        year, month, day, hour, minute, second, micros, *_ = [*map(int, found.groups() if found else "000"), 0, 0, 0, 0]
        return constant(datetime(year, month, day, hour, minute, second, micros), TIMESTAMPTZ)
    except ValueError:
        hint = f"Write it exactly as {form}."
        raise refused(node, "the constant does not have the form of its template", hint) from None


@dataclass(frozen=True, slots=True)
class _Form:
    """A fixed form of dates: its pattern, and where in it each part begins, from 1."""

    pattern: str
    places: Mapping[str, int]


def _form(node: exp.Expression, pieces: Sequence[Piece]) -> _Form:
    pattern, places, at = "", dict[str, int](), 1
    for piece in pieces:
        name = piece.text.upper()
        known = name in _WIDTHS and name not in places and not piece.bare
        if not (known if piece.is_pattern else _BETWEEN.issuperset(piece.text)):
            raise refused(node, f'"{piece.text}" is not supported in to_date() over private tables', _HINT)
        if piece.is_pattern:
            places[name] = at
        pattern += f"[0-9]{{{_WIDTHS[name]}}}" if piece.is_pattern else "".join(f"[{letter}]" for letter in piece.text)
        at += _WIDTHS[name] if piece.is_pattern else len(piece.text)
    if "YYYY" not in places:
        raise refused(node, "to_date() needs a year of four digits over private tables", _HINT)
    return _Form(pattern, places)


def _by_form(operand: Typed, form: _Form) -> Typed:
    if form == _ISO:
        return _read(operand, _again(operand), {_DAY: _again(operand)}, DATE, date.fromisoformat)

    def parsed(text: str) -> date:
        parts = [text[at - 1 :][:width] if at else "01" for at, width in _parts(form)]
        return date.fromisoformat("-".join(parts))

    def written() -> exp.Expression:
        parts = [_part(operand, at, width) for at, width in _parts(form)]
        return exp.Concat(
            expressions=[parts[0], _DASH.copy(), parts[1], _DASH.copy(), parts[2]], safe=True, coalesce=True
        )

    return _read(operand, written(), {form.pattern: _again(operand), _DAY: written()}, DATE, parsed)


def _parts(form: _Form) -> list[tuple[int, int]]:
    """Where year, month and day begin, 0 for what there is not, and how long they are."""
    return [(form.places.get(name, 0), width) for name, width in _WIDTHS.items()]


def _part(operand: Typed, at: int, width: int) -> exp.Expression:
    if not at:
        return exp.Literal.string("01")
    return exp.Substring(this=_again(operand), start=number(at), length=number(width))


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

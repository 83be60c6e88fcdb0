"""to_char(x, template) of dates and timestamps: text of both engines alike, letter for letter that of Postgres.

What one format of the engines can do is done by one; months and days by name, and what else there is, are put together
from fields.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from datetime import datetime

from sqlglot import exp

from dpproxy.catalog.types import TEXT
from dpproxy.remembered import remembered
from dpproxy.rewrite.expressions.constants.domains import folded
from dpproxy.rewrite.expressions.constants.literals import is_constant, value_of
from dpproxy.rewrite.expressions.facts.fact import Fact, Typed
from dpproxy.rewrite.expressions.time.date_texts import PATTERNS, Fields, Pattern, Writer
from dpproxy.rewrite.expressions.time.dates import is_time
from dpproxy.rewrite.expressions.time.fields import of_moment
from dpproxy.rewrite.expressions.time.grains import MOST_VALUES, Reading, every, values_of
from dpproxy.rewrite.expressions.time.templates import Piece, read_template
from dpproxy.rewrite.expressions.trees.build import atom
from dpproxy.rewrite.expressions.trees.refusals import mismatch, refused
from dpproxy.rewrite.expressions.trees.steps import named
from dpproxy.rewrite.expressions.types.calendars import at_midnight, in_years
from dpproxy.rewrite.expressions.types.moments import local
from dpproxy.rewrite.expressions.walk import Walk
from dpproxy.rows import Value

_CODES = {
    "YYYY": "%Y",
    "YY": "%y",
    "IYYY": "%G",
    "IW": "%V",
    "DDD": "%j",
    "MM": "%m",
    "DD": "%d",
    "HH24": "%H",
    "MI": "%M",
    "SS": "%S",
    "US": "%f",
}
_SHORT = {"MM": "%-m", "DD": "%-d", "HH24": "%-H"}
_FALLING = ("YYYY", "MM", "DD", "HH24", "MI", "SS")
_BETWEEN = frozenset(" -/.,:;_()")
_GRAINS = ("year", "quarter", "month", "week", "day", "hour", "minute", "second")
_TIMES = frozenset({"hour", "minute", "second", None})
# Twenty-eight years have each kind of year, after each kind of year.
_YEARS = datetime(2001, 1, 1), datetime(2028, 12, 31, 23)
_DAY = datetime(2001, 1, 1), datetime(2001, 1, 1, 23, 59, 59)


def to_char(node: exp.Expression, walk: Walk) -> Typed:
    """to_char(date or timestamp, constant template). NULL outside of the years 0001 to 9999.

    Raises FeatureNotSupported for patterns that are not of `PATTERNS`.
    """
    moment, template = local(node, walk(node.this)), value_of(walk(node.args["format"]))
    if not is_time(moment):
        raise mismatch(node, moment.fact.type)
    if not is_constant(walk(node.args["format"])) or not isinstance(template, str) or not template:
        raise refused(node, "the template of to_char() must be a constant", "Write it as in to_char(x, 'YYYY-MM').")
    pieces = _known(node, read_template(node, template))
    reading = _reading(tuple(pieces))
    if result := folded(reading.fold, TEXT, moment):
        return result
    domain = values_of(reading, moment)
    timed = any(piece.is_pattern and PATTERNS[piece.text].grain in _TIMES for piece in pieces)
    moment = in_years(at_midnight(moment) if timed else moment)
    fact = Fact(TEXT, None, None, domain, moment.fact.nullable, moment.fact.private, None)
    return Typed(_engine(node, pieces, moment), fact)


def rising_text(node: exp.Expression) -> Callable[[datetime], str] | None:
    """What a to_char() makes of a moment, if a later moment never has a smaller text: years, then months, then days."""
    template = node.args["format"]
    if not isinstance(template, exp.Literal):
        return None
    pieces = read_template(node, str(template.this))
    names = tuple(piece.text.upper() for piece in pieces if piece.is_pattern)
    if not names or names != _FALLING[: len(names)] or any(piece.bare for piece in pieces):
        return None
    return lambda moment: str(_reading(tuple(pieces)).of(moment))


def _known(node: exp.Expression, pieces: Sequence[Piece]) -> Sequence[Piece]:
    hint = f'Patterns are {", ".join(name for name in PATTERNS if name.isupper())}; put words into "…".'
    for piece in pieces:
        if piece.is_pattern and piece.text not in PATTERNS:
            raise refused(node, f'the pattern "{piece.text}" is not supported over private tables', hint)
    if not any(piece.is_pattern for piece in pieces):
        raise refused(node, "the template of to_char() has no pattern", hint)
    return pieces


@remembered(256)
def _reading(pieces: tuple[Piece, ...]) -> Reading:
    patterns = [PATTERNS[piece.text] for piece in pieces if piece.is_pattern]
    writers = [_writer(piece) for piece in pieces]

    def of(moment: datetime) -> str:
        return "".join([writer(moment) for writer in writers])

    grain = _common_grain(patterns)
    return Reading(of, grain, functools.cache(lambda: _cycle(patterns, of, grain)))


def _writer(piece: Piece) -> Writer:
    return PATTERNS[piece.text].writer(piece.bare) if piece.is_pattern else lambda _moment: piece.text


def _common_grain(patterns: Sequence[Pattern]) -> str | None:
    grains = {pattern.grain for pattern in patterns}
    if None in grains:
        return None
    crossing = "week" in grains and not grains.isdisjoint({"year", "quarter", "month"})
    return max(("day" if crossing else "year", *(grain for grain in grains if grain)), key=_GRAINS.index)


def _cycle(patterns: Sequence[Pattern], of: Callable[[datetime], str], grain: str | None) -> tuple[Value, ...] | None:
    """All texts that come again each year, or each day."""
    if grain is None or not all(pattern.cyclic for pattern in patterns):
        return None
    timed = [pattern.grain in _TIMES for pattern in patterns]
    if any(timed) and not all(timed):
        return None
    found = dict[str, None]()
    for start in every(grain, *(_DAY if any(timed) else _YEARS)):
        found[of(start)] = None
        if len(found) > MOST_VALUES:
            return None
    return tuple(found)


def _engine(node: exp.Expression, pieces: Sequence[Piece], moment: Typed) -> exp.Expression:
    def again() -> Typed:
        return Typed(named(moment.sql), moment.fact)

    parts: list[exp.Expression] = []
    for plain, run in itertools.groupby(pieces, _is_plain):
        if plain:
            parts += [_formatted(some, again().sql) for some in _unambiguous(node, list(run))]
        else:
            parts += [_pieced(piece, lambda name: of_moment(node, name, again())) for piece in run]
    return functools.reduce(lambda left, right: exp.DPipe(this=atom(left), expression=atom(right), safe=True), parts)


def _is_plain(piece: Piece) -> bool:
    if not piece.is_pattern:
        return _BETWEEN.issuperset(piece.text)
    return piece.text.upper() in (_SHORT if piece.bare else _CODES)


def _unambiguous(node: exp.Expression, run: list[Piece]) -> list[list[Piece]]:
    """The run of pieces as formats that Postgres, too, reads as it was meant: DD and DDD side by side are not."""
    text = "".join(
        ("FM" if piece.bare else "") + (piece.text.upper() if piece.is_pattern else piece.text) for piece in run
    )
    meant = [
        Piece(piece.text.upper() if piece.is_pattern else piece.text, piece.is_pattern, piece.bare) for piece in run
    ]
    return [run] if read_template(node, text) == meant else [[piece] for piece in run]


def _formatted(run: Sequence[Piece], sql: exp.Expression) -> exp.Expression:
    codes = [
        (_SHORT if piece.bare else _CODES)[piece.text.upper()] if piece.is_pattern else piece.text for piece in run
    ]
    text = exp.Literal.string("".join(codes))
    return exp.TimeToStr(this=sql, format=text) if any(piece.is_pattern for piece in run) else text


def _pieced(piece: Piece, fields: Fields) -> exp.Expression:
    return PATTERNS[piece.text].engine(fields, piece.bare) if piece.is_pattern else exp.Literal.string(piece.text)

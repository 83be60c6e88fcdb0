"""Postgres's templates for dates ('YYYY-MM-DD', 'FMMonth DD'), cut into patterns and the letters between them."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from dpproxy.rewrite.expressions.trees.refusals import refused

_UPPER = """
    A.D. A.M. B.C. P.M. AD AM BC CC DAY DDD DD DY D FF1 FF2 FF3 FF4 FF5 FF6 FX HH24 HH12 HH IDDD ID IW IYYY IYY IY I J
    MI MM MONTH MON MS OF PM Q RM SSSSS SSSS SS TZH TZM TZ US WW W Y,YYY YYYY YYY YY Y
"""
_PATTERNS = sorted({*_UPPER.split(), *_UPPER.lower().split(), "Day", "Dy", "Month", "Mon"}, key=len, reverse=True)
_PREFIXES, _SUFFIXES = ("FM", "fm", "TM", "tm"), ("SP", "TH", "th")


@dataclass(frozen=True, slots=True)
class Piece:
    """A pattern such as MM, with `FM` before it or not; or text that stands for itself."""

    text: str
    is_pattern: bool = False
    bare: bool = False


def read_template(node: exp.Expression, template: str) -> list[Piece]:
    """The pieces of a template, in order. Raises FeatureNotSupported for the modifiers TM, TH and SP."""
    pieces: list[Piece] = []
    rest = template
    while rest:
        piece, rest = _first(node, rest)
        joins = pieces and not piece.is_pattern and not pieces[-1].is_pattern
        pieces = [*pieces[:-1], Piece(pieces[-1].text + piece.text)] if joins else [*pieces, piece]
    return [piece for piece in pieces if piece.text]


def _first(node: exp.Expression, rest: str) -> tuple[Piece, str]:
    prefix = next((prefix for prefix in _PREFIXES if rest.startswith(prefix)), "")
    rest = rest.removeprefix(prefix)
    pattern = next((pattern for pattern in _PATTERNS if rest.startswith(pattern)), "")
    if not pattern:
        return _letters(rest)
    rest = rest.removeprefix(pattern)
    if prefix.upper() == "TM" or rest.startswith(_SUFFIXES):
        raise refused(node, "the modifiers TM, TH and SP are not supported over private tables", "Leave them out.")
    return Piece(pattern, True, bool(prefix)), rest


def _letters(rest: str) -> tuple[Piece, str]:
    """Text between double quotes, where a backslash is for the next letter, or one letter that is no pattern."""
    if not rest.startswith('"'):
        escaped = rest.startswith('\\"')
        return Piece(rest[escaped : escaped + 1]), rest[1 + escaped :]
    letters, at = "", 1
    while at < len(rest) and rest[at] != '"':
        at += rest[at] == "\\" and at + 1 < len(rest)
        letters += rest[at]
        at += 1
    return Piece(letters), rest[at + 1 :]

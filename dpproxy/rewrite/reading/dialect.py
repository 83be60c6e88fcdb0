"""Postgres as sqlglot reads and writes it, and where that would say something else than was written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from sqlglot import Token, TokenType
from sqlglot.dialects.postgres import Postgres

from dpproxy.errors import FeatureNotSupported

_PART = re.compile(r"-?[0-9]+(?:\.[0-9]+)?\s*[a-zA-Z]+")
_WHOLE = re.compile(rf"\s*[+@]?\s*{_PART.pattern}\s*")


class AsWritten(Postgres):
    """Postgres without a table of templates: the parser's own makes 'YYYY' of '%Y', which Postgres does not."""

    TIME_MAPPING: dict[str, str] = {}  # noqa: RUF012


class AsRead(AsWritten):
    """The same, with places in arrays as they are written: the parser takes one off where it knows an array."""

    INDEX_OFFSET = 0


_TYPES = frozenset({TokenType.DATE, TokenType.TIME, TokenType.TIMESTAMP, TokenType.TIMESTAMPTZ})


def constants_first(tokens: Sequence[Token]) -> list[Token]:
    """DATE 'x'::t written as 'x'::DATE::t, which it means; the parser would make DATE ('x'::t) of it."""
    made = list(tokens)
    for place in range(len(made) - 3, -1, -1):
        kind, text, cast = made[place : place + 3]
        if kind.token_type in _TYPES and text.token_type is TokenType.STRING and cast.token_type is TokenType.DCOLON:
            made[place : place + 2] = [text, cast, kind]
    return made


def check_intervals(tokens: Sequence[Token]) -> None:
    """Raises FeatureNotSupported for an interval of which the parser would read one part and forget the rest.

    Of INTERVAL '1 day 02:00' it keeps '1 day', of '3 days ago' 3 days; those with a unit behind each number it keeps.
    """
    for token in _interval_texts(tokens):
        if len(_PART.findall(token.text)) == 1 and not _WHOLE.fullmatch(token.text):
            raise FeatureNotSupported(
                f"the interval '{token.text}' is not understood",
                hint="Write a sign before and a unit behind each number: INTERVAL '-1 day -2 hours'.",
                position=token.start + 1,
            )


def _interval_texts(tokens: Sequence[Token]) -> Iterator[Token]:
    """Texts behind INTERVAL, and behind a +, where the parser takes them for intervals too."""
    for before, token in pairwise(tokens):
        if token.token_type is TokenType.STRING and before.token_type in (TokenType.INTERVAL, TokenType.PLUS):
            yield token

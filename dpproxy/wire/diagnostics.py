"""Errors and notices: the same fields, each a letter and a text."""

from __future__ import annotations

from dataclasses import dataclass

from dpproxy.wire.payload import TEXT, letter, pair, terminated

Fields = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ErrorResponse:
    """An error. `fields` in their order: S severity, V the same unlocalized, C SQLSTATE, M message, D detail, …"""

    fields: Fields


@dataclass(frozen=True, slots=True)
class NoticeResponse:
    """A notice or warning, with the fields of an error; may come at any time."""

    fields: Fields


# Any letter may come: clients are told to ignore those that they don't know.
FIELDS = terminated(pair(letter("".join(map(chr, range(1, 128)))), TEXT))


def error_fields(
    severity: str,
    sqlstate: str,
    message: str,
    detail: str | None = None,
    hint: str | None = None,
    position: int | None = None,
) -> Fields:
    """The fields of an error or notice, in PostgreSQL's order. `position` counts characters of the query from 1."""
    optional = (("D", detail), ("H", hint), ("P", None if position is None else str(position)))
    present = tuple((code, text) for code, text in optional if text is not None)
    return (("S", severity), ("V", severity), ("C", sqlstate), ("M", message), *present)

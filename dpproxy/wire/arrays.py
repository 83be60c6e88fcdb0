"""Array literals, for constants that travel as one parameter."""

from __future__ import annotations

from collections.abc import Sequence

from dpproxy.wire.errors import ProtocolViolation, UndecodableText


def _element(value: str | None) -> str:
    # Quoting everything leaves no special case: empty text, the word null, braces, commas, white space.
    return "NULL" if value is None else '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def text_array(values: Sequence[str | None], encoding: str = "utf-8") -> bytes:
    """A one-dimensional array of any element type in text format, as a parameter of Bind; None is NULL.

    Raises ProtocolViolation if a value holds a NUL, which no PostgreSQL text can, or does not fit the encoding.
    """
    literal = "{" + ",".join([_element(value) for value in values]) + "}"
    if "\0" in literal:
        raise ProtocolViolation("text with a NUL in it cannot be sent")
    try:
        return literal.encode(encoding)
    except UnicodeError as fault:
        raise UndecodableText(f"text has characters that {encoding} does not have") from fault

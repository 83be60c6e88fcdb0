"""The server's own grammar: a text to statements as plain trees, or the error that Postgres would give.

libpg_query's JSON form is used, not its protobuf form: protobuf decoders stop at a hundred levels, which a chain of
fifty `||` reaches.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

from postgast.native import lib

from dpproxy.errors import DPProxyError, SyntaxFault

Tree = dict[str, Any]


class TooComplex(DPProxyError, sqlstate="54001"):
    """The text nests deeper than can be looked through."""


class TooMuchText(DPProxyError, sqlstate="54000"):
    """The text takes longer to look through than others can wait."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """One statement: its node class and body, its own text, and where that starts (characters; `byte` in UTF-8)."""

    kind: str
    body: Tree
    sql: str
    start: int
    byte: int

    def position(self, location: int) -> int:
        """A byte offset into the whole text as a 1-based character position in this statement's own text."""
        return len(self.sql.encode()[: max(location - self.byte, 0)].decode(errors="ignore")) + 1


DEEP: Final = "the statement is nested too deeply"
# Texts are parsed in the event loop, so a text that takes seconds would stop everybody.
LONGEST: Final = 1 << 18  # bytes


def parse(sql: str) -> tuple[Parsed, ...]:
    """The statements of a text. Raises SyntaxFault with Postgres's message and position, TooComplex or TooMuchText."""
    raw = sql.encode()
    if len(raw) > LONGEST:
        fault = f"a text of {len(raw)} bytes is too long: at most {LONGEST} are read"
        raise TooMuchText(fault, hint="Give long lists as one parameter: WHERE x = ANY($1).")
    try:
        tree = json.loads(_parse_json(raw))
    except RecursionError:
        raise TooComplex(DEEP, hint="Write it with fewer nested operators.") from None
    return tuple(_statement(raw, each) for each in tree.get("stmts", ()))


def _parse_json(raw: bytes) -> bytes:
    result = lib.pg_query_parse(raw)
    try:
        if result.error:
            fault = result.error.contents
            message = fault.message.decode(errors="replace")
            raise SyntaxFault(message, position=len(raw[: fault.cursorpos - 1].decode(errors="ignore")) + 1)
        text: bytes = result.parse_tree
        return text
    finally:
        lib.pg_query_free_parse_result(result)


def _statement(raw: bytes, tree: Tree) -> Parsed:
    start = tree.get("stmt_location", 0)
    length = tree.get("stmt_len", 0) or len(raw) - start
    ((kind, body),) = tree["stmt"].items()
    return Parsed(kind, body, raw[start : start + length].decode(), len(raw[:start].decode()), start)

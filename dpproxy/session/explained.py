"""EXPLAIN: its options, and where the explained statement begins."""

from __future__ import annotations

from typing import Final

from postgast import scan

from dpproxy.errors import DPProxyError, FeatureNotSupported
from dpproxy.session.parser import Parsed, Tree, parse
from dpproxy.session.verdicts import Explained, Form, Unsupported

_FIRST_TOKENS: Final = ("(", "select", "with", "values", "table")


def explain_form(parsed: Parsed) -> Form:
    """The form of an EXPLAIN that names private tables."""
    options = _options(parsed.body)
    if options.get("analyze", False):
        hint = "Plain EXPLAIN shows cost, bounds and noise, and is free."
        return Unsupported(FeatureNotSupported("EXPLAIN ANALYZE of a private statement is not supported", hint=hint))
    ((kind, body),) = parsed.body["query"].items()
    if kind != "SelectStmt" or "intoClause" in body:
        fault = "EXPLAIN of private tables is for SELECT only"
        return Unsupported(FeatureNotSupported(fault, hint="Explain the SELECT by itself."))
    format_ = options.get("format", "text")
    if format_ not in ("text", "json"):
        fault = "EXPLAIN of a private statement has FORMAT TEXT and JSON only"
        return Unsupported(FeatureNotSupported(fault, hint="Leave FORMAT out."))
    start = _inner_start(parsed)
    return Explained(parsed.sql[start:], start, format_ == "json")


def _options(body: Tree) -> dict[str, object]:
    """EXPLAIN's options: a boolean for switches, lower-case text otherwise."""
    return {each["DefElem"]["defname"].lower(): _value(each["DefElem"].get("arg")) for each in body.get("options", ())}


def _value(argument: Tree | None) -> object:
    if argument is None:
        return True
    ((kind, value),) = argument.items()
    match kind:
        case "String":
            text = value.get("sval", "").lower()
            return {"on": True, "true": True, "off": False, "false": False}.get(text, text)
        case "Boolean":
            return bool(value.get("boolval", False))
        case "Integer":
            return value.get("ival", 0) != 0
        case _:
            return True


def _inner_start(parsed: Parsed) -> int:
    """Where the explained statement begins, in characters: the longest tail of the text that is a SELECT by itself.

    The grammar keeps no location of it; a list of options is no SELECT, so the longest tail is the right one.
    """
    raw = parsed.sql.encode()
    for token in scan(parsed.sql).tokens[1:]:
        if raw[token.start : token.end].decode(errors="ignore").lower() in _FIRST_TOKENS and _is_select(
            raw[token.start :].decode()
        ):
            return len(raw[: token.start].decode())
    raise FeatureNotSupported("EXPLAIN of this statement is not supported")


def _is_select(tail: str) -> bool:
    try:
        return [each.kind for each in parse(tail)] == ["SelectStmt"]
    except DPProxyError:
        return False

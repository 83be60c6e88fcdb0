"""The gate: each statement of a text is passed, private, or refused. Pure.

An allow-list by node class without a default arm: a class without a rule is refused. What passes by mistake meets empty
stubs in the front, whose backstop makes it an error, so a mistake here is a wrong answer and never a leak.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final

from dpproxy.errors import DPProxyError, FeatureNotSupported, InsufficientPrivilege
from dpproxy.session.parser import Parsed, Tree, parse
from dpproxy.session.reading import Reading, Relation, read, relation
from dpproxy.session.verdicts import (
    ClosesCursor,
    Deallocates,
    Effect,
    Executes,
    Explained,
    Form,
    Names,
    Nothing,
    Pass,
    Plain,
    Prepares,
    Private,
    Refuse,
    Sets,
    Statement,
    Unsupported,
    Verdict,
)

RESERVED: Final = "dpproxy"
_OWN_KINDS: Final = frozenset({"OBJECT_TABLE", "OBJECT_VIEW", "OBJECT_MATVIEW", "OBJECT_COLUMN", "OBJECT_TABCONSTRAINT"})
_TRANSACTION: Final = frozenset(
    f"TRANS_STMT_{each}"
    for each in ("BEGIN", "START", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "ROLLBACK_TO")
)
_WRITES: Final = frozenset({"InsertStmt", "UpdateStmt", "DeleteStmt", "MergeStmt"})


@lru_cache(maxsize=4096)
def examine(sql: str, names: Names) -> tuple[Statement, ...]:
    """The statements of a text in order, each with its verdict; an empty text has none.

    A text that the server's grammar does not take is one refused statement: it never passes.
    """
    try:
        return tuple(_examine_one(parsed, names) for parsed in parse(sql))
    except DPProxyError as fault:
        return (Statement(sql, 0, Refuse(fault)),)


def _examine_one(parsed: Parsed, names: Names) -> Statement:
    reading = read(parsed.body)
    verdict = _verdict(parsed, reading, names)
    public = tuple(dict.fromkeys(each.written for each in reading.relations if each.written in names.public))
    return Statement(parsed.sql, parsed.start, verdict, _effect(parsed), public)


def _verdict(parsed: Parsed, reading: Reading, names: Names) -> Verdict:
    rule = _RULES.get(parsed.kind)
    if rule is None:
        return Refuse(_not_allowed(parsed.kind))
    fault = rule(parsed.body, names) or _nested_fault(parsed, reading, names)
    if fault is not None:
        return Refuse(fault)
    written = tuple(dict.fromkeys(each.written for each in reading.relations))
    if parsed.kind in _READERS and not names.private.isdisjoint(written):
        known = tuple(each for each in written if each in names.private or each in names.public)
        return Private(known, _form(parsed, reading))
    return Pass()


def _nested_fault(parsed: Parsed, reading: Reading, names: Names) -> DPProxyError | None:
    """What is refused wherever it stands in a statement."""
    if not reading.kinds.isdisjoint(_WRITES):
        return _denied("Data cannot be changed here.")
    if "lockingClause" in reading.kinds:
        return FeatureNotSupported("row locks (FOR UPDATE, FOR SHARE) are not supported", hint="Leave the clause out.")
    only = next((each for each in reading.relations if each.only and each.written in names.private), None)
    if only is not None:
        return FeatureNotSupported(
            f'FROM ONLY is not supported for "{only.written}"',
            hint="Leave ONLY out: a private table has no other parts.",
            position=parsed.position(only.location),
        )
    return None


def _form(parsed: Parsed, reading: Reading) -> Form:
    if parsed.kind == "ExplainStmt":
        return _explain_form(parsed)
    if "intoClause" in parsed.body:
        return _unsupported("SELECT INTO")
    if parsed.kind == "SelectStmt":
        return Plain()
    return _unsupported(_READERS[parsed.kind])


def _unsupported(what: str) -> Unsupported:
    fault = f"{what} over private tables is not supported yet"
    return Unsupported(FeatureNotSupported(fault, hint="Run the SELECT by itself: its answer is ordinary rows."))


def _explain_form(parsed: Parsed) -> Form:
    options = _options(parsed.body)
    if options.get("analyze", False):
        hint = "Plain EXPLAIN shows cost, bounds and noise, and is free."
        return Unsupported(FeatureNotSupported("EXPLAIN ANALYZE of a private statement is not supported", hint=hint))
    ((kind, body),) = parsed.body["query"].items()
    if kind != "SelectStmt" or "intoClause" in body:
        return _unsupported(f"EXPLAIN of {_READERS.get(kind, 'SELECT INTO')}")
    if options.get("format", "text") not in ("text", "json"):
        return Unsupported(FeatureNotSupported("EXPLAIN of a private statement has FORMAT TEXT and JSON only"))
    # The grammar leaves no trace of where the inner statement begins; it is the tail from its first token on.
    start = _inner_start(parsed)
    return Explained(parsed.sql[start:], start)


def _options(body: Tree) -> dict[str, object]:
    """EXPLAIN's options: a boolean for switches, lower-case text otherwise."""
    found: dict[str, object] = {}
    for each in body.get("options", ()):
        option = each["DefElem"]
        found[option["defname"].lower()] = _option_value(option.get("arg"))
    return found


def _option_value(argument: Tree | None) -> object:
    if argument is None:
        return True
    ((kind, value),) = argument.items()
    match kind:
        case "String":
            text = value.get("sval", "").lower()
            return {"on": True, "true": True, "off": False, "false": False}.get(text, text)
        case "Boolean":
            return bool(value.get("boolval", False))
        case _:
            return value.get("ival", 0) != 0


def _inner_start(parsed: Parsed) -> int:
    """Where the explained statement begins: the longest tail of the text that is a SELECT by the server's grammar."""
    from postgast import scan  # noqa: PLC0415

    raw = parsed.sql.encode()
    for token in scan(parsed.sql).tokens[1:]:
        tail = raw[token.start :].decode()
        try:
            statements = parse(tail)
        except DPProxyError:
            continue
        if len(statements) == 1 and statements[0].kind == "SelectStmt":
            return len(raw[: token.start].decode())
    raise FeatureNotSupported("EXPLAIN of this statement is not supported")

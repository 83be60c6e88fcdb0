"""The gate: each statement of a text is passed, private, or refused. Pure.

An allow-list by node class without a default arm: a class without a rule is refused. What passes by mistake meets empty
stubs in the front, whose backstop makes it an error, so a mistake here is a wrong answer and never a leak.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Final

from dpproxy.errors import DPProxyError, FeatureNotSupported, InsufficientPrivilege
from dpproxy.session.allowed_statements import READERS, RULES, computed, not_allowed, printing
from dpproxy.session.created_relations import in_own_schema
from dpproxy.session.own_data import CHANGES, copies_in, grows, nested_change, settings_view_fault
from dpproxy.session.postgres_parser import Parsed, Tree, parse
from dpproxy.session.relations_read import StatementReads, read
from dpproxy.session.set_settings import calls_fault
from dpproxy.session.texts_alike import with_ones
from dpproxy.session.verdicts import (
    ClosesCursor,
    Deallocates,
    Effect,
    Executes,
    Fetches,
    Form,
    GateNames,
    Nothing,
    Pass,
    Plain,
    Prepares,
    Private,
    Refuse,
    Sets,
    Statement,
    Verdict,
    Wrapped,
)
from dpproxy.session.wrapping_statements import arguments_of, form_of, inner_select, into_of

# A statement is a hundred times as large as the two characters that it may take.
_SHORT: Final = 1024  # characters
LONG: Final = 8192
_MOST_KEPT: Final = 16  # statements
_WRITES: Final = CHANGES | {"MergeStmt"}


def examine(sql: str, names: GateNames) -> tuple[Statement, ...]:
    """The statements of a text in order, each with its verdict; an empty text has none.

    A text that the server's grammar does not take is one refused statement: it never passes.
    """
    if len(sql) > LONG or sql.count(";") > _MOST_KEPT:
        return _examined_last(sql, names)
    return _examined_lately(sql, names) if len(sql) <= _SHORT else _examined_longer(sql, names)


def _examined(sql: str, names: GateNames) -> tuple[Statement, ...]:
    told = _told_by_another(sql, names) if len(sql) <= _SHORT else None
    return _parsed(sql, names) if told is None else (told,)


def _told_by_another(sql: str, names: GateNames) -> Statement | None:
    """The statement of a text as one tells that differs from it in whole numbers alone; None where none does.

    Claim: it is what the text's own tree would tell. Because: see `with_ones`; and of a SELECT that just passes, sets
    nothing and has no parameter, neither the value of an integer nor a place is read. Checked by: tests/test_gate.py.
    """
    other = with_ones(sql)
    found = None if other is None else _parsed_lately(other, names)
    if other is None or found is None or len(found) != 1:
        return None
    (told,) = found
    plain = type(told.verdict) is Pass and type(told.effect) is Nothing and told.kind == "SelectStmt"
    kept = told.sets or told.grows or told.inserted or told.start or told.parameter is not None or told.setters
    if not plain or kept:
        return None
    return replace(told, sql=sql[: len(sql) - (len(other) - len(told.sql))])


def _parsed(sql: str, names: GateNames) -> tuple[Statement, ...]:
    try:
        return tuple(_examine_one(parsed, names) for parsed in parse(sql))
    except DPProxyError as fault:
        return (Statement(sql, 0, Refuse(fault)),)


_parsed_lately = lru_cache(maxsize=1024)(_parsed)
_examined_lately = lru_cache(maxsize=4096)(_examined)
_examined_longer = lru_cache(maxsize=256)(_examined)
_examined_last = lru_cache(maxsize=2)(_examined)


def _examine_one(written: Parsed, names: GateNames) -> Statement:
    parsed, inserted = in_own_schema(written, names.schema)
    reading = read(parsed.body)
    verdict = _verdict(parsed, reading, names)
    public = tuple(dict.fromkeys(each.written for each in reading.relations if each.written in names.public))
    effect = Nothing() if isinstance(verdict, Refuse) else _effect(parsed, reading, names)
    parameter = _first_parameter(parsed, reading)
    assigned = tuple(each for each in reading.settings if each.parameters)
    return Statement(
        *(parsed.sql, parsed.start, verdict, effect, public, parsed.kind, inserted, parameter),
        *(reading.setters, assigned, grows(parsed), copies_in(parsed), bool(reading.settings)),
    )


def _verdict(parsed: Parsed, reading: StatementReads, names: GateNames) -> Verdict:
    rule = RULES.get(parsed.kind)
    if rule is None:
        return Refuse(not_allowed(parsed.kind))
    fault = rule(parsed.body, names) or _nested_fault(parsed, reading, names) or settings_view_fault(parsed, reading)
    if fault is not None:
        return Refuse(fault)
    written = _written(parsed, reading)
    if parsed.kind in READERS and not names.private.isdisjoint(written) and not _has_no_data(parsed):
        return Private(written, form_of(parsed))
    return Pass()


def _first_parameter(parsed: Parsed, reading: StatementReads) -> tuple[int, int] | None:
    if not reading.parameters or parsed.kind == "PrepareStmt":
        return None
    first = min(reading.parameters)
    return reading.parameters[first], parsed.position(first)


def _written(parsed: Parsed, reading: StatementReads) -> tuple[str, ...]:
    """All relations that are read, as written, each once; the table that they go into is not."""
    select = parsed.body.get("query", {}).get("SelectStmt", parsed.body)
    into = parsed.body.get("into", {}).get("rel") or into_of(select)
    into = parsed.body.get("relation") if parsed.kind == "InsertStmt" else into
    made = None if into is None else into.get("location")
    return tuple(dict.fromkeys(each.written for each in reading.relations if each.location != made))


def _has_no_data(parsed: Parsed) -> bool:
    """CREATE TABLE AS … WITH NO DATA plans nothing: the front makes it from the types of the stubs."""
    return "skipData" in parsed.body.get("into", {}) and parsed.body.get("objtype") == "OBJECT_TABLE"


def _nested_fault(parsed: Parsed, reading: StatementReads, names: GateNames) -> DPProxyError | None:
    """What is refused wherever it stands in a statement."""
    if not reading.kinds.isdisjoint(_WRITES):
        return nested_change()
    if not names.printing.isdisjoint(reading.constants):
        return printing(min(names.printing & reading.constants))
    if (fault := calls_fault(reading.settings, names.terms)) is not None:
        return fault
    if reading.computed is not None or (parsed.kind == "PrepareStmt" and reading.setters):
        return computed(None if reading.computed is None else parsed.position(reading.computed))
    if "lockingClause" in reading.kinds:
        return FeatureNotSupported("row locks (FOR UPDATE, FOR SHARE) are not supported", hint="Leave the clause out.")
    if names.closed and not names.closed.isdisjoint(called := reading.functions | {r.name for r in reading.relations}):
        return InsufficientPrivilege(
            f"permission denied for {min(called & names.closed)}",
            detail="It tells what others do, or does what outlasts the session, and could not be locked in this front.",
        )
    only = next((each for each in reading.relations if each.only and each.written in names.private), None)
    if only is not None:
        return FeatureNotSupported(
            f'FROM ONLY is not supported for "{only.written}"',
            hint="Leave ONLY out: a private table has no other parts.",
            position=parsed.position(only.location),
        )
    return None


def _effect(parsed: Parsed, reading: StatementReads, names: GateNames) -> Effect:
    body = parsed.body
    match parsed.kind:
        case "PrepareStmt":
            return Prepares(body["name"], _prepared(parsed, reading, names))
        case "DeallocateStmt":
            return Deallocates(body.get("name"))
        case "DiscardStmt" if body.get("target") == "DISCARD_ALL":
            return Deallocates(None)
        case "ExecuteStmt":
            return _executes(body, parsed.sql, 0, Plain())
        case "ExplainStmt" | "CreateTableAsStmt" if (inner := _execute_in(body)) is not None:
            form = form_of(parsed)
            start = form.start if isinstance(form, Wrapped) else 0
            return _executes(inner, parsed.sql, start, form)
        case "FetchStmt" if not body.get("ismove", False):
            return Fetches(body["portalname"])
        case "ClosePortalStmt":
            return ClosesCursor(body.get("portalname"))
        case "DeclareCursorStmt":
            return ClosesCursor(body["portalname"])
        case "VariableSetStmt" if body.get("name", "").lower().startswith("dp."):
            return Sets(frozenset([body["name"].lower()[3:]]))
        case _:
            set_ = frozenset(name[3:] for name in reading.constants if name.startswith("dp."))
            return Sets(set_) if set_ else Nothing()


def _execute_in(body: Tree) -> Tree | None:
    """The EXECUTE that is explained, or whose rows a table is made of, or both."""
    query: Tree = body["query"]
    while "CreateTableAsStmt" in query:
        query = query["CreateTableAsStmt"]["query"]
    return query.get("ExecuteStmt")


def _prepared(parsed: Parsed, reading: StatementReads, names: GateNames) -> Statement | None:
    """What a PREPARE stands for, where that may be private."""
    written = _written(parsed, reading)
    if names.private.isdisjoint(written):
        return None
    sql, start = inner_select(parsed)
    return Statement(sql, start, Private(written, Plain()), kind="SelectStmt")


def _executes(body: Tree, sql: str, start: int, form: Form) -> Executes:
    """`start`: the character of the statement that EXECUTE begins at."""
    arguments, at = arguments_of(form.select if isinstance(form, Wrapped) else sql)
    return Executes(body["name"], arguments, len(body.get("params", ())), start + at, form)

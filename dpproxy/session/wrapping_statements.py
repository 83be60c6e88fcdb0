"""Statements around a SELECT: EXPLAIN, DECLARE, COPY, CREATE TABLE AS, SELECT INTO, PREPARE; and where it stands.

The grammar keeps no location of an inner statement. It is the longest tail of the text that is a SELECT by itself, once
what may follow it is cut off: the words before it are never a SELECT together with it.

Checked by: tests/test_gate.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from postgast import scan

from dpproxy.errors import DPProxyError, FeatureNotSupported, NotPrivate
from dpproxy.session.postgres_parser import Parsed, Tree, parse
from dpproxy.session.verdicts import (
    Copies,
    Creates,
    Declares,
    Explains,
    Form,
    Inserts,
    Plain,
    Unsupported,
    Use,
    Wrapped,
)

_FIRST_TOKENS: Final = ("(", "select", "with", "values", "table", "execute")
_INNER: Final = ("SelectStmt", "ExecuteStmt")
_EXPLAINED: Final = ("SelectStmt", "ExecuteStmt", "CreateTableAsStmt", "DeclareCursorStmt")
_TABLE: Final = "OBJECT_TABLE"
_BINARY: Final = 0x1  # CURSOR_OPT_BINARY
_HOLD: Final = 0x20  # CURSOR_OPT_HOLD
_FORMATS: Final = ("text", "json", "xml", "yaml")
_COMMENTS: Final = ("--", "/*")
_BEHIND_INSERT: Final = ("onConflictClause", "returningList", "returningClause")
_PERSISTENCE: Final = {"u": "UNLOGGED ", "t": "TEMPORARY "}
Words = Sequence[tuple[int, int, str]]


def form_of(parsed: Parsed) -> Form:
    """What a statement that may read private tables does with their rows."""
    body = parsed.body
    match parsed.kind:
        case "SelectStmt" if (into := into_of(body)) is not None:
            return _select_into(parsed, into)
        case "SelectStmt":
            return Plain()
        case "ExplainStmt":
            return _explained(parsed)
        case "DeclareCursorStmt":
            options = body.get("options", 0)
            return _wrapped(parsed, Declares(body["portalname"], bool(options & _HOLD), bool(options & _BINARY)))
        case "CopyStmt" if "query" in body:
            return _copied(parsed)
        case "CreateTableAsStmt" if "ExecuteStmt" in body["query"] and "skipData" in body["into"]:
            fault = "WITH NO DATA of a prepared private statement is not supported"
            return Unsupported(
                FeatureNotSupported(fault, hint="Write its SELECT: CREATE TABLE … AS SELECT … WITH NO DATA.")
            )
        case "CreateTableAsStmt" if body.get("objtype") == _TABLE:
            return _wrapped(parsed, _creates(body["into"]["rel"], body.get("if_not_exists", False)))
        case "CopyStmt":
            hint = "Aggregate them, as in COPY (SELECT count(*) FROM t) TO STDOUT."
            return Unsupported(NotPrivate("the rows of a private table cannot be copied", hint=hint))
        case "InsertStmt":
            return _inserted(parsed)
        case "UpdateStmt" | "DeleteStmt":
            return _changed(parsed.kind)
        case kind:
            return _refused_view(kind)


def inner_select(parsed: Parsed) -> tuple[str, int]:
    """The SELECT of a PREPARE, and the character that it begins at."""
    start = _inner_start(parsed.sql)
    return parsed.sql[start:], start


def arguments_of(sql: str) -> tuple[str, int]:
    """The arguments of an EXECUTE with their parentheses, and the character that they begin at."""
    start = next((begin for begin, _, word in _words(sql) if word == "("), len(sql))
    return sql[start:], start


def into_of(select: Tree) -> Tree | None:
    """The relation that SELECT INTO makes, which the first SELECT of a set operation names."""
    while "larg" in select:
        select = select["larg"]
    rel: Tree | None = select.get("intoClause", {}).get("rel")
    return rel


def _refused_view(kind: str) -> Unsupported:
    what = "a view" if kind == "ViewStmt" else "a materialized view"
    fault = f"{what} over private tables cannot be kept: each look at it would be a new release, to be paid for"
    return Unsupported(NotPrivate(fault, hint="Keep the answer: CREATE TABLE … AS SELECT … is paid once, then free."))


def _explained(parsed: Parsed) -> Form:
    options = _options(parsed.body)
    if options.get("analyze", False):
        hint = "Plain EXPLAIN shows cost, bounds and noise, and is free."
        return Unsupported(FeatureNotSupported("EXPLAIN ANALYZE of a private statement is not supported", hint=hint))
    ((kind, body),) = parsed.body["query"].items()
    if kind not in _EXPLAINED or body.get("objtype", _TABLE) != _TABLE:
        fault = "EXPLAIN of this statement over private tables is not supported"
        return Unsupported(FeatureNotSupported(fault, hint="Explain its SELECT by itself."))
    format_ = str(options.get("format", "text"))
    # A format that there is none of is refused by the front, with all else that it has against the options.
    use = Explains(
        format_ if format_ in _FORMATS else "text",
        bool(options.get("generic_plan", False)),
        bool(options.get("verbose", False)),
    )
    into = into_of(body) if kind == "SelectStmt" else None
    if into is None:
        return _wrapped(parsed, use)
    start, select = _inner_start(parsed.sql), _without_into(parsed, into)
    return Wrapped(use, parsed.sql[:start], select[start:], "", start)


def _inserted(parsed: Parsed) -> Form:
    """INSERT whose rows come from private tables: the SELECT must stand by itself at its end."""
    body = parsed.body
    if "withClause" in body:
        fault = "WITH before INSERT is not supported where rows come from private tables"
        return Unsupported(FeatureNotSupported(fault, hint="Write it behind INSERT INTO …, before its SELECT."))
    if not body.keys().isdisjoint(_BEHIND_INSERT):
        fault = "RETURNING and ON CONFLICT are not supported where rows come from private tables"
        return Unsupported(FeatureNotSupported(fault, hint="Leave them out, or keep the answer in a table first."))
    return _wrapped(parsed, Inserts())


def _changed(kind: str) -> Unsupported:
    name = kind.removesuffix("Stmt").upper()
    hint = "Keep the answer first: CREATE TABLE … AS SELECT … is paid once; then use that table here, for free."
    return Unsupported(NotPrivate(f"{name} cannot read private tables", hint=hint))


def _wrapped(parsed: Parsed, use: Use) -> Wrapped:
    sql, end = parsed.sql, _inner_end(parsed)
    start = _inner_start(sql[:end])
    return Wrapped(use, sql[:start], sql[start:end], sql[end:], start)


def _copied(parsed: Parsed) -> Wrapped:
    """The query of COPY is what its first parentheses hold."""
    sql, depth, start = parsed.sql, 0, 0
    for begin, end, word in _words(sql):
        depth += {"(": 1, ")": -1}.get(word, 0)
        if word == "(" and not start:
            start = end
        if start and not depth:
            return Wrapped(Copies(), sql[:start], sql[start:begin], sql[begin:], start)
    raise FeatureNotSupported("COPY of this statement is not supported")


def _select_into(parsed: Parsed, rel: Tree) -> Wrapped:
    """CREATE TABLE AS is what is done."""
    use = _creates(rel, False)
    before = f"CREATE {_PERSISTENCE.get(rel.get('relpersistence', 'p'), '')}TABLE {use.quoted} AS "
    return Wrapped(use, before, _without_into(parsed, rel), "", 0)


def _without_into(parsed: Parsed, rel: Tree) -> str:
    """The words of INTO stand within the SELECT, so blanks come in their place."""
    sql, words = parsed.sql, _words(parsed.sql)
    name = parsed.position(rel["location"]) - 1
    first = max(index for index, (begin, _, word) in enumerate(words) if word == "into" and begin < name)
    last = next(index for index, (begin, _, _) in enumerate(words) if begin == name)
    if "schemaname" in rel:
        last = _escaped(words, last) + 2
    begin, end = words[first][0], words[_escaped(words, last)][1]
    return sql[:begin] + " " * (end - begin) + sql[end:]


def _escaped(words: Words, index: int) -> int:
    """The last word of the name that begins at `index`: U&"…" may have a UESCAPE."""
    return index + 2 if index + 1 < len(words) and words[index + 1][2] == "uescape" else index


def _creates(rel: Tree, unless_there: bool) -> Creates:
    return Creates(rel.get("schemaname", ""), rel["relname"], unless_there)


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


def _words(sql: str) -> Words:
    """Tokens but comments: begin and end in characters, and the text, small letters."""
    raw, words, done, at = sql.encode(), [], 0, 0
    for each in scan(sql).tokens:
        at += len(raw[done : each.start].decode())
        text = raw[each.start : each.end].decode()
        if not text.startswith(_COMMENTS):
            words.append((at, at + len(text), text.lower()))
        at, done = at + len(text), each.end
    return words


def _inner_end(parsed: Parsed) -> int:
    """Where the SELECT ends: before WITH [NO] DATA, which only CREATE TABLE AS has."""
    words = _words(parsed.sql)
    creates = parsed.kind == "CreateTableAsStmt" or "CreateTableAsStmt" in parsed.body.get("query", {})
    if creates and words[-1][2] == "data":
        for back in (2, 3):
            if words[-back][2] == "with" and all(word[2] in ("no", "data") for word in words[1 - back :]):
                return words[-back][0]
    return len(parsed.sql)


def _inner_start(sql: str) -> int:
    depth = 0
    for begin, _, word in _words(sql)[1:]:
        # Whatever begins it stands outside of parentheses, so there are few to try.
        if not depth and word in _FIRST_TOKENS and _is_inner(sql[begin:]):
            return begin
        depth += {"(": 1, ")": -1}.get(word, 0)
    raise FeatureNotSupported("what stands inside of this statement is not supported")


def _is_inner(tail: str) -> bool:
    try:
        return [each.kind in _INNER for each in parse(tail)] == [True]
    except DPProxyError:
        return False

"""A simple Query that does not just pass: run as Parse, Bind, Describe, Execute for each statement, and one Sync.

One Sync keeps the implicit transaction of the whole Query. The client sees what the simple protocol gives: for each
statement RowDescription (if it returns rows), rows and CommandComplete, and one ReadyForQuery. Statement and portal
have a name of the relay's own, because a Query leaves no unnamed ones behind, whether it fails or not.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, assert_never

from dpproxy.errors import DPProxyError
from dpproxy.session.asked import NoParameter
from dpproxy.session.faults import BACKSLASH
from dpproxy.session.loading import load
from dpproxy.session.lookup import lexing
from dpproxy.session.memory import Prepared
from dpproxy.session.own import Lookup, ask, send_lookup
from dpproxy.session.private_bind import bind_private
from dpproxy.session.replies import (
    BOUND,
    CLOSED,
    DESCRIBED,
    EXECUTED,
    PARSED,
    Described,
    Forwarded,
    Hidden,
    Own,
    Reply,
    Swapped,
    Synced,
)
from dpproxy.session.room import Session
from dpproxy.session.verdicts import Explains, Pass, Private, Refuse, Statement, Wrapped
from dpproxy.wire import Bind, Close, Describe, Execute, Parse, Sync, encode_frontend

_SYNC: Final = encode_frontend(Sync())
_NAME: Final = "dpproxy_simple"
_DESCRIBE: Final = encode_frontend(Describe("P", _NAME))
_EXECUTE: Final = encode_frontend(Execute(_NAME, 0))
_BIND: Final = Bind(_NAME, _NAME, (), (), ())
_CLOSE_UNNAMED: Final = (encode_frontend(Close("S", "")), encode_frontend(Close("P", "")))
_CLOSE: Final = (encode_frontend(Close("S", _NAME)), encode_frontend(Close("P", _NAME)))


async def run_simple(session: Session, statements: tuple[Statement, ...]) -> None:
    """All statements of one Query, up to the first that fails; in a failed pipeline a Query is skipped."""
    if session.line.replies.open and not await session.line.settled():
        return
    _close(session, _CLOSE_UNNAMED)
    for statement in statements:
        _close(session, _CLOSE)
        if len(statements) > 1 and statement.kind != "TransactionStmt":
            _begin_block(session)
        try:
            await _run(session, statement)
        except DPProxyError as fault:
            session.line.refuse(fault, statement.shift)
        if session.line.replies.skipping:
            break
    _close(session, _CLOSE)
    session.line.send(_SYNC, Synced())


def _begin_block(session: Session) -> None:
    """Several statements of one Query are a transaction block by themselves, which DECLARE wants for example.

    In a pipeline the block begins with its second statement, so a first one is run that needs no snapshot.
    """
    send_lookup(session.line, session.memory, Lookup("SHOW server_version_num"))
    session.line.replies.begun = True


def _close(session: Session, messages: tuple[bytes, ...]) -> None:
    for message in messages:
        session.line.send(message, Own(CLOSED))


async def _run(session: Session, statement: Statement) -> None:
    if statement.parameter is not None and not _is_generic(statement):
        number, position = statement.parameter
        raise NoParameter(f"there is no parameter ${number}", position=position)
    await _check_backslashes(session, statement)
    match statement.verdict:
        case Refuse(error):
            # It is one for all who write this text: with each raise its traceback would grow, and hold their frames.
            raise error.with_traceback(None)
        case Pass() if not session.memory.may_be_private(statement):
            await load(session, statement.public)
            _parse(session, statement)
            fetched = session.memory.fetched(statement)
            bind = _BIND if fetched is None or not fetched.binary else replace(_BIND, result_formats=(1,))
            session.line.say(bind, Hidden(BOUND, statement.shift))
            _finish(session, statement)
        case Pass() | Private():
            _parse(session, statement)
            plain, swapped = Hidden(BOUND, statement.shift), Own(BOUND)
            if await bind_private(session, Prepared(statement, ()), _BIND, plain, swapped, statement.shift):
                _finish_swapped(session)
            else:
                _finish(session, statement)
        case _:
            assert_never(statement.verdict)


async def _check_backslashes(session: Session, statement: Statement) -> None:
    """Each statement is parsed after those before it ran, which may have changed what the gate read it by."""
    if "\\" in statement.sql:
        row = await ask(session.line, session.memory, lexing())
        if row is not None and row[1] != b"on":
            raise BACKSLASH


def _is_generic(statement: Statement) -> bool:
    """EXPLAIN (GENERIC_PLAN) needs no values."""
    match statement.verdict:
        case Private(form=Wrapped(use=Explains(generic=True))):
            return True
        case Pass():
            return statement.kind == "ExplainStmt"
        case _:
            return False


def _parse(session: Session, statement: Statement) -> None:
    session.line.say(Parse(_NAME, statement.sql, ()), Hidden(PARSED, statement.shift))


def _finish(session: Session, statement: Statement) -> None:
    fetched = session.memory.fetched(statement)
    shown: Reply = Hidden(DESCRIBED, statement.shift, shows=b"T")
    if fetched is not None:
        shown = Described(fetched.fields or (), shows=b"T")
    session.line.send(_DESCRIBE, shown)
    undo = session.memory.apply(statement.effect)
    session.line.send(_EXECUTE, Forwarded(EXECUTED, undo, statement.shift))


def _finish_swapped(session: Session) -> None:
    portal = session.memory.portals.get(_NAME)
    assert portal is not None
    session.memory.close_portal(_NAME)
    session.line.send(_DESCRIBE, Described(portal.fields or (), shows=b"T"))
    session.line.send(_EXECUTE, Swapped(EXECUTED, portal.notice, tag=portal.tag))

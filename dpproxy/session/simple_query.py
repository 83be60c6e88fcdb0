"""A simple Query that does not just pass: run as Parse, Bind, Describe, Execute for each statement, and one Sync.

One Sync keeps the implicit transaction of the whole Query. The client sees what the simple protocol gives: for each
statement RowDescription (if it returns rows), rows and CommandComplete, and one ReadyForQuery. Statement and portal
have a name of the relay's own, because a Query leaves no unnamed ones behind, whether it fails or not.

Checked by: tests/test_relay.py.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, assert_never

from dpproxy.errors import DPProxyError, FeatureNotSupported
from dpproxy.session.bound_statement import NoParameter
from dpproxy.session.error_messages import BACKSLASH
from dpproxy.session.expected_replies import (
    BOUND,
    CLOSED,
    DESCRIBED,
    EXECUTED,
    PARSED,
    Described,
    Forwarded,
    Hidden,
    OwnMessage,
    Reply,
    Swapped,
    Synced,
)
from dpproxy.session.front_lookup import lexing
from dpproxy.session.own_room import check_room
from dpproxy.session.own_statements import Lookup, ask, send_lookup
from dpproxy.session.prerequisites import load
from dpproxy.session.private_bind import bind_private
from dpproxy.session.session_context import SessionContext
from dpproxy.session.session_state import PreparedStatement
from dpproxy.session.setting_parameters import executing_fault
from dpproxy.session.verdicts import Executes, Explains, Pass, Prepares, Private, Refuse, Statement, Wrapped
from dpproxy.wire import Bind, Close, Describe, Execute, Parse, Sync, encode_frontend

_SYNC: Final = encode_frontend(Sync())
_NAME: Final = "dpproxy_simple"
_BY_ITSELF: Final = "Send COPY by itself, not in one text with statements that are read by the proxy."
_DESCRIBE: Final = encode_frontend(Describe("P", _NAME))
_EXECUTE: Final = encode_frontend(Execute(_NAME, 0))
_BIND: Final = Bind(_NAME, _NAME, (), (), ())
_CLOSE_UNNAMED: Final = (encode_frontend(Close("S", "")), encode_frontend(Close("P", "")))
_CLOSE: Final = (encode_frontend(Close("S", _NAME)), encode_frontend(Close("P", _NAME)))


def executes_what_it_prepares(statements: tuple[Statement, ...]) -> bool:
    """Whether one text holds the PREPARE of a statement that may be private, and its EXECUTE."""
    made = {e.name for each in statements if isinstance(e := each.effect, Prepares) and e.select is not None}
    return any(isinstance(each.effect, Executes) and each.effect.name in made for each in statements)


async def run_simple(session: SessionContext, statements: tuple[Statement, ...]) -> None:
    """All statements of one Query, up to the first that fails; in a failed pipeline a Query is skipped."""
    if session.pipeline.replies.open and not await session.pipeline.settled():
        return
    session.state.end_unnamed()
    _close(session, _CLOSE_UNNAMED)
    for statement in statements:
        _close(session, _CLOSE)
        if len(statements) > 1 and statement.kind != "TransactionStmt":
            _begin_block(session)
        try:
            await _run(session, statement)
        except DPProxyError as fault:
            session.pipeline.refuse(fault, statement.shift)
        if session.pipeline.replies.skipping:
            break
    _close(session, _CLOSE)
    session.pipeline.send(_SYNC, Synced())


def _begin_block(session: SessionContext) -> None:
    """Several statements of one Query are a transaction block by themselves, which DECLARE wants for example.

    In a pipeline the block begins with its second statement, so a first one is run that needs no snapshot.
    """
    send_lookup(session.pipeline, session.state, Lookup("SHOW server_version_num"))
    session.pipeline.replies.begun = True


def _close(session: SessionContext, messages: tuple[bytes, ...]) -> None:
    for message in messages:
        session.pipeline.send(message, OwnMessage(CLOSED))


async def _run(session: SessionContext, statement: Statement) -> None:
    if statement.parameter is not None and not _is_generic(statement):
        number, position = statement.parameter
        raise NoParameter(f"there is no parameter ${number}", position=position)
    await _check_backslashes(session, statement)
    if (fault := executing_fault(statement, session.state)) is not None:
        raise fault
    if statement.copies_in and not isinstance(statement.verdict, Refuse):
        raise FeatureNotSupported("COPY FROM STDIN is not supported beside other statements", hint=_BY_ITSELF)
    if statement.grows and not isinstance(statement.verdict, Refuse):
        await check_room(session)
    match statement.verdict:
        case Refuse(error):
            # It is one for all who write this text: with each raise its traceback would grow, and hold their frames.
            raise error.with_traceback(None)
        case Pass() if not session.state.may_be_private(statement):
            await load(session, statement.public)
            _parse(session, statement)
            fetched = session.state.fetched(statement)
            bind = _BIND if fetched is None or not fetched.binary else replace(_BIND, result_formats=(1,))
            session.pipeline.say(bind, Hidden(BOUND, statement.shift))
            _finish(session, statement)
        case Pass() | Private():
            _parse(session, statement)
            plain, swapped = Hidden(BOUND, statement.shift), Swapped(BOUND, hides=BOUND)
            if await bind_private(session, PreparedStatement(statement, ()), _BIND, plain, swapped, statement.shift):
                _finish_swapped(session)
            else:
                _finish(session, statement)
        case _:
            assert_never(statement.verdict)


async def _check_backslashes(session: SessionContext, statement: Statement) -> None:
    """Each statement is parsed after those before it ran, which may have changed what the gate read it by."""
    if "\\" in statement.sql:
        row = await ask(session.pipeline, session.state, lexing())
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


def _parse(session: SessionContext, statement: Statement) -> None:
    session.pipeline.say(Parse(_NAME, statement.sql, ()), Hidden(PARSED, statement.shift))


def _finish(session: SessionContext, statement: Statement) -> None:
    fetched = session.state.fetched(statement)
    shown: Reply = Hidden(DESCRIBED, statement.shift, shows=b"T")
    if fetched is not None:
        shown = Described(fetched.fields or (), shows=b"T")
    session.pipeline.send(_DESCRIBE, shown)
    undo = session.state.apply(statement.effect)
    session.pipeline.send(_EXECUTE, Forwarded(EXECUTED, undo, statement.shift))


def _finish_swapped(session: SessionContext) -> None:
    portal = session.state.portals.get(_NAME)
    assert portal is not None
    session.state.close_portal(_NAME)
    session.pipeline.send(_DESCRIBE, Described(portal.fields or (), shows=b"T"))
    session.pipeline.send(_EXECUTE, Swapped(EXECUTED, portal.notice, tag=portal.tag, stored=portal.stored))

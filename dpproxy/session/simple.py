"""A simple Query that does not just pass: run as Parse, Bind, Describe, Execute for each statement, and one Sync.

One Sync keeps the implicit transaction of the whole Query. The client sees what the simple protocol gives: for each
statement RowDescription (if it returns rows), rows and CommandComplete, and one ReadyForQuery.
"""

from __future__ import annotations

from typing import Final, assert_never

from dpproxy.errors import DPProxyError
from dpproxy.session.faults import error_bytes
from dpproxy.session.memory import Prepared
from dpproxy.session.private_bind import Session, bind_private, load
from dpproxy.session.refusals import unusable
from dpproxy.session.replies import BOUND, DESCRIBED, EXECUTED, PARSED, Described, Forwarded, Hidden, Swapped, Synced
from dpproxy.session.verdicts import Pass, Private, Refuse, Statement
from dpproxy.wire import Bind, Describe, Execute, Parse, Sync, encode_frontend

_SYNC: Final = encode_frontend(Sync())
_DESCRIBE: Final = encode_frontend(Describe("P", ""))
_EXECUTE: Final = encode_frontend(Execute("", 0))
_BIND: Final = Bind("", "", (), (), ())


async def run_simple(session: Session, statements: tuple[Statement, ...]) -> None:
    """All statements of one Query, up to the first that fails."""
    for statement in statements:
        try:
            await _run(session, statement)
        except DPProxyError as fault:
            session.line.refuse(error_bytes(fault, session.line.codec, shift=statement.start))
        if session.line.replies.skipping:
            break
    session.line.send(_SYNC, Synced())


async def _run(session: Session, statement: Statement) -> None:
    fault = unusable(statement, session.memory)
    if fault is not None:
        raise fault
    await load(session.desk, statement.public)
    match statement.verdict:
        case Refuse(error):
            raise error
        case Pass():
            _parse(session, statement)
            session.line.say(_BIND, Hidden(BOUND, statement.start))
            _finish(session, statement)
        case Private():
            _parse(session, statement)
            hidden = Hidden(BOUND, statement.start)
            if await bind_private(session, Prepared(statement, ()), _BIND, hidden, statement.start):
                _finish_swapped(session)
            else:
                _finish(session, statement)
        case _:
            assert_never(statement.verdict)


def _parse(session: Session, statement: Statement) -> None:
    session.line.say(Parse("", statement.sql, ()), Hidden(PARSED, statement.start))


def _finish(session: Session, statement: Statement) -> None:
    session.line.send(_DESCRIBE, Hidden(DESCRIBED, statement.start, shows=b"T"))
    undo = session.memory.apply(statement.effect)
    session.line.send(_EXECUTE, Forwarded(EXECUTED, undo, statement.start))


def _finish_swapped(session: Session) -> None:
    portal = session.memory.portals.pop("")
    session.line.send(_DESCRIBE, Described(portal.description))
    session.line.send(_EXECUTE, Swapped(EXECUTED, portal.notice))

"""The rehearsal: what is to be done with the rows is done over no rows first, and taken back.

So whatever the front has against it (a name that is taken, a wrong option, no transaction) is told before the charge.

Checked by: tests/clients/test_ways.py.
"""

from __future__ import annotations

from typing import assert_never

from dpproxy.errors import DPProxyError
from dpproxy.session.bound_statement import BoundStatement
from dpproxy.session.expected_replies import BOUND, CLOSED, EXECUTED, PARSED, Hidden, OwnMessage
from dpproxy.session.quoting import quoted
from dpproxy.session.session_context import SessionContext
from dpproxy.session.type_names import written_type
from dpproxy.session.verdicts import Copies, Creates, Declares, Inserts, Wrapped
from dpproxy.wire import Bind, Close, CommandComplete, Execute, Parse, decode_backend

_NAME = "dpproxy_rehearsed"


class NoTransaction(DPProxyError, sqlstate="25P01"):
    """A cursor without HOLD ends with its statement outside of a transaction block."""


class TableThere(DPProxyError, sqlstate="42P07"):
    """Somebody else made the table at the same time."""


async def dry_run(
    session: SessionContext, asked: BoundStatement, form: Wrapped, use: Declares | Copies | Creates | Inserts
) -> bool:
    """False where the front refused, and the client has seen it. Raises NoTransaction, TableThere."""
    if isinstance(use, Declares) and not use.hold and not session.pipeline.replies.in_block:
        raise NoTransaction("DECLARE CURSOR can only be used in transaction blocks")
    done = await _run(session, form.around(_no_rows(session, asked)))
    match use:
        case Copies() | Inserts():
            return done is not None
        case Declares(cursor):
            return done is not None and await _run(session, f"CLOSE {quoted(cursor)}") is not None
        case Creates():
            return done is not None and await _dropped(session, use, done)
        case _:
            assert_never(use)


async def _dropped(session: SessionContext, use: Creates, tag: str) -> bool:
    """Only what was made by the rehearsal is dropped: where IF NOT EXISTS made nothing, the tag says so."""
    if not tag.startswith("SELECT"):
        raise TableThere(f'relation "{use.table}" already exists')
    return await _run(session, f"DROP TABLE {use.quoted}") is not None


def check_free(session: SessionContext, portal: str, shift: int) -> None:
    """Bind under a name that is taken is an error, which the client sees before there is anything to pay for.

    What comes next waits for the front's answers, this one among them.
    """
    line = session.pipeline
    line.say(Close("S", _NAME), OwnMessage(CLOSED))
    line.say(Parse(_NAME, "SELECT 1", ()), OwnMessage(PARSED))
    line.say(Bind(portal, _NAME, (), (), ()), Hidden(BOUND, shift))
    line.say(Close("P", portal), OwnMessage(CLOSED))


async def dry_run_explain(session: SessionContext, form: Wrapped) -> bool:
    """False where the front refused its options, and the client has seen it."""
    return await _run(session, form.around("SELECT 1 ")) is not None


def _no_rows(session: SessionContext, asked: BoundStatement) -> str:
    """A SELECT of the same columns, and no rows."""
    types = session.backend.types
    columns = (
        f"NULL::{written_type(types, each.type_oid, each.type_modifier)} AS {quoted(each.name)}"
        for each in asked.typed.fields or ()
    )
    return f"SELECT {', '.join(columns)} WHERE false "


async def _run(session: SessionContext, text: str) -> str | None:
    """The command tag; None where the front refused, and the client has seen it."""
    line = session.pipeline
    done = OwnMessage(EXECUTED, line.waiter())
    line.say(Close("S", _NAME), OwnMessage(CLOSED))
    line.say(Parse(_NAME, text, ()), OwnMessage(PARSED))
    line.say(Bind(_NAME, _NAME, (), (), ()), OwnMessage(BOUND))
    line.say(Execute(_NAME, 0), done)
    line.say(Close("P", _NAME), OwnMessage(CLOSED))
    assert done.waiter is not None
    frames = await line.answered(done.waiter)
    if frames is None:
        return None
    complete = decode_backend(frames[-1], line.codec)
    assert isinstance(complete, CommandComplete)
    return complete.tag

"""The description of a FETCH: the columns are those of the cursor as it is now.

Postgres's backend crashes on the description of a FETCH whose cursor was there at Parse and is closed now: so it is
parsed anew for it. Checked by: tests/clients/test_drivers.py.
"""

from __future__ import annotations

from typing import Final

from dpproxy.session.expected_replies import CLOSED, DESCRIBED, PARSED, Described, Forwarded, Hidden, OwnMessage, Reply
from dpproxy.session.session_context import SessionContext
from dpproxy.session.session_state import PreparedStatement
from dpproxy.wire import Close, Describe, Parse

_FETCHING: Final = "dpproxy_fetching"


def describe_fetch(session: SessionContext, prepared: PreparedStatement) -> None:
    """Answer the Describe of a prepared FETCH."""
    pipeline = session.pipeline
    pipeline.say(Close("S", _FETCHING), OwnMessage(CLOSED))
    pipeline.say(Parse(_FETCHING, prepared.statement.sql, prepared.types), Hidden(PARSED, 0))
    fetched = session.state.fetched(prepared.statement)
    reply: Reply = Forwarded(DESCRIBED) if fetched is None else Described(fetched.fields or ())
    pipeline.say(Describe("S", _FETCHING), reply)

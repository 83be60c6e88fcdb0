"""Data that goes into tables of the analyst's own: what is looked at before it does, and the rows of a COPY.

The front says that it waits for rows (CopyInResponse), and from then on takes nothing else: it ignores Flush and Sync,
and each other message ends the COPY. So the relay forwards rows while the front waits for them, drops Sync, and takes
any other message for a violation. Rows that a client sends before it is told wait until it is known what became of the
COPY; those of one that failed are dropped, as the front would.

Checked by: tests/test_own_data.py.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final

from dpproxy.errors import DPProxyError
from dpproxy.session.error_messages import error_bytes
from dpproxy.session.expected_replies import SimpleQuery, Synced
from dpproxy.session.own_room import check_room, no_room
from dpproxy.session.pipelined_names import Undo
from dpproxy.session.session_context import SessionContext
from dpproxy.session.verdicts import Statement
from dpproxy.wire import CopyFail, Frame, Sync, encode_frontend

_SYNC: Final = encode_frontend(Sync())
_ENDS: Final = frozenset((b"c", b"f"))
Statements = tuple[Statement, ...]


async def see_room(session: SessionContext, statements: Statements) -> bool:
    """Whether there is room for what these put into own tables; if not, or if the front skips to Sync, the client sees
    why. A COPY may have what is left, counted as it comes from the client."""
    copies = any(each.copies_in for each in statements)
    try:
        left = await check_room(session, always=copies)
    except DPProxyError as fault:
        session.pipeline.refuse(fault)
        return False
    if left is not None:
        session.state.room = left
    return not session.pipeline.replies.skipping


async def query_growing(
    session: SessionContext,
    frame: Frame,
    statements: Statements,
    undos: Callable[[Statements], deque[Undo | None]],
) -> None:
    """A simple Query that just passes, once there is room; in a failed pipeline it is skipped like the rest.

    What the relay asks is executed in a pipeline, within which a Query would not be committed: so that is ended first.
    The client has executed nothing in it, or it would be committed by that.
    """
    if session.pipeline.replies.open and not await session.pipeline.settled():
        return
    if not await see_room(session, statements):
        session.pipeline.send(_SYNC, Synced())
        return
    if session.pipeline.replies.unsynced:
        session.pipeline.send(_SYNC, Synced(hidden=True))
    session.state.end_unnamed()
    session.pipeline.send(frame.raw, SimpleQuery(undos(statements)))


def copied(session: SessionContext, frame: Frame) -> Awaitable[None] | None:
    """A piece of a COPY's rows, or their end."""
    replies = session.pipeline.replies
    if not replies.copying:
        return _copied_when_told(session, frame) if replies.pending else None
    session.state.room -= len(frame.payload)
    replies.copying = session.state.room >= 0 and frame.kind not in _ENDS
    if session.state.room >= 0:
        session.pipeline.send(frame.raw, None)
    else:
        replies.copy_fault = error_bytes(no_room(session.backend.own_bytes), session.pipeline.codec)
        session.pipeline.say(CopyFail("no room"), None)
    return None


async def _copied_when_told(session: SessionContext, frame: Frame) -> None:
    if await session.pipeline.settled() and session.pipeline.replies.copying:
        copied(session, frame)

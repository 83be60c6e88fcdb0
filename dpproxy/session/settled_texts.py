"""Texts whose meaning depends on what a statement before them may still change: they wait until that is known.

Checked by: tests/test_encodings_in_a_pipeline.py, tests/clients/test_ways.py (backslashes).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from dpproxy.errors import DPProxyError
from dpproxy.session.error_messages import BACKSLASH
from dpproxy.session.expected_replies import Synced
from dpproxy.session.front_lookup import lexing
from dpproxy.session.gate import LONG
from dpproxy.session.own_statements import ask
from dpproxy.session.prerequisites import look_through
from dpproxy.session.session_context import SessionContext
from dpproxy.wire import Frame, Sync, encode_frontend

Handler = Callable[[Frame], Awaitable[None] | None]
_SYNC: Final = encode_frontend(Sync())
_TEXTS: Final = (b"Q", b"P")


def is_plain(frame: Frame) -> bool:
    """Whether a text means the same whatever the encoding is, and however strings are read."""
    return frame.payload.isascii() and b"\\" not in frame.payload


def is_for_later(frame: Frame, idle: bool) -> bool:
    """Whether it is a text that has to wait until the front owes nothing; idle: it owes nothing now."""
    if frame.kind not in _TEXTS:
        return False
    return len(frame.payload) > LONG or (not is_plain(frame) and (not idle or b"\\" in frame.payload))


async def after_all(session: SessionContext, handler: Handler, frame: Frame) -> None:
    """A text that is not ASCII means what the encoding says, and one with a backslash what a setting says, and a
    statement before it may still change those. The gate reads a backslash in a string as itself.

    Claim: the front runs no other statement than the gate looked at. Because: where its setting reads strings in
    another way, nothing with a backslash is sent. Checked by: tests/clients/test_ways.py (backslashes).
    """
    pipeline, replies = session.pipeline, session.pipeline.replies
    if not await pipeline.settled() or (replies.unsynced and not await _learn(session)):
        return
    try:
        if not replies.conforming and b"\\" in frame.payload:
            raise BACKSLASH.with_traceback(None)
        if len(frame.payload) > LONG:
            await look_through(session.backend, frame, pipeline.codec)
    except DPProxyError as fault:
        pipeline.refuse(fault)
        if frame.kind == b"Q":
            pipeline.send(_SYNC, Synced())
        return
    waiting = handler(frame)
    if waiting is not None:
        await waiting


async def _learn(session: SessionContext) -> bool:
    """What the front reports is as of the last Sync; within a pipeline it has to be asked. False if it failed."""
    row = await ask(session.pipeline, session.state, lexing())
    if row is None:
        return False
    session.pipeline.learn_encoding(row[0])
    session.pipeline.replies.conforming = row[1] == b"on"
    return True

"""Statements of the relay's own in the client's front session: named, prepared once, never seen.

Checked by: tests/test_relay.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from dpproxy.session.expected_replies import BOUND, CLOSED, DESCRIBED, EXECUTED, PARSED, OwnMessage
from dpproxy.session.front_pipeline import FrontPipeline
from dpproxy.session.pipelined_names import Undo
from dpproxy.session.session_state import SessionState, StatementTypes, typed
from dpproxy.wire import Bind, Close, DataRow, Describe, Execute, Frame, Parse, decode_backend, encode_frontend

_PORTAL: Final = "dpproxy_lookup"
_EXECUTE: Final = encode_frontend(Execute(_PORTAL, 0))
_CLOSE: Final = encode_frontend(Close("P", _PORTAL))


@dataclass(frozen=True, slots=True)
class Lookup:
    """One row asked for in the client's session: SQL over $1 …, and the parameters of a Bind."""

    sql: str
    types: tuple[int, ...] = ()
    formats: tuple[int, ...] = ()
    values: tuple[bytes | None, ...] = ()
    result_formats: tuple[int, ...] = ()


def send_lookup(pipeline: FrontPipeline, state: SessionState, lookup: Lookup) -> OwnMessage:
    """Bind and Execute of a lookup, and Parse if it is new; the reply returned holds its row, once there is one."""
    name = state.own(lookup.sql, lookup.types)
    if name is None:
        name, _ = _parse(pipeline, state, lookup.sql, lookup.types, None)
    pipeline.say(Bind(_PORTAL, name, lookup.formats, lookup.values, lookup.result_formats), OwnMessage(BOUND))
    executed = OwnMessage(EXECUTED, pipeline.waiter())
    pipeline.send(_EXECUTE, executed)
    pipeline.send(_CLOSE, OwnMessage(CLOSED))
    return executed


async def ask(pipeline: FrontPipeline, state: SessionState, lookup: Lookup) -> tuple[bytes | None, ...] | None:
    """The row of a lookup in one round trip; None if it failed, or an earlier message did."""
    executed = send_lookup(pipeline, state, lookup)
    assert executed.waiter is not None
    return row(await pipeline.answered(executed.waiter), pipeline.codec)


def row(frames: tuple[Frame, ...] | None, codec: str) -> tuple[bytes | None, ...] | None:
    """The values of the one row of a reply."""
    if frames is None:
        return None
    message = decode_backend(frames[0], codec)
    assert isinstance(message, DataRow)
    return message.values


async def prepare_own(
    pipeline: FrontPipeline, state: SessionState, sql: str, types: tuple[int, ...], fault: bytes
) -> tuple[str, StatementTypes] | None:
    """The name and types of a statement of the relay's own, prepared and described now if it is new.

    fault: what the client sees if the front does not take it. None if so.
    """
    name = state.own(sql, types)
    known = None if name is None else state.described(name)
    if name is not None and known is not None:
        return name, known
    name, undo = _parse(pipeline, state, sql, types, fault)
    waiter = pipeline.waiter()
    pipeline.say(Describe("S", name), OwnMessage(DESCRIBED, waiter, fault, undo))
    frames = await pipeline.answered(waiter)
    if frames is None:
        return None
    described = typed(frames, pipeline.codec)
    state.describe(name, described)
    return name, described


def forget_own(pipeline: FrontPipeline, state: SessionState, sql: str, types: tuple[int, ...]) -> None:
    """Close a statement of the relay's own, if it is there: what it reads may have columns of other types by now."""
    name = state.forget(sql, types)
    if name is not None:
        pipeline.say(Close("S", name), OwnMessage(CLOSED))


def _parse(
    pipeline: FrontPipeline, state: SessionState, sql: str, types: tuple[int, ...], fault: bytes | None
) -> tuple[str, Undo]:
    name, undo = state.make_own(sql, types)
    pipeline.say(Parse(name, sql, types), OwnMessage(PARSED, None, fault, undo))
    surplus = state.surplus()
    if surplus is not None:
        pipeline.say(Close("S", surplus), OwnMessage(CLOSED))
    return name, undo

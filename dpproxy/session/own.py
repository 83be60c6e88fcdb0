"""Statements of the relay's own in the client's front session: named, prepared once, never seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from dpproxy.session.line import Line
from dpproxy.session.memory import Memory, Typed, typed
from dpproxy.session.pending import Undo
from dpproxy.session.replies import BOUND, CLOSED, DESCRIBED, EXECUTED, PARSED, Own
from dpproxy.wire import Bind, Close, DataRow, Describe, Execute, Frame, Parse, decode_backend

_PORTAL: Final = "dpproxy_lookup"


@dataclass(frozen=True, slots=True)
class Lookup:
    """One row asked for in the client's session: SQL over $1 …, and the parameters of a Bind."""

    sql: str
    types: tuple[int, ...] = ()
    formats: tuple[int, ...] = ()
    values: tuple[bytes | None, ...] = ()
    result_formats: tuple[int, ...] = ()


def send_lookup(line: Line, memory: Memory, lookup: Lookup) -> Own:
    """Bind and Execute of a lookup, and Parse if it is new; the reply returned holds its row, once there is one."""
    name = memory.own(lookup.sql, lookup.types)
    if name is None:
        name, _ = _parse(line, memory, lookup.sql, lookup.types, None)
    line.say(Bind(_PORTAL, name, lookup.formats, lookup.values, lookup.result_formats), Own(BOUND))
    executed = Own(EXECUTED, line.waiter())
    line.say(Execute(_PORTAL, 0), executed)
    line.say(Close("P", _PORTAL), Own(CLOSED))
    return executed


async def ask(line: Line, memory: Memory, lookup: Lookup) -> tuple[bytes | None, ...] | None:
    """The row of a lookup in one round trip; None if it failed, or an earlier message did."""
    executed = send_lookup(line, memory, lookup)
    assert executed.waiter is not None
    return row(await line.answered(executed.waiter), line.codec)


def row(frames: tuple[Frame, ...] | None, codec: str) -> tuple[bytes | None, ...] | None:
    """The values of the one row of a reply."""
    if frames is None:
        return None
    message = decode_backend(frames[0], codec)
    assert isinstance(message, DataRow)
    return message.values


async def prepare_own(
    line: Line, memory: Memory, sql: str, types: tuple[int, ...], fault: bytes
) -> tuple[str, Typed] | None:
    """The name and types of a statement of the relay's own, prepared and described now if it is new.

    fault: what the client sees if the front does not take it. None if so.
    """
    name = memory.own(sql, types)
    known = None if name is None else memory.described(name)
    if name is not None and known is not None:
        return name, known
    name, undo = _parse(line, memory, sql, types, fault)
    waiter = line.waiter()
    line.say(Describe("S", name), Own(DESCRIBED, waiter, fault, undo))
    frames = await line.answered(waiter)
    if frames is None:
        return None
    described = typed(frames, line.codec)
    memory.describe(name, described)
    return name, described


def forget_own(line: Line, memory: Memory, sql: str, types: tuple[int, ...]) -> None:
    """Close a statement of the relay's own, if it is there: what it reads may have columns of other types by now."""
    name = memory.forget(sql, types)
    if name is not None:
        line.say(Close("S", name), Own(CLOSED))


def _parse(line: Line, memory: Memory, sql: str, types: tuple[int, ...], fault: bytes | None) -> tuple[str, Undo]:
    name, undo = memory.make_own(sql, types)
    line.say(Parse(name, sql, types), Own(PARSED, None, fault, undo))
    surplus = memory.surplus()
    if surplus is not None:
        line.say(Close("S", surplus), Own(CLOSED))
    return name, undo

"""The statement that runs in the client's place: made, answered, and bound under the client's portal."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Final

from dpproxy.answer import OwnRows
from dpproxy.errors import DPProxyError, InternalFault
from dpproxy.plan.model import Plan
from dpproxy.post import Array
from dpproxy.rewrite.question import Question
from dpproxy.session.asked import Asked
from dpproxy.session.desk import Answered
from dpproxy.session.faults import error_bytes, notice_bytes
from dpproxy.session.gate import examine
from dpproxy.session.loading import load
from dpproxy.session.lookup import Found, set_timeouts, timeouts
from dpproxy.session.memory import Portal, Typed
from dpproxy.session.own import ask, forget_own, prepare_own
from dpproxy.session.own_tables import read_rows, read_tables
from dpproxy.session.rehearsal import rehearse_explain
from dpproxy.session.replies import Reply
from dpproxy.session.room import Session
from dpproxy.session.verdicts import Explains, Wrapped
from dpproxy.wire import Bind, CommandComplete, Field, ProtocolViolation, encode_backend, text_array

# A Postgres without libxml takes no xml, but tells EXPLAIN's column to be of it; its bytes are those of text.
_PLAN_TYPES: Final = {"text": 25, "yaml": 25, "json": 114, "xml": 142}
_EXPLAINED: Final = encode_backend(CommandComplete("EXPLAIN"))
_log: Final = logging.getLogger(__name__)


class Untranslatable(DPProxyError, sqlstate="22P05"):
    """A released value has a character that the client's encoding does not have."""


@dataclass(frozen=True, slots=True)
class Swap:
    """The statement that runs in the client's place.

    name: it is prepared under. given: the client's parameters that it takes, none where it has constants instead.
    arrays: its other parameters. fields: of the client's own text. cursor: the name and columns of the one it opens.
    tag: see `Portal`.
    """

    name: str
    given: Bind
    arrays: tuple[Array, ...]
    notice: str | None
    fields: tuple[Field, ...] | None
    cursor: tuple[str, Portal] | None = None
    tag: bytes | None = None


@dataclass(frozen=True, slots=True)
class Ready:
    """A plan whose post statement is prepared: its name, and the columns that the front says it has."""

    plan: Plan
    name: str
    typed: Typed


async def swap_plain(session: Session, asked: Asked, question: Question, looked: Found) -> Swap | None:
    """A SELECT by itself. None where the front refused, and the client has seen it. Raises DPProxyError."""
    ready = await ready_for(session, asked, question)
    answered = None if ready is None else await answer(session, ready.plan, asked.sql, looked)
    if ready is None or answered is None:
        return None
    return Swap(ready.name, asked.bind, answered.arrays, answered.notice, asked.typed.fields)


async def swap_explained(
    session: Session, asked: Asked, form: Wrapped, use: Explains, question: Question
) -> Swap | None:
    """EXPLAIN: free. None where the front refused, and the client has seen it. Raises DPProxyError."""
    plan = await session.desk.plan(question)
    if not await rehearse_explain(session, form):
        return None
    rows = await session.desk.explain(plan, use.format)
    number = len(asked.typed.parameters) + 1
    kind = "json" if use.format == "json" else "text"
    sql = f'SELECT pg_catalog.unnest(${number}::pg_catalog.{kind}[]) AS "QUERY PLAN"'
    post = await post_statement(session, sql, asked.typed.parameters)
    told = (Field("QUERY PLAN", 0, 0, _PLAN_TYPES[use.format], -1, -1, 0),)
    return None if post is None else Swap(post[0], asked.bind, (rows,), None, told, tag=_EXPLAINED)


async def ready_for(session: Session, asked: Asked, question: Question) -> Ready | None:
    """The plan, with its post statement prepared, if its columns have the types that the client was or will be told."""
    plan = await session.desk.plan(question)
    await load(session, tuple(name for each in examine(plan.post.sql, session.desk.names) for name in each.public))
    if plan.tables:
        forget_own(session.line, session.memory, plan.post.sql, asked.typed.parameters)
    post = await post_statement(session, plan.post.sql, asked.typed.parameters)
    if post is None:
        return None
    made, told = ([each.type_oid for each in typed_.fields or ()] for typed_ in (post[1], asked.typed))
    if made != told:
        _log.error("the post statement gives types %s and not %s", made, told)
        raise InternalFault()
    return Ready(plan, *post)


async def post_statement(session: Session, sql: str, types: tuple[int, ...]) -> tuple[str, Typed] | None:
    """The name and columns of the post statement, prepared."""
    fault = error_bytes(InternalFault(), session.line.codec)
    return await prepare_own(session.line, session.memory, sql, types, fault)


async def answer(session: Session, plan: Plan, sql: str, looked: Found) -> Answered | None:
    """The charge, and then the data. None where the front refused before, and the client has seen it."""
    own = await _own_rows(session, plan)
    return None if own is None else await _answered(session, plan, sql, own, timeouts(looked.settings))


async def _own_rows(session: Session, plan: Plan) -> OwnRows | None:
    """The rows that the plan is told of the analyst's own tables, as the client's transaction sees them.

    None where the front refused, and the client has seen it.
    """
    if not plan.told:
        return {}
    row = await ask(session.line, session.memory, read_tables(plan))
    return None if row is None else read_rows(plan, row)


async def _answered(session: Session, plan: Plan, sql: str, own: OwnRows, limits: dict[str, str]) -> Answered:
    """The answer, with the session's own timeouts off meanwhile.

    Claim: no setting of the session ends a statement in an error that depends on how long the engine takes.
    Because: the front's timers are off until the answer is there, and come back for its own part; the engine's limit is
    the operator's. Checked by: tests/clients/test_drivers.py::test_timeouts_of_the_session_do_not_reach_the_engine.
    """
    if limits:
        await ask(session.line, session.memory, set_timeouts(dict.fromkeys(limits, "0")))
    answered = await session.desk.answer(plan, sql, own)
    if limits:
        await ask(session.line, session.memory, set_timeouts(limits))
    return answered


def bind_swap(session: Session, swap: Swap, bind: Bind, reply: Reply) -> None:
    """The client's portal, bound to the swapped statement. Raises Untranslatable."""
    codec, given = session.line.codec, swap.given
    count = len(given.parameters)
    each = given.parameter_formats
    formats = each if len(each) == count else tuple(each or (0,)) * count
    arrays = tuple(encoded(array, codec) for array in swap.arrays)
    message = Bind(
        bind.portal, swap.name, (*formats, *[0] * len(arrays)), (*given.parameters, *arrays), bind.result_formats
    )
    notice = b"" if swap.notice is None else notice_bytes(swap.notice, codec)
    session.memory.open_portal(bind.portal, Portal(swap.fields, notice, swap.tag))
    if swap.cursor is not None:
        session.memory.open_portal(*swap.cursor)
    session.line.say(message, reply)


def encoded(array: Array, codec: str) -> bytes:
    """An array as Postgres reads it. Raises Untranslatable."""
    try:
        return text_array(array, codec)
    except ProtocolViolation:
        raise Untranslatable("a released value has a character that the client encoding does not have") from None

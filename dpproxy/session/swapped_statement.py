"""The statement that runs in the client's place: made, answered, and bound under the client's portal."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from dpproxy.answering.run import OwnRows
from dpproxy.errors import DPProxyError, InternalFault
from dpproxy.plan.private_plan import Plan
from dpproxy.post_arrays import Array
from dpproxy.remembered import remembered
from dpproxy.rewrite.question import Question
from dpproxy.session.bound_statement import BoundStatement
from dpproxy.session.client_encoding import encodable
from dpproxy.session.dry_run import dry_run_explain
from dpproxy.session.error_columns import formats_with_bars, with_bars
from dpproxy.session.error_messages import error_bytes, notice_bytes
from dpproxy.session.expected_replies import Swapped
from dpproxy.session.front_facts import FrontFacts
from dpproxy.session.front_lookup import set_timeouts, timeouts
from dpproxy.session.gate import examine
from dpproxy.session.own_statements import Lookup, ask, forget_own, prepare_own
from dpproxy.session.own_tables import read_rows, read_tables
from dpproxy.session.prerequisites import load
from dpproxy.session.private_backend import PostParameters
from dpproxy.session.recursions import given
from dpproxy.session.session_context import SessionContext
from dpproxy.session.session_state import Portal, StatementTypes
from dpproxy.session.verdicts import Explains, Wrapped
from dpproxy.wire import Bind, CommandComplete, ProtocolViolation, ResultField, encode_backend, text_array

# A Postgres without libxml takes no xml, but tells EXPLAIN's column to be of it; its bytes are those of text.
_PLAN_TYPES: Final = {"text": 25, "yaml": 25, "json": 114, "xml": 142}
_EXPLAINED: Final = encode_backend(CommandComplete("EXPLAIN"))
_log: Final = logging.getLogger(__name__)


class Untranslatable(DPProxyError, sqlstate="22P05"):
    """A released value has a character that the client's encoding does not have."""


@dataclass(frozen=True, slots=True)
class SwappedStatement:
    """The statement that runs in the client's place.

    name: it is prepared under. given: the client's parameters that it takes, none where it has constants instead.
    arrays: its other parameters. fields: of the client's own text. cursor: the name and columns of the one it opens.
    tag, stored: see `Portal`. bars: behind which of the client's own columns there are two more.
    """

    name: str
    given: Bind
    arrays: tuple[Array, ...]
    notices: tuple[str, ...]
    fields: tuple[ResultField, ...] | None
    cursor: tuple[str, Portal] | None = None
    tag: bytes | None = None
    bars: tuple[int, ...] = ()
    stored: bool = False


@dataclass(frozen=True, slots=True)
class PreparedPlan:
    """A plan whose post statement is prepared: its name, and the columns that the front says it has."""

    plan: Plan
    name: str
    typed: StatementTypes


async def swap_plain(
    session: SessionContext, asked: BoundStatement, question: Question, looked: FrontFacts
) -> SwappedStatement | None:
    """A SELECT by itself. None where the front refused, and the client has seen it. Raises DPProxyError."""
    ready = await ready_for(session, asked, question)
    answered = None if ready is None else await post_parameters(session, ready.plan, asked, looked)
    if ready is None or answered is None:
        return None
    bars = ready.plan.post.with_bars
    fields = with_bars(asked.typed.fields or (), bars)
    return SwappedStatement(
        ready.name, asked.bind, answered.arrays, answered.notices, fields, bars=bars, stored=answered.stored
    )


async def swap_explained(
    session: SessionContext, asked: BoundStatement, form: Wrapped, use: Explains, question: Question
) -> SwappedStatement | None:
    """EXPLAIN: free. None where the front refused, and the client has seen it. Raises DPProxyError."""
    plan = await session.backend.plan(question)
    if not await dry_run_explain(session, form):
        return None
    codec = session.pipeline.codec
    rows = tuple(None if row is None else encodable(row, codec) for row in await session.backend.explain(plan, use))
    number = len(asked.typed.parameters) + 1
    kind = "json" if use.format == "json" else "text"
    sql = f'SELECT pg_catalog.unnest(${number}::pg_catalog.{kind}[]) AS "QUERY PLAN"'
    post = await post_statement(session, sql, asked.typed.parameters)
    told = (ResultField("QUERY PLAN", 0, 0, _PLAN_TYPES[use.format], -1, -1, 0),)
    return None if post is None else SwappedStatement(post[0], asked.bind, (rows,), (), told, tag=_EXPLAINED)


async def ready_for(session: SessionContext, asked: BoundStatement, question: Question) -> PreparedPlan | None:
    """The plan, with its post statement prepared, if its columns have the types that the client was or will be told."""
    plan = await session.backend.plan(question)
    texts = (plan.post.sql, *([] if plan.post.before is None else [plan.post.before]))
    seen = (each for text in texts for each in examine(text, session.backend.names))
    await load(session, tuple(name for each in seen for name in each.public))
    if plan.tables:
        forget_own(session.pipeline, session.state, plan.post.sql, asked.typed.parameters)
    post = await post_statement(session, plan.post.sql, asked.typed.parameters)
    if post is None:
        return None
    fields = with_bars(asked.typed.fields or (), plan.post.with_bars)
    made, told = ([each.type_oid for each in some] for some in (post[1].fields or (), fields))
    if made != told:
        _log.error("the post statement gives types %s and not %s", made, told)
        raise InternalFault()
    return PreparedPlan(plan, *post)


async def post_statement(
    session: SessionContext, sql: str, types: tuple[int, ...]
) -> tuple[str, StatementTypes] | None:
    """The name and columns of the post statement, prepared."""
    return await prepare_own(session.pipeline, session.state, sql, types, _fault_bytes(session.pipeline.codec))


@remembered(64)
def _fault_bytes(codec: str) -> bytes:
    return error_bytes(InternalFault(), codec)


async def post_parameters(
    session: SessionContext, plan: Plan, asked: BoundStatement, looked: FrontFacts
) -> PostParameters | None:
    """The charge, and then the data. None where the front refused before, and the client has seen it."""
    if not await _asked_before(session, plan):
        return None
    own = await _own_rows(session, plan, asked)
    return None if own is None else await _run(session, plan, asked.sql, own, timeouts(looked.settings))


async def _asked_before(session: SessionContext, plan: Plan) -> bool:
    """Whether the front has nothing against what the plan asks of it before the charge; else the client has seen it.

    Claim: whatever comes of it tells nothing of private rows. Because: it reads public tables alone, in the client's
    own session and under the analyst's role.
    Checked by: `rewrite.checker.texts`, tests/clients/test_subqueries_over_wire.py.
    """
    before = plan.post.before
    return before is None or await ask(session.pipeline, session.state, Lookup(before)) is not None


async def _own_rows(session: SessionContext, plan: Plan, asked: BoundStatement) -> OwnRows | None:
    """The rows that the plan is told of the analyst's own tables, as the client's transaction sees them.

    None where the front refused, and the client has seen it.
    """
    if not plan.told:
        return {}
    row = await ask(session.pipeline, session.state, read_tables(plan, given(asked)))
    return None if row is None else read_rows(plan, row)


async def _run(session: SessionContext, plan: Plan, sql: str, own: OwnRows, limits: dict[str, str]) -> PostParameters:
    """Charged and run, with the session's own timeouts off meanwhile.

    Claim: no setting of the session ends a statement in an error that depends on how long the engine takes.
    Because: the front's timers are off until the answer is there, and come back for its own part; the engine's limit is
    the operator's. Checked by: tests/clients/test_drivers.py::test_timeouts_of_the_session_do_not_reach_the_engine.
    """
    if limits:
        await ask(session.pipeline, session.state, set_timeouts(dict.fromkeys(limits, "0")))
    answered = await session.backend.run(plan, sql, own)
    if limits:
        await ask(session.pipeline, session.state, set_timeouts(limits))
    return answered


def bind_swap(session: SessionContext, swap: SwappedStatement, bind: Bind, reply: Swapped) -> None:
    """The client's portal, bound to the swapped statement. Raises Untranslatable."""
    codec, given = session.pipeline.codec, swap.given
    count = len(given.parameters)
    each = given.parameter_formats
    formats = each if len(each) == count else tuple(each or (0,)) * count
    arrays = tuple(encoded(array, codec) for array in swap.arrays)
    message = Bind(
        bind.portal,
        swap.name,
        (*formats, *[0] * len(arrays)),
        (*given.parameters, *arrays),
        formats_with_bars(bind.result_formats, swap.bars),
    )
    notice = told(session, swap.notices)
    session.state.open_portal(bind.portal, Portal(swap.fields, notice, swap.tag, stored=swap.stored))
    if swap.cursor is not None:
        session.state.open_portal(*swap.cursor)
    session.pipeline.say(message, replace(reply, owed=notice, stored=swap.stored))


def told(session: SessionContext, notices: Sequence[str]) -> bytes:
    """The notices of a charge, as the client gets them; nothing where there are none."""
    return b"".join(notice_bytes(each, session.pipeline.codec) for each in notices)


def encoded(array: Array, codec: str) -> bytes:
    """An array as Postgres reads it. Raises Untranslatable."""
    try:
        return text_array(array, codec)
    except ProtocolViolation:
        raise Untranslatable("a released value has a character that the client encoding does not have") from None

"""A private Bind: looked up, planned, charged, run, and bound to the relay's own statement in the client's place.

describe   columns and parameters of the client's own text               (known for a statement bound before)
look up    settings, which relations its names mean, parameter values    one round trip, one more for own tables
plan       pure
prepare    the post statement, whose types must be the client's          (known for a text seen before)
read       own tables that a release is told                             one round trip, where there are any
answer     the charge, and then the data
bind       the post statement under the client's portal, with arrays behind the client's parameters
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, assert_never

from dpproxy.answer import OwnRows
from dpproxy.errors import DPProxyError, InsufficientPrivilege, InternalFault, NotPrivate
from dpproxy.plan.model import OwnTable, Plan
from dpproxy.post import Array
from dpproxy.rewrite.question import Parameter, Question
from dpproxy.rewrite.settings import NAMES as SETTING_NAMES
from dpproxy.rows import Column
from dpproxy.session.desk import Answered, Desk
from dpproxy.session.faults import error_bytes, notice_bytes
from dpproxy.session.gate import examine
from dpproxy.session.line import Line
from dpproxy.session.lookup import ENCODING, SETTINGS, Found, found, isolation, lookup, set_timeouts, timeouts
from dpproxy.session.memory import Memory, Portal, Prepared, Typed, typed
from dpproxy.session.own import ask, forget_own, prepare_own
from dpproxy.session.own_tables import describe_tables, described_tables, read_rows, read_tables
from dpproxy.session.replies import DESCRIBED, PARSED, Hidden, Own, Reply, codec_of
from dpproxy.session.typenames import type_name
from dpproxy.session.verdicts import Explained, Plain, Private, Unsupported
from dpproxy.wire import (
    Bind,
    Close,
    Describe,
    Field,
    Parse,
    ProtocolViolation,
    RowDescription,
    encode_backend,
    text_array,
)

MOST_CHARACTERS: Final = 1 << 16
_log: Final = logging.getLogger(__name__)
_EXPLAINED: Final = "dpproxy_explained"


class WrongFormats(DPProxyError, sqlstate="08P01"):
    """A Bind whose format codes do not fit its statement."""


class NotYetVisible(DPProxyError, sqlstate="40001"):
    """A public table was copied into the front after the transaction took its snapshot, and would look empty."""


class TooLong(DPProxyError, sqlstate="54000"):
    """A private statement's text is longer than is kept in memory for each plan."""


class Untranslatable(DPProxyError, sqlstate="22P05"):
    """A released value has a character that the client's encoding does not have."""


@dataclass(frozen=True, slots=True)
class Session:
    """One client's session: its line to the front, what it remembers, and the desk that answers."""

    line: Line
    memory: Memory
    desk: Desk


@dataclass(frozen=True, slots=True)
class Meant:
    """What the names of a statement mean, as written: tables of the policy, and those of the analyst's own."""

    tables: Mapping[str, str]
    own: Mapping[str, OwnTable]


@dataclass(frozen=True, slots=True)
class Swap:
    """The statement that runs in the client's place: its name, its arrays, and what goes with its portal."""

    name: str
    arrays: tuple[Array, ...]
    notice: str | None


async def bind_private(
    session: Session, prepared: Prepared, bind: Bind, plain: Reply, swapped: Reply, shift: int = 0
) -> bool:
    """Bind a statement that may be private. Whether its portal is swapped: if not, the client's own Bind was sent,
    or an error was raised, or the front skips to Sync anyway.

    plain, swapped: what is expected of the client's own Bind, or of that in its place; shift: see `faults.shifted`.
    """
    verdict = prepared.statement.verdict
    assert isinstance(verdict, Private)
    described = await _described(session, prepared, bind.statement)
    if described is None:
        return False
    try:
        looked = await _look_up(session, prepared.statement.sql, verdict, described, bind)
    except DPProxyError as fault:
        session.line.refuse(fault, shift)
        return False
    if looked is None:
        return False
    try:
        meant = await _meant(session, looked)
        if meant is None:
            return False
        if not any(map(session.desk.is_private, meant.tables.values())):
            await load(session, prepared.statement.public)
            session.line.say(bind, plain)
            return False
        swap = await _swap(session, prepared, described, looked, meant, bind)
        if swap is not None:
            _bind(session, swap, described, bind, swapped)
        return swap is not None
    except DPProxyError as fault:
        session.line.refuse(fault, shift)
        return False


async def _described(session: Session, prepared: Prepared, name: str) -> Typed | None:
    """What the front says of the client's statement, asked once. The answer also says that it is there.

    Asked anew where it reads what is not the policy's: it may have changed, and stays as it is from now on.
    """
    if _reads_others(session, prepared):
        prepared.typed = None
    elif prepared.typed is None and len(prepared.tap) == 2:
        prepared.typed = typed(prepared.tap, session.line.codec)
    if prepared.typed is None:
        waiter = session.line.waiter()
        session.line.say(Describe("S", name), Hidden(DESCRIBED, 0, waiter=waiter))
        frames = await session.line.answered(waiter)
        prepared.typed = None if frames is None else typed(frames, session.line.codec)
    return prepared.typed


def _reads_others(session: Session, prepared: Prepared) -> bool:
    verdict, names = prepared.statement.verdict, session.desk.names
    return isinstance(verdict, Private) and not all(n in names.private or n in names.public for n in verdict.names)


async def _look_up(session: Session, sql: str, verdict: Private, described: Typed, bind: Bind) -> Found | None:
    names = [f"dp.{name}" for name in sorted({*SETTING_NAMES, *session.memory.settings})]
    settings = (*SETTINGS, *names)
    query = lookup(settings, verdict.names, described.parameters, bind, sql)
    row = await ask(session.line, session.memory, query)
    if row is None:
        return None
    learn_encoding(session.line, row[settings.index(ENCODING)])
    return found(settings, verdict.names, described.parameters, row, session.line.codec)


async def _meant(session: Session, looked: Found) -> Meant | None:
    """None where the front refused, and the client has seen it."""
    desk = session.desk
    known = {name: oid for name, oid in looked.oids.items() if oid is not None}
    tables = {name: desk.oids[oid] for name, oid in known.items() if oid in desk.oids}
    others = {name: oid for name, oid in known.items() if oid not in desk.oids}
    if not others or not any(map(desk.is_private, tables.values())):
        return Meant(tables, {})
    row = await ask(session.line, session.memory, describe_tables(sorted(set(others.values()))))
    if row is None:
        return None
    found = described_tables(row, desk.types)
    return Meant(tables, {name: found[oid] for name, oid in others.items() if oid in found})


def learn_encoding(line: Line, name: bytes | None) -> None:
    """The client's encoding, as the front says that it is now."""
    if name is not None:
        line.replies.codec = codec_of(name.decode("ascii"))


async def _swap(
    session: Session, prepared: Prepared, described: Typed, looked: Found, meant: Meant, bind: Bind
) -> Swap | None:
    """Raises DPProxyError; None where the front refused, and the client has seen it."""
    verdict = prepared.statement.verdict
    assert isinstance(verdict, Private)
    if isinstance(verdict.form, Unsupported):
        raise verdict.form.error
    _check(session, prepared.statement.sql, described, looked, meant, bind)
    match verdict.form:
        case Plain():
            return await _plain(session, prepared.statement.sql, described, looked, meant)
        case Explained() as explained:
            return await _explained(session, explained, described, looked, meant)
        case _:
            assert_never(verdict.form)


def _check(session: Session, sql: str, described: Typed, looked: Found, meant: Meant, bind: Bind) -> None:
    """All that can be refused before a plan is made."""
    denied = session.desk.denied(meant.tables.values())
    if denied is not None:
        raise InsufficientPrivilege(
            f"permission denied for table {denied}", hint="Ask the owner, or see dp.tables for what you may use."
        )
    if looked.settings["standard_conforming_strings"] != "on" or looked.settings["transform_null_equals"] != "off":
        raise NotPrivate(
            "private statements need standard_conforming_strings on and transform_null_equals off",
            hint="RESET standard_conforming_strings; RESET transform_null_equals.",
        )
    if len(sql) > MOST_CHARACTERS:
        raise TooLong(f"a private statement has at most {MOST_CHARACTERS} characters", hint="Write it shorter.")
    columns = len(described.fields or ())
    if len(bind.result_formats) not in (0, 1, columns) or not {0, 1}.issuperset(bind.result_formats):
        raise WrongFormats(
            f"bind message has {len(bind.result_formats)} result formats but query has {columns} columns"
        )


def _question(session: Session, sql: str, described: Typed, looked: Found, meant: Meant) -> Question:
    types, desk = session.desk.types, session.desk
    raw = {name.removeprefix("dp."): value for name, value in looked.settings.items() if name.startswith("dp.")}
    parameters = zip(described.parameters, looked.values, strict=True)
    return Question(
        sql,
        tuple(Parameter(type_name(types, oid, -1), value) for oid, value in parameters),
        tuple(
            Column(each.name, type_name(types, each.type_oid, each.type_modifier)) for each in described.fields or ()
        ),
        desk.settings(raw),
        meant.tables,
        looked.now,
        meant.own,
    )


async def _plain(session: Session, sql: str, described: Typed, looked: Found, meant: Meant) -> Swap | None:
    plan = session.desk.plan(_question(session, sql, described, looked, meant))
    await load(session, tuple(name for each in examine(plan.post.sql, session.desk.names) for name in each.public))
    if plan.tables:
        forget_own(session.line, session.memory, plan.post.sql, described.parameters)
    name = await _post(session, plan.post.sql, described)
    if name is None:
        return None
    own = await _own_rows(session, plan)
    if own is None:
        return None
    answered = await _answered(session, plan, sql, own, timeouts(looked.settings))
    return Swap(name, answered.arrays, answered.notice)


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


async def _explained(session: Session, form: Explained, described: Typed, looked: Found, meant: Meant) -> Swap | None:
    inner = await _inner(session, form, described)
    if inner is None:
        return None
    try:
        plan = session.desk.plan(_question(session, form.sql, inner, looked, meant))
    except DPProxyError as fault:
        fault.position = None if fault.position is None else fault.position + form.start
        raise
    rows = await session.desk.explain(plan, form.json)
    kind = "json" if form.json else "text"
    number = len(described.parameters) + 1
    name = await _post(session, f'SELECT pg_catalog.unnest(${number}::pg_catalog.{kind}[]) AS "QUERY PLAN"', described)
    return None if name is None else Swap(name, (rows,), None)


async def _inner(session: Session, form: Explained, described: Typed) -> Typed | None:
    """What the front says of the statement inside an EXPLAIN."""
    line = session.line
    waiter = line.waiter()
    line.say(Parse(_EXPLAINED, form.sql, described.parameters), Hidden(PARSED, form.start))
    line.say(Describe("S", _EXPLAINED), Hidden(DESCRIBED, 0, waiter=waiter))
    line.say(Close("S", _EXPLAINED), Own(b"3"))
    frames = await line.answered(waiter)
    return None if frames is None else typed(frames, line.codec)


async def _post(session: Session, sql: str, described: Typed) -> str | None:
    """The post statement, prepared, if its columns have the types that the client was or will be told."""
    fault = error_bytes(InternalFault(), session.line.codec)
    own = await prepare_own(session.line, session.memory, sql, described.parameters, fault)
    if own is None:
        return None
    name, answer = own
    made, told = ([each.type_oid for each in typed_.fields or ()] for typed_ in (answer, described))
    if made != told:
        _log.error("the post statement gives types %s and not %s", made, told)
        raise InternalFault()
    return name


def _bind(session: Session, swap: Swap, described: Typed, bind: Bind, reply: Reply) -> None:
    count, codec = len(described.parameters), session.line.codec
    formats = bind.parameter_formats
    each = formats if len(formats) == count else tuple(formats or (0,)) * count
    try:
        arrays = tuple(text_array(array, codec) for array in swap.arrays)
    except ProtocolViolation:
        raise Untranslatable("a released value has a character that the client encoding does not have") from None
    message = Bind(
        bind.portal, swap.name, (*each, *[0] * len(arrays)), (*bind.parameters, *arrays), bind.result_formats
    )
    notice = b"" if swap.notice is None else notice_bytes(swap.notice, codec)
    session.memory.portals[bind.portal] = Portal(_description(described, bind.result_formats, codec), notice)
    session.line.say(message, reply)


def _description(described: Typed, formats: tuple[int, ...], codec: str) -> bytes:
    """The row description of the client's own text, in the Bind's formats."""
    fields = described.fields or ()
    each = formats if len(formats) == len(fields) else tuple(formats or (0,)) * len(fields)
    return encode_backend(
        RowDescription(tuple(_formatted(field, format_) for field, format_ in zip(fields, each, strict=True))), codec
    )


def _formatted(field: Field, format_: int) -> Field:
    return Field(
        field.name, field.table_oid, field.attnum, field.type_oid, field.type_size, field.type_modifier, format_
    )


async def load(session: Session, written: tuple[str, ...]) -> None:
    """Public tables are copied into the front at first use."""
    if written and session.desk.needs_loading(written):
        await session.desk.load(written)
        level = await ask(session.line, session.memory, isolation())
        if level is not None and level[0] in (b"repeatable read", b"serializable"):
            raise NotYetVisible(
                f"the rows of {', '.join(written)} were loaded after this transaction began", hint="Run it again."
            )

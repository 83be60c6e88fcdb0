"""What is asked by a private Bind: a SELECT, the types and values of its parameters, and what is done with its rows.

The SELECT stands by itself, inside of another statement (EXPLAIN, DECLARE, COPY, CREATE TABLE AS), or it was prepared
and is executed by SQL: EXECUTE's arguments are evaluated by the front, and then they are parameters like any others.

Checked by: tests/test_relay.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from dpproxy.errors import DPProxyError
from dpproxy.session.expected_replies import BOUND, CLOSED, DESCRIBED, EXECUTED, PARSED, Hidden, OwnMessage
from dpproxy.session.own_statements import row
from dpproxy.session.session_context import SessionContext
from dpproxy.session.session_state import PreparedStatement, StatementTypes, typed
from dpproxy.session.verdicts import Copies, Executes, Explains, Form, Private, Unsupported, Wrapped
from dpproxy.wire import Bind, Close, Describe, Execute, Parse

# Named statements outlive an error: what may be left of the last time is closed first.
_INNER: Final = "dpproxy_inner"
_ARGUMENTS: Final = "dpproxy_arguments"
_EXECUTED: Final = "dpproxy_executed"


class NoParameter(DPProxyError, sqlstate="42P02"):
    """There are no values for parameters here."""


class WrongCount(DPProxyError, sqlstate="08P01"):
    """A Bind with more or fewer values than the statement has parameters."""


class WrongArguments(DPProxyError, sqlstate="42601"):
    """EXECUTE with more or fewer arguments than the statement has parameters."""


@dataclass(frozen=True, slots=True)
class BoundStatement:
    """sql, names: the SELECT, and all relations in it as written. typed: what the front says of it. bind: parameters.

    form: what is done with its rows. start: where it begins in the client's statement; None if it does not stand there.
    told: whether the client knows its columns already.
    """

    sql: str
    names: tuple[str, ...]
    typed: StatementTypes
    bind: Bind
    form: Form
    start: int | None
    told: bool = False


async def read_bound_statement(
    session: SessionContext, prepared: PreparedStatement, bind: Bind
) -> BoundStatement | None:
    """None where the front refused, and the client has seen it. Raises DPProxyError."""
    verdict, effect = prepared.statement.verdict, prepared.statement.effect
    if isinstance(effect, Executes):
        return await _executed(session, effect, bind)
    assert isinstance(verdict, Private)
    described = await _described(session, prepared, bind.statement)
    if described is None:
        return None
    form = verdict.form
    count, generic = len(described.parameters), isinstance(form, Wrapped) and _is_generic(form)
    if len(bind.parameters) != count and not (generic and not bind.parameters):
        told = f'bind message supplies {len(bind.parameters)} parameters, but prepared statement "{bind.statement}"'
        raise WrongCount(f"{told} requires {count}")
    if not isinstance(form, Wrapped):
        return BoundStatement(prepared.statement.sql, verdict.names, described, bind, form, 0)
    inner = await _inner(session, form, described)
    if isinstance(form.use, Copies) and inner is not None and inner.parameters:
        raise NoParameter("there is no parameter $1", hint="COPY takes none: write the value out.")
    if generic and not bind.parameters:
        bind = replace(bind, parameters=(None,) * len(described.parameters))
    return None if inner is None else BoundStatement(form.select, verdict.names, inner, bind, form, form.start)


def _is_generic(form: Wrapped) -> bool:
    return isinstance(form.use, Explains) and form.use.generic


async def _described(session: SessionContext, prepared: PreparedStatement, name: str) -> StatementTypes | None:
    """What the front says of a client's statement, asked once. The answer also says that it is there.

    Asked anew where it reads what is not the policy's: it may have changed, and stays as it is from now on.
    """
    if _reads_others(session, prepared):
        prepared.typed = None
    elif prepared.typed is None and len(prepared.tap) == 2:
        prepared.typed = typed(prepared.tap, session.pipeline.codec)
    if prepared.typed is None:
        waiter = session.pipeline.waiter()
        session.pipeline.say(Describe("S", name), Hidden(DESCRIBED, 0, waiter=waiter))
        frames = await session.pipeline.answered(waiter)
        prepared.typed = None if frames is None else typed(frames, session.pipeline.codec)
    return prepared.typed


def _reads_others(session: SessionContext, prepared: PreparedStatement) -> bool:
    verdict, names = prepared.statement.verdict, session.backend.names
    return isinstance(verdict, Private) and not all(n in names.private or n in names.public for n in verdict.names)


async def _inner(session: SessionContext, form: Wrapped, described: StatementTypes) -> StatementTypes | None:
    """What the front says of the SELECT inside. Parameter types are those of the whole; COPY has none."""
    line = session.pipeline
    waiter = line.waiter()
    line.say(Close("S", _INNER), OwnMessage(CLOSED))
    line.say(Parse(_INNER, form.select, described.parameters), Hidden(PARSED, form.start))
    line.say(Describe("S", _INNER), Hidden(DESCRIBED, 0, waiter=waiter))
    frames = await line.answered(waiter)
    return None if frames is None else typed(frames, line.codec)


async def _executed(session: SessionContext, effect: Executes, bind: Bind) -> BoundStatement | None:
    if isinstance(effect.form, Unsupported):
        raise effect.form.error.with_traceback(None)
    prepared = session.state.statements.get(effect.name)
    assert prepared is not None
    verdict = prepared.statement.verdict
    assert isinstance(verdict, Private)
    described = await _described(session, prepared, effect.name)
    if described is None:
        return None
    types = described.parameters
    if effect.count != len(types):
        fault = f'wrong number of parameters for prepared statement "{effect.name}"'
        raise WrongArguments(fault, detail=f"Expected {len(types)} parameters but got {effect.count}.")
    values = await _arguments(session, effect, types) if types else ()
    if values is None:
        return None
    given = Bind(bind.portal, bind.statement, (1,) * len(types), values, bind.result_formats)
    form = verdict.form if not isinstance(effect.form, Wrapped) else effect.form
    return BoundStatement(prepared.statement.sql, verdict.names, described, given, form, None)


async def _arguments(
    session: SessionContext, effect: Executes, types: tuple[int, ...]
) -> tuple[bytes | None, ...] | None:
    """The values of EXECUTE's arguments in binary: those that a statement which returns its parameters is given."""
    line = session.pipeline
    before = f"EXECUTE {_ARGUMENTS}"
    shift = effect.start - len(before)
    returned = ", ".join(f"${number}" for number in range(1, len(types) + 1))
    for name in (_ARGUMENTS, _EXECUTED):
        line.say(Close("S", name), OwnMessage(CLOSED))
    line.say(Parse(_ARGUMENTS, f"SELECT {returned}", types), OwnMessage(PARSED))
    line.say(Parse(_EXECUTED, before + effect.arguments, ()), Hidden(PARSED, shift))
    line.say(Bind(_EXECUTED, _EXECUTED, (), (), (1,)), Hidden(BOUND, shift))
    executed = Hidden(EXECUTED, shift, waiter=line.waiter())
    line.say(Execute(_EXECUTED, 0), executed)
    line.say(Close("P", _EXECUTED), OwnMessage(CLOSED))
    assert executed.waiter is not None
    return row(await line.answered(executed.waiter), line.codec)

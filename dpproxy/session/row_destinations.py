"""Rows that go somewhere: into a cursor, a table, or a copy to the client.

Checked by: tests/clients/test_ways.py.
"""

from __future__ import annotations

import re
from typing import Final, assert_never

from postgast import scan

from dpproxy.errors import InternalFault
from dpproxy.rewrite.question import Question
from dpproxy.session.bound_statement import BoundStatement
from dpproxy.session.dry_run import dry_run
from dpproxy.session.error_messages import error_bytes
from dpproxy.session.expected_replies import CLOSED, PARSED, OwnMessage
from dpproxy.session.front_facts import FrontFacts
from dpproxy.session.private_backend import PostParameters
from dpproxy.session.quoting import quoted
from dpproxy.session.session_context import SessionContext
from dpproxy.session.session_state import Portal
from dpproxy.session.swapped_statement import PreparedPlan, SwappedStatement, encoded, post_parameters, ready_for, told
from dpproxy.session.type_names import written_type
from dpproxy.session.verdicts import Copies, Creates, Declares, Inserts, Wrapped
from dpproxy.wire import Bind, Close, Parse

_NAME: Final = "dpproxy_used"
_PARAMETER: Final = re.compile(r"\$[0-9]+")


async def swap_used(
    session: SessionContext,
    asked: BoundStatement,
    form: Wrapped,
    use: Declares | Copies | Creates | Inserts,
    question: Question,
    looked: FrontFacts,
) -> SwappedStatement | None:
    """None where the front refused, and the client has seen it. Raises DPProxyError."""
    ready = await ready_for(session, asked, question)
    if ready is None or not await dry_run(session, asked, form, use):
        return None
    answered = await post_parameters(session, ready.plan, asked, looked)
    if answered is None:
        return None
    sql, notice = ready.plan.post.sql, told(session, answered.notices)
    match use:
        case Declares(cursor, binary=binary):
            _prepare(session, form.around(sql + " "), asked.typed.parameters, notice)
            opened = (cursor, Portal(asked.typed.fields or (), binary=binary))
            return SwappedStatement(
                _NAME, asked.bind, answered.arrays, answered.notices, None, opened, stored=answered.stored
            )
        case Creates() | Inserts():
            text = form.around(_of_types(session, sql, asked, ready) + " ")
            _prepare(session, text, asked.typed.parameters, notice)
            return SwappedStatement(_NAME, asked.bind, answered.arrays, answered.notices, None, stored=answered.stored)
        case Copies():
            _prepare(session, form.around(_with_constants(session, sql, asked, answered)), (), notice)
            return SwappedStatement(_NAME, Bind("", "", (), (), ()), (), answered.notices, None, stored=answered.stored)
        case _:
            assert_never(use)


def _prepare(session: SessionContext, sql: str, types: tuple[int, ...], notice: bytes) -> None:
    """Under one name: a portal that is bound to it keeps it when the next takes its place. It is charged already."""
    fault = error_bytes(InternalFault(InternalFault.CHARGED), session.pipeline.codec)
    session.pipeline.say(Close("S", _NAME), OwnMessage(CLOSED))
    session.pipeline.say(Parse(_NAME, sql, types), OwnMessage(PARSED, None, fault, owed=notice))


def _of_types(session: SessionContext, sql: str, asked: BoundStatement, ready: PreparedPlan) -> str:
    """The post statement with the type modifiers of the client's own text, which a table's columns keep."""
    told, made = asked.typed.fields or (), ready.typed.fields or ()
    if all(a.type_modifier == b.type_modifier for a, b in zip(told, made, strict=True)):
        return sql
    names = [f"c{number}" for number in range(len(told))]
    columns = (
        f"{name}::{written_type(session.backend.types, each.type_oid, each.type_modifier)} AS {quoted(each.name)}"
        for name, each in zip(names, told, strict=True)
    )
    return f"SELECT {', '.join(columns)} FROM ({sql}) AS t ({', '.join(names)})"


def _with_constants(session: SessionContext, sql: str, asked: BoundStatement, answered: PostParameters) -> str:
    """COPY takes no parameters: the arrays are written into the text, each in the place of its own."""
    codec = session.pipeline.codec
    arrays = [_literal(encoded(each, codec).decode(codec)) for each in answered.arrays]
    raw, parts, done = sql.encode(), [], 0
    for token in scan(sql).tokens:
        word = raw[token.start : token.end].decode()
        if _PARAMETER.fullmatch(word):
            number = int(word[1:])
            parts += [raw[done : token.start].decode(), arrays[number - 1 - len(asked.typed.parameters)]]
            done = token.end
    return "".join(parts) + raw[done:].decode()


def _literal(text: str) -> str:
    """Under standard_conforming_strings, which private statements require."""
    return "'" + text.replace("'", "''") + "'"

"""Rows that go somewhere: into a cursor, a table, or a copy to the client."""

from __future__ import annotations

import re
from typing import Final, assert_never

from postgast import scan

from dpproxy.errors import InternalFault
from dpproxy.rewrite.question import Question
from dpproxy.session.asked import Asked
from dpproxy.session.desk import Answered
from dpproxy.session.faults import error_bytes
from dpproxy.session.lookup import Found
from dpproxy.session.memory import Portal
from dpproxy.session.quoting import quoted
from dpproxy.session.rehearsal import rehearse
from dpproxy.session.replies import CLOSED, PARSED, Own
from dpproxy.session.room import Session
from dpproxy.session.swap import Ready, Swap, answer, encoded, ready_for
from dpproxy.session.typenames import written_type
from dpproxy.session.verdicts import Copies, Creates, Declares, Wrapped
from dpproxy.wire import Bind, Close, Parse

_NAME: Final = "dpproxy_used"
_PARAMETER: Final = re.compile(r"\$[0-9]+")


async def swap_used(
    session: Session, asked: Asked, form: Wrapped, use: Declares | Copies | Creates, question: Question, looked: Found
) -> Swap | None:
    """None where the front refused, and the client has seen it. Raises DPProxyError."""
    ready = await ready_for(session, asked, question)
    if ready is None or not await rehearse(session, asked, form, use):
        return None
    answered = await answer(session, ready.plan, asked.sql, looked)
    if answered is None:
        return None
    sql = ready.plan.post.sql
    match use:
        case Declares(cursor, binary=binary):
            _prepare(session, form.around(sql + " "), asked.typed.parameters)
            opened = (cursor, Portal(asked.typed.fields or (), binary=binary))
            return Swap(_NAME, asked.bind, answered.arrays, answered.notice, None, opened)
        case Creates():
            _prepare(session, form.around(_of_types(session, sql, asked, ready) + " "), asked.typed.parameters)
            return Swap(_NAME, asked.bind, answered.arrays, answered.notice, None)
        case Copies():
            _prepare(session, form.around(_with_constants(session, sql, asked, answered)), ())
            return Swap(_NAME, Bind("", "", (), (), ()), (), answered.notice, None)
        case _:
            assert_never(use)


def _prepare(session: Session, sql: str, types: tuple[int, ...]) -> None:
    """Under one name: a portal that is bound to it keeps it when the next takes its place."""
    fault = error_bytes(InternalFault(), session.line.codec)
    session.line.say(Close("S", _NAME), Own(CLOSED))
    session.line.say(Parse(_NAME, sql, types), Own(PARSED, None, fault))


def _of_types(session: Session, sql: str, asked: Asked, ready: Ready) -> str:
    """The post statement with the type modifiers of the client's own text, which a table's columns keep."""
    told, made = asked.typed.fields or (), ready.typed.fields or ()
    if all(a.type_modifier == b.type_modifier for a, b in zip(told, made, strict=True)):
        return sql
    names = [f"c{number}" for number in range(len(told))]
    columns = (
        f"{name}::{written_type(session.desk.types, each.type_oid, each.type_modifier)} AS {quoted(each.name)}"
        for name, each in zip(names, told, strict=True)
    )
    return f"SELECT {', '.join(columns)} FROM ({sql}) AS t ({', '.join(names)})"


def _with_constants(session: Session, sql: str, asked: Asked, answered: Answered) -> str:
    """COPY takes no parameters: the arrays are written into the text, each in the place of its own."""
    codec = session.line.codec
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

"""One statement: asked, or explained before it is paid for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

import psycopg
from psycopg.pq import TransactionStatus
from psycopg.rows import tuple_row

from dpproxy.client.answers import AnswerColumn, PricedAnswer
from dpproxy.client.connecting import Source, connected
from dpproxy.client.refusals import readable

Parameters = Sequence[Any] | Mapping[str, Any] | None
Setting = str | float | bool
_USUAL_CONFIDENCE: Final = "95 %"


def ask(sql: str, connection: Source, params: Parameters = None, **settings: Setting) -> PricedAnswer:
    """The answer to a statement; of several in one text, the last that has rows.

    settings: those of class `dp`, for this statement alone: `epsilon=0.5` is `SET dp.epsilon = 0.5`, and set back after
    it. The ends of intervals come as columns unless `error_columns=False`.
    Raises StatementError where it is refused or fails, psycopg.OperationalError where there is no connection.
    """
    with readable(), connected(connection) as opened, _set(opened, {"error_columns": True, **settings}):
        (confidence,) = _values(opened, ["confidence"])
        with _heard(opened) as notices:
            columns, rows = _last(psycopg.Cursor(opened, row_factory=tuple_row).execute(sql.encode(), params))
        return PricedAnswer(columns, rows, tuple(notices), _percent(confidence))


def explain(sql: str, connection: Source, **settings: Setting) -> str:
    """What a statement would cost and how large its error would be, free: the text of EXPLAIN."""
    with readable(), connected(connection) as opened, _set(opened, settings):
        rows = psycopg.Cursor(opened, row_factory=tuple_row).execute(f"EXPLAIN {sql}".encode()).fetchall()
    return "\n".join(str(line) for (line,) in rows)


def _last(cursor: psycopg.Cursor[tuple[Any, ...]]) -> tuple[tuple[AnswerColumn, ...], Sequence[tuple[Any, ...]]]:
    found: tuple[tuple[AnswerColumn, ...], Sequence[tuple[Any, ...]]] = ((), ())
    more: bool | None = True
    while more:
        if cursor.description is not None:
            found = tuple(AnswerColumn(each.name, each.type_code) for each in cursor.description), cursor.fetchall()
        more = cursor.nextset()
    return found


@contextmanager
def _heard(connection: psycopg.Connection[Any]) -> Iterator[list[str]]:
    """The notices of a block. Handlers that are there hear them, too."""
    heard: list[str] = []

    def hear(told: psycopg.errors.Diagnostic) -> None:
        heard.append(told.message_primary or "")

    connection.add_notice_handler(hear)
    try:
        yield heard
    finally:
        connection.remove_notice_handler(hear)


@contextmanager
def _set(connection: psycopg.Connection[Any], settings: Mapping[str, Setting]) -> Iterator[None]:
    """Settings for a block, then as they were. A transaction that failed sets them back itself, at its ROLLBACK."""
    before = dict(zip(settings, _values(connection, list(settings)), strict=True))
    try:
        _set_all(connection, {name: _text(value) for name, value in settings.items()})
        yield
    finally:
        if connection.info.transaction_status in (TransactionStatus.IDLE, TransactionStatus.INTRANS):
            _set_all(connection, before)


def _values(connection: psycopg.Connection[Any], names: Sequence[str]) -> Sequence[str]:
    cursor = psycopg.Cursor(connection, row_factory=tuple_row)
    found = cursor.execute(
        "SELECT coalesce(current_setting('dp.' || n, true), '') FROM unnest(%s::text[]) AS n", [[*names]]
    )
    return [value for (value,) in found.fetchall()]


def _set_all(connection: psycopg.Connection[Any], settings: Mapping[str, str]) -> None:
    cursor = psycopg.Cursor(connection, row_factory=tuple_row)
    for name, value in settings.items():
        cursor.execute("SELECT set_config(%s::text, %s::text, false)", [f"dp.{name}", value])


def _percent(confidence: str) -> str:
    """How sure intervals are, from a setting such as 0.9 or 90 %; where it was never set, the proxy's own."""
    share = confidence or _USUAL_CONFIDENCE
    return share if share.endswith("%") else f"{100 * float(share):g} %"


def _text(value: Setting) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else str(value)

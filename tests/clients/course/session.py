"""The parts of the course that need no more of a Python client than to run a statement."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any

from .client import Address, Part, Run
from .questions import BY_SEX, PREVIEW, QUESTIONS, SLEEP, TIMES, UNKNOWN_COLUMN, Asked

_VALUES = {"integer": int, "text": str, "date": date.fromisoformat, "boolean": bool, "float": float}
INTROSPECTION = {
    "tables": "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'",
    "columns": "SELECT column_name FROM information_schema.columns"
    " WHERE table_schema = 'public' AND table_name = 'people' ORDER BY ordinal_position",
    "primary key": "SELECT a.attname FROM pg_index i"
    " JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)"
    " WHERE i.indrelid = 'people'::regclass AND i.indisprimary",
    "foreign key": "SELECT unnest(array[a.attname, c.confrelid::regclass::text, b.attname]::text[])"
    " FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]"
    " JOIN pg_attribute b ON b.attrelid = c.confrelid AND b.attnum = c.confkey[1]"
    " WHERE c.contype = 'f' AND c.conrelid = 'visits'::regclass",
    "comment": "SELECT col_description(attrelid, attnum) FROM pg_attribute"
    " WHERE attrelid = 'people'::regclass AND attname = 'age'",
}


@dataclass(frozen=True, slots=True)
class Session:
    """A connection in autocommit.

    rows: what a statement with parameters gives, nothing if it gives no rows. mark: how a parameter is written.
    state: the SQLSTATE of one of `faults`. stop: cancels what runs, from another thread; None if the client cannot.
    """

    rows: Callable[..., list[Any]]
    faults: type[Exception]
    state: Callable[[Any], str | None]
    stop: Callable[[], object] | None = None
    mark: str = "%s"

    def ends_with(self, sql: str) -> str | None:
        """The SQLSTATE that the statement fails with."""
        try:
            self.rows(sql)
        except self.faults as fault:
            return self.state(fault)
        return None


Open = Callable[[Address], AbstractContextManager[Session]]


def parameters(asked: Asked) -> list[Any]:
    """The parameters of a question as Python's values."""
    return [_VALUES[asked.kind](asked.value)] if asked.kind else []


def fetched(cursor: Any) -> list[Any]:
    """What a cursor of the DB-API has, if its statement gives rows."""
    return cursor.fetchall() if cursor.description else []


def runs(opened: Open, *parts: Part) -> dict[Part, Run]:
    """The parts that are named, run in sessions of this client."""
    return {part: partial(_PARTS[part], opened) for part in parts}


@contextmanager
def later(action: Callable[[], object]) -> Iterator[None]:
    """The action happens in a moment, in another thread, while the block runs."""
    timer = threading.Timer(0.3, action)
    timer.start()
    try:
        yield
    finally:
        timer.join()


def _connects(opened: Open, address: Address) -> Any:
    with opened(address) as session:
        return session.rows("SELECT current_user")[0]


def _introspects(opened: Open, address: Address) -> Any:
    with opened(address) as session:
        told = {name: [row[0] for row in session.rows(sql)] for name, sql in INTROSPECTION.items()}
        return told | {"comment": told["comment"][0]}


def _answers(opened: Open, address: Address) -> Any:
    with opened(address) as session:
        return {each.name: session.rows(each.literal) for each in QUESTIONS}


def _prepared(opened: Open, address: Address) -> Any:
    with opened(address) as session:
        return {
            each.name: [session.rows(each.written(session.mark), parameters(each)) for _ in range(TIMES)]
            for each in QUESTIONS
        }


def _cancel(opened: Open, address: Address) -> Any:
    with opened(address) as session:
        with later(session.stop or (lambda: None)):
            state = session.ends_with(SLEEP)
        return [state, session.rows("SELECT 1")[0][0]]


def _errors(opened: Open, address: Address) -> Any:
    with opened(address) as session:
        states = [session.ends_with(PREVIEW), session.ends_with(UNKNOWN_COLUMN)]
        session.rows("BEGIN")
        states += [session.ends_with(PREVIEW), session.ends_with("SELECT 1")]
        session.rows("ROLLBACK")
        return [*states, session.rows(BY_SEX.sql)]


_PARTS: dict[Part, Callable[[Open, Address], Any]] = {
    Part.CONNECTS: _connects,
    Part.INTROSPECTS: _introspects,
    Part.ANSWERS: _answers,
    Part.PREPARED: _prepared,
    Part.CANCEL: _cancel,
    Part.ERRORS: _errors,
}
PLAIN = (Part.CONNECTS, Part.INTROSPECTS, Part.ANSWERS, Part.PREPARED, Part.ERRORS)

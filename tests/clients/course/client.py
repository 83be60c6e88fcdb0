"""What a client is to the course."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from .questions import BY_SEX, PREVIEW, QUESTIONS, SLEEP, TIMES, UNKNOWN_COLUMN

DRIVERS = Path(__file__).with_name("drivers")


class Part(StrEnum):
    """The parts of the course, and what a client's function for each returns (values as JSON has them).

    Values of a row: null, or what the client made of it; the course compares numbers as numbers, and other values by
    their text (a date as 2022-06-01, a boolean as true or t).
    """

    CONNECTS = "connects"
    """[user]: `SELECT current_user`, over TLS with SCRAM."""
    INTROSPECTS = "introspects"
    """By the client's own means, or from information_schema: {"tables": [name …], "columns": [people's column names],
    "primary key": [people's], "foreign key": ["person_id", "people", "person_id"] of visits, "comment": people.age's}.
    A key may be left out if the client has no such request."""
    ANSWERS = "answers"
    """{name: rows} of all questions with their values written out (`literal`), by the client's plainest way."""
    PREPARED = "prepared"
    """{name: [rows of each run]}: each question prepared once and run TIMES times with its parameter."""
    CURSOR = "cursor"
    """Rows of BY_SEX, fetched one at a time through a server-side cursor or a portal with a row limit."""
    COPY = "copy"
    """Rows of COPY (BY_SEX) TO STDOUT, by the format that the client likes."""
    CANCEL = "cancel"
    """[SQLSTATE that SLEEP ended with when it was cancelled, answer of SELECT 1 in the same session after it]."""
    ERRORS = "errors"
    """[SQLSTATE of PREVIEW, SQLSTATE of UNKNOWN_COLUMN, in a transaction: SQLSTATE of PREVIEW, SQLSTATE of SELECT 1
    right after it], ROLLBACK, and then the rows of BY_SEX as the last item."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where the proxy is. It speaks TLS only, with a certificate of its own making at `certificate`.

    plain_port: of another one, for the same user, that does without TLS: for what is built without it.
    """

    host: str
    port: int
    database: str
    user: str
    password: str
    certificate: str
    plain_port: int


Run = Callable[[Address], Any]


@dataclass(frozen=True, slots=True)
class Client:
    """name: as in the table of docs/clients.md. lacks: what the machine has not of what it needs, None if it has all.

    parts: how it runs each part; a part that the client has no means for is not there.
    tls: whether it is built with TLS, as all but the wheel's psql are.
    """

    name: str
    lacks: Callable[[], str | None]
    parts: Mapping[Part, Run] = field(default_factory=dict)
    tls: bool = True


def missing(module: str, clients: Callable[[], tuple[Client, ...]]) -> tuple[Client, ...]:
    """A module's clients; one that lacks what the module failed to import, so that it is skipped by name."""
    try:
        return clients()
    except ModuleNotFoundError as fault:
        name = fault.name
    return (Client(module, lambda: name, dict.fromkeys(Part, lambda _: None)),)


def program(command: list[str], environment: Mapping[str, str] | None = None) -> Callable[[Part], Run]:
    """A client in another language: a program that gets one JSON object on stdin and writes its result as JSON.

    The object: part, address, questions (name, sql, kind, value, literal), by_sex, preview,
    unknown_column, sleep, times.
    """

    def of(part: Part) -> Run:
        def run(address: Address) -> Any:
            done = subprocess.run(
                command, input=_course(part, address), capture_output=True, text=True, timeout=120, env=environment
            )
            assert done.returncode == 0, done.stderr or done.stdout
            return json.loads(done.stdout)

        return run

    return of


def _course(part: Part, address: Address) -> str:
    questions = [{**asdict(each), "literal": each.literal} for each in QUESTIONS]
    return json.dumps(
        {
            "part": part,
            "address": asdict(address),
            "questions": questions,
            "by_sex": BY_SEX.sql,
            "preview": PREVIEW,
            "unknown_column": UNKNOWN_COLUMN,
            "sleep": SLEEP,
            "times": TIMES,
        }
    )

"""What becomes of statements that are asked over the wire, and paid for: not of what EXPLAIN says alone."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

import psycopg
from rich.console import RenderableType
from rich.table import Table

from coverage.corpus import Question

INTERNAL, ENGINE_FAILURE = "XX000", "DP005"


@dataclass(frozen=True, slots=True)
class Asked:
    """failed: SQLSTATE and message; None: there was an answer. charged: how much of the budget went."""

    question: Question
    failed: tuple[str, str] | None
    charged: Decimal
    seconds: float


def asked(questions: Iterable[Question], analysts: Sequence[str]) -> Iterator[Asked]:
    """One after the other; who is stopped since the engine failed makes room for the next of the analysts."""
    others = iter(analysts)
    connection = psycopg.connect(next(others), autocommit=True)
    for each in questions:
        if connection.closed:
            connection = psycopg.connect(next(others), autocommit=True)
        before, begun = _spent(connection), time.perf_counter()
        failed = _failed(connection, each.sql)
        taken = time.perf_counter() - begun
        if failed is not None and (connection.closed or failed[0] == ENGINE_FAILURE):
            yield Asked(each, failed, Decimal(1), taken)
            connection.close()
            continue
        yield Asked(each, failed, _spent(connection) - before, taken)
    connection.close()


def faults(name: str, found: Sequence[Asked]) -> Iterator[RenderableType]:
    """Internal errors, and what was charged and then failed."""
    answers = [each for each in found if each.failed is None]
    table = Table("asked", "answered", "internal errors", "charged, then failed", title=name)
    charged = [each for each in found if each.failed is not None and each.charged]
    internal = [each for each in found if each.failed is not None and each.failed[0] == INTERNAL]
    table.add_row(*map(str, (len(found), len(answers), len(internal), len(charged))))
    yield table
    for each in {id(each): each for each in (*internal, *charged)}.values():
        yield f"{each.question.name}: {each.failed}"
    slowest = sorted(found, key=lambda each: -each.seconds)[:3]
    yield "the slowest took " + ", ".join(f"{each.seconds:.2f} s ({each.question.name})" for each in slowest)


def _spent(connection: psycopg.Connection[tuple[object, ...]]) -> Decimal:
    ((spent,),) = connection.execute("SELECT spent_epsilon FROM dp.budget").fetchall()
    return Decimal(str(spent))


def _failed(connection: psycopg.Connection[tuple[object, ...]], text: str) -> tuple[str, str] | None:
    try:
        cursor = connection.execute(text.encode())
        cursor.fetchall()
    except psycopg.Error as error:
        return error.sqlstate or "none", error.diag.message_primary or str(error)
    return None

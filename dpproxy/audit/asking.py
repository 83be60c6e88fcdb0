"""Answers over the wire, as an analyst gets them, and what the ledger charged for them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

import asyncpg

from dpproxy.accounting.loss import ZERO, Loss
from dpproxy.audit.stands import Stand

Result = tuple[tuple[Any, ...], ...] | str
"""The rows of one statement, or the SQLSTATE that it failed with."""
Answer = tuple[Result, ...]
"""What a series of statements was answered with."""

_CONNECTIONS = 3
_LOST = "08006"


@dataclass(frozen=True, slots=True)
class Asked:
    """Answers in the order in which they came. charges: each different loss of each statement, and how often it was."""

    answers: tuple[Answer, ...]
    charges: tuple[tuple[Loss, int], ...]

    def paid(self) -> Loss | None:
        """What one answer cost; None where not all were charged alike. An answer without any charge cost nothing."""
        number = len(self.answers)
        if any(times % number for _, times in self.charges):
            return None
        total = ZERO
        for loss in (loss for loss, times in self.charges for _ in range(times // number)):
            total += loss
        return total


async def shape(stand: Stand, statements: Sequence[str]) -> tuple[str, ...]:
    """What is told of statements before they run: the columns of each, or its refusal with SQLSTATE and message."""
    connection = await stand.connect()
    try:
        return tuple([await _shape(connection, statement) for statement in statements])
    finally:
        await connection.close()


async def _shape(connection: asyncpg.Connection[Any], statement: str) -> str:
    try:
        prepared = await connection.prepare(statement)
    except asyncpg.PostgresError as fault:
        return f"{REFUSED}{fault.sqlstate}: {fault}"
    return ", ".join(f"{each.name} {each.type.name}" for each in prepared.get_attributes())


REFUSED = "refused with "


async def ask(stand: Stand, statements: Sequence[str], times: int, told: Callable[[int], None]) -> Asked:
    """The statements in turn, so many times, over a few connections. told: of each batch of answers."""
    before = await stand.last_charge()
    async with AsyncExitStack() as held:
        sessions = []
        for _ in range(min(_CONNECTIONS, times)):
            connection = await stand.connect()
            held.push_async_callback(connection.close)
            sessions.append(connection)
        shares = [times // len(sessions) + (place < times % len(sessions)) for place in range(len(sessions))]
        found = await asyncio.gather(
            *(_series(each, statements, share, told) for each, share in zip(sessions, shares, strict=True))
        )
    charges = await stand.charges(before, times * len(statements))
    return Asked(
        tuple(answer for part in found for answer in part),
        tuple((loss, number) for (_, loss), number in charges.items()),
    )


async def _series(
    connection: asyncpg.Connection[Any], statements: Sequence[str], times: int, told: Callable[[int], None]
) -> list[Answer]:
    prepared = [await connection.prepare(statement) for statement in statements]
    answers = []
    for _ in range(times):
        answers.append(tuple([await _result(each) for each in prepared]))
        told(1)
    return answers


async def _result(prepared: Any) -> Result:
    try:
        return tuple(tuple(row) for row in await prepared.fetch())
    except asyncpg.PostgresError as fault:
        return str(fault.sqlstate)
    except (asyncpg.InterfaceError, OSError):
        return _LOST

"""Answers over the wire, as an analyst gets them, after how many seconds, and what the ledger charged for them.

Which database the next answer comes of is drawn by lot, over all that are asked of all of them. So it is independent of
what the machine does at that moment, and of all that changes slowly:

*Claim*: an event of time is counted too often under one neighbour, by more than time loses there, with the probability
only that Clopper and Pearson's bounds allow for.
*Because*: at each moment, in the state that machine and proxy are in, the event has some chance p under one neighbour
and q under the other, with p <= e^ε·q + δ. Which of the two is asked does not depend on the state, so that in the mean
over moments it is the same: p̄ <= e^ε·q̄ + δ. And what is counted in draws of different chances lies closer to its mean
than in as many draws of the mean chance (Hoeffding 1956): the bounds for a constant chance hold all the more.
*Checked by*: tests/audit/test_asking.py::test_the_same_database_twice_is_not_told_apart.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from secrets import SystemRandom
from time import perf_counter
from typing import Any, Protocol

import asyncpg

from dpproxy.accounting.loss import ZERO, Loss
from dpproxy.audit.audit_proxy import AuditedDatabase

Statements = tuple[str, ...]
"""Asked in turn, as one: their answers together cost what they cost together."""
Result = tuple[tuple[Any, ...], ...] | str
"""The rows of one statement, or the SQLSTATE that it failed with."""
LOST = "08006"
"""In place of a result: the connection is gone."""
REFUSED = "refused with "

_SESSIONS = 3
_random = SystemRandom()


@dataclass(frozen=True, slots=True)
class TimedAnswer:
    """What a series of statements was answered with. seconds: of each, from sending it to the end of its answer."""

    results: tuple[Result, ...]
    seconds: tuple[float, ...]


Ask = Callable[[], Awaitable[TimedAnswer]]


class AskingWay(Protocol):
    """A way to ask one thing again and again."""

    @property
    def statements(self) -> Statements:
        """What is asked, to be shown."""
        ...

    async def shape(self, stand: AuditedDatabase) -> tuple[str, ...]:
        """What is told of it before it runs."""
        ...

    def session(self, stand: AuditedDatabase) -> AbstractAsyncContextManager[Ask]:
        """A session, or several, in which it is asked."""
        ...

    def paid(self, asked: CollectedAnswers) -> Loss | None:
        """What one answer cost; None where not all were charged as they have to be."""
        ...


@dataclass(frozen=True, slots=True)
class PreparedSeries:
    """Statements that are prepared, and then asked in turn."""

    statements: Statements

    async def shape(self, stand: AuditedDatabase) -> tuple[str, ...]:
        """The columns of each statement, or its refusal with SQLSTATE and message."""
        connection = await stand.connect()
        try:
            return tuple([await _shape(connection, statement) for statement in self.statements])
        finally:
            await connection.close()

    def paid(self, asked: CollectedAnswers) -> Loss | None:
        """Each costs the same."""
        return asked.each()

    @asynccontextmanager
    async def session(self, stand: AuditedDatabase) -> AsyncIterator[Ask]:
        """One session."""
        connection = await stand.connect()
        try:
            prepared = [await connection.prepare(statement) for statement in self.statements]
            yield lambda: _answer(prepared)
        finally:
            await connection.close()


async def _shape(connection: asyncpg.Connection[Any], statement: str) -> str:
    try:
        prepared = await connection.prepare(statement)
    except asyncpg.PostgresError as fault:
        return f"{REFUSED}{fault.sqlstate}: {fault}"
    return ", ".join(f"{each.name} {each.type.name}" for each in prepared.get_attributes())


async def _answer(prepared: list[Any]) -> TimedAnswer:
    timed = [await timed_result(each.fetch()) for each in prepared]
    return TimedAnswer(tuple(result for result, _ in timed), tuple(seconds for _, seconds in timed))


async def timed_result(work: Awaitable[Any]) -> tuple[Result, float]:
    """The rows of one statement or its SQLSTATE, and after how many seconds they were there."""
    begun = perf_counter()
    result = await _result(work)
    return result, perf_counter() - begun


async def _result(work: Awaitable[Any]) -> Result:
    try:
        return tuple(tuple(row) for row in await work)
    except asyncpg.PostgresError as fault:
        return str(fault.sqlstate)
    except (asyncpg.InterfaceError, OSError):
        return LOST


@dataclass(frozen=True, slots=True)
class CollectedAnswers:
    """The answers of one database. charges: each different loss of each statement, and how often it was."""

    answers: tuple[TimedAnswer, ...]
    charges: tuple[tuple[Loss, int], ...]

    def each(self) -> Loss | None:
        """What one answer cost; None where not all were charged alike. An answer without any charge cost nothing."""
        number = len(self.answers)
        return None if any(times % number for _, times in self.charges) else self.most()

    def most(self) -> Loss:
        """The most that one answer cost, where each was charged for a statement once at most."""
        number = len(self.answers)
        return sum((loss for loss, times in self.charges for _ in range(-(-times // number))), ZERO)


async def ask(
    stands: Mapping[str, AuditedDatabase], way: AskingWay, times: int, told: Callable[[int], None]
) -> dict[str, CollectedAnswers]:
    """So many answers of each database, in an order that is drawn by lot, in a few sessions at once. told: of each."""
    before = {place: await stand.last_charge() for place, stand in stands.items()}
    found: dict[str, list[TimedAnswer]] = {place: [] for place in stands}
    begun = Counter[str]()
    order = [place for place in stands for _ in range(times)]
    _random.shuffle(order)
    async with AsyncExitStack() as held:
        desks = [
            {place: await held.enter_async_context(way.session(stand)) for place, stand in stands.items()}
            for _ in range(min(_SESSIONS, times))
        ]

        async def work(sessions: Mapping[str, Ask]) -> None:
            while order:
                place = order.pop()
                begun[place] += 1
                if begun[place] % stands[place].lasts(len(way.statements)) == 0:
                    await stands[place].renew()
                found[place].append(await sessions[place]())
                told(1)

        await asyncio.gather(*map(work, desks))
    return {
        place: CollectedAnswers(tuple(found[place]), await _charged(stand, before[place], times * len(way.statements)))
        for place, stand in stands.items()
    }


async def _charged(stand: AuditedDatabase, before: int, expected: int) -> tuple[tuple[Loss, int], ...]:
    charges = await stand.charges(before, expected)
    return tuple((loss, number) for (_, loss), number in charges.items())

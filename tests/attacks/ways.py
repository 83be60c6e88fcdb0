"""The ways in which `slowing.Attack` is asked, again and again, of a stand of the audit."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, assert_never

import asyncpg
import psycopg

from attacks.slowing import Attack, Manner
from dpproxy.accounting.loss import ZERO, Loss
from dpproxy.audit.asking import Ask, CollectedAnswers, Result, Statements, TimedAnswer, timed_result
from dpproxy.audit.audit_proxy import AuditedDatabase

Session = Any  # asyncpg's Connection, which is generic for type checkers alone
_TOGETHER = ("p.person_id = 1000", "p.city = 'Zeldatown'", "p.age = 33", "p.person_id = 1001")
PREDICATES = "SELECT count(*) FROM people p WHERE {predicate}"


@dataclass(frozen=True)
class Asking:
    """An attack as a way to ask. price: of each statement."""

    attack: Attack
    price: Loss

    @property
    def statements(self) -> Statements:
        """What is shown of it, one for each charge that it may make."""
        match self.attack.manner:
            case Manner.TOGETHER:
                return tuple(_beside(self.attack.sql))
            case Manner.PIPELINE:
                return (self.attack.sql,) * 3
            case _:
                return (self.attack.sql,)

    async def shape(self, stand: AuditedDatabase) -> tuple[str, ...]:
        """Nothing is asked before: what is refused, is refused when it is asked."""
        return ()

    def paid(self, asked: CollectedAnswers) -> Loss | None:
        """The price of all statements, though what is cancelled before its charge is not paid; None: it was more."""
        price = sum((self.price for _ in self.statements), ZERO)
        most = asked.most()
        return price if most.main <= price.main and most.delta <= price.delta else None

    @asynccontextmanager
    async def session(self, stand: AuditedDatabase) -> AsyncIterator[Ask]:
        """As many sessions as it takes."""
        async with AsyncExitStack() as held:
            match self.attack.manner:
                case Manner.CANCELED:
                    canceled = await _canceled_session(stand, held)
                    yield lambda: _one(_canceled(canceled, self.attack))
                case Manner.TOGETHER:
                    sessions = [await _session(stand, self.attack, held) for _ in _TOGETHER]
                    yield lambda: _several(sessions, self.attack.sql)
                case _:
                    session = await _session(stand, self.attack, held)
                    yield lambda: _one(_asked(session, self.attack))


async def _session(stand: AuditedDatabase, attack: Attack, held: AsyncExitStack) -> Session:
    session = await stand.connect()
    held.push_async_callback(session.close)
    # Another session of the analyst's may have made it.
    for sql in attack.before:
        await _quietly(session.execute(sql))
    if attack.manner is Manner.EXECUTED:
        await _quietly(session.execute(f"PREPARE attack AS {attack.sql}"))
    return session


async def _canceled_session(stand: AuditedDatabase, held: AsyncExitStack) -> psycopg.AsyncConnection[Any]:
    options = " ".join(f"-c {name}={value}" for name, value in stand.settings.options().items())
    user, port = stand.settings.analyst, stand.port
    text = psycopg.conninfo.make_conninfo(host="127.0.0.1", port=port, user=user, dbname="audit", options=options)
    session = await psycopg.AsyncConnection.connect(text, autocommit=True)
    held.push_async_callback(session.close)
    return session


async def _quietly(work: Any) -> None:
    try:
        await work
    except asyncpg.PostgresError:
        return


async def _one(work: Any) -> TimedAnswer:
    result, seconds = await timed_result(work)
    return TimedAnswer((result,), (seconds,))


async def _several(sessions: list[Session], sql: str) -> TimedAnswer:
    works = [timed_result(session.fetch(each)) for session, each in zip(sessions, _beside(sql), strict=True)]
    found = await asyncio.gather(*works)
    return TimedAnswer(tuple(result for result, _ in found), tuple(seconds for _, seconds in found))


def _beside(sql: str) -> list[str]:
    """Four statements at once: the attack with each predicate, where it has one, else with light ones beside it."""
    if _TOGETHER[0] in sql:
        return [sql.replace(_TOGETHER[0], each) for each in _TOGETHER]
    return [sql, *(PREDICATES.format(predicate=each) for each in _TOGETHER[1:])]


async def _asked(session: Session, attack: Attack) -> Any:
    """The rows, as far as the manner shows them."""
    sql = attack.sql
    match attack.manner:
        case Manner.PLAIN | Manner.TOGETHER | Manner.CANCELED:
            return await session.fetch(sql)
        case Manner.EXECUTED:
            return await session.fetch("EXECUTE attack")
        case Manner.CURSOR:
            async with session.transaction():
                await session.execute(f"DECLARE rows CURSOR FOR {sql}")
                return await session.fetch("FETCH ALL FROM rows")
        case Manner.COPIED:
            written: list[bytes] = []

            async def write(data: bytes) -> None:
                written.append(data)

            await session.copy_from_query(sql, output=write)
            return [line.decode().split("\t") for line in b"".join(written).splitlines()]
        case Manner.KEPT:
            await session.execute("BEGIN")
            try:
                await session.execute(f"CREATE TABLE kept AS {sql}")
                return await session.fetch("SELECT * FROM kept")
            finally:
                await session.execute("ROLLBACK")
        case Manner.PIPELINE:
            await session.execute(f"{sql}; {sql}; {sql}")
            return ()
        case _:
            assert_never(attack.manner)


async def _canceled(session: psycopg.AsyncConnection[Any], attack: Attack) -> Any:
    """What comes of a statement that is cancelled a while after it was sent; the cancel is over before this is."""
    canceling = asyncio.create_task(_cancel_later(session, attack.after))
    try:
        cursor = await session.execute(attack.sql.encode())
        return await cursor.fetchall()
    except psycopg.Error as fault:
        raise _Failed(str(fault.sqlstate)) from fault
    finally:
        await canceling


async def _cancel_later(session: psycopg.AsyncConnection[Any], after: float) -> None:
    await asyncio.sleep(after)
    await asyncio.to_thread(session.cancel)


class _Failed(asyncpg.PostgresError):  # type: ignore[misc]
    """As asyncpg would have told it."""

    def __init__(self, state: str) -> None:
        super().__init__()
        self.sqlstate = state


def outcome(result: Result) -> str:
    """Its SQLSTATE, or that it was answered."""
    return result if isinstance(result, str) else "answered"

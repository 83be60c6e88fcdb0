"""One transaction of the Postgres engine: a work's queries, and in threads what is done between them.

Checked by: tests/test_engine_postgres.py.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Generic
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from dpproxy.engines import EngineQuery, Result, Work
from dpproxy.engines.postgres.inputs import numbered, written_out
from dpproxy.engines.postgres.pool import Connection
from dpproxy.engines.postgres.schema import postgres_type
from dpproxy.engines.postgres.settings import allowing
from dpproxy.interruption import wanted_while
from dpproxy.rows import Column, Rows, Value

Fetched = tuple[Sequence[Any], Sequence[Any]]
"""The columns of a result and its records, as asyncpg has them; of whole numbers, what COPY gives."""
_WHOLE = ("int2", "int4", "int8")
_HEAD, _TAIL = 19, 2
"""Bytes before and after the rows of COPY's binary format."""


@dataclass(frozen=True, slots=True)
class _Done(Generic[Result]):
    """What a work returned."""

    result: Result


@dataclass(slots=True, eq=False)
class Transaction:
    """A transaction that has begun, and ends at `until` on the loop's clock at the latest.

    thread: what is or was done between its queries, which looks whether the transaction is `ending`; its end waits for
    it. complete: all of it went well, so that its connection may be used again.
    """

    connection: Connection
    until: float
    thread: asyncio.Future[Any] | None = None
    asked: bool = False
    complete: bool = False
    ending: bool = False

    async def perform(self, work: Work[Result], threads: Executor) -> Result:
        """What `work` returns."""
        step = await self._in_thread(threads, work, None)
        while not isinstance(step, _Done):
            step = await self._in_thread(threads, work, await self._fetch(step))
        return step.result

    async def _in_thread(
        self, threads: Executor, work: Work[Result], fetched: Fetched | None
    ) -> EngineQuery | _Done[Result]:
        step = asyncio.get_running_loop().run_in_executor(threads, self._step, work, fetched)
        step.add_done_callback(_seen)
        self.thread = step
        return await asyncio.shield(step)

    def _step(self, work: Work[Result], fetched: Fetched | None) -> EngineQuery | _Done[Result]:
        try:
            with wanted_while(lambda: not self.ending):
                return next(work) if fetched is None else work.send(_rows(*fetched))
        except StopIteration as done:
            return _Done(done.value)

    async def _fetch(self, query: EngineQuery) -> Fetched:
        """Raises ValueError for anything else than exactly one query."""
        text, arguments = numbered(query.sql, query.inputs, query.secrets)
        if not re.match(r"[\s(]*(SELECT|WITH)\b", text, re.IGNORECASE):
            raise ValueError("a query is expected")
        await self._allow()
        if query.lock is not None:
            await self.connection.execute(query.lock)
        statement = await self.connection.prepare(text)
        attributes = statement.get_attributes()
        if not query.numbers:
            return attributes, await statement.fetch(*arguments)
        parts: list[bytes] = []

        async def kept(part: bytes) -> None:
            parts.append(part)

        items = ", ".join(_whole(each.name, each.type.name) for each in attributes)
        told = f"SELECT {items} FROM ({written_out(text, arguments)}) AS numbers"
        await self.connection.copy_from_query(told, output=kept, format="binary")
        return attributes, b"".join(parts)

    async def _allow(self) -> None:
        """The server is told how much is left for a query; of the first, BEGIN told it."""
        left = self.until - asyncio.get_running_loop().time()
        if left <= 0:
            raise TimeoutError
        if self.asked:
            await self.connection.execute(allowing(left))
        self.asked = True


def _seen(step: asyncio.Future[Any]) -> None:
    """Whoever still waits for it raises it."""
    if not step.cancelled():
        step.exception()


def _rows(attributes: Sequence[Any], records: Sequence[Any]) -> Rows:
    columns = tuple(Column(each.name, postgres_type(each.type.name)) for each in attributes)
    if isinstance(records, bytes):
        return Rows(columns, (), _numbers(records, len(columns)))
    return Rows(columns, tuple(tuple(map(_value, record)) for record in records))


def _whole(name: str, kind: str) -> str:
    """The column as a bigint, NULL where it is not whole."""
    own = '"' + name.replace('"', '""') + '"'
    number = f"CAST({own} AS bigint)"
    return number if kind in _WHOLE else f"CASE WHEN {own} = trunc({own}) THEN {number} END"


def _numbers(told: bytes, columns: int) -> NDArray[np.int64]:
    """A line for each column of what COPY gives of rows of bigint: each has how many there are, and each of these its
    size before it. Raises ValueError where a value is NULL: it has no bytes."""
    fields = [("columns", ">i2")]
    for place in range(columns):
        fields += [(f"size{place}", ">i4"), (f"value{place}", ">i8")]
    row = np.dtype(fields)
    count, rest = divmod(len(told) - _HEAD - _TAIL, row.itemsize)
    if rest:
        raise ValueError("a number is missing")
    rows = np.frombuffer(told, row, count, _HEAD)
    if (rows["columns"] != columns).any() or any((rows[f"size{place}"] != 8).any() for place in range(columns)):
        raise ValueError("a number is missing")
    return np.array([rows[f"value{place}"] for place in range(columns)], dtype=np.int64)


def _value(value: Any) -> Value:
    """As Python has it: a moment in UTC without saying so, a UUID without asyncpg's own class."""
    match value:
        case datetime() if value.tzinfo is not None:
            return value.astimezone(UTC).replace(tzinfo=None)
        case UUID():
            return UUID(int=value.int)
        case _:
            plain: Value = value
            return plain

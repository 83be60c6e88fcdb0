"""Requests of one kind to the ledger, made together: those who come while a statement is under way share the next.

None of them spends money, and none depends on another. What a statement of several is told is as of after each of them
was asked, since it is sent after that.

Checked by: tests/test_gathered_requests.py.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from typing import Final, Generic, LiteralString, TypeVar

from dpproxy.errors import LedgerUnavailable
from dpproxy.ledger.connection_pool import UNAVAILABLE, Row
from dpproxy.ledger.records import Outcome
from dpproxy.ledger.under_way import UnderWay
from dpproxy.wire import text_array

Run = Callable[[LiteralString, Sequence[object]], Awaitable[list[Row]]]
"""Sends a statement once, and returns its rows after its commit. Raises LedgerUnavailable."""
_Asked = TypeVar("_Asked")
_Told = TypeVar("_Told")
MOST: Final = 100
"""Requests in one statement."""
_SETTLE: Final = """WITH lazy AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
    UPDATE dp_ledger.charges c SET outcome = s.outcome FROM lazy, unnest(%s::bigint[], %s::text[]) AS s (id, outcome)
    WHERE c.id = s.id AND c.outcome = 'charged'"""
_TELL: Final = "SELECT dp_ledger.tell(%s::bigint[], %s::text[])"
_STOPPED: Final = "SELECT DISTINCT analyst FROM dp_ledger.alarms WHERE analyst = ANY(%s::text[]) AND cleared_at IS NULL"


class GatheredRequests(Generic[_Asked, _Told]):
    """`run` asks for several at once, and says what was told for each, in their order. Raises LedgerUnavailable.

    patience: seconds that one may take, however long the statements before it hang.
    """

    def __init__(self, run: Callable[[Sequence[_Asked]], Awaitable[Sequence[_Told]]], patience: float) -> None:
        self._run = run
        self._patience = patience
        self._waiting: list[tuple[_Asked, asyncio.Future[_Told]]] = []
        self._under_way = UnderWay(self._next, lambda: 0.0 if self._waiting else None)

    async def ask(self, asked: _Asked) -> _Told:
        """What is told for one. Raises LedgerUnavailable, also where it takes too long: it may be done later."""
        loop = asyncio.get_running_loop()
        told: asyncio.Future[_Told] = loop.create_future()
        self._waiting.append((asked, told))
        self._under_way.look()
        late = loop.call_later(self._patience, _too_late, told)
        try:
            return await told
        finally:
            late.cancel()

    async def _next(self) -> None:
        """Those who wait when this begins, which is after all that came at the same moment."""
        wanted = [each for each in self._waiting if not each[1].done()]
        batch, self._waiting = wanted[:MOST], wanted[MOST:]
        if not batch:
            return
        waiting = [told for _, told in batch]
        try:
            for told, result in zip(waiting, await self._run([asked for asked, _ in batch]), strict=True):
                if not told.done():
                    told.set_result(result)
        except LedgerUnavailable as unavailable:
            _refuse(waiting, partial(_away, unavailable))
        except BaseException as fault:
            # It says nothing of the ledger: whoever goes on without that does not go on with this.
            _refuse(waiting, partial(_broken, fault))
            if not isinstance(fault, Exception):
                raise


def settled_outcomes(run: Run, patience: float) -> GatheredRequests[tuple[int, Outcome], None]:
    """What became of charges, written down once for each, without waiting for the disk."""

    async def settle(settled: Sequence[tuple[int, Outcome]]) -> Sequence[None]:
        outcomes = text_array([outcome.value for _, outcome in settled]).decode()
        await run(_SETTLE, (_numbers(number for number, _ in settled), outcomes))
        return [None] * len(settled)

    return GatheredRequests(settle, patience)


def told_analysts(run: Run, patience: float) -> GatheredRequests[tuple[int, str], bool]:
    """Whether an alarm stands for analysts who are about to be told an answer. Where none does, that the charge is
    answered is written down with it, once, without waiting for the disk."""

    async def tell(answers: Sequence[tuple[int, str]]) -> Sequence[bool]:
        numbers, analysts = zip(*answers, strict=True)
        [[stopped]] = await run(_TELL, (_numbers(numbers), text_array(analysts).decode()))
        return [bool(each) for each in stopped]

    return GatheredRequests(tell, patience)


def stopped_analysts(run: Run, patience: float) -> GatheredRequests[str, bool]:
    """Whether an alarm stands for analysts."""

    async def stopped(analysts: Sequence[str]) -> Sequence[bool]:
        found = {name for (name,) in await run(_STOPPED, (sorted(set(analysts)),))}
        return [each in found for each in analysts]

    return GatheredRequests(stopped, patience)


def _numbers(numbers: Iterable[int]) -> str:
    return f"{{{','.join(map(str, numbers))}}}"


def _too_late(told: asyncio.Future[_Told]) -> None:
    if not told.done():
        told.set_exception(LedgerUnavailable("the ledger is too slow", hint=UNAVAILABLE))


def _refuse(waiting: Sequence[asyncio.Future[_Told]], fault: Callable[[], Exception]) -> None:
    """Those who were not told. Each has an error of its own."""
    for each in waiting:
        if not each.done():
            each.set_exception(fault())


def _away(fault: LedgerUnavailable) -> LedgerUnavailable:
    own = LedgerUnavailable(fault.message, hint=fault.hint)
    own.__cause__ = fault.__cause__ or fault
    return own


def _broken(fault: BaseException) -> RuntimeError:
    own = RuntimeError("requests to the ledger that were made together failed")
    own.__cause__ = fault
    return own

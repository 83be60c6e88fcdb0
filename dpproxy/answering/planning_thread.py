"""Planning, apart from the event loop: a plan is pure, and a long statement's takes seconds.

On the loop it would keep everybody waiting: whoever writes long statements, which cost nothing if they are explained or
refused, would stop the sessions of all others. So plans are made in a thread, one at a time, and whose is next goes by
`queue.py`: who asks for a hundred has every other one once somebody else asks.

The plans share an interpreter with the loop, which therefore gets every other slice of its time while one is made.
What a plan leaves is freed soon after it, when the engine mostly works.

Checked by: tests/attacks/test_time.py, tests/test_planning_thread.py.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final, TypeVar

from dpproxy.answering.garbage import collect_after_plan
from dpproxy.answering.queue import QueueShare, StatementQueue
from dpproxy.config.sections import AnalystLimits
from dpproxy.engines import Ticket
from dpproxy.errors import QueryCanceled
from dpproxy.interruption import wanted_while

_Made = TypeVar("_Made")
# Statements may be nested as deep as on the main thread; some systems give others little.
_STACK_BYTES: Final = 64 << 20
_CANCELED: Final = "canceling statement due to user request"
_SOON: Final = 0.01  # seconds: the statement is with the engine by then


class PlanningThread:
    """A thread where plans are made, or figures of histories. allowed: what an analyst may have waiting, as the policy
    is now."""

    def __init__(self, allowed: Callable[[str], AnalystLimits]) -> None:
        self._queue = StatementQueue(1, lambda analyst: QueueShare(1, allowed(analyst).waiting))
        self._thread = _thread()
        self._collecting: asyncio.TimerHandle | None = None
        self._closed = False

    async def made(self, analyst: str, ticket: Ticket, make: Callable[[], _Made]) -> _Made:
        """What `make` returns or raises. Raises TooManyStatements and QueryCanceled.

        A thread cannot be stopped; it looks from expression to expression whether its plan is wanted still
        (`interruption.py`), and keeps its turn until it has: whoever comes and goes has no more than one at a time.
        """
        left = threading.Event()
        async with self._queue.place(analyst, ticket):
            work = partial(_while_wanted, lambda: not (left.is_set() or ticket.canceled), make)
            making = asyncio.get_running_loop().run_in_executor(self._thread, work)
            making.add_done_callback(self._collect_soon)
            try:
                made = await asyncio.shield(making)
            except InterruptedError:
                raise QueryCanceled(_CANCELED) from None
            except asyncio.CancelledError:
                left.set()
                await asyncio.wait([making])
                raise
        if ticket.canceled:
            raise QueryCanceled(_CANCELED)
        return made

    def close(self) -> None:
        """End the thread, after the plan that it makes."""
        if self._collecting is not None:
            self._collecting.cancel()
        self._closed = True
        self._thread.shutdown(cancel_futures=True)

    def _collect_soon(self, made: asyncio.Future[_Made]) -> None:
        """Once for all plans that are made until then."""
        if self._collecting is None and not self._closed:
            self._collecting = made.get_loop().call_later(_SOON, self._collect)

    def _collect(self) -> None:
        self._collecting = None
        self._thread.submit(collect_after_plan)


def _while_wanted(wanted: Callable[[], bool], make: Callable[[], _Made]) -> _Made:
    with wanted_while(wanted):
        return make()


def _thread() -> ThreadPoolExecutor:
    """A pool of one thread, begun now with the stack that it needs."""
    before = threading.stack_size(_STACK_BYTES)
    try:
        pool = ThreadPoolExecutor(1, "planning")
        pool.submit(lambda: None).result()
        return pool
    finally:
        threading.stack_size(before)

"""Statements of one kind that are on their way to the ledger: one, so that those who come meanwhile share the next.

What a statement costs there and here hardly depends on how many it is made for. Another goes beside the first where
that takes longer than `LONG`, so that a connection that hangs keeps those behind it no longer; there are never more
than `AT_ONCE`.

Checked by: tests/test_under_way.py.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Final

AT_ONCE: Final = 2
LONG: Final = 0.03
"""Seconds; several times what a disk takes to take a commit."""


class UnderWay:
    """Begins them. `send` asks for those who wait when it begins; `wait`: for how many seconds they may be kept waiting
    for others to come, None where nobody waits."""

    def __init__(self, send: Callable[[], Coroutine[Any, Any, None]], wait: Callable[[], float | None]) -> None:
        self._send, self._wait = send, wait
        self._tasks: set[asyncio.Task[None]] = set()
        self._begun = self._again_at = 0.0
        self._again: asyncio.TimerHandle | None = None

    @property
    def count(self) -> int:
        """How many are under way."""
        return len(self._tasks)

    def look(self) -> None:
        """Begin one, if there is to be one now, and else look again in time."""
        wait = None if len(self._tasks) >= AT_ONCE else self._wait()
        if wait is None:
            return
        loop = asyncio.get_running_loop()
        if self._tasks:
            wait = max(wait, self._begun + LONG - loop.time())
        if wait > 0:
            self._look_again(loop.time() + wait)
        else:
            self._begin(loop)

    async def ended(self) -> None:
        """All that are under way have ended, and no other is begun."""
        self._stop_looking()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _begin(self, loop: asyncio.AbstractEventLoop) -> None:
        self._stop_looking()
        self._begun = loop.time()
        task = loop.create_task(self._send())
        self._tasks.add(task)
        task.add_done_callback(self._end)

    def _end(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self.look()

    def _look_again(self, moment: float) -> None:
        if self._again is not None and self._again_at > moment:
            self._stop_looking()
        if self._again is None:
            self._again_at = moment
            self._again = asyncio.get_running_loop().call_at(moment, self._look_now)

    def _look_now(self) -> None:
        self._again = None
        self.look()

    def _stop_looking(self) -> None:
        if self._again is not None:
            self._again.cancel()
            self._again = None

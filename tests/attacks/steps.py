"""The awaits of an event loop, counted over all its tasks, so that something can strike at any of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Steps:
    """The awaits of all tasks of a loop, from `begin` on. `strike` is told the number of each."""

    strike: Callable[[int], None] = lambda _: None
    count: int = 0
    counting: bool = False
    dead: bool = False
    tasks: list[_Counted] = field(default_factory=list)

    def begin(self) -> None:
        """Count from here."""
        self.count, self.counting = 0, True

    def end(self) -> None:
        """Count no more."""
        self.counting = False

    def passed(self) -> None:
        """An await of some task, which is the current one."""
        if self.counting:
            self.count += 1
            self.strike(self.count)

    def task(self, loop: asyncio.AbstractEventLoop, work: Any, **more: Any) -> Any:
        """For `set_task_factory`."""
        counted = _Counted(work, self)
        self.tasks.append(counted)
        task: Any = asyncio.Task(counted, loop=loop, **more)
        task._log_destroy_pending = False  # the dead are
        return task


class _Counted(Coroutine[Any, Any, Any]):
    """A coroutine whose awaits are counted."""

    def __init__(self, work: Coroutine[Any, Any, Any], steps: Steps) -> None:
        self._work, self._steps = work, steps

    def send(self, value: Any) -> Any:
        waited = self._work.send(value)
        self._steps.passed()
        return waited

    def throw(self, *fault: Any) -> Any:
        waited = self._work.throw(*fault)
        self._steps.passed()
        return waited

    def close(self) -> None:
        """Of one that is dead too: by then there is nothing left that its `finally` could reach."""
        with suppress(Exception):
            self._work.close()

    def __await__(self) -> Generator[Any, Any, Any]:
        raise AssertionError("only tasks are counted")

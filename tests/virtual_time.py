"""An event loop whose clock goes on only while nothing is to be done: waiting takes no time, and ends on the dot."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

import pytest

Result = TypeVar("Result")


class _Skipping(selectors.DefaultSelector):
    """Looks at once, and counts the time that it would have waited."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        found = super().select(0)
        if not found and timeout is not None:
            self.now += max(timeout, 0.0)
        return found


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._skipping = _Skipping()
        super().__init__(self._skipping)

    def time(self) -> float:
        return self._skipping.now


def run(work: Coroutine[Any, Any, Result], monkeypatch: pytest.MonkeyPatch, *clocks: str) -> Result:
    """What `work` returns, without a second of waiting. clocks: the names of `monotonic` in modules that read it."""
    for each in clocks:
        monkeypatch.setattr(each, lambda: asyncio.get_running_loop().time())
    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(work)

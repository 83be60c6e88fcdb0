"""The memory of one DuckDB, which all its statements share.

A statement that needs much of it may leave too little for another, which then fails although it needs little. Who
fails so would be told of another's rows, and stopped for them. So what ran out of memory beside others runs once more,
alone; only what is too large by itself fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition
from typing import Final

_LOOK_EVERY: Final = 0.05  # seconds


class Memory:
    """Who uses it: several together, or one alone. For the threads that run queries."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._together = self._waiting = 0
        self._alone = False

    @contextmanager
    def shared(self, stopped: Callable[[], bool]) -> Iterator[None]:
        """Beside others, behind those who wait to be alone. Raises InterruptedError where it is `stopped` meanwhile."""
        with self._changed:
            self._wait(lambda: not (self._alone or self._waiting), stopped)
            self._together += 1
        try:
            yield
        finally:
            with self._changed:
                self._together -= 1
                self._changed.notify_all()

    @contextmanager
    def alone(self, stopped: Callable[[], bool]) -> Iterator[None]:
        """With nobody else. Raises InterruptedError where it is `stopped` meanwhile."""
        with self._changed:
            self._waiting += 1
            try:
                self._wait(lambda: not (self._alone or self._together), stopped)
                self._alone = True
            finally:
                self._waiting -= 1
                self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._alone = False
                self._changed.notify_all()

    def _wait(self, ready: Callable[[], bool], stopped: Callable[[], bool]) -> None:
        while not ready():
            if stopped():
                raise InterruptedError
            self._changed.wait(_LOOK_EVERY)

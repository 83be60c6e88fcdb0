"""Work in a thread, which nobody can stop: it looks, from time to time, whether anybody waits for it still.

Who runs a work says how that is told (`wanted_while`), and what takes long asks (`check_wanted`). Nothing hangs on it
but that the work ends early, without a result.

Checked by: tests/test_interruption.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

_wanted: Final[ContextVar[Callable[[], bool] | None]] = ContextVar("wanted", default=None)


@contextmanager
def wanted_while(wanted: Callable[[], bool]) -> Iterator[None]:
    """What this thread does within the block is wanted for as long as that is so."""
    before = _wanted.set(wanted)
    try:
        yield
    finally:
        _wanted.reset(before)


def check_wanted() -> None:
    """Raises InterruptedError where nobody waits for what is being done."""
    wanted = _wanted.get()
    if wanted is not None and not wanted():
        raise InterruptedError("nobody waits for this any more")

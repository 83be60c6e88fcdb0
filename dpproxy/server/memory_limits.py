"""What the proxy keeps in memory for each analyst: texts of prepared statements, and messages that are not whole yet.

All else flows through: rows wait in the front until the client takes them. But a message is looked at when it is whole,
and one row of the front's may have a gigabyte.

Checked by: tests/test_operation.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from dpproxy.errors import DPProxyError


class OutOfMemory(DPProxyError, sqlstate="53200"):
    """An analyst's sessions hold more than they may."""


class MemoryLimits:
    """Bytes by analyst. most: how many one may hold, as the policy is now."""

    def __init__(self, most: Callable[[str], int]) -> None:
        self._most = most
        self._held: Counter[str] = Counter()

    @property
    def total(self) -> int:
        """Of all analysts."""
        return self._held.total()

    def change(self, analyst: str, by: int) -> None:
        """A session of theirs holds so much more, or less. Raises OutOfMemory for more than there may be."""
        self._held[analyst] += by
        if not self._held[analyst]:
            del self._held[analyst]
        most = self._most(analyst)
        if by > 0 and self._held[analyst] > most:
            raise OutOfMemory(
                f'out of memory: sessions of "{analyst}" hold more than {most} bytes in the proxy',
                hint="Close prepared statements, and ask for shorter rows: a row counts as a whole.",
            )

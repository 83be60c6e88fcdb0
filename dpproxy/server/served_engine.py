"""The engine that is served, and those whose place it took, until nobody is at work with them.

Checked by: tests/test_replaced_files.py.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from dpproxy.answering.resources import Users
from dpproxy.engines import Engine, Ticket
from dpproxy.rows import Rows


class ServedEngine:
    """An engine, and who is at work with it. later: runs a coroutine that nobody waits for."""

    def __init__(self, engine: Engine, later: Callable[[Coroutine[Any, Any, None]], None]) -> None:
        self.engine, self.users = engine, Users()
        self._later = later
        self._open = {engine}

    def replace(self, engine: Engine, users: Users) -> None:
        """Serve another one from now on.

        Claim: no statement reads both. Because: a statement has the engine of the policy that it was planned by, is one
        of its users from the moment in which that policy is compared with the one in force (nothing is waited for in
        between), and an engine is closed when it has no user. Checked by: tests/test_replaced_files.py.
        """
        old, before = self.engine, self.users
        self.engine, self.users = engine, users
        self._open.add(engine)
        before.when_none(lambda: self._later(self._close(old)))

    def connections(self) -> dict[str, int]:
        """How many the engine has, by state; none where it does not count them."""
        counted = getattr(self.engine, "connections", None)
        return {} if counted is None else counted()

    async def read(self, name: str, columns: Sequence[str], limit: int) -> Rows:
        """Rows of a public table, for the front."""
        with self.users.one():
            return await self.engine.read(name, tuple(columns), limit, Ticket())

    async def close(self) -> None:
        """Close all that are open."""
        for each in tuple(self._open):
            await self._close(each)

    async def _close(self, engine: Engine) -> None:
        if engine in self._open:
            self._open.discard(engine)
            await engine.close()

"""Who is logged in: so many at once, and so many of one analyst.

Checked by: tests/test_server.py, tests/test_many_connections.py.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from dpproxy.errors import TooManyConnections
from dpproxy.server.client_sessions import ClientSession

_PATIENCE: Final = 20  # looks at who is leaving
_LOOK: Final = 0.05  # seconds between two


@dataclass(slots=True)
class Login:
    """Somebody who has logged in; the session begins when the front has one for them.

    client: their address; empty where they are within this machine. since: when they logged in.
    """

    user: str
    client: str = ""
    since: datetime = field(default_factory=lambda: datetime.now(UTC))
    session: ClientSession | None = None

    @property
    def leaving(self) -> bool:
        """Whether the client has said all, and what it held is about to be given back."""
        return self.session is not None and self.session.unheard


class Logins:
    """At most `most`. most_of: how many one analyst may have, as the policy is now."""

    def __init__(self, most: int, most_of: Callable[[str], int]) -> None:
        self._most, self._most_of = most, most_of
        self._there: dict[asyncio.Task[Any], Login] = {}

    def __iter__(self) -> Iterator[Login]:
        return iter(tuple(self._there.values()))

    def __len__(self) -> int:
        return len(self._there)

    @property
    def by_task(self) -> dict[asyncio.Task[Any], Login]:
        """Those who are there, by the tasks that serve them."""
        return dict(self._there)

    async def check_room(self) -> None:
        """Raises TooManyConnections where nobody else could be taken in."""
        await self._let_go(lambda: len(self._there) < self._most)
        self._check_all()

    async def enter(self, task: asyncio.Task[Any], user: str, client: str = "") -> Login:
        """They have logged in. Raises TooManyConnections."""
        await self._let_go(lambda: len(self._there) < self._most and self._of(user) < self._most_of(user))
        self._check_all()
        if self._of(user) >= (most := self._most_of(user)):
            hint = f"At most {most} are allowed; close one that is idle."
            raise TooManyConnections(f'too many connections for role "{user}"', hint=hint)
        login = self._there[task] = Login(user, client)
        return login

    async def _let_go(self, room: Callable[[], bool]) -> None:
        """Waits a moment for those who are leaving: who closes a connection and opens another has not two."""
        for _ in range(_PATIENCE):
            if room() or not any(login.leaving for login in self._there.values()):
                return
            await asyncio.sleep(_LOOK)

    def _of(self, user: str) -> int:
        return sum(login.user == user for login in self._there.values())

    def _check_all(self) -> None:
        if len(self._there) >= self._most:
            raise TooManyConnections("sorry, too many clients already")

    def left(self, task: asyncio.Task[Any]) -> None:
        """They are gone. May be repeated."""
        self._there.pop(task, None)

"""Who is logged in: so many at once, and so many of one analyst."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from dpproxy.errors import TooManyConnections
from dpproxy.server.sessions import Session


@dataclass(slots=True)
class Guest:
    """Somebody who has logged in; the session begins when the front has one for them."""

    user: str
    session: Session | None = None


class Guests:
    """At most `most`. most_of: how many one analyst may have, as the policy is now."""

    def __init__(self, most: int, most_of: Callable[[str], int]) -> None:
        self._most, self._most_of = most, most_of
        self._there: dict[asyncio.Task[Any], Guest] = {}

    def __iter__(self) -> Iterator[Guest]:
        return iter(tuple(self._there.values()))

    def __len__(self) -> int:
        return len(self._there)

    @property
    def by_task(self) -> dict[asyncio.Task[Any], Guest]:
        """Those who are there, by the tasks that serve them."""
        return dict(self._there)

    def check_room(self) -> None:
        """Raises TooManyConnections where nobody else could be taken in."""
        if len(self._there) >= self._most:
            raise TooManyConnections("sorry, too many clients already")

    def enter(self, task: asyncio.Task[Any], user: str) -> Guest:
        """They have logged in. Raises TooManyConnections."""
        self.check_room()
        most = self._most_of(user)
        if sum(guest.user == user for guest in self._there.values()) >= most:
            hint = f"At most {most} are allowed; close one that is idle."
            raise TooManyConnections(f'too many connections for role "{user}"', hint=hint)
        guest = self._there[task] = Guest(user)
        return guest

    def left(self, task: asyncio.Task[Any]) -> None:
        """They are gone. May be repeated."""
        self._there.pop(task, None)

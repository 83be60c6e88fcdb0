"""Those who knock: connections of which nobody knows yet whose they are.

Each costs a socket and a task for as long as it may take to log in, and anybody can open one. When there is no room for
another, one goes: the one that came first, of the address that has the most here. So who opens hundreds of connections
and says nothing is in his own way, and in that of nobody from elsewhere; and where all come from one address, as behind
a load balancer, those who log in quickly get in between.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable

Leave = Callable[[], object]


class UnauthenticatedConnections:
    """Room for so many. Whoever comes says how to be sent away."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._there: dict[Hashable, tuple[str, Leave]] = {}
        self._from: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._there)

    def enter(self, who: Hashable, address: str, leave: Leave) -> bool:
        """Somebody comes in. Whether somebody else was sent away for it."""
        crowded = len(self._there) >= self._room
        if crowded:
            self._make_room()
        self._there[who] = (address, leave)
        self._from[address] += 1
        return crowded

    def left(self, who: Hashable) -> None:
        """They are known now, or gone. May be repeated."""
        address, _ = self._there.pop(who, (None, None))
        if address is not None:
            self._from[address] -= 1
            if not self._from[address]:
                del self._from[address]

    def clear(self) -> None:
        """Send all away."""
        for who, (_, leave) in list(self._there.items()):
            self.left(who)
            leave()

    def _make_room(self) -> None:
        ((crowd, _),) = self._from.most_common(1)
        who, leave = next((who, leave) for who, (address, leave) in self._there.items() if address == crowd)
        self.left(who)
        leave()

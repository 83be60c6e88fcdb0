"""What is there now, read when the operator asks.

Checked by: tests/test_operation.py.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable

from dpproxy.answering.queue import StatementQueue
from dpproxy.server.health import OK, Health
from dpproxy.server.logins import Logins
from dpproxy.server.memory_limits import MemoryLimits
from dpproxy.server.metrics import Gauge
from dpproxy.server.unauthenticated import UnauthenticatedConnections

TEXTS: Final = {
    "connections_now": "Connections: sessions, and those that have not logged in yet.",
    "front_connections": "Connections of sessions to the front.",
    "statements_now": "Private statements: working (charged, or being charged) and waiting for their turn.",
    "engine_connections": "The engine's connections, or cursors: used and idle ones, and the most there may be.",
    "ledger_connections": "The ledger's connections, likewise.",
    "held_bytes": "Bytes kept for sessions: prepared statements and unfinished messages.",
    "tasks": "Tasks of the event loop.",
    "draining": "1 when no new sessions are wanted.",
    "ready": "1 for each part that could be reached when it was looked at last (by /readyz).",
}


@runtime_checkable
class Pooled(Protocol):
    """What has connections to keep count of."""

    def connections(self) -> dict[str, int]:
        """How many, by state: used, idle, waiting, most."""
        ...


@dataclass(frozen=True, slots=True)
class Gauges:
    """Where to look."""

    unauthenticated: UnauthenticatedConnections
    logins: Logins
    turns: StatementQueue
    places: StatementQueue
    memory_limits: MemoryLimits
    health: Health
    pools: Mapping[str, Pooled]

    def now(self) -> Iterator[Gauge]:
        """The values."""
        yield "connections_now", "session", len(self.logins)
        yield "connections_now", "greeting", len(self.unauthenticated)
        yield "front_connections", "", sum(login.session is not None for login in self.logins)
        yield "statements_now", "working", self.places.working
        yield "statements_now", "waiting", self.turns.waiting + self.places.waiting
        yield "held_bytes", "", self.memory_limits.total
        yield "tasks", "", len(asyncio.all_tasks())
        yield "draining", "", self.health.draining
        for part, said in self.health.latest.items():
            yield "ready", part, said == OK
        for name, pool in self.pools.items():
            for state, count in pool.connections().items():
                yield f"{name}_connections", state, count

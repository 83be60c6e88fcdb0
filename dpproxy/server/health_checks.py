"""The parts that a proxy stands on: how each is looked at, and which have connections to count.

Checked by: tests/test_operation.py.
"""

from __future__ import annotations

from collections.abc import Mapping

from psycopg import AsyncConnection
from psycopg import Error as DatabaseError

from dpproxy.answering.queue import StatementQueue
from dpproxy.engines import EngineQuery, Ticket, in_turn
from dpproxy.errors import FrontUnavailable
from dpproxy.server.gauges import Pooled
from dpproxy.server.health import Check
from dpproxy.server.services import Services

_ONE = EngineQuery("SELECT 1 AS one")


def health_checks(services: Services, places: StatementQueue) -> Mapping[str, Check]:
    """A look at engine, front and ledger: each raises where that part does not answer."""

    async def engine() -> None:
        # With every place taken a look would wait behind the statements at work, which show that it is there.
        if not places.full:
            await services.permanent.engine.run(in_turn(_ONE), Ticket())

    async def front() -> None:
        try:
            async with await AsyncConnection.connect(services.address.conninfo(), autocommit=True) as connection:
                await connection.execute("SELECT 1")
        except DatabaseError as fault:
            raise FrontUnavailable("the front cannot be reached") from fault

    async def ledger() -> None:
        await services.permanent.resources.ledger.stopped("")

    return {"engine": engine, "front": front, "ledger": ledger}


def connection_pools(services: Services) -> Mapping[str, Pooled]:
    """Those that count their connections."""
    resources = services.permanent.resources
    found: dict[str, object] = {"engine": services.permanent.served, "ledger": resources.ledger}
    return {name: each for name, each in found.items() if isinstance(each, Pooled)}

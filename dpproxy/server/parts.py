"""The parts that a proxy stands on: how each is looked at, and which have connections to count."""

from __future__ import annotations

from collections.abc import Mapping

from psycopg import AsyncConnection
from psycopg import Error as DatabaseError

from dpproxy.engines import Query, Ticket, in_turn
from dpproxy.errors import FrontUnavailable
from dpproxy.server.gauges import Pooled
from dpproxy.server.health import Check
from dpproxy.server.house import House
from dpproxy.server.turns import Turns

_ONE = Query("SELECT 1 AS one")


def parts(house: House, turns: Turns) -> Mapping[str, Check]:
    """A look at engine, front and ledger: each raises where that part does not answer."""

    async def engine() -> None:
        # With every place taken a look would wait behind the statements at work, which show that it is there.
        if not turns.full:
            await house.foundations.engine.run(in_turn(_ONE), Ticket())

    async def front() -> None:
        try:
            async with await AsyncConnection.connect(house.address.conninfo(), autocommit=True) as connection:
                await connection.execute("SELECT 1")
        except DatabaseError as fault:
            raise FrontUnavailable("the front cannot be reached") from fault

    async def ledger() -> None:
        await house.foundations.rooms.ledger.stopped("")

    return {"engine": engine, "front": front, "ledger": ledger}


def pools(house: House) -> Mapping[str, Pooled]:
    """Those that count their connections."""
    rooms = house.foundations.rooms
    found: dict[str, object] = {"engine": house.foundations.engine, "ledger": rooms.ledger}
    return {name: each for name, each in found.items() if isinstance(each, Pooled)}

"""As many sessions as the policy says, of one analyst too: the front has room, and all who ask are answered."""

from __future__ import annotations

import asyncio
from pathlib import Path

import psycopg
import pytest
from proxies import serving, write_policy

from dpproxy.front.roles import LEAVING
from dpproxy.front.server_process import connections_for

pytestmark = pytest.mark.long
MOST = 130
CHANGES = {
    "[server]\n": f"[server]\nmax_connections = {MOST}\n",
    "epsilon = 100.0\ndelta = 1e-5": "epsilon = 1e6\ndelta = 1e-5",
}


def test_the_front_has_room_for_all_and_for_those_who_leave() -> None:
    for sessions in (1, 100, 1000):
        assert connections_for(sessions) >= sessions + LEAVING


def test_all_who_may_come_are_answered(tmp_path: Path) -> None:
    config = write_policy(tmp_path / "policy", CHANGES)
    with serving(config) as proxy:
        asyncio.run(_all_at_once(proxy.dsn("alice")))


async def _all_at_once(dsn: str) -> None:
    connections = [await psycopg.AsyncConnection.connect(dsn, autocommit=True) for _ in range(MOST)]
    with pytest.raises(psycopg.OperationalError, match="too many"):
        await psycopg.AsyncConnection.connect(dsn)
    answers = await asyncio.gather(*(each.execute("SELECT count(*) FROM people") for each in connections))
    assert [len(await each.fetchall()) for each in answers] == [1] * MOST
    await asyncio.gather(*(each.close() for each in connections))
    for _ in range(MOST):  # backends that have not gone yet keep nobody out
        await (await psycopg.AsyncConnection.connect(dsn)).close()

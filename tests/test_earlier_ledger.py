"""A ledger that an older dpproxy made in schema `dp`: moved in place, and no older one charges beside it any more."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from decimal import Decimal
from typing import LiteralString, cast

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from scratch_postgres import ScratchPostgres
from test_ledger_chain import ALICE, ledger, lived_before, owner, pay, server, verified

from dpproxy.accounting.loss import Accounting
from dpproxy.errors import ConfigFault, LedgerUnavailable
from dpproxy.ledger import Ledger, migrations, release_store
from dpproxy.ledger.connection_pool import LedgerConnections, Row

__all__ = ["ledger", "owner", "server"]
pytestmark = pytest.mark.long

Owner = psycopg.Connection[tuple[object, ...]]

TABLES = (
    "acceptances accounts adoptions alarms carried charges entries grants head ledger periods policies releases resets"
)
BACK = (
    "DROP TYPE dp.ledger;"
    + "".join(f"ALTER TABLE dp_ledger.{name} SET SCHEMA dp;" for name in TABLES.split())
    + "DROP SCHEMA dp_ledger CASCADE; UPDATE dp.ledger SET version = 4;"
    + (migrations.FUNCTIONS + release_store.TABLES).replace("dp_ledger.", "dp.")
)
LEFT = """
SELECT 'relation ' || relname || ' ' || relkind::text FROM pg_class WHERE relnamespace = 'dp'::regnamespace
UNION ALL SELECT 'function ' || proname FROM pg_proc WHERE pronamespace = 'dp'::regnamespace ORDER BY 1
"""
ROWS = "SELECT row_to_json(t)::text FROM {} t ORDER BY 1"


class OlderConnections(LedgerConnections):
    """Those of a proxy of the version before, which still runs: it asks in `dp`."""

    async def run(self, query: LiteralString, parameters: Sequence[object]) -> list[Row]:
        return await super().run(cast(LiteralString, query.replace("dp_ledger.", "dp.")), parameters)


def older(server: ScratchPostgres) -> Ledger:
    return Ledger(OlderConnections(server.conninfo, 5.0, 4), Accounting.PURE)


async def test_it_is_moved_as_it_is(server: ScratchPostgres, owner: Owner, ledger: Ledger) -> None:
    """Rows, numbers, the chain and its head; a release that was paid for is told again."""
    await lived_before(ledger)
    owner.execute(BACK.encode())
    before = older(server)
    store = before.store(2**20)
    await store.take("alice", [b"k"])
    await store.put("alice", {b"k": "{}"})
    last = await pay(before)
    kept = await before.head()
    rows = {name: owner.execute(ROWS.format(f"dp.{name}").encode()).fetchall() for name in TABLES.split()}
    terms = await before.standing(ALICE)
    now = await Ledger.open(server.conninfo, Accounting.PURE)
    del rows["ledger"]  # which has the version
    for name, then in rows.items():
        assert owner.execute(ROWS.format(f"dp_ledger.{name}").encode()).fetchall() == then, name
    assert (await now.head(), await now.standing(ALICE)) == (kept, terms)
    assert (await verified(now, kept)).faults == []
    assert (await now.store(2**20).peek("alice", [b"k"]))[b"k"].body == "{}"
    assert await pay(now) == last + 1
    assert (await verified(now, kept)).faults == []
    assert owner.execute(LEFT).fetchall() == [("relation ledger c",)]
    locked = "SELECT has_schema_privilege('public', 'dp_ledger', 'USAGE')"
    assert owner.execute(locked).fetchone() == (False,)
    await now.close()
    await (await Ledger.open(server.conninfo, Accounting.PURE)).close()
    await store.close()
    await before.close()


async def test_a_charge_under_way_is_moved_with_it_and_the_next_fails(
    server: ScratchPostgres, owner: Owner, ledger: Ledger
) -> None:
    owner.execute(BACK.encode())
    running = older(server)
    await pay(running)
    with psycopg.connect(server.conninfo) as held:
        held.execute("SELECT FROM dp.head FOR UPDATE")
        paying = asyncio.create_task(pay(running))
        await waiting(owner, 1)
        opening = asyncio.create_task(Ledger.open(server.conninfo, Accounting.PURE))
        await waiting(owner, 2)
    assert await paying == 2
    now = await opening
    assert (await now.standing(ALICE)).spent.main == Decimal("0.2")
    for call in (pay(running), running.standing(ALICE), running.store(2**20).take("alice", [b"k"])):
        with pytest.raises(LedgerUnavailable):
            await call
    assert (await now.standing(ALICE)).spent.main == Decimal("0.2")
    assert await pay(now) == 3
    assert (await verified(now)).faults == []
    await now.close()
    await running.close()


async def waiting(owner: Owner, most: int) -> None:
    """Until so many wait for a lock."""
    async with asyncio.timeout(30):
        while owner.execute("SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'").rowcount < most:
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("fresh", [True, False])
async def test_an_older_proxy_that_starts_makes_no_other_one(
    server: ScratchPostgres, owner: Owner, ledger: Ledger, fresh: bool
) -> None:
    """All of them ask this first, and then the version. Those that would not, fail at their first row."""
    if not fresh:
        owner.execute(BACK.encode())
        await (await Ledger.open(server.conninfo, Accounting.PURE)).close()
    assert owner.execute("SELECT to_regclass('dp.ledger') IS NOT NULL").fetchone() == (True,)
    with pytest.raises(psycopg.errors.WrongObjectType):
        owner.execute("SELECT coalesce(max(version), 0) FROM dp.ledger")
    first = migrations.STEPS[0].replace("dp_ledger.", "dp.")
    with pytest.raises(psycopg.errors.WrongObjectType):
        owner.execute(f"{first} INSERT INTO dp.ledger (version, accounting) VALUES (4, 'pure')".encode())
    assert owner.execute(LEFT).fetchall() == [("relation ledger c",)]


async def test_two_ledgers_are_a_fault(server: ScratchPostgres, owner: Owner, ledger: Ledger) -> None:
    """As where the older one was brought back from a copy. Neither is touched."""
    await pay(ledger)
    owner.execute("DROP TYPE dp.ledger; CREATE TABLE dp.ledger AS TABLE dp_ledger.ledger")
    with pytest.raises(ConfigFault) as fault:
        await Ledger.open(server.conninfo, Accounting.PURE)
    assert fault.value.detail == (
        "ledger: it is in schema dp_ledger, and an older one in schema dp; one database holds one ledger"
    )
    assert owner.execute(LEFT).fetchall() == [("relation ledger r",)]
    assert (await ledger.standing(ALICE)).spent.main == Decimal("0.1")


async def test_what_somebody_else_has_under_these_names_stays(server: ScratchPostgres, owner: Owner) -> None:
    owner.execute("CREATE SCHEMA dp CREATE TABLE ledger (sum numeric) CREATE TABLE accounts (iban text)")
    owner.execute("CREATE FUNCTION dp.charge() RETURNS integer LANGUAGE sql AS 'SELECT 1'")
    before = owner.execute(LEFT).fetchall()
    made = await Ledger.open(server.conninfo, Accounting.PURE)
    assert await pay(made) == 1
    assert (await verified(made)).faults == []
    await made.close()
    assert owner.execute(LEFT).fetchall() == before


async def test_who_may_make_no_schema_is_told_which_is_needed(
    server: ScratchPostgres, owner: Owner, ledger: Ledger
) -> None:
    owner.execute(BACK.encode())
    owner.execute("CREATE ROLE clerk LOGIN NOSUPERUSER PASSWORD 'x'; ALTER SCHEMA dp OWNER TO clerk")
    owner.execute("".join(f"ALTER TABLE dp.{name} OWNER TO clerk;" for name in TABLES.split()).encode())
    functions = owner.execute("SELECT oid::regprocedure::text FROM pg_proc WHERE pronamespace = 'dp'::regnamespace")
    owner.execute("".join(f"ALTER FUNCTION {name} OWNER TO clerk;" for (name,) in functions.fetchall()).encode())
    clerk = make_conninfo(server.conninfo, user="clerk", password="x")
    with pytest.raises(ConfigFault) as fault:
        await Ledger.open(clerk, Accounting.PURE)
    assert (fault.value.detail or "").startswith("ledger: permission denied for database")
    assert "a schema dp_ledger of its own" in (fault.value.hint or "")
    owner.execute("CREATE SCHEMA dp_ledger AUTHORIZATION clerk")
    now = await Ledger.open(clerk, Accounting.PURE)
    assert await pay(now) == 1
    assert (await verified(now)).faults == []
    await now.close()
    assert owner.execute(LEFT).fetchall() == [("relation ledger c",)]
    owner.execute("DROP OWNED BY clerk CASCADE; DROP ROLE clerk")

"""A ledger on a Postgres that is given: any version, an owner of few rights, a pooler before it, and a bad network."""

from __future__ import annotations

import asyncio
import random
import subprocess
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from decimal import Decimal
from pathlib import Path

import psycopg
import pytest
from between import pgbouncer, pooled, wired
from psycopg.conninfo import make_conninfo
from scratch_postgres import INSTALLATIONS, MAJORS, ScratchPostgres, scratch_postgres

from dpproxy.accounting.account import Terms
from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.errors import ConfigFault, LedgerUnavailable, PrivacyBudgetExceeded
from dpproxy.ledger import AccountRef, Ledger, Outcome, Receipt, Reset
from dpproxy.ledger.migrations import VERSION

pytestmark = pytest.mark.long

ALICE, DAILY = AccountRef("alice"), AccountRef("alice", Reset.DAILY)
ONE, TENTH = Loss(Decimal(1), Decimal(0)), Loss(Decimal("0.1"), Decimal(0))
PLENTY = Loss(Decimal(10**6), Decimal(0))

# Version 1, as 0.1.0 made it.
FIRST = """
CREATE SCHEMA dp;
CREATE TABLE dp.ledger (
    one boolean PRIMARY KEY DEFAULT true CHECK (one), version integer NOT NULL, accounting text NOT NULL);
CREATE TABLE dp.accounts (
    kind text NOT NULL CHECK (kind IN ('analyst', 'budget')), name text NOT NULL, period text NOT NULL,
    main numeric NOT NULL DEFAULT 0 CHECK (main >= 0), delta numeric NOT NULL DEFAULT 0,
    granted_main numeric NOT NULL DEFAULT 0, granted_delta numeric NOT NULL DEFAULT 0,
    granted_epsilon numeric NOT NULL DEFAULT 0, granted_own_delta numeric NOT NULL DEFAULT 0,
    PRIMARY KEY (kind, name, period)) WITH (fillfactor = 50);
CREATE TABLE dp.charges (
    id bigserial PRIMARY KEY, at timestamptz NOT NULL DEFAULT clock_timestamp(), analyst text NOT NULL,
    period text NOT NULL, statement text NOT NULL, epsilon numeric NOT NULL, main numeric NOT NULL DEFAULT 0,
    delta numeric NOT NULL DEFAULT 0, outcome text NOT NULL DEFAULT 'charged', left_main numeric NOT NULL,
    left_delta numeric NOT NULL);
CREATE INDEX charges_analyst ON dp.charges (analyst, id);
CREATE TABLE dp.grants (
    id bigserial PRIMARY KEY, at timestamptz NOT NULL DEFAULT clock_timestamp(), analyst text NOT NULL,
    period text NOT NULL, epsilon numeric NOT NULL, delta numeric NOT NULL, main numeric NOT NULL DEFAULT 0,
    own_delta numeric NOT NULL DEFAULT 0);
CREATE TABLE dp.alarms (
    id bigserial PRIMARY KEY, at timestamptz NOT NULL DEFAULT clock_timestamp(), analyst text NOT NULL,
    reason text NOT NULL, cleared_at timestamptz);
CREATE UNIQUE INDEX alarms_standing ON dp.alarms (analyst) WHERE cleared_at IS NULL;
CREATE FUNCTION dp.charge(
    p_analyst text, p_period text, p_statement text, p_epsilon numeric, p_main numeric, p_delta numeric,
    p_limit_main numeric, p_limit_delta numeric, p_groups text[], p_group_mains numeric[], p_group_deltas numeric[],
    OUT id bigint, OUT short_group text, OUT spent_main numeric, OUT spent_delta numeric,
    OUT left_main numeric, OUT left_delta numeric, OUT stopped boolean)
LANGUAGE sql AS 'SELECT 1::bigint, NULL::text, 0.0, 0.0, 0.0, 0.0, false';
INSERT INTO dp.ledger (version, accounting) VALUES (1, 'pure');
INSERT INTO dp.accounts (kind, name, period, main, granted_main, granted_epsilon) VALUES
    ('analyst', 'alice', 'ever', 0.9, 0.5, 0.5), ('budget', 'everyone', 'ever', 0.9, 0, 0);
INSERT INTO dp.grants (analyst, period, epsilon, delta, main) VALUES ('alice', 'ever', 0.5, 0, 0.5);
INSERT INTO dp.charges (analyst, period, statement, epsilon, main, outcome, left_main, left_delta) VALUES
    ('alice', 'ever', 'SELECT 1', 0.4, 0.4, 'answered', 0.6, 0),
    ('alice', 'ever', 'SELECT 2', 0.5, 0.5, 'failed', 0.6, 0);
INSERT INTO dp.alarms (analyst, reason) VALUES ('alice', 'engine failure in charge 2');
"""


@pytest.fixture(scope="module")
def server() -> Iterator[ScratchPostgres]:
    if not INSTALLATIONS:
        pytest.skip("no Postgres on this machine")
    with scratch_postgres(next(iter(INSTALLATIONS.values()))) as running:
        yield running


@pytest.fixture
def empty(server: ScratchPostgres) -> ScratchPostgres:
    with psycopg.connect(server.conninfo, autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS dp, dp_ledger CASCADE")
    return server


async def pay(ledger: Ledger, ref: AccountRef = ALICE, cost: Loss = TENTH, limit: Loss = PLENTY) -> Receipt:
    return await ledger.charge(ref, cost, of(limit), (("everyone", of(PLENTY)),), "SELECT 1", cost.main)


def of(limit: Loss) -> Terms:
    """Terms under pure accounting, whose limit it is."""
    return Terms(Accounting.PURE, limit.main, limit.delta, limit, limit.main)


def owned(server: ScratchPostgres, way: str) -> str:
    """A role that is no superuser, and how it connects to a database that it owns, may create schemas in, or where it
    owns the schema `dp_ledger` and may create none."""
    rights = {
        "database": f"ALTER DATABASE {server.database} OWNER TO keeper",
        "create": f"GRANT CREATE ON DATABASE {server.database} TO keeper",
        "schema": "CREATE SCHEMA dp_ledger AUTHORIZATION keeper",
    }
    with psycopg.connect(server.conninfo, autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS dp, dp_ledger CASCADE")
        connection.execute(f"ALTER DATABASE {server.database} OWNER TO owner")
        if connection.execute("SELECT FROM pg_roles WHERE rolname = 'keeper'").rowcount:
            connection.execute(f"REVOKE ALL ON DATABASE {server.database} FROM keeper")
        else:
            connection.execute("SET password_encryption = 'scram-sha-256'")  # which is not what 13 does by itself
            connection.execute("CREATE ROLE keeper LOGIN NOSUPERUSER PASSWORD 'kept'")
        connection.execute(rights[way])
    return server.conninfo_of("keeper", "kept")


@pytest.mark.parametrize("major", MAJORS)
async def test_every_major_version(major: int) -> None:
    """A ledger of 0.1.0 is taken over by an owner who is no superuser, with its charges, grants and alarms."""
    with scratch_postgres(MAJORS[major]) as server:
        conninfo = owned(server, "database")
        with psycopg.connect(conninfo) as connection:
            connection.execute(FIRST)
        ledger = await Ledger.open(conninfo, Accounting.PURE)
        standing = await ledger.standing(ALICE)
        assert (standing.period, standing.spent.main, standing.granted_epsilon) == (
            "ever",
            Decimal("0.9"),
            Decimal("0.5"),
        )
        receipt = await pay(ledger, cost=Loss(Decimal("0.6"), Decimal(0)), limit=ONE)
        assert (receipt.period, receipt.left.main, receipt.stopped) == ("ever", 0, True)
        with pytest.raises(PrivacyBudgetExceeded):
            await pay(ledger, limit=ONE)
        history = await ledger.statements("alice")
        assert [(each.number, each.statement, each.outcome) for each in history] == [
            (3, "SELECT 1", Outcome.CHARGED),
            (2, "SELECT 2", Outcome.FAILED),
            (1, "SELECT 1", Outcome.ANSWERED),
        ]
        assert (await ledger.group_standing("everyone")).spent.main == Decimal("1.5")
        today = await pay(ledger, DAILY, ONE, ONE)
        assert await ledger.reset(DAILY) == f"{today.period}#2"
        assert (await pay(ledger, DAILY, ONE, ONE)).spent == ONE
        await ledger.close()
        again = await Ledger.open(conninfo, Accounting.PURE)
        assert (await again.standing(ALICE)).spent.main == Decimal("1.5")
        await again.close()


@pytest.mark.parametrize("way", ["database", "create", "schema"])
async def test_the_owner_needs_no_more_than(server: ScratchPostgres, way: str) -> None:
    conninfo = owned(server, way)
    for _ in range(2):
        ledger = await Ledger.open(conninfo, Accounting.PURE)
        await pay(ledger)
        await ledger.close()
    with psycopg.connect(server.conninfo, autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS stranger")
        connection.execute("CREATE ROLE stranger")
        entered = "SELECT has_schema_privilege('stranger', 'dp_ledger', 'USAGE')"
        assert connection.execute(entered.encode()).fetchone() == (False,)
        connection.execute("GRANT USAGE ON SCHEMA dp_ledger TO stranger")
        open_to_all = connection.execute(
            "SELECT proname::text FROM pg_proc p WHERE pronamespace = 'dp_ledger'::regnamespace"
            " AND has_function_privilege('stranger', p.oid, 'EXECUTE')"
            " UNION SELECT relname FROM pg_class c WHERE relnamespace = 'dp_ledger'::regnamespace"
            " AND relkind IN ('r', 'S') AND has_table_privilege('stranger', c.oid, 'SELECT, INSERT, UPDATE, DELETE')"
        ).fetchall()
        connection.execute("DROP OWNED BY stranger")
        assert open_to_all == []


async def test_an_owner_who_may_not_is_told(server: ScratchPostgres) -> None:
    with psycopg.connect(server.conninfo, autocommit=True) as connection:
        owned(server, "create")
        connection.execute(f"REVOKE ALL ON DATABASE {server.database} FROM keeper")
    with pytest.raises(ConfigFault, match="cannot be made") as fault:
        await Ledger.open(server.conninfo_of("keeper", "kept"), Accounting.PURE)
    assert (fault.value.detail or "").startswith("ledger: permission denied for database")


async def test_what_a_newer_dpproxy_made_is_left_alone(empty: ScratchPostgres) -> None:
    await (await Ledger.open(empty.conninfo, Accounting.PURE)).close()
    with psycopg.connect(empty.conninfo) as connection:
        connection.execute("UPDATE dp_ledger.ledger SET version = version + 1")
    with pytest.raises(ConfigFault) as fault:
        await Ledger.open(empty.conninfo, Accounting.PURE)
    newer = f"ledger: it was made by a newer dpproxy (version {VERSION + 1}; this one knows {VERSION})"
    assert (fault.value.detail or "").startswith(newer)


async def test_a_database_that_would_not_do_is_told(server: ScratchPostgres) -> None:
    with psycopg.connect(server.conninfo, autocommit=True) as connection:
        connection.execute("DROP DATABASE IF EXISTS odd")
        connection.execute("CREATE DATABASE odd ENCODING 'SQL_ASCII' TEMPLATE template0")
        connection.execute("ALTER DATABASE odd SET default_transaction_isolation = 'serializable'")
    with pytest.raises(ConfigFault) as fault:
        await Ledger.open(make_conninfo(server.conninfo, dbname="odd"), Accounting.PURE)
    encoding, isolation = (fault.value.detail or "").splitlines()
    assert encoding == "ledger: the database's encoding is SQL_ASCII; make one with ENCODING 'UTF8'"
    assert isolation.startswith("ledger: transactions are serializable there, and charges that meet would be refused;")


async def test_at_the_start_it_is_told_where_there_is_no_ledger(server: ScratchPostgres) -> None:
    nowhere = "postgresql://keeper:tulip@127.0.0.1:1/books"
    with pytest.raises(LedgerUnavailable) as fault:
        await Ledger.open(nowhere, Accounting.PURE)
    told = f"{fault.value} {fault.value.detail} {fault.value.hint}"
    assert 'ledger: the database "books" at 127.0.0.1:1 as "keeper": ' in told
    assert "[ledger] url" in told
    assert "tulip" not in told


async def test_a_server_that_takes_no_writes_refuses_and_is_left(empty: ScratchPostgres) -> None:
    """As one that has become a standby. When it takes them again, or another does, no restart is needed."""
    ledger = await Ledger.open(empty.conninfo, Accounting.PURE)
    await pay(ledger)
    with psycopg.connect(empty.conninfo, autocommit=True) as connection:
        for setting in ("on", "off"):
            connection.execute(f"ALTER DATABASE {empty.database} SET default_transaction_read_only = {setting}")
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'dpproxy ledger'"
            )
            if setting == "on":
                for _ in range(2):
                    with pytest.raises(LedgerUnavailable):
                        await pay(ledger)
                with pytest.raises(LedgerUnavailable) as fault:
                    await Ledger.open(empty.conninfo, Accounting.PURE)
                assert "read-only transaction" in (fault.value.detail or "")
            connection.execute("SET default_transaction_read_only = off")
    assert (await pay(ledger)).spent == TENTH + TENTH
    await ledger.close()


Between = Callable[[str], AbstractAsyncContextManager[str]]


@asynccontextmanager
async def directly(conninfo: str) -> AsyncIterator[str]:
    yield conninfo


@asynccontextmanager
async def through_a_pooler(conninfo: str) -> AsyncIterator[str]:
    if pgbouncer() is None:
        pytest.skip("no pgbouncer on this machine")
    async with pooled(conninfo) as there:
        yield there


async def test_charges_through_a_pooler_never_overspend(empty: ScratchPostgres) -> None:
    """Twenty connections over three server processes, from two proxies, with a reset in between."""
    async with through_a_pooler(empty.conninfo) as there, AsyncExitStack() as held:
        ledgers = [await Ledger.open(there, Accounting.PURE, connections=20) for _ in range(2)]
        for ledger in ledgers:
            held.push_async_callback(ledger.close)

        async def one(number: int) -> Receipt | None:
            try:
                return await pay(ledgers[number % 2], ALICE, TENTH, ONE)
            except PrivacyBudgetExceeded:
                return None

        for label in ("ever", "ever#2"):
            receipts = [each for each in await asyncio.gather(*map(one, range(60))) if each is not None]
            assert len({each.id for each in receipts}) == 10
            assert {each.period for each in receipts} == {label}
            await asyncio.gather(*(ledgers[0].settle(each.id, Outcome.ANSWERED) for each in receipts))
            assert (await ledgers[1].standing(ALICE)).spent == ONE
            if label == "ever":
                assert await ledgers[0].reset(ALICE) == "ever#2"
        assert {each.outcome for each in await ledgers[0].statements("alice")} == {Outcome.ANSWERED}
        assert (await ledgers[0].group_standing("everyone")).spent.main == 2
        with psycopg.connect(empty.conninfo) as connection:
            prepared = connection.execute("SELECT count(*) FROM pg_stat_activity WHERE usename = 'owner'").fetchone()
        assert prepared is not None and prepared[0] < 20


@pytest.mark.parametrize("between", [directly, through_a_pooler])
@pytest.mark.parametrize("side", ["proxy", "server"])
async def test_a_charge_of_unknown_outcome_is_answered_by_nobody(
    empty: ScratchPostgres, between: Between, side: str
) -> None:
    """The network ends after the charge was sent and before its receipt came back: it is on record once, its caller
    knows nothing, and the next one is charged as ever. Cut on either side of what is between."""
    async with AsyncExitStack() as held:
        if side == "server":
            wire = await held.enter_async_context(wired(empty.conninfo))
            there = await held.enter_async_context(between(wire.conninfo))
        else:
            wire = await held.enter_async_context(wired(await held.enter_async_context(between(empty.conninfo))))
            there = wire.conninfo
        ledger = await Ledger.open(there, Accounting.PURE, patience=10)
        held.push_async_callback(ledger.close)
        direct = await Ledger.open(empty.conninfo, Accounting.PURE)
        held.push_async_callback(direct.close)
        known = {(await pay(ledger)).id for _ in range(3)}
        for _ in range(3):
            wire.replies = 0
            with pytest.raises(LedgerUnavailable):
                await pay(ledger)
            wire.replies = None
            known.add((await paid_soon(ledger)).id)
        charges = await direct.statements("alice")
        assert known <= {each.id for each in charges}
        assert len(charges) <= len(known) + 3, "nothing is sent twice"
        assert len(charges) > len(known), "the cut came after the charge was made"
        assert (await direct.standing(ALICE)).spent.main == TENTH.main * len(charges)


async def paid_soon(ledger: Ledger) -> Receipt:
    """A charge as soon as there is a way: a pooler tries again after a second."""
    async with asyncio.timeout(30):
        while True:
            try:
                return await pay(ledger)
            except LedgerUnavailable:
                await asyncio.sleep(0.05)


async def test_a_silent_network_refuses_in_time_and_comes_back(empty: ScratchPostgres) -> None:
    async with wired(empty.conninfo) as wire:
        ledger = await Ledger.open(wire.conninfo, Accounting.PURE, patience=2)
        await pay(ledger)
        wire.silent = True
        results = await asyncio.gather(*(pay(ledger) for _ in range(12)), return_exceptions=True)
        assert {type(each) for each in results} == {LedgerUnavailable}
        wire.silent = False
        wire.cut()
        assert (await pay(ledger)).spent == TENTH + TENTH
        await ledger.close()


async def test_a_pooler_brings_a_restarted_server_back(empty: ScratchPostgres) -> None:
    async with through_a_pooler(empty.conninfo) as there:
        ledger = await Ledger.open(there, Accounting.PURE, patience=2)
        receipts = [await pay(ledger)]
        empty.kill()
        with pytest.raises(LedgerUnavailable):
            await pay(ledger)
        empty.start()
        receipts.append(await paid_soon(ledger))
        assert {each.id for each in receipts} <= {each.id for each in await ledger.statements("alice")}
        await ledger.close()


@pytest.fixture
def small_disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A file system of 128 MB, where temporary directories are made."""
    directory = Path(tempfile.mkdtemp(prefix="dpp"))
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=128m,mode=755", "tmpfs", directory], capture_output=True
    )
    if mounted.returncode:
        directory.rmdir()
        pytest.skip("no file system can be mounted on this machine")
    try:
        monkeypatch.setattr(tempfile, "tempdir", str(directory))
        yield directory
    finally:
        subprocess.run(["umount", "--lazy", directory], check=True)
        directory.rmdir()


async def test_a_full_disk_refuses_and_charges_stay(small_disk: Path) -> None:
    """Nothing is answered while there is no room, what was is on record, and with room again all goes on."""
    if not INSTALLATIONS:
        pytest.skip("no Postgres on this machine")
    with scratch_postgres(next(iter(INSTALLATIONS.values()))) as server:
        ledger = await Ledger.open(server.conninfo, Accounting.PURE)
        known = {(await pay(ledger)).id}
        ballast = small_disk / "ballast"
        with suppress(OSError), ballast.open("wb", buffering=0) as file:
            while True:
                file.write(bytes(2**16))
        refused = 0
        for number in range(4000):
            text = random.Random(number).randbytes(3500).hex()
            try:
                known.add((await ledger.charge(ALICE, TENTH, of(PLENTY), (), text, TENTH.main)).id)
            except LedgerUnavailable as fault:
                assert isinstance(fault.__cause__, psycopg.OperationalError)  # DiskFull, or no room to connect in
                refused += 1
            if refused == 10:
                break
        assert refused == 10
        ballast.unlink()
        known.add((await paid_soon(ledger)).id)
        charges = await ledger.statements("alice", 10_000)
        assert known <= {each.id for each in charges}
        assert (await ledger.standing(ALICE)).spent.main == TENTH.main * len(charges)
        await ledger.close()

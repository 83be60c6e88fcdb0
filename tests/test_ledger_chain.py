"""The chain: whatever is done to the ledger behind its back is found, and named."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from decimal import Decimal
from pathlib import Path

import psycopg
import pytest
import pytest_asyncio
from psycopg import sql
from scratch_postgres import INSTALLATIONS, ScratchPostgres, scratch_postgres
from test_budget_commands import change
from test_given_ledger import FIRST
from towns import Town, cells, serving

from dpproxy.accounting.account import terms
from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.errors import ConfigFault, LedgerUnavailable, PrivacyBudgetExceeded
from dpproxy.ledger import AccountRef, Ledger, Reset, migrations
from dpproxy.ledger.adoption import NEIGHBORS, PolicyTerm, PolicyTerms, TermKind
from dpproxy.ledger.chain_head import ChainHead, advance, read, write
from dpproxy.ledger.hash_chain import canonical
from dpproxy.ledger.installed_functions import made
from dpproxy.ledger.verification import Verification

pytestmark = pytest.mark.long

ALICE, BOB = AccountRef("alice"), AccountRef("bob", Reset.DAILY)
ONE = terms(Accounting.PURE, Decimal(1), Decimal("1e-6"))
TENTH = Loss(Decimal("0.1"), Decimal("1e-8"))
PROMISE = PolicyTerms(
    Accounting.PURE,
    "",
    (
        PolicyTerm(TermKind.ANALYST, "alice", "never", ONE.epsilon, ONE.delta),
        PolicyTerm(TermKind.ANALYST, "bob", "daily", ONE.epsilon, ONE.delta),
        PolicyTerm(TermKind.BUDGET, "everyone", "never"),
        PolicyTerm(TermKind.NEIGHBORS, "", NEIGHBORS),
    ),
)


@pytest.fixture(scope="module")
def server() -> Iterator[ScratchPostgres]:
    if not INSTALLATIONS:
        pytest.skip("no Postgres on this machine")
    with scratch_postgres(list(INSTALLATIONS.values())[-1]) as running:
        yield running


@pytest.fixture
def owner(server: ScratchPostgres) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    with psycopg.connect(server.conninfo, autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS dp, dp_ledger CASCADE")
        yield connection


@pytest_asyncio.fixture
async def ledger(server: ScratchPostgres, owner: object) -> AsyncIterator[Ledger]:
    opened = await Ledger.open(server.conninfo, Accounting.PURE)
    yield opened
    await opened.close()


async def pay(ledger: Ledger, ref: AccountRef = ALICE, text: str = "SELECT 1", *units: str) -> int:
    return (await ledger.charge(ref, TENTH, ONE, (), text, Decimal("0.1"), units or None)).id


async def lived(ledger: Ledger) -> None:
    """A row of each kind, and charges of two analysts."""
    await lived_before(ledger)
    await ledger.approved_columns().keep({"streets": ("street", "length")})
    await pay(ledger)


async def lived_before(ledger: Ledger) -> None:
    """The same of the kinds that there were in version 4."""
    await ledger.meet(PROMISE, "serve")
    await pay(ledger, ALICE, "SELECT 'ä', '\n'", "person")
    await pay(ledger, BOB)
    assert await ledger.grant(ALICE, await ledger.standing(ALICE), Decimal("0.5"), Decimal(0))
    await pay(ledger, ALICE, "SELECT 2", "person", "home")
    await ledger.reset(BOB)
    await pay(ledger, BOB)
    await ledger.stop_analyst("alice", "the engine failed")
    assert await ledger.clear("alice")
    await ledger.accept(ChainHead("00000000-0000-0000-0000-000000000000", 7, b"\1"))
    await ledger.reset_group("everyone")


async def verified(ledger: Ledger, kept: ChainHead | None = None) -> Verification:
    return await ledger.verify(kept, lambda *_: None)


async def test_a_whole_ledger_has_no_fault(ledger: Ledger) -> None:
    begun = await ledger.head()
    await lived(ledger)
    seen: list[tuple[int, int]] = []
    found = await ledger.verify(begun, lambda done, of: seen.append((done, of)))
    assert found.faults == []
    assert found.head == await ledger.head()
    assert seen[-1] == (found.entries, found.entries) and found.entries > 15
    with pytest.raises(PrivacyBudgetExceeded):
        for _ in range(20):
            await pay(ledger)
    assert (await verified(ledger, found.head)).faults == []
    assert await ledger.lost(begun) is None
    assert await ledger.lost(found.head) is None


TAMPERED = {
    "a smaller cost": ("UPDATE dp_ledger.charges SET main = 0.01 WHERE id = 3", "charge 3, or its entry"),
    "another text": ("UPDATE dp_ledger.charges SET statement = 'SELECT 3' WHERE id = 1", "charge 1, or its entry"),
    "another analyst": ("UPDATE dp_ledger.charges SET analyst = 'bob' WHERE id = 1", "charge 1, or its entry"),
    "other accounts": ("UPDATE dp_ledger.charges SET accounts = accounts[:1] WHERE id = 1", "charge 1, or its entry"),
    "no units": ("UPDATE dp_ledger.charges SET units = '{}' WHERE id = 1", "charge 1, or its entry"),
    "an earlier time": (
        "UPDATE dp_ledger.charges SET at = at - interval '1 day' WHERE id = 2",
        "charge 2, or its entry",
    ),
    "a charge is gone": ("DELETE FROM dp_ledger.charges WHERE id = 2", "charge 2 is missing, which entry"),
    "and its entry": (
        "DELETE FROM dp_ledger.entries WHERE what = 'charge' AND id = 2; DELETE FROM dp_ledger.charges WHERE id = 2",
        " is missing",
    ),
    "the last charge is gone": (
        "DELETE FROM dp_ledger.entries WHERE number = (SELECT number FROM dp_ledger.head);"
        " DELETE FROM dp_ledger.charges WHERE id = 5",
        "the ledger's head is entry",
    ),
    "a charge is added": (
        "INSERT INTO dp_ledger.charges (analyst, period, statement, epsilon, left_main, left_delta)"
        " VALUES ('bob', 'ever', 'SELECT 1', 1, 1, 1)",
        "charge 6 was added: it has no entry",
    ),
    "two charges change places": (
        "UPDATE dp_ledger.entries SET id = CASE id WHEN 1 THEN 3 ELSE 1 END WHERE what = 'charge' AND id IN (1, 3)",
        "charge 3, or its entry",
    ),
    "an entry of a charge twice": (
        "INSERT INTO dp_ledger.entries SELECT number + 1, 'charge', 1, hash FROM dp_ledger.head",
        "charge 1 has 2 entries",
    ),
    "an entry of nothing that is known": (
        "UPDATE dp_ledger.entries SET what = 'gift' WHERE what = 'grant'",
        "is of a kind that is not known: gift",
    ),
    "less was spent": (
        "UPDATE dp_ledger.accounts SET main = main - 0.1 WHERE name = 'alice'",
        "account analyst/alice/ever has",
    ),
    "less of everyone's": (
        "UPDATE dp_ledger.accounts SET main = 0 WHERE name = 'everyone'",
        "account budget/everyone/ever has spent 0 and",
    ),
    "an account is gone": (
        "DELETE FROM dp_ledger.accounts WHERE name = 'alice'",
        "account analyst/alice/ever has spent 0",
    ),
    "more was granted": (
        "UPDATE dp_ledger.accounts SET granted_epsilon = 5 WHERE name = 'alice'",
        "account analyst/alice/ever has granted 5 and 0, and its grants are 0.5 and 0",
    ),
    "a larger grant": ("UPDATE dp_ledger.grants SET epsilon = 5", "grant 1, or its entry"),
    "a grant is added": (
        "INSERT INTO dp_ledger.grants (analyst, period, epsilon, delta) VALUES ('bob', 'ever', 1, 0)",
        "grant 2 was added",
    ),
    "a reset is gone": ("DELETE FROM dp_ledger.resets WHERE id = 1", "reset 1 is missing"),
    "a reset is added": (
        "INSERT INTO dp_ledger.resets (kind, name, period, number) VALUES ('analyst', 'alice', 'ever', 2)",
        "reset 3 was added",
    ),
    "larger terms": ("UPDATE dp_ledger.adoptions SET epsilon = 5 WHERE name = 'alice'", "adoption 1, or its entry"),
    "terms are added": (
        "INSERT INTO dp_ledger.adoptions (policy, kind, name, meaning) VALUES (1, 'budget', 'everyone', 'never')",
        "adoption 5 was added",
    ),
    "another policy": ("UPDATE dp_ledger.policies SET document = '{}'", "policy 1, or its entry"),
    "an alarm is gone": ("DELETE FROM dp_ledger.alarms WHERE analyst = 'alice'", "alarm 2 is missing"),
    "an alarm is cleared": (
        "INSERT INTO dp_ledger.alarms (analyst, reason, cleared_at) VALUES ('bob', 'none', now())",
        "clear 3 was added",
    ),
    "a clearance is moved": ("UPDATE dp_ledger.alarms SET cleared_at = now() WHERE id = 2", "clear 2, or its entry"),
    "a column is approved": ("UPDATE dp_ledger.approvals SET columns = '[\"owner\"]'", "approval 1, or its entry"),
    "a table is approved": (
        "INSERT INTO dp_ledger.approvals (name, columns) VALUES ('shops', '[]')",
        "approval 2 was added",
    ),
    "an acceptance is gone": ("DELETE FROM dp_ledger.acceptances", "acceptance 1 is missing"),
    "the head is set back": ("UPDATE dp_ledger.head SET number = 3", "the ledger's head is entry 3"),
    "another identity": ("UPDATE dp_ledger.ledger SET identity = gen_random_uuid()", "or its entry 1, was changed"),
}


@pytest.mark.parametrize("how", TAMPERED)
async def test_what_is_done_to_it_is_found(
    server: ScratchPostgres, owner: psycopg.Connection[tuple[object, ...]], ledger: Ledger, how: str
) -> None:
    statement, told = TAMPERED[how]
    await lived(ledger)
    assert (await verified(ledger)).faults == []
    owner.execute(statement.encode())
    faults = (await verified(ledger)).faults
    assert any(told in fault for fault in faults), faults


OTHER_FUNCTIONS = {
    "charges that a crash forgets": (
        "CREATE OR REPLACE FUNCTION dp_ledger.durably(p_wait integer) RETURNS void LANGUAGE plpgsql AS $$ BEGIN END $$",
        ["function dp_ledger.durably is another one than this version of dpproxy makes"],
    ),
    "another clock": (
        "CREATE OR REPLACE FUNCTION dp_ledger.clock() RETURNS timestamptz LANGUAGE sql VOLATILE AS 'SELECT now()'",
        ["function dp_ledger.clock is another one than this version of dpproxy makes"],
    ),
    "the same text, computed once": (
        "ALTER FUNCTION dp_ledger.period_since(text, date) IMMUTABLE",
        ["function dp_ledger.period_since is another one than this version of dpproxy makes"],
    ),
    "the same text, with another path": (
        "ALTER FUNCTION dp_ledger.unused(text, text) SET search_path = pg_temp",
        ["function dp_ledger.unused is another one than this version of dpproxy makes"],
    ),
    "the same text, with the owner's rights": (
        "ALTER FUNCTION dp_ledger.link(text, bigint[]) SECURITY DEFINER",
        ["function dp_ledger.link is another one than this version of dpproxy makes"],
    ),
    "a second one of the name": (
        "CREATE FUNCTION dp_ledger.unused(p_kind text, p_name varchar) RETURNS boolean LANGUAGE sql AS 'SELECT true'",
        ["function dp_ledger.unused is there 2 times"],
    ),
    "two are gone": (
        "DROP FUNCTION dp_ledger.accept; DROP FUNCTION dp_ledger.take",
        ["function dp_ledger.accept is missing", "function dp_ledger.take is missing"],
    ),
    "one that is nobody's": ("CREATE FUNCTION dp.mine() RETURNS integer LANGUAGE sql AS 'SELECT 1'", []),
}


@pytest.mark.parametrize("how", OTHER_FUNCTIONS)
async def test_functions_that_this_version_does_not_make_are_named(
    owner: psycopg.Connection[tuple[object, ...]], ledger: Ledger, how: str
) -> None:
    statement, faults = OTHER_FUNCTIONS[how]
    await lived(ledger)
    owner.execute(statement.encode())
    assert (await verified(ledger)).faults == faults


async def test_every_function_is_compared(owner: psycopg.Connection[tuple[object, ...]], ledger: Ledger) -> None:
    """Those that were made, and no others: all that are in a schema that is the ledger's alone."""
    await ledger.head()
    there = owner.execute("SELECT proname FROM pg_proc WHERE pronamespace = 'dp_ledger'::regnamespace").fetchall()
    assert {name for (name,) in there} == set(made())
    assert len(there) > 20


async def test_a_history_made_anew_is_found_by_the_head(
    owner: psycopg.Connection[tuple[object, ...]], ledger: Ledger
) -> None:
    """Whoever owns the database can make all hashes again, but not those that were kept elsewhere."""
    await lived(ledger)
    kept = await ledger.head()
    await pay(ledger)
    owner.execute("UPDATE dp_ledger.charges SET statement = 'SELECT 3' WHERE id = 1")
    owner.execute(
        "SET search_path = dp_ledger; DO $$ DECLARE e record; made bytea := (SELECT"
        " sha256(convert_to(identity::text, 'UTF8')) FROM ledger); BEGIN FOR e IN SELECT * FROM entries ORDER BY number"
        " LOOP made := sha256(made || canonical(ARRAY[e.number::text, e.what, e.id::text] || chained(e.what, e.id)));"
        " UPDATE entries SET hash = made WHERE number = e.number; END LOOP; UPDATE head SET hash = made; END $$;"
        " RESET search_path"
    )
    assert (await verified(ledger)).faults == []
    [fault] = (await verified(ledger, kept)).faults
    assert fault == f"entry {kept.number} is another one than the head that was kept"
    assert await ledger.lost(kept) == fault


async def test_an_older_copy_is_found_by_the_head(server: ScratchPostgres, owner: object) -> None:
    """A whole database is copied, charged, and put back; also after it went on and became longer than it was."""
    ledger = await Ledger.open(server.conninfo, Accounting.PURE)
    await lived(ledger)
    await ledger.close()
    replaced(server, "older", server.database)
    ledger = await Ledger.open(server.conninfo, Accounting.PURE)
    await pay(ledger)
    kept = await ledger.head()
    await ledger.close()
    replaced(server, server.database, "older")
    ledger = await Ledger.open(server.conninfo, Accounting.PURE)
    told = f"the head that was kept is entry {kept.number}, and the ledger ends at entry {kept.number - 1}"
    assert (await verified(ledger)).faults == []
    assert (await verified(ledger, kept)).faults == [told]
    assert await ledger.lost(kept) == told
    for _ in range(2):
        await pay(ledger, BOB)
    assert (await verified(ledger, kept)).faults == [f"entry {kept.number} is another one than the head that was kept"]
    other = ChainHead("00000000-0000-0000-0000-000000000000", 0, b"")
    assert "is of another ledger" in (await verified(ledger, other)).faults[0]
    await ledger.close()


def replaced(server: ScratchPostgres, name: str, by: str) -> None:
    """The database `name` is now a copy of the database `by`."""
    with psycopg.connect(server.conninfo, dbname="postgres", autocommit=True) as connection:
        for each in (name, by):
            connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (each,))
        name_, by_ = sql.Identifier(name), sql.Identifier(by)
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(name_))
        connection.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(name_, by_))


async def test_it_can_be_looked_through_while_proxies_charge(server: ScratchPostgres, ledger: Ledger) -> None:
    await ledger.meet(PROMISE, "serve")
    other = await Ledger.open(server.conninfo, Accounting.PURE)
    over = False

    async def spender(number: int) -> None:
        while not over:
            await ledger.charge(AccountRef(f"a{number}"), TENTH, terms(Accounting.PURE, Decimal(10**6), Decimal("0.5")),
                                (), "SELECT 1", Decimal("0.1"))  # fmt: skip

    spenders = asyncio.gather(*(spender(number) for number in range(6)))
    kept = None
    for _ in range(5):
        found = await verified(other, kept)
        assert found.faults == []
        kept = found.head
        await asyncio.sleep(0.05)
    over = True
    await spenders
    found = await verified(other, kept)
    assert (found.faults, found.entries > 50) == ([], True)
    await other.close()


def test_no_two_rows_are_written_alike() -> None:
    rows = [
        ("a", "b"),
        ("ab",),
        ("a", "b", ""),
        ("a,1:b",),
        ("a", None),
        ("a",),
        ("a", "-"),
        (None, "a"),
        ("", "ab"),
        (),
    ]
    assert len({canonical(row) for row in rows}) == len(rows)
    assert canonical(("ä", None, "")) == b"2:\xc3\xa4,-,0:"


SECOND_CHARGE = """
CREATE FUNCTION dp.charge(p_analyst text, OUT id bigint) LANGUAGE sql AS 'SELECT 1::bigint';
CREATE FUNCTION dp.seize(p_kinds text[]) RETURNS text LANGUAGE sql AS 'SELECT ''ever''::text';
CREATE FUNCTION dp.somebody_elses() RETURNS integer LANGUAGE sql AS 'SELECT 1';
UPDATE dp.ledger SET version = 2;
INSERT INTO dp.resets (at, kind, name, period, number) VALUES
    (clock_timestamp() + interval '1 second', 'budget', 'everyone', 'ever', 2);
INSERT INTO dp.accounts (kind, name, period, main) VALUES ('budget', 'everyone', 'ever#2', 0.01);
INSERT INTO dp.charges (at, analyst, period, statement, epsilon, main, left_main, left_delta) VALUES
    (clock_timestamp() + interval '2 seconds', 'bob', 'ever', 'SELECT 3', 0.2, 0.2, 0, 0);
INSERT INTO dp.accounts (kind, name, period, main, charges) VALUES ('analyst', 'bob', 'ever', 0.3, 1);
"""
OLDER: dict[str, tuple[Callable[[], str], dict[str, str]]] = {
    "0.1.0": (
        lambda: FIRST.replace("('budget', 'everyone', 'ever', 0.9,", "('budget', 'everyone', 'ever', 0.1,"),
        {"budget/everyone/ever": "0.9", "analyst/alice/ever": "0.9"},
    ),
    "0.4.0": (
        lambda: FIRST + (migrations.STEPS[0] + migrations.STEPS[1]).replace("dp_ledger.", "dp.") + SECOND_CHARGE,
        {"budget/everyone/ever": "0.9", "budget/everyone/ever#2": "0.2", "analyst/bob/ever": "0.3"},
    ),
}


@pytest.mark.parametrize("version", OLDER)
async def test_an_older_ledger_is_chained_and_everyone_is_charged(
    server: ScratchPostgres, owner: psycopg.Connection[tuple[object, ...]], version: str
) -> None:
    """Finding 3, for what was spent before: a group has lost at least what all analysts did since it was reset."""
    made, expected = OLDER[version]
    owner.execute(made().encode())
    ledger = await Ledger.open(server.conninfo, Accounting.PURE)
    assert (await verified(ledger)).faults == []
    rows = owner.execute("SELECT kind || '/' || name || '/' || period, main FROM dp_ledger.accounts").fetchall()
    assert {str(name): main for name, main in rows}.items() >= {k: Decimal(v) for k, v in expected.items()}.items()
    standing = await ledger.standing(ALICE)
    assert (standing.spent.main, standing.granted_epsilon) == (Decimal("0.9"), Decimal("0.5"))
    await pay(ledger)
    assert (await verified(ledger)).faults == []
    owner.execute("UPDATE dp_ledger.charges SET main = 0 WHERE id = 1")
    assert any("charge 1, or its entry" in fault for fault in (await verified(ledger)).faults)
    await ledger.close()
    left = owner.execute(
        "SELECT pronamespace::regnamespace || '.' || proname FROM pg_proc WHERE proname IN"
        " ('charge', 'seize', 'somebody_elses') AND pronamespace::regnamespace::text ~ '^dp' ORDER BY 1"
    ).fetchall()
    theirs = [("dp.somebody_elses",)] if version == "0.4.0" else []
    assert left == [*theirs, ("dp_ledger.charge",), ("dp_ledger.seize",)], "one of each, and what is not dpproxy's"


@pytest.mark.parametrize("accounting", Accounting)
async def test_the_report_adds_up(server: ScratchPostgres, owner: object, accounting: Accounting) -> None:
    """A class of units has lost what was charged for it, and what was charged for no class in particular."""
    ledger = await Ledger.open(server.conninfo, accounting)
    whole = terms(accounting, Decimal(10), Decimal("1e-5"))
    for ref, units in ((ALICE, {"person"}), (BOB, {"person", "home"}), (ALICE, None), (BOB, {"home"})):
        await ledger.charge(ref, TENTH, whole, (), "SELECT 1", Decimal("0.1"), units)
        await ledger.reset(ref)
    held_back = Decimal("1e-6")
    home, person, ship = await ledger.report(["ship", "person"], held_back)
    assert [(each.unit, each.charges, each.loss.main) for each in (home, person, ship)] == [
        ("home", 3, Decimal("0.3")),
        ("person", 3, Decimal("0.3")),
        ("ship", 1, Decimal("0.1")),
    ]
    if accounting is Accounting.PURE:
        assert (person.epsilon, person.delta) == (Decimal("0.3"), Decimal("3e-8"))
    else:
        assert (Decimal(3) < person.epsilon < Decimal(5), person.delta) == (True, Decimal("1.03e-6"))
    await ledger.close()


def test_a_head_is_kept_whole_and_never_set_back(tmp_path: Path) -> None:
    path = tmp_path / "x.head"
    assert read(path) is None
    later, earlier = ChainHead("a", 5, b"\5"), ChainHead("a", 4, b"\4")
    for each, expected in (
        (earlier, earlier),
        (later, later),
        (earlier, later),
        (ChainHead("b", 1, b""), ChainHead("b", 1, b"")),
    ):
        advance(path, each)
        assert read(path) == expected
    write(path, earlier)
    assert read(path) == earlier
    assert [each.name for each in tmp_path.iterdir()] == ["x.head"]
    for text in ("", "[]", '{"ledger": "a"}', '{"ledger": "a", "number": 1, "hash": "x"}'):
        path.write_text(text)
        with pytest.raises(ConfigFault, match="cannot be read"):
            read(path)


@pytest.fixture
def town(
    server: ScratchPostgres,
    owner: object,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Town:
    """A town whose ledger is on the server."""
    town = Town(tmp_path, capsys, monkeypatch)
    there = f"postgresql://{server.owner}@/{server.database}?host={server.directory}"
    change(town, "[engine]\n", f'[ledger]\nurl = "{there}"\nhead = "kept"\n\n[engine]\n')
    return town


def asked(town: Town, age: int) -> str:
    """One statement of alice's through a proxy of its own, which is stopped then; its log."""
    with serving(town.config) as (proxy, port):
        with psycopg.connect(f"host=127.0.0.1 port={port} dbname=town user=alice", autocommit=True) as alice:
            alice.execute(f"SELECT count(*) FROM people WHERE age > {age}")  # type: ignore[arg-type]
        proxy.terminate()
        _, log = proxy.communicate(timeout=60)
    return log


@pytest.mark.long
def test_a_proxy_does_not_start_on_an_older_copy(town: Town, server: ScratchPostgres) -> None:
    log = asked(town, 17)
    kept = read(town.config.parent / "kept")
    assert kept is not None
    assert f"ledger={kept.ledger} number={kept.number} hash={kept.hash.hex()}" in log
    replaced(server, "older", server.database)
    asked(town, 18)
    ran = town.run("ledger", "verify")
    assert (ran.status, ran.out.startswith("The ledger is whole: ")) == (0, True)
    replaced(server, server.database, "older")
    ran = town.run("serve")
    assert ran.status == 1
    assert "the ledger was restored from an older copy" in ran.err and "dpproxy ledger verify" in ran.err
    ran = town.run("ledger", "verify", "--json")
    found = json.loads(ran.out)
    assert (ran.status, len(found["faults"])) == (1, 1)
    assert "the head that was kept is entry" in found["faults"][0]
    assert town.plain("ledger", "accept", "--config", str(town.config), stdin="n\n").status == 1
    assert town.run("serve").status == 1
    assert town.run("ledger", "accept", "--yes").status == 0
    assert "nothing to accept" in town.run("ledger", "accept", "--yes").err
    asked(town, 19)
    assert town.run("ledger", "verify").status == 0
    with psycopg.connect(server.conninfo) as connection:
        assert connection.execute("SELECT count(*) FROM dp_ledger.acceptances").fetchone() == (1,)


def test_a_running_proxy_and_the_commands(town: Town, server: ScratchPostgres) -> None:
    asked(town, 17)
    ran = town.run("ledger", "report")
    assert (ran.status, cells(ran.out, "person")[1]) == (0, "1")
    [row] = json.loads(town.run("ledger", "report", "--json").out)
    assert (row["unit"], row["charges"], Decimal(row["rho"]) > 0) == ("person", 1, True)
    assert town.run("ledger", "verify", "--head", str(town.config.parent / "nothing")).status == 1
    with psycopg.connect(server.conninfo, autocommit=True) as connection:
        connection.execute("UPDATE dp_ledger.charges SET epsilon = 0")
    ran = town.run("ledger", "verify")
    assert ran.status == 1
    assert "charge 1, or its entry" in ran.out
    (town.config.parent / "kept").unlink()
    assert "no head was kept" in town.run("ledger", "verify").err


async def test_what_cannot_be_linked_is_not_charged(
    owner: psycopg.Connection[tuple[object, ...]], ledger: Ledger
) -> None:
    await pay(ledger)
    owner.execute("DELETE FROM dp_ledger.head")
    with pytest.raises(LedgerUnavailable):
        await pay(ledger)
    assert (await ledger.standing(ALICE)).spent == TENTH

"""`dpproxy budget`, `check` and a proxy, on a ledger that is given, behind a pooler where there is one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import psycopg
import pytest
from between import pgbouncer, pooled
from psycopg.conninfo import conninfo_to_dict
from scratch_postgres import INSTALLATIONS, ScratchPostgres, scratch_postgres
from towns import Town, cells, serving

COUNT = "SELECT count(*) FROM people WHERE age > 17"


@pytest.fixture(scope="module")
def server() -> Iterator[ScratchPostgres]:
    if not INSTALLATIONS:
        pytest.skip("no Postgres on this machine")
    with scratch_postgres(list(INSTALLATIONS.values())[-1]) as running:
        yield running


@pytest.fixture
def given(
    server: ScratchPostgres, tmp_path: object, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Town:
    """A town whose ledger is on `server`; alice's budget is daily."""
    with psycopg.connect(server.conninfo, autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS dp, dp_ledger CASCADE")
    town = Town(tmp_path, capsys, monkeypatch)  # type: ignore[arg-type]
    change(town, "[analysts.alice]   # the first\n", '[analysts.alice]   # the first\nreset = "daily"\n')
    there = f"postgresql://{server.owner}@/{server.database}?host={server.directory}"
    change(town, "[engine]\n", f'[ledger]\nurl = "{there}"\n\n[engine]\n')
    return town


def change(town: Town, old: str, new: str) -> None:
    text = town.config.read_text()
    assert old in text
    town.config.write_text(text.replace(old, new))


def move(server: ScratchPostgres, at: str) -> None:
    """The ledger's clock stands still from now on."""
    with psycopg.connect(server.conninfo, autocommit=True) as connection:
        connection.execute(
            "CREATE OR REPLACE FUNCTION dp_ledger.clock() RETURNS timestamptz LANGUAGE sql VOLATILE AS"
            f" $$ SELECT '{at}'::timestamptz $$"
        )


@pytest.mark.parametrize(
    ("reset", "accounting", "year"),
    [
        ("never", "zcdp", "epsilon 5 (never resets)"),
        ("daily", "pure", "epsilon 1830, delta 0.000366 (366 days)"),
        ("weekly", "pure", "epsilon 270, delta 5.4e-05 (54 weeks)"),
        ("monthly", "zcdp", "epsilon 20.1365, delta 1.2e-05 (12 months)"),
        ("data_version", "zcdp", "epsilon 5 for each version of the data"),
    ],
)
def test_check_tells_the_total_of_a_year(given: Town, reset: str, accounting: str, year: str) -> None:
    change(given, 'reset = "daily"', f'reset = "{reset}"')
    change(given, "[units.person]", f'[privacy]\naccounting = "{accounting}"\ndata_version = "1"\n\n[units.person]')
    ran = given.run("check")
    assert ran.status == 0, ran.err
    assert cells(ran.out, "alice")[-1] == year
    assert cells(ran.out, "everyone together")[-1] == "epsilon 20 (never resets)"


def test_budgets_of_a_given_ledger_are_shown_granted_and_reset(given: Town, server: ScratchPostgres) -> None:
    assert given.run("budget", "show").status == 0
    move(server, "2026-11-22 12:00+00")
    assert cells(given.run("budget", "show").out, "alice")[1:4] == ["2026-11-22", "5.0", "0.000001"]
    ran = given.run("budget", "grant", "alice", "--epsilon", "1")
    granted = cells(ran.out, "alice")
    assert (granted[1], granted[2], granted[8], granted[-1]) == ("2026-11-22", "6.0", "2026-11-23 00:00 UTC", "open")
    ran = given.run("budget", "reset", "alice")
    assert (ran.status, ran.out) == (0, "")
    assert '"alice" spends from "2026-11-22#2" now' in ran.err
    assert cells(given.run("budget", "show", "alice").out, "alice")[1:3] == ["2026-11-22#2", "5.0"]
    assert 'counted as "ever#2"' in given.run("budget", "reset", "--everyone").err
    assert cells(given.run("budget", "show").out, "everyone together")[1] == "ever#2"
    assert '"alice" was not stopped' in given.run("analyst", "clear", "alice").err
    for words in (["reset"], ["reset", "alice", "--everyone"]):
        assert given.run("budget", *words).status == 2
    assert given.run("budget", "reset", "nobody").status == 1
    with psycopg.connect(server.conninfo) as connection:
        rows = connection.execute("SELECT kind, name, period, number FROM dp_ledger.resets ORDER BY id").fetchall()
    assert rows == [("analyst", "alice", "2026-11-22", 2), ("budget", "everyone", "ever", 2)]


def test_a_ledger_that_is_not_there_is_told(given: Town, server: ScratchPostgres) -> None:
    change(given, f"{server.owner}@/{server.database}?host={server.directory}", "owner:tulip@127.0.0.1:1/books")
    for words in (["budget", "show"], ["serve"]):
        ran = given.run(*words)
        assert ran.status == 1
        assert 'ledger: the database "books" at 127.0.0.1:1 as "owner"' in ran.err
        assert "tulip" not in ran.out + ran.err


@asynccontextmanager
async def behind(server: ScratchPostgres) -> AsyncIterator[str]:
    """The server behind a pooler, where there is one, as a URL."""
    if pgbouncer() is None:
        pytest.skip("no pgbouncer on this machine")
    async with pooled(server.conninfo) as there:
        found = conninfo_to_dict(there)
        yield f"postgresql://{found['user']}@{found['host']}:{found['port']}/{found['dbname']}?sslmode=disable"


@pytest.mark.long
async def test_a_proxy_spends_a_days_budget_and_the_next_days(given: Town, server: ScratchPostgres) -> None:
    direct = f"postgresql://{server.owner}@/{server.database}?host={server.directory}"
    assert await asyncio.to_thread(given.run, "budget", "show")
    change(
        given,
        "epsilon = 5.0\ndelta = 1e-6\n[analysts.alice.defaults]",
        "epsilon = 1.0\ndelta = 1e-6\n[analysts.alice.defaults]",
    )
    change(given, "[units.person]", '[privacy]\naccounting = "pure"\n\n[units.person]')
    move(server, "2026-11-22 12:00+00")
    async with behind(server) as there:
        change(given, direct, there)
        await asyncio.to_thread(_two_days, given, server)


def _two_days(given: Town, server: ScratchPostgres) -> None:
    with (
        serving(given.config) as (_, port),
        psycopg.connect(f"host=127.0.0.1 port={port} dbname=town user=alice", autocommit=True) as alice,
    ):
        for number in range(2):
            alice.execute(f"{COUNT} AND age <> {number}")  # type: ignore[arg-type]
        with pytest.raises(psycopg.Error, match="are left of your budget") as fault:
            alice.execute(f"{COUNT} AND age <> 3")  # type: ignore[arg-type]
        assert (fault.value.sqlstate, fault.value.diag.message_hint) == (
            "DP001",
            "Nothing is left to spend; wait for the next period, which begins at 2026-11-23 00:00 UTC, or ask the"
            " owner for more.",
        )
        budget = alice.execute("SELECT * FROM dp.budget")
        assert [column.name for column in budget.description or ()] == [
            *("analyst", "period", "epsilon", "delta", "spent_epsilon", "spent_delta"),
            *("remaining_epsilon", "remaining_delta", "period_ends", "epsilon_pld", "statements_left"),
        ]
        row = budget.fetchone() or ()
        assert (row[1], float(row[4]), row[-3]) == ("2026-11-22", 1, datetime(2026, 11, 23, tzinfo=UTC))
        assert 0.9 < float(row[-2]) <= 1
        move(server, "2026-11-23 00:00+00")
        alice.execute(f"{COUNT} AND age <> 3")  # type: ignore[arg-type]
        history = alice.execute("SELECT id, period FROM dp.statements ORDER BY id").fetchall()
        assert history == [(1, "2026-11-22"), (2, "2026-11-22"), (3, "2026-11-23")]
        remaining = alice.execute("SELECT period, remaining_epsilon FROM dp.budget").fetchone() or ()
        assert (remaining[0], float(remaining[1])) == ("2026-11-23", 0.5)

"""Fifty connections race for the last of a budget: nobody overspends, and who was charged is who got an answer."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import asyncpg
import psycopg
import pytest
from proxies import PATIENCE_SECONDS, Books, ServedProxy, books, serving, write_policy

from dpproxy.accounting.account import statement_loss

pytestmark = pytest.mark.long

CONNECTIONS = 50
EXHAUSTED = "DP001"
_ALICE = "epsilon = 100.0\ndelta = 1e-5\n[analysts.alice.defaults]\nepsilon = 1.0"
_BOB = 'epsilon = 1.0\ndelta = 1e-6\ntables = ["people", "departments"]'
_ZCDP = 'accounting = "zcdp"'


@dataclass
class Racer:
    """One connection: `ask` raises its driver's own error. What it was told is kept by the statement's text."""

    analyst: str
    ask: Callable[[str], Awaitable[Any]]
    close: Callable[[], Awaitable[None]]
    answered: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    async def pay(self, statement: str) -> bool:
        """Whether there was an answer; if not it must have been the budget."""
        try:
            assert isinstance(await self.ask(statement), int)
        except (asyncpg.PostgresError, psycopg.Error) as fault:
            assert fault.sqlstate == EXHAUSTED, repr(fault)
            self.refused.append(statement)
            return False
        self.answered.append(statement)
        return True


async def racer(proxy: ServedProxy, analyst: str, number: int) -> Racer:
    """A connection: every other one asyncpg, whose statements are prepared and binary, the others psycopg's simple."""
    if number % 2:
        connection = await asyncpg.connect(proxy.dsn(analyst), timeout=PATIENCE_SECONDS, ssl=False)
        return Racer(analyst, connection.fetchval, connection.close)
    other = await psycopg.AsyncConnection.connect(
        proxy.dsn(analyst), autocommit=True, cursor_factory=psycopg.AsyncClientCursor
    )

    async def ask(statement: str) -> Any:
        row = await (await other.execute(statement)).fetchone()
        return row and row[0]

    return Racer(analyst, ask, other.close)


def unique(racer: int, attempt: int) -> str:
    """A private count whose text is nobody else's."""
    literal = 1_000_000 + racer * 1000 + attempt
    return f"SELECT count(*) FROM people WHERE age > 17 AND {literal} = {literal}"


async def still_usable(each: Racer) -> None:
    """After all that, the session works, and the account is shown for free."""
    assert await each.ask("SELECT 40 + 2") == 42
    assert await each.ask("SELECT count(*) FROM dp.budget") == 1
    await each.close()


async def settled(proxy: ServedProxy) -> Books:
    """The ledger, once what became of each charge is written down."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            seen = await books(proxy.config)
            if all(row["outcome"] != "charged" for row in seen.charges):
                return seen
            await asyncio.sleep(0.02)


def check_charges(racers: Sequence[Racer], rows: Sequence[dict[str, Any]]) -> None:
    """Exactly the answered statements were charged, each once, on the account of who asked."""
    answered = Counter((each.analyst, text) for each in racers for text in each.answered)
    assert Counter((row["analyst"], row["statement"]) for row in rows) == answered
    assert {row["outcome"] for row in rows} <= {"answered"}


async def race(
    proxy: ServedProxy, analysts: Sequence[str], run: Callable[[int, Racer], Awaitable[None]]
) -> list[Racer]:
    """Connect all, let them go at once, and see that their sessions are none the worse for it."""
    racers = await asyncio.gather(
        *(racer(proxy, analysts[number // 2 % len(analysts)], number) for number in range(CONNECTIONS))
    )
    await asyncio.gather(*(run(number, each) for number, each in enumerate(racers)))
    await asyncio.gather(*map(still_usable, racers))
    return racers


async def one_try(number: int, each: Racer) -> None:
    """Everybody wants one answer."""
    await each.pay(unique(number, 0))


async def until_refused_at_any_price(number: int, each: Racer) -> None:
    """Everybody buys at falling prices until even the least is too much."""
    attempt = 0
    for price in ("0.3", "0.07", "0.05"):
        await each.ask(f"SELECT set_config('dp.epsilon', '{price}', false)")
        while await each.pay(unique(number, attempt)):
            attempt += 1
        attempt += 1


@pytest.mark.parametrize(("accounting", "epsilon"), [("pure", "0.7"), ("zcdp", "2")])
async def test_the_last_of_an_analysts_budget(tmp_path: Path, accounting: str, epsilon: str) -> None:
    """All fifty want a tenth; of seven tenths, seven get it."""
    defaults = "\n[analysts.alice.defaults]\nepsilon = 0.1"
    changes = {_ZCDP: f'accounting = "{accounting}"', _ALICE: f"epsilon = {epsilon}\ndelta = 1e-5{defaults}"}
    config = write_policy(tmp_path, changes)
    terms = config.terms("alice")
    price = statement_loss(terms, Decimal("0.1"))
    affordable = int(terms.limit.main / price)
    assert 0 < affordable < CONNECTIONS
    with serving(config) as proxy:
        racers = await race(proxy, ["alice"], one_try)
        ledger = await settled(proxy)
        rows = ledger.charges
        check_charges(racers, rows)
        assert [row["main"] for row in rows] == [price] * affordable
        assert ledger.spent["analyst", "alice"] == price * affordable <= terms.limit.main


async def test_mixed_prices_leave_less_than_the_least(tmp_path: Path) -> None:
    config = write_policy(
        tmp_path, {_ZCDP: 'accounting = "pure"', _ALICE: "epsilon = 4\ndelta = 1e-5\n[analysts.alice.defaults]"}
    )
    limit = config.terms("alice").limit.main
    with serving(config) as proxy:
        racers = await race(proxy, ["alice"], until_refused_at_any_price)
        ledger = await settled(proxy)
        rows = ledger.charges
        check_charges(racers, rows)
        total = sum(row["main"] for row in rows)
        assert total == ledger.spent["analyst", "alice"]
        assert limit - Decimal("0.05") < total <= limit
        lefts = [row["left_main"] for row in rows]
        assert min(lefts) == limit - total
        assert len(set(lefts)) == len(rows), "two charges that did not see each other"


@pytest.mark.parametrize("cap", ["0.9", "1.85"])
async def test_the_last_of_what_everyone_has_together(tmp_path: Path, cap: str) -> None:
    """Two analysts with plenty each, and a cap over both; in the second case bob's own budget of 1 may end first."""
    changes = {
        _ZCDP: 'accounting = "pure"',
        _ALICE: "epsilon = 5\ndelta = 1e-5\n[analysts.alice.defaults]\nepsilon = 0.1",
        _BOB: f"{_BOB}\n[analysts.bob.defaults]\nepsilon = 0.1\n\n[budgets.everyone]\nepsilon = {cap}\ndelta = 1e-5",
    }
    config = write_policy(tmp_path, changes)
    with serving(config) as proxy:
        racers = await race(proxy, ["alice", "bob"], one_try)
        ledger = await settled(proxy)
        rows = ledger.charges
        check_charges(racers, rows)
        assert len(rows) == int(Decimal(cap) / Decimal("0.1"))
        accounts = ledger.spent
        by_analyst = Counter(row["analyst"] for row in rows)
        assert accounts["budget", "everyone"] == sum(row["main"] for row in rows) <= Decimal(cap)
        for analyst, count in by_analyst.items():
            assert accounts["analyst", analyst] == count * Decimal("0.1") <= config.terms(analyst).limit.main

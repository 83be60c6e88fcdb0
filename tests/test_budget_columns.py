"""What `dp.budget` and `dp.statements` tell of what is left, over a real proxy and the command that grants."""

from __future__ import annotations

import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import psycopg
import pytest
from proxies import serving, write_policy

from dpproxy.accounting.account import terms
from dpproxy.accounting.loss import Accounting
from dpproxy.ledger import HeldAccount, Reset, Standing
from dpproxy.session.dp_tables import statements_left

LEFT = "SELECT remaining_epsilon, statements_left FROM dp.budget"


def left(alice: psycopg.Connection) -> tuple[Decimal, int]:
    [found] = alice.execute(LEFT).fetchall()
    return found


def test_as_many_statements_are_left_as_a_bigint_counts() -> None:
    held = HeldAccount(Standing("alice"), Reset.NEVER, terms(Accounting.ZCDP, Decimal(10**6), Decimal("1e-3")))
    assert statements_left(held, Decimal("1e-12")) == 2**63 - 1
    assert statements_left(held, Decimal(10**6)) == 0


@pytest.mark.long
@pytest.mark.parametrize("accounting", ["zcdp", "pure"])
def test_statements_tell_what_the_budget_told_then(tmp_path: Path, accounting: str) -> None:
    config = write_policy(
        tmp_path, {'accounting = "zcdp"': f'accounting = "{accounting}"', "epsilon = 100.0": "epsilon = 4.0"}
    )
    grant = [sys.executable, "-m", "dpproxy.cli", "budget", "grant", "alice", "--epsilon", "30"]
    with serving(config) as proxy, psycopg.connect(proxy.dsn("alice"), autocommit=True) as alice:
        alice.execute("SET dp.epsilon = 0.5")
        told = []
        for number in range(4):
            before = left(alice)[1]
            alice.execute(f"SELECT count(*) FROM people WHERE age > {number}".encode())
            assert left(alice)[1] == before - 1
            told.append(left(alice)[0])
            if number == 1:
                subprocess.run([*grant, "--config", str(config.path)], check=True, capture_output=True)
        assert told[2] > told[1]
        seen = alice.execute("SELECT remaining_epsilon FROM dp.statements ORDER BY id").fetchall()
        for (shown,), known in zip(seen, told, strict=True):
            assert abs(shown - known) < Decimal("1e-6")
        many = left(alice)[1]
        alice.execute("SET dp.epsilon = 1")
        assert many // 4 - 1 <= left(alice)[1] <= many // 2 + 1


@pytest.mark.long
@pytest.mark.parametrize("prepare", [False, True])
def test_an_error_after_the_charge_says_that_what_was_paid_is_stored(tmp_path: Path, prepare: bool) -> None:
    config = write_policy(tmp_path, {"stored_bytes = 0": "stored_bytes = 1000000"})
    with serving(config) as proxy, psycopg.connect(proxy.dsn("alice"), autocommit=True) as alice:
        for around in ("{}", "CREATE TABLE kept AS {}", "COPY ({}) TO STDOUT"):
            failing = around.format("SELECT sqrt(-1 - 0 * count(*)) AS x FROM people WHERE age > 3")
            before = alice.execute("SELECT spent_epsilon FROM dp.budget").fetchone()
            with pytest.raises(psycopg.errors.InvalidArgumentForPowerFunction) as fault:
                if around.startswith("COPY"):
                    with alice.cursor().copy(failing) as copy:
                        copy.read()
                else:
                    alice.execute(failing, prepare=prepare)
            assert "are stored: to ask for them again is free" in (fault.value.diag.message_detail or "")
            assert "greatest(x, 0)" in (fault.value.diag.message_hint or "")
            after = alice.execute("SELECT spent_epsilon FROM dp.budget").fetchone()
            assert (after != before) == (around == "{}")
            again = "SELECT sqrt(greatest(-1 - 0 * count(*), 0)) FROM people WHERE age > 3"
            assert alice.execute(again).fetchall() == [(0,)]
            assert alice.execute("SELECT spent_epsilon FROM dp.budget").fetchone() == after
        with pytest.raises(psycopg.errors.DivisionByZero) as fault:
            alice.execute("SELECT 1 / (0 * count(*)) FROM dp.budget")
        assert fault.value.diag.message_hint is None

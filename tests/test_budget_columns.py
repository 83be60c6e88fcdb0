"""What `dp.budget` and `dp.statements` tell of what is left, over a real proxy and the command that grants."""

from __future__ import annotations

import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import psycopg
import pytest
from proxies import serving, write_policy

LEFT = "SELECT remaining_epsilon, statements_left FROM dp.budget"


def left(alice: psycopg.Connection) -> tuple[Decimal, int]:
    [found] = alice.execute(LEFT).fetchall()
    return found


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

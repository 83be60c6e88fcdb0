"""What takes long says so on a terminal, and nowhere else."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from towns import POLICY, TABLES, fill, serving, write

pytestmark = pytest.mark.long

OPENING = "opening the engine …"
COMPARING = "comparing the policy with the engine …"
LEDGER = "starting the Postgres that holds the ledger …"


def on_terminal(*words: str) -> tuple[str, str]:
    """stdout of a command, and stderr as a terminal gets it."""
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "dpproxy.cli", *words]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=slave, text=True, env=os.environ | {"TERM": "xterm"}
    ) as ran:
        os.close(slave)
        seen = b""
        try:
            while part := os.read(master, 65536):
                seen += part
        except OSError:  # the end of a terminal
            pass
        out, _ = ran.communicate()
    os.close(master)
    assert ran.returncode == 0, seen
    return out, seen.decode()


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a proxy that ran once, so that there is a ledger."""
    directory = tmp_path_factory.mktemp("town")
    fill(directory, TABLES)
    path = write(directory, POLICY)
    with serving(path):
        pass
    return path


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("check",), (OPENING, COMPARING, LEDGER, "answers")),
        (("check", "--data"), (OPENING, COMPARING, "keys", "rows", "answers")),
        (("statements",), (LEDGER, "statements")),
        (("budget", "show"), (LEDGER, "accounts")),
        (("ledger", "verify"), (LEDGER, "entries")),
        (("explain", "--as", "alice", "SELECT count(*) FROM people"), (OPENING, COMPARING, LEDGER)),
    ],
)
def test_commands(policy: Path, words: tuple[str, ...], said: tuple[str, ...]) -> None:
    out, terminal = on_terminal(*words, "--config", str(policy))
    assert not [each for each in said if each not in terminal], terminal
    command = [sys.executable, "-m", "dpproxy.cli", *words, "--config", str(policy)]
    plain = subprocess.run(command, capture_output=True, text=True)
    assert not [each for each in said if "…" in each and each in plain.stdout + plain.stderr + out]
    assert "\x1b" not in plain.stderr


def test_init(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "town.duckdb")) as connection:
        connection.execute(TABLES)
    _, terminal = on_terminal("init", f"duckdb:///{tmp_path}/town.duckdb", "--output", str(tmp_path / "new.toml"))
    assert "reading the catalog …" in terminal

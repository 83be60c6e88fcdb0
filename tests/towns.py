"""Small policies beside a DuckDB file in a directory, and commands that run on them."""

from __future__ import annotations

import asyncio
import io
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pytest
from clusters import with_front
from typer.testing import CliRunner

from dpproxy.cli.app import app
from dpproxy.cli.connections import opened_ledger
from dpproxy.config import load
from dpproxy.ledger import AccountRef, Standing

# What the policies of towns begin with, and the analyst of most.
OPENING = """
[front]
url = "embedded:front"
[engine]
url = "duckdb:///town.duckdb"
[units.person]
table = "people"
key = "id"
"""
ALICE = """
[analysts.alice]
trust = true
epsilon = 5
delta = 1e-6
"""
POLICY = """\
# whom we protect
[server]
port = 0
database = "town"

[front]
url = "embedded:front"

[engine]
url = "duckdb:///town.duckdb"

[units.person]
table = "people"
key = "person_id"

[tables.people]
unit = "person"
primary_key = ["person_id"]
max_rows_per_unit = 100
max_groups_per_unit = 8
[tables.people.columns]
person_id = { type = "bigint" }
age       = { type = "integer", bounds = [0, 120] }   # in years
sex       = { type = "text", values = ["F", "M"] }

[tables.streets]
public = true
columns = { street = { type = "text", nullable = true }, length = { type = "integer", nullable = true } }

[analysts.alice]   # the first
trust = true
epsilon = 5.0
delta = 1e-6
[analysts.alice.defaults]
epsilon = 0.5

[budgets.everyone]
epsilon = 20.0
delta = 1e-5
"""
TABLES = """
CREATE TABLE people (person_id bigint PRIMARY KEY, age integer, sex text);
INSERT INTO people SELECT i, i % 90, ['F', 'M'][i % 2 + 1] FROM range(2000) t(i);
CREATE TABLE streets (street text, length integer);
"""


def fill(directory: Path, script: str) -> None:
    """The DuckDB file that policies name, anew."""
    (directory / "town.duckdb").unlink(missing_ok=True)
    with duckdb.connect(str(directory / "town.duckdb")) as connection:
        connection.begin()  # row by row, each would be written to the disk
        connection.execute(script)
        connection.commit()


def write(directory: Path, policy: str) -> Path:
    """The policy's path."""
    path = directory / "town.toml"
    path.write_text(policy)
    return path


def ran(*words: str) -> subprocess.CompletedProcess[str]:
    """`dpproxy WORDS` in this process: an interpreter of its own costs two seconds, and shows no more."""
    done = CliRunner().invoke(app, words, prog_name="dpproxy", catch_exceptions=False)
    return subprocess.CompletedProcess(words, done.exit_code, done.stdout, done.stderr)


def check(policy: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """`dpproxy check WORDS` in this process."""
    return ran("check", *words, "--config", str(policy))


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    status: int
    out: str
    err: str


class Town:
    """A directory with an engine and a configuration, and commands run on it."""

    def __init__(self, directory: Path, capture: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch) -> None:
        self.config = write(directory, POLICY)
        self._capture, self._patch = capture, patch
        fill(directory, TABLES)

    def run(self, *words: str, stdin: str = "") -> Ran:
        """`dpproxy WORDS --config …` in this process."""
        return self.plain(*words, "--config", str(self.config), stdin=stdin)

    def plain(self, *words: str, stdin: str = "") -> Ran:
        """`dpproxy WORDS` in this process."""
        self._patch.setattr(sys, "stdin", io.StringIO(stdin))
        self._capture.readouterr()
        with pytest.raises(SystemExit) as ended:
            app(words, prog_name="dpproxy")
        out, err = self._capture.readouterr()
        assert "Traceback" not in out + err
        return Ran(int(ended.value.code or 0), out, err)

    def standing(self, analyst: str) -> Standing:
        """The analyst's account."""

        async def read() -> Standing:
            async with opened_ledger(load(self.config, os.environ)) as ledger:
                return await ledger.standing(AccountRef(analyst))

        return asyncio.run(read())


@contextmanager
def serving(config: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """`dpproxy serve`, and its port; killed at the end if it still runs."""
    with_front(load(config, os.environ))
    command = [sys.executable, "-m", "dpproxy.cli", "serve", "--config", str(config)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as proxy:
        try:
            assert proxy.stdout is not None
            line = proxy.stdout.readline()
            assert line.startswith("listening on 127.0.0.1:"), proxy.communicate()
            yield proxy, int(line.rpartition(":")[2])
        finally:
            proxy.kill()


def cells(out: str, name: str) -> Sequence[str]:
    """The cells of the table row that begins with `name`."""
    [line] = [line for line in out.splitlines() if line.startswith(f"│ {name} ")]
    return [cell.strip() for cell in line.strip("│").split("│")]

"""The commands that tell the owner what was asked, as tables and as JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import psycopg
import pytest
from proxies import serving, write_policy
from typer.testing import CliRunner

from dpproxy.cli.app import app


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "dpproxy.cli", *words], capture_output=True, text=True, check=False)


def told(*words: str) -> object:
    ran = run(*words, "--json")
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


@pytest.mark.long
def test_statements_are_listed_newest_first(tmp_path: Path) -> None:
    config = write_policy(tmp_path, {})
    place = ("--config", str(config.path))
    assert told("statements", *place) == []
    with serving(config) as proxy:
        asked = {"alice": "SELECT count(*)\nFROM people", "bob": "SELECT count(*) FROM people WHERE age > 9"}
        for name, sql in asked.items():
            with psycopg.connect(proxy.dsn(name), autocommit=True) as analyst:
                analyst.execute("SET dp.epsilon = 0.125")
                analyst.execute(sql.encode())
        both = told("statements", *place)
        assert isinstance(both, list)
        assert [(each["analyst"], each["id"], each["statement"], each["epsilon"]) for each in both] == [
            ("bob", 1, asked["bob"], "0.125"),
            ("alice", 1, asked["alice"], "0.125"),
        ]
        assert {each["outcome"] for each in both} == {"answered"}
        assert told("statements", "bob", *place, "--since", "2020-01-01") == both[:1]
        assert told("statements", *place, "--since", "2999-01-01") == []
        shown = run("statements", "alice", *place).stdout
        assert "SELECT count(*) FROM people" in shown and "bob" not in shown
        unknown = run("statements", "eve", *place)
        assert unknown.returncode == 1 and 'no analyst "eve"' in unknown.stderr


@pytest.mark.long
def test_analysts_and_the_version(tmp_path: Path) -> None:
    config = write_policy(tmp_path, {})
    analysts = told("analyst", "list", "--config", str(config.path))
    assert isinstance(analysts, list)
    assert analysts[1] == {
        "analyst": "bob",
        "login": "trust",
        "epsilon": "1.0",
        "delta": "0.000001",
        "tables": ["departments", "people"],
    }
    assert run("--version").stdout == f"dpproxy {version('dpproxy')}\n"
    completion = run("--show-completion", "bash")
    assert completion.returncode == 0 and "_DPPROXY_COMPLETE" in completion.stdout


@pytest.mark.parametrize("day", ["yesterday", "2026-13-01", "2026"])
def test_what_is_no_day_is_told_what_one_is(day: str, tmp_path: Path) -> None:
    ran = CliRunner().invoke(app, ["statements", "--config", str(tmp_path / "none.toml"), "--since", day])
    assert ran.exit_code == 2
    assert f"'{day}' is no day: write a day, as" in ran.stderr and "2026-11-26" in ran.stderr


@pytest.mark.parametrize("day", ["2026-11-26", "2026-11-26T09:30", "2026-11-26 09:30:15"])
def test_a_day_or_a_moment_is_taken(day: str, tmp_path: Path) -> None:
    """As far as the configuration, which is not there."""
    ran = CliRunner().invoke(app, ["statements", "--config", str(tmp_path / "none.toml"), "--since", day])
    assert ran.exit_code == 1 and "none.toml" in ran.stderr

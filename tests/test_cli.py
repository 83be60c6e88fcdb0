"""The command line: what each command prints, where, and with which exit status."""

from __future__ import annotations

import asyncio
import errno
import inspect
import itertools
import json
import os
import re
import signal
import socket
import subprocess
import sys
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import psutil
import psycopg
import pytest
import typer
from towns import POLICY, Town, cells, serving
from typer.models import CommandInfo

from dpproxy.cli.app import app
from dpproxy.cli.connections import opened_ledger
from dpproxy.cli.verifier import verifier
from dpproxy.config import load
from dpproxy.server.listening import cannot_listen


@pytest.fixture
def town(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Town:
    return Town(tmp_path, capsys, monkeypatch)


def test_help_names_every_command() -> None:
    done = subprocess.run([sys.executable, "-m", "dpproxy.cli", "--help"], capture_output=True, text=True, check=True)
    for command in ("demo", "serve", "check", "explain", "budget", "analyst"):
        assert f" {command} " in done.stdout


@pytest.mark.parametrize("command", app.registered_commands, ids=lambda command: command.name)
def test_help_says_of_a_command_what_the_command_says_of_itself(command: CommandInfo) -> None:
    """It is written a second time, so that `--help` imports none."""
    assert command.callback is not None
    imported = command.callback()
    said = imported.info.help if isinstance(imported, typer.Typer) else inspect.getdoc(imported)
    assert said.split("\n\n")[0] == inspect.getdoc(command.callback)


@pytest.mark.parametrize(
    ("imported", "others"),
    [
        ("dpproxy.cli.app", {"sqlglot", "numpy", "duckdb", "psycopg", "pydantic", "asyncio"}),
        ("dpproxy.cli.serve", {"dpproxy.audit", "dpproxy.draft", "dpproxy.inspection", "duckdb", "asyncpg", "rich"}),
    ],
)
def test_only_what_is_used_is_loaded(imported: str, others: set[str]) -> None:
    """All commands together took twice as long to start as the proxy alone."""
    program = f"import sys, {imported}; print(*({others} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "\n"


def test_misuse_ends_with_status_2(town: Town) -> None:
    for words in (["frobnicate"], ["check"], ["explain", "SELECT 1", "--config", str(town.config)]):
        ran = town.plain(*words)
        assert (ran.status, ran.out) == (2, "")


def test_check_shows_a_good_configuration(town: Town) -> None:
    ran = town.run("check")
    assert ran.status == 0
    assert cells(ran.out, "(person_id) of people")[1] == "a constraint"
    assert cells(ran.out, "people") == ["people", "person", "person_id", "1"]
    assert cells(ran.out, "streets")[1] == "public"
    assert cells(ran.out, "alice") == ["alice", "5", "1e-06", "0.9399", "epsilon 5 (never resets)"]
    assert "is good" in ran.out
    assert ran.err == ""


def test_check_as_json_says_what_the_tables_say(town: Town) -> None:
    ran = town.run("check", "--json")
    assert (ran.status, ran.err) == (0, "")
    told = json.loads(ran.out)
    assert [each["statement"] for each in told.pop("answers")][:1] == ["SELECT count(*) FROM people"]
    assert told == {
        "warnings": [],
        "tables": [
            {"table": "people", "unit": "person", "found_by": "person_id", "max_rows_per_unit": 1},
            {"table": "streets", "unit": None, "found_by": None, "max_rows_per_unit": None},
        ],
        "keys": [{"table": "people", "columns": ["person_id"], "kept_by": "a constraint"}],
        "unit_indexes": {},
        "missing_indexes": [],
        "not_listed": {},
        "budgets": [
            {
                "analyst": "alice",
                "epsilon": "5.0",
                "delta": "0.000001",
                "in_a_year": "epsilon 5 (never resets)",
                "max_epsilon": "5.0",
                "reset": "never",
            }
        ],
        "everyone": {"epsilon": "20.0", "delta": "0.00001", "in_a_year": "epsilon 20 (never resets)"},
    }
    town.config.write_text(POLICY.replace("epsilon = 5.0", "epsilon = 500"))
    ran = town.run("check", "--json")
    [warning] = json.loads(ran.out)["warnings"]
    assert warning.startswith("analysts.alice.epsilon") and ran.err == ""
    town.config.write_text(POLICY.replace("tables.streets", "tables.roads"))
    ran = town.run("check", "--json")
    assert (ran.status, ran.out) == (1, "") and "tables.roads" in ran.err


def test_check_warns_of_a_large_epsilon(town: Town) -> None:
    town.config.write_text(POLICY.replace("epsilon = 5.0", "epsilon = 500"))
    ran = town.run("check")
    assert ran.status == 0
    assert "warning: analysts.alice.epsilon" in ran.err


def test_check_tells_all_faults_at_once(town: Town) -> None:
    bad = POLICY.replace("port = 0\n", 'port = "x"\nprot = 1\n').replace("delta = 1e-6", "delta = 2")
    town.config.write_text(bad)
    ran = town.run("check")
    assert (ran.status, ran.out) == (1, "")
    for key, expected in (
        ("server.port", "a port from 0 to 65535"),
        ("server.prot", '"port"'),
        ("analysts.alice.delta", "a number from 0 to below 1"),
    ):
        [line] = [line for line in ran.err.splitlines() if f"{key}:" in line]
        assert str(town.config) in line and expected in line


def test_check_tells_what_does_not_fit_the_engine(town: Town) -> None:
    bad = POLICY.replace('age       = { type = "integer"', 'agee = { type = "integer" }\nage = { type = "bigint"')
    town.config.write_text(bad.replace("tables.streets", "tables.roads"))
    ran = town.run("check")
    assert (ran.status, ran.out) == (1, "")
    for key in ("tables.roads", "tables.people.columns.agee", "tables.people.columns.age.type"):
        assert f"{town.config}: {key}: " in ran.err


def test_a_missing_file_is_a_fault(town: Town, tmp_path: Path) -> None:
    for words in (["check"], ["serve"], ["budget", "show"], ["analyst", "list"]):
        ran = town.plain(*words, "--config", str(tmp_path / "none.toml"))
        assert (ran.status, ran.out) == (1, "")
        assert "none.toml: no such file" in ran.err


def test_explain_prints_the_plan_and_costs_nothing(town: Town) -> None:
    ran = town.run("explain", "--as", "alice", "SELECT sex, count(*) FROM people WHERE age >= 18 GROUP BY sex")
    assert ran.status == 0
    assert ran.out.startswith("number   | expected (95 %) | clip")
    assert "\nCost: epsilon 0.5, delta 0\nRemaining: epsilon 5, delta 5e-07\n" in ran.out
    assert "what was paid for before" in ran.err
    assert "public, 2 values (F, M)" in ran.out and "standard deviation" in ran.out and "Bounded SQL" in ran.out
    assert not (town.config.parent / "front").exists()


def test_explain_compares_ways_of_accounting(town: Town) -> None:
    asked = ("explain", "--as", "alice", "SELECT sex, count(*) FROM people GROUP BY sex", "--accounting")
    ran = town.run(*asked, "--repeat", "50")
    assert ran.status == 0
    assert "Epsilon at delta 0.000001" in ran.out or "Epsilon at delta 1e-06" in ran.out
    for runs in ("1", "10", "50", "100"):
        assert len(cells(ran.out, f"{runs:>4}")) == 6
    found = json.loads(town.run(*asked, "--json").out)
    assert (found["delta"], found["accounting"]) == (1e-6, "zcdp")
    runs = found["repetitions"]
    assert [each["runs"] for each in runs] == [1, 10, 100, 1000]
    assert all(each["pld"] <= min(each["rdp"], each["zcdp"], each["basic"], each["advanced"]) for each in runs)
    assert all(one["pld"] < more["pld"] for one, more in itertools.pairwise(runs))


def test_explain_as_json(town: Town) -> None:
    [found] = json.loads(town.run("explain", "--as", "alice", "--json", "SELECT count(*) FROM people").out)
    assert found["Cost"] == {"epsilon": 0.5, "delta": 0}
    [free] = json.loads(town.run("explain", "--as", "alice", "--json", "SELECT * FROM streets").out)
    assert free == {"Cost": {"epsilon": 0, "delta": 0}}


def test_explain_takes_explain_itself(town: Town) -> None:
    plain, twice = (
        town.run("explain", "--as", "alice", f"{verb} SELECT avg(age) FROM people") for verb in ("", "EXPLAIN")
    )
    assert plain.status == 0
    assert plain == twice


def test_explain_of_public_tables_is_free(town: Town) -> None:
    ran = town.run("explain", "--as", "alice", "SELECT * FROM streets")
    assert ran.status == 0
    assert ran.out.startswith("Cost: epsilon 0, delta 0\n")


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("SELECT age FROM people", "rows of private tables"),
        ("SELECT array_agg(age) FROM people", "would tell the value of each row"),
        ("DELETE FROM people", "permission denied"),
        ("SELECT count(*) FORM people", "syntax error"),
        ("SELECT 1; SELECT 2", "2 statements were given"),
        ("", "0 statements were given"),
    ],
)
def test_explain_refuses_in_short(town: Town, sql: str, words: str) -> None:
    ran = town.run("explain", "--as", "alice", sql)
    assert (ran.status, ran.out) == (1, "")
    assert words in ran.err


def test_explain_points_at_the_fault(town: Town) -> None:
    ran = town.run("explain", "--as", "alice", "SELECT\n  array_agg(age) FROM people")
    line, mark = ran.err.splitlines()[:2]
    assert line == "  array_agg(age) FROM people"
    assert line[mark.index("^") :].startswith("array_agg")
    assert "hint: " in ran.err


def test_an_unknown_analyst_is_told_the_nearest(town: Town) -> None:
    for words in (["explain", "SELECT 1", "--as", "alce"], ["budget", "show", "alce"], ["analyst", "remove", "alce"]):
        ran = town.run(*words)
        assert (ran.status, ran.out) == (1, "")
        assert 'no analyst "alce"' in ran.err and '"alice"' in ran.err


def test_budgets_are_shown_before_anything_was_spent(town: Town) -> None:
    ran = town.run("budget", "show")
    assert ran.status == 0
    assert cells(ran.out, "alice")[:3] == ["alice", "ever", "5.0"]
    assert cells(ran.out, "alice")[-1] == "open"
    assert not (town.config.parent / "front").exists()


@pytest.mark.long
def test_budgets_as_json(town: Town) -> None:
    untouched = {
        "analyst": "alice",
        "period": "ever",
        "epsilon": "5.0",
        "delta": "0.000001",
        "spent_epsilon": "0",
        "spent_delta": "0",
        "remaining_epsilon": "5",
        "remaining_delta": "0.0000005",  # half of it pays for the conversion of rho
        "period_ends": None,
        "epsilon_pld": "0",
        "statements_left": "3",
        "stopped": False,
    }
    found = json.loads(town.run("budget", "show", "--json").out)
    assert found["accounts"] == [untouched]
    together = {
        **untouched,
        "analyst": "everyone",
        "epsilon": "20.0",
        "remaining_epsilon": "20",
        "statements_left": None,
    }
    together |= {"delta": "0.00001", "remaining_delta": "0.000005"}
    assert found["everyone"] == {name: value for name, value in together.items() if name != "stopped"}
    assert json.loads(town.run("budget", "show", "alice", "--json").out) == {"accounts": [untouched], "everyone": None}
    town.config.write_text(POLICY.replace("delta = 1e-6\n", 'delta = 1e-6\nreset = "daily"\n'))
    assert town.run("budget", "grant", "alice", "--epsilon", "0.5").status == 0
    [alice] = json.loads(town.run("budget", "show", "alice", "--json").out)["accounts"]
    assert alice["epsilon"] == "5.5"
    assert alice["period_ends"] == f"{date.fromisoformat(alice['period']) + timedelta(days=1)}T00:00:00+00:00"
    town.config.write_text(POLICY.split("[budgets.everyone]")[0])
    assert json.loads(town.run("budget", "show", "--json").out)["everyone"] is None


@pytest.mark.long
@pytest.mark.parametrize("accounting", ["pure", "zcdp"])
def test_grants_add_up(town: Town, accounting: str) -> None:
    town.config.write_text(f'{POLICY}\n[privacy]\naccounting = "{accounting}"\n')
    assert town.run("budget", "grant", "alice", "--epsilon", "0.5", "--delta", "1e-7").status == 0
    ran = town.run("budget", "grant", "alice", "--epsilon", "1.5")
    assert ran.status == 0
    assert cells(ran.out, "alice")[2:4] == ["7.0", "0.0000011"]
    granted = town.standing("alice")
    assert (granted.granted_epsilon, granted.granted_delta) == (Decimal("2"), Decimal("1e-7"))


@pytest.mark.long
def test_grants_are_amounts(town: Town) -> None:
    for words in (["x"], ["0"], ["-1"], ["nan"], ["inf"], ["1", "--delta", "-1"]):
        ran = town.run("budget", "grant", "alice", "--epsilon", *words)
        assert (ran.status, ran.out) == (2, "")
    ran = town.run("budget", "grant", "alice", "--epsilon", "1", "--delta", "1")
    assert (ran.status, ran.out) == (1, "")
    assert "delta must be" in ran.err


def test_analysts_are_added_and_removed_and_the_rest_stays(town: Town) -> None:
    town.config.chmod(0o640)
    ran = town.run("analyst", "add", "bob", "--epsilon", "1.50", "--delta", "1e-7", "--tables", "people", "--trust")
    assert (ran.status, ran.out) == (0, "")
    assert re.search(r"One statement may cost epsilon 0\.\d+ at most; \[analysts\.bob\.defaults\] max_epsilon", ran.err)
    bob = load(town.config, os.environ).analysts["bob"]
    assert (bob.epsilon, bob.delta, bob.tables, bob.trust) == (Decimal("1.5"), Decimal("1e-7"), ("people",), True)
    assert [line for line in POLICY.splitlines() if line not in town.config.read_text().splitlines()] == []
    assert cells(town.run("analyst", "list").out, "bob") == ["bob", "trust", "1.5", "1e-07", "people"]
    assert town.run("analyst", "remove", "bob").status == 0
    assert town.config.read_text().split() == POLICY.split()
    assert town.config.stat().st_mode & 0o777 == 0o640


def test_the_last_analyst_can_go_and_come_back(town: Town) -> None:
    assert town.run("analyst", "remove", "alice").status == 0
    assert load(town.config, os.environ).analysts == {}
    assert town.run("analyst", "add", "alice", "--epsilon", "1", "--delta", "1e-7", "--trust").status == 0
    assert list(load(town.config, os.environ).analysts) == ["alice"]


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["alice", "--epsilon", "1"], 1),
        (["bob", "--epsilon", "0"], 1),
        (["bob", "--epsilon", "1", "--tables", "people,nothing"], 1),
        (["b" * 64, "--epsilon", "1", "--delta", "1e-6"], 1),
        (["bob", "--epsilon", "one"], 2),
        (["bob", "--epsilon", "1", "--delta", "inf"], 2),
    ],
)
def test_an_analyst_at_fault_leaves_the_file_alone(town: Town, words: list[str], status: int) -> None:
    ran = town.run("analyst", "add", "--trust", *words)
    assert (ran.status, ran.out) == (status, "")
    assert town.config.read_text() == POLICY
    assert [each.name for each in town.config.parent.iterdir() if each.suffix == ".toml"] == ["town.toml"]


def test_a_verifier_is_printed_alone_and_never_twice_the_same(town: Town) -> None:
    first, second = (town.plain("analyst", "password", "--password-stdin", stdin="s3cret\n") for _ in range(2))
    assert (first.status, first.err) == (0, "")
    assert first.out.startswith("SCRAM-SHA-256$4096:") and first.out.count("\n") == 1
    assert first.out != second.out


def test_a_password_must_be_one(town: Town) -> None:
    assert town.plain("analyst", "password", "--password-stdin", stdin="\n").status == 1
    ran = town.plain("analyst", "password")
    assert (ran.status, ran.out) == (2, "")
    assert "--password-stdin" in ran.err


def test_verifiers_differ_by_password() -> None:
    """StoredKey and ServerKey of RFC 5802's functions, computed anew from the salt in the verifier."""
    import base64
    import hashlib
    import hmac

    mechanism, rounds, keys = verifier("pencil").split("$")
    iterations, salt = rounds.split(":")
    salted = hashlib.pbkdf2_hmac("sha256", b"pencil", base64.b64decode(salt), int(iterations))
    stored = hashlib.sha256(hmac.digest(salted, b"Client Key", "sha256")).digest()
    server = hmac.digest(salted, b"Server Key", "sha256")
    assert mechanism == "SCRAM-SHA-256"
    assert keys.split(":") == [base64.b64encode(stored).decode(), base64.b64encode(server).decode()]


@pytest.mark.long
def test_serve_and_the_commands_beside_it(town: Town) -> None:
    """One proxy: a password that was added works, budgets move while it runs, and SIGTERM leaves nothing."""
    added = ["analyst", "add", "bob", "--epsilon", "5", "--delta", "1e-6", "--password-stdin"]
    assert town.run(*added, stdin="pass word\n").status == 0
    with serving(town.config) as (proxy, port):
        processes = psutil.Process(proxy.pid).children(recursive=True)
        where = {"host": "127.0.0.1", "port": port, "dbname": "town", "user": "bob"}
        with psycopg.connect(**where, password="pass word", autocommit=True) as client:  # type: ignore[arg-type]
            [(count,)] = client.execute("SELECT count(*) FROM people").fetchall()
            assert abs(count - 2000) < 2000
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(**where, password="wrong")  # type: ignore[arg-type]
        assert Decimal(cells(town.run("budget", "show", "bob").out, "bob")[4]) > 0
        assert cells(town.run("budget", "grant", "bob", "--epsilon", "1").out, "bob")[2] in ("6", "6.0")
        assert "Remaining: epsilon 5," not in town.run("explain", "--as", "bob", "SELECT count(*) FROM people").out
        stop(town, "bob")
        assert cells(town.run("budget", "show", "bob").out, "bob")[-1] == "stopped"
        assert '"bob" may go on' in town.run("analyst", "clear", "bob").err
        assert '"bob" was not stopped' in town.run("analyst", "clear", "bob").err
        stop(town, "alice")
        stop(town, "bob")
        assert town.run("analyst", "clear", "--all").err.split("\n")[:2] == ['"alice" may go on.', '"bob" may go on.']
        assert "Nobody was stopped" in town.run("analyst", "clear", "--all").err
        assert [town.run("analyst", "clear", *words).status for words in ([], ["bob", "--all"])] == [2, 2]
        busy = town.run("serve")
        assert busy.status == 1 and "another dpproxy" in busy.err
        proxy.send_signal(signal.SIGTERM)
        assert proxy.wait(30) == 0
    assert processes and not any(each.is_running() for each in processes)


def stop(town: Town, analyst: str) -> None:
    """What a failure of the engine leads to."""

    async def write() -> None:
        async with opened_ledger(load(town.config, os.environ)) as ledger:
            await ledger.stop_analyst(analyst, "test")

    asyncio.run(write())


def test_serve_says_that_its_port_is_taken(town: Town) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        town.config.write_text(POLICY.replace("port = 0", f"port = {other.getsockname()[1]}"))
        ran = town.run("serve")
    assert (ran.status, ran.out) == (1, "")
    assert "cannot listen on 127.0.0.1:" in ran.err and "the port: it is in use already" in ran.err
    assert (
        "hint: Another proxy, or the demo, may hold it: stop that one, or set port in [server] to another." in ran.err
    )


@pytest.mark.parametrize(
    ("number", "said"),
    [(errno.EACCES, "permission denied"), (errno.EADDRNOTAVAIL, "no such address"), (-2, "name not known")],
)
def test_why_an_address_cannot_be_listened_on(number: int, said: str) -> None:
    fault = cannot_listen(OSError(number, "name not known"), "there", 99, "metrics_port")
    assert fault.message.startswith("cannot listen on there:99, the metrics_port: ") and said in fault.message
    assert str(fault.hint).startswith("Ports below 1024" if number == errno.EACCES else "Set metrics_host in")

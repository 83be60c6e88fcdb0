"""The demo, from its data to the last process that it leaves (none)."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import psutil
import psycopg
import pytest

from dpproxy.cli.demo import FRONT
from dpproxy.cli.demo_data import make_world, write_policy
from dpproxy.cli.tour import BUDGET, REFUSED, STEPS, truths
from dpproxy.config import load
from dpproxy.config.field_types import Embedded


@contextmanager
def demo(temporary: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    """`dpproxy demo WORDS`, whose temporary files are in `temporary`; killed at the end if it still runs."""
    temporary.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "dpproxy.cli", "demo", *words],
        env={**os.environ, "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def family(process: subprocess.Popen[str]) -> list[psutil.Process]:
    """The processes that it started."""
    return psutil.Process(process.pid).children(recursive=True)


def until_invited(process: subprocess.Popen[str]) -> list[str]:
    """Reads the tour up to the psql line; returns that line's words."""
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("Now you: "):
            return shlex.split(line.removeprefix("Now you: "))
    raise AssertionError(process.communicate())


@pytest.fixture(scope="module")
def city(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of its data."""
    return make_world(tmp_path_factory.mktemp("city"))


def test_the_city_is_the_same_each_time(tmp_path: Path, city: Path) -> None:
    prints = []
    for path in (city, make_world(tmp_path)):
        with duckdb.connect(str(path), read_only=True) as engine:
            sums = "SELECT (SELECT sum(hash(p)) FROM people p), (SELECT sum(hash(v)) FROM visits v)"
            prints += engine.execute(sums).fetchall()
    assert prints[0] == prints[1]


def test_the_city_is_as_described(city: Path) -> None:
    with duckdb.connect(str(city), read_only=True) as engine:

        def value(sql: str) -> float:
            [(found,)] = engine.execute(sql).fetchall()
            return float(found)

        assert value("SELECT count(*) FROM people") == value("SELECT count(DISTINCT person_id) FROM people") == 60_000
        assert value("SELECT count(*) FROM visits") > 200_000
        assert value("SELECT count(*) FROM visits ANTI JOIN people USING (person_id)") == 0
        assert value("SELECT max(n) FROM (SELECT count(*) n FROM visits GROUP BY person_id)") > 50
        assert value("SELECT count(DISTINCT district) FROM people") > 25
        assert value("SELECT min(n) FROM (SELECT count(*) n FROM people GROUP BY district)") < 10
        assert value("SELECT count(*) FROM departments") == 12


def test_its_policy_is_a_good_one(tmp_path: Path) -> None:
    config = load(write_policy(tmp_path, 4711), {})
    assert config.server.port == 4711
    assert set(config.tables) == {"people", "visits", "departments"}
    assert config.analysts["alice"].trust


def test_the_truth_is_true(city: Path) -> None:
    true = truths(city)
    assert true[0] == {(): (60_000,)}
    assert set(true[1]) == {("F",), ("M",)}
    assert len(true[2]) == 24
    assert len(true[4]) > 25


@pytest.mark.long
def test_once_shows_the_tour_and_leaves_nothing(tmp_path: Path) -> None:
    seen: set[psutil.Process] = set()
    with demo(tmp_path / "files", "--once", "--port", "0") as process:
        while process.poll() is None and not seen:
            seen.update(family(process))
            time.sleep(0.05)
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert "Traceback" not in out + err
    for text in (*(step.sql for step in STEPS), REFUSED, BUDGET):
        assert text in out
    assert out.count("dpproxy: charged epsilon") == len(STEPS)
    assert "ERROR DP002" in out and "HINT: " in out
    assert "in truth" in out and "60,000" in out
    assert out.count("95 % sure") == len(STEPS) + 1 and out.count("hold it.") == len(STEPS)
    assert "Ferry Island" not in out
    assert "making a city" in err
    assert seen and not any(each.is_running() for each in seen)
    assert list((tmp_path / "files").iterdir()) == []


@pytest.mark.long
def test_two_demos_side_by_side(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = str(probe.getsockname()[1])
    with demo(tmp_path / "one", "--port", port) as one, demo(tmp_path / "two", "--port", port) as two:
        lines = [until_invited(each) for each in (one, two)]
        ports = {line[-1].split("port=")[1].split()[0] for line in lines}
        assert port in ports and len(ports) == 2
        for words in lines:
            with psycopg.connect(words[-1], autocommit=True) as client:
                [(count,)] = client.execute("SELECT count(*) FROM people").fetchall()
                assert abs(count - 60_000) < 1000
        asked = subprocess.run([*lines[0], "-Atc", "SELECT count(*) FROM departments"], capture_output=True, text=True)
        assert (asked.returncode, asked.stdout) == (0, "12\n"), asked.stderr
        started = family(one) + family(two)
        one.send_signal(signal.SIGTERM)
        two.send_signal(signal.SIGINT)
        assert (one.wait(60), two.wait(60)) == (0, 0)
        errors = [each.communicate()[1] for each in (one, two)]
    assert started and not any(each.is_running() for each in started)
    assert [list((tmp_path / name).iterdir()) for name in ("one", "two")] == [[], []]
    assert sum("is taken" in text for text in errors) == 1


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_before_it_is_ready_leaves_nothing_either(tmp_path: Path, number: signal.Signals) -> None:
    with demo(tmp_path / "files", "--port", "0") as process:
        while process.poll() is None and not (started := family(process)):
            time.sleep(0.01)
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 1, err
    assert "interrupted" in err and "Traceback" not in err
    assert not any(each.is_running() for each in started)
    assert list((tmp_path / "files").iterdir()) == []


def test_psql_is_said_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from dpproxy.cli.demo_served import _psql

    monkeypatch.setattr(shutil, "which", lambda name, *_, **__: None)
    words = shlex.split(_psql())
    assert len(words) == 1 and (words[0] == "psql" or Path(words[0]).is_file())


def test_the_cluster_is_made_ahead_where_the_policy_has_it(tmp_path: Path) -> None:
    assert load(write_policy(tmp_path, 0), {}).front.url == Embedded(tmp_path / FRONT)

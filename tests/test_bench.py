"""The benchmarks run: their figures are for people, and no test asserts a time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from bench.bouncer import program
from bench.consumed import Kept
from bench.coverage.questions import QUESTIONS
from bench.scale import LOADS, Load, Service, simulated
from browser import CHROMIUM
from lanes import sized
from spark_servers import SPARK_HOME

pytestmark = pytest.mark.long

FEW = ("tpch", "demo")


def test_the_benchmarks_run() -> None:
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "bench"), "--short"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(" times ") == 13
    assert "SELECT 1, 16 connections" in done.stdout
    assert done.stdout.count("through the front") == 7
    assert done.stdout.count("through pgbouncer") == (7 if program() else 0)
    assert done.stdout.count("connecting to") >= 3
    assert done.stdout.count("planning Q") == 22
    assert "a private count parsed once" in done.stdout
    if program() is None:
        pytest.skip("there is no pgbouncer: its figures were left out")


def test_the_benchmarks_on_postgres_run() -> None:
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "bench"), "postgres", "--short"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(" times (least ") == 15
    assert done.stdout.count("through the proxy") == 4
    assert done.stdout.count("engine ") >= 4 and done.stdout.count(", own ") == 4


def test_the_benchmark_of_a_row_operation_runs() -> None:
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "bench"), "work", "--short"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(" ns for each of ") == 4 * 24
    assert done.stdout.count(" a row operation: median ") == 4


def test_the_benchmark_of_the_ledgers_scale_runs() -> None:
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "bench"), "scale", "--short"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("locks held") == len(LOADS) and "charges a second" in done.stdout


@pytest.mark.parametrize(("most", "ledgers"), [(1, 1), (32, 1), (32, 4)])
def test_the_simulated_ledger_is_a_queue(most: int, ledgers: int) -> None:
    """It makes as many charges as a queue with one server can, and no more: of one by one 100 a second, where each
    takes 10 ms; in batches as many as analysts ask who never wait."""
    made, busy = simulated(Load("", 1.0, most, ledgers), Service(0.01, 1e-6), 50)
    assert busy < 1.001 and all(wait >= 0.01 for wait in made)
    if most == 1:
        assert len(made) / 50 == pytest.approx(100, rel=0.01) and busy > 0.99
    else:
        assert 400 < len(made) / 50 < 1_000


def test_the_benchmark_of_own_time_runs() -> None:
    bench = Path(__file__).parent / "bench"
    done = subprocess.run(
        [sys.executable, str(bench), "own", "--short", "--beside", str(bench.parents[1])],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("µs of CPU in the other") == 6 + 3
    assert done.stdout.count("ms on the loop in the other") == 3
    assert done.stdout.count("of pgbouncer's rate in this checkout") == (6 if program() else 0)
    assert "the ledger's charges alone" in done.stdout


def test_the_benchmark_of_delays_runs() -> None:
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "bench"), "delays", "--short"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(" before, ") == 4


def test_the_benchmark_of_the_forms_of_bounded_sql_runs() -> None:
    bench = Path(__file__).parent / "bench"
    done = subprocess.run([sys.executable, str(bench), "forms", "--short", "only=Q1"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("| Q1") == 2


def test_the_benchmark_of_planning_runs() -> None:
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "bench"), "planning", "--short"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(", 95 % within ") == 6
    assert done.stdout.count(" statements; the slowest are ") == 2


def test_the_benchmark_of_coverage_runs() -> None:
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "bench"), "coverage", "--short"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("\n| `") == len(QUESTIONS)


def test_the_benchmark_of_robust_estimators_runs() -> None:
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "bench"), "robust", "--short"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("exponential mechanism ") == 18
    assert done.stdout.count("sample and aggregate ") == 9


def test_the_benchmark_of_rows_of_two_units_runs() -> None:
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "bench"), "pairs", "--short"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("mean error") == 8


def test_the_benchmark_of_growth_runs() -> None:
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "bench"), "growth", "--short"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(" ms |\n") == 8
    assert "growth.svg: drawn" in done.stdout


def test_the_benchmark_of_a_lake_runs() -> None:
    """But for a cluster."""
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "bench"), "lake", "--short"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(" ms |\n") == 2 * 7


def test_the_benchmark_beside_others_runs() -> None:
    """But for the others, whose packages it would fetch."""
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "bench"), "peers", "--short"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(" % |\n") == 5


@pytest.mark.skipif(not SPARK_HOME, reason="no SPARK_HOME")
def test_the_benchmark_on_a_cluster_runs() -> None:
    """But for the others."""
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "bench"), "cluster", "--short"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(" % |\n") == 2 * 5


def test_the_benchmark_of_a_charge_runs() -> None:
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "bench"), "ledger", "--short"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(" together, ratio ") == 8
    assert "fifty callers were given 10" in done.stdout


def test_the_pictures_are_drawn() -> None:
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "bench"), "pictures", "--short"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(".svg: drawn") == 5


def test_the_pictures_of_the_page_are_drawn() -> None:
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "bench"), "page", "--short"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(".png: drawn") == (3 if CHROMIUM else 0)


def test_the_studies_of_accuracy_run() -> None:
    """But for those that fetch packages."""
    studies = sized(FEW, FEW, (*FEW, "tails", "distinct", "adult", "race", "pmsja", "scan"))
    bench = str(Path(__file__).parent / "bench")
    done = subprocess.run([sys.executable, bench, "accuracy", *studies, "--short"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [line for line in done.stdout.splitlines() if line.endswith(":")] == [f"{study}:" for study in studies]
    assert done.stdout.count("|---|") >= len(studies)


def test_what_processes_used_never_falls() -> None:
    """One that ends unwaited for takes its count along, and what it had used stays."""
    kept = Kept()
    assert [kept.after(count) for count in (5, 9, 4, 6, 6, 0)] == [5, 9, 9, 11, 11, 11]

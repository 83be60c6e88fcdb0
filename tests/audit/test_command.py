"""`dpproxy audit` as an owner runs it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result
from worlds import make_world

from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.audit.epsilon_bounds import ChargePromise
from dpproxy.audit.events import Event, Tally
from dpproxy.audit.trial import CountedStatistic, Finding
from dpproxy.cli.app import app

pytestmark = pytest.mark.long

COUNT = "SELECT count(*) FROM people"
PROMISE = ChargePromise(Accounting.PURE, 0.5, 0.0)
EVENT = Event(3, "column 1", 60.5, True, True, PROMISE, 1.0)
VALUES = np.array([58.0, 60.0, 60.0, 61.0, 65.0, np.nan])
FOUND = Finding(
    (COUNT,),
    Loss(Decimal("0.5"), Decimal(0)),
    counted=CountedStatistic("heavy", Tally(EVENT, 10, 90, 100, 0.4), VALUES, VALUES + 1),
    answers=400,
)
BROKEN = replace(FOUND, counted=CountedStatistic("heavy", Tally(EVENT, 1, 99, 100, 2.25), VALUES, VALUES + 5))


SLOW = replace(
    FOUND, timed=CountedStatistic("heavy", Tally(replace(EVENT, timed=True), 1, 99, 100, 2.25), VALUES, VALUES + 5)
)


def audited(*words: str) -> Result:
    return CliRunner().invoke(app, ["audit", *words])


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    path = make_world(tmp_path)
    path.write_text(path.read_text().replace('"zcdp"', '"pure"'))
    return path


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Puts findings in place of an audit."""

    def put(*findings: Finding) -> None:
        async def instead(*arguments: Any) -> None:
            for each in findings:
                arguments[-1](each)

        monkeypatch.setattr(import_module("dpproxy.cli.audit"), "_audited", instead)

    return put


def test_a_policy_is_audited(policy: Path) -> None:
    """The whole way: a good statement, a series, one that is refused; nothing of the owner's is made or opened."""
    (policy.parent / "world.duckdb").unlink()
    done = audited(
        "--config", str(policy), COUNT, f"{COUNT}; SELECT sum(age) FROM people",
        "SELECT name FROM people", "SELECT age FROM people",
        "--runs", "30", "--epsilon", "0.25", "--plot", str(policy.parent / "plot.svg"),
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    lines = [line for line in done.stdout.splitlines() if line.startswith("│")]
    assert len(lines) == 4
    assert re.search(
        r"count\(\*\) FROM people +│ +epsilon 0.25 │ +0.25 │ +0 │ +\S+ │ +\S+ │ +70 │ nothing above the charge",
        lines[0],
    )
    assert "time is not covered: constant_time is off" in done.stdout
    assert re.search(r"│ +epsilon 0.5 │ +0.5 │ +0 │", lines[1]), "a series costs what its statements cost together"
    assert 'column "name" does not exist' in lines[2]
    assert "refused with DP002" in lines[3]
    assert "charged" in done.stdout and "at least" in done.stdout
    assert "</svg>" in (policy.parent / "plot.svg").read_text()
    assert sorted(each.name for each in policy.parent.iterdir()) == ["plot.svg", "world.toml"]


def test_what_tells_more_than_was_charged_ends_with_1(policy: Path, found: Callable[..., None]) -> None:
    found(FOUND, BROKEN)
    done = audited("--config", str(policy))
    assert done.exit_code == 1
    assert done.stdout.count("BROKEN: tells more than was charged") == 1
    assert "2.25" in done.stdout


def test_other_settings_are_those_of_a_session(policy: Path, found: Callable[..., None]) -> None:
    found(FOUND)
    given = ("--set", "mechanism=sample_aggregate", "--set", "dp.blocks=20")
    assert audited("--config", str(policy), *given).exit_code == 0
    for wrong in ("epsilon=3", "noise=off", "blocks"):
        done = audited("--config", str(policy), "--set", wrong)
        assert done.exit_code == 2 and "is no setting" in re.sub(r"[│\s]+", " ", done.output)


def test_time_counts_where_it_is_covered(policy: Path, found: Callable[..., None]) -> None:
    """Without `constant_time` what it tells is shown, and is no fault."""
    found(SLOW)
    done = audited("--config", str(policy))
    assert done.exit_code == 0
    assert "2.25" in done.stdout and "BROKEN" not in done.stdout
    assert "time is not covered: constant_time is off" in done.stdout
    policy.write_text(policy.read_text().replace("\n[server]\n", "\n[server]\nconstant_time = true\n"))
    done = audited("--config", str(policy))
    assert done.exit_code == 1
    assert "BROKEN: tells more than was charged" in done.stdout
    assert "time is not covered" not in done.stdout


def test_what_is_not_paid_ends_with_1(policy: Path, found: Callable[..., None]) -> None:
    found(Finding((COUNT,), problem="30 answers have 15 charges"))
    done = audited("--config", str(policy))
    assert done.exit_code == 1
    assert "BROKEN: 30 answers have 15 charges" in done.stdout


def test_nothing_audited_is_no_success(policy: Path, found: Callable[..., None]) -> None:
    found(Finding((COUNT,), refused="refused with 42P01: no such table"))
    assert audited("--config", str(policy)).exit_code == 1


def test_the_plot_shows_both_neighbours_and_the_event(policy: Path, found: Callable[..., None]) -> None:
    found(FOUND)
    done = audited("--config", str(policy))
    assert done.exit_code == 0
    assert "event: column 1 ≥ 60.5, in 10 of 100 without the heavy target, 90 with it" in done.stdout
    bins = [line.split() for line in done.stdout.splitlines() if re.match(r" +\d+ ", line)]
    assert {line[0] for line in bins} >= {"58", "60", "61", "65"}
    assert all(("event" in line) == (float(line[0]) > 60.5) for line in bins)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--as", "zelda"), 'there is no analyst "zelda"'),
        (("--epsilon", "much"), "'much' is not a number"),
        (("SELEC 1",), 'syntax error at or near "SELEC"'),
        (("--runs", "3"), "20"),
    ],
)
def test_what_is_wrong_is_told(words: tuple[str, ...], told: str, policy: Path) -> None:
    done = audited("--config", str(policy), *words)
    assert done.exit_code != 0
    assert told in done.stderr

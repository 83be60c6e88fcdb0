"""Faults in time that are planted into the product are found by the audit; without them the same tests find nothing.

One unit's work takes tenths of a second, so that a busy machine does not hide it. As in test_planted.py, each case is
asked as often with the fault and without.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path

import pytest
from attacks.slowing import Attack, Manner
from attacks.ways import Asking
from lanes import sized
from worlds import make_world

from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.audit import asking
from dpproxy.audit.asking import AskingWay, PreparedSeries
from dpproxy.audit.audit_proxy import AuditedDatabase, AuditSettings
from dpproxy.audit.neighbour_databases import neighbours
from dpproxy.audit.neighbouring_data import BASE, HEAVY
from dpproxy.audit.trial import Finding, Guarantee, Runs, trial
from dpproxy.config import load

from .planted_time import LIMIT, SEEN, Fault, World

pytestmark = pytest.mark.long

FINDING, ACCUSING = 1e-3, 1e-7
GUARANTEE = Guarantee(Accounting.ZCDP, timed=True)
ASKED = AuditSettings("alice", Decimal(1), Decimal("0.002"))
PLANTED = (sys.executable, str(Path(__file__).with_name("planted_time.py")))
COUNT = "SELECT count(*) FROM people"
SESSIONS = 24
UNIT, LARGE = 0.1, 0.4
CANCELED_AFTER = 1.0
# Without the target it is done a third of a second before the cancel, and with it just after, however late it began.
ENDS = CANCELED_AFTER + 0.02 - SEEN * LARGE


@dataclass(frozen=True)
class Case:
    """Where it is asked, what, and how many answers of each neighbour show the fault, in how many sessions at once."""

    world: World
    way: AskingWay
    answers: int
    sessions: int = SESSIONS


CASES = (
    Case(World(Fault.BARE_DEADLINE, 3 * UNIT, (LIMIT - SEEN / 2) * 3 * UNIT), PreparedSeries((COUNT,)), 100),
    Case(World(Fault.NO_DELAY, LARGE, 1.0), PreparedSeries((COUNT,)), 100),
    Case(
        World(Fault.CANCEL_SEES_END, LARGE, ENDS),
        Asking(Attack("cancel", COUNT, Manner.CANCELED, (), CANCELED_AFTER), Loss(Decimal("0.5"), ASKED.delta)),
        100,
        SESSIONS // 3,
    ),
    Case(World(Fault.THIN, LARGE, 1.0), PreparedSeries((COUNT,)), 100),
)


TRIES = 3
"""How often a fault is looked for: a machine that is busy just then may hide it, and shows none that is not there."""


@dataclass(frozen=True)
class Planted:
    """The ways to the neighbours, and the file that says what is wrong with their proxy."""

    runner: asyncio.Runner
    stands: Mapping[str, AuditedDatabase]
    switch: Path

    def found(self, world: World, case: Case, risk: float) -> Finding:
        """What the audit finds there."""
        world.write(self.switch)
        runs = Runs.of(case.answers, risk)
        return self.runner.run(trial(self.stands, case.way, GUARANTEE, runs, lambda _: None))


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Planted]:
    directory = tmp_path_factory.mktemp("planted_time")
    policy = make_world(directory)
    text = policy.read_text()
    for section, key in (
        ("server", "constant_time = true"),
        ("engine", f"max_concurrency = {SESSIONS}"),
    ):
        assert text.count(f"\n[{section}]\n") == 1
        text = text.replace(f"\n[{section}]\n", f"\n[{section}]\n{key}\n")
    policy.write_text(text)
    switch = directory / "fault"
    World().write(switch)
    os.environ["PLANTED"] = str(switch)
    asked = [case.way.statements for case in CASES]
    house = neighbours(load(policy, {}), ASKED, "duckdb", asked, (HEAVY,), command=PLANTED)
    with asyncio.Runner() as runner:
        stands = runner.run(house.__aenter__())
        try:
            yield Planted(runner, stands, switch)
        finally:
            runner.run(house.__aexit__(None, None, None))
            del os.environ["PLANTED"]


@pytest.fixture(autouse=True)
def many_sessions(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most of the time they wait."""
    monkeypatch.setattr(asking, "_SESSIONS", case.sessions)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.world.fault.name)
def test_a_planted_fault_is_found(planted: Planted, case: Case) -> None:
    found = (planted.found(case.world, case, FINDING) for _ in range(TRIES))
    assert any(each.broken(GUARANTEE) for each in found), case


@pytest.mark.parametrize("case", CASES[sized(-1, -1, 0) :: sized(4, 4, 1)], ids=lambda case: case.world.fault.name)
def test_without_it_nothing_is_found(planted: Planted, case: Case) -> None:
    found = planted.found(replace(case.world, fault=Fault.NONE), case, ACCUSING)
    assert not found.broken(GUARANTEE), found
    assert found.refused is None
    assert set(planted.stands) == {BASE, HEAVY}

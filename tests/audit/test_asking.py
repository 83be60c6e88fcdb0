"""Seconds are compared honestly: the same database twice is not told apart by them, and what is slower there is."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

import pytest
from complete_engines import COMPLETE
from worlds import make_world

from dpproxy.accounting.loss import Accounting
from dpproxy.audit.asking import PreparedSeries, ask
from dpproxy.audit.audit_proxy import AuditedDatabase, AuditSettings, audited_databases
from dpproxy.audit.engine_databases import databases, held
from dpproxy.audit.neighbouring_data import BASE, HEAVY
from dpproxy.audit.neighbouring_data import make_world as make_neighbours
from dpproxy.audit.trial import Guarantee, Runs, trial
from dpproxy.config import load

pytestmark = pytest.mark.long

COUNT = "SELECT count(*) FROM people"
ANSWERS, RISK = 150, 1e-7
# So little is promised that any difference of times is above it.
ASKED = AuditSettings("alice", Decimal("0.001"), Decimal("0.000001"))


@dataclass(frozen=True)
class Twice:
    """The ways to two copies of one database."""

    runner: asyncio.Runner
    audited_databases: Mapping[str, AuditedDatabase]


@pytest.fixture(scope="module", params=COMPLETE)
def twice(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Twice]:
    directory = tmp_path_factory.mktemp("twice")
    config = load(make_world(directory), {})
    world = make_neighbours(config, (), held(request.param))
    copies = [replace(each, rows={**each.rows, HEAVY: ()}) for each in world]
    with asyncio.Runner() as runner:
        made = databases(request.param, directory, copies, (BASE, HEAVY))
        stands = runner.run(made.__aenter__())
        served = audited_databases(config.path, stands, directory, ASKED)
        try:
            found = runner.run(served.__aenter__())
            try:
                yield Twice(runner, found)
            finally:
                runner.run(served.__aexit__(None, None, None))
        finally:
            runner.run(made.__aexit__(None, None, None))


def test_the_same_database_twice_is_not_told_apart(twice: Twice) -> None:
    found = twice.runner.run(
        trial(
            twice.audited_databases,
            PreparedSeries((COUNT,)),
            Guarantee(Accounting.ZCDP, timed=True),
            Runs.of(ANSWERS, RISK),
            _nobody,
        )
    )
    assert found.problem is None and found.timed is not None
    assert found.timed.tested.bound == 0, found.timed.tested


def test_every_answer_has_its_seconds_and_its_charge(twice: Twice) -> None:
    asked = twice.runner.run(ask(twice.audited_databases, PreparedSeries((COUNT, COUNT)), 5, _nobody))
    assert set(asked) == {BASE, HEAVY}
    for each in asked.values():
        assert len(each.answers) == 5
        assert all(len(answer.seconds) == 2 and min(answer.seconds) > 0 for answer in each.answers)
        assert sum(times for _, times in each.charges) == 10


def _nobody(answers: int) -> None:
    """Nobody is told of answers."""

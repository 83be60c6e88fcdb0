"""Faults that are planted into the product are found by the audit; the product without them passes the same tests.

Each statement is asked as often with the fault and without. With it the bound has a confidence of 0.999, and the number
of answers leaves about five standard deviations (of 300 audits of drawn answers, CLIP_BY_LARGEST: a bound of 2.14, give
or take 0.24, for ε = 0.75; HALF_SCALE: 2.21, 0.15, for 1.5); without it all bounds together are wrong once in a million
runs. The two faults that take most answers are asked without the fault in the nightly lane: they are half of the time.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path

import pytest
from lanes import Lane, lane, sized
from worlds import make_world

from dpproxy.accounting.loss import Accounting
from dpproxy.audit import asking
from dpproxy.audit.asking import PreparedSeries, Statements
from dpproxy.audit.audit_proxy import AuditedDatabase, AuditSettings
from dpproxy.audit.neighbour_databases import neighbours
from dpproxy.audit.neighbouring_data import BASE, HEAVY
from dpproxy.audit.trial import Finding, Guarantee, Runs, trial
from dpproxy.config import load

from .planted import Fault
from .statements import TWO_UNITS

pytestmark = pytest.mark.long

FINDING, ACCUSING = 1e-3, 1e-7
"""What a bound may be wrong with: where there is a fault, and where there is none."""
UNTIMED = Guarantee(Accounting.PURE, timed=False)
PLANTED = (sys.executable, str(Path(__file__).with_name("planted.py")))


@dataclass(frozen=True)
class Case:
    """What is asked, at which ε, and how many answers of each neighbour show the fault."""

    fault: Fault
    statements: Statements
    epsilon: str
    answers: int
    others: tuple[tuple[str, str], ...] = ()


SAMPLED = (("mechanism", "sample_aggregate"), ("blocks", "60"))
COUNT = "SELECT count(*) FROM people"
# Among the sixty others a unit would not be seen.
OF_TARGETS = "SELECT count(DISTINCT person_id) FROM visits TABLESAMPLE BERNOULLI (10)"
# With a norm of the largest, a unit in K keys moves their sum by K clips, for each of which noise is b = 1/(0.93ε): by
# √(K/2)/b deviations. So it shows by the number of keys. The heavy target has two lines in most of 102 keys, and is in
# the bucket of two, so that it has a whole clip in each: 5 deviations at ε = 0.75. The sum is told, since to learn a
# direction among so many numbers takes more answers than to count.
KEYS = f"CASE orderkey % 102 {' '.join(f'WHEN {rest} THEN {rest}' for rest in range(101))} ELSE 101 END"
ALL_KEYS = f"SELECT sum(lines) FROM (SELECT {KEYS}, count(*) AS lines FROM lineitem GROUP BY 1) AS each"
# All ordinary units have 0. The heavy target's values are hundreds, and most of all rows are its own.
AWAY = "SELECT avg(CASE WHEN orderkey > 120 THEN orderkey ELSE 0 END) FROM lineitem"
FEW_KEYS = "SELECT cost > 60, count(*) FROM visits GROUP BY 1"
PAIRS = "SELECT count(*) FROM shipments"
CASES = (
    Case(Fault.HALF_SCALE, (COUNT,), "1.5", 600),
    Case(Fault.NO_CLIP, ("SELECT sum(age) FROM people",), "0.5", 120),
    Case(Fault.NO_DELTA, ("SELECT dept, count(*) FROM visits GROUP BY dept",), "0.5", 120),
    Case(Fault.NO_DELTA_OF_WEIGHTS, ("SELECT orderkey + 0, count(*) FROM lineitem GROUP BY 1",), "0.5", 120),
    Case(Fault.DISTINCT_BY_ONE, ("SELECT count(DISTINCT dept) FROM visits",), "0.5", 120),
    Case(Fault.FLOATS, ("SELECT sum(income) FROM people",), "1", 900),
    Case(Fault.UNWEIGHTED, ("SELECT count(*), sum(age) FROM people",), "0.5", 120),
    Case(Fault.SHARED, ("SELECT sex, count(*) FROM people GROUP BY sex",), "0.5", 120),
    Case(Fault.REPEATED, (COUNT, f"{COUNT} WHERE income IS NULL OR income < 100"), "0.25", 120),
    Case(Fault.FREE, (COUNT,), "0.5", 20),
    Case(Fault.CLIP_TOO_LOW, ("SELECT count(*) FROM lineitem",), "0.5", 120),
    Case(Fault.CLIP_BY_LARGEST, (ALL_KEYS,), "0.75", 200),
    Case(Fault.CAP_OF_BITS, (FEW_KEYS,), "0.5", 120, (("max_rows_per_unit", "1"),)),
    Case(Fault.ROWS_DEALT, ("SELECT max(cost) FROM visits",), "1.5", 120, SAMPLED),
    Case(Fault.SAMPLE_OF_ROWS, (f"{OF_TARGETS} WHERE person_id > 60",), "1", 200),
    Case(Fault.SAMPLE_OF_ALL, (f"{COUNT} TABLESAMPLE BERNOULLI (10)",), "1", 200),
    Case(
        Fault.CHOICE_AS_IT_IS, ("SELECT smoker FROM people GROUP BY smoker ORDER BY count(*) DESC LIMIT 1",), "0.5", 120
    ),
    Case(Fault.MODE_AS_IT_IS, ("SELECT mode() WITHIN GROUP (ORDER BY smoker) FROM people",), "0.5", 120),
    Case(Fault.CLIP_AS_IT_IS, ("SELECT count(*) FROM lineitem",), "0.5", 120),
    Case(Fault.CENTRE_AS_IT_IS, (AWAY,), "0.5", 120),
    Case(Fault.PAIRS_BY_ONE_KIND, (PAIRS,), "1", 120),
    Case(Fault.PAIRS_EACH, (PAIRS,), "1", 120),
    Case(Fault.PAIRS_MANYFOLD, (PAIRS,), "1", 120),
)
"""Nobody declared caps for the rows of orders and lineitem."""
ALONE = [case for case in CASES if case.answers < 500 or lane() is Lane.NIGHTLY]


@dataclass(frozen=True)
class Planted:
    """The ways to the neighbours, and the file that says what is wrong with their proxy."""

    runner: asyncio.Runner
    stands: Mapping[str, AuditedDatabase]
    switch: Path

    def found(self, fault: Fault, case: Case, risk: float) -> Finding:
        """What the audit finds where the proxy has that fault."""
        self.switch.write_text(fault)
        stands = {place: _at(stand, case) for place, stand in self.stands.items()}
        runs = Runs.of(case.answers, risk)
        return self.runner.run(trial(stands, PreparedSeries(case.statements), UNTIMED, runs, lambda _: None))


def _at(stand: AuditedDatabase, case: Case) -> AuditedDatabase:
    return replace(stand, settings=replace(stand.settings, epsilon=Decimal(case.epsilon), others=case.others))


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Planted]:
    directory = tmp_path_factory.mktemp("planted")
    policy = make_world(directory)
    text = policy.read_text().replace('"zcdp"', '"pure"')
    text = text.replace("max_groups_per_unit = 3", "max_groups_per_unit = 12")
    capped = r"(\[tables\.(?:orders|lineitem)\]\n(?:.+\n)*?)max_rows_per_unit.*\nmax_groups.*\n"
    policy.write_text(re.sub(capped, r"\1", text) + TWO_UNITS)
    switch = directory / "fault"
    switch.write_text(Fault.NONE)
    os.environ["PLANTED"] = str(switch)
    asked = AuditSettings("alice", Decimal(1), Decimal("0.001"))
    house = neighbours(
        load(policy, {}), asked, "duckdb", [case.statements for case in CASES], (HEAVY,), command=PLANTED
    )
    with asyncio.Runner() as runner:
        stands = runner.run(house.__aenter__())
        try:
            yield Planted(runner, stands, switch)
        finally:
            runner.run(house.__aexit__(None, None, None))
            del os.environ["PLANTED"]


@pytest.fixture(autouse=True)
def one_session(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which of its answers have the same noise, a session knows only of itself."""
    if case.fault is Fault.REPEATED:
        monkeypatch.setattr(asking, "_SESSIONS", 1)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.fault.name)
def test_a_planted_fault_is_found(planted: Planted, case: Case) -> None:
    found = planted.found(case.fault, case, FINDING)
    assert found.broken(UNTIMED), found


@pytest.mark.parametrize("case", ALONE[:: sized(3, 3, 1)], ids=lambda case: case.fault.name)
def test_without_it_nothing_is_found(planted: Planted, case: Case) -> None:
    found = planted.found(Fault.NONE, case, ACCUSING)
    assert not found.broken(UNTIMED), found
    assert found.refused is None
    assert set(planted.stands) == {BASE, HEAVY}

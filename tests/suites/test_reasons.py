"""The judgement over runs of the suites, and the table of reasons."""

from __future__ import annotations

import re

import pytest

from suites.reasons import Reason, judged, read_reasons
from suites.report import lines
from suites.runs import Outcomes, note
from suites.sources import SUITES

REFUSED = Reason("asyncpg", ("tests/test_a.py::*",), "cannot be changed", "INSERT is refused")
IDLE = Reason("asyncpg", ("tests/test_b.py::*",), "", "nothing fails so")


def outcomes(passed: str, **failed: str) -> Outcomes:
    """The tests of one run, by their last letters."""
    called = {f"tests/test_a.py::test_{each}" for each in passed}
    said = {f"tests/test_a.py::test_{each}": text for each, text in failed.items()}
    return Outcomes(called | said.keys(), called, said)


def test_each_failure_has_its_reason_or_is_told() -> None:
    proxy = outcomes("ab", c="Data cannot be changed here", d="internal error")
    verdict = judged(outcomes("a"), outcomes("abcde"), outcomes("abd"), proxy, [REFUSED, IDLE])
    assert {test[-1] for test in verdict.explained[REFUSED]} == {"c"}
    assert {test[-1]: said for test, said in verdict.unexplained.items()} == {
        "d": "internal error",
        "e": "it was skipped, or did not end",
    }
    assert verdict.idle == (IDLE,)
    assert [len(share.ceiling) for share in (verdict.granted, verdict.read_only)] == [4, 2]
    assert [len(share.proxy) for share in (verdict.granted, verdict.read_only)] == [1, 1]
    text = "\n".join(lines(SUITES["asyncpg"], verdict))
    assert "4 pass, 1 of them through the proxy (25.0 %)" in text
    assert "without a reason: tests/test_a.py::test_d\n      internal error" in text
    assert "no test fails any more because: nothing fails so" in text


def test_a_test_passes_if_all_its_parts_do() -> None:
    run = Outcomes()
    report = {"$report_type": "TestReport", "nodeid": "a", "outcome": "passed", "longrepr": None}
    for when in ("setup", "call"):
        note(run, {**report, "when": when})
    assert run.passed == {"a"}
    note(run, {**report, "when": "teardown", "outcome": "failed", "longrepr": {"reprcrash": {"message": "late"}}})
    assert (run.passed, run.failed) == (frozenset(), {"a": "late"})


@pytest.mark.parametrize("reason", read_reasons(), ids=lambda reason: f"{reason.suite}: {reason.why}"[:60])
def test_the_table_is_well_formed(reason: Reason) -> None:
    assert reason.suite in SUITES
    assert reason.tests
    assert reason.why
    re.compile(reason.says)

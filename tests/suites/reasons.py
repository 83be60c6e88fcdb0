"""Why a test that passes on the ceiling does not pass through the proxy: the written table and its check."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from suites.runs import Outcomes

TABLE = Path(__file__).with_name("reasons.toml")


@dataclass(frozen=True, slots=True)
class Reason:
    """Tests (patterns of their ids without parameters) that fail, saying something that `says` matches, and why."""

    suite: str
    tests: tuple[str, ...]
    says: str
    why: str

    def explains(self, test: str, said: str) -> bool:
        """Whether this failure is meant."""
        name = test.partition("[")[0]
        return any(fnmatchcase(name, each) for each in self.tests) and re.search(self.says, said) is not None


@dataclass(frozen=True, slots=True)
class Share:
    """The tests that pass on a ceiling, and those of them that pass through the proxy too."""

    ceiling: frozenset[str]
    proxy: frozenset[str]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The shares of both ceilings, and each failure with its reason; `idle` reasons explain none."""

    collected: int
    serverless: int
    granted: Share
    read_only: Share
    explained: Mapping[Reason, Mapping[str, str]]
    unexplained: Mapping[str, str]
    idle: tuple[Reason, ...]


def read_reasons() -> tuple[Reason, ...]:
    """The reasons of the table."""
    entries = tomllib.loads(TABLE.read_text())["reason"]
    return tuple(Reason(each["suite"], tuple(each["tests"]), each.get("says", ""), each["why"]) for each in entries)


def judged(
    nowhere: Outcomes, granted: Outcomes, read_only: Outcomes, proxy: Outcomes, reasons: Sequence[Reason]
) -> Verdict:
    """Compare test by test. The first reason that fits is a failure's."""
    shares = [_share(each, nowhere, proxy) for each in (granted, read_only)]
    missed = {test for share in shares for test in share.ceiling - share.proxy}
    failures = {test: proxy.failed.get(test, "it was skipped, or did not end") for test in sorted(missed)}
    whys = {test: _reason(test, said, reasons) for test, said in failures.items()}
    explained = {reason: {test: said for test, said in failures.items() if whys[test] is reason} for reason in reasons}
    return Verdict(
        len(nowhere.ended),
        len(nowhere.passed),
        *shares,
        {reason: tests for reason, tests in explained.items() if tests},
        {test: said for test, said in failures.items() if whys[test] is None},
        tuple(reason for reason, tests in explained.items() if not tests),
    )


def _share(ceiling: Outcomes, nowhere: Outcomes, proxy: Outcomes) -> Share:
    counted = ceiling.passed - nowhere.passed
    return Share(counted, counted & proxy.passed)


def _reason(test: str, said: str, reasons: Sequence[Reason]) -> Reason | None:
    return next((each for each in reasons if each.explains(test, said)), None)

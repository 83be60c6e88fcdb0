"""The audit of many statements: which it is that is asked, on which engine, and what came of it.

`python -m audit.campaign [duckdb|postgres …]`, with tests/ in PYTHONPATH, asks all of them and prints the figures.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory

from complete_engines import COMPLETE
from worlds import make_world

from dpproxy.audit.asking import REFUSED, PreparedSeries, Statements, ask
from dpproxy.audit.audit_proxy import AuditedDatabase, AuditSettings
from dpproxy.audit.neighbour_databases import neighbours
from dpproxy.audit.neighbouring_data import BASE
from dpproxy.audit.trial import Finding, Guarantee, Runs, trial
from dpproxy.config import Config, load

from .statements import statements

RISK = 1e-9
"""Of each statement: all bounds of two campaigns together are wrong less than once in a million times."""
ANSWERS = 120
_MOST_ROWS = 200
_EPSILON, _DELTA = Decimal("0.5"), Decimal("0.01")
_ACCOUNTING = {"duckdb": "pure", "postgres": "zcdp"}


@dataclass(frozen=True)
class Figures:
    """What a campaign came to. long: statements whose answers have so many rows that hundreds of them take minutes.
    closest: the finding whose bound is nearest to its charge."""

    asked: int
    refused: int
    long: int
    answers: int
    broken: tuple[Finding, ...]
    closest: Finding
    seconds: float

    def __str__(self) -> str:
        counted = self.closest.counted
        assert counted is not None
        return (
            f"{self.asked} statements audited with {self.answers} answers in {self.seconds / 60:.1f} minutes,"
            f" {self.refused} refused, {self.long} left out for their long answers,"
            f" {len(self.broken)} above the charge; the highest bound is"
            f" {counted.tested.bound:.2f} of {counted.tested.event.promise.epsilon:.2f},"
            f" of {'; '.join(self.closest.statements)}"
        )


def campaign(
    kind: str, asked: Sequence[Statements], answers: int, told: Callable[[Finding], None] = lambda _: None
) -> Figures:
    """Audit statements on an engine, under the accounting that is tried there."""
    with TemporaryDirectory(prefix="dpproxy-campaign-") as name:
        policy = make_world(Path(name))
        policy.write_text(policy.read_text().replace('"zcdp"', f'"{_ACCOUNTING[kind]}"'))
        begun = time.monotonic()
        found = asyncio.run(_found(load(policy, {}), kind, asked, answers, told))
        return _figures(found, Guarantee.of(load(policy, {})), len(asked), time.monotonic() - begun)


async def _found(
    config: Config, kind: str, asked: Sequence[Statements], answers: int, told: Callable[[Finding], None]
) -> list[Finding]:
    settings, runs = AuditSettings("alice", _EPSILON, _DELTA), Runs.of(answers, RISK)
    found = []
    async with neighbours(config, settings, kind, asked) as stands:
        for each in asked:
            if await _rows(stands[BASE], PreparedSeries(each)) <= _MOST_ROWS:
                found.append(await trial(stands, PreparedSeries(each), Guarantee.of(config), runs, lambda _: None))
                told(found[-1])
    return found


async def _rows(stand: AuditedDatabase, series: PreparedSeries) -> int:
    """How many rows an answer has, about; none where there is no answer."""
    if any(each.startswith(REFUSED) for each in await series.shape(stand)):
        return 0
    (answer,) = (await ask({BASE: stand}, series, 1, lambda _: None))[BASE].answers
    return sum(len(each) for each in answer.results)


def _figures(found: Sequence[Finding], guarantee: Guarantee, asked: int, seconds: float) -> Figures:
    return Figures(
        sum(each.counted is not None for each in found),
        sum(each.refused is not None for each in found),
        asked - len(found),
        sum(each.answers for each in found),
        tuple(each for each in found if each.broken(guarantee)),
        max((each for each in found if each.counted is not None), key=_share),
        seconds,
    )


def _share(finding: Finding) -> float:
    """The bound, of the charge."""
    assert finding.counted is not None
    tested = finding.counted.tested
    return tested.bound / max(tested.event.promise.epsilon, 1e-9)


def _line(finding: Finding) -> None:
    what = finding.refused or finding.problem or ""
    if finding.counted is not None:
        tested = finding.counted.tested
        what = f"{tested.bound:.3f} of {tested.event.promise.epsilon:.3f} ({finding.counted.target}: {tested.event})"
    sys.stderr.write(f"{'; '.join(finding.statements)[:150]}: {what[:150]}\n")


if __name__ == "__main__":
    for each in sys.argv[1:] or COMPLETE:
        sys.stdout.write(f"{each}: {campaign(each, statements(), ANSWERS, _line)}\n")

"""The search: do time, failure or cancel of `slowing`'s statements tell more of Zelda than was charged?

`python -m attacks.timing_search [embedded|given] [--statements 200] [--answers 200] [--table FILE.md]`, with tests/ in
PYTHONPATH, asks each so often with her and without, of one proxy (`dpproxy.audit.engine_per_analyst`) with
`constant_time`, and writes a table: what was charged, and the lower bounds on ε that outcomes and rows show, without
seconds and with them.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, assert_never

from clients.backends import Backend
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from attacks.conftest import _world as world_with_zelda
from attacks.slowing import SEED, STATEMENTS, Attack, attacks
from attacks.ways import Asking
from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.audit.audit_proxy import AuditedDatabase, AuditSettings, audited_databases
from dpproxy.audit.neighbouring_data import BASE
from dpproxy.audit.trial import Finding, Guarantee, Runs, trial
from dpproxy.config import load
from dpproxy.engines.duckdb.provider import DuckDBFile
from dpproxy.engines.postgres.provider import PostgresDatabase
from dpproxy.engines.scratch import ScratchDatabase

ANSWERS: Final = 200
RISK: Final = 1e-9
"""Of each statement: all bounds of two searches together are wrong less than once in a million times."""
ASKED: Final = AuditSettings("mallory", Decimal("0.25"), Decimal("1e-6"))
PRICE: Final = Loss(ASKED.epsilon**2 / 2, ASKED.delta)
GUARANTEE: Final = Guarantee(Accounting.ZCDP, timed=True)
ZELDA: Final = "zelda"
LIMIT: Final = 1.0
"""Seconds that a statement is given, about."""


@dataclass(frozen=True)
class Searched:
    """What came of one attack. broken: it tells more than was charged."""

    attack: Attack
    finding: Finding
    broken: bool

    @property
    def bounds(self) -> tuple[float, float]:
        """What is shown without seconds, and with them."""
        tests = (self.finding.counted, self.finding.timed)
        still, timed = (0.0 if each is None else each.tested.bound for each in tests)
        return still, timed

    @property
    def charged(self) -> float:
        """The ε that the charge promises."""
        return 0.0 if self.finding.counted is None else self.finding.counted.tested.event.promise.epsilon

    @property
    def verdict(self) -> str:
        """In a few words."""
        told = self.finding.refused or self.finding.problem
        return f"BROKEN {told or ''}".strip() if self.broken else told or "nothing above the charge"

    @property
    def row(self) -> str:
        """A line of the table."""
        attack, (still, timed) = self.attack, self.bounds
        after = f" after {attack.after} s" if attack.after else ""
        sql = attack.sql.replace("|", "\\|")
        shown = sql if len(sql) <= 120 else f"{sql[:117]}…"
        figures = f"{self.charged:.3g} | {still:.3g} | {timed:.3g} | {self.finding.answers}"
        return f"| {attack.family} | {attack.manner}{after} | `{shown}` | {figures} | {self.verdict} |"


_COLUMNS = ("family", "asked", "statement", "charged ε", "at least", "with time", "answers", "verdict")
HEADER: Final = f"| {' | '.join(_COLUMNS)} |\n|---|---|---|--:|--:|--:|--:|---|"


@asynccontextmanager
async def both(backend: Backend, directory: Path, places: int = 4) -> AsyncIterator[dict[str, AuditedDatabase]]:
    """The ways to the database without Zelda, which is the base, and to the one with her. places: for statements."""
    with ExitStack() as stack:
        policies = {
            place: stack.enter_context(world_with_zelda(backend, directory / name, name))
            for place, name in ((BASE, "gone"), (ZELDA, "here"))
        }
        policy = policies[BASE]
        policy.write_text(_timed(policy.read_text(), places))
        made = {place: ScratchDatabase(_url(each)) for place, each in policies.items()}
        async with audited_databases(policy, made, directory, ASKED) as served:
            yield served


def _timed(policy: str, places: int) -> str:
    """The policy with time inside the guarantee."""
    for section, keys in (
        ("server", "constant_time = true"),
        ("engine", f'statement_timeout = "{LIMIT}s"\nmax_concurrency = {places}'),
    ):
        assert policy.count(f"\n[{section}]\n") == 1
        policy = policy.replace(f"\n[{section}]\n", f"\n[{section}]\n{keys}\n")
    return policy


def _url(policy: Path) -> str:
    match load(policy, {}).engine.url:
        case DuckDBFile(path):
            return f"duckdb:///{path}"
        case PostgresDatabase(url):
            return url
        case other:
            assert_never(other)


async def search(
    served: dict[str, AuditedDatabase], asked: Sequence[Attack], answers: int, told: Callable[[Searched], None]
) -> list[Searched]:
    """Each attack with the auditor on outcome and time. told: of each when it was asked."""
    found = []
    for attack in asked:
        finding = await trial(served, Asking(attack, PRICE), GUARANTEE, Runs.of(answers, RISK), lambda _: None)
        found.append(Searched(attack, finding, finding.broken(GUARANTEE)))
        told(found[-1])
    return found


def searched(
    backend: Backend, asked: Sequence[Attack], answers: int, told: Callable[[Searched], None] = lambda _: None
) -> list[Searched]:
    """`search`, from its databases on."""

    async def work(directory: Path) -> list[Searched]:
        async with both(backend, directory) as served:
            return await search(served, asked, answers, told)

    with TemporaryDirectory(prefix="dpproxy-search-") as name:
        return asyncio.run(work(Path(name)))


def table(found: Sequence[Searched]) -> str:
    """All of them, those first that come nearest to their charge."""
    worst = sorted(found, key=lambda each: (not each.broken, each.charged - max(each.bounds)))
    answered = [each for each in found if each.finding.refused is None]
    broken = sum(each.broken for each in found)
    summary = (
        f"{len(found)} statements, {sum(each.finding.answers for each in found)} answers:"
        f" {len(found) - len(answered)} refused alike, {len(answered)} answered, {broken} above the charge"
    )
    return "\n".join([summary, "", HEADER, *(each.row for each in worst), ""])


def _main() -> None:
    words = argparse.ArgumentParser(prog="python -m attacks.timing_search")
    words.add_argument("backend", type=Backend, nargs="?", default=Backend.EMBEDDED)
    words.add_argument("--statements", type=int, default=STATEMENTS)
    words.add_argument("--answers", type=int, default=ANSWERS)
    words.add_argument("--seed", type=int, default=SEED)
    words.add_argument("--table", type=Path)
    given = words.parse_args()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task("statements", total=given.statements)

        def told(each: Searched) -> None:
            progress.advance(task)
            if each.broken:
                progress.console.print(each.row, markup=False)

        found = searched(given.backend, attacks(given.statements, given.seed), given.answers, told)
    written = table(found)
    sys.stdout.write(written)
    if given.table is not None:
        given.table.write_text(written)
    sys.exit(any(each.broken for each in found))


if __name__ == "__main__":
    _main()

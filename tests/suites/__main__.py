"""`python tests/suites [psycopg] [asyncpg]` runs the drivers' own test-suites against the proxy.

What passes on a plain Postgres of the front's binaries is the ceiling, once with the rights of an analyst's role and
once read-only; what passes without any server does not count. Each test that passes on the ceiling and not through the
proxy has a reason in `reasons.toml`: the exit status is 1 where one has none, or a reason has no failure.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1]))

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from suites.reasons import judged, read_reasons
from suites.report import lines
from suites.runs import Outcomes, run
from suites.servers import granted, nowhere, proxy, read_only
from suites.sources import SUITES, Suite, made_ready

NOWHERE, GRANTED, READ_ONLY, PROXY = "no server", "same rights", "read-only", "proxy"
SIDES = {NOWHERE: nowhere, GRANTED: granted, READ_ONLY: read_only, PROXY: proxy}


def main() -> int:
    """Run the chosen suites and print their figures; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="*", metavar="suite", default=[*SUITES], help=" or ".join(SUITES))
    parser.add_argument("--repository", help="where psycopg's repository is, if not at its home", default=None)
    parser.add_argument("--keep", type=Path, help="a directory that the outcomes are kept in", default=None)
    chosen = parser.parse_args()
    unknown = set(chosen.suites) - set(SUITES)
    if unknown:
        parser.error(f"no suite is called {' or '.join(sorted(unknown))}")
    if chosen.keep is not None:
        chosen.keep.mkdir(parents=True, exist_ok=True)
    return max([_one(SUITES[name], chosen.repository, chosen.keep) for name in chosen.suites])


def _one(suite: Suite, repository: str | None, keep: Path | None) -> int:
    with TemporaryDirectory(prefix="suites") as directory:
        outcomes = _on_all(suite, Path(directory), repository, keep)
    reasons = [each for each in read_reasons() if each.suite == suite.name]
    verdict = judged(outcomes[NOWHERE], outcomes[GRANTED], outcomes[READ_ONLY], outcomes[PROXY], reasons)
    print(*lines(suite, verdict), sep="\n", flush=True)
    return int(bool(verdict.unexplained or verdict.idle))


def _on_all(suite: Suite, directory: Path, repository: str | None, keep: Path | None) -> dict[str, Outcomes]:
    columns = (TextColumn("{task.description:24}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:
        fetching = progress.add_task(f"{suite.name} {suite.version}: fetch", total=1)
        ready = made_ready(suite, directory, repository)
        progress.advance(fetching)
        outcomes: dict[str, Outcomes] = {}
        for side, serve in SIDES.items():
            total = len(outcomes[NOWHERE].ended) if outcomes else None
            task = progress.add_task(f"{suite.name}: {side}", total=total)
            told = partial(_advance, progress, task)
            with serve() as server:
                outcomes[side] = run(suite, ready, server, (keep or directory) / f"{suite.name} {side}.jsonl", told)
        return outcomes


def _advance(progress: Progress, task: TaskID, done: int) -> None:
    progress.update(task, completed=done)


if __name__ == "__main__":
    sys.exit(main())

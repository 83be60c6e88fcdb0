"""One run of a suite: pytest in a process of its own, followed by the lines that pytest-reportlog writes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final

from suites.servers import Server
from suites.sources import Ready, Suite

TEST_SECONDS: Final = 60
SILENCE_SECONDS: Final = 300.0
_POLL_SECONDS: Final = 0.25
Told = Callable[[int], None]


@dataclass(slots=True)
class Outcomes:
    """What became of each test, by its id: which ended, which ran to their end, and what the failed ones said."""

    ended: set[str] = field(default_factory=set)
    called: set[str] = field(default_factory=set)
    failed: dict[str, str] = field(default_factory=dict)

    @property
    def passed(self) -> frozenset[str]:
        """The tests that passed in all their parts; one that was skipped did not."""
        return frozenset(self.called - self.failed.keys())


def run(suite: Suite, ready: Ready, server: Server | None, log: Path, told: Told) -> Outcomes:
    """Run a suite against a server (None: against nothing) and follow its `log`; `told` gets how many have ended."""
    words = ["-q", "-p", "no:randomly", f"--timeout={TEST_SECONDS}", f"--report-log={log}", *suite.words(server)]
    log.unlink(missing_ok=True)
    log.touch()
    process = subprocess.Popen(
        ["nice", ready.pytest, *words, "tests"],
        cwd=ready.sources,
        env={**_own_environment(), **suite.variables(server)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    outcomes = Outcomes()
    try:
        with log.open() as lines:
            for line in _followed(lines, process):
                note(outcomes, json.loads(line))
                told(len(outcomes.ended))
    finally:
        with suppress(ProcessLookupError):  # whatever its tests have started ends with it
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return outcomes


def _own_environment() -> dict[str, str]:
    """This environment without what would tell a client of another server."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PG", "PSYCOPG", "PYTEST"))}


def _followed(lines: IO[str], process: subprocess.Popen[bytes]) -> Iterator[str]:
    """Whole lines as they are written, until the process has ended or said nothing for long."""
    heard, part = time.monotonic(), ""
    while time.monotonic() - heard < SILENCE_SECONDS:
        ended = process.poll() is not None
        for line in lines:
            heard, part = time.monotonic(), part + line
            if part.endswith("\n"):
                yield part
                part = ""
        if ended:
            return
        time.sleep(_POLL_SECONDS)


def note(outcomes: Outcomes, report: Mapping[str, Any]) -> None:
    """Take in one line of the log: a failed collection, or a test or subtest with a stage of it that ended."""
    match report:
        case {"$report_type": "CollectReport", "nodeid": node, "outcome": "failed", "longrepr": said}:
            outcomes.failed[node] = str(said)
        case {"$report_type": "SubTestReport", "nodeid": node, "outcome": "failed"}:
            outcomes.failed.setdefault(node, _last_words(report["longrepr"]))
        case {"$report_type": "TestReport", "nodeid": node, "outcome": outcome, "when": when}:
            if outcome == "failed":
                outcomes.failed.setdefault(node, _last_words(report["longrepr"]))
            elif outcome == "passed" and when == "call":
                outcomes.called.add(node)
            if when == "teardown":
                outcomes.ended.add(node)
        case _:
            pass


def _last_words(said: Any) -> str:
    """The first lines of the error that ended a test, or the last of what it wrote."""
    match said:
        case {"reprcrash": {"message": str(message)}}:
            return message
        case _:
            return str(said).strip().rpartition("\n\n")[2][-600:]

"""What an engine has used so far: of a process as the kernel counts, of a cluster as Spark's own event log says."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

_SETTLED: Final = 1.5
"""Seconds after which what a job did stands in the log."""


@dataclass(frozen=True)
class Consumed:
    """Seconds of processors; stages that shuffled something, and bytes that they wrote for it."""

    processors: float
    shuffles: int = 0
    shuffled: int = 0

    def __add__(self, other: Consumed) -> Consumed:
        return self - Consumed(-other.processors, -other.shuffles, -other.shuffled)

    def __sub__(self, other: Consumed) -> Consumed:
        return Consumed(
            self.processors - other.processors, self.shuffles - other.shuffles, self.shuffled - other.shuffled
        )


Meter = Callable[[], Consumed]


def of_this_process() -> Consumed:
    """With its threads: DuckDB's are of this process."""
    return Consumed(time.process_time())


def of_a_process(number: int) -> Meter:
    """That of `number`, with its threads."""

    def told() -> Consumed:
        fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
        return Consumed((int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"))

    return told


@dataclass
class Kept:
    """A count that never falls, of one that does: what had been counted and is gone stays."""

    last: int = 0
    gone: int = 0

    def after(self, count: int) -> int:
        """The count, with what is gone."""
        self.gone += max(self.last - count, 0)
        self.last = count
        return count + self.gone


def of_sessions(leaders: Collection[int]) -> Meter:
    """All processes of the sessions of these, and what has ended among them: a process whose parent ended before it is
    waited for by nobody of them, and takes its count along."""
    kept = Kept()

    def told() -> Consumed:
        ticks = 0
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):  # it has ended
                fields = stat.read_text().rpartition(")")[2].split()
                ticks += sum(map(int, fields[11:15])) if int(fields[3]) in leaders else 0
        return Consumed(kept.after(ticks) / os.sysconf("SC_CLK_TCK"))

    return told


def of_a_cluster(events: Path) -> Meter:
    """What all tasks that the log knows of have used."""

    def told() -> Consumed:
        time.sleep(_SETTLED)
        used, shuffled, stages = 0, 0, set[int]()
        for event in _tasks(events):
            metrics = event.get("Task Metrics") or {}
            used += metrics.get("Executor CPU Time", 0)
            if written := metrics.get("Shuffle Write Metrics", {}).get("Shuffle Bytes Written", 0):
                shuffled += written
                stages.add(event["Stage ID"])
        return Consumed(used / 1e9, len(stages), shuffled)

    return told


def _tasks(events: Path) -> Iterator[dict[str, Any]]:
    for log in sorted(events.iterdir()):
        for line in log.read_text().splitlines():
            if line.startswith('{"Event":"SparkListenerTaskEnd"'):
                yield json.loads(line)

"""The product with a fault in its time, and an engine on which one unit's work is seen without a fine clock.

A policy's unit takes microseconds, which no test can see. Here one takes tenths of a second: statements are planned as
if one did, and the engine sleeps for that long where the target is in its file. So the product as it is must hide it,
and with a fault it shows. As in `planted`, the environment's PLANTED names a file that says what holds now.

All that this needs to know of the product stands in `plant`.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from time import monotonic
from typing import Any

from dpproxy.answering import answer, deadlines
from dpproxy.answering.deadlines import DrawnNoise
from dpproxy.audit.engine_per_analyst import main
from dpproxy.engines.duckdb.driver import DuckDBEngine
from dpproxy.errors import QueryCanceled, StatementTimeout
from dpproxy.mechanisms.timing import TimeNoise
from dpproxy.plan.timing import Schedule

SEEN = 0.9
"""How much of one unit's work the target makes."""
LIMIT = 16
"""The time limit, in units' works: above the noise."""
TARGET = "heavy"


class Fault(StrEnum):
    """What is wrong."""

    NONE = "none"
    BARE_DEADLINE = "a deadline without noise"
    NO_DELAY = "answers leave at their true end"
    CANCEL_SEES_END = "a cancel that sees the true end"
    THIN = "noise of a hundredth of its scale"


@dataclass(frozen=True)
class World:
    """What holds. unit: one unit's work in seconds; worked: the seconds that each statement works, whoever is there."""

    fault: Fault = Fault.NONE
    unit: float = 0.1
    worked: float = 0.0

    def write(self, path: Path) -> None:
        """From now on."""
        path.write_text(f"{self.unit} {self.worked} {self.fault}")


def now() -> World:
    """As the file says."""
    unit, worked, fault = Path(os.environ["PLANTED"]).read_text().split(" ", 2)
    return World(Fault(fault), float(unit), float(worked))


_open, _run, _schedule = DuckDBEngine.open.__func__, DuckDBEngine.run, answer.schedule  # type: ignore[attr-defined]
_deadline, _delay, _draw, _check = Schedule.deadline, Schedule.delay, DrawnNoise.one, deadlines._check
_targets: list[DuckDBEngine] = []


def opened(cls: type[DuckDBEngine], path: Path | None, *given: Any, **more: Any) -> DuckDBEngine:
    made: DuckDBEngine = _open(cls, path, *given, **more)
    if path is not None and TARGET in path.stem:
        _targets.append(made)
    return made


async def run(self: DuckDBEngine, work: Any, ticket: Any, seconds: float | None = None) -> Any:
    """Slow by a part of the unit's work where the target is."""
    if seconds is None:
        return await _run(self, work, ticket)
    world = now()
    worked = world.worked + (world.unit * SEEN if self in _targets else 0.0)
    begun = monotonic()
    found = await _run(self, work, ticket, seconds)
    await _slept(begun + min(worked, seconds), ticket)
    if seconds < worked:
        raise StatementTimeout
    return found


async def _slept(until: float, ticket: Any) -> None:
    """As an engine works: until it is cancelled, or done."""
    canceled = asyncio.Event()
    ticket.on_cancel(canceled.set)
    try:
        async with asyncio.timeout(max(0.0, until - monotonic())):
            await canceled.wait()
        raise QueryCanceled("canceling statement due to user request")
    except TimeoutError:
        return
    finally:
        ticket.on_cancel(None)


def scheduled(*given: Any) -> Schedule:
    unit = now().unit
    return replace(_schedule(*given), unit=unit, limit=LIMIT * unit)


def deadline(self: Schedule, drawn: int) -> float:
    return self.limit if now().fault is Fault.BARE_DEADLINE else _deadline(self, drawn)


def delay(self: Schedule, drawn: int) -> float:
    return 0.0 if now().fault is Fault.NO_DELAY else _delay(self, drawn)


def draw(self: DrawnNoise, noise: TimeNoise) -> int:
    drawn = _draw(self, noise)
    return drawn // 100 if now().fault is Fault.THIN else drawn


def check(analyst: str, ticket: Any, at_work: Any, worked: float, fault: Exception | None = None) -> None:
    """With the fault, what is done is told, though a cancel came before it was."""
    if now().fault is Fault.CANCEL_SEES_END and fault is None:
        return
    _check(analyst, ticket, at_work, worked, fault)


def plant() -> None:
    """Replace the parts."""
    parts: list[tuple[Any, str, Callable[..., Any]]] = [
        (DuckDBEngine, "open", classmethod(opened)),  # type: ignore[list-item]
        (DuckDBEngine, "run", run),
        (answer, "schedule", scheduled),
        (Schedule, "deadline", deadline),
        (Schedule, "delay", delay),
        (DrawnNoise, "one", draw),
        (deadlines, "_check", check),
    ]
    for owner, name, part in parts:
        setattr(owner, name, part)
    deadlines.ENDING = 0.1  # type: ignore[misc]


if __name__ == "__main__":
    plant()
    main(sys.argv[1:])

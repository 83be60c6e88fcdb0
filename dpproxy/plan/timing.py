"""The times of one statement in seconds: what its noise in ticks comes to on an engine of a known speed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from dpproxy.errors import NotPrivate
from dpproxy.mechanisms.timing import TICKS, TimeNoise
from dpproxy.plan.work import Work

MARGIN: Final = 5
"""By how much a row operation may take longer than those that an engine's speed was measured with: what it takes
differs by kind, over the bounded SQL of the benchmarks by less (tests/bench/work.py)."""


@dataclass(frozen=True, slots=True)
class Speed:
    """limit: seconds that a statement may work, before noise. per_operation: seconds that the engine was seen to take
    for one row operation."""

    limit: float
    per_operation: float


@dataclass(frozen=True, slots=True)
class Schedule:
    """The noise of a statement's time; one unit's work and the limit in seconds.

    least: seconds before which nothing leaves where answers are delayed: what all units' work takes, of a statement in
    which one row can make the engine read whole tables, or whose noise would be too long; there it is the only moment.
    """

    noise: TimeNoise
    unit: float
    limit: float
    least: float = 0.0

    @property
    def tick(self) -> float:
        """A tick in seconds."""
        return self.unit / TICKS

    @property
    def stddev(self) -> float:
        """Of the noise, in seconds."""
        return self.noise.noise.stddev * self.tick

    @property
    def margin(self) -> float | None:
        """The median of an answer's delay in seconds; None where none is delayed."""
        return None if self.noise.margin is None else self.noise.margin * self.tick

    def deadline(self, drawn: int) -> float:
        """After how many seconds the work is ended, where so many ticks were drawn."""
        return self.limit - drawn * self.tick

    def delay(self, drawn: int) -> float:
        """For how many seconds an answer is held back, where so many ticks were drawn."""
        return 0.0 if self.noise.margin is None else max(0.0, (self.noise.margin + drawn) * self.tick)


def schedule(noise: TimeNoise, work: Work, speed: Speed, unit: str) -> Schedule:
    """The times of a statement of so much work.

    Claim: when one unit leaves, how long the engine works on it moves by `Schedule.unit` seconds at most; or it stays
    between 0 and `Schedule.least`, from where the noise reaches the limit with a probability of NEVER at most.
    Because: so many row operations at most are the unit's (`rewrite.work`), each of which takes MARGIN times what was
    measured at most. But where an engine leaves out the other side of a join when one has no rows (`Work.scans`), one
    row may decide on the reading of whole tables: then all of the work, of tables as large as the policy says and as
    slow as any of it may be, takes `least` at most, and the limit is past that by more than the noise. And where the
    noise would be longer than the limit, as at a tiny epsilon, there is none: all of the work is done within the limit
    then, whoever is there.
    Assumed: the engine keeps to this speed; the tables are no larger.
    Checked by: tests/test_timing.py, tests/test_work.py, tests/bench/work.py.
    Raises NotPrivate where neither is so.
    """
    whole = work.whole * speed.per_operation * MARGIN
    least = whole if work.scans else 0.0
    made = Schedule(noise, work.operations * speed.per_operation * MARGIN, speed.limit, least)
    longest = max(noise.reach, noise.margin or 0) * made.tick
    if longest <= speed.limit and (not least or least + noise.far * made.tick <= speed.limit):
        return made
    if whole <= speed.limit:
        return Schedule(noise, 0.0, speed.limit, whole)
    raise NotPrivate(
        f"whether this statement ends within its limit of {speed.limit:g} s would tell of one {unit}, whose part of the"
        f" work is up to {work.operations:,} row operations",
        hint=f"Join on keys, aggregate the rows of each {unit} before they are joined, or SET dp.epsilon higher. The"
        " owner may declare max_unit_rows and max_rows of the tables, or a longer statement_timeout."
        + (f" {work.word}" if work.word else ""),
    )

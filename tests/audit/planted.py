"""The product with a fault: the audit's own proxy, in which parts are replaced from outside before it runs.

The environment's PLANTED names a file. What it holds when an answer is made is the fault; "none" leaves all as it is.
So one proxy can have one after the other.
"""

from __future__ import annotations

import math
import os
import re
import secrets
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np

from dpproxy.answering import run
from dpproxy.audit.engine_per_analyst import main
from dpproxy.exact_cells import exact_cells
from dpproxy.ledger.ledger import Ledger
from dpproxy.mechanisms import paired_noise
from dpproxy.mechanisms.clipped_noise import ClippedNoise, TotalsByNorm, clipped
from dpproxy.mechanisms.joint_noise import JointNoise
from dpproxy.mechanisms.mode_choice import ModeChoice
from dpproxy.mechanisms.noise import Noise
from dpproxy.mechanisms.noise_at_a_clip import Clipped
from dpproxy.mechanisms.noisy_max import NoisyMax
from dpproxy.mechanisms.norms import edge
from dpproxy.mechanisms.pair_totals import PairTotals
from dpproxy.mechanisms.selection import Selection
from dpproxy.mechanisms.spread_selection import WHOLE, SpreadSelection
from dpproxy.mechanisms.truncated_selection import TruncatedSelection
from dpproxy.plan.formulas import CentreOf
from dpproxy.plan.private_plan import Applied, Measure, MeasureKind, Release
from dpproxy.rows import Rows


class Fault(StrEnum):
    """What is wrong."""

    NONE = "none"
    HALF_SCALE = "noise at half scale"
    NO_CLIP = "a clip left out"
    NO_DELTA = "a threshold without delta"
    NO_DELTA_OF_WEIGHTS = "the same of weights, with truncated noise"
    DISTINCT_BY_ONE = "COUNT(DISTINCT) with sensitivity 1"
    FLOATS = "noise drawn as floats"
    UNWEIGHTED = "noise of two totals together, as if both were moved as the smaller one is"
    SHARED = "the same noise for all keys of an answer"
    REPEATED = "the same noise for two answers"
    FREE = "every second answer without a charge"
    CLIP_TOO_LOW = "a clip's bucket rounded down"
    CLIP_BY_LARGEST = "a norm of another order: the largest, where it is the sum"
    CAP_OF_BITS = "counts of several keys in one sum, which no cap holds"
    ROWS_DEALT = "rows dealt into blocks, not units"
    SAMPLE_OF_ROWS = "a sample of rows, each with a coin of its own"
    SAMPLE_OF_ALL = "a sample that everybody is in"
    CHOICE_AS_IT_IS = "the key of the largest, without noise"
    MODE_AS_IT_IS = "the most frequent value, without noise"
    CLIP_AS_IT_IS = "a clip at which the number of units beyond it, without noise, is 0"
    CENTRE_AS_IT_IS = "averages around the mean itself, without noise"
    PAIRS_BY_ONE_KIND = "rows of two units, of which one alone is held to a clip"
    PAIRS_EACH = "a clip for each pair of units, not for each unit"
    PAIRS_MANYFOLD = "units of pairs held to 32 clips, with noise for one"


def now() -> Fault:
    """The fault that there is at present."""
    return Fault(Path(os.environ["PLANTED"]).read_text())


_add_noise, _choose, _moded, _select, _weigh, _clip, _joint, _left, _release, _query, _charge = (
    Noise.release,
    NoisyMax.release,
    ModeChoice.release,
    Selection.release,
    TruncatedSelection.release,
    ClippedNoise.release,
    JointNoise.release,
    paired_noise.left_at,
    run.release,
    run._query,
    Ledger.charge,
)
_kept: dict[str, Any] = {"left": 0, "charge": None}
_TIMES = 2  # answers that have the same noise
_OF_PAIRS = (Fault.PAIRS_BY_ONE_KIND, Fault.PAIRS_EACH, Fault.PAIRS_MANYFOLD)
_most_left = paired_noise.most_left_at


def add_noise(noise: Noise, totals: Sequence[int]) -> list[Any]:
    match now():
        case Fault.HALF_SCALE:
            return _add_noise(replace(noise, scale=noise.scale / 2), totals)
        case Fault.FLOATS:
            return [total + _float_laplace(noise.scale) for total in totals]
        case Fault.SHARED:
            (drawn,) = _add_noise(noise, [0])
            return [total + drawn for total in totals]
        case Fault.REPEATED:
            return [total + _repeated(noise) for total in totals]
        case _:
            return _add_noise(noise, totals)


def _float_laplace(scale: float) -> float:
    """As textbooks have it: a logarithm of a float, added in floats (Mironov 2012, section 4)."""
    uniform = (secrets.randbits(53) + 1) / 2**53
    return scale * math.log(uniform) * (1 if secrets.randbits(1) else -1)


def _repeated(noise: Noise) -> int:
    if not _kept["left"]:
        _kept["drawn"], _kept["left"] = _add_noise(noise, [0])[0], _TIMES
    _kept["left"] -= 1
    return int(_kept["drawn"])


def choose(choice: NoisyMax, totals: Sequence[int]) -> tuple[int, ...]:
    if now() is Fault.CHOICE_AS_IT_IS:
        return tuple(sorted(range(len(totals)), key=lambda place: -totals[place])[: choice.places])
    return _choose(choice, totals)


def moded(mode: ModeChoice, exact: Sequence[int]) -> list[int]:
    if now() is not Fault.MODE_AS_IT_IS:
        return _moded(mode, exact)
    counts = [exact[first : first + mode.buckets] for first in range(0, len(exact), mode.buckets)]
    return [each.index(max(each)) for each in map(list, counts)]


def select(selection: Selection, counts: Sequence[int]) -> dict[int, int]:
    return _select(replace(selection, threshold=1) if now() is Fault.NO_DELTA else selection, counts)


def weigh(selection: TruncatedSelection, weights: Sequence[int]) -> dict[int, int]:
    """At half a unit's weight, which noise reaches by itself as often as not: it is not truncated there either."""
    if now() is not Fault.NO_DELTA_OF_WEIGHTS:
        return _weigh(selection, weights)
    return SpreadSelection(selection.norm, selection.noise, WHOLE // 2).release(weights)


def clip(noise: ClippedNoise, exact: TotalsByNorm) -> Clipped:
    if now() is Fault.CLIP_AS_IT_IS:
        largest = edge(max(exact.units, default=0))
        return Clipped(largest, tuple(noise.noise.release(clipped(exact.totals, largest))))
    return _clip(noise, exact)


def joint(noise: JointNoise, exact: Sequence[tuple[int, int]]) -> tuple[list[int], list[int]]:
    if now() is not Fault.UNWEIGHTED:
        return _joint(noise, exact)
    least = replace(noise.noise, scale=noise.noise.scale / max(noise.own, noise.other))
    return _joint(replace(noise, noise=least), exact)


def left(pairs: PairTotals, power: int) -> int:
    """Of the pairs of a target, each is with another unit of the second kind."""
    match now():
        case Fault.PAIRS_BY_ONE_KIND:
            return _left(replace(pairs, one=np.arange(len(pairs.amounts))), power)
        case Fault.PAIRS_EACH:
            return int(np.minimum(pairs.amounts, 1 << power).sum())
        case Fault.PAIRS_MANYFOLD:
            return _left(pairs, power + 5)
        case _:
            return _left(pairs, power)


def most_left(pairs: PairTotals, power: int) -> int:
    """Of a fault too, the bound is one of what is left."""
    return left(pairs, power) if now() in _OF_PAIRS else _most_left(pairs, power)


def _by_one(applied: Applied, measures: Sequence[Measure]) -> Applied:
    noise = applied.mechanism
    if not isinstance(noise, Noise) or measures[applied.measure or 0].kind is not MeasureKind.DISTINCT:
        return applied
    return replace(applied, mechanism=replace(noise, scale=noise.scale / measures[applied.measure or 0].bound))


def release(plan_release: Release, exact: Rows, *rest: Any) -> Rows:
    if now() is Fault.DISTINCT_BY_ONE:
        measures = plan_release.bounded.measures
        mechanisms = tuple(_by_one(each, measures) for each in plan_release.mechanisms)
        plan_release = replace(plan_release, mechanisms=mechanisms)
    released = _release(plan_release, exact, *rest)
    return _with_means(plan_release, exact, released) if now() is Fault.CENTRE_AS_IT_IS else released


def _with_means(plan_release: Release, exact: Rows, released: Rows) -> Rows:
    """What is released, and the mean of all rows instead of each centre."""
    rows = [list(row) for row in released.rows]
    for place, output in enumerate(plan_release.outputs):
        if isinstance(output.formula, CentreOf):
            cells = exact_cells(plan_release.bounded, exact, (), ())
            found = (cells.by_norm([()], each).totals for each in (output.formula.total, output.formula.count))
            total, count = (sum(by_bucket.values()) for (by_bucket,) in found)
            rows[0][place] = total // max(count, 1)
    return replace(released, rows=tuple(map(tuple, rows)))


def query(sql: str, *rest: Any) -> Any:
    """A bucket that is one too low costs a tenth of ε, which no audit could see: so it is of four doublings."""
    match now():
        case Fault.NO_CLIP:
            sql = re.sub(r"CASE WHEN (\S+) > (\d+) THEN \2 WHEN \1 < (\d+) THEN \3 ELSE \1 END", r"\1", sql)
        case Fault.CLIP_TOO_LOW:
            sql = re.sub(r"CEIL\((LN\(.*?) AS INT\)", r"FLOOR((\1 / 32) * 32 AS INT)", sql)
        case Fault.CLIP_BY_LARGEST:
            sql = sql.replace("SUM(ABS(", "MAX(ABS(")
        case Fault.CAP_OF_BITS:
            sql = re.sub(r"LEAST\((CAST\([^&]* & 2147483647 AS BIGINT\)), \d+\)", r"\1", sql)
        case Fault.ROWS_DEALT:
            sql = re.sub(r'MD5\(CAST\(s\d+\."u" AS TEXT\)\)', "MD5(CAST(RANDOM() AS TEXT))", sql)
        case Fault.SAMPLE_OF_ROWS:
            sql = re.sub(r"(\$coin AS TEXT\) \|\| CAST\()[^()]*( AS TEXT\)\) < )", r"\1RANDOM()\2", sql)
        case Fault.SAMPLE_OF_ALL:
            sql = re.sub(r"(\$coin AS TEXT\).*?\) < )'[0-9a-f]{16}'", r"\1'g'", sql)
        case _:
            pass
    return _query(sql, *rest)


async def charge(self: Ledger, *rest: Any) -> Any:
    last = _kept["charge"]
    if now() is Fault.FREE and last is not None:
        _kept["charge"] = None
        return last
    _kept["charge"] = await _charge(self, *rest)
    return _kept["charge"]


def plant() -> None:
    """Replace the parts."""
    parts: list[tuple[Any, str, Callable[..., Any]]] = [
        (Noise, "release", add_noise),
        (NoisyMax, "release", choose),
        (ModeChoice, "release", moded),
        (Selection, "release", select),
        (TruncatedSelection, "release", weigh),
        (ClippedNoise, "release", clip),
        (JointNoise, "release", joint),
        (paired_noise, "left_at", left),
        (paired_noise, "most_left_at", most_left),
        (run, "release", release),
        (run, "_query", query),
        (Ledger, "charge", charge),
    ]
    for owner, name, part in parts:
        setattr(owner, name, part)


if __name__ == "__main__":
    plant()
    main(sys.argv[1:])

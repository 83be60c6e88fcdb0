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

from dpproxy.answering import run
from dpproxy.audit.engine_per_analyst import main
from dpproxy.ledger.ledger import Ledger
from dpproxy.mechanisms.noise import Noise
from dpproxy.mechanisms.selection import Selection
from dpproxy.plan.private_plan import Applied, Measure, MeasureKind, Release


class Fault(StrEnum):
    """What is wrong."""

    NONE = "none"
    HALF_SCALE = "noise at half scale"
    NO_CLIP = "a clip left out"
    NO_DELTA = "a threshold without delta"
    DISTINCT_BY_ONE = "COUNT(DISTINCT) with sensitivity 1"
    FLOATS = "noise drawn as floats"
    SHARED = "the same noise for all keys of an answer"
    REPEATED = "the same noise for two answers"
    FREE = "every second answer without a charge"


def now() -> Fault:
    """The fault that there is at present."""
    return Fault(Path(os.environ["PLANTED"]).read_text())


_add_noise, _select, _release, _query, _charge = (
    Noise.release,
    Selection.release,
    run.release,
    run._query,
    Ledger.charge,
)
_kept: dict[str, Any] = {"left": 0, "charge": None}
_TIMES = 2  # answers that have the same noise


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


def select(selection: Selection, counts: Sequence[int]) -> dict[int, int]:
    return _select(replace(selection, threshold=1) if now() is Fault.NO_DELTA else selection, counts)


def _by_one(applied: Applied, measures: Sequence[Measure]) -> Applied:
    noise = applied.mechanism
    if not isinstance(noise, Noise) or measures[applied.measure or 0].kind is not MeasureKind.DISTINCT:
        return applied
    return replace(applied, mechanism=replace(noise, scale=noise.scale / measures[applied.measure or 0].bound))


def release(plan_release: Release, *rest: Any) -> Any:
    if now() is Fault.DISTINCT_BY_ONE:
        measures = plan_release.bounded.measures
        mechanisms = tuple(_by_one(each, measures) for each in plan_release.mechanisms)
        plan_release = replace(plan_release, mechanisms=mechanisms)
    return _release(plan_release, *rest)


def query(sql: str, *rest: Any) -> Any:
    if now() is Fault.NO_CLIP:
        sql = re.sub(r"CASE WHEN (\S+) > (\d+) THEN \2 WHEN \1 < (\d+) THEN \3 ELSE \1 END", r"\1", sql)
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
        (Selection, "release", select),
        (run, "release", release),
        (run, "_query", query),
        (Ledger, "charge", charge),
    ]
    for owner, name, part in parts:
        setattr(owner, name, part)


if __name__ == "__main__":
    plant()
    main(sys.argv[1:])

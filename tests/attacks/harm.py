"""What a mutant does to neighbours: the oracle for those that the checker accepts.

A mutant is harmless if it keeps every claim of its plan between neighbouring worlds, if a unit moves the result by just
what its own rows give, and if it fails for no rows: one that fails over empty tables fails always, and tells nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from random import Random

from neighbours import rooms
from neighbours.claims import Shown, broken, shown
from neighbours.dag import everything, noise_of, read, released, told
from neighbours.data import _TABLES, World
from neighbours.dice import Dice
from neighbours.places import FAILURES, Hall, Place
from neighbours.rooms import Around
from neighbours.trial import _not_local

from dpproxy.catalog.policy import Catalog
from dpproxy.errors import DPProxyError
from dpproxy.plan.private_plan import FromPublic, Plan, Release
from dpproxy.plan.told_columns import PublicColumn, ReleasedColumn
from dpproxy.rows import Rows, Value

EMPTY = World({name: [] for name in _TABLES}, "")


@dataclass(frozen=True)
class Street:
    """Neighbouring worlds, and one without private rows."""

    around: Around
    empty: Place


@contextmanager
def street(world: World, catalog: Catalog) -> Iterator[Street]:
    """In DuckDB."""
    with rooms.opened(world, catalog) as around, rooms.opened(EMPTY, catalog) as nobody:
        yield Street(around, nobody.base)


@contextmanager
def street_in(hall: Hall, world: World) -> Iterator[Street]:
    """In Postgres."""
    with rooms.opened_in(hall, world) as around:
        nobody = "".join(f"DELETE FROM public.{name};\n" for name in reversed(EMPTY.tables))
        yield Street(around, hall.place(nobody))


def crowded(seed: str) -> World:
    """A world that breaks every word of the owner, with units in all tables."""
    return rooms.broken(Dice.seeded(seed))


def harm(plan: Plan, index: int, at: Street, random: Random) -> str | None:
    """What release `index` of the plan does wrong between neighbours; None for nothing.

    The releases before it are as planned, and are released without noise.
    """
    release = plan.releases[index]
    earlier = _earlier(plan, index, at.around.base)
    inputs = {each.name: told(plan, each, earlier) for each in release.bounded.inputs}
    try:
        _run(release, at.empty, plan, inputs, earlier)
    except (*FAILURES, DPProxyError, AssertionError, ValueError, OverflowError):
        return None
    names = sorted(set(at.around.others) - {"heavy"})
    chosen = [*random.sample(names, k=min(2, len(names))), "heavy"]
    try:
        base = _run(release, at.around.base, plan, inputs, earlier)
        for name in chosen:
            other, alone = (
                _run(release, each[name], plan, inputs, earlier) for each in (at.around.others, at.around.alone)
            )
            one, less = (other, base) if name == "heavy" else (base, other)
            if faults := [*broken(release, one, less), *_not_local(release, one, less, alone)]:
                return f"{name}: {faults[0]}"
    except (*FAILURES, DPProxyError, AssertionError, ValueError, OverflowError) as fault:
        return f"{type(fault).__name__}: {fault}"
    return None


def _run(
    release: Release, place: Place, plan: Plan, inputs: Mapping[str, tuple[Value, ...]], earlier: Sequence[Rows]
) -> Shown:
    for domain in {key.domain for key in release.bounded.keys if isinstance(key.domain, FromPublic)}:
        read(place, plan, domain.sql, domain.inputs, earlier)
    return shown(release.bounded, place, inputs)


def _earlier(plan: Plan, index: int, base: Place) -> tuple[Rows, ...]:
    if not any(isinstance(each, ReleasedColumn) for each in _read_by(plan.releases[index])):
        return ()
    with noise_of(lambda total: total):
        return released(replace(plan, releases=plan.releases[:index]), base, everything)


def _read_by(release: Release) -> Iterator[PublicColumn]:
    yield from release.bounded.inputs
    for key in release.bounded.keys:
        if isinstance(key.domain, FromPublic):
            yield from key.domain.inputs

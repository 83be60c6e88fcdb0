"""What a plan claims of one unit, against what two neighbouring worlds show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from applied import selection_of

from dpproxy.engines import EngineQuery
from dpproxy.mechanisms.noisy_max import NoisyMax
from dpproxy.plan.private_plan import Bounded, Measure, PrivateKeys, Release
from dpproxy.release import canonical
from dpproxy.rows import Value
from neighbours.places import Place

Key = tuple[Value, ...]
Totals = dict[Key, tuple[int, ...]]


@dataclass(frozen=True)
class Shown:
    """The result of a bounded SQL: `n` (1 where it is not counted) and the measures, by key."""

    units: dict[Key, int]
    totals: Totals


Inputs = Mapping[str, tuple[Value, ...]]


def shown(bounded: Bounded, place: Place, inputs: Inputs | None = None) -> Shown:
    """Run it, with the released columns that it reads. Raises AssertionError for a result that no release takes, and
    what the engine raises."""
    width = len(bounded.keys)
    names = [f"k{i}" for i in range(width)] + ["n"] * bounded.counts_units
    names += [f"m{i}" for i in range(len(bounded.measures))]
    found = place(EngineQuery(bounded.sql, inputs or {}))
    assert [column.name for column in found.columns] == names, "columns are keys, n, measures"
    units: dict[Key, int] = {}
    totals: Totals = {}
    for row in found.rows:
        key = tuple(canonical(value, key.type) for value, key in zip(row, bounded.keys, strict=False))
        assert key not in totals, f"key {key} comes twice"
        assert all(type(value) is int for value in row[width:]), f"{row[width:]} are not all integers"
        totals[key] = row[width + bounded.counts_units :]
        units[key] = row[width] if bounded.counts_units else 1
    return Shown(units, totals)


def broken(release: Release, one: Shown, other: Shown) -> Iterator[str]:
    """Every claim of the plan that the step between two neighbours breaks; `one` has the unit, `other` has not.

    Of all rows of the bounded SQL, those too whose key `release` would drop: the claim is the SQL's own.
    """
    bounded = release.bounded
    zeros = (0,) * len(bounded.measures)
    keys = one.totals.keys() | other.totals.keys()
    for index, measure in enumerate(bounded.measures):
        steps = {k: one.totals.get(k, zeros)[index] - other.totals.get(k, zeros)[index] for k in keys}
        yield from _beyond(
            bounded, measure.name, [step for step in steps.values() if step], measure.lower, measure.upper
        )
        mechanism = release.applied_to(index)
        assert mechanism is not None
        if isinstance(mechanism, NoisyMax):
            yield from _of_choice(mechanism, measure, list(steps.values()))
            continue
        sensitivity = mechanism.made_for
        if not (sensitivity.l0 >= bounded.groups and sensitivity.linf >= measure.bound):
            yield f"the noise of {measure.name} is made for {sensitivity}"
        moved = [step for step in steps.values() if step]
        if sum(map(abs, moved)) > sensitivity.l1 or sum(step**2 for step in moved) > sensitivity.l2**2 * (1 + 1e-9):
            yield f"{measure.name} moves by {sorted(moved)}, more than {sensitivity.l1} in L1 or {sensitivity.l2} in L2"
    if bounded.counts_units:
        yield from _of_units(release, one, other)


def _of_choice(choice: NoisyMax, measure: Measure, steps: Sequence[int]) -> Iterator[str]:
    if any(abs(step) > choice.made_for.linf for step in steps):
        yield f"{measure.name} moves by {steps}, the choice is made for {choice.made_for}"
    if choice.one_sided and any(step < 0 for step in steps) and any(step > 0 for step in steps):
        yield f"{measure.name} moves both ways, by {steps}, the choice is made for one"


def _beyond(bounded: Bounded, name: str, steps: Sequence[int], lower: int, upper: int) -> Iterator[str]:
    if len(steps) > bounded.groups:
        yield f"{name} moves in {len(steps)} keys, the claim is {bounded.groups}"
    outside = [step for step in steps if not lower <= step <= upper]
    if outside:
        yield f"{name} moves by {outside}, the claim is {lower} to {upper}"


def _of_units(release: Release, one: Shown, other: Shown) -> Iterator[str]:
    bounded, selection = release.bounded, selection_of(release)
    assert selection is not None
    parts: dict[Key, int] = {}
    steps = []
    for key in one.units.keys() | other.units.keys():
        step = one.units.get(key, 0) - other.units.get(key, 0)
        steps += [step] if step else []
        part = tuple(v for v, k in zip(key, bounded.keys, strict=True) if isinstance(k.domain, PrivateKeys))
        parts[part] = parts.get(part, 0) + step
    yield from _beyond(bounded, "n", steps, 0, 1)
    moved = [abs(step) for step in parts.values() if step]
    limits = selection.noise.sensitivity
    if len(moved) > limits.l0 or max(moved, default=0) > limits.linf or sum(moved) > selection.l1:
        yield f"scores move by {sorted(moved)}, more than {limits.linf} in {limits.l0} parts or {selection.l1} in sum"

"""What a plan claims of one unit, against what two neighbouring worlds show."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, combinations

from applied import selection_of

from dpproxy.canonical import canonical
from dpproxy.engines import EngineQuery
from dpproxy.mechanisms.joint_noise import JointNoise
from dpproxy.mechanisms.kinds import Quantiles
from dpproxy.mechanisms.mode_choice import ModeChoice
from dpproxy.mechanisms.noisy_max import NoisyMax
from dpproxy.mechanisms.norms import Norm, edge
from dpproxy.mechanisms.spread_selection import WHOLE
from dpproxy.plan.private_plan import Bounded, Measure, MeasureKind, PrivateKeys, Release
from dpproxy.rows import Rows, Value
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
    names = [f"k{i}" for i in range(width)] + list(bounded.before_measures) + ["b"] * bounded.is_histogram
    names += [f"m{i}" for i in range(len(bounded.measures))]
    found = place(EngineQuery(bounded.sql, inputs or {}))
    assert [column.name for column in found.columns] == names, "columns are keys, n, measures"
    if bounded.pair is not None:
        return _by_pair(bounded, found)
    if bounded.clip is not None:
        return _by_bucket(bounded, found)
    units: dict[Key, int] = {}
    totals: Totals = {}
    for row in found.rows:
        key = tuple(canonical(value, key.type) for value, key in zip(row, bounded.keys, strict=False))
        key += row[width : width + bounded.is_histogram]
        assert key not in totals, f"key {key} comes twice"
        assert all(type(value) is int for value in row[width:]), f"{row[width:]} are not all integers"
        totals[key] = row[width + bounded.counts_units + bounded.is_histogram :]
        units[key] = row[width] if bounded.counts_units else 1
    return Shown(units, totals)


def _by_bucket(bounded: Bounded, found: Rows) -> Shown:
    """The rows of a measure's bucket: their key has the measure and the bucket at its end, their totals are the units
    and the measure's."""
    width, count, of_units = len(bounded.keys), len(bounded.measures), bounded.counts_units
    units: dict[Key, int] = {}
    totals: Totals = {}
    for row in found.rows:
        key = tuple(canonical(value, key.type) for value, key in zip(row, bounded.keys, strict=False))
        buckets = row[width + of_units + 1 : width + of_units + 1 + count]
        ((measure, bucket),) = [(at, each) for at, each in enumerate(buckets) if each is not None] or [(0, 0)]
        place = (*key, measure, bucket)
        assert place not in totals, f"key {place} comes twice"
        total = row[width + of_units + 1 + count + measure] if count else 0
        totals[place] = (int(str(row[width + of_units])), int(str(total)))
        units[place] = int(str(row[width])) if of_units and measure == 0 else 0
    return Shown(units, totals)


def _by_pair(bounded: Bounded, found: Rows) -> Shown:
    """The rows of pairs: their key has the numbers of both units at its end."""
    width, first = len(bounded.keys), len(bounded.keys) + len(bounded.before_measures)
    totals: Totals = {}
    for row in found.rows:
        key = (
            *(canonical(value, key.type) for value, key in zip(row, bounded.keys, strict=False)),
            *row[width + 2 : first],
        )
        place = (*key, *row[width : width + 2])
        assert all(type(value) is int for value in row[width:]), f"{row[width:]} are not all integers"
        totals[place] = tuple(a + b for a, b in zip(totals.get(place, row[first:]), row[first:], strict=True))
    return Shown({}, totals)


def _broken_by_pair(bounded: Bounded, one: Shown, other: Shown) -> Iterator[str]:
    """The claim of pairs: what changes is all of one unit, and only less is there without it."""
    changed = {
        place for place in one.totals.keys() | other.totals.keys() if one.totals.get(place) != other.totals.get(place)
    }
    if not changed <= one.totals.keys() - other.totals.keys():
        yield f"pairs of others change: {changed & other.totals.keys()}"
    alike = bounded.pair is not None and bounded.pair[0] == bounded.pair[1]
    ends = [{place[-2] for place in changed}, {place[-1] for place in changed}]
    in_all = [number for number in ends[0] | ends[1] if all(number in place[-2:] for place in changed)]
    if changed and not (in_all if alike else min(map(len, ends)) == 1):
        yield f"what changes is of several units: {changed}"


def _broken_by_norm(release: Release, one: Shown, other: Shown) -> Iterator[str]:
    """The claims of what is scaled down: of each measure one unit is in one bucket, within its edge."""
    bounded = release.bounded
    if any(each.kind is MeasureKind.DISTINCT for each in bounded.measures):
        yield from _broken_by_number(bounded, one, other)
        return
    steps: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for place in one.totals.keys() | other.totals.keys():
        units, total = (
            a - b for a, b in zip(one.totals.get(place, (0, 0)), other.totals.get(place, (0, 0)), strict=True)
        )
        if units or total:
            steps.setdefault((int(str(place[-2])), int(str(place[-1]))), []).append((units, total))
    for index, measure in enumerate(bounded.measures):
        found = {bucket: moved for (at, bucket), moved in steps.items() if at == index}
        if len(found) > 1 or any(sum(units for units, _ in moved) != 1 for moved in found.values()):
            yield f"a unit is not in one bucket of {measure.name}: {found}"
        for bucket, moved in found.items():
            sizes = [abs(total) for _, total in moved]
            within = (
                sum(sizes) <= edge(bucket)
                if bounded.clip is Norm.L1
                else sum(x * x for x in sizes) <= edge(bucket) ** 2
            )
            if not within:
                yield f"{measure.name} moves by {sizes}, further than the edge of bucket {bucket}"
    if bounded.counts_units:
        yield from _broken_weights(bounded, one, other)


def _broken_by_number(bounded: Bounded, one: Shown, other: Shown) -> Iterator[str]:
    """The claims of distinct values: a unit is in one bucket, and of the values in buckets up to any, it takes away no
    more than its edge, in all keys together, and nothing comes of it; and what `broken_gains` says."""
    (measure,) = bounded.measures
    places = one.totals.keys() | other.totals.keys()
    steps = {
        place: tuple(a - b for a, b in zip(one.totals.get(place, (0, 0)), other.totals.get(place, (0, 0)), strict=True))
        for place in places
    }
    units = [each for each, _ in steps.values() if each]
    if units not in ([], [1]):
        yield f"a unit is not in one bucket of {measure.name}: {units}"
    for last in sorted({int(str(place[-1])) for place in places}):
        moved: dict[Key, int] = {}
        for place, (_, step) in steps.items():
            if int(str(place[-1])) <= last:
                moved[place[:-2]] = moved.get(place[:-2], 0) + step
        if any(step < 0 for step in moved.values()) or sum(moved.values()) > edge(last):
            yield f"{measure.name} up to bucket {last} moves by {sorted(moved.values())}"
    taken: Counter[int] = Counter()
    for place, (_, step) in steps.items():
        taken[int(str(place[-1]))] += step
    yield from broken_gains(measure.name, taken)


def broken_gains(name: str, taken: Mapping[int, int]) -> Iterator[str]:
    """The claim that a limit of distinct values is chosen by: what is counted in buckets beyond one, up to another,
    falls by no more than the numbers that a unit may have there, and rises by no more than those below. taken: from
    each bucket, in all keys together."""
    up_to = dict(zip(sorted(taken), accumulate(taken[bucket] for bucket in sorted(taken)), strict=True))
    for first, last in combinations(up_to, 2):
        beyond, fewest = up_to[last] - up_to[first], max(1, math.floor(edge(first) * (1 - Fraction(1, 2**28))))
        if not -math.floor(edge(first)) <= beyond <= math.floor(edge(last)) - fewest:
            yield f"{name} from bucket {first} to {last} moves by {beyond}"


def _broken_weights(bounded: Bounded, one: Shown, other: Shown) -> Iterator[str]:
    """What a unit adds to private keys, those of all public ones together: a whole one, or one in one key."""
    parts: dict[Key, int] = {}
    for place in one.units.keys() | other.units.keys():
        part = tuple(v for v, k in zip(place, bounded.keys, strict=False) if isinstance(k.domain, PrivateKeys))
        parts[part] = parts.get(part, 0) + one.units.get(place, 0) - other.units.get(place, 0)
    moved = [step for step in parts.values() if step]
    if bounded.spread is None and moved not in ([], [1]):
        yield f"n moves by {moved}, the claim is one"
    norm = sum(moved) if bounded.spread is Norm.L1 else math.sqrt(sum(step**2 for step in moved))
    if bounded.spread is not None and (norm > WHOLE or any(step < 0 for step in moved)):
        yield f"weights move by {moved}, the claim is a norm of {WHOLE}"


def broken(release: Release, one: Shown, other: Shown) -> Iterator[str]:
    """Every claim of the plan that the step between two neighbours breaks; `one` has the unit, `other` has not.

    Of all rows of the bounded SQL, those too whose key `release` would drop: the claim is the SQL's own.
    """
    bounded = release.bounded
    if bounded.is_histogram:
        yield from _of_histogram(release, one, other)
        return
    if bounded.pair is not None:
        yield from _broken_by_pair(bounded, one, other)
        return
    if bounded.clip is not None:
        yield from _broken_by_norm(release, one, other)
        return
    zeros = (0,) * len(bounded.measures)
    keys = one.totals.keys() | other.totals.keys()
    for index, measure in enumerate(bounded.measures):
        steps = {k: one.totals.get(k, zeros)[index] - other.totals.get(k, zeros)[index] for k in keys}
        yield from _beyond(
            bounded, measure.name, [step for step in steps.values() if step], measure.lower, measure.upper
        )
        chosen, mechanism = release.chosen_by, release.applied_to(index)
        assert mechanism is not None
        if chosen is not None and chosen.measure == index and isinstance(chosen.mechanism, NoisyMax):
            yield from _of_choice(chosen.mechanism, measure, list(steps.values()))
        if isinstance(mechanism, NoisyMax):
            continue
        groups = bounded.groups if release.places is None else min(bounded.groups, release.places)
        if isinstance(mechanism, JointNoise):
            if not mechanism.is_second:
                yield from _of_joint(release, index, mechanism, one, other)
            continue
        sensitivity = mechanism.made_for
        if not (sensitivity.l0 >= groups and sensitivity.linf >= measure.bound):
            yield f"the noise of {measure.name} is made for {sensitivity}"
        moved = sorted((step for step in steps.values() if step), key=abs)[-(release.places or len(steps)) :]
        if sum(map(abs, moved)) > sensitivity.l1 or sum(step**2 for step in moved) > sensitivity.l2**2 * (1 + 1e-9):
            yield f"{measure.name} moves by {sorted(moved)}, more than {sensitivity.l1} in L1 or {sensitivity.l2} in L2"
    if bounded.counts_units:
        yield from _of_units(release, one, other)


def _of_joint(release: Release, index: int, joint: JointNoise, one: Shown, other: Shown) -> Iterator[str]:
    """Of two totals sums and differences move, weighted, by what their noise is made for, in all keys together."""
    (beside,) = (each.beside for each in release.mechanisms if each.measure == index)
    assert beside is not None
    zeros = (0,) * len(release.bounded.measures)
    moved = []
    for key in one.totals.keys() | other.totals.keys():
        first, second = (one.totals.get(key, zeros)[at] - other.totals.get(key, zeros)[at] for at in (index, beside))
        sums, differences = joint.own * first + joint.other * second, joint.own * first - joint.other * second
        moved.append(abs(sums) + abs(differences))
    told = sorted(moved)[-(release.places or len(moved)) :] if moved else []
    if sum(told) > joint.made_for.l1 or max(told, default=0) > joint.made_for.linf:
        yield f"m{index} and m{beside} move by {told} together, more than {joint.made_for}"
    groups = release.bounded.groups if release.places is None else min(release.bounded.groups, release.places)
    if joint.made_for.l0 < groups:
        yield f"the noise of m{index} and m{beside} is made for {joint.made_for}"


def _of_histogram(release: Release, one: Shown, other: Shown) -> Iterator[str]:
    """Of each key the buckets together. Of blocks one answer changes: one bucket loses it, one gains it."""
    bounded, mechanism = release.bounded, release.applied_to(0)
    (measure,) = bounded.measures
    assert isinstance(mechanism, Quantiles | ModeChoice)
    moved: dict[Key, int] = {}
    for key in one.totals.keys() | other.totals.keys():
        step = one.totals.get(key, (0,))[0] - other.totals.get(key, (0,))[0]
        if step < 0 and bounded.blocks is None:
            yield f"{measure.name} falls by {step} in {key}"
        if abs(step) > 1 and bounded.blocks is not None:
            yield f"{measure.name} moves by {step} in {key}, the claim is one answer"
        if step:
            moved[key[:-1]] = moved.get(key[:-1], 0) + abs(step)
        if not 0 <= int(str(key[-1])) < mechanism.buckets:
            yield f"there is no bucket {key[-1]} among {mechanism.buckets}"
    yield from _beyond(bounded, measure.name, list(moved.values()), measure.lower, measure.upper)
    if bounded.blocks is not None and len(moved) > 1:
        yield f"answers of blocks of {len(moved)} keys"
    made_for = mechanism.made_for
    if made_for.l0 < bounded.groups or made_for.linf < measure.bound:
        yield f"the quantiles of {measure.name} are made for {made_for}"
    if isinstance(mechanism, ModeChoice) and mechanism.choice.made_for.linf < measure.bound:
        yield f"the mode of {measure.name} is made for {mechanism.choice.made_for}"


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

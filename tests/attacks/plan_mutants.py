"""Mutants of plans: what they claim and promise, made a little better than it is.

Those of `loosened` are wrong wherever they change anything; those of `claimed` may be true: the oracle decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any, assert_never

from applied import selection_of, with_selection

from dpproxy.accounting.loss import Loss
from dpproxy.catalog.types import BIGINT
from dpproxy.mechanisms.joint_noise import JointNoise
from dpproxy.mechanisms.kinds import Quantiles
from dpproxy.mechanisms.mode_choice import ModeChoice
from dpproxy.mechanisms.noise import Noise
from dpproxy.mechanisms.noisy_max import NoisyMax
from dpproxy.mechanisms.quantile_brackets import QuantileBrackets
from dpproxy.mechanisms.quantile_choice import QuantileChoice
from dpproxy.mechanisms.quantile_tree import QuantileTree
from dpproxy.mechanisms.ranks import Rank
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.plan.formulas import CountOf
from dpproxy.plan.private_plan import (
    Applied,
    FromPublic,
    FromRelease,
    Key,
    Limit,
    Literals,
    MeasureKind,
    Output,
    Plan,
    PrivateKeys,
    Release,
)
from dpproxy.plan.told_columns import ReleasedColumn

Mutants = Iterator[tuple[str, Plan]]
_LESS = Decimal("0.9")


def loosened(plan: Plan) -> Mutants:
    """Plans that must be refused, whatever the data."""
    # A measure that no unit moves loses nothing by any noise: its share is left for others.
    all_lost = all(each.bound for release in plan.releases for each in release.bounded.measures)
    if all_lost:
        yield "cost", replace(plan, cost=Loss(plan.cost.main * _LESS, plan.cost.delta))
    if plan.cost.delta:
        yield "delta", replace(plan, cost=Loss(plan.cost.main, Decimal(0)))
    yield "releases", replace(plan, releases=plan.releases * 9)  # twice is paid for where a measure loses nothing
    yield "post", replace(plan, post=replace(plan.post, sql="SELECT income FROM people"))
    for index, release in enumerate(plan.releases):
        for kind, changed in _of_release(release):
            if all_lost or kind != "scale":
                yield kind, with_release(plan, index, changed)


def with_release(plan: Plan, index: int, release: Release) -> Plan:
    """The plan with another release."""
    return replace(plan, releases=(*plan.releases[:index], release, *plan.releases[index + 1 :]))


def of_bounded(release: Release, **parts: Any) -> Release:
    """The release with other claims."""
    return replace(release, bounded=replace(release.bounded, **parts))


def _of_release(release: Release) -> Iterator[tuple[str, Release]]:
    bounded = release.bounded
    yield "groups", of_bounded(release, groups=bounded.groups - 1)
    yield "groups", of_bounded(release, groups=bounded.groups + 1)
    yield "unit", of_bounded(release, unit="nobody")
    yield "counts", of_bounded(release, counts_units=not bounded.counts_units)
    yield "inputs", of_bounded(release, inputs=(*bounded.inputs, ReleasedColumn(99, 0)))
    if bounded.inputs:
        yield "inputs", of_bounded(release, inputs=bounded.inputs[1:])
    yield "outputs", replace(release, outputs=(Output("o0", bounded_type(release), CountOf(99), "x"),))
    yield from _of_noise(release)
    yield from _of_choice(release)
    yield from _of_quantiles(release)
    yield from _of_modes(release)
    yield from _of_measures(release)
    yield from _of_selection(release)
    yield from _of_keys(release)


def bounded_type(release: Release) -> Any:
    """A type of an output."""
    return release.outputs[0].type if release.outputs else None


def _of_noise(release: Release) -> Iterator[tuple[str, Release]]:
    for at, applied in enumerate(release.mechanisms):
        others = (*release.mechanisms[:at], *release.mechanisms[at + 1 :])
        match applied.mechanism:
            case Noise() as noise:
                yield "noise missing", replace(release, mechanisms=others)
                most = release.bounded.measures[applied.measure or 0].bound
                changed = [
                    (kind, replace(applied, mechanism=each)) for kind, each in _other_noises(noise, most, release)
                ]
            case JointNoise() as joint:
                yield "noise missing", replace(release, mechanisms=others)
                most = 2 * joint.own * release.bounded.measures[applied.measure or 0].bound
                most = max(most, 2 * joint.other * release.bounded.measures[applied.beside or 0].bound)
                changed = list(_other_joints(applied, joint, most, release))
            case _:
                changed = []
        for kind, other in changed:
            yield kind, replace(release, mechanisms=(*release.mechanisms[:at], other, *release.mechanisms[at + 1 :]))


def _other_noises(noise: Noise, most: int, release: Release) -> Iterator[tuple[str, Noise]]:
    made_for = noise.sensitivity
    yield "scale", replace(noise, scale=noise.scale * 0.9)
    yield "scale", replace(noise, scale=noise.scale / 2)
    yield "sensitivity", replace(noise, sensitivity=replace(made_for, l0=release.bounded.groups - 1))
    yield "sensitivity", replace(noise, sensitivity=replace(made_for, linf=most - 1))


def _other_joints(applied: Applied, joint: JointNoise, most: int, release: Release) -> Iterator[tuple[str, Applied]]:
    for kind, noise in _other_noises(joint.noise, most, release):
        yield kind, replace(applied, mechanism=replace(joint, noise=noise))
    yield "sensitivity", replace(applied, mechanism=replace(joint, own=2 * joint.own, other=2 * joint.other))
    yield "noise missing", replace(applied, beside=None)
    yield "noise missing", replace(applied, beside=applied.measure)
    yield "noise missing", replace(applied, mechanism=joint.noise)


def _of_choice(release: Release) -> Iterator[tuple[str, Release]]:
    for at, applied in enumerate(release.mechanisms):
        choice = applied.mechanism
        if not isinstance(choice, NoisyMax):
            continue
        made_for = choice.sensitivity
        for kind, other in (
            ("scale", replace(choice, scale=choice.scale * 0.9)),
            ("sensitivity", replace(choice, sensitivity=replace(made_for, linf=made_for.linf - 1))),
            ("sides", replace(choice, one_sided=False)),
            ("told", replace(choice, places=choice.places + 1)),
        ):
            changed = (*release.mechanisms[:at], Applied(other, applied.measure), *release.mechanisms[at + 1 :])
            yield kind, replace(release, mechanisms=changed)
        if not any(each.measure == applied.measure for each in release.mechanisms[at + 1 :]):
            yield "told", replace(release, outputs=(Output("o0", BIGINT, CountOf(applied.measure or 0), "x"),))


def _of_quantiles(release: Release) -> Iterator[tuple[str, Release]]:
    for at, applied in enumerate(release.mechanisms):
        told = applied.mechanism
        if not isinstance(told, Quantiles):
            continue
        for kind, other in _other_quantiles(told):
            changed = (*release.mechanisms[:at], Applied(other, applied.measure), *release.mechanisms[at + 1 :])
            yield kind, replace(release, mechanisms=changed)
        yield "told", replace(release, outputs=(Output("o0", BIGINT, CountOf(applied.measure or 0), "x"),))


def _other_quantiles(told: Quantiles) -> Iterator[tuple[str, Quantiles]]:
    match told:
        case QuantileChoice():
            yield from ((kind, replace(told, sensitivity=other)) for kind, other in _made_for_less(told.sensitivity))
            yield "scale", replace(told, scale=told.scale * 0.9)
            yield "told", replace(told, ranks=(*told.ranks, Rank(1, 7)))
        case QuantileBrackets():
            for kind, choice in _other_quantiles(told.choice):
                assert isinstance(choice, QuantileChoice)
                yield kind, replace(told, choice=choice)
            for kind, other in _made_for_less(told.around.sensitivity):
                yield kind, replace(told, around=replace(told.around, sensitivity=other))
            yield "scale", replace(told, around=replace(told.around, scale=told.around.scale * 0.9))
        case QuantileTree():
            yield from ((kind, replace(told, sensitivity=other)) for kind, other in _made_for_less(told.sensitivity))
            yield "scale", replace(told, noise=replace(told.noise, scale=told.noise.scale * 0.9))
        case _:
            assert_never(told)


def _made_for_less(made_for: Sensitivity) -> Iterator[tuple[str, Sensitivity]]:
    yield "sensitivity", replace(made_for, linf=made_for.linf - 1)
    yield "sensitivity", replace(made_for, l0=made_for.l0 - 1)


def _of_modes(release: Release) -> Iterator[tuple[str, Release]]:
    for at, applied in enumerate(release.mechanisms):
        mode = applied.mechanism
        if not isinstance(mode, ModeChoice):
            continue
        for kind, other in (
            ("scale", replace(mode, choice=replace(mode.choice, scale=mode.choice.scale * 0.9))),
            ("told", replace(mode, choice=replace(mode.choice, places=2))),
            ("sensitivity", replace(mode, sensitivity=replace(mode.sensitivity, l0=mode.sensitivity.l0 - 1))),
        ):
            changed = (*release.mechanisms[:at], Applied(other, applied.measure), *release.mechanisms[at + 1 :])
            yield kind, replace(release, mechanisms=changed)
        yield "told", replace(release, outputs=(Output("o0", BIGINT, CountOf(applied.measure or 0), "x"),))


def _of_measures(release: Release) -> Iterator[tuple[str, Release]]:
    measures = release.bounded.measures
    for at, measure in enumerate(measures):
        for lower, upper in ((1, 0), (0, -1)):
            ends = measure.lower + lower, measure.upper + upper
            if ends[0] <= 0 <= ends[1]:
                other = replace(measure, lower=ends[0], upper=ends[1])
                yield "bounds", of_bounded(release, measures=(*measures[:at], other, *measures[at + 1 :]))
        yield "measures", of_bounded(release, measures=(*measures[:at], *measures[at + 1 :]))


def _of_selection(release: Release) -> Iterator[tuple[str, Release]]:
    selection = selection_of(release)
    if selection is None:
        return
    made_for = selection.noise.sensitivity
    yield "selection", with_selection(release, None)
    yield "threshold", with_selection(release, replace(selection, threshold=selection.threshold - 2))
    yield "selection", with_selection(release, replace(selection, l1=selection.l1 - 1))
    for noise in (
        replace(selection.noise, scale=selection.noise.scale * 0.9),
        replace(selection.noise, sensitivity=replace(made_for, l0=made_for.l0 - 1)),
        replace(selection.noise, sensitivity=replace(made_for, linf=made_for.linf - 1)),
    ):
        yield "selection", with_selection(release, replace(selection, noise=noise))


def _of_keys(release: Release) -> Iterator[tuple[str, Release]]:
    keys = release.bounded.keys
    for at, key in enumerate(keys):
        for domain in _domains(key):
            other = replace(key, domain=domain)
            yield "keys", of_bounded(release, keys=(*keys[:at], other, *keys[at + 1 :]))
        yield "keys", of_bounded(release, keys=(*keys[:at], *keys[at + 1 :]))


def _domains(key: Key) -> Iterator[Any]:
    domain = key.domain
    yield FromRelease(99, 0)
    yield FromPublic('SELECT DISTINCT s0."city" AS d0 FROM "people" AS s0')
    match domain:
        case PrivateKeys():
            yield Literals(("x", "y"))
        case Literals(values):
            yield Literals(values[1:])
        case FromPublic():
            yield replace(domain, column=domain.column + 9)
            yield replace(domain, sql=f"{domain.sql} UNION ALL {domain.sql}")
        case FromRelease():
            yield FromRelease(domain.release, domain.column + 9)


def claimed(plan: Plan) -> Mutants:
    """Plans whose claims are others, and may be true."""
    for index, release in enumerate(plan.releases):
        for limit in Limit:
            if limit is not release.bounded.limit:
                yield "limit", with_release(plan, index, of_bounded(release, limit=limit))
        for rows in (release.bounded.rows + 1, release.bounded.rows - 1):
            yield "rows", with_release(plan, index, of_bounded(release, rows=rows))
        measures = release.bounded.measures
        for at, measure in enumerate(measures):
            for kind in MeasureKind:
                if kind is not measure.kind:
                    other = (*measures[:at], replace(measure, kind=kind), *measures[at + 1 :])
                    yield "kind", with_release(plan, index, of_bounded(release, measures=other))

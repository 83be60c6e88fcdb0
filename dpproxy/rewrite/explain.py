"""A plan for a person: EXPLAIN's lines and its JSON. Depends on no data."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from textwrap import wrap

from dpproxy.mechanisms.model import Noise, Selection
from dpproxy.plan.model import Bounded, FromPublic, Key, Literals, Measure, Plan, PrivateKeys, Release

_SHOWN_VALUES = 8
_WIDTH = 110


def explain_text(plan: Plan, epsilon: Decimal, delta: Decimal) -> tuple[str, ...]:
    """The lines of EXPLAIN: cost, what remains (epsilon and delta), and each release with its bounded SQL."""
    return tuple(_lines(plan, epsilon, delta))


def explain_json(plan: Plan, epsilon: Decimal, delta: Decimal) -> str:
    """The same as one JSON document, an array of one object as Postgres gives."""
    cost = {"epsilon": float(plan.epsilon if plan.releases else 0), "delta": float(plan.cost.delta)}
    left = {"epsilon": float(epsilon), "delta": float(delta)}
    releases = [_release_json(release) for release in plan.releases]
    return json.dumps([{"Cost": cost, "Remaining": left, "Releases": releases}], indent=2)


def _lines(plan: Plan, epsilon: Decimal, delta: Decimal) -> Iterator[str]:
    yield f"Cost: epsilon {_number(plan.epsilon if plan.releases else 0)}, delta {_number(plan.cost.delta)}"
    yield f"Remaining: epsilon {_number(epsilon)}, delta {_number(delta)}"
    for index, release in enumerate(plan.releases):
        yield from _release_lines(index, release)


def _release_lines(index: int, release: Release) -> Iterator[str]:
    bounded = release.bounded
    yield f"Release {index + 1} of unit {bounded.unit}"
    for key in bounded.keys:
        yield f"  Key {key.label}: {_domain(key)}"
    if release.selection is not None:
        selection = release.selection
        yield (
            f"  Key selection: {selection.noise.distribution.value}, standard deviation "
            f"{_number(selection.noise.stddev)}, threshold {selection.threshold} {bounded.unit}s"
        )
    yield f"  Limits: {bounded.rows} rows per unit and key, {bounded.groups} keys per unit ({bounded.limit.value})"
    for measure, noise in zip(bounded.measures, release.noises, strict=True):
        yield f"  Measure {measure.label}: {_measure(bounded, measure, noise)}"
    for note in bounded.notes:
        yield f"  Note: {note}"
    yield "  Bounded SQL:"
    yield from wrap(bounded.sql, _WIDTH, initial_indent="    ", subsequent_indent="    ", break_long_words=False)


def _domain(key: Key) -> str:
    match key.domain:
        case Literals(values):
            shown = ", ".join("NULL" if v is None else str(v) for v in values[:_SHOWN_VALUES])
            return f"public, {len(values)} values ({shown}{', …' if len(values) > _SHOWN_VALUES else ''})"
        case FromPublic(sql):
            return f"public, from {sql}"
        case PrivateKeys():
            return "private, released above the threshold"


def _measure(bounded: Bounded, measure: Measure, noise: Noise) -> str:
    lower, upper = (_number(end * measure.step) for end in (measure.lower, measure.upper))
    sensitivity = bounded.sensitivity(measure)
    return (
        f"{measure.kind.value}, bounds [{lower}, {upper}]{_centre(measure)}, step {_number(measure.step)}, sensitivity "
        f"{_number(measure.bound * measure.step)} in {sensitivity.l0} keys, {noise.distribution.value}, "
        f"standard deviation {_number(noise.stddev * float(measure.step))}"
    )


def _centre(measure: Measure) -> str:
    return f" around {_number(measure.centre)}" if measure.centre else ""


def _release_json(release: Release) -> dict[str, object]:
    bounded = release.bounded
    return {
        "Unit": bounded.unit,
        "Keys": [{"Key": key.label, "Domain": _domain(key)} for key in bounded.keys],
        "Key Selection": None if release.selection is None else _selection_json(release.selection),
        "Rows per Unit": bounded.rows,
        "Keys per Unit": bounded.groups,
        "Limit": bounded.limit.value,
        "Measures": [_measure_json(bounded, m, n) for m, n in zip(bounded.measures, release.noises, strict=True)],
        "Bounded SQL": bounded.sql,
    }


def _selection_json(selection: Selection) -> dict[str, object]:
    return {
        "Mechanism": selection.noise.distribution.value,
        "Scale": selection.noise.scale,
        "Standard Deviation": selection.noise.stddev,
        "Threshold": selection.threshold,
    }


def _measure_json(bounded: Bounded, measure: Measure, noise: Noise) -> dict[str, object]:
    return {
        "Measure": measure.label,
        "Kind": measure.kind.value,
        "Bounds": [float(measure.lower * measure.step), float(measure.upper * measure.step)],
        "Centre": float(measure.centre),
        "Step": float(measure.step),
        "Sensitivity": float(measure.bound * measure.step),
        "Keys per Unit": bounded.groups,
        "Mechanism": noise.distribution.value,
        "Scale": noise.scale,
        "Standard Deviation": noise.stddev * float(measure.step),
    }


def _number(value: object) -> str:
    """A number for people: seven digits at most, no exponent for ordinary sizes."""
    return f"{float(str(value)):.7g}"

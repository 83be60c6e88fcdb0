"""A plan for a person: EXPLAIN's lines and its JSON. Depends on no data."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from textwrap import wrap
from typing import assert_never

from dpproxy.mechanisms.contract import Description
from dpproxy.mechanisms.shown import shown
from dpproxy.mechanisms.timing import TICKS
from dpproxy.plan.caps import Caps
from dpproxy.plan.error_bars import BarColumn, Replicates
from dpproxy.plan.hierarchies import Hierarchy
from dpproxy.plan.private_plan import (
    UNCAPPED,
    Bounded,
    FromPublic,
    FromRelease,
    Key,
    Literals,
    Measure,
    MeasureKind,
    Plan,
    PrivateKeys,
    Release,
)
from dpproxy.plan.samples import SampleLoss
from dpproxy.plan.told_columns import OwnColumn, PublicColumn, ReleasedColumn
from dpproxy.rewrite.explain_formats import document

_NONNEGATIVE = "counts, and sums of what is never below 0, are 0 at least"
_SHOWN_VALUES = 8
_WIDTH = 110
_PARAMETER = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(?P<name>[rt]\d+c\d+(k\d+v\d+)?)\b""")


@dataclass(frozen=True, slots=True)
class _Input:
    """A column that a release is told: `$r1` … of a release (its number), or `$t1` … of an own table (its name)."""

    shown: str
    source: int | str
    column: str


_Inputs = Mapping[str, _Input]


@dataclass(frozen=True, slots=True)
class Due:
    """What a statement would be charged now. stored: how many of its releases were paid for before, and are not."""

    epsilon: Decimal
    delta: Decimal
    stored: int


def due_in_full(plan: Plan) -> Due:
    """Where nothing of it was paid for before."""
    return Due(plan.epsilon if plan.releases else Decimal(0), plan.cost.delta, 0)


def explain_text(plan: Plan, epsilon: Decimal, delta: Decimal, due: Due | None = None) -> tuple[str, ...]:
    """The lines of EXPLAIN (VERBOSE): cost, what remains (epsilon and delta), and each release with its bounded SQL.

    due: None where nothing of it was paid for before.
    """
    return (*price_lines(plan, epsilon, delta, due or due_in_full(plan)), *_details(plan))


def explain_as(
    format_: str,
    plan: Plan,
    epsilon: Decimal,
    delta: Decimal,
    due: Due | None = None,
    columns: Sequence[Mapping[str, object]] = (),
) -> str:
    """The same as one document in json, xml or yaml, a list of one object as Postgres gives. columns: what is said of
    each number."""
    due = due or due_in_full(plan)
    cost = {"epsilon": float(due.epsilon), "delta": float(due.delta)}
    left = {"epsilon": float(epsilon), "delta": float(delta)}
    inputs = _inputs(plan)
    releases = [_release_json(release, inputs) for release in plan.releases]
    known = {"Stored": due.stored} if due.stored else {}
    again = {} if plan.again is None else {"Told Again From": plan.again}
    work = {
        "Rows per Unit": plan.work.rows,
        "Row Operations per Unit": plan.work.operations,
        "Public Rows per Row": plan.work.fanout,
    }
    part = {} if plan.time_part is None else {"Part of Price": float(plan.time_part)}
    time = {} if plan.time is None else {"Time": {**plan.time.described(1 / TICKS, "").facts, **part}}
    consistent = {"Consistent": list(map(_hierarchy, plan.hierarchies))} if plan.hierarchies else {}
    held = {"Nonnegative": _NONNEGATIVE} if plan.nonnegative and plan.releases else {}
    samples = {"Samples": list(map(_sample_json, plan.samples))} if plan.samples else {}
    sure = {"Error Bars": bars} if (bars := _error_bars(plan)) else {}
    aim, said = {"Target": plan.aim} if plan.aim else {}, {"Columns": list(columns)} if columns else {}
    before, after = {"Cost": cost, **known, **again}, {**time, **samples, **consistent, **held, **sure}
    before = {**said, **before, **aim}
    return document(format_, {**before, "Remaining": left, "Work": work, **after, "Releases": releases})


def price_lines(plan: Plan, epsilon: Decimal, delta: Decimal, due: Due) -> Iterator[str]:
    """What it costs now, and what remains."""
    yield f"Cost: epsilon {shown(due.epsilon)}, delta {shown(due.delta)}"
    if due.stored:
        said = "were paid for before and cost nothing; SET dp.fresh = on to pay for new noise"
        yield f"Stored: {due.stored} of {len(plan.releases)} releases {said}"
    if plan.again is not None:
        yield f"Told again: from the groups of statement {plan.again}, filtered"
    if plan.aim:
        yield f"Target: {plan.aim}"
    yield f"Remaining: epsilon {shown(epsilon)}, delta {shown(delta)}"


def _details(plan: Plan) -> Iterator[str]:
    """How it is done."""
    if plan.releases:
        yield f"Work: {_work(plan)}"
    if plan.time is not None:
        more = "" if plan.time_part is None else f"; {plan.time_part} of the price is for that, since it could be long"
        yield f"Time: {plan.time.described(1 / TICKS, '').text}{more}"
    yield from (f"Sample: {_sample(each, plan)}" for each in plan.samples)
    yield from (f"Consistent: {_hierarchy(each)}" for each in plan.hierarchies)
    if plan.nonnegative and plan.releases:
        yield f"Nonnegative: {_NONNEGATIVE}"
    if bars := _error_bars(plan):
        yield f"Error bars: {bars}"
    inputs = _inputs(plan)
    for index, release in enumerate(plan.releases):
        yield from _release_lines(index, release, inputs)


def _error_bars(plan: Plan) -> str:
    """What is told beside numbers, and how it is found; empty where nothing is."""
    columns = [each for each in plan.post.inputs if isinstance(each, BarColumn)]
    sizes = {each.size for each in plan.post.inputs if isinstance(each, Replicates)}
    found = [f"of columns, at {float(confidence):.3g}" for confidence in {each.confidence for each in columns}]
    found += [f"of expressions, by {size:,} replicates of the noise around what is released" for size in sizes]
    return f"free, {'; '.join(found)}" if found else ""


def _sample(lost: SampleLoss, plan: Plan) -> str:
    """Who is in a sample, and what is made of its secrecy."""
    unit = plan.releases[lost.releases[0]].bounded.unit
    read = ", ".join(str(index + 1) for index in lost.releases)
    who = f"each {unit} is in it with a probability of {lost.sample.shown}, with all rows or none (release {read})"
    if lost.within is None:
        return f"{who}; not amplified, as its mechanisms have no epsilon that would be less"
    inside = f"epsilon {shown(lost.within.main)}, delta {shown(lost.within.delta)}"
    return f"{who}; within it {inside} is lost, amplified to {shown(lost.price.main)}, {shown(lost.price.delta)}"


def _sample_json(lost: SampleLoss) -> dict[str, object]:
    within = None if lost.within is None else {"epsilon": float(lost.within.main), "delta": float(lost.within.delta)}
    return {
        "Probability": float(lost.sample.rate),
        "Releases": [index + 1 for index in lost.releases],
        "Within": within,
        "Price": float(lost.price.main),
    }


def _hierarchy(hierarchy: Hierarchy) -> str:
    """Which releases were made consistent."""
    totals = ", ".join(str(each.release + 1) for each in hierarchy.totals)
    several = "s" if len(hierarchy.totals) > 1 else ""
    return f"{hierarchy.label} of release {hierarchy.parts.release + 1} adds up to release{several} {totals}"


def _work(plan: Plan) -> str:
    """What one unit can change in the work of the engine."""
    units = {release.bounded.unit for release in plan.releases}
    unit = units.pop() if len(units) == 1 else "unit"
    met = f"a row meets at most {plan.work.fanout:,} public rows" if plan.work.fanout > 1 else "no row is multiplied"
    return f"one {unit} is at most {plan.work.operations:,} row operations; {met}"


def _inputs(plan: Plan) -> _Inputs:
    """By the name of their parameter, each kind numbered as they are first read."""
    read = dict.fromkeys(each for release in plan.releases for each in _reads(release.bounded))
    kinds = ([each for each in read if isinstance(each, kind)] for kind in (ReleasedColumn, OwnColumn))
    return {each.name: _input(number, each, plan) for kind in kinds for number, each in enumerate(kind, 1)}


def _reads(bounded: Bounded) -> tuple[PublicColumn, ...]:
    public = (each for key in bounded.keys if isinstance(key.domain, FromPublic) for each in key.domain.inputs)
    return tuple(dict.fromkeys((*public, *bounded.inputs)))


def _before(bounded: Bounded) -> frozenset[int]:
    """The releases that must be there first, numbered from 1."""
    keys = (key.domain.release for key in bounded.keys if isinstance(key.domain, FromRelease))
    read = (each.release for each in _reads(bounded) if isinstance(each, ReleasedColumn))
    return frozenset(1 + release for release in (*keys, *read))


def _input(number: int, read: PublicColumn, plan: Plan) -> _Input:
    match read:
        case ReleasedColumn(index, column, _):
            release = plan.releases[index]
            labels = [*(key.label for key in release.bounded.keys), *(output.label for output in release.outputs)]
            return _Input(f"$r{number}", index + 1, labels[column])
        case OwnColumn(index, column):
            table = plan.tables[index]
            return _Input(f"$t{number}", str(table), table.columns[column].name)
        case _:
            assert_never(read)


def _text(sql: str, inputs: _Inputs) -> str:
    """With parameters as they are shown; what only looks like one, inside of quotes, stays."""
    return _PARAMETER.sub(lambda found: inputs[found["name"]].shown if found["name"] in inputs else found[0], sql)


def _release_lines(index: int, release: Release, inputs: _Inputs) -> Iterator[str]:
    bounded = release.bounded
    yield f"Release {index + 1} of unit {bounded.unit}{_after(sorted(_before(bounded)))}"
    for read in (inputs[each.name] for each in _reads(bounded)):
        source = f"release {read.source}" if isinstance(read.source, int) else read.source
        yield f"  Reads {read.shown}: column {read.column} of {source}"
    for key in bounded.keys:
        yield f"  Key {key.label}: {_domain(key, bounded.keys, inputs)}"
    yield from (f"  {told.role}: {told.text}" for measure, _, told in _described(release) if measure is None)
    if bounded.blocks is not None:
        yield f"  Sample and aggregate: {bounded.blocks:,} blocks of units, median of their answers"
    yield f"  Limits: {_limits(bounded)}"
    for measure, moved, told in _described(release):
        if measure is not None:
            yield f"  {told.role} {measure.label}: {_measure(bounded, measure, moved)}, {told.text}"
    for note in bounded.notes:
        yield f"  Note: {note}"
    yield "  Bounded SQL:"
    sql = _text(bounded.question, inputs)
    yield from wrap(sql, _WIDTH, initial_indent="    ", subsequent_indent="    ", break_long_words=False)


def _after(releases: Sequence[int]) -> str:
    return f", after release{'s'[: len(releases) - 1]} {', '.join(map(str, releases))}" if releases else ""


def _limits(bounded: Bounded) -> str:
    if bounded.blocks is not None:
        return "all rows of a unit in one block"
    counted = f"{_within_a_key(bounded)} per unit and key, {_keys(bounded)} per unit ({bounded.limit.value})"
    return counted if bounded.caps is None else f"{counted}; a clip is looked for up to {_caps(bounded.caps)}"


def _caps(caps: Caps) -> str:
    rows, keys = f"{caps.rows} row{'s'[: caps.rows - 1]}", f"{caps.groups} key{'s'[: caps.groups - 1]}"
    return f"the caps, {rows} in {keys}"


def _within_a_key(bounded: Bounded) -> str:
    if bounded.is_histogram:
        return "all rows together as one"
    distinct = [measure.upper for measure in bounded.measures if measure.kind is MeasureKind.DISTINCT]
    if distinct:
        return f"{'any number of' if bounded.clip else distinct[0]} distinct values"
    return "any number of rows" if bounded.rows == UNCAPPED else f"{bounded.rows} rows"


def _keys(bounded: Bounded) -> str:
    return "any number of keys" if bounded.groups == UNCAPPED else f"{bounded.groups} keys"


def _domain(key: Key, keys: Sequence[Key], inputs: _Inputs) -> str:
    """Where the key's values come from. Of joint keys the first shows the text that all come from."""
    match key.domain:
        case Literals(values):
            first_ones = ", ".join("NULL" if v is None else str(v) for v in values[:_SHOWN_VALUES])
            return f"public, {len(values)} values ({first_ones}{', …' if len(values) > _SHOWN_VALUES else ''})"
        case FromPublic(sql):
            first = next(each for each in keys if isinstance(each.domain, FromPublic) and each.domain.sql == sql)
            return f"public, from {_text(sql, inputs)}" if first is key else f"public, joint with {first.label}"
        case FromRelease(release):
            return f"those of release {release + 1}"
        case PrivateKeys():
            return "private, released above the threshold"
        case _:
            assert_never(key.domain)


def _described(release: Release) -> Iterator[tuple[Measure | None, int, Description]]:
    """The mechanisms in order, each with the measure that it reads, None: the number of units; and in how many keys a
    unit moves that."""
    bounded = release.bounded
    for each, at in ((applied, at) for applied in release.mechanisms for at in applied.measures):
        measure = None if at is None else bounded.measures[at]
        step = 1.0 if measure is None else float(measure.step)
        told = bounded.groups if each is release.chosen_by or release.places is None else release.places
        dealt = bounded.unit if bounded.blocks is None else "block"
        yield measure, min(bounded.groups, told), each.seen_by(at).described(step, dealt)


def _measure(bounded: Bounded, measure: Measure, moved: int) -> str:
    if bounded.clip is not None:
        return f"{measure.kind.value}{_centre(measure)}, step {shown(measure.step)}"
    if bounded.blocks is not None:
        return "answers of blocks, of which one unit changes one"
    lower, upper = (shown(end * measure.step) for end in (measure.lower, measure.upper))
    return (
        f"{measure.kind.value}, bounds [{lower}, {upper}]{_centre(measure)}, step {shown(measure.step)}, sensitivity "
        f"{shown(measure.bound * measure.step)} in {moved} keys"
    )


def _centre(measure: Measure) -> str:
    if measure.moved is not None:
        return f" around what release {measure.moved.release + 1} told"
    return f" around {shown(measure.centre)}" if measure.centre else ""


def _centre_json(measure: Measure) -> dict[str, object]:
    """Where values were centred before anything ran, and which release told how far from there."""
    moved = {} if measure.moved is None else {"Centre Moved by Release": measure.moved.release + 1}
    return {"Centre": float(measure.centre), **moved}


def _release_json(release: Release, inputs: _Inputs) -> dict[str, object]:
    bounded = release.bounded
    return {
        "Unit": bounded.unit,
        "After": sorted(_before(bounded)),
        "Reads": [_input_json(inputs[each.name]) for each in _reads(bounded)],
        "Keys": [{"Key": key.label, "Domain": _domain(key, bounded.keys, inputs)} for key in bounded.keys],
        "Key Selection": next((dict(told.facts) for measure, _, told in _described(release) if measure is None), None),
        "Rows per Unit": None if bounded.rows == UNCAPPED else bounded.rows,
        "Keys per Unit": None if bounded.groups == UNCAPPED else bounded.groups,
        "Limit": bounded.limit.value,
        **({} if bounded.caps is None else {"Caps": {"Rows": bounded.caps.rows, "Keys": bounded.caps.groups}}),
        **({} if bounded.blocks is None else {"Blocks": bounded.blocks}),
        "Measures": [_measure_json(bounded, m, moved, told) for m, moved, told in _described(release) if m],
        "Notes": list(bounded.notes),
        "Bounded SQL": _text(bounded.question, inputs),
    }


def _input_json(read: _Input) -> dict[str, object]:
    kind = "Release" if isinstance(read.source, int) else "Table"
    return {"Input": read.shown, kind: read.source, "Column": read.column}


def _measure_json(bounded: Bounded, measure: Measure, moved: int, told: Description) -> dict[str, object]:
    if bounded.clip is not None:
        known = {"Measure": measure.label, "Kind": measure.kind.value, **_centre_json(measure)}
        return {**known, "Step": float(measure.step), **told.facts}
    return {
        "Measure": measure.label,
        "Kind": measure.kind.value,
        "Bounds": [float(measure.lower * measure.step), float(measure.upper * measure.step)],
        **_centre_json(measure),
        "Step": float(measure.step),
        "Sensitivity": float(measure.bound * measure.step),
        "Keys per Unit": moved,
        **told.facts,
    }

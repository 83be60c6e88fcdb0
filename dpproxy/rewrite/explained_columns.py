"""EXPLAIN for people: what each number of the answer will be like, its keys, and what more such statements cost.

Checked by: tests/test_explained_columns.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, assert_never

from dpproxy.error_bars.foreseen import Foreseen
from dpproxy.error_bars.words import short
from dpproxy.estimates import decision_threshold
from dpproxy.mechanisms.joint_noise import JointNoise
from dpproxy.mechanisms.noise import Noise
from dpproxy.mechanisms.paired_noise import PairedNoise
from dpproxy.plan.caps import Caps
from dpproxy.plan.formulas import (
    CentreOf,
    CountOf,
    CovarianceOf,
    DecisionOf,
    DispersionOf,
    FitOf,
    LineOf,
    MeanOf,
    ModeOf,
    QuantileOf,
    SelectedCount,
    SumOf,
    numerators,
)
from dpproxy.plan.private_plan import (
    UNCAPPED,
    FromPublic,
    FromRelease,
    Key,
    Literals,
    MeasureKind,
    Plan,
    PrivateKeys,
    Release,
)

_HEAD: Final = ("number", "expected (95 %)", "clip")
_LATER: Final = "told with the answer: dp.half_width(…)"
_OF_PAIRS = "told with the answer, but for how much lies beyond the clip: dp.low(…)"
_VALUES: Final = 4
_ADDED: Final = (MeasureKind.SUM, MeasureKind.CENTRED)
MORE: Final = "Details: EXPLAIN (VERBOSE) has the releases, their noise, and the SQL that would run"


def column_lines(plan: Plan, columns: Sequence[Foreseen]) -> tuple[str, ...]:
    """A table with a line for each number, and a line for each key."""
    rows = [_HEAD, *(_row(plan.releases[each.release], each) for each in columns)]
    wide = [max(len(row[place]) for row in rows) for place in range(len(_HEAD))]
    lines = [" | ".join(cell.ljust(width) for cell, width in zip(row, wide, strict=True)).rstrip() for row in rows]
    keys = dict.fromkeys(line for release in plan.releases for line in map(_key, release.bounded.keys) if line)
    return (*lines[: len(rows) if columns else 0], *keys)


def columns_json(plan: Plan, columns: Sequence[Foreseen]) -> list[dict[str, object]]:
    """The same for EXPLAIN's documents."""
    return [
        {
            "Number": each.output.label,
            "Expected Half-Width": each.half_width,
            "Known Size": each.size,
            "Clip": _clip(plan.releases[each.release], each),
        }
        for each in columns
    ]


def _row(release: Release, column: Foreseen) -> tuple[str, str, str]:
    return column.output.label, _expected(release, column), _clip(release, column)


def _expected(release: Release, column: Foreseen) -> str:
    if column.half_width is not None:
        return f"±{short(column.half_width)}{_relative(column.half_width, column.size)}"
    if release.bounded.pair is not None:
        return _OF_PAIRS
    match column.output.formula:
        case QuantileOf(index) | ModeOf(index):
            return _of_choice(release, column, index)
        case DecisionOf(found=index):
            return _of_decision(release, index)
        case CountOf() | SelectedCount() | SumOf() | MeanOf() | CentreOf():
            return _LATER
        case DispersionOf() | CovarianceOf() | LineOf() | FitOf():  # of several totals, as means are
            return _LATER
        case _:
            assert_never(column.output.formula)


def _relative(half_width: float, size: float | None) -> str:
    return "" if not size else f", {100 * half_width / size:.2g} % of about {short(size)}"


def _of_choice(release: Release, column: Foreseen, measure: int) -> str:
    """In words: a quantile is off in rank, a mode in how often it is there."""
    mechanism = release.applied_to(measure)
    if mechanism is None or mechanism.error is None:
        return _LATER
    far = short(mechanism.error.half_width * float(release.bounded.measures[measure].step))
    who = release.bounded.unit if release.bounded.blocks is None else "block"
    if isinstance(column.output.formula, ModeOf):
        return f"no rarer than the most frequent by more than {far}, each {who} as one"
    told = "" if release.bounded.blocks is not None else "; told with the answer: dp.low(…)"
    return f"off in rank by {far} at most, each {who} as one{told}"


def _of_decision(release: Release, measure: int) -> str:
    mechanism = release.applied_to(measure)
    if not isinstance(mechanism, Noise | JointNoise):
        return "a finding by noise alone in 1 of 40 cases at most"
    twice = short(2.0 * decision_threshold(mechanism.total_noise))
    return f"a finding by noise alone in 1 of 40 cases at most; one of {twice} missed as seldom"


def _clip(release: Release, column: Foreseen) -> str:
    """What of a unit counts."""
    bounded = release.bounded
    if bounded.blocks is not None:
        return f"median of {bounded.blocks:,} blocks"
    if bounded.is_histogram:
        return f"each {bounded.unit} weighs as one"
    if bounded.pair is not None:
        held = f"each {' and each '.join(bounded.units)} held to a clip that is chosen privately"
        return f"{held}; of fewer than about {_few(release)} of a kind in a key most may be cut off"
    if bounded.clip is not None and any(each.kind is MeasureKind.DISTINCT for each in bounded.measures):
        return f"each {bounded.unit} counted with as many of its values as are chosen privately"
    if bounded.clip is not None:
        chosen = f"each {bounded.unit} scaled down to a clip that is chosen privately"
        return chosen if bounded.caps is None else f"{chosen}, at most {_caps(bounded.caps)}"
    rows = f"{bounded.rows:,} row{'s'[: bounded.rows - 1]} of each {bounded.unit}"
    rows = f"any number of rows of each {bounded.unit}" if bounded.rows == UNCAPPED else rows
    return ", ".join([rows, *dict.fromkeys(_values(release, numerators(column.output.formula)))])


def _caps(caps: Caps) -> str:
    return f"{caps.rows:,} row{'s'[: caps.rows - 1]} in {caps.groups:,} key{'s'[: caps.groups - 1]}"


def _few(release: Release) -> int:
    """Units of pairs of which a clip may cut off most."""
    return max(each.mechanism.few for each in release.mechanisms if isinstance(each.mechanism, PairedNoise))


def _values(release: Release, measures: Sequence[int]) -> Iterator[str]:
    """Between which values a row counts as it is."""
    rows = release.bounded.rows
    for of in (release.bounded.measures[each] for each in measures):
        if of.kind in _ADDED and rows != UNCAPPED:
            low, high = (float(of.centre + end * of.step / rows) for end in (of.lower, of.upper))
            yield f"values from {low:,.6g} to {high:,.6g}"


def _key(key: Key) -> str:
    """In words; those of other releases have been said."""
    match key.domain:
        case Literals(values):
            shown = ", ".join("NULL" if each is None else str(each) for each in values[:_VALUES])
            more = f" … {len(values)} in all" if len(values) > _VALUES else ""
            return f"Key {key.label}: {shown}{more}; each is in every answer"
        case FromPublic():
            return f"Key {key.label}: values of a public table; each is in every answer"
        case FromRelease():
            return ""
        case PrivateKeys():
            return f"Key {key.label}: values of the data; rare ones are left out"
        case _:
            assert_never(key.domain)


def statements_words(statements: int) -> str:
    """How many more such statements fit."""
    return f"Left: {statements:,} such statement{'s' if statements != 1 else ''}"

"""What is told beside the rows of a release: in columns at the end, which no statement reads.

The clips that were chosen, and the totals that statistics of several are made of, so that it can be said how sure those
are. So they are stored with a release, and told again with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction

from dpproxy.mechanisms.contract import Error
from dpproxy.mechanisms.kinds import AtAClip
from dpproxy.plan.formulas import divisor, is_statistic, numerators, uses_selected_count
from dpproxy.plan.private_plan import Release
from dpproxy.rows import Rows

_SELECTED = "total of n"


def clips_of(plan_release: Release, released: Rows) -> dict[int, Decimal]:
    """The clips that were chosen, in steps, by measure; none where no key was told."""
    clips = [each.measure for each in plan_release.mechanisms if isinstance(each.mechanism, AtAClip)]
    if not released.rows or not clips:
        return {}
    values = released.rows[0][-len(clips) :]
    return {
        measure: clip
        for measure, clip in zip(clips, values, strict=True)
        if isinstance(clip, Decimal) and measure is not None
    }


def error_of(plan_release: Release, measure: int | None, clips: Mapping[int, Decimal]) -> Error | None:
    """How far what was told of a measure is off by its noise, in steps: at the clip that was chosen for it, where one
    was. None where it is not known."""
    mechanism = plan_release.applied_to(measure)
    if not isinstance(mechanism, AtAClip):
        return None if mechanism is None else mechanism.error
    clip = None if measure is None else clips.get(measure)
    return None if clip is None else mechanism.error_at(Fraction(clip))


def clip_value(clip: Fraction) -> Decimal:
    """In steps, for people."""
    return Decimal(clip.numerator) / Decimal(clip.denominator)


def kept_totals(plan_release: Release) -> tuple[int | None, ...]:
    """The measures whose noisy totals are kept, in order; None, the last: the number of units that chose a key."""
    formulas = [each.formula for each in plan_release.outputs if is_statistic(each.formula)]
    measures = {each for formula in formulas for each in (*numerators(formula), divisor(formula)) if each is not None}
    selected = any(map(uses_selected_count, formulas))
    return (*sorted(measures), *((None,) if selected else ()))


def total_name(measure: int | None) -> str:
    """The column of a kept total."""
    return _SELECTED if measure is None else f"total of m{measure}"


def totals_of(plan_release: Release, released: Rows) -> Mapping[int | None, tuple[Decimal, ...]]:
    """The noisy totals that were kept, in steps or in parts of the clip, for each row; none of older releases."""
    return dict(_totals(plan_release, released))


def _totals(plan_release: Release, released: Rows) -> Iterator[tuple[int | None, tuple[Decimal, ...]]]:
    names = [each.name for each in released.columns]
    for measure in kept_totals(plan_release):
        if total_name(measure) in names:
            values = released.column(names.index(total_name(measure)))
            yield measure, tuple(each for each in values if isinstance(each, Decimal))

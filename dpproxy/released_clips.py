"""The clips that were chosen, beside the rows that they are of: in columns at the end, which no statement reads.

So they are stored with a release, and told again with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction

from dpproxy.mechanisms.clipped_noise import ClippedNoise
from dpproxy.mechanisms.contract import Error
from dpproxy.plan.private_plan import Release
from dpproxy.rows import Rows


def clips_of(plan_release: Release, released: Rows) -> dict[int, Decimal]:
    """The clips that were chosen, in steps, by measure; none where no key was told."""
    clips = [each.measure for each in plan_release.mechanisms if isinstance(each.mechanism, ClippedNoise)]
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
    if not isinstance(mechanism, ClippedNoise):
        return None if mechanism is None else mechanism.error
    clip = None if measure is None else clips.get(measure)
    return None if clip is None else mechanism.error_at(Fraction(clip))


def clip_value(clip: Fraction) -> Decimal:
    """In steps, for people."""
    return Decimal(clip.numerator) / Decimal(clip.denominator)

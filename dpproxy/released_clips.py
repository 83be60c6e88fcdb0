"""The clips that were chosen, beside the rows that they are of: in columns at the end, which no statement reads.

So they are stored with a release, and told again with it.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from dpproxy.mechanisms.clipped_noise import ClippedNoise
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


def clip_value(clip: Fraction) -> Decimal:
    """In steps, for people."""
    return Decimal(clip.numerator) / Decimal(clip.denominator)

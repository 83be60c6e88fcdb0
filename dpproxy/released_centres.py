"""The centres that values had, where an earlier release told how far they are moved.

Checked by: tests/test_centres.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dpproxy.plan.private_plan import Measure
from dpproxy.rows import Rows


def centred(measures: Sequence[Measure], earlier: Sequence[Rows]) -> tuple[Measure, ...]:
    """The measures with the centres that their values had. earlier: the rows of the plan's releases before."""
    return tuple(_centred(each, earlier) for each in measures)


def _centred(measure: Measure, earlier: Sequence[Rows]) -> Measure:
    if measure.moved is None:
        return measure
    (away,) = earlier[measure.moved.release].column(measure.moved.column)
    return replace(measure, centre=measure.centre + (away if isinstance(away, int) else 0) * measure.step)

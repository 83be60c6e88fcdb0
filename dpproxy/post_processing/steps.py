"""The steps in their order: totals and their parts made consistent, and what cannot be negative held at 0."""

from __future__ import annotations

from collections.abc import Sequence

from dpproxy.error_bars import ToldRows
from dpproxy.plan.private_plan import Plan
from dpproxy.post_processing.accuracy import narrowed
from dpproxy.post_processing.consistency import consistent
from dpproxy.post_processing.nonnegativity import nonnegative, nonnegative_columns
from dpproxy.rows import Rows


def post_processed(plan: Plan, released: Sequence[Rows]) -> tuple[Rows, ...]:
    """The rows of all releases as the post statement reads them."""
    rows = list(released)
    for each in plan.hierarchies:
        held = plan.nonnegative and each.parts.column in nonnegative_columns(plan.releases[each.parts.release])
        rows = consistent(each, plan.releases, rows, held)
    if plan.nonnegative:
        rows = [nonnegative(release, each) for release, each in zip(plan.releases, rows, strict=True)]
    return tuple(rows)


def told_of(plan: Plan, released: Sequence[Rows]) -> ToldRows:
    """All that is known of the answer: rows of all releases of a plan, as they are told and as they were released."""
    held = dict(enumerate(map(nonnegative_columns, plan.releases))) if plan.nonnegative else {}
    return ToldRows(plan.releases, released, post_processed(plan, released) if released else (), narrowed(plan), held)

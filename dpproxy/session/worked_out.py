"""What is made of an answer before the front has it: consistent totals, arrays, error bars; and how long that takes.

Checked by: tests/clients/test_error_bars_over_wire.py, tests/test_aims.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from dpproxy.error_bars import ToldRows, TypicalColumn, typical_columns
from dpproxy.plan.error_bars import BarColumn, Replicates
from dpproxy.plan.formulas import is_statistic
from dpproxy.plan.private_plan import Plan, Release
from dpproxy.post_arrays import Array, arrays
from dpproxy.post_processing import told_of
from dpproxy.rows import Rows

_MANY_ROWS: Final = 40


@dataclass(frozen=True, slots=True)
class WorkedOut:
    """The answer as all that is known of it, its numbers in short, and the arrays of the post statement."""

    told: ToldRows
    columns: tuple[TypicalColumn, ...]
    arrays: tuple[Array, ...]


def worked_out(plan: Plan, released: Sequence[Rows], seen: Mapping[str, Rows]) -> WorkedOut:
    """All of it. seen: rows of the proxy's own tables, by name."""
    told = told_of(plan, released)
    return WorkedOut(told, typical_columns(told), arrays(plan.post, told, seen))


def takes_long(plan: Plan, released: Sequence[Rows]) -> bool:
    """Whether it is more than a few milliseconds' work: replicates of many rows, or totals and parts of many."""
    simulates = any(isinstance(each, BarColumn | Replicates) for each in plan.post.inputs) or any(
        map(_is_simulated, plan.releases)
    )
    return (simulates or bool(plan.hierarchies)) and sum(len(each.rows) for each in released) > _MANY_ROWS


def _is_simulated(release: Release) -> bool:
    return release.bounded.clip is not None or any(is_statistic(each.formula) for each in release.outputs)

"""Which keys there are: a release that is asked for its keys alone, of which the front makes lists, or looks one up.

Private keys are those that the choice of keys let through. A public one is there whether anybody has it or not: then
the release counts units, and a key is listed where that count is above 0 with its interval.

Checked by: tests/test_fixtures.py, tests/test_lists.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.types import BIGINT
from dpproxy.plan.formulas import CountOf
from dpproxy.plan.private_plan import Output
from dpproxy.rewrite.calculus.relations import Joined
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.releases.bound import bound, has_no_cap
from dpproxy.rewrite.releases.draft import ReleaseDraft
from dpproxy.rewrite.releases.keys import Keyed
from dpproxy.rewrite.releases.measured import MeasurePool
from dpproxy.rewrite.releases.release_point import all_private
from dpproxy.rewrite.releases.released_rows import released_column
from dpproxy.rewrite.releases.uncapped_rows import loosened_for_units
from dpproxy.rewrite.releases.weights import numbers_of


def key_set(
    keyed: Sequence[Keyed], rows: Joined, label: str, weight: Fraction, context: PlanningContext
) -> ReleaseDraft:
    """The release of the keys that there are, values of `label`: their choice, where all are private; else how many
    units have each combination, a unit counting once. Without keys it is how many units there are."""
    rows = loosened_for_units(rows, keyed, context)
    rowset = rows.rowset
    pool = MeasurePool(rowset.unit or "", rowset.rows, rows_are_selected=False, scaled=has_no_cap(rowset, keyed))
    outputs: tuple[Output, ...] = ()
    note = f"values of {label}: those that were chosen; what few {rowset.unit}s have is left out"
    if not all_private(keyed):
        units = f"{rowset.unit}s with {f'a value of {label}' if keyed else 'a row'}"
        counted = pool.all_rows() if rowset.rows == 1 else pool.units_where((), units)
        outputs = (pool.output(BIGINT, CountOf(counted), f"{units}, there where surely above 0"),)
        of = f"values of {label}: those" if keyed else "rows: there are some,"
        note = f"{of} {'whose' if keyed else 'if their'} noisy count is above 0 with its interval"
    bounded = bound(rows, keyed, pool.found, context)
    wanted = tuple(replace(each, weight=weight) for each in numbers_of(bounded, outputs, {}))
    return ReleaseDraft(replace(bounded, notes=(*bounded.notes, note)), outputs, wanted)


def surely_there(alias: str, draft: ReleaseDraft) -> list[exp.Expr]:
    """What holds of its released rows, read as `alias`, whose key is there."""
    return [is_surely_there(released_column(alias, output.name)) for output in draft.outputs]


def is_surely_there(count: exp.Expr) -> exp.Expr:
    """Whether a count of units is above 0 with its interval."""
    return exp.GT(this=exp.Anonymous(this="dp.low", expressions=[count.copy()]), expression=exp.Literal.number(0))

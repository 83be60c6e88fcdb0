"""Counts by one key more that are read side by side (`rewrite.releases.pivots`): a group that is there in one of them
is in all."""

from __future__ import annotations

from collections.abc import Iterator

from dpproxy.plan.error_bars import BarColumn, Replicates
from dpproxy.plan.private_plan import Literals, Plan
from dpproxy.plan.told_columns import Part, ReleasedColumn
from dpproxy.rows import Rows, Value


def parts_of(plan: Plan, release: int) -> set[Part]:
    """The parts of a release that are read, by the post statement or by other releases."""
    read = [*plan.post.inputs, *(each for it in plan.releases for each in it.bounded.inputs)]
    found = [each for each in read if isinstance(each, ReleasedColumn | BarColumn | Replicates)]
    return {each.part for each in found if each.release == release and each.part is not None}


def in_all_parts(plan: Plan, release: int, exact: Rows) -> Rows:
    """The exact rows of a release, each with all numbers in the place of the key by which it is read."""
    keys = {part.key for part in parts_of(plan, release)}
    if not keys:
        return exact
    (place,) = keys
    domain = plan.releases[release].bounded.keys[place].domain
    assert isinstance(domain, Literals), "its numbers are known"
    alone = len(plan.releases[release].bounded.keys) == 1
    rows = exact.rows or ((None,) * len(exact.columns),) * alone
    return Rows(exact.columns, tuple(_numbered(rows, place, domain.values)))


def _numbered(
    rows: tuple[tuple[Value, ...], ...], place: int, numbers: tuple[Value, ...]
) -> Iterator[tuple[Value, ...]]:
    for row in rows:
        for number in numbers:
            yield (*row[:place], number, *row[place + 1 :])

"""Plans that differ in a value alone: what was planned for two values holds for those between them.

Bare values (`bare_values`) are taken out of a question; what is left is its *shape*. Two plans of a shape whose texts
are the same but for these values, put in where they stand, give a `PlanShape`; it is filled with values of the same
class that lie between the two.

Claim: `filled` returns what `plan_statement` would return.
Because: a plan is a function of the question. Of a bare value it sees the text; the class (its type, its sign, how it
is ordered beside the statement's other values), by which casts are chosen and nodes weighed; and where it lies in the
range of its column. That range, narrowed by the comparison, is read by no other expression, since the column is named
in none; or by the comparison with its other end alone. Of two ends not both are left out, so that whether a value lies
between them hangs on their order. What is decided of the comparison alone (whether the policy lets rows meet it)
changes at most once along the value for an inequality. For an equality it is so between two changes, outside of which
the plan has a note, and plans with such notes have no shape; where the policy lists a column's values, an equality with
it, or a comparison with both ends, is filled in no plan. So between two values with the same decision there is none
with another, and any number that is worked out of the value and is no copy of it shows as a difference of the two texts
that is not theirs.
Nothing of the guarantee leans on it: `filled` counts the work anew, and the checker reads the filled texts as any
others (`session.made_plans`).
Checked by: tests/test_plans_alike.py.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from dpproxy.catalog.policy import Catalog
from dpproxy.plan.notes import Beside
from dpproxy.plan.private_plan import Plan, Release
from dpproxy.rewrite.bare_values import BareValues, is_at_most
from dpproxy.rewrite.work import unit_work

_DIGITS: Final = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]+)")
Text = tuple[str | int, ...]
"""A text cut where values stand: a number is the place of one."""


@dataclass(frozen=True, slots=True)
class PlanShape:
    """A plan, the texts of its releases cut where the values stand, and the values between which it holds.

    texts: of each release `sql` and `plain`; that is empty where there is none.
    """

    plan: Plan
    texts: tuple[tuple[Text, Text], ...]
    least: tuple[int | str, ...]
    most: tuple[int | str, ...]

    def holds(self, values: BareValues) -> bool:
        """Whether all are between those that were planned."""
        ends = zip(self.least, values.values, self.most, strict=True)
        return all(is_at_most(least, each) and is_at_most(each, most) for least, each, most in ends)


def shape_of(one: tuple[BareValues, Plan], other: tuple[BareValues, Plan]) -> PlanShape | None:
    """What two plans of a shape have in common; None where they differ in more than their values."""
    (first, plan), (second, beside) = one, other
    if first.kind != second.kind or any(map(_is_noted, plan.releases)) or len(plan.releases) != len(beside.releases):
        return None
    texts = []
    for ours, theirs in zip(plan.releases, beside.releases, strict=True):
        cut = _cut(ours.bounded.sql, theirs.bounded.sql, first.written, second.written)
        plain = _cut(ours.bounded.plain or "", theirs.bounded.plain or "", first.written, second.written)
        if cut is None or plain is None:
            return None
        texts.append((cut, plain))
    made = PlanShape(plan, tuple(texts), first.values, first.values)
    return widened(made, second, beside) if _put_in(made, first) == plan else None


def widened(shape: PlanShape, values: BareValues, plan: Plan) -> PlanShape | None:
    """The shape, which holds for these values, too; None where their plan is another."""
    if _put_in(shape, values) != plan:
        return None
    least = tuple(each if is_at_most(each, new) else new for each, new in zip(shape.least, values.values, strict=True))
    most = tuple(new if is_at_most(each, new) else each for each, new in zip(shape.most, values.values, strict=True))
    return replace(shape, least=least, most=most)


def filled(shape: PlanShape, values: BareValues, catalog: Catalog, dialect: str) -> Plan | None:
    """The plan for these values, between which the shape holds; None where an engine would work otherwise on it, or a
    value could be none of those that the policy lists."""
    listed = (each for table in catalog.tables.values() for each in table.columns if each.values is not None)
    if any(each.name.lower() in values.pinned for each in listed):
        return None
    made = _put_in(shape, values)
    counted = unit_work(made.releases, made.tables, catalog.in_zone(values.shape.zone), dialect)
    return made if counted == made.work else None


def _put_in(shape: PlanShape, values: BareValues) -> Plan:
    written = values.written
    releases = []
    for release, (sql, plain) in zip(shape.plan.releases, shape.texts, strict=True):
        bounded = replace(release.bounded, sql=_joined(sql, written), plain=_joined(plain, written) or None)
        releases.append(replace(release, bounded=bounded))
    return replace(shape.plan, releases=tuple(releases))


def _joined(text: Text, written: Sequence[str]) -> str:
    return "".join([written[each] if isinstance(each, int) else each for each in text])


def _cut(one: str, other: str, first: Sequence[str], second: Sequence[str]) -> Text | None:
    """The first text, cut at what differs in the other; None where that is not one value each time."""
    ours, theirs = _DIGITS.split(one), _DIGITS.split(other)
    if len(ours) != len(theirs):
        return None
    found: list[str | int] = []
    for mine, others in zip(ours, theirs, strict=True):
        places = [at for at, pair in enumerate(zip(first, second, strict=True)) if pair == (mine, others)]
        if mine == others:
            found.append(mine)
        elif len(places) == 1:
            found.append(places[0])
        else:
            return None
    return tuple(found)


def _is_noted(release: Release) -> bool:
    """Whether something was decided of a condition by the policy, which is told."""
    return any(isinstance(note, Beside) for note in release.bounded.notes)

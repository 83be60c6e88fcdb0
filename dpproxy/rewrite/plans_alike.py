"""Plans that differ in values alone: what was planned for two values holds for those between them.

Bare values (`bare_values`) are taken out of a question; what is left is its *shape*. Two plans of a shape whose texts
are the same but for these values, put in where they stand, give a `PlanShape`; it is filled with values of the same
class that lie between the two, and with any text of the class.

Claim: `filled` returns what `plan_statement` would return.
Because: a plan is a function of the question. Of a bare value it sees the text; the class (its type, its sign, its
places, how it is ordered beside the statement's other values), by which casts are chosen and nodes weighed; and where
it lies in the range of what it is compared with. That range, narrowed by the comparison, is read by no other
expression, since its columns are read in none, wherever the comparison stands; or by the comparison with its other end
alone. Of two ends not both are left out, so that whether a value lies between them hangs on their order. Where the
statement makes the column, its rows may be bounded by the value: it is then the only one, and bounds follow it one way.
What is decided of the comparison alone (whether the policy lets rows meet it) changes at most once along the value for
an inequality. For an equality it is so between two changes: such a value lies within the column's bounds, or the column
has none; for both ends plans have a note outside of them, and plans with such notes have no shape. Where the policy
lists a column's values, an equality with a number or a day, or a comparison with both ends, is filled in no plan, and
an equality with a text is where that is listed: listed texts are alike. Other texts are compared for equality alone,
with columns of texts, and matched with patterns of the same wildcards. So between two values with the same decision
there is none with another, and any number that is worked out of the value and is no copy of it shows as a difference of
the two texts that is not theirs. A value that differs has a copy, so that nothing was folded away with it.
What the front's statement compares with aggregates, or has behind LIMIT, narrows nothing: it stands in no text of a
release, and its class is that of others.
Nothing of the guarantee leans on it: `filled` counts the work anew where that reads constants (`work.reads_constants`),
and the checker reads the filled texts as any others (`session.made_plans`).
Checked by: tests/test_plans_alike.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from dpproxy.catalog.policy import Catalog, TableColumn
from dpproxy.catalog.types import Family
from dpproxy.plan.notes import Unmet
from dpproxy.plan.private_plan import Plan, Release
from dpproxy.rewrite.bare_values import BarePlace, BareValues, bare_values
from dpproxy.rewrite.expressions.facts.fact import exact
from dpproxy.rewrite.plan_texts import texts_of_post, texts_of_releases, with_texts
from dpproxy.rewrite.question import Question
from dpproxy.rewrite.value_classes import ClassedValue, is_at_most
from dpproxy.rewrite.work import reads_constants, unit_work

_TOKENS: Final = re.compile(r"('(?:[^']|'')*'|[0-9]+\.[0-9]+|[0-9]+)")
Text = tuple[str | tuple[int, int], ...]
"""A text cut where values stand: two numbers are the place of one, and its form there."""


@dataclass(frozen=True, slots=True)
class PlanShape:
    """A plan, its texts cut where the values stand, and the values between which it holds."""

    plan: Plan
    releases: tuple[Text, ...]
    post: tuple[Text, ...]
    least: tuple[ClassedValue, ...]
    most: tuple[ClassedValue, ...]

    def holds(self, values: BareValues) -> bool:
        """Whether all are between those that were planned."""
        ends = zip(self.least, values.values, self.most, strict=True)
        return all(_is_between(least, each, most) for least, each, most in ends)


def shape_of(one: tuple[BareValues, Plan], other: tuple[BareValues, Plan]) -> PlanShape | None:
    """What two plans of a shape have in common; None where they differ in more than their values."""
    (first, plan), (second, beside) = one, other
    if first.kind != second.kind or any(map(_is_noted, plan.releases)):
        return None
    pairs = list(zip(first.values, second.values, strict=True))
    releases = _all_cut(texts_of_releases(plan), texts_of_releases(beside), pairs)
    post = _all_cut(texts_of_post(plan), texts_of_post(beside), pairs)
    if releases is None or post is None:
        return None
    held, told = _places_in(releases), _places_in(post)
    for at, ((ours, theirs), place) in enumerate(zip(pairs, first.places, strict=True)):
        if ours != theirs and (at in held if place.is_told else at not in held | told):
            return None
    made = PlanShape(plan, releases, post, first.values, first.values)
    return widened(made, second, beside) if _put_in(made, first) == plan else None


def widened(shape: PlanShape, values: BareValues, plan: Plan) -> PlanShape | None:
    """The shape, which holds for these values, too; None where their plan is another."""
    if _put_in(shape, values) != plan:
        return None
    placed = _places_in(shape.releases) | _places_in(shape.post)
    ends = list(zip(shape.least, values.values, shape.most, values.places, strict=True))
    if any(least != each and at not in placed and not p.is_told for at, (least, each, _, p) in enumerate(ends)):
        return None
    least = tuple(least if is_at_most(least, each) else each for least, each, _, _ in ends)
    most = tuple(each if is_at_most(most, each) else most for _, each, most, _ in ends)
    return replace(shape, least=least, most=most)


def filled(shape: PlanShape, values: BareValues, catalog: Catalog, dialect: str) -> Plan | None:
    """The plan for these values, between which the shape holds; None where an engine would work otherwise on it."""
    made = _put_in(shape, values)
    if not reads_constants(made.releases):
        return made
    counted = unit_work(made.releases, made.tables, catalog.in_zone(values.shape.zone), dialect)
    return made if counted == made.work else None


def known_values(question: Question, catalog: Catalog) -> BareValues | None:
    """The bare values of a question; None where it has none, or where the policy says of a pinned one, or of a text,
    what it may not say of others of its class."""
    values = bare_values(question)
    if values is None:
        return None
    named = {place.column for place in values.places}
    columns = [each for table in catalog.tables.values() for each in table.columns if each.name.lower() in named]
    pairs = zip(values.values, values.places, strict=True)
    return values if all(place.is_told or _fits(value, place, columns) for value, place in pairs) else None


def _fits(value: ClassedValue, place: BarePlace, columns: Sequence[TableColumn]) -> bool:
    ours = [each for each in columns if each.name.lower() == place.column]
    if value.is_text:
        return bool(ours) and not place.is_made and all(_has_text(each, str(value.at)) for each in ours)
    if not place.pinned:
        return True
    return not any(each.values is not None or (place.one_of and _is_outside(value, each)) for each in ours)


def _has_text(column: TableColumn, text: str) -> bool:
    return column.type.family is Family.TEXT and (column.values is None or text in column.values)


def _is_outside(value: ClassedValue, column: TableColumn) -> bool:
    if column.bounds is None:
        return False
    if isinstance(value.at, str):
        return not str(column.bounds[0]) <= value.at <= str(column.bounds[1])
    number, (lower, upper) = exact(value.at), map(exact, column.bounds)
    return number is None or lower is None or upper is None or not lower <= number <= upper


def _is_between(least: ClassedValue, value: ClassedValue, most: ClassedValue) -> bool:
    """Of a text any other is as good, if it was ever another."""
    if value.is_text:
        return least != most or value == least
    return is_at_most(least, value) and is_at_most(value, most)


def _put_in(shape: PlanShape, values: BareValues) -> Plan:
    return with_texts(shape.plan, _joined(shape.releases, values), _joined(shape.post, values))


def _joined(texts: Sequence[Text], values: BareValues) -> Iterator[str]:
    forms = [each.forms for each in values.values]
    return ("".join([each if isinstance(each, str) else forms[each[0]][each[1]] for each in text]) for text in texts)


def _all_cut(
    ours: Sequence[str], theirs: Sequence[str], pairs: Sequence[tuple[ClassedValue, ClassedValue]]
) -> tuple[Text, ...] | None:
    if len(ours) != len(theirs):
        return None
    forms: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for at, (one, other) in enumerate(pairs):
        for form, written in enumerate(zip(one.forms, other.forms, strict=True)):
            forms.setdefault(written, []).append((at, form))
    cut = [_cut(mine, others, forms) for mine, others in zip(ours, theirs, strict=True)]
    return None if None in cut else tuple(each for each in cut if each is not None)


def _cut(one: str, other: str, forms: dict[tuple[str, str], list[tuple[int, int]]]) -> Text | None:
    """The first text, cut at what differs in the other; None where that is not one value each time."""
    if one == other:
        return (one,)
    ours, theirs = _TOKENS.split(one), _TOKENS.split(other)
    if len(ours) != len(theirs):
        return None
    found: list[str | tuple[int, int]] = []
    for mine, others in zip(ours, theirs, strict=True):
        if mine == others:
            found.append(mine)
            continue
        places = forms.get((mine, others), [])
        if len({at for at, _ in places}) != 1:
            return None
        found.append(places[0])
    return tuple(found)


def _places_in(texts: Sequence[Text]) -> set[int]:
    return {each[0] for text in texts for each in text if isinstance(each, tuple)}


def _is_noted(release: Release) -> bool:
    """Whether something was decided of a condition by the policy, which is told."""
    return any(isinstance(note, Unmet) for note in release.bounded.notes)

"""GROUPING SETS, ROLLUP and CUBE: which released numbers are parts of which totals, by the text and the policy.

Checked by: tests/test_fixtures.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from sqlglot import exp

from dpproxy.plan.formulas import (
    CentreOf,
    CountOf,
    CovarianceOf,
    DecisionOf,
    DispersionOf,
    FitOf,
    LineOf,
    MeanOf,
    SelectedCount,
    SumOf,
)
from dpproxy.plan.hierarchies import Hierarchy, Level
from dpproxy.plan.private_plan import Domain, FromPublic, FromRelease, Literals, Measure, MeasureKind, PrivateKeys
from dpproxy.rewrite.releases.draft import ReleaseDraft
from dpproxy.rewrite.shown import shown

_ADDED_UP = (MeasureKind.ROWS, MeasureKind.VALUES, MeasureKind.SUM)


@dataclass(frozen=True, slots=True)
class GroupingSet:
    """One set: its keys as written, its release, and the names of the columns that aggregates are there."""

    keys: tuple[exp.Expr, ...]
    release: int
    columns: Mapping[exp.Expr, str]


def hierarchies(
    sets: Sequence[GroupingSet], found: Sequence[exp.Expr], drafts: Sequence[ReleaseDraft]
) -> list[Hierarchy]:
    """For each aggregate that adds up, its levels.

    A set is a total of the largest set that has all its keys and, besides, public ones alone: of private ones some
    parts may not be told. Each is a total once, and what is one is no part.
    """
    made: list[Hierarchy] = []
    taken: set[int] = set()
    ordered = sorted({each.release: each for each in sets}.values(), key=lambda each: -len(each.keys))
    for finest in ordered:
        if finest.release in taken:
            continue
        coarser = [each for each in ordered if each.release not in taken and _is_total(each, finest, drafts)]
        of_each = [_hierarchy(node, finest, coarser, drafts) for node in found if _adds_up(node)]
        new = [each for each in dict.fromkeys(of_each) if each is not None]
        taken |= {level.release for each in new for level in each.levels}
        made += new
    return made


def apart(found: Iterable[Hierarchy]) -> tuple[Hierarchy, ...]:
    """Without those that share a number with one before them: no number is adjusted twice."""
    kept: list[Hierarchy] = []
    used: set[tuple[int, int]] = set()
    for each in dict.fromkeys(found):
        numbers = {(level.release, level.column) for level in each.levels}
        if not numbers & used:
            kept.append(each)
            used |= numbers
    return tuple(kept)


def _is_total(one: GroupingSet, finest: GroupingSet, drafts: Sequence[ReleaseDraft]) -> bool:
    if len(one.keys) >= len(finest.keys) or not all(key in finest.keys for key in one.keys):
        return False
    domains = zip(finest.keys, drafts[finest.release].bounded.keys, strict=True)
    return all(_all_told(key.domain) for written, key in domains if written not in one.keys)


def _all_told(domain: Domain) -> bool:
    """Whether each of the key's values is in the answer."""
    match domain:
        case Literals() | FromPublic():
            return True
        case PrivateKeys() | FromRelease():
            return False


def _adds_up(node: exp.Expr) -> bool:
    inner = node.this if isinstance(node, exp.Filter) else node
    return isinstance(inner, exp.Count | exp.Sum) and not isinstance(inner.this, exp.Distinct)


def _hierarchy(
    node: exp.Expr, finest: GroupingSet, coarser: Iterable[GroupingSet], drafts: Sequence[ReleaseDraft]
) -> Hierarchy | None:
    """None where the aggregate is not a number of its own in the finest set and in one total at least."""
    step = _step(node, finest, drafts)
    if step is None:
        return None
    totals = tuple(_level(node, each, finest, drafts) for each in coarser if _step(node, each, drafts) == step)
    return Hierarchy(shown(node), _level(node, finest, finest, drafts), totals) if totals else None


def _level(node: exp.Expr, at: GroupingSet, finest: GroupingSet, drafts: Sequence[ReleaseDraft]) -> Level:
    names = [output.name for output in drafts[at.release].outputs]
    keys = tuple(at.keys.index(key) if key in at.keys else None for key in finest.keys)
    return Level(at.release, len(at.keys) + names.index(at.columns[node]), keys)


def _step(node: exp.Expr, at: GroupingSet, drafts: Sequence[ReleaseDraft]) -> Decimal | None:
    """The grid of a number that is told as it was added up; None for any other."""
    draft = drafts[at.release]
    for output in draft.outputs:
        if output.name == at.columns.get(node):
            match output.formula:
                case SelectedCount():
                    return Decimal(1)
                case CountOf(index) | SumOf(index):
                    return next(_steps(draft.bounded.measures[index]), None)
                case MeanOf() | CentreOf() | DispersionOf() | CovarianceOf() | LineOf() | FitOf() | DecisionOf():
                    return None
    return None


def _steps(measure: Measure) -> Iterator[Decimal]:
    if measure.kind in _ADDED_UP and not measure.centre:
        yield measure.step

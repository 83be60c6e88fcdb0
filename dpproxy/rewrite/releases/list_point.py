"""Lists of the values that there are: STRING_AGG(DISTINCT x, ', ') … GROUP BY k is a release whose keys are k and x,
and the list is made of its keys, in the statement for the front.

    asked    SELECT k, count(*), string_agg(DISTINCT x, ', ') FROM t GROUP BY k
    read     SELECT m.k0, m.o0, l.v0 FROM (released by k) AS m
             LEFT JOIN (SELECT k0, string_agg(DISTINCT k1, ', ') AS v0 FROM (released by k, x) GROUP BY k0) AS l
             ON m.k0 = l.k0

Where k or x is public, each combination of both is there, whether anybody has it or not: then the release counts units,
and a value is listed where that count is above 0 with its interval. MIN(x), SUM(DISTINCT x) and their like are made in
the same way; one value that nobody has would make them another number, so for them all counts of a group must be told
from 0 at once (`told_values`). A MODE() of values that are not known beforehand stands beside others as lists do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from sqlglot import exp

from dpproxy.rewrite.calculus.aggregates_of import above, read_from, substitute
from dpproxy.rewrite.calculus.relations import Joined
from dpproxy.rewrite.calculus.restricted import restricted
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.releases.draft import ReleaseDraft, added
from dpproxy.rewrite.releases.grouping import Keys, grouping_sets, is_grouping
from dpproxy.rewrite.releases.key_sets import key_set
from dpproxy.rewrite.releases.keys import keys
from dpproxy.rewrite.releases.lists import (
    Values,
    asks_values,
    is_json,
    is_list,
    is_of_values,
    refuse_more,
    values_of,
    without_filter,
)
from dpproxy.rewrite.releases.mode_point import mode_of_groups, refuse_bars, unknown_modes
from dpproxy.rewrite.releases.modes import is_mode, known_mode
from dpproxy.rewrite.releases.release_point import add_up, grouped_release, once_per_unit, refuse_rest
from dpproxy.rewrite.releases.released_rows import Replaced, named, released_alias, released_column, released_rows
from dpproxy.rewrite.releases.sets_together import RowsOfSet, key_types, together
from dpproxy.rewrite.releases.told_values import ToldValues, test_of
from dpproxy.rewrite.releases.weights import asked_of
from dpproxy.rewrite.shown import shown

_ONE_DECIDES: Final = "where one value decides, those whose counts differ from 0 with all of the group's together"


@dataclass(frozen=True, slots=True)
class _RowPerGroup:
    """A row for each group: what stands in FROM, the group's keys, and what is known there of the statement's
    expressions."""

    source: exp.Expr
    keys: tuple[exp.Expr, ...]
    replaced: Replaced


def asks_lists(select: exp.Select, joined: Joined, context: PlanningContext) -> bool:
    """Whether some aggregate of a SELECT has a release of its own, whose keys are values."""
    return asks_values(select, joined, context) or bool(unknown_modes(select, joined, context))


def list_point(select: exp.Select, joined: Joined, context: PlanningContext, drafts: list[ReleaseDraft]) -> None:
    """Add the releases that `select`, which asks for aggregates of values, needs to `drafts`, and change it to read
    them.

    Claim: nothing of `select` that reads a private column is left in it.
    Because: as for `release_point`; the lists are of released keys, and what else is read in them is looked at, too.
    Checked by: tests/test_fixtures.py, tests/test_lists.py.
    Raises NotPrivate and FeatureNotSupported as `values_of` and `keys` do.
    """
    refuse_bars(select)
    sets = grouping_sets(select)
    asked = asked_of(select, context.settings)
    if sets is None:
        (part,) = _parts([_written(select)], asked, joined, context, drafts)
        source, joins, replaced = part.source, part.joins, part.replaced
    else:
        alias = f"{released_alias(len(drafts))}_sets"
        parts = _parts(sets, asked, joined, context, drafts)
        source, replaced = together(parts, list(asked), key_types(sets, joined, context), alias)
        joins = ()
    substitute(select, replaced)
    read_from(select, source)
    select.set("joins", list(joins))
    refuse_rest([*above(select), select.args.get("where")], joined)


def looked_up_point(
    select: exp.Select, joined: Joined, context: PlanningContext, drafts: list[ReleaseDraft]
) -> tuple[str, frozenset[str], frozenset[str]]:
    """As `list_point`, of one relation: its alias, its columns k0, k1, … being the keys in the order of GROUP BY; which
    of its columns are counts, and which are lists as JSON."""
    asked = asked_of(select, context.settings)
    alias = f"{released_alias(len(drafts))}_looked_up"
    written = _written(select)
    parts = _parts([written], asked, joined, context, drafts)
    source, replaced = together(parts, list(asked), key_types([written], joined, context), alias)
    substitute(select, replaced)
    read_from(select, source)
    refuse_rest([*above(select), select.args.get("where")], joined)
    calls = {node: node.this if isinstance(node, exp.Filter) else node for node in asked}
    counts = frozenset(replaced[node].name for node, call in calls.items() if isinstance(call, exp.Count))
    return alias, counts, frozenset(replaced[node].name for node in asked if is_json(node))


def _written(select: exp.Select) -> Keys:
    group = select.args.get("group")
    return tuple(dict.fromkeys(group.expressions)) if group else ()


def _parts(
    sets: Sequence[Keys],
    asked: Mapping[exp.Expr, Fraction],
    joined: Joined,
    context: PlanningContext,
    drafts: list[ReleaseDraft],
) -> list[RowsOfSet]:
    """What is released for each list of keys: the numbers beside the lists, a release point of their own, and those."""
    by_values: dict[Values, dict[exp.Expr, Fraction]] = {}
    of_values = [node for node in asked if is_of_values(node, joined, context)]
    modes = {node: asked[node] for node in asked if is_mode(node) and known_mode(node, joined, context) is None}
    for node in of_values:
        by_values.setdefault(values_of(node, joined, context), {})[node] = asked[node]
    apart = {*of_values, *modes}
    others = {node: weight for node, weight in asked.items() if node not in apart and not is_grouping(node)}
    numbers = [grouped_release(each, others, joined, context, drafts) for each in sets] if others else []
    if len(numbers) > 1:
        add_up(sets, list(others), numbers, drafts)
    return [
        _rows(written, by_values, modes, numbers[place : place + 1], joined, context, drafts)
        for place, written in enumerate(sets)
    ]


def _rows(
    written: Keys,
    by_values: Mapping[Values, Mapping[exp.Expr, Fraction]],
    modes: Mapping[exp.Expr, Fraction],
    numbers: Sequence[tuple[int, Replaced]],
    joined: Joined,
    context: PlanningContext,
    drafts: list[ReleaseDraft],
) -> RowsOfSet:
    """A row for each group of these keys, where those of one kind stand beside those of another."""
    main = [
        _RowPerGroup(released_rows(index), tuple(replaced[each] for each in written), replaced)
        for index, replaced in numbers
    ]
    lists = [_lists(written, values, nodes, joined, context, drafts) for values, nodes in by_values.items()]
    lists += [_mode(written, node, weight, joined, context, drafts) for node, weight in modes.items()]
    nullable = [context.total(each, joined.scope).fact.nullable for each in written]
    base, *rest = [*main, *lists] if main or len(lists) == 1 or not written else [_groups(written, lists), *lists]
    known = {node: column for each in reversed([base, *rest]) for node, column in each.replaced.items()}
    return RowsOfSet(written, base.source, [_beside(base, each, nullable) for each in rest], known)


def _lists(
    written: Sequence[exp.Expr],
    values: Values,
    asked: Mapping[exp.Expr, Fraction],
    joined: Joined,
    context: PlanningContext,
    drafts: list[ReleaseDraft],
) -> _RowPerGroup:
    """The aggregates of the same values."""
    rows = restricted(joined, values.conditions, context)
    keyed = keys(list(dict.fromkeys([*written, values.value])), rows, context)
    label = ", ".join(map(shown, asked))
    once = once_per_unit([each.written for each in keyed], rows)
    draft = key_set(keyed, once, label, max(asked.values()), context)
    if draft.outputs and not all(map(is_list, asked)):
        draft = replace(draft, bounded=replace(draft.bounded, notes=(*draft.bounded.notes, _ONE_DECIDES)))
    index = added(drafts, draft)
    asked_for = frozenset(map(test_of, asked)) if draft.outputs else frozenset()
    told = ToldValues(index, [each.key for each in keyed], len(written), asked_for, context.settings.confidence)
    columns = {each.written: told.column(each.key.name) for each in keyed}
    value = next(each.key for each in keyed if each.written == values.value)
    names = {node: f"v{place}" for place, node in enumerate(asked)}
    items = [named(_listed(node, columns, told.there(node, value), joined), name) for node, name in names.items()]
    groups = [columns[each] for each in written]
    made = exp.Select(expressions=[*_as_keys(groups), *items], from_=exp.From(this=told.source))
    if groups:
        made.set("group", exp.Group(expressions=[each.copy() for each in groups]))
    outer = f"{released_alias(index)}_lists"
    replaced: Replaced = {node.copy(): released_column(outer, name) for node, name in names.items()}
    return _grouped(made, outer, written, replaced)


def _mode(
    written: Sequence[exp.Expr],
    node: exp.Expr,
    weight: Fraction,
    joined: Joined,
    context: PlanningContext,
    drafts: list[ReleaseDraft],
) -> _RowPerGroup:
    """The mode of values that are not known beforehand."""
    source, groups, replaced = mode_of_groups(written, node, weight, joined, context, drafts)
    return _RowPerGroup(source, groups, replaced | {k.copy(): c for k, c in zip(written, groups, strict=True)})


def _listed(node: exp.Expr, columns: Replaced, there: Sequence[exp.Expr], joined: Joined) -> exp.Expr:
    """The aggregate over released rows.

    Raises NotPrivate where more is read in it than its values and the group's keys.
    """
    call = without_filter(node).transform(lambda part: columns[part].copy() if part in columns else part, copy=False)
    refuse_rest([call], joined)
    refuse_more(node, call, list(columns.values()))
    if not there:
        return call
    return exp.Filter(this=call, expression=exp.Where(this=exp.and_(*there, copy=False)))


def _groups(written: Sequence[exp.Expr], lists: Sequence[_RowPerGroup]) -> _RowPerGroup:
    """The groups of which some list has a value, each once."""
    parts = [exp.Select(expressions=_as_keys(each.keys), from_=exp.From(this=each.source.copy())) for each in lists]
    made: exp.Query = parts[0]
    for each in parts[1:]:
        made = exp.Union(this=made, expression=each, distinct=True)
    return _grouped(made, f"{lists[0].source.alias}_groups", written, {})


def _grouped(query: exp.Query, alias: str, written: Sequence[exp.Expr], replaced: Replaced) -> _RowPerGroup:
    source = exp.Subquery(this=query, alias=exp.TableAlias(this=exp.to_identifier(alias)))
    found = tuple(released_column(alias, f"k{place}") for place, _ in enumerate(written))
    return _RowPerGroup(source, found, replaced | {k.copy(): c for k, c in zip(written, found, strict=True)})


def _beside(base: _RowPerGroup, lists: _RowPerGroup, nullable: Sequence[bool]) -> exp.Expr:
    """The join of lists to the groups that the answer has. A key that may be NULL is equal to itself."""
    equal = [
        (exp.NullSafeEQ if null else exp.EQ)(this=one.copy(), expression=other.copy())
        for one, other, null in zip(base.keys, lists.keys, nullable, strict=True)
    ]
    on = exp.and_(*equal, copy=False) if equal else exp.true()
    return exp.Join(this=lists.source, side="LEFT", on=on)


def _as_keys(columns: Sequence[exp.Expr]) -> list[exp.Expr]:
    return [named(each, f"k{place}") for place, each in enumerate(columns)]

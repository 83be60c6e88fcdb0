"""An aggregate over private rows becomes a release, and its SELECT a query over released rows.

This is the only door from Private to Released.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from sqlglot import exp

from dpproxy.errors import FeatureNotSupported, NotPrivate
from dpproxy.mechanisms.kinds import Want
from dpproxy.plan.private_plan import Bounded, FromRelease, Output, PrivateKeys
from dpproxy.rewrite.calculus.aggregates_of import above, read_from, substitute
from dpproxy.rewrite.calculus.relations import Joined
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.expressions.trees.position import position
from dpproxy.rewrite.releases.aggregates import Measures
from dpproxy.rewrite.releases.bound import bound, has_no_cap, is_scaled, is_spread
from dpproxy.rewrite.releases.centres import centred
from dpproxy.rewrite.releases.distinct_counts import DistinctCount, bound_distinct, distinct_count
from dpproxy.rewrite.releases.draft import ReleaseDraft, Wanted, added, column_across
from dpproxy.rewrite.releases.grouping import grouping_sets, is_grouping
from dpproxy.rewrite.releases.hierarchies import GroupingSet, hierarchies
from dpproxy.rewrite.releases.histograms import bound_histogram
from dpproxy.rewrite.releases.keys import Keyed, keys
from dpproxy.rewrite.releases.modes import AskedMode, modes
from dpproxy.rewrite.releases.pivots import COUNT, Pivot, pivot
from dpproxy.rewrite.releases.quantiles import Quantiles, quantiles
from dpproxy.rewrite.releases.released_rows import Replaced, released_alias, released_column, released_rows
from dpproxy.rewrite.releases.sets_together import RowsOfSet, key_types, together
from dpproxy.rewrite.releases.uncapped_rows import loosened
from dpproxy.rewrite.releases.weights import asked_of, by_name, heaviest, numbers_of
from dpproxy.rewrite.shown import shown

_NAMED: Final = 4
"""Counts of one release that its label names."""


@dataclass(frozen=True, slots=True)
class _Beside:
    """What has releases of its own beside the main one."""

    counts: tuple[DistinctCount, ...]
    quantiles: Quantiles
    modes: tuple[AskedMode, ...]
    weights: Mapping[str, Fraction]


def release_point(select: exp.Select, joined: Joined, context: PlanningContext, drafts: list[ReleaseDraft]) -> int:
    """Add the releases that `select` needs to `drafts`, change it to read them, and say which is the first.

    Claim: nothing of `select` that reads a private column is left in it.
    Because: each aggregate and each key expression is replaced by a released column, and a column that remains is
    refused. Checked by: tests/test_fixtures.py.
    """
    sets = grouping_sets(select)
    found = asked_of(select, context.settings)
    if sets is None:
        written = list(dict.fromkeys(select.args["group"].expressions)) if select.args.get("group") else []
        counts = pivot(written, found, joined, context)
        if counts is None:
            index, replaced = grouped_release(written, found, joined, context, drafts)
        else:
            index, replaced = _pivoted(written, counts, context, drafts)
        source = released_rows(index)
    else:
        alias = f"{released_alias(len(drafts))}_sets"
        parts = [grouped_release(each, found, joined, context, drafts) for each in sets]
        rows = [
            RowsOfSet(each, released_rows(first), (), there) for each, (first, there) in zip(sets, parts, strict=True)
        ]
        source, replaced = together(rows, list(found), key_types(sets, joined, context), alias)
        index = add_up(sets, list(found), parts, drafts)
    substitute(select, replaced)
    read_from(select, source)
    refuse_rest([*above(select), select.args.get("where")], joined)
    return index


def _pivoted(
    written: Sequence[exp.Expr], counts: Pivot, context: PlanningContext, drafts: list[ReleaseDraft]
) -> tuple[int, Replaced]:
    """The release of counts by one key more, and which of its columns each of them and each key is."""
    asked: dict[exp.Expr, Fraction] = {COUNT: counts.weight}
    by = [*written, counts.which]
    index, replaced = grouped_release(by, asked, counts.rows, context, drafts, across=counts.across)
    drafts[index] = replace(drafts[index], outputs=_labelled(drafts[index].outputs, counts))
    alias, name = released_alias(index), replaced[COUNT].name
    told: Replaced = {node: replaced[node] for node in written}
    told |= {node: released_column(alias, column_across(name, at)) for node, at in counts.places.items()}
    return index, told


def _labelled(outputs: Sequence[Output], counts: Pivot) -> tuple[Output, ...]:
    """Called as the analyst wrote them, the first few."""
    names = list(map(shown, counts.places))
    more = [f"… {len(names)} in all"] if len(names) > _NAMED else []
    return tuple(replace(each, label=", ".join([*names[:_NAMED], *more])) for each in outputs)


def grouped_release(
    written: Sequence[exp.Expr],
    found: Mapping[exp.Expr, Fraction],
    joined: Joined,
    context: PlanningContext,
    drafts: list[ReleaseDraft],
    across: int | None = None,
) -> tuple[int, Replaced]:
    """One release point of some keys and aggregates with weights: its first release, and what each of them becomes.

    Expressions are found again by how they are written. across: see `ReleaseDraft`.
    """
    keyed, rows = keys(written, joined, context), joined
    joined = once_per_unit(written, joined)
    loose = loosened(joined, keyed, context)
    scaled = has_no_cap(loose.rowset, keyed)
    measures = Measures(loose, context, _rows_are_selected(keyed, joined), scaled)
    distinct = {node: d for node in found if (d := distinct_count(node, joined, context)) is not None}
    ranked, moded = quantiles(list(found), joined, context), modes(list(found), joined, context)
    apart = (*ranked.asked, *moded)
    units = {node for node, count in distinct.items() if count.of_units and (scaled or all_private(keyed))}
    distinct = {node: count for node, count in distinct.items() if node not in units}
    outputs = {n: measures.output(n).name for n in found if n not in (*distinct, *units, *apart) and not is_grouping(n)}
    count_units = measures.counted_units if is_spread(loose, keyed, measures.found) else measures.selected_units
    outputs |= {node: count_units(shown(node)).name for node in units}
    if not (measures.found or distinct or units or apart or _is_private(keyed)):
        measures.rows()
    if not keyed and not measures.outputs and not distinct and not apart:
        # A table without columns could not have its row.
        measures.output(exp.Count(this=exp.Star()))
    needed = not (distinct or apart) or measures.found or _is_private(keyed)
    counts, shown_modes = tuple(dict.fromkeys(distinct.values())), tuple(dict.fromkeys(moded.values()))
    columns = {node: [name] for node, name in outputs.items()}
    columns |= {node: [f"d{counts.index(count)}"] for node, count in distinct.items()}
    columns |= {node: [f"f{shown_modes.index(mode)}"] for node, mode in moded.items()}
    weights = by_name(found, columns | {node: ranked.columns(node) for node in ranked.asked})
    if is_scaled(loose, keyed, measures.found):
        centred(measures.pool, loosened(rows, (), context), weights, context, drafts)
    bounded = bound(loose, keyed, measures.found, context) if needed else None
    main = None if bounded is None else replace(_draft(bounded, tuple(measures.outputs), weights), across=across)
    index = _added(drafts, main, keyed, _Beside(counts, ranked, shown_modes, weights), joined, context)
    alias = released_alias(index)
    replaced: Replaced = {k.written.copy(): released_column(alias, k.key.name) for k in keyed}
    replaced |= {node.copy(): released_column(alias, name) for node, (name,) in columns.items()}
    replaced |= {node.copy(): _quantile(alias, node, ranked) for node in ranked.asked}
    replaced |= {node.copy(): mode.value(replaced[node]) for node, mode in moded.items()}
    return index, replaced


def add_up(
    sets: Sequence[tuple[exp.Expr, ...]],
    found: Sequence[exp.Expr],
    parts: Sequence[tuple[int, Replaced]],
    drafts: list[ReleaseDraft],
) -> int:
    """Say of the first set's release which numbers of all sets are parts of which, and which release that is."""
    grouped = [
        GroupingSet(keys, index, {node: replaced[node].name for node in found if node in replaced})
        for keys, (index, replaced) in zip(sets, parts, strict=True)
    ]
    first = parts[0][0]
    summed = hierarchies(grouped, found, drafts)
    drafts[first] = replace(drafts[first], hierarchies=(*drafts[first].hierarchies, *summed))
    return first


def _draft(bounded: Bounded, outputs: tuple[Output, ...], weights: Mapping[str, Fraction]) -> ReleaseDraft:
    return ReleaseDraft(bounded, outputs, numbers_of(bounded, outputs, weights))


def once_per_unit(written: Sequence[exp.Expr], joined: Joined) -> Joined:
    """The same rows; a unit has one of them for a key, where a single source says so of the key's columns.

    It is no proof: a limit that is set too low by it costs accuracy.
    """
    rowset = joined.rowset
    columns = {node.name for node in written if isinstance(node, exp.Column)}
    if len(rowset.sources) != 1 or not any(each <= columns for each in rowset.sources[0].relation.once):
        return joined
    return replace(joined, rowset=replace(rowset, rows=1))


def _is_private(keyed: Sequence[Keyed]) -> bool:
    return any(isinstance(k.key.domain, PrivateKeys) for k in keyed)


def _added(
    drafts: list[ReleaseDraft],
    main: ReleaseDraft | None,
    keyed: Sequence[Keyed],
    others: _Beside,
    joined: Joined,
    context: PlanningContext,
) -> int:
    """The place of a release and of the counts and histograms beside it; one that is there already is not paid again.

    Without a `main` one, which only has to be there where it chooses the keys, the first of them takes its place.
    """
    index = len(drafts)
    known = [
        k.key if not _is_private(keyed) else replace(k.key, domain=FromRelease(index, i)) for i, k in enumerate(keyed)
    ]
    beside = tuple(
        _draft(bound_distinct(joined, keyed, known, count, context), (_distinct_output(i, count),), others.weights)
        for i, count in enumerate(others.counts)
    )
    for histogram, outputs in others.quantiles.histograms:
        bounded = bound_histogram(joined, keyed, known, histogram, context)
        beside += (
            ReleaseDraft(bounded, outputs, (Wanted(Want.QUANTILES, 0, weight=heaviest(outputs, others.weights)),)),
        )
    for place, mode in enumerate(others.modes):
        bounded = bound_histogram(joined, keyed, known, mode.histogram, context)
        told = (mode.output(place),)
        beside += (ReleaseDraft(bounded, told, (Wanted(Want.MODE, 0, weight=heaviest(told, others.weights)),)),)
    first, *rest = beside if main is None else (main, *beside)
    made = replace(first, beside=tuple(range(index + 1, index + 1 + len(rest))))
    if not rest:
        return added(drafts, made)
    drafts += [made, *rest]
    return index


def _distinct_output(index: int, count: DistinctCount) -> Output:
    return replace(count.output, name=f"d{index}")


def _quantile(alias: str, node: exp.Expr, ranked: Quantiles) -> exp.Expr:
    """What the aggregate becomes: a column, or an array of them."""
    columns = [released_column(alias, name) for name in ranked.columns(node)]
    return exp.Array(expressions=columns) if ranked.asked[node].listed else columns[0]


def _rows_are_selected(keyed: tuple[Keyed, ...], joined: Joined) -> bool:
    """Whether the count that partition selection releases is the count of rows: one row per unit, only private keys."""
    return joined.rowset.one_row and all_private(keyed)


def all_private(keyed: Sequence[Keyed]) -> bool:
    """Whether the number of units of each key is released by the choice of keys."""
    return bool(keyed) and all(isinstance(k.key.domain, PrivateKeys) for k in keyed)


def refuse_rest(clauses: Iterable[exp.Expr | None], joined: Joined) -> None:
    """Raises NotPrivate where a column of the private rows is left in some clause, FeatureNotSupported for a row."""
    aliases = {source.alias for source in joined.rowset.sources}
    for part in filter(None, clauses):
        for whole in part.find_all(exp.TableColumn):
            if whole.name in aliases:
                raise FeatureNotSupported(
                    "whole rows are not supported over private tables",
                    hint=f"Name the columns of {whole.name}, and group by them.",
                    position=position(whole),
                )
        for column in part.find_all(exp.Column):
            if column.table in aliases:
                raise NotPrivate(
                    f'column "{column.name}" is neither aggregated nor one of the keys',
                    hint=f'Add "{column.name}" to GROUP BY, or aggregate it.',
                    position=position(column),
                )

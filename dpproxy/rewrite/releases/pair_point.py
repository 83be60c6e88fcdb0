"""An aggregate over rows that belong to two units each becomes a release, private for both.

    contributions   a row per pair of units and key, whole numbers, clamped
    numbers         a number in the place of each of the two keys

What is left of them at a clip the proxy works out (`mechanisms.pair_totals`). What needs more of a unit's rows than the
sum of its pairs has no such form, and is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.types import Family
from dpproxy.engines.dialects import dialect_of
from dpproxy.errors import FeatureNotSupported, KeysOfPairs
from dpproxy.plan.private_plan import MOST_PAIRS, UNCAPPED, Bounded, Limit, Measure, MeasureKind, PrivateKeys
from dpproxy.rewrite import algebra
from dpproxy.rewrite.algebra.render import written as query_of
from dpproxy.rewrite.calculus.aggregates_of import above, read_from, substitute
from dpproxy.rewrite.calculus.relations import UNIT, Joined, PairKey
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.expressions.trees.position import position
from dpproxy.rewrite.releases.aggregates import Measured, Measures
from dpproxy.rewrite.releases.bound import always, contributions, is_open_text, kept, rows_of, within_steps
from dpproxy.rewrite.releases.draft import ReleaseDraft, added
from dpproxy.rewrite.releases.grouping import grouping_sets, is_grouping
from dpproxy.rewrite.releases.keys import Keyed, keys
from dpproxy.rewrite.releases.met_counts import CountedOnce, counted_rows, has_once, of_each_row
from dpproxy.rewrite.releases.release_point import refuse_rest
from dpproxy.rewrite.releases.released_rows import Replaced, released_alias, released_column, released_rows
from dpproxy.rewrite.releases.sets_together import RowsOfSet, key_types, together
from dpproxy.rewrite.releases.totals import held, itself, or_zero
from dpproxy.rewrite.releases.weights import asked_of, by_name, numbers_of
from dpproxy.rewrite.shown import shown

OTHER = "v"
"""The column that holds the second unit's key."""
ROW = "o"
"""The column that tells apart the rows of one side, where these are counted."""
_SUMS = (exp.Count, exp.Sum, exp.Avg)


def pair_point(select: exp.Select, joined: Joined, context: PlanningContext, drafts: list[ReleaseDraft]) -> int:
    """Add the release that `select` needs to `drafts`, change it to read it, and say which it is.

    Claim: nothing of `select` that reads a private column is left in it. Because: as in `release_point`.
    Checked by: tests/test_fixtures.py.
    Each grouping set is a release of its own, the clip of each its own, so that parts and totals need not add up.
    Raises NotPrivate and FeatureNotSupported for what has no form over rows of two units.
    """
    sets, found = grouping_sets(select), asked_of(select, context.settings)
    group = select.args.get("group")
    written = tuple(dict.fromkeys(group.expressions)) if group is not None else ()
    index, alias = len(drafts), f"{released_alias(len(drafts))}_sets"
    every = [written] if sets is None else sets
    rows = [_releases(each, found, joined, context, drafts) for each in every]
    if sets is None and not rows[0].joins:
        source, replaced = rows[0].source, dict(rows[0].replaced)
    else:
        source, replaced = together(rows, list(found), key_types(every, joined, context), alias)
    substitute(select, replaced)
    read_from(select, source)
    refuse_rest([*above(select), select.args.get("where")], joined)
    return index


def _releases(
    written: Sequence[exp.Expr],
    found: Mapping[exp.Expr, Fraction],
    joined: Joined,
    context: PlanningContext,
    drafts: list[ReleaseDraft],
) -> RowsOfSet:
    """The releases of some keys and aggregates with weights, and what each of them becomes: one of what pairs have, and
    one for each kind of rows that are counted, which are met by others'."""
    pair = joined.rowset.pair
    assert pair is not None, "its rows are of pairs"
    keyed = _keys(written, joined, context, pair)
    apart: dict[CountedOnce | None, dict[exp.Expr, Fraction]] = {}
    for node, weight in found.items():
        apart.setdefault(counted_rows(node, joined, pair, context), {})[node] = weight
    made = [_release(keyed, each, rows, joined, context, drafts) for rows, each in (apart or {None: {}}).items()]
    (index, replaced), *others = made
    joins = [_beside(index, other, len(keyed)) for other, _ in others]
    for _, there in others:
        replaced = {**there, **replaced}
    return RowsOfSet(tuple(written), released_rows(index), joins, replaced)


def _beside(index: int, other: int, keys: int) -> exp.Join:
    """The groups of another release that has the same: all that there could be."""
    here, there = released_alias(index), released_alias(other)
    pairs = [(released_column(here, f"k{at}"), released_column(there, f"k{at}")) for at in range(keys)]
    if not pairs:
        return exp.Join(this=released_rows(other), kind="CROSS")
    on = [exp.NullSafeEQ(this=own, expression=its) for own, its in pairs]
    return exp.Join(this=released_rows(other), on=exp.and_(*on))


def _release(
    keyed: tuple[Keyed, ...],
    found: Mapping[exp.Expr, Fraction],
    rows: CountedOnce | None,
    joined: Joined,
    context: PlanningContext,
    drafts: list[ReleaseDraft],
) -> tuple[int, Replaced]:
    """The release of some keys and aggregates with weights, and what each of them becomes."""
    pair = joined.rowset.pair
    assert pair is not None, "its rows are of pairs"
    measures = Measures(joined, context, rows_are_selected=False, scaled=True)
    asked = {
        node: _summed(node if rows is None else of_each_row(node), pair) for node in found if not is_grouping(node)
    }
    outputs = {node: measures.output(each).name for node, each in asked.items()}
    if not outputs:
        measures.output(exp.Count(this=exp.Star()))
    bounded = _bound(joined, keyed, measures.found, context, pair, rows)
    labels = {name: shown(asked[node] if has_once(node) else node) for node, name in outputs.items()}
    told = tuple(replace(each, label=labels.get(each.name, each.label)) for each in measures.outputs)
    weights = by_name(found, {node: [name] for node, name in outputs.items()})
    index = added(drafts, ReleaseDraft(bounded, told, numbers_of(bounded, told, weights)))
    alias = released_alias(index)
    replaced: Replaced = {each.written.copy(): released_column(alias, each.key.name) for each in keyed}
    return index, replaced | {node.copy(): released_column(alias, name) for node, name in outputs.items()}


def whose(pair: PairKey) -> str:
    """The rows of a pair, in words."""
    first, second = pair.units
    return f"two {first}s each" if first == second else f"{_one(first)} and {_one(second)} each"


def _one(unit: str) -> str:
    return f"{'an' if unit[0] in 'aeio' else 'a'} {unit}"


def _keys(written: Sequence[exp.Expr], joined: Joined, context: PlanningContext, pair: PairKey) -> tuple[Keyed, ...]:
    """The public keys. Raises NotPrivate for private ones."""
    made = keys(list(written), joined, context)
    private = [each.written for each in made if isinstance(each.key.domain, PrivateKeys)]
    if private:
        raise KeysOfPairs(
            f"GROUP BY {shown(private[0])} has private keys, and rows that belong to {whose(pair)} choose none",
            hint="Group by columns with declared values or of public tables, or leave the GROUP BY out.",
            position=position(private[0]),
            shared=frozenset(place for place, key in enumerate(written) if key not in private),
        )
    return made


def _summed(node: exp.Expr, pair: PairKey) -> exp.Expr:
    """The aggregate itself, if it is a sum of what rows have."""
    inner = node.this if isinstance(node, exp.Filter) else node
    if not isinstance(inner, _SUMS) or isinstance(inner.this, exp.Distinct):
        raise FeatureNotSupported(
            f"{shown(node)} over rows that belong to {whose(pair)} is not supported",
            hint="COUNT, SUM and AVG are, and COUNT(DISTINCT x) of the key of one side's rows. Of rows of one kind of "
            "unit, all aggregates are.",
            position=position(node),
        )
    return node


def _each_once(contributions: algebra.Select, measures: Sequence[Measure]) -> algebra.Select:
    """What a row counts for, once, in the place of a sum over all that meet it: the most of what is alike."""
    added = {each.name: each for each in measures if each.kind in (MeasureKind.SUM, MeasureKind.CENTRED)}
    items = [
        item if item.name not in added else algebra.Item(item.name, _most_of(added[item.name]))
        for item in contributions.items
    ]
    return replace(contributions, items=tuple(items))


def _most_of(measure: Measure) -> exp.Expression:
    return held(or_zero(exp.Max(this=exp.column(measure.name))), measure.lower, measure.upper)


def _bound(
    joined: Joined,
    keyed: Sequence[Keyed],
    measured: Sequence[Measured],
    context: PlanningContext,
    pair: PairKey,
    counted: CountedOnce | None,
) -> Bounded:
    """The bounded SQL.

    Claim: each row of the result is of one key and of one number for a unit of either kind, the rows of a unit having
    the same number in all; it adds whole numbers that are made of rows of these two units alone. Because: rows are
    grouped by both keys, of which the numbers are functions. That units may have a number in common is of no harm: what
    moves no further for all of them together does so for one (`pair_totals.left_at`); and where rows are counted that
    are met, what tells them apart is read in them as everything else. Rows are left out by LIMIT only
    where they are too many, which is a failure (`exact_pairs`).
    Checked by: tests/test_pair_neighbours.py and `rewrite.checker`.
    """
    rowset, dialect = joined.rowset, dialect_of(context.dialect)
    measured = [replace(each, measure=within_steps(each)) for each in measured]
    found, measures = tuple(each.key for each in keyed), tuple(each.measure for each in measured)
    items = [algebra.Item(each.measure.name, each.value) for each in measured if each.value is not None]
    texts = [each.value for each in keyed if is_open_text(each.key)]
    if counted is not None and counted.family is Family.TEXT:
        texts.append(context.formed(context.total(counted.column, joined.scope)))
    rows = rows_of(joined, keyed, items, texts, context.dialect)
    apart = () if counted is None else (algebra.Item(ROW, context.formed(context.total(counted.column, joined.scope))),)
    rows = replace(rows, items=(rows.items[0], algebra.Item(OTHER, pair.other), *apart, *rows.items[1:]))
    of = (UNIT, OTHER, *(each.name for each in apart))
    by = (*of, *(key.name for key in found))
    added = contributions(rows, by, measured, dialect)
    added = added if counted is None else _each_once(added, measures)
    made = kept(added, found, always(measured, dialect), context.dialect)
    numbers = [algebra.Item(name, dialect.hashed(exp.column(key))) for name, key in zip("ijr", of, strict=False)]
    told = (*(itself(key.name) for key in found), *numbers, *(itself(each.name) for each in measures))
    enough = algebra.Order(limit=MOST_PAIRS + 1)
    query = query_of(algebra.Select(told, algebra.of(made, "c"), order=enough), context.dialect)
    return Bounded(
        query.sql, rowset.unit or "", found, measures, False, UNCAPPED, UNCAPPED, Limit.NORM_CLIPPED, rowset.notes,
        query.inputs, context.norm, pair=pair.units, met=None if counted is None else counted.met,
    )  # fmt: skip

"""The shape of bounded SQL: total over [limit over] contributions over rows, or total over rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import product

from sqlglot import exp

from dpproxy.plan.private_plan import Bounded, Limit, Measure, MeasureKind
from dpproxy.rewrite.checker.clip import clamp, is_total, largest, multiplied, summed
from dpproxy.rewrite.checker.clipped import MOST_STEPS, most_of, unbucketed
from dpproxy.rewrite.checker.distinct import check_distinct
from dpproxy.rewrite.checker.engines import Facts
from dpproxy.rewrite.checker.fault import CheckFault, require
from dpproxy.rewrite.checker.histograms import check_histogram
from dpproxy.rewrite.checker.in_doubles import read_in_doubles
from dpproxy.rewrite.checker.limits import (
    awaited,
    check_filters,
    check_reason,
    check_steps,
    check_texts,
    unfiltered,
    unlimited,
)
from dpproxy.rewrite.checker.nodes import asked
from dpproxy.rewrite.checker.packed import is_packed, unpacked, unpacked_within_caps
from dpproxy.rewrite.checker.pairs import ADDED, check_numbers, numbered, pair_rows
from dpproxy.rewrite.checker.relations import UNIT, Range, Relation
from dpproxy.rewrite.checker.released import check_inputs
from dpproxy.rewrite.checker.samples import check_sample
from dpproxy.rewrite.checker.scope import CheckContext
from dpproxy.rewrite.checker.sums_in_columns import has_sums, read_columns
from dpproxy.rewrite.checker.syntax import derived, grouped, only, plain, query_of

COUNTED = "n"
MOST = 2**62
INTEGER_BELOW = 2**31

Added = Mapping[str, tuple[str, ...]]
"""For each measure the columns of the rows that it adds: its own; two, of which it adds the product; or none, where it
counts rows."""


def check_bounded(bounded: Bounded, context: CheckContext) -> None:
    """Claim: if nothing is raised, removing one unit changes at most `bounded.groups` rows of the result, `n` of each
    by at most one, and each measure of each by at most `measure.bound`.

    Because: with one row per unit, that row is in one key and adds a clipped integer (`row_range`). Else a unit's
    contributions, one for each of its keys, are clipped to [lower, upper], which holds 0, and are held to `groups`
    (`check_reason`, `unlimited`); integer sums over them, clamped to ±2^62, move no further. Those of other units stay
    as they are: a unit's rows depend on nothing of another unit's (`Relation`).
    Checked by: tests/test_checker.py.
    """
    total = asked(bounded.sql, context.engine.name)
    require(bounded.blocks is None or bounded.is_histogram, "blocks whose answers are not counted")
    require(bounded.caps is None or bounded.clip is not None, "caps that nothing holds a unit to")
    require(bounded.met is None or bounded.pair is not None, "rows that are met by nobody")
    check_inputs(bounded.sql, bounded.inputs, context)
    told = all(each.moved is None or each.moved in bounded.inputs for each in bounded.measures)
    require(told, "a measure is centred on what its text is not told")
    if any(measure.kind is MeasureKind.DISTINCT for measure in bounded.measures):
        require(bounded.spread is None and bounded.pair is None, "a spread, or pairs, of distinct values")
        check_distinct(total, bounded, context)
    elif bounded.is_histogram:
        check_histogram(total, bounded, context)
    elif bounded.pair is not None:
        _check_pairs(total, bounded, context)
    elif bounded.clip is not None:
        _check_clipped(total, bounded, context)
    elif is_packed(total) and has_sums(bounded):
        _require_unscaled(bounded)
        _check_rows(*_check_columns(total, bounded, context))
    elif is_packed(total):
        _require_unscaled(bounded)
        _check_packed(unpacked_within_caps(total, bounded, context.engine), bounded, context)
    else:
        _require_unscaled(bounded)
        _check_sums(total, bounded, context)


def _require_unscaled(bounded: Bounded) -> None:
    """`n` counts units, and measures are told as they are."""
    require(bounded.clip is None and bounded.spread is None, "a clip or a spread where nothing is scaled down")


def _check_clipped(total: exp.Select, bounded: Bounded, context: CheckContext) -> None:
    """Totals by norm over contributions, of which a unit has one for each of its keys.

    What a row adds is cut off where the squares of contributions have no room for it, and nowhere else.
    """
    if is_packed(total) and has_sums(bounded):
        _check_nothing_cut_off(*_check_columns(total, bounded, context))
        return
    if is_packed(total):
        _check_packed(unpacked(total, bounded, context.engine), bounded, context)
        return
    conditions, source = unfiltered(query_of(unbucketed(total, bounded, context.engine)))
    rows = rows_of(query_of(source), bounded, context)
    check_reason(bounded, rows, context.releases)
    single = bounded.limit is not Limit.KEYS_LIMITED and bounded.groups == 1
    require(bounded.limit is Limit.NORM_CLIPPED or single, "several contributions of a unit, as if one")
    _check_clamped(source, conditions, rows, bounded, context, [UNIT])


def _check_packed(below: tuple[exp.Select, list[exp.Expr]], bounded: Bounded, context: CheckContext) -> None:
    """Counts by a few known keys, several in a sum: rows have nothing but their unit and the key."""
    source, conditions = below
    rows = rows_of(query_of(source), bounded, context)
    require(len(rows.columns) == 2, "the rows carry other columns")
    check_reason(bounded, rows, context.releases)
    check_filters(conditions, bounded, rows, context)
    check_steps(conditions, rows, bounded, context)


def _check_columns(total: exp.Select, bounded: Bounded, context: CheckContext) -> tuple[Relation, Bounded, Added]:
    """Sums and counts by a few known keys, in one row of a unit: the rows, and what they add."""
    found = read_columns(total, bounded, context.engine)
    rows = rows_of(found.rows, bounded, context)
    check_reason(bounded, rows, context.releases)
    check_filters(found.conditions, bounded, rows, context)
    check_steps(found.conditions, rows, bounded, context)
    for name, room in found.rooms.items():
        _require_room(rows.ranged(name), room)
    return rows, bounded, {each.name: (each.name,) if each.name in found.rooms else () for each in bounded.measures}


def _require_room(added: Range, room: Range) -> None:
    require(room[0] <= added[0] and added[1] <= room[1], "a row is added in floating point, and has no room")


def _check_pairs(total: exp.Select, bounded: Bounded, context: CheckContext) -> None:
    """Numbers of units over contributions, of which a pair of units has one for each of its keys."""
    conditions, source = unfiltered(check_numbers(total, bounded, context.engine))
    rows = pair_rows(query_of(source), bounded, context)
    check_reason(bounded, rows, context.releases)
    _check_clamped(source, conditions, rows, bounded, context, numbered(bounded))


def _check_clamped(
    source: exp.Expr,
    conditions: list[exp.Expr],
    rows: Relation,
    bounded: Bounded,
    context: CheckContext,
    units: list[str],
) -> None:
    """Contributions by `units` and keys, each clamped where it has no room, and nowhere else."""
    added = _contributions(source, bounded, context.engine, units)
    _check_casts(source, rows, added, context.engine)
    conditions = awaited(conditions, bounded, context.engine)
    check_filters(conditions, bounded, rows, context)
    check_steps(conditions, rows, bounded, context)
    _check_nothing_cut_off(rows, bounded, added)


def _check_nothing_cut_off(rows: Relation, bounded: Bounded, added: Added) -> None:
    """What a row adds has room where contributions have, or is as large as squares of them may be."""
    for measure, (least, most) in _ranges(rows, bounded, added):
        room = most_of(measure)
        fits = measure.lower <= max(min(least, 0), -room) and min(max(most, 0), room) <= measure.upper
        require(fits, f"a row of {measure.name} is cut off")


def _check_sums(total: exp.Select, bounded: Bounded, context: CheckContext) -> None:
    only(total, "expressions", "from_", "group")
    source, ordered = query_of(total), list[exp.Expr]()
    if bounded.limit is Limit.KEYS_LIMITED:
        source, ordered = unlimited(derived(total), bounded)
    conditions, source = unfiltered(source)
    general = type(source) is exp.Select and source.args.get("group") is not None
    rows = rows_of(query_of(source) if general else source, bounded, context)
    check_reason(bounded, rows, context.releases)
    if bounded.limit is Limit.KEYS_LIMITED:
        check_texts(derived(derived(total)), rows)
    if general:
        added = _contributions(source, bounded, context.engine, [UNIT])
        require(all(len(each) < 2 for each in added.values()), "products of columns that are not scaled down")
        _check_casts(source, rows, added, context.engine)
    else:
        require(rows.one_row and bounded.rows == 1, "not proved: one row per unit")
        require(bounded.limit is not Limit.KEYS_LIMITED, "a limit step without contributions")
        added = {}
    conditions = awaited(conditions, bounded, context.engine) if general else conditions
    check_filters(conditions, bounded, rows, context)
    check_steps([*ordered, *conditions], rows, bounded, context)
    _check_total(total, bounded, general)
    _check_rows(rows, bounded, added if general else _added_by_rows(total, bounded))


def rows_of(query: exp.Expr, bounded: Bounded, context: CheckContext) -> Relation:
    """The private rows, with the unit's key first and the keys after it."""
    rows = context.relation(query, context)
    require(rows.unit == bounded.unit, "the rows are of another unit")
    check_sample(rows, bounded)
    names = [UNIT, *(key.name for key in bounded.keys)]
    require(list(rows.columns)[: len(names)] == names, "the rows do not carry unit and keys")
    return rows


def _contributions(select: exp.Expr, bounded: Bounded, engine: Facts, units: list[str]) -> Added:
    """What each measure adds of a row."""
    only(select, "expressions", "from_", "group")
    by = [*units, *(key.name for key in bounded.keys)]
    require([plain(part) for part in grouped(select)] == by, "contributions are not by unit and keys")
    carried, rest = select.expressions[: len(by)], select.expressions[len(by) :]
    require([plain(item) for item in carried] == by, "contributions do not carry unit and keys")
    require(len(rest) == len(bounded.measures), "contributions of other measures")
    if bounded.met is None:
        return {m.name: _check_contribution(item, m, engine) for item, m in zip(rest, bounded.measures, strict=True)}
    return {m.name: _check_met(item, m, engine) for item, m in zip(rest, bounded.measures, strict=True)}


def _check_casts(select: exp.Expr, rows: Relation, added: Added, engine: Facts) -> None:
    """A row that is added as an integer fits into one, so that no cast fails; one that is added in floating point is 0
    or above, or small. The clamp is over whatever the sum is."""
    for item in (each for each in select.expressions if len(added.get(each.alias_or_name, ())) < 2):
        in_doubles = read_in_doubles(item.this, engine)
        if in_doubles is not None:
            _require_room(rows.ranged(item.alias), in_doubles.room)
            continue
        for cast in (found for added_up in item.find_all(exp.Sum) for found in added_up.find_all(exp.Cast)):
            least, most = rows.ranged(plain(cast.this) or "")
            require(least > -INTEGER_BELOW and most < INTEGER_BELOW, "a row is added as an integer, and may not fit")


def _check_met(item: exp.Expr, measure: Measure, engine: Facts) -> tuple[str, ...]:
    """How many rows meet one; or for how much it counts, the most of what it is met with."""
    if measure.kind not in ADDED:
        return _check_contribution(item, measure, engine)
    clamped = clamp(_named(item, measure.name))
    if clamped is None or clamped[1:] != (measure.lower, measure.upper):
        raise CheckFault(f"{measure.name} is not clipped to its bounds")
    require(largest(clamped[0]) == measure.name, f"{measure.name} is not the most of its own")
    return (measure.name,)


def _check_contribution(item: exp.Expr, measure: Measure, engine: Facts) -> tuple[str, ...]:
    value = _named(item, measure.name)
    found = read_in_doubles(value, engine)
    if found is not None:
        own = plain(found.added) == measure.name and (found.least, found.most) == (measure.lower, measure.upper)
        require(own, f"{measure.name} is not its own sum, clipped to its bounds")
        return (measure.name,)
    clamped = clamp(value)
    if clamped is None or clamped[1:] != (measure.lower, measure.upper):
        raise CheckFault(f"{measure.name} is not clipped to its bounds")
    if summed(clamped[0], exp.DataType.Type.INT) == measure.name:
        return (measure.name,)
    product = multiplied(clamped[0], engine)
    require(product is not None or _is_count(clamped[0]), f"{measure.name} is neither a count nor its own sum")
    return product or ()


def _check_total(select: exp.Select, bounded: Bounded, general: bool) -> None:
    names = [key.name for key in bounded.keys]
    items = select.expressions
    require([plain(part) for part in grouped(select)] == names, "the total is not by the keys")
    require([plain(item) for item in items[: len(names)]] == names, "the result does not begin with its keys")
    rest = items[len(names) :]
    if bounded.counts_units:
        require(rest and _is_count(_named(rest[0], COUNTED)), "the result does not count units")
        rest = rest[1:]
    require(len(rest) == len(bounded.measures), "the result has other columns than the plan")
    for item, measure in zip(rest, bounded.measures, strict=True):
        value = _named(item, measure.name)
        require(is_total(value, measure.name) or (_is_count(value) and not general), f"{measure.name} is no total")


def _added_by_rows(total: exp.Select, bounded: Bounded) -> Added:
    items = total.expressions[-len(bounded.measures) :] if bounded.measures else []
    return {m.name: () if _is_count(item.this) else (m.name,) for item, m in zip(items, bounded.measures, strict=True)}


def _check_rows(rows: Relation, bounded: Bounded, added: Added) -> None:
    """Each row adds whole numbers that are clipped, and no columns but those that are added."""
    for measure, (least, most) in _ranges(rows, bounded, added):
        _check_range(measure, min(least, 0), max(most, 0), bounded.rows)


def _ranges(rows: Relation, bounded: Bounded, added: Added) -> Iterator[tuple[Measure, tuple[int, int]]]:
    columns = list(rows.columns)[1 + len(bounded.keys) :]
    require(columns == [name for name, parts in added.items() if parts == (name,)], "the rows carry other columns")
    for measure in bounded.measures:
        parts = added[measure.name]
        require((measure.kind is MeasureKind.ROWS) == (not parts), f"{measure.name} counts rows, or does not")
        require(all(part in columns for part in parts), f"{measure.name} is made of what no row has")
        match parts:
            case ():
                yield measure, (0, 1)
            case (one,):
                yield measure, rows.ranged(one)
            case _:
                yield measure, _of_products(*parts, rows=rows)


def _of_products(one: str, other: str, *, rows: Relation) -> Range:
    """What a row adds. Sums of 2^31 such products of whole numbers, one after the other, fit into 128 bits."""
    ends = [math.prod(each) for each in product(rows.ranged(one), rows.ranged(other))]
    require(max(map(abs, ends)) <= (2 * MOST_STEPS) ** 2, "products of columns that pass 128 bits")
    return 0 if one == other else min(ends), max(ends)


def _check_range(measure: Measure, least: int, most: int, rows: int) -> None:
    """`rows` rows reach the measure's bounds, a step for rounding apart; a single row does not pass them."""
    require(measure.lower <= least and most <= measure.upper, f"one row of {measure.name} passes its bounds")
    require(rows * least >= -MOST and rows * most <= MOST, f"{measure.name} could pass 2^62")
    fits = rows * (least - 1) <= measure.lower and measure.upper <= rows * (most + 1)
    exact = measure.kind not in (MeasureKind.ROWS, MeasureKind.VALUES) or (measure.lower, measure.upper) == (0, rows)
    require(fits and exact, f"the bounds of {measure.name} are not those of {rows} rows")


def _named(item: exp.Expr, name: str) -> exp.Expr:
    if type(item) is not exp.Alias or item.alias != name:
        raise CheckFault(f"{name} is not where it belongs")
    inner: exp.Expr = item.this
    return inner


def _is_count(node: object) -> bool:
    return type(node) is exp.Count and type(node.this) is exp.Star

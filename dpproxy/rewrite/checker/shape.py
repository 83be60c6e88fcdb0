"""The shape of bounded SQL: total over [limit over] contributions over rows, or total over rows."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from dpproxy.plan.private_plan import Bounded, Limit, Measure, MeasureKind
from dpproxy.rewrite.checker.clip import clamp
from dpproxy.rewrite.checker.distinct import check_distinct
from dpproxy.rewrite.checker.fault import CheckFault, require
from dpproxy.rewrite.checker.limits import check_filters, check_reason, check_steps, check_texts, unfiltered, unlimited
from dpproxy.rewrite.checker.nodes import parsed
from dpproxy.rewrite.checker.relations import UNIT, Relation
from dpproxy.rewrite.checker.released import check_inputs
from dpproxy.rewrite.checker.scope import CheckContext
from dpproxy.rewrite.checker.syntax import derived, grouped, integer, only, plain, query_of

COUNTED = "n"
MOST = 2**62
INTEGER_BELOW = 2**31

Added = Mapping[str, bool]


def check_bounded(bounded: Bounded, context: CheckContext) -> None:
    """Claim: if nothing is raised, removing one unit changes at most `bounded.groups` rows of the result, `n` of each
    by at most one, and each measure of each by at most `measure.bound`.

    Because: with one row per unit, that row is in one key and adds a clipped integer (`row_range`). Else a unit's
    contributions, one for each of its keys, are clipped to [lower, upper], which holds 0, and are held to `groups`
    (`check_reason`, `unlimited`); integer sums over them, clamped to ±2^62, move no further. Those of other units stay
    as they are: a unit's rows depend on nothing of another unit's (`Relation`).
    Checked by: tests/test_checker.py.
    """
    total = parsed(bounded.sql, context.engine.name)
    check_inputs(total, bounded.inputs, context)
    if any(measure.kind is MeasureKind.DISTINCT for measure in bounded.measures):
        check_distinct(total, bounded, context)
    else:
        _check_sums(total, bounded, context)


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
        added = _contributions(source, bounded)
        _check_casts(source, rows)
    else:
        require(rows.one_row and bounded.rows == 1, "not proved: one row per unit")
        require(bounded.limit is not Limit.KEYS_LIMITED, "a limit step without contributions")
        added = {}
    check_filters(conditions, bounded, rows, context, general)
    check_steps([*ordered, *conditions], rows, bounded, context)
    _check_total(total, bounded, general)
    _check_rows(rows, bounded, added if general else _added_by_rows(total, bounded))


def rows_of(query: exp.Expr, bounded: Bounded, context: CheckContext) -> Relation:
    """The private rows, with the unit's key first and the keys after it."""
    rows = context.relation(query, context)
    require(rows.unit == bounded.unit, "the rows are of another unit")
    names = [UNIT, *(key.name for key in bounded.keys)]
    require(list(rows.columns)[: len(names)] == names, "the rows do not carry unit and keys")
    return rows


def _contributions(select: exp.Expr, bounded: Bounded) -> Added:
    """For each measure whether it adds a column of the rows; else it counts them."""
    only(select, "expressions", "from_", "group")
    by = [UNIT, *(key.name for key in bounded.keys)]
    require([plain(part) for part in grouped(select)] == by, "contributions are not by unit and keys")
    carried, rest = select.expressions[: len(by)], select.expressions[len(by) :]
    require([plain(item) for item in carried] == by, "contributions do not carry unit and keys")
    require(len(rest) == len(bounded.measures), "contributions of other measures")
    return {m.name: _check_contribution(item, m) for item, m in zip(rest, bounded.measures, strict=True)}


def _check_casts(select: exp.Expr, rows: Relation) -> None:
    """A row that is added as an integer fits into one, so that no cast fails. The clamp is over whatever the sum is."""
    for cast in (found for item in select.expressions for found in item.find_all(exp.Cast)):
        least, most = rows.ranged(plain(cast.this) or "")
        require(least > -INTEGER_BELOW and most < INTEGER_BELOW, "a row is added as an integer, and may not fit")


def _check_contribution(item: exp.Expr, measure: Measure) -> bool:
    clamped = clamp(_named(item, measure.name))
    if clamped is None or clamped[1:] != (measure.lower, measure.upper):
        raise CheckFault(f"{measure.name} is not clipped to its bounds")
    adds = _summed(clamped[0], exp.DataType.Type.INT) == measure.name
    require(adds or _is_count(clamped[0]), f"{measure.name} is neither a count nor its own sum")
    return adds


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
        require(_is_total(value, measure.name) or (_is_count(value) and not general), f"{measure.name} is no total")


def _added_by_rows(total: exp.Select, bounded: Bounded) -> Added:
    items = total.expressions[-len(bounded.measures) :] if bounded.measures else []
    return {m.name: not _is_count(item.this) for item, m in zip(items, bounded.measures, strict=True)}


def _check_rows(rows: Relation, bounded: Bounded, added: Added) -> None:
    """Each row adds whole numbers that are clipped, and no columns but those that are added."""
    columns = list(rows.columns)[1 + len(bounded.keys) :]
    require(columns == [name for name, adds in added.items() if adds], "the rows carry other columns")
    for measure in bounded.measures:
        if added[measure.name]:
            least, most = rows.ranged(measure.name)
            require(measure.kind is not MeasureKind.ROWS, f"{measure.name} does not count rows")
        else:
            least, most = 0, 1
            require(measure.kind is MeasureKind.ROWS, f"{measure.name} counts rows")
        _check_range(measure, min(least, 0), max(most, 0), bounded.rows)


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


def _summed(node: object, *narrowed: object) -> str | None:
    """x where the node is COALESCE(SUM(x), 0), or SUM(CAST(x AS type)) in its place, a type of `narrowed`."""
    if type(node) is not exp.Coalesce or type(node.this) is not exp.Sum:
        return None
    added = node.this.this
    if type(added) is exp.Cast and added.to.this in narrowed:
        added = added.this
    return plain(added) if [integer(value) for value in node.expressions] == [0] else None


def _is_total(node: object, name: str) -> bool:
    if type(node) is not exp.Cast or node.to.this is not exp.DataType.Type.BIGINT:
        return False
    clamped = clamp(node.this)
    return clamped is not None and _summed(clamped[0]) == name and clamped[1:] == (-MOST, MOST)

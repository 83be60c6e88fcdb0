"""The shape of bounded histograms: total over [limit over] shares over contributions over rows, or a count of rows."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from dpproxy.plan.private_plan import Bounded, Limit, Measure
from dpproxy.rewrite.checker.clip import clamp, is_total
from dpproxy.rewrite.checker.fault import CheckFault, require
from dpproxy.rewrite.checker.held import WHOLE, Held, Kind
from dpproxy.rewrite.checker.limits import (
    check_filters,
    check_kept,
    check_rank,
    check_reason,
    check_steps,
    check_texts,
    unfiltered,
)
from dpproxy.rewrite.checker.relations import UNIT, Relation
from dpproxy.rewrite.checker.samples import check_sample
from dpproxy.rewrite.checker.scope import CheckContext
from dpproxy.rewrite.checker.syntax import bare, derived, filtered, grouped, integer, null_test, only, plain, query_of
from dpproxy.rewrite.checker.total import Total
from dpproxy.rewrite.checker.units_in_blocks import unit_of

BUCKET = "b"
MOST = 2**62
MOST_ROWS = 2**31 - 1
MOST_BUCKETS = 2**30
SUBSTITUTED = 2


@dataclass(frozen=True, slots=True)
class _Counted:
    """The rows, the filter on public keys over them, and what a limit step is ordered by."""

    rows: Relation
    conditions: list[exp.Expr]
    ordered: list[exp.Expr]


def check_histogram(total: exp.Select, bounded: Bounded, context: CheckContext) -> None:
    """Claim: if nothing is raised, removing one unit changes the histogram in at most `bounded.groups` keys, and in
    each by at most `measure.upper` in sum over its buckets.

    Because: with one row per unit, that row is in one bucket of one key, and counts as one. Else a unit's rows in a key
    are counted by bucket, c each and at most MOST_ROWS, in MOST_BUCKETS buckets at most; n, the sum of these counts
    over the unit and the key, is not clamped, since it is 2^61 at most. What each bucket gets, the whole part of
    c·upper/n, adds up to no more than `upper`. The keys are held to `groups` as for any measure.
    Of blocks' answers, which have no keys: a unit's rows are in one block (`level`), whose one row changes, or comes,
    or goes. So one bucket loses one at most, and one gains one: SUBSTITUTED in sum, not all one way.
    Checked by: tests/test_quantiles.py::test_loosened_histograms_are_refused, tests/test_sample_aggregate.py.
    """
    require(len(bounded.measures) == 1 and not bounded.counts_units, "a histogram beside other measures")
    (measure,) = bounded.measures
    require(measure.lower == 0 and 1 <= measure.upper <= MOST_ROWS, "a histogram that a unit weighs nothing in")
    if bounded.blocks is not None:
        require(measure.upper == SUBSTITUTED and not bounded.keys, "answers of blocks that move by less than two")
        found = _counts(total, bounded, measure, context)
    elif total.args.get("where") is None:
        found = _shared(total, bounded, measure, context)
    else:
        found = _counts(total, bounded, measure, context)
    least, most = found.rows.ranged(BUCKET)
    require(most - least < MOST_BUCKETS, "a histogram of too many buckets")
    check_filters(found.conditions, bounded, found.rows, context)
    check_steps([*found.ordered, *found.conditions], found.rows, bounded, context)
    check_reason(bounded, found.rows, context.releases)


def _counts(total: exp.Select, bounded: Bounded, measure: Measure, context: CheckContext) -> _Counted:
    """SELECT keys, b, COUNT(*) AS m0 FROM (rows) WHERE b IS NOT NULL GROUP BY keys, b, of one row per unit."""
    only(total, "expressions", "from_", "where", "group")
    require(_is_count(_last(total, bounded, measure.name)), "the histogram does not count rows")
    _check_there(total)
    conditions, source = unfiltered(query_of(total))
    rows = _rows(source, bounded, context)
    require(rows.one_row and bounded.limit is not Limit.KEYS_LIMITED, "not proved: one row per unit")
    return _Counted(rows, conditions, [])


def _shared(total: exp.Select, bounded: Bounded, measure: Measure, context: CheckContext) -> _Counted:
    only(total, "expressions", "from_", "group")
    require(is_total(_last(total, bounded, measure.name), measure.name), f"{measure.name} is no total")
    names = [*(key.name for key in bounded.keys), BUCKET, measure.name]
    shares, conditions, limited = derived(total), list[exp.Expr](), bounded.limit is Limit.KEYS_LIMITED
    if limited:
        only(shares, "expressions", "from_", "where")
        require([plain(item) for item in shares.expressions] == names, "the limit step carries other columns")
        conditions, shares = filtered(shares), derived(shares)
    only(shares, "expressions", "from_")
    carried, rest = shares.expressions[: len(names) - 1], shares.expressions[len(names) - 1 :]
    require([plain(item) for item in carried] == names[:-1], "the shares carry other columns")
    require(len(rest) == 1 + limited, "the shares carry other columns")
    ordered = _ranked(rest[1], conditions, names, bounded) if limited else []
    kept, inner = unfiltered(query_of(shares))
    rows = _contributed(inner, bounded, measure, context)
    _check_share(_named(rest[0], measure.name), bounded, rows, context)
    if limited:
        check_texts(shares, rows)
    return _Counted(rows, kept, ordered)


def _ranked(rank: exp.Expr, kept: list[exp.Expr], names: list[str], bounded: Bounded) -> list[exp.Expr]:
    """What the keys of a unit are ordered by, of which the first `groups` are kept."""
    name = rank.alias if type(rank) is exp.Alias else ""
    require(name and name.lower() not in (UNIT, *names), "the rank has no name of its own")
    ordered = check_rank(rank.this, exp.DenseRank, [UNIT], names[:-2])
    check_kept(kept, [(name, bounded.groups)])
    return ordered


def _check_share(node: exp.Expr, bounded: Bounded, rows: Relation, context: CheckContext) -> None:
    """m0 * upper // CAST(LEAST(GREATEST(SUM(m0) OVER (PARTITION BY u, keys), 1), 2^62) AS BIGINT), in whole numbers."""
    (measure,), keys = bounded.measures, [UNIT, *(key.name for key in bounded.keys)]
    require(type(node) in (exp.IntDiv, exp.Div), "a share that is no quotient")
    product, cast = bare(node.this), bare(node.expression)
    of_rows = type(product) is exp.Mul and plain(bare(product.this)) == measure.name
    require(of_rows and integer(bare(product.expression)) == measure.upper, "a share of more than a unit weighs")
    clamped = clamp(cast.this) if type(cast) is exp.Cast and cast.to.this is exp.DataType.Type.BIGINT else None
    if clamped is None or clamped[1:] != (1, MOST):
        raise CheckFault("a share of rows that may be none")
    window = clamped[0]
    summed = type(window) is exp.Window and type(window.this) is exp.Sum and plain(window.this.this) == measure.name
    require(summed and not window.args.get("order") and not window.args.get("spec"), "a share of other rows")
    parts = [plain(part) for part in window.args.get("partition_by") or []]
    require(parts == keys, "a share of the rows of others")
    held = {**{name: rows.columns[name].held for name in keys}, measure.name: Held(Kind.BIGINT, 0, MOST_ROWS)}
    share = Total(lambda column: held.get(plain(column) or ""), context.engine)(node)
    require(share.kind in WHOLE, "a share that is rounded")


def _contributed(inner: exp.Expr, bounded: Bounded, measure: Measure, context: CheckContext) -> Relation:
    """The rows, which are counted by unit, keys and bucket."""
    only(inner, "expressions", "from_", "where", "group")
    names = [UNIT, *(key.name for key in bounded.keys), BUCKET]
    carried, rest = inner.expressions[: len(names)], inner.expressions[len(names) :]
    require([plain(item) for item in carried] == names and len(rest) == 1, "contributions carry other columns")
    require([plain(part) for part in grouped(inner)] == names, "contributions are not by unit, keys and bucket")
    clamped = clamp(_named(rest[0], measure.name))
    counts = clamped is not None and _is_count(clamped[0]) and clamped[1:] == (0, MOST_ROWS)
    require(counts, "contributions do not count rows")
    _check_there(inner)
    return _rows(query_of(inner), bounded, context)


def _rows(query: exp.Expr, bounded: Bounded, context: CheckContext) -> Relation:
    rows = context.relation(query, context)
    require(rows.unit == unit_of(bounded.unit, bounded.blocks), "the rows are of another unit")
    check_sample(rows, bounded)
    names = [UNIT, *(key.name for key in bounded.keys), BUCKET]
    require(list(rows.columns) == names, "the rows do not carry unit, keys and bucket")
    return rows


def _last(total: exp.Select, bounded: Bounded, name: str) -> exp.Expr:
    """The last item, after keys and bucket, by which it is grouped."""
    names = [*(key.name for key in bounded.keys), BUCKET]
    require([plain(part) for part in grouped(total)] == names, "the histogram is not by keys and bucket")
    carried, rest = total.expressions[: len(names)], total.expressions[len(names) :]
    require([plain(item) for item in carried] == names and len(rest) == 1, "the histogram has other columns")
    return _named(rest[0], name)


def _check_there(select: exp.Expr) -> None:
    """Rows without a value are in no bucket."""
    tests = [null_test(condition) for condition in filtered(select)]
    require([found and (plain(found[0]), found[1]) for found in tests] == [(BUCKET, False)], "NULL is a bucket")


def _named(item: exp.Expr, name: str) -> exp.Expr:
    if type(item) is not exp.Alias or item.alias != name:
        raise CheckFault(f"{name} is not where it belongs")
    inner: exp.Expr = item.this
    return inner


def _is_count(node: object) -> bool:
    return type(node) is exp.Count and type(node.this) is exp.Star

"""Histograms over private rows: a release of its own, beside those of the other aggregates.

A unit weighs as one in each of its keys, however many rows it has there: each bucket that it is in has its share of
them. With one row per unit that is a count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from sqlglot import exp

from dpproxy.catalog.types import BIGINT
from dpproxy.engines.dialects import dialect_of
from dpproxy.plan.grids import Grid
from dpproxy.plan.private_plan import Bounded, Key, Limit, Measure, MeasureKind
from dpproxy.rewrite import algebra
from dpproxy.rewrite.calculus.relations import UNIT, Joined
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.expressions.trees.build import cast, computed, number
from dpproxy.rewrite.releases.bound import first, is_open_text, kept, mixed, ranked, rows_of
from dpproxy.rewrite.releases.keys import Keyed, capped, limit_of
from dpproxy.rewrite.releases.totals import held
from dpproxy.rewrite.releases.unit_index import asked

BUCKET: Final = "b"
COUNTED: Final = "m0"
WHOLE: Final = 2**16
"""What a unit weighs, where its rows may be in several buckets."""
_MOST: Final = 2**62
_MOST_ROWS: Final = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Histogram:
    """What is counted, by bucket: `bucket` is its number, NULL where a row has no value."""

    bucket: exp.Expression
    grid: Grid
    label: str


def bound_histogram(
    joined: Joined, keyed: Sequence[Keyed], known: Sequence[Key], histogram: Histogram, context: PlanningContext
) -> Bounded:
    """The bounded SQL of a histogram over the keys `known`, which are those of `keyed`.

    Claim: removing the rows of one unit changes the histogram in at most `groups` keys, and in each by at most
    `measure.upper` in sum over its buckets. Because: with one row, by one in the bucket of that row. Else a bucket that
    c of a unit's n rows in a key are in gets the whole part of c·WHOLE/n, and n is the sum of all c; keys are limited
    as ever. Checked by: tests/test_neighbours.py, tests/test_quantiles.py and `rewrite.checker`.
    """
    rowset, names, dialect = joined.rowset, [key.name for key in known], context.dialect
    groups, limit = limit_of(keyed, rowset.one_row, capped(rowset.groups))
    texts = [k.value for k in keyed if is_open_text(k.key)]
    rows = rows_of(joined, keyed, [algebra.Item(BUCKET, histogram.bucket)], texts, dialect)
    declared = [k.key for k in keyed]
    if rowset.one_row:
        tree = _counts(kept(rows, declared, None, dialect), names)
    else:
        shares = _shares(kept(_contributions(rows, names), declared, None, dialect), known, limit, dialect)
        carried = tuple(map(_as_it_is, (*names, BUCKET, COUNTED)))
        limited = first(carried, shares, {"g": groups}) if limit is Limit.KEYS_LIMITED else shares
        tree = _total(limited, names)
    whole = 1 if rowset.one_row else WHOLE
    measure = Measure(
        COUNTED, MeasureKind.HISTOGRAM, 0, whole, Decimal(1) / whole, Decimal(0), histogram.label
    )  # fmt: skip
    query = asked(tree, context)
    return Bounded(
        query.sql, rowset.unit or "", tuple(known), (measure,), False, groups, rowset.rows, limit,
        rowset.notes, query.inputs, sample=rowset.sample, plain=query.plain,
    )  # fmt: skip


def _counts(rows: algebra.Select, names: Sequence[str]) -> algebra.Select:
    """How many units each bucket of a key has, of one row each."""
    by = (*names, BUCKET)
    counted = algebra.Item(COUNTED, exp.Count(this=exp.Star()))
    return algebra.Select((*map(_as_it_is, by), counted), _there(rows, "r"), by=by)


def _contributions(rows: algebra.Select, names: Sequence[str]) -> algebra.Select:
    """How many rows a unit has in each bucket of a key."""
    by = (UNIT, *names, BUCKET)
    counted = algebra.Item(COUNTED, held(exp.Count(this=exp.Star()), 0, _MOST_ROWS))
    return algebra.Select((*map(_as_it_is, by), counted), _there(rows, "r"), by=by)


def _shares(contributions: algebra.Select, known: Sequence[Key], limit: Limit, dialect: str) -> algebra.Select:
    """What the unit weighs there: its rows' share of those that it has in the key."""
    names = [key.name for key in known]
    partition = [exp.column(name) for name in (UNIT, *names)]
    rows = exp.Window(this=exp.Sum(this=exp.column(COUNTED)), partition_by=partition, over="OVER")
    whole = cast(held(rows, 1, _MOST), BIGINT)
    product = computed(exp.Mul, exp.column(COUNTED), number(WHOLE), BIGINT)
    share = dialect_of(dialect).total(computed(exp.IntDiv, product, whole, BIGINT))
    items = [*map(_as_it_is, (*names, BUCKET)), algebra.Item(COUNTED, share)]
    if limit is Limit.KEYS_LIMITED:
        by_key = [mixed([(key.name, key.type.family) for key in known], dialect_of(dialect)), *map(exp.column, names)]
        items.append(algebra.Item("g", ranked(exp.DenseRank(), [UNIT], by_key)))
    return algebra.Select(tuple(items), algebra.of(contributions, "c"))


def _total(shares: algebra.Select, names: Sequence[str]) -> algebra.Select:
    added = exp.Coalesce(this=exp.Sum(this=exp.column(COUNTED)), expressions=[number(0)])
    total = algebra.Item(COUNTED, cast(held(added, -_MOST, _MOST), BIGINT))
    by = (*names, BUCKET)
    return algebra.Select((*map(_as_it_is, by), total), algebra.of(shares, "l"), by=by)


def _there(rows: algebra.Select, alias: str) -> algebra.JoinedRows:
    there = exp.Is(this=exp.column(BUCKET), expression=exp.Null(), negate=True)
    return replace(algebra.of(rows, alias), where=(there,))


def _as_it_is(name: str) -> algebra.Item:
    return algebra.Item(name, exp.column(name))

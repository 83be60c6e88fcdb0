"""Totals by the norm of a unit's contributions: what every clip of them follows from.

    contributions   a row per unit and key, whole numbers
    norms           beside each, over all rows of its unit: for each measure the norm (or its square), the row's number,
                    how many rows there are
    buckets         norms as buckets, the number as whether the row is the unit's first, the rows as the unit's weight
                    (where the engine is quicker so: norms are aggregated by unit, made buckets, and joined)
    totals          by key, and by the bucket of each measure in turn

Result columns: the keys, `n` (weights of the key, or units, only with private keys), `c` (units whose first row it is),
a bucket for each measure, of which all but one are NULL, and the measures' totals, of which that one counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import assert_never

from sqlglot import exp

from dpproxy.catalog.types import BIGINT, DOUBLE, INTEGER
from dpproxy.mechanisms.norms import Norm
from dpproxy.mechanisms.spread_selection import MOST_LONELY, WHOLE
from dpproxy.plan.private_plan import Measure
from dpproxy.rewrite import algebra
from dpproxy.rewrite.algebra import Item
from dpproxy.rewrite.calculus.relations import UNIT
from dpproxy.rewrite.expressions.trees.build import cast, number
from dpproxy.rewrite.releases.measured import is_wide
from dpproxy.rewrite.releases.totals import counted, itself, summed, total, wide_total

_ALL = "a"
"""What contributions are called that are read twice."""
_OF_NORM, _OF_SQUARE = "11.541560327111707", "5.7707801635558535"
"""8/log 2 and 4/log 2: eight buckets to a doubling."""


def totals_by_norm(
    contributions: algebra.Select,
    keys: Sequence[str],
    measures: Sequence[Measure],
    norm: Norm,
    spread: Norm | None,
    wide: exp.DataType,
) -> algebra.Select:
    """Of contributions of which a unit may have several, by windows. spread: how it is spread over private keys; None
    without."""
    numbered = algebra.Select(
        (
            *_handed_on(keys, measures),
            *(Item(each.name, _over_unit(each.value)) for each in _norms_of(measures, norm, wide)),
            Item("r", _over_unit(exp.RowNumber())),
            *(() if spread is None else (Item("d", _over_unit(counted())),)),
        ),
        algebra.of(contributions, "c"),
    )
    weights, buckets = _weights(spread), _buckets(measures, norm)
    first = Item("c", _is_first(exp.column("r"), number(1)))
    bucketed = algebra.Select((*_handed_on(keys, measures), *weights, first, *buckets), algebra.of(numbered, "w"))
    return _totals_of_many(bucketed, keys, measures, spread, wide)


def totals_by_joined_norm(
    contributions: algebra.Select,
    keys: Sequence[str],
    measures: Sequence[Measure],
    norm: Norm,
    spread: Norm | None,
    wide: exp.DataType,
) -> algebra.Select:
    """The same, without windows over a unit: contributions are made once, numbered, and joined with what is aggregated
    of their unit's.

    Claim: the totals are those of `totals_by_norm`. Because: numbers differ, and are the same wherever they are read;
    so one contribution of a unit has the least of its numbers. A contribution meets its own unit's row alone.
    Checked by: tests/test_joined_norms.py.
    """
    numbered = algebra.Select(
        (itself(UNIT), *_handed_on(keys, measures), Item("r", exp.Window(this=exp.RowNumber(), over="OVER"))),
        algebra.of(contributions, "c"),
    )
    shared = algebra.Source(algebra.Shared(_ALL), _ALL)
    norms = algebra.Select(
        (
            itself(UNIT),
            *_norms_of(measures, norm, wide),
            Item("r", exp.Min(this=exp.column("r"))),
            *(() if spread is None else (Item("d", counted()),)),
        ),
        algebra.JoinedRows(shared),
        by=(UNIT,),
    )
    weights, buckets = _weights(spread), _buckets(measures, norm)
    units = algebra.Select((itself(UNIT), itself("r"), *weights, *buckets), algebra.of(norms, "n"))
    joined = algebra.Select(
        (
            *(_from(_ALL, item.name) for item in _handed_on(keys, measures)),
            *(_from("g", item.name) for item in weights),
            Item("c", _is_first(exp.column("r", _ALL), exp.column("r", "g"))),
            *(_from("g", item.name) for item in buckets),
        ),
        algebra.JoinedRows(shared, (_of_same_unit(algebra.Source(units, "g")),)),
    )
    return _totals_of_many(algebra.Sharing(_ALL, numbered, joined), keys, measures, spread, wide)


def _from(source: str, name: str) -> Item:
    return Item(name, exp.column(name, source))


def _of_same_unit(source: algebra.Source) -> algebra.Join:
    same = exp.EQ(this=exp.column(UNIT, _ALL), expression=exp.column(UNIT, source.name))
    return algebra.Join(algebra.JoinKind.INNER, source, (same,))


def _is_first(one: exp.Expression, other: exp.Expression) -> exp.Expression:
    """1 where the numbers are the same, else 0."""
    is_first = exp.EQ(this=one, expression=other)
    return exp.Case(ifs=[exp.If(this=is_first, true=number(1))], default=number(0))


def _weights(spread: Norm | None) -> tuple[Item, ...]:
    return () if spread is None else (Item("w", _weight(spread)),)


def _buckets(measures: Sequence[Measure], norm: Norm) -> tuple[Item, ...]:
    return tuple(Item(f"b{index}", _bucket_of(index, each, norm)) for index, each in enumerate(measures))


def _totals_of_many(
    bucketed: algebra.Relation,
    keys: Sequence[str],
    measures: Sequence[Measure],
    spread: Norm | None,
    wide: exp.DataType,
) -> algebra.Select:
    units = () if spread is None else (Item("n", summed("w")),)
    return _totals(bucketed, keys, measures, (*units, Item("c", summed("c"))), wide)


def totals_of_single(
    contributions: algebra.Select,
    keys: Sequence[str],
    measures: Sequence[Measure],
    counts_units: bool,
    wide: exp.DataType,
) -> algebra.Select:
    """Of contributions of which a unit has one at most: its size is its norm, of either kind."""
    bucketed = algebra.Select(
        (
            *_handed_on(keys, measures),
            *(Item(f"b{index}", bucket(_size(each.name), Norm.L1)) for index, each in enumerate(measures)),
        ),
        algebra.of(contributions, "c"),
    )
    units = (Item("n", counted()),) if counts_units else ()
    return _totals(bucketed, keys, measures, (*units, Item("c", counted())), wide)


def _totals(
    bucketed: algebra.Relation,
    keys: Sequence[str],
    measures: Sequence[Measure],
    units: tuple[Item, ...],
    wide: exp.DataType,
) -> algebra.Select:
    buckets = tuple(f"b{index}" for index in range(len(measures)))
    totals = (wide_total(each.name, wide) if is_wide(each) else total(each.name) for each in measures)
    added = (Item(each.name, value) for each, value in zip(measures, totals, strict=True))
    items = (*map(itself, keys), *units, *map(itself, buckets), *added)
    return algebra.Select(items, algebra.of(bucketed, "t"), by=tuple(keys), or_by=buckets)


def _over_unit(function: exp.Expression) -> exp.Expression:
    """function OVER (PARTITION BY the unit)."""
    return exp.Window(this=function, partition_by=[exp.column(UNIT)], over="OVER")


def _handed_on(keys: Sequence[str], measures: Sequence[Measure]) -> Iterator[Item]:
    return map(itself, (*keys, *(each.name for each in measures)))


def _norms_of(measures: Sequence[Measure], norm: Norm, wide: exp.DataType) -> Iterator[Item]:
    for index, each in enumerate(measures):
        yield from _norms(index, each, norm, wide)


def _norms(index: int, measure: Measure, norm: Norm, wide: exp.DataType) -> tuple[Item, ...]:
    """Of a unit's contributions: the norm, or its square, whole numbers, so that their order tells nothing. Where
    squares have no room, what the square of the L2 norm is no more than: the sum of sizes, and the largest, whose
    product that is."""
    name, sizes = measure.name, exp.Sum(this=_size(measure.name))
    match norm:
        case Norm.L1:
            return (Item(f"s{index}", sizes),)
        case Norm.L2 if is_wide(measure):
            largest = exp.Max(this=_size(name))
            return (Item(f"s{index}", sizes), Item(f"t{index}", largest))
        case Norm.L2:
            wider = exp.Cast(this=exp.column(name), to=wide.copy())
            squares = exp.Sum(this=exp.Mul(this=wider, expression=exp.column(name)))
            return (Item(f"s{index}", squares),)
        case _:
            assert_never(norm)


def _bucket_of(index: int, measure: Measure, norm: Norm) -> exp.Expression:
    """The bucket by what `_norms` found."""
    if norm is Norm.L2 and is_wide(measure):
        both = exp.Add(this=_logarithm(exp.column(f"s{index}")), expression=_logarithm(exp.column(f"t{index}")))
        return _eighths(exp.Paren(this=both), _OF_SQUARE)
    return bucket(exp.column(f"s{index}"), norm)


def _size(name: str) -> exp.Expression:
    return exp.Abs(this=exp.column(name))


def bucket(size: exp.Expression, norm: Norm) -> exp.Expression:
    """⌈8·log2(norm)⌉, by the norm or, for L2, by its square."""
    return _eighths(_logarithm(size), _OF_NORM if norm is Norm.L1 else _OF_SQUARE)


def _logarithm(size: exp.Expression) -> exp.Expression:
    above = exp.Greatest(this=size, expressions=[number(1)], ignore_nulls=True)
    return exp.Ln(this=cast(above, DOUBLE))


def _eighths(logarithm: exp.Expression, factor: str) -> exp.Expression:
    return cast(exp.Ceil(this=exp.Mul(this=logarithm, expression=exp.Literal.number(factor))), INTEGER)


def _weight(spread: Norm) -> exp.Expression:
    """How many parts a unit adds to each of its d keys (`mechanisms.spread_selection.weight`)."""
    rows: exp.Expression = cast(exp.column("d"), DOUBLE)
    cut = rows if spread is Norm.L1 else exp.Sqrt(this=rows)
    share = exp.Div(this=number(WHOLE), expression=cut, typed=True, safe=False)
    many = exp.GT(this=exp.column("d"), expression=number(MOST_LONELY))
    return exp.Case(ifs=[exp.If(this=many, true=number(0))], default=cast(exp.Floor(this=share), BIGINT))

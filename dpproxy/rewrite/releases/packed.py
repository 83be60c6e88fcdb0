"""Totals of a unit's counts in a few known keys: a row for each unit, whose sums hold three counts each.

    packed    a row per unit: SUM(CASE WHEN k0 = 'a' THEN 1 WHEN k0 = 'b' THEN 2^31 WHEN k0 = 'c' THEN 2^62 END)
    counts    what each 31 bits of the sums say, a column for each key

Where units are scaled down:

    buckets   the norm of these counts, as a bucket, beside them
    totals    a row for each bucket
    result    a row for each bucket and key, as `clipped` has it; a bucket's units are told with the first key

Where caps hold, counts are held to the cap, and there is one row of totals, told as a row for each key.

With a row per unit and key there would be several times as many groups, whose norms have to be found by a second
grouping. It is by rule, and not by rows: rows are counted, and nothing else, by one key of at most six known values, so
that there are two sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Final, assert_never

from sqlglot import exp

from dpproxy.catalog.types import BIGINT, Family
from dpproxy.engines.dialects import Dialect
from dpproxy.mechanisms.norms import Norm
from dpproxy.plan.private_plan import UNCAPPED, Key, Literals, Measure, MeasureKind
from dpproxy.rewrite import algebra
from dpproxy.rewrite.algebra import Item
from dpproxy.rewrite.calculus.relations import UNIT
from dpproxy.rewrite.expressions.trees.build import cast, number
from dpproxy.rewrite.literals import literal
from dpproxy.rewrite.releases.clipped import bucket
from dpproxy.rewrite.releases.totals import counted, itself, or_zero, total
from dpproxy.rows import Value

BITS: Final = 31
IN_ONE: Final = 3
"""Counts of one sum: what a row adds is no more than 2^62, and a sum of 2^63 such has room in 128 bits."""
_KEYS = range(2, 2 * IN_ONE + 1)
_FAMILIES = (Family.TEXT, Family.INTEGER, Family.BOOLEAN)


def packed_values(keys: Sequence[Key], measures: Sequence[Measure], dialect: Dialect) -> tuple[Value, ...] | None:
    """The values of the one key whose counts may be packed; None where the release asks for anything else."""
    if not dialect.packs_counts or len(keys) != 1 or len(measures) != 1:
        return None
    (key,), (measure,) = keys, measures
    domain = key.domain
    if measure.kind is not MeasureKind.ROWS or not isinstance(domain, Literals) or key.type.family not in _FAMILIES:
        return None
    return domain.values if len(domain.values) in _KEYS else None


def packed_uncapped(keys: Sequence[Key], measures: Sequence[Measure], dialect: Dialect) -> tuple[Value, ...] | None:
    """The same, of rows that nobody capped."""
    return packed_values(keys, measures, dialect) if all(each.upper == UNCAPPED for each in measures) else None


def totals_of_packed(
    rows: algebra.Select, key: str, values: Sequence[Value], norm: Norm, wide: exp.DataType
) -> algebra.Select:
    """The totals of `clipped.totals_by_norm`, of rows that are counted by these values of a key.

    Claim: all that a unit adds to is in rows of one bucket, and what it adds there, a number of each key, has a norm up
    to the bucket's edge. Because: the numbers are of one row of the unit, whatever bits they are made of, and so is the
    bucket, by the norm of all of them. They count its rows where it has fewer than 2^31 of each key.
    Checked by: tests/test_packed_counts.py, tests/test_clipped_neighbours.py.
    """
    counts = _names(values)
    unpacked = _unpacked(rows, key, values, [_count(index) for index in range(len(values))])
    bucketed = algebra.Select(
        (*map(itself, counts), Item("b0", bucket(_norm(counts, norm, wide), norm))), algebra.of(unpacked, "c")
    )
    totals = algebra.Select(
        (itself("b0"), Item("c", counted()), *(Item(name, total(name)) for name in counts)),
        algebra.of(bucketed, "w"),
        by=("b0",),
    )
    place = exp.column("i", "v")
    first = exp.Case(
        ifs=[exp.If(this=exp.EQ(this=place, expression=number(0)), true=exp.column("c", "t"))], default=number(0)
    )
    return _by_key(totals, key, values, (Item("c", first), Item("b0", exp.column("b0", "t"))))


def held_totals_of_packed(rows: algebra.Select, key: str, values: Sequence[Value], most: int) -> algebra.Select:
    """The totals of rows that are counted by these values of a key, of each unit `most` in each.

    Claim: a unit moves the total of each key by `most` at most. Because: it has one row, of which each number is in
    [0, most], whatever bits it is made of. They count its rows where it has fewer than 2^31 of each key.
    Checked by: tests/test_packed_counts.py, tests/test_neighbours.py.
    """
    counts = _names(values)
    kept = [
        exp.Least(this=_count(index), expressions=[number(most)], ignore_nulls=True) for index in range(len(values))
    ]
    unpacked = _unpacked(rows, key, values, kept)
    totals = algebra.Select(tuple(Item(name, total(name)) for name in counts), algebra.of(unpacked, "c"))
    return _by_key(totals, key, values, ())


def _names(values: Sequence[Value]) -> list[str]:
    """What the counts of these keys are called."""
    return [f"p{index}" for index in range(len(values))]


def _unpacked(
    rows: algebra.Select, key: str, values: Sequence[Value], numbers: Sequence[exp.Expression]
) -> algebra.Select:
    """`numbers` of each unit that has a row in one of the keys, read of its sums."""
    sums = [f"s{index}" for index in range(-(-len(values) // IN_ONE))]
    packed = algebra.Select((itself(UNIT), *_sums(key, values, sums)), algebra.of(rows, "r"), by=(UNIT,))
    there = reduce(lambda one, other: exp.Or(this=one, expression=other), map(_is_there, sums))
    items = tuple(Item(name, each) for name, each in zip(_names(values), numbers, strict=True))
    return algebra.Select(items, algebra.JoinedRows(algebra.Source(packed, "q"), where=(there,)))


def _sums(key: str, values: Sequence[Value], sums: Sequence[str]) -> list[Item]:
    cases = [
        exp.If(this=_is(key, value), true=number(2 ** (BITS * (index % IN_ONE)))) for index, value in enumerate(values)
    ]
    return [
        Item(name, exp.Sum(this=exp.Case(ifs=cases[index * IN_ONE : (index + 1) * IN_ONE])))
        for index, name in enumerate(sums)
    ]


def _is(key: str, value: Value) -> exp.Expression:
    if value is None:
        return exp.Is(this=exp.column(key), expression=exp.Null())
    return exp.EQ(this=exp.column(key), expression=literal(value))


def _is_there(name: str) -> exp.Expression:
    """Whether a unit has a row in one of the keys."""
    return exp.Is(this=exp.column(name), expression=exp.Null(), negate=True)


def _count(index: int) -> exp.Expression:
    """What 31 bits say."""
    found, bits = or_zero(exp.column(f"s{index // IN_ONE}")), BITS * (index % IN_ONE)
    moved = exp.Paren(this=exp.BitwiseRightShift(this=found, expression=number(bits))) if bits else found
    return cast(exp.BitwiseAnd(this=moved, expression=number(2**BITS - 1)), BIGINT)


def _norm(counts: Sequence[str], norm: Norm, wide: exp.DataType) -> exp.Expression:
    """The norm of one row's numbers, none below 0, or its square."""
    match norm:
        case Norm.L1:
            parts: list[exp.Expression] = [exp.column(name) for name in counts]
        case Norm.L2:
            parts = [
                exp.Mul(this=exp.Cast(this=exp.column(name), to=wide.copy()), expression=exp.column(name))
                for name in counts
            ]
        case _:
            assert_never(norm)
    return reduce(lambda one, other: exp.Add(this=one, expression=other), parts)


def _by_key(totals: algebra.Select, key: str, values: Sequence[Value], beside: Sequence[Item]) -> algebra.Select:
    """A row for each key of each row of totals, with what is told `beside` it."""
    place = exp.column("i", "v")
    own = [
        exp.If(this=exp.EQ(this=place, expression=number(index)), true=exp.column(name, "t"))
        for index, name in enumerate(_names(values))
    ]
    items = (Item(key, exp.column(key, "v")), *beside, Item("m0", exp.Case(ifs=own)))
    rows = tuple((number(index), literal(value)) for index, value in enumerate(values))
    keys = algebra.Source(algebra.Constants(("i", key), rows), "v")
    return algebra.Select(
        items, algebra.JoinedRows(algebra.Source(totals, "t"), (algebra.Join(algebra.JoinKind.INNER, keys),))
    )

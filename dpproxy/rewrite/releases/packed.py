"""Totals of a unit's counts in a few known keys: a row for each unit, whose sums hold three counts each, or which has
a column for each, as the dialect says.

    packed    a row per unit: SUM(CASE WHEN k0 = 'a' THEN 1 WHEN k0 = 'b' THEN 2^31 WHEN k0 = 'c' THEN 2^62 END)
              or, a column for each: COUNT(CASE WHEN k0 = 'a' THEN 1 END), …
    counts    what each 31 bits of the sums say, or these columns, held below 2^31: a column for each key

Where units are scaled down:

    buckets   the norm of these counts, as a bucket, beside them
    totals    a row for each bucket
    result    a row for each bucket and key, as `clipped` has it; a bucket's units are told with the first key

Where caps hold, counts are held to the cap, and there is one row of totals, told as a row for each key. Where a cap is
declared, whether it holds or a clip is chosen up to it, four to six counts are in one sum, with 20, 15 or 12 bits each,
if that is many times the cap.

With a row per unit and key there would be several times as many groups, whose norms have to be found by a second
grouping. It is by rule, and not by rows: rows are counted, and nothing else, by one key of at most six known values, so
that there are two sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Final, assert_never

from sqlglot import exp

from dpproxy.catalog.types import BIGINT, Family
from dpproxy.engines.dialects import Dialect, Packing
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

_KEYS = range(2, 7)
_BITS_OF_ROW: Final = 62
"""What a row adds is no more than 2^62, and a sum of 2^63 such has room in 128 bits."""
_TIMES_THE_CAP: Final = 256
"""Who has so many times the rows that count is counted for some number of them, and no longer for the cap."""
_FAMILIES = (Family.TEXT, Family.INTEGER, Family.BOOLEAN)


@dataclass(frozen=True, slots=True)
class Layout:
    """How many bits each count has, and how many counts a sum has; of one that stands by itself it is no sum."""

    bits: int
    in_one: int

    @property
    def apart(self) -> bool:
        """Whether each count has a column of its own."""
        return self.in_one == 1

    def sums(self, values: Sequence[Value]) -> list[str]:
        """What the sums of these keys are called."""
        return [f"s{index}" for index in range(-(-len(values) // self.in_one))]

    def place(self, index: int) -> tuple[str, int]:
        """The sum that has a count, and at which bit it begins."""
        return f"s{index // self.in_one}", self.bits * (index % self.in_one)


@dataclass(frozen=True, slots=True)
class Numbers:
    """A measure's numbers in one row of a unit: what the one of each value of the key is called; whether any may be
    below 0."""

    names: tuple[str, ...]
    signed: bool = False


WIDE: Final = Layout(31, 3)
APART: Final = Layout(31, 1)


def layout_of(values: Sequence[Value], most: int | None, dialect: Dialect) -> Layout:
    """Of counts of which a unit is declared to have `most`, or nobody knows how many."""
    match dialect.packs_counts:
        case Packing.BITS | None:
            return WIDE if most is None else layout_within(values, most)
        case Packing.COLUMNS:
            return APART
        case _:
            assert_never(dialect.packs_counts)


def layout_within(values: Sequence[Value], most: int) -> Layout:
    """All in one sum, if that leaves room for many times as many as a unit is declared to have."""
    if len(values) <= WIDE.in_one:
        return WIDE
    bits = _BITS_OF_ROW // (len(values) - 1)
    return Layout(bits, len(values)) if 2**bits >= _TIMES_THE_CAP * most else WIDE


def packed_values(keys: Sequence[Key], measures: Sequence[Measure], dialect: Dialect) -> tuple[Value, ...] | None:
    """The values of the one key whose counts may be packed; None where the release asks for anything else."""
    if dialect.packs_counts is None or [measure.kind for measure in measures] != [MeasureKind.ROWS]:
        return None
    return few_values(keys)


def few_values(keys: Sequence[Key]) -> tuple[Value, ...] | None:
    """The values of the one key, if they are known, few, and written alike everywhere."""
    if len(keys) != 1 or keys[0].type.family not in _FAMILIES:
        return None
    domain = keys[0].domain
    return domain.values if isinstance(domain, Literals) and len(domain.values) in _KEYS else None


def packed_uncapped(keys: Sequence[Key], measures: Sequence[Measure], dialect: Dialect) -> tuple[Value, ...] | None:
    """The same, of rows that nobody capped."""
    return packed_values(keys, measures, dialect) if all(each.upper == UNCAPPED for each in measures) else None


def totals_of_packed(
    rows: algebra.Select, key: str, values: Sequence[Value], layout: Layout, norm: Norm, wide: exp.DataType
) -> algebra.Select:
    """The totals of `clipped.totals_by_norm`, of rows that are counted by these values of a key.

    Claim: all that a unit adds to is in rows of one bucket, and what it adds there, a number of each key, has a norm up
    to the bucket's edge. Because: the numbers are of one row of the unit, whatever bits they are made of, and so is the
    bucket, by the norm of all of them. They count its rows where it has fewer of each key than the bits have room for.
    Checked by: tests/test_packed_counts.py, tests/test_clipped_neighbours.py.
    """
    unpacked = _unpacked(rows, key, values, layout, [_count(index, layout) for index in range(len(values))])
    return scaled_totals(unpacked, key, values, [Numbers(tuple(names_of(values)))], norm, wide)


def scaled_totals(
    rows: algebra.Select,
    key: str,
    values: Sequence[Value],
    measures: Sequence[Numbers],
    norm: Norm,
    wide: exp.DataType,
) -> algebra.Select:
    """Totals of rows of units, one each, of numbers for each of these values, by the norm of all that are a measure's,
    of each measure in turn."""
    names = [name for each in measures for name in each.names]
    buckets = {f"b{index}": bucket(_norm(each, norm, wide), norm) for index, each in enumerate(measures)}
    bucketed = algebra.Select(
        (*map(itself, names), *(Item(name, each) for name, each in buckets.items())), algebra.of(rows, "c")
    )
    totals = algebra.Select(
        (*map(itself, buckets), Item("c", counted()), *(Item(name, total(name)) for name in names)),
        algebra.of(bucketed, "w"),
        or_by=tuple(buckets),
    )
    place = exp.column("i", "v")
    first = exp.Case(
        ifs=[exp.If(this=exp.EQ(this=place, expression=number(0)), true=exp.column("c", "t"))], default=number(0)
    )
    beside = (Item("c", first), *(Item(name, exp.column(name, "t")) for name in buckets))
    return _by_key(totals, key, values, measures, beside)


def held_totals_of_packed(
    rows: algebra.Select, key: str, values: Sequence[Value], layout: Layout, most: int
) -> algebra.Select:
    """The totals of rows that are counted by these values of a key, of each unit `most` in each.

    Claim: a unit moves the total of each key by `most` at most. Because: it has one row, of which each number is in
    [0, most], whatever bits it is made of. They count its rows, up to `most`, where it has fewer of each key than its
    bits have room for, 256 times as many.
    Checked by: tests/test_packed_within_caps.py, tests/test_neighbours.py.
    """
    kept = [
        _no_more(exp.column(layout.place(index)[0]) if layout.apart else _count(index, layout), most)
        for index in range(len(values))
    ]
    unpacked = _unpacked(rows, key, values, layout, kept)
    return held_totals(unpacked, key, values, [Numbers(tuple(names_of(values)))])


def held_totals(rows: algebra.Select, key: str, values: Sequence[Value], measures: Sequence[Numbers]) -> algebra.Select:
    """Totals of rows of units, one each, of numbers for each of these values."""
    names = [name for each in measures for name in each.names]
    totals = algebra.Select(tuple(Item(name, total(name)) for name in names), algebra.of(rows, "c"))
    return _by_key(totals, key, values, measures, ())


def names_of(values: Sequence[Value]) -> list[str]:
    """What the counts of these keys are called."""
    return [f"p{index}" for index in range(len(values))]


def _unpacked(
    rows: algebra.Select, key: str, values: Sequence[Value], layout: Layout, numbers: Sequence[exp.Expression]
) -> algebra.Select:
    """`numbers` of each unit that has a row in one of the keys, read of its sums."""
    packed = algebra.Select((itself(UNIT), *_sums(key, values, layout)), algebra.of(rows, "r"), by=(UNIT,))
    tests = [_is_there(name, layout) for name in layout.sums(values)]
    there = reduce(lambda one, other: exp.Or(this=one, expression=other), tests)
    items = tuple(Item(name, each) for name, each in zip(names_of(values), numbers, strict=True))
    return algebra.Select(items, algebra.JoinedRows(algebra.Source(packed, "q"), where=(there,)))


def _sums(key: str, values: Sequence[Value], layout: Layout) -> list[Item]:
    cases: dict[str, list[exp.If]] = {name: [] for name in layout.sums(values)}
    for index, value in enumerate(values):
        name, start = layout.place(index)
        cases[name].append(exp.If(this=is_value(key, value), true=number(2**start)))
    added = {name: exp.Case(ifs=ifs) for name, ifs in cases.items()}
    if layout.apart:
        return [Item(name, exp.Count(this=case, big_int=True)) for name, case in added.items()]
    return [Item(name, exp.Sum(this=case)) for name, case in added.items()]


def is_value(key: str, value: Value) -> exp.Expression:
    """The condition that the key has this value, or none."""
    if value is None:
        return exp.Is(this=exp.column(key), expression=exp.Null())
    return exp.EQ(this=exp.column(key), expression=literal(value))


def among(column: exp.Expression, values: Sequence[object]) -> exp.Expression:
    """The condition that a key has one of these values, or none where that is one of them."""
    present = [literal(value) for value in values if value is not None]
    member = exp.In(this=column, expressions=present) if present else exp.false()
    if None not in values:
        return member
    null = exp.Is(this=column.copy(), expression=exp.Null())
    return exp.Or(this=member, expression=null) if present else null


def _is_there(name: str, layout: Layout) -> exp.Expression:
    """Whether a unit has a row in one of the keys."""
    if layout.apart:
        return exp.GT(this=exp.column(name), expression=number(0))
    return exp.Is(this=exp.column(name), expression=exp.Null(), negate=True)


def _count(index: int, layout: Layout) -> exp.Expression:
    """What the bits of one count say; of a column by itself, as many as there are bits for."""
    name, start = layout.place(index)
    if layout.apart:
        return _no_more(exp.column(name), 2**layout.bits - 1)
    found = or_zero(exp.column(name))
    moved = exp.Paren(this=exp.BitwiseRightShift(this=found, expression=number(start))) if start else found
    return cast(exp.BitwiseAnd(this=moved, expression=number(2**layout.bits - 1)), BIGINT)


def _no_more(count: exp.Expression, most: int) -> exp.Expression:
    return exp.Least(this=count, expressions=[number(most)], ignore_nulls=True)


def _norm(measure: Numbers, norm: Norm, wide: exp.DataType) -> exp.Expression:
    """The norm of one row's numbers, or its square."""
    columns = [exp.column(name) for name in measure.names]
    match norm:
        case Norm.L1:
            parts: list[exp.Expression] = [exp.Abs(this=each) if measure.signed else each for each in columns]
        case Norm.L2:
            parts = [exp.Mul(this=exp.Cast(this=each, to=wide.copy()), expression=each.copy()) for each in columns]
        case _:
            assert_never(norm)
    return reduce(lambda one, other: exp.Add(this=one, expression=other), parts)


def _by_key(
    totals: algebra.Select, key: str, values: Sequence[Value], measures: Sequence[Numbers], beside: Sequence[Item]
) -> algebra.Select:
    """A row for each key of each row of totals, with what is told `beside` it."""
    told = tuple(Item(f"m{index}", _in_place(each.names)) for index, each in enumerate(measures))
    rows = tuple((number(index), literal(value)) for index, value in enumerate(values))
    keys = algebra.Source(algebra.Constants(("i", key), rows), "v")
    return algebra.Select(
        (Item(key, exp.column(key, "v")), *beside, *told),
        algebra.JoinedRows(algebra.Source(totals, "t"), (algebra.Join(algebra.JoinKind.INNER, keys),)),
    )


def _in_place(names: Sequence[str]) -> exp.Expression:
    """The total of the key's own number."""
    own = [
        exp.If(this=exp.EQ(this=exp.column("i", "v"), expression=number(index)), true=exp.column(name, "t"))
        for index, name in enumerate(names)
    ]
    return exp.Case(ifs=own)

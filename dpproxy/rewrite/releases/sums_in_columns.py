"""Totals of a unit's sums and counts in a few known keys: a row for each unit, with a column for each key of each.

    units     a row per unit, of rows in whatever key:
              SUM(CASE WHEN k0 = 'a' THEN m0 END) AS p0, …, each held to what it may be (`in_doubles`)
              where units are told of, COUNT(CASE WHEN k0 IN ('a', …) THEN 1 END) AS s0 beside them
    there     of these, units with a row in one of the keys: s0 > 0
    totals    as in `packed`, by the norm of all of a unit's numbers for a measure, or where caps hold, in one row

A row per unit and key would be several times as many, shuffled once to add them up and once more to find their norm.
To choose among rows by their key would copy nearly all of them. More columns take longer than such rows: where caps
hold these are not shuffled for a norm, and it is fewer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from dpproxy.engines.dialects import Dialect, Packing
from dpproxy.mechanisms.norms import Norm
from dpproxy.plan.private_plan import Key
from dpproxy.rewrite import algebra
from dpproxy.rewrite.algebra import Item
from dpproxy.rewrite.calculus.relations import UNIT
from dpproxy.rewrite.expressions.trees.build import number
from dpproxy.rewrite.releases.in_doubles import summed_in_doubles
from dpproxy.rewrite.releases.measured import Measured, is_wide
from dpproxy.rewrite.releases.packed import Numbers, among, few_values, held_totals, is_value, scaled_totals
from dpproxy.rewrite.releases.totals import itself
from dpproxy.rows import Value

MOST_HELD: Final = 12
MOST_SCALED: Final = 24
_ROWS: Final = "s0"
"""How many rows of a unit are in one of the keys."""


def scaled_in_columns(
    rows: algebra.Select, keys: Sequence[Key], measured: Sequence[Measured], norm: Norm, dialect: Dialect
) -> algebra.Select | None:
    """The totals of `clipped.totals_by_norm`, of rows in whatever key; None where the release asks for more than a few
    such numbers by one such key."""
    values = None if any(is_wide(each.measure) for each in measured) else few_values(keys)
    items = None if values is None else _numbers(keys[0].name, values, measured, dialect)
    if values is None or items is None or len(items) > MOST_SCALED:
        return None
    in_keys = exp.Case(ifs=[exp.If(this=among(exp.column(keys[0].name), values), true=number(1))])
    units = _units(rows, (Item(_ROWS, exp.Count(this=in_keys, big_int=True)), *items))
    there = exp.GT(this=exp.column(_ROWS), expression=number(0))
    names = tuple(itself(item.name) for item in items)
    numbers = algebra.Select(names, algebra.JoinedRows(algebra.Source(units, "q"), where=(there,)))
    return scaled_totals(numbers, keys[0].name, values, _named(values, measured), norm, dialect.wide)


def held_in_columns(
    rows: algebra.Select, keys: Sequence[Key], measured: Sequence[Measured], dialect: Dialect
) -> algebra.Select | None:
    """The same where caps hold, and units are not told of."""
    values = few_values(keys)
    items = None if values is None else _numbers(keys[0].name, values, measured, dialect)
    if values is None or items is None or len(items) > MOST_HELD:
        return None
    return held_totals(_units(rows, items), keys[0].name, values, _named(values, measured))


def _numbers(
    key: str, values: Sequence[Value], measured: Sequence[Measured], dialect: Dialect
) -> tuple[Item, ...] | None:
    """The numbers of a unit, one of each value for each measure; None where rows alone are counted, which `packed`
    does, or one of them cannot be had so."""
    if dialect.packs_counts is not Packing.COLUMNS or all(each.value is None for each in measured):
        return None
    found = [_number(key, value, each, dialect) for each in measured for value in values]
    made = [Item(f"p{index}", each) for index, each in enumerate(found) if each is not None]
    return tuple(made) if len(made) == len(found) else None


def _number(key: str, value: Value, measured: Measured, dialect: Dialect) -> exp.Expression | None:
    """A unit's contribution to one key.

    Claim: it is in [lower, upper], and 0 where the unit has no row in the key. Because: a row is counted, or added, in
    the number of its own key, and in no other of the measure.
    Checked by: tests/test_sums_in_columns.py.
    """
    is_here = is_value(key, value)
    if measured.value is None and measured.factors is None:
        counted = exp.Count(this=exp.Case(ifs=[exp.If(this=is_here, true=number(1))]), big_int=True)
        return exp.Least(this=counted, expressions=[number(measured.measure.upper)], ignore_nulls=True)
    own = exp.Case(ifs=[exp.If(this=is_here, true=exp.column(measured.measure.name))])
    return summed_in_doubles(own, measured, dialect)


def _units(rows: algebra.Select, items: tuple[Item, ...]) -> algebra.Select:
    """A row for each unit."""
    return algebra.Select(items, algebra.of(rows, "r"), by=(UNIT,))


def _named(values: Sequence[Value], measured: Sequence[Measured]) -> list[Numbers]:
    many = len(values)
    return [
        Numbers(tuple(f"p{many * index + place}" for place in range(many)), each.measure.lower < 0)
        for index, each in enumerate(measured)
    ]

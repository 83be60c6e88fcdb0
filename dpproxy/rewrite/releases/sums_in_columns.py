"""Totals of one sum of a unit's in a few known keys: a row for each unit, with a column for each key.

    units     a row per unit, of rows in whatever key:
              SUM(CASE WHEN k0 = 'a' THEN m0 END) AS p0, …, each held to what it may be (`in_doubles`)
              where units are told of, COUNT(CASE WHEN k0 IN ('a', …) THEN 1 END) AS s0 beside them
    there     of these, units with a row in one of the keys: s0 > 0
    totals    as in `packed`, by the norm of all of a unit's numbers, or where caps hold, in one row

A row per unit and key would be several times as many, shuffled once to add them up and once more to find their norm.
To choose among rows by their key would copy nearly all of them.
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
from dpproxy.rewrite.releases.in_doubles import held_in_doubles, is_exact_in_doubles
from dpproxy.rewrite.releases.measured import Measured
from dpproxy.rewrite.releases.packed import among, few_values, held_totals, is_value, names_of, scaled_totals
from dpproxy.rewrite.releases.totals import itself
from dpproxy.rows import Value

_ROWS: Final = "s0"
"""How many rows of a unit are in one of the keys."""


def scaled_in_columns(
    rows: algebra.Select, keys: Sequence[Key], measured: Sequence[Measured], norm: Norm, dialect: Dialect
) -> algebra.Select | None:
    """The totals of `clipped.totals_by_norm`, of rows in whatever key; None where the release asks for more than one
    such sum by one such key."""
    values = _summed_values(keys, measured, dialect)
    if values is None:
        return None
    key = keys[0].name
    in_keys = exp.Case(ifs=[exp.If(this=among(exp.column(key), values), true=number(1))])
    own = Item(_ROWS, exp.Count(this=in_keys, big_int=True))
    units = algebra.Source(_units(rows, key, values, measured[0], (own,)), "q")
    there = exp.GT(this=exp.column(_ROWS), expression=number(0))
    numbers = algebra.Select(tuple(map(itself, names_of(values))), algebra.JoinedRows(units, where=(there,)))
    return scaled_totals(numbers, key, values, norm, dialect.wide)


def held_in_columns(
    rows: algebra.Select, keys: Sequence[Key], measured: Sequence[Measured], dialect: Dialect
) -> algebra.Select | None:
    """The same where caps hold, and units are not told of."""
    values = _summed_values(keys, measured, dialect)
    if values is None:
        return None
    return held_totals(_units(rows, keys[0].name, values, measured[0], ()), keys[0].name, values)


def _summed_values(keys: Sequence[Key], measured: Sequence[Measured], dialect: Dialect) -> tuple[Value, ...] | None:
    """The values of the one key whose sums may have a column each; None where the release asks for anything else."""
    if dialect.packs_counts is not Packing.COLUMNS or len(measured) != 1:
        return None
    return few_values(keys) if is_exact_in_doubles(measured[0], dialect) else None


def _units(
    rows: algebra.Select, key: str, values: Sequence[Value], measured: Measured, beside: tuple[Item, ...]
) -> algebra.Select:
    """A row for each unit.

    Claim: its numbers are its contributions to these keys, each in [0, upper], and 0 to those that it has no row in.
    Because: it is grouped by the unit alone, and a row is added to the number of its own key, and to no other.
    Checked by: tests/test_sums_in_columns.py.
    """
    numbers = [
        held_in_doubles(_where_it_is(key, value, measured.measure.name), measured.measure.upper) for value in values
    ]
    items = tuple(Item(name, each) for name, each in zip(names_of(values), numbers, strict=True))
    return algebra.Select((*beside, *items), algebra.of(rows, "r"), by=(UNIT,))


def _where_it_is(key: str, value: Value, measure: str) -> exp.Expression:
    return exp.Case(ifs=[exp.If(this=is_value(key, value), true=exp.column(measure))])

"""Distinct values by the number that they have of a unit: what every limit of these numbers counts follows from that.

    once      each value that a unit has for a key, once
    numbered  its number among all of its unit's, for all keys, how many these are, and the unit
    ends      for each key, a row of each value with the least number that it has there, and a row of each unit with the
              greatest that it has there
    marked    whether a unit's is its last, the bucket of the number, and whether it is of a value
    totals    by key, and by bucket: units whose last number is there, and values whose least is

Result columns: the keys, `c` (units), `b0` (the bucket) and the measure's total. Windows within values would tell the
same; to sort all rows once more by their values takes longer than to have two rows of groups.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from dpproxy.catalog.types import Family
from dpproxy.engines.dialects import Dialect
from dpproxy.mechanisms.norms import Norm
from dpproxy.plan.private_plan import Key
from dpproxy.rewrite import algebra
from dpproxy.rewrite.algebra import Item
from dpproxy.rewrite.calculus.relations import UNIT
from dpproxy.rewrite.expressions.trees.build import number
from dpproxy.rewrite.releases.bound import mixed, ranked
from dpproxy.rewrite.releases.clipped import bucket
from dpproxy.rewrite.releases.totals import counted, itself, summed, total

_VALUE, _NUMBER, _LAST, _OWNER, _GREATEST = "v", "r", "d", "o", "l"


def values_by_number(
    once: algebra.Select, keys: Sequence[Key], family: Family, measure: str, dialect: Dialect
) -> algebra.Select:
    """The totals, of rows of unit, keys and value, each of which stands once. family: of the values."""
    names = [key.name for key in keys]
    varying = [*((key.name, key.type.family) for key in keys), (_VALUE, family)]
    order = [mixed(varying, dialect), *map(exp.column, (*names, _VALUE))]
    how_many = exp.Window(this=counted(), partition_by=[exp.column(UNIT)], over="OVER")
    carried = tuple(map(itself, names))
    numbered = algebra.Select(
        (
            *carried,
            itself(_VALUE),
            Item(_NUMBER, ranked(exp.RowNumber(), [UNIT], order)),
            Item(_LAST, how_many),
            Item(_OWNER, exp.column(UNIT)),
        ),
        algebra.of(once, "c"),
    )
    ends = algebra.Select(
        (
            *carried,
            itself(_OWNER),
            Item(_NUMBER, exp.Min(this=exp.column(_NUMBER))),
            Item(_GREATEST, exp.Max(this=exp.column(_NUMBER))),
            Item(_LAST, exp.Max(this=exp.column(_LAST))),
        ),
        algebra.of(numbered, "w"),
        by=tuple(names),
        or_by=(_VALUE, _OWNER),
    )
    is_value = exp.Is(this=exp.column(_OWNER), expression=exp.Null())
    is_last = exp.EQ(this=exp.column(_GREATEST), expression=exp.column(_LAST))
    end = exp.Case(ifs=[exp.If(this=is_value, true=exp.column(_NUMBER))], default=exp.column(_GREATEST))
    marked = algebra.Select(
        (
            *carried,
            Item("c", _one_where(exp.And(this=exp.Not(this=is_value.copy()), expression=is_last))),
            Item("b0", bucket(end, Norm.L1)),
            Item(measure, _one_where(is_value.copy())),
        ),
        algebra.of(ends, "q"),
    )
    totals = (*carried, Item("c", summed("c")), itself("b0"), Item(measure, total(measure)))
    return algebra.Select(totals, algebra.of(marked, "t"), by=(*names, "b0"))


def _one_where(condition: exp.Expression) -> exp.Expression:
    return exp.Case(ifs=[exp.If(this=condition, true=number(1))], default=number(0))

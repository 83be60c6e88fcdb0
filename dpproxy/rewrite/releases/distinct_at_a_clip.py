"""Distinct values by the number that they have of a unit: what every limit of these numbers counts follows from that.

    once      each value that a unit has for a key, once
    numbered  its number among all of its unit's, for all keys, and how many these are
    least     beside each, whether its number is the least that the value has for that key
    marked    whether it is the last of its unit, the bucket of its number, and whether it stands for the value
    totals    by key, and by bucket: units whose last number is there, and values whose least is

Result columns: the keys, `c` (units), `b0` (the bucket) and the measure's total. A value has one number of each unit
that has it; of several equal least ones one row stands for it, in the bucket of all of them.
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

_VALUE, _NUMBER, _LAST, _LEAST = "v", "r", "d", "f"


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
        ),
        algebra.of(once, "c"),
    )
    place = ranked(exp.RowNumber(), [*names, _VALUE], [exp.column(_NUMBER)])
    least = algebra.Select((*carried, itself(_NUMBER), itself(_LAST), Item(_LEAST, place)), algebra.of(numbered, "w"))
    marked = algebra.Select(
        (
            *carried,
            Item("c", _one_where(exp.column(_NUMBER), exp.column(_LAST))),
            Item("b0", bucket(exp.column(_NUMBER), Norm.L1)),
            Item(measure, _one_where(exp.column(_LEAST), number(1))),
        ),
        algebra.of(least, "q"),
    )
    totals = (*carried, Item("c", summed("c")), itself("b0"), Item(measure, total(measure)))
    return algebra.Select(totals, algebra.of(marked, "t"), by=(*names, "b0"))


def _one_where(one: exp.Expression, other: exp.Expression) -> exp.Expression:
    return exp.Case(ifs=[exp.If(this=exp.EQ(this=one, expression=other), true=number(1))], default=number(0))

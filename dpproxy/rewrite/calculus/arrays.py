"""What an engine is given as arrays: released rows, and the analyst's own tables, of which the types are known alone.

Checked by: tests/test_fixtures.py (rewrite/released.sql, rewrite/own.sql).
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from dpproxy.catalog.types import DOUBLE, NUMERIC, SqlType
from dpproxy.plan.told_columns import PublicColumn
from dpproxy.rewrite.algebra.render import parameter
from dpproxy.rewrite.expressions.facts.fact import Fact, proved_by_type
from dpproxy.rewrite.expressions.trees.build import datatype, held_when_read


def unnested(place: PublicColumn, type_: SqlType) -> exp.Expression:
    """The values of a column that the engine is given as an array."""
    return exp.Explode(this=_array(place, type_))


def first_of(place: PublicColumn, type_: SqlType) -> exp.Expression:
    """The first of them, or NULL: nothing of a query's rows. To the parser places begin with 0."""
    return exp.Bracket(this=_array(place, type_), expressions=[exp.Literal.number(0)])


def _array(place: PublicColumn, type_: SqlType) -> exp.Expression:
    array = exp.DataType(this=exp.DataType.Type.ARRAY, expressions=[datatype(held(type_))], nested=True)
    return exp.Cast(this=parameter(place), to=array)


def held(type_: SqlType) -> SqlType:
    """The type in which the engine is given values of a type: a numeric without limits has none of its own there."""
    if type_ == NUMERIC:
        return DOUBLE
    return held_when_read(type_)


def known_by_type(type_: SqlType) -> Fact:
    """What is known of public values by their type alone."""
    carrier = held(type_)
    fact = Fact(type_, None, proved_by_type(carrier), None, nullable=True, private=False, step=None)
    return fact if carrier == type_ else replace(fact, carrier=carrier)

"""Tables of the analyst's own: the front reads them in the post statement, the engine is told their columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from dpproxy.errors import FeatureNotSupported
from dpproxy.plan.private_plan import OwnTable
from dpproxy.plan.told_columns import OwnColumn
from dpproxy.rewrite import algebra
from dpproxy.rewrite.calculus.arrays import known_by_type, unnested
from dpproxy.rewrite.calculus.relations import Readable
from dpproxy.rewrite.expressions.facts.fact import step_of_type
from dpproxy.rewrite.expressions.trees.position import position
from dpproxy.rewrite.reading.own_tables import place_of, type_of


def told(node: exp.Table, tables: Sequence[OwnTable], zone: str) -> Readable:
    """The rows of an own table as a public source of a release: arrays that the engine is given.

    What is known of them is their types alone, for the plan may not depend on them. zone: the session's.
    Raises FeatureNotSupported where no column can be given.
    """
    index = place_of(node, tables)
    assert index is not None, "track saw that it is one"
    types = [(column.name, type_of(column.type)) for column in tables[index].columns]
    known = [(name, type_.in_zone(zone)) for name, type_ in types if type_ is not None]
    if not known:
        raise FeatureNotSupported(
            f"{tables[index]} has no column of a type that can be read together with private rows",
            hint="Make one with a column of a plain type: integer, numeric(12,2), double precision, text or date.",
            position=position(node),
        )
    listed = tuple(algebra.Item(f"c{i}", unnested(OwnColumn(index, i), type_)) for i, (_, type_) in enumerate(known))
    names = {name: f"c{i}" for i, (name, _) in enumerate(known)}
    facts = {name: replace(known_by_type(type_), step=step_of_type(type_)) for name, type_ in known}
    return Readable(None, algebra.Arrays(listed), facts, names)

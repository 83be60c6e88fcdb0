"""Released rows as a public source of a later release: arrays that the engine is given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlglot import exp

from dpproxy.catalog.types import DOUBLE, NUMERIC, SqlType
from dpproxy.plan.model import ReleasedColumn
from dpproxy.rewrite.calculus.relations import Readable
from dpproxy.rewrite.expressions.build import datatype
from dpproxy.rewrite.expressions.fact import Fact, proved_by_type
from dpproxy.rewrite.releases.draft import Draft


def released(node: exp.Table, drafts: Sequence[Draft], dialect: str) -> Readable:
    """The released rows that a table of schema RELEASED stands for.

    What is known of them is their type alone: they are noisy, and the plan may not depend on them.
    """
    draft = drafts[int(node.name)]
    columns = list(columns_of(int(node.name), drafts))
    listed = ", ".join(
        f"UNNEST(CAST(${where.name} AS {datatype(held(type_)).sql(dialect)}[])) AS {name}"
        for name, type_, where in columns
    )
    facts = {name: known_by_type(type_) for name, type_, _ in columns}
    keys = tuple(key.name for key in draft.bounded.keys)
    return Readable(None, f"(SELECT {listed})", facts, {name: name for name in facts}, unique=frozenset([keys]))


def columns_of(index: int, drafts: Sequence[Draft]) -> Iterator[tuple[str, SqlType, ReleasedColumn]]:
    """Name, type and place of each column of a release point: keys, outputs, and those of the releases beside it."""
    draft = drafts[index]
    width = len(draft.bounded.keys)
    for i, key in enumerate(draft.bounded.keys):
        yield key.name, key.type, ReleasedColumn(index, i)
    for beside in (index, *draft.beside):
        for i, output in enumerate(drafts[beside].outputs):
            yield output.name, output.type, ReleasedColumn(beside, width + i)


def held(type_: SqlType) -> SqlType:
    """The type in which the engine is given values of a type: a numeric without limits has none of its own there."""
    if type_ == NUMERIC:
        return DOUBLE
    return type_


def known_by_type(type_: SqlType) -> Fact:
    """What is known of public values by their type alone."""
    carrier = held(type_)
    fact = Fact(type_, None, proved_by_type(carrier), None, nullable=True, private=False, step=None)
    return fact if carrier == type_ else replace(fact, carrier=carrier)

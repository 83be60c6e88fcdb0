"""Released rows as a public source of a later release: arrays that the engine is given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import exp

from dpproxy.catalog.types import SqlType
from dpproxy.plan.told_columns import ReleasedColumn
from dpproxy.rewrite import algebra
from dpproxy.rewrite.calculus.arrays import known_by_type, unnested
from dpproxy.rewrite.calculus.relations import Readable
from dpproxy.rewrite.releases.draft import ReleaseDraft


def released(node: exp.Table, drafts: Sequence[ReleaseDraft], zone: str) -> Readable:
    """The released rows that a table of schema RELEASED stands for.

    What is known of them is their type alone: they are noisy, and the plan may not depend on them. zone:
    the session's.
    """
    draft = drafts[int(node.name)]
    columns = list(columns_of(int(node.name), drafts))
    listed = tuple(algebra.Item(name, unnested(where, type_)) for name, type_, where in columns)
    facts = {name: known_by_type(type_.in_zone(zone)) for name, type_, _ in columns}
    keys = tuple(key.name for key in draft.keys)
    return Readable(None, algebra.Arrays(listed), facts, {name: name for name in facts}, unique=frozenset([keys]))


def columns_of(index: int, drafts: Sequence[ReleaseDraft]) -> Iterator[tuple[str, SqlType, ReleasedColumn]]:
    """Name, type and place of each column of a release point: keys, outputs, and those of the releases beside it."""
    draft, width = drafts[index], len(drafts[index].bounded.keys)
    for i, key in enumerate(draft.keys):
        yield key.name, key.type, ReleasedColumn(index, i, draft.parts[0])
    for beside in (index, *draft.beside):
        for name, output, part in drafts[beside].columns:
            yield name, output.type, ReleasedColumn(beside, width + drafts[beside].outputs.index(output), part)

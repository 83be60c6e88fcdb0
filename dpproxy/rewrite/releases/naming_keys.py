"""Keys that name single units, or single rows of them: a threshold would drop nearly all of their groups.

The policy shows it, so it is said before anything is charged. Privacy does not lean on it.
Checked by: tests/test_naming_keys.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import exp

from dpproxy.catalog.types import Family, parse_type
from dpproxy.errors import NotPrivate
from dpproxy.rewrite.calculus.relations import Joined
from dpproxy.rewrite.calculus.ties import anchors, source_of
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.expressions.trees.position import position


def naming(node: exp.Expr, joined: Joined, context: PlanningContext) -> exp.Column | None:
    """A column that a key keeps apart and that settles the unit, wherever it is not NULL; None where there is none."""
    return next((column for column in _told(node) if _names_one(column, joined, context)), None)


def refuse_naming(written: Sequence[exp.Expr], joined: Joined, context: PlanningContext) -> None:
    """Raises NotPrivate where each group would be of one unit: a key tells a column that settles it, or all keys
    together tell the primary key of a table."""
    for node in written:
        if (column := naming(node, joined, context)) is not None:
            raise _refused(f'"{column.name}"', joined.rowset.unit or "unit", column)
    told = [column for node in written for column in _told(node)]
    for source in joined.rowset.sources:
        origins = source.relation.origins
        own = [column for column in told if column.table == source.alias and column.name in origins]
        cells = [origins[column.name] for column in own]
        for name in dict.fromkeys(table for table, _ in cells):
            table = context.catalog.tables[name]
            columns = [column for owner, column in cells if owner == name]
            if not table.public and (_are_key(columns, table.primary_key) or table.proves_unique(*columns)):
                names = ", ".join(f'"{column.name}"' for column in own)
                raise _refused(names, f'row of "{table.relation}"', own[0])


def _names_one(node: exp.Column, joined: Joined, context: PlanningContext) -> bool:
    source = source_of((node.table, node.name), joined.rowset.sources)
    return source is not None and bool(anchors((node.table, node.name), source, context.catalog))


def _are_key(columns: Sequence[str], primary_key: Sequence[str]) -> bool:
    return bool(primary_key) and set(primary_key) <= set(columns)


def _told(node: exp.Expr) -> Iterator[exp.Column]:
    """The columns whose values a key keeps apart: itself, as text, or texts put together."""
    match node:
        case exp.Column():
            yield node
        case exp.Coalesce():  # what USING makes of two equal columns, too
            yield from _told(node.this)
        case exp.Cast() if _is_text(node.to):
            yield from _told(node.this)
        case exp.DPipe() | exp.Concat() | exp.ConcatWs() | exp.Paren():
            for part in node.iter_expressions():
                yield from _told(part)
        case _:
            return


def _is_text(type_: exp.DataType) -> bool:
    try:
        return parse_type(type_.sql("postgres").lower()).family is Family.TEXT
    except ValueError:
        return False


def _refused(names: str, whom: str, node: exp.Expr) -> NotPrivate:
    return NotPrivate(
        f"GROUP BY {names} would give one row for each {whom}",
        hint="Group by a column that many share, or leave the GROUP BY out.",
        position=position(node),
    )

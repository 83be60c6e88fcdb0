"""Tables of the analyst's own: which of their columns a statement reads, and which no engine can hold.

Checked by: tests/test_fixtures.py (rewrite/own.sql).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from dpproxy.catalog.types import Family, SqlType, parse_type
from dpproxy.errors import FeatureNotSupported
from dpproxy.plan.private_plan import OwnTable
from dpproxy.rewrite.expressions.facts.fact import MOST_DIGITS
from dpproxy.rewrite.expressions.trees.position import position

Cell = tuple[str, str]
_Uses = Iterator[tuple[OwnTable, set[str], set[str]]]


def own_tables(tree: exp.Query, own: Mapping[str, OwnTable]) -> tuple[OwnTable, ...]:
    """The own tables of a resolved tree, in order, each with the columns that are used and that an engine can hold.

    One of which none is used has its first such column, for the number of its rows.
    """
    found = []
    for table, _, used in _uses(tree, own):
        known = [column for column in table.columns if type_of(column.type) is not None]
        chosen = [column for column in known if column.name in used] or known[:1]
        found.append(replace(table, columns=tuple(chosen)))
    return tuple(found)


def unreadable(tree: exp.Query, own: Mapping[str, OwnTable]) -> dict[Cell, str]:
    """The columns of own tables that no engine can hold, by alias and name, with their types."""
    return {
        (alias, column.name): column.type
        for table, aliases, _ in _uses(tree, own)
        for alias in aliases
        for column in table.columns
        if type_of(column.type) is None
    }


def _uses(tree: exp.Query, own: Mapping[str, OwnTable]) -> _Uses:
    """Each own table of the tree with its aliases, which are unique there, and the columns that are read of it."""
    if not own:
        return
    aliases: dict[OwnTable, set[str]] = {}
    tables = {(table.schema, table.name): table for table in own.values()}
    for node in tree.find_all(exp.Table):
        if (node.db, node.name) in tables:
            aliases.setdefault(tables[node.db, node.name], set()).add(node.alias)
    for table, names in aliases.items():
        yield table, names, {column.name for column in tree.find_all(exp.Column) if column.table in names}


def type_of(text: str) -> SqlType | None:
    """The type of a column in the front, where an engine can hold all its values."""
    try:
        type_ = parse_type(text)
    except ValueError:
        return None
    if type_.family in (Family.INTERVAL, Family.OPAQUE):
        return None
    if type_.family is Family.NUMERIC and type_.modifiers:
        digits, places = (*type_.modifiers, 0)[:2]
        return type_ if places <= digits <= MOST_DIGITS else None
    return type_


def place_of(node: exp.Table, tables: Sequence[OwnTable]) -> int | None:
    """Which of the own tables a table of the tree is, or None."""
    return next((i for i, each in enumerate(tables) if (each.schema, each.name) == (node.db, node.name)), None)


def refuse_unreadable(node: exp.Expr, cells: Mapping[Cell, str]) -> None:
    """Raises FeatureNotSupported where an expression for the engine reads a column that no engine can hold."""
    for column in node.find_all(exp.Column) if cells else ():
        type_ = cells.get((column.table, column.name))
        if type_ is not None:
            kind = "a type of its own" if type_ == "unknown" else type_
            raise FeatureNotSupported(
                f'column "{column.name}" is of type {kind}, which cannot be read together with private rows',
                hint="Keep it in another type when you make the table, for example as text.",
                position=position(column),
            )

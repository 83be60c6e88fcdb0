"""What the owner is told at the end: what was drafted, what is left to decide, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator

from dpproxy.draft.example_budget import DELTA, EPSILON
from dpproxy.draft.first_questions import first_questions
from dpproxy.draft.names import a
from dpproxy.draft.tables import PrivateTable, Sorted
from dpproxy.draft.toml import shown
from dpproxy.draft.units import DraftUnit
from dpproxy.engines.described import Database, DescribedColumn

_MOST_NAMED = 8


def summarized(database: Database, unit: DraftUnit, tables: Sorted, file: str) -> tuple[str, ...]:
    """Lines."""
    taken = [each.table.name for each in tables.private]
    decisions = [f"  {number}. {text}" for number, text in enumerate(_decisions(unit, tables), 1)]
    return (
        f"drafted from {shown(database.name)}, without reading a row:",
        f"  the unit is {a(unit.name)}: {shown(f'{unit.table}.{unit.key}')}",
        f"  private: {_list(taken)}",
        *([f"  left out: {_list([each.table.name for each in tables.left_out])}"] if tables.left_out else []),
        *_of_other_types(tables),
        "to decide, each marked with TODO:" if decisions else "nothing is left to decide.",
        *decisions,
        "then:",
        f"  dpproxy check --config {file}{' --data' if unit.by_name else ''}",
        f"  dpproxy analyst add NAME --config {file} --epsilon {EPSILON} --delta {DELTA}",
        f"  dpproxy serve --config {file}",
        "and ask, for example:",
        *(f"  {question};" for question in first_questions(unit, tables)),
    )


def _of_other_types(tables: Sorted) -> Iterator[str]:
    """A line for each table that has columns of types which no policy can have."""
    left_out = (each.table for each in tables.left_out if not each.of_somebody)
    for table in (*(each.table for each in tables.private), *left_out):
        found = [column for column in table.columns if column.kind is None and not column.refused]
        if found := [column for column in found if "${" not in column.name]:
            named = _listed([f"{shown(column.name)} ({_type(column)})" for column in found])
            yield f"  left out of {shown(table.name)}, since their types are not supported: {named}"


def _type(column: DescribedColumn) -> str:
    return column.type if column.type.isprintable() else shown(column.type)


def _decisions(unit: DraftUnit, tables: Sorted) -> Iterator[str]:
    if not unit.asked:
        others = f" It could also be {_list(list(unit.others))}." if unit.others else ""
        yield f"is it {a(unit.name)} whose privacy you protect?{others}"
    if unit.by_name:
        yield f"whether {shown(f'{unit.table}.{unit.key}')} is unique: `dpproxy check --data` looks, and remembers it"
    if ways := [
        each.table.name
        for each in tables.private
        if each.way.link is not None and any(text.startswith("TODO") for text in each.remarks)
    ]:
        yield f"the way to {a(unit.name)} in {_list(ways)}"
    if hidden := _with(tables.private, "hidden"):
        yield f"whether these stay hidden: {_list(hidden)}"
    if bounds := _with(tables.private, "bounds"):
        yield f"bounds, which nothing needs and which may help, of {_list(bounds)}"
    if rest := [each.table.name for each in tables.left_out if not each.of_somebody]:
        yield f"whether rows are about nobody, and so public, in {_list(rest)}"


def _with(tables: tuple[PrivateTable, ...], todo: str) -> list[str]:
    return [f"{each.table.name}.{line.name}" for each in tables for line in each.columns if line.todo == todo]


def _list(items: list[str]) -> str:
    return _listed(list(map(shown, items)))


def _listed(items: list[str]) -> str:
    more = f" and {len(items) - _MOST_NAMED} more" if len(items) > _MOST_NAMED else ""
    return ", ".join(items[:_MOST_NAMED]) + more

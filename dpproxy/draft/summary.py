"""What the owner is told at the end: what was drafted, what is left to decide, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator

from dpproxy.catalog.policy_names import unsayable
from dpproxy.draft.belonging import by_columns
from dpproxy.draft.example_budget import DELTA, EPSILON
from dpproxy.draft.first_questions import first_questions
from dpproxy.draft.names import a
from dpproxy.draft.tables import PrivateTable, Sorted
from dpproxy.draft.toml import shown
from dpproxy.draft.units import DraftUnit
from dpproxy.engines.described import Database, DescribedColumn

_MOST_NAMED = 8


def summarized(database: Database, units: tuple[DraftUnit, ...], tables: Sorted, file: str) -> tuple[str, ...]:
    """Lines."""
    taken = [each.table.name for each in tables.private]
    decisions = [f"  {number}. {text}" for number, text in enumerate(_decisions(units, tables), 1)]
    guessed = any(unit.by_name for unit in units)
    return (
        f"drafted from {shown(database.name)}, without reading a row:",
        *(f"  {_is(units)} {a(unit.name)}: {shown(f'{unit.table}.{unit.key}')}" for unit in units),
        f"  private: {_list(taken)}",
        *(f"  of two in each row: {shown(each.table.name)}, {by_columns(each.of)}" for each in _of_two(tables)),
        *([f"  left out: {_list(_without_a_unit(tables))}"] if _without_a_unit(tables) else []),
        *_of_other_types(tables),
        "to decide, each marked with TODO:" if decisions else "nothing is left to decide.",
        *decisions,
        "then:",
        f"  dpproxy check --config {file}{' --data' if guessed else ''}",
        f"  dpproxy analyst add NAME --config {file} --epsilon {EPSILON} --delta {DELTA}",
        f"  dpproxy serve --config {file}",
        "and ask, for example:",
        *(f"  {question};" for question in first_questions(units, tables)),
    )


def _is(units: tuple[DraftUnit, ...]) -> str:
    return "the unit is" if len(units) == 1 else "a unit is"


def _of_two(tables: Sorted) -> list[PrivateTable]:
    return [each for each in tables.private if len(each.of) > 1]


def _without_a_unit(tables: Sorted) -> list[str]:
    return [each.table.name for each in tables.undecided] + [each.table.name for each in tables.left_out]


def _of_other_types(tables: Sorted) -> Iterator[str]:
    """A line for each table that has columns of types which no policy can have."""
    left_out = (each.table for each in tables.left_out if each.offered is not None)
    for table in (*(each.table for each in tables.private), *left_out):
        found = [column for column in table.columns if column.kind is None and not column.refused]
        if found := [column for column in found if not unsayable(column.name)]:
            named = _listed([f"{shown(column.name)} ({_type(column)})" for column in found])
            yield f"  left out of {shown(table.name)}, since their types are not supported: {named}"


def _type(column: DescribedColumn) -> str:
    return column.type if column.type.isprintable() else shown(column.type)


def _decisions(units: tuple[DraftUnit, ...], tables: Sorted) -> Iterator[str]:
    for unit in units:
        if not unit.asked:
            further = f" It could also be {_list(list(unit.others))}." if unit.others else ""
            yield f"is it {a(unit.name)} whose privacy you protect?{further}"
        if unit.by_name:
            named = shown(f"{unit.table}.{unit.key}")
            yield f"whether {named} is unique: `dpproxy check --data` looks, and remembers it"
    for unit in units:
        if unsure := [each.table.name for each in tables.private if _is_unsure(each, unit)]:
            yield f"the way to {a(unit.name)} in {_list(unsure)}"
    if undecided := [each.table.name for each in tables.undecided]:
        yield f"whose rows these have, which are left out until then: {_list(undecided)}"
    if hidden := _with(tables.private, "hidden"):
        yield f"whether these stay hidden: {_list(hidden)}"
    if bounds := _with(tables.private, "bounds"):
        yield f"bounds, which nothing needs and which may help, of {_list(bounds)}"
    if rest := [each.table.name for each in tables.left_out if each.offered is not None and not each.others]:
        yield f"whether rows are about nobody, and so public, in {_list(rest)}"
    if others := [each.table.name for each in tables.left_out if each.others]:
        yield f"whether analysts may know rows about other people, which are public then, in {_list(others)}"


def _is_unsure(each: PrivateTable, unit: DraftUnit) -> bool:
    links = [of.way.link for of in each.of if of.unit == unit]
    return any(links) and any(text.startswith("TODO") for text in each.remarks)


def _with(tables: tuple[PrivateTable, ...], todo: str) -> list[str]:
    return [f"{each.table.name}.{line.name}" for each in tables for line in each.columns if line.todo == todo]


def _list(items: list[str]) -> str:
    return _listed(list(map(shown, items)))


def _listed(items: list[str]) -> str:
    more = f" and {len(items) - _MOST_NAMED} more" if len(items) > _MOST_NAMED else ""
    return ", ".join(items[:_MOST_NAMED]) + more

"""Three statements that a draft answers as it is: how many there are, how many of each kind, and an average.

They say what can be grouped by, and that numbers come with their intervals.

Checked by: tests/test_init_guesses.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from dpproxy.catalog.sql_names import sql_name
from dpproxy.catalog.types import Family, parse_type
from dpproxy.draft.columns import Told
from dpproxy.draft.names import is_code, words
from dpproxy.draft.tables import PrivateTable, Sorted
from dpproxy.draft.units import DraftUnit

_PERIODS = frozenset({"year", "month", "season", "quarter", "week", "day", "hour", "minute"})
_NUMBERS = (Family.FLOAT, Family.NUMERIC, Family.INTEGER)


def first_questions(units: tuple[DraftUnit, ...], tables: Sorted) -> Iterator[str]:
    """SELECTs, without a semicolon: of a unit's own table, of the one with the best groups, and of a number; and how
    many rows of two units there are, which have no private keys."""
    unit = units[0]
    own, *others = [each for each in tables.private if {of.unit for of in each.of} == {unit} and len(each.of) == 1]
    yield f"SELECT count(*) FROM {_table(own)}"
    yield from (f"SELECT count(*) FROM {_table(each)}" for each in tables.private if len(each.of) > 1)
    grouped = [(each, column) for each in (own, *others) if (column := _group(each, unit)) is not None]
    if grouped:
        table, column = grouped[0]
        name = sql_name(column.name)
        yield f"SELECT {name}, count(*) FROM {_table(table)} GROUP BY {name} ORDER BY 2 DESC LIMIT 10"
    measured = [(each, column) for each in (*others, own) if (column := _number(each, unit)) is not None]
    if measured:
        yield _average(*measured[0], unit)


def _average(table: PrivateTable, column: Told, unit: DraftUnit) -> str:
    """With its interval; by the best group of the table, if it has one."""
    mean, group = f"avg({sql_name(column.name)})", _group(table, unit)
    told = f"round({mean}) AS average, dp.low({mean}), dp.high({mean}) FROM {_table(table)}"
    if group is None:
        return f"SELECT {told}"
    return f"SELECT {sql_name(group.name)}, {told} GROUP BY 1 ORDER BY 1"


def _table(each: PrivateTable) -> str:
    return ".".join(map(sql_name, each.table.name.split(".")))


def _group(each: PrivateTable, unit: DraftUnit) -> Told | None:
    """The column that makes the best groups: one whose keys are public, a period, yes or no, or a text."""
    asked = enumerate(_asked(each, unit))
    ranked = [(rank, place, column) for place, column in asked if (rank := _rank(column)) is not None]
    return min(ranked, default=(0, 0, None))[2]


def _rank(column: Told) -> int | None:
    if column.entry is None:
        return None
    family, said = parse_type(str(column.entry["type"])).family, set(words(column.name))
    if "values" in column.entry:
        return 0
    if _PERIODS & said and family is Family.INTEGER:
        return 1
    if family is Family.BOOLEAN:
        return 2
    return 3 if family is Family.TEXT else None


def _number(each: PrivateTable, unit: DraftUnit) -> Told | None:
    """A column whose average says something: no key, no code, no period."""
    for column in _asked(each, unit):
        says_nothing = is_code(column.name) or _PERIODS & set(words(column.name))
        if column.entry is None or "values" in column.entry or says_nothing:
            continue
        if parse_type(str(column.entry["type"])).family in _NUMBERS:
            return column
    return None


def _asked(each: PrivateTable, unit: DraftUnit) -> list[Told]:
    """The columns that analysts see, but for keys and links; a group of the unit's own key is refused."""
    keys = {name for key in each.table.foreign_keys for name in key.columns} | set(each.primary_key)
    keys |= {unit.key} if each.table.name == unit.table else set()
    return [column for column in each.columns if column.entry is not None and not column.entry.get("hidden")
            and column.name not in keys]  # fmt: skip

"""Whose privacy is it? The tables that a unit could be, the likeliest first."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count

from dpproxy.config.consistency import KEY_FAMILIES
from dpproxy.draft.guesses import is_guess, likely_keys, shared_columns
from dpproxy.draft.names import rank, singular, whose
from dpproxy.draft.toml import shown
from dpproxy.engines.described import DescribedColumn, DescribedTable, ForeignKey
from dpproxy.errors import ConfigFault

Tables = Mapping[str, DescribedTable]

_MOST_NAMED = 6


@dataclass(frozen=True, slots=True)
class DraftUnit:
    """A unit and its key. `others` could be one too: `table.column`; `asked` where the owner named it. by_name: nothing
    in the database says that the key is unique."""

    name: str
    table: str
    key: str
    others: tuple[str, ...] = ()
    asked: bool = False
    by_name: bool = False


def chosen(tables: Tables, wanted: str | None) -> DraftUnit:
    """The unit that `wanted` names ("TABLE" or "TABLE.COLUMN"), or the likeliest. Raises ConfigFault."""
    if not tables:
        raise ConfigFault("there is no table in this database", hint="Is it the right one?")
    candidates = _candidates(tables) or likely_keys(tables)
    if wanted is None and not candidates:
        raise ConfigFault(
            "no table has a primary key of one column that could tell units apart, and no column is called like one",
            hint=f"Name the column that does: --unit TABLE.COLUMN\n{_shared(tables)}",
        )
    table, key = candidates[0] if wanted is None else _asked(tables, wanted)
    others = tuple(f"{other}.{column}" for other, column in candidates if other != table)
    return DraftUnit(singular(table), table, key, others, wanted is not None, is_guess(tables, table, key))


def each_chosen(tables: Tables, wanted: tuple[str, ...]) -> tuple[DraftUnit, ...]:
    """The units that `wanted` names, or the likeliest; no two have one name. Raises ConfigFault."""
    found = tuple(chosen(tables, each) for each in wanted) or (chosen(tables, None),)
    if (twice := next((unit for unit in found if found.count(unit) > 1), None)) is not None:
        raise ConfigFault(f"the unit {twice.table}.{twice.key} is named twice", hint="Name each unit once.")
    named: dict[str, DraftUnit] = {}
    taken = {f"{unit.table}.{unit.key}" for unit in found}
    for unit in found:
        name = next(name for name in _names(unit) if name not in named)
        named[name] = replace(unit, name=name, others=tuple(each for each in unit.others if each not in taken))
    return tuple(named.values())


def _names(unit: DraftUnit) -> Iterator[str]:
    """What it may be called: of two tables of people, the second goes by its table's whole name, or has a number."""
    whole = re.sub(r"\W+", "_", unit.table).strip("_") or unit.name
    yield from (unit.name, whole)
    yield from (f"{whole}_{number}" for number in count(2))


def _shared(tables: Tables) -> str:
    found = [f"--unit {name}.{column}" for name, column in shared_columns(tables)[:_MOST_NAMED]]
    if not found:
        return "No column is in several tables by name and type, so none is likelier than the others."
    return f"Several tables have these columns by name and type: {', '.join(found)}"


def usable(column: DescribedColumn | None) -> bool:
    """Whether a column's type is one of keys and links."""
    return column is not None and column.kind is not None and column.kind.family in KEY_FAMILIES


def leads(table: DescribedTable, key: ForeignKey, tables: Tables) -> str | None:
    """Why a foreign key of `table` can be no link; None where it can. One by name leads to the unit's own key: such a
    link is an equality, whatever rows there are."""
    target = tables.get(key.table)
    if target is None:
        return f"leads to {shown(key.table)}, which is not in this policy" if key.table else "leads to a partition"
    if len(key.columns) != 1:
        return "has several columns; a link has one"
    ends = table.column(key.columns[0]), target.column(key.targets[0])
    if not (usable(ends[0]) and usable(ends[1])):
        return "is of a type that no link has"
    if ends[0] is not None and ends[1] is not None and ends[0].kind != ends[1].kind:
        return f"links {ends[0].kind} to {ends[1].kind}; a link has the same type at both ends"
    if not key.by_name and not _names_one(target, key.targets[0]):
        return f"leads to {shown(f'{key.table}.{key.targets[0]}')}, which may be NULL or is not unique"
    return None


def _names_one(table: DescribedTable, column: str) -> bool:
    found = table.column(column)
    return (column,) in table.unique and found is not None and not found.nullable


def _candidates(tables: Tables) -> list[tuple[str, str]]:
    """(table, key) of each that has a primary key of one column and is of people by name or referred to by others."""
    near = _near(tables)
    keyed = {name: table.primary_key[0] for name, table in tables.items() if _single(table)}
    likely = {name for name in keyed if whose(name)} or {name for name in keyed if name in near} or set(keyed)
    linked = {name: len(_linked(name, near)) for name in likely}
    return [(name, keyed[name]) for name in sorted(likely, key=lambda name: (-linked[name], rank(whose(name)), name))]


def _single(table: DescribedTable) -> bool:
    return len(table.primary_key) == 1 and usable(table.column(table.primary_key[0]))


def _near(tables: Tables) -> Mapping[str, set[str]]:
    """The tables from which links lead to each, in one step."""
    near: defaultdict[str, set[str]] = defaultdict(set)
    for name, table in tables.items():
        for key in table.foreign_keys:
            if leads(table, key, tables) is None:
                near[key.table].add(name)
    return near


def _linked(name: str, near: Mapping[str, set[str]]) -> set[str]:
    """The tables from which links lead to `name`, in one step or more."""
    found, todo = {name}, [name]
    while todo:
        further = near.get(todo.pop(), set()) - found
        found |= further
        todo += further
    return found - {name}


def _asked(tables: Tables, wanted: str) -> tuple[str, str]:
    if (table := tables.get(wanted)) is not None:
        if not _single(table):
            hint = f"Name the column that tells units apart: --unit {wanted}.COLUMN"
            raise ConfigFault(f"{wanted} has no primary key of one column that could be a unit's", hint=hint)
        return wanted, table.primary_key[0]
    name, _, column = wanted.rpartition(".")
    if name not in tables:
        raise ConfigFault(f'there is no table "{name or wanted}"', hint=f"There are {', '.join(sorted(tables)[:30])}.")
    if not usable(tables[name].column(column)):
        keys = [each.name for each in tables[name].columns if usable(each)]
        hint = f"It can be {', '.join(keys)}." if keys else "A unit's key is an integer, uuid, date or text column."
        raise ConfigFault(f'{name} has no column "{column}" that could be a unit\'s key', hint=hint)
    return name, column

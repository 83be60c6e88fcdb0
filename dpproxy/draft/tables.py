"""What a policy says of each table: whose its rows are and how they are found, or why it is left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dpproxy.draft import columns
from dpproxy.draft.checks import known
from dpproxy.draft.columns import Role, Told
from dpproxy.draft.guesses import called_alike, may_refer
from dpproxy.draft.names import a, whose
from dpproxy.draft.toml import shown
from dpproxy.draft.units import DraftUnit, leads
from dpproxy.draft.ways import Way
from dpproxy.engines.described import DescribedColumn, DescribedTable

Tables = Mapping[str, DescribedTable]

_MOST_LOOKUP_COLUMNS = 6


@dataclass(frozen=True, slots=True)
class PrivateTable:
    """A table of the unit's. `remarks` are sentences; those that begin with TODO are to be decided."""

    table: DescribedTable
    way: Way
    columns: tuple[Told, ...]
    primary_key: tuple[str, ...]
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A table without a way to the unit. `like`: what it looks like, in words.

    of_somebody: its rows are about somebody by name or by what they refer to, so nothing suggests to make them public.
    """

    table: DescribedTable
    like: str
    remarks: tuple[str, ...]
    of_somebody: bool


@dataclass(frozen=True, slots=True)
class Sorted:
    """Those that are taken, the unit's first, and those that are not."""

    private: tuple[PrivateTable, ...]
    left_out: tuple[LeftOut, ...]


def told(tables: Tables, unit: DraftUnit, ways: Mapping[str, Way]) -> Sorted:
    """All tables: none is public, whatever it looks like."""
    private = tuple(_private(tables[name], way, unit, tables) for name, way in ways.items())
    rest = (table for name, table in sorted(tables.items()) if name not in ways)
    referred = {key.table for table in tables.values() for key in table.foreign_keys}
    owners = _owners(tables, unit, ways)
    return Sorted(private, tuple(_left_out(table, tables, table.name in referred, owners, unit) for table in rest))


def _owners(tables: Tables, unit: DraftUnit, ways: Mapping[str, Way]) -> Mapping[str, str]:
    """About whom the rows of tables are: by a way to the unit, by name, or by any foreign key to such a table."""
    owners = {name: one for name in tables if (one := whose(name)) is not None} | dict.fromkeys(ways, unit.name)
    owners |= {name: unit.name for name, table in tables.items() if _key_of(unit, table, tables) and name not in owners}
    found = 0
    while found < len(owners):
        found = len(owners)
        for name, table in tables.items():
            of = [owners[key.table] for key in table.foreign_keys if key.table in owners]
            of += [owners[other] for other in owners if may_refer(table, tables[other], tables)]
            if name not in owners and of:
                owners[name] = of[0]
    return owners


def _private(table: DescribedTable, way: Way, unit: DraftUnit, tables: Tables) -> PrivateTable:
    facts = known(table.checks, [column.name for column in table.columns])
    lines = tuple(columns.told(each, _role(each, table, way, unit), facts[each.name]) for each in table.columns)
    taken = {line.name for line in lines if line.entry is not None}
    key = table.primary_key if taken.issuperset(table.primary_key) else ()
    remarks = (*_of_unit(table, unit), *_of_way(table, way, unit), *_of_keys(table, tables), *table.remarks)
    return PrivateTable(table, way, lines, key, remarks)


def _role(column: DescribedColumn, table: DescribedTable, way: Way, unit: DraftUnit) -> Role:
    is_unit = table.name == unit.table and column.name == unit.key
    keys = [key for key in table.foreign_keys if key.columns == (column.name,)]
    also = [key for key in keys if key.table == unit.table and key != way.link]
    if way.link is not None and way.link.columns == (column.name,):
        return Role(is_key=True)
    key = next(iter((*also, *keys)), None)
    refers = None if key is None else f"{key.table}.{key.targets[0]}"
    other = whose(key.table) if key is not None and key.table != unit.table else None
    return Role(is_unit or column.name in table.primary_key, refers, bool(also) and not is_unit, other)


def _of_way(table: DescribedTable, way: Way, unit: DraftUnit) -> Iterator[str]:
    if way.link is None:
        return
    column = table.column(way.link.columns[0])
    if way.link.by_name:
        yield f"TODO: does {shown(way.link.columns[0])} say which {unit.name}'s the row is? By its name it does."
    if column is not None and column.nullable:
        yield f"Rows without {shown(column.name)} belong to nobody, and are in no answer."
    ends = [f"{shown(each.columns[0])} -> {shown(f'{each.table}.{each.targets[0]}')}" for each in way.others]
    if ends:
        yield f"TODO: is the link the right way to {a(unit.name)}? There is also {', '.join(ends)}."


def _of_unit(table: DescribedTable, unit: DraftUnit) -> Iterator[str]:
    if table.name != unit.table:
        return
    if (column := table.column(unit.key)) is not None and column.nullable and not unit.by_name:
        yield f"Rows without {shown(unit.key)} belong to nobody, and are in no answer."
    if unit.by_name:
        yield f"TODO: is {shown(unit.key)} unique, and never NULL? `dpproxy check --data` looks, and remembers it."


def _of_keys(table: DescribedTable, tables: Tables) -> Iterator[str]:
    """Foreign keys that a policy cannot follow."""
    for key in table.foreign_keys:
        reason = leads(table, key, tables)
        if reason is not None:
            yield f"Its foreign key ({', '.join(map(shown, key.columns))}) {reason}."


def _key_of(unit: DraftUnit, table: DescribedTable, tables: Tables) -> DescribedColumn | None:
    """The column of `table` that is called like the unit's key, whatever its type."""
    return called_alike(table, tables[unit.table], unit.key)


def _left_out(
    table: DescribedTable, tables: Tables, referred: bool, owners: Mapping[str, str], unit: DraftUnit
) -> LeftOut:
    named = _key_of(unit, table, tables)
    if named is None or any(named.name in key.columns for key in table.foreign_keys):
        like = _likeness(table, referred, owners.get(table.name))
    else:
        like = _named_alike(table, named, tables[unit.table], unit)
    return LeftOut(table, like, (*_of_keys(table, tables), *table.remarks), table.name in owners)


def _named_alike(table: DescribedTable, column: DescribedColumn, target: DescribedTable, unit: DraftUnit) -> str:
    """Of a column that nothing declares to be a link: by its name it may be one."""
    key, own = shown(f"{unit.table}.{unit.key}"), target.column(unit.key)
    about = (
        f"{shown(table.name)}: its rows may be about {a(unit.name)}, since {shown(column.name)} is called like {key}"
    )
    if own is None or own.kind != column.kind:
        return f"{about}; it is of another type, and a link has the same type at both ends."
    return f"{about}. `dpproxy init --unit {key}` drafts it so."


def _likeness(table: DescribedTable, referred: bool, owner: str | None) -> str:
    name = shown(table.name)
    if owner is not None and whose(table.name):
        return f"{name}: each row is about {a(owner)}, as its name says. `dpproxy init --unit {name}` drafts that."
    if owner is not None:
        return f"{name}: its rows are about {a(owner)}, by what they refer to, and a policy cannot follow that."
    if referred and not table.foreign_keys and len(table.columns) <= _MOST_LOOKUP_COLUMNS:
        return f"{name}: it looks like a lookup table, since others refer to it and it refers to none."
    return f"{name}: what its rows are about cannot be told from the schema."

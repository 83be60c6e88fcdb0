"""What a policy says of each table: whose its rows are and how they are found, or why it is left out."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from dpproxy.draft import columns
from dpproxy.draft.belonging import Belonging, Belongings, Undecided, by_columns
from dpproxy.draft.checks import known
from dpproxy.draft.columns import Role, Told
from dpproxy.draft.guesses import called_alike, may_refer
from dpproxy.draft.names import a, whose, worker
from dpproxy.draft.shared_rows import may_be_shared, shared_by
from dpproxy.draft.tables_of_other_people import asked_of, columns_of, of_others
from dpproxy.draft.toml import shown
from dpproxy.draft.undecided import said_of
from dpproxy.draft.units import DraftUnit, Tables, leads
from dpproxy.draft.ways import Way
from dpproxy.engines.described import DescribedColumn, DescribedTable, ForeignKey

Units = tuple[DraftUnit, ...]

_MOST_LOOKUP_COLUMNS = 6


@dataclass(frozen=True, slots=True)
class PrivateTable:
    """A table of a unit's, or of two. `remarks` are sentences; those that begin with TODO are to be decided."""

    table: DescribedTable
    of: tuple[Belonging, ...]
    columns: tuple[Told, ...]
    primary_key: tuple[str, ...]
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UndecidedTable:
    """A table whose unit the owner has to name; `columns` as they would be."""

    table: DescribedTable
    undecided: Undecided
    columns: tuple[Told, ...]
    primary_key: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A table without a way to a unit. `like`: what it looks like, in words.

    offered: its columns, should it be public. None: its rows are about somebody by name or by what they refer to, so
    nothing suggests to make them public; but for what several units share, which is to be decided (`shared_rows`), and
    for other people, of whom a little may be told (`tables_of_other_people`).
    """

    table: DescribedTable
    like: str
    remarks: tuple[str, ...]
    offered: tuple[Told, ...] | None
    others: bool = False


@dataclass(frozen=True, slots=True)
class Sorted:
    """Those that are taken, the units' own first, and those that are not."""

    private: tuple[PrivateTable, ...]
    undecided: tuple[UndecidedTable, ...]
    left_out: tuple[LeftOut, ...]


def told(tables: Tables, units: Units, found: Belongings) -> Sorted:
    """All tables: none is public, whatever it looks like."""
    private = tuple(_private(tables[name], of, units, tables) for name, of in found.of.items())
    undecided = tuple(_undecided(tables[name], each, units) for name, each in sorted(found.undecided.items()))
    rest = (table for name, table in sorted(tables.items()) if name not in found.of and name not in found.undecided)
    referred = {key.table for table in tables.values() for key in table.foreign_keys}
    about = _about(tables, units, found)
    owners = _owners(tables, {**_by_name(tables), **about})
    others = of_others(tables, owners, about.keys())
    left_out = (_left_out(table, tables, table.name in referred, owners, units, others) for table in rest)
    return Sorted(private, undecided, tuple(left_out))


def _by_name(tables: Tables) -> Mapping[str, str]:
    named = ((name, worker(name) or whose(name)) for name in tables)
    return {name: one for name, one in named if one is not None}


def _about(tables: Tables, units: Units, ways: Belongings) -> Mapping[str, str]:
    """The tables whose rows are about a unit: by a way to it, by a column that is called like its key, or by any
    foreign key to such a table."""
    owners = {name: of[0].unit.name for name, of in ways.of.items()}
    owners |= {name: each.links[0][0].name for name, each in ways.undecided.items()}
    for unit in units:
        alike = (name for name, table in tables.items() if _key_of(unit, table, tables) and name not in owners)
        owners |= dict.fromkeys(tuple(alike), unit.name)
    return _owners(tables, owners)


def _owners(tables: Tables, known: Mapping[str, str]) -> Mapping[str, str]:
    """About whom the rows of tables are: those that are known, and by any foreign key to such a table."""
    owners = dict(known)
    found = 0
    while found < len(owners):
        found = len(owners)
        for name, table in tables.items():
            of = [owners[key.table] for key in table.foreign_keys if key.table in owners]
            of += [owners[other] for other in owners if may_refer(table, tables[other], tables)]
            if name not in owners and of:
                owners[name] = of[0]
    return owners


def _private(table: DescribedTable, of: tuple[Belonging, ...], units: Units, tables: Tables) -> PrivateTable:
    links = tuple(each.way.link for each in of if each.way.link is not None)
    lines = _lines(table, links, units)
    owned = (remark for unit in units for remark in _of_unit(table, unit))
    way = (remark for each in of for remark in _of_way(table, each.way, each.unit))
    remarks = (*owned, *_of_two(of), *way, *_of_keys(table, tables, links), *table.remarks)
    return PrivateTable(table, of, lines, _primary_key(table, lines), remarks)


def _undecided(table: DescribedTable, undecided: Undecided, units: Units) -> UndecidedTable:
    lines = _lines(table, (), units)
    named = {key.columns[0] for _, key in undecided.links}
    lines = tuple(columns.withheld(line) if line.name in named else line for line in lines)
    return UndecidedTable(table, undecided, lines, _primary_key(table, lines))


def _lines(table: DescribedTable, links: tuple[ForeignKey, ...], units: Units) -> tuple[Told, ...]:
    facts = known(table.checks, [column.name for column in table.columns])
    return tuple(columns.told(each, _role(each, table, links, units), facts[each.name]) for each in table.columns)


def _primary_key(table: DescribedTable, lines: tuple[Told, ...]) -> tuple[str, ...]:
    """As far as a policy can have its columns."""
    taken = {line.name for line in lines if line.entry is not None}
    return table.primary_key if taken.issuperset(table.primary_key) else ()


def _role(column: DescribedColumn, table: DescribedTable, links: tuple[ForeignKey, ...], units: Units) -> Role:
    own = {unit.table: unit for unit in units}
    is_unit = table.name in own and column.name == own[table.name].key
    keys = [key for key in table.foreign_keys if key.columns == (column.name,)]
    also = [key for key in keys if key.table in own and key not in links]
    if any(link.columns == (column.name,) for link in links):
        return Role(is_key=True)
    key = next(iter((*also, *keys)), None)
    refers = None if key is None else f"{key.table}.{key.targets[0]}"
    other = whose(key.table) if key is not None and key.table not in own else None
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
    if len(way.others) == 1:
        (said,) = said_of(((unit, way.link), (unit, way.others[0])))
        yield f"Or a row belongs to two {unit.name}s, and is private for both; then in place of unit and link: {said}"


def _of_two(of: tuple[Belonging, ...]) -> Iterator[str]:
    if len(of) > 1:
        yield f"Each row is of {by_columns(of)}, and private for both:"
        yield "COUNT, SUM and AVG are answered, of all rows or by public keys."


def _of_unit(table: DescribedTable, unit: DraftUnit) -> Iterator[str]:
    if table.name != unit.table:
        return
    if (column := table.column(unit.key)) is not None and column.nullable and not unit.by_name:
        yield f"Rows without {shown(unit.key)} belong to nobody, and are in no answer."
    if unit.by_name:
        yield f"TODO: is {shown(unit.key)} unique, and never NULL? `dpproxy check --data` looks, and remembers it."


def _of_keys(table: DescribedTable, tables: Tables, links: tuple[ForeignKey, ...] = ()) -> Iterator[str]:
    """Foreign keys that a policy cannot follow, but for one of which a column is a link."""
    for key in table.foreign_keys:
        reason = leads(table, key, tables)
        if reason is not None and not (len(key.columns) > 1 and any(link.columns[0] in key.columns for link in links)):
            yield f"Its foreign key ({', '.join(map(shown, key.columns))}) {reason}."


def _key_of(unit: DraftUnit, table: DescribedTable, tables: Tables) -> DescribedColumn | None:
    """The column of `table` that is called like the unit's key, whatever its type."""
    return called_alike(table, tables[unit.table], unit.key)


def _left_out(
    table: DescribedTable,
    tables: Tables,
    referred: bool,
    owners: Mapping[str, str],
    units: Units,
    others: Collection[str],
) -> LeftOut:
    alike = ((unit, named) for unit in units if (named := _key_of(unit, table, tables)) is not None)
    unit, named = next(alike, (units[0], None))
    remarks = (*_of_keys(table, tables), *table.remarks)
    if named is not None and not any(named.name in key.columns for key in table.foreign_keys):
        like = _named_alike(table, named, tables[unit.table], unit)
        return LeftOut(table, like, remarks, None if table.name in owners else _public(table))
    if may_be_shared(table, tables, owners, units):
        return LeftOut(table, shared_by(table, units), remarks, _public(table))
    if table.name in others:
        asked = asked_of(table, owners[table.name], units, tables)
        return LeftOut(table, asked, remarks, columns_of(table), others=True)
    like = _likeness(table, referred, owners.get(table.name))
    return LeftOut(table, like, remarks, None if table.name in owners else _public(table))


def _public(table: DescribedTable) -> tuple[Told, ...]:
    return tuple(map(columns.public, table.columns))


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

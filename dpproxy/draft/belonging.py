"""Whose the rows of each table are: of one unit, of two, or as the owner has to say.

A row of two is private for both where the foreign keys say that it is: one way to each of two units, or two keys beside
one another to one table of one unit, such as a sender and a receiver. A link leads to a table of one unit. What is more
than that, or cannot be followed, is left out until it is decided: with several units, no row is drafted as of one where
a foreign key tells that it is of another, too. With one unit alone the nearest of several ways is taken, unless two
keys stand beside one another, and what else leads there is hidden.

Checked by: tests/test_init_several.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from dpproxy.draft.composite import accounted
from dpproxy.draft.guesses import called_alike
from dpproxy.draft.names import a
from dpproxy.draft.toml import shown
from dpproxy.draft.units import DraftUnit, Tables, leads
from dpproxy.draft.ways import Way, ways
from dpproxy.engines.described import DescribedTable, ForeignKey
from dpproxy.errors import ConfigFault

Links = tuple[tuple[DraftUnit, ForeignKey], ...]
_Single = Mapping[str, DraftUnit]
_About = Mapping[DraftUnit, set[str]]


@dataclass(frozen=True, slots=True)
class Belonging:
    """A unit of a table's rows, and the way there."""

    unit: DraftUnit
    way: Way


@dataclass(frozen=True, slots=True)
class Undecided:
    """A table whose rows are somebody's. `links` lead to a unit; `choices` are those among which its owner may choose,
    one link or two. blocked: sentences, what else leads to a unit and can be no link."""

    links: Links
    choices: tuple[Links, ...]
    blocked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Belongings:
    """`of` each table that is taken: one way or two, the nearest first; and the tables that are undecided."""

    of: Mapping[str, tuple[Belonging, ...]]
    undecided: Mapping[str, Undecided]


def belongings(tables: Tables, units: tuple[DraftUnit, ...]) -> Belongings:
    """Of all tables from which a link leads to one of `units`. Raises ConfigFault where the own table of a unit is
    another's, too.

    *Claim.* With several units, a table that is taken says every unit that any chain of foreign keys leads to from it,
    whether links can follow it or not. *Because* one that leads to more is `blocked`, and one that leads to such a
    table does not end well. *Checked by* tests/test_init_several.py (a walk over random schemas, written apart).
    """
    found = {unit: ways(tables, unit) for unit in units}
    about = {unit: _about(tables, unit) for unit in units}
    own = _own(about)
    links = {name: _links(table, found) for name, table in tables.items() if name not in own}
    blocked = {name: tuple(_blocked(tables[name], links[name], about, tables)) for name in links}
    ends = {name: {key.table for _, key in each} for name, each in links.items()}
    alone = {name: each[0][0] for name, each in links.items() if each and not _beside(tables[name], each)}
    if len(units) > 1:
        ends = {name: _ends(tables[name], about, tables) for name in links}
        alone = {name: unit for name, unit in alone.items() if len(links[name]) == 1 and not blocked[name]}
    single = _ending_well(own | alone, ends)
    sound = (name for name in links if not blocked[name] and ends[name] <= single.keys())
    pairs = {name: links[name] for name in sound if _is_pair(tables[name], links[name], single)}
    of = {name: tuple(_by(key, unit, found[unit][name]) for unit, key in each) for name, each in pairs.items()}
    of |= {name: (Belonging(unit, found[unit][name]),) for name, unit in single.items()}
    rest = {name: each for name, each in links.items() if each and name not in of}
    undecided = {name: Undecided(each, tuple(_choices(each, single)), blocked[name]) for name, each in rest.items()}
    return Belongings(_nearest_first(of), undecided)


def _nearest_first(of: Mapping[str, tuple[Belonging, ...]]) -> dict[str, tuple[Belonging, ...]]:
    order = sorted(of, key=lambda name: (max(each.way.steps for each in of[name]), name))
    return {name: of[name] for name in order}


def by_columns(of: tuple[Belonging, ...]) -> str:
    """Whose rows are, in words: a person by sender and a person by receiver."""
    return " and ".join(
        f"{a(each.unit.name)} by {shown(each.way.link.columns[0])}" for each in of if each.way.link is not None
    )


def _by(key: ForeignKey, unit: DraftUnit, way: Way) -> Belonging:
    return Belonging(unit, Way(key, way.steps, way.nullable))


def _own(about: _About) -> dict[str, DraftUnit]:
    """The units' own tables. Each is of its unit alone."""
    own: dict[str, DraftUnit] = {}
    for unit in about:
        if (other := own.get(unit.table)) is not None:
            raise _own_fault(unit, other, f"{shown(unit.table)} cannot be both's own table")
        own[unit.table] = unit
    for unit, names in about.items():
        for name in sorted(own.keys() & names - {unit.table}):
            raise _own_fault(own[name], unit, f"a row of {shown(name)} refers to {a(unit.name)}, too")
    return own


def _own_fault(unit: DraftUnit, other: DraftUnit, why: str) -> ConfigFault:
    return ConfigFault(
        f"{why}, and the own table of a unit has rows of that unit alone",
        hint=f"Draft it for one of them: --unit {unit.table}.{unit.key}, or --unit {other.table}.{other.key}",
    )


def _about(tables: Tables, unit: DraftUnit) -> set[str]:
    """The tables whose rows are somebody's of that unit, by any foreign key, whether it can be a link or not."""
    found, before = {unit.table}, 0
    while before < len(found):
        before = len(found)
        found |= {name for name, table in tables.items() if any(key.table in found for key in table.foreign_keys)}
    return found


def _ends(table: DescribedTable, about: _About, tables: Tables) -> set[str]:
    """The tables of somebody's to which its foreign keys lead, but for those whose columns are links by themselves."""
    everybodys = set().union(*about.values())
    keys = [key for key in table.foreign_keys if not accounted(table, key, everybodys, tables)]
    return {key.table for key in keys} & everybodys


def _links(table: DescribedTable, found: Mapping[DraftUnit, Mapping[str, Way]]) -> Links:
    """Every link that leads to a unit, in the order of units and columns."""
    place = {column.name: place for place, column in enumerate(table.columns)}
    ways_of = ((unit, of[table.name]) for unit, of in found.items() if table.name in of)
    each = ((unit, [key for key in (way.link, *way.others) if key is not None]) for unit, way in ways_of)
    return tuple((unit, key) for unit, keys in each for key in sorted(keys, key=lambda key: place[key.columns[0]]))


def _blocked(table: DescribedTable, links: Links, about: _About, tables: Tables) -> Iterator[str]:
    """What leads to a unit, and is followed by no link."""
    everybodys = set().union(*about.values())
    known = {unit for unit, _ in links}
    for key in table.foreign_keys:
        reason = leads(table, key, tables)
        if reason is not None and key.table in everybodys and not accounted(table, key, everybodys, tables):
            yield f"Its foreign key ({', '.join(map(shown, key.columns))}) {reason}."
    for unit in about.keys() - known:
        alike = called_alike(table, tables[unit.table], unit.key)
        if table.name in about[unit]:
            yield f"By what it refers to its rows are about {a(unit.name)}, too, and no link leads there."
        elif alike is not None:
            yield f"By its name {shown(alike.name)} says which {unit.name}'s a row is, and it is of another type."


def _beside(table: DescribedTable, links: Links) -> bool:
    """Whether two keys, none of which may be NULL, lead to one table: a row is of two of a kind."""
    return any(_are_beside(table, *pair) for pair in combinations((key for _, key in links), 2))


def _are_beside(table: DescribedTable, one: ForeignKey, other: ForeignKey) -> bool:
    named = [table.column(key.columns[0]) for key in (one, other)]
    sure = all(column is not None and not column.nullable for column in named)
    return sure and one.columns != other.columns and (one.table, one.targets) == (other.table, other.targets)


def _ending_well(single: _Single, ends: Mapping[str, set[str]]) -> _Single:
    """Those of `single` from which nothing but others of it is referred to."""
    left, before = dict(single), -1
    while before != len(left):
        before = len(left)
        left = {name: unit for name, unit in left.items() if ends.get(name, set()) <= left.keys()}
    return left


def _is_pair(table: DescribedTable, links: Links, single: _Single) -> bool:
    if len(links) != 2 or not _goes_on(links, single):
        return False
    (unit, one), (other, another) = links
    return unit != other or _are_beside(table, one, another)


def _goes_on(links: Links, single: _Single) -> bool:
    """Whether a policy may have these links side by side."""
    columns = {key.columns for _, key in links}
    return len(columns) == len(links) and all(single.get(key.table) == unit for unit, key in links)


def _choices(links: Links, single: _Single) -> Iterator[Links]:
    """What a policy could say: two of them, and one alone where all lead to one unit."""
    alone = [(each,) for each in links] if len({unit for unit, _ in links}) == 1 else []
    yield from (each for each in (*combinations(links, 2), *alone) if _goes_on(each, single))

"""Keys and links that nobody declared, by the names of columns: what a file without constraints can still tell.

A guess is no fact. That a guessed key is unique is claimed in the policy, and not believed before it was seen by
`dpproxy check --data`: until then a unit may have many rows. That a guessed link says whose a row is, is the owner's to
decide. So guesses are made only where a database declares nothing of the kind, or where the owner names the unit, for
tables that nothing declared leads from; and each is marked with TODO.

Checked by: tests/test_init_guesses.py.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from dpproxy.catalog.types import SqlType
from dpproxy.config.consistency import KEY_FAMILIES
from dpproxy.draft.names import rank, singular, whose, words
from dpproxy.engines.described import DescribedColumn, DescribedTable, ForeignKey

Tables = Mapping[str, DescribedTable]

_KEYS = frozenset({"id", "key", "no", "nr", "number", "code", "uuid", "guid"})
_OF_TIME = frozenset({"year", "month", "day", "hour", "minute", "week", "quarter", "season", "date", "time"})


def likely_keys(tables: Tables) -> list[tuple[str, str]]:
    """(table, column) of those that by their names tell units apart, the likeliest first: tables of people go before
    others, then those whose key most other tables have."""
    found = [(name, column) for name, table in tables.items() if (column := _key_by_name(table, tables)) is not None]
    return sorted(found, key=lambda each: (rank(whose(each[0])), -_seen(each[0], each[1], tables), each))


def is_guess(tables: Tables, name: str, column: str) -> bool:
    """Whether that a column tells units apart is guessed: nothing is declared, and the column is called like a key."""
    declared = any(table.primary_key or table.unique or table.foreign_keys for table in tables.values())
    return not declared and column in _keys_by_name(tables[name], tables)


def with_guesses(tables: Tables, name: str, column: str) -> Tables:
    """The tables as if the unit's column were a key where that is guessed, and links to it declared where none is."""
    guessed = with_key(tables, name, column) if is_guess(tables, name, column) else tables
    if any(table.foreign_keys for table in tables.values()) or (column,) not in guessed[name].unique:
        return guessed
    return {
        other: table if other == name else _linked(table, guessed[name], column) for other, table in guessed.items()
    }


def with_key(tables: Tables, name: str, column: str) -> Tables:
    """The tables as if `column` of `name` were a key."""
    return {**tables, name: _keyed(tables[name], column)}


def with_links(tables: Tables, unreached: Collection[str], name: str, column: str) -> Tables:
    """The tables with links to the unit's column `column` of `name` from those of `unreached` that have a column called
    like it, of its type. Whether it is unique does not matter: such a link is an equality, and reads no row."""
    if tables[name].column(column) is None:
        return tables
    return {
        other: _linked(table, tables[name], column) if other in unreached and other != name else table
        for other, table in tables.items()
    }


def called_alike(table: DescribedTable, target: DescribedTable, column: str) -> DescribedColumn | None:
    """The column of `table`, of any type, that is called like `column`, a key of `target`."""
    return next((each for each in table.columns if _spelled(each.name) in _called(target, column)), None)


def shared_columns(tables: Tables) -> list[tuple[str, str]]:
    """(table, column) of the columns that several tables have by name and type, those that most have first; each in the
    table where it stands nearest to the front, since it is told there what it is of. A part of a date is no key."""
    have: defaultdict[tuple[str, SqlType], list[tuple[int, str]]] = defaultdict(list)
    for name, table in sorted(tables.items()):
        for place, column in enumerate(table.columns):
            if column.kind is not None and _usable(column) and not _OF_TIME & set(words(column.name)):
                have[column.name, column.kind].append((place, name))
    ranked = sorted((-len(found), min(found), column) for (column, _), found in have.items() if len(found) > 1)
    return [(name, column) for _, (_, name), column in ranked]


def _key_by_name(table: DescribedTable, tables: Tables) -> str | None:
    """The column that is called as a key of this very table is, or that a table of people shares with others; of
    several, the one that most others have."""
    found = [(-_seen(table.name, name, tables), place, name) for place, name in enumerate(_keys_by_name(table, tables))]
    return min(found, default=(0, 0, None))[2]


def _keys_by_name(table: DescribedTable, tables: Tables) -> Iterator[str]:
    own = words(singular(table.name))
    for column in filter(_usable, table.columns):
        said = words(column.name)
        shared = whose(table.name) is not None and _seen(table.name, column.name, tables) > 0
        if said[-1:] and said[-1] in _KEYS and (said[:-1] in ([], own) or shared):
            yield column.name


def may_refer(table: DescribedTable, target: DescribedTable, tables: Tables) -> bool:
    """Whether a column of `table` is called like the key of `target`, where nothing is declared: then its rows may be
    about those of that."""
    if any(not key.by_name for each in tables.values() for key in each.foreign_keys):
        return False
    key = target.primary_key[0] if len(target.primary_key) == 1 else _key_by_name(target, tables)
    return key is not None and _link(table, target, key) is not None


def _seen(name: str, column: str, tables: Tables) -> int:
    """How many other tables have a column that could be a link to that one."""
    return sum(_link(table, tables[name], column) is not None for other, table in tables.items() if other != name)


def _link(table: DescribedTable, target: DescribedTable, column: str) -> DescribedColumn | None:
    """The column of `table` that is called like the key of `target`: the same name, or `person_id` for people.id."""
    key, called = target.column(column), _called(target, column)
    alike = [each for each in table.columns if _spelled(each.name) in called and key is not None]
    return next((each for each in alike if key is not None and each.kind == key.kind and _usable(each)), None)


def _called(target: DescribedTable, column: str) -> tuple[str, ...]:
    """What a column that refers to `column` of `target` is called: a word that any key may be called, with whose."""
    said, own = words(column), _spelled(column)
    if len(said) > 1:
        return (own,)
    of_target = _spelled(singular(target.name)) + own
    return (of_target,) if said and said[0] in _KEYS else (own, of_target)


def _spelled(name: str) -> str:
    """A name without case and what stands between its words: tailnum, TailNum and tail_num are one."""
    return re.sub(r"[\W_]+", "", name).lower() or name


def _usable(column: DescribedColumn) -> bool:
    return column.kind is not None and column.kind.family in KEY_FAMILIES


def _keyed(table: DescribedTable, column: str) -> DescribedTable:
    columns = tuple(replace(each, nullable=False) if each.name == column else each for each in table.columns)
    return replace(table, columns=columns, primary_key=(column,), unique=table.unique | {(column,)})


def _linked(table: DescribedTable, target: DescribedTable, column: str) -> DescribedTable:
    found = _link(table, target, column)
    if found is None:
        return table
    guess = ForeignKey((found.name,), target.name, (column,), by_name=True)
    return replace(table, foreign_keys=(*table.foreign_keys, guess))

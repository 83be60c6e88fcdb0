"""Keys and links that nobody declared, by the names of columns: what a file without constraints can still tell.

A guess is no fact. That a guessed key is unique is claimed in the policy, and not believed before it was seen by
`dpproxy check --data`: until then a unit may have many rows. That a guessed link says whose a row is, is the owner's to
decide. So guesses are made only where a database declares nothing of the kind, and each is marked with TODO.

Checked by: tests/test_init_guesses.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from dpproxy.config.consistency import KEY_FAMILIES
from dpproxy.draft.names import rank, singular, whose, words
from dpproxy.engines.described import DescribedColumn, DescribedTable, ForeignKey

Tables = Mapping[str, DescribedTable]

_KEYS = frozenset({"id", "key", "no", "nr", "number", "code", "uuid", "guid"})


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
    guessed = {**tables, name: _keyed(tables[name], column)} if is_guess(tables, name, column) else tables
    if any(table.foreign_keys for table in tables.values()) or (column,) not in guessed[name].unique:
        return guessed
    return {
        other: table if other == name else _linked(table, guessed[name], column) for other, table in guessed.items()
    }


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
    key = target.column(column)
    said = words(column)
    wanted = [*words(singular(target.name)), *said] if len(said) == 1 else said
    alike = [each for each in table.columns if words(each.name) == wanted and key is not None]
    return next((each for each in alike if key is not None and each.kind == key.kind and _usable(each)), None)


def _usable(column: DescribedColumn) -> bool:
    return column.kind is not None and column.kind.family in KEY_FAMILIES


def _keyed(table: DescribedTable, column: str) -> DescribedTable:
    columns = tuple(replace(each, nullable=False) if each.name == column else each for each in table.columns)
    return replace(table, columns=columns, primary_key=(column,), unique=table.unique | {(column,)})


def _linked(table: DescribedTable, target: DescribedTable, column: str) -> DescribedTable:
    found = _link(table, target, column)
    if found is None:
        return table
    return replace(table, foreign_keys=(ForeignKey((found.name,), target.name, (column,), by_name=True),))

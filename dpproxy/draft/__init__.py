"""`dpproxy init`: a policy drafted from a database's schema. Catalogs are read, and never a row.

What a catalog tells of tables, columns, keys and checks is `engines.described`; each engine reads its own.

units              whose privacy it may be about
guesses            keys and links that nobody declared, by the names of columns
ways               foreign keys that lead from a table to its unit
composite          foreign keys of several columns
belonging          of one unit, of two, or to be decided
checks             CHECK constraints as bounds and values
names              what the name of a column gives away
columns, tables    what is said of each
sections, toml     the file's text
others             tables about other people, such as doctors beside patients
undecided          what it says of tables whose units the owner has to name
example_budget     what an analyst may spend, as an example
first_questions    what to ask first
summary            what is left to be decided

Nothing becomes public by itself, and what cannot be known from a schema is marked with TODO.

Checked by: tests/test_init.py, tests/test_init_several.py.
"""

from __future__ import annotations

from dataclasses import dataclass

from dpproxy.draft.belonging import belongings
from dpproxy.draft.composite import with_parts
from dpproxy.draft.guesses import with_guesses, with_key, with_links
from dpproxy.draft.sections import written
from dpproxy.draft.summary import summarized
from dpproxy.draft.tables import told
from dpproxy.draft.units import DraftUnit, Tables, each_chosen
from dpproxy.draft.ways import ways
from dpproxy.engines.described import Database

__all__ = ["Draft", "drafted"]


@dataclass(frozen=True, slots=True)
class Draft:
    """The file's text, and a summary for the owner: lines."""

    text: str
    summary: tuple[str, ...]


def drafted(database: Database, asked: tuple[str, ...], file: str) -> Draft:
    """The policy of `database`, with the units `asked` ("TABLE" or "TABLE.COLUMN"), or without any the likeliest;
    `file` is its name.

    Pure, and the same for the same schema. Raises ConfigFault where there is no such unit, or none to be found, or no
    policy can have them all.
    """
    file = file if file.isprintable() else "FILE"
    units = each_chosen(database.tables, asked)
    tables = _linked(database.tables, units) if asked else with_guesses(database.tables, units[0].table, units[0].key)
    tables = with_parts(tables)
    found = told(tables, units, belongings(tables, units))
    return Draft(written(database, units, found, file), summarized(database, units, found, file))


def _linked(tables: Tables, units: tuple[DraftUnit, ...]) -> Tables:
    """With the keys that are guessed, and links from what has no way to a unit that the owner named, by their names."""
    for unit in units:
        tables = with_key(tables, unit.table, unit.key) if unit.by_name else tables
    unreached = {unit: tables.keys() - ways(tables, unit).keys() for unit in units}
    for unit in units:
        tables = with_links(tables, unreached[unit], unit.table, unit.key)
    return tables

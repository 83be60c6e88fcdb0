"""`dpproxy init`: a policy drafted from a database's schema. Catalogs are read, and never a row.

What a catalog tells of tables, columns, keys and checks is `engines.described`; each engine reads its own.

units              whose privacy it may be about
guesses            keys and links that nobody declared, by the names of columns
ways               foreign keys that lead from a table to its unit
checks             CHECK constraints as bounds and values
names              what the name of a column gives away
columns, tables    what is said of each
sections, toml     the file's text
example_budget     what an analyst may spend, as an example
first_questions    what to ask first
summary            what is left to be decided

Nothing becomes public by itself, and what cannot be known from a schema is marked with TODO.

Checked by: tests/test_init.py.
"""

from __future__ import annotations

from dataclasses import dataclass

from dpproxy.draft.guesses import with_guesses, with_links
from dpproxy.draft.sections import written
from dpproxy.draft.summary import summarized
from dpproxy.draft.tables import told
from dpproxy.draft.units import chosen
from dpproxy.draft.ways import ways
from dpproxy.engines.described import Database

__all__ = ["Draft", "drafted"]


@dataclass(frozen=True, slots=True)
class Draft:
    """The file's text, and a summary for the owner: lines."""

    text: str
    summary: tuple[str, ...]


def drafted(database: Database, unit: str | None, file: str) -> Draft:
    """The policy of `database`, with `unit` ("TABLE" or "TABLE.COLUMN") or else the likeliest; `file` is its name.

    Pure, and the same for the same schema. Raises ConfigFault where there is no such unit, or none to be found.
    """
    file = file if file.isprintable() else "FILE"
    choice = chosen(database.tables, unit)
    tables = with_guesses(database.tables, choice.table, choice.key)
    if choice.asked:
        tables = with_links(tables, tables.keys() - ways(tables, choice).keys(), choice.table, choice.key)
    found = told(tables, choice, ways(tables, choice))
    return Draft(written(database, choice, found, file), summarized(database, choice, found, file))

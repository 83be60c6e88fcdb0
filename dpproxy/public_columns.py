"""Public tables whose columns the policy does not list: what was there when each was first served is shown, no more.

A column that is listed was read by the owner, who wrote it down. Where none is listed nobody read what is added to the
table later, and a restart would publish it. So the ledger keeps the columns that were there when the table was first
served; others are no part of the catalog until the policy lists them.

Checked by: tests/test_public_columns.py.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from dpproxy.catalog.policy import Catalog, Table, TableColumn
from dpproxy.config import Config, Fault
from dpproxy.config.faults import shown

Approved = Mapping[str, Collection[str]]
"""By table, the columns that were there when it was first served; nothing of one that never was."""


def seen(config: Config, catalog: Catalog) -> Mapping[str, tuple[str, ...]]:
    """The public tables that list no columns, and those that they have now."""
    return {table.name: tuple(each.name for each in table.columns) for table in _unlisted(config, catalog)}


def only_approved(config: Config, catalog: Catalog, approved: Approved) -> Catalog:
    """The catalog without the columns that came later.

    Claim: of a public table that lists no columns, the result has those alone that are approved or that the policy
    names as its primary key. Because: all others are taken out here, and analysts' catalogs are made of the result.
    Checked by: tests/test_public_columns.py.
    """
    tables = dict(catalog.tables)
    for table in _unlisted(config, catalog):
        later = {each.name for each in _later(table, approved)}
        tables[table.name] = replace(table, columns=tuple(each for each in table.columns if each.name not in later))
    return replace(catalog, tables=tables)


def later_columns(config: Config, catalog: Catalog, approved: Approved) -> Iterator[Fault]:
    """A fault for each table that got columns after it was first served."""
    for table in _unlisted(config, catalog):
        if later := _later(table, approved):
            rest = [each for each in table.columns if each not in later]
            names = ", ".join(each.name for each in later)
            wrong = f"none are listed, and {names} came after {table.name} was first served: hidden from analysts"
            expected = f"{_line(rest)} to leave it so, with {', '.join(map(_entry, later))} among them to show it"
            yield Fault(("tables", table.name, "columns"), wrong, expected)


def unlisted_warnings(config: Config, catalog: Catalog) -> Iterator[str]:
    """A line for each table that lists no columns, with what to write."""
    for table in _unlisted(config, catalog):
        said = "none are listed, so what is there at the first start is public, and what is added later is hidden"
        yield f"tables.{table.name}.columns: {said}; write {_line(table.columns)}"


def _unlisted(config: Config, catalog: Catalog) -> Iterator[Table]:
    for name, table in config.tables.items():
        if table.public and not table.columns and name in catalog.tables:
            yield catalog.tables[name]


def _later(table: Table, approved: Approved) -> list[TableColumn]:
    known = approved.get(table.name)
    named = {*table.primary_key, *(known or ())}
    return [] if known is None else [each for each in table.columns if each.name not in named]


def _line(columns: Iterable[TableColumn]) -> str:
    return f"columns = {{ {', '.join(map(_entry, columns))} }}"


def _entry(column: TableColumn) -> str:
    name = column.name if re.fullmatch(r"[A-Za-z0-9_-]+", column.name) else shown(column.name)
    nullable = ", nullable = true" if column.nullable else ""
    return f'{name} = {{ type = "{column.type}"{nullable} }}'

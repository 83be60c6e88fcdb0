"""What the policy says of tables and columns, in words, for the comments that every tool shows. Pure.

Checked by: tests/test_front_schema.py, tests/clients/test_catalog.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from dpproxy.catalog.policy import Catalog, Link, Table, TableColumn
from dpproxy.rows import Value

_MOST_KEYS = 30


def table_comment(table: Table) -> str:
    """For example `private: unit person, caps of 20 rows and 3 groups. What patients came for`."""
    kind = "public" if table.public else f"private: unit {table.unit}{_limits(table)}"
    return kind if table.note is None else f"{kind}. {table.note}"


def column_comment(catalog: Catalog, table: Table, column: TableColumn) -> str:
    """For example `bounds 0 to 10000; step 0.01; what was paid`, or nothing where the policy says nothing."""
    return "; ".join(_facts(catalog, table, column))


def _limits(table: Table) -> str:
    """What the policy says that one unit has at most, where it may have more than one row."""
    if table.unit_key is not None and table.proves_unique(table.unit_key):
        return ""
    declared = {"rows": table.max_rows_per_unit, "groups": table.max_groups_per_unit}
    words = " and ".join(f"{most} {what}" for what, most in declared.items() if most is not None)
    return f", caps of {words}" if words else ""


def _facts(catalog: Catalog, table: Table, column: TableColumn) -> Iterator[str]:
    if table.unit is not None and column.name == table.unit_key:
        yield f"key of unit {table.unit}"
    for link in table.all_links:
        if link.column == column.name:
            yield f"links to {_target(catalog, link)}"
    if column.bounds is not None:
        yield f"bounds {_word(column.bounds[0])} to {_word(column.bounds[1])}"
    if column.step is not None:
        yield f"step {column.step}"
    if str(column.type) == "boolean":
        yield "public keys false, true"
    elif column.values is not None:
        yield f"public keys {_list(column.values)}"
    if column.note is not None:
        yield column.note


def _target(catalog: Catalog, link: Link) -> str:
    """A hidden column is named nowhere."""
    table = catalog.tables.get(link.table)
    return link.table if table is None or table.column(link.target) is None else f"{link.table}.{link.target}"


def _list(values: tuple[Value, ...]) -> str:
    shown = ", ".join(map(_word, values[:_MOST_KEYS]))
    return shown if len(values) <= _MOST_KEYS else f"{shown}, … ({len(values)} in all)"


def _word(value: Value) -> str:
    """The value as SQL spells it, without quotes."""
    match value:
        case None:
            return "NULL"
        case bool():
            return "true" if value else "false"
        case _:
            return str(value)

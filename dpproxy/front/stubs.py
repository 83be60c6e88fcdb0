"""Empty tables with the policy's names, types, keys and comments, as SQL text. Pure.

Two policies that make the same text make the same stub, so a text that changed is what has to be made anew.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass

from psycopg import sql

from dpproxy.catalog.policy import Catalog, Link, Table, TableColumn
from dpproxy.front.backstop import policy
from dpproxy.front.comments import column_comment, table_comment


@dataclass(frozen=True, slots=True)
class Stub:
    """An empty table of the front. `definition` is what makes it, a sequence of statements."""

    name: str
    schema: str
    relation: str
    definition: str


def stubs(catalog: Catalog) -> tuple[Stub, ...]:
    """One stub for each table of the policy."""
    linked = {(link.table, link.target) for table in catalog.tables.values() for link in table.all_links}
    return tuple(_stub(catalog, table, _keys(table, linked)) for table in catalog.tables.values())


def foreign_keys(catalog: Catalog) -> tuple[sql.Composed, ...]:
    """One foreign key for each link between private tables whose both ends are visible."""
    return tuple(
        _foreign_key(table, link, catalog.tables[link.table])
        for table in catalog.tables.values()
        for link in table.all_links
        if not table.public and _can_be_foreign_key(table, link, catalog.tables.get(link.table))
    )


def identifier(table: Table) -> sql.Identifier:
    """The table's name in the front, quoted."""
    return sql.Identifier(table.schema, table.relation)


def visible(table: Table) -> tuple[TableColumn, ...]:
    """The columns that analysts know of."""
    return tuple(column for column in table.columns if not column.hidden)


def _stub(catalog: Catalog, table: Table, keys: Iterable[sql.Composed]) -> Stub:
    guard = () if table.public else (policy(identifier(table)),)
    statements = [_create(table, keys), *_comments(catalog, table), *guard]
    text = ";\n".join(statement.as_string(None) for statement in statements)
    return Stub(table.name, table.schema, table.relation, text)


def _create(table: Table, keys: Iterable[sql.Composed]) -> sql.Composed:
    parts = [*(_column(column, _not_null(table, column)) for column in visible(table)), *keys]
    return sql.SQL("CREATE TABLE {} ({})").format(identifier(table), sql.SQL(", ").join(parts))


def _not_null(table: Table, column: TableColumn) -> sql.SQL:
    """The rows of a public table are copied here, and the policy may be wrong about NULL: that costs no table."""
    return sql.SQL("") if column.nullable or table.public else sql.SQL(" NOT NULL")


def _column(column: TableColumn, null: sql.SQL) -> sql.Composed:
    # The type is one of the closed set of SqlType, never a text of somebody's.
    return sql.Composed([sql.Identifier(column.name), sql.SQL(" "), _type(column), null])


def _type(column: TableColumn) -> sql.SQL:
    return sql.SQL(str(column.type))


def _keys(table: Table, linked: Container[tuple[str, str]]) -> Iterator[sql.Composed]:
    """The primary key, the proved ones, and what links lead to: without a constraint there is no foreign key."""
    primary = _primary_key(table)
    if primary:
        yield sql.SQL("PRIMARY KEY ({})").format(_names(primary))
    targets = {(each.name,) for each in table.columns if not table.public and (table.name, each.name) in linked}
    for key in sorted({*table.unique, *targets}):
        if key and key != primary and _all_visible(table, key):
            yield sql.SQL("UNIQUE ({})").format(_names(key))


def _primary_key(table: Table) -> tuple[str, ...]:
    """The primary key if it is visible. A public table holds rows, so its key must be a proved one."""
    proved = not table.public or table.proves_unique(*table.primary_key)
    return table.primary_key if proved and _all_visible(table, table.primary_key) else ()


def _all_visible(table: Table, names: tuple[str, ...]) -> bool:
    return all(table.column(name) is not None for name in names)


def _comments(catalog: Catalog, table: Table) -> Iterator[sql.Composed]:
    yield sql.SQL("COMMENT ON TABLE {} IS {}").format(identifier(table), table_comment(table))
    for column in visible(table):
        if text := column_comment(catalog, table, column):
            name = sql.Identifier(table.schema, table.relation, column.name)
            yield sql.SQL("COMMENT ON COLUMN {} IS {}").format(name, text)


def _can_be_foreign_key(table: Table, link: Link, target: Table | None) -> bool:
    if target is None or target.public:
        return False
    return table.column(link.column) is not None and target.column(link.target) is not None


def _foreign_key(table: Table, link: Link, target: Table) -> sql.Composed:
    return sql.SQL("ALTER TABLE {} ADD FOREIGN KEY ({}) REFERENCES {} ({})").format(
        identifier(table), sql.Identifier(link.column), identifier(target), sql.Identifier(link.target)
    )


def _names(names: tuple[str, ...]) -> sql.Composed:
    return sql.SQL(", ").join(map(sql.Identifier, names))

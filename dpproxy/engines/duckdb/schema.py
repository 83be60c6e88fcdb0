"""DuckDB's own account of its tables, in Postgres's terms.

Checked by: tests/test_engine_duckdb.py, tests/test_schema_fit.py.
"""

from __future__ import annotations

import re
from collections.abc import Collection

import sqlglot
from duckdb import DuckDBPyConnection
from sqlglot import expressions as exp

from dpproxy.catalog.types import MOMENT
from dpproxy.engines import EngineColumn, EngineSchema, EngineTable
from dpproxy.engines.duckdb.tried import TRIED

_TYPES = {
    "TINYINT": "smallint",
    "UTINYINT": "smallint",
    "SMALLINT": "smallint",
    "USMALLINT": "integer",
    "INTEGER": "integer",
    "UINTEGER": "bigint",
    "BIGINT": "bigint",
    "UBIGINT": "numeric(20,0)",
    "HUGEINT": "numeric",
    "UHUGEINT": "numeric",
    "FLOAT": "real",
    "DOUBLE": "double precision",
    "VARCHAR": "text",
    "BOOLEAN": "boolean",
    "DATE": "date",
    "TIME": "time without time zone",
    "TIMESTAMP": "timestamp without time zone",
    "TIMESTAMP_S": "timestamp without time zone",
    "TIMESTAMP_MS": "timestamp without time zone",
    "TIMESTAMP_NS": "timestamp without time zone",
    "TIMESTAMP WITH TIME ZONE": "timestamp with time zone",
    "UUID": "uuid",
    "BLOB": "bytea",
    "INTERVAL": "interval",
}
_ENUM = re.compile(r"ENUM\(.*\)", re.DOTALL)

_TABLES = """
SELECT schema_name, table_name, sql FROM duckdb_tables()
WHERE database_name = current_database() AND NOT internal ORDER BY ALL"""

_VIEWS = """
SELECT schema_name, view_name FROM duckdb_views()
WHERE database_name = current_database() AND NOT internal ORDER BY ALL"""

_COLUMNS = """
SELECT column_name, data_type, is_nullable, is_generated FROM duckdb_columns()
WHERE database_name = current_database() AND schema_name = $1 AND table_name = $2 ORDER BY column_index"""

_SOURCE_COLUMNS = """
SELECT column_name, data_type FROM duckdb_columns()
WHERE database_name = 'memory' AND schema_name = 'main' AND table_name = $1 ORDER BY column_index"""

_CONSTRAINTS = """
SELECT constraint_column_names FROM duckdb_constraints()
WHERE database_name = current_database() AND schema_name = $1 AND table_name = $2
AND constraint_type IN ('PRIMARY KEY', 'UNIQUE') ORDER BY ALL"""


def postgres_type(raw: str) -> str:
    """Postgres's name for a DuckDB type that holds all its values; `raw` itself where there is none."""
    if match := re.fullmatch(r"DECIMAL\((\d+),\s*(\d+)\)", raw):
        return f"numeric({match[1]},{match[2]})"
    if _ENUM.fullmatch(raw):
        return "text"
    if match := re.fullmatch(r"(.*?)(\[\d*\])+", raw, re.DOTALL):
        element = postgres_type(match[1])
        return f"{element}[]" if element != match[1] or element in _TYPES.values() else raw
    return _TYPES.get(raw, raw)


def labels(raw: str) -> tuple[str, ...]:
    """Those of an enum, in their order; none of any other type."""
    found = re.findall(r"'((?:[^']|'')*)'", raw) if _ENUM.fullmatch(raw) else ()
    return tuple(label.replace("''", "'") for label in found)


def read_schema(cursor: DuckDBPyConnection, sources: Collection[str] = ()) -> EngineSchema:
    """Every base table of the opened database, and the names of its views; and the tables with a source.

    Nothing is unique in those, nor is a column never NULL: no constraint says so, and their files are not held.
    """
    tables = {
        _name(schema, table): _table(cursor, schema, table, sql)
        for schema, table, sql in cursor.execute(_TABLES).fetchall()
    }
    views = {_name(schema, view): "a view" for schema, view in cursor.execute(_VIEWS).fetchall()}
    files = {table: _source_table(cursor, table) for table in sources}
    return EngineSchema(tables | files, {name: what for name, what in views.items() if name not in files})


def _source_table(cursor: DuckDBPyConnection, table: str) -> EngineTable:
    columns = cursor.execute(_SOURCE_COLUMNS, [table]).fetchall()
    return EngineTable(
        tuple(_column(name, raw, True, generated=False, collated=False) for name, raw in columns),
        held=False,
    )


def _name(schema: str, relation: str) -> str:
    return relation if schema == "main" else f"{schema}.{relation}"


def _table(cursor: DuckDBPyConnection, schema: str, table: str, sql: str) -> EngineTable:
    collated = _collated(sql)
    columns = tuple(
        _column(name, raw, nullable, generated, name in collated)
        for name, raw, nullable, generated in cursor.execute(_COLUMNS, [schema, table]).fetchall()
    )
    required = {column.name for column in columns if not column.nullable}
    keys = (tuple(key) for (key,) in cursor.execute(_CONSTRAINTS, [schema, table]).fetchall())
    return EngineTable(columns, frozenset(key for key in keys if required.issuperset(key)))


def _column(name: str, raw: str, nullable: bool, generated: bool, collated: bool) -> EngineColumn:
    type_ = _column_type(raw, generated, collated)
    if type_ == MOMENT.name:
        return EngineColumn(name, type_, nullable, type_)
    stored = raw if type_ == postgres_type(raw) and (raw in TRIED or _ENUM.fullmatch(raw)) else None
    return EngineColumn(name, type_, nullable, stored)


def _column_type(raw: str, generated: bool, collated: bool) -> str:
    """The type of a stored column that behaves as Postgres's does; of any other a text that no policy can declare.

    A computed column can raise when it is read, a collation changes what equal means, and no type has 128 bits without
    a sign.
    """
    if generated:
        return f"a generated {raw}"
    if collated:
        return f"{raw} with a collation"
    return raw if raw == "UHUGEINT" else postgres_type(raw)


def _collated(sql: str) -> frozenset[str]:
    """The columns that a CREATE TABLE declares with a collation: DuckDB tells of it nowhere else."""
    if "collate" not in sql.lower():
        return frozenset()
    definitions = sqlglot.parse_one(sql, dialect="duckdb").find_all(exp.ColumnDef)
    return frozenset(column.name for column in definitions if column.find(exp.CollateColumnConstraint))

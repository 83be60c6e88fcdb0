"""The tables of a server: those of its current schema, and those of files, with their columns in Postgres's terms.

Checked by: tests/spark/test_spark_driver.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from dpproxy.catalog.types import MOMENT
from dpproxy.engines import EngineColumn, EngineSchema, EngineTable
from dpproxy.engines.spark.client import PySparkException
from dpproxy.engines.spark.dialect.forms import MOST_DIGITS
from dpproxy.engines.spark.sessions import Files, Found, Session, Unpinned, Versioned, quoted
from dpproxy.errors import ConfigFault

_TYPES: Final[Mapping[str, str]] = {
    "smallint": "smallint",
    "int": "integer",
    "bigint": "bigint",
    "string": "text",
    "boolean": "boolean",
    "date": "date",
    "double": "double precision",
    "timestamp_ntz": "timestamp without time zone",
    "timestamp": "timestamp with time zone",
    "binary": "bytea",
}
_HISTORIES: Final[Mapping[str, str]] = {
    "delta": "DESCRIBE HISTORY {name} LIMIT 1",
    "iceberg": "SELECT snapshot_id AS version FROM {name}.history ORDER BY made_current_at DESC LIMIT 1",
}
_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
"""Names of views, which Spark reads as identifiers and Sail as they are."""


@dataclass(frozen=True, slots=True)
class Tables:
    """What was found: by name, with the schema of each. others: what can be in no policy, and what each is."""

    found: Mapping[str, Found] = field(default_factory=dict)
    columns: Mapping[str, tuple[EngineColumn, ...]] = field(default_factory=dict)
    others: Mapping[str, str] = field(default_factory=dict)

    @property
    def schema(self) -> EngineSchema:
        """Nothing is unique, and no column never NULL: no constraint says so that Spark would keep."""
        return EngineSchema(
            {name: EngineTable(columns, held=False) for name, columns in self.columns.items()}, self.others
        )


def found_tables(session: Session, sources: Mapping[str, str], unpinned: frozenset[str]) -> Tables:
    """The tables of files, and those of the current schema beside them, `unpinned` ones as they are. Raises ConfigFault
    where a file cannot be read, or a table of the catalog has the name of one of files."""
    found: dict[str, Found] = {}
    columns: dict[str, tuple[EngineColumn, ...]] = {}
    others: dict[str, str] = {}
    for name, pattern in sources.items():
        found[name], columns[name] = _of_files(session, name, pattern)
    for name in _listed(session):
        if not _PLAIN.fullmatch(name):
            others[name] = "a table whose name is no plain one"
            continue
        if name in found:
            raise ConfigFault(f"the catalog holds a table {name}, which has a source, too: one of both")
        made = _of_catalog(session, name, name in unpinned)
        if isinstance(made, str):
            others[name] = made
        else:
            found[name], columns[name] = made
    return Tables(found, columns, others)


def _of_files(session: Session, name: str, pattern: str) -> tuple[Files, tuple[EngineColumn, ...]]:
    try:
        frame = session.spark.read.parquet(pattern)
        paths, schema = tuple(sorted(frame.inputFiles())), frame.schema
    except PySparkException as cause:
        raise ConfigFault(f"the source of the table {name} cannot be read", detail=_first_line(cause)) from cause
    if not paths:
        raise ConfigFault(f"the source of the table {name} cannot be read", detail=f"there is no file {pattern}")
    return Files(_ddl(schema), paths, None), _columns(schema)


def _listed(session: Session) -> Iterator[str]:
    for table in session.spark.catalog.listTables():
        if not table.isTemporary:
            yield table.name


def _of_catalog(session: Session, name: str, is_unpinned: bool) -> tuple[Found, tuple[EngineColumn, ...]] | str:
    """A table by its files or its versions; or what it is instead."""
    spark = session.spark
    database = (spark.catalog.currentCatalog(), spark.catalog.currentDatabase())
    full = ".".join(map(quoted, (*database, name)))
    told = {str(row[0]): str(row[1]) for row in spark.sql(f"DESCRIBE TABLE EXTENDED {full}").collect()}
    provider, kind = told.get("Provider", "").lower(), told.get("Type", "").upper()
    if kind == "VIEW" or not provider:
        return "a view"
    schema = spark.table(full).schema
    if is_unpinned:
        return Unpinned(_ddl(schema), full), _columns(schema)
    if provider in _HISTORIES:
        found = Versioned(_ddl(schema), full, _HISTORIES[provider].format(name=full))
        return (found, _columns(schema)) if _tells_versions(session, found) else _without_snapshot(provider)
    if provider != "parquet":
        return _without_snapshot(provider)
    paths = tuple(sorted(spark.table(full).inputFiles()))
    if not paths:
        return "a table without files"
    return Files(_ddl(schema), paths, told.get("Location")), _columns(schema)


def _tells_versions(session: Session, found: Versioned) -> bool:
    """Whether the server can be asked for the last version: Sail reads one, and cannot say which is the last."""
    try:
        return len(session.query(found.history).rows) == 1
    except PySparkException:
        return False


def _without_snapshot(provider: str) -> str:
    return f'a table of {provider}, of which no snapshot can be had (snapshot = "none" reads it without one)'


def _columns(schema: Any) -> tuple[EngineColumn, ...]:
    """Of names that differ by case alone, none: a text could mean either."""
    lower = [each.name.lower() for each in schema]
    return tuple(
        _column(each.name, postgres_type(each.dataType.simpleString()))
        for each in schema
        if lower.count(each.name.lower()) == 1
    )


def _column(name: str, type_: str) -> EngineColumn:
    """A moment is said to be stored as one, since it is read in another type."""
    return EngineColumn(name, type_, True, type_ if type_ == MOMENT.name else None)


def postgres_type(raw: str) -> str:
    """Postgres's name for a type of Spark's that holds all its values; `raw` itself where there is none.

    A text with a collation of its own, for which equal means another thing, has none.
    """
    if match := re.fullmatch(r"decimal\((\d+),\s*(\d+)\)", raw):
        return f"numeric({match[1]},{match[2]})" if int(match[1]) <= MOST_DIGITS else raw
    return _TYPES.get(raw, raw if raw not in _TYPES.values() else f"Spark's {raw}")


def _ddl(schema: Any) -> str:
    return ", ".join(f"{quoted(each.name)} {each.dataType.simpleString()}" for each in schema)


def _first_line(cause: Exception) -> str:
    return str(cause).partition("\n")[0]

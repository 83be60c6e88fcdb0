"""The tables of a server: those of its current schema, and those of files, with their columns in Postgres's terms.

Checked by: tests/spark/test_spark_driver.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from dpproxy.catalog.types import MOMENT
from dpproxy.engines import EngineColumn, EngineSchema, EngineTable
from dpproxy.engines.providers import VERSIONED
from dpproxy.engines.spark.client import PySparkException
from dpproxy.engines.spark.dialect.forms import MOST_DIGITS
from dpproxy.engines.spark.sessions import Files, Found, Session, Unpinned, Versioned, ddl, quoted
from dpproxy.engines.spark.versions import Last, has_log, last_version, ways_to_ask
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
_GLOB: Final = re.compile(r"[*?\[{]")
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
    for name, source in sources.items():
        format_, _, place = source.partition(":")
        made_of = _of_place(session, name, format_, place) if format_ in VERSIONED else _of_files(session, name, source)
        found[name], columns[name] = made_of
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
    if any(has_log(session.spark, each) for each in {pattern.rpartition("/")[0], _GLOB.split(pattern)[0].rstrip("/")}):
        raise ConfigFault(
            f"the source of the table {name} is a table of Delta, some of whose files may be of rows that are gone",
            detail='name its directory: source = "delta:visits"',
        )
    return Files(ddl(schema), paths, None), _columns(schema)


def _of_place(session: Session, name: str, format_: str, place: str) -> tuple[Versioned, tuple[EngineColumn, ...]]:
    """A table by its directory."""
    full = f"{format_}.{quoted(place)}"
    try:
        last = _way(session, ways_to_ask(format_, full, place))
        schema = session.spark.table(full).schema
    except (PySparkException, LookupError) as cause:
        raise ConfigFault(f"the source of the table {name} cannot be read", detail=_first_line(cause)) from cause
    return Versioned(ddl(schema), full, last), _columns(schema)


def _way(session: Session, ways: tuple[Last, ...]) -> Last:
    """The first way by which the last version is told here. Raises what the last of them does."""
    *others, only = ways
    for way in others:
        with suppress(PySparkException, LookupError):
            last_version(session.spark, way)
            return way
    last_version(session.spark, only)
    return only


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
        return Unpinned(ddl(schema), full), _columns(schema)
    if provider in VERSIONED:
        try:
            last = _way(session, ways_to_ask(provider, full, told.get("Location")))
        except (PySparkException, LookupError):
            return _without_snapshot(provider)
        return Versioned(ddl(schema), full, last), _columns(schema)
    if provider != "parquet":
        return _without_snapshot(provider)
    paths = tuple(sorted(spark.table(full).inputFiles()))
    if not paths:
        return "a table without files"
    return Files(ddl(schema), paths, told.get("Location")), _columns(schema)


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


def _first_line(cause: Exception) -> str:
    return str(cause).partition("\n")[0]

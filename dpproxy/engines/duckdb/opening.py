"""How DuckDB is opened: read-only, over one file, the files of tables with a source, or both.

Theory of operation. The database is one in memory, to which the file is attached: DuckDB has one database for a path in
a process, so that a file put in the place of an open one could not be opened otherwise. A table with a source is a view
in that memory over a list of files, found once: `SET search_path` has both, so that texts name it as any other table,
and no file's name is in any of them. What is not in the lists cannot be read.

Checked by: tests/test_engine_duckdb.py, tests/test_replaced_files.py.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
from duckdb import DuckDBPyConnection

from dpproxy.engines.duckdb.held_files import FoundFile, Sources, found_sources, locked
from dpproxy.engines.duckdb.unit_file import UnitFile, attached_units, unit_place
from dpproxy.errors import ConfigFault

# Threads are left at DuckDB's default, all cores, and memory at its default share of what there is.
_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
    "preserve_insertion_order": "false",
    "ieee_floating_point_ops": "true",
    # It reads more or less of a table by what rows the other side of a join has.
    "disabled_optimizers": "join_filter_pushdown",
}
_MEMORY = "memory"
_TAKEN = frozenset({_MEMORY, "temp", "system"})
_NAMES = "SELECT schema_name FROM duckdb_schemas() WHERE database_name = ?"
_RELATIONS = """
SELECT table_name FROM duckdb_tables() WHERE database_name = $1 AND schema_name = 'main'
UNION ALL SELECT view_name FROM duckdb_views() WHERE database_name = $1 AND schema_name = 'main' AND NOT internal"""


@dataclass(frozen=True, slots=True)
class OpenedDatabase:
    """A database, and what of it is held.

    file: None where there are sources alone. lock: the descriptor that keeps writers away from it. search: what each
    request says first, so that names are found; name: the file's there. unit_place: where its unit indexes would be;
    unit_seen: the file that was there, and units: what of it is used.
    """

    connection: DuckDBPyConnection
    file: FoundFile | None = None
    lock: int | None = None
    sources: Sources = field(default_factory=dict)
    search: str | None = None
    name: str = ""
    unit_place: Path | None = None
    unit_seen: FoundFile | None = None
    units: UnitFile | None = None

    def close(self) -> None:
        """Let go of all of it: of the locks last."""
        self.connection.close()
        for lock in (self.lock, None if self.units is None else self.units.lock):
            if lock is not None:
                os.close(lock)


def opened(path: Path | None, patterns: Mapping[str, str], indexes: Path | None = None) -> OpenedDatabase:
    """The file at `path`, and the files that the tables' patterns find now; with its unit indexes, where there are.

    Raises ConfigFault where a file is missing, is none of DuckDB's, or of Parquet's, or is open for writing elsewhere.
    """
    sources = found_sources(patterns)
    place, seen = None, None
    connection = duckdb.connect(":memory:", config=_CONFIG)
    lock, units = None, None
    try:
        file, lock, name, places = None, None, "", [f"{_MEMORY}.main"]
        if path is not None:
            file, lock, name = _attached(connection, path)
            places = [f"{_quoted(name)}.main", *places]
            _check_names(connection, name, path, sources)
            place = unit_place(indexes, _taken(connection, name))
            seen = None if place is None else FoundFile.at(place)
            units = None if seen is None else attached_units(connection, seen)
        for table, files in sources.items():
            _view(connection, table, files)
        _close_the_rest(connection, [each for files in sources.values() for each in files])
        search = f"SET search_path = {_text(','.join(places))}"
        return OpenedDatabase(connection, file, lock, sources, search, name, place, seen, units)
    except BaseException:
        OpenedDatabase(connection, lock=lock, units=units).close()
        raise


def _attached(connection: DuckDBPyConnection, path: Path) -> tuple[FoundFile, int, str]:
    """The file that was attached, its lock, and its name there.

    Claim: it is the file that DuckDB has open. Because: it was in its place before DuckDB opened that, and after it.
    """
    name = path.stem if path.stem.lower() not in _TAKEN else f"{path.stem}_"
    before = FoundFile.at(path)
    try:
        connection.execute(f"SET GLOBAL temp_directory = {_text(f'{path}.tmp')}")
        connection.execute(f"ATTACH {_text(str(path))} AS {_quoted(name)} (READ_ONLY)")
        lock = locked(path)
    except (duckdb.Error, OSError) as cause:
        raise ConfigFault(f"the engine's file {path} cannot be opened", detail=str(cause)) from cause
    if before is None or (before.device, before.number) != (os.fstat(lock).st_dev, os.fstat(lock).st_ino):
        os.close(lock)
        raise ConfigFault(f"the engine's file {path} cannot be opened", detail="it is being replaced just now")
    return before, lock, name


def _taken(connection: DuckDBPyConnection, name: str) -> frozenset[str]:
    """The names of databases and schemas that are there."""
    return frozenset({name, _MEMORY, *(str(schema) for (schema,) in connection.execute(_NAMES, [name]).fetchall())})


def _check_names(connection: DuckDBPyConnection, name: str, path: Path, sources: Sources) -> None:
    """That a name in a text has one meaning."""
    wrong = f"the engine's file {path} cannot be used"
    schemas = {str(schema).lower() for (schema,) in connection.execute(_NAMES, [name]).fetchall()}
    for taken in (name, _MEMORY):
        if taken.lower() in schemas:
            what, instead = ("of the file's own name", "file") if taken == name else ("of DuckDB's own name", "schema")
            detail = f"it holds a schema {what}, {taken}, which makes names ambiguous: rename the {instead}"
            raise ConfigFault(wrong, detail=detail)
    there = {str(each).lower() for (each,) in connection.execute(_RELATIONS, [name]).fetchall()}
    for table in sources:
        if table.lower() in there:
            raise ConfigFault(wrong, detail=f"it holds a table {table}, which has a source, too: one of both")


def _view(connection: DuckDBPyConnection, table: str, files: tuple[FoundFile, ...]) -> None:
    """A table of files that all have the same columns: where they differed, a value would be cast, and might raise."""
    wrong = f"the source of the table {table} cannot be read"
    try:
        first, *others = (_columns(connection, each) for each in files)
        for each, columns in zip(files[1:], others, strict=True):
            if columns != first:
                raise ConfigFault(wrong, detail=f"{each.path} has other columns than {files[0].path}")
        connection.execute(f"CREATE VIEW {_quoted(table)} AS SELECT * FROM {_scan(files)}")
    except duckdb.Error as cause:
        raise ConfigFault(wrong, detail=str(cause)) from cause


def _columns(connection: DuckDBPyConnection, file: FoundFile) -> list[tuple[str, str]]:
    found = connection.execute(f"DESCRIBE SELECT * FROM {_scan((file,))}").fetchall()
    return [(name, kind) for name, kind, *_ in found]


def _scan(files: tuple[FoundFile, ...]) -> str:
    return f"read_parquet([{_paths(files)}], hive_partitioning = false)"


def _close_the_rest(connection: DuckDBPyConnection, files: list[FoundFile]) -> None:
    """From now on nothing but these files can be read, and no setting changed but each request's own names."""
    connection.execute(f"SET GLOBAL allowed_paths = [{_paths(tuple(files))}]")
    connection.execute("SET GLOBAL enable_external_access = false")
    connection.execute("SET GLOBAL TimeZone = 'UTC'")
    connection.execute("SET lock_configuration = true")


def _paths(files: tuple[FoundFile, ...]) -> str:
    return ", ".join(_text(str(each.path)) for each in files)


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'

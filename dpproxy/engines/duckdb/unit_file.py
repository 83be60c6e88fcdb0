"""The file of unit indexes: copies of tables, beside each row its unit's key, made of one database file's bytes.

    dp_units.main."lines"      dp_unit, and the columns of lines
    dp_units.about.indexes     the digest of the database file; by relation the text that its rows were made by

It is a DuckDB file of its own, attached read-only: the database file is never written to. Rows are in the order of
their units, so that those of one are side by side.

Checked by: tests/test_unit_index.py.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from stat import S_IMODE, S_IRWXG
from typing import Final

import duckdb
from duckdb import DuckDBPyConnection

from dpproxy.catalog.policy import UNIT_OF_ROW
from dpproxy.engines import MadeIndex
from dpproxy.engines.duckdb.held_files import FoundFile, locked

_log: Final = logging.getLogger(__name__)
NAME: Final = "dp_units"
_ABOUT: Final = "about"
_WRITTEN: Final = f'SELECT digest, relation, definition FROM "{NAME}"."{_ABOUT}"."indexes"'
_MADE: Final = (
    f'CREATE SCHEMA "{NAME}"."{_ABOUT}"',
    f'CREATE TABLE "{NAME}"."{_ABOUT}"."indexes" (digest TEXT, relation TEXT, definition TEXT)',
)


@dataclass(frozen=True, slots=True)
class UnitFile:
    """The file as it was found and is held, the digest of the data that it was made of, and by relation how."""

    file: FoundFile
    lock: int
    digest: str
    definitions: Mapping[str, str]


def unit_place(path: Path | None, taken: Collection[str]) -> Path | None:
    """Where unit indexes are, if they can be; `taken`: names of databases and schemas that are there."""
    if path is not None and NAME in {name.lower() for name in taken}:
        _log.warning("there can be no unit indexes: the database has something else that is called %s", NAME)
        return None
    return path


def attached_units(connection: DuckDBPyConnection, found: FoundFile) -> UnitFile | None:
    """The file of unit indexes that was found, attached; None where it is of no use.

    No private row decides: who made the file chose what is in it.
    """
    path = found.path
    try:
        connection.execute(f"ATTACH {_text(str(path))} AS {_name(NAME)} (READ_ONLY)")
        written = connection.execute(_WRITTEN).fetchall()
        lock = locked(path)
    except (duckdb.Error, OSError) as fault:
        _log.warning("the unit indexes in %s are not used: %s", path, fault)
        return None
    digests = {str(digest) for digest, _, _ in written}
    same = (found.device, found.number) == (os.fstat(lock).st_dev, os.fstat(lock).st_ino)
    if len(digests) != 1 or not same:
        os.close(lock)
        return None
    return UnitFile(found, lock, digests.pop(), {str(relation): str(text) for _, relation, text in written})


def make_unit_file(
    database: FoundFile, search: tuple[str, str], digest: str, definitions: Mapping[str, str], path: Path
) -> Mapping[str, MadeIndex]:
    """Write the file at `path`, whole or not at all: rows of `database`, whose name is the first of `search`.

    Claim: the rows are those that the texts give of the bytes with that digest. Because: the file is in its place
    before it is opened and after it was read, and whoever has the digest made holds it, so that nobody writes to it.
    Raises duckdb.Error, OSError.
    """
    making = path.with_name(f"{path.name}.new")  # nobody else reads what is in it: rows, beside whose they are
    rmtree(making, ignore_errors=True)
    making.mkdir(mode=0o700)
    try:
        rows = _written(database, search, digest, definitions, making / "units")
        if not database.same:
            raise OSError(f"{database.path} was replaced or written to")
        _share(making / "units", database.path.stat())
        (making / "units").replace(path)
    finally:
        rmtree(making, ignore_errors=True)
    return {relation: MadeIndex(count, path.stat().st_size) for relation, count in rows.items()}


def _share(made: Path, database: os.stat_result) -> None:
    """For who may read these rows in the database, and nobody else: its group is that one's, or is left out."""
    mode = S_IMODE(database.st_mode)
    try:
        os.chown(made, -1, database.st_gid)
    except PermissionError:
        mode &= ~S_IRWXG
    made.chmod(mode)


def _written(
    database: FoundFile, search: tuple[str, str], digest: str, definitions: Mapping[str, str], new: Path
) -> Mapping[str, int]:
    with duckdb.connect(":memory:", config={"autoinstall_known_extensions": "false"}) as connection:
        connection.execute(f"SET temp_directory = {_text(f'{new}.tmp')}; SET ieee_floating_point_ops = true")
        connection.execute(f"ATTACH {_text(str(database.path))} AS {_name(search[0])} (READ_ONLY)")
        connection.execute(f"ATTACH {_text(str(new))} AS {_name(NAME)}; USE {_name(search[0])}.{_name(search[1])}")
        for statement in _MADE:
            connection.execute(statement)
        rows = {relation: _make(connection, relation, text) for relation, text in definitions.items()}
        entries = [(digest, relation, text) for relation, text in definitions.items()]
        connection.executemany(f'INSERT INTO "{NAME}"."{_ABOUT}"."indexes" VALUES (?, ?, ?)', entries)
        connection.execute(f"CHECKPOINT {_name(NAME)}; DETACH {_name(NAME)}")
    return rows


def _make(connection: DuckDBPyConnection, relation: str, text: str) -> int:
    (made,) = connection.execute(
        f"CREATE TABLE {_name(NAME)}.{_name(relation)} AS SELECT * FROM ({text}) ORDER BY {_name(UNIT_OF_ROW)}"
    ).fetchall()
    return int(made[0])


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _name(value: str) -> str:
    return '"' + value.replace('"', '""') + '"'

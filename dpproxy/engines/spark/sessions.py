"""Sessions of Spark Connect, one for each request at once, in which each table is a view of what was found of it.

Theory of operation. Spark has no transaction. So a name in a text means a temporary view of the session: of the list of
files that was found when the engine was opened, or of a version of the table, asked when a request first names it. What
is written meanwhile is in neither. A session that does not have its own settings and mark any more was lost, and its
views with it: nothing is asked of it.

Checked by: tests/spark/test_spark_driver.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from secrets import token_hex
from types import MappingProxyType
from typing import Any, Final, assert_never

from dpproxy.engines.spark.client import SQL, PySparkException, SparkSession, lit, proto
from dpproxy.engines.spark.settings import MARK, SETTINGS
from dpproxy.engines.spark.versions import Last, last_version
from dpproxy.errors import EngineUnavailable
from dpproxy.rows import Column, Rows, Value

_USER: Final = "dpproxy"
NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
_NAMED: Final = re.compile(r"'(?:[^'\\]|\\.)*'|`((?:[^`]|``)*)`", re.DOTALL)
"""A literal, within which nothing is a name; or a name in quotes."""


@dataclass(frozen=True, slots=True)
class Files:
    """A table that is these files, with columns of these types. base: the directory whose names tell of partitions."""

    columns: str
    paths: tuple[str, ...]
    base: str | None


@dataclass(frozen=True, slots=True)
class Versioned:
    """A table that has versions. name: the one that it has in its catalog, in quotes, or its format and its directory.
    last: how the last version is asked."""

    columns: str
    name: str
    last: Last


@dataclass(frozen=True, slots=True)
class Unpinned:
    """A table that each query reads as it is then. name: the one that it has in its catalog, in quotes."""

    columns: str
    name: str


Found = Files | Versioned | Unpinned


class LostSessionError(ConnectionError):
    """The session is not as it was left."""


class Session:
    """A session, used by one request after the other, never by two at once. All of it blocks."""

    def __init__(self, url: str) -> None:
        self.spark = SparkSession(connection=url, userId=_USER)
        self._client: Any = self.spark.client
        self._client.set_retry_policies([])  # a server that is away is told of at once
        self._mark = token_hex(16)

    def begin(self, tables: Mapping[str, Found]) -> None:
        """Say what it is, and make a view of each table's files."""
        pairs = [proto.KeyValue(key=key, value=value) for key, value in self._own.items()]
        self._client.config(proto.ConfigRequest.Operation(set=proto.ConfigRequest.Set(pairs=pairs)))
        self.check()
        for name, found in tables.items():
            match found:
                case Files():
                    self._view(name, found)
                case Unpinned():
                    view = f"CREATE OR REPLACE TEMPORARY VIEW {quoted(name)} AS SELECT * FROM {found.name}"
                    self.spark.sql(view).toArrow()
                case Versioned():
                    pass  # asked when a statement names it
                case _:
                    assert_never(found)

    def look(self, tables: Mapping[str, Found]) -> None:
        """That each table can be read as it was found. Raises what the server says."""
        for name in tables:
            text, pinned = f"SELECT 1 AS one FROM {quoted(name)} WHERE 1 = 0", dict[str, int]()
            self.pin(text, tables, pinned)
            self.query(text)

    def check(self) -> None:
        """Raises LostSessionError where it has other settings than it was given."""
        pairs = self._client.get_config_with_defaults(*((key, "") for key in self._own))
        if pairs != tuple(self._own.values()):
            raise LostSessionError

    @property
    def _own(self) -> dict[str, str]:
        return {**SETTINGS, MARK: self._mark}

    def _view(self, name: str, found: Files) -> None:
        reader = self.spark.read.schema(found.columns)
        if found.base is not None:
            reader = reader.option("basePath", found.base)
        reader.parquet(*found.paths).createOrReplaceTempView(name)

    def check_files(self, text: str, tables: Mapping[str, Found]) -> None:
        """Raises EngineUnavailable where a table that the text names is not all of its files any more: Spark fails on
        one that is gone, and Sail has fewer rows. No row has a part in it."""
        for name in _named(text):
            found = tables.get(name)
            if isinstance(found, Files) and tuple(sorted(self.spark.table(quoted(name)).inputFiles())) != found.paths:
                raise EngineUnavailable from OSError(f"files of {name} are not those that were found")

    def pin(self, text: str, tables: Mapping[str, Found], pinned: dict[str, int]) -> None:
        """Of each table with versions that the text names first, make a view of the last one. Raises EngineUnavailable
        where there is none, or it has other columns than were found: no row has a part in it."""
        for name in _named(text) - pinned.keys():
            found = tables.get(name)
            if isinstance(found, Versioned):
                try:
                    pinned[name] = self._pinned(name, found)
                except (PySparkException, LookupError) as cause:
                    raise EngineUnavailable from cause

    def _pinned(self, name: str, found: Versioned) -> int:
        version = last_version(self.spark, found.last)
        view = f"CREATE OR REPLACE TEMPORARY VIEW {quoted(name)} AS SELECT * FROM {found.name}"
        self.spark.sql(f"{view} VERSION AS OF {version}").toArrow()
        if ddl(self.spark.table(quoted(name)).schema) != found.columns:
            raise LookupError(f"the columns of {name} are not those that were found: reload")
        return version

    def query(self, text: str, tag: str | None = None, told: Mapping[str, str] = NOTHING) -> Rows:
        """The rows of one query. told: the text of each of its parameters, `:name`."""
        if tag is not None:
            self._client.clear_tags()
            self._client.add_tag(tag)
        named = {name: lit(each) for name, each in told.items()}
        table, _, _ = self._client.to_table(SQL(text, None, named).to_proto(self._client), {})
        return rows_of(table)

    def interrupt(self, tag: str) -> None:
        """End what runs under the tag."""
        self._client.interrupt_tag(tag)

    def cut(self) -> None:
        """Let go of the connection: whoever waits for an answer on it fails."""
        self._client.close()

    def end(self) -> None:
        """End it at the server, too."""
        self._client.release_session()
        self._client.close()


def _named(text: str) -> set[str]:
    """The names in quotes of a text: tables' among them."""
    return {each.replace("``", "`") for each in _NAMED.findall(text) if each}


def quoted(name: str) -> str:
    """A name as an identifier of Spark's."""
    return "`" + name.replace("`", "``") + "`"


def ddl(schema: Any) -> str:
    """Columns and their types, as Spark reads them."""
    return ", ".join(f"{quoted(each.name)} {each.dataType.simpleString()}" for each in schema)


def rows_of(table: Any) -> Rows:
    """Rows as Python's own values. A row with a text that is no UTF-8 is left out, as one with a key that Postgres
    cannot hold: Spark's texts may be any bytes."""
    columns = [_values(column) for column in table.columns]
    names = tuple(Column(field.name, _type_name(str(field.type))) for field in table.schema)
    return Rows(names, tuple(row for row in zip(*columns, strict=True) if _NO_TEXT not in row))


_NO_TEXT: Final = object()


def _values(column: Any) -> list[Any]:
    kind = str(column.type)
    if kind not in ("string", "large_string"):
        found: list[Value] = column.to_pylist()
        return found
    return [None if each is None else _text(each) for each in column.cast("large_binary").to_pylist()]


def _text(value: bytes) -> object:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return _NO_TEXT


def _type_name(arrow: str) -> str:
    if arrow.startswith("decimal128"):
        return arrow.replace("decimal128", "numeric").replace(" ", "")
    return _ARROW.get(arrow, arrow)


_ARROW: Final[Mapping[str, str]] = {
    "int8": "smallint",
    "int16": "smallint",
    "int32": "integer",
    "int64": "bigint",
    "string": "text",
    "large_string": "text",
    "bool": "boolean",
    "date32[day]": "date",
    "double": "double precision",
    "timestamp[us]": "timestamp without time zone",
}

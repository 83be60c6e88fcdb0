"""The last version of a table of Delta or Iceberg: told by the server, or by the names of what its writers wrote.

Sail reads a version, and tells none. Each commit of Delta's is a file of the log with its number; each of Iceberg's is
a file of metadata with a number, in which the snapshot stands. A version is fixed for good, whichever was found.

Checked by: tests/spark/test_spark_lakehouse.py.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, assert_never

from dpproxy.engines.spark.client import PySparkException, SparkSession

_COMMIT: Final = re.compile(r"/(\d{20})\.json$")
_METADATA: Final = re.compile(r"/v?(\d+)(?:-[^/]*)?\.metadata\.json$")
_FILES: Final = {"delta": ("_delta_log/*.json", _COMMIT), "iceberg": ("metadata/*.metadata.json", _METADATA)}


@dataclass(frozen=True, slots=True)
class ByHistory:
    """What asks the server: a query of one row, with the version in a column `version` of it, the first one."""

    text: str


@dataclass(frozen=True, slots=True)
class ByFiles:
    """What is looked for, in the directory of a table of that format."""

    format: str
    place: str


Last = ByHistory | ByFiles
_HISTORIES: Final[Mapping[str, str]] = {
    "delta": "DESCRIBE HISTORY {name} LIMIT 1",
    "iceberg": "SELECT snapshot_id AS version FROM {name}.history ORDER BY made_current_at DESC LIMIT 1",
}


def ways_to_ask(format_: str, name: str, place: str | None) -> tuple[Last, ...]:
    """How the last version may be asked of a table: `name` in its catalog, in quotes, and `place`, its directory."""
    told = ByHistory(_HISTORIES[format_].format(name=name))
    return (told,) if place is None else (told, ByFiles(format_, place))


def last_version(spark: SparkSession, last: Last) -> int:
    """Raises what the server says, and LookupError where there is no version."""
    match last:
        case ByHistory():
            return int(str(spark.sql(last.text).toArrow().column(0)[0].as_py()))
        case ByFiles():
            pattern, number = _FILES[last.format]
            files = numbered(spark, f"{last.place}/{pattern}", number)
            if not files:
                raise LookupError(f"no {last.format} table is in {last.place}")
            version, file = max(files)
            return version if last.format == "delta" else _snapshot(spark, file)
        case _:
            assert_never(last)


def numbered(spark: SparkSession, pattern: str, number: re.Pattern[str]) -> list[tuple[int, str]]:
    """The files that a pattern finds, each with the number in its name. No file is read."""
    try:
        files = spark.read.text(pattern).inputFiles()
    except PySparkException:  # Spark has no empty pattern
        return []
    return [(int(match[1]), file) for file in files if (match := number.search(file)) is not None]


def has_log(spark: SparkSession, directory: str) -> bool:
    """Whether a directory is a table of Delta's, some of whose files may be none of its rows any more."""
    return bool(numbered(spark, f"{directory}/_delta_log/*.json", _COMMIT))


def _snapshot(spark: SparkSession, file: str) -> int:
    (row,) = spark.read.text(file, wholetext=True).toArrow().to_pylist()
    found = json.loads(row["value"]).get("current-snapshot-id")
    if found is None or int(found) < 0:
        raise LookupError("no snapshot was written yet")
    return int(found)

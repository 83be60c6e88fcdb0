"""What of an answer must be the same on two servers: everything but OIDs, which become names, and bare numbers of
processes. Values in binary are read by their types, so that OIDs inside of them become names too."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from dpproxy.wire import (
    BackendKeyData,
    BackendMessage,
    CloseComplete,
    CommandComplete,
    CopyData,
    DataRow,
    ErrorResponse,
    NoticeResponse,
    ParameterDescription,
    ParameterStatus,
    ReadyForQuery,
    ResultField,
    RowDescription,
)

from .naming import Names

_UNSIGNED = frozenset({24, 26, 28, 2202, 2203, 2204, 2205, 2206, 3734, 3769, 4089, 4096, 4191})
_SIGNED = frozenset({20, 21, 23})
_TEXTS = frozenset({18, 19, 25, 114, 705, 1042, 1043, 194})
_RECORD, _JSONB = 2249, 3802

_COUNTER = re.compile("frozenxid|minmxid")  # of transactions


@dataclass(frozen=True)
class Mark:
    """A message that is no row: its kind, and what of it counts."""

    kind: str
    what: tuple[object, ...] = ()


Row = tuple[str | None, ...]
Part = Mark | tuple[Row, ...]


def essence(messages: Iterable[BackendMessage], names: Names) -> list[Part]:
    """The answer as marks, with the rows that follow one another together."""
    parts: list[Part] = []
    for part in _parts(messages, names):
        if isinstance(part, tuple) and parts and isinstance(parts[-1], tuple):
            parts[-1] = parts[-1] + part
        else:
            parts.append(part)
    return parts


def _parts(messages: Iterable[BackendMessage], names: Names) -> Iterator[Part]:
    columns: tuple[ResultField, ...] = ()
    for message in messages:
        match message:
            case RowDescription(fields):
                columns = fields
                yield Mark("columns", tuple(_column(each, names) for each in fields))
            case DataRow(values):
                yield _rows(tuple(map(lambda value, column: _value(value, column, names), values, columns)))
            case CopyData(payload):
                yield ((_copied(payload, names),),)
            case BackendKeyData() | CloseComplete():
                pass
            case NoticeResponse(fields) if dict(fields)["M"].startswith("dpproxy"):
                pass
            case _:
                yield _mark(message, names)


def _rows(row: Row) -> tuple[Row, ...]:
    """The row, or if it is a JSON object of lists, a row for each element of them."""
    match row:
        case (str() as text,) if text.startswith('{"'):
            pass
        case _:
            return (row,)
    try:
        lists = json.loads(text)
    except ValueError:
        return (row,)
    return tuple(
        (name, json.dumps({key: value for key, value in each.items() if not _COUNTER.search(key)}))
        for name, elements in lists.items()
        for each in (elements if isinstance(elements, list) else [elements])
        if isinstance(each, dict)
    )


def _mark(message: BackendMessage, names: Names) -> Mark:
    match message:
        case ErrorResponse(fields):
            given = dict(fields)
            return Mark("error", (given["C"], names.text(given["M"]), given.get("P")))
        case NoticeResponse(fields):
            given = dict(fields)
            return Mark("notice", (given["C"], names.text(given["M"])))
        case ParameterDescription(types):
            return Mark("parameters", tuple(map(names.of, types)))
        case ParameterStatus(name, value):
            return Mark("setting", (name, value))
        case ReadyForQuery(status):
            return Mark("ready", (status,))
        case CommandComplete(tag):
            return Mark("done", (tag,))
        case _:
            return Mark(type(message).__name__)


def _column(column: ResultField, names: Names) -> tuple[object, ...]:
    size_and_format = column.type_size, column.type_modifier, column.format
    return column.name, names.of(column.table_oid), column.attnum, names.of(column.type_oid), *size_and_format


def _value(value: bytes | None, column: ResultField, names: Names) -> str | None:
    if value is None:
        return None
    return names.text(value.decode()) if column.format == 0 else _binary(value, column.type_oid, names)


def _copied(payload: bytes, names: Names) -> str:
    try:
        return names.text(payload.decode())
    except UnicodeDecodeError:
        return payload.hex()


def _binary(value: bytes, type_oid: int, names: Names) -> str:
    if type_oid in _UNSIGNED:
        return names.of(int.from_bytes(value, "big"))
    if type_oid in _SIGNED:
        return names.of(int.from_bytes(value, "big", signed=True))
    if type_oid in _TEXTS:
        return names.text(value.decode())
    if type_oid == _JSONB:
        return names.text(value[1:].decode())
    if type_oid == _RECORD:
        return str([_sized(value, at, names) for at in _fields(value)])
    return str(_array(value, names)) if _is_array(value) else value.hex()


def _is_array(value: bytes) -> bool:
    """An array begins with its number of dimensions, a flag for NULLs, the type of its elements and the bounds."""
    if len(value) < 20:
        return len(value) == 12 and value[:4] == bytes(4)
    dimensions, nulls, _, count, lower = struct.unpack_from(">iiIii", value)
    return dimensions == 1 and nulls in (0, 1) and lower in (0, 1) and 20 + 4 * count <= len(value)


def _array(value: bytes, names: Names) -> list[str | None]:
    element = int.from_bytes(value[8:12], "big")
    count = int.from_bytes(value[12:16], "big")
    found: list[str | None] = []
    at = 20
    for _ in range(count):
        size = int.from_bytes(value[at : at + 4], "big", signed=True)
        found.append(None if size < 0 else _binary(value[at + 4 : at + 4 + size], element, names))
        at += 4 + max(size, 0)
    return found


def _fields(record: bytes) -> Iterator[int]:
    """Where the fields of a record begin: each is a type, a size and a value."""
    at = 4
    for _ in range(int.from_bytes(record[:4], "big")):
        yield at
        at += 8 + max(int.from_bytes(record[at + 4 : at + 8], "big", signed=True), 0)


def _sized(record: bytes, at: int, names: Names) -> str | None:
    type_oid, size = struct.unpack_from(">Ii", record, at)
    return None if size < 0 else _binary(record[at + 8 : at + 8 + size], type_oid, names)

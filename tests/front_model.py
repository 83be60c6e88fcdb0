"""A front in memory for tests of the relay: the extended protocol's bookkeeping, and no SQL.

Statements are told apart by words in their text: `nosuch` fails at Parse, `boom` at Execute, `notice` sends a notice,
`BEGIN`, `COMMIT` and `ROLLBACK` are what they are. Everything else returns one row of one bigint.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace

from dpproxy.wire import (
    FRONTEND_LIMITS,
    Bind,
    BindComplete,
    Close,
    CloseComplete,
    CommandComplete,
    DataRow,
    Describe,
    EmptyQueryResponse,
    ErrorResponse,
    Execute,
    Flush,
    FrameReader,
    NoData,
    NoticeResponse,
    ParameterDescription,
    Parse,
    ParseComplete,
    PortalSuspended,
    Query,
    ReadyForQuery,
    ResultField,
    RowDescription,
    Sync,
    Terminate,
    decode_frontend,
    encode_backend,
    error_fields,
)

STUBS = {"people": 42, "visits": 43, "departments": 44, "dp.budget": 45}
COLUMN = ResultField("count", 0, 0, 20, 8, -1, 0)
TEXT = ResultField("QUERY PLAN", 0, 0, 25, -1, -1, 0)


class Fails(Exception):
    """An ErrorResponse."""


@dataclass
class ModelFront:
    """`data` takes the client's bytes and returns the server's. `asked` is every message in order."""

    shadowed: bool = False
    statements: dict[str, Parse] = field(default_factory=dict)
    portals: dict[str, tuple[str, Bind, int]] = field(default_factory=dict)
    asked: list[object] = field(default_factory=list)
    skipping: bool = False
    failed: bool = False
    in_block: bool = False

    def __post_init__(self) -> None:
        self._reader = FrameReader(FRONTEND_LIMITS, startup=False)

    @staticmethod
    def greeting() -> bytes:
        return encode_backend(ReadyForQuery("I"))

    def data(self, data: bytes) -> bytes:
        self._reader.feed(data)
        replies = []
        while (frame := self._reader.next_frame()) is not None:
            message = decode_frontend(frame)
            self.asked.append(message)
            replies += [encode_backend(each) for each in self._answer(message)]
        return b"".join(replies)

    def _answer(self, message: object) -> list[object]:
        if isinstance(message, Sync):
            self.skipping = False
            return [self._ready()]
        if self.skipping:
            return []
        if isinstance(message, Query):
            return [*self._query(message), self._ready()]
        try:
            return self._extended(message)
        except Fails as fault:
            self.skipping = True
            return [self._error(fault)]

    def _ready(self) -> ReadyForQuery:
        if not self.in_block:
            self.failed = False
            self.portals.clear()
        return ReadyForQuery("E" if self.in_block and self.failed else "T" if self.in_block else "I")

    def _error(self, fault: Fails) -> ErrorResponse:
        self.failed = True
        sqlstate, text, position = fault.args
        return ErrorResponse(error_fields("ERROR", sqlstate, text, position=position))

    def _query(self, query: Query) -> list[object]:
        self._forget_unnamed()
        replies: list[object] = []
        for sql in filter(str.strip, query.sql.split(";")):
            try:
                self._extended(Parse("", sql, ()))
                self._extended(Bind("", "", (), (), ()))
                described = self._extended(Describe("P", ""))
                replies += [each for each in described if isinstance(each, RowDescription)]
                replies += self._extended(Execute("", 0))
            except Fails as fault:
                sqlstate, text, position = fault.args
                start = query.sql.find(sql) if position else 0
                replies.append(self._error(Fails(sqlstate, text, position and position + start)))
                break
        self._forget_unnamed()
        return replies or [EmptyQueryResponse()]

    def _forget_unnamed(self) -> None:
        self.statements.pop("", None)
        self.portals.pop("", None)

    def _extended(self, message: object) -> list[object]:
        match message:
            case Parse(name, sql, _):
                self._check(sql)
                if "nosuch" in sql or "dpproxy_refused" in sql or sql == "dpproxy refuses":
                    raise Fails("42703", "no such column", sql.find("nosuch") + 1)
                if name and name in self.statements:
                    raise Fails("42P05", "already exists", None)
                self.statements[name] = message
                return [ParseComplete()]
            case Bind(portal, statement):
                parse = self._statement(statement)
                self._check(parse.sql)
                if portal and portal in self.portals:
                    raise Fails("42P03", "already exists", None)
                self.portals[portal] = (parse.sql, message, 0)
                return [BindComplete()]
            case Describe("S", name):
                return [ParameterDescription(self._types(self._statement(name))), self._row(self._statement(name).sql)]
            case Describe("P", name):
                sql, bind, _ = self._portal(name)
                row = self._row(sql)
                formats = bind.result_formats or (0,)
                if isinstance(row, RowDescription):
                    row = RowDescription(tuple(replace(each, format=formats[0]) for each in row.fields))
                return [row]
            case Execute(name, limit):
                return self._execute(name, limit)
            case Close(kind, name):
                (self.statements if kind == "S" else self.portals).pop(name, None)
                return [CloseComplete()]
            case Flush() | Terminate():
                return []
            case _:
                raise AssertionError(message)

    def _check(self, sql: str) -> None:
        if self.failed and self.in_block and sql.strip() not in ("ROLLBACK", "COMMIT"):
            raise Fails("25P02", "current transaction is aborted", None)

    def _statement(self, name: str) -> Parse:
        if name not in self.statements:
            raise Fails("26000", "no such statement", None)
        return self.statements[name]

    def _portal(self, name: str) -> tuple[str, Bind, int]:
        if name not in self.portals:
            raise Fails("34000", "no such portal", None)
        return self.portals[name]

    @staticmethod
    def _types(parse: Parse) -> tuple[int, ...]:
        return parse.types or ((20,) if "$1" in parse.sql else ())

    @staticmethod
    def _row(sql: str) -> object:
        if sql.split()[0] in ("BEGIN", "COMMIT", "ROLLBACK", "SET", "DISCARD", "DEALLOCATE"):
            return NoData()
        return RowDescription((TEXT if "EXPLAIN" in sql or "QUERY PLAN" in sql else COLUMN,))

    def _execute(self, name: str, limit: int) -> list[object]:
        sql, bind, at = self._portal(name)
        self._check(sql)
        if "boom" in sql:
            raise Fails("22012", "division by zero", None)
        if "BACKSTOP" in sql:
            raise Fails("55000", 'foreign-data wrapper "dpproxy_private" has no handler', None)
        word = sql.split()[0]
        if word in ("BEGIN", "COMMIT", "ROLLBACK"):
            self.in_block = word == "BEGIN"
            self.failed = False
        if word == "DISCARD":
            self.statements.clear()
        if isinstance(self._row(sql), NoData):
            return [CommandComplete(word)]
        if sql.startswith("SELECT pg_catalog.current_setting("):
            return [DataRow(self._lookup(sql, bind)), CommandComplete("SELECT 1")]
        notices = [NoticeResponse(error_fields("NOTICE", "00000", "of the front"))] if "notice" in sql else []
        if limit and at == 0:
            self.portals[name] = (sql, bind, 1)
            return [*notices, DataRow((b"7",)), PortalSuspended()]
        rows = [DataRow((b"7",))] if at == 0 else []
        return [*notices, *rows, CommandComplete(f"SELECT {len(rows)}")]

    def _lookup(self, sql: str, bind: Bind) -> tuple[bytes | None, ...]:
        """Settings one by one; or the encoding, and then settings and OIDs in an array as JSON."""
        first, _, facts = sql.removeprefix("SELECT ").partition(", pg_catalog.to_json(ARRAY[")
        values = [self._fact(part) for part in first.split(", pg_catalog.")]
        told = [None if value is None else value.encode() for value in values]
        if facts:
            told.append(
                json.dumps([self._fact(part) for part in facts.partition("])")[0].split(", pg_catalog.")]).encode()
            )
        return (*told, *bind.parameters)

    def _fact(self, part: str) -> str | None:
        known = {"standard_conforming_strings": "on", "transform_null_equals": "off", "array_nulls": "on"}
        name = part.split("E'")[1].split("'")[0].replace('"', "") if "E'" in part else ""
        if "to_regclass" in part:
            return None if self.shadowed or name not in STUBS else str(STUBS[name])
        return known.get(name)

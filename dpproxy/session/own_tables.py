"""Tables and views of the analyst's own, as the client's session sees them: what they are, and their rows. Recursive
queries are such tables, too.

Both in one round trip, as JSON in UTF-8 in binary, of texts that no setting of the session changes.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any, Final, assert_never
from uuid import UUID

from dpproxy.answering.run import OwnRows
from dpproxy.catalog.types import Family, SqlType, parse_type
from dpproxy.errors import DPProxyError
from dpproxy.plan.private_plan import OwnTable, Plan
from dpproxy.rows import Column, Rows, Value
from dpproxy.session.own_statements import Lookup
from dpproxy.session.quoting import quoted
from dpproxy.session.type_names import type_name

MOST_ROWS: Final = 10_000
MOST_BYTES: Final = 1 << 24
_OIDS, _BINARY = 1028, 1
_FLOATS: Final = {"real": struct.Struct(">f"), "double precision": struct.Struct(">d")}
_SENDS: Final = {"real": "float4send", "double precision": "float8send"}
_DESCRIBED: Final = """
SELECT pg_catalog.convert_to(pg_catalog.json_agg(pg_catalog.json_build_array(c.oid::pg_catalog.text,
  CASE WHEN n.oid OPERATOR(pg_catalog.=) pg_catalog.pg_my_temp_schema() THEN 'pg_temp' ELSE n.nspname END, c.relname,
  (SELECT pg_catalog.json_agg(pg_catalog.json_build_array(a.attname, a.atttypid::pg_catalog.int8, a.atttypmod)
                              ORDER BY a.attnum)
   FROM pg_catalog.pg_attribute AS a WHERE a.attrelid OPERATOR(pg_catalog.=) c.oid
   AND a.attnum OPERATOR(pg_catalog.>) 0::pg_catalog.int2 AND NOT a.attisdropped)))::pg_catalog.text, 'UTF8')
FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
WHERE c.oid OPERATOR(pg_catalog.=) ANY ($1) AND c.relkind::pg_catalog.text OPERATOR(pg_catalog.=) ANY ('{r,p,v,m}')
AND (n.nspname OPERATOR(pg_catalog.=) current_user
     OR n.oid OPERATOR(pg_catalog.=) pg_catalog.pg_my_temp_schema())
"""


_END: Final = "End it earlier (WHERE level < 3), or let equal rows count once: UNION in place of UNION ALL."


@dataclass(frozen=True, slots=True)
class Given:
    """The client's parameters: their types, formats and values."""

    types: tuple[int, ...]
    formats: tuple[int, ...]
    values: tuple[bytes | None, ...]


NONE_GIVEN: Final = Given((), (), ())


class TooManyRows(DPProxyError, sqlstate="54000"):
    """A table of the analyst's own is too large to be sent to the engine with each statement."""


class TableGrew(DPProxyError, sqlstate="40001"):
    """A table of the analyst's own got more rows than it had when the statement was planned."""


class Unsendable(DPProxyError, sqlstate="22003"):
    """A table of the analyst's own holds a value that the engine has no equal of."""


def describe_tables(oids: Sequence[int]) -> Lookup:
    """Ask what those of these relations are that lie in the analyst's own schema, or among the temporary ones."""
    listed = f"{{{','.join(map(str, oids))}}}".encode()
    return Lookup(_DESCRIBED, (_OIDS,), (), (listed,), (_BINARY,))


def described_tables(row: Sequence[bytes | None], types: Mapping[int, str]) -> dict[int, OwnTable]:
    """The answer, by OID; a column of a type that is not Postgres's own has type "unknown"."""
    return {
        int(oid): OwnTable(
            schema, name, tuple(Column(column, type_name(types, kind, modifier)) for column, kind, modifier in columns)
        )
        for oid, schema, name, columns in _json(row[0])
        if columns
    }


def count_tables(tables: Sequence[OwnTable], given: Given = NONE_GIVEN) -> Lookup:
    """Ask how many rows they have, as far as they may be read. given: the client's parameters, which a recursive query
    may read."""
    return Lookup(f"SELECT {', '.join(map(_counted, tables))}", given.types, given.formats, given.values)


def counted_queries(row: Sequence[bytes | None], tables: Sequence[OwnTable]) -> tuple[OwnTable, ...]:
    """The same of recursive queries. Raises TooManyRows, before anything is charged: one that has no end would fail in
    the front, after it."""
    for table, value in zip(tables, row, strict=True):
        if int(value or b"0") > MOST_ROWS:
            raise TooManyRows(f"{table} has more than {MOST_ROWS} rows, or no end", hint=_END)
    return counted_tables(row, tables)


def counted_tables(row: Sequence[bytes | None], tables: Sequence[OwnTable]) -> tuple[OwnTable, ...]:
    """The answer: with the rows that each has at most, a power of two, so that its plans stay as they are."""
    counts = (int(value or b"0") for value in row)
    return tuple(
        replace(table, rows=min(MOST_ROWS, 1 << max(0, count - 1).bit_length()))
        for table, count in zip(tables, counts, strict=True)
    )


def _rows_of(table: OwnTable) -> str:
    """What stands in FROM. Of a recursive query Postgres makes as many rows as are asked for, be it without an end."""
    return f"{quoted(table.schema)}.{quoted(table.name)}" if table.query is None else f"({table.query})"


def _counted(table: OwnTable) -> str:
    rows = f"SELECT FROM {_rows_of(table)} AS t LIMIT {MOST_ROWS + 1}"
    return f"(SELECT pg_catalog.count(*)::pg_catalog.text FROM ({rows}) AS r)"


def read_tables(plan: Plan, given: Given) -> Lookup:
    """Ask for the rows that the plan's releases are told, and for one more than they may be."""
    tables = [plan.tables[index] for index in plan.told]
    given = given if any(each.query is not None for each in tables) else NONE_GIVEN
    parts = ", ".join(map(_read, tables))
    return Lookup(f"SELECT {parts}", given.types, given.formats, given.values, (_BINARY,))


def read_rows(plan: Plan, row: Sequence[bytes | None]) -> OwnRows:
    """The answer, as values.

    Claim: what the engine is told of the analyst's tables is public.
    Because: it was read in the front, in the client's own session and under the analyst's role, where no private row
    is: the analyst could select the same rows and write them into the statement as constants. How many they are, and
    every error about them, comes before the charge and depends on nothing else.
    Checked by: tests/test_own_tables.py.
    Raises TooManyRows, TableGrew and Unsendable.
    """
    return {index: _rows(plan.tables[index], value) for index, value in zip(plan.told, row, strict=True)}


def _read(table: OwnTable) -> str:
    """A table's rows as one value: NULL for none, empty for too many bytes."""
    texts = ", ".join(_text(column) for column in table.columns)
    rows = f"SELECT ARRAY[{texts}]::pg_catalog.text[] AS v FROM {_rows_of(table)} AS t"
    whole = f"SELECT pg_catalog.json_agg(r.v)::pg_catalog.text AS j FROM ({rows} LIMIT {MOST_ROWS + 1}) AS r"
    fits = f"pg_catalog.octet_length(w.j) OPERATOR(pg_catalog.<=) {MOST_BYTES}"
    return f"(SELECT pg_catalog.convert_to(CASE WHEN {fits} THEN w.j WHEN w.j IS NOT NULL THEN '' END, 'UTF8')" + (
        f" FROM ({whole}) AS w)"
    )


def _text(column: Column) -> str:
    type_, value = parse_type(column.type), f"t.{quoted(column.name)}"
    if type_.name in _SENDS:
        return f"pg_catalog.encode(pg_catalog.{_SENDS[type_.name]}({value}), 'hex')"
    if type_.family in (Family.DATE, Family.TIMESTAMP, Family.MOMENT, Family.TIME):
        return f"pg_catalog.btrim(pg_catalog.to_json({value})::pg_catalog.text, '\"')"
    return f"{value}::pg_catalog.text"


def _rows(table: OwnTable, value: bytes | None) -> Rows:
    found = [] if value is None else _json(value) if value else None
    if found is None or len(found) > MOST_ROWS:
        raise TooManyRows(
            f"{table} has more than {MOST_ROWS} rows or 16 MB, too many to be joined with private rows",
            hint=_END
            if table.query is not None
            else "Keep what the join needs in a smaller table: CREATE TABLE … AS SELECT … WHERE or GROUP BY ….",
        )
    if len(found) > table.rows:
        raise TableGrew(f"{table} got more rows while the statement was planned", hint="Run it again.")
    types = [parse_type(column.type) for column in table.columns]
    try:
        return Rows(table.columns, tuple(tuple(map(_value, each, types)) for each in found))
    except ValueError:
        raise Unsendable(
            f"{table} has a value that cannot be joined with private rows",
            hint="Dates must lie in the years 1 to 9999, and a numeric(p,s) must not be NaN: leave such rows out.",
        ) from None


def _value(text: str | None, type_: SqlType) -> Value:
    """Raises ValueError for a date that is no date of Python's, and for NaN in a type of the engine without it."""
    if text is None:
        return None
    match type_.family:
        case Family.INTEGER:
            return int(text)
        case Family.NUMERIC:
            if type_.modifiers and text == "NaN":
                raise ValueError(text)
            return Decimal(text)
        case Family.FLOAT:
            number: float = _FLOATS[type_.name].unpack(bytes.fromhex(text))[0]
            return number
        case Family.TEXT:
            return text
        case Family.BOOLEAN:
            return text == "true"
        case Family.UUID:
            return UUID(text)
        case Family.DATE | Family.TIMESTAMP | Family.MOMENT | Family.TIME as family:
            return _time(text, family)
        case Family.INTERVAL | Family.OPAQUE:
            raise ValueError(f"no engine is told of {type_} values")
        case _:
            assert_never(type_.family)


def _time(text: str, family: Family) -> Value:
    """As JSON has it: of a moment, with its zone."""
    if family is Family.DATE:
        return date.fromisoformat(text)
    if family is Family.TIME:
        return time.fromisoformat(text)
    found = datetime.fromisoformat(text)
    return found.astimezone(UTC) if family is Family.MOMENT else found


def _json(value: bytes | None) -> Any:
    return [] if value is None else json.loads(value)

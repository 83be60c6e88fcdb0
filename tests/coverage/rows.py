"""Rows for a folder's tables: made up, so many in each, with keys that join and words that the statements name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from decimal import ROUND_DOWN, Decimal
from random import Random
from uuid import UUID

import duckdb
import psycopg
import sqlglot
from psycopg import sql
from sqlglot.errors import SqlglotError
from sqlglot.tokens import TokenType

from coverage.corpus import Question

_COLUMNS = """
SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
  (SELECT array[f.relname, b.attname] FROM pg_constraint k JOIN pg_class f ON f.oid = k.confrelid
   JOIN pg_attribute b ON b.attrelid = f.oid AND b.attnum = k.confkey[array_position(k.conkey, a.attnum)]
   WHERE k.contype = 'f' AND k.conrelid = c.oid AND a.attnum = ANY (k.conkey) LIMIT 1),
  EXISTS (SELECT FROM pg_constraint k WHERE k.contype IN ('p', 'u') AND k.conrelid = c.oid
          AND a.attnum = ANY (k.conkey))
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace ORDER BY c.relname, a.attnum
"""
_DAY = date(1992, 1, 1)
_DAYS = 12_000


@dataclass(frozen=True, slots=True)
class _Column:
    """references: the table and column whose values it has. keyed: a part of a unique key."""

    name: str
    type: str
    required: bool
    references: tuple[str, str] | None
    keyed: bool


def fill(owner: psycopg.Connection[object], asked: Sequence[Question], count: int) -> None:
    """Put `count` rows into each table; what a unique key has already is left out."""
    tables = _tables(owner)
    words, random = _words(asked), Random(7)
    values: dict[tuple[str, str], list[object]] = {}
    owner.execute("SET session_replication_role = replica")
    for table in _in_order(tables):
        columns = tables[table]
        rows = [[_value(each, place, values, words, random) for each in columns] for place in range(count)]
        names = sql.SQL(", ").join(sql.Identifier(each.name) for each in columns)
        places = sql.SQL(", ").join(sql.Placeholder() * len(columns))
        text = sql.SQL("INSERT INTO {} ({}) VALUES ({}) ON CONFLICT DO NOTHING")
        with owner.cursor() as cursor:
            cursor.executemany(text.format(sql.Identifier(table), names, places), rows)
        for column, each in zip(columns, zip(*rows, strict=True) if rows else (), strict=bool(rows)):
            values[table, column.name] = list(each)
    owner.execute("RESET session_replication_role")
    owner.execute("ANALYZE")


def copy(owner: psycopg.Connection[object], file: str) -> None:
    """The same tables, with their rows, in a DuckDB file; of their constraints that columns are never NULL."""
    with duckdb.connect(file) as connection:
        for table, columns in _tables(owner).items():
            words = [f'"{each.name}" {_duck(each.type)}{" NOT NULL" * each.required}' for each in columns]
            connection.execute(f'CREATE TABLE "{table}" ({", ".join(words)})')
            rows = owner.execute(sql.SQL("SELECT * FROM {}").format(sql.Identifier(table))).fetchall()
            if rows:
                connection.executemany(f'INSERT INTO "{table}" VALUES ({", ".join("?" * len(columns))})', rows)


def _tables(owner: psycopg.Connection[object]) -> Mapping[str, Sequence[_Column]]:
    found: dict[str, list[_Column]] = {}
    for table, name, kind, required, target, keyed in owner.execute(_COLUMNS).fetchall():  # type: ignore[misc]
        found.setdefault(table, []).append(_Column(name, kind, required, tuple(target) if target else None, keyed))
    return found


def _in_order(tables: Mapping[str, Sequence[_Column]]) -> Iterator[str]:
    """Those that are referred to first, as far as there is such an order."""
    left = list(tables)
    while left:
        ready = [
            each for each in left if not {c.references[0] for c in tables[each] if c.references} & set(left) - {each}
        ]
        for each in ready or left[:1]:
            left.remove(each)
            yield each


def _value(
    column: _Column,
    place: int,
    values: Mapping[tuple[str, str], Sequence[object]],
    words: Sequence[str],
    random: Random,
) -> object:
    if column.references is not None and values.get(column.references):
        return random.choice(values[column.references])
    if not column.required and not column.keyed and random.random() < 0.1:
        return None
    family = column.type.partition("(")[0]
    match family:
        case "smallint" | "integer" | "bigint":
            return place + 1 if column.keyed else random.randrange(40)
        case "numeric" | "double precision" | "real":
            return _within(Decimal(random.randrange(200_000)) / 100, column.type)
        case "date":
            return _DAY + timedelta(random.randrange(_DAYS))
        case "boolean":
            return random.random() < 0.5
        case "interval":
            return timedelta(random.randrange(40), random.randrange(86_400))
        case "uuid":
            return UUID(int=random.getrandbits(128))
        case _ if column.type.endswith("[]"):
            part = replace(column, type=column.type.removesuffix("[]"), required=True, keyed=False)
            return [_value(part, place, values, words, random) for _ in range(random.randrange(4))]
        case _ if family.startswith("time "):
            return time(random.randrange(24), random.randrange(60), random.randrange(60))
        case _ if family.startswith("timestamp"):
            return datetime(_DAY.year, 1, 1) + timedelta(random.randrange(_DAYS), random.randrange(86_400))
        case _:
            word = f"{random.choice(words)} {place}" if column.keyed else random.choice(words)
            most = re.search(r"\((\d+)\)", column.type)
            return word[-int(most[1]) :] if most else word


def _within(value: Decimal, type_: str) -> Decimal:
    """What is left of it within the digits of a numeric; of other numbers, below 10,000."""
    digits = re.search(r"\((\d+),(\d+)\)", type_)
    if digits is None:
        return value % 10_000
    step = Decimal(1).scaleb(-int(digits[2]))
    return (value % Decimal(10) ** (int(digits[1]) - int(digits[2]))).quantize(step, ROUND_DOWN)


def _words(asked: Sequence[Question]) -> Sequence[str]:
    """The texts that the statements hold, as far as they may be values."""
    found = {"", "a", "Zelda", "10", "2020-02-30"}
    for each in asked:
        try:
            tokens = sqlglot.tokenize(each.sql, read="postgres")
        except SqlglotError:
            continue
        found |= {token.text.strip("%") for token in tokens if token.token_type is TokenType.STRING}
    return sorted(found)


def _duck(kind: str) -> str:
    if kind.endswith("[]"):
        return f"{_duck(kind.removesuffix('[]'))}[]"
    named = {"timestamp without time zone": "TIMESTAMP", "timestamp with time zone": "TIMESTAMPTZ"}
    named["time without time zone"] = "TIME"
    return named.get(kind, "TEXT" if kind.startswith(("character", "text", "bpchar")) else kind.upper())

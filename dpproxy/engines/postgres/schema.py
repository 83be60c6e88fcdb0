"""Postgres's own account of its tables: what a policy may say of them, and what is enforced."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from dpproxy.catalog.policy import Proof
from dpproxy.engines import EngineColumn, EngineSchema, EngineTable
from dpproxy.engines.postgres.settings import SEARCH_PATH

Row = Sequence[Any]

_NAMES = {
    "int2": "smallint",
    "int4": "integer",
    "int8": "bigint",
    "float4": "real",
    "float8": "double precision",
    "varchar": "character varying",
    "bpchar": "character",
    "bool": "boolean",
    "timestamp": "timestamp without time zone",
    "timestamptz": "timestamp with time zone",
}

_OWN = "left(n.nspname, 3) <> 'pg_' AND n.nspname <> 'information_schema' AND c.relpersistence <> 't'"

# What kind of relation it is, whether the role may read it, and whether rows of other tables are among its own.
_RELATIONS = f"""
WITH RECURSIVE below AS (
  SELECT inhparent AS above, inhrelid AS relation FROM pg_inherits
  UNION SELECT b.above, i.inhrelid FROM below AS b JOIN pg_inherits AS i ON i.inhparent = b.relation)
SELECT c.oid, CAST(n.nspname AS text), CAST(c.relname AS text), CAST(c.relkind AS text),
  has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT'),
  c.relkind = 'r' AND EXISTS (SELECT 1 FROM below AS b WHERE b.above = c.oid),
  EXISTS (SELECT 1 FROM below AS b JOIN pg_class AS o ON o.oid = b.relation WHERE b.above = c.oid AND o.relkind = 'f')
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND {_OWN} ORDER BY 2, 3"""

_DEFAULT_COLLATION = 100

# A domain's base type is found through domains over domains; `NOT NULL NOT VALID` holds for new rows only.
_COLUMNS = f"""
WITH RECURSIVE base AS (
  SELECT oid AS domain, typbasetype AS type, typtypmod AS modifier FROM pg_type WHERE typtype = 'd'
  UNION ALL SELECT b.domain, t.typbasetype, t.typtypmod FROM base AS b JOIN pg_type AS t ON t.oid = b.type
  WHERE t.typtype = 'd')
SELECT c.oid, CAST(a.attname AS text), format_type(a.atttypid, a.atttypmod),
  format_type(t.oid, COALESCE(b.modifier, a.atttypmod)), t.typtype = 'e',
  a.attnotnull AND NOT EXISTS (
    SELECT 1 FROM pg_constraint AS k WHERE k.conrelid = c.oid AND k.contype = 'n' AND NOT k.convalidated
    AND a.attnum = ANY(k.conkey)),
  CASE WHEN NOT l.collisdeterministic THEN CAST(l.collname AS text) END,
  a.attcollation NOT IN (0, {_DEFAULT_COLLATION}),
  a.attgenerated NOT IN ('', 's'), has_column_privilege(c.oid, a.attnum, 'SELECT')
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_attribute AS a ON a.attrelid = c.oid
LEFT JOIN base AS b ON b.domain = a.atttypid AND NOT EXISTS (
  SELECT 1 FROM pg_type AS d WHERE d.oid = b.type AND d.typtype = 'd')
JOIN pg_type AS t ON t.oid = COALESCE(b.type, a.atttypid)
LEFT JOIN pg_collation AS l ON l.oid = a.attcollation
WHERE c.relkind IN ('r', 'p') AND {_OWN} AND a.attnum > 0 AND NOT a.attisdropped ORDER BY c.oid, a.attnum"""

# Only what no two committed rows can break: valid, of whole rows, of plain columns, by the types' own equality.
_KEY = """(
  SELECT array_agg(CAST(a.attname AS text) ORDER BY k.place)
  FROM unnest(CAST(i.indkey AS int2[])) WITH ORDINALITY AS k (number, place)
  JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = k.number WHERE k.place <= i.indnkeyatts)"""
_ENFORCED = """i.indisunique AND i.indimmediate AND i.indisvalid AND i.indisready
AND i.indislive AND NOT i.indisexclusion AND i.indpred IS NULL AND i.indexprs IS NULL AND EXISTS (
  SELECT 1 FROM pg_class AS x JOIN pg_am AS m ON m.oid = x.relam WHERE x.oid = i.indexrelid AND m.amname = 'btree')
AND NOT EXISTS (
  SELECT 1 FROM unnest(CAST(i.indclass AS oid[])) AS k (class) JOIN pg_opclass AS o ON o.oid = k.class
  JOIN pg_namespace AS s ON s.oid = o.opcnamespace WHERE s.nspname <> 'pg_catalog')
AND NOT EXISTS (
  SELECT 1 FROM unnest(CAST(i.indcollation AS oid[])) AS k (collation_) JOIN pg_collation AS l ON l.oid = k.collation_
  WHERE NOT l.collisdeterministic)"""
_UNIQUE = f"""
SELECT c.oid, {_KEY}
FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p') AND {_OWN} AND {_ENFORCED}
ORDER BY i.indexrelid"""

_PROVING = f"""
SELECT count(*) = {{count}} FROM (VALUES {{keys}}) AS b (schema_, relation_, key_)
JOIN pg_namespace AS n ON n.nspname = b.schema_
JOIN pg_class AS c ON c.relnamespace = n.oid AND c.relname = b.relation_ AND c.relkind IN ('r', 'p')
WHERE EXISTS (SELECT 1 FROM pg_index AS i WHERE i.indrelid = c.oid AND {_KEY} <@ b.key_ AND {_ENFORCED})
AND NOT (c.relkind = 'r' AND EXISTS (SELECT 1 FROM pg_inherits AS h WHERE h.inhparent = c.oid))
AND NOT EXISTS (
  SELECT 1 FROM unnest(b.key_) AS u (name) LEFT JOIN pg_attribute AS a
  ON a.attrelid = c.oid AND a.attname = u.name AND NOT a.attisdropped
  WHERE a.attnotnull IS NOT TRUE OR EXISTS (
    SELECT 1 FROM pg_constraint AS k WHERE k.conrelid = c.oid AND k.contype = 'n' AND NOT k.convalidated
    AND a.attnum = ANY(k.conkey)))"""

_LOCKABLE = "SELECT has_table_privilege(CAST($1 AS text), 'SELECT')"
_DEFAULT = "SELECT COALESCE(CAST(pg_catalog.current_schema() AS text), 'public')"

_KINDS = {"v": "a view", "m": "a materialized view", "f": "a foreign table"}


def postgres_type(name: str) -> str:
    """A type's name as `format_type` prints it."""
    return _NAMES.get(name, name)


async def read_schema(connection: Any) -> EngineSchema:
    """Every base table of the database, on a connection in a transaction of the engine's.

    The tables of the schema that the role's own search_path comes to first go by their names alone.
    """
    relations, columns, unique = [await connection.fetch(text) for text in (_RELATIONS, _COLUMNS, _UNIQUE)]
    default = await _default(connection)
    by_table, keys = _grouped(columns), _grouped(unique)
    tables, others, unreadable = {}, {}, set()
    for oid, schema, relation, kind, readable, inherited, foreign in relations:
        name = relation if schema == default else f"{schema}.{relation}"
        if other := _other(schema, relation, kind, foreign):
            others[name] = other
        elif not readable:
            unreadable.add(name)
        else:
            tables[name] = _table((schema, relation), by_table[oid], () if inherited else keys[oid], inherited)
    return EngineSchema(tables, others, frozenset(unreadable))


async def proving(connection: Any, keys: Collection[tuple[tuple[str, str], tuple[str, ...]]]) -> Proof:
    """How to ask whether constraints enforce all of these in a snapshot: a place, and columns of it.

    Claim: where it is so, these columns are unique and not null in whatever rows the same snapshot has. Because: a
    constraint that is there in it, valid, held for every transaction that it sees; and a table that is locked keeps its
    name. Checked by: tests/test_unenforced.py.

    A role that may read some columns alone may not lock: then a table that takes the name while a statement runs is
    believed to have the key until the next.
    """
    rows = [
        f"({_text(schema)}, {_text(relation)}, ARRAY[{', '.join(map(_text, columns))}])"
        for (schema, relation), columns in sorted(keys)
    ]
    names = [".".join(map(_quoted, place)) for place in sorted({place for place, _ in keys})]
    lockable = [name for name in names if await connection.fetchval(_LOCKABLE, name)]
    lock = f"LOCK TABLE ONLY {', ONLY '.join(lockable)} IN ACCESS SHARE MODE" if lockable else None
    return Proof(_PROVING.format(count=len(rows), keys=", ".join(rows)), lock)


def _text(value: str) -> str:
    return "CAST('" + value.replace("'", "''") + "' AS text)"


def selecting(table: EngineTable, columns: Sequence[str], limit: int) -> str:
    """The text that reads rows of a public table as a policy types them, dates, times and intervals as text."""
    types = {column.name: column for column in table.columns}
    items = ", ".join(_read(types[name]) for name in columns)
    return f"SELECT {items} FROM {'.'.join(map(_quoted, table.place or ()))} LIMIT {int(limit)}"


def counting(table: EngineTable) -> str:
    """The text that counts the rows of a public table."""
    return f"SELECT count(*) FROM {'.'.join(map(_quoted, table.place or ()))}"


def _read(column: EngineColumn) -> str:
    own = _quoted(column.name)
    stored = own if column.stored is None else f"CAST({own} AS {column.type})"
    return f"CAST({stored} AS text)" if column.type.startswith(_AS_TEXT) else stored


# Of which Python lacks some, or holds less.
_AS_TEXT = ("date", "time", "interval")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


async def _default(connection: Any) -> str:
    await connection.execute("SET LOCAL search_path TO DEFAULT")
    schema: str = await connection.fetchval(_DEFAULT)
    await connection.execute(f"SET LOCAL search_path TO {SEARCH_PATH}")
    return schema


def _grouped(rows: Sequence[Row]) -> Mapping[int, list[Row]]:
    found: dict[int, list[Row]] = defaultdict(list)
    for oid, *rest in rows:
        found[oid].append(rest)
    return found


def _other(schema: str, relation: str, kind: str, foreign: bool) -> str | None:
    """What a relation is that is no table of the engine's own, or that a policy cannot name."""
    if kind in _KINDS:
        return _KINDS[kind]
    if "." in schema or "." in relation:
        return "a table with a dot in its name"
    return "a table with a foreign table below it" if foreign else None


def _table(place: tuple[str, str], columns: Sequence[Row], keys: Sequence[Row], inherited: bool) -> EngineTable:
    """`inherited`: rows of other tables are among its rows, which none of its constraints need hold for."""
    found = tuple(_column(inherited, *column) for column in columns)
    required = {column.name for column in found if not column.nullable}
    unique = frozenset(tuple(key) for (key,) in keys if required.issuperset(key))
    return EngineTable(found, unique, place)


def _column(
    inherited: bool,
    name: str,
    type_: str,
    base: str,
    enum: bool,
    required: bool,
    collation: str | None,
    collated: bool,
    computed: bool,
    readable: bool,
) -> EngineColumn:
    """A column whose type is told in words that no policy can declare where its values are not plainly stored ones.

    A computed one can raise when it is read, and a nondeterministic collation changes what equal means. One with a
    deterministic collation of its own is read with the database's: a comparison of two such raises when it is made.
    """
    nullable = inherited or not required
    if not readable:
        return EngineColumn(name, f"{type_} that the engine's role may not read", nullable)
    if computed:
        return EngineColumn(name, f"a generated {type_}", nullable)
    if collation is not None:
        return EngineColumn(name, f"{type_} with the nondeterministic collation {collation}", nullable)
    declared = "text" if enum or re.fullmatch(r"(character|bpchar)(\(\d+\))?", base) else _bare(base)
    cast = type_ if declared == "text" != base or type_ != base or base.endswith("with time zone") else None
    cast = f"{type_} COLLATE" if collated else cast
    return EngineColumn(name, declared, nullable, cast)


def _bare(type_: str) -> str:
    """A time of any precision, as its values were rounded when they were stored; an interval of any fields."""
    plain = re.sub(r"^(timestamp|time)\(\d\)(?= with(out)? time zone$)", r"\1", type_)
    return "interval" if re.fullmatch(r"interval\b.*(?<!\])", type_) else plain

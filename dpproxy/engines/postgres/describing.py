"""The schema of a Postgres database, in one read-only transaction over its catalog."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.rows import dict_row

from dpproxy.engines.described import Database, DescribedColumn, DescribedTable, ForeignKey, sayable
from dpproxy.engines.libpq import parts
from dpproxy.engines.postgres import catalog
from dpproxy.engines.postgres.policy_url import secrets, without_secrets
from dpproxy.errors import ConfigFault

_PATIENCE_SECONDS = 15
_KINDS = {"v": "view", "m": "materialized view", "f": "foreign table"}

Row = Mapping[str, Any]
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class _Read:
    """What came out of the catalog; `default` is the schema whose tables go by their names alone.

    Rows of relations' parts are grouped by the relation's oid.
    """

    default: str
    relations: tuple[Row, ...]
    columns: Mapping[int, tuple[Row, ...]]
    keys: Mapping[int, tuple[Row, ...]]
    constraints: Mapping[int, tuple[Row, ...]]
    domains: Mapping[int, Row]
    labels: Mapping[int, tuple[str, ...]]


def described(url: str, tell: Tell) -> Database:
    """The database at `url`; `tell` hears how it goes on. Raises ConfigFault where it cannot be read."""
    said = parts(url)
    try:
        read = _connected(url, tell)
    except psycopg.Error as cause:
        raise ConfigFault(f"the database {said['dbname']} cannot be read", detail=_told(cause, secrets(said))) from None
    tables = {table.name: table for table in _tables(read)}
    return Database(said["dbname"], without_secrets(said), tables, tuple(_others(read)))


def _connected(url: str, tell: Tell) -> _Read:
    connection = psycopg.connect(url, connect_timeout=_PATIENCE_SECONDS, row_factory=dict_row)
    with connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        return _read(connection, tell)


def _told(cause: psycopg.Error, unseen: Iterable[str]) -> str:
    """The reason, with no secret in it whatever libpq says."""
    text = str(cause).strip()
    for secret in unseen:
        text = text.replace(secret, "…")
    return text


def _read(connection: psycopg.Connection[dict[str, Any]], tell: Tell) -> _Read:
    default = next(connection.execute(catalog.DEFAULT))["name"]
    connection.execute("SET LOCAL search_path = ''")  # so that names in conditions and types are qualified
    relations = tuple(connection.execute(catalog.RELATIONS).fetchall())
    tables = [each["oid"] for each in relations if _is_table(each)]
    tell(f"{len(tables)} tables; reading their columns, keys and checks …")
    return _Read(
        default,
        relations,
        _grouped(connection.execute(catalog.COLUMNS, (tables,))),
        _grouped(connection.execute(catalog.KEYS, (tables,))),
        _grouped(connection.execute(catalog.CONSTRAINTS, (tables,))),
        {each["oid"]: each for each in connection.execute(catalog.DOMAINS)},
        {each["type_oid"]: tuple(each["labels"]) for each in connection.execute(catalog.LABELS)},
    )


def _grouped(rows: Iterable[Row]) -> Mapping[int, tuple[Row, ...]]:
    grouped: defaultdict[int, list[Row]] = defaultdict(list)
    for row in rows:
        grouped[row["relation"]].append(row)
    return {relation: tuple(members) for relation, members in grouped.items()}


def _name(relation: Row, default: str) -> str:
    schema = "" if relation["nspname"] == default else f"{relation['nspname']}."
    return f"{schema}{relation['relname']}"


def _sayable(relation: Row, default: str) -> bool:
    """In a policy a name alone is of the default schema, and `public.` before it is a fault."""
    schema = "" if relation["nspname"] == default else relation["nspname"]
    return schema != "public" and sayable(schema, relation["relname"])


def _tables(read: _Read) -> Iterator[DescribedTable]:
    names = {each["oid"]: _name(each, read.default) for each in read.relations}
    for relation in read.relations:
        if _is_table(relation) and _sayable(relation, read.default):
            yield _table(relation, read, names)


def _is_table(relation: Row) -> bool:
    return relation["kind"] in ("r", "p") and not relation["partition"]


def _table(relation: Row, read: _Read, names: Mapping[int, str]) -> DescribedTable:
    oid = relation["oid"]
    rows, constraints = read.columns.get(oid, ()), read.constraints.get(oid, ())
    called = {row["number"]: row["name"] for row in rows}
    # A constraint of a table does not hold over the rows of those that inherit from it, which are read with it.
    keys = () if relation["inherited"] else read.keys.get(oid, ())
    return DescribedTable(
        name=names[oid],
        columns=tuple(_column(row, read, relation) for row in rows),
        primary_key=next((_named(key["numbers"], called) for key in keys if key["is_primary"]), ()),
        unique=frozenset(_named(key["numbers"], called) for key in keys),
        foreign_keys=tuple(_foreign_key(each, called, read, names) for each in constraints if each["kind"] == "f"),
        checks=tuple(each["condition"] for each in constraints if each["kind"] == "c"),
        comment=relation["comment"],
        remarks=tuple(_remarks(relation)),
    )


def _named(numbers: Iterable[int], called: Mapping[int, str]) -> tuple[str, ...]:
    return tuple(called[number] for number in numbers)


def _foreign_key(row: Row, called: Mapping[int, str], read: _Read, names: Mapping[int, str]) -> ForeignKey:
    targets = {each["number"]: each["name"] for each in read.columns.get(row["target"], ())}
    ends = [targets.get(number, "") for number in row["targets"]]  # of a partition, whose columns were not read: none
    return ForeignKey(_named(row["numbers"], called), names.get(row["target"], ""), tuple(ends))


def _column(row: Row, read: _Read, relation: Row) -> DescribedColumn:
    kind, oid, required, checks = row["type"], row["type_oid"], row["required"] and not relation["inherited"], []
    while oid in read.domains:
        domain = read.domains[oid]
        kind, oid, required = domain["type"], domain["base"], required or domain["required"]
        checks += domain["checks"]
    labels = read.labels.get(oid, ())
    return DescribedColumn(
        name=row["name"],
        type="text" if labels else _plain(kind),
        nullable=not required,
        labels=labels,
        checks=tuple(checks),
        comment=row["comment"],
        refused=_refused(row),
    )


def _plain(kind: str) -> str:
    """The type as the engine tells it: text of a fixed length is text, a time has no precision."""
    if re.fullmatch(r"(character|bpchar)(\(\d+\))?", kind):
        return "text"
    plain = re.sub(r"^(timestamp|time)\(\d\)(?= with(out)? time zone$)", r"\1", kind)
    return "interval" if re.fullmatch(r"interval\b.*(?<!\])", kind) else plain


def _refused(row: Row) -> str | None:
    if row["generated"] == "v":
        return "is computed when it is read, which could fail on some row"
    return "has a collation under which different texts are equal" if row["loose"] else None


def _remarks(relation: Row) -> Iterator[str]:
    if relation["row_security"]:
        yield "It has row security: dpproxy's role has to see all rows, or counts are of those that it sees."
    if relation["inherited"]:
        yield "Other tables inherit from it: their rows are read with its own, and its keys are not unique over them."
    if relation["inherits"]:
        yield "It inherits from another table, which shows its rows too."


def _others(read: _Read) -> Iterator[str]:
    for relation in read.relations:
        name = _name(relation, read.default)
        if relation["partition"]:
            yield f"{name} (a partition)"
        elif relation["kind"] in _KINDS:
            yield f"{name} (a {_KINDS[relation['kind']]})"
        elif not _sayable(relation, read.default):
            yield f"{name} (a policy cannot say its name)"

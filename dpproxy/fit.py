"""The policy against the engine's real schema. What fits becomes the catalog; all that does not is told at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import NoReturn, assert_never

from dpproxy.catalog import model as catalog
from dpproxy.catalog.model import Catalog, Link, Unit
from dpproxy.catalog.types import SqlType, parse_type
from dpproxy.config import Config, Fault, refuse
from dpproxy.config.faults import Key, nearest, shown
from dpproxy.config.fields import DuckDBFile, Postgres
from dpproxy.config.model import Column, Table
from dpproxy.config.rules import link_target
from dpproxy.engines import Engine, EngineColumn, EngineSchema, EngineTable
from dpproxy.engines.duckdb import DuckDBEngine
from dpproxy.engines.postgres import PostgresEngine
from dpproxy.errors import ConfigFault, EngineFailure, EngineUnavailable

_LARGE_EPSILON = Decimal(20)
_ROWS_PER_UNIT = 100
_GROUPS_PER_UNIT = 8

Keys = frozenset[tuple[str, tuple[str, ...]]]


@dataclass(frozen=True, slots=True)
class Fitted:
    """The catalog, and what is only doubtful: a line each."""

    catalog: Catalog
    warnings: tuple[str, ...]


async def opened(config: Config) -> Engine:
    """The engine of a configuration. Raises ConfigFault."""
    match config.engine.url:
        case DuckDBFile(path):
            return _duckdb(config, path)
        case Postgres(url):
            return await _postgres(config, url)
        case _:
            assert_never(config.engine.url)


def _duckdb(config: Config, path: Path) -> DuckDBEngine:
    try:
        return DuckDBEngine.open(
            path,
            max_concurrency=config.engine.max_concurrency,
            statement_timeout=config.engine.statement_timeout,
        )
    except ConfigFault as cause:
        _refuse_url(config, cause, "a DuckDB file that can be read and is not open for writing")


async def _postgres(config: Config, url: str) -> PostgresEngine:
    try:
        return await PostgresEngine.open(
            url,
            max_concurrency=config.engine.max_concurrency,
            statement_timeout=config.engine.statement_timeout,
        )
    except ConfigFault as cause:
        _refuse_url(config, cause, "a Postgres that can be reached, and a role that may SELECT there")


def _refuse_url(config: Config, cause: ConfigFault, expected: str) -> NoReturn:
    wrong = f"{cause.message}: {cause.detail}" if cause.detail else cause.message
    refuse(config.path, (Fault(("engine", "url"), wrong, expected),))
    raise cause


async def fit(config: Config, engine: Engine) -> Fitted:
    """The catalog of `config` over what `engine` holds.

    Raises ConfigFault with all faults: tables and columns that the engine has not, types that differ, primary keys and
    targets of links that are not unique and not null. Reads no row of a private table but to verify its keys.
    """
    try:
        return await _fit(config, engine)
    except (EngineFailure, EngineUnavailable) as fault:
        cause = ConfigFault("the engine's tables cannot be looked at", detail=str(fault.__cause__))
        _refuse_url(config, cause, "a database whose tables its role can look at")


async def _fit(config: Config, engine: Engine) -> Fitted:
    schema = await engine.schema()
    faults = [fault for name, table in config.tables.items() for fault in _schema_faults(name, table, schema)]
    wanted = {key for key in _wanted(config, schema) if _there(*key, schema)}
    proved = frozenset([key for key in sorted(wanted) if await engine.unique(*key)])
    unproved = frozenset(wanted - proved)
    faults += (_key_faults if engine.verifies else _unenforced_faults)(config, unproved)
    refuse(config.path, tuple(faults))
    tables = {name: _table(name, table, config, schema.tables[name], proved) for name, table in config.tables.items()}
    units = {name: Unit(name, unit.table, unit.key) for name, unit in config.units.items()}
    doubtful = (*_unenforced(config, unproved), *await engine.warnings(frozenset(config.tables)))
    return Fitted(Catalog(tables, units, await engine.proof(sorted(proved))), (*_warnings(config, schema), *doubtful))


def _schema_faults(name: str, table: Table, schema: EngineSchema) -> Iterator[Fault]:
    found = schema.tables.get(name)
    if name in schema.views:
        yield Fault(("tables", name), f"is {schema.views[name]} in the engine", "a table")
    elif name in schema.unreadable:
        yield Fault(("tables", name), "may not be read by the engine's role", f"GRANT SELECT ON {name} to that role")
    elif found is None:
        yield Fault(("tables", name), "is not in the engine", nearest(name, schema.tables))
    else:
        real = {column.name: column for column in found.columns}
        for column in table.columns:
            yield from _column_faults(name, column, table.columns[column], real)
        yield from _unlisted_key_faults(name, table, tuple(real))


def _column_faults(table: str, name: str, column: Column, real: dict[str, EngineColumn]) -> Iterator[Fault]:
    key = ("tables", table, "columns", name)
    if name not in real:
        yield Fault(key, f"the engine's {table} has no such column", nearest(name, real))
    elif not _fits(column.type, real[name].type):
        yield Fault((*key, "type"), f"is {column.type}, in the engine it is {real[name].type}", _declarable(real[name]))


def _unlisted_key_faults(name: str, table: Table, columns: tuple[str, ...]) -> Iterator[Fault]:
    """The primary key of a public table whose columns are the engine's: the policy alone could not check it."""
    for place, column in enumerate(table.primary_key):
        if not table.columns and column not in columns:
            wrong = f"the engine's {name} has no column {shown(column)}"
            yield Fault(("tables", name, "primary_key", place), wrong, nearest(column, columns))


def _fits(declared: SqlType, real: str) -> bool:
    """Whether a column of `real` is one of `declared`.

    The same type, because arithmetic overflows where the engine's type does. Only `numeric` may stand for every numeric
    of the engine, and text for every varchar.
    """
    return declared in _types(real)


def _types(real: str) -> tuple[SqlType, ...]:
    try:
        kind = parse_type(real)
    except ValueError:
        return ()
    match kind:
        case SqlType("numeric"):
            return (kind, SqlType("numeric"))
        case SqlType("text" | "character varying"):
            return (kind, SqlType("text"), SqlType("character varying"))
        case _:
            return (kind,)


def _declarable(column: EngineColumn) -> str:
    kinds = _types(column.type)
    return f'"{kinds[0]}"' if kinds else "the column to be left out: its type is not supported"


def _wanted(config: Config, schema: EngineSchema) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every key that the catalog would lean on: (table, columns)."""
    for name, table in config.tables.items():
        if table.primary_key:
            yield name, table.primary_key
        for link in table.link.values():
            target, column = link_target(link)
            yield target, (column,)
    for unit in config.units.values():
        # Not where nobody declares or enforces it: whether it is unique would be a bit of the data.
        if unit.table in schema.tables and (unit.key,) in schema.tables[unit.table].unique:
            yield unit.table, (unit.key,)


def _there(table: str, columns: tuple[str, ...], schema: EngineSchema) -> bool:
    """Whether the engine has these columns, so that they can be looked at whatever else is wrong with the table."""
    found = schema.tables.get(table)
    return found is not None and set(columns) <= {column.name for column in found.columns}


def _key_faults(config: Config, refuted: Keys) -> Iterator[Fault]:
    """Declared primary keys and links' targets that the data has refuted."""
    for name, table in config.tables.items():
        if (name, table.primary_key) in refuted:
            wrong = f"({', '.join(table.primary_key)}) is not unique and not null in the engine"
            yield Fault(("tables", name, "primary_key"), wrong, "a key that is, or none")
    for key, link, _ in _links_to(config, refuted):
        yield Fault(key, f"{link} is not unique and not null in the engine", "a column that names one row")


def _unenforced_faults(config: Config, unproved: Keys) -> Iterator[Fault]:
    """Links' targets that no constraint keeps unique, where the unit is read at the target.

    The unit of a row would be that of whichever row has the key, and could change with another unit's rows. Where the
    target is the unit's own key, the link is an equality and needs no row there.
    """
    own = {(unit.table, unit.key) for unit in config.units.values()}
    for key, link, target in _links_to(config, unproved):
        if target not in own:
            wrong = f"no constraint of the engine keeps {link} unique and not null"
            yield Fault(key, wrong, "a target with a PRIMARY KEY, or with UNIQUE and NOT NULL")


def _unenforced(config: Config, unproved: Keys) -> Iterator[str]:
    """Primary keys that no constraint enforces: nothing leans on them, so a unit's rows are clipped as many."""
    for name, table in config.tables.items():
        if (name, table.primary_key) in unproved:
            columns = ", ".join(table.primary_key)
            yield (
                f"tables.{name}.primary_key: no constraint of the engine keeps ({columns}) unique, so a unit may have"
                f" many rows, and answers have more noise; ALTER TABLE {name} ADD PRIMARY KEY ({columns}) there"
            )


def _links_to(config: Config, keys: Keys) -> Iterator[tuple[Key, str, tuple[str, str]]]:
    """The links to one of `keys`: where they are written, as they are, and their target."""
    for name, table in config.tables.items():
        for column, link in table.link.items():
            target, key = link_target(link)
            if (target, (key,)) in keys:
                yield ("tables", name, "link", column), link, (target, key)


def _table(name: str, table: Table, config: Config, found: EngineTable, proved: Keys) -> catalog.Table:
    unique = frozenset(columns for owner, columns in proved if owner == name)
    unit_key = _unit_key(name, config)
    return catalog.Table(
        name=name,
        columns=tuple(_column(*column, found) for column in table.columns.items()) or tuple(_engine_columns(found)),
        unit=None if table.public else table.unit,
        unit_key=unit_key,
        links=tuple(Link(column, *link_target(link)) for column, link in table.link.items()),
        primary_key=table.primary_key,
        unique=unique,
        max_rows_per_unit=1 if (unit_key,) in unique else table.max_rows_per_unit or _ROWS_PER_UNIT,
        max_groups_per_unit=table.max_groups_per_unit or _GROUPS_PER_UNIT,
        note=table.note,
        place=found.place,
    )


def _unit_key(name: str, config: Config) -> str | None:
    """The column of `name` that holds its unit's key.

    The unit's own table has the key itself; a link to a column that holds the key holds it too, since a link is an
    equality. Else None: the key is reached by the chain of links.
    """
    table = config.tables[name]
    if table.public or table.unit is None:
        return None
    if config.units[table.unit].table == name:
        return config.units[table.unit].key
    ((column, link),) = table.link.items()
    target, key = link_target(link)
    return column if _unit_key(target, config) == key else None


def _column(name: str, column: Column, found: EngineTable) -> catalog.Column:
    return catalog.Column(
        name=name,
        type=column.type,
        nullable=column.nullable,
        hidden=column.hidden,
        bounds=column.bounds,
        values=column.values,
        step=column.step,
        note=column.note,
        stored=next(each.stored for each in found.columns if each.name == name),
    )


def _engine_columns(found: EngineTable) -> Iterator[catalog.Column]:
    """The columns of a public table that lists none; those of unsupported types do not exist for analysts."""
    for column in found.columns:
        for kind in _types(column.type)[:1]:
            yield catalog.Column(name=column.name, type=kind, nullable=column.nullable, stored=column.stored)


def _warnings(config: Config, schema: EngineSchema) -> Iterator[str]:
    for name, analyst in config.analysts.items():
        if analyst.epsilon > _LARGE_EPSILON:
            yield f"analysts.{name}.epsilon: {analyst.epsilon} protects very little; usual is at most {_LARGE_EPSILON}"
        if (analyst.defaults.max_epsilon or 0) > analyst.epsilon:
            yield f"analysts.{name}.defaults.max_epsilon: is more than the whole epsilon, {analyst.epsilon}"
    cap = config.budgets.everyone
    if cap is not None and cap.epsilon > _LARGE_EPSILON:
        yield f"budgets.everyone.epsilon: {cap.epsilon} protects very little; usual is at most {_LARGE_EPSILON}"
    for name, table in config.tables.items():
        for column in schema.tables[name].columns if not table.columns else ():
            if not _types(column.type):
                yield f"tables.{name}: the column {column.name} is left out, its type {column.type} is not supported"

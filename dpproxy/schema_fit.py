"""The policy against the engine's real schema. What fits becomes the catalog; all that does not is told at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import NoReturn

from dpproxy.accounting.account import largest_epsilon, most_per_statement
from dpproxy.catalog import policy as catalog
from dpproxy.catalog.policy import Catalog, Link, Unit, UnitWay
from dpproxy.catalog.types import MOMENT, TIMESTAMP, SqlType, parse_type
from dpproxy.config import Config, Fault, refuse
from dpproxy.config.consistency import link_target
from dpproxy.config.faults import nearest, shown
from dpproxy.config.table_sections import ColumnSection, TableSection
from dpproxy.engines import Engine, EngineColumn, EngineSchema, EngineTable
from dpproxy.engines.providers import VERSIONED
from dpproxy.errors import ConfigFault, EngineFailure, EngineUnavailable
from dpproxy.keys import Key, KeyGuarantee, KeyGuarantees, guarantees_of, key_warnings, link_faults, unit_key, way_key
from dpproxy.public_columns import unlisted_warnings
from dpproxy.unit_indexes import WantedIndex, wanted_indexes, with_indexes

_LARGE_EPSILON = Decimal(20)
_UNIT_ROWS = 100


@dataclass(frozen=True, slots=True)
class Fitted:
    """The catalog; what is only doubtful, a line each; what keeps each key that the policy claims; by table the columns
    of the engine's that the policy does not list; and which tables could have a unit index."""

    catalog: Catalog
    warnings: tuple[str, ...]
    keys: Mapping[Key, KeyGuarantee]
    unlisted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    wanted: Mapping[str, WantedIndex] = field(default_factory=dict)


async def opened(config: Config) -> Engine:
    """The engine of a configuration. Raises ConfigFault."""
    there = config.engine
    refuse(config.path, tuple(_source_faults(config)))
    try:
        return await there.url.open(
            config.sources,
            config.unit_index,
            config.unpinned,
            max_concurrency=there.max_concurrency,
            statement_timeout=there.statement_timeout,
        )
    except ConfigFault as cause:
        _refuse_url(config, cause, there.url.provider.openable)


async def reopened(config: Config, engine: Engine) -> Engine | None:
    """The engine of a configuration, opened anew where it would read other files than `engine` does, or with snapshots
    of other tables; None where it would not. Raises ConfigFault."""
    refuse(config.path, tuple(_source_faults(config)))
    return await opened(config) if await engine.replaced(config.sources, config.unpinned) else None


def _source_faults(config: Config) -> Iterator[Fault]:
    for name in () if config.engine.url.provider.reads_files else config.sources:
        yield Fault(("tables", name, "source"), "is given, and this engine reads no files", "a DuckDB engine, or none")
    for name, source in config.sources.items():
        if source.partition(":")[0] in VERSIONED and not config.engine.url.provider.reads_versions:
            wrong = "is a table that has versions, which this engine does not read"
            yield Fault(("tables", name, "source"), wrong, 'a pattern of Parquet files such as "visits/*.parquet"')
    for name in () if config.engine.url.provider.may_lack_snapshots else sorted(config.unpinned):
        yield Fault(("tables", name, "snapshot"), "is given, and this engine has snapshots of all tables", "none")
    for name in sorted(config.unpinned & config.sources.keys()):
        yield Fault(
            ("tables", name, "snapshot"), "is given beside a source, whose files are its snapshot", "one of both"
        )


def _refuse_url(config: Config, cause: ConfigFault, expected: str) -> NoReturn:
    wrong = f"{cause.message}: {cause.detail}" if cause.detail else cause.message
    refuse(config.path, (Fault(("engine", "url"), wrong, expected),))
    raise cause


async def fit(config: Config, engine: Engine) -> Fitted:
    """The catalog of `config` over what `engine` holds.

    Raises ConfigFault with all faults: tables and columns that the engine has not, types that differ, links
    whose unit would be read at a key that nothing keeps unique (`keys`). Reads no row of a private table.
    """
    try:
        return await _fit(config, engine)
    except (EngineFailure, EngineUnavailable) as fault:
        cause = ConfigFault("the engine's tables cannot be looked at", detail=str(fault.__cause__))
        _refuse_url(config, cause, "a database whose tables its role can look at")


async def fit_schema(config: Config, engine: Engine) -> EngineSchema:
    """What the engine holds, where all tables and columns of the policy are there. Raises ConfigFault, EngineFailure,
    EngineUnavailable."""
    schema = await engine.schema()
    refuse(config.path, _all_schema_faults(config, schema))
    return schema


async def _fit(config: Config, engine: Engine) -> Fitted:
    schema = await engine.schema()
    faults = _all_schema_faults(config, schema)
    found = await guarantees_of(config, engine, schema)
    refuse(config.path, (*faults, *link_faults(config, found)))
    tables = {name: _table(name, table, config, schema.tables[name], found) for name, table in config.tables.items()}
    tables |= {name: replace(each, size=await _size(name, engine)) for name, each in tables.items() if each.public}
    units = {name: Unit(name, unit.table, unit.key) for name, unit in config.units.items()}
    proof = await engine.proof(sorted(found.proved))
    held = {name for name in tables if schema.tables[name].held}
    privacy = config.privacy
    made = Catalog(tables, units, proof, privacy.max_fanout, config.server.constant_time)
    made = replace(made, caps_hold=privacy.caps == "hold")
    wanted = {} if config.unit_index is None else wanted_indexes(made, held)
    made = await with_indexes(made, wanted, engine)
    warnings = (
        *_warnings(config, schema),
        *key_warnings(config, found, {name: each.max_rows_per_unit for name, each in tables.items()}),
        *await engine.warnings(frozenset(config.tables)),
        *unlisted_warnings(config, made),
    )
    return Fitted(made, warnings, found.claimed, _hidden(config, schema), wanted)


def _hidden(config: Config, schema: EngineSchema) -> Mapping[str, tuple[str, ...]]:
    """The columns that exist for nobody because their table lists others."""
    beyond = {
        name: tuple(each.name for each in schema.tables[name].columns if each.name not in table.columns)
        for name, table in config.tables.items()
        if table.columns
    }
    return {name: columns for name, columns in beyond.items() if columns}


async def _size(name: str, engine: Engine) -> int:
    """The rows of a public table, and room for it to grow: the next power of two, so that plans stay as they are."""
    return 1 << (await engine.size(name)).bit_length()


def _all_schema_faults(config: Config, schema: EngineSchema) -> tuple[Fault, ...]:
    return tuple(fault for name, table in config.tables.items() for fault in _schema_faults(name, table, schema))


def _schema_faults(name: str, table: TableSection, schema: EngineSchema) -> Iterator[Fault]:
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


def _column_faults(table: str, name: str, column: ColumnSection, real: dict[str, EngineColumn]) -> Iterator[Fault]:
    key = ("tables", table, "columns", name)
    if name not in real:
        yield Fault(key, f"the engine's {table} has no such column", nearest(name, real))
    elif not _fits(column.type, real[name].type):
        yield Fault((*key, "type"), f"is {column.type}, in the engine it is {real[name].type}", _declarable(real[name]))


def _unlisted_key_faults(name: str, table: TableSection, columns: tuple[str, ...]) -> Iterator[Fault]:
    """The primary key of a public table whose columns are the engine's: the policy alone could not check it."""
    for place, column in enumerate(table.primary_key):
        if not table.columns and column not in columns:
            wrong = f"the engine's {name} has no column {shown(column)}"
            yield Fault(("tables", name, "primary_key", place), wrong, nearest(column, columns))


def _fits(declared: SqlType, real: str) -> bool:
    """Whether a column of `real` is one of `declared`.

    The same type, because arithmetic overflows where the engine's type does. Only `numeric` may stand for every numeric
    of the engine, text for every varchar, and `timestamp` for a timestamp with time zone: it is the moment in UTC.
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
        case SqlType(name) if name == MOMENT.name:
            return (kind, TIMESTAMP)
        case _:
            return (kind,)


def _declarable(column: EngineColumn) -> str:
    kinds = _types(column.type)
    return f'"{kinds[0]}"' if kinds else "the column to be left out: its type is not supported"


def _table(name: str, table: TableSection, config: Config, found: EngineTable, keys: KeyGuarantees) -> catalog.Table:
    unique = frozenset(columns for owner, columns in keys.proved if owner == name)
    key = unit_key(name, config)
    return catalog.Table(
        name=name,
        columns=tuple(_column(*column, found) for column in table.columns.items()) or tuple(_engine_columns(found)),
        unit=None if table.public else _unit(table),
        unit_key=key,
        links=tuple(Link(column, *link_target(link)) for column, link in table.link.items()),
        primary_key=table.primary_key,
        unique=unique,
        max_rows_per_unit=1 if (key,) in unique else table.max_rows_per_unit,
        max_groups_per_unit=table.max_groups_per_unit,
        determines=table.determines,
        max_rows=table.max_rows,
        max_unit_rows=_unit_rows(table, one=(key,) in unique),
        note=table.note,
        place=found.place,
        ways=tuple(
            UnitWay(unit, Link(column, *link_target(link)), way_key(column, link, config))
            for unit, column, link in table.ways
        ),
    )


def _unit(table: TableSection) -> str | None:
    """The unit that its rows belong to; of several, all of them in words, a kind that no other table is of."""
    if not table.units:
        return table.unit
    return " and ".join(f"{unit} ({column})" if len(table.units[unit]) > 1 else unit for unit, column, _ in table.ways)


def _unit_rows(table: TableSection, one: bool) -> int:
    """As declared, for a row of much text counts as several; else one where a unit has one, or as many as count for it
    within a key, if that is more than the default."""
    return table.max_unit_rows or (1 if one else max(_UNIT_ROWS, table.max_rows_per_unit or 0))


def _column(name: str, column: ColumnSection, found: EngineTable) -> catalog.TableColumn:
    return catalog.TableColumn(
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


def _engine_columns(found: EngineTable) -> Iterator[catalog.TableColumn]:
    """The columns of a public table that lists none; those of unsupported types do not exist for analysts."""
    for column in found.columns:
        for kind in _types(column.type)[:1]:
            yield catalog.TableColumn(name=column.name, type=kind, nullable=column.nullable, stored=column.stored)


def _warnings(config: Config, schema: EngineSchema) -> Iterator[str]:
    for name, analyst in config.analysts.items():
        if analyst.epsilon > _LARGE_EPSILON:
            yield f"analysts.{name}.epsilon: {analyst.epsilon} protects very little; usual is at most {_LARGE_EPSILON}"
        if (analyst.defaults.max_epsilon or 0) > analyst.epsilon:
            yield f"analysts.{name}.defaults.max_epsilon: is more than the whole epsilon, {analyst.epsilon}"
        elif (analyst.defaults.max_epsilon or 0) > largest_epsilon(config.accounting, config.terms(name).limit.main):
            most = most_per_statement(config.terms(name))
            yield f"analysts.{name}.defaults.max_epsilon: the whole budget allows one statement of at most {most}"
    cap = config.budgets.everyone
    if cap is not None and cap.epsilon > _LARGE_EPSILON:
        yield f"budgets.everyone.epsilon: {cap.epsilon} protects very little; usual is at most {_LARGE_EPSILON}"
    for name, table in config.tables.items():
        for column in schema.tables[name].columns if not table.columns else ():
            if not _types(column.type):
                yield f"tables.{name}: the column {column.name} is left out, its type {column.type} is not supported"

"""The schema of a DuckDB file, by the engine's own reading of it and the catalog's functions beside it."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path

from dpproxy.engines import EngineColumn, EngineQuery, EngineSchema, EngineTable, Ticket, in_turn
from dpproxy.engines.described import Database, DescribedColumn, DescribedTable, ForeignKey, sayable
from dpproxy.engines.duckdb.driver import DuckDBEngine
from dpproxy.engines.duckdb.schema import labels
from dpproxy.rows import Rows

_CONSTRAINTS = """
SELECT schema_name, table_name, constraint_type, CAST(expression AS VARCHAR), constraint_column_names,
  CAST(referenced_table AS VARCHAR), referenced_column_names
FROM duckdb_constraints() WHERE database_name = current_database() AND constraint_type <> 'NOT NULL'
ORDER BY schema_name, table_name, constraint_index"""

_COMMENTS = """
SELECT schema_name, table_name, NULL, CAST(comment AS VARCHAR) FROM duckdb_tables()
WHERE database_name = current_database() AND comment IS NOT NULL
UNION ALL SELECT schema_name, table_name, column_name, CAST(comment AS VARCHAR) FROM duckdb_columns()
WHERE database_name = current_database() AND comment IS NOT NULL"""


def described(path: Path, url: str, tell: Callable[[str], None]) -> Database:
    """The file's schema; `url` is the policy's. Raises ConfigFault where it cannot be opened."""
    schema, constraints, comments = asyncio.run(_read(path))
    tell(f"{len(schema.tables)} tables")
    keys = _Keys(constraints)
    said: dict[tuple[str, object], object] = {(_name(row[0], row[1]), row[2]): row[3] for row in comments.rows}
    named = {name: table for name, table in sorted(schema.tables.items()) if sayable(*name.rpartition(".")[::2])}
    tables = {name: _table(name, table, keys, said) for name, table in named.items()}
    unnamed = [f"{name} (a policy cannot say its name)" for name in sorted(set(schema.tables) - set(named))]
    return Database(path.name, url, tables, (*(f"{view} (a view)" for view in sorted(schema.views)), *unnamed))


async def _read(path: Path) -> tuple[EngineSchema, Rows, Rows]:
    engine = DuckDBEngine.open(path)
    try:
        constraints, comments = await engine.run(in_turn(EngineQuery(_CONSTRAINTS), EngineQuery(_COMMENTS)), Ticket())
        return await engine.schema(), constraints, comments
    finally:
        await engine.close()


def _name(schema: object, relation: object) -> str:
    return str(relation) if schema == "main" else f"{schema}.{relation}"


class _Keys:
    """The constraints of each table, by kind."""

    def __init__(self, rows: Rows) -> None:
        self.primary: dict[str, tuple[str, ...]] = {}
        self.foreign: defaultdict[str, list[ForeignKey]] = defaultdict(list)
        self.checks: defaultdict[str, list[str]] = defaultdict(list)
        for schema, relation, kind, condition, columns, target, targets in rows.rows:
            name = _name(schema, relation)
            match kind:
                case "PRIMARY KEY":
                    self.primary[name] = _texts(columns)
                case "FOREIGN KEY":  # of the same schema: DuckDB has no others
                    self.foreign[name].append(ForeignKey(_texts(columns), _name(schema, target), _texts(targets)))
                case "CHECK":
                    self.checks[name].append(str(condition))


def _texts(values: object) -> tuple[str, ...]:
    return tuple(map(str, values)) if isinstance(values, list) else ()


def _table(name: str, found: EngineTable, keys: _Keys, said: Mapping[tuple[str, object], object]) -> DescribedTable:
    comment = said.get((name, None))
    return DescribedTable(
        name=name,
        columns=tuple(_column(column, said.get((name, column.name))) for column in found.columns),
        primary_key=keys.primary.get(name, ()),
        unique=found.unique,
        foreign_keys=tuple(keys.foreign[name]),
        checks=tuple(keys.checks[name]),
        comment=None if comment is None else str(comment),
    )


def _column(found: EngineColumn, comment: object) -> DescribedColumn:
    return DescribedColumn(
        found.name,
        found.type,
        found.nullable,
        labels=labels(found.stored or ""),
        comment=None if comment is None else str(comment),
    )

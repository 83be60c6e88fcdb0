"""One query for each private table: how many rows units have, whose nobody's are, and what the policy does not expect.

The query reads the table once: a row with its unit and its doubts as 0 or 1, then a unit with their sums, then all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

from dpproxy.catalog.policy import Catalog, Table
from dpproxy.catalog.types import Family
from dpproxy.engines import Engine, Ticket, in_turn
from dpproxy.engines.dialects import dialect_of
from dpproxy.inspection.asked import asked
from dpproxy.inspection.listed_values import ListedValues, read_column, see_values, written
from dpproxy.inspection.shared_values import SharedValues, see_shared
from dpproxy.rewrite.calculus.scans import engine_name, hidden_path, quoted

Doubt = Literal["nullable", "values", "bounds"]

_TEXT_OF_A_ROW: Final = 1000  # bytes
_TOTALS: Final = (
    "COALESCE(SUM(n), 0)",
    "COALESCE(SUM(CASE WHEN unit IS NULL THEN keyless ELSE 0 END), 0)",
    "COALESCE(SUM(CASE WHEN unit IS NULL THEN n - keyless ELSE 0 END), 0)",
    "COUNT(unit)",
    "COALESCE(SUM(CASE WHEN unit IS NOT NULL AND work > {work} THEN 1 ELSE 0 END), 0)",
    "COALESCE(MAX(CASE WHEN unit IS NOT NULL THEN work ELSE 0 END), 0)",
    "COALESCE(SUM(CASE WHEN unit IS NOT NULL AND n > {rows} THEN 1 ELSE 0 END), 0)",
    "COALESCE(MAX(CASE WHEN unit IS NOT NULL THEN n ELSE 0 END), 0)",
)


_SECONDS = 24 * 3600.0
"""For all rows of a table: the owner waits."""


@dataclass(frozen=True, slots=True)
class Doubtful:
    """Rows whose value in a column is not what the policy says of it there."""

    column: str
    said: Doubt
    rows: int


@dataclass(frozen=True, slots=True)
class TableSeen:
    """A private table as its rows are.

    keyless: rows whose unit key or link is NULL. dangling: rows whose link leads to no row, or to one of nobody.
    heavy: units with more than `max_unit_rows`, where a row counts as one for each 1,000 bytes of text in it;
    heaviest: the most that one has. clipped: units with more than `max_rows_per_unit`, where that is declared; most:
    rows that one has. values: columns whose values are not those of the policy. shared: what does not determine the
    unit. way: of several units of a row, to which of them.
    """

    table: str
    rows: int
    keyless: int
    dangling: int
    units: int
    heavy: int
    heaviest: int
    clipped: int
    most: int
    doubts: tuple[Doubtful, ...]
    values: tuple[ListedValues, ...] = ()
    shared: tuple[SharedValues, ...] = ()
    way: int = 0


async def see_table(engine: Engine, table: Table, catalog: Catalog) -> list[TableSeen]:
    """Look at all rows of a private table, for each of its units. Raises EngineFailure, EngineUnavailable."""
    ways = enumerate(table.by_unit)
    return [replace(await _see_unit(engine, each, catalog), way=way) for way, each in ways]


async def _see_unit(engine: Engine, table: Table, catalog: Catalog) -> TableSeen:
    """Look at all rows of a private table. Raises EngineFailure, EngineUnavailable."""
    text = seeing(table, catalog, engine.dialect)
    (found,) = await engine.run(in_turn(asked(text, engine)), Ticket(), _SECONDS)
    rows, keyless, dangling, units, heavy, heaviest, clipped, most, *more = (int(str(each)) for each in found.rows[0])
    doubts = zip(_doubts(table), more, strict=True)
    seen = tuple(Doubtful(column, said, number) for (column, said, _), number in doubts if number)
    values = await see_values(engine, table, _SECONDS)
    shared = await see_shared(engine, table, _owned(table, catalog), _SECONDS)
    return TableSeen(table.name, rows, keyless, dangling, units, heavy, heaviest, clipped, most, seen, values, shared)


def seeing(table: Table, catalog: Catalog, dialect: str) -> str:
    """The query: the numbers of `TableSeen` in order, then one for each doubt."""
    unit, source = _owned(table, catalog)
    own = quoted(table.unit_key or table.links[0].column)
    doubts = [condition for _, _, condition in _doubts(table)]
    flags = [f"CASE WHEN {each} THEN 1 ELSE 0 END AS d{place}" for place, each in enumerate(doubts)]
    sums = [f"SUM(d{place}) AS d{place}" for place in range(len(doubts))]
    items = [
        f"{unit} AS unit",
        f"{_work(table, dialect)} AS work",
        f"CASE WHEN t0.{own} IS NULL THEN 1 ELSE 0 END AS k",
    ]
    rows = f"SELECT {', '.join([*items, *flags])} FROM {source}"
    grouped = ["unit", "COUNT(*) AS n", "SUM(work) AS work", "SUM(k) AS keyless", *sums]
    units = f"SELECT {', '.join(grouped)} FROM ({rows}) AS r GROUP BY unit"
    limit = table.max_rows_per_unit or "NULL"  # no cap: nothing is more than that
    totals = [each.format(work=table.max_unit_rows, rows=limit) for each in _TOTALS]
    totals += [f"COALESCE(SUM(d{place}), 0)" for place in range(len(doubts))]
    return f"SELECT {', '.join(f'CAST({each} AS BIGINT)' for each in totals)} FROM ({units}) AS u"


def _owned(table: Table, catalog: Catalog) -> tuple[str, str]:
    """The unit's key of a row, and the table joined with all that leads there; a row that leads nowhere stays."""
    source, last = f"{engine_name(table)} AS t0", table
    for place, (column, parent, target) in enumerate(hidden_path(table, catalog), 1):
        match_ = f"t{place - 1}.{quoted(column)} = t{place}.{quoted(target)}"
        source, last = f"{source} LEFT JOIN {engine_name(parent)} AS t{place} ON {match_}", parent
    return f"t{source.count(' LEFT JOIN ')}.{quoted(last.unit_key or '')}", source


def _work(table: Table, dialect: str) -> str:
    """How many rows a row counts as: one for each 1,000 bytes of text in columns that analysts may use."""
    texts = [each for each in table.columns if each.type.family is Family.TEXT and not each.hidden]
    size = dialect_of(dialect).bytes_of_text
    lengths = [f"COALESCE({size}(CAST({read_column(each)} AS TEXT)), 0)" for each in texts]
    return f"GREATEST(1, CEIL(({' + '.join(lengths)}) / {_TEXT_OF_A_ROW}.0))" if lengths else "1"


def _doubts(table: Table) -> Iterator[tuple[str, Doubt, str]]:
    """What the policy says of each column, and the condition of rows that say otherwise."""
    for column in table.columns:
        read = read_column(column)
        if column.hidden:
            continue
        if not column.nullable:
            yield column.name, "nullable", f"{read} IS NULL"
        if column.values is not None:
            yield column.name, "values", f"{read} NOT IN ({', '.join(map(written, column.values))})"
        if column.bounds is not None:
            low, high = map(written, column.bounds)
            yield column.name, "bounds", f"({read} < {low} OR {read} > {high})"

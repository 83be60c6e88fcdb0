"""Neighbouring databases from a policy: ordinary units, and one more of each kind, of which nothing is to be seen.

Two kinds of target are tried. The *light* one has a row in each table, within the policy, and keys of its own: it shows
thresholds that are too low, and passes most filters. The *heavy* one has more rows than `max_rows_per_unit`, more keys
than `max_groups_per_unit`, values far outside of the bounds, NaN and NULL: it shows what is not clipped, and moves what
is clipped as far as it can.

A target is a unit of each kind at once. That is sound where a release reads the rows of one kind: all releases of a
statement are paid for, so that what both lose together is within the charge (basic composition). Of a table that names
several units the first one's target is in all rows of the target, each beside another ordinary unit of the second.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import sqlglot
from sqlglot import expressions as exp

from dpproxy.audit import column_values
from dpproxy.audit.column_values import Cell, TypeLimits, Words
from dpproxy.catalog.types import TEXT, SqlType
from dpproxy.config.consistency import link_target
from dpproxy.config.sections import Policy
from dpproxy.config.table_sections import ColumnSection, TableSection

Row = tuple[Cell, ...]

BASE, LIGHT, HEAVY = "base", "light", "heavy"
TARGETS = (LIGHT, HEAVY)
_UNITS, _ROWS, _PUBLIC = 60, 2, 5
_MANY_ROWS, _MANY_GROUPS = 100, 8


@dataclass(frozen=True, slots=True)
class MadeTable:
    """A table as the audit makes it. unique: sets of columns that the engine keeps unique and not null.

    rows: by the place that they are in: `BASE` those of ordinary units, else those of that target alone.
    """

    name: str
    columns: tuple[tuple[str, SqlType], ...]
    unique: tuple[tuple[str, ...], ...]
    rows: Mapping[str, tuple[Row, ...]]

    def of(self, place: str) -> tuple[Row, ...]:
        """The rows of one database: a target's come after the ordinary ones."""
        return self.rows[BASE] if place == BASE else self.rows[BASE] + self.rows[place]


def make_world(policy: Policy, statements: Sequence[str], held: TypeLimits) -> tuple[MadeTable, ...]:
    """The tables of a policy with their rows, the same each time."""
    return tuple(_Maker(policy, _words(statements), held).tables())


def _words(statements: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """What statements compare columns with; nothing where sqlglot reads a statement otherwise than Postgres."""
    found: dict[str, dict[str, None]] = {}
    for sql in statements:
        try:
            trees = sqlglot.parse(sql, dialect="postgres")
        except sqlglot.errors.SqlglotError:
            continue
        for literal in (each for tree in trees if tree for each in tree.find_all(exp.Literal) if each.is_string):
            near = literal.parent.find(exp.Column) if literal.parent else None
            if near is not None and len(literal.name) < 40:
                found.setdefault(near.name, {})[literal.name] = None
    return {name: tuple(words)[:4] for name, words in found.items()}


class _Maker:
    def __init__(self, policy: Policy, words: Words, held: TypeLimits) -> None:
        self._policy, self._held = policy, held
        self._columns = {name: _columns(table, policy) for name, table in policy.tables.items()}
        named: dict[str, list[ColumnSection]] = {}
        for columns in self._columns.values():
            for name, column in columns.items():
                named.setdefault(name, []).append(column)
        self._pools = {name: column_values.pool(name, columns, words) for name, columns in named.items()}
        self._keys: dict[tuple[str, str, str, int], list[str]] = {}

    def tables(self) -> Iterator[MadeTable]:
        for name in sorted(self._policy.tables, key=self._depth):
            table, columns = self._policy.tables[name], self._columns[name]
            unique = self._unique(name)
            rows = {BASE: self._public(name)} if table.public else self._private(name)
            kinds = tuple((each, column.type) for each, column in columns.items())
            yield MadeTable(name, kinds, unique, {place: rows.get(place, ()) for place in (BASE, *TARGETS)})

    def _depth(self, name: str) -> int:
        links = (link for _, link in self._policy.tables[name].links)
        return 1 + max((self._depth(link_target(link)[0]) for link in links), default=0)

    def _unique(self, name: str) -> tuple[tuple[str, ...], ...]:
        """Its primary key, and what links lead to: a link to the unit's key leads to the unit, unique or not."""
        table = self._policy.tables[name]
        wanted = [table.primary_key] if table.primary_key else []
        for other in self._policy.tables.values():
            wanted += [(column,) for owner, column in (link_target(link) for _, link in other.links) if owner == name]
        return tuple(dict.fromkeys(wanted))

    def _public(self, name: str) -> tuple[Row, ...]:
        """A few rows. Its keys are what private columns of the same name have, and one more."""
        key = self._policy.tables[name].primary_key
        return tuple(
            tuple(
                self._public_key(name, each, column, number)
                if each in key[:1]
                else column_values.ordinary(each, column, number, self._pools)
                for each, column in self._columns[name].items()
            )
            for number in range(_PUBLIC)
        )

    def _public_key(self, table: str, name: str, column: ColumnSection, number: int) -> str:
        texts = self._pools[name] if column.type.family is TEXT.family else ()
        return texts[number] if number < len(texts) else column_values.counted(table, column.type, number)

    def _private(self, name: str) -> dict[str, tuple[Row, ...]]:
        rows: dict[str, tuple[Row, ...]] = {}
        ordinary = [row for unit in range(_UNITS) for row in self._rows_of(name, BASE, unit, _ROWS)]
        rows[BASE] = tuple(ordinary)
        for place, most in ((LIGHT, 1), (HEAVY, self._many(name))):
            rows[place] = tuple(self._rows_of(name, place, _UNITS, most))
        return rows

    def _many(self, name: str) -> int:
        """More than a unit may have, in more groups than it may be in; many, where the policy declares no cap."""
        table = self._policy.tables[name]
        return 2 * max(table.max_rows_per_unit or _MANY_ROWS, table.max_groups_per_unit or _MANY_GROUPS) + 3

    def _rows_of(self, name: str, place: str, unit: int, most: int) -> Iterator[Row]:
        """The rows of one unit; what links lead to is kept for the tables that come after."""
        alone = any(self._is_unit_key(name, key) for key in self._unique(name))
        unique = {column for key in self._unique(name) for column in key}
        for number in range(1 if alone else most):
            place_number = unit * _ROWS + number
            row = {
                each: self._cell(name, each, column, place, (unit, number, place_number), each in unique)
                for each, column in self._columns[name].items()
            }
            for each in unique:
                self._keys.setdefault((name, each, place, unit), []).append(row[each] or "")
            yield tuple(row.values())

    def _is_unit_key(self, name: str, key: tuple[str, ...]) -> bool:
        unit = self._policy.units.get(self._policy.tables[name].unit or "")
        return unit is not None and unit.table == name and key == (unit.key,)

    def _cell(
        self, table: str, name: str, column: ColumnSection, place: str, numbers: tuple[int, int, int], unique: bool
    ) -> Cell:
        """numbers: of the unit, of the row within it, and of the row within the table."""
        unit, number, place_number = numbers
        if self._is_unit_key(table, (name,)):
            return column_values.counted("unit", column.type, unit + 1)
        links = dict(self._policy.tables[table].links)
        if name in links:
            # Of several units the first alone leaves: the others' are ordinary ones, as many as there are.
            first = name == next(iter(links))
            keys = self._keys[(*link_target(links[name]), *((place, unit) if first else (BASE, place_number % _UNITS)))]
            return keys[number % len(keys)]
        if unique:
            return column_values.counted(table, column.type, place_number + 1)
        match place:
            case "light":
                return column_values.modest(name, column, number)
            case "heavy":
                return column_values.wild(name, column, number, self._pools, self._held)
            case _:
                return column_values.ordinary(name, column, unit + number, self._pools)


def _columns(table: TableSection, policy: Policy) -> dict[str, ColumnSection]:
    """Its columns; of a public table that lists none, whose columns are the engine's, only the key is known."""
    if table.columns:
        return dict(table.columns)
    same = {name: column for other in policy.tables.values() for name, column in other.columns.items()}
    names = table.primary_key or ("unknown",)
    return {
        name: ColumnSection.model_validate({"type": str(same[name].type) if name in same else "text"}) for name in names
    }

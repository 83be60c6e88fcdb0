"""The sections of a configuration that say whose data is where: units, tables and their columns."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any, Literal

from pydantic import Field, ValidationInfo, field_validator

from dpproxy.catalog.types import SqlType
from dpproxy.config import column_values, field_types
from dpproxy.config.field_types import unfit
from dpproxy.config.section import Section
from dpproxy.rows import Value


class UnitSection(Section):
    """`[units.NAME]`: a privacy unit, and the column that identifies it."""

    table: field_types.Text = Field(description="a table's name")
    key: field_types.Text = Field(description="a column of that table")


class ColumnSection(Section):
    """A column of a table. `bounds` and `values` are typed by `type`."""

    type: field_types.Type = Field(description='a type\'s name such as "integer" or "numeric(15,2)"')
    nullable: field_types.Flag = Field(default=False, description="true or false")
    hidden: field_types.Flag = Field(default=False, description="true or false")
    bounds: tuple[Value, Value] | None = None
    values: tuple[Value, ...] | None = None
    step: field_types.Step | None = None
    note: field_types.Text | None = Field(default=None, description="a remark as text")

    @field_validator("bounds", mode="plain")
    @classmethod
    def _bounds(cls, raw: Any, info: ValidationInfo) -> tuple[Value, ...] | None:
        kind: SqlType | None = info.data.get("type")
        if kind is None:
            return None
        if kind.family not in column_values.ORDERED:
            raise unfit("bounds of numbers, dates or timestamps only", f"{kind} has no bounds")
        typed = _typed(column_values.bound, kind, raw)
        if typed is None or len(typed) != 2 or typed[0] > typed[1]:  # type: ignore[operator]
            raise unfit(f"[lower, upper] with lower <= upper, each {column_values.words(kind)}")
        return typed

    @field_validator("values", mode="plain")
    @classmethod
    def _values(cls, raw: Any, info: ValidationInfo) -> tuple[Value, ...] | None:
        kind: SqlType | None = info.data.get("type")
        if kind is None:
            return None
        typed = _typed(column_values.value, kind, raw)
        if not typed or len(set(typed)) != len(typed):
            raise unfit(f"a list of different values, each {column_values.words(kind)}")
        return typed

    @field_validator("step")
    @classmethod
    def _step(cls, step: Decimal | None, info: ValidationInfo) -> Decimal | None:
        kind: SqlType | None = info.data.get("type")
        if step is not None and kind is not None and kind.family not in column_values.SUMMED:
            raise unfit("a step of numbers only", f"{kind} has no sums")
        return step


def _typed(typed: Callable[[SqlType, Any], Value | None], kind: SqlType, raw: Any) -> tuple[Value, ...] | None:
    """All of a list, typed; None where it is no list or one of it does not fit."""
    found = tuple(typed(kind, item) for item in raw) if isinstance(raw, list) else (None,)
    return None if None in found else found


class TableSection(Section):
    """`[tables.NAME]`: public, or private with a unit and a way to its key.

    units: instead of unit and link, the units that each row belongs to, with the link to each (two, where both are of
    one kind). max_rows_per_unit, max_groups_per_unit: caps on what counts of a unit; left out: none.
    determines: columns, or lists of them, whose values are of one unit wherever they stand: joins on them are kept
    within the unit.
    max_unit_rows, max_rows: rows that a unit, and the table, have as far as time is concerned; nothing is left out
    beyond them.
    source: the Parquet files whose rows it has, all together; left out: it is a table of the engine's.
    snapshot: "none" where each query may read other rows of it than the one before; left out: all of a statement's read
    the same ones.
    """

    public: field_types.Flag = Field(default=False, description="true or false")
    unit: field_types.Text | None = Field(default=None, description="a unit's name")
    link: dict[str, field_types.Text] = Field(default_factory=dict, description='{ column = "table.column" }')
    units: dict[str, dict[str, field_types.Text]] = Field(
        default_factory=dict, description='{ unit = { column = "table.column" }, … }'
    )
    primary_key: tuple[field_types.Text, ...] = Field(default=(), description="a list of columns")
    max_rows_per_unit: field_types.Positive | None = Field(default=None, description="a whole number above 0")
    max_groups_per_unit: field_types.Positive | None = Field(default=None, description="a whole number above 0")
    determines: tuple[field_types.Columns, ...] = Field(
        default=(), description="a list of columns, or of lists of them"
    )
    max_unit_rows: field_types.Positive | None = Field(default=None, description="a whole number above 0")
    max_rows: field_types.Positive = Field(default=100_000, description="a whole number above 0")
    note: field_types.Text | None = Field(default=None, description="a remark as text")
    columns: dict[str, ColumnSection] = Field(default_factory=dict, description="a table of columns")
    source: field_types.Source | None = None
    snapshot: Literal["none"] | None = Field(default=None, description='"none", or left out')

    @property
    def ways(self) -> tuple[tuple[str, str, str], ...]:
        """Unit, column and link of each way to one of several units."""
        return tuple((unit, column, link) for unit, links in self.units.items() for column, link in links.items())

    @property
    def links(self) -> tuple[tuple[str, str], ...]:
        """Column and target of every link."""
        return (*self.link.items(), *((column, link) for _, column, link in self.ways))

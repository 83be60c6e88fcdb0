"""Values of a column, as text that its type reads: ordinary ones, one in the middle, and those that nobody should have.

They follow from the policy alone. Texts that statements compare a column with may be among the ordinary ones.

Checked by: tests/audit/test_neighbouring_data.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import assert_never
from uuid import UUID

from dpproxy.catalog.types import Family, SqlType
from dpproxy.config.table_sections import ColumnSection
from dpproxy.rows import Value

Cell = str | None
Words = Mapping[str, Sequence[str]]
"""By the name of a column: texts that statements compare it with."""

_BITS = {"smallint": 15, "integer": 31, "bigint": 63}
_FEW = 3  # different values of ordinary rows
_DAY, _STEP = date(2024, 1, 1), 37
_FAR = {"real": "1e30", "double precision": "1e300"}


@dataclass(frozen=True, slots=True)
class TypeLimits:
    """What the engine's types hold: whether an exact number may be NaN there."""

    exact_nan: bool


def ordinary(name: str, column: ColumnSection, number: int, pools: Words) -> Cell:
    """The value of row `number` of the ordinary units: within the policy, small, one of a few."""
    if column.values is not None:
        return _text(column.values[number % len(column.values)])
    match column.type.family:
        case Family.INTEGER | Family.NUMERIC | Family.FLOAT:
            return _text(_near(column, Decimal(number % _FEW)))
        case Family.DATE:
            return _text(_day(column, number * _STEP))
        case Family.TIMESTAMP | Family.MOMENT:
            return f"{_text(_day(column, number * _STEP))} 10:00:00"
        case Family.TIME:
            return f"1{number % _FEW}:00:00"
        case Family.TEXT:
            return pools[name][number % len(pools[name])]
        case Family.BOOLEAN:
            return _text(number % 2 == 0)
        case Family.UUID:
            return str(UUID(int=number % _FEW))
        case Family.INTERVAL | Family.OPAQUE:
            return None
        case _:
            assert_never(column.type.family)


def modest(name: str, column: ColumnSection, number: int) -> Cell:
    """A value that the policy allows, which no ordinary unit has: the middle of the bounds, a key of one's own."""
    if column.values is not None:
        return _text(column.values[-1])
    match column.type.family:
        case Family.INTEGER | Family.NUMERIC | Family.FLOAT:
            return _text(_middle(column))
        case Family.DATE:
            return _text(_day(column, 400))
        case Family.TIMESTAMP | Family.MOMENT:
            return f"{_text(_day(column, 400))} 23:00:00"
        case Family.TIME:
            return "23:00:00"
        case Family.TEXT | Family.UUID:
            return own_key(name, column.type, number)
        case Family.BOOLEAN:
            return "true"
        case Family.INTERVAL | Family.OPAQUE:
            return None
        case _:
            assert_never(column.type.family)


def wild(name: str, column: ColumnSection, number: int, pools: Words, held: TypeLimits) -> Cell:
    """A value that the policy does not foresee: far outside of the bounds, NaN, infinite, NULL, outside of the domain;
    for keys every second one is an ordinary one, the others are one's own."""
    if number % 16 == 3:
        return None
    if column.values is not None:
        return "nowhere" if number % 8 == 5 and column.type.family is Family.TEXT else _listed(column, number // 2)
    match column.type.family:
        case Family.INTEGER | Family.NUMERIC | Family.FLOAT:
            return _far(column, number, held)
        case Family.DATE | Family.TIMESTAMP | Family.MOMENT:
            return "infinity" if number % 16 == 7 else "9999-12-31"
        case Family.TIME:
            return "24:00:00"
        case Family.TEXT | Family.UUID if number % 2:
            return own_key(name, column.type, number)
        case Family.TEXT | Family.UUID:
            return ordinary(name, column, number // 2, pools)
        case Family.BOOLEAN:
            return _text(number % 4 < 2)
        case Family.INTERVAL | Family.OPAQUE:
            return None
        case _:
            assert_never(column.type.family)


def own_key(name: str, kind: SqlType, number: int) -> str:
    """A key that nobody else has."""
    if kind.family is Family.UUID:
        return str(UUID(int=2**64 + number))
    return f"only {name} {number}"[-_room(kind) :]


def counted(table: str, kind: SqlType, number: int) -> str:
    """A value that is the row's alone: its number, in that type."""
    match kind.family:
        case Family.INTEGER | Family.NUMERIC | Family.FLOAT:
            return str(number)
        case Family.DATE | Family.TIMESTAMP | Family.MOMENT:
            return str(_DAY + timedelta(days=number))
        case Family.UUID:
            return str(UUID(int=number))
        case Family.TEXT | Family.BOOLEAN | Family.INTERVAL | Family.TIME | Family.OPAQUE:
            return f"{table} {number}"[-_room(kind) :]
        case _:
            assert_never(kind.family)


def pool(name: str, columns: Sequence[ColumnSection], words: Words) -> tuple[str, ...]:
    """The texts of all columns of that name, whatever their table: those of a join meet."""
    listed = [_text(value) for column in columns for value in column.values or ()]
    room = min(_room(column.type) for column in columns)
    made = [f"{name} {number}"[-room:] for number in range(_FEW)]
    return tuple(dict.fromkeys(text for text in (*words.get(name, ()), *listed, *made) if len(text) <= room))


def _room(kind: SqlType) -> int:
    return kind.modifiers[0] if kind.name == "character varying" and kind.modifiers else 1000


def _listed(column: ColumnSection, number: int) -> str:
    values = column.values or ()
    return _text(values[number % len(values)])


def _near(column: ColumnSection, number: Decimal) -> Decimal:
    """Within the bounds, as near to `number` as can be."""
    if column.bounds is None:
        return number
    low, high = (Decimal(str(bound)) for bound in column.bounds)
    return min(max(number, low), high)


def _middle(column: ColumnSection) -> Decimal:
    if column.bounds is None:
        return Decimal(100)
    low, high = (Decimal(str(bound)) for bound in column.bounds)
    middle = (low + high) / 2
    scale = column.type.modifiers[1] if len(column.type.modifiers) == 2 else 0
    whole = column.type.family is Family.INTEGER or column.type.modifiers
    return round(middle, scale) if whole else middle


def _day(column: ColumnSection, days: int) -> date:
    """So many days after the lower bound, back at it after the upper one."""
    if column.bounds is None:
        return _DAY + timedelta(days=days % 700)
    low, high = (bound.date() if isinstance(bound, datetime) else bound for bound in column.bounds)
    assert isinstance(low, date) and isinstance(high, date)
    return low + timedelta(days=days % ((high - low).days + 1))


def _far(column: ColumnSection, number: int, held: TypeLimits) -> str:
    """Of the sign that moves a sum most."""
    sign = "-" if column.bounds is not None and _below(column.bounds) else ""
    family = column.type.family
    if number % 16 == 7 and (family is Family.FLOAT or (family is Family.NUMERIC and held.exact_nan)):
        return "NaN"
    if family is Family.FLOAT:
        return f"{sign}Infinity" if number % 16 == 11 else sign + _FAR[column.type.name]
    if family is Family.INTEGER:
        return f"{sign}{2 ** _BITS[column.type.name] - 1}"
    precision, scale = (*column.type.modifiers, 0)[:2] if column.type.modifiers else (20, 0)
    return f"{sign}{'9' * (precision - scale) or '0'}.{'9' * scale or '0'}"


def _below(bounds: tuple[Value, Value]) -> bool:
    low, high = (Decimal(str(bound)) for bound in bounds)
    return abs(low) > abs(high)


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:f}" if isinstance(value, Decimal) else str(value)

"""Rows of constants for the engine: a list of VALUES, all of it known at planning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from itertools import zip_longest

from sqlglot import exp

from dpproxy.catalog.types import BIGINT, TEXT, TIMESTAMP, TIMESTAMPTZ, Family, SqlType
from dpproxy.errors import FeatureNotSupported
from dpproxy.plan.notes import Shown
from dpproxy.rewrite import algebra
from dpproxy.rewrite.calculus.relations import Readable
from dpproxy.rewrite.calculus.series import series
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.expressions.constants.arrays import elements
from dpproxy.rewrite.expressions.constants.literals import constant, is_constant, value_of
from dpproxy.rewrite.expressions.facts.fact import Fact, Typed, points
from dpproxy.rewrite.expressions.trees.build import cast
from dpproxy.rewrite.expressions.trees.position import position
from dpproxy.rewrite.expressions.trees.refusals import refused
from dpproxy.rewrite.expressions.types.carriers import common_carrier, held_as
from dpproxy.rewrite.expressions.types.promotion import alternatives_type, resolved
from dpproxy.rewrite.reading.constants import ConstantRelation
from dpproxy.rewrite.reading.text_parts import MOST_PARTS, PART
from dpproxy.rows import Value

MOST_ROWS = 1000
_FIRST_PARTS = Shown(f"of a text that is taken apart the first {MOST_PARTS} parts count")
_COMPARED = (Family.INTEGER, Family.TEXT, Family.DATE)


@dataclass(frozen=True, slots=True)
class _Column:
    """The values of a column; its type, and the one in which the engine holds it."""

    type: SqlType
    engine: SqlType
    values: tuple[Value, ...]


def constant_rows(constants: ConstantRelation, context: PlanningContext) -> Readable:
    """The public relation of some constants.

    Claim: its text reads no table. Because: it is made of the values of constants. Checked by: `rewrite.checker`.
    Raises FeatureNotSupported for more than MOST_ROWS rows, and for what is no constant.
    """
    columns = _columns(constants.node, context)
    rows = list(zip(*(_values(column, context) for column in columns), strict=True))
    if len(rows) > MOST_ROWS:
        raise FeatureNotSupported(
            f"more than {MOST_ROWS:,} rows of constants cannot be joined with private tables",
            hint="Make fewer rows; or keep the private answer in a table of your own, and join there.",
            position=position(constants.node),
        )
    names = [f"c{i}" for i in range(len(columns))]
    facts = {name: _fact(column) for name, column in zip(constants.columns, columns, strict=True)}
    unique = [(name,) for name, column in zip(constants.columns, columns, strict=True) if _is_unique(column)]
    return Readable(
        unit=None,
        tree=algebra.Constants(
            tuple(names), tuple(rows) or (tuple(_value(None, each.engine, context) for each in columns),), not rows
        ),
        facts=facts,
        held=dict(zip(constants.columns, names, strict=True)),
        unique=frozenset([*unique, *([()] if len(rows) <= 1 else [])]),
        most=max(len(rows), 1),
        notes=(_FIRST_PARTS,) if constants.columns == (PART,) else (),
    )


def _columns(node: exp.Expr, context: PlanningContext) -> list[_Column]:
    match node:
        case exp.Values():
            rows = [row.expressions for row in node.expressions if isinstance(row, exp.Tuple)][: MOST_ROWS + 1]
            return [_column(node, list(items), context) for items in zip(*rows, strict=True)]
        case exp.ExplodingGenerateSeries():
            type_, values = series(node, MOST_ROWS, context)
            return [_Column(type_, TIMESTAMP if type_ == TIMESTAMPTZ else type_, tuple(values))]
        case exp.Unnest():
            return _side_by_side([_elements(array, context) for array in node.expressions])
        case _:
            raise AssertionError("no other node is set apart")


def _elements(array: exp.Expression, context: PlanningContext) -> _Column:
    """The elements of an array; NULL and the empty one have none, but a type."""
    found = elements(context.constant(array))
    if found:
        return _column(array, list(found[: MOST_ROWS + 1]), context)
    type_ = _element_type(context.constant(array), context)
    return _Column(type_, type_, ())


def _element_type(array: exp.Expression, context: PlanningContext) -> SqlType:
    while isinstance(array, exp.Paren):
        array = array.this
    if isinstance(array, exp.Cast) and array.args["to"].this == exp.DataType.Type.ARRAY:
        return context.total(exp.Cast(this=exp.Null(), to=array.args["to"].expressions[0]), {}).fact.type
    return TEXT


def _side_by_side(columns: Sequence[_Column]) -> list[_Column]:
    """Arrays of different lengths: NULL is where one has ended."""
    rows = list(zip_longest(*(column.values for column in columns)))
    return [_Column(c.type, c.engine, tuple(row[i] for row in rows)) for i, c in enumerate(columns)]


def _column(node: exp.Expression, items: Sequence[exp.Expression], context: PlanningContext) -> _Column:
    """Values that are written, in the type that Postgres gives them together."""
    typed = [context.total(item, {}) for item in items]
    if not all(is_constant(each) for each in typed):
        raise refused(
            next(item for item, each in zip(items, typed, strict=True) if not is_constant(each)),
            "a list of rows that meets private tables must be of constants",
            "Write the value itself, or a parameter.",
        )
    type_, both = resolved(node, typed)
    type_ = alternatives_type(type_, typed)
    return _Column(type_, _engine(type_, both), tuple(_as(value_of(each), type_) for each in both))


def _engine(type_: SqlType, typed: Sequence[Typed]) -> SqlType:
    if type_ == TIMESTAMPTZ:
        return TIMESTAMP
    return common_carrier(typed) or (BIGINT if type_.family is Family.NUMERIC else type_)


def _as(value: Value, type_: SqlType) -> Value:
    """A value of a type that Postgres casts to `type_` by itself."""
    match type_.family, value:
        case Family.TIMESTAMP, date() if not isinstance(value, datetime):
            return datetime.combine(value, time())
        case Family.FLOAT, int() | Decimal():
            return float(value)
        case _:
            return value


def _values(column: _Column, context: PlanningContext) -> list[exp.Expression]:
    return [_value(value, column.engine, context) for value in column.values]


def _value(value: Value, engine: SqlType, context: PlanningContext) -> exp.Expression:
    typed = constant(value, engine)
    return context.plain(cast(exp.Null(), engine) if value is None else held_as(typed, engine))


def _fact(column: _Column) -> Fact:
    there = tuple(dict.fromkeys(value for value in column.values if value is not None))
    steps = [constant(value, column.engine).fact.step for value in there]
    ends = points(there)
    return Fact(
        type=column.type,
        interval=ends,
        proved=ends,
        domain=there,
        nullable=None in column.values,
        private=False,
        step=None if None in steps else min((step for step in steps if step is not None), default=None),
        carrier=None if column.engine == column.type else column.engine,
    )


def _is_unique(column: _Column) -> bool:
    """Whether no two rows are equal, by a comparison that cannot round."""
    distinct = len(set(column.values)) == len(column.values) and None not in column.values
    return distinct and column.type.family in _COMPARED

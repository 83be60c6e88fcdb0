"""Small pieces of SQL trees, the same for every engine."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import assert_never

from sqlglot import exp

from dpproxy.catalog.types import BOOLEAN, NUMERIC, TIMESTAMP, Family, SqlType
from dpproxy.rewrite.expressions.trees.position import note
from dpproxy.rewrite.expressions.trees.steps import named

_ATOMS = (
    *(exp.Column, exp.Literal, exp.Func, exp.Cast, exp.Paren, exp.Case, exp.Boolean, exp.Null, exp.Parameter),
    exp.Var,  # a query, which has parentheses of its own
)
HELD, REACH, HALF_EVEN, ASKED, MAY_BE_NAN = "held as", "reach", "half even", "asked", "may be NaN"
INITIALS, WIDENED, IS_WHOLE = "initials", "widened", "is whole"
_DATATYPES = {
    "smallint": exp.DataType.Type.SMALLINT,
    "integer": exp.DataType.Type.INT,
    "bigint": exp.DataType.Type.BIGINT,
    "numeric": exp.DataType.Type.DECIMAL,
    "real": exp.DataType.Type.FLOAT,
    "double precision": exp.DataType.Type.DOUBLE,
    "text": exp.DataType.Type.TEXT,
    "character varying": exp.DataType.Type.TEXT,
    "boolean": exp.DataType.Type.BOOLEAN,
    "date": exp.DataType.Type.DATE,
    "timestamp without time zone": exp.DataType.Type.TIMESTAMP,
    "timestamp with time zone": exp.DataType.Type.TIMESTAMP,
    "time without time zone": exp.DataType.Type.TIME,
    "uuid": exp.DataType.Type.UUID,
}


def datatype(type_: SqlType) -> exp.DataType:
    """The engine's type of that name; text has no length there."""
    modifiers = type_.modifiers if type_.family is Family.NUMERIC else ()
    parameters = [exp.DataTypeParam(this=exp.Literal.number(number)) for number in modifiers]
    return exp.DataType(this=_DATATYPES[type_.name], expressions=parameters)


def atom(sql: exp.Expression) -> exp.Expression:
    """`sql` as an operand: in parentheses unless it needs none."""
    return sql if isinstance(sql, _ATOMS) and not isinstance(sql, exp.Binary) else exp.Paren(this=sql)


def cast(sql: exp.Expression, type_: SqlType) -> exp.Expression:
    """CAST(sql AS type)."""
    return exp.Cast(this=sql, to=datatype(type_))


def binary(node: type[exp.Expression], left: exp.Expression, right: exp.Expression) -> exp.Expression:
    """left OPERATOR right."""
    return node(this=atom(left), expression=atom(right))


def computed(
    node: type[exp.Expression], left: exp.Expression, right: exp.Expression, carrier: SqlType
) -> exp.Expression:
    """left OPERATOR right, of numbers or times, which the engine holds as `carrier`: a dialect may have to know."""
    return marked(binary(node, left, right), carrier)


def marked(sql: exp.Expression, carrier: SqlType) -> exp.Expression:
    """`sql` itself, told in which type the engine computes it."""
    note(sql, {HELD: carrier.name})
    return sql


def reaching(sql: exp.Expression, least: Fraction, most: Fraction) -> exp.Expression:
    """`sql` itself, told that it is NULL, 0, or of a size between two powers of two around `least` and `most`."""
    note(sql, {REACH: (_exponent(least) - 1, _exponent(most) + 1)})
    return sql


def _exponent(size: Fraction) -> int:
    """About the base-2 logarithm: 2**(it - 1) < size < 2**(it + 1)."""
    return size.numerator.bit_length() - size.denominator.bit_length()


def number(value: int) -> exp.Expression:
    """An integer constant."""
    literal = exp.Literal.number(abs(value))
    return exp.Neg(this=literal) if value < 0 else literal


def column_of(name: str, table: str | None = None) -> exp.Expression:
    """A column of the engine: its name in quotes, as it may be the owner's; that of its table is dpproxy's own."""
    source = None if table is None else exp.Identifier(this=table, quoted=False)
    return exp.Column(this=exp.Identifier(this=name, quoted=True), table=source)


def presence(sql: exp.Expression) -> exp.Expression:
    """TRUE where a value is there, else NULL: what an engine reads of values of which nobody asks anything else."""
    return chosen(exp.Not(this=exp.Is(this=sql, expression=exp.Null())), exp.true())


def held_when_read(type_: SqlType) -> SqlType:
    """The type in which engines hold a column of a type, as a scan reads it."""
    match type_.family:
        case Family.MOMENT:
            return TIMESTAMP
        case Family.OPAQUE | Family.INTERVAL:
            return BOOLEAN
        case Family.INTEGER | Family.NUMERIC | Family.FLOAT | Family.TEXT | Family.BOOLEAN | Family.UUID:
            return type_
        case Family.DATE | Family.TIMESTAMP | Family.TIME:
            return type_
        case other:
            assert_never(other)


def without_nan(sql: exp.Expression) -> exp.Expression:
    """A column of numerics, NULL where it is NaN, for which the other rules have no place."""
    number_ = exp.Nullif(this=sql, expression=cast(exp.Literal.string("NaN"), NUMERIC))
    note(number_, {MAY_BE_NAN: True})
    return number_


def whole(sql: exp.Expression) -> exp.Expression:
    """A number of any type that has no places, `sql` itself: an engine may cast it as it is."""
    note(sql, {IS_WHOLE: True})
    return sql


def asked(sql: exp.Expression) -> exp.Expression:
    """A comparison that the analyst wrote, `sql` itself: an engine may compare columns as they are."""
    note(sql, {ASKED: True})
    return sql


def every(conditions: Sequence[exp.Expression]) -> exp.Expression:
    """All of them; there is one at least."""
    parts = [exp.Paren(this=part) if isinstance(part, exp.Connector | exp.Between) else part for part in conditions]
    made = parts[0] if len(parts) > 1 else conditions[0]
    for part in parts[1:]:
        made = exp.And(this=made, expression=part)
    return made


def never(sql: exp.Expression, value: exp.Expression) -> exp.Expression:
    """`sql`, or NULL where it equals `value`."""
    return exp.Nullif(this=sql, expression=value)


def guarded(sql: exp.Expression, lower: exp.Expression, upper: exp.Expression) -> exp.Expression:
    """`sql` where it lies between the ends, else NULL.

    It guards the operand of what could raise, not its result, so that it holds in whichever order an engine evaluates.
    """
    value = named(sql)
    return chosen(exp.Between(this=atom(value), low=lower, high=upper), value.copy())


def chosen(condition: exp.Expression, sql: exp.Expression) -> exp.Expression:
    """`sql` where the condition is true, else NULL."""
    return exp.Case(ifs=[exp.If(this=condition, true=sql)])

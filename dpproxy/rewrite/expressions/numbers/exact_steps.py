"""From values to whole numbers of grid steps where the engine's numerics have no end: exactly, and without doubles.

Such an engine multiplies numerics of any digits, so that what others hold as a double, since 38 digits may not do, is
made of numerics here; and no operand needs the room of its result.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Final

from sqlglot import exp

from dpproxy.catalog.types import BIGINT, DOUBLE, NUMERIC, Family
from dpproxy.rewrite.expressions.facts.fact import INTEGER_BITS, Typed
from dpproxy.rewrite.expressions.numbers.grid import numeric_steps, step_range, steps
from dpproxy.rewrite.expressions.trees.build import (
    HELD,
    MAY_BE_NAN,
    WIDENED,
    atom,
    binary,
    cast,
    computed,
    marked,
    number,
)
from dpproxy.rewrite.expressions.trees.steps import Definition, named, step, steps_in

_MOST = 2**62
_ARITHMETIC: Final = (exp.Mul, exp.Add, exp.Sub)


def exact_steps(value: Typed, lower: Fraction, upper: Fraction, centre: Decimal, width: Decimal) -> exp.Expression:
    """The same as `grid.steps`, of numerics and of what is computed of them, where steps and centre are on one grid; of
    a query for each row, which no column below it can hold, as `grid.numeric_steps` has it.

    Claim: every result is NULL or in `step_range(lower, upper, centre, width)`, and none raises.
    Because: what is cast lies between whole numbers that a bigint holds, which rounding does not leave; sums and
    products of numerics have room in such an engine, as long as they are proved to have an end. NaN goes through
    arithmetic, and is no less than itself, so that no comparison holds of it, nor of NULL.
    Checked by: tests/test_expressions_in_postgres.py, test_steps_stay_in_range.
    Raises BoundsRequired as `grid.steps` does.
    """
    least, most = step_range(lower, upper, centre, width)
    if _reads_queries(value.sql):
        return numeric_steps(value, lower, upper, centre, width)
    grid, found = 1 / Fraction(width), _exact(value)
    offset = Fraction(centre) * grid
    fits = all(abs(end) < _MOST for end in (offset, least + offset, most + offset))
    if found is None or not fits or grid.denominator > 1 or offset.denominator > 1:
        return steps(value, lower, upper, centre, width)
    scaled, moved = _scaled(found, int(grid)), int(offset)
    within = marked(cast(scaled, BIGINT), NUMERIC)
    return exp.Case(
        ifs=[
            exp.If(this=binary(exp.LT, scaled.copy(), number(least + moved)), true=number(least)),
            exp.If(
                this=binary(exp.LTE, scaled.copy(), number(most + moved)),
                true=computed(exp.Sub, within, number(moved), BIGINT) if moved else within,
            ),
            exp.If(
                this=binary(exp.LT, scaled.copy(), cast(exp.Literal.string("NaN"), NUMERIC)),
                true=number(most),
            ),
        ]
    )


def _reads_queries(sql: exp.Expression) -> bool:
    """Whether it has a query of its own, or a step of it has; a part of a moment, a leaf as well, is taken for one.
    A step that is read many times is looked at once."""
    left, seen = [sql], set[int]()
    while left:
        part = left.pop()
        if part.find(exp.Var) is not None:
            return True
        new = [each for each in steps_in(part) if id(each) not in seen]
        seen.update(map(id, new))
        left += [each.value for each in new]
    return False


def _scaled(sql: exp.Expression, grid: int) -> exp.Expression:
    """In grid steps: a step, however short, since each reading of it would multiply anew."""
    if grid == 1:
        return named(sql)
    return step(Definition(computed(exp.Mul, sql, exp.Literal.number(f"{grid}.0"), NUMERIC)))


def _exact(value: Typed) -> exp.Expression | None:
    """The value as a numeric; None where it is made of what is none."""
    fact = value.fact
    if fact.engine.family is Family.NUMERIC:
        return None if fact.scale is None else _without_room(value.sql.copy())
    computed_ = fact.type.family in (Family.NUMERIC, Family.INTEGER) and fact.engine == DOUBLE
    return _undone(value.sql) if computed_ and fact.proved is not None else None


def _undone(sql: exp.Expression) -> exp.Expression | None:
    """Arithmetic of doubles that were cast from exact numbers, of these numbers."""
    if isinstance(sql, exp.Paren | exp.Neg):
        inner = _undone(sql.this)
        return None if inner is None else type(sql)(this=inner)
    if isinstance(sql, _ARITHMETIC) and sql.meta_get(HELD) == DOUBLE.name:
        left, right = _undone(sql.this), _undone(sql.expression)
        return None if left is None or right is None else computed(type(sql), left, right, NUMERIC)
    return _cast_from(sql) if isinstance(sql, exp.Cast) and sql.to.this is exp.DataType.Type.DOUBLE else None


def _cast_from(sql: exp.Cast) -> exp.Expression | None:
    """What was cast to a double: a numeric, a whole number as one, or a constant."""
    inner, held = sql.this, sql.meta_get(HELD)
    if isinstance(inner, exp.Literal):
        return cast(inner.copy(), NUMERIC) if inner.is_string and Decimal(inner.name).is_finite() else None
    if held in INTEGER_BITS:
        return cast(inner.copy(), NUMERIC)
    return _without_room(inner.copy()) if held == NUMERIC.name else None


def _without_room(sql: exp.Expression) -> exp.Expression:
    """Numerics as they are, without casts that only make room, and NaN included, as far as arithmetic takes it on."""
    if isinstance(sql, exp.Nullif) and sql.meta_get(MAY_BE_NAN):
        column: exp.Expression = sql.this
        return column
    if isinstance(sql, exp.Cast) and sql.meta_get(WIDENED):
        return _without_room(sql.this)
    if isinstance(sql, exp.Paren | exp.Neg | exp.Cast | exp.Mul | exp.Add | exp.Sub):
        for name in ("this", "expression"):
            if isinstance(sql.args.get(name), exp.Expression):
                sql.set(name, atom(_without_room(sql.args[name])))
    return sql

"""Divisions of released numbers: NULL where the divisor came out as 0.

Noise may make any number 0, and the front runs its statement when the numbers are paid for: an error then would tell
the analyst nothing, and cost as much as the answer.

Checked by: tests/test_divisions.py, sql_fixtures/refuse/constants.sql.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Final

from sqlglot import exp

from dpproxy.errors import DivisionByZero
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.expressions.trees.position import position
from dpproxy.rewrite.reading.parse import numbers_of

DIVISIONS: Final = (exp.Div, exp.Mod, exp.IntDiv)
_BRANCHES: Final = (exp.Case, exp.Coalesce)
_SIGNS: Final = (exp.Neg, exp.Paren, exp.Sqrt)
"""What is 0 where its operand is, and only there."""


def null_where_divided_by_zero(made: exp.Expr, context: PlanningContext) -> None:
    """Each divisor that may be 0 becomes NULLIF (…, '0'), in the tree that is given.

    Claim: types stay, and values where Postgres has one. Because: a constant without a type is of its neighbour's, and
    what is NULL as divisor gives NULL.
    Raises DivisionByZero for one that is written as 0, or is a parameter of that value and always divided by: that is
    nobody's noise, and told before the charge.
    """
    for division in list(made.find_all(*DIVISIONS)):
        divisor, number = division.expression, _parameter(division.expression)
        if isinstance(_within(divisor, _SIGNS), exp.Literal):
            if _is_zero(_within(divisor, _SIGNS).name):
                raise _told("The divisor is written as 0.", division)
            continue
        if number is not None and division.find_ancestor(*_BRANCHES) is None:
            context.read.add(number)
            if _is_zero(context.parameters[number].text):
                raise _told(f"The value of ${number + 1} is 0.", division)
        if not _is_never_zero(divisor):
            division.set("expression", exp.Nullif(this=divisor, expression=exp.Literal.string("0")))


def _told(hint: str, division: exp.Expr) -> DivisionByZero:
    return DivisionByZero("division by zero", hint=hint, position=position(division))


def _within(divisor: exp.Expr, around: tuple[type[exp.Expr], ...]) -> exp.Expr:
    while isinstance(divisor, around):
        divisor = divisor.this
    return divisor


def _parameter(divisor: exp.Expr) -> int | None:
    """The parameter, counted from 0, that a divisor is, cast or negated perhaps: 0 where that is 0."""
    found = _within(divisor, (*_SIGNS, exp.Cast))
    return next(numbers_of(found), None) if isinstance(found, exp.Parameter) else None


def _is_never_zero(divisor: exp.Expr) -> bool:
    """Whether it is NULLIF (…, 0) as it is written."""
    written = divisor.unnest()
    return type(written) is exp.Nullif and written.expression == exp.Literal.number(0)


def _is_zero(text: str | None) -> bool:
    try:
        return text is not None and Decimal(text) == 0
    except InvalidOperation:
        return False

"""Divisions of released numbers: NULL where the divisor came out as 0.

Noise may make any number 0, and the front runs its statement when the numbers are paid for: an error then would tell
the analyst nothing, and cost as much as the answer.

Checked by: tests/test_divisions.py, sql_fixtures/refuse/constants.sql.
"""

from __future__ import annotations

from decimal import Decimal

from sqlglot import exp

from dpproxy.errors import DivisionByZero
from dpproxy.rewrite.expressions.trees.position import position

DIVISIONS = (exp.Div, exp.Mod, exp.IntDiv)


def null_where_divided_by_zero(made: exp.Expr) -> None:
    """Each divisor in which a column stands becomes NULLIF (…, '0'), in the tree that is given.

    Claim: types stay, and values where Postgres has one. Because: a constant without a type is of its neighbour's, and
    what is NULL as divisor gives NULL.
    Raises DivisionByZero for one that is written as 0: that is nobody's noise, and told before the charge.
    """
    for division in list(made.find_all(*DIVISIONS)):
        divisor = division.expression
        if _is_zero(divisor):
            raise DivisionByZero("division by zero", hint="The divisor is written as 0.", position=position(division))
        if divisor.find(exp.Column) is not None and not _is_never_zero(divisor):
            division.set("expression", exp.Nullif(this=divisor, expression=exp.Literal.string("0")))


def _is_never_zero(divisor: exp.Expr) -> bool:
    """Whether it is NULLIF (…, 0) as it is written."""
    written = divisor.unnest()
    return type(written) is exp.Nullif and written.expression == exp.Literal.number(0)


def _is_zero(divisor: exp.Expr) -> bool:
    written = divisor.unnest()
    return isinstance(written, exp.Literal) and not written.is_string and Decimal(written.name) == 0

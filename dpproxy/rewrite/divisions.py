"""Divisions of released numbers: NULL where the divisor came out as 0.

Noise may make any number 0, and the front runs its statement when the numbers are paid for: an error then would tell
the analyst nothing, and cost as much as the answer.

Checked by: tests/test_divisions.py.
"""

from __future__ import annotations

from sqlglot import exp

_DIVISIONS = (exp.Div, exp.Mod, exp.IntDiv)


def null_where_divided_by_zero(made: exp.Expr) -> None:
    """Each divisor in which a column stands becomes NULLIF (…, '0'), in the tree that is given.

    Claim: types stay, and values where Postgres has one. Because: a constant without a type is of its neighbour's, and
    what is NULL as divisor gives NULL. What is written without a column is the analyst's own, which the front has
    looked at before the charge.
    """
    for division in list(made.find_all(*_DIVISIONS)):
        divisor = division.expression
        if divisor.find(exp.Column) is not None and not _is_never_zero(divisor):
            division.set("expression", exp.Nullif(this=divisor, expression=exp.Literal.string("0")))


def _is_never_zero(divisor: exp.Expr) -> bool:
    """Whether it is NULLIF (…, 0) as it is written."""
    written = divisor.unnest()
    return type(written) is exp.Nullif and written.expression == exp.Literal.number(0)

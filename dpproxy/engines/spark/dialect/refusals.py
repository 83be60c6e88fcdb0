"""What Spark has no form of is refused by name, before anything is charged."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from dpproxy.errors import FeatureNotSupported

_HINT: Final = (
    "docs/engines/spark.md has what Spark has: comparisons, CASE, COALESCE, NULLIF, LEAST, GREATEST; ABS, FLOOR, CEIL,"
    " ROUND, SQRT, LN, EXP, + - * / %; LENGTH, UPPER, LOWER, SUBSTRING, LEFT, RIGHT, TRIM, LPAD, REPLACE, TRANSLATE,"
    " SPLIT_PART, STRPOS, MD5, ||, CONCAT, LIKE; EXTRACT, DATE_TRUNC, TO_CHAR of digits, intervals; casts to text and"
    " of it; COUNT, SUM, AVG; windows over a unit's rows."
)


def refused(what: str) -> FeatureNotSupported:
    """The refusal of what has no form."""
    return FeatureNotSupported(f"the engine has no {what} yet", hint=_HINT)


def bare(node: exp.Expr) -> exp.Expr:
    """Without parentheses."""
    while isinstance(node, exp.Paren):
        node = node.this
    return node

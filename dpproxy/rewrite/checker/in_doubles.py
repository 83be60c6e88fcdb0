"""Sums of whole numbers in floating point, clamped: read where they are what they would be in whole numbers."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from dpproxy.rewrite.checker.clip import clamp
from dpproxy.rewrite.checker.engines import Facts
from dpproxy.rewrite.checker.syntax import integer, plain

EXACT_UP_TO: Final = 2**53
SIGNED_UP_TO: Final = 2**23
_MOST_ROWS: Final = EXACT_UP_TO // SIGNED_UP_TO
_TYPE = exp.DataType.Type


def clamped_in_doubles(node: object, engine: Facts) -> tuple[str, int] | None:
    """x and b where the node is CAST(LEAST(GREATEST(COALESCE(SUM(CAST(x AS DOUBLE)), 0), 0), b) AS BIGINT).

    Claim: if x is NULL or a whole number from 0 to EXACT_UP_TO in each row, it is clamp(SUM(x), 0, b), a function of
    the values alone, and raises for none. Because: floating point has each whole number up to 2^53. Sums on the way are
    exact until one passes it; that one is 2^53 at least, since rounding keeps order, and so is whatever is made of it,
    since nothing is below 0; so is the true sum then, and both are clamped to b, which is no more. What is cast is a
    whole number in [0, b].
    Checked by: tests/test_sums_in_doubles.py.
    """
    added = added_in_doubles(node, engine)
    return None if added is None or (name := plain(added[0])) is None else (name, added[1])


def added_in_doubles(node: object, engine: Facts) -> tuple[exp.Expr, int] | None:
    """The same where x is an expression, not a column alone."""
    if not engine.adds_in_doubles or type(node) is not exp.Cast or node.to.this is not _TYPE.BIGINT:
        return None
    clamped = clamp(node.this)
    if type(node.this) is not exp.Least or clamped is None or clamped[1] != 0 or clamped[2] > EXACT_UP_TO:
        return None
    added = _added(clamped[0])
    return None if added is None else (added, clamped[2])


def signed_in_doubles(node: object, engine: Facts) -> tuple[exp.Expr, int, int] | None:
    """x, a and b where the node is CAST(LEAST(GREATEST(CASE WHEN COUNT(*) <= 2^30 THEN s ELSE 0 END, a), b) AS BIGINT),
    of s as above.

    Claim: if x is NULL or a whole number of no more than SIGNED_UP_TO, below 0 or above, in each row, it is a function
    of the values alone, between a and b, and raises for none. Because: of up to 2^30 rows the sizes of all numbers come
    to 2^53 at most, and so do those of whichever of them are added first: each sum is a whole number that floating
    point has, in any order. Of more rows it is clamp(0). What is cast is a whole number in [a, b].
    Checked by: tests/test_sums_in_doubles.py.
    """
    if not engine.adds_in_doubles or type(node) is not exp.Cast or node.to.this is not _TYPE.BIGINT:
        return None
    clamped = clamp(node.this)
    if type(node.this) is not exp.Least or clamped is None or max(-clamped[1], clamped[2]) > EXACT_UP_TO:
        return None
    chosen, least, most = clamped
    if type(chosen) is not exp.Case or chosen.this is not None or len(chosen.args["ifs"]) != 1:
        return None
    (branch,), other = chosen.args["ifs"], chosen.args.get("default")
    few = branch.this
    counts = type(few) is exp.LTE and type(few.this) is exp.Count and type(few.this.this) is exp.Star
    if not counts or integer(few.expression) != _MOST_ROWS or integer(other) != 0:
        return None
    added = _added(branch.args["true"])
    return None if added is None else (added, least, most)


def _added(added: object) -> exp.Expr | None:
    """x where it is COALESCE(SUM(CAST(x AS DOUBLE)), 0)."""
    if type(added) is not exp.Coalesce or [integer(value) for value in added.expressions] != [0]:
        return None
    cast = added.this.this if type(added.this) is exp.Sum else None
    if type(cast) is not exp.Cast or cast.to.this is not _TYPE.DOUBLE:
        return None
    inner: exp.Expr = cast.this
    return inner

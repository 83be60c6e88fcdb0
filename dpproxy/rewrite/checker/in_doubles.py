"""Sums of whole numbers in floating point, clamped: read where they are what they would be in whole numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from dpproxy.rewrite.checker.clip import clamp
from dpproxy.rewrite.checker.engines import Facts
from dpproxy.rewrite.checker.relations import Range
from dpproxy.rewrite.checker.syntax import integer

EXACT_UP_TO: Final = 2**53
SIGNED_UP_TO: Final = 2**23
_MOST_ROWS: Final = EXACT_UP_TO // SIGNED_UP_TO
_TYPE = exp.DataType.Type


@dataclass(frozen=True, slots=True)
class InDoubles:
    """clamp(SUM(added), least, most), where each row adds NULL or a whole number within `room`."""

    added: exp.Expr
    least: int
    most: int
    room: Range


def read_in_doubles(node: object, engine: Facts) -> InDoubles | None:
    """What the node is where it is CAST(LEAST(GREATEST(s, a), b) AS BIGINT), of s = COALESCE(SUM(CAST(x AS DOUBLE)), 0)
    with a = 0, or of CASE WHEN COUNT(*) <= 2^30 THEN s ELSE 0 END.

    Claim: if x is NULL or a whole number within `room` in each row, it is a function of the values alone, between a and
    b, and raises for none. Because: floating point has each whole number up to 2^53. Of s alone, numbers are 0 or
    above: sums on the way are exact until one passes 2^53; that one is 2^53 at least, since rounding keeps order, and
    so is whatever is made of it; so is the true sum then, and both are clamped to b, which is no more. Else, of up to
    2^30 rows the sizes of all numbers come to 2^53 at most, and so do those of whichever of them are added first: each
    sum is exact, in any order; of more rows it is clamp(0). What is cast is a whole number in [a, b].
    Checked by: tests/test_sums_in_doubles.py.
    """
    if not engine.adds_in_doubles or type(node) is not exp.Cast or node.to.this is not _TYPE.BIGINT:
        return None
    clamped = clamp(node.this)
    if type(node.this) is not exp.Least or clamped is None or max(-clamped[1], clamped[2]) > EXACT_UP_TO:
        return None
    summed, least, most = clamped
    if type(summed) is exp.Case:
        added, room = _added(_of_few(summed)), (-SIGNED_UP_TO, SIGNED_UP_TO)
    else:
        added, room = _added(summed) if least == 0 else None, (0, EXACT_UP_TO)
    return None if added is None else InDoubles(added, least, most, room)


def _of_few(node: exp.Case) -> exp.Expr | None:
    """s where the node is CASE WHEN COUNT(*) <= 2^30 THEN s ELSE 0 END."""
    if node.this is not None or len(node.args["ifs"]) != 1 or integer(node.args.get("default")) != 0:
        return None
    (branch,) = node.args["ifs"]
    few, told = branch.this, branch.args["true"]
    counts = type(few) is exp.LTE and type(few.this) is exp.Count and type(few.this.this) is exp.Star
    return told if counts and integer(few.expression) == _MOST_ROWS else None


def _added(added: object) -> exp.Expr | None:
    """x where it is COALESCE(SUM(CAST(x AS DOUBLE)), 0)."""
    if type(added) is not exp.Coalesce or [integer(value) for value in added.expressions] != [0]:
        return None
    cast = added.this.this if type(added.this) is exp.Sum else None
    if type(cast) is not exp.Cast or cast.to.this is not _TYPE.DOUBLE:
        return None
    inner: exp.Expr = cast.this
    return inner

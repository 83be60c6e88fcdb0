"""Clips: between which whole numbers an expression is proved to lie by its own constants."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sqlglot import exp

from dpproxy.catalog.types import Family
from dpproxy.rewrite.checker.families import NUMBERS
from dpproxy.rewrite.checker.fault import CheckFault, require
from dpproxy.rewrite.checker.level import Level
from dpproxy.rewrite.checker.nodes import bare, integer

Range = tuple[int, int]
Clamp = tuple[exp.Expression, int, int]

_EXACT_BELOW = 2**53


def clamp(node: object) -> Clamp | None:
    """x, a and b where the node is LEAST(GREATEST(x, a), b) with whole numbers a and b."""
    if type(node) is not exp.Least or type(node.this) is not exp.Greatest:
        return None
    below, above = node.this.expressions, node.expressions
    ends = [integer(end) for end in (*below, *above)]
    if len(below) != 1 or len(above) != 1 or ends[0] is None or ends[1] is None or ends[0] > ends[1]:
        return None
    return node.this.this, ends[0], ends[1]


def row_range(node: exp.Expression, level: Level) -> Range:
    """The least and greatest whole number that one row adds; a NULL adds nothing, which is 0.

    Claim: the value is NULL or a whole number of an integer type in that range, whatever its columns hold.
    Because: it is a whole number as written, a CASE of such, or a cast to bigint of a clamp, maybe moved by a constant:
    a clamp skips NULL, puts NaN on top, and its ends are whole, so that rounding stays between them.
    Checked by: tests/test_checker.py.
    """
    node = bare(node)
    written = integer(node)
    if written is not None:
        return written, written
    if type(node) is exp.Case:
        return _of_case(node, lambda branch: row_range(branch, level))
    if type(node) is exp.Cast and node.to.this is exp.DataType.Type.BIGINT:
        return _clamped(bare(node.this), level)
    raise CheckFault("a measure's row is not clipped to whole numbers")


def _clamped(node: exp.Expression, level: Level) -> Range:
    """The range of a number that a cast to bigint will round."""
    if type(node) is exp.Case:
        return _of_case(node, lambda branch: _clamped(bare(branch), level))
    if type(node) is exp.Sub:
        return _moved(node, level)
    clamped = clamp(node)
    if clamped is None:
        raise CheckFault("a measure's row is not clipped")
    return _of_number(clamped, level)[1:]


def _of_number(clamped: Clamp, level: Level) -> Clamp:
    """The same clamp, if what it clips is a number: text would be compared letter by letter."""
    require(level.family(clamped[0]) in NUMBERS, "what is clipped is not proved to be a number")
    return clamped


def _moved(node: exp.Sub, level: Level) -> Range:
    """A clamp minus a constant: whole numbers are exact, floating point up to 2^53."""
    clamped, shift = clamp(bare(node.this)), integer(bare(node.expression))
    if clamped is None or shift is None:
        raise CheckFault("a measure's row is not clipped")
    inner, least, most = _of_number(clamped, level)
    widest = max(abs(end) for end in (least, most, shift, least - shift, most - shift))
    if widest > _EXACT_BELOW and level.family(inner) is not Family.INTEGER:
        raise CheckFault("a clipped number is moved further than floating point is exact")
    return least - shift, most - shift


def _of_case(node: exp.Case, ranged: Callable[[exp.Expression], Range]) -> Range:
    branches = [branch.args.get("true") for branch in node.args["ifs"]]
    default = node.args.get("default")
    values = [*branches, *([] if default is None else [default])]
    if node.this is not None:
        raise CheckFault("a measure's CASE compares one operand")
    return _hull(ranged(value) for value in values if type(value) is not exp.Null)


def _hull(ranges: Iterable[Range]) -> Range:
    known = [(0, 0), *ranges]
    return min(least for least, _ in known), max(most for _, most in known)

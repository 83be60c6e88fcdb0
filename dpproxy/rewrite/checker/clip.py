"""Clips: between which whole numbers an expression is proved to lie by its own constants."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from string import Template

from sqlglot import exp

from dpproxy.catalog.types import Family
from dpproxy.rewrite.checker.engines import Facts
from dpproxy.rewrite.checker.families import NUMBERS
from dpproxy.rewrite.checker.fault import CheckFault, require
from dpproxy.rewrite.checker.nodes import parsed
from dpproxy.rewrite.checker.relations import Range
from dpproxy.rewrite.checker.syntax import bare, integer, plain
from dpproxy.rewrite.checker.values import Value

Clamp = tuple[exp.Expr, int, int]

_EXACT_BELOW = 2**53
_ONE = exp.Literal.number(1)
_MOST = 2**62
_PRODUCTS = Template("SELECT COALESCE(SUM(CAST($one AS $wide) * $other), 0)")


def clamp(node: object) -> Clamp | None:
    """x, a and b where the node is x clamped to the whole numbers a <= b, written in one of three ways."""
    match node:
        case exp.Least(this=exp.Greatest() as inner):
            ends = [integer(end) for end in (*inner.expressions, *node.expressions)]
            return _ordered(inner.this, ends)
        case exp.Case() if node.this is None:
            return _whole_clamp(node) or _double_clamp(node)
        case _:
            return None


def _whole_clamp(node: exp.Case) -> Clamp | None:
    """CASE WHEN x > b THEN b WHEN x < a THEN a ELSE x END."""
    value, ifs = node.args.get("default"), node.args["ifs"]
    if value is None or len(ifs) != 2 or type(ifs[0].this) is not exp.GT or type(ifs[1].this) is not exp.LT:
        return None
    above, below = _end(ifs[0], value), _end(ifs[1], value)
    return _ordered(value, [below, above])


def _double_clamp(node: exp.Case) -> Clamp | None:
    """CASE WHEN x < a THEN a WHEN x <= b THEN x WHEN x < NaN THEN b END."""
    ifs = node.args["ifs"]
    if node.args.get("default") is not None or [type(each.this) for each in ifs] != [exp.LT, exp.LTE, exp.LT]:
        return None
    value = bare(ifs[1].args["true"])
    kept, last = ifs[1].this, integer(bare(ifs[2].args["true"]))
    if bare(kept.this) != value or bare(ifs[2].this.this) != value or integer(bare(kept.expression)) != last:
        return None
    return _ordered(value, [_end(ifs[0], value), last])


def _end(branch: exp.If, value: exp.Expr) -> int | None:
    """b where the branch is WHEN value COMPARED WITH b THEN b."""
    compared = branch.this
    end = integer(bare(compared.expression))
    return end if bare(compared.this) == bare(value) and integer(bare(branch.args["true"])) == end else None


def _ordered(value: exp.Expr, ends: list[int | None]) -> Clamp | None:
    if len(ends) != 2 or ends[0] is None or ends[1] is None or ends[0] > ends[1]:
        return None
    return value, ends[0], ends[1]


def summed(node: object, *narrowed: object) -> str | None:
    """x where the node is COALESCE(SUM(x), 0), or SUM(CAST(x AS type)) in its place, a type of `narrowed`."""
    if type(node) is not exp.Coalesce or type(node.this) is not exp.Sum:
        return None
    added = node.this.this
    if type(added) is exp.Cast and added.to.this in narrowed:
        added = added.this
    return plain(added) if [integer(value) for value in node.expressions] == [0] else None


def largest(node: object) -> str | None:
    """x where the node is COALESCE(MAX(x), 0)."""
    if type(node) is not exp.Coalesce or type(node.this) is not exp.Max:
        return None
    return plain(node.this.this) if [integer(value) for value in node.expressions] == [0] else None


def multiplied(node: object, engine: Facts) -> tuple[str, str] | None:
    """x and y where the node is COALESCE(SUM(CAST(x AS wide) * y), 0), in whole numbers of 128 bits or more."""
    product = node.this.this if type(node) is exp.Coalesce and type(node.this) is exp.Sum else None
    if type(product) is not exp.Mul or type(product.this) is not exp.Cast:
        return None
    one, other = plain(product.this.this), plain(product.expression)
    if one is None or other is None:
        return None
    text = _PRODUCTS.substitute(one=one, other=other, wide=engine.wide)
    return (one, other) if node == parsed(text, engine.name).expressions[0] else None


def is_total(node: object, name: str) -> bool:
    """Whether it is CAST(x AS BIGINT) of the sum of a column, clamped to ±2^62."""
    if type(node) is not exp.Cast or node.to.this is not exp.DataType.Type.BIGINT:
        return False
    clamped = clamp(node.this)
    return clamped is not None and summed(clamped[0]) == name and clamped[1:] == (-_MOST, _MOST)


def row_range(value: Value) -> Range:
    """The least and greatest whole number that one row adds; a NULL adds nothing, which is 0.

    Claim: the value is NULL or a whole number of an integer type in that range, whatever its columns hold.
    Because: it is a whole number as written, a CASE of such, a column that is proved so, one of these less a clamp of
    what is an integer by its type, or a cast to bigint of a clamp, maybe moved by a constant: a clamp skips NULL, puts
    NaN on top, and its ends are whole, so that rounding stays between them.
    Checked by: tests/test_checker.py.
    """
    return _whole(value.node, value)


def _whole(node: exp.Expr, value: Value) -> Range:
    node = bare(node)
    written = integer(node)
    if written is not None:
        return written, written
    if type(node) is exp.Case:
        return _numeric_clamp(node, value) or _of_case(node, lambda branch: _whole(branch, value))
    if type(node) is exp.Column:
        return value.range_of(node)
    if type(node) is exp.Sub:
        return _from_centre(node, value)
    if type(node) is exp.Cast and node.to.this is exp.DataType.Type.BIGINT:
        return _clamped(_rounded_away(bare(node.this)), value)
    raise CheckFault("a measure's row is not clipped to whole numbers")


def _rounded_away(node: exp.Expr) -> exp.Expr:
    """What is rounded to a whole number before the cast: it stays between whole ends, too."""
    return bare(node.this) if type(node) is exp.Round and node.args.get("decimals") is None else node


def _from_centre(node: exp.Sub, value: Value) -> Range:
    """x - LEAST(GREATEST(c, a), b): how far one lies from the other; that it has room in a bigint, `total` proves."""
    least, most = _whole(node.this, value)
    clamped = clamp(bare(node.expression))
    if clamped is None or value.family_of(clamped[0]) is not Family.INTEGER:
        raise CheckFault("a measure's row is taken from what is not proved to be a whole number")
    return least - clamped[2], most - clamped[1]


def _numeric_clamp(node: exp.Case, value: Value) -> Range | None:
    """CASE WHEN x < l THEN a WHEN x <= u THEN CAST(x * f AS BIGINT) - c WHEN … THEN b END of a numeric x, whatever the
    third condition is.

    The cast gets what lies between l and u, no NaN, whose products with f are whole: rounding stays between them, by
    the cast or by a ROUND before it.
    """
    ifs, other = node.args["ifs"], node.this or node.args.get("default")
    if other is not None or len(ifs) != 3 or [type(each.this) for each in ifs[:2]] != [exp.LT, exp.LTE]:
        return None
    last = bare(ifs[1].args["true"])
    cast, shift = (bare(last.this), integer(bare(last.expression))) if type(last) is exp.Sub else (last, 0)
    if type(cast) is not exp.Cast or cast.to.this is not exp.DataType.Type.BIGINT or shift is None:
        return None
    scaled = bare(cast.this)
    if type(scaled) is exp.Round and scaled.args.get("decimals") is None:
        scaled = bare(scaled.this)
    inner, factor = scaled, _decimal(_ONE)
    if type(scaled) is exp.Mul and bare(ifs[0].this.this) != scaled:
        inner, factor = bare(scaled.this), _decimal(scaled.expression)
    ends = [end for each in ifs[:2] if (end := _decimal(bare(each.this.expression))) is not None]
    outside = [whole for each in (ifs[0], ifs[2]) if (whole := integer(bare(each.args["true"]))) is not None]
    same = all(bare(each.this.this) == inner for each in ifs[:2]) and value.family_of(inner) is Family.NUMERIC
    if not same or factor is None or factor <= 0 or (len(ends), len(outside)) != (2, 2):
        return None
    steps = [step * factor for step in ends]
    require(all(step.denominator == 1 and abs(step) <= _MOST for step in steps), "a clip does not end on the grid")
    return _hull((each, each) for each in (*(int(step) - shift for step in steps), *outside))


def _decimal(node: exp.Expr) -> Fraction | None:
    """The number that is written there, else None."""
    if type(node) is exp.Neg:
        below = _decimal(bare(node.this))
        return None if below is None else -below
    return Fraction(node.name) if type(node) is exp.Literal and not node.is_string else None


def _clamped(node: exp.Expr, value: Value) -> Range:
    """The range of a number that a cast to bigint will round."""
    clamped = clamp(node)
    if clamped is not None:
        return _of_number(clamped, value)[1:]
    if type(node) is exp.Case:
        return _of_case(node, lambda branch: _clamped(bare(branch), value))
    if type(node) is exp.Sub:
        return _moved(node, value)
    raise CheckFault("a measure's row is not clipped")


def _of_number(clamped: Clamp, value: Value) -> Clamp:
    """The same clamp, if what it clips is a number: text would be compared letter by letter."""
    require(value.family_of(clamped[0]) in NUMBERS, "what is clipped is not proved to be a number")
    return clamped


def _moved(node: exp.Sub, value: Value) -> Range:
    """A clamp minus a constant: whole numbers are exact, floating point up to 2^53."""
    clamped, shift = clamp(bare(node.this)), integer(bare(node.expression))
    if clamped is None or shift is None:
        raise CheckFault("a measure's row is not clipped")
    inner, least, most = _of_number(clamped, value)
    widest = max(abs(end) for end in (least, most, shift, least - shift, most - shift))
    if widest > _EXACT_BELOW and value.family_of(inner) is not Family.INTEGER:
        raise CheckFault("a clipped number is moved further than floating point is exact")
    return least - shift, most - shift


def _of_case(node: exp.Case, ranged: Callable[[exp.Expr], Range]) -> Range:
    branches = [branch.args.get("true") for branch in node.args["ifs"]]
    default = node.args.get("default")
    values = [*branches, *([] if default is None else [default])]
    if node.this is not None:
        raise CheckFault("a measure's CASE compares one operand")
    return _hull(ranged(value) for value in values if type(value) is not exp.Null)


def _hull(ranges: Iterable[Range]) -> Range:
    known = [(0, 0), *ranges]
    return min(least for least, _ in known), max(most for _, most in known)

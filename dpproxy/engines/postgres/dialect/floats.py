"""Floating point in Postgres, which raises where a result overflows or underflows: operands are held to less before.

Where an operation of two numbers of which nothing is known could leave the range, what is beyond 2**511 (10**153)
counts as that, and what is below 2**-537 (10**-161) is rounded to a multiple of it; NaN is NULL. Where it cannot, by
what is proved of the operands, they are as they were, and beside a constant they keep what it leaves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from sqlglot import exp

from dpproxy.catalog.types import DOUBLE, NUMERIC, REAL, TEXT
from dpproxy.engines.postgres.dialect.reach import (
    LEAST,
    MOST,
    Reach,
    clipped,
    double,
    held,
    hull,
    of_number,
    on_grid,
    sum_reach,
)
from dpproxy.rewrite.expressions.trees.build import HALF_EVEN, HELD, atom, cast

Reaches = Callable[[object], Reach]
Formed = tuple[exp.Expression, Reach]
Rule = Callable[[exp.Expression, Reaches], Formed]
NAMES = (DOUBLE.name, REAL.name)
_LARGEST_REAL, _LEAST_REAL, _MOST_REAL = 3.4028234663852886e38, -149, 128
_LEAST_EXPONENT, _MOST_EXPONENT = -700.0, 709.78
_FARTHEST_NUMERIC = 660  # 10**198, with which a numeric has no trouble
_LAST_PLACE, _PRODUCT, _HALF = 968, MOST - 1, (MOST - 1) // 2


def operator(node: exp.Expression, reach: Reaches) -> Formed:
    """left OPERATOR right of doubles; of reals as doubles, and back."""
    sides = [(node.args[name], reach(node.args[name])) for name in ("this", "expression")]
    if node.meta_get(HELD) == REAL.name:
        sides = [(cast(side, DOUBLE), Reach(_LEAST_REAL, known.most)) for side, known in sides]
    made, known = _OPERATORS[type(node)](node, *sides)
    if node.meta_get(HELD) != REAL.name:
        return made, known
    return _as_real(made), Reach(_LEAST_REAL, _MOST_REAL)


def _as_real(sql: exp.Expression) -> exp.Expression:
    """A double as a real: a multiple of the least real, and no larger than the largest."""
    return cast(on_grid(clipped(sql, -_LARGEST_REAL, _LARGEST_REAL), _LEAST_REAL), REAL)


def _put(node: exp.Expression, left: exp.Expression, right: exp.Expression) -> exp.Expression:
    node.set("this", atom(left))
    node.set("expression", atom(right))
    return node


def _added(node: exp.Expression, left: Formed, right: Formed) -> Formed:
    """A sum never underflows. It does not overflow where a side is below the last place of the largest double."""
    small = any(known.most is not None and known.most <= _LAST_PLACE for _, known in (left, right))
    if not small or (sum_reach(left[1], right[1]).most or 0) > MOST:
        left, right = held(left, MOST - 1, None), held(right, MOST - 1, None)
    return _put(node, left[0], right[0]), sum_reach(left[1], right[1])


def _multiplied(node: exp.Expression, left: Formed, right: Formed) -> Formed:
    """Both are held to half the exponents of a double, or one of them to what the other leaves."""
    known = _sum(left[1].most, right[1].most)
    if (known is None or known > _PRODUCT) and not (_shrinks(left[1]) or _shrinks(right[1])):
        mosts = [_PRODUCT - min(_HALF if k.most is None else k.most, _HALF) for _, k in (right, left)]
        left, right = held(left, min(mosts[0], MOST), None), held(right, min(mosts[1], MOST), None)
    if left[1].least + right[1].least < LEAST:
        leasts = [LEAST - max(known.least, LEAST // 2) for _, known in (right, left)]
        left, right = held(left, None, leasts[0]), held(right, None, leasts[1])
    least = max(left[1].least + right[1].least - 1, LEAST)
    return _put(node, left[0], right[0]), Reach(least, _sum(left[1].most, right[1].most))


def _divided(node: exp.Expression, left: Formed, right: Formed) -> Formed:
    """The divisor is NULLIF(x, 0), inside of which x is held, or proved to be apart from 0."""
    tested = isinstance(right[0], exp.Nullif)
    divisor: Formed = (right[0].this, right[1]) if tested else right
    if divisor[1].least < 0 and (left[1].most is None or left[1].most - divisor[1].least > _PRODUCT):
        least = min(_HALF if left[1].most is None else left[1].most, _HALF) - _PRODUCT
        tested = tested or divisor[1].least < least
        divisor = held(divisor, None, least)
        left = held(left, min(_PRODUCT + divisor[1].least, MOST), None)
    if divisor[1].most is None or left[1].least - divisor[1].most < LEAST:
        divisor = held(divisor, min(max(left[1].least, LEAST // 2) - LEAST, MOST), None)
        left = held(left, None, (divisor[1].most or 0) + LEAST)
    by = exp.Nullif(this=divisor[0], expression=exp.Literal.number(0)) if tested else divisor[0]
    least = max(left[1].least - (divisor[1].most or 0) - 1, LEAST)
    most = None if left[1].most is None else left[1].most - divisor[1].least + 1
    return _put(node, left[0], by), Reach(least, most)


def _shrinks(known: Reach) -> bool:
    """Whether a product with it is no larger than the other side."""
    return known.most is not None and known.most <= 0


def _sum(left: int | None, right: int | None) -> int | None:
    return None if left is None or right is None else left + right


_OPERATORS: Mapping[type[exp.Expression], Callable[[exp.Expression, Formed, Formed], Formed]] = {
    exp.Add: _added,
    exp.Sub: _added,
    exp.Mul: _multiplied,
    exp.Div: _divided,
}


def _cast(node: exp.Expression, reach: Reaches) -> Formed:
    """To a double: what was proved of the operand is noted on it. To a real: of any double, as `_as_real` says."""
    kind, inner = node.args["to"].this, node.this
    constant = isinstance(inner, exp.Literal) and inner.is_string
    if kind is exp.DataType.Type.DOUBLE:
        return node, of_number(float(inner.name)) if constant else reach(inner)
    if kind is not exp.DataType.Type.FLOAT or constant or isinstance(inner, exp.Null):
        return node, Reach()
    # The limits of the cast leave no number out that is too large; a small one could be too small.
    node.set("this", on_grid(inner, _LEAST_REAL))
    return node, Reach(_LEAST_REAL, None)


def _same(node: exp.Expression, reach: Reaches) -> Formed:
    """A sign, parentheses, and one of several values of a column."""
    return node, reach(node.this)


def _chosen(node: exp.Expression, reach: Reaches) -> Formed:
    """One of several; what is 0 or NULL in their place is as small."""
    values = [node.this, *node.expressions]
    return node, hull([reach(value) for value in values if not isinstance(value, exp.Null)])


def _case(node: exp.Expression, reach: Reaches) -> Formed:
    """A choice by conditions; round() of a double, which Postgres itself rounds to the even side; a guard."""
    default = node.args.get("default")
    if node.meta_get(HALF_EVEN):
        return exp.Round(this=default), Reach(0, reach(default).most)
    branches = [branch.args["true"] for branch in node.args["ifs"]] + ([default] if default is not None else [])
    return node, _guarded(node) or hull([reach(each) for each in branches if not isinstance(each, exp.Null)])


def _guarded(node: exp.Expression) -> Reach | None:
    """What CASE WHEN x BETWEEN a AND b THEN x END says of x, for constants a and b."""
    (first, *others), default = node.args["ifs"], node.args.get("default")
    test = first.this
    if others or default is not None or not isinstance(test, exp.Between) or _bare(test.this) != first.args["true"]:
        return None
    ends = [_number(test.args[name]) for name in ("low", "high")]
    known = [abs(end) for end in ends if end is not None and math.isfinite(end)]
    if len(known) < len(ends):
        return None
    return Reach(LEAST, of_number(max(known)).most)


def _bare(node: exp.Expression) -> exp.Expression:
    return node.this if isinstance(node, exp.Paren) else node


def _number(node: exp.Expression) -> float | None:
    inner = node.this if isinstance(node, exp.Cast) else None
    return float(inner.name) if isinstance(inner, exp.Literal) and inner.is_string and _is_double(node) else None


def _is_double(node: exp.Expression) -> bool:
    return node.args["to"].this is exp.DataType.Type.DOUBLE


def _whole(node: exp.Expression, reach: Reaches) -> Formed:
    """floor, ceil, round and trunc. To places of a double, which Postgres has of numerics alone: by its shortest text.

    A double as a numeric would be cut to 15 digits, and could leave the bounds that are proved of it.
    """
    operand, known = node.this, reach(node.this)
    if node.args.get("decimals") is None:
        return node, Reach(0, None if known.most is None else max(known.most, 0) + 1)
    if node.meta_get(HELD) not in NAMES:
        return node, Reach()
    held_, known = held((operand, known), _FARTHEST_NUMERIC, None)
    node.set("this", cast(cast(held_, TEXT), NUMERIC))
    return cast(node, DOUBLE), Reach(LEAST, max(known.most or 0, 0) + 1)


def _root(node: exp.Expression, reach: Reaches) -> Formed:
    """Square and cube roots are between their operand and 1."""
    known = reach(node.this)
    return node, Reach(LEAST // 2, None if known.most is None else max(known.most, 0) + 1)


def _logarithm(node: exp.Expression, reach: Reaches) -> Formed:
    """Of positive numbers, whose logarithms are at most 745, and 0 or more than half a last place of 1."""
    return node, Reach(-56, None if reach(node.this).most is None else 10)


def _exponential(node: exp.Expression, reach: Reaches) -> Formed:
    """exp(x): 0 below -693, the largest double above 709.78."""
    operand, known = node.this, reach(node.this)
    if known.most is not None and known.most <= 9:
        return node, Reach(-740, 740)
    node.set("this", clipped(operand, _LEAST_EXPONENT, _MOST_EXPONENT))
    return on_grid(node, -1000), Reach(-1000, MOST + 1)


def _power(node: exp.Expression, reach: Reaches) -> Formed:
    """x ^ k for a constant k, x being NULLIF(y, 0) for a negative one: y is held to the k-th roots of the range."""
    exponent = _number(node.expression)
    assert exponent is not None, "the exponent of a power is a constant"
    if exponent == 0:
        return node, Reach(0, 1)
    tested = isinstance(node.this, exp.Nullif)
    base: exp.Expression = node.this.this if tested else node.this
    room = int(_PRODUCT / abs(exponent))
    known = reach(base)
    base, known = held((base, known), min(room, MOST), max(-room, LEAST))
    node.set("this", exp.Nullif(this=base, expression=double(0.0)) if tested or exponent < 0 else base)
    ends = sorted((known.least * exponent, (known.most or 0) * exponent))
    return node, Reach(max(math.floor(ends[0]) - 1, LEAST), math.ceil(ends[1]) + 1)


def _sign(node: exp.Expression, reach: Reaches) -> Formed:
    return node, Reach(0, 1)


def _summed(node: exp.Expression, reach: Reaches) -> Formed:
    """A sum of doubles, of public rows alone, of which there are less than 2**63."""
    if node.meta_get(HELD) not in NAMES:
        return node, Reach()
    operand, known = held((node.this, reach(node.this)), MOST - 64, None)
    node.set("this", operand)
    return node, Reach(max(known.least - 53, LEAST), MOST)


RULES: Mapping[type[exp.Expression], Rule] = {
    exp.Cast: _cast,
    exp.Case: _case,
    exp.Sign: _sign,
    exp.Pow: _power,
    exp.Exp: _exponential,
    exp.Sum: _summed,
    **dict.fromkeys((exp.Neg, exp.Paren, exp.Abs, exp.Nullif, exp.Min, exp.Max), _same),
    **dict.fromkeys((exp.Coalesce, exp.Greatest, exp.Least), _chosen),
    **dict.fromkeys((exp.Round, exp.Trunc, exp.Floor, exp.Ceil), _whole),
    **dict.fromkeys((exp.Sqrt, exp.Cbrt), _root),
    **dict.fromkeys((exp.Ln, exp.Log), _logarithm),
}

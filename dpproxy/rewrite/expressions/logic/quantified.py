"""Comparisons that stand for several, spelled out.

`= ANY (array)` is IN and `<> ALL (array)` is NOT IN; other operators are repeated, and so are the ends of BETWEEN
SYMMETRIC and the columns of row values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from dpproxy.rewrite.expressions.constants.arrays import elements
from dpproxy.rewrite.expressions.trees.refusals import refused

_MOST_COMPARED = 1_000
_MOST_LISTED = 10_000


@dataclass(frozen=True, slots=True)
class Quantifier:
    """ANY or ALL, and the array behind it."""

    all: bool
    array: exp.Expression


def spelled_out(node: exp.Expression) -> exp.Expression | None:
    """The same in plain comparisons; None where it is one itself, or compares with a subquery.

    Raises FeatureNotSupported where an array is not one of constants.
    """
    quantifier = _quantifier(node.args.get("expression"))
    if quantifier is not None:
        return _over_array(node, quantifier)
    match node:
        case exp.Between() if node.args.get("symmetric"):
            ends = node.args["low"], node.args["high"]
            return _connected(exp.Or, [_between(node, *ends), _between(node, *ends[::-1])])
        case exp.EQ(this=exp.Tuple(), expression=exp.Tuple()) | exp.NEQ(this=exp.Tuple(), expression=exp.Tuple()):
            return _by_column(node)
        case exp.In(this=exp.Tuple()) if all(isinstance(each, exp.Tuple) for each in node.expressions):
            rows = [exp.EQ(this=node.this.copy(), expression=each.copy()) for each in node.expressions]
            return _connected(exp.Or, [_by_column(row) for row in rows]) if rows else None
    return None


def _over_array(node: exp.Expression, quantifier: Quantifier) -> exp.Expression:
    found = elements(quantifier.array)
    if found is None:
        return exp.Cast(this=exp.Null(), to=exp.DataType.build("boolean"))
    if not found:
        return exp.Boolean(this=quantifier.all)
    listed = isinstance(node, exp.EQ | exp.NEQ) and isinstance(node, exp.NEQ) == quantifier.all
    most = _MOST_LISTED if listed else _MOST_COMPARED
    if len(found) > most:
        raise refused(node, f"the array has more than {most} elements", "Use a shorter array.")
    if listed:
        membership = exp.In(this=node.this.copy(), expressions=list(found))
        return exp.Not(this=exp.Paren(this=membership)) if quantifier.all else membership
    return _connected(exp.And if quantifier.all else exp.Or, [_with(node, each) for each in found])


def _quantifier(node: object) -> Quantifier | None:
    match node:
        case exp.Any() | exp.All() if not isinstance(node.this.unnest(), exp.Query):
            return Quantifier(isinstance(node, exp.All), node.this)
        case exp.Anonymous() if str(node.this).upper() in ("ALL", "SOME", "ANY") and len(node.expressions) == 1:
            (array,) = node.expressions
            return None if isinstance(array, exp.Query) else Quantifier(str(node.this).upper() == "ALL", array)
    return None


def _between(node: exp.Expression, low: exp.Expression, high: exp.Expression) -> exp.Expression:
    return exp.Paren(this=exp.Between(this=node.this.copy(), low=low.copy(), high=high.copy()))


def _by_column(node: exp.Expression) -> exp.Expression:
    """Row values are equal where all of their columns are."""
    left, right = node.this.expressions, node.expression.expressions
    if len(left) != len(right) or not left:
        raise refused(node, "row values of different length", "Compare as many columns with as many values.")
    pairs = [exp.Paren(this=type(node)(this=a.copy(), expression=b.copy())) for a, b in zip(left, right, strict=True)]
    return _connected(exp.And if isinstance(node, exp.EQ) else exp.Or, pairs)


def _with(node: exp.Expression, element: exp.Expression) -> exp.Expression:
    others = {name: value for name, value in node.args.items() if name not in ("this", "expression")}
    return exp.Paren(this=type(node)(this=node.this.copy(), expression=element, **others))


def _connected(kind: type[exp.Expression], parts: Sequence[exp.Expression]) -> exp.Expression:
    """The parts with AND or OR between them, no deeper than need be."""
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    left, right = _connected(kind, parts[:half]), _connected(kind, parts[half:])
    return exp.Paren(this=kind(this=left, expression=right))

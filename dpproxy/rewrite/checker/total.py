"""Totality: that an expression raises in its engine for no row, by the types and the ranges of all its parts.

held       what is proved of a value; facts: what the conditions of a CASE say of it
total      the walk: logic, choices, comparisons; numbers, times, texts, casts: the others
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from dpproxy.rewrite.checker import floats, total_casts, total_functions, total_numbers, total_texts, total_times
from dpproxy.rewrite.checker.facts import Told, said
from dpproxy.rewrite.checker.fault import CheckFault, require
from dpproxy.rewrite.checker.held import FLOATS, NUMBERS, WHOLE, Held, Kind, digits_of, hull, whole
from dpproxy.rewrite.checker.syntax import bare

Leaf = Callable[[exp.Expr], Held | None]


@dataclass(frozen=True, slots=True)
class Total:
    """The walk. leaf: what is proved of a column, a subquery, an aggregate. told: what is true where it stands."""

    leaf: Leaf
    dialect: str
    told: Told = ()

    def __call__(self, node: exp.Expr) -> Held:
        """What is proved of the value of a node. Raises CheckFault where it is not proved that it raises for no row."""
        while type(node) is exp.Paren:
            node = node.this
        kind = type(node)
        found = self._of(node, kind)
        for told in self.told:
            if type(told.node) is kind and told.node == node:
                found = found.within(told.least, told.most)
                found = replace(found, nonzero=True, fine=max(found.fine, told.fine)) if told.apart else found
                found = replace(found, pattern=told.pattern) if told.pattern else found
        return found

    def _of(self, node: exp.Expr, kind: type[exp.Expr]) -> Held:
        if kind in _LEAVES:
            known = self.leaf(node)
            if known is None:
                raise CheckFault(f"nothing is known of the type of {node.sql()}")
            return known
        rule = _RULES.get(kind)
        if rule is None:
            raise CheckFault(f"{kind.__name__} is not proved to be total")
        return rule(node, self)

    @property
    def postgres(self) -> bool:
        """Whether the engine is Postgres."""
        return self.dialect == "postgres"


def comparable(left: Held, right: Held, at: Total) -> None:
    """Raises CheckFault where two values are not of one family, or one could not be cast to the type of both."""
    kinds = left.kind, right.kind
    if Kind.NOTHING in kinds or kinds[0] is kinds[1] is not Kind.DECIMAL:
        return
    if all(kind in NUMBERS for kind in kinds):
        if not at.postgres and Kind.DECIMAL in kinds and not any(kind in FLOATS for kind in kinds):
            _one_decimal(left, right)
        return
    if at.postgres and any(side.kind is Kind.TEXT and side.written for side in (left, right)):
        return  # it takes the other's type before any row is read
    alike = all(kind in (Kind.DATE, Kind.TIMESTAMP) for kind in kinds)
    require(alike, f"a {kinds[0].value} beside a {kinds[1].value}")
    total_times.as_moment(left if left.kind is Kind.DATE else right, at)


def _one_decimal(left: Held, right: Held) -> None:
    """DuckDB casts both to one decimal, whose digits may not be enough."""
    (before, after), (before_too, after_too) = digits_of(left), digits_of(right)
    scale = max(after, after_too)
    if max(before, before_too) + scale > 38:
        for side in (left, right):
            fits = side.ends is not None and max(abs(end) for end in side.ends) < 10 ** (38 - scale)
            require(fits, "a decimal that has no room beside another")


def _boolean(node: exp.Expr, at: Total) -> Held:
    """AND, OR, NOT, IS of booleans."""
    for name in ("this", "expression"):
        side = node.args.get(name)
        if side is not None:
            require(at(side).kind in (Kind.BOOLEAN, Kind.NOTHING), f"{type(node).__name__} of what is no boolean")
    return Held(Kind.BOOLEAN)


def _is(node: exp.Expr, at: Total) -> Held:
    at(node.this)
    at(node.expression)
    return Held(Kind.BOOLEAN)


def _compared(node: exp.Expr, at: Total) -> Held:
    comparable(at(node.this), at(node.expression), at)
    return Held(Kind.BOOLEAN)


def _member(node: exp.Expr, at: Total) -> Held:
    inner = at(node.this)
    for other in node.expressions:
        comparable(inner, at(other), at)
    return Held(Kind.BOOLEAN)


def _between(node: exp.Expr, at: Total) -> Held:
    for name in ("low", "high"):
        comparable(at(node.this), at(node.args[name]), at)
    return Held(Kind.BOOLEAN)


def _case(node: exp.Expr, at: Total) -> Held:
    """Each value where its own condition is true, and those before it are not."""
    operand, found = node.this, Held(Kind.NOTHING)
    compared = found if operand is None else at(operand)
    for branch in node.args["ifs"]:
        if operand is None:
            at(branch.this)
            at_true = replace(at, told=(*at.told, *said(branch.this, True, at)))
            at = replace(at, told=(*at.told, *said(branch.this, False, at)))
        else:
            comparable(compared, at(branch.this), at)
            at_true = at
        found = either(found, at_true(branch.args["true"]), at)
    default = node.args.get("default")
    return found if default is None else either(found, at(default), at)


def either(left: Held, right: Held, at: Total) -> Held:
    """One of two values, in a type that holds both."""
    comparable(left, right, at)
    return hull(left, right)


def _operands(node: exp.Expr) -> list[exp.Expr]:
    return [node.this, *node.expressions]


def _coalesce(node: exp.Expr, at: Total) -> Held:
    found = Held(Kind.NOTHING)
    for each in _operands(node):
        found = either(found, at(each), at)
    return found


def _extreme(node: exp.Expr, at: Total) -> Held:
    """LEAST and GREATEST skip NULL, and NaN is above all: a constant among them is an end."""
    sides = [at(each) for each in _operands(node)]
    found = sides[0]
    for side in sides[1:]:
        found = either(found, side, at)
    constants = [
        side.most
        for side, each in zip(sides, _operands(node), strict=True)
        if _is_constant(each) and side.most is not None
    ]
    if type(node) is exp.Least and constants:
        return found.within(None, min(constants))
    return found.within(max(constants), None) if type(node) is exp.Greatest and constants else found


def _is_constant(node: exp.Expr) -> bool:
    inner = bare(node)
    while type(inner) in (exp.Neg, exp.Cast, exp.Paren):
        inner = inner.this
    return type(inner) is exp.Literal


def _nullif(node: exp.Expr, at: Total) -> Held:
    """What is NULL where it is 0 is apart from 0; a decimal that is no NaN has all its digits."""
    inner, other = at(node.this), at(node.expression)
    comparable(inner, other, at)
    if other.ends == (0, 0):
        return replace(inner, nonzero=True)
    if inner.kind in WHOLE and other.least == other.most == inner.least and inner.least is not None:
        return inner.within(inner.least + 1, None)
    is_nan = type(node.expression) is exp.Cast and node.expression.this.name == "NaN"
    return replace(inner, nan=False) if is_nan else inner


def _literal(node: exp.Expr, at: Total) -> Held:
    return Held(Kind.TEXT, written=True) if node.is_string else floats.written(node.name)


def _null(node: exp.Expr, at: Total) -> Held:
    return Held(Kind.NOTHING)


def _of_boolean(node: exp.Expr, at: Total) -> Held:
    return Held(Kind.BOOLEAN)


def _counted(node: exp.Expr, at: Total) -> Held:
    inner = node.this.expressions[0] if type(node.this) is exp.Distinct else node.this
    if type(inner) is not exp.Star:
        at(inner)
    return whole(Kind.BIGINT).within(0, None)


def _same(node: exp.Expr, at: Total) -> Held:
    """One of the values of its argument."""
    found = at(node.this)
    if node.args.get("default") is not None:
        found = either(found, at(node.args["default"]), at)
    return found


def _placed(node: exp.Expr, at: Total) -> Held:
    return whole(Kind.BIGINT).within(0, None)


def _share(node: exp.Expr, at: Total) -> Held:
    return Held(Kind.DOUBLE, 0, 1, fine=-64)


def _window(node: exp.Expr, at: Total) -> Held:
    for each in node.args.get("partition_by") or []:
        at(each)
    for each in node.args["order"].expressions if node.args.get("order") else []:
        at(each.this)
    return at(node.this)


Rule = Callable[[exp.Expr, Total], Held]
_LEAVES = frozenset({exp.Column, exp.Subquery, exp.Exists})
_RULES: Mapping[type[exp.Expr], Rule] = {
    **dict.fromkeys((exp.And, exp.Or, exp.Not, exp.LogicalAnd, exp.LogicalOr), _boolean),
    exp.Is: _is,
    **dict.fromkeys((exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.NullSafeNEQ), _compared),
    exp.In: _member,
    exp.Between: _between,
    exp.Case: _case,
    exp.Coalesce: _coalesce,
    **dict.fromkeys((exp.Least, exp.Greatest), _extreme),
    exp.Nullif: _nullif,
    exp.Literal: _literal,
    exp.Null: _null,
    exp.Boolean: _of_boolean,
    exp.Count: _counted,
    **dict.fromkeys((exp.Min, exp.Max, exp.FirstValue, exp.LastValue, exp.NthValue, exp.Lag, exp.Lead), _same),
    **dict.fromkeys((exp.RowNumber, exp.Rank, exp.DenseRank, exp.Ntile), _placed),
    **dict.fromkeys((exp.PercentRank, exp.CumeDist), _share),
    exp.Window: _window,
    **total_numbers.RULES,
    **total_functions.RULES,
    **total_times.RULES,
    **total_texts.RULES,
    **total_casts.RULES,
}

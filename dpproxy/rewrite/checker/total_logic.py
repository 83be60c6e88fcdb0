"""Logic, comparisons, choices and constants: conditions that say what is true where a value stands."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from dpproxy.catalog.types import Family
from dpproxy.rewrite.checker import floats, total_times
from dpproxy.rewrite.checker.facts import said
from dpproxy.rewrite.checker.fault import require
from dpproxy.rewrite.checker.function import OPERANDS, ProvedFunction
from dpproxy.rewrite.checker.held import FLOATS, MOST_DIGITS, NUMBERS, WHOLE, Held, Kind, digits_of, hull
from dpproxy.rewrite.checker.prover import Prover
from dpproxy.rewrite.checker.syntax import bare


def comparable(left: Held, right: Held, at: Prover) -> None:
    """Raises CheckFault where two values are not of one family, or one could not be cast to the type of both."""
    kinds = left.kind, right.kind
    if Kind.NOTHING in kinds or kinds[0] is kinds[1] is not Kind.DECIMAL:
        return
    if all(kind in NUMBERS for kind in kinds):
        mixed = Kind.DECIMAL in kinds and any(kind in FLOATS for kind in kinds)
        require(not mixed or at.engine.decimals_beside_floats, "a decimal beside floating point")
        if at.engine.decimals_compared_in_one and Kind.DECIMAL in kinds and not any(kind in FLOATS for kind in kinds):
            _one_decimal(left, right)
        return
    if at.engine.text_takes_type_beside and any(side.kind is Kind.TEXT and side.written for side in (left, right)):
        return  # it takes the other's type before any row is read
    alike = all(kind in (Kind.DATE, Kind.TIMESTAMP) for kind in kinds)
    require(alike, f"a {kinds[0].value} beside a {kinds[1].value}")
    total_times.as_moment(left if left.kind is Kind.DATE else right, at)


def _one_decimal(left: Held, right: Held) -> None:
    """Both are cast to one decimal, whose digits may not be enough."""
    (before, after), (before_too, after_too) = digits_of(left), digits_of(right)
    scale = max(after, after_too)
    if max(before, before_too) + scale > 38:
        for side in (left, right):
            fits = side.ends is not None and max(abs(end) for end in side.ends) < 10 ** (38 - scale)
            require(fits, "a decimal that has no room beside another")


def boolean(node: exp.Expr, at: Prover) -> Held:
    """AND, OR, NOT, IS of booleans."""
    for name in ("this", "expression"):
        side = node.args.get(name)
        if side is not None:
            require(at(side).kind in (Kind.BOOLEAN, Kind.NOTHING), f"{type(node).__name__} of what is no boolean")
    return Held(Kind.BOOLEAN)


def _is(node: exp.Expr, at: Prover) -> Held:
    at(node.this)
    at(node.expression)
    return Held(Kind.BOOLEAN)


def _compared(node: exp.Expr, at: Prover) -> Held:
    comparable(at(node.this), at(node.expression), at)
    return Held(Kind.BOOLEAN)


def _member(node: exp.Expr, at: Prover) -> Held:
    inner = at(node.this)
    require(node.expressions, "a list of no members")
    for other in node.expressions:
        comparable(inner, at(other), at)
    return Held(Kind.BOOLEAN)


def _between(node: exp.Expr, at: Prover) -> Held:
    for name in ("low", "high"):
        comparable(at(node.this), at(node.args[name]), at)
    return Held(Kind.BOOLEAN)


def _case(node: exp.Expr, at: Prover) -> Held:
    """Each value where its own condition is true, and those before it are not."""
    operand, found = node.this, Held(Kind.NOTHING)
    compared = found if operand is None else at(operand)
    for branch in node.args["ifs"]:
        if operand is None:
            at(branch.this)
            at_true = at.knowing(said(branch.this, True, at))
            at = at.knowing(said(branch.this, False, at))
        else:
            comparable(compared, at(branch.this), at)
            at_true = at
        found = either(found, at_true(branch.args["true"]), at)
    default = node.args.get("default")
    return found if default is None else either(found, at(default), at)


def either(left: Held, right: Held, at: Prover) -> Held:
    """One of two values, in a type that holds both."""
    comparable(left, right, at)
    found = hull(left, right)
    too_many = at.engine.decimal_overflows and found.digits > MOST_DIGITS
    require(not too_many or at.engine.choices_keep_places, "a choice of decimals that could lose places")
    return replace(found, digits=MOST_DIGITS) if too_many else found


def _operands(node: exp.Expr) -> list[exp.Expr]:
    return [node.this, *node.expressions]


def _coalesce(node: exp.Expr, at: Prover) -> Held:
    found = Held(Kind.NOTHING)
    for each in _operands(node):
        found = either(found, at(each), at)
    return found


def _extreme(node: exp.Expr, at: Prover) -> Held:
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


def _nullif(node: exp.Expr, at: Prover) -> Held:
    """What is NULL where it is 0 is apart from 0; a decimal that is no NaN has all its digits."""
    inner, other = at(node.this), at(node.expression)
    comparable(inner, other, at)
    if other.ends == (0, 0):
        return replace(inner, nonzero=True)
    if inner.kind in WHOLE and other.least == other.most == inner.least and inner.least is not None:
        return inner.within(inner.least + 1, None)
    is_nan = type(node.expression) is exp.Cast and node.expression.this.name == "NaN"
    return replace(inner, nan=False) if is_nan else inner


def _literal(node: exp.Expr, at: Prover) -> Held:
    return Held(Kind.TEXT, written=True) if node.is_string else floats.written(node.name)


def _null(node: exp.Expr, at: Prover) -> Held:
    return Held(Kind.NOTHING)


def _of_boolean(node: exp.Expr, at: Prover) -> Held:
    return Held(Kind.BOOLEAN)


FUNCTIONS = (
    ProvedFunction(exp.And, "", "this expression", boolean, Family.BOOLEAN, 1),
    ProvedFunction(exp.Or, "", "this expression", boolean, Family.BOOLEAN, 1),
    ProvedFunction(exp.Not, "", "this", boolean, Family.BOOLEAN, 1),
    ProvedFunction(exp.Is, "", "this expression negate", _is, Family.BOOLEAN, 1),
    ProvedFunction(exp.EQ, "", "this expression", _compared, Family.BOOLEAN, 1),
    ProvedFunction(exp.NEQ, "", "this expression", _compared, Family.BOOLEAN, 1),
    ProvedFunction(exp.LT, "", "this expression", _compared, Family.BOOLEAN, 1),
    ProvedFunction(exp.LTE, "", "this expression", _compared, Family.BOOLEAN, 1),
    ProvedFunction(exp.GT, "", "this expression", _compared, Family.BOOLEAN, 1),
    ProvedFunction(exp.GTE, "", "this expression", _compared, Family.BOOLEAN, 1),
    ProvedFunction(exp.NullSafeEQ, "", "this expression", _compared, Family.BOOLEAN, 1),
    ProvedFunction(exp.NullSafeNEQ, "", "this expression", _compared, Family.BOOLEAN, 1),
    ProvedFunction(exp.In, "", "this expressions", _member, Family.BOOLEAN, 1),
    ProvedFunction(exp.Between, "", "this low high", _between, Family.BOOLEAN, 1),
    ProvedFunction(exp.Case, "", "this ifs default", _case, None, 1),
    ProvedFunction(exp.Coalesce, "coalesce", "this expressions is_nvl", _coalesce, OPERANDS, 1),
    ProvedFunction(exp.Least, "least", "this expressions ignore_nulls", _extreme, OPERANDS, 1),
    ProvedFunction(exp.Greatest, "greatest", "this expressions ignore_nulls", _extreme, OPERANDS, 1),
    ProvedFunction(exp.Nullif, "nullif", "this expression", _nullif, OPERANDS, 1),
    ProvedFunction(exp.Literal, "", "this is_string", _literal, None, 1),
    ProvedFunction(exp.Null, "", "", _null, None, 1),
    ProvedFunction(exp.Boolean, "", "this", _of_boolean, Family.BOOLEAN, 1),
)

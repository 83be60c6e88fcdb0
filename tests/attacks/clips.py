"""Whether an expression's value is between constants that are written in it."""

from __future__ import annotations

from sqlglot import exp


def _is_number(node: exp.Expr | None) -> bool:
    inner = node.this if isinstance(node, exp.Neg | exp.Paren | exp.Cast) else node
    return _is_number(inner) if inner is not node else isinstance(node, exp.Literal | exp.Null)


def is_clamped(node: exp.Expr) -> bool:
    """Whether its value is between constants that are written there, or is one of such."""
    if isinstance(node, exp.Paren | exp.Cast):
        return is_clamped(node.this)
    if isinstance(node, exp.Sub):
        return is_clamped(node.this) and is_clamped(node.expression)
    if isinstance(node, exp.Least):
        inner = node.this
        above = len(node.expressions) == 1 and _is_number(node.expressions[0]) and isinstance(inner, exp.Greatest)
        return above and len(inner.expressions) == 1 and _is_number(inner.expressions[0])
    if isinstance(node, exp.Case):
        return _is_guarded(node)
    return _is_number(node)


def _is_guarded(node: exp.Case) -> bool:
    """A CASE of constants, of clamped values, and of what its own conditions hold between constants."""
    value: exp.Expr | None = node.args.get("default")
    below = above = False
    for branch in node.args["ifs"]:
        test, then = branch.this, branch.args["true"]
        compared = isinstance(test, exp.LT | exp.LTE | exp.GT | exp.GTE) and _is_number(test.expression)
        low = below or (compared and isinstance(test, exp.GT | exp.GTE))
        high = above or (compared and isinstance(test, exp.LT | exp.LTE))
        if not (is_clamped(then) or (compared and low and high and _reads_only(then, test.this))):
            return False
        below = below or (compared and isinstance(test, exp.LT | exp.LTE))
        above = above or (compared and isinstance(test, exp.GT | exp.GTE))
        below, above = (below, above) if compared else (False, False)
    return value is None or is_clamped(value) or (below and above and _reads_only(value, test.this))


def _reads_only(node: exp.Expr, inner: exp.Expr) -> bool:
    """Whether it is the inner expression, scaled, moved and cast by constants at most."""
    inner = inner.unnest()
    while node.unnest() != inner:
        by_constant = isinstance(node, exp.Mul | exp.Sub) and _is_number(node.expression)
        if not by_constant and not isinstance(node, exp.Paren | exp.Cast):
            return False
        node = node.this
    return True


def is_clamped_from_zero(node: exp.Expr) -> bool:
    """The same, where nothing that is written in it could make it less than 0."""
    return is_clamped(node) and node.find(exp.Neg, exp.Sub) is None

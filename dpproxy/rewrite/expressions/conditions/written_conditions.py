"""What a condition is made of, as it is written: its parts, and what holds where it fails.

Checked by: tests/test_narrowing.py.
"""

from __future__ import annotations

from sqlglot import exp

OPPOSITE: dict[type[exp.Expression], type[exp.Expression]] = {
    exp.LT: exp.GTE,
    exp.GT: exp.LTE,
    exp.LTE: exp.GT,
    exp.GTE: exp.LT,
    exp.NEQ: exp.EQ,
    exp.EQ: exp.NEQ,
}


def conjuncts(where: exp.Expression | None) -> tuple[exp.Expression, ...]:
    """The conditions that AND connects, each by itself; none for None."""
    found: list[exp.Expression] = []
    waiting = [] if where is None else [where]
    while waiting:
        part = waiting.pop()
        match part:
            case exp.Paren():
                waiting.append(part.this)
            case exp.And():
                waiting += [part.expression, part.this]
            case _:
                found.append(part)
    return tuple(found)


def excluded(condition: exp.Expression) -> tuple[exp.Expression, ...]:
    """What holds where `condition` is not true: for `x > 5`, that x <= 5 or x is NULL. Empty where it is unclear."""
    match condition:
        case exp.Paren():
            return excluded(condition.this)
        case exp.Or():
            return (*excluded(condition.this), *excluded(condition.expression))
        case exp.Is(expression=exp.Null()):
            return (exp.Not(this=exp.Paren(this=condition.copy())),)
        case exp.In():
            sides = [condition.this] if not any(map(reads_rows, condition.expressions)) else []
        case _:
            sides = [side for side in (condition.this, condition.args.get("expression")) if reads_rows(side)]
    if (type(condition) not in OPPOSITE and not isinstance(condition, exp.In)) or len(sides) != 1:
        return ()
    reverse = exp.Not(this=exp.Paren(this=condition.copy()))
    return (exp.Or(this=reverse, expression=exp.Is(this=sides[0].copy(), expression=exp.Null())),)


def reads_rows(node: object) -> bool:
    """Whether rows or parameters decide what it is."""
    if type(node) is exp.Column:
        return True
    return isinstance(node, exp.Expression) and node.find(exp.Column, exp.Parameter) is not None

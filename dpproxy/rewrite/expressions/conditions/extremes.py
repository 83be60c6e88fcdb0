"""GREATEST and LEAST, which skip NULLs: only a value that is surely there bounds the result by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from sqlglot import exp

from dpproxy.rewrite.expressions.conditions.conditional import Choice, alike, chosen_from, held_ends
from dpproxy.rewrite.expressions.constants.literals import is_constant, is_null
from dpproxy.rewrite.expressions.facts import ranges
from dpproxy.rewrite.expressions.facts.fact import Interval, Typed
from dpproxy.rewrite.expressions.walk import Walk


@dataclass(frozen=True, slots=True)
class ExtremeSide:
    """The ends of one argument, each known or not, and whether the argument is surely not NULL."""

    lower: Fraction | None
    upper: Fraction | None
    sure: bool

    def mirrored(self) -> ExtremeSide:
        """The same of -x."""
        lower, upper = (None if end is None else -end for end in (self.upper, self.lower))
        return ExtremeSide(lower, upper, self.sure)


def least(node: exp.Expression, walk: Walk) -> Typed:
    """LEAST(x, y, …)."""
    return _bounded(node, walk, exp.Least, _least_of)


def greatest(node: exp.Expression, walk: Walk) -> Typed:
    """GREATEST(x, y, …)."""
    return _bounded(node, walk, exp.Greatest, _greatest_of)


def _bounded(
    node: exp.Expression,
    walk: Walk,
    kind: type[exp.Expression],
    ends: Callable[[Sequence[ExtremeSide]], Interval | None],
) -> Typed:
    nodes = [node.this, *node.expressions]
    choice = chosen_from(node, [walk(item) for item in nodes])
    items = [(item, typed) for item, typed in zip(nodes, choice.operands, strict=True) if not is_null(typed)]
    fact = replace(
        choice.fact,
        interval=ends([_side(choice, walk, at, it.fact.interval, not it.fact.nullable) for at, it in items]),
        proved=ends([_side(choice, walk, at, it.fact.proved, is_constant(it)) for at, it in items]),
        nullable=all(typed.fact.nullable for typed in choice.operands),
    )
    return Typed(kind(this=choice.sqls[0], expressions=choice.sqls[1:], ignore_nulls=True), fact)


def _least_of(sides: Sequence[ExtremeSide]) -> Interval | None:
    """At least the least lower end; at most the upper end of each that is there, or else the greatest of all."""
    lowers = [side.lower for side in sides if side.lower is not None]
    uppers = [side.upper for side in sides if side.upper is not None]
    sure = [side.upper for side in sides if side.sure and side.upper is not None]
    if not sides or len(lowers) < len(sides) or (not sure and len(uppers) < len(sides)):
        return None
    return Interval(min(lowers), max(min(sure) if sure else max(uppers), min(lowers)))


def _greatest_of(sides: Sequence[ExtremeSide]) -> Interval | None:
    """GREATEST(x, …) is -LEAST(-x, …)."""
    return ranges.each(ranges.negate, _least_of([side.mirrored() for side in sides]))


def _side(choice: Choice, walk: Walk, item: exp.Expression, interval: Interval | None, sure: bool) -> ExtremeSide:
    held = held_ends(choice.fact.engine, interval)
    if held is not None:
        return ExtremeSide(held.lower, held.upper, sure)
    inner = item.unnest() if isinstance(item, exp.Paren) else item
    if isinstance(inner, exp.Greatest):
        return ExtremeSide(_constant_end(choice, walk, inner, max, "lower"), None, sure)
    if isinstance(inner, exp.Least):
        return ExtremeSide(None, _constant_end(choice, walk, inner, min, "upper"), sure)
    return ExtremeSide(None, None, sure)


def _constant_end(
    choice: Choice, walk: Walk, node: exp.Expression, best: Callable[[list[Fraction]], Fraction], end: str
) -> Fraction | None:
    """GREATEST(x, 0) is at least 0 even where nothing is known of x, or x is NULL."""
    constants = [walk(item) for item in (node.this, *node.expressions) if not item.find(exp.Column, exp.Parameter)]
    known = [alike(choice.fact.type, typed) for typed in constants if is_constant(typed)]
    held = [held_ends(choice.fact.engine, typed.fact.proved) for typed in known]
    ends = [interval.lower if end == "lower" else interval.upper for interval in held if interval is not None]
    return best(ends) if ends else None

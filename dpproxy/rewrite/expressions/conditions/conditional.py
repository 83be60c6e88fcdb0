"""Choices between values: CASE, COALESCE, NULLIF."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import reduce

from sqlglot import exp

from dpproxy.catalog.types import BIGINT, REAL, TEXT, TIMESTAMP, Family, SqlType
from dpproxy.rewrite.expressions.conditions.narrowing import RowsReached
from dpproxy.rewrite.expressions.conditions.written_conditions import conjuncts, excluded
from dpproxy.rewrite.expressions.constants.domains import union
from dpproxy.rewrite.expressions.constants.literals import constant, is_constant, is_null, value_of
from dpproxy.rewrite.expressions.facts import ranges
from dpproxy.rewrite.expressions.facts.fact import INTEGER_BITS, Fact, Interval, Typed
from dpproxy.rewrite.expressions.logic.connectives import condition
from dpproxy.rewrite.expressions.trees.build import cast, marked
from dpproxy.rewrite.expressions.trees.refusals import mismatch
from dpproxy.rewrite.expressions.types.calendars import at_midnight
from dpproxy.rewrite.expressions.types.carriers import common_carrier, compared, held_as, is_whole
from dpproxy.rewrite.expressions.types.operands import finer
from dpproxy.rewrite.expressions.types.promotion import alternatives_type, is_number, resolved
from dpproxy.rewrite.expressions.walk import Walk


@dataclass(frozen=True, slots=True)
class Choice:
    """Alternatives held alike, and what is known of whichever is chosen."""

    sqls: list[exp.Expression]
    operands: list[Typed]
    fact: Fact


def case(node: exp.Expression, walk: Walk) -> Typed:
    """CASE: each branch is read in the light of its condition and of those before it that failed."""
    conditions, values, reached = [], [], RowsReached(walk)
    for branch in node.args["ifs"]:
        when = _condition(node, branch)
        conditions.append(condition(when, reached.walked()))
        values.append(reached.where(conjuncts(when)).walked()(branch.args["true"]))
        reached = reached.where(excluded(when))
    default = node.args.get("default")
    last = reached.walked()(default) if default else _nothing(values[0])
    choice = chosen_from(node, [last, *values])
    if all(map(is_null, choice.operands)):
        return constant(None, choice.fact.type)
    ifs = [exp.If(this=when.sql, true=sql) for when, sql in zip(conditions, choice.sqls[1:], strict=True)]
    private = choice.fact.private or any(when.fact.private for when in conditions)
    sql = exp.Case(ifs=ifs, default=choice.sqls[0] if default else None)
    domain = union([*choice.operands[1:], choice.operands[0]])
    return Typed(sql, replace(choice.fact, domain=domain, private=private))


def coalesce(node: exp.Expression, walk: Walk) -> Typed:
    """COALESCE: the first value that is not NULL."""
    choice = chosen_from(node, [walk(item) for item in (node.this, *node.expressions)])
    nullable = all(operand.fact.nullable for operand in choice.operands)
    sql = exp.Coalesce(this=choice.sqls[0], expressions=choice.sqls[1:])
    return Typed(sql, replace(choice.fact, nullable=nullable))


def nullif(node: exp.Expression, walk: Walk) -> Typed:
    """NULLIF(x, y): x, or NULL where they are equal."""
    type_, operands = resolved(node, [walk(node.this), walk(node.expression)])
    kept, other = operands
    if type_ == TIMESTAMP != kept.fact.type:
        raise mismatch(node, kept.fact.type, other.fact.type)
    compared_type = _compared_type(type_, kept.fact.type, other.fact.type)
    if is_null(kept):
        return constant(None, compared_type)
    other = alike(type_, other)
    left, right = compared([kept, other])
    carrier = kept.fact.engine if left is kept.sql else (common_carrier([kept, other]) or kept.fact.engine)
    sql: exp.Expression = exp.Nullif(this=left, expression=right)
    domain = kept.fact.domain
    if domain is not None and is_constant(other):
        domain = tuple(value for value in domain if value != value_of(other))
    fact = replace(
        kept.fact,
        type=compared_type,
        interval=held_ends(carrier, kept.fact.interval),
        proved=held_ends(carrier, kept.fact.proved),
        domain=domain,
        nullable=True,
        private=kept.fact.private or other.fact.private,
        carrier=carrier,
    )
    return Typed(marked(cast(sql, carrier), carrier) if is_number(kept) else sql, fact)


def _compared_type(common: SqlType, kept: SqlType, other: SqlType) -> SqlType:
    """NULLIF is of the type in which its first value is compared."""
    if common.family is Family.TEXT:
        return TEXT
    integers = kept.family is other.family is Family.INTEGER
    return kept if integers or kept.family is Family.FLOAT else common


def chosen_from(node: exp.Expression, values: Sequence[Typed]) -> Choice:
    """The values as alternatives of one type, all held in one way."""
    type_, operands = resolved(node, values)
    type_ = alternatives_type(type_, operands)
    operands = [alike(type_, operand) for operand in operands]
    carrier = common_carrier(operands)
    sqls = [operand.sql if carrier is None else held_as(operand, carrier) for operand in operands]
    if carrier is None and _are_written_short(operands):
        sqls = [held_as(operand, BIGINT) if is_constant(operand) else operand.sql for operand in operands]
    return Choice(sqls, operands, _merged(type_, carrier, operands))


def _are_written_short(operands: Sequence[Typed]) -> bool:
    """Whether only constants are said to be bigints: an engine takes those for the integers that they look like."""
    there = [operand for operand in operands if not is_null(operand)]
    wide = [operand for operand in there if operand.fact.engine == BIGINT]
    return bool(wide) and all(map(is_constant, wide)) and all(is_whole(operand.fact) for operand in there)


def alike(type_: SqlType, operand: Typed) -> Typed:
    """A date among timestamps as a timestamp."""
    return at_midnight(operand) if type_.family is Family.TIMESTAMP and not is_null(operand) else operand


def held_ends(carrier: SqlType | None, interval: Interval | None) -> Interval | None:
    """Bounds of a number once it is held as `carrier`."""
    if carrier is None or carrier.family is not Family.FLOAT:
        return interval
    return ranges.outward_real(interval) if carrier == REAL else ranges.outward(interval)


def _merged(type_: SqlType, carrier: SqlType | None, operands: Sequence[Typed]) -> Fact:
    present = [operand.fact for operand in operands if not is_null(operand)]
    return Fact(
        type=type_,
        interval=ranges.hull(held_ends(carrier, fact.interval) for fact in present),
        proved=ranges.hull(held_ends(carrier, fact.proved) for fact in present),
        domain=union(operands),
        nullable=any(operand.fact.nullable for operand in operands),
        private=any(operand.fact.private for operand in operands),
        step=_common_step(present),
        carrier=carrier or _widest(present),
    )


def _widest(facts: Sequence[Fact]) -> SqlType | None:
    """Integers side by side are held in the largest of their types."""
    if not facts or not all(is_whole(fact) for fact in facts):
        return None
    return max((fact.engine for fact in facts), key=lambda type_: INTEGER_BITS[type_.name])


def _common_step(facts: Sequence[Fact]) -> Decimal | None:
    """The coarsest grid that holds all alternatives; 0 lies on every grid."""
    zero = Interval(Fraction(0), Fraction(0))
    known = [fact.step for fact in facts if fact.interval != zero]
    steps = [step for step in known if step is not None]
    if len(steps) < len(known):
        return None
    return reduce(finer, steps) if steps else (facts[0].step if facts else None)


def _condition(node: exp.Expression, branch: exp.Expression) -> exp.Expression:
    if node.this is None:
        when: exp.Expression = branch.this
        return when
    return exp.EQ(this=node.this.copy(), expression=branch.this.copy())


def _nothing(like: Typed) -> Typed:
    """The NULL of a CASE without ELSE."""
    fact = replace(like.fact, interval=None, proved=None, domain=(), nullable=True, private=False)
    return Typed(exp.Null(), fact)

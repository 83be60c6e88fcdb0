"""Conditions of which no row meets two: `x = 'a'` and `x = 'b'`, `day < d` and `day >= d`, `c` and `NOT c`.

It is found in the conditions alone, whatever the policy believes of columns. Not all such are found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final

from sqlglot import exp

from dpproxy.catalog.types import Family
from dpproxy.rewrite.expressions.conditions.narrowing import Knowledge, Subject, said_by
from dpproxy.rewrite.expressions.conditions.written_conditions import conjuncts
from dpproxy.rewrite.expressions.facts.fact import Scope, Typed
from dpproxy.rewrite.expressions.facts.known import KnownValue
from dpproxy.rewrite.expressions.walk import Walk

_APART: Final[Mapping[type[exp.Expr], tuple[type[exp.Expr], ...]]] = {
    exp.LT: (exp.GTE, exp.GT, exp.EQ),
    exp.GT: (exp.LTE, exp.LT, exp.EQ),
    exp.LTE: (exp.GT,),
    exp.GTE: (exp.LT,),
    exp.EQ: (exp.NEQ, exp.LT, exp.GT),
    exp.NEQ: (exp.EQ,),
}
"""Which comparisons of the same two are not true where one is."""


def are_exclusive(conditions: Sequence[exp.Expression], walk: Walk) -> bool:
    """Claim: if it says so, no two of the conditions are true of one row, whatever is in it.

    Because: of each two, one has a part that is true only where a part of the other is not; or what both say of some
    value leaves it none. Checked by: tests/test_exclusive.py.
    """
    said = [(conjuncts(each), known) for each, known in zip(conditions, _said(conditions, walk), strict=True)]
    return all(
        any(_apart(left, right) for left in one for right in other) or _leave_nothing(first, second)
        for (one, first), (other, second) in combinations(said, 2)
    )


def known_values(conditions: Sequence[exp.Expression], walk: Walk) -> list[int] | None:
    """How many of its known values each of the conditions leaves one expression, the same of all; None where they are
    not about one expression whose values are known, from the policy or as those of a part of a date are."""
    said = _said(conditions, walk)
    for subject in said[0]:
        told = [each[subject] for each in said if subject in each]
        if len(told) == len(said) and (left := _left(subject, told, walk)) is not None:
            return left
    return None


def _left(subject: Subject, told: Sequence[KnownValue], walk: Walk) -> list[int] | None:
    fact = walk.scope[subject].fact if isinstance(subject, tuple) else walk(subject).fact
    if fact.type.family is Family.BOOLEAN:
        return None
    if fact.domain is not None:
        return [sum(map(each.admits, fact.domain)) for each in told]
    named = [each.values for each in told if each.values is not None]
    return [len(each) for each in named] if isinstance(subject, exp.Extract) and len(named) == len(told) else None


def _said(conditions: Sequence[exp.Expression], walk: Walk) -> list[Knowledge]:
    """What each says of values, whatever the policy does."""
    alone = walk.within(_unbelieved(walk.scope))
    return [said_by([each], alone) for each in conditions]


def _unbelieved(scope: Scope) -> dict[tuple[str, str], Typed]:
    """The same columns, of whose values nothing is believed."""
    return {name: replace(each, fact=replace(each.fact, interval=None, domain=None)) for name, each in scope.items()}


def _apart(one: exp.Expression, other: exp.Expression) -> bool:
    """Whether two parts are never true together, by how they are written."""
    if _denied(one) == other or _denied(other) == one:
        return True
    same = (one.this, one.args.get("expression")) == (other.this, other.args.get("expression"))
    return same and type(other) in _APART.get(type(one), ())


def _denied(part: exp.Expression) -> exp.Expr | None:
    """What stands after NOT."""
    return part.this.unnest() if type(part) is exp.Not else None


def _leave_nothing(one: Knowledge, other: Knowledge) -> bool:
    return any(one[subject].met(other[subject]).is_impossible for subject in one if subject in other)

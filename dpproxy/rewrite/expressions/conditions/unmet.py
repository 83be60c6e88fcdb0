"""Conditions that no row meets if the policy is right: `sex = 'X'` where F and M are declared.

Claim: it depends on no data. Because: it is read from the statement and from what the policy says.
Checked by: tests/test_unmet.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from fractions import Fraction
from typing import Final

from sqlglot import exp

from dpproxy.catalog.types import Family
from dpproxy.mechanisms.shown import shown
from dpproxy.rewrite.expressions.conditions.narrowing import said_by
from dpproxy.rewrite.expressions.facts.fact import EPOCH, Fact
from dpproxy.rewrite.expressions.types.promotion import NUMBERS
from dpproxy.rewrite.expressions.walk import Walk

_VALUES: Final = 8


def unmet(conditions: Sequence[exp.Expression], walk: Walk) -> Iterator[str]:
    """The words for each private column of which the conditions, all true, leave nothing that the policy says."""
    for name, known in said_by(conditions, walk).items():
        if isinstance(name, tuple) and (fact := walk.scope[name].fact).private and known.excludes(fact):
            yield f"by the policy no row meets the condition on {name[1]}{_said(fact)}"


def _said(fact: Fact) -> str:
    if fact.domain is not None:
        more = ", …" if len(fact.domain) > _VALUES else ""
        return f": its values are {', '.join(map(str, fact.domain[:_VALUES]))}{more}"
    if fact.interval is None or fact.type.family not in (*NUMBERS, Family.DATE):
        return ", by its bounds"
    lower, upper = (_end(fact, each) for each in (fact.interval.lower, fact.interval.upper))
    return f": its bounds are {lower} and {upper}"


def _end(fact: Fact, number: Fraction) -> str:
    if fact.type.family is Family.DATE:
        return str(EPOCH + timedelta(days=int(number)))
    return shown(float(number))

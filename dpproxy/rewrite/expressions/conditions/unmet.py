"""Conditions that no row meets if the policy is right: `sex = 'X'` where F and M are declared.

Claim: it depends on no data. Because: it is read from the statement and from what the policy says.
Checked by: tests/test_unmet.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from fractions import Fraction
from typing import Final

from dpproxy.catalog.types import Family
from dpproxy.mechanisms.shown import shown
from dpproxy.rewrite.expressions.conditions.narrowing import Knowledge
from dpproxy.rewrite.expressions.facts.fact import EPOCH, Fact, Scope
from dpproxy.rewrite.expressions.types.promotion import NUMBERS

_VALUES: Final = 8


def unmet(said: Knowledge, scope: Scope) -> Iterator[str]:
    """The words for each private column of which what is said by conditions, all true, leaves nothing that the policy
    says in `scope`."""
    for name, known in said.items():
        if isinstance(name, tuple) and (fact := scope[name].fact).private and known.excludes(fact):
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

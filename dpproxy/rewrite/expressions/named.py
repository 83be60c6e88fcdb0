"""Functions that the parser knows no node for, by their names."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from dpproxy.rewrite.expressions import ages, clocks, made_dates
from dpproxy.rewrite.expressions.fact import Typed
from dpproxy.rewrite.expressions.refusals import unsupported
from dpproxy.rewrite.expressions.walk import Rule, Walk

_NAMED: Mapping[str, Rule] = {
    "age": ages.age,
    "make_date": made_dates.make_date,
    "transaction_timestamp": clocks.now,
}


def named(node: exp.Expression, walk: Walk) -> Typed:
    """The function of that name. Raises FeatureNotSupported where there is no rule for it."""
    rule = _NAMED.get(str(node.this).lower())
    if rule is None:
        raise unsupported(node)
    return rule(node, walk)

"""Intervals of time. What analysts may write, a row each."""

from __future__ import annotations

from sqlglot import exp

from dpproxy.rewrite.expressions.function import Function, Own
from dpproxy.rewrite.expressions.intervals import scaling

FUNCTIONS = (
    Function(
        kind=exp.Interval,
        names=("INTERVAL",),
        signatures=("→ interval",),
        rule=scaling.literal,
        arguments="this unit fraction_in_string",
        makes={exp.Interval: Own()},
        examples=("joined + interval '1 month'",),
    ),
    Function(
        kind=exp.MakeInterval,
        names=("make_interval",),
        signatures=("integer … → interval",),
        rule=scaling.made,
        arguments="year month week day hour minute second",
        examples=("joined + make_interval(days => 3)",),
    ),
)

"""Casts. What analysts may write, a row each."""

from __future__ import annotations

from sqlglot import exp

from dpproxy.rewrite.expressions.casts import casts
from dpproxy.rewrite.expressions.function import Function, Own

FUNCTIONS = (
    Function(
        kind=exp.Cast,
        names=("CAST", "::"),
        signatures=("any → any",),
        rule=casts.conversion,
        arguments="this to",
        makes={exp.Cast: Own()},
        examples=("age::text", "CAST(city AS integer)"),
        note="what cannot be cast: NULL",
    ),
)

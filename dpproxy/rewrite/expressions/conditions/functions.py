"""Choices between values. What analysts may write, a row each."""

from __future__ import annotations

from sqlglot import exp

from dpproxy.rewrite.expressions.conditions import conditional, extremes
from dpproxy.rewrite.expressions.function import Function, Own

FUNCTIONS = (
    Function(
        kind=exp.Case,
        names=("CASE",),
        signatures=("boolean, any … → any",),
        rule=conditional.case,
        arguments="this ifs default",
        makes={exp.Case: Own()},
        examples=("CASE WHEN age < 18 THEN 'child' ELSE 'adult' END",),
    ),
    Function(
        kind=exp.Coalesce,
        names=("coalesce",),
        signatures=("any … → any",),
        rule=conditional.coalesce,
        arguments="this expressions",
        makes={exp.Coalesce: Own()},
        examples=("coalesce(income, 0)",),
    ),
    Function(
        kind=exp.Nullif,
        names=("nullif",),
        signatures=("any, any → any",),
        rule=conditional.nullif,
        arguments="this expression",
        makes={exp.Nullif: Own()},
        examples=("nullif(age, 0)",),
    ),
    Function(
        kind=exp.Greatest,
        names=("greatest",),
        signatures=("any … → any",),
        rule=extremes.greatest,
        arguments="this expressions ignore_nulls",
        makes={exp.Greatest: Own()},
        examples=("greatest(age, 18)",),
        note="with `least`: how to clip",
    ),
    Function(
        kind=exp.Least,
        names=("least",),
        signatures=("any … → any",),
        rule=extremes.least,
        arguments="this expressions ignore_nulls",
        makes={exp.Least: Own()},
        examples=("least(greatest(age, 18), 65)",),
    ),
)

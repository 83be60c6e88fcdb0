"""Which rule makes which kind of node total. What is not in the table is refused."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from dpproxy.rewrite.expressions import (
    arithmetic,
    columns,
    comparison,
    dates,
    division,
    literals,
    logic,
)
from dpproxy.rewrite.expressions.walk import Entry, Rule


def _entry(rule: Rule, *arguments: str) -> Entry:
    return Entry(rule, frozenset(arguments))


def _binary(rule: Rule, *more: str) -> Entry:
    return _entry(rule, "this", "expression", *more)


RULES: Mapping[type[exp.Expression], Entry] = {
    exp.Column: _entry(columns.column, "this", "table", "db", "catalog"),
    exp.Parameter: _entry(columns.parameter, "this"),
    exp.Paren: _entry(columns.parenthesis, "this"),
    exp.Literal: _entry(literals.literal, "this", "is_string"),
    exp.Boolean: _entry(literals.boolean, "this"),
    exp.Null: _entry(literals.null),
    exp.Add: _binary(arithmetic.add),
    exp.Sub: _binary(arithmetic.subtract),
    exp.Mul: _binary(arithmetic.multiply),
    exp.Neg: _entry(arithmetic.negate, "this"),
    exp.Div: _binary(division.divide, "typed", "safe"),
    exp.Mod: _binary(division.modulo),
    exp.EQ: _binary(comparison.comparison),
    exp.NEQ: _binary(comparison.comparison),
    exp.LT: _binary(comparison.comparison),
    exp.LTE: _binary(comparison.comparison),
    exp.GT: _binary(comparison.comparison),
    exp.GTE: _binary(comparison.comparison),
    exp.NullSafeEQ: _binary(comparison.distinct_from),
    exp.NullSafeNEQ: _binary(comparison.distinct_from),
    exp.Between: _entry(comparison.between, "this", "low", "high"),
    exp.In: _entry(comparison.membership, "this", "expressions"),
    exp.And: _binary(logic.connective),
    exp.Or: _binary(logic.connective),
    exp.Not: _entry(logic.negation, "this"),
    exp.Is: _binary(logic.test),
    exp.Extract: _binary(dates.extract),
    exp.TimestampTrunc: _entry(dates.truncate, "this", "unit"),
}

"""Which rule makes which kind of node total. What is not in the table is refused."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from dpproxy.rewrite.expressions import (
    arithmetic,
    casts,
    columns,
    comparison,
    conditional,
    dates,
    division,
    extremes,
    literals,
    logic,
    numbers,
    patterns,
    rounding,
    texts,
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
    exp.Is: _binary(logic.test, "negate"),
    exp.Extract: _binary(dates.extract),
    exp.TimestampTrunc: _entry(dates.truncate, "this", "unit"),
    exp.Case: _entry(conditional.case, "this", "ifs", "default"),
    exp.Coalesce: _entry(conditional.coalesce, "this", "expressions"),
    exp.Nullif: _binary(conditional.nullif),
    exp.Greatest: _entry(extremes.greatest, "this", "expressions", "ignore_nulls"),
    exp.Least: _entry(extremes.least, "this", "expressions", "ignore_nulls"),
    exp.Cast: _entry(casts.conversion, "this", "to"),
    exp.Abs: _entry(rounding.absolute, "this"),
    exp.Round: _entry(rounding.rounding, "this", "decimals"),
    exp.Trunc: _entry(rounding.rounding, "this", "decimals"),
    exp.Floor: _entry(rounding.rounding, "this"),
    exp.Ceil: _entry(rounding.rounding, "this"),
    exp.Sign: _entry(numbers.sign, "this"),
    exp.Pow: _binary(numbers.power),
    exp.Sqrt: _entry(numbers.square_root, "this"),
    exp.Ln: _entry(numbers.logarithm, "this"),
    exp.Log: _entry(numbers.logarithm, "this"),
    exp.Exp: _entry(numbers.exponential, "this"),
    exp.Lower: _entry(texts.change_case, "this"),
    exp.Upper: _entry(texts.change_case, "this"),
    exp.Trim: _entry(texts.trim, "this", "expression", "position"),
    exp.Substring: _entry(texts.part, "this", "start", "length"),
    exp.Left: _binary(texts.end_part),
    exp.Right: _binary(texts.end_part),
    exp.Length: _entry(texts.length, "this"),
    exp.StrPosition: _entry(texts.search, "this", "substr"),
    exp.StartsWith: _binary(texts.starts),
    exp.Replace: _binary(texts.substitute, "replacement"),
    exp.DPipe: _binary(texts.concatenation, "safe"),
    exp.Concat: _entry(texts.concat, "expressions", "safe", "coalesce"),
    exp.Like: _binary(patterns.like, "negate"),
    exp.ILike: _binary(patterns.like, "negate"),
    exp.Escape: _binary(patterns.escaped),
}

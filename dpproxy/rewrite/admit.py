"""The allow-list of what a statement over private tables may be made of.

Expressions over private rows have a narrower list of their own (`expressions`); this one holds for the whole tree, the
parts that the front will run over released rows included. What is not listed is refused, never passed.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from dpproxy.errors import FeatureNotSupported
from dpproxy.rewrite.expressions.position import position

_STRUCTURE = (
    exp.Select, exp.From, exp.Join, exp.Where, exp.Group, exp.Having, exp.Order, exp.Ordered, exp.Limit, exp.Offset,
    exp.Fetch, exp.LimitOptions, exp.With, exp.CTE, exp.Subquery, exp.Table, exp.TableAlias, exp.Alias, exp.Column, exp.Identifier,
    exp.Star, exp.Tuple, exp.Paren, exp.Distinct, exp.Union, exp.Intersect, exp.Except, exp.Window, exp.WindowSpec,
    exp.Filter, exp.Var, exp.Exists,
)  # fmt: skip
_VALUES = (
    exp.Literal, exp.Null, exp.Boolean, exp.Parameter, exp.Cast, exp.DataType, exp.DataTypeParam, exp.Interval,
)  # fmt: skip
_OPERATORS = (
    exp.And, exp.Or, exp.Not, exp.Neg, exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Is, exp.NullSafeEQ,
    exp.NullSafeNEQ, exp.Between, exp.In, exp.Like, exp.ILike, exp.Escape, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod,
    exp.Pow, exp.DPipe, exp.Case, exp.If, exp.Coalesce, exp.Nullif, exp.Greatest, exp.Least,
)  # fmt: skip
_FUNCTIONS = (
    exp.Abs, exp.Round, exp.Floor, exp.Ceil, exp.Trunc, exp.Sign, exp.Sqrt, exp.Ln, exp.Log, exp.Exp,
    exp.Lower, exp.Upper, exp.Trim, exp.Length, exp.Substring, exp.Left, exp.Right, exp.Concat, exp.ConcatWs, exp.Replace,
    exp.StrPosition, exp.StartsWith, exp.Initcap, exp.ToChar, exp.TimeToStr, exp.Extract, exp.TimestampTrunc, exp.DateTrunc,
    exp.CurrentDate, exp.CurrentTimestamp, exp.RowNumber, exp.Rank, exp.DenseRank, exp.Lag, exp.Lead, exp.FirstValue,
    exp.LastValue, exp.NthValue, exp.Ntile, exp.PercentRank, exp.CumeDist, exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max,
    exp.Pad, exp.WidthBucket, exp.CurrentTime,
)  # fmt: skip
_ADMITTED = frozenset(_STRUCTURE + _VALUES + _OPERATORS + _FUNCTIONS)

_NAMED = frozenset(
    "to_char date_part position strpos btrim ltrim rtrim lpad rpad format quote_literal mod power ceiling trunc "
    "starts_with make_date age now char_length character_length octet_length reverse width_bucket".split()
)  # fmt: skip

_INSTEAD: Mapping[type[exp.Expression], str] = {
    exp.Lateral: "Join tables, subqueries and CTEs without LATERAL.",
    exp.ArrayAgg: "Use COUNT, SUM or AVG with GROUP BY.",
    exp.GroupConcat: "Use COUNT, SUM or AVG with GROUP BY.",
    exp.WithinGroup: "Use AVG, or COUNT grouped by ranges of the value.",
    exp.RegexpLike: "Use LIKE.",
    exp.SimilarTo: "Use LIKE.",
}


def admit(tree: exp.Query) -> exp.Query:
    """The same tree, if every node of it is on the list. Raises FeatureNotSupported naming the first that is not.

    Claim: no node outside `_ADMITTED` reaches a later pass. Because: every node is looked up by its exact class.
    Checked by: tests/test_fixtures.py (refuse/).
    """
    for node in tree.walk():
        kind = type(node)
        if kind is exp.Anonymous:
            _admit_named(node)
        elif kind not in _ADMITTED:
            raise _refusal(node)
    return tree


def _admit_named(node: exp.Expression) -> None:
    if str(node.name).lower() not in _NAMED:
        raise FeatureNotSupported(
            f"function {str(node.name).lower()}() is not supported in a statement over private tables",
            hint="Keep the private answer in a table of your own and apply the function there.",
            position=position(node),
        )


def _refusal(node: exp.Expression) -> FeatureNotSupported:
    name = node.sql_name().lower() + "()" if isinstance(node, exp.Func) else type(node).__name__.upper()
    return FeatureNotSupported(
        f"{name} is not supported in a statement over private tables",
        hint=_INSTEAD.get(type(node), "Leave it out, or apply it to a released table of your own."),
        position=position(node),
    )

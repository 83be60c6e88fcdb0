"""The allow-list of bounded SQL: exact classes of nodes, and the arguments that each may carry.

What stands in no table is refused, and so is an argument that is not named: there is no other way down the tree. Where
a node may stand is up to who reads it: expressions are made of VALUES alone, unless their reader says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlglot import exp, parse
from sqlglot.errors import SqlglotError

from dpproxy.rewrite.checker.fault import CheckFault, require

Listed = Mapping[type[exp.Expr], frozenset[str]]


def _listed(table: Mapping[str, tuple[type[exp.Expr], ...]]) -> dict[type[exp.Expr], frozenset[str]]:
    return {kind: frozenset(names.split()) for names, kinds in table.items() for kind in kinds}


STRUCTURE: Listed = _listed(
    {
        "expressions from_ joins where group having distinct order limit offset": (exp.Select,),
        "this expression distinct": (exp.Union, exp.Intersect, exp.Except),
        "this": (exp.From, exp.Where, exp.Having, exp.Exists, exp.Explode),
        "this columns": (exp.TableAlias,),
        "expressions alias": (exp.Values,),
        "expression": (exp.Limit, exp.Offset),
        "this on kind side": (exp.Join,),
        "this alias": (exp.Subquery, exp.Alias),
        "this db alias": (exp.Table,),
        "this desc nulls_first": (exp.Ordered,),
        "expressions": (exp.Group, exp.Order, exp.Distinct, exp.Tuple),
        "": (exp.Star,),
    }
)
AGGREGATES: Listed = _listed(
    {
        "this": (exp.Sum, exp.Avg, exp.Min, exp.Max, exp.LogicalAnd, exp.LogicalOr),
        "this big_int": (exp.Count,),
    }
)
WINDOWS: Listed = _listed(
    {
        "this partition_by order spec over": (exp.Window,),
        "kind start start_side end end_side": (exp.WindowSpec,),
        "": (exp.RowNumber, exp.Rank, exp.DenseRank, exp.PercentRank, exp.CumeDist),
        "this": (exp.Ntile, exp.FirstValue, exp.LastValue),
        "this offset": (exp.NthValue,),
        "this offset default": (exp.Lag, exp.Lead),
    }
)
PARAMETERS: Listed = _listed({"this": (exp.Placeholder, exp.Parameter)})
VALUES: Listed = _listed(
    {
        "": (exp.Null,),
        "this": (
            exp.Boolean, exp.Paren, exp.Neg, exp.Not, exp.Var, exp.DataTypeParam, exp.Abs, exp.Floor, exp.Ceil,
            exp.Sign, exp.Sqrt, exp.Ln, exp.Exp, exp.MD5, exp.Lower, exp.Upper, exp.Reverse, exp.Initcap, exp.IsNan,
            exp.Ascii, exp.Cbrt,
        ),
        "this quoted": (exp.Identifier,),
        "this table": (exp.Column,),
        "this is_string": (exp.Literal,),
        "this expression": (
            exp.And, exp.Or, exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.NullSafeNEQ,
            exp.Escape, exp.Nullif, exp.Add, exp.Sub, exp.Mul, exp.IntDiv, exp.Mod, exp.Pow,
            exp.Log, exp.Left, exp.Right, exp.StartsWith, exp.Extract, exp.RegexpLike, exp.Collate,
        ),
        "this expression typed safe": (exp.Div,),
        "this expression safe": (exp.DPipe,),
        "this expression negate": (exp.Is, exp.Like, exp.ILike),
        "this expressions": (exp.In,),
        "this low high": (exp.Between,),
        "this ifs default": (exp.Case,),
        "this true": (exp.If,),
        "this expressions ignore_nulls": (exp.Least, exp.Greatest),
        "this expressions is_nvl": (exp.Coalesce,),
        "this to safe": (exp.Cast, exp.TryCast),
        "this expressions ": (exp.Anonymous,),
        "this zone": (exp.AtTimeZone,),
        "this expressions nested": (exp.DataType,),
        "this unit": (exp.Interval,),
        "this expression unit date_part_boundary": (exp.DateDiff,),
        "this format": (exp.TimeToStr,),
        "this unit input_type_preserved": (exp.TimestampTrunc, exp.DateTrunc),
        "this decimals": (exp.Round, exp.Trunc),
        "this substr": (exp.StrPosition,),
        "this start length": (exp.Substring,),
        "this expression position": (exp.Trim,),
        "this expression replacement": (exp.Replace,),
        "this expression fill_pattern is_left": (exp.Pad,),
        "this binary encoding": (exp.Length,),
        "expressions charset": (exp.Chr,),
        "expressions safe coalesce": (exp.Concat, exp.ConcatWs),
        "this times": (exp.Repeat,),
        "this from_ to": (exp.Translate,),
        "this delimiter part_index": (exp.SplitPart,),
        "this expression replacement modifiers single_replace": (exp.RegexpReplace,),
    }
)  # fmt: skip
FUNCTIONS = frozenset({"FLOAT8LARGER", "FLOAT8SMALLER", "OCTET_LENGTH"})
_TYPE = exp.DataType.Type
TYPES = frozenset(
    {
        *(_TYPE.SMALLINT, _TYPE.INT, _TYPE.BIGINT, _TYPE.INT128, _TYPE.DECIMAL, _TYPE.FLOAT, _TYPE.DOUBLE),
        *(_TYPE.TEXT, _TYPE.VARCHAR, _TYPE.BOOLEAN, _TYPE.DATE, _TYPE.TIMESTAMP, _TYPE.TIMESTAMPNTZ, _TYPE.UUID),
    }
)
QUERIES = (exp.Exists, exp.Subquery)
_ALL: Listed = {**STRUCTURE, **AGGREGATES, **WINDOWS, **PARAMETERS, **VALUES}


def parsed(sql: str, dialect: str) -> exp.Select:
    """The tree of the one SELECT that `sql` is, every node of it on the list.

    Raises CheckFault for anything else: a second statement, a comment, a node or an argument that is not listed.
    """
    try:
        trees = parse(sql, read=dialect)
    except (SqlglotError, RecursionError) as fault:
        raise CheckFault(f"the text does not parse: {type(fault).__name__}") from None
    require(len(trees) == 1, "the text is not one statement")
    tree = trees[0]
    if type(tree) is not exp.Select:
        raise CheckFault("the text is not a SELECT")
    for node in tree.walk():
        _admit(node)
    return tree


def _admit(node: exp.Expr) -> None:
    allowed = _ALL.get(type(node))
    if allowed is None or node.comments:
        raise CheckFault(f"{type(node).__name__} is not on the list")
    for name, value in node.args.items():
        if value and name not in allowed:
            raise CheckFault(f"{type(node).__name__} with {name} is not on the list")
    if type(node) is exp.DataType:
        require(node.this in TYPES or _is_array(node), f"type {node.this} is not on the list")
    if type(node) is exp.Anonymous:
        require(node.this in FUNCTIONS, f"function {node.name} is not on the list")
    if type(node) is exp.TableAlias:
        require(not node.columns or type(node.parent) is exp.Values, "columns with other names")
    if type(node) in PARAMETERS:
        require(_is_released(node.parent), "a parameter that is no array of a release")


def _is_array(node: exp.Expr) -> bool:
    """Whether the type is that of an array of a release, as a cast of its parameter names it."""
    return node.this is _TYPE.ARRAY and _is_released(node.parent)


def _is_released(node: exp.Expr | None) -> bool:
    """Whether the node is the cast in UNNEST(CAST($name AS type[]))."""
    return type(node) is exp.Cast and type(node.this) in PARAMETERS and type(node.parent) is exp.Explode


def columns_of(node: exp.Expr) -> Iterator[exp.Column]:
    """The columns that an expression reads. Raises CheckFault where a node of it is no plain value."""
    for part in node.walk():
        if type(part) not in VALUES:
            raise CheckFault(f"{type(part).__name__} inside an expression")
        if type(part) is exp.Column:
            yield part

"""What engines call the types, operators and functions that the checker's tree has classes for.

CALLS say in which order an engine is given the arguments: those of functions are what the checker's table claims, and
what the engine's own parser confirms. A class that is not named for a dialect has no text there.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from dpproxy.rewrite.checker.function import ProvedFunction
from dpproxy.rewrite.checker.functions import FUNCTIONS

_T = exp.DataType.Type
TYPES: Mapping[str, Mapping[object, str]] = {
    "postgres": {
        _T.VARBINARY: "bytea",
        _T.SMALLINT: "int2",
        _T.INT: "int4",
        _T.BIGINT: "int8",
        _T.DECIMAL: "numeric",
        _T.FLOAT: "float4",
        _T.DOUBLE: "float8",
        _T.TEXT: "text",
        _T.VARCHAR: "varchar",
        _T.BOOLEAN: "bool",
        _T.DATE: "date",
        _T.TIMESTAMP: "timestamp",
        _T.TIMESTAMPNTZ: "timestamp",
        _T.UUID: "uuid",
    },
    "duckdb": {
        _T.SMALLINT: "SMALLINT",
        _T.INT: "INTEGER",
        _T.BIGINT: "BIGINT",
        _T.INT128: "HUGEINT",
        _T.DECIMAL: "DECIMAL",
        _T.FLOAT: "FLOAT",
        _T.DOUBLE: "DOUBLE",
        _T.TEXT: "VARCHAR",
        _T.VARCHAR: "VARCHAR",
        _T.BOOLEAN: "BOOLEAN",
        _T.DATE: "DATE",
        _T.TIMESTAMP: "TIMESTAMP",
        _T.TIMESTAMPNTZ: "TIMESTAMP",
        _T.UUID: "UUID",
    },
}

# What sqlglot notes of the dialect, and not of the text.
FLAGS: Mapping[type[exp.Expr], tuple[str, ...]] = {
    exp.Div: ("typed", "safe"),
    exp.DPipe: ("safe",),
    exp.Cast: ("safe",),
    exp.TryCast: ("safe",),
    exp.Count: ("big_int",),
    exp.Initcap: ("expression",),
    exp.Least: ("ignore_nulls",),
    exp.Greatest: ("ignore_nulls",),
    exp.Concat: ("safe", "coalesce"),
    exp.ConcatWs: ("safe", "coalesce"),
    exp.RegexpReplace: ("single_replace",),
    exp.DateDiff: ("date_part_boundary",),
    exp.TimestampTrunc: ("input_type_preserved",),
    exp.DateTrunc: ("input_type_preserved",),
}
# Arguments that the checker's table admits, and no call has.
_NOTED: Mapping[type[exp.Expr], tuple[str, ...]] = {
    exp.Length: ("binary", "encoding"),
    exp.Chr: ("charset",),
    exp.Coalesce: ("is_nvl",),
}

_COMPARISONS: Mapping[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.NullSafeEQ: "is not distinct from",
    exp.NullSafeNEQ: "is distinct from",
}
_ARITHMETIC: Mapping[type[exp.Expr], str] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Mod: "%",
    exp.DPipe: "||",
}
OPERATORS: Mapping[str, Mapping[type[exp.Expr], str]] = {
    "postgres": {**_COMPARISONS, **_ARITHMETIC, exp.RegexpLike: "~"},
    "duckdb": {
        **_COMPARISONS,
        **_ARITHMETIC,
        exp.IntDiv: "//",
        exp.BitwiseAnd: "&",
        exp.BitwiseRightShift: ">>",
    },
}

Call = tuple[str, tuple[str, ...]]
_ONE, _TWO = ("this",), ("this", "expression")


def written(function: ProvedFunction) -> tuple[str, ...]:
    """The arguments of a call, in their order: without what sqlglot notes beside them."""
    flags = FLAGS.get(function.kind, ()) + _NOTED.get(function.kind, ())
    return tuple(part for part in function.parts if part not in flags)


_COMMON: Mapping[type[exp.Expr], Call] = {
    **{kind: (each.name, written(each)) for kind, each in FUNCTIONS.items() if each.name},
    exp.Sum: ("sum", _ONE),
    exp.Avg: ("avg", _ONE),
    exp.Min: ("min", _ONE),
    exp.Max: ("max", _ONE),
    exp.LogicalAnd: ("bool_and", _ONE),
    exp.LogicalOr: ("bool_or", _ONE),
    exp.RowNumber: ("row_number", ()),
    exp.Rank: ("rank", ()),
    exp.DenseRank: ("dense_rank", ()),
    exp.PercentRank: ("percent_rank", ()),
    exp.CumeDist: ("cume_dist", ()),
    exp.Ntile: ("ntile", _ONE),
    exp.FirstValue: ("first_value", _ONE),
    exp.LastValue: ("last_value", _ONE),
    exp.NthValue: ("nth_value", ("this", "offset")),
    exp.Lag: ("lag", ("this", "offset", "default")),
    exp.Lead: ("lead", ("this", "offset", "default")),
    exp.Explode: ("unnest", _ONE),
}
CALLS: Mapping[str, Mapping[type[exp.Expr], Call]] = {
    "postgres": {
        **_COMMON,
        exp.Extract: ("extract", _TWO),
    },
    "duckdb": {
        **_COMMON,
        exp.Extract: ("date_part", _TWO),
        exp.RegexpLike: ("regexp_matches", _TWO),
        exp.DateDiff: ("date_diff", ("unit", "expression", "this")),
    },
}

# Patterns of to_char(), of which sqlglot makes those of strftime().
PATTERNS: Mapping[str, str] = {
    "%Y": "YYYY",
    "%y": "YY",
    "%G": "IYYY",
    "%V": "IW",
    "%j": "DDD",
    "%m": "MM",
    "%-m": "FMMM",
    "%d": "DD",
    "%-d": "FMDD",
    "%H": "HH24",
    "%-H": "FMHH24",
    "%M": "MI",
    "%S": "SS",
    "%f": "US",
}

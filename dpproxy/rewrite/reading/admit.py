"""The allow-list of what a statement over private tables may be made of.

Functions and operators are those of the table (`expressions.table`), and what the front alone will run over released
rows: this list holds for the whole tree. What is not listed is refused, never passed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from sqlglot import exp

from dpproxy.errors import FeatureNotSupported
from dpproxy.remembered import remembered
from dpproxy.rewrite.expressions.table import FUNCTIONS
from dpproxy.rewrite.expressions.trees.nodes import nodes_of
from dpproxy.rewrite.expressions.trees.position import position
from dpproxy.rewrite.reading.error_bars import BARS
from dpproxy.rewrite.reading.label import written_name
from dpproxy.rewrite.reading.object_keys import OBJECTS, check_object_keys

_STRUCTURE = """
    Select From Join Where Group Having Order Ordered Limit Offset Fetch LimitOptions With CTE Subquery Table
    TableAlias Alias Column Identifier Star Tuple Paren Distinct Union Intersect Except Window WindowSpec Filter
    Var Exists Any All Lateral TableSample GroupingSets Rollup Cube Grouping Values Unnest ExplodingGenerateSeries
"""
_VALUES = """
    Literal Null Boolean Parameter Cast DataType DataTypeParam Interval Array
"""
# What the front alone evaluates, over released rows: no row of a table of private ones comes to it.
_RELEASED = """
    Any All Array ToChar DateTrunc CurrentTime Kwarg RowNumber Rank DenseRank Lag Lead FirstValue LastValue NthValue
    Ntile PercentRank CumeDist Count Sum Avg Min Max If ArrayToString ArraySize ArrayPosition Bracket Slice Format
"""
_AGGREGATES = """
    Variance VariancePop Stddev StddevPop StddevSamp CovarPop CovarSamp Corr RegrSlope RegrIntercept RegrR2 RegrCount
    RegrAvgx RegrAvgy RegrSxx RegrSyy RegrSxy LogicalAnd LogicalOr GroupConcat ArrayAgg JSONArrayAgg AnonymousAggFunc
    JSONObjectAgg JSONBObjectAgg WithinGroup PercentileCont PercentileDisc Median Mode
"""
_ADMITTED = frozenset(
    {getattr(exp, name) for name in f"{_STRUCTURE} {_VALUES} {_RELEASED} {_AGGREGATES}".split()}
    | {each.kind for each in FUNCTIONS if each.kind is not exp.Anonymous}
)

# Functions without a node, of the table; and of the front, over released rows.
_CALLS = frozenset(
    {
        *(name for each in FUNCTIONS for name in each.names if name.islower()),
        *BARS,
        *("quote_literal", "octet_length", "all", "some", "any", "cardinality"),
        *(f"{kind}_{name}" for kind in ("json", "jsonb") for name in ("build_object", "build_array")),
        *("to_json", "to_jsonb", "row_to_json"),
    }
)

_INSTEAD: Mapping[type[exp.Expr], str] = {
    exp.Explode: "Put it into FROM: SELECT x FROM unnest(ARRAY[1, 2]) AS t(x).",
    exp.Dot: "Write t.x for (t).x, where t is an alias in FROM.",
    exp.BitwiseAnd: "Use arithmetic: x % 2 is the last bit, x / 4 % 2 the third.",
    exp.StringToArray: "Its parts are rows behind its table: FROM t, unnest(string_to_array(t.x, ',')) AS part; or use "
    "split_part(x, ',', 1), LIKE or ~.",
    exp.Rand: "A sample of the units is FROM t TABLESAMPLE BERNOULLI (10); beside released numbers, keep these in a "
    "table of your own, and call it there.",
    exp.Uuid: "Number released rows: row_number() OVER (ORDER BY k).",
    exp.RawString: "Write it between single quotes.",
    exp.ByteString: "Write it between single quotes, without E.",
}
_OF_A_VALUE = (
    "No rows are made of the parts of one value: ask for those you know, COUNT(*) FILTER (WHERE x LIKE '%a%')."
)
_CALLED: Mapping[type[exp.Expr], str] = {
    exp.RawString: "a dollar-quoted string",
    exp.ByteString: "an escape string",
    exp.AtTimeZone: "AT TIME ZONE",
    exp.Dot: "a field of a row",
}
_NOW = "Write now(), the time at which the transaction began."
_CALLED_INSTEAD: Mapping[str, str] = {
    **dict.fromkeys(("clock_timestamp", "statement_timestamp", "timeofday"), _NOW),
    "setseed": "Leave it out: random() is not called over private tables.",
}
# Arguments that a function of Postgres's has, and the parser lets be left out.
_NEEDED: Mapping[type[exp.Expr], tuple[str, ...]] = {
    exp.Replace: ("replacement",),
    exp.SplitPart: ("delimiter", "part_index"),
    exp.StrToDate: ("format",),
}


def admit(tree: exp.Query, sql: str) -> exp.Query:
    """The same tree of `sql`, if every node of it is on the list. Raises FeatureNotSupported naming one that is not.

    Claim: no node outside `_ADMITTED` reaches a later pass. Because: every node is looked up by its exact class.
    Checked by: tests/test_fixtures.py (refuse/).
    """
    kinds = set()
    for node in nodes_of(tree):
        kind = type(node)
        kinds.add(kind)
        if kind is exp.Anonymous:
            _admit_named(node)
        elif kind is exp.Format:
            _check_format(node)
        elif kind not in _ADMITTED or (_needed(kind) and not _is_whole(node)):
            raise _refusal(node, sql)
    if not kinds.isdisjoint(OBJECTS):
        check_object_keys(tree)
    return tree


def _is_whole(node: exp.Expr) -> bool:
    """Whether a call has the arguments that it needs: the front knows no such function otherwise."""
    if isinstance(node, exp.Chr):
        return len(node.expressions) == 1
    if isinstance(node, exp.WidthBucket):  # of thresholds, or of two ends and a number
        return sum(value is not None for value in node.args.values()) in (2, 4)
    return all(node.args.get(name) is not None for name in _needed(type(node)))


@remembered(1024)
def _needed(kind: type[exp.Expr]) -> tuple[str, ...]:
    """The arguments that a call of the kind always has; of what is no call none is asked for."""
    if not issubclass(kind, exp.Func | exp.Binary):
        return ()
    return (*(name for name, always in kind.arg_types.items() if always), *_NEEDED.get(kind, ()))


def _admit_named(node: exp.Expr) -> None:
    name = str(node.name).lower()
    if name not in _CALLS:
        raise FeatureNotSupported(
            f"function {name}() is not supported in a statement over private tables",
            hint=_CALLED_INSTEAD.get(
                name, "Keep the private answer in a table of your own and apply the function there."
            ),
            position=position(node),
        )
    if name.endswith("_build_object"):
        _check_pairs(node)


def _check_format(node: exp.Expr) -> None:
    """Raises FeatureNotSupported where Postgres might find a mistake in the template after the charge."""
    template, values = node.this, node.expressions
    written = template.name if isinstance(template, exp.Literal) and template.is_string else "%"
    places = re.findall(r"%-?[0-9]{0,3}s", written.replace("%%", ""))
    if "%" in re.sub(r"%%|%-?[0-9]{0,3}s", "", written) or len(places) > len(values):
        raise FeatureNotSupported(
            "format() is supported over private tables with a constant as template, and %s in it for each value",
            hint="Write format('%s of %s', a, b), or a || ' of ' || b.",
            position=position(node),
        )


def _check_pairs(node: exp.Expr) -> None:
    """Raises FeatureNotSupported where an object's keys may be missing: Postgres would say so after the charge."""
    keys, values = node.expressions[::2], node.expressions[1::2]
    if len(keys) != len(values) or not all(isinstance(each, exp.Literal) for each in keys):
        raise FeatureNotSupported(
            f"{str(node.name).lower()}() with keys that are no constants is not supported over private tables",
            hint="Write constants and values in turn, json_build_object('n', COUNT(*)); or json_object_agg(k, n).",
            position=position(node),
        )


def _refusal(node: exp.Expr, sql: str) -> FeatureNotSupported:
    named = isinstance(node, exp.Func) and type(node) not in _CALLED
    name = f"{written_name(node, sql)}()" if named else _called(node)
    return FeatureNotSupported(
        f"{name} is not supported in a statement over private tables",
        hint=_OF_A_VALUE
        if isinstance(node, exp.Explode) and node.find(exp.Column) is not None
        else _INSTEAD.get(type(node), "Leave it out, or apply it to a released table of your own."),
        position=position(node),
    )


def _called(node: exp.Expr) -> str:
    """The construct in SQL's words, as far as the class's name has them: SimilarTo is SIMILAR TO."""
    words = "".join(f" {c}" if c.isupper() else c for c in type(node).__name__).strip()
    return _CALLED.get(type(node), words.upper())

"""The allow-list of bounded SQL: exact classes of nodes, and the arguments that each may carry.

Functions and operators are those of the table (`functions`). What stands in no table is refused, and so is an argument
that is not named: there is no other way down the tree. Where a node may stand is up to who reads it: expressions are
made of VALUES alone, unless their reader says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from sqlglot import Dialect, Token, TokenType, exp
from sqlglot.errors import SqlglotError

from dpproxy.kept_parsers import KeptParsers
from dpproxy.rewrite.checker.engines import facts_of
from dpproxy.rewrite.checker.fault import CheckFault, require
from dpproxy.rewrite.checker.functions import FUNCTIONS
from dpproxy.rewrite.checker.held import MOST_DIGITS
from dpproxy.rewrite.checker.syntax import inside, integer
from dpproxy.rewrite.checker.total_functions import is_ordering

Listed = Mapping[type[exp.Expr], frozenset[str]]


def _listed(table: Mapping[str, tuple[type[exp.Expr], ...]]) -> dict[type[exp.Expr], frozenset[str]]:
    return {kind: frozenset(names.split()) for names, kinds in table.items() for kind in kinds}


STRUCTURE: Listed = _listed(
    {
        "expressions from_ joins where group having distinct order limit offset with_": (exp.Select,),
        "this expression distinct": (exp.Union, exp.Intersect, exp.Except),
        "this": (exp.From, exp.Where, exp.Having, exp.Exists, exp.Explode),
        "this columns": (exp.TableAlias,),
        "expressions alias": (exp.Values,),
        "expression": (exp.Limit, exp.Offset),
        "this on kind side": (exp.Join,),
        "this alias": (exp.Subquery, exp.Alias),
        "this db alias": (exp.Table,),
        "this desc nulls_first": (exp.Ordered,),
        "expressions": (exp.Group, exp.GroupingSets, exp.Order, exp.Distinct, exp.Tuple, exp.With),
        "this alias materialized": (exp.CTE,),
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
COIN = "coin"
# What coins of a sample are made of; no expression has it (`samples`).
COINS: Listed = _listed({"this length": (exp.SHA2, exp.SHA2Digest)})
# What counts of several keys in one sum are told by; no expression has it (`packed`).
BITS: Listed = _listed({"this expression": (exp.BitwiseAnd, exp.BitwiseRightShift)})
PARAMETERS: Listed = _listed({"this": (exp.Placeholder, exp.Parameter)})
# What functions are made of, and has no rule of its own.
_PARTS: Listed = _listed(
    {
        "this": (exp.Paren, exp.Var, exp.DataTypeParam),
        "this quoted": (exp.Identifier,),
        "this table": (exp.Column,),
        "this true": (exp.If,),
        "this expressions nested": (exp.DataType,),
    }
)
VALUES: Listed = {**_PARTS, **{kind: frozenset(each.parts) for kind, each in FUNCTIONS.items()}}
NAMED = frozenset({"FLOAT8LARGER", "FLOAT8SMALLER", "OCTET_LENGTH"})
_TYPE = exp.DataType.Type
TYPES = frozenset(
    {
        *(_TYPE.SMALLINT, _TYPE.INT, _TYPE.BIGINT, _TYPE.INT128, _TYPE.DECIMAL, _TYPE.FLOAT, _TYPE.DOUBLE),
        *(_TYPE.TEXT, _TYPE.VARCHAR, _TYPE.BOOLEAN, _TYPE.DATE, _TYPE.TIMESTAMP, _TYPE.TIMESTAMPNTZ, _TYPE.UUID),
        _TYPE.TIME,
    }
)
QUERIES = (exp.Exists, exp.Subquery)
_FIRST = "[1]"
_STEP, _SHORT, _LONG = 1_000, 20_000, 100_000  # a tree is a hundred times as large as its text
_ALL: Listed = {**STRUCTURE, **AGGREGATES, **WINDOWS, **PARAMETERS, **COINS, **BITS, **VALUES}


@dataclass(frozen=True, slots=True)
class CheckedText:
    """The tree of a text, and the nodes of it that are parameters."""

    tree: exp.Select
    parameters: tuple[exp.Expr, ...]


def parsed(sql: str, dialect: str) -> exp.Select:
    """The tree of the one SELECT that `sql` is, every node of it on the list; nobody changes it.

    Raises CheckFault as `checked_text` does.
    """
    return checked_text(sql, dialect).tree


def checked_text(sql: str, dialect: str) -> CheckedText:
    """What the one SELECT holds that `sql` is.

    It is read by what counts a plan's work, and by what checks it: it is remembered until then (`forget_texts`), of
    long ones few. What steps have to be is as short as the steps, and alike in many plans: it stays.
    Raises CheckFault for anything else: a second statement, a comment, a node or an argument that is not listed, a
    function or a type in quotes, an engine without a record of facts.
    """
    if len(sql) <= _STEP:
        return _remembered_step(sql, dialect)
    if len(sql) <= _SHORT:
        return _remembered(sql, dialect)
    return _remembered_long(sql, dialect) if len(sql) <= _LONG else _parsed(sql, dialect)


def forget_texts() -> None:
    """Of a plan that was checked: their trees are free before they are old, when it takes long to find them."""
    for remembered in (_remembered, _remembered_long, _widened):
        remembered.cache_clear()


def asked(sql: str, dialect: str) -> exp.Select:
    """The tree of a text that the engine is asked: `parsed`, where sums are read as sums of what is added up.

    Claim: each SUM in it is that of its argument, in a type with room for it. Because: either the engine's own type has
    room, or the text casts each argument to `sums_in`: whole numbers, as `total` and the shapes of steps prove, of
    which 2^63 have room there; or to a decimal with places, which `total` then demands to be as small; or to floating
    point, which `total` refuses, and `in_doubles` alone reads.
    Checked by: tests/spark/test_spark_checker.py. Raises CheckFault as `parsed` does.
    """
    tree, engine = parsed(sql, dialect), facts_of(dialect)
    return _widened(sql, dialect) if engine.sums_in and tree.find(exp.Sum) else tree


@lru_cache(maxsize=16)
def _widened(sql: str, dialect: str) -> exp.Select:
    tree = parsed(sql, dialect).copy()
    wide = exp.DataType.build(facts_of(dialect).sums_in, dialect=dialect)
    for added in list(tree.find_all(exp.Sum)):
        cast = added.this
        if type(cast) is exp.Cast and _has_places(cast.args["to"]):
            continue  # a numeric, of which `total` proves that its sum has room in that type
        if type(cast) is exp.Cast and cast.args["to"].this is _TYPE.DOUBLE:
            continue  # floating point, which nobody reads but `in_doubles`
        require(type(cast) is exp.Cast and cast.args["to"] == wide, "what is added up could pass its type")
        added.set("this", cast.this)
    return tree


def _has_places(type_: exp.DataType) -> bool:
    """Whether it is a DECIMAL of the most digits, some of them behind the point."""
    digits = [integer(each.this) for each in type_.expressions]
    return type_.this is _TYPE.DECIMAL and len(digits) == 2 and digits[0] == MOST_DIGITS and bool(digits[1])


@lru_cache(maxsize=64)
def _remembered_step(sql: str, dialect: str) -> CheckedText:
    return _parsed(sql, dialect)


@lru_cache(maxsize=16)
def _remembered(sql: str, dialect: str) -> CheckedText:
    return _parsed(sql, dialect)


@lru_cache(maxsize=2)
def _remembered_long(sql: str, dialect: str) -> CheckedText:
    return _parsed(sql, dialect)


def _parsed(sql: str, dialect: str) -> CheckedText:
    reader = _reader(facts_of(dialect).name)
    try:
        tokens = reader.tokens(sql)
        trees = reader.trees(tokens, sql)
    except (SqlglotError, RecursionError) as fault:
        raise CheckFault(f"the text does not parse: {type(fault).__name__}") from None
    require(len(trees) == 1, "the text is not one statement")
    tree = trees[0]
    if type(tree) is not exp.Select:
        raise CheckFault("the text is not a SELECT")
    engine = facts_of(dialect)
    if engine.casts_are_tried:
        _as_casts(tree)
    if engine.times_are_called:
        _as_differences(tree)
        _as_moments(tree)
    if engine.arrays_in_text:
        _as_arrays(tree)
    if engine.arrays_have_places and _FIRST in sql:
        _as_rows(tree)
    nodes = inside(tree)
    _admit(nodes)
    require(_quoted(tokens) == _named_in_quotes(nodes), "a name in quotes that is not of a table or a column")
    return CheckedText(tree, tuple([each for each in nodes if type(each) in PARAMETERS]))


def _as_casts(tree: exp.Expr) -> None:
    """What was written as CAST, and is none that is safe, is one."""
    for each in list(tree.find_all(exp.TryCast)):
        if not each.args.get("safe"):
            each.replace(exp.Cast(this=each.this, to=each.args["to"]))


def _as_differences(tree: exp.Expr) -> None:
    """DATEDIFF(a, b) is read as a - b; the parser has made dates of both, which they are, or it would not be proved."""
    for each in list(tree.find_all(exp.DateDiff)):
        sides = [side.this for side in (each.this, each.expression) if type(side) is exp.TsOrDsToDate]
        if len(sides) == 2 and not each.args.get("unit"):
            each.replace(exp.Paren(this=exp.Sub(this=sides[0], expression=sides[1])))


def _as_moments(tree: exp.Expr) -> None:
    """UNIX_MICROS(CAST(a AS TIMESTAMP)) less the same of b is read as the microseconds between them, sessions being in
    UTC; and DATE_FORMAT(x, …) as a text of x, whatever the parser has put around it."""
    for each in list(tree.find_all(exp.Sub)):
        sides = [side.this.this for side in (each.this, each.expression) if _is_since_1970(side)]
        if len(sides) == 2:
            unit = exp.Var(this="MICROSECOND")
            each.replace(exp.DateDiff(this=sides[0], expression=sides[1], unit=unit))
    for text in list(tree.find_all(exp.TimeToStr)):
        if type(text.this) is exp.TimeStrToTime and set(text.this.args) <= {"this"}:
            text.set("this", text.this.this)


def _is_since_1970(node: exp.Expr) -> bool:
    cast = node.this if type(node) is exp.UnixMicros else None
    return type(cast) is exp.Cast and cast.args["to"] == exp.DataType(this=_TYPE.TIMESTAMPTZ, nested=False)


def _as_arrays(tree: exp.Expr) -> None:
    """What is told as texts of JSON is read as arrays, side by side where they are zipped."""
    for zipped in [each for each in tree.find_all(exp.Aliases) if type(each.this) is exp.Inline]:
        select, arrays, names = zipped.parent, zipped.this.this, zipped.expressions
        if type(select) is not exp.Select or select.expressions != [zipped]:
            raise CheckFault("zipped arrays beside other items")
        require(type(arrays) is exp.ArraysZip and len(arrays.expressions) == len(names) > 1, "what is no zip of arrays")
        pairs = zip(arrays.expressions, names, strict=True)
        select.set("expressions", [exp.Alias(this=exp.Explode(this=each), alias=name) for each, name in pairs])
    for array in list(tree.find_all(exp.Explode)):
        told = array.this.this if type(array.this) is exp.Cast else None
        if type(told) is not exp.FromJson or told.expression != exp.Literal.string("ARRAY<STRING>"):
            raise CheckFault("an array that is no text of JSON")
        array.this.set("this", told.this)


def _as_rows(tree: exp.Expr) -> None:
    """CAST($name AS t[])[1] is read as (SELECT y0.z FROM (SELECT UNNEST(CAST($name AS t[])) AS z) AS y0).

    Claim: what is proved of the query holds of the value. Because: where the array has one value both are that, and
    where it has none NULL; where it has more the value is the first of them, and the query would raise. To the parser
    places begin with 0; any other place, a range of them and any other array stay, and are on no list.
    Checked by: tests/test_centres.py.
    """
    for element in list(tree.find_all(exp.Bracket)):
        array, given = element.this, {name for name, value in element.args.items() if value}
        first = element.expressions == [exp.Literal.number(0)] and given == {"this", "expressions"}
        if first and type(array) is exp.Cast and type(array.this) in PARAMETERS:
            rows = exp.Select(expressions=[exp.Alias(this=exp.Explode(this=array), alias=exp.to_identifier("z"))])
            named = exp.TableAlias(this=exp.to_identifier("y0"))
            source = exp.From(this=exp.Subquery(this=rows, alias=named))
            value = exp.Column(this=exp.to_identifier("z"), table=exp.to_identifier("y0"))
            element.replace(exp.Subquery(this=exp.Select(expressions=[value], from_=source)))


@cache
def _reader(name: str) -> KeptParsers:
    return KeptParsers(Dialect.get_or_raise(name))


def _quoted(tokens: Sequence[Token]) -> list[str]:
    kind = TokenType.IDENTIFIER
    return sorted([token.text for token in tokens if token.token_type is kind])


def _named_in_quotes(nodes: Iterable[exp.Expr]) -> list[str]:
    """The names in quotes that the tree has kept, of its nodes. Functions and types lose theirs, and are another thing
    to Postgres: "least" is no LEAST, and "INT" is a type of somebody's own."""
    return sorted([each.name for each in nodes if type(each) is exp.Identifier and each.args.get("quoted")])


def _admit(nodes: Iterable[exp.Expr]) -> None:
    """Most nodes are on the list with no more than the arguments that are: they take one step each."""
    for node in nodes:
        kind = type(node)
        allowed = _ALL.get(kind)
        if allowed is None or node.comments:
            raise CheckFault(f"{kind.__name__} is not on the list")
        if not allowed.issuperset(node.args):
            _check_arguments(node, allowed)
        if kind in _CHECKS:
            _CHECKS[kind](node)


def _check_arguments(node: exp.Expr, allowed: frozenset[str]) -> None:
    """Those that are not on the list are empty."""
    for name, value in node.args.items():
        if value and name not in allowed:
            raise CheckFault(f"{type(node).__name__} with {name} is not on the list")


def _check_type(node: exp.Expr) -> None:
    digits = node.this is _TYPE.VARBINARY and _is_compared(node.parent)
    require(node.this in TYPES or _is_array(node) or digits, f"type {node.this} is not on the list")


def _check_call(node: exp.Expr) -> None:
    encoded = node.this == "CONVERT_TO" and type(node.parent) is exp.SHA2Digest
    ordering = node.this == "HASH" and is_ordering(node)
    require(
        node.this in NAMED or encoded or ordering or _is_numbering(node), f"function {node.name} is not on the list"
    )


def _is_numbering(node: exp.Expr) -> bool:
    """Whether it makes an item of the outermost SELECT, a number for the key of a unit (`pairs`): no expression has
    CAST(HASH(column) % (2^63 - 1) AS BIGINT), nor HASHTEXTEXTENDED(CAST(column AS TEXT), 0), nor
    XXHASH64(CAST(column AS TEXT))."""
    match node.this, node.expressions, node.parent:
        case "HASH", [exp.Column()], exp.Mod(this=hashed, expression=most, parent=exp.Cast(to=to, parent=item)):
            made = hashed is node and integer(most) == 2**63 - 1 and to.this is _TYPE.BIGINT
        case "HASHTEXTEXTENDED", [exp.Cast(this=exp.Column(), to=to), start], item:
            made = integer(start) == 0 and to.this is _TYPE.TEXT
        case "XXHASH64", [exp.Cast(this=exp.Column(), to=to)], item:
            made = to.this is _TYPE.TEXT
        case _:
            return False
    return made and type(item) is exp.Alias and type(item.parent) is exp.Select and item.parent.parent is None


def _check_alias(node: exp.Expr) -> None:
    require(not node.args.get("columns") or type(node.parent) is exp.Values, "columns with other names")


def _check_with(node: exp.Expr) -> None:
    """It is of the derived table that the outermost SELECT reads: no other may name rows (`clipped`)."""
    select = node.parent
    source = None if select is None else select.parent
    from_ = source.parent if type(source) is exp.Subquery else None
    outermost = from_.parent if type(from_) is exp.From else None
    read = type(select) is exp.Select and type(outermost) is exp.Select and outermost.parent is None
    require(read and len(node.expressions) == 1, "a WITH that is not on the list where it stands")


def _check_parameter(node: exp.Expr) -> None:
    cast = node.parent
    secret = node.name == COIN and type(cast) is exp.Cast and type(cast.parent) is exp.DPipe
    require(_is_released(cast) or secret, "a parameter that is no array of a release")


def _is_array(node: exp.Expr) -> bool:
    """Whether the type is that of an array of a release, as a cast of its parameter names it."""
    return node.this is _TYPE.ARRAY and _is_released(node.parent)


def _is_compared(cast: exp.Expr | None) -> bool:
    """Whether the cast is of the digits that a digest is compared with."""
    around = None if cast is None else cast.parent
    return type(around) is exp.LT and type(around.this) is exp.SHA2Digest


def _is_released(node: exp.Expr | None) -> bool:
    """Whether the node is the cast in UNNEST(CAST($name AS type[]))."""
    return type(node) is exp.Cast and type(node.this) in PARAMETERS and type(node.parent) is exp.Explode


_CHECKS: Mapping[type[exp.Expr], Callable[[exp.Expr], None]] = {
    exp.DataType: _check_type,
    exp.Anonymous: _check_call,
    exp.TableAlias: _check_alias,
    exp.With: _check_with,
    **dict.fromkeys(PARAMETERS, _check_parameter),
}


def columns_of(node: exp.Expr) -> Iterator[exp.Column]:
    """The columns that an expression reads. Raises CheckFault where a node of it is no plain value."""
    for part in node.walk():
        if type(part) not in VALUES:
            raise CheckFault(f"{type(part).__name__} inside an expression")
        if type(part) is exp.Column:
            yield part

"""The allow-list of bounded SQL: exact classes of nodes, and the arguments that each may carry.

What stands in neither table is refused, and so is an argument that is not named: there is no other way down the tree.
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
        "expressions from_ joins where group distinct": (exp.Select,),
        "this": (exp.From, exp.Where, exp.TableAlias, exp.Sum),
        "this on kind": (exp.Join,),
        "this alias": (exp.Subquery, exp.Alias),
        "this db alias": (exp.Table,),
        "this big_int": (exp.Count,),
        "this partition_by order over": (exp.Window,),
        "this nulls_first": (exp.Ordered,),
        "expressions": (exp.Group, exp.Order),
        "": (exp.Star, exp.RowNumber, exp.Distinct),
    }
)
VALUES: Listed = _listed(
    {
        "": (exp.Null,),
        "this": (
            exp.Boolean, exp.Paren, exp.Neg, exp.Not, exp.Var, exp.DataTypeParam, exp.Abs, exp.Floor, exp.Ceil,
            exp.Sign, exp.Sqrt, exp.Ln, exp.Exp, exp.MD5, exp.Lower, exp.Upper, exp.Reverse, exp.Initcap, exp.IsNan,
        ),
        "this quoted": (exp.Identifier,),
        "this table": (exp.Column,),
        "this is_string": (exp.Literal,),
        "this expression": (
            exp.And, exp.Or, exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.NullSafeNEQ,
            exp.Escape, exp.Nullif, exp.Add, exp.Sub, exp.Mul, exp.IntDiv, exp.Mod, exp.Pow,
            exp.Log, exp.Left, exp.Right, exp.StartsWith, exp.Extract,
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
        "this expressions nested": (exp.DataType,),
        "this unit": (exp.Interval,),
        "this unit input_type_preserved": (exp.TimestampTrunc, exp.DateTrunc),
        "this decimals": (exp.Round, exp.Trunc),
        "this substr": (exp.StrPosition,),
        "this start length": (exp.Substring,),
        "this expression position": (exp.Trim,),
        "this expression replacement": (exp.Replace,),
        "this expression fill_pattern is_left": (exp.Pad,),
        "this binary encoding": (exp.Length,),
        "expressions charset": (exp.Chr,),
        "expressions safe coalesce": (exp.Concat,),
        "expressions safe": (exp.ConcatWs,),
    }
)  # fmt: skip
_TYPE = exp.DataType.Type
TYPES = frozenset(
    {
        *(_TYPE.SMALLINT, _TYPE.INT, _TYPE.BIGINT, _TYPE.INT128, _TYPE.DECIMAL, _TYPE.FLOAT, _TYPE.DOUBLE),
        *(_TYPE.TEXT, _TYPE.VARCHAR, _TYPE.BOOLEAN, _TYPE.DATE, _TYPE.TIMESTAMP, _TYPE.TIMESTAMPNTZ, _TYPE.UUID),
    }
)
_ALL: Listed = {**STRUCTURE, **VALUES}


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
        require(node.this in TYPES, f"type {node.this} is not on the list")


def columns_of(node: exp.Expression) -> Iterator[exp.Column]:
    """The columns that an expression reads. Raises CheckFault where a node of it is no plain value."""
    for part in node.walk():
        if type(part) not in VALUES:
            raise CheckFault(f"{type(part).__name__} inside an expression")
        if type(part) is exp.Column:
            yield part


def only(select: exp.Select, *clauses: str) -> None:
    """Raises CheckFault where the SELECT has another clause."""
    for name, value in select.args.items():
        require(not value or name in clauses, f"a {name} clause where none belongs")


def bare(node: object) -> exp.Expression:
    """The expression inside of parentheses."""
    while type(node) is exp.Paren:
        node = node.this
    if not isinstance(node, exp.Expression):
        raise CheckFault("something is missing")
    return node


def conjuncts(node: object) -> list[exp.Expression]:
    """The parts of a condition that must all be true; none for no condition."""
    found: list[exp.Expression] = []
    waiting = [] if node is None else [bare(node)]
    while waiting:
        part = waiting.pop()
        if type(part) is exp.And:
            waiting += [bare(part.expression), bare(part.this)]
        else:
            found.append(part)
    return found


def integer(node: object) -> int | None:
    """The whole number that is written there, else None."""
    if type(node) is exp.Neg:
        below = integer(node.this)
        return None if below is None else -below
    if type(node) is exp.Literal and not node.is_string and node.name.isdecimal():
        return int(node.name)
    return None


def null_test(node: object) -> tuple[exp.Expression, bool] | None:
    """x, and True for x IS NULL or False for x IS NOT NULL, which dialects read in one of two ways; else None."""
    denied = type(node) is exp.Not
    inner = bare(node.this) if isinstance(node, exp.Not) else node
    if type(inner) is not exp.Is or type(inner.expression) is not exp.Null:
        return None
    return inner.this, bool(inner.args.get("negate")) == denied


def plain(node: object) -> str | None:
    """The name of a column without a table, else None."""
    return node.name if type(node) is exp.Column and node.args.get("table") is None else None


def derived(select: exp.Select) -> exp.Select:
    """The SELECT that is alone in FROM."""
    require(not select.args.get("joins"), "a join above the level that reads tables")
    from_ = select.args.get("from_")
    source = from_.this if from_ is not None else None
    if type(source) is not exp.Subquery or type(source.this) is not exp.Select or not source.alias:
        raise CheckFault("FROM is not one derived table")
    return source.this


def filtered(select: exp.Select) -> list[exp.Expression]:
    """The conjuncts of WHERE."""
    where = select.args.get("where")
    return conjuncts(None if where is None else where.this)


def grouped(select: exp.Select) -> list[str | None]:
    """The names in GROUP BY."""
    group = select.args.get("group")
    return [] if group is None else [plain(item) for item in group.expressions]

"""Shapes of a text by which one unit changes little: shares that add up to one whole, coins, blocks, single rows.

By the tree alone: nothing here knows what made it, or what the checker says of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from attacks.equalities import Cell, classes, conjuncts, equal_columns

_Uniques = Mapping[str, frozenset[tuple[str, ...]]]
_OF_KEY = (
    exp.Column, exp.Identifier, exp.Literal, exp.Cast, exp.DataType, exp.Paren, exp.Coalesce,
    exp.MD5, exp.Left, exp.Translate, exp.Mod,
)  # fmt: skip
_OF_COIN = (*_OF_KEY[:7], exp.SHA2, exp.SHA2Digest, exp.DPipe, exp.Parameter, exp.Placeholder, exp.Var)
_ROOM = 2**62


@dataclass(frozen=True, slots=True)
class Share:
    """Values of which those in one unit's rows, with the same of `by`, are 0 at least and add up to `whole` at most."""

    whole: int
    by: frozenset[str]


def share(value: exp.Expr, below: exp.Expr) -> Share | None:
    """What c * whole / n is, where c counts a unit's rows and n is the sum of all c, both of the SELECT `below`."""
    while isinstance(value, exp.Paren):
        value = value.this
    if not isinstance(value, exp.IntDiv | exp.Div) or not _is_integer(value.expression):
        return None
    product, least = _bare(value.this), value.expression.this
    ends = _clamp(least)
    if not isinstance(product, exp.Mul) or not isinstance(product.this, exp.Column) or ends is None:
        return None
    whole, window, counted = _whole_number(product.expression), least.this.this, product.this
    if whole is None or ends[0] < 1 or ends[1] < _ROOM or not isinstance(window, exp.Window):
        return None
    if window.args.get("order") or window.args.get("spec") or window.this != exp.Sum(this=counted):
        return None
    by = [each.name for each in window.args.get("partition_by") or [] if isinstance(each, exp.Column)]
    if len(by) != len(window.args.get("partition_by") or []) or not _counts(below, counted.name):
        return None
    return Share(whole, frozenset(by))


def _counts(select: exp.Expr, name: str) -> bool:
    """Whether a column counts rows, group by group, and is not below 0."""
    while _is_all_of(select):
        select = select.args["from_"].this.this
    found = [each.this for each in select.expressions if each.alias_or_name == name]
    if len(found) != 1 or not select.args.get("group"):
        return False
    ends = _clamp(found[0])
    return ends is not None and ends[0] == 0 and found[0].this.this == exp.Count(this=exp.Star(), big_int=True)


def _is_all_of(select: exp.Expr) -> bool:
    """SELECT * FROM (…) WHERE …."""
    return (
        isinstance(select, exp.Select)
        and isinstance(select.expressions[0], exp.Star)
        and isinstance(select.args["from_"].this, exp.Subquery)
        and set(filter(select.args.get, select.args)) <= {"expressions", "from_", "where"}
    )


def _clamp(node: exp.Expr) -> tuple[int, int] | None:
    """The ends of LEAST(GREATEST(x, low), high)."""
    if not isinstance(node, exp.Least) or not isinstance(node.this, exp.Greatest):
        return None
    if len(node.expressions) != 1 or len(node.this.expressions) != 1:
        return None
    low, high = _whole_number(node.this.expressions[0]), _whole_number(node.expressions[0])
    return None if low is None or high is None else (low, high)


def _whole_number(node: exp.Expr) -> int | None:
    return int(node.this) if isinstance(node, exp.Literal) and node.is_int else None


def _is_integer(node: exp.Expr) -> bool:
    return isinstance(node, exp.Cast) and node.to.this is exp.DataType.Type.BIGINT


def _bare(node: exp.Expr) -> exp.Expr:
    return _bare(node.this) if isinstance(node, exp.Paren) else node


def at_most(select: exp.Expr, keys: Sequence[str]) -> int | None:
    """How many of its keys a unit keeps: the g of SELECT … FROM (… DENSE_RANK() OVER (PARTITION BY u …) …) WHERE g <= …
    that is ordered by all of them."""
    kept = [each for each in conjuncts(select.args.get("where")) if isinstance(each, exp.LTE)]
    most = {each.this.name: _whole_number(each.expression) for each in kept if isinstance(each.this, exp.Column)}
    for item in select.args["from_"].this.this.expressions:
        window = item.this
        if item.alias_or_name in most and isinstance(window, exp.Window) and isinstance(window.this, exp.DenseRank):
            order = [each.this for each in window.args["order"].expressions]
            named = {each.name for each in order if isinstance(each, exp.Column)}
            if [each.name for each in window.args["partition_by"]] == ["u"] and set(keys) <= named:
                return most[item.alias_or_name]
    return None


def dealt(value: exp.Expr, blocks: int) -> exp.Column | None:
    """The one column of which a value is a number below `blocks`, and of nothing else."""
    columns = set(value.find_all(exp.Column))
    if not isinstance(value, exp.Mod) or _whole_number(value.expression) != blocks or len(columns) != 1:
        return None
    return columns.pop() if all(isinstance(each, _OF_KEY) for each in value.walk()) else None


def coins(node: exp.Expr) -> Iterator[exp.Expr]:
    """Where the secret of a run is read."""
    for each in node.find_all(exp.Parameter, exp.Placeholder):
        if (each.this if isinstance(each.this, str) else each.this.name) == "coin":
            yield each


def let_in(total: exp.Select) -> int | None:
    """How many of 2^64 coins let a unit in, where one condition on the unit's key decides it for all its rows."""
    select: exp.Expr = total
    while isinstance(select, exp.Select):
        tests = [each for each in conjuncts(select.args.get("where")) if next(coins(each), None)]
        if tests:
            unit = select.expressions[0]
            return _first_out(tests[0], unit.this if isinstance(unit, exp.Alias) else unit) if len(tests) == 1 else None
        source = select.args["from_"].this
        with_tables = any(join.find(exp.Table) for join in select.args.get("joins") or [])
        if with_tables or not isinstance(source, exp.Subquery):
            return None
        select = source.this
    return None


def _first_out(test: exp.Expr, unit: exp.Expr) -> int | None:
    """Of SHA256(the secret || the unit's key) < 'digits'."""
    if not isinstance(test, exp.LT) or not isinstance(test.this, exp.SHA2 | exp.SHA2Digest):
        return None
    hashed, digits = test.this.this, test.expression.find(exp.Literal)
    if isinstance(hashed, exp.Anonymous) and hashed.name == "CONVERT_TO":
        hashed = hashed.expressions[0]
    plain = isinstance(hashed, exp.DPipe) and all(isinstance(each, _OF_COIN) for each in hashed.walk())
    if not plain or len(list(coins(hashed.this))) != 1 or not isinstance(hashed.expression, exp.Cast) or digits is None:
        return None
    told = digits.name.removeprefix("\\x")
    same = hashed.expression.this == unit and not list(hashed.this.find_all(exp.Column))
    return int(told, 16) if same and len(told) == 16 and test.this.args["length"].name == "256" else None


def has_one_row(select: exp.Expr, uniques: Callable[[exp.Table], frozenset[tuple[str, ...]]]) -> bool:
    """Whether no two rows of a query are of one unit, whose key is its first column.

    uniques: sets of columns of a table that no two rows share.
    """
    if not isinstance(select, exp.Select) or set(filter(select.args.get, select.args)) & {"laterals", "having"}:
        return False
    group = select.args.get("group")
    if group is not None:
        by = [each.name for each in group.expressions]
        if "u" not in by or select.expressions[0].alias_or_name != "u" or select.args.get("joins"):
            return False
        below = select.args["from_"].this
        if by == ["u"] or not isinstance(below, exp.Subquery):
            return by == ["u"]
        return has_one_row(below.this, uniques) or _settles(below.this, by, uniques)
    if _is_all_of(select):
        return has_one_row(select.args["from_"].this.this, uniques)
    sources, reached = _of_unit(select, uniques)
    return reached == set(sources)


def _settles(select: exp.Expr, by: Sequence[str], uniques: Callable[[exp.Table], frozenset[tuple[str, ...]]]) -> bool:
    """Whether rows are grouped by nothing but the unit and columns of sources of which a unit has one row."""
    if not isinstance(select, exp.Select) or select.args.get("group") is not None:
        return False
    _, reached = _of_unit(select, uniques)
    items = {item.alias_or_name: item.unalias() for item in select.expressions}
    read = [items.get(name) for name in by]  # a mutant may read what nobody made
    return all(isinstance(each, exp.Column) and each.table in reached for each in read)


def _of_unit(
    select: exp.Select, uniques: Callable[[exp.Table], frozenset[tuple[str, ...]]]
) -> tuple[_Uniques, set[str]]:
    """The sources of a query, and those of which a unit, whose key is its first column, has one row."""
    nodes = [select.args["from_"].this, *(join.this for join in select.args.get("joins") or [])]
    sources = {node.alias: _single(node, uniques) for node in nodes}
    key = select.expressions[0].unalias()
    if not isinstance(key, exp.Column):
        return sources, set()
    start = key.table or nodes[0].alias
    return sources, _reached(select, start, sources) if (key.name,) in sources[start] else set()


def _single(node: exp.Expr, uniques: Callable[[exp.Table], frozenset[tuple[str, ...]]]) -> frozenset[tuple[str, ...]]:
    """Sets of columns of a source that no two of its rows share."""
    if isinstance(node, exp.Table):
        return uniques(node)
    inner = node.this if isinstance(node, exp.Subquery) else None
    from_ = inner.args.get("from_") if isinstance(inner, exp.Select) else None
    if from_ is not None and isinstance(from_.this, exp.Table) and not from_.this.alias:
        return uniques(from_.this)
    return frozenset({("u",)}) if inner is not None and has_one_row(inner, uniques) else frozenset()


def _reached(select: exp.Select, start: str, sources: _Uniques) -> set[str]:
    """The sources of which a row of `start` has one row each: a unique set of columns equals columns of such."""
    where = [*_pairs(select.args.get("where"))]
    joins = {join.this.alias: [*where, *_pairs(join.args.get("on"))] for join in select.args.get("joins") or []}
    reached = {start}
    while found := {
        alias
        for alias in set(sources) - reached
        if any(all(_told((alias, name), joins.get(alias, where), reached) for name in each) for each in sources[alias])
    }:
        reached |= found
    return reached


def _pairs(condition: exp.Expr | None) -> Iterator[tuple[Cell, Cell]]:
    yield from (pair for each in conjuncts(condition) if (pair := equal_columns(each)) is not None)


def _told(cell: Cell, pairs: Sequence[tuple[Cell, Cell]], reached: set[str]) -> bool:
    return any(cell in each and any(alias in reached for alias, _ in each) for each in classes(pairs))


def is_fence(clause: object) -> bool:
    """OFFSET 0, or '0', by which nothing is left out."""
    return isinstance(clause, exp.Offset) and clause.expression in (exp.Literal.number(0), exp.Literal.string("0"))


def sets_of(group: exp.Expr | None) -> list[list[str]]:
    """The columns of each set that rows are grouped by: GROUP BY a, GROUPING SETS ((b), (c)) has two."""
    if group is None:
        return [[]]
    sets = [*group.find_all(exp.GroupingSets)]
    by = [each.name for each in group.expressions if each not in sets]
    if len(sets) > 1 or any(group.args.get(each) for each in ("cube", "rollup", "all")):
        return []
    inner = [each for found in sets for each in found.expressions]
    return [[*by, *(name.name for name in each.find_all(exp.Column))] for each in inner] if sets else [by]

"""WINDOWED: window functions over each unit's own rows."""

from __future__ import annotations

import math

from sqlglot import exp

from dpproxy.rewrite.checker.fault import require
from dpproxy.rewrite.checker.grouped import inner_of, rest_of
from dpproxy.rewrite.checker.level import carried, ranges
from dpproxy.rewrite.checker.nodes import AGGREGATES, VALUES
from dpproxy.rewrite.checker.relations import UNIT, Cell, ColumnFact, Relation
from dpproxy.rewrite.checker.scope import CheckContext, Scope
from dpproxy.rewrite.checker.syntax import integer, only
from dpproxy.rewrite.checker.values import Nested, Value, aggregate, parts, value

_LEAST = -(2**31)
_RANKS: frozenset[type[exp.Expr]] = frozenset({exp.Rank, exp.DenseRank, exp.PercentRank, exp.CumeDist})
_OF_VALUES: frozenset[type[exp.Expr]] = frozenset({exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.NthValue})
_NEIGHBOURS: frozenset[type[exp.Expr]] = frozenset({exp.Lag, exp.Lead})
_OF_PLACES: frozenset[type[exp.Expr]] = frozenset({exp.RowNumber, exp.Ntile})
_MOST_ROWS = 10_000
_ENDS = frozenset({"UNBOUNDED", "CURRENT ROW"})
_SIDES = frozenset({"", "PRECEDING", "FOLLOWING"})


def read_windowed(select: exp.Expr, context: CheckContext) -> Relation:
    """SELECT u, c0, …, fn(…) OVER (PARTITION BY u, …) AS w0, … FROM (relation) AS r.

    Claim: if each row of the relation belongs to its `u`, and a unit's rows depend on the unit alone, so do these.
    Because: a window holds rows of one unit, and its value is a function of them as a multiset (`_check_order`).
    Checked by: tests/test_checker_relations.py.
    """
    only(select, "expressions", "from_")
    scope, relation = inner_of(select, context)
    values = {name: _item(item, scope, context) for name, item in rest_of(select, scope).items()}
    columns = {name: carried(item, relation.one_row or item.steady) for name, item in values.items()}
    return Relation(relation.unit, {UNIT: relation.columns[UNIT], **columns}, relation.one_row, ranged=ranges(values))


def has_window(item: exp.Expr) -> bool:
    """Whether the item has a window of its own SELECT."""
    return type(item) is not exp.Column and exp.Window in map(type, parts(item, exp.Window))


def _item(item: exp.Expr, scope: Scope, context: CheckContext) -> Value:
    """An expression over columns and windows."""
    cells: set[Cell] = set()
    nested: dict[int, ColumnFact] = {}
    steady = True
    for part in parts(item, exp.Window):
        if type(part) is exp.Window:
            window = _window(part, scope, context)
            nested.update(window.nested)
            steady = steady and window.steady
        elif type(part) is exp.Column:
            cells.add(scope.seen(part))
        else:
            require(type(part) in VALUES, f"{type(part).__name__} beside windows")
    steady = steady and all(scope.fact(cell).steady for cell in cells)
    return Value(item, scope, frozenset(cells), nested, context.engine, steady).proved()


def _window(window: exp.Expr, scope: Scope, context: CheckContext) -> Value:
    by: list[exp.Expr] = window.args.get("partition_by") or []
    require(bool(by) and _is_unit(by[0], scope), "a window that is not within the unit")
    finer = [value(part, scope, context) for part in by[1:]]
    ordered = [each.this for each in window.args["order"].expressions] if window.args.get("order") else []
    for part in ordered:
        if not _is_unit(part, scope):
            value(part, scope, context)
    spec = window.args.get("spec")
    nested = _function(window.this, scope, context)
    _check_frame(spec)
    placed = type(window.this) in _RANKS | _OF_PLACES | _NEIGHBOURS
    require(bool(ordered) or not (placed and context.engine.ranks_need_an_order), "a rank in a window without an order")
    _check_order(window, {cell for part in (*by, *ordered) if (cell := _copied(part, scope)) is not None}, scope)
    whole = type(window.this) in AGGREGATES and not ordered and spec is None
    steady = whole and all(part.steady for part in finer)
    return Value(window, scope, frozenset(), nested, context.engine, steady)


def _is_unit(node: exp.Expr, scope: Scope) -> bool:
    cell = _copied(node, scope)
    return cell is not None and cell[1] == UNIT


def _copied(node: exp.Expr, scope: Scope) -> Cell | None:
    return scope.cell(node) if type(node) is exp.Column else None


def _function(node: exp.Expr, scope: Scope, context: CheckContext) -> Nested:
    kind: type[exp.Expr] = type(node)
    if kind in AGGREGATES:
        require(type(node.this) is not exp.Distinct, "a window over distinct values")
        return aggregate(node, scope, context).nested
    number = node.args.get("this" if kind is exp.Ntile else "offset")
    least = 1 if kind in (exp.Ntile, exp.NthValue) else _LEAST
    require(number is None or _whole(number) >= least, "a window's number is no constant, or too small")
    if kind in _OF_VALUES:
        operands = [node.this, node.args.get("default")]
        return {
            at: found
            for operand in operands
            if operand is not None
            for at, found in value(operand, scope, context).nested.items()
        }
    require(kind in _RANKS or kind in _OF_PLACES, f"{kind.__name__} is no window function")
    return {}


def _whole(node: exp.Expr) -> float:
    """The whole number that is written there; less than any for anything else."""
    number = integer(node)
    return -math.inf if number is None else number


def _check_frame(spec: exp.Expr | None) -> None:
    if spec is None:
        return
    for name in ("start", "end"):
        end, side = spec.args.get(name), str(spec.args.get(f"{name}_side") or "")
        constant = end is None or end in _ENDS or 0 <= _whole(end) <= _MOST_ROWS
        require(constant, "a frame whose ends are not constant")
        require(side in _SIDES, "a frame on no side")
        by_rows = str(spec.args.get("kind") or "").upper() == "ROWS"
        require(end is None or end in _ENDS or by_rows, "a frame whose ends are values, which could pass their type")


def _check_order(window: exp.Expr, ordered: set[Cell], scope: Scope) -> None:
    """Where rows of one place in the order are told apart, they are identical: all columns are in the order."""
    spec = window.args.get("spec")
    by_rows = spec is not None and str(spec.args.get("kind") or "").upper() != "RANGE"
    if type(window.this) in _OF_VALUES or type(window.this) in _OF_PLACES or by_rows:
        (alias,) = scope.own
        every = {(alias, name) for name in scope.sources[alias].columns if name != UNIT}
        require(every <= ordered, "a window whose order leaves rows to the engine")

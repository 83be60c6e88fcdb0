"""What an expression costs for one row of its SELECT."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from dpproxy.catalog.types import Family
from dpproxy.rewrite.checker.engines import facts_of
from dpproxy.rewrite.checker.families import family, of_type
from dpproxy.rewrite.checker.fault import CheckFault
from dpproxy.rewrite.checker.nodes import AGGREGATES, QUERIES
from dpproxy.rewrite.checker.syntax import inside, integer
from dpproxy.rewrite.work.counted import Cell, Counted, Product, WorkContext, is_correlated, widest
from dpproxy.rewrite.work.looked_up import is_looked_up, reads_units_alone
from dpproxy.rewrite.work.weights import HASHED, OPERATION, SORTED, TEXT_CAST, WEIGHTS

# What is in these is not of the expression itself.
_CLOSED = frozenset({*QUERIES, exp.Column, exp.DataType, exp.Window})
_CASTS = frozenset({exp.Cast, exp.TryCast})


@dataclass(frozen=True, slots=True)
class QueriesCost:
    """What queries in an expression cost. once: nodes for all rows together. of_unit: nodes for each row, over rows of
    its own unit alone; of_units: what these take for all units. widest: the public rows that are met for each row.
    scans and scans_once: private tables that are read from start to end, for each row and for all. whole: nodes that
    they take for all units."""

    once: int = 0
    of_unit: int = 0
    of_units: int = 0
    widest: Product = ()
    scans: int = 0
    scans_once: int = 0
    most: int = 0
    whole: int = 0


NO_QUERY: Final = QueriesCost()


@dataclass(frozen=True, slots=True)
class Cost:
    """nodes: for each row. queries: those in it; most expressions have none."""

    nodes: int = 0
    queries: QueriesCost = NO_QUERY


def of_queries(found: Sequence[QueriesCost]) -> QueriesCost:
    """What several queries cost together; mostly there is none."""
    if not found:
        return NO_QUERY
    return QueriesCost(
        sum(each.once for each in found),
        sum(each.of_unit for each in found),
        sum(each.of_units for each in found),
        widest(each.widest for each in found),
        sum(each.scans for each in found),
        sum(each.scans_once for each in found),
        max(each.most for each in found),
        sum(each.whole for each in found),
    )


@dataclass(frozen=True, slots=True)
class CostScope:
    """The sources that an expression sees, those around its SELECT among them, and how many rows a window has.

    sole: the source of columns that are written without one.
    """

    sources: Mapping[str, Counted]
    own: frozenset[str]
    context: WorkContext
    rows: int = 1
    sole: str = ""

    def column(self, column: exp.Column) -> tuple[str, str]:
        """Source and name of a column. Raises CheckFault where there is none."""
        alias, name = column.table or self.sole, column.name
        if alias not in self.sources or name not in self.sources[alias].columns:
            raise CheckFault(f"the work of column {column.sql()} is not known")
        return alias, name

    def cell(self, column: exp.Column) -> Cell:
        """What is known of a column."""
        alias, name = self.column(column)
        return self.sources[alias].columns[name]

    def family(self, node: exp.Expr) -> Family | None:
        """The family of an expression's type, where it is known."""
        engine = facts_of(self.context.dialect)
        return family(node, lambda part: self.cell(part).family if isinstance(part, exp.Column) else None, engine)


def total(nodes: Iterable[exp.Expr], scope: CostScope) -> Cost:
    """What expressions cost together. Raises CheckFault for a node without a weight."""
    apart: list[QueriesCost] = []
    counted = sum([nodes_of(node, scope, apart) for node in nodes])
    return Cost(counted, of_queries(apart))


def nodes_of(node: exp.Expr, scope: CostScope, apart: list[QueriesCost]) -> int:
    """The nodes of an expression for each row; what queries in it cost is put `apart`. Raises CheckFault for a node
    without a weight."""
    return nodes_of_parts(parts_of(node), scope, apart)


def parts_of(node: exp.Expr) -> list[exp.Expr]:
    """The nodes of an expression that are evaluated for each row of its SELECT: queries and windows as a whole."""
    return [node] if type(node) is exp.Column else inside(node, _CLOSED)


def nodes_of_parts(parts: Iterable[exp.Expr], scope: CostScope, apart: list[QueriesCost]) -> int:
    """The same as `nodes_of`, of an expression's parts."""
    nodes = 0
    for part in parts:
        kind = type(part)
        if type(part) is exp.Column:
            nodes += scope.cell(part).cost
        elif kind in _CASTS:
            nodes += _cast(part, scope)
        elif kind in QUERIES:
            nodes += _subquery(part, scope, apart)
        elif kind is exp.Window:
            nodes += _window(part, scope, apart)
        elif kind in WEIGHTS:
            nodes += WEIGHTS[kind]
        else:
            raise CheckFault(f"the work of {kind.__name__} is not known")
    return nodes


def _cast(cast: exp.Expr, scope: CostScope) -> int:
    """A constant is cast once."""
    if type(cast.this) is exp.Literal:
        return 0
    texts = Family.TEXT in (of_type(cast.args["to"]), scope.family(cast.this))
    return TEXT_CAST if texts else WEIGHTS[type(cast)]


def _window(window: exp.Expr, scope: CostScope, apart: list[QueriesCost]) -> int:
    """A window sorts its rows; one whose frame moves may be added up anew for each row."""
    order = window.args.get("order")
    parts = [*(window.args.get("partition_by") or []), *([] if order is None else [o.this for o in order.expressions])]
    within = sum([nodes_of(part, scope, apart) for part in (window.this, *parts)])
    again = _frame(window.args.get("spec"), scope.rows) if type(window.this) in AGGREGATES else 0
    return within + SORTED + again * OPERATION


def _frame(spec: exp.Expr | None, rows: int) -> int:
    """How many rows a frame holds that does not begin with the first of its partition."""
    if spec is None or spec.args.get("start") == "UNBOUNDED":
        return 0
    ends = [spec.args.get(name) for name in ("start", "end")]
    lengths = [0 if end in (None, "CURRENT ROW") else integer(end) for end in ends]
    known = [length for length in lengths if length is not None]
    return min(rows, sum(known) + 1) if len(known) == len(ends) else rows


def _subquery(node: exp.Expr, scope: CostScope, apart: list[QueriesCost]) -> int:
    """EXISTS (…) or (SELECT …): for each row what is correlated to it, for all together what is not."""
    inner = scope.context.query(node.this, scope.sources, scope.context)
    if not is_correlated(node, scope.sources):
        apart.append(QueriesCost(inner.work, 0, 0, (), 0, inner.scans, inner.most, inner.whole))
        return OPERATION
    if type(node) is exp.Exists and is_looked_up(node.this, scope.sources, scope.context):
        met, whole = inner.widest if inner.private else (), inner.whole + inner.all_rows * HASHED
        apart.append(QueriesCost(inner.work + inner.rows * HASHED, 0, 0, met, 0, inner.scans, inner.most, whole))
        return HASHED
    if inner.private and reads_units_alone(node.this, scope.context):
        found = QueriesCost(0, inner.work, inner.whole, inner.widest, inner.scans, 0, inner.most, inner.whole)
        apart.append(found)
        return OPERATION
    apart.append(QueriesCost(0, 0, 0, inner.widest, inner.scans, 0, inner.most, inner.whole))
    return OPERATION + inner.work


def evaluated(each: Cost, rows: int) -> int:
    """The nodes of evaluating it for so many rows of a unit."""
    return rows * (each.nodes + each.queries.of_unit) + each.queries.once


def evaluated_for_all(each: Cost, all_rows: int, rows: int) -> int:
    """The nodes of evaluating it for the rows of all units, of each of which there are `rows` at most.

    Claim: no more. Because: a row meets those of its own unit in a query over private rows alone, so that what is done
    with one of these is done once for each of `rows`, at most. Checked by: tests/test_work.py.
    """
    queries = each.queries
    within = min(all_rows * queries.of_unit, max(1, rows) * queries.of_units)
    return all_rows * each.nodes + within + queries.once + queries.whole


def scanned(each: Cost, rows: int) -> int:
    """The scans of private tables for so many rows."""
    return rows * each.queries.scans + each.queries.scans_once

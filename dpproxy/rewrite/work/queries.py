"""A query: a SELECT of any form that bounded texts have, or a set operation."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from dpproxy.rewrite.checker.fault import CheckFault
from dpproxy.rewrite.checker.released import is_released
from dpproxy.rewrite.checker.syntax import SET_OPERATIONS
from dpproxy.rewrite.work.counted import Cell, Counted, Outer, WorkContext, as_rows, given, no_sets, none_twice, widest
from dpproxy.rewrite.work.joins import read_rows
from dpproxy.rewrite.work.selects import shaped
from dpproxy.rewrite.work.sources import read_arrays
from dpproxy.rewrite.work.weights import HASHED, SCANNED


def read_query(query: exp.Expr, outer: Outer, context: WorkContext) -> Counted:
    """What is counted of a query's rows. Raises CheckFault for a form that is not known."""
    if type(query) in SET_OPERATIONS:
        return _set_operation(query, outer, context)
    if type(query) is exp.Subquery and not query.alias:
        return read_query(query.this, outer, context)
    if type(query) is not exp.Select:
        raise CheckFault(f"the work of {type(query).__name__} is not known")
    if is_released(query):
        return read_arrays(query, context)
    if query.args.get("with_"):
        return _sharing(query, context)
    return shaped(query, *read_rows(query, outer, context))


def _sharing(query: exp.Select, context: WorkContext) -> Counted:
    """WITH: what is made once is counted once, and scanned wherever it is read. Queries over it are alike in texts
    whose rows are not: nobody remembers those."""
    (shared,) = query.args["with_"].expressions
    rows = read_query(shared.this, {}, context)
    again = replace(rows, work=rows.rows * SCANNED, scans=0, whole=rows.all_rows * SCANNED)
    around = replace(context, query=read_query, shared={shared.alias: again})
    found = shaped(query, *read_rows(query, {}, around))
    return replace(
        found,
        widest=widest((found.widest, rows.widest)),
        work=found.work + rows.work,
        most=max(found.most, rows.most),
        scans=found.scans + rows.scans,
        whole=found.whole + rows.whole,
    )


def _set_operation(node: exp.Expr, outer: Outer, context: WorkContext) -> Counted:
    """UNION has the rows of both sides, INTERSECT and EXCEPT those of the left one at most."""
    left, right = (read_query(side, outer, context) for side in (node.this, node.expression))
    union, distinct = type(node) is exp.Union, bool(node.args.get("distinct"))
    private, rows = left.private or right.private, left.rows + right.rows if union else left.rows
    pairs = zip(left.columns.items(), right.columns.values(), strict=True)
    columns = {name: _either(one, other) for (name, one), other in pairs}
    product = widest((left.product, right.product)) if union else left.product
    product = product if private else as_rows((*left.product, *right.product), rows)
    steps = SCANNED + (HASHED if distinct or not union else 0)
    return replace(
        left,
        private=private,
        rows=rows,
        columns=columns,
        product=product,
        widest=widest((product, left.widest, right.widest)),
        work=left.work + right.work + (left.rows + right.rows) * steps,
        most=max(left.most, right.most, rows if private else 0),
        scans=left.scans + right.scans,
        all_rows=left.all_rows + right.all_rows if union else left.all_rows,
        whole=left.whole + right.whole + (left.all_rows + right.all_rows) * steps,
        units=left.units + right.units if union else left.units,
        unique=left.unique if not union else given(none_twice(columns, columns)) if distinct else no_sets,
        decides=no_sets if union else left.decides,
    )


def _either(one: Cell, other: Cell) -> Cell:
    """A column with the values of both sides."""
    return Cell(max(one.cost, other.cost), one.family if one.family is other.family else None, one.key and other.key)

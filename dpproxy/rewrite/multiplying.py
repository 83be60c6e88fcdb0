"""Where in the analyst's text stands what multiplies a private row, and by what it is joined: for a refusal alone.

What was counted is of the final texts, and names the tables and lists that it found there (a `Factor` of the plan). Of
several of one name the last is pointed to, which is the one too many.

Checked by: tests/test_fixtures.py, tests/test_work.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import exp

from dpproxy.catalog.policy import Catalog
from dpproxy.plan.work import Factor
from dpproxy.rewrite.calculus.constant_rows import constant_rows
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.expressions.trees.position import position
from dpproxy.rewrite.reading.constants import CONSTANTS
from dpproxy.rewrite.work import RELEASED_ROWS, listed


def place(tree: exp.Query, product: Sequence[Factor], context: PlanningContext) -> int | None:
    """The position of the item of FROM with the most rows of a product; where none is known, or where rows of a unit
    multiply one another (an empty product), that of the first item of the longest FROM."""
    found = dict(_sources(tree, context))
    for factor in sorted(product, key=lambda each: -each.rows):
        # Of rows that several things made together, any.
        at = next((found[name] for name in (factor.name, *factor.name.split(", ")) if name in found), None)
        if at is not None:
            return at
    selects = [select for select in tree.find_all(exp.Select) if select.args.get("from_") is not None]
    longest = max(selects, key=lambda each: len(each.args.get("joins") or []), default=None)
    return None if longest is None else position(longest.args["from_"].this)


def joined_on(tree: exp.Query, name: str, context: PlanningContext) -> tuple[str, ...]:
    """The columns of a public table that the text compares with a column of another source, in its order."""
    found = {node.alias_or_name: known for node in tree.find_all(exp.Table) if (known := _name(node, context))}
    pairs = [(each.this, each.expression) for each in tree.find_all(exp.EQ)]
    return tuple(
        dict.fromkeys(
            one.name
            for pair in pairs
            for one, other in (pair, pair[::-1])
            if isinstance(one, exp.Column) and isinstance(other, exp.Column) and one.table != other.table
            if found.get(one.table) == name
        )
    )


def _sources(tree: exp.Query, context: PlanningContext) -> Iterator[tuple[str, int]]:
    """The names of what stands in FROM, as factors have them, in the order of the text."""
    nodes = [
        *tree.find_all(exp.Table),
        *(each for each in tree.find_all(exp.Subquery, exp.CTE) if _releases(each, context)),
    ]
    placed = [(at, node) for node in nodes if (at := position(node)) is not None]
    for at, node in sorted(placed, key=lambda each: each[0]):
        name = _name(node, context)
        if name is not None:
            yield name, at


def _name(node: exp.Expr, context: PlanningContext) -> str | None:
    if not isinstance(node, exp.Table):
        return RELEASED_ROWS
    if node.db == CONSTANTS:
        return listed(constant_rows(context.constants[int(node.name)], context).most or 0)
    own = next((table for table in context.tables if (table.schema, table.name) == (node.db, node.name)), None)
    known = context.catalog.table(node.db or None, node.name)
    return str(own) if own is not None else None if known is None else known.name


def _releases(node: exp.Expr, context: PlanningContext) -> bool:
    """Whether a derived table or a CTE aggregates private rows."""
    select = node.this
    if not isinstance(select, exp.Select):
        return False
    aggregated = select.args.get("group") is not None or any(item.find(exp.AggFunc) for item in select.expressions)
    return aggregated and any(_is_private(table, context.catalog) for table in select.find_all(exp.Table))


def _is_private(table: exp.Table, catalog: Catalog) -> bool:
    known = catalog.table(table.db or None, table.name)
    return known is not None and not known.public

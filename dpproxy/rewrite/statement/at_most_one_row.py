"""Whether LEFT JOIN adds one row at most to each, by a key of what is added.

Checked by: tests/test_met_once.py.
"""

from __future__ import annotations

from sqlglot import exp

from dpproxy.catalog.policy import Catalog
from dpproxy.catalog.types import Family
from dpproxy.rewrite.expressions import conjuncts
from dpproxy.rewrite.statement.branches import EXACT, table_of
from dpproxy.rewrite.statement.plain_joins import sources_of


def adds_one(join: exp.Join, select: exp.Select, catalog: Catalog) -> bool:
    """Whether it adds one row at most to each: columns that are proved unique in its table equal others.

    Because: no two rows of it have all the values that a row of the other sources has, compared without rounding.
    """
    table = table_of(join.this, catalog)
    return (
        table is not None
        and not join.this.args.get("sample")
        and table.proves_unique(*columns_met(join, select, catalog))
    )


def columns_met(join: exp.Join, select: exp.Select, catalog: Catalog) -> tuple[str, ...]:
    """The columns of what is added that equal a column of another source, compared without rounding."""
    alias = join.this.alias_or_name
    equal = [part for part in conjuncts(join.args.get("on")) if isinstance(part, exp.EQ)]
    ways = [way for part in equal for way in ((part.this, part.expression), (part.expression, part.this))]
    return tuple(
        own.name
        for own, told in ways
        if isinstance(own, exp.Column)
        and isinstance(told, exp.Column)
        and own.table == alias != told.table
        and family_of(own, select, catalog) in EXACT
        and family_of(own, select, catalog) is family_of(told, select, catalog)
    )


def family_of(node: exp.Expr, select: exp.Select, catalog: Catalog) -> Family | None:
    """The family of a column of a table of the policy in FROM; None of anything else."""
    if not isinstance(node, exp.Column):
        return None
    table = next((table_of(each, catalog) for each in sources_of(select) if each.alias_or_name == node.table), None)
    found = None if table is None else table.column(node.name)
    return None if found is None else found.type.family

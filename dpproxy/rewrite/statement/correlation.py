"""What a query reads of the queries around it. Aliases are unique in a statement, so they say whose a column is."""

from __future__ import annotations

from sqlglot import exp

from dpproxy.rewrite.calculus.relations import Cell


def own_aliases(query: exp.Expr) -> set[str]:
    """The aliases of all that stands in FROM inside of `query`, however deep."""
    found = query.find_all(exp.Table, exp.Subquery, exp.Lateral)
    return {node.alias_or_name for node in found if node.alias_or_name}


def aliases_read(node: exp.Expr) -> set[str]:
    """The aliases whose columns an expression or a query reads."""
    return {str(column.table) for column in node.find_all(exp.Column) if column.table}


def outer_reads(query: exp.Expr) -> frozenset[Cell]:
    """The columns of enclosing queries that a query reads."""
    own = own_aliases(query)
    cells = {(column.table, column.name) for column in query.find_all(exp.Column) if column.table}
    return frozenset(cell for cell in cells if cell[0] not in own)


def equality(part: exp.Expr, own: set[str]) -> tuple[exp.Expr, exp.Expr] | None:
    """Both sides of an equality of something of `own` with something outside, in that order; None for anything else."""
    if isinstance(part, exp.EQ):
        for inner, outer in ((part.this, part.expression), (part.expression, part.this)):
            if aliases_read(inner) and aliases_read(inner) <= own and not aliases_read(outer) & own:
                return inner, outer
    return None


def is_plain_group(group: exp.Expr) -> bool:
    """Whether a GROUP BY has keys alone, and no sets of them: the set of none has a row where there are no rows."""
    sets = any(isinstance(key, exp.GroupingSets | exp.Rollup | exp.Cube) for key in group.expressions)
    return not sets and not any(value for name, value in group.args.items() if name != "expressions")


def is_test(query: exp.Expr) -> bool:
    """Whether only its having rows is asked for, or their being among others."""
    return isinstance(around(query), exp.Exists | exp.In | exp.Any | exp.All)


def around(query: exp.Expr) -> exp.Expr | None:
    """What a query stands in, parentheses apart."""
    found = query.parent
    while isinstance(found, exp.Subquery | exp.Paren):
        found = found.parent
    return found

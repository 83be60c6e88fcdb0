"""LEFT JOIN … WHERE … IS NULL from public rows to private ones: rows without a partner, which NOT EXISTS asks for, too.

    asked   SELECT d.dept FROM departments d LEFT JOIN visits v ON v.dept = d.dept WHERE v.dept IS NULL
    made    SELECT d.dept FROM departments d WHERE NOT EXISTS (SELECT 1 FROM visits v WHERE v.dept = d.dept)

Checked by: tests/test_fixtures.py.
"""

from __future__ import annotations

from sqlglot import exp

from dpproxy.catalog.policy import Catalog, Table
from dpproxy.rewrite.expressions import conjuncts


def anti_joins(tree: exp.Query, catalog: Catalog) -> exp.Query:
    """The resolved tree, with NOT EXISTS in the place of such joins."""
    if not any(_absent(select, catalog) for select in tree.find_all(exp.Select)):
        return tree
    made = tree.copy()
    for select in list(made.find_all(exp.Select)):
        for join in _absent(select, catalog):
            ask_absent(select, join)
    return made


def _absent(select: exp.Select, catalog: Catalog) -> list[exp.Join]:
    """The last joins of FROM that are asked for by the absence of their rows alone."""
    from_, joins = select.args.get("from_"), list(select.args.get("joins") or [])
    if from_ is None or not _is_public(from_.this, catalog):
        return []
    found: list[exp.Join] = []
    for join in joins:
        if not _is_public(join.this, catalog):
            found.append(join)
    return found if all(is_absent(join, select, catalog) for join in found) else []


def is_absent(join: exp.Join, select: exp.Select, catalog: Catalog) -> bool:
    """Whether `select` keeps the rows without a row of a private table, and reads nothing else of it.

    Claim: then it is the same with NOT EXISTS. Because: a column that is tested for NULL has a value in each row that
    meets another: it is compared by = in ON, or has one in every row.
    """
    table, on = _table(join.this, catalog), join.args.get("on")
    if table is None or on is None or str(join.args.get("side") or "").upper() != "LEFT" or join.args.get("using"):
        return False
    alias = join.this.alias
    tests = [part for part in _where(select) if _tested(part, alias) is not None]
    inside = (on, *tests)
    read = [c for c in select.find_all(exp.Column) if c.table == alias]
    if not tests or any(not any(_is_in(column, part) for part in inside) for column in read):
        return False
    return all(_has_value(_tested(part, alias), table, on) for part in tests)


def _is_public(node: exp.Expr, catalog: Catalog) -> bool:
    table = _table(node, catalog)
    return table is not None and table.public


def _table(node: exp.Expr, catalog: Catalog) -> Table | None:
    is_plain = isinstance(node, exp.Table) and bool(node.db) and not node.args.get("sample")
    return catalog.table(node.db, node.name) if isinstance(node, exp.Table) and is_plain else None


def _where(select: exp.Select) -> list[exp.Expr]:
    where = select.args.get("where")
    return list(conjuncts(where.this if where is not None else None))


def _tested(part: exp.Expr, alias: str) -> exp.Column | None:
    """The column of `alias` that is to be NULL."""
    if not isinstance(part, exp.Is) or part.args.get("negate") or not isinstance(part.expression, exp.Null):
        return None
    return part.this if isinstance(part.this, exp.Column) and part.this.table == alias else None


def _has_value(column: exp.Column | None, table: Table, on: exp.Expression) -> bool:
    known = None if column is None else table.column(column.name)
    if known is None:
        return False
    equal = [part for part in conjuncts(on) if isinstance(part, exp.EQ)]
    return not known.nullable or any(column in (part.this, part.expression) for part in equal)


def _is_in(node: exp.Expr, part: exp.Expr) -> bool:
    around: exp.Expr | None = node
    while around is not None and around is not part:
        around = around.parent
    return around is part


def ask_absent(select: exp.Select, join: exp.Join) -> None:
    """NOT EXISTS in the place of the join and of its tests."""
    kept = [part for part in _where(select) if _tested(part, join.this.alias) is None]
    asked = exp.Select(
        expressions=[exp.Literal.number(1)],
        from_=exp.From(this=join.this),
        where=exp.Where(this=join.args["on"]),
    )
    absent = exp.Not(this=exp.Exists(this=asked))
    select.set("joins", [each for each in select.args["joins"] if each is not join])
    select.set("where", exp.Where(this=exp.and_(*kept, absent, copy=False)))

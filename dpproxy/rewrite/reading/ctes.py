"""The queries of WITH: which of them a name in FROM means, and those that are read.

Checked by: tests/test_fixtures.py (rewrite/recursion.sql, rewrite/swap.sql).
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp


def cte_of(table: exp.Table) -> exp.CTE | None:
    """The query of WITH that the name means: of an enclosing WITH, and defined before, or in one that is recursive."""
    if table.db:
        return None
    node: exp.Expr | None = table
    inside: exp.Expr | None = None
    while node is not None:
        if isinstance(node, exp.CTE):
            inside = node
        with_ = node.args.get("with_")
        for cte in [] if with_ is None else _visible(with_, inside):
            if cte.alias == table.name:
                return cte
        if not isinstance(node, exp.CTE | exp.With):
            inside = None
        node = node.parent
    return None


def _visible(with_: exp.With, inside: exp.Expr | None) -> list[exp.CTE]:
    ctes: list[exp.CTE] = with_.expressions
    before = next((index for index, cte in enumerate(ctes) if cte is inside), len(ctes))
    return ctes[: len(ctes) if with_.args.get("recursive") else before]


def ctes_around(node: exp.Expr) -> Iterator[exp.CTE]:
    """The queries of WITH in which a node stands."""
    above = node.find_ancestor(exp.CTE)
    while above is not None:
        yield above
        above = above.find_ancestor(exp.CTE)


def without_unread(tree: exp.Query) -> exp.Query:
    """The tree without queries of WITH that nothing reads, as Postgres does not run them either.

    So they need not be private, and nothing is released for them. The front has typed them before.
    """
    if tree.find(exp.With) is None:
        return tree
    read = _read(tree)
    if all(id(cte) in read for cte in tree.find_all(exp.CTE)):
        return tree
    made = tree.copy()
    read = _read(made)
    for with_ in list(made.find_all(exp.With)):
        keep(with_, [cte for cte in with_.expressions if id(cte) in read])
    return made


def named_columns(query: exp.Query) -> exp.Query:
    """The query with a derived table of all columns for `FROM q AS t(x, y)` of a query of WITH: sqlglot names these.

    In a recursive query the part that reads itself is left as it is.
    """
    if not any(map(_names_columns, query.find_all(exp.Table))):
        return query
    made = query.copy()
    for table in [each for each in made.find_all(exp.Table) if _names_columns(each)]:
        source = exp.Subquery(this=exp.Select(expressions=[exp.Star()]), alias=table.args["alias"])
        source.set("joins", table.args.get("joins"))
        table.set("alias", None)
        table.set("joins", None)
        table.replace(source)
        source.this.set("from_", exp.From(this=table))
    return made


def _names_columns(table: exp.Table) -> bool:
    cte = cte_of(table) if table.alias_column_names else None
    return cte is not None and all(around is not cte for around in ctes_around(table))


def reads_itself(cte: exp.CTE) -> bool:
    """Whether it is recursive."""
    return any(cte_of(table) is cte for table in cte.this.find_all(exp.Table))


def keep(with_: exp.With, ctes: list[exp.CTE]) -> None:
    """Leave these alone in a WITH, which goes where there are none."""
    with_.set("expressions", ctes)
    if not ctes and with_.parent is not None:
        with_.parent.set("with_", None)


def _read(tree: exp.Query) -> set[int]:
    """The identities of those that are read, by the query itself or by others that are."""
    meant = [
        (cte, [id(each) for each in ctes_around(table)]) for table in tree.find_all(exp.Table) if (cte := cte_of(table))
    ]
    read: set[int] = set()
    while more := {id(cte) for cte, around in meant if read.issuperset(around)} - read:
        read |= more
    return read

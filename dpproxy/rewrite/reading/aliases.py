"""Make the aliases of a statement's sources unique, so that a column's table says where it is from, wherever it stands.

What SQL lets a nested query call by the same name gets a number; names of columns and of results stay.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlglot import exp

from dpproxy.rewrite.shown import numbered

Renamed = Mapping[str, str]
OURS = "dpproxy"


def unique_aliases(tree: exp.Query) -> exp.Query:
    """The qualified tree, with no alias of FROM twice. The first to have it keeps it."""
    aliases = list(_aliases(tree))
    if len(set(aliases)) == len(aliases) and not any(alias.startswith(OURS) for alias in aliases):
        return tree
    made = tree.copy()
    _query(made, {}, set())
    return made


def _aliases(tree: exp.Query) -> Iterator[str]:
    """The aliases of all that stands in FROM; subqueries of expressions have none."""
    for node in tree.find_all(exp.Table, exp.Subquery, exp.Lateral):
        name = node.alias_or_name
        if name or isinstance(node.parent, exp.From | exp.Join):
            yield name


def _query(node: exp.Expr, outer: Renamed, taken: set[str]) -> None:
    with_ = node.args.get("with_")
    for cte in with_.expressions if with_ is not None else ():
        _query(cte.this, {}, taken)
    if not isinstance(node, exp.Select):
        for part in (node.this, node.args.get("expression")):
            if isinstance(part, exp.Query):
                _query(part, outer, taken)
        return
    own = dict(outer)
    from_ = node.args.get("from_")
    sources = ([from_.this] if from_ is not None else []) + [join.this for join in node.args.get("joins") or []]
    for source in sources:
        _source(source, outer, own, taken)
    skipped = {id(with_), *(id(source) for source in sources)}
    alike = _alike(node)
    for part in node.iter_expressions():
        _expression(part, own, skipped, taken)
    for place, item in alike:
        place.replace(item.unalias().copy())


def _alike(select: exp.Select) -> list[tuple[exp.Expr, exp.Expr]]:
    """The keys of GROUP BY with a query in them, each with the item that is written alike: they stay so."""
    group = select.args.get("group")
    keys = [key for key in (group.expressions if group is not None else []) if key.find(exp.Query) is not None]
    return [(key, item) for key in keys for item in select.expressions if item.unalias() == key][: len(keys)]


def _source(source: exp.Expr, outer: Renamed, own: dict[str, str], taken: set[str]) -> None:
    if isinstance(source, exp.Subquery) and isinstance(source.this, exp.Table):
        _source(source.this, outer, own, taken)
        return
    for join in source.args.get("joins") or []:
        _source(join.this, outer, own, taken)
    if isinstance(source, exp.Subquery):
        _query(source.this, outer, taken)
    elif isinstance(source, exp.Lateral):
        # It sees what stands before it.
        _expression(source.this, own, set(), taken)
    name, number = source.alias_or_name, 2
    fresh = f"a_{name}" if name.startswith(OURS) else name
    while fresh in taken:
        fresh, number = numbered(name, number), number + 1
    taken.add(fresh)
    own[name] = fresh
    if fresh != name:
        columns = source.args["alias"].args.get("columns") if source.args.get("alias") else None
        source.set("alias", exp.TableAlias(this=exp.to_identifier(fresh, quoted=True), columns=columns))


def _expression(node: exp.Expr, names: Renamed, skipped: set[int], taken: set[str]) -> None:
    if id(node) in skipped:
        return
    if isinstance(node, exp.Query):
        _query(node, names, taken)
    elif isinstance(node, exp.Column):
        if names.get(node.table, node.table) != node.table:
            node.set("table", exp.to_identifier(names[node.table], quoted=True))
    elif isinstance(node, exp.TableColumn):
        if names.get(node.name, node.name) != node.name:
            node.set("this", exp.to_identifier(names[node.name], quoted=True))
    else:
        for part in node.iter_expressions():
            _expression(part, names, skipped, taken)

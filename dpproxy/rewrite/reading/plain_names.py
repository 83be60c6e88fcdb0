"""Bind the names of a plain statement: of tables and derived tables, whose names mean one column each and no result.

    asked   SELECT sex, count(*) AS n FROM people p WHERE age > 30 GROUP BY sex ORDER BY n
    bound   SELECT p.sex AS sex, count(*) AS n FROM people p WHERE p.age > 30 GROUP BY p.sex ORDER BY n

Claim: what is bound here is what sqlglot's `qualify` would make of it. Because: a name that is of no result is bound to
the one source that has it, of its own SELECT, or else of the next one around it that an expression sees; a name of a
result alone in ORDER BY stays; and of what sqlglot does beside it (`*`, USING, places in GROUP BY and ORDER BY, whole
rows, names for columns in FROM, WITH) there is nothing. Most statements are plain, and it is a tenth of the time.
Checked by: tests/test_plain_names.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from dpproxy.rewrite.reading.aliases import OURS, unique_aliases

# What makes a statement another one than plain, wherever it stands in it.
_OTHERS: Final[frozenset[type[exp.Expr]]] = frozenset(
    {exp.With, exp.Lateral, exp.Unnest, exp.Values, exp.Pivot, exp.Dot, exp.Aliases, exp.TableColumn}
)
# Clauses in which a name of a SELECT around has to be written with its table.
_APART: Final = (exp.Having, exp.Order, exp.Distinct)
Known = Mapping[tuple[str, str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class _Scope:
    """What the expressions of a SELECT see: its sources, by alias, with the names of their columns.

    results: the names of its results. around: the SELECT whose rows it is for; None where there is none.
    """

    sources: Mapping[str, tuple[exp.Identifier, Sequence[str]]]
    results: frozenset[str]
    around: exp.Select | None


def bound_plainly(query: exp.Query, nodes: Sequence[exp.Expr], known: Known) -> exp.Query | None:
    """The labelled query, edited, with no alias twice; None, and nothing edited, where it is not plain.

    nodes: all of its own.
    """
    if not _is_plain(nodes):
        return None
    scopes: dict[int, _Scope] = {}
    for select in nodes:
        if type(select) is exp.Select:
            scope = _scope(select, known)
            if scope is None:
                return None
            scopes[id(select)] = scope
    aliases = frozenset(alias for scope in scopes.values() for alias in scope.sources)
    found: list[tuple[exp.Column, exp.Identifier]] = []
    for column in nodes:
        if type(column) is exp.Column and not _is_result(column):
            alias = None if column.name in aliases else _alias(column, scopes)
            if alias is None:
                return None
            found.append((column, alias))
    for column, alias in found:
        if not column.args.get("table"):
            column.set("table", exp.Identifier(this=alias.this, quoted=True))
            column.args["table"]._meta = alias._meta
    for select in nodes:
        if type(select) is exp.Select:
            select.set("expressions", [_named(item) for item in select.expressions])
    once = sum(len(scope.sources) for scope in scopes.values()) == len(aliases)
    return query if once and not any(alias.startswith(OURS) for alias in aliases) else unique_aliases(query)


def _is_plain(nodes: Sequence[exp.Expr]) -> bool:
    if not _OTHERS.isdisjoint(map(type, nodes)):
        return False
    if any(type(node) is exp.Star and type(node.parent) is not exp.Count for node in nodes):
        return False
    return not any(isinstance(node, exp.SetOperation) and node.args.get("order") for node in nodes)


def _scope(select: exp.Select, known: Known) -> _Scope | None:
    """None for a SELECT that is not plain by itself."""
    joins = select.args.get("joins") or []
    group, distinct, order = (select.args.get(name) for name in ("group", "distinct", "order"))
    if any(join.args.get("using") or join.args.get("method") for join in joins):
        return None
    if group is not None and any(isinstance(key, exp.Literal) for key in group.expressions):
        return None
    results = frozenset([item.alias for item in select.expressions if isinstance(item, exp.Alias)])
    if order is not None and not _is_by_results(order, select):
        return None
    from_ = select.args.get("from_")
    parts = [] if from_ is None else [from_.this, *(join.this for join in joins)]
    sources = {part.alias: (part.args["alias"].this, _columns(part, known)) for part in parts if part.alias}
    if len(sources) < len(parts) or not all(columns for _, columns in sources.values()):
        return None
    if distinct is not None and distinct.args.get("on"):
        return None
    return _Scope(sources, results, _around(select))


def _is_by_results(order: exp.Expr, select: exp.Select) -> bool:
    names = {item.alias_or_name for item in select.expressions}
    return all(_is_result(each.this) and each.this.name in names for each in order.expressions)


def _columns(source: exp.Expr, known: Known) -> Sequence[str]:
    """The names of a source's columns; none where it is not plain."""
    if type(source) is exp.Table:
        return known[source.db, source.name]
    query = source.this
    while isinstance(query, exp.SetOperation):
        query = query.this
    if type(query) is not exp.Select or source.alias_column_names:
        return ()
    names = [item.alias_or_name for item in query.expressions]
    return names if len(set(names)) == len(names) else ()


def _around(select: exp.Select) -> exp.Select | None:
    """The SELECT in whose expressions it stands; none for a derived table, which sees no rows."""
    above = select.parent
    while isinstance(above, exp.SetOperation):
        above = above.parent
    if above is None or (type(above) is exp.Subquery and isinstance(above.parent, exp.From | exp.Join)):
        return None
    return above.find_ancestor(exp.Select)


def _is_result(column: exp.Expr) -> bool:
    """Whether it is a name alone in the ORDER BY of a SELECT, without a table."""
    above = column.parent
    if type(column) is not exp.Column or type(above) is not exp.Ordered or column.table:
        return False
    return above.parent is not None and type(above.parent.parent) is exp.Select


def _alias(column: exp.Column, scopes: Mapping[int, _Scope]) -> exp.Identifier | None:
    """The alias of the one source that has the column; None where it is not as plain as that."""
    name, table, select = column.name, column.table, column.find_ancestor(exp.Query)
    nearer: set[str] = set()
    while type(select) is exp.Select and not column.db:
        scope = scopes[id(select)]
        if table in scope.sources:
            alias, columns = scope.sources[table]
            return alias if name in columns else None
        if not table and name in scope.results:
            return None
        having = [alias for alias, columns in scope.sources.values() if name in columns and not table]
        if having:
            return having[0] if len(having) == 1 and having[0].name not in nearer else None
        if not isinstance(column.find_ancestor(exp.Query, *_APART), exp.Query):
            return None
        nearer.update(scope.sources)
        select = scope.around
    return None


def _named(item: exp.Expr) -> exp.Expr:
    """An item with its name: all but columns have theirs already."""
    if not isinstance(item, exp.Column):
        return item
    return exp.Alias(this=item, alias=exp.Identifier(this=item.name, quoted=True))

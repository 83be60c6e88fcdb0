"""Derived tables of rows of several units are put into the SELECT that reads them: Q7 and Q8 of TPC-H are written so,
and questions joined with answers.

    asked    SELECT t.k, sum(t.x) FROM (SELECT a.k, a.x * b.y AS x FROM a, b WHERE a.i = b.i) AS t GROUP BY t.k
    read     SELECT a.k, sum(a.x * b.y) FROM a CROSS JOIN b WHERE a.i = b.i GROUP BY a.k

Claim: both have the same rows. Because: the table selects, computes and filters rows alone, and is joined by an inner
join: its conditions and those of that join may be asked of the joined rows.
Checked by: tests/test_fixtures.py, tests/test_pair_neighbours.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sqlglot import exp

from dpproxy.catalog.policy import Catalog
from dpproxy.rewrite.calculus.aggregates_of import is_aggregating
from dpproxy.rewrite.calculus.expanded_size import MOST_NODES, too_large
from dpproxy.rewrite.reading.aliases import unique_aliases
from dpproxy.rewrite.reading.ctes import cte_of, keep, without_unread
from dpproxy.rewrite.statement.strangers_meet import strangers_meet

_PLAIN = frozenset({"expressions", "from_", "joins", "where"})
_OPERATORS = (exp.Binary, exp.Unary, exp.Between, exp.In)
_MOST_PUT = 10 * MOST_NODES
_MOST_READ = 20
"""Queries of WITH that read each other."""
_ATOMS = (exp.Column, exp.Paren, exp.Cast)


def inlined(tree: exp.Query, catalog: Catalog) -> exp.Query:
    """The resolved tree, with no such table."""
    several = are_several(private_tables(tree, catalog), catalog)
    if not several and not any(_meet(each, catalog) for each in tree.find_all(exp.Select)):
        return tree
    made = _written_out(tree.copy(), catalog)
    for select in reversed(list(made.find_all(exp.Select))):
        _inline(select, catalog)
    return without_unread(made)


def _written_out(tree: exp.Query, catalog: Catalog) -> exp.Query:
    """The tree, changed: queries of WITH that are read several times stand wherever rows of several units read them."""
    for _ in range(_MOST_READ):
        found = [
            holder.this
            for select in tree.find_all(exp.Select)
            if _is_of_several(select, catalog)
            for holder in _holders(select)
            if _inner(holder.this) is None and _chosen(holder.this) is not None
        ]
        if not found:
            break
        for node in found:
            cte = cte_of(node)
            assert cte is not None, "else it stands there"
            alias = exp.TableAlias(this=exp.to_identifier(node.alias_or_name, quoted=True))
            node.replace(exp.Subquery(this=cte.this.copy(), alias=alias))
    return unique_aliases(tree).copy()  # what a pass was given stays as it is


def _is_of_several(select: exp.Select, catalog: Catalog) -> bool:
    """Whether its rows belong to several units, if derived tables are what they choose from."""
    nodes = [holder.this for holder in _holders(select)]
    read = [name for node in nodes for name in private_tables(_chosen(node) or node, catalog)]
    return are_several(read, catalog) or _meet(select, catalog)


def private_tables(node: exp.Expr, catalog: Catalog) -> list[str]:
    """The private tables below a node."""
    found = [catalog.table(each.db, each.name) for each in node.find_all(exp.Table) if each.db]
    return [table.name for table in found if table is not None and table.units]


def are_several(tables: Sequence[str], catalog: Catalog) -> bool:
    """Whether their rows belong to several units."""
    ways = any(catalog.tables[name].ways for name in tables)
    return ways or len({unit for name in tables for unit in catalog.tables[name].units}) > 1


def _meet(select: exp.Select, catalog: Catalog) -> bool:
    return strangers_meet(select, _chosen, catalog)


def _inline(select: exp.Select, catalog: Catalog) -> None:
    """Put the derived tables of FROM into it, where its rows belong to several units then."""
    nodes = [holder.this for holder in _holders(select)]
    found = {id(node): inner for node in nodes if (inner := _inner(node)) is not None}
    read = [name for node in nodes for name in private_tables(found.get(id(node), node), catalog)]
    if (
        not found
        or not (are_several(read, catalog) or _meet(select, catalog))
        or any(_keeps_right(join) for join in select.args.get("joins") or [])
    ):
        return
    for holder in list(_holders(select)):
        if id(holder.this) in found and not _side(holder) and not holder.args.get("using"):
            _put(select, holder, found[id(holder.this)])


def _holders(select: exp.Select) -> Iterator[exp.Expr]:
    """FROM and the joins."""
    if select.args.get("from_") is not None:
        yield select.args["from_"]
    yield from select.args.get("joins") or []


def _inner(node: exp.Expr) -> exp.Select | None:
    """The SELECT that a derived table is, or a query of WITH that is read once."""
    cte = cte_of(node) if isinstance(node, exp.Table) else None
    if cte is not None and [cte_of(each) for each in _whole(cte).find_all(exp.Table)].count(cte) != 1:
        return None
    return _chosen(node)


def _chosen(node: exp.Expr) -> exp.Select | None:
    """The same, however often it is read; None where it does more than to choose rows and to compute of each."""
    cte = cte_of(node) if isinstance(node, exp.Table) else None
    inner = node.this if isinstance(node, exp.Subquery) else None if cte is None else cte.this
    if not isinstance(inner, exp.Select) or not node.alias_or_name or node.args["alias"].columns:
        return None
    if any(value for name, value in inner.args.items() if name not in _PLAIN) or is_aggregating(inner):
        return None
    if any(_keeps_right(join) for join in inner.args.get("joins") or []) or inner.find(exp.Window):
        return None
    return inner if inner.args.get("from_") is not None else None


def _whole(cte: exp.CTE) -> exp.Expr:
    """The whole statement that a query of WITH is in."""
    node: exp.Expr = cte
    while node.parent is not None:
        node = node.parent
    return node


def _side(join: exp.Expr) -> str:
    return str(join.args.get("side") or "").upper()


def _keeps_right(join: exp.Expr) -> bool:
    """Whether rows that meet nothing of what stands before are kept, or the join is none of the usual ones."""
    usual = str(join.args.get("kind") or "").upper() in ("", "INNER", "CROSS", "OUTER") and not join.args.get("method")
    return _side(join) in ("RIGHT", "FULL") or not usual or isinstance(join.this, exp.Lateral)


def _put(select: exp.Select, holder: exp.Expr, inner: exp.Select) -> None:
    """What the table is made of goes in its place in FROM, and its expressions where its columns are read."""
    node = holder.this
    _read_as(select, node.alias_or_name, {item.alias_or_name: item.unalias() for item in inner.expressions})
    on = holder.args.get("on")
    conditions = [part.args["where"] for part in (select, inner) if part.args.get("where") is not None]
    kept = [*(part.this for part in conditions), *([on] if on is not None else [])]
    joins = list(select.args.get("joins") or [])
    place = 0 if isinstance(holder, exp.From) else joins.index(holder) + 1
    added = list(inner.args.get("joins") or [])
    cte = cte_of(node) if isinstance(node, exp.Table) else None
    holder.set("this", inner.args["from_"].this)
    if isinstance(holder, exp.Join):
        holder.set("on", None)
        holder.set("kind", "CROSS")
    select.set("joins", [*joins[:place], *added, *joins[place:]])
    select.set("where", exp.Where(this=exp.and_(*kept)) if kept else None)
    if cte is not None:
        with_ = cte.parent
        assert isinstance(with_, exp.With)
        keep(with_, [each for each in with_.expressions if each is not cte])


def _read_as(select: exp.Select, alias: str, items: Mapping[str, exp.Expr]) -> None:
    """Put expressions in the place of the columns of a source. Raises FeatureNotSupported where they grow too large: on
    each of several levels they may do so by as much again."""
    columns = [each for each in select.find_all(exp.Column) if each.table == alias]
    sizes = {name: sum(1 for _ in item.walk()) for name, item in items.items()}
    if sum(sizes[column.name] for column in columns) > _MOST_PUT:
        raise too_large(columns[0])
    for column in columns:
        value = _typed(items[column.name].copy())
        inside = isinstance(column.parent, _OPERATORS) and not isinstance(value, _ATOMS)
        column.replace(exp.Paren(this=value) if inside else value)


def _typed(value: exp.Expr) -> exp.Expr:
    """A constant of its type: a number by itself would be a place in GROUP BY, and a text of any type."""
    if isinstance(value, exp.Null) or (isinstance(value, exp.Literal) and value.is_string):
        return exp.Cast(this=value, to=exp.DataType.build("text", dialect="postgres"))
    if not isinstance(value, exp.Literal):
        return value
    kind = "numeric" if not value.is_int else "integer" if int(value.name) < 2**31 else "bigint"
    return exp.Cast(this=value, to=exp.DataType.build(kind, dialect="postgres"))

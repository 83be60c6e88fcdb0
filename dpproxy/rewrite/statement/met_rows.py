"""The rows of a first private table below a SELECT, with numbers and sums of what each meets of others.

    FROM (SELECT p.id, p.kind, COALESCE(v.n, 0) AS votes, (SELECT count(*) FROM comments c WHERE c.post = p.id) AS said
          FROM posts p LEFT JOIN (SELECT post, count(*) AS n FROM votes GROUP BY post) AS v ON v.post = p.id) AS t
    JOIN kinds k ON k.kind = t.kind

has rows of p, each beside one of k, where t.votes is COALESCE(⟨0⟩, 0), ⟨0⟩ being how many votes p meets, and t.said is
⟨1⟩.

Claim: where there are such rows, those of the SELECT are the rows of the first table, each at most once, that meet
`where` and those of `stays`; what `values` says of a column is what it is there, where a column of PLACE stands for an
aggregate over the rows of `added`, with its `beside`, that meet this row: NULL of none, if it is not `sure`. Because: a
derived table that chooses rows and computes of each has those; one that is grouped by a key of its first table has each
of it once, as `stays` let it be; a LEFT JOIN of what is grouped by nothing but what is equal to a key adds one row at
most; and a scalar subquery is what its rows that meet come to.
Checked by: tests/test_strangers_apart.py (both forms in an engine), tests/test_fixtures.py (rewrite/strangers.sql).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from sqlglot import exp

from dpproxy.catalog.policy import Catalog
from dpproxy.rewrite.calculus.aggregates_of import aggregates, is_aggregating
from dpproxy.rewrite.calculus.joins import where_of
from dpproxy.rewrite.reading.ctes import cte_of
from dpproxy.rewrite.statement.branches import asked_of, call_of, table_of
from dpproxy.rewrite.statement.correlation import aliases_read, is_plain_group
from dpproxy.rewrite.statement.plain_joins import grouped, joins_of, side_of
from dpproxy.rewrite.statement.strangers_apart import (
    Branch,
    added_of,
    are_plain,
    branches_of,
    is_private,
    on_of,
    stays_one,
)

PLACE: Final = "dpproxy met"
_ASKING: Final = (exp.Subquery, exp.Exists, exp.In)
_CHOSEN: Final = frozenset({"expressions", "from_", "joins", "where"})
_GROUPED: Final = _CHOSEN | {"group"}


@dataclass(frozen=True, slots=True)
class Met:
    """An aggregate over the rows of one branch, which a place stands for. sure: whether it is 0 of none, and not
    NULL. is_key: whether the place stands for the key that the branch is met by, which is NULL of none; `value` is how
    many there are of it."""

    place: exp.Column
    value: exp.Expr
    sure: bool
    is_key: bool = False


@dataclass(frozen=True, slots=True)
class MetRows:
    """Rows of a first table. values: what columns of derived tables are, by (alias, name). tests: conditions of the
    rows about what they meet."""

    root: exp.Expr
    stays: tuple[exp.Join, ...] = ()
    branches: tuple[Branch, ...] = ()
    where: tuple[exp.Expr, ...] = ()
    values: Mapping[tuple[str, str], exp.Expr] | None = None
    met: tuple[Met, ...] = ()
    tests: tuple[exp.Expr, ...] = ()

    def added(self) -> tuple[exp.Join, ...]:
        """The joins by which others are met."""
        return tuple(branch.added for branch in self.branches)


def met_rows(select: exp.Select, catalog: Catalog) -> MetRows | None:
    """What FROM, its joins and WHERE have; None where it is not of these forms."""
    from_ = select.args.get("from_")
    rows = None if from_ is None else _source(from_.this, catalog)
    for join in joins_of(select):
        rows = None if rows is None else _joined(rows, join, catalog)
    if rows is None:
        return None
    rows, conditions = with_scalars(rows, list(where_of(select)), catalog)
    if any(part.find(exp.Query) is not None for part in conditions):
        return None
    tests = [part for part in conditions if is_met(part)]
    where = [part for part in conditions if part not in tests]
    return replace(rows, where=(*rows.where, *where), tests=(*rows.tests, *tests))


def read_in(node: exp.Expr, rows: MetRows) -> exp.Expr:
    """An expression, as one of the rows' tables and of places."""

    def read(part: exp.Expr) -> exp.Expr:
        found = (rows.values or {}).get((part.table, part.name)) if isinstance(part, exp.Column) else None
        if found is None:
            return part
        return found.copy() if isinstance(found, exp.Column | exp.Literal) else exp.Paren(this=found.copy())

    return node.copy().transform(read)


def is_met(node: exp.Expr) -> bool:
    """Whether it reads what is met."""
    return any(column.table == PLACE for column in node.find_all(exp.Column))


def with_scalars(rows: MetRows, nodes: Sequence[exp.Expr], catalog: Catalog) -> tuple[MetRows, list[exp.Expr]]:
    """The expressions, where places stand for scalar subqueries over others that a row meets, and for EXISTS of them,
    beside the rows with these."""
    made = []
    for node in nodes:
        replaced: dict[int, exp.Expr] = {}
        for query in node.find_all(*_ASKING):
            if (more := _asked(rows, query, catalog)) is not None:
                rows, value = more
                replaced[id(query)] = value
        made.append(read_in(_without(node, replaced), rows))
    return rows, made


def _without(node: exp.Expr, replaced: Mapping[int, exp.Expr]) -> exp.Expr:
    """A copy, with others in the place of some of its subqueries."""
    made = exp.Paren(this=node.copy())
    pairs = list(zip(node.find_all(*_ASKING), made.find_all(*_ASKING), strict=True))
    for here, there in pairs:
        if id(here) in replaced:
            there.replace(replaced[id(here)].copy())
    whole: exp.Expr = made.this
    whole.pop()
    return whole


def _source(node: exp.Expr, catalog: Catalog) -> MetRows | None:
    """The rows of an item of FROM, by which the others are."""
    if is_private(node, catalog):
        return MetRows(node.copy())
    inner = _inner(node)
    if inner is None:
        return None
    if inner.args.get("group") is not None:
        return _of_groups(inner, node.alias_or_name, catalog)
    if any(value and name not in _CHOSEN for name, value in inner.args.items()) or is_aggregating(inner):
        return None
    rows = None if inner.find(exp.Window) is not None else met_rows(inner, catalog)
    if rows is None:
        return None
    rows, items = with_scalars(rows, [item.unalias() for item in inner.expressions], catalog)
    values = {
        (node.alias_or_name, item.alias_or_name): value
        for item, value in zip(inner.expressions, items, strict=True)
        if value.find(exp.Query) is None
    }
    return replace(rows, values=values)


def _inner(node: exp.Expr) -> exp.Select | None:
    """The SELECT that a derived table is, or a query of WITH."""
    cte = cte_of(node) if isinstance(node, exp.Table) else None
    inner = node.this if isinstance(node, exp.Subquery) else None if cte is None else cte.this
    if not isinstance(inner, exp.Select) or not node.alias_or_name or node.args["alias"].columns:
        return None
    return inner if inner.args.get("from_") is not None else None


def _of_groups(inner: exp.Select, alias: str, catalog: Catalog) -> MetRows | None:
    """SELECT q.id, count(a.id) FROM q LEFT JOIN a … GROUP BY q.id."""
    joins, root = joins_of(inner), inner.args["from_"].this
    if any(value and name not in _GROUPED for name, value in inner.args.items()):
        return None
    if not is_plain_group(inner.args["group"]) or not is_private(root, catalog) or not are_plain(inner, joins):
        return None
    table, added = table_of(root, catalog), added_of(inner, catalog)
    keys = {key.name for key in grouped(inner) if isinstance(key, exp.Column) and key.table == root.alias_or_name}
    stays = [join for join in joins if join not in added]
    if table is None or not table.proves_unique(*keys) or not added:
        return None
    if not all(stays_one(join, catalog) for join in stays):
        return None
    asked = [node for node in dict.fromkeys(asked_of(inner)) if aliases_read(node)]
    found = {node: branches_of(inner, added, [node], catalog) for node in asked}
    met = {
        node: Met(_place(alias, f"{at}"), branches[0].met[0][1], isinstance(call_of(node), exp.Count))
        for at, (node, branches) in enumerate(found.items())
        if branches is not None
    }
    # What does not follow is nowhere: who reads it does not either.
    items = {(alias, item.alias_or_name): _with_places(item.unalias(), met) for item in inner.expressions}
    values = {cell: value for cell, value in items.items() if not aggregates(value)}
    return MetRows(
        root.copy(),
        tuple(join.copy() for join in stays),
        tuple(Branch(join.copy(), ()) for join in added),
        tuple(part.copy() for part in where_of(inner)),
        values,
        tuple(met.values()),
    )


def _with_places(item: exp.Expr, met: Mapping[exp.Expr, Met]) -> exp.Expr:
    """What is made of keys and aggregates, with places for these."""
    return item.copy().transform(lambda part: met[part].place.copy() if part in met else part)


def _joined(rows: MetRows, join: exp.Join, catalog: Catalog) -> MetRows | None:
    if side_of(join) not in ("", "LEFT") or join.args.get("using") or join.args.get("method"):
        return None
    on = [read_in(part, rows) for part in on_of(join)]
    if any(is_met(part) or part.find(exp.Query) is not None for part in on):
        return None
    if table_of(join.this, catalog) is not None:
        made = join.copy()
        made.set("on", exp.and_(*on) if on else None)
        outer = side_of(join) == "LEFT" and is_private(join.this, catalog)
        return replace(rows, stays=(*rows.stays, made)) if stays_one(made, catalog) and not outer else None
    inner = _inner(join.this)
    if inner is None or len(on) != 1:
        return None
    found = _with_groups(rows, inner, join.this.alias_or_name, on[0], catalog)
    if found is None or side_of(join) == "LEFT":
        return found
    there = exp.Not(this=exp.Is(this=found.met[len(rows.met)].place.copy(), expression=exp.Null()))
    return replace(found, tests=(*found.tests, there))


def _with_groups(rows: MetRows, inner: exp.Select, alias: str, on: exp.Expr, catalog: Catalog) -> MetRows | None:
    """… LEFT JOIN (SELECT a.parent, count(*) FROM a GROUP BY a.parent) AS t ON t.parent = q.id. The first of what is
    met more is the key."""
    keys = _keys_of(inner)
    if any(value and name not in {*_GROUPED, "distinct"} for name, value in inner.args.items()) or len(keys) != 1:
        return None
    sides = (on.this, on.expression) if isinstance(on, exp.EQ) else ()
    own = [side for side in sides if isinstance(side, exp.Column) and side.table != alias]
    keyed = [side for side in sides if isinstance(side, exp.Column) and side.table == alias]
    others = met_rows(inner, catalog)
    if others is None or others.branches or others.tests or len(own) != 1 or len(keyed) != 1:
        return None
    if own[0].table != rows.root.alias_or_name:
        return None
    key = read_in(keys[0], others)
    items = {item.alias_or_name: read_in(item.unalias(), others) for item in inner.expressions}
    if items.get(keyed[0].name) != key or not isinstance(key, exp.Column) or key.table != others.root.alias_or_name:
        return None
    branch = _branch(others, exp.EQ(this=key.copy(), expression=own[0].copy()))
    if branch is None:
        return None
    counts = {name: found for name, item in items.items() if (found := _told(item, key, others)) is not None}
    met = (
        Met(_place(alias, keyed[0].name), exp.Count(this=key.copy()), sure=False, is_key=True),
        *(Met(_place(alias, name), value, sure=False) for name, value in counts.items()),
    )
    names = (keyed[0].name, *counts)
    values = {**(rows.values or {}), **{(alias, name): each.place for name, each in zip(names, met, strict=True)}}
    return replace(rows, branches=(*rows.branches, branch), values=values, met=(*rows.met, *met))


def _keys_of(inner: exp.Select) -> Sequence[exp.Expr]:
    """What is there once each: DISTINCT is GROUP BY all that is selected."""
    distinct = inner.args.get("distinct")
    if distinct is None:
        return grouped(inner)
    told = [item.unalias() for item in inner.expressions]
    return [] if grouped(inner) or distinct.args.get("on") or is_aggregating(inner) else told


def _branch(others: MetRows, *on: exp.Expr) -> Branch | None:
    """What is added: the first table of the others, as far as conditions read it alone, and what stands beside it. None
    where a condition reads what may be missing."""
    beside = [join.copy() for join in others.stays]
    aliases = {join.this.alias_or_name for join in beside}
    later = [part for part in others.where if aliases_read(part) & aliases]
    first = [part for part in others.where if part not in later]
    if later and any(map(side_of, beside)):
        return None
    if later:
        beside[-1].set("on", exp.and_(*on_of(beside[-1]), *later))
    added = exp.Join(this=others.root.copy(), side="LEFT", on=exp.and_(*on, *first))
    return Branch(added, (), tuple(beside))


def _told(item: exp.Expr, key: exp.Column, others: MetRows) -> exp.Expr | None:
    """A number or sum of the others' rows, which is told of by their table; None of anything else."""
    # COALESCE(sum(x), 0) is NULL as well where nothing is joined.
    made = (item.this if _is_with_zero(item) else item).copy()
    call = call_of(made)
    if type(call) not in (exp.Count, exp.Sum) or isinstance(call.this, exp.Distinct) or made.find(exp.Query):
        return None
    if isinstance(call, exp.Count) and isinstance(call.this, exp.Star | exp.Literal):
        call.set("this", key.copy())
    aliases = {others.root.alias_or_name, *(join.this.alias_or_name for join in others.stays)}
    read = aliases_read(made)
    return made if read and read <= aliases else None


def _asked(rows: MetRows, node: exp.Expr, catalog: Catalog) -> tuple[MetRows, exp.Expr] | None:
    """The rows that meet also what is asked of there, and what stands in its place."""
    match node:
        case exp.Exists(this=inner):
            return _exists(rows, inner.this if isinstance(inner, exp.Subquery) else inner, catalog)
        case exp.In() if not _is_denied(node):
            return _exists(rows, _equal(node), catalog)
        case exp.Subquery() if not isinstance(node.parent, exp.Exists | exp.In):
            return _scalar(rows, node, catalog)
    return None


def _is_denied(node: exp.Expr) -> bool:
    """Whether NOT stands before it, which is NULL, and not true, where one of the others' values is."""
    around = node.parent
    while isinstance(around, exp.Paren):
        around = around.parent
    return isinstance(around, exp.Not)


def _equal(node: exp.In) -> exp.Expr | None:
    """What EXISTS would ask: x IN (SELECT y FROM t) is EXISTS (SELECT y FROM t WHERE y = x), if that is all."""
    query = node.args.get("query")
    inner = query.this if isinstance(query, exp.Subquery) else query
    if not isinstance(inner, exp.Select) or len(inner.expressions) != 1 or not isinstance(node.this, exp.Column):
        return None
    made, same = inner.copy(), exp.EQ(this=inner.expressions[0].unalias().copy(), expression=node.this.copy())
    made.set("where", exp.Where(this=exp.and_(*(part.copy() for part in where_of(inner)), same)))
    return made


def _scalar(rows: MetRows, query: exp.Subquery, catalog: Catalog) -> tuple[MetRows, exp.Expr] | None:
    """(SELECT count(*) FROM a WHERE a.parent = q.id): the rows that meet it too, and what stands in its place."""
    inner = query.this
    tied = _tied(rows, inner, catalog) if isinstance(inner, exp.Select) and len(inner.expressions) == 1 else None
    if tied is None:
        return None
    others, branch, key = tied
    item = read_in(inner.expressions[0].unalias(), others)
    value = _told(item, key, others)
    if value is None:
        return None
    place = _place(others.root.alias_or_name, "scalar")
    met = Met(place, value, sure=isinstance(call_of(value), exp.Count))
    told = exp.Coalesce(this=place.copy(), expressions=[exp.Literal.number(0)]) if _is_with_zero(item) else place.copy()
    return replace(rows, branches=(*rows.branches, branch), met=(*rows.met, met)), told


def _exists(rows: MetRows, inner: exp.Expr | None, catalog: Catalog) -> tuple[MetRows, exp.Expr] | None:
    """EXISTS (SELECT 1 FROM a WHERE a.parent = q.id): the rows that meet it too, and how many being above 0."""
    tied = _tied(rows, inner, catalog) if isinstance(inner, exp.Select) and not is_aggregating(inner) else None
    if tied is None:
        return None
    others, branch, key = tied
    met = Met(_place(others.root.alias_or_name, "exists"), exp.Count(this=key.copy()), sure=True)
    above = exp.GT(this=met.place.copy(), expression=exp.Literal.number(0))
    return replace(rows, branches=(*rows.branches, branch), met=(*rows.met, met)), exp.Paren(this=above)


def _tied(rows: MetRows, inner: exp.Select, catalog: Catalog) -> tuple[MetRows, Branch, exp.Column] | None:
    """The rows of a correlated subquery, what they add, and the column of these that is tied to the first table."""
    if any(value and name not in _CHOSEN for name, value in inner.args.items()):
        return None
    others = met_rows(inner, catalog)
    if others is None or others.branches or others.tests:
        return None
    conditions = [read_in(part, rows) for part in others.where]
    key = next((side for part in conditions for side in _own_side(part, rows, others)), None)
    if key is None or any(map(is_met, conditions)):
        return None
    branch = _branch(replace(others, where=tuple(conditions)))
    return None if branch is None else (others, branch, key)


def _is_with_zero(item: exp.Expr) -> bool:
    return isinstance(item, exp.Coalesce) and [each.name for each in item.expressions] == ["0"]


def _own_side(part: exp.Expr, rows: MetRows, others: MetRows) -> list[exp.Column]:
    """The column of the others that equals one of the rows' first table."""
    sides = (part.this, part.expression) if isinstance(part, exp.EQ) else ()
    columns = {side.table: side for side in sides if isinstance(side, exp.Column)}
    first, other = rows.root.alias_or_name, others.root.alias_or_name
    return [columns[other]] if columns.keys() == {first, other} else []


def _place(alias: str, name: str) -> exp.Column:
    return exp.column(exp.to_identifier(f"{alias}.{name}", quoted=True), table=exp.to_identifier(PLACE, quoted=True))

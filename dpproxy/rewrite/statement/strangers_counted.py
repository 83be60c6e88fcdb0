"""Totals and averages of how many rows of others each row meets are those of all that meet.

    asked   SELECT t.kind, avg(t.n), count(*) FROM (SELECT q.id, q.kind, count(a.id) AS n FROM posts q
            LEFT JOIN posts a ON a.parent = q.id GROUP BY q.id, q.kind) AS t GROUP BY t.kind
    or      SELECT q.kind, avg(COALESCE(t.n, 0)), count(*) FROM posts q LEFT JOIN
            (SELECT a.parent, count(*) AS n FROM posts a GROUP BY a.parent) AS t ON t.parent = q.id GROUP BY q.kind
    made    count(a.id) / count(*) of posts q LEFT JOIN posts a ON a.parent = q.id, taken apart (`strangers_apart`): the
            one of those that meet, and the other of q alone

Claim: both have the same rows. Because: what is grouped by settles a row of q, so that each row of t is one of q, with
the number or sum of what it meets; a total of these is that of all that meet, their average is it divided by how many
rows of q there are, and what reads nothing of others is asked of q alone.
Checked by: tests/test_strangers_apart.py (both forms in an engine), tests/test_fixtures.py (rewrite/strangers.sql).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from dpproxy.catalog.policy import Catalog
from dpproxy.rewrite.calculus.aggregates_of import above, substitute
from dpproxy.rewrite.calculus.joins import where_of
from dpproxy.rewrite.reading.aliases import unique_aliases
from dpproxy.rewrite.reading.ctes import cte_of, keep
from dpproxy.rewrite.statement.absent import adds_nothing, is_null
from dpproxy.rewrite.statement.branches import asked_of, call_of, table_of
from dpproxy.rewrite.statement.correlation import aliases_read, is_plain_group, own_aliases
from dpproxy.rewrite.statement.plain_joins import grouped, side_of
from dpproxy.rewrite.statement.read_apart import become
from dpproxy.rewrite.statement.strangers_apart import (
    Branch,
    Parts,
    added_of,
    are_plain,
    branches_of,
    is_private,
    on_of,
    settled,
    taken_apart,
)

_OUTER: Final = frozenset({"expressions", "from_", "where", "group", "having", "order", "limit", "with_"})
_INNER: Final = frozenset({"expressions", "from_", "joins", "where", "group"})
_BESIDE: Final = frozenset({"expressions", "from_", "where", "group"})


@dataclass(frozen=True, slots=True)
class _Flat:
    """The rows of both, and what columns of the derived table are there. derived: its alias; counts: those that are
    numbers or sums of what a row meets, as they are read; own: those that are a row's own. Others are not there."""

    derived: str
    root: exp.Expr
    added: tuple[exp.Join, ...]
    where: tuple[exp.Expr, ...]
    own: Mapping[exp.Expr, exp.Expr]
    counts: Mapping[exp.Expr, exp.Expr]


def strangers_counted(tree: exp.Query, catalog: Catalog) -> exp.Query:
    """The resolved tree, in which totals of what each row meets of others are those of all."""
    if not any(_made(select, catalog) for select in tree.find_all(exp.Select)):
        return tree
    made = tree.copy()
    taken = own_aliases(made)
    for select in list(made.find_all(exp.Select)):
        if (flat := _made(select, catalog)) is not None:
            _replace(select, flat, catalog, taken)
    return unique_aliases(made)


def _made(select: exp.Select, catalog: Catalog) -> _Flat | None:
    flat = _of_groups(select, catalog) or _of_joined(select, catalog)
    group = select.args.get("group")
    if flat is None or (group is not None and not is_plain_group(group)):
        return None
    asked = list(dict.fromkeys(asked_of(select)))
    beside = [*where_of(select), *grouped(select)]
    if any(_reads_counts(each, flat) for each in beside):
        return None
    if not asked or not settled(select, asked) or any(part.find(exp.Query, exp.Window) for part in above(select)):
        return None
    told = [_told(node, flat) for node in asked]
    return flat if None not in told and any(_reads_counts(node, flat) for node in asked) else None


def _of_groups(select: exp.Select, catalog: Catalog) -> _Flat | None:
    """SELECT … FROM (SELECT q.id, count(a.id) FROM q LEFT JOIN a … GROUP BY q.id) AS t."""
    from_ = select.args.get("from_")
    if from_ is None or any(value and name not in _OUTER for name, value in select.args.items()):
        return None
    inner = _read_once(from_.this)
    if inner is None or any(value and name not in _INNER for name, value in inner.args.items()):
        return None
    joins, root, group = list(inner.args.get("joins") or []), inner.args["from_"].this, inner.args.get("group")
    if not joins or group is None or not is_plain_group(group) or not are_plain(inner, joins):
        return None
    table, added = table_of(root, catalog), added_of(inner, catalog)
    keys = {key.name for key in grouped(inner) if isinstance(key, exp.Column) and key.table == root.alias_or_name}
    if table is None or table.public or not table.proves_unique(*keys) or len(added) != len(joins):
        return None
    items: dict[exp.Expr, exp.Expr] = {
        _read(item.alias_or_name, from_.this): item.unalias() for item in inner.expressions
    }
    branches = branches_of(inner, added, list(dict.fromkeys(asked_of(inner))), catalog)
    if branches is None:
        return None
    known = dict(pair for branch in branches for pair in branch.met)
    counts = {column: known[item] for column, item in items.items() if item in known}
    own = {column: item for column, item in items.items() if column not in counts}
    if not all(item in grouped(inner) for item in own.values()):
        return None
    shown, copied = from_.this.alias_or_name, tuple(join.copy() for join in added)
    return _Flat(shown, root, copied, tuple(where_of(inner)), own, counts)


def _of_joined(select: exp.Select, catalog: Catalog) -> _Flat | None:
    """SELECT … FROM q LEFT JOIN (SELECT a.parent, count(*) FROM a … GROUP BY a.parent) AS t ON t.parent = q.id."""
    from_, joins = select.args.get("from_"), list(select.args.get("joins") or [])
    if from_ is None or len(joins) != 1 or side_of(joins[0]) != "LEFT" or not is_private(from_.this, catalog):
        return None
    if any(value and name not in {*_OUTER, "joins"} for name, value in select.args.items()):
        return None
    inner, on = _read_once(joins[0].this), on_of(joins[0])
    if inner is None or any(value and name not in _BESIDE for name, value in inner.args.items()) or len(on) != 1:
        return None
    source, keys = inner.args["from_"].this, grouped(inner)
    table, sides = table_of(from_.this, catalog), _sides(on[0], from_.this, joins[0].this)
    if table is None or sides is None or len(keys) != 1 or not is_private(source, catalog):
        return None
    items = {_read(item.alias_or_name, joins[0].this): item.unalias() for item in inner.expressions}
    own, key = sides
    if items.get(key) != keys[0] or not isinstance(keys[0], exp.Column) or not table.proves_unique(own.name):
        return None
    conditions = [exp.EQ(this=keys[0].copy(), expression=own.copy()), *(part.copy() for part in where_of(inner))]
    added = exp.Join(this=source.copy(), side="LEFT", on=exp.and_(*conditions))
    alias = source.alias_or_name
    counts = {column: _of_rows(item, keys[0]) for column, item in items.items() if column != key}
    if not all(_is_count(item, alias) for item in counts.values()):
        return None
    flat = exp.Select(expressions=[exp.Literal.number(1)], from_=from_.copy(), joins=[added])
    if not are_plain(flat, [added]) or not added_of(flat, catalog):
        return None
    told = {_optional(column): item for column, item in counts.items()}
    return _Flat(joins[0].this.alias_or_name, from_.this, (added,), (), {}, told)


def _sides(on: exp.Expr, root: exp.Expr, joined: exp.Expr) -> tuple[exp.Column, exp.Column] | None:
    """The columns of the root and of what is joined that are equal."""
    if not isinstance(on, exp.EQ) or not isinstance(on.this, exp.Column) or not isinstance(on.expression, exp.Column):
        return None
    found = {on.this.table: on.this, on.expression.table: on.expression}
    own, key = found.get(root.alias_or_name), found.get(joined.alias_or_name)
    return None if own is None or key is None else (own, key)


def _of_rows(item: exp.Expr, key: exp.Column) -> exp.Expr:
    """COUNT(*) of what is there: the key is."""
    made = item.copy()
    call = call_of(made)
    if isinstance(call, exp.Count) and isinstance(call.this, exp.Star):
        call.set("this", key.copy())
    return made


def _optional(column: exp.Expr) -> exp.Expr:
    """As it is read, where it may be missing: with 0 in its place."""
    return exp.Coalesce(this=column, expressions=[exp.Literal.number(0)])


def _read_once(node: exp.Expr) -> exp.Select | None:
    """The SELECT that a derived table is, or a query of WITH that is read once."""
    cte = cte_of(node) if isinstance(node, exp.Table) else None
    inner = node.this if isinstance(node, exp.Subquery) else None if cte is None else cte.this
    if not isinstance(inner, exp.Select) or not node.alias_or_name or node.args["alias"].columns:
        return None
    if cte is not None:
        whole: exp.Expr = cte
        while whole.parent is not None:
            whole = whole.parent
        if [cte_of(each) for each in whole.find_all(exp.Table)].count(cte) != 1:
            return None
    return inner if inner.args.get("from_") is not None else None


def _read(name: str, source: exp.Expr) -> exp.Column:
    return exp.column(exp.to_identifier(name, quoted=True), table=exp.to_identifier(source.alias_or_name, quoted=True))


def _is_count(item: exp.Expr, alias: str) -> bool:
    """Whether it is the number, or a sum, of what a row meets."""
    call = call_of(item)
    if type(call) is exp.Count and not isinstance(call.this, exp.Distinct | exp.Star):
        return is_null(call.this, alias)
    return type(call) is exp.Sum and not isinstance(call.this, exp.Distinct) and adds_nothing(call.this, alias)


def _reads_counts(node: exp.Expr, flat: _Flat) -> bool:
    """Whether it reads of the derived table what is no row's own."""
    return any(column.table == flat.derived and column not in flat.own for column in node.find_all(exp.Column))


def _told(node: exp.Expr, flat: _Flat) -> exp.Expr | None:
    """What an aggregate is, made of aggregates of q alone and of what meets; None: it does not follow."""
    if not _reads_counts(node, flat):
        return _swapped(node, flat.own)
    if type(node) not in (exp.Sum, exp.Avg):
        return None
    total = _total(node.this, flat, type(node) is exp.Avg)
    if total is None or (type(node) is exp.Sum and total.find(exp.Sum)):
        return total
    of_any_size = exp.Cast(this=total, to=exp.DataType.build("numeric"))
    of_all = exp.Nullif(this=exp.Count(this=exp.Star()), expression=exp.Literal.number(0))
    return of_any_size if type(node) is exp.Sum else exp.Paren(this=exp.Div(this=of_any_size, expression=of_all))


def _total(node: exp.Expr, flat: _Flat, each_counts: bool) -> exp.Expr | None:
    """The total of what is linear in numbers of what is met."""
    if node in flat.counts:
        made = flat.counts[node]
        absent = each_counts and type(call_of(made)) is exp.Sum and not isinstance(node, exp.Coalesce)
        return None if absent else made.copy()
    match node:
        case exp.Coalesce(this=inner, expressions=[exp.Literal() as zero]) if zero.name == "0":
            return flat.counts[inner].copy() if inner in flat.counts else None
        case exp.Paren(this=inner):
            within = _total(inner, flat, each_counts)
            return None if within is None else exp.Paren(this=within)
        case exp.Add() | exp.Sub():
            # Where one side is NULL the whole is, and the row of no account.
            sides = [_total(side, flat, True) for side in (node.this, node.expression)]
            return None if None in sides else type(node)(this=sides[0], expression=sides[1])
    return None


def _swapped(node: exp.Expr, own: Mapping[exp.Expr, exp.Expr]) -> exp.Expr:
    return node.transform(lambda part: own[part].copy() if part in own else part)


def _replace(select: exp.Select, flat: _Flat, catalog: Catalog, taken: set[str]) -> None:
    """Let `select` aggregate the rows of both, and take that apart."""
    for item in list(select.expressions):
        if isinstance(item, exp.Column):
            item.replace(exp.alias_(item.copy(), item.name, quoted=True))
    asked = list(dict.fromkeys(asked_of(select)))
    told = {node: made for node in asked if (made := _told(node, flat)) is not None}
    cte = cte_of(select.args["from_"].this) if isinstance(select.args["from_"].this, exp.Table) else None
    joined = [cte_of(join.this) for join in select.args.get("joins") or [] if isinstance(join.this, exp.Table)]
    substitute(select, told)
    substitute(select, dict(flat.own))
    keys, where = (
        [_swapped(key, flat.own) for key in grouped(select)],
        [_swapped(p, flat.own) for p in where_of(select)],
    )
    added = [join.copy() for join in flat.added]
    select.set("from_", exp.From(this=flat.root.copy()))
    select.set("joins", added)
    kept = [*where, *(part.copy() for part in flat.where)]
    select.set("where", exp.Where(this=exp.and_(*kept)) if kept else None)
    select.set("group", exp.Group(expressions=keys) if keys else None)
    for each in (cte, *joined):
        if each is not None and isinstance(each.parent, exp.With):
            keep(each.parent, [other for other in each.parent.expressions if other is not each])
    found = list(dict.fromkeys(asked_of(select)))
    branches = [
        Branch(join, tuple((node, node) for node in found if join.this.alias_or_name in aliases_read(node)))
        for join in added
    ]
    met = [node for branch in branches for node, _ in branch.met]
    own = tuple(node for node in found if node not in met)
    parts = Parts(own, tuple(each for each in branches if each.met), tuple(added))
    become(select, taken_apart(select, parts, catalog, taken))

"""What LEFT JOIN adds of others' rows is aggregated apart from the rows that it is added to.

    asked   SELECT q.kind, count(DISTINCT q.id), count(a.id), avg(a.score) FROM posts q
            LEFT JOIN posts a ON a.parent = q.id AND a.kind = 2 WHERE q.score > 0 GROUP BY q.kind
    made    WITH k AS (SELECT q.kind AS key, count(DISTINCT q.id) AS n FROM posts q WHERE q.score > 0 GROUP BY q.kind),
                 r AS (SELECT k.key AS key, count(a.id) AS c, avg(a.score) AS x FROM posts q
                       JOIN posts a ON a.parent = q.id AND a.kind = 2 JOIN k ON k.key = q.kind
                       WHERE q.score > 0 GROUP BY k.key)
            SELECT k.key AS kind, k.n, r.c, r.x FROM k LEFT JOIN r ON r.key = k.key

Several such joins, of which COUNT(DISTINCT a.id) is asked, are taken apart each by itself. Where nothing is asked of
the rows themselves, the answer's join is an inner one: a key that nothing met has 0 and noise, or is not told. So `k`
is of one unit each, with all that is answered of such, and `r` of two, of which no row may be missing. Where a
key may be NULL, `r` groups by the keys themselves.

Claim: both have the same rows. Because: keys, and WHERE, read the rows of `k` alone, so that groups are the same, and
so are windows over these. Their aggregates are the same however often each row is there, or each is there once, since
what is added is so by a key of its own (`at_most_one_row`). Those of `r` are the same without the rows that met none,
since of these there is nothing to count, or add (`null_row_values`); a key of what is added is there once for each row
that it meets, of which there is one; and `r` has no key that `k` has not. Of a key of `k` that nothing met it tells 0
and noise, as of any public key.
Checked by: tests/test_strangers_apart.py (both forms in an engine), tests/test_fixtures.py (rewrite/strangers.sql).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from dpproxy.catalog.policy import Catalog
from dpproxy.rewrite.calculus.aggregates_of import above, substitute
from dpproxy.rewrite.calculus.joins import where_of
from dpproxy.rewrite.expressions import conjuncts
from dpproxy.rewrite.reading.aliases import unique_aliases
from dpproxy.rewrite.statement.at_most_one_row import adds_one
from dpproxy.rewrite.statement.branches import asked_of, call_of, free_alias, table_of
from dpproxy.rewrite.statement.correlation import aliases_read, is_plain_group, own_aliases
from dpproxy.rewrite.statement.null_row_values import adds_nothing, is_never_null, is_null, is_untrue
from dpproxy.rewrite.statement.plain_joins import grouped, side_of
from dpproxy.rewrite.statement.read_apart import (
    ToldGroups,
    aggregated,
    become,
    by_known_keys,
    read_apart,
    read_as,
    with_whole_keys,
)
from dpproxy.rewrite.statement.strangers_meet import strangers_meet

_CLAUSES: Final = frozenset({"expressions", "from_", "joins", "where", "group", "having", "order", "limit", "with_"})
_OFTEN_ALIKE: Final = (exp.Min, exp.Max, exp.LogicalAnd, exp.LogicalOr)
_OF_ALL: Final = (exp.Count, exp.Sum, exp.Avg)
KNOWN: Final = "own rows"
MET: Final = "rows met"


@dataclass(frozen=True, slots=True)
class Branch:
    """What one LEFT JOIN adds. met: aggregates of it, each with what it is where nothing else is added; beside: inner
    joins of what stands beside each row that is added."""

    added: exp.Join
    met: tuple[tuple[exp.Expr, exp.Expr], ...]
    beside: tuple[exp.Join, ...] = ()


@dataclass(frozen=True, slots=True)
class Parts:
    """A SELECT taken apart. own: aggregates of the rows themselves; branches: what others are added to them, by some of
    the joins `added`."""

    own: tuple[exp.Expr, ...]
    branches: tuple[Branch, ...]
    added: tuple[exp.Join, ...]


def strangers_apart(tree: exp.Query, catalog: Catalog) -> exp.Query:
    """The resolved tree, in which what LEFT JOIN adds of others is asked apart."""
    if not any(_parts(select, catalog) for select in tree.find_all(exp.Select)):
        return tree
    made = tree.copy()
    taken = own_aliases(made)
    for select in list(made.find_all(exp.Select)):
        parts = _parts(select, catalog)
        if parts is not None and parts.own:
            become(select, taken_apart(select, parts, catalog, taken))
        elif parts is not None:
            _join_inner(select, parts)
    return unique_aliases(made)


def _parts(select: exp.Select, catalog: Catalog) -> Parts | None:
    joins, group = list(select.args.get("joins") or []), select.args.get("group")
    if any(value and name not in _CLAUSES for name, value in select.args.items()):
        return None
    if not any(side_of(join) == "LEFT" for join in joins) or not are_plain(select, joins):
        return None
    added = added_of(select, catalog)
    if not added or (group is not None and not is_plain_group(group)):
        return None
    asked = list(dict.fromkeys(asked_of(select)))
    aliases = {join.this.alias_or_name for join in added}
    own = tuple(node for node in asked if not aliases_read(node) & aliases)
    once = all(adds_one(join, select, catalog) for join in added)
    if not asked or not (once or all(map(_is_alike_often, own))) or not settled(select, asked):
        return None
    met = [node for node in asked if node not in own]
    branches = branches_of(select, added, met, catalog) if met else ()
    if branches is None or not (own or _is_all(select, added)):
        return None
    return Parts(own, branches, tuple(added))


def _is_all(select: exp.Select, added: Sequence[exp.Join]) -> bool:
    """Whether groups that meet none may be left out: those of the answer, of one join."""
    return select.parent is None and len(added) == 1


def added_of(select: exp.Select, catalog: Catalog) -> list[exp.Join]:
    """The joins that add strangers' rows to a SELECT's, of which nothing else is asked there; none, if others are."""
    joins = list(select.args.get("joins") or [])
    left = [join for join in joins if side_of(join) == "LEFT" and is_private(join.this, catalog)]
    added = [join for join in left if meets_strangers(select, join, catalog)]
    aliases = {join.this.alias_or_name for join in added}
    beside = [*where_of(select), *grouped(select), *(part for j in joins if j not in added for part in on_of(j))]
    apart = all(aliases_read(part) & aliases <= {j.this.alias_or_name} for j in added for part in on_of(j))
    return added if apart and not any(aliases_read(part) & aliases for part in beside) else []


def branches_of(
    select: exp.Select, added: Sequence[exp.Join], met: Sequence[exp.Expr], catalog: Catalog
) -> tuple[Branch, ...] | None:
    """Each of what is added with its aggregates; None where one does not follow from it alone."""
    others = [join for join in select.args["joins"] if join not in added]
    single = all(stays_one(join, catalog) for join in others)
    each_once = all(adds_one(join, select, catalog) for join in added)
    found: dict[int, list[tuple[exp.Expr, exp.Expr]]] = {id(join): [] for join in added}
    for node in met:
        read = [join for join in added if join.this.alias_or_name in aliases_read(node)]
        if len(read) != 1:
            return None
        alias = read[0].this.alias_or_name
        if single and (once := _counted_once(node, read[0], catalog)) is not None:
            found[id(read[0])].append((node, once))
        elif (len(added) == 1 or each_once) and is_of_met(node, alias):
            found[id(read[0])].append((node, node))
        else:
            return None
    return tuple(Branch(join, tuple(found[id(join)])) for join in added if found[id(join)]) or None


def stays_one(join: exp.Join, catalog: Catalog) -> bool:
    """Whether it adds one row at most to each, by a key of its own that equals what was there before."""
    table, alias = table_of(join.this, catalog), join.this.alias_or_name
    equal = [part for part in on_of(join) if isinstance(part, exp.EQ)]
    ways = [way for part in equal for way in ((part.this, part.expression), (part.expression, part.this))]
    return table is not None and any(
        isinstance(own, exp.Column)
        and own.table == alias
        and alias not in aliases_read(told)
        and table.proves_unique(own.name)
        for own, told in ways
    )


def _counted_once(node: exp.Expr, added: exp.Join, catalog: Catalog) -> exp.Expr | None:
    """COUNT(DISTINCT x) as COUNT(x), where x is a key of what is added, each row of which meets one row at most."""
    made, table = node.copy(), table_of(added.this, catalog)
    call, alias = call_of(made), added.this.alias_or_name
    if type(call) is not exp.Count or not isinstance(call.this, exp.Distinct) or len(call.this.expressions) != 1:
        return None
    (column,) = call.this.expressions
    if not isinstance(column, exp.Column) or column.table != alias or table is None:
        return None
    if not table.proves_unique(column.name) or not _meets_one(added, catalog):
        return None
    call.set("this", column.copy())
    return made


def _meets_one(added: exp.Join, catalog: Catalog) -> bool:
    """Whether it is joined by a key of the first table, whose rows are there once each where others add one at most."""
    holder = added.parent
    if holder is None:
        return False
    root: exp.Expr = holder.args["from_"].this
    table = table_of(root, catalog)
    return table is not None and any(
        isinstance(own, exp.Column)
        and isinstance(other, exp.Column)
        and own.table == added.this.alias_or_name
        and other.table == root.alias_or_name
        and table.proves_unique(other.name)
        for part in on_of(added)
        if isinstance(part, exp.EQ)
        for own, other in ((part.this, part.expression), (part.expression, part.this))
    )


def is_private(node: exp.Expr, catalog: Catalog) -> bool:
    """Whether a source is a private table."""
    table = table_of(node, catalog)
    return table is not None and not table.public


def on_of(join: exp.Join) -> list[exp.Expr]:
    """The conditions of a join."""
    return list(conjuncts(join.args.get("on")))


def are_plain(select: exp.Select, joins: Sequence[exp.Join]) -> bool:
    """Whether all that it reads are tables, each by an inner or a LEFT JOIN, and no expression asks elsewhere."""
    from_ = select.args.get("from_")
    if from_ is None or not all(isinstance(node, exp.Table) for node in (from_.this, *(join.this for join in joins))):
        return False
    if any(side_of(join) not in ("", "LEFT") or join.args.get("using") or join.args.get("method") for join in joins):
        return False
    own = {"", from_.this.alias_or_name, *(join.this.alias_or_name for join in joins)}
    of_rows = [*grouped(select), *where_of(select), *(part for join in joins for part in on_of(join))]
    return not any(part.find(exp.Window) for part in of_rows) and all(
        part.find(exp.Query, exp.TableColumn) is None and {column.table for column in part.find_all(exp.Column)} <= own
        for part in (*above(select), *of_rows)
    )


def meets_strangers(select: exp.Select, added: exp.Join, catalog: Catalog) -> bool:
    """Whether those that are added are strangers', or of somebody else, too, by a way to the row that they meet."""
    if any(_is_way(part, added, select, catalog) for part in on_of(added)):
        return True
    before = [join for join in select.args["joins"] if join is added or side_of(join) != "LEFT"]
    inner = exp.Select(
        expressions=[exp.Literal.number(1)],
        from_=select.args["from_"].copy(),
        joins=[_inner(join) if join is added else join.copy() for join in before],
        where=None if select.args.get("where") is None else select.args["where"].copy(),
    )
    return strangers_meet(inner, lambda _: None, catalog)


def _is_way(part: exp.Expr, added: exp.Join, select: exp.Select, catalog: Catalog) -> bool:
    """Whether a condition ties a row that names two units to the row of one of both that it names."""
    table, root = table_of(added.this, catalog), select.args["from_"].this
    sides = (part.this, part.expression) if isinstance(part, exp.EQ) else ()
    columns = {side.table: side.name for side in sides if isinstance(side, exp.Column)}
    met, own = columns.get(added.this.alias_or_name), columns.get(root.alias_or_name)
    target = table_of(root, catalog)
    return (
        table is not None
        and target is not None
        and any((way.link.column, way.link.table, way.link.target) == (met, target.name, own) for way in table.ways)
    )


def _inner(join: exp.Join) -> exp.Join:
    made = join.copy()
    made.set("side", None)
    made.set("kind", None)
    return made


def _is_alike_often(node: exp.Expr) -> bool:
    """Whether it is the same however often each row is there."""
    call = call_of(node)
    return type(call) in _OFTEN_ALIKE or (type(call) in _OF_ALL and isinstance(call.this, exp.Distinct))


def is_of_met(node: exp.Expr, alias: str) -> bool:
    """Whether rows without one of `alias` have nothing in it."""
    call = call_of(node)
    if type(call) not in _OF_ALL or isinstance(call.this, exp.Distinct):
        return False
    if isinstance(node, exp.Filter) and is_untrue(node.expression.this, alias):
        return True
    return adds_nothing(call.this, alias) if type(call) is exp.Sum else is_null(call.this, alias)


def settled(select: exp.Select, asked: Sequence[exp.Expr]) -> bool:
    """Whether all beside aggregates is made of keys, as they are written."""
    keys = grouped(select)
    return all(_reads_keys(part, asked, keys) for part in above(select))


def _reads_keys(node: exp.Expr, asked: Sequence[exp.Expr], keys: Sequence[exp.Expr]) -> bool:
    if node in asked or node in keys:
        return True
    if isinstance(node, exp.Column) and node.table:
        return False
    return all(_reads_keys(part, asked, keys) for part in node.iter_expressions())


def taken_apart(select: exp.Select, parts: Parts, catalog: Catalog, taken: set[str]) -> exp.Select:
    """The SELECT that reads its own aggregates and those of others' rows from queries of their own."""
    written = with_whole_keys(select)
    keys = grouped(written)
    known, within = free_alias(KNOWN, taken), free_alias(KNOWN, taken)
    # Of several keys those of `known` are there once each only together.
    by_known = [all(is_never_null(key, written, catalog) for key in keys)] * len(keys)
    own = ToldGroups(known, aggregated(written, _staying(written, parts), keys, parts.own), parts.own)
    met = [
        ToldGroups(
            free_alias(MET, taken),
            _met(written, parts, branch, by_known, read_as(known, within)),
            tuple(node for node, _ in branch.met),
        )
        for branch in parts.branches
    ]
    return read_apart(written, own, met, by_known)


def met_alone(select: exp.Select, parts: Parts) -> exp.Select:
    """The SELECT where nothing is asked of the rows but what one branch adds: the rows that met others."""
    made, (branch,) = select.copy(), parts.branches
    made.set("joins", [*_staying(select, parts), _inner(branch.added), *(join.copy() for join in branch.beside)])
    return made


def _met(select: exp.Select, parts: Parts, branch: Branch, by_known: Sequence[bool], known: exp.Table) -> exp.Select:
    """The rows that met others, by the keys of those that are known."""
    joins = [*_staying(select, parts), _inner(branch.added), *(join.copy() for join in branch.beside)]
    return by_known_keys(select, joins, by_known, known, [value for _, value in branch.met])


def _staying(select: exp.Select, parts: Parts) -> list[exp.Join]:
    """The joins but those that add others: nothing that stays reads what they add."""
    return [join.copy() for join in select.args["joins"] if join not in parts.added]


def _join_inner(select: exp.Select, parts: Parts) -> None:
    """Let the rows that are added be those that meet: of the others nothing is asked."""
    for join in parts.added:
        join.replace(_inner(join))
    substitute(select, dict(pair for branch in parts.branches for pair in branch.met))

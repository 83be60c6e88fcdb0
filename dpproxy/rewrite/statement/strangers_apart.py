"""What LEFT JOIN adds of others' rows is aggregated apart from the rows that it is added to.

    asked   SELECT q.kind, count(DISTINCT q.id), count(a.id), avg(a.score) FROM posts q
            LEFT JOIN posts a ON a.parent = q.id AND a.kind = 2 WHERE q.score > 0 GROUP BY q.kind
    made    WITH k AS (SELECT q.kind AS key, count(DISTINCT q.id) AS n FROM posts q WHERE q.score > 0 GROUP BY q.kind),
                 r AS (SELECT k.key AS key, count(a.id) AS c, avg(a.score) AS x FROM posts q
                       JOIN posts a ON a.parent = q.id AND a.kind = 2 JOIN k ON k.key = q.kind
                       WHERE q.score > 0 GROUP BY k.key)
            SELECT k.key AS kind, k.n, r.c, r.x FROM k LEFT JOIN r ON r.key = k.key

Several such joins, of which COUNT(DISTINCT a.id) is asked, are taken apart each by itself. So `k` is of one unit each,
with all that is answered of such, and `r` of two, of which no row may be missing. Keys that may be NULL are grouped by
in `r` themselves.

Claim: both have the same rows. Because: keys, and WHERE, read the rows of `k` alone, so that groups are the same. Their
aggregates are the same however often each row is there. Those of `r` are the same without the rows that met none, since
of these there is nothing to count, or add (`absent`); a key of what is added is there once for each row that it meets,
of which there is one; and `r` has no key that `k` has not. Of a key of `k` that
nothing met it tells 0 and noise, as of any public key.
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
from dpproxy.rewrite.shown import stands_for
from dpproxy.rewrite.statement.absent import adds_nothing, is_never_null, is_null, is_untrue
from dpproxy.rewrite.statement.branches import asked_of, call_of, free_alias, table_of
from dpproxy.rewrite.statement.correlation import aliases_read, is_plain_group, own_aliases
from dpproxy.rewrite.statement.plain_joins import grouped, side_of
from dpproxy.rewrite.statement.strangers_meet import strangers_meet

_CLAUSES: Final = frozenset({"expressions", "from_", "joins", "where", "group", "having", "order", "limit", "with_"})
_OFTEN_ALIKE: Final = (exp.Min, exp.Max, exp.LogicalAnd, exp.LogicalOr)
_OF_ALL: Final = (exp.Count, exp.Sum, exp.Avg)
_KNOWN: Final = "own rows"
_MET: Final = "rows met"
_KEY: Final = "dpproxy key"
_VALUE: Final = "dpproxy value"


@dataclass(frozen=True, slots=True)
class Branch:
    """What one LEFT JOIN adds. met: aggregates of it, each with what it is where nothing else is added."""

    added: exp.Join
    met: tuple[tuple[exp.Expr, exp.Expr], ...]


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
        if (parts := _parts(select, catalog)) is not None:
            _become(select, taken_apart(select, parts, catalog, taken))
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
    if not own or not all(_is_alike_often(node) for node in own) or not settled(select, asked):
        return None
    met = [node for node in asked if node not in own]
    branches = branches_of(select, added, met, catalog) if met else ()
    return None if branches is None else Parts(own, branches, tuple(added))


def added_of(select: exp.Select, catalog: Catalog) -> list[exp.Join]:
    """The joins that add strangers' rows to a SELECT's, of which nothing else is asked there; none, if others are."""
    joins = list(select.args.get("joins") or [])
    left = [join for join in joins if side_of(join) == "LEFT" and is_private(join.this, catalog)]
    added = [join for join in left if _meet(select, join, catalog)]
    aliases = {join.this.alias_or_name for join in added}
    beside = [*where_of(select), *grouped(select), *(part for j in joins if j not in added for part in on_of(j))]
    apart = all(aliases_read(part) & aliases <= {j.this.alias_or_name} for j in added for part in on_of(j))
    return added if apart and not any(aliases_read(part) & aliases for part in beside) else []


def branches_of(
    select: exp.Select, added: Sequence[exp.Join], met: Sequence[exp.Expr], catalog: Catalog
) -> tuple[Branch, ...] | None:
    """Each of what is added with its aggregates; None where one does not follow from it alone."""
    others = [join for join in select.args["joins"] if join not in added]
    single = all(_adds_one(join, catalog) for join in others)
    found: dict[int, list[tuple[exp.Expr, exp.Expr]]] = {id(join): [] for join in added}
    for node in met:
        read = [join for join in added if join.this.alias_or_name in aliases_read(node)]
        if len(read) != 1:
            return None
        alias = read[0].this.alias_or_name
        if single and (once := _counted_once(node, read[0], catalog)) is not None:
            found[id(read[0])].append((node, once))
        elif len(added) == 1 and is_of_met(node, alias):
            found[id(read[0])].append((node, node))
        else:
            return None
    return tuple(Branch(join, tuple(found[id(join)])) for join in added if found[id(join)]) or None


def _adds_one(join: exp.Join, catalog: Catalog) -> bool:
    """Whether it adds one row at most to each, by a key of its own."""
    table = table_of(join.this, catalog)
    equal = [part for part in on_of(join) if isinstance(part, exp.EQ)]
    own = [side for part in equal for side in (part.this, part.expression) if isinstance(side, exp.Column)]
    return table is not None and any(
        side.table == join.this.alias_or_name and table.proves_unique(side.name) for side in own
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
    """Whether it is joined by a key of what it is added to."""
    holder = added.parent
    sources = [] if holder is None else [holder.args["from_"].this, *(join.this for join in holder.args["joins"])]
    tables = {source.alias_or_name: table_of(source, catalog) for source in sources}
    alias = added.this.alias_or_name
    for part in on_of(added):
        sides = [part.this, part.expression] if isinstance(part, exp.EQ) else []
        columns = [side for side in sides if isinstance(side, exp.Column)]
        if len(columns) == 2 and {alias} < {column.table for column in columns}:
            (other,) = [column for column in columns if column.table != alias]
            table = tables.get(other.table)
            if table is not None and table.proves_unique(other.name):
                return True
    return False


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
    parts = [*above(select), *grouped(select), *where_of(select), *(part for join in joins for part in on_of(join))]
    return all(
        part.find(exp.Query, exp.Window, exp.TableColumn) is None
        and {column.table for column in part.find_all(exp.Column)} <= own
        for part in parts
    )


def _meet(select: exp.Select, added: exp.Join, catalog: Catalog) -> bool:
    """Whether those that are added are strangers'."""
    before = [join for join in select.args["joins"] if join is added or side_of(join) != "LEFT"]
    inner = exp.Select(
        expressions=[exp.Literal.number(1)],
        from_=select.args["from_"].copy(),
        joins=[_inner(join) if join is added else join.copy() for join in before],
        where=None if select.args.get("where") is None else select.args["where"].copy(),
    )
    return strangers_meet(inner, lambda _: None, catalog)


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


def taken_apart(written: exp.Select, parts: Parts, catalog: Catalog, taken: set[str]) -> exp.Select:
    """The SELECT that reads its own aggregates and those of others' rows from queries of their own."""
    select, keys = written.copy(), grouped(written)
    known, within = free_alias(_KNOWN, taken), free_alias(_KNOWN, taken)
    names = [free_alias(_MET, taken) for _ in parts.branches]
    by_known = [is_never_null(key, written, catalog) for key in keys]
    _keep_names(select)
    replaced = {key: _column(f"{_KEY} {at}", known) for at, key in enumerate(keys)}
    replaced |= {node: _column(f"{_VALUE} {at}", known) for at, node in enumerate(parts.own)}
    ctes = [_cte(known, _known(written, parts))]
    for name, branch in zip(names, parts.branches, strict=True):
        replaced |= {node: _column(f"{_VALUE} {at}", name) for at, (node, _) in enumerate(branch.met)}
        ctes.append(_cte(name, _met(written, parts, branch, by_known, _read_as(known, within))))
    substitute(select, {node: stands_for(column, node) for node, column in replaced.items()})
    having, with_ = select.args.get("having"), select.args.get("with_")
    for clause in ("group", "having", "where"):
        select.set(clause, None)
    select.set("from_", exp.From(this=_read_as(known, known)))
    select.set("joins", [_joined(known, name, by_known) for name in names])
    if having is not None:
        select.set("where", exp.Where(this=having.this))
    select.set("with_", exp.With(expressions=[*([] if with_ is None else with_.expressions), *ctes]))
    return select


def _keep_names(select: exp.Select) -> None:
    for item in list(select.expressions):
        if isinstance(item, exp.Column):
            item.replace(exp.alias_(item.copy(), item.name, quoted=True))


def _cte(name: str, query: exp.Select) -> exp.CTE:
    return exp.CTE(this=query, alias=exp.TableAlias(this=exp.to_identifier(name, quoted=True)))


def _known(select: exp.Select, parts: Parts) -> exp.Select:
    """The rows themselves, by their keys."""
    return _aggregated(select, _staying(select, parts), grouped(select), parts.own)


def _met(select: exp.Select, parts: Parts, branch: Branch, by_known: Sequence[bool], known: exp.Table) -> exp.Select:
    """The rows that met others, by the keys of those that are known."""
    keys = list(zip(grouped(select), by_known, strict=True))
    told = [_column(f"{_KEY} {at}", known.alias) if each else key for at, (key, each) in enumerate(keys)]
    joins = [*_staying(select, parts), _inner(branch.added)]
    if any(by_known):
        on = [exp.EQ(this=one, expression=key.copy()) for one, (key, each) in zip(told, keys, strict=True) if each]
        joins.append(exp.Join(this=known, on=exp.and_(*on)))
    return _aggregated(select, joins, told, [value for _, value in branch.met])


def _staying(select: exp.Select, parts: Parts) -> list[exp.Join]:
    """The joins but those that add others: nothing that stays reads what they add."""
    return [join.copy() for join in select.args["joins"] if join not in parts.added]


def _aggregated(
    select: exp.Select,
    joins: list[exp.Join],
    keys: Sequence[exp.Expr],
    values: Sequence[exp.Expr],
) -> exp.Select:
    items = [
        *(exp.alias_(key.copy(), f"{_KEY} {at}", quoted=True) for at, key in enumerate(keys)),
        *(exp.alias_(value.copy(), f"{_VALUE} {at}", quoted=True) for at, value in enumerate(values)),
    ]
    return exp.Select(
        expressions=items,
        from_=select.args["from_"].copy(),
        joins=joins,
        where=None if select.args.get("where") is None else select.args["where"].copy(),
        group=exp.Group(expressions=[key.copy() for key in keys]) if keys else None,
    )


def _read_as(name: str, alias: str) -> exp.Table:
    return exp.Table(
        this=exp.to_identifier(name, quoted=True),
        alias=exp.TableAlias(this=exp.to_identifier(alias, quoted=True)),
    )


def _joined(known: str, met: str, by_known: Sequence[bool]) -> exp.Join:
    """LEFT JOIN by the keys, of which those that may be NULL are alike, too, where both are."""
    source = _read_as(met, met)
    if not by_known:
        return exp.Join(this=source, kind="CROSS")
    pairs = [(_column(f"{_KEY} {at}", known), _column(f"{_KEY} {at}", met)) for at in range(len(by_known))]
    on = [
        exp.EQ(this=one, expression=other) if each else exp.NullSafeEQ(this=one, expression=other)
        for (one, other), each in zip(pairs, by_known, strict=True)
    ]
    return exp.Join(this=source, side="LEFT", on=exp.and_(*on))


def _column(name: str, table: str) -> exp.Column:
    return exp.column(exp.to_identifier(name, quoted=True), table=exp.to_identifier(table, quoted=True))


def _become(select: exp.Select, made: exp.Select) -> None:
    for clause in {*select.args, *made.args}:
        select.set(clause, made.args.get(clause))

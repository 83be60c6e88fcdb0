"""Aggregates of a private row over several joins that multiply each other: each branch of FROM is aggregated by itself.

    asked   SELECT p.id, count(DISTINCT v.id) AS v, sum(o.x) AS s, count(*) AS n
            FROM people p LEFT JOIN visits v ON v.person = p.id LEFT JOIN orders o ON o.person = p.id GROUP BY p.id
    made    SELECT p.id, a.v, b.s * a.n AS s, a.n * b.n AS n
            FROM people p
            JOIN (SELECT p.id, count(DISTINCT v.id) AS v, count(*) AS n
                  FROM people p LEFT JOIN visits v ON v.person = p.id GROUP BY p.id) AS a ON a.id = p.id
            JOIN (SELECT p.id, sum(o.x) AS s, count(*) AS n
                  FROM people p LEFT JOIN orders o ON o.person = p.id GROUP BY p.id) AS b ON b.id = p.id
            GROUP BY p.id, a.v, b.s, a.n, b.n

So a person with 100 rows in each of three tables has 300 rows to be aggregated, and not a million.

Claim: both have the same rows. Because: what is grouped by settles the row of `people`, and each condition reads that
row and one branch alone. Join by join, then, the rows that a group has are all combinations of one row from each
branch: A × B, where A is what the row of `people` meets in the one, and B in the other (a row of NULLs where LEFT JOIN
meets none; none where JOIN or WHERE leaves none, and then there is no group, as the inner joins have it). In A × B each
row of A is there |B| times. COUNT(DISTINCT x), MIN, MAX, AVG, BOOL_AND and BOOL_OR of values of A are the same however
often all of them are there; SUM and COUNT are |B| times those of A; COUNT(*) is |A| · |B|. A public table that what is
grouped by or selected reads adds a row at most to each, by a proved-unique key. (Rows of `people` without a unit have
no partner, since their unit's key is compared, too; they are nobody's, and in no answer.)
Checked by: tests/test_branches.py (both forms in an engine), tests/test_fixtures.py (rewrite/branches.sql).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import Final

from sqlglot import exp

from dpproxy.catalog.policy import Catalog, Table
from dpproxy.catalog.types import Family
from dpproxy.rewrite.calculus.aggregates_of import above, aggregates, substitute
from dpproxy.rewrite.calculus.joins import where_of
from dpproxy.rewrite.reading.ctes import cte_of
from dpproxy.rewrite.shown import numbered, stands_for
from dpproxy.rewrite.statement.correlation import aliases_read, equality, own_aliases
from dpproxy.rewrite.statement.inlined import are_several
from dpproxy.rewrite.statement.plain_joins import grouped, is_plain, joins_of, side_of, tied

_TIMES_ROWS: Final = (exp.Count, exp.Sum)
_ALIKE_OFTEN: Final = (exp.Min, exp.Max, exp.Avg, exp.LogicalAnd, exp.LogicalOr)
EXACT: Final = frozenset({Family.INTEGER, Family.TEXT, Family.DATE})
"""Of which two values that are equal to a third are equal."""
_KEY: Final = "dpproxy key"
_VALUE: Final = "dpproxy value"
_ROWS: Final = "dpproxy rows"
_FEWEST: Final = 2
"""Branches of private rows that multiply each other."""


@dataclass(frozen=True, slots=True)
class _Branch:
    """Tables of FROM that conditions tie to each other, or to the root alone."""

    aliases: frozenset[str]
    joins: tuple[exp.Join, ...]
    where: tuple[exp.Expr, ...]
    asked: tuple[exp.Expr, ...]

    @property
    def keeps_all(self) -> bool:
        """Whether each row of the root meets something in it, be it NULLs."""
        return not self.where and all(side_of(join) == "LEFT" for join in self.joins)


@dataclass(frozen=True, slots=True)
class Fan:
    """A SELECT of several branches. root: the table whose row `keys` settle, one of them its unit's key. beside: joins
    that stay, and so do the conditions `kept`. counts: whether how many rows there are is asked."""

    root: exp.Table
    keys: tuple[str, ...]
    beside: tuple[exp.Join, ...]
    kept: tuple[exp.Expr, ...]
    branches: tuple[_Branch, ...]
    counts: bool


def branches_aggregated(tree: exp.Query, catalog: Catalog) -> exp.Query:
    """The resolved tree, in which branches of private rows do not multiply each other where a private row's aggregates
    are all that is asked of them."""
    if not any(fan_of(select, catalog) for select in tree.find_all(exp.Select)):
        return tree
    made = tree.copy()
    taken = own_aliases(made)
    for select in list(made.find_all(exp.Select)):
        if (fan := fan_of(select, catalog)) is not None:
            _aggregate_each(select, fan, taken)
    return made


def fan_of(select: exp.Select, catalog: Catalog) -> Fan | None:
    """What of a SELECT can be aggregated branch by branch; None where that does not do, or nothing is multiplied."""
    from_, joins = select.args.get("from_"), joins_of(select)
    if from_ is None or not is_plain_fan(select):
        return None
    keys = keys_of(from_.this, grouped(select), catalog)
    if not keys:
        return None
    root, asked = from_.this.alias_or_name, list(asked_of(select))
    found = [_branch(part, joins, where_of(select), asked, root) for part in _tied(joins, where_of(select))]
    read = {column.table for column in outside(select)}
    beside = [each for each in found if each.aliases & read]
    branches = [each for each in found if each not in beside]
    counts = any(_is_times_rows(each) for each in asked)
    if not _are_apart(asked, branches, root) or not all(
        _is_one(each, root, keys, from_.this, catalog) for each in beside
    ):
        return None
    private = [[name for join in each.joins for name in private_behind(join.this, catalog)] for each in branches]
    if sum(map(bool, private)) < _FEWEST or are_several(
        [*chain(*private), *private_behind(from_.this, catalog)], catalog
    ):
        return None
    needed = [each for each in branches if each.asked or counts or not each.keeps_all]
    kept = [part for part in where_of(select) if not any(part in each.where for each in branches)]
    return Fan(from_.this, keys, tuple(j for e in beside for j in e.joins), tuple(kept), tuple(needed), counts)


def is_plain_fan(select: exp.Select) -> bool:
    """Whether it joins several sources to one, and each can be told from the others."""
    return len(joins_of(select)) >= _FEWEST and is_plain(select)


def keys_of(root: exp.Expr, grouped: Sequence[exp.Expr], catalog: Catalog) -> tuple[str, ...]:
    """Columns that settle the row of a private table, all of them grouped by but its unit's key; none, if none do."""
    table = table_of(root, catalog)
    if table is None or table.unit_key is None or table.column(table.unit_key) is None or root.args.get("sample"):
        return ()
    read = {key.name for key in grouped if isinstance(key, exp.Column) and key.table == root.alias_or_name}
    found = sorted((each for each in table.unique if set(each) <= read), key=lambda each: (len(each), each))
    return tuple(dict.fromkeys((*found[0], table.unit_key))) if found else ()


def table_of(node: exp.Expr, catalog: Catalog) -> Table | None:
    """The table of the policy that a source is."""
    return catalog.table(node.db, node.name) if isinstance(node, exp.Table) and node.db else None


def private_behind(node: exp.Expr, catalog: Catalog) -> Iterator[str]:
    """The private tables whose rows a source has, by whichever names of WITH."""
    for each in node.find_all(exp.Table):
        cte, table = cte_of(each), table_of(each, catalog)
        if table is not None and table.units:
            yield table.name
        if cte is not None and not _is_inside(each, cte):
            yield from private_behind(cte.this, catalog)


def _is_inside(node: exp.Expr, cte: exp.CTE) -> bool:
    """Whether a query of WITH reads itself."""
    around = node.parent
    while around is not None and around is not cte:
        around = around.parent
    return around is cte


def _tied(joins: Sequence[exp.Join], where: Sequence[exp.Expr]) -> list[frozenset[str]]:
    """The aliases but the root's, those together that a condition reads together."""
    on = [
        aliases_read(join.args["on"]) | {join.this.alias_or_name} for join in joins if join.args.get("on") is not None
    ]
    return tied([join.this.alias_or_name for join in joins], (*on, *map(aliases_read, where)))


def _branch(
    aliases: frozenset[str], joins: Sequence[exp.Join], where: Sequence[exp.Expr], asked: Sequence[exp.Expr], root: str
) -> _Branch:
    return _Branch(
        aliases,
        tuple(join for join in joins if join.this.alias_or_name in aliases),
        tuple(part for part in where if aliases_read(part) & aliases),
        tuple(dict.fromkeys(each for each in asked if aliases_read(each) & aliases)),
    )


def asked_of(select: exp.Select) -> Iterator[exp.Expr]:
    """The aggregates over its rows."""
    for part in above(select):
        yield from aggregates(part)


def outside(select: exp.Select) -> Iterator[exp.Column]:
    """The columns that it reads of groups: in keys, and beside aggregates."""
    inside = {id(column) for each in asked_of(select) for column in each.find_all(exp.Column)}
    for part in (*above(select), *grouped(select)):
        yield from (column for column in part.find_all(exp.Column) if id(column) not in inside)


def call_of(node: exp.Expr) -> exp.Expr:
    """The aggregate itself, of one that may have a FILTER."""
    called: exp.Expr = node.this if isinstance(node, exp.Filter) else node
    return called


def _is_times_rows(node: exp.Expr) -> bool:
    """Whether it grows with how often each row is there."""
    call = call_of(node)
    return type(call) in _TIMES_ROWS and not isinstance(call.this, exp.Distinct)


def _are_apart(asked: Iterable[exp.Expr], branches: Sequence[_Branch], root: str) -> bool:
    """Whether each aggregate is of a known kind, and reads the root's row and one branch, or none."""
    for node in asked:
        call, read = call_of(node), aliases_read(node) - {root}
        if type(call) not in (*_TIMES_ROWS, *_ALIKE_OFTEN) or call.args.get("expressions") or call.find(exp.Order):
            return False
        if any(read & each.aliases and not read <= each.aliases for each in branches):
            return False
    return True


def _is_one(branch: _Branch, root: str, keys: tuple[str, ...], node: exp.Table, catalog: Catalog) -> bool:
    """Whether a row of the root meets one row of a branch at most: of a public table, by a proved-unique key."""
    join, own = branch.joins[0], table_of(node, catalog)
    table = table_of(join.this, catalog)
    if len(branch.joins) > 1 or table is None or own is None or not table.public or join.this.args.get("sample"):
        return False
    met = set()
    on = join.args.get("on")
    for part in (*(on.flatten() if isinstance(on, exp.And) else [on]), *branch.where):
        pair = None if part is None else equality(part, set(branch.aliases))
        inner, outer = pair or (None, None)
        if not isinstance(inner, exp.Column) or not isinstance(outer, exp.Column) or outer.table != root:
            continue
        known = table.column(inner.name), own.column(outer.name)
        families = {None if column is None else column.type.family for column in known}
        if len(families) == 1 and families <= EXACT:
            met.add(inner.name)
    return table.proves_unique(*met)


def _aggregate_each(select: exp.Select, fan: Fan, taken: set[str]) -> None:
    """Put the branches aside, each a derived table by itself, and read what they are aggregated to."""
    names = [free_alias("dpproxy branch", taken) for _ in fan.branches]
    asked, rows = list(dict.fromkeys(asked_of(select))), [_column(_ROWS, name) for name in names]
    replaced: dict[exp.Expr, exp.Expr] = {}
    for branch, name in zip(fan.branches, names, strict=True):
        others = [each for each in rows if each.table != name]
        for at, node in enumerate(branch.asked):
            value = stands_for(_column(f"{_VALUE} {at}", name), node)
            replaced[node] = _times(value, others) if _is_times_rows(node) else value
    replaced |= {node: _often(node, rows) for node in asked if node not in replaced and _is_times_rows(node)}
    joins = [_derived(each, fan, name, taken) for each, name in zip(fan.branches, names, strict=True)]
    substitute(select, replaced)
    read = (column for node in replaced.values() for column in node.find_all(exp.Column) if column.table in names)
    for column in dict.fromkeys(read):
        select.args["group"].append("expressions", column.copy())
    select.set("joins", [*fan.beside, *joins])
    select.set("where", exp.Where(this=exp.and_(*fan.kept, copy=False)) if fan.kept else None)


def free_alias(alias: str, taken: set[str]) -> str:
    """The alias by a number that no other has."""
    found = next(name for number in count(2) if (name := numbered(alias, number)) not in taken)
    taken.add(found)
    return found


def _often(node: exp.Expr, rows: Sequence[exp.Expr]) -> exp.Expr:
    """What is asked of the root's row alone, of which a group has one, as often as that row is there."""
    is_of_rows = isinstance(node, exp.Count) and isinstance(node.this, exp.Star)
    return _times(rows[0], rows[1:]) if is_of_rows and rows else _times(node, rows)


def _times(value: exp.Expr, rows: Sequence[exp.Expr]) -> exp.Expr:
    made = value.copy()
    for each in rows:
        made = exp.Mul(this=made, expression=each.copy())
    return exp.Paren(this=made) if rows else made


def _derived(branch: _Branch, fan: Fan, name: str, taken: set[str]) -> exp.Join:
    """The root with one branch, aggregated by the root's row; joined on that."""
    root = fan.root.alias_or_name
    again = free_alias(root, taken)
    keys = [_column(key, root) for key in fan.keys]
    items: dict[str, exp.Expr] = {f"{_KEY} {at}": key for at, key in enumerate(keys)}
    items |= {f"{_VALUE} {at}": node for at, node in enumerate(branch.asked)}
    items |= {_ROWS: exp.Count(this=exp.Star(), big_int=True)} if fan.counts else {}
    rows = exp.Select(
        expressions=[exp.alias_(item, each, quoted=True) for each, item in items.items()],
        from_=exp.From(this=fan.root.copy()),
        joins=[join.copy() for join in branch.joins],
        where=exp.Where(this=exp.and_(*branch.where)) if branch.where else None,
        group=exp.Group(expressions=keys),
    )
    rows.args["from_"].this.set("alias", exp.TableAlias(this=exp.to_identifier(again, quoted=True)))
    for column in rows.find_all(exp.Column):
        if column.table == root:
            column.set("table", exp.to_identifier(again, quoted=True))
    alias = exp.TableAlias(this=exp.to_identifier(name, quoted=True))
    same = [
        exp.EQ(this=_column(f"{_KEY} {at}", name), expression=_column(key, root)) for at, key in enumerate(fan.keys)
    ]
    return exp.Join(this=exp.Subquery(this=rows, alias=alias), on=exp.and_(*same, copy=False))


def _column(name: str, table: str) -> exp.Column:
    return exp.column(exp.to_identifier(name, quoted=True), table=exp.to_identifier(table, quoted=True))

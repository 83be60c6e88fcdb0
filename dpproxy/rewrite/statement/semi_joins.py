"""Sources that only decide whether a row is there are asked for by EXISTS, where how often it is there says nothing.

    asked   SELECT count(DISTINCT p.id) FROM people p JOIN lab l ON l.id = p.id JOIN exam e ON e.id = p.id
            WHERE l.ast > 60 AND e.severe = 2
    made    SELECT count(DISTINCT p.id) FROM people p
            WHERE EXISTS (SELECT 1 FROM lab l WHERE l.id = p.id AND l.ast > 60)
              AND EXISTS (SELECT 1 FROM exam e WHERE e.id = p.id AND e.severe = 2)

So a person with 100 rows in each of three tables has 300 rows to be read, and not a million to be joined.

Claim: both have the same rows. Because: a row of the sources that stay is in the join if and only if rows of the others
meet it, which are tied to each other by conditions of their own: one EXISTS for each set of such. How often a row is
there decides neither DISTINCT, nor groups, nor COUNT(DISTINCT x), SUM(DISTINCT x), AVG(DISTINCT x), MIN, MAX, BOOL_AND
and BOOL_OR.
Checked by: tests/test_semi_joins.py (both forms in an engine), tests/test_fixtures.py (rewrite/semi_joins.sql).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from dpproxy.catalog.policy import Catalog
from dpproxy.rewrite.calculus.aggregates_of import above
from dpproxy.rewrite.calculus.joins import where_of
from dpproxy.rewrite.statement.branches import asked_of, call_of, private_behind, table_of
from dpproxy.rewrite.statement.correlation import aliases_read, equality
from dpproxy.rewrite.statement.inlined import are_several
from dpproxy.rewrite.statement.plain_joins import grouped, is_plain, joins_of, side_of, sources_of, tied
from dpproxy.rewrite.statement.strangers_meet import strangers_meet

_ALIKE_OFTEN: Final = (exp.Min, exp.Max, exp.LogicalAnd, exp.LogicalOr)
_OF_DISTINCT: Final = (exp.Count, exp.Sum, exp.Avg)
_FEWEST: Final = 2
"""Private sources of which a unit may have several rows: joined, they multiply each other."""


@dataclass(frozen=True, slots=True)
class _Sources:
    """FROM and its joins, in order. conditions: those of WHERE and of inner joins."""

    nodes: tuple[exp.Expr, ...]
    joins: tuple[exp.Join | None, ...]
    conditions: tuple[exp.Expr, ...]

    @property
    def left(self) -> list[exp.Join]:
        """Joins that keep rows which meet nothing."""
        return [join for join in self.joins if join is not None and side_of(join) == "LEFT"]


def semi_joined(tree: exp.Query, catalog: Catalog) -> exp.Query:
    """The resolved tree, in which what nothing reads of private rows is asked for by EXISTS, where more than one source
    would multiply the others."""
    if not any(_tested(select, catalog) for select in tree.find_all(exp.Select)):
        return tree
    made = tree.copy()
    for select in list(made.find_all(exp.Select)):
        if tested := _tested(select, catalog):
            _test(select, _sources(select), tested)
    return made


def _tested(select: exp.Select, catalog: Catalog) -> list[frozenset[str]]:
    """The sets of aliases that EXISTS can ask for, each tied together; none, if nothing is won."""
    sources = _sources(select)
    aliases = [node.alias_or_name for node in sources.nodes]
    if len(aliases) < _FEWEST or not is_plain(select) or not _is_insensitive(select):
        return []
    if any(node.args.get("sample") for node in sources.nodes) or strangers_meet(select, lambda _: None, catalog):
        return []
    multiplying = {node.alias_or_name for node in sources.nodes if _has_several(node, catalog)}
    read = _read(select, sources)
    if len(multiplying) < _FEWEST or not read or _are_of_several_units(sources, catalog):
        return []
    unread = tied([alias for alias in aliases if alias not in read], map(aliases_read, sources.conditions))
    found = [each for each in unread if each & multiplying and _is_tied_by_columns(each, sources.conditions)]
    kept = frozenset(aliases).difference(*found)
    return found if found and _are_together(kept, sources, catalog) else []


def _sources(select: exp.Select) -> _Sources:
    joins = joins_of(select)
    inner = [part for join in joins if side_of(join) != "LEFT" for part in _on(join)]
    return _Sources(tuple(sources_of(select)), (None, *joins), (*where_of(select), *inner))


def _on(join: exp.Join) -> list[exp.Expr]:
    on = join.args.get("on")
    return [] if on is None else list(on.flatten() if isinstance(on, exp.And) else [on])


def _as_one(join: exp.Join) -> exp.Expr:
    return join.args.get("on") or exp.true()


def _is_insensitive(select: exp.Select) -> bool:
    """Whether it is the same however often each row is there."""
    asked, distinct = list(asked_of(select)), select.args.get("distinct")
    if asked or select.args.get("group"):
        return all(_is_alike(call_of(node)) for node in asked)
    return distinct is not None and not distinct.args.get("on") and not any(p.find(exp.Window) for p in above(select))


def _is_alike(call: exp.Expr) -> bool:
    if type(call) in _OF_DISTINCT:
        return isinstance(call.this, exp.Distinct)
    return type(call) in _ALIKE_OFTEN and not call.args.get("expressions") and call.find(exp.Order) is None


def _has_several(node: exp.Expr, catalog: Catalog) -> bool:
    """Whether a unit may have several rows of a source, as far as the policy tells."""
    table = table_of(node, catalog)
    if table is None:
        return any(private_behind(node, catalog))
    return bool(table.units) and (table.unit_key is None or not table.proves_unique(table.unit_key))


def _are_of_several_units(sources: _Sources, catalog: Catalog) -> bool:
    return are_several([name for node in sources.nodes for name in private_behind(node, catalog)], catalog)


def _read(select: exp.Select, sources: _Sources) -> frozenset[str]:
    """The aliases of which something is told, and those that LEFT JOIN and its conditions are about."""
    left = sources.left
    told = set().union(*map(aliases_read, (*above(select), *grouped(select))))
    told |= {join.this.alias_or_name for join in left}.union(*(aliases_read(_as_one(join)) for join in left))
    return frozenset(told | ({sources.nodes[0].alias_or_name} if left else set()))


def _is_tied_by_columns(aliases: frozenset[str], conditions: Sequence[exp.Expr]) -> bool:
    """Whether equalities of columns alone tie sources to the others: a hash table finds what meets a row."""
    crossing = [part for part in conditions if aliases_read(part) & aliases and aliases_read(part) - aliases]
    pairs = [equality(part, set(aliases)) for part in crossing]
    columns = [pair is not None and all(isinstance(each, exp.Column) for each in pair) for pair in pairs]
    return bool(columns) and all(columns)


def _are_together(kept: frozenset[str], sources: _Sources, catalog: Catalog) -> bool:
    """Whether conditions tie the private sources that stay, without those that are asked for."""
    within = [*sources.conditions, *(part for join in sources.left for part in _on(join))]
    sets = tied(sorted(kept), (read for part in within if (read := aliases_read(part)) <= kept))
    private = {node.alias_or_name for node in sources.nodes if any(private_behind(node, catalog))}
    return sum(bool(each & private) for each in sets) <= 1


def _test(select: exp.Select, sources: _Sources, tested: Sequence[frozenset[str]]) -> None:
    """Leave the sources that are read, with their conditions, and ask for the others."""
    gone = frozenset().union(*tested)
    staying = [
        (node, join) for node, join in zip(sources.nodes, sources.joins, strict=True) if node.alias_or_name not in gone
    ]
    (first, was_joined), *others = staying
    rest = [] if was_joined is None else _on(was_joined)
    where = [part for part in (*where_of(select), *rest) if not aliases_read(part) & gone]
    where += [_exists(each, sources) for each in tested]
    select.set("from_", exp.From(this=first))
    select.set("joins", list(_joined(others, gone)))
    select.set("where", exp.Where(this=exp.and_(*where)))


def _joined(others: Sequence[tuple[exp.Expr, exp.Join | None]], gone: frozenset[str]) -> Iterator[exp.Join]:
    for node, join in others:
        if join is not None and side_of(join) == "LEFT":
            yield join
            continue
        on = [part for part in ([] if join is None else _on(join)) if not aliases_read(part) & gone]
        yield exp.Join(this=node, on=exp.and_(*on)) if on else exp.Join(this=node, kind="CROSS")


def _exists(aliases: frozenset[str], sources: _Sources) -> exp.Expr:
    first, *others = [node.copy() for node in sources.nodes if node.alias_or_name in aliases]
    conditions = [part for part in sources.conditions if aliases_read(part) & aliases]
    rows = exp.Select(
        expressions=[exp.alias_(exp.Literal.number(1), "dpproxy met", quoted=True)],
        from_=exp.From(this=first),
        joins=[exp.Join(this=each, kind="CROSS") for each in others],
        where=exp.Where(this=exp.and_(*conditions)),
    )
    return exp.Exists(this=rows)

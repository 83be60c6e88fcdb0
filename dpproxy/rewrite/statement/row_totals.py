"""Totals over joins that multiply each other's private rows: aggregated by row of the first table, and then added up.

    asked   SELECT p.city, count(DISTINCT v.id), count(DISTINCT o.id), count(*) FROM people p
            LEFT JOIN visits v ON v.person = p.id LEFT JOIN orders o ON o.person = p.id GROUP BY p.city
    made    SELECT t.city, sum(t.v), sum(t.o), sum(t.n) FROM
              (SELECT p.id, p.city, count(DISTINCT v.id) AS v, count(DISTINCT o.id) AS o, count(*) AS n FROM people p
               LEFT JOIN visits v ON v.person = p.id LEFT JOIN orders o ON o.person = p.id GROUP BY p.id, p.city) AS t
            GROUP BY t.city

so that the branches of the inner query can be aggregated each by itself (`branches`).

Claim: both have the same rows. Because: the inner groups are parts of the outer ones, whose keys read the first table
and public ones beside it. COUNT(*) and COUNT(x) of all are the sums of those of the parts; MIN, MAX, BOOL_AND and
BOOL_OR are those of them; and COUNT(DISTINCT x) is their sum where no two parts have a value in common: x is proved
unique in its table, each of whose rows meets one row of the first at most, by equality with a proved-unique column of
it, or of a table of which that is so.
Checked by: tests/test_branches.py (both forms in an engine), tests/test_fixtures.py (rewrite/branches.sql).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from dpproxy.catalog.policy import Catalog
from dpproxy.rewrite.calculus.aggregates_of import above, substitute
from dpproxy.rewrite.calculus.joins import where_of
from dpproxy.rewrite.expressions import conjuncts
from dpproxy.rewrite.shown import stands_for
from dpproxy.rewrite.statement.branches import (
    EXACT,
    asked_of,
    call_of,
    fan_of,
    free_alias,
    is_plain_fan,
    keys_of,
    outside,
    table_of,
)
from dpproxy.rewrite.statement.correlation import aliases_read, own_aliases
from dpproxy.rewrite.statement.plain_joins import grouped, sources_of

_OF_PARTS: Final = (exp.Min, exp.Max, exp.LogicalAnd, exp.LogicalOr)
_READ: Final = "dpproxy column"
_PART: Final = "dpproxy total"


def totals_by_row(tree: exp.Query, catalog: Catalog) -> exp.Query:
    """The resolved tree, in which such totals are made of each row of the first table before they are added up."""
    if not any(_by_row(select, catalog) for select in tree.find_all(exp.Select)):
        return tree
    made = tree.copy()
    taken = own_aliases(made)
    for select in list(made.find_all(exp.Select)):
        if (inner := _by_row(select, catalog)) is not None:
            _add_up(select, inner, free_alias(_PART, taken))
    return made


def _by_row(select: exp.Select, catalog: Catalog) -> exp.Select | None:
    """The same joins, aggregated by row of the first table; None where that does not do, or is done already."""
    from_, asked = select.args.get("from_"), list(dict.fromkeys(asked_of(select)))
    if from_ is None or not asked or not is_plain_fan(select) or keys_of(from_.this, grouped(select), catalog):
        return None
    keys = _unique(from_.this, catalog)
    beside = _beside(select)
    if not keys or not all(_is_of_parts(node, select, beside, catalog) for node in asked):
        return None
    kept = [column for node in asked if _stays(node, beside) for column in node.find_all(exp.Column)]
    read = list(dict.fromkeys(column.copy() for column in (*keys, *outside(select), *kept) if column.table))
    parts = [node for node in asked if not _stays(node, beside)]
    inner = exp.Select(
        expressions=[
            *(exp.alias_(each, f"{_READ} {at}", quoted=True) for at, each in enumerate(read)),
            *(exp.alias_(each, f"{_PART} {at}", quoted=True) for at, each in enumerate(parts)),
        ],
        from_=from_.copy(),
        joins=[join.copy() for join in select.args["joins"]],
        where=None if select.args.get("where") is None else select.args["where"].copy(),
        group=exp.Group(expressions=read),
    )
    return None if fan_of(inner, catalog) is None else inner


def _beside(select: exp.Select) -> set[str]:
    """The first table, and those that keys and what is selected beside aggregates read."""
    return {select.args["from_"].this.alias_or_name, *(column.table for column in outside(select) if column.table)}


def _unique(root: exp.Expr, catalog: Catalog) -> list[exp.Column]:
    """Columns that settle a row of the first table."""
    table = table_of(root, catalog)
    sets = [] if table is None else sorted(table.unique, key=lambda each: (len(each), each))
    for names in sets:
        keys = [_column(name, root.alias_or_name) for name in names]
        if all(table is not None and table.column(name) is not None for name in names) and keys_of(root, keys, catalog):
            return keys
    return []


def _stays(node: exp.Expr, beside: set[str]) -> bool:
    """Whether an aggregate reads the row of the first table alone, and is the same however often that is there."""
    call, read = call_of(node), aliases_read(node)
    return bool(read) and read <= beside and (isinstance(call, _OF_PARTS) or isinstance(call.this, exp.Distinct))


def _is_of_parts(node: exp.Expr, select: exp.Select, beside: set[str], catalog: Catalog) -> bool:
    """Whether an aggregate follows from those of the parts."""
    call = call_of(node)
    if _stays(node, beside) or type(call) in _OF_PARTS:
        return True
    if not isinstance(call, exp.Count):
        return False
    return not isinstance(call.this, exp.Distinct) or _is_apart(call.this.expressions, select, catalog)


def _is_apart(values: Sequence[exp.Expr], select: exp.Select, catalog: Catalog) -> bool:
    """Whether no two rows of the first table meet rows with one such value."""
    if len(values) != 1 or not isinstance(values[0], exp.Column):
        return False
    holder = next((join for join in select.args["joins"] if join.this.alias_or_name == values[0].table), None)
    table = None if holder is None else table_of(holder.this, catalog)
    return table is not None and table.proves_unique(values[0].name) and _is_met_once(values[0].table, select, catalog)


def _is_met_once(alias: str, select: exp.Select, catalog: Catalog) -> bool:
    """Whether each row of a source meets one row of the first table at most, by what has to be so where it is there:
    the condition that joins it, and WHERE."""
    sources = sources_of(select)
    place = [each.alias_or_name for each in sources].index(alias)
    if not place:
        return True
    on = select.args["joins"][place - 1].args.get("on")
    before = {each.alias_or_name: each for each in sources[:place]}
    for own, other in (pair for part in (*conjuncts(on), *where_of(select)) for pair in _both_ways(part)):
        met = before.get(other.table)
        if own.table == alias and met is not None and _is_key(own, sources[place], other, met, catalog):
            return _is_met_once(other.table, select, catalog)
    return False


def _both_ways(part: exp.Expr) -> list[tuple[exp.Column, exp.Column]]:
    """An equality of two columns, by either side."""
    if not isinstance(part, exp.EQ) or not isinstance(part.this, exp.Column):
        return []
    left, right = part.this, part.expression
    return [(left, right), (right, left)] if isinstance(right, exp.Column) else []


def _is_key(own: exp.Column, source: exp.Expr, other: exp.Column, met: exp.Expr, catalog: Catalog) -> bool:
    """Whether a value of `own` is that of one row of `met` at most."""
    table, keyed = table_of(source, catalog), table_of(met, catalog)
    if table is None or keyed is None or not keyed.proves_unique(other.name):
        return False
    known = table.column(own.name), keyed.column(other.name)
    families = {None if column is None else column.type.family for column in known}
    return len(families) == 1 and families <= EXACT


def _add_up(select: exp.Select, inner: exp.Select, name: str) -> None:
    """Let `select` read its parts from `inner`."""
    beside = _beside(select)
    parts = [node for node in dict.fromkeys(asked_of(select)) if not _stays(node, beside)]
    places = {each.this: each.alias for each in inner.expressions}
    replaced = {node: _total(node, _column(places[node], name)) for node in parts}
    substitute(select, replaced)
    for at, item in enumerate(select.expressions):
        if isinstance(item, exp.Column):
            select.expressions[at].replace(exp.alias_(item.copy(), item.name, quoted=True))
    for part in (*above(select), *grouped(select)):
        for column in list(part.find_all(exp.Column)):
            if column.table in beside:
                column.replace(stands_for(_column(places[column], name), column))
    alias = exp.TableAlias(this=exp.to_identifier(name, quoted=True))
    select.set("from_", exp.From(this=exp.Subquery(this=inner, alias=alias)))
    select.set("joins", None)
    select.set("where", None)


def _total(node: exp.Expr, part: exp.Column) -> exp.Expr:
    """An aggregate of all, made of those of the parts."""
    read, call = stands_for(part, node), call_of(node)
    if not isinstance(call, exp.Count):
        return type(call)(this=read)
    added = exp.Coalesce(this=exp.Sum(this=read), expressions=[exp.Literal.number(0)])
    return exp.Cast(this=added, to=exp.DataType.build("bigint", dialect="postgres"))


def _column(name: str, table: str) -> exp.Column:
    return exp.column(exp.to_identifier(name, quoted=True), table=exp.to_identifier(table, quoted=True))

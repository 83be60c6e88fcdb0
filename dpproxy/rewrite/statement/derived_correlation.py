"""Derived tables that read queries around the one that they stand in: what they are correlated by is asked there.

    asked   (SELECT max(t.n) FROM (SELECT v.day, count(*) AS n FROM visits v WHERE v.dept = d.dept GROUP BY v.day) AS t)
    made    (SELECT max(t.n) FROM (SELECT v.day, count(*) AS n, v.dept AS k FROM visits v GROUP BY v.day, v.dept) AS t
             WHERE t.k = d.dept)

Claim: both have the same rows. Because: an equality keeps all rows of a group or none, once its own side is one of the
keys; and rows that are not grouped are chosen, and what their items compute is computed, one by one: these may read
what is around by any condition and expression.
Checked by: tests/test_fixtures.py (rewrite/correlated.sql).
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from dpproxy.rewrite.calculus.aggregates_of import is_aggregating
from dpproxy.rewrite.calculus.joins import where_of
from dpproxy.rewrite.shown import stands_for
from dpproxy.rewrite.statement.correlation import aliases_read, equality, is_plain_group, own_aliases
from dpproxy.rewrite.statement.lateral_columns import compute_outside, export, is_of_rows

KEY = "dpproxy of"
_PLAIN = frozenset({"expressions", "from_", "joins", "where", "group", "having", "distinct"})
_INNER = ("", "INNER", "CROSS")


def correlated_derived_tables(tree: exp.Query) -> exp.Query:
    """The resolved tree, with no such table that is correlated."""
    if not any(True for select in tree.find_all(exp.Select) for _ in _correlated(select)):
        return tree
    made = tree.copy()
    for select in reversed(list(made.find_all(exp.Select))):
        for source in list(_correlated(select)):
            _ask_there(select, source)
    return made


def _correlated(select: exp.Select) -> Iterator[exp.Subquery]:
    """Those of FROM whose rows are all there once, or not, by what is asked in WHERE."""
    joins = select.args.get("joins") or []
    if any(
        str(join.args.get("side") or "") or str(join.args.get("kind") or "").upper() not in _INNER for join in joins
    ):
        return
    for holder in (select.args.get("from_"), *joins):
        source = None if holder is None else holder.this
        if isinstance(source, exp.Subquery) and _is_plain(source.this) and not _is_read_whole(source.alias, select):
            yield source


def _is_read_whole(alias: str, select: exp.Select) -> bool:
    """Whether all columns of a table are one value: what it is correlated by would be among them."""
    rows = any(whole.name == alias for whole in select.find_all(exp.TableColumn))
    return rows or any(star.table == alias and isinstance(star.this, exp.Star) for star in select.find_all(exp.Column))


def _is_plain(query: exp.Expr) -> bool:
    """Whether it reads what is around it where that may be asked around it as well: each row by itself by anything in
    its items and WHERE, groups of its own by equalities."""
    if not isinstance(query, exp.Select) or any(value for name, value in query.args.items() if name not in _PLAIN):
        return False
    own = own_aliases(query)
    outward = [part for part in where_of(query) if aliases_read(part) - own]
    if is_of_rows(query):
        outward += [item for item in query.expressions if aliases_read(item) - own]
        return _is_all(outward, query, own) and all(part.find(exp.Query) is None for part in outward)
    equal = all(equality(part, own) is not None for part in outward)
    return equal and _is_all(outward, query, own) and _is_grouped(query)


def _is_all(outward: list[exp.Expr], query: exp.Select, own: set[str]) -> bool:
    """Whether these are all that read what is around the query, and there are some."""
    read = {id(column) for column in query.find_all(exp.Column) if column.table and column.table not in own}
    return bool(outward) and read == {id(c) for part in outward for c in part.find_all(exp.Column) if id(c) in read}


def _is_grouped(query: exp.Select) -> bool:
    """Whether it has a row of each group, by plain keys."""
    group, distinct = query.args.get("group"), query.args.get("distinct")
    if is_aggregating(query) and (group is None or not is_plain_group(group)):
        return False
    return query.find(exp.Window) is None and (distinct is None or distinct.args.get("on") is None)


def _ask_there(select: exp.Select, source: exp.Subquery) -> None:
    query = source.this
    own, parts, group = own_aliases(query), where_of(query), query.args.get("group")
    outward = [part for part in parts if aliases_read(part) - own]
    kept, asked = [part for part in parts if part not in outward], where_of(select)
    if is_of_rows(query):
        compute_outside(select, query, source.alias, own)
    for place, part in enumerate(outward):
        pair = equality(part, own)
        if pair is None:
            export(part, query, source.alias, own)
            asked.append(part)
            continue
        inner, outer = pair
        name = f"{KEY} {place}"
        query.append("expressions", exp.Alias(this=inner.copy(), alias=exp.to_identifier(name, quoted=True)))
        if group is not None and inner not in group.expressions:
            group.append("expressions", inner.copy())
        column = stands_for(exp.column(name, table=source.alias, quoted=True), inner)
        asked.append(exp.EQ(this=column, expression=outer.copy()))
    query.set("where", exp.Where(this=exp.and_(*kept, copy=False)) if kept else None)
    select.set("where", exp.Where(this=exp.and_(*asked, copy=False)))

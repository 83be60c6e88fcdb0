"""What LATERAL asks of the row before it by more than equality, where it cannot be asked outside, of groups and first
rows, or of rows that an outer join adds: that row is read once more.

    asked   people p, LATERAL (SELECT v.cost FROM visits v WHERE v.person_id = p.person_id AND v.day > p.joined
                               ORDER BY v.day LIMIT 1) AS x
    made    people p, LATERAL (SELECT v.cost FROM visits v, people q WHERE v.person_id = q.person_id
                               AND v.day > q.joined AND q.person_id = p.person_id ORDER BY v.day LIMIT 1) AS x

Claim: both have the same rows. Because: q is the row of p, whose primary key it has. Where the policy's word of the key
is wrong there are more rows, which are bounded as those of any join.
Checked by: tests/test_fixtures.py (rewrite/lateral.sql).
"""

from __future__ import annotations

from itertools import count

from sqlglot import exp

from dpproxy.catalog.policy import Catalog
from dpproxy.rewrite.calculus.aggregates_of import aggregates
from dpproxy.rewrite.calculus.joins import where_of
from dpproxy.rewrite.expressions.trees.position import unplaced
from dpproxy.rewrite.shown import as_written, numbered
from dpproxy.rewrite.statement.correlation import aliases_read, equality, own_aliases
from dpproxy.rewrite.statement.lateral_columns import is_inner, is_of_first_rows, is_of_rows


def read_again(query: exp.Select, select: exp.Select, catalog: Catalog) -> None:
    """Let a query of LATERAL read its row once more, and be tied to it by its primary key alone; `query` is changed.
    As it is, where the row is not of one table that has such a key."""
    table = row_around(query, select, catalog)
    known = catalog.table(table.db, table.name) if table is not None else None
    if table is None or known is None:
        return
    taken = {each.alias_or_name for each in select.root().find_all(exp.Table, exp.Subquery, exp.Lateral)}
    names = (numbered(as_written(table.alias), number) for number in count(2))
    again = next(name for name in names if name not in taken)
    for column in list(query.find_all(exp.Column)):
        if column.table == table.alias:
            column.set("table", exp.to_identifier(again, quoted=True))
    source = unplaced(exp.table_(table.this.copy(), db=table.args["db"].copy(), alias=exp.to_identifier(again, True)))
    query.append("joins", exp.Join(this=source, kind="CROSS"))
    ties = [
        exp.EQ(
            this=exp.column(key, table=again, quoted=True), expression=exp.column(key, table=table.alias, quoted=True)
        )
        for key in known.primary_key
    ]
    query.set("where", exp.Where(this=exp.and_(*where_of(query), *ties, copy=False)))


def row_around(query: exp.Select, select: exp.Select, catalog: Catalog) -> exp.Table | None:
    """The one table with a primary key whose row a query reads, of those before it in FROM; None for any other."""
    around = aliases_read(query) - own_aliases(query)
    table = _table(select, *around) if len(around) == 1 else None
    known = catalog.table(table.db, table.name) if table is not None and table.db else None
    return table if known is not None and known.primary_key else None


def needs_its_row(query: exp.Select, join: exp.Join, select: exp.Select) -> bool:
    """Whether it reads the row before it in ways that nothing outside can ask in its place: by more than equality where
    it has groups or first rows, or in what it computes where that cannot stand outside."""
    own = own_aliases(query)
    pairs = [equality(part, own) for part in where_of(query) if aliases_read(part) - own]
    # A row of NULL, from an outer join before, meets no row here, as it would not meet its own.
    tied = any(pair is not None and isinstance(pair[1], exp.Column) for pair in pairs)
    elsewhere = tied and _reads_elsewhere(query, own)
    if is_of_rows(query):
        return elsewhere and not is_inner(join, select)
    return None in pairs or (elsewhere and not (is_of_first_rows(query) and is_inner(join, select)))


def _reads_elsewhere(query: exp.Select, own: set[str]) -> bool:
    """Whether it reads rows around it otherwise than in WHERE: without groups, and of aggregates within these."""
    where = query.args.get("where")
    asked = set(map(id, where.find_all(exp.Column))) if where is not None else set[int]()
    outward = [each for each in query.find_all(exp.Column) if each.table and each.table not in own]
    outward = [each for each in outward if id(each) not in asked]
    if query.args.get("group") is not None or not outward:
        return False
    added = [node for item in query.expressions for node in aggregates(item)]
    within = {id(each) for node in added for each in node.find_all(exp.Column)}
    return not added or all(id(each) in within for each in outward)


def _table(select: exp.Select, alias: str) -> exp.Table | None:
    """The table of that alias in FROM."""
    holders = [select.args.get("from_"), *(select.args.get("joins") or [])]
    found = [each.this for each in holders if each is not None and each.this.alias_or_name == alias]
    return found[0] if found and isinstance(found[0], exp.Table) and not found[0].args.get("sample") else None

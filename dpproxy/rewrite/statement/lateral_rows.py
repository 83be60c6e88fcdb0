"""Groups and first rows by LATERAL that read the row before them by more than equality: that row is read once more.

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
from dpproxy.rewrite.calculus.joins import where_of
from dpproxy.rewrite.expressions.trees.position import unplaced
from dpproxy.rewrite.shown import as_written, numbered
from dpproxy.rewrite.statement.correlation import aliases_read, equality, own_aliases
from dpproxy.rewrite.statement.lateral_columns import is_of_rows


def read_again(query: exp.Select, select: exp.Select, catalog: Catalog) -> None:
    """Let a query of LATERAL read its row once more, and be tied to it by its primary key alone; `query` is changed.
    As it is, where that is of no use, or the row is not of one table that has such a key."""
    own = own_aliases(query)
    outward = [part for part in where_of(query) if aliases_read(part) - own]
    if is_of_rows(query) or all(equality(part, own) is not None for part in outward):
        return
    around = {column.table for column in query.find_all(exp.Column) if column.table and column.table not in own}
    table = _table(select, *around) if len(around) == 1 else None
    known = catalog.table(table.db, table.name) if table is not None and table.db else None
    if table is None or known is None or not known.primary_key:
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


def _table(select: exp.Select, alias: str) -> exp.Table | None:
    """The table of that alias in FROM."""
    holders = [select.args.get("from_"), *(select.args.get("joins") or [])]
    found = [each.this for each in holders if each is not None and each.this.alias_or_name == alias]
    return found[0] if found and isinstance(found[0], exp.Table) and not found[0].args.get("sample") else None

"""The work of rows of two units of one kind that no table names both of: all of it, whoever is there.

How many rows of others one unit's rows meet is known by the size of the tables alone: all answers may be to one user's
questions. So all of it is counted as what hangs on one unit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from sqlglot import exp

from dpproxy.catalog.policy import Catalog, Link, Table
from dpproxy.plan.private_plan import MOST_PAIRS, Bounded, Release
from dpproxy.plan.work import Work
from dpproxy.rewrite.checker.nodes import parsed
from dpproxy.rewrite.checker.syntax import conjuncts, filtered
from dpproxy.rewrite.checker.tables import is_reading, table_of
from dpproxy.rewrite.checker.ties import equality
from dpproxy.rewrite.work.counted import WorkContext
from dpproxy.rewrite.work.queries import read_query
from dpproxy.rewrite.work.weights import FLOOR, OPERATION, RELEASED


def joins_strangers(bounded: Bounded, context: WorkContext) -> bool:
    """Whether its rows belong to two units of one kind, and no table says so of its own rows."""
    if bounded.pair is None or bounded.pair[0] != bounded.pair[1]:
        return False
    tables = parsed(bounded.question, context.dialect).find_all(exp.Table)
    return not any(table_of(node, context.catalog).ways for node in tables)


def work_of_strangers(release: Release, context: WorkContext) -> Work:
    """Of rows of two units of one kind, where a row of one is met by rows of others, as many as there may be of them.

    Claim: when a unit leaves, the work changes by no more than `operations`, which is `whole`; and it is counted as one
    that may read whole tables because of one row (`Work.scans`), so that it is answered only where all of it is done
    within the limit, whoever is there, and the noise, if there is any, is made for all of it.
    Because: with a unit and without, the work is between nothing and all of it. All of it is counted from tables as
    they are when nothing in them is anybody's: as large as `max_rows` says, each row of a join in each operator. Public
    rows multiply each choice of private ones as they would those of one unit: a column that holds the key of a unit is
    fixed for all of its rows, and so for each of them.
    Checked by: tests/test_stranger_work.py.
    """
    query = parsed(release.bounded.question, context.dialect)
    of_one = read_query(query, {}, replace(context, query=read_query))
    every = read_query(query, {}, replace(context, catalog=_of_nobody(context.catalog), query=read_query))
    told = min(every.rows, MOST_PAIRS) * len(release.bounded.measures)
    whole = -(-(max(every.work, every.whole) + told * RELEASED + FLOOR) // OPERATION)
    return Work(max(of_one.most, every.rows), whole, of_one.widest, 1, whole, owners_word(query, context.catalog))


def _of_nobody(catalog: Catalog) -> Catalog:
    """The policy as if all rows were nobody's, as many as there may be."""
    return replace(
        catalog,
        tables={name: _public(table) for name, table in catalog.tables.items()},
        beyond={name: _public(table) for name, table in catalog.beyond.items()},
    )


def _public(table: Table) -> Table:
    return table if table.public else replace(table, unit=None, unit_key=None, links=(), ways=(), size=table.max_rows)


def owners_word(query: exp.Expr, catalog: Catalog) -> str:
    """What the owner could declare for a table whose rows name one of another's by a column that is no link of theirs,
    so that what one unit has of them is known; empty where nothing would help.

    Checked by: tests/test_policy_suggestions.py.
    """
    for select in query.find_all(exp.Select):
        for table, first, second in _of_both(select, catalog):
            units = f"{{ {table.unit} = {{ {_written(first)}, {_written(second)} }} }}"
            return (
                f"If a row of {table.name} belongs to two {table.unit}s, the owner may declare for it units = {units}."
            )
    return ""


def _of_both(select: exp.Select, catalog: Catalog) -> Iterator[tuple[Table, Link, Link]]:
    """Tables that are joined, by a column that is no link of theirs, to what names a row of another table of that kind
    of unit: each with its link, and with what would be the other."""
    tables = _scanned(select, catalog)
    ons = [part for join in select.args.get("joins") or [] for part in conjuncts(join.args.get("on"))]
    for (left, x), (right, y) in filter(None, map(equality, (*ons, *filtered(select)))):
        for (own, column), (other, named) in (((left, x), (right, y)), ((right, y), (left, x))):
            table, target = tables.get(own), tables.get(other)
            if table is None or target is None or target.name == table.name or target.unit != table.unit:
                continue
            link = _link(table, catalog)
            if link is not None and link.column != column and target.proves_unique(named):
                yield table, link, Link(column, target.name, named)


def _scanned(select: exp.Select, catalog: Catalog) -> Mapping[str, Table]:
    """The private tables in FROM, by their aliases."""
    from_ = select.args.get("from_")
    nodes = [] if from_ is None else [from_.this, *(join.this for join in select.args.get("joins") or [])]
    plain = {node.alias: node for node in nodes if type(node) is exp.Table}
    read = {
        node.alias: node.this.args["from_"].this
        for node in nodes
        if type(node) is exp.Subquery and is_reading(node.this)
    }
    tables = {alias: table_of(node, catalog) for alias, node in (plain | read).items()}
    return {alias: table for alias, table in tables.items() if not table.public}


def _link(table: Table, catalog: Catalog) -> Link | None:
    """The one way from a table to its unit; None for the unit's own."""
    unit = catalog.units.get(table.unit or "")
    if unit is None or table.name == unit.table or len(table.links) > 1:
        return None
    if table.links:
        return table.links[0]
    return None if table.unit_key is None else Link(table.unit_key, unit.table, unit.key)


def _written(link: Link) -> str:
    return f'{link.column} = "{link.table}.{link.target}"'

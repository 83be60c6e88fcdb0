"""A SELECT over private rows without aggregates, as a relation for the query around it."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from dpproxy.errors import FeatureNotSupported
from dpproxy.rewrite.expressions.fact import Typed
from dpproxy.rewrite.expressions.position import position
from dpproxy.rewrite.joins import Joined
from dpproxy.rewrite.relations import Private, Source, Weight
from dpproxy.rewrite.scans import quoted
from dpproxy.rewrite.world import World

UNIT = "u"
_CLAUSES = {"order": "ORDER BY", "limit": "LIMIT", "offset": "OFFSET", "distinct": "DISTINCT", "having": "HAVING"}


def project(select: exp.Select, joined: Joined, weights: Mapping[str, Weight], world: World) -> Private:
    """The private relation with the unit's key as `u` and the SELECT's columns as c0, c1, ….

    Claim: a row of the result belongs to the unit whose key is its `u`. Because: it is computed from one row of the
    join, and carries that row's key. Checked by: tests/test_neighbours.py.
    """
    for arg, clause in _CLAUSES.items():
        if select.args.get(arg):
            raise FeatureNotSupported(
                f"{clause} over private rows is not supported",
                hint=f"Leave {clause} out of the subquery; apply it to the aggregate's result.",
                position=position(select.args[arg]),
            )
    cells = {
        item.alias_or_name: (item.unalias(), world.total(item.unalias(), joined.scope)) for item in select.expressions
    }
    items = [f"{joined.rowset.key} AS {quoted(UNIT)}"]
    items += [f"{world.text(typed)} AS {quoted(f'c{index}')}" for index, (_, typed) in enumerate(cells.values())]
    return _relation(f"(SELECT {', '.join(items)}{joined.rowset.text})", cells, joined, weights)


def _relation(
    sql: str, cells: dict[str, tuple[exp.Expr, Typed]], joined: Joined, weights: Mapping[str, Weight]
) -> Private:
    rowset = joined.rowset
    sources = {source.alias: source for source in rowset.sources}
    plain = {name: node for name, (node, _) in cells.items() if isinstance(node, exp.Column)}
    return Private(
        unit=rowset.unit,
        sql=sql,
        facts={name: typed.fact for name, (_, typed) in cells.items()},
        held={name: f"c{index}" for index, name in enumerate(cells)},
        key=UNIT,
        key_columns=frozenset(name for name, node in plain.items() if _is_key(node, sources)),
        origins={name: origin for name, node in plain.items() if (origin := _origin(node, sources)) is not None},
        one_row=rowset.one_row,
        of_unit=frozenset(name for name, (node, _) in cells.items() if of_unit(node, rowset.sources, rowset.one_row)),
        rows=rowset.rows,
        groups=rowset.groups,
        weights=weights,
    )


def of_unit(expression: exp.Expr, sources: tuple[Source, ...], one_row: bool) -> bool:
    """Whether a unit's rows are proved to agree on `expression`: it reads columns that are functions of the unit."""
    known = {source.alias: source.relation for source in sources}
    return one_row or all(
        isinstance(relation := known[column.table], Private) and column.name in relation.of_unit
        for column in expression.find_all(exp.Column)
    )


def _is_key(node: exp.Column, sources: dict[str, Source]) -> bool:
    relation = sources[node.table].relation
    return isinstance(relation, Private) and node.name in relation.key_columns


def _origin(node: exp.Column, sources: dict[str, Source]) -> tuple[str, str] | None:
    relation = sources[node.table].relation
    return relation.origins.get(node.name) if isinstance(relation, Private) else None

"""The statement for the front: array parameters where release points and the proxy's own tables were."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp, parse_one

from dpproxy.catalog.model import Catalog
from dpproxy.catalog.views import VIEWS
from dpproxy.plan.model import Input, Post, ViewColumn
from dpproxy.rewrite.calculus.released import columns_of
from dpproxy.rewrite.reading.constants import CONSTANTS, written
from dpproxy.rewrite.reading.dialect import AsWritten
from dpproxy.rewrite.releases.draft import RELEASED, Draft
from dpproxy.rewrite.world import World

_Column = tuple[str, str, Input]


def swap(tree: exp.Query, drafts: Sequence[Draft], world: World) -> Post:
    """`tree` as Postgres text, reading as arrays the parameters after the analyst's; the text depends on no value."""
    inputs: list[_Column] = []
    for table in list(tree.find_all(exp.Table)):
        if table.db == CONSTANTS:
            table.replace(written(world.constants[int(table.name)], table.alias_or_name))
            continue
        columns = _columns(table, drafts, world.catalog)
        if columns:
            table.replace(_unnest(table.alias_or_name, columns, len(world.parameters) + len(inputs)))
            inputs.extend(columns)
    return Post(tree.sql(dialect=AsWritten), tuple(i for _, _, i in inputs), tuple(f"{t}[]" for _, t, _ in inputs))


def _columns(table: exp.Table, drafts: Sequence[Draft], catalog: Catalog) -> list[_Column]:
    if table.db == RELEASED:
        return [(name, str(type_), place) for name, type_, place in columns_of(int(table.name), drafts)]
    if table.db == "dp" and f"dp.{table.name}" not in catalog.tables:
        return [(c.name, c.type, ViewColumn(table.name, c.name)) for c in VIEWS[table.name]]
    return []


def _unnest(alias: str, columns: Sequence[_Column], before: int) -> exp.Expr:
    arrays = ", ".join(f"CAST(${before + i} AS {type_}[])" for i, (_, type_, _) in enumerate(columns, 1))
    names = ", ".join(exp.to_identifier(name, quoted=True).sql("postgres") for name, _, _ in columns)
    query = parse_one(f"SELECT * FROM UNNEST({arrays}) AS r({names})", read="postgres")
    return exp.Subquery(this=query, alias=exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))

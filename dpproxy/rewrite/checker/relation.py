"""A private relation: which of its four forms a query has."""

from __future__ import annotations

from sqlglot import exp

from dpproxy.catalog.model import Catalog
from dpproxy.plan.model import OwnTable, Release
from dpproxy.rewrite.checker.fault import CheckFault
from dpproxy.rewrite.checker.grouped import read_grouped
from dpproxy.rewrite.checker.level import read_level
from dpproxy.rewrite.checker.relations import Relation
from dpproxy.rewrite.checker.scope import World
from dpproxy.rewrite.checker.setops import read_set_operation
from dpproxy.rewrite.checker.subqueries import read_subquery
from dpproxy.rewrite.checker.syntax import SET_OPERATIONS
from dpproxy.rewrite.checker.windowed import has_window, read_windowed


def world_of(catalog: Catalog, releases: tuple[Release, ...], tables: tuple[OwnTable, ...], dialect: str) -> World:
    """What the readers of a release's texts may look at; `releases` are those before it, `tables` the analyst's own."""
    return World(catalog, releases, tables, read_relation, read_subquery, dialect)


def read_relation(query: exp.Expr, world: World) -> Relation:
    """The private relation that a query is, by its outermost form. Raises CheckFault for one that is not proved."""
    if type(query) in SET_OPERATIONS:
        return read_set_operation(query, world)
    if type(query) is exp.Subquery and not query.alias:
        return read_relation(query.this, world)
    if type(query) is not exp.Select:
        raise CheckFault(f"{type(query).__name__} is no private relation")
    if query.args.get("group") is not None:
        return read_grouped(query, world)
    if any(has_window(item) for item in query.expressions):
        return read_windowed(query, world)
    return read_level(query, world)

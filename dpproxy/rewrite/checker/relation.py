"""A private relation: which of its five forms a query has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from sqlglot import exp

from dpproxy.catalog.policy import Catalog
from dpproxy.plan.private_plan import OwnTable, Release
from dpproxy.rewrite.checker.engines import Facts
from dpproxy.rewrite.checker.fault import CheckFault
from dpproxy.rewrite.checker.grouped import read_grouped
from dpproxy.rewrite.checker.level import read_level
from dpproxy.rewrite.checker.relations import UNIT, Relation
from dpproxy.rewrite.checker.scope import CheckContext
from dpproxy.rewrite.checker.setops import read_set_operation
from dpproxy.rewrite.checker.settled import read_settled
from dpproxy.rewrite.checker.subqueries import read_subquery
from dpproxy.rewrite.checker.syntax import SET_OPERATIONS, grouped, named
from dpproxy.rewrite.checker.windowed import has_window, read_windowed


def behind(context: CheckContext, releases: tuple[Release, ...]) -> CheckContext:
    """What they may look at behind some releases of the same plan."""
    return replace(context, releases=releases) if releases else context


def read_relation(query: exp.Expr, context: CheckContext) -> Relation:
    """The private relation that a query is. Raises CheckFault for one that is not proved.

    Because: what was found of a query was proved of one that is written alike, in the same plan, of the same tables and
    sample; and of earlier releases, those that its arrays name, which were there before a later release, too.
    Checked by: tests/test_checker_relations.py, tests/test_checker_samples.py.
    """
    read = (query, context.sample)
    if read not in context.private:
        context.private[read] = _read(query, context)
    return context.private[read]


def _read(query: exp.Expr, context: CheckContext) -> Relation:
    """By its outermost form."""
    if type(query) in SET_OPERATIONS:
        return read_set_operation(query, context)
    if type(query) is exp.Subquery and not query.alias:
        return read_relation(query.this, context)
    if type(query) is not exp.Select:
        raise CheckFault(f"{type(query).__name__} is no private relation")
    if query.args.get("group") is not None:
        return read_grouped(query, context) if _names_unit(query) else read_settled(query, context)
    if any(has_window(item) for item in query.expressions):
        return read_windowed(query, context)
    return read_level(query, context)


def _names_unit(query: exp.Expr) -> bool:
    """Whether its items or its groups are by the name of the unit's key."""
    return UNIT in {*named(query), *(part.name for part in grouped(query))}


_Reader = Callable[[exp.Expr, CheckContext], Relation]
_LONG = 2_000  # characters of a text: in a shorter one too little is written twice to look for it


def reader_of(releases: Sequence[Release]) -> _Reader:
    """What reads the private relations of a plan."""
    much = len(releases) > 1 or any(len(each.bounded.sql) > _LONG for each in releases)
    return read_relation if much else _read


def context_of(
    catalog: Catalog, tables: tuple[OwnTable, ...], engine: Facts, relation: _Reader = read_relation
) -> CheckContext:
    """What the readers of a plan's texts may look at before its first release; `tables` are the analyst's own."""
    return CheckContext(catalog, (), tables, relation, read_subquery, engine)

"""A SELECT of aggregates over rows that belong to two units each."""

from __future__ import annotations

from sqlglot import exp

from dpproxy.catalog.policy import Catalog
from dpproxy.errors import FeatureNotSupported, NotPrivate, SubqueryBesidePairs
from dpproxy.rewrite.calculus.aggregates_of import is_aggregating, substitute
from dpproxy.rewrite.calculus.expanded_size import weigh
from dpproxy.rewrite.calculus.joins import Filtered
from dpproxy.rewrite.calculus.lengths import in_seconds
from dpproxy.rewrite.calculus.pairs import has_several, joins_strangers, paired
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.expressions.trees.position import position
from dpproxy.rewrite.releases.draft import ReleaseDraft
from dpproxy.rewrite.releases.pair_point import pair_point
from dpproxy.rewrite.releases.sample_aggregate import is_sampled
from dpproxy.rewrite.statement.inlined import are_several, private_tables


def is_of_pairs(select: exp.Select, rows: Filtered, catalog: Catalog) -> bool:
    """Whether it aggregates rows of several units."""
    return is_aggregating(select) and (has_several(rows.made, catalog) or joins_strangers(rows, catalog))


def pair_release(select: exp.Select, prepared: Filtered, context: PlanningContext, drafts: list[ReleaseDraft]) -> None:
    """Add its release to `drafts`, and change it to read that. Raises NotPrivate and FeatureNotSupported as `paired`,
    `pair_point` and for subqueries over private rows, and for settings under which there is no answer."""
    _refuse(select, prepared, context)
    rows = paired(prepared, context)
    weigh(select, rows.rowset.sources)
    lengths, keys = in_seconds(select, rows, context)
    if keys:
        select.args["group"].set("expressions", keys)
    substitute(select, lengths)
    pair_point(select, rows, context, drafts)


def refused_beside(fault: NotPrivate, select: exp.Select, catalog: Catalog) -> NotPrivate:
    """The refusal of a SELECT where a subquery over private rows is what stands in the way of rows of several units;
    else the one that it has."""
    where = select.args.get("where")
    queries = [] if where is None else list(where.find_all(exp.Query))
    asked = [(query, name) for query in queries for name in private_tables(query, catalog)]
    tables = private_tables(select, catalog)
    if not asked or not is_aggregating(select) or not are_several(tables, catalog):
        return fault
    query, name = asked[0]
    units = sorted({unit for table in tables for unit in catalog.tables[table].units})
    return SubqueryBesidePairs(
        f'a subquery asks rows of "{name.rpartition(".")[2]}", where rows belong to {" and ".join(units)}',
        hint="Ask for it in a statement of its own, or leave it out.",
        position=position(query),
    )


def _refuse(select: exp.Select, rows: Filtered, context: PlanningContext) -> None:
    for column in select.find_all(exp.Column):
        if (column.table, column.name) in rows.nested:
            raise SubqueryBesidePairs(
                "a subquery over private rows, beside rows that belong to two units each",
                hint="Ask for it in a statement of its own, or join its table in FROM.",
                position=position(select),
            )
    if is_sampled(context):
        raise FeatureNotSupported(
            "sample and aggregate over rows that belong to two units each is not supported",
            hint="SET dp.mechanism = 'auto'.",
            position=position(select),
        )
    if context.catalog.constant_time:
        raise FeatureNotSupported(
            "rows that belong to two units each are not supported where the time of answers is hidden",
            hint="Ask for rows of one kind of unit; the owner may set [server] constant_time = false.",
            position=position(select),
        )

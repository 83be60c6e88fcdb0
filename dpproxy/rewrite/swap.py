"""The statement for the front: array parameters where release points and the proxy's own tables were.

Checked by: tests/test_fixtures.py.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from dpproxy.catalog.policy import Catalog
from dpproxy.catalog.views import VIEWS
from dpproxy.kept_parsers import KeptParsers
from dpproxy.plan.private_plan import Input, Post, ViewColumn
from dpproxy.remembered import remembered
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.divisions import DIVISIONS, null_where_divided_by_zero
from dpproxy.rewrite.error_bars.columns import add_columns
from dpproxy.rewrite.error_bars.placed import place_error_bars
from dpproxy.rewrite.expressions.trees.nodes import nodes_of
from dpproxy.rewrite.reading.constants import CONSTANTS, written
from dpproxy.rewrite.reading.dialect import AsWritten
from dpproxy.rewrite.reading.parse import untold_median
from dpproxy.rewrite.reading.recursion import RECURSION
from dpproxy.rewrite.releases.draft import PLACE, RELEASED, ReleaseDraft
from dpproxy.rewrite.statement.released import columns_of

_Column = tuple[str, str, Input]
_FRONT = KeptParsers(AsWritten())


def swap(tree: exp.Query, drafts: Sequence[ReleaseDraft], context: PlanningContext) -> Post:
    """`tree` as Postgres text, reading as arrays the parameters after the analyst's; the text depends on no value."""
    settings, inputs = context.settings, list[_Column]()
    asked, with_bars = add_columns(tree, drafts, settings, context.columns)
    told, bars = place_error_bars(asked, drafts, settings.confidence)
    made = told.copy()
    for table in [node for node in nodes_of(made) if type(node) is exp.Table]:
        if table.db == CONSTANTS:
            table.replace(written(context.constants[int(table.name)], table.alias_or_name))
            continue
        if table.db == RECURSION:
            table.replace(_recursive(table, context))
            continue
        columns = _columns(table, drafts, context.catalog)
        columns += bars.get(table.alias_or_name, ())
        if columns:
            before = len(context.parameters) + len(inputs)
            table.replace(_unnest(table.alias_or_name, columns, before, _is_ordered(table, drafts)))
            inputs.extend(columns)
    kinds = set(map(type, nodes_of(made)))
    if exp.Median in kinds:
        for median in list(made.find_all(exp.Median)):
            median.replace(untold_median(median))
    if drafts and not kinds.isdisjoint(DIVISIONS):
        null_where_divided_by_zero(made, context)
    sql = _FRONT.text(made)
    types = tuple(f"{type_}[]" for _, type_, _ in inputs)
    return Post(sql, tuple(input_ for _, _, input_ in inputs), types, with_bars, _before(context))


def _before(context: PlanningContext) -> str | None:
    """What the front is asked before the charge: whether each value is one, of queries over public rows."""
    asked = [_with_constants(context.constant(query), context) for query in dict.fromkeys(context.alone)]
    values = [exp.Is(this=_in_parentheses(query), expression=exp.Null()) for query in asked]
    return _FRONT.text(exp.Select(expressions=values)) if values else None


def _in_parentheses(query: exp.Expr) -> exp.Expr:
    return query if isinstance(query, exp.Subquery) else exp.Subquery(this=query)


def _with_constants(query: exp.Expr, context: PlanningContext) -> exp.Expr:
    for table in list(query.find_all(exp.Table)):
        if table.db == CONSTANTS:
            table.replace(written(context.constants[int(table.name)], table.alias_or_name))
    for median in list(query.find_all(exp.Median)):
        median.replace(untold_median(median))
    return query


def _recursive(table: exp.Table, context: PlanningContext) -> exp.Expr:
    """What was set apart, as it was written."""
    query = next(each.tree for each in context.recursions if each.name == table.name)
    alias = exp.TableAlias(this=exp.to_identifier(table.alias_or_name, quoted=True))
    return exp.Subquery(this=query.copy(), alias=alias)


def _columns(table: exp.Table, drafts: Sequence[ReleaseDraft], catalog: Catalog) -> list[_Column]:
    if table.db == RELEASED:
        return [(name, str(type_), place) for name, type_, place in columns_of(int(table.name), drafts)]
    if table.db == "dp" and f"dp.{table.name}" not in catalog.tables:
        return [(c.name, c.type, ViewColumn(table.name, c.name)) for c in VIEWS[table.name]]
    return []


def _is_ordered(table: exp.Table, drafts: Sequence[ReleaseDraft]) -> bool:
    """Whether its rows are several keys in the order in which they were chosen."""
    return table.db == RELEASED and (drafts[int(table.name)].places or 1) > 1


def _unnest(alias: str, columns: Sequence[_Column], before: int, ordered: bool) -> exp.Expr:
    arrays = [_array(before + i, type_) for i, (_, type_, _) in enumerate(columns, 1)]
    names = [exp.to_identifier(name, quoted=True) for name, _, _ in columns]
    if ordered:
        names.append(exp.to_identifier(PLACE, quoted=True))
    # As a call: of one array sqlglot's own node looks first whether it is one of JSON, for longer than all else takes.
    rows = exp.Table(
        this=exp.Anonymous(this="UNNEST", expressions=arrays),
        alias=exp.TableAlias(this=exp.to_identifier("r"), columns=names),
        ordinality=ordered,
    )
    query = exp.Select(expressions=[exp.Star()], from_=exp.From(this=rows))
    return exp.Subquery(this=query, alias=exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))


def _array(number: int, type_: str) -> exp.Expression:
    parameter = exp.Parameter(this=exp.Literal.number(number))
    return exp.Cast(this=parameter, to=_array_of(type_).copy())


@remembered(256)
def _array_of(type_: str) -> exp.DataType:
    """The type of its arrays, which nobody changes."""
    return exp.DataType.build(f"{type_}[]", dialect="postgres")

"""An aggregate over private rows becomes a release, and its SELECT a query over released rows.

This is the only door from Private to Released.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from dpproxy.errors import FeatureNotSupported, NotPrivate
from dpproxy.plan.model import Bounded, Output, PrivateKeys
from dpproxy.rewrite.aggregates import Measures
from dpproxy.rewrite.bound import bound
from dpproxy.rewrite.expressions.position import position
from dpproxy.rewrite.joins import Joined
from dpproxy.rewrite.keys import Keyed, keys
from dpproxy.rewrite.world import World

RELEASED = "dpproxy released"
AGGREGATES = (exp.AggFunc, exp.Filter, exp.WithinGroup)
_CLAUSES = ("expressions", "having", "order", "distinct", "windows", "qualify")


@dataclass(frozen=True, slots=True)
class Draft:
    """A release without noise yet: what is bounded, and the columns that come out."""

    bounded: Bounded
    outputs: tuple[Output, ...]


def is_release_point(select: exp.Select) -> bool:
    """Whether a SELECT over private rows aggregates them."""
    if select.args.get("group") is not None or select.args.get("having") is not None:
        return True
    return any(_aggregates(item) for item in select.expressions)


def release_point(select: exp.Select, joined: Joined, world: World, index: int) -> Draft:
    """The draft of release `index`; `select` itself is changed to read the released rows.

    Claim: nothing of `select` that reads a private column is left in it.
    Because: each aggregate and each key expression is replaced by a released column, and a column that remains is
    refused. Checked by: tests/test_fixtures.py.
    """
    keyed = keys(select, joined, world)
    measures = Measures(joined, world, rows_are_selected=_rows_are_selected(keyed, joined))
    alias = f"dpproxy_{index}"
    replaced = _replacements(select, keyed, measures, alias)
    if not measures.found and not measures.rows_are_selected:
        measures.rows()
    _substitute(select, replaced)
    _read_released(select, alias, index)
    for clause in _CLAUSES:
        _refuse_rest(select.args.get(clause), joined)
    return Draft(bound(joined, keyed, measures.found, world.dialect), tuple(measures.outputs))


def _rows_are_selected(keyed: tuple[Keyed, ...], joined: Joined) -> bool:
    """Whether the count that partition selection releases is the count of rows: one row per unit, only private keys."""
    return bool(keyed) and joined.rowset.one_row and all(isinstance(k.key.domain, PrivateKeys) for k in keyed)


def _aggregates(node: exp.Expr) -> list[exp.Expr]:
    """The outermost aggregates over rows in `node`: what a window function computes is over groups, not rows."""
    if isinstance(node, exp.Window):
        inner = node.this.this if isinstance(node.this, exp.Filter) else node.this
        parts = [*inner.iter_expressions(), *(e for e in node.iter_expressions() if e is not node.this)]
        return [found for part in parts for found in _aggregates(part)]
    if isinstance(node, AGGREGATES):
        return [node]
    if isinstance(node, exp.Query):
        return []
    return [found for part in node.iter_expressions() for found in _aggregates(part)]


def _replacements(
    select: exp.Select, keyed: tuple[Keyed, ...], measures: Measures, alias: str
) -> dict[exp.Expr, exp.Expr]:
    """What each key and aggregate expression becomes; found by equality of the written expressions."""
    found: dict[exp.Expr, exp.Expr] = {k.written.copy(): _released(alias, k.key.name) for k in keyed}
    clauses = [*select.expressions, *(select.args.get("windows") or [])]
    clauses += [select.args[name] for name in ("having", "order") if select.args.get(name)]
    for clause in clauses:
        for aggregate in _aggregates(clause):
            if aggregate not in found:
                found[aggregate.copy()] = _released(alias, measures.output(aggregate).name)
    return found


def _released(alias: str, name: str) -> exp.Expr:
    return exp.column(exp.to_identifier(name), table=exp.to_identifier(alias))


def _substitute(select: exp.Select, replaced: dict[exp.Expr, exp.Expr]) -> None:
    def swap(node: exp.Expr) -> exp.Expr:
        known = replaced.get(node)
        return node if known is None else known.copy()

    for clause in ("expressions", "having", "order", "distinct", "windows"):
        value = select.args.get(clause)
        if isinstance(value, list):
            select.set(clause, [item.transform(swap, copy=False) for item in value])
        elif isinstance(value, exp.Expr):
            select.set(clause, value.transform(swap, copy=False))


def _read_released(select: exp.Select, alias: str, index: int) -> None:
    """FROM the released rows; HAVING becomes WHERE over them."""
    having = select.args.get("having")
    for clause in ("joins", "where", "group", "having"):
        select.set(clause, None)
    select.set("from_", exp.From(this=exp.table_(str(index), db=RELEASED, quoted=True, alias=alias)))
    if having is not None:
        select.set("where", exp.Where(this=having.this))


def _refuse_rest(clause: object, joined: Joined) -> None:
    parts = clause if isinstance(clause, list) else [clause]
    aliases = {source.alias for source in joined.rowset.sources}
    for part in parts:
        if isinstance(part, exp.Expr):
            for column in part.find_all(exp.Column):
                if column.table in aliases:
                    raise NotPrivate(
                        f'column "{column.name}" is neither aggregated nor one of the keys',
                        hint=f'Add "{column.name}" to GROUP BY, or aggregate it.',
                        position=position(column),
                    )
            _refuse_subqueries(part)


def _refuse_subqueries(part: exp.Expr) -> None:
    query = part.find(exp.Query)
    if query is not None:
        raise FeatureNotSupported(
            "a subquery beside aggregates of private rows is not supported",
            hint="Write it as a CTE and join it with the aggregate's result in an outer SELECT.",
            position=position(query),
        )

"""GROUPING SETS, ROLLUP and CUBE: what was released for each set becomes one relation, as UNION ALL makes it.

asked    SELECT a, b, sum(x) FROM t GROUP BY GROUPING SETS ((a, b), (a))
read     SELECT s.k0, s.k1, s.a0 FROM (SELECT k0, k1, o0 AS a0 FROM (released by a, b)
                                       UNION ALL SELECT k0, NULL, o0 FROM (released by a)) AS s
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from dpproxy.catalog.zones import UTC
from dpproxy.rewrite.calculus.relations import Joined
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.releases.grouping import Keys, is_grouping, which
from dpproxy.rewrite.releases.released_rows import Replaced, named, released_column


@dataclass(frozen=True, slots=True)
class RowsOfSet:
    """A row for each group of one set: its keys as written, what stands in FROM, and what is known there."""

    keys: Keys
    source: exp.Expr
    joins: Sequence[exp.Expr]
    replaced: Replaced


def key_types(sets: Sequence[Keys], joined: Joined, context: PlanningContext) -> dict[exp.Expr, str]:
    """The types of all keys of all sets, each once, in order."""
    every = dict.fromkeys(node for each in sets for node in each)
    return {node: str(context.total(node, joined.scope).fact.type.in_zone(UTC)) for node in every}


def together(
    parts: Sequence[RowsOfSet], found: Sequence[exp.Expr], types: Mapping[exp.Expr, str], alias: str
) -> tuple[exp.Expr, Replaced]:
    """The rows of all grouping sets, and what keys and the aggregates `found` are there: a key that is not in a set is
    NULL in its rows."""
    names: dict[exp.Expr, str] = {node.copy(): f"k{i}" for i, node in enumerate(types)}
    names |= {node.copy(): f"a{i}" for i, node in enumerate(found)}
    selects = [_select(each, names, types) for each in parts]
    made: exp.Expr = selects[0]
    for each in selects[1:]:
        made = exp.Union(this=made, expression=each, distinct=False)
    source = exp.Subquery(this=made, alias=exp.TableAlias(this=exp.to_identifier(alias)))
    return source, {node: released_column(alias, name) for node, name in names.items()}


def _select(part: RowsOfSet, names: Mapping[exp.Expr, str], types: Mapping[exp.Expr, str]) -> exp.Select:
    items = [named(_value(node, part, types), name) for node, name in names.items()]
    made = exp.Select(expressions=items, from_=exp.From(this=part.source))
    made.set("joins", list(part.joins))
    return made


def _value(node: exp.Expr, part: RowsOfSet, types: Mapping[exp.Expr, str]) -> exp.Expr:
    if is_grouping(node):
        return exp.Literal.number(which(node, part.keys))
    if node in part.replaced:
        return part.replaced[node]
    return exp.Cast(this=exp.Null(), to=exp.DataType.build(types[node], dialect="postgres"))

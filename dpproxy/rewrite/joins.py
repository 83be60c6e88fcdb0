"""FROM, JOIN and WHERE over private rows -> one text, its scope, and what it proves of a unit's rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from dpproxy.catalog.types import Family
from dpproxy.errors import FeatureNotSupported
from dpproxy.rewrite.expressions import conjuncts, narrow
from dpproxy.rewrite.expressions.fact import Scope, Typed
from dpproxy.rewrite.expressions.position import position
from dpproxy.rewrite.parse import with_constants
from dpproxy.rewrite.relations import Private, Rowset, Shared, Source
from dpproxy.rewrite.units import Cell, equalities, unit_key
from dpproxy.rewrite.world import World

# Rows per unit where each private table has one, and a public table multiplies them.
UNPROVED_ROWS = 100


@dataclass(frozen=True, slots=True)
class Joined:
    """The rows of a SELECT before grouping, and the scope of its expressions."""

    rowset: Rowset
    scope: Scope


def join(select: exp.Select, sources: Sequence[Source], world: World) -> Joined:
    """The joined and filtered rows of `select`, each belonging to one unit, none without.

    Raises FeatureNotSupported for joins that are not inner, NotPrivate where units would mix.
    """
    scope = {
        (source.alias, name): Typed(
            exp.column(exp.to_identifier(source.relation.held[name], quoted=True), table=source.name), fact
        )
        for source in sources
        for name, fact in source.relation.facts.items()
    }
    on = [conjuncts(_on(node)) for node in select.args.get("joins") or []]
    where = select.args.get("where")
    conditions = [*(c for part in on for c in part), *conjuncts(where.this if where else None)]
    equated = equalities(conditions)
    key = unit_key(sources, equated, world.catalog)
    narrowed = narrow([with_constants(c, world.parameters) for c in conditions], scope)
    filters = [world.text(world.condition(c, scope)) for c in conjuncts(where.this if where else None)]
    text = _from(sources, on, scope, world) + key.joins
    text += " WHERE " + " AND ".join([f"{key.expression} IS NOT NULL", *(f"({f})" for f in filters)])
    return Joined(_rowset(sources, text, key.expression, conditions, equated, scope, world), narrowed)


def _rowset(
    sources: Sequence[Source],
    text: str,
    key: str,
    conditions: Sequence[exp.Expr],
    equated: Sequence[tuple[Cell, Cell]],
    scope: Scope,
    world: World,
) -> Rowset:
    private = [source.relation for source in sources if isinstance(source.relation, Private)]
    one_row = all(relation.one_row for relation in private) and _no_fan_out(sources, equated)
    rows = max((relation.rows for relation in private if not relation.one_row), default=UNPROVED_ROWS)
    return Rowset(
        unit=private[0].unit,
        text=text,
        key=key,
        sources=tuple(sources),
        one_row=one_row,
        rows=1 if one_row else world.settings.max_rows or rows,
        groups=world.settings.max_groups or max(relation.groups for relation in private),
        public_where=_public_where(sources, conditions, scope, world),
    )


def _no_fan_out(sources: Sequence[Source], equated: Sequence[tuple[Cell, Cell]]) -> bool:
    """Claim: if true, each combination of private rows meets at most one combination of public rows.

    Because: public tables are added one by one, each by a proved-unique set of columns that are all equated with
    columns of what is there already, of the same family of types, compared without rounding.
    Checked by: tests/test_neighbours.py.
    """
    determined = {source.alias for source in sources if isinstance(source.relation, Private)}
    waiting = {source.alias: source.relation for source in sources if isinstance(source.relation, Shared)}
    same = [
        (left, right)
        for left, right in equated
        if (held := _held(left, sources)) is not None and held is _held(right, sources)
    ]
    while waiting:
        found = [alias for alias, relation in waiting.items() if _determined(alias, relation, determined, same)]
        if not found:
            return False
        for alias in found:
            determined.add(alias)
            del waiting[alias]
    return True


def _held(cell: Cell, sources: Sequence[Source]) -> Family | None:
    """The family in which the engine compares a plain column; None for others, and for numbers that it may round."""
    relation = next(source.relation for source in sources if source.alias == cell[0])
    if isinstance(relation, Private) and cell[1] not in relation.origins:
        return None
    family = relation.facts[cell[1]].engine.family
    return None if family in (Family.NUMERIC, Family.FLOAT) else family


def _determined(alias: str, relation: Shared, known: set[str], equated: Sequence[tuple[Cell, Cell]]) -> bool:
    bound = {right[1] for left, right in equated if right[0] == alias and left[0] in known}
    return any(set(unique) <= bound for unique in relation.unique)


def _public_where(
    sources: Sequence[Source], conditions: Sequence[exp.Expr], scope: Scope, world: World
) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for source in sources:
        if isinstance(source.relation, Shared):
            alone = [c for c in conditions if _reads(c) == {source.alias}]
            found[source.alias] = tuple(world.text(world.condition(c, scope)) for c in alone)
    return found


def _reads(expression: exp.Expr) -> set[str]:
    return {str(column.table) for column in expression.find_all(exp.Column)}


def _from(sources: Sequence[Source], on: Sequence[Sequence[exp.Expr]], scope: Scope, world: World) -> str:
    text = f" FROM {sources[0].relation.sql} AS {sources[0].name}"
    for source, conditions in zip(sources[1:], on, strict=True):
        written = [f"({world.text(world.condition(c, scope))})" for c in conditions]
        kind = (
            f" JOIN {source.relation.sql} AS {source.name} ON "
            if written
            else f" CROSS JOIN {source.relation.sql} AS {source.name}"
        )
        text += kind + " AND ".join(written)
    return text


def _on(node: exp.Join) -> exp.Expression | None:
    side, kind, method = (str(node.args.get(name) or "").upper() for name in ("side", "kind", "method"))
    if side or method or kind not in ("", "INNER", "CROSS") or node.args.get("using"):
        raise FeatureNotSupported(
            f"{' '.join(part for part in (method, side, kind) if part)} JOIN over private tables is not supported",
            hint="Use an inner join: JOIN … ON ….",
            position=position(node),
        )
    on: exp.Expression | None = node.args.get("on")
    return on

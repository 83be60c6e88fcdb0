"""GROUP BY the unit, alone or with more: rows of one unit become a row of that unit. Public rows become public ones."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from sqlglot import exp

from dpproxy.rewrite import algebra
from dpproxy.rewrite.calculus.aggregates_of import above, aggregates, read_from, substitute
from dpproxy.rewrite.calculus.expanded_size import weigh_each
from dpproxy.rewrite.calculus.per_unit import Group, aggregated
from dpproxy.rewrite.calculus.projection import of_unit, origin_of
from dpproxy.rewrite.calculus.publics import carried
from dpproxy.rewrite.calculus.relations import UNIT, Joined, Readable
from dpproxy.rewrite.calculus.ties import holds_key, names_unit
from dpproxy.rewrite.caps import rows_within_a_unit
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.expressions.facts.fact import Fact, Typed
from dpproxy.rewrite.expressions.trees.build import number
from dpproxy.rewrite.shown import stands_for

GROUPED = "dpproxy grouped"


@dataclass(slots=True)
class _Columns:
    """Columns of the rows under GROUP BY, each once, in order of first use."""

    context: PlanningContext
    prefix: str
    values: dict[exp.Expression, str] = field(default_factory=dict)

    def hold(self, typed: Typed) -> Typed:
        """The same value as a column."""
        name = self.values.setdefault(self.context.formed(typed), f"{self.prefix}{len(self.values)}")
        return Typed(exp.column(name), typed.fact)


def grouped(select: exp.Select, joined: Joined, context: PlanningContext) -> Readable:
    """The groups, as a relation whose columns are named as they are held; `select` is changed to read it as GROUPED.

    Claim: a row of the result belongs to the unit whose key is its `u`, and is computed from that unit's rows alone.
    Because: `u` is the first thing it is grouped by. Checked by: tests/test_language.py and `rewrite.checker`.
    """
    group = select.args.get("group")
    keys = list(dict.fromkeys(group.expressions)) if group is not None else []
    keyed = {node: context.total(node, joined.scope) for node in keys}
    rowset = joined.rowset
    operands = _Columns(context, "a")
    public = rowset.unit is None
    # What a correlated query adds up in floating point could depend on how the engine takes it apart.
    free = public and not rowset.outer
    rows = rowset.rows if public else rows_within_a_unit(rowset.rows, context)
    within = Group(joined.scope, rows, group is None and public, operands.hold, free)
    found = dict.fromkeys(node for part in above(select) for node in aggregates(part))
    values = {node.copy(): aggregated(node, within, context) for node in found}
    cells: dict[exp.Expr, tuple[str, Typed]] = {
        node.copy(): (UNIT if holds_key(node, rowset) else f"g{i}", typed)
        for i, (node, typed) in enumerate(keyed.items())
    }
    cells |= {node: (f"v{i}", typed) for i, (node, typed) in enumerate(values.items())}
    weights = weigh_each({name: node for node, (name, _) in cells.items()}, rowset.sources)
    made = replace(_relation(select, joined, keys, cells, operands, context), weights=weights)
    places = {n: stands_for(exp.column(name, table=GROUPED, quoted=True), n) for n, (name, _) in cells.items()}
    substitute(select, dict(places))
    read_from(select, exp.Table(this=exp.to_identifier(GROUPED), alias=exp.TableAlias(this=exp.to_identifier(GROUPED))))
    return made


def _relation(
    select: exp.Select,
    joined: Joined,
    keys: list[exp.Expr],
    cells: dict[exp.Expr, tuple[str, Typed]],
    operands: _Columns,
    context: PlanningContext,
) -> Readable:
    rowset = joined.rowset
    names = [cells[node][0] for node in keys if cells[node][0] != UNIT]
    unit = rowset.unit_item
    inner = [algebra.Item(cells[n][0], context.formed(cells[n][1])) for n in keys if cells[n][0] != UNIT]
    inner += [algebra.Item(name, value) for value, name in operands.values.items()]
    by = (*(item.name for item in unit), *names)
    outer = [algebra.Item(name, exp.column(name)) for name in by]
    outer += [algebra.Item(name, context.formed(typed)) for name, typed in cells.values() if name not in by]
    rows = algebra.Select((*unit, *inner) or (algebra.Item("one", number(1)),), rowset.tree)
    tree = algebra.Select(tuple(outer), algebra.of(rows, "r"), by=by)
    plain = {
        name: (node.table, node.name) for node in keys if isinstance(node, exp.Column) for name in [cells[node][0]]
    }
    varying = [n for n in keys if cells[n][0] != UNIT and not of_unit(n, rowset)]
    one_row = rowset.unit is not None and not varying
    facts = {name: _fact(typed, rowset.unit) for name, typed in cells.values()}
    return Readable(
        unit=rowset.unit,
        tree=tree,
        facts=facts,
        held={name: name for name in facts},
        key=UNIT if unit else None,
        key_columns=frozenset([UNIT] if UNIT in plain and unit else []),
        origins={n: origin for n, cell in plain.items() if (origin := origin_of(cell, rowset)) is not None},
        unique=frozenset([tuple(names)]) if rowset.unit is None else frozenset(),
        publics=carried({cells[n][0]: n for n in keys}, joined, context) if unit else (),
        one_row=one_row,
        of_unit=frozenset(facts) if one_row else frozenset(cells[n][0] for n in keys if n not in varying),
        rows=1 if one_row else rowset.rows,
        groups=rowset.groups,
        once=frozenset([frozenset(cells[n][0] for n in varying)]) if unit else frozenset(),
        notes=rowset.notes,
        sample=rowset.sample,
    )


def _fact(typed: Typed, unit: str | None) -> Fact:
    return replace(typed.fact, private=unit is not None)


def groups_units(select: exp.Select, joined: Joined, context: PlanningContext) -> bool:
    """Whether GROUP BY has a column that settles the unit, so that no group is of two."""
    group = select.args.get("group")
    return group is not None and any(settles_unit(node, joined, context) for node in group.expressions)


def settles_unit(node: exp.Expr, joined: Joined, context: PlanningContext) -> bool:
    """Whether rows that agree on an expression are of one unit."""
    rowset = joined.rowset
    return holds_key(node, rowset) or (
        isinstance(node, exp.Column)
        and names_unit((node.table, node.name), rowset.sources, rowset.edges, context.catalog)
    )

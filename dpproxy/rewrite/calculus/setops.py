"""UNION, INTERSECT and EXCEPT of rows that the engine reads: of one unit, each row staying within its own; or of the
keys that are released of each side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from dpproxy.catalog.types import BIGINT, Family, SqlType
from dpproxy.errors import NotPrivate
from dpproxy.rewrite import algebra
from dpproxy.rewrite.calculus.relations import PLAIN, UNIT, Readable, Relation, Weight
from dpproxy.rewrite.calculus.samples import check_one_sample
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.expressions.facts import ranges
from dpproxy.rewrite.expressions.facts.fact import Fact, Typed
from dpproxy.rewrite.expressions.trees.position import position
from dpproxy.rewrite.expressions.trees.refusals import mismatch
from dpproxy.rewrite.expressions.types.carriers import common_carrier, held_as
from dpproxy.rewrite.expressions.types.moments import is_moment
from dpproxy.rewrite.expressions.types.promotion import alternatives_type, resolved

_KINDS = {
    exp.Union: algebra.SetKind.UNION,
    exp.Intersect: algebra.SetKind.INTERSECT,
    exp.Except: algebra.SetKind.EXCEPT,
}


def means_keys(node: exp.SetOperation, sides: Sequence[Relation], outermost: bool) -> bool:
    """Whether a set operation that leaves no row twice is one of sets of keys, since it is none of one unit's rows.

    outermost: its rows are the statement's answer.
    """
    private = [side for side in sides if isinstance(side, Readable)]
    if not private or not node.args.get("distinct"):
        return False
    units = {side.unit for side in private}
    return outermost or len(private) < len(sides) or len(units) > 1 or not _shared_keys(private)


def _shared_keys(sides: Sequence[Readable]) -> bool:
    """Whether there is a column that has the unit's key on all sides."""
    places = [{at for at, name in enumerate(side.facts) if name in side.key_columns} for side in sides]
    return bool(set.intersection(*places))


def as_keys(side: exp.Expr) -> exp.Expr:
    """A side of rows of units, as SELECT DISTINCT. Raises NotPrivate where it is no plain SELECT."""
    made = side.copy()
    _make_distinct(made)
    return made


def _make_distinct(side: exp.Expr) -> None:
    match side:
        case exp.Subquery():
            _make_distinct(side.this)
        case exp.Select():
            side.set("distinct", exp.Distinct())
        case exp.Union() | exp.Intersect() | exp.Except():
            side.set("distinct", True)
            _make_distinct(side.this)
            _make_distinct(side.expression)
        case _:
            raise NotPrivate(
                "this side of a set operation would return rows of private tables",
                hint="Write it as SELECT DISTINCT.",
                position=_start(side),
            )


def combined(node: exp.SetOperation, sides: Sequence[Readable], context: PlanningContext) -> Readable:
    """The relation of a set operation.

    Claim: a row of the result belongs to the unit whose key is its `u`, and is there by that unit's rows alone.
    Because: both sides carry their unit's key first, and rows are compared with it.
    Checked by: tests/test_language.py and `rewrite.checker`.
    Raises NotPrivate where rows of two units, or of a unit and of nobody, would be compared or mixed.
    """
    left, right = sides
    every = not node.args.get("distinct")
    if left.unit != right.unit:
        raise NotPrivate(
            f"{_written(node)} of rows of {_whose(left)} and of {_whose(right)}",
            hint="Combine rows of one privacy unit, or aggregate each side first.",
            position=_start(node),
        )
    check_one_sample(left, right, _start(node))
    left, right = _alike(node, left, right, context)
    names = list(zip(left.facts, right.facts, strict=True))
    keys = frozenset(x for x, y in names if x in left.key_columns and y in right.key_columns)
    if left.unit is not None and not keys and not (every and isinstance(node, exp.Union)):
        raise NotPrivate(
            f"{_written(node)} would compare rows of one {left.unit} with those of others",
            hint=f"Select the key of the {left.unit} first on both sides, use UNION ALL, or aggregate each side first.",
            position=_start(node),
        )
    facts = {x: _both(left.facts[x], right.facts[y]) for x, y in names}
    rows = left.rows + right.rows if isinstance(node, exp.Union) else left.rows
    # The key alone is one row of a unit; so is whatever is one on the left, of which the others keep a part.
    settled = keys if isinstance(node, exp.Union) else left.of_unit
    same = not every and left.facts.keys() <= settled
    return Readable(
        unit=left.unit,
        tree=algebra.SetOperation(_KINDS[type(node)], every, left.tree, right.tree),
        facts=facts,
        held=left.held,
        key=UNIT if left.unit is not None else None,
        key_columns=keys,
        of_unit=keys,
        rows=context.settings.max_rows or rows,
        groups=max(left.groups, right.groups),
        most=1 if same else None,
        weights={x: _heavier(left.weights.get(x, PLAIN), right.weights.get(y, PLAIN)) for x, y in names},
        notes=(*left.notes, *right.notes),
        sample=left.sample,
    )


def _written(node: exp.SetOperation) -> str:
    return _KINDS[type(node)].value + ("" if node.args.get("distinct") else " ALL")


def _heavier(one: Weight, other: Weight) -> Weight:
    return Weight(max(one.nodes, other.nodes), max(one.pieces, other.pieces), max(one.replaces, other.replaces))


def _whose(relation: Readable) -> str:
    return "public or released tables" if relation.unit is None else f"unit {relation.unit}"


def _alike(
    node: exp.SetOperation, left: Readable, right: Readable, context: PlanningContext
) -> tuple[Readable, Readable]:
    """Both sides with columns that the engine holds in the same types."""
    types = [_common(node, x, y) for x, y in zip(_columns(left), _columns(right), strict=True)]
    return _held_in(left, types, context), _held_in(right, types, context)


def _columns(relation: Readable) -> list[Typed]:
    return [
        Typed(exp.column(exp.to_identifier(relation.held[name], quoted=True), table="h0"), fact)
        for name, fact in relation.facts.items()
    ]


def _common(node: exp.SetOperation, left: Typed, right: Typed) -> tuple[SqlType, SqlType]:
    """The type that Postgres gives two columns together, and the one in which the engine holds them."""
    if is_moment(left) != is_moment(right):
        raise mismatch(node, left.fact.type, right.fact.type)
    type_, both = resolved(node, [left, right])
    type_ = alternatives_type(type_, [left, right])
    if left.fact.engine == right.fact.engine:
        return type_, left.fact.engine
    whole = BIGINT if type_.family is Family.INTEGER else type_
    return type_, common_carrier(both) or whole


def _held_in(relation: Readable, types: Sequence[tuple[SqlType, SqlType]], context: PlanningContext) -> Readable:
    columns = _columns(relation)
    facts = {
        name: replace(fact, type=type_, carrier=None if type_ == held else held)
        for (name, fact), (type_, held) in zip(relation.facts.items(), types, strict=True)
    }
    if all(column.fact.engine == held for column, (_, held) in zip(columns, types, strict=True)):
        return replace(relation, facts=facts)
    unit = exp.column(UNIT, table="h0")
    private = relation.unit is not None
    items = [algebra.Item(UNIT, unit)] if private else []
    items += [
        algebra.Item(f"c{i}", context.formed(Typed(held_as(column, held), column.fact)))
        for i, (column, (_, held)) in enumerate(zip(columns, types, strict=True))
    ]
    where = (exp.Is(this=unit, expression=exp.Null(), negate=True),) if private else ()
    rows = replace(algebra.of(relation.tree, "h0"), where=where)
    names = {name: f"c{i}" for i, name in enumerate(facts)}
    return replace(relation, tree=algebra.Select(tuple(items), rows), facts=facts, held=names, table=None)


def _both(left: Fact, right: Fact) -> Fact:
    domains = None if left.domain is None or right.domain is None else (*left.domain, *right.domain)
    return replace(
        left,
        interval=ranges.hull((left.interval, right.interval)),
        proved=ranges.hull((left.proved, right.proved)),
        domain=None if domains is None else tuple(dict.fromkeys(domains)),
        nullable=left.nullable or right.nullable,
        private=left.private or right.private,
        step=left.step if left.step == right.step else None,
    )


def _start(node: exp.Expr) -> int | None:
    places = (position(column) for column in node.find_all(exp.Column))
    return next((place for place in places if place is not None), None)

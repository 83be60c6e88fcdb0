"""COUNT(DISTINCT x) over private rows: a release of its own, beside those of the other aggregates.

One unit adds at most so many values of x to a key: its first ones in a pseudo-random order of its own. Removing it
takes away at most those from the set that is counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from sqlglot import exp

from dpproxy.catalog.types import BIGINT, Family
from dpproxy.engines.dialects import dialect_of
from dpproxy.errors import FeatureNotSupported
from dpproxy.plan.formulas import CountOf
from dpproxy.plan.private_plan import UNCAPPED, Bounded, Key, Limit, Measure, MeasureKind, Output
from dpproxy.rewrite import algebra
from dpproxy.rewrite.calculus.projection import of_unit
from dpproxy.rewrite.calculus.relations import UNIT, Joined, Rowset
from dpproxy.rewrite.calculus.ties import holds_key
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.expressions import conjuncts, narrow
from dpproxy.rewrite.expressions.facts.fact import Fact
from dpproxy.rewrite.expressions.numbers.grid import OPEN_STEPS
from dpproxy.rewrite.expressions.trees.position import position
from dpproxy.rewrite.releases.bound import first, is_open_text, kept, mixed, ranked, rows_of
from dpproxy.rewrite.releases.distinct_at_a_clip import values_by_number
from dpproxy.rewrite.releases.keys import Keyed, capped, limit_of
from dpproxy.rewrite.releases.measured import when
from dpproxy.rewrite.releases.unit_index import asked
from dpproxy.rewrite.shown import shown

_MANY = frozenset({Family.INTEGER, Family.NUMERIC, Family.DATE, Family.TIMESTAMP, Family.MOMENT, Family.UUID})
FEW_VALUES = 1_000
"""Of values that are declared, up to how many a unit is thought to have each in many rows."""
_FEW = 32
"""Of so many declared values a unit may have each: a clip that is chosen would err more than noise for all."""


@dataclass(frozen=True, slots=True)
class DistinctCount:
    """What is counted, in the engine; `most` values of a unit. of_units: it is the number of units. few: whether it is
    known that no unit has more of them for a key.

    family: of the values. repeats: whether a unit is thought to have each in many rows, so that it is quicker to take
    each once before they are ranked.
    """

    value: exp.Expression
    most: int
    label: str
    family: Family
    of_units: bool = False
    repeats: bool = True
    few: bool = False

    @property
    def output(self) -> Output:
        """The released column."""
        return Output("d", BIGINT, CountOf(0), self.label)


def distinct_count(node: exp.Expr, joined: Joined, context: PlanningContext) -> DistinctCount | None:
    """What COUNT(DISTINCT x) [FILTER (…)] counts; None for any other aggregate.

    Raises FeatureNotSupported for several columns, and for floating point, whose values differ by less than is shown.
    """
    inner = node.this if isinstance(node, exp.Filter) else node
    if not isinstance(inner, exp.Count) or not isinstance(inner.this, exp.Distinct):
        return None
    arguments = inner.this.expressions
    if len(arguments) != 1:
        raise _refused(node, "several columns")
    argument, scope = arguments[0], joined.scope
    conditions = []
    if isinstance(node, exp.Filter):
        predicate = node.expression.this
        conditions = [context.formed(context.condition(predicate, scope))]
        scope = narrow([context.constant(c) for c in conjuncts(predicate)], scope)
    typed = context.total(argument, scope)
    if typed.fact.engine.family is Family.FLOAT:
        raise _refused(node, f"{typed.fact.type} values")
    rowset = joined.rowset
    single = of_unit(argument, rowset) or holds_key(argument, rowset)
    declared = len(typed.fact.domain) if typed.fact.domain is not None else FEW_VALUES
    most = 1 if single else declared if rowset.groups == UNCAPPED and declared <= _FEW else capped(rowset.groups)
    of_units = node is inner and holds_key(argument, rowset)
    value = when(conditions, context.formed(typed))
    repeats = most == 1 or _is_of_few(typed.fact)
    few = single or declared <= most
    return DistinctCount(value, most, shown(node), typed.fact.type.family, of_units, repeats, few)


def _is_of_few(fact: Fact) -> bool:
    """Whether few values are declared; or nothing is of what has few as well as many, as texts do. Numbers, moments and
    uuids that nobody declared are thought to be many. It is a matter of time alone."""
    if fact.domain is not None:
        return len(fact.domain) <= FEW_VALUES
    if fact.type.family is Family.INTEGER and fact.interval is not None:
        return fact.interval.upper - fact.interval.lower < FEW_VALUES
    return fact.type.family not in _MANY


def bound_distinct(
    joined: Joined, keyed: Sequence[Keyed], known: Sequence[Key], count: DistinctCount, context: PlanningContext
) -> Bounded:
    """The bounded SQL of a distinct count over the keys `known`, which are those of `keyed`.

    Claim: removing the rows of one unit changes the count in at most `groups` keys, by at most `most` each. Because: a
    key's set is the union of its units' sets, each of `most` values at most, chosen by the unit's own rows; and what a
    limit without a step is counted by, declared values, is kept here too where an earlier release names the keys.
    Checked by: tests/test_language.py and `rewrite.checker`.
    """
    if _is_at_a_clip(joined.rowset, keyed, count):
        return _bound_at_a_clip(joined, keyed, known, count, context)
    rowset, names, dialect = joined.rowset, [key.name for key in known], context.dialect
    groups, limit = limit_of(keyed, rowset.one_row, capped(rowset.groups))
    rows = _valued(joined, keyed, count, context)
    number = exp.RowNumber() if count.repeats else exp.DenseRank()
    values = (_once if count.repeats else _all)(rows, (UNIT, *names, "v"))
    values = kept(values, [k.key for k in keyed], None, dialect)
    varying = [(key.name, key.type.family) for key in known]
    by_value = [mixed([*varying, ("v", count.family)], dialect_of(dialect)), exp.column("v")]
    ranks, most = [algebra.Item("r", ranked(number, [UNIT, *names], by_value))], {"r": count.most}
    if limit is Limit.KEYS_LIMITED:
        by_key = [mixed(varying, dialect_of(dialect)), *map(exp.column, names)]
        ranks.append(algebra.Item("g", ranked(exp.DenseRank(), [UNIT], by_key)))
        most["g"] = groups
    carried = tuple(algebra.Item(name, exp.column(name)) for name in (*names, "v"))
    kept_ = first(carried, algebra.Select((*carried, *ranks), algebra.of(values, "c")), most)
    counted = algebra.Item("m0", exp.Count(this=exp.Distinct(expressions=[exp.column("v")])))
    tree = algebra.Select((*carried[:-1], counted), algebra.of(kept_, "l"), by=tuple(names))
    measure = Measure("m0", MeasureKind.DISTINCT, 0, count.most, Decimal(1), Decimal(0), count.label)
    query = asked(tree, context)
    return Bounded(
        query.sql, rowset.unit or "", tuple(known), (measure,), False, groups, rowset.rows, limit,
        rowset.notes, query.inputs, sample=rowset.sample, plain=query.plain,
    )  # fmt: skip


def _is_at_a_clip(rowset: Rowset, keyed: Sequence[Keyed], count: DistinctCount) -> bool:
    """Whether nobody said how many values a unit has, or in how many of the keys, and both may be many."""
    if rowset.one_row or rowset.groups != UNCAPPED:
        return False
    return not count.few or limit_of(keyed, False, 1)[1] is Limit.KEYS_LIMITED


def _bound_at_a_clip(
    joined: Joined, keyed: Sequence[Keyed], known: Sequence[Key], count: DistinctCount, context: PlanningContext
) -> Bounded:
    """The same, where a unit counts with as many of its values as is chosen afterwards.

    Claim: each unit is counted in one row of the result at most, in the bucket of how many values it has for all keys;
    and of the values that are counted in buckets up to any edge, removing one unit takes away no more than that edge,
    in all keys together. Because: a value is counted in the bucket of the least number that it has of any unit; a unit
    has each number once, in an order that its own values decide.
    Checked by: tests/test_clipped_neighbours.py and `rewrite.checker`.
    """
    rowset, dialect = joined.rowset, dialect_of(context.dialect)
    groups, limit = limit_of(keyed, rowset.one_row, 1)
    if limit is Limit.KEYS_LIMITED:
        groups, limit = UNCAPPED, Limit.NORM_CLIPPED
    rows = _valued(joined, keyed, count, context)
    once = kept(_once(rows, (UNIT, *(key.name for key in known), "v")), [k.key for k in keyed], None, context.dialect)
    tree = values_by_number(once, known, count.family, "m0", dialect)
    measure = Measure("m0", MeasureKind.DISTINCT, 0, OPEN_STEPS, Decimal(1), Decimal(0), count.label, row=1)
    query = asked(tree, context)
    norm = context.norm if rowset.sample is None else context.norm_in_samples
    return Bounded(
        query.sql, rowset.unit or "", tuple(known), (measure,), False, groups, rowset.rows, limit,
        rowset.notes, query.inputs, norm, sample=rowset.sample, plain=query.plain,
    )  # fmt: skip


def _valued(joined: Joined, keyed: Sequence[Keyed], count: DistinctCount, context: PlanningContext) -> algebra.Select:
    """Rows of unit, keys and value."""
    texts = [k.value for k in keyed if is_open_text(k.key)] + ([count.value] if count.family is Family.TEXT else [])
    return rows_of(joined, keyed, [algebra.Item("v", count.value)], texts, context.dialect)


def _once(rows: algebra.Select, names: tuple[str, ...]) -> algebra.Select:
    """Each value that a unit has for a key, once, so that a number of the row is one of the value."""
    return replace(_all(rows, names), by=names)


def _all(rows: algebra.Select, names: tuple[str, ...]) -> algebra.Select:
    """Each row with a value: of one value all have one dense rank."""
    there = exp.Is(this=exp.column("v"), expression=exp.Null(), negate=True)
    items = tuple(algebra.Item(name, exp.column(name)) for name in names)
    return algebra.Select(items, replace(algebra.of(rows, "r"), where=(there,)))


def _refused(node: exp.Expr, what: str) -> FeatureNotSupported:
    return FeatureNotSupported(
        f"COUNT(DISTINCT …) of {what} is not supported",
        hint="Count one column of whole numbers, text or dates; round floating point first: round(x)::bigint.",
        position=position(node),
    )

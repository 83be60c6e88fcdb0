"""COUNT(DISTINCT x) over private rows: a release of its own, beside those of the other aggregates.

One unit adds at most so many values of x to a key: its first ones in a pseudo-random order of its own. Removing it
takes away at most those from the set that is counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from sqlglot import exp

from dpproxy.catalog.types import BIGINT, Family
from dpproxy.errors import FeatureNotSupported
from dpproxy.plan.formulas import CountOf
from dpproxy.plan.model import Bounded, Key, Limit, Measure, MeasureKind, Output
from dpproxy.rewrite.calculus.projection import of_unit
from dpproxy.rewrite.calculus.relations import Joined
from dpproxy.rewrite.calculus.ties import holds_key
from dpproxy.rewrite.expressions import conjuncts, narrow
from dpproxy.rewrite.expressions.position import position
from dpproxy.rewrite.releases.bound import is_open_text, kept, mixed, rows_of, short
from dpproxy.rewrite.releases.inputs import inputs_of
from dpproxy.rewrite.releases.keys import Keyed, limit_of
from dpproxy.rewrite.shown import shown
from dpproxy.rewrite.world import World


@dataclass(frozen=True, slots=True)
class DistinctCount:
    """What is counted, as text of the engine; `most` values of a unit. of_units: it is the number of units.

    family: of the values.
    """

    text: str
    most: int
    label: str
    family: Family
    of_units: bool = False

    @property
    def output(self) -> Output:
        """The released column."""
        return Output("d", BIGINT, CountOf(0), self.label)


def distinct_count(node: exp.Expr, joined: Joined, world: World) -> DistinctCount | None:
    """What COUNT(DISTINCT x) [FILTER (…)] counts; None for any other aggregate.

    Raises FeatureNotSupported for several columns, and for floating point, whose values differ by less than is shown.
    """
    inner = node.this if isinstance(node, exp.Filter) else node
    if not isinstance(inner, exp.Count) or not isinstance(inner.this, exp.Distinct):
        return None
    arguments = inner.this.expressions
    if len(arguments) != 1:
        raise _refused(node, "several columns")
    argument, scope, text = arguments[0], joined.scope, "{}"
    if isinstance(node, exp.Filter):
        predicate = node.expression.this
        text = f"CASE WHEN {world.text(world.condition(predicate, scope))} THEN {{}} END"
        scope = narrow([world.constant(c) for c in conjuncts(predicate)], scope)
    typed = world.total(argument, scope)
    if typed.fact.engine.family is Family.FLOAT:
        raise _refused(node, f"{typed.fact.type} values")
    rowset = joined.rowset
    single = of_unit(argument, rowset) or holds_key(argument, rowset)
    most = 1 if single else rowset.groups
    of_units = node is inner and holds_key(argument, rowset)
    return DistinctCount(text.replace("{}", world.text(typed)), most, shown(node), typed.fact.type.family, of_units)


def bound_distinct(
    joined: Joined, keyed: Sequence[Keyed], known: Sequence[Key], count: DistinctCount, dialect: str
) -> Bounded:
    """The bounded SQL of a distinct count over the keys `known`, which are those of `keyed`.

    Claim: removing the rows of one unit changes the count in at most `groups` keys, by at most `most` each. Because: a
    key's set is the union of its units' sets, each of `most` values at most, chosen by the unit's own rows.
    Checked by: tests/test_language.py and `rewrite.checker`.
    """
    rowset, names = joined.rowset, [key.name for key in known]
    groups, limit = limit_of(keyed, rowset.one_row, rowset.groups)
    by = ", ".join(["u", *names, "v"])
    rows = rows_of(joined, keyed, [f"{count.text} AS v"])
    texts = [k.text for k in keyed if is_open_text(k.key)] + ([count.text] if count.family is Family.TEXT else [])
    rows += short([f"({text})" for text in texts], dialect)
    pairs = kept(f"SELECT {by} FROM ({rows}) AS r WHERE NOT v IS NULL GROUP BY {by}", known, "", dialect)
    limited = limit is Limit.KEYS_LIMITED
    varying = [(key.name, key.type.family) for key in known]
    order = f"{mixed([*varying, ('v', count.family)])}, v"
    ranks = f"ROW_NUMBER() OVER (PARTITION BY {', '.join(['u', *names])} ORDER BY {order}) AS r"
    if limited:
        ranks += f", DENSE_RANK() OVER (PARTITION BY u ORDER BY {', '.join([mixed(varying), *names])}) AS g"
    carried = ", ".join([*names, "v"])
    first = f"r <= {count.most}" + (f" AND g <= {groups}" if limited else "")
    text = f"SELECT {carried} FROM (SELECT {carried}, {ranks} FROM ({pairs}) AS c) AS w WHERE {first}"
    listed = ", ".join([*names, "COUNT(DISTINCT v) AS m0"])
    sql = f"SELECT {listed} FROM ({text}) AS l" + (f" GROUP BY {', '.join(names)}" if names else "")
    measure = Measure("m0", MeasureKind.DISTINCT, 0, count.most, Decimal(1), Decimal(0), count.label)
    return Bounded(
        sql, rowset.unit or "", tuple(known), (measure,), False, groups, rowset.rows, limit,
        rowset.notes, inputs_of(sql, dialect),
    )  # fmt: skip


def _refused(node: exp.Expr, what: str) -> FeatureNotSupported:
    return FeatureNotSupported(
        f"COUNT(DISTINCT …) of {what} is not supported",
        hint="Count one column of whole numbers, text or dates; round floating point first: round(x)::bigint.",
        position=position(node),
    )

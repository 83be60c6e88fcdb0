"""Which public keys have the most: SELECT k FROM t GROUP BY k ORDER BY count(*) DESC LIMIT 3 tells three keys, in
order, and no number.

It is one release, whose first mechanism chooses among the keys. Numbers that are asked for beside them are told of the
chosen ones alone. Where that errs more than releasing all totals does, and where anything else is asked for (a key that
is private, HAVING, a window), the statement is an ordinary release point.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from sqlglot import exp

from dpproxy.mechanisms.kinds import Want
from dpproxy.plan.formulas import CountOf, SumOf
from dpproxy.plan.private_plan import FromPublic, Literals
from dpproxy.rewrite.calculus.aggregates_of import AGGREGATES, above, aggregates, read_from, substitute
from dpproxy.rewrite.calculus.relations import Joined
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.releases.aggregates import Measures
from dpproxy.rewrite.releases.bound import bound, has_no_cap
from dpproxy.rewrite.releases.choosing import Choosing, errs_less
from dpproxy.rewrite.releases.distinct_counts import distinct_count
from dpproxy.rewrite.releases.draft import PLACE, RELEASED, ReleaseDraft, Wanted
from dpproxy.rewrite.releases.keys import Keyed, keys, limit_of, public_size
from dpproxy.rewrite.releases.modes import is_mode
from dpproxy.rewrite.releases.quantiles import is_quantile
from dpproxy.rewrite.releases.release_point import once_per_unit, refuse_rest, release_point
from dpproxy.rewrite.releases.released_rows import released_alias, released_column
from dpproxy.rewrite.releases.uncapped_rows import loosened_for_choice
from dpproxy.rewrite.releases.weights import asked_of, by_name, numbers_of

MOST_PLACES: Final = 100
_CLAUSES: Final = frozenset({"expressions", "from_", "joins", "where", "group", "order", "limit"})


@dataclass(frozen=True, slots=True)
class _AskedKeys:
    """The aggregate that keys are chosen by, what it weighs, how many, and the aggregates that are told of them."""

    score: exp.Expr
    weight: Fraction
    places: int
    told: Mapping[exp.Expr, Fraction]


def asks_choice(select: exp.Select) -> bool:
    """Whether nothing but the first keys by an aggregate, falling, is asked for, and numbers of them, as far as it is
    written.

    What else it is ordered by may be keys: they decide between equal totals, which noise leaves none of.
    """
    if any(value and name not in _CLAUSES for name, value in select.args.items()):
        return False
    group, order = select.args.get("group"), select.args.get("order")
    if group is None or order is None or not _places(select.args.get("limit")):
        return False
    first, *rest = order.expressions
    falls = isinstance(first, exp.Ordered) and first.args.get("desc") and isinstance(_meant(first, select), AGGREGATES)
    written = [_meant(each, select) for each in rest]
    return bool(falls) and _is_plain(group) and _are_plain(select.expressions) and not any(map(aggregates, written))


def _places(limit: exp.Expr | None) -> int:
    """How many rows are asked for; 0 where that is not a number from 1 to MOST_PLACES, as written."""
    match limit:
        case exp.Limit(expression=exp.Literal() as number) if not number.is_string and not limit.expressions:
            few = number.name.isdecimal() and len(number.name) < len(str(10 * MOST_PLACES))
            return int(number.name) if few and int(number.name) <= MOST_PLACES else 0
        case _:
            return 0


def _meant(ordered: exp.Expr, select: exp.Select) -> exp.Expr:
    """What is ordered by: an item that is named, or the expression itself."""
    node = ordered.this if isinstance(ordered, exp.Ordered) else ordered
    if isinstance(node, exp.Column) and not node.table:
        named = [item.unalias() for item in select.expressions if item.alias_or_name == node.name]
        return named[0] if len(named) == 1 else node
    return node


def _is_plain(group: exp.Expr) -> bool:
    """A list of keys, without grouping sets."""
    sets = (exp.GroupingSets, exp.Rollup, exp.Cube, exp.Tuple)
    only = all(not value for name, value in group.args.items() if name != "expressions")
    return only and bool(group.expressions) and not any(isinstance(each, sets) for each in group.expressions)


def _are_plain(nodes: Iterable[exp.Expr]) -> bool:
    """Whether they are of keys and aggregates alone: no window, no query."""
    return all(node.find(exp.Window, exp.Query) is None for node in nodes)


def choice_point(select: exp.Select, joined: Joined, context: PlanningContext, drafts: list[ReleaseDraft]) -> None:
    """Add the release that `select`, which asks for a choice, needs, and change it to read the chosen keys.

    Claim: nothing of `select` that reads a private column is left in it.
    Because: as for `release_point`; where ORDER BY reads a total that is not told, the order of the chosen keys stands
    in its place. Checked by: tests/test_fixtures.py, tests/test_noisy_max.py.
    """
    written = list(dict.fromkeys(select.args["group"].expressions))
    named = {node for item in select.expressions for node in aggregates(item)}
    weights = asked_of(select, context.settings)
    told = {node: weight for node, weight in weights.items() if node in named}
    first = _meant(select.args["order"].expressions[0], select)
    asked = _AskedKeys(first, weights.get(first, Fraction(1)), _places(select.args["limit"]), told)
    keyed = keys(written, joined, context)
    draft = _draft(asked, keyed, once_per_unit(written, joined), context)
    if draft is None:
        release_point(select, joined, context, drafts)
        return
    index = len(drafts)
    drafts.append(draft)
    alias = released_alias(index)
    if asked.score not in told:
        select.set("order", _by_place(alias) if asked.places > 1 else None)
    replaced: dict[exp.Expr, exp.Expr] = {k.written.copy(): released_column(alias, k.key.name) for k in keyed}
    names = [output.name for output in draft.outputs]
    replaced |= {node.copy(): released_column(alias, name) for node, name in zip(told, names, strict=True)}
    substitute(select, replaced)
    read_from(select, exp.table_(str(index), db=RELEASED, quoted=True, alias=alias))
    refuse_rest(above(select), joined)


def choice_among(
    keyed: tuple[Keyed, ...], score: Mapping[exp.Expr, Fraction], joined: Joined, context: PlanningContext
) -> ReleaseDraft | None:
    """The release that tells the one key of the largest; None as for `_draft`. score: with its weight."""
    ((node, weight),) = score.items()
    return _draft(_AskedKeys(node, weight, 1, {}), keyed, joined, context)


def _by_place(alias: str) -> exp.Order:
    return exp.Order(expressions=[exp.Ordered(this=released_column(alias, PLACE))])


def _draft(
    asked: _AskedKeys, keyed: tuple[Keyed, ...], joined: Joined, context: PlanningContext
) -> ReleaseDraft | None:
    """The release; None where a key is private, the aggregate is not one total of the rows, or all totals err less.

    Where nobody said how much a unit may have, it is scaled down to a clip; a norm of one may all be in one key.
    """
    if not all(isinstance(k.key.domain, Literals | FromPublic) for k in keyed):
        return None
    if any(_is_apart(node, joined, context) for node in (asked.score, *asked.told)):
        return None
    joined = loosened_for_choice(joined, keyed, context)
    no_cap = has_no_cap(joined.rowset, keyed)
    measures = Measures(joined, context, rows_are_selected=False, scaled=no_cap)
    outputs = tuple(measures.output(node) for node in asked.told)
    weights = by_name(asked.told, {node: [output.name] for node, output in zip(asked.told, outputs, strict=True)})
    numbers = range(len(measures.found))
    formula = measures.output(asked.score).formula
    if not isinstance(formula, CountOf | SumOf) or len(measures.found) - len(numbers) > 1:
        return None
    open_ended = no_cap or any(each.is_open for each in measures.found)
    if open_ended and numbers:
        return None
    score = measures.found[formula.measure].measure
    one_sided = score.lower >= 0 or score.upper <= 0
    groups = 1 if open_ended else limit_of(keyed, joined.rowset.one_row, joined.rowset.groups)[0]
    among = public_size(keyed)
    wanted = Choosing(asked.places, among, groups, len(numbers), one_sided)
    if (among is not None and asked.places >= among) or not errs_less(wanted, context.norm, context.accounting):
        return None
    made = joined if open_ended else _in_every_key(joined, keyed)
    bounded = bound(made, keyed, measures.found, context)
    chosen = Wanted(Want.LARGEST, formula.measure, asked.places, asked.weight)
    told = (each for each in numbers_of(bounded, outputs, weights) if each.measure in numbers)
    return ReleaseDraft(bounded, outputs, (chosen, *told))


def _is_apart(node: exp.Expr, joined: Joined, context: PlanningContext) -> bool:
    """Whether an aggregate has a release of its own."""
    return is_quantile(node) or is_mode(node) or distinct_count(node, joined, context) is not None


def _in_every_key(joined: Joined, keyed: tuple[Keyed, ...]) -> Joined:
    """The same rows, with a unit in as many keys as there are: the price of a choice does not depend on it."""
    rowset = joined.rowset
    size = public_size(keyed)
    return joined if size is None else replace(joined, rowset=replace(rowset, groups=max(size, 1)))

"""Which public key has the most: SELECT k FROM t GROUP BY k ORDER BY count(*) DESC LIMIT 1 tells one key and no number.

It is one release, whose mechanism chooses among the keys. Where anything else is asked for (a number beside the key, a
key that is private, a second row), the statement is an ordinary release point.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from sqlglot import exp

from dpproxy.mechanisms.kinds import Want
from dpproxy.plan.formulas import CountOf, SumOf
from dpproxy.plan.private_plan import FromPublic, Literals
from dpproxy.rewrite.calculus.aggregates_of import AGGREGATES, above, aggregates, read_from, substitute
from dpproxy.rewrite.calculus.relations import Joined
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.releases.aggregates import Measures
from dpproxy.rewrite.releases.bound import bound
from dpproxy.rewrite.releases.distinct_counts import distinct_count
from dpproxy.rewrite.releases.draft import RELEASED, ReleaseDraft, Wanted
from dpproxy.rewrite.releases.keys import Keyed, keys, public_size
from dpproxy.rewrite.releases.release_point import (
    once_per_unit,
    refuse_rest,
    release_point,
    released_alias,
    released_column,
)

_CLAUSES: Final = frozenset({"expressions", "from_", "joins", "where", "group", "order", "limit"})


def asks_choice(select: exp.Select) -> bool:
    """Whether nothing but the first key by an aggregate, falling, is asked for, as far as it is written.

    What else it is ordered by may be keys: they decide between equal totals, which noise leaves none of.
    """
    if any(value and name not in _CLAUSES for name, value in select.args.items()):
        return False
    group, order = select.args.get("group"), select.args.get("order")
    if group is None or order is None or not _is_one(select.args.get("limit")):
        return False
    first, *rest = order.expressions
    falls = isinstance(first, exp.Ordered) and first.args.get("desc") and isinstance(first.this, AGGREGATES)
    return bool(falls) and _is_plain(group) and _of_keys([*select.expressions, *rest])


def _is_one(limit: exp.Expr | None) -> bool:
    match limit:
        case exp.Limit(expression=exp.Literal(this="1") as number):
            return not number.is_string and not limit.expressions
        case _:
            return False


def _is_plain(group: exp.Expr) -> bool:
    """A list of keys, without grouping sets."""
    sets = (exp.GroupingSets, exp.Rollup, exp.Cube, exp.Tuple)
    only = all(not value for name, value in group.args.items() if name != "expressions")
    return only and bool(group.expressions) and not any(isinstance(each, sets) for each in group.expressions)


def _of_keys(nodes: Iterable[exp.Expr]) -> bool:
    """Whether they are of the keys alone: no aggregate, no window, no query."""
    return all(not aggregates(node) and node.find(exp.Window, exp.Query) is None for node in nodes)


def choice_point(select: exp.Select, joined: Joined, context: PlanningContext, drafts: list[ReleaseDraft]) -> None:
    """Add the release that `select`, which asks for a choice, needs, and change it to read the chosen key.

    Claim: nothing of `select` that reads a private column is left in it.
    Because: as for `release_point`; ORDER BY is gone, and what it read is told by the place of the largest alone.
    Checked by: tests/test_fixtures.py, tests/test_noisy_max.py.
    """
    written = list(dict.fromkeys(select.args["group"].expressions))
    keyed = keys(written, joined, context)
    draft = _draft(select.args["order"].expressions[0].this, keyed, once_per_unit(written, joined), context)
    if draft is None:
        release_point(select, joined, context, drafts)
        return
    index = len(drafts)
    drafts.append(draft)
    alias = released_alias(index)
    select.set("order", None)
    substitute(select, {k.written.copy(): released_column(alias, k.key.name) for k in keyed})
    read_from(select, exp.table_(str(index), db=RELEASED, quoted=True, alias=alias))
    refuse_rest(above(select), joined)


def _draft(score: exp.Expr, keyed: tuple[Keyed, ...], joined: Joined, context: PlanningContext) -> ReleaseDraft | None:
    """The release; None where a key is private, or the aggregate is not one total of the rows."""
    if not all(isinstance(k.key.domain, Literals | FromPublic) for k in keyed):
        return None
    if distinct_count(score, joined, context) is not None:
        return None
    measures = Measures(joined, context, rows_are_selected=False)
    formula = measures.output(score).formula
    if not isinstance(formula, CountOf | SumOf) or len(measures.found) != 1:
        return None
    bounded = bound(_in_every_key(joined, keyed), keyed, measures.found, context.dialect)
    return ReleaseDraft(bounded, (), (Wanted(Want.LARGEST, 0),))


def _in_every_key(joined: Joined, keyed: tuple[Keyed, ...]) -> Joined:
    """The same rows, with a unit in as many keys as there are: the price of a choice does not depend on it."""
    rowset = joined.rowset
    size = public_size(keyed)
    return joined if size is None else replace(joined, rowset=replace(rowset, groups=max(size, 1)))

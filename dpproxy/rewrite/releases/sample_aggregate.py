"""Sample and aggregate (Nissim, Raskhodnikova, Smith 2007), by `SET dp.mechanism = 'sample_aggregate'`: units are dealt
into blocks, each block answers by itself, and the median of their answers is told by its rank.

Adjacency over blocks is substitution: a unit changes the answer of its block, in any way, and of no other.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Final

from sqlglot import exp

from dpproxy.errors import FeatureNotSupported
from dpproxy.mechanisms.kinds import Want
from dpproxy.mechanisms.ranks import rank_of
from dpproxy.plan.formulas import QuantileOf
from dpproxy.plan.private_plan import Bounded, Output
from dpproxy.plan.settings import Mechanism
from dpproxy.rewrite.calculus.aggregates_of import above, read_from, substitute
from dpproxy.rewrite.calculus.relations import Joined
from dpproxy.rewrite.calculus.units_in_blocks import BlockColumns, answers
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.expressions.facts.fact import Typed
from dpproxy.rewrite.expressions.trees.position import position
from dpproxy.rewrite.releases.aggregate_call import read_asked
from dpproxy.rewrite.releases.block_answers import BlockAnswer, block_answer, unsupported_in_blocks
from dpproxy.rewrite.releases.draft import RELEASED, ReleaseDraft, Wanted
from dpproxy.rewrite.releases.histograms import Histogram, bound_histogram
from dpproxy.rewrite.releases.release_point import refuse_rest, release_point
from dpproxy.rewrite.releases.released_rows import released_alias, released_column
from dpproxy.rewrite.releases.value_buckets import can_be_placed, placed
from dpproxy.rewrite.releases.weights import asked_of

MOVED: Final = 2
"""What a unit moves of the histogram of answers, in sum over its buckets: from one of them to another."""
_MEDIAN: Final = rank_of(Fraction(1, 2))
_DENSITY: Final = 512
"""Of the grid of answers without bounds: they are told to within 0.1 %."""
_BLOCKS_AT_ONE: Final = 200
_FEWEST, _MOST = 50, 5000


def is_sampled(context: PlanningContext) -> bool:
    """Whether the session asks for it."""
    return context.settings.mechanism is Mechanism.SAMPLE_AGGREGATE


def point(select: exp.Select, joined: Joined, context: PlanningContext, drafts: list[ReleaseDraft]) -> int:
    """Add the releases that an aggregate over private rows needs, by what the session asks for: which is the first."""
    made = sample_point if is_sampled(context) else release_point
    return made(select, joined, context, drafts)


def sample_point(select: exp.Select, joined: Joined, context: PlanningContext, drafts: list[ReleaseDraft]) -> int:
    """Add the releases of the medians to `drafts`, change `select` to read them, and say which is the first.

    Claim: nothing of `select` that reads a private column is left in it. Because: as in `release_point`.
    Checked by: tests/test_fixtures.py.
    Raises FeatureNotSupported for GROUP BY, and for what has no median.
    """
    _refuse_groups(select)
    _refuse_sample(select, joined)
    found = asked_of(select, context.settings)
    if not found:
        raise FeatureNotSupported(
            "a statement without an aggregate has nothing that blocks of units could answer",
            hint="Select AVG(x), STDDEV(x) or the like, or SET dp.mechanism = auto.",
            position=position(select.expressions[0]),
        )
    blocks = context.settings.blocks or default_blocks(context.settings.epsilon, len(found))
    drafted = [_draft(node, f"a{place}", joined, blocks, context) for place, node in enumerate(found)]
    made = [_weighing(draft, weight) for draft, weight in zip(drafted, found.values(), strict=True)]
    index = len(drafts)
    first, *rest = made
    drafts += [replace(first, beside=tuple(range(index + 1, index + len(made)))), *rest]
    alias = released_alias(index)
    substitute(select, {node.copy(): released_column(alias, f"a{place}") for place, node in enumerate(found)})
    read_from(select, exp.table_(str(index), db=RELEASED, quoted=True, alias=alias))
    refuse_rest([*above(select), select.args.get("where")], joined)
    return index


def default_blocks(epsilon: Decimal, medians: int) -> int:
    """As many blocks as a median at its share of ε tells a sixth of, by rank: a function of the statement alone."""
    return max(_FEWEST, min(_MOST, math.ceil(_BLOCKS_AT_ONE * medians / epsilon)))


def _draft(node: exp.Expr, name: str, joined: Joined, blocks: int, context: PlanningContext) -> ReleaseDraft:
    columns, asked = BlockColumns(context), read_asked(node, joined.scope, context)
    answer = block_answer(asked, joined, columns)
    over = answers(joined, columns, blocks)
    histogram = _histogram(asked.node, answer, over, context)
    bounded = _of_blocks(bound_histogram(over, (), (), histogram, context), blocks)
    output = Output(name, answer.type, QuantileOf(0, _MEDIAN, histogram.grid), answer.label)
    return ReleaseDraft(bounded, (output,), (Wanted(Want.QUANTILES, 0),))


def _weighing(draft: ReleaseDraft, weight: Fraction) -> ReleaseDraft:
    return replace(draft, wanted=tuple(replace(each, weight=weight) for each in draft.wanted))


def _histogram(node: exp.Expr, answer: BlockAnswer, over: Joined, context: PlanningContext) -> Histogram:
    total = context.total(answer.tree, over.scope)
    typed = Typed(total.sql, replace(total.fact, interval=answer.interval))
    if not can_be_placed(typed):
        raise unsupported_in_blocks(node)
    place = placed(answer.tree, typed, over.scope, context, _DENSITY)
    return Histogram(context.plain(place.bucket), place.grid, answer.label)


def _of_blocks(bounded: Bounded, blocks: int) -> Bounded:
    """Claim: adding or removing a unit moves the histogram by MOVED at most, in sum over its buckets.

    Because: one answer of at most one for each block changes (`dealt.answers`): it leaves a bucket, comes to one, or
    both. For each bucket, the number of answers below moves by one at most. Checked by:
    tests/test_sample_aggregate.py and `rewrite.checker`.
    """
    (measure,) = bounded.measures
    note = f"an answer is that of about 1/{blocks} of the units; how far it is from that of all of them is not known"
    return replace(bounded, blocks=blocks, notes=(*bounded.notes, note), measures=(replace(measure, upper=MOVED),))


def _refuse_sample(select: exp.Select, joined: Joined) -> None:
    if joined.rowset.sample is not None:
        raise FeatureNotSupported(
            "TABLESAMPLE is not supported by dp.mechanism = sample_aggregate",
            hint="Leave TABLESAMPLE out, or SET dp.mechanism = auto.",
            position=position(select.expressions[0]),
        )


def _refuse_groups(select: exp.Select) -> None:
    group = select.args.get("group")
    if group is not None:
        first: Iterable[exp.Expr] = group.find_all(exp.Column)
        raise FeatureNotSupported(
            "GROUP BY is not supported by dp.mechanism = sample_aggregate",
            hint="Ask for one group by a condition, WHERE sex = 'F' or FILTER (WHERE …); or SET dp.mechanism = auto.",
            position=position(next(iter(first), select)),
        )

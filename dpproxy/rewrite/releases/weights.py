"""What the numbers of a statement weigh in its price: as the analyst says (`SET dp.weights`), and by what they are for.

The price is split so that the sum of a·σ² is least: over all that is told, σ being the noise's standard deviation for
what one unit adds at most, and a the weight of the column that it stands in, or `OF_A_DIVISOR` of that for a count
which nothing is told of but what is divided by it. The mean of what is all alike errs by as much for its count as for
its sum, and any other less.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from sqlglot import exp

from dpproxy.mechanisms.kinds import Want
from dpproxy.plan.formulas import divisor, numerators, uses_selected_count
from dpproxy.plan.private_plan import Bounded, Output
from dpproxy.plan.settings import Settings
from dpproxy.rewrite.calculus.aggregates_of import above, aggregates
from dpproxy.rewrite.releases.draft import Wanted

OF_A_DIVISOR: Final = Fraction(1, 4)
_ONE: Final = Fraction(1)


def asked_of(select: exp.Select, settings: Settings) -> dict[exp.Expr, Fraction]:
    """The aggregates of a SELECT, in order, and what each weighs: as the heaviest of the columns that it stands in;
    one, where it stands in none that has a weight."""
    if not settings.weights:
        return {node: _ONE for part in above(select) for node in aggregates(part)}
    weights, found = dict(settings.weights), dict[exp.Expr, Fraction]()
    named = {id(item): weights.get(item.alias_or_name, _ONE) for item in select.expressions}
    for part in above(select):
        for node in aggregates(part):
            found[node] = max(found.get(node, Fraction(0)), named.get(id(part), Fraction(0)))
    return {node: weight or _ONE for node, weight in found.items()}


def by_name(asked: Mapping[exp.Expr, Fraction], columns: Mapping[exp.Expr, Sequence[str]]) -> dict[str, Fraction]:
    """What each released column weighs. columns: those that each aggregate becomes."""
    found: dict[str, Fraction] = {}
    for node, names in columns.items():
        found |= {name: max(asked[node], found.get(name, asked[node])) for name in names}
    return found


def numbers_of(bounded: Bounded, outputs: Iterable[Output], weights: Mapping[str, Fraction]) -> tuple[Wanted, ...]:
    """Every number; before them, where keys are private, which of those there are. weights: of outputs by name."""
    heaviest: dict[int | None, Fraction] = {}
    for output in outputs:
        for read, weight in _read(output, weights.get(output.name, _ONE)):
            heaviest[read] = max(heaviest.get(read, weight), weight)
    keys = (Wanted(Want.KEYS, None, weight=max(_ONE, heaviest.get(None, _ONE))),) if bounded.counts_units else ()
    told = (Wanted(Want.NUMBERS, index, weight=heaviest.get(index, _ONE)) for index in range(len(bounded.measures)))
    return (*keys, *told)


def _read(output: Output, weight: Fraction) -> Iterator[tuple[int | None, Fraction]]:
    """The measures that an output is made of; None: the number of units, which the choice of keys tells."""
    yield from ((measure, weight) for measure in numerators(output.formula))
    counted = divisor(output.formula)
    if counted is not None or uses_selected_count(output.formula):
        yield counted, weight * OF_A_DIVISOR if numerators(output.formula) else weight


def heaviest(outputs: Iterable[Output], weights: Mapping[str, Fraction]) -> Fraction:
    """What is told together weighs as the heaviest of it."""
    return max((weights.get(output.name, _ONE) for output in outputs), default=_ONE)

"""What is told beside quantiles of which nothing shows that there is any row: Postgres has NULL for one of no rows, a
choice among the values of a grid always tells one.

It follows from the ends of their intervals, which were told: an end that lies beyond too few units is open.
Checked by: tests/test_noise_notices.py.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal
from typing import Final

from dpproxy.error_bars import ToldRows
from dpproxy.plan.formulas import QuantileOf
from dpproxy.plan.private_plan import Plan
from dpproxy.released_ends import ends_of

_CONFIDENCE: Final = Decimal("0.95")
_MOST: Final = 0.5
_TOLD: Final = 3


def words_of_nothing(plan: Plan, told: ToldRows, poor: Collection[str]) -> str | None:
    """The words for quantiles whose intervals are open on both sides in most groups; None where there are none.

    poor: the labels of those that are mostly noise, of which it is said already.
    """
    labels = tuple(label for label in dict.fromkeys(_of_nothing(told)) if label not in poor)
    if not labels:
        return None
    return (
        f"any value may stand for {_listed(labels)}: at epsilon {float(plan.epsilon):.4g} nothing shows that there are"
        " rows, and of none a value is told, too, not NULL; SET dp.epsilon higher, or ask of more rows"
    )


def _of_nothing(told: ToldRows) -> Iterator[str]:
    for release, rows in zip(told.releases, told.released, strict=True):
        for output in release.outputs:
            if isinstance(output.formula, QuantileOf):
                ends = ends_of(rows, output.formula.rank, _CONFIDENCE) or ()
                if sum(each == (None, None) for each in ends) > _MOST * len(ends):
                    yield output.label


def _listed(labels: Sequence[str]) -> str:
    more = f" and {len(labels) - _TOLD} more columns" if len(labels) > _TOLD else ""
    return ", ".join(labels[:_TOLD]) + more

"""An answer as the client has it: its rows, what it cost, and which columns are the ends of which."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

_CHARGED: Final = re.compile(
    r"dpproxy: charged epsilon (?P<epsilon>[^\s,]+), delta (?P<delta>[^\s;,]+)(?: \((?P<again>.*?)\))?"
    r"; remaining epsilon (?P<remaining_epsilon>[^\s,;]+), delta (?P<remaining_delta>[^\s,;]+)"
)


@dataclass(frozen=True, slots=True)
class ToldCharge:
    """What a statement cost, and what is left. again: in the proxy's words, whose stored release was told; None where
    it was paid for now."""

    epsilon: float
    delta: float
    remaining_epsilon: float
    remaining_delta: float
    again: str | None = None


@dataclass(frozen=True, slots=True)
class AnswerColumn:
    """A column. type: the OID of its Postgres type."""

    name: str
    type: int


@dataclass(frozen=True, slots=True)
class PricedAnswer:
    """The rows of a statement. charge: None where no private table was read. notices: all that was said beside it.

    confidence: of the intervals, such as "95 %".
    """

    columns: tuple[AnswerColumn, ...]
    rows: Sequence[tuple[Any, ...]]
    notices: tuple[str, ...]
    confidence: str

    @property
    def charge(self) -> ToldCharge | None:
        """What it cost, all together."""
        return charge_of(self.notices)

    @property
    def intervals(self) -> Mapping[str, tuple[str, str]]:
        """The columns that hold the low and the high end, for each column that has them."""
        return intervals_of([each.name for each in self.columns])


def intervals_of(names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Which of some columns are the ends of which: `x_low` and `x_high` right behind `x`, as error columns come."""
    ends = {name: (f"{name}_low", f"{name}_high") for name in names}
    found = zip(names, names[1:], names[2:], strict=False)
    return {name: (low, high) for name, low, high in found if (low, high) == ends[name]}


def charge_of(notices: Iterable[str]) -> ToldCharge | None:
    """What the notices say was charged, where several were, of all; what is left, as of the last."""
    found = [match.groupdict() for each in notices if (match := _CHARGED.match(each))]
    if not found:
        return None
    last = found[-1]
    return ToldCharge(
        sum(float(each["epsilon"]) for each in found),
        sum(float(each["delta"]) for each in found),
        float(last["remaining_epsilon"]),
        float(last["remaining_delta"]),
        last["again"],
    )

"""The settings of a session that a plan depends on, already validated."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction

from dpproxy.plan.error_bars import USUAL_CONFIDENCE


class Mechanism(Enum):
    """Which noise: the better one for the account, or the analyst's choice; or the median of blocks' answers."""

    AUTO = "auto"
    LAPLACE = "laplace"
    GAUSSIAN = "gaussian"
    SAMPLE_AGGREGATE = "sample_aggregate"


@dataclass(frozen=True, slots=True)
class Target:
    """How far numbers may lie off at 95 %: by an amount, or by a share of their size."""

    amount: Decimal
    relative: bool

    def __str__(self) -> str:
        return f"{float(self.amount * 100):.4g} %" if self.relative else f"{float(self.amount):.6g}"


@dataclass(frozen=True, slots=True)
class Settings:
    """`dp.*` of one session at one Bind. `delta`, `max_groups` and `max_rows` are None where the policy decides,
    `blocks` where the price does. weights: how much the column of a name counts beside others, which count as one.
    confidence: of the intervals that are told beside numbers. error_columns: whether each noisy column has the ends of
    its intervals beside it. target: what an ε is chosen for, in the place of `epsilon`."""

    epsilon: Decimal
    delta: Decimal | None = None
    max_groups: int | None = None
    max_rows: int | None = None
    mechanism: Mechanism = Mechanism.AUTO
    fresh: bool = False
    nonnegative: bool = False
    blocks: int | None = None
    weights: tuple[tuple[str, Fraction], ...] = ()
    confidence: Decimal = USUAL_CONFIDENCE
    error_columns: bool = False
    target: Target | None = None

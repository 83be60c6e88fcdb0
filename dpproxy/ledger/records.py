"""What the ledger says: accounts, receipts, standings and charges, as frozen data."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any

from dpproxy.accounting.account import Terms
from dpproxy.accounting.loss import GRID, ZERO, Loss
from dpproxy.remembered import remembered

EVER = "ever"
MOST_ALARMS = 2**31 - 1
EVERYONE = "everyone"
"""The budget group that each charge counts in, whether it has a cap or not."""


class Reset(Enum):
    """When a budget starts anew. Days, ISO weeks and months begin at midnight UTC."""

    NEVER = "never"
    DAILY = "daily"
    WEEKLY = "weekly"
    MONTHLY = "monthly"
    DATA_VERSION = "data_version"


@dataclass(frozen=True, slots=True)
class AccountRef:
    """An analyst's current account. Which of their accounts that is, the ledger decides when it is asked.

    data_version: read where the budget resets with it, and nowhere else.
    """

    analyst: str
    reset: Reset = Reset.NEVER
    data_version: str = ""


@dataclass(frozen=True, slots=True)
class Receipt:
    """A durable charge.

    spent, left: of the analyst's account after it, in the account's own coordinates; `left` counts what was granted.
    Where a change of the policy waits to be adopted there may be two accounts: the one that has less left.
    stopped: whether the operator's alarm stands, so that the statement is charged and answers `DP005`.
    period: the label of that account. terms: what it holds, with all that was granted; None: the policy's own.
    """

    id: int
    spent: Loss
    left: Loss
    stopped: bool
    period: str = EVER
    terms: Terms | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """An account as it stands: what it spent, and what the owner granted on top of the terms.

    name: of the analyst, or of the budget group. ends: when the next period begins; None where none does by itself.
    granted_epsilon, granted_delta: as the owner wrote them.
    """

    name: str
    spent: Loss = ZERO
    granted_epsilon: Decimal = Decimal(0)
    granted_delta: Decimal = Decimal(0)
    period: str = EVER
    ends: datetime | None = None


@dataclass(frozen=True, slots=True)
class HeldAccount:
    """An account that a charge is held to. terms: what it may spend, grants included; None where it has no limit."""

    standing: Standing
    reset: Reset
    terms: Terms | None

    @property
    def left(self) -> Loss | None:
        """What is left of it, in its own coordinates; None where it has no limit."""
        return None if self.terms is None else self.terms.limit - self.standing.spent


class Outcome(Enum):
    """What became of a charged statement. The money is spent in every case."""

    CHARGED = "charged"
    ANSWERED = "answered"
    FAILED = "failed"
    CANCELED = "canceled"
    TIMED_OUT = "timed out"
    ABANDONED = "abandoned"


@dataclass(frozen=True, slots=True)
class Charge:
    """A row of the ledger, of whichever period: `epsilon` is what the analyst asked for, `cost` what the account paid,
    `spent` and `left` what it had spent and left after it, as far as the ledger has all charges of its period.

    number: counted over the analyst's own rows, where `id` is counted over all.
    """

    id: int
    number: int
    at: datetime
    period: str
    statement: str
    epsilon: Decimal
    cost: Loss
    outcome: Outcome
    left: Loss
    spent: Loss


def standing_of(
    name: str, period: str, ends: datetime | None, main: Decimal, delta: Decimal, epsilon: Decimal, more_delta: Decimal
) -> Standing:
    """A row of dp_ledger.accounts, with the end of its period."""
    return Standing(name, Loss(main, delta), epsilon, more_delta, period, ends)


def charge_of(
    id_: int,
    number: int,
    at: Any,
    period: str,
    statement: str,
    epsilon: Decimal,
    main: Decimal,
    delta: Decimal,
    outcome: str,
    left_main: Decimal,
    left_delta: Decimal,
    spent_main: Decimal,
    spent_delta: Decimal,
) -> Charge:
    """A row of dp_ledger.charges, numbered."""
    cost, left = Loss(main, delta), Loss(left_main, left_delta)
    spent = Loss(spent_main, spent_delta)
    return Charge(id_, number, at, period, statement, epsilon, cost, Outcome(outcome), left, spent)


def must_be_exact(loss: Loss) -> None:
    """A negative amount would give back, and NaN compares as it likes: neither may reach the ledger."""
    for value in (loss.main, loss.delta):
        if not _is_exact(value):
            raise ValueError(f"not an amount on the grid of {GRID}: {value}")


@remembered(256)
def _is_exact(value: Decimal) -> bool:
    return value.is_finite() and value >= 0 and (Fraction(value) / Fraction(GRID)).denominator == 1

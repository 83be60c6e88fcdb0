"""What the ledger says: accounts, receipts, standings and charges, as frozen data."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import Enum

from dpproxy.accounting.loss import ZERO, Loss

EVER = "ever"


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
    stopped: whether the operator's alarm stands, so that the statement is charged and answers `DP005`.
    period: the label of the account that was charged.
    """

    id: int
    spent: Loss
    left: Loss
    stopped: bool
    period: str = EVER


@dataclass(frozen=True, slots=True)
class Standing:
    """An account as it stands: what it spent, and what the owner granted on top of the policy's limit.

    name: of the analyst, or of the budget group. ends: when the next period begins; None where none does by itself.
    granted: in the account's own coordinates, what is added to the limit.
    granted_epsilon, granted_delta: the same as the owner wrote it.
    """

    name: str
    spent: Loss = ZERO
    granted: Loss = ZERO
    granted_epsilon: Decimal = Decimal(0)
    granted_delta: Decimal = Decimal(0)
    period: str = EVER
    ends: datetime | None = None


class Outcome(Enum):
    """What became of a charged statement. The money is spent in every case."""

    CHARGED = "charged"
    ANSWERED = "answered"
    FAILED = "failed"
    CANCELED = "canceled"
    ABANDONED = "abandoned"


@dataclass(frozen=True, slots=True)
class Charge:
    """A row of the ledger, of whichever period: `epsilon` is what the analyst asked for, `cost` what the account paid.

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

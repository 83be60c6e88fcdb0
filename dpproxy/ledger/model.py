"""What the ledger says: accounts, receipts, standings and charges, as frozen data."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import Enum

from dpproxy.accounting.loss import Loss

EVER = "ever"


@dataclass(frozen=True, slots=True)
class AccountRef:
    """One account: an analyst, and the label of a period (`EVER` where a budget never resets)."""

    analyst: str
    period: str = EVER


@dataclass(frozen=True, slots=True)
class Receipt:
    """A durable charge.

    spent, left: of the analyst's account after it, in the account's own coordinates; `left` counts what was granted.
    stopped: whether the operator's alarm stands, so that the statement is charged and answers `DP005`.
    """

    id: int
    spent: Loss
    left: Loss
    stopped: bool


@dataclass(frozen=True, slots=True)
class Standing:
    """An account as it stands: what it spent, and what the owner granted on top of the policy's limit.

    granted: in the account's own coordinates, what is added to the limit.
    granted_epsilon, granted_delta: the same as the owner wrote it.
    """

    ref: AccountRef
    spent: Loss
    granted: Loss
    granted_epsilon: Decimal
    granted_delta: Decimal


class Outcome(Enum):
    """What became of a charged statement. The money is spent in every case."""

    CHARGED = "charged"
    ANSWERED = "answered"
    FAILED = "failed"
    CANCELED = "canceled"
    ABANDONED = "abandoned"


@dataclass(frozen=True, slots=True)
class Charge:
    """A row of the ledger: `epsilon` is what the analyst asked for, `cost` what the account paid.

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

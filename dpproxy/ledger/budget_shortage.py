"""What is said where a budget does not allow a statement: a function of earlier statements and of the clock.

Checked by: tests/test_periods.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import ROUND_FLOOR, Context, Decimal
from typing import assert_never

from dpproxy.accounting.account import largest_epsilon
from dpproxy.accounting.conversion import epsilon_of_rho
from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.errors import PrivacyBudgetExceeded
from dpproxy.ledger.accounts_in_force import AccountInForce

_AS_SHOWN = Context(prec=10)
_DOWN = Context(prec=6, rounding=ROUND_FLOOR)
_SUMS = "Under zcdp accounting many small statements lose less than the sum of their epsilons, and one large one more."


@dataclass(frozen=True, slots=True)
class Shortage:
    """Why a charge was refused.

    epsilon, delta: what the statement was to cost, ε as the analyst asked for it. account: the one that is short.
    """

    accounting: Accounting
    epsilon: Decimal
    delta: Decimal
    account: AccountInForce

    @property
    def spent(self) -> Loss:
        """Of the account, in its own coordinates."""
        return self.account.held.standing.spent

    @property
    def left(self) -> Loss:
        """The same of what is left; an account without a limit is never short."""
        left = self.account.held.left
        assert left is not None
        return left

    @property
    def limit_delta(self) -> Decimal:
        """The part of the account's δ that key selection may spend."""
        return (self.spent + self.left).delta

    @property
    def group(self) -> str | None:
        """The budget group that is short, None where it is the analyst's own account."""
        return self.account.held.standing.name if self.account.kind == "budget" else None

    @property
    def ends(self) -> datetime | None:
        """When the account's next period begins, if one does."""
        return self.account.held.standing.ends


def exceeded(short: Shortage) -> PrivacyBudgetExceeded:
    """What it costs, what would fit, what is left, and when there will be more."""
    whose = "your budget" if short.group is None else f'the budget "{short.group}"'
    asked = _amounts(short.epsilon, short.delta)
    fits = _amounts(_largest(short), short.left.delta)
    match short.accounting:
        case Accounting.PURE:
            message, detail = f"the statement costs {asked}, and {fits} are left of {whose}", None
        case Accounting.ZCDP:
            message = f"the statement costs {asked}, and what is left of {whose} allows one of at most {fits}"
            detail = f"Left of it as a whole: {_amounts(_remaining(short), short.left.delta)}. {_SUMS}"
        case _:
            assert_never(short.accounting)
    return PrivacyBudgetExceeded(message, detail=detail, hint=_hint(short))


def _largest(short: Shortage) -> Decimal:
    """The ε of the largest statement that is still within the account."""
    return largest_epsilon(short.accounting, short.left.main)


def _remaining(short: Shortage) -> Decimal:
    """ε as dp.budget shows it, of all that is left."""
    whole, spent = (epsilon_of_rho(main, short.limit_delta) for main in _mains(short))
    return _AS_SHOWN.create_decimal(max(Decimal(0), whole - spent))


def _mains(short: Shortage) -> tuple[Decimal, Decimal]:
    return max((short.spent + short.left).main, Decimal(0)), short.spent.main


def _hint(short: Shortage) -> str:
    more = f"{_wait(short)}ask the owner for more."
    if short.delta > short.left.delta:
        return f"Group by public keys, which cost no delta, SET dp.delta lower, or {more}"
    if short.left.main <= 0:
        return f"Nothing is left to spend; {more}"
    return f"SET dp.epsilon = {_short(_largest(short))} or less, or {more}"


def _wait(short: Shortage) -> str:
    if short.ends is None or short.group is not None:
        return ""
    return f"wait for the next period, which begins at {short.ends.astimezone(UTC):%Y-%m-%d %H:%M} UTC, or "


def _amounts(epsilon: Decimal, delta: Decimal) -> str:
    return f"epsilon {_short(epsilon)}, delta {_short(delta)}"


def _short(value: Decimal) -> str:
    """Six digits, rounded down: what is named as left is there."""
    return f"{_DOWN.create_decimal(max(value, Decimal(0))).normalize():g}"

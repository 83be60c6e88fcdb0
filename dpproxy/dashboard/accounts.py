"""What is told of accounts: what they hold, what was spent, and how many statements are left of them.

Checked by: tests/test_dashboard.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from dpproxy.accounting.account import Terms, remaining_epsilon, spent_epsilon
from dpproxy.catalog.policy import Catalog
from dpproxy.config import Config
from dpproxy.dashboard.charts import SpendingChart, spending
from dpproxy.ledger.accounts_in_force import whole_terms
from dpproxy.ledger.ledger import Ledger
from dpproxy.ledger.ledger_reader import LedgerReader
from dpproxy.ledger.records import EVERYONE, HeldAccount
from dpproxy.server.services import account
from dpproxy.session.dp_tables import shown, statements_left


@dataclass(frozen=True, slots=True)
class AccountFigures:
    """One account. share: what part of it is spent, as charges count it, from 0 to 1. more: about how many more
    statements fit, each at ε `each`; None where no such one is meant."""

    name: str
    period: str
    ends: datetime | None
    epsilon: Decimal
    spent: Decimal
    remaining: Decimal
    delta: Decimal
    remaining_delta: Decimal
    share: float
    each: Decimal | None
    more: int | None


def figures(held: HeldAccount, each: Decimal | None) -> AccountFigures | None:
    """None for an account without a limit."""
    terms, standing, left = held.terms, held.standing, held.left
    if terms is None or left is None:
        return None
    spent = standing.spent
    return AccountFigures(
        standing.name,
        standing.period,
        standing.ends,
        shown(terms.epsilon),
        shown(spent_epsilon(terms, spent)),
        shown(remaining_epsilon(terms, spent)),
        shown(terms.delta),
        shown(max(left.delta, Decimal(0))),
        min(float(spent.main / terms.limit.main), 1.0),
        each,
        None if each is None else statements_left(held, each),
    )


async def analyst_figures(ledger: Ledger, config: Config, analyst: str) -> Sequence[AccountFigures]:
    """The accounts of an analyst that hold; more than one only where another reset waits to be adopted."""
    ref, terms = account(config, Catalog(), analyst).ref, config.terms(analyst)
    each = config.analysts[analyst].statement_epsilon
    found = [figures(held, each) for held in await ledger.accounts(ref, terms)]
    return [one for one in found if one is not None]


async def everyone_figures(ledger: Ledger, config: Config) -> AccountFigures | None:
    """What all have spent together; None where there is no cap on it."""
    if config.budgets.everyone is None:
        return None
    return figures(await ledger.group_account(EVERYONE, config.group_terms(EVERYONE)), None)


async def analyst_spending(reader: LedgerReader, config: Config, analyst: str, today: date) -> SpendingChart:
    """What an analyst spent lately, of what the policy gives and what was granted."""
    given, days = config.terms(analyst), await reader.days(analyst)

    def accounts(epsilon: Decimal, delta: Decimal) -> Terms:
        return whole_terms(config.accounting, given.epsilon + epsilon, given.delta + delta)

    return spending(days, await reader.grants(analyst), accounts, today)

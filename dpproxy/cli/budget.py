"""`dpproxy budget`: what analysts have and spent, and more of it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Annotated

import typer
from rich.table import Table

from dpproxy.accounting.account import terms
from dpproxy.accounting.loss import ZERO, Loss
from dpproxy.answer import Account
from dpproxy.catalog.model import Catalog
from dpproxy.catalog.views import VIEWS
from dpproxy.cli.console import ConfigFile, answers, loaded, table
from dpproxy.cli.opened import kept, known, opened_ledger
from dpproxy.config import Config
from dpproxy.errors import ConfigFault
from dpproxy.ledger import AccountRef, Ledger, Standing
from dpproxy.server.house import account
from dpproxy.session.views import budget

budgets = typer.Typer(no_args_is_help=True, help="What analysts have, what they spent, and more of it.")


@dataclass(frozen=True, slots=True)
class _Account:
    """An account as it stands, and whether its analyst is stopped after an engine's failure."""

    standing: Standing
    stopped: bool


@budgets.command()
def show(
    config: ConfigFile, analyst: Annotated[str | None, typer.Argument(help="Only this analyst's account.")] = None
) -> None:
    """Show budgets and what is left of them."""
    policy = loaded(config)
    names = list(policy.analysts) if analyst is None else [known(policy, analyst)]
    accounts, together = asyncio.run(_accounts(policy, names))
    shown = _table(policy, accounts)
    if analyst is None and policy.budgets.everyone is not None:
        shown.add_row(*_together(policy, together), "")
    answers().print(shown)


@budgets.command()
def grant(
    config: ConfigFile,
    analyst: Annotated[str, typer.Argument(help="Whose budget is raised.")],
    epsilon: Annotated[str, typer.Option(help="How much more epsilon.")],
    delta: Annotated[str, typer.Option(help="How much more delta.")] = "0",
) -> None:
    """Raise an analyst's budget, for good."""
    policy = loaded(config)
    more = _amount("epsilon", epsilon), _amount("delta", delta)
    raised = asyncio.run(_grant(policy, AccountRef(known(policy, analyst)), *more))
    answers().print(_table(policy, [raised]))


async def _accounts(config: Config, names: Sequence[str]) -> tuple[Sequence[_Account], Loss]:
    """The accounts, and what all analysts have spent together."""
    if not kept(config):
        return [_Account(_untouched(name), stopped=False) for name in names], ZERO
    async with opened_ledger(config) as ledger:
        accounts = [await _account(ledger, AccountRef(name)) for name in names]
        return accounts, await ledger.group_spent("everyone")


async def _account(ledger: Ledger, ref: AccountRef) -> _Account:
    return _Account(await ledger.standing(ref), await ledger.stopped(ref.analyst))


def _untouched(name: str) -> Standing:
    return Standing(AccountRef(name), ZERO, ZERO, Decimal(0), Decimal(0))


async def _grant(config: Config, ref: AccountRef, epsilon: Decimal, delta: Decimal) -> _Account:
    async with opened_ledger(config) as ledger:
        extra = _extra(config, await ledger.standing(ref), epsilon, delta)
        await ledger.grant(ref, epsilon, delta, extra)
        return await _account(ledger, ref)


def _extra(config: Config, standing: Standing, epsilon: Decimal, delta: Decimal) -> Loss:
    """What `epsilon` and `delta` add in the account's own coordinates.

    Claim: the account's limit with all its grants is no more than that of a budget of all their ε and δ.
    Because: it is that budget's limit, less what the account has already. Checked by: test_grants_add_up.
    Raises ConfigFault where there can be no such budget.
    """
    policy = config.terms(standing.ref.analyst)
    whole = policy.epsilon + standing.granted_epsilon + epsilon, policy.delta + standing.granted_delta + delta
    try:
        limit = terms(config.accounting, *whole).limit
    except ValueError as cause:
        raise ConfigFault("the budget cannot be raised so", detail=str(cause)) from None
    gap = limit - (policy.limit + standing.granted)
    return Loss(max(gap.main, Decimal(0)), max(gap.delta, Decimal(0)))


def _amount(option: str, text: str) -> Decimal:
    try:
        amount = Decimal(text)
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite() or not 0 <= amount <= 10**6 or (option == "epsilon" and amount == 0):
        above = "above 0" if option == "epsilon" else "at least 0"
        raise typer.BadParameter(f"{text!r} is not a number {above}", param_hint=f"--{option}")
    return amount


def _table(config: Config, accounts: Sequence[_Account]) -> Table:
    """The columns of dp.budget, as each analyst sees them, and whether they are stopped."""
    headers = [*(column.name for column in VIEWS["budget"]), "state"]
    return table("Budgets", headers, [_row(config, each) for each in accounts], 2)


def _row(config: Config, each: _Account) -> Sequence[str]:
    return [*_seen(account(config, Catalog(), each.standing.ref.analyst), each.standing), _state(each)]


def _together(config: Config, spent: Loss) -> Sequence[str]:
    """The cap on what all analysts spend together."""
    ref = AccountRef("everyone together")
    whole = Account(ref, Catalog(), config.group_terms("everyone"))
    return _seen(whole, Standing(ref, spent, ZERO, Decimal(0), Decimal(0)))


def _seen(whose: Account, standing: Standing) -> Sequence[str]:
    [seen] = budget(whose, standing).rows
    return [value if isinstance(value, str) else f"{value:f}" for value in seen]


def _state(each: _Account) -> str:
    return "stopped" if each.stopped else "open"

"""`dpproxy budget`: what analysts have and spent, and more of it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Annotated

import typer

from dpproxy.accounting.account import remaining_epsilon, spent_epsilon, terms
from dpproxy.accounting.loss import ZERO, Loss
from dpproxy.cli.console import ConfigFile, answers, loaded, shown, table
from dpproxy.cli.opened import granted_terms, kept, known, opened_ledger
from dpproxy.config import Config
from dpproxy.errors import ConfigFault
from dpproxy.ledger import AccountRef, Ledger, Standing

budgets = typer.Typer(no_args_is_help=True, help="What analysts have, what they spent, and more of it.")

_HEADERS = ("analyst", "period", "epsilon", "spent", "remaining", "delta", "spent", "remaining", "state")


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
    accounts = asyncio.run(_accounts(policy, names))
    answers().print(table("Budgets", _HEADERS, [_row(policy, account) for account in accounts]))


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
    account = asyncio.run(_grant(policy, AccountRef(known(policy, analyst)), *more))
    answers().print(table("Budgets", _HEADERS, [_row(policy, account)]))


async def _accounts(config: Config, names: Sequence[str]) -> Sequence[_Account]:
    if not kept(config):
        return [_Account(_untouched(name), stopped=False) for name in names]
    async with opened_ledger(config) as ledger:
        return [await _account(ledger, AccountRef(name)) for name in names]


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
    Because: it is that budget's limit, less what the account has already. Checked by: test_grant_adds_up.
    Raises ConfigFault where such a budget cannot be.
    """
    now = granted_terms(config, standing)
    try:
        then = terms(config.accounting, now.epsilon + epsilon, now.delta + delta)
    except ValueError as cause:
        raise ConfigFault("the budget cannot be raised so", detail=str(cause)) from None
    gap = then.limit - (config.terms(standing.ref.analyst).limit + standing.granted)
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


def _row(config: Config, account: _Account) -> Sequence[str]:
    standing, all_of_it = account.standing, granted_terms(config, account.standing)
    deltas = all_of_it.limit.delta, standing.spent.delta, max(all_of_it.limit.delta - standing.spent.delta, Decimal(0))
    return (
        standing.ref.analyst,
        standing.ref.period,
        shown(all_of_it.epsilon),
        shown(spent_epsilon(all_of_it, standing.spent)),
        shown(remaining_epsilon(all_of_it, standing.spent)),
        *map(shown, deltas),
        "stopped" if account.stopped else "open",
    )

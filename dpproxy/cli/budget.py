"""`dpproxy budget`: what analysts have and spent, and more of it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Annotated

import typer
from rich.table import Table

from dpproxy.accounting.account import terms
from dpproxy.accounting.loss import Loss
from dpproxy.answer import Account
from dpproxy.catalog.model import Catalog
from dpproxy.catalog.views import VIEWS
from dpproxy.cli.console import ConfigFile, answers, loaded, say, table
from dpproxy.cli.opened import kept, known, opened_ledger
from dpproxy.config import Config
from dpproxy.errors import ConfigFault
from dpproxy.ledger import EVER, AccountRef, Ledger, Reset, Standing
from dpproxy.rows import Value
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
    """Raise an analyst's budget: the account of their current period, for good."""
    policy = loaded(config)
    more = _amount("epsilon", epsilon), _amount("delta", delta)
    raised = asyncio.run(_grant(policy, known(policy, analyst), *more))
    answers().print(_table(policy, [raised]))


@budgets.command()
def reset(
    config: ConfigFile,
    analyst: Annotated[str | None, typer.Argument(help="Whose budget begins anew.")] = None,
    everyone: Annotated[bool, typer.Option("--everyone", help="What all analysts spend together begins anew.")] = False,
) -> None:
    """Begin a new account of the current period, with nothing spent and nothing granted. History stays.

    What was lost before is lost: the guarantee then holds for each account, and they add up.
    """
    policy = loaded(config)
    if (analyst is None) != everyone:
        raise typer.BadParameter("name an analyst, or --everyone")
    if everyone:
        label = asyncio.run(_reset_everyone(policy))
        say(f'What all analysts spend together is now counted as "{label}".')
    else:
        label = asyncio.run(_reset(policy, known(policy, str(analyst))))
        say(f'"{analyst}" spends from "{label}" now; what was spent before stays on record.')


async def _accounts(config: Config, names: Sequence[str]) -> tuple[Sequence[_Account], Standing]:
    """The accounts, and what all analysts have spent together."""
    if not kept(config):
        return [_Account(_untouched(_ref(config, name)), stopped=False) for name in names], Standing("everyone")
    async with opened_ledger(config) as ledger:
        return [await _account(ledger, _ref(config, name)) for name in names], await ledger.group_standing("everyone")


async def _account(ledger: Ledger, ref: AccountRef) -> _Account:
    return _Account(await ledger.standing(ref), await ledger.stopped(ref.analyst))


def _ref(config: Config, analyst: str) -> AccountRef:
    return account(config, Catalog(), analyst).ref


def _untouched(ref: AccountRef) -> Standing:
    """Which period it is, only a ledger's clock says."""
    return Standing(ref.analyst, period=EVER if ref.reset is Reset.NEVER else "")


async def _grant(config: Config, analyst: str, epsilon: Decimal, delta: Decimal) -> _Account:
    """Another grant, a reset or the next period may come in between: then it is worked out again."""
    ref = _ref(config, analyst)
    async with opened_ledger(config) as ledger:
        while True:
            seen = await ledger.standing(ref)
            if await ledger.grant(ref, seen, epsilon, delta, _extra(config, seen, epsilon, delta)):
                return await _account(ledger, ref)


async def _reset(config: Config, analyst: str) -> str:
    async with opened_ledger(config) as ledger:
        return await ledger.reset(_ref(config, analyst))


async def _reset_everyone(config: Config) -> str:
    if config.budgets.everyone is None:
        raise ConfigFault("there is no budget of everyone's", detail=f"{config.path}: budgets.everyone: is not there")
    async with opened_ledger(config) as ledger:
        return await ledger.reset_group("everyone")


def _extra(config: Config, standing: Standing, epsilon: Decimal, delta: Decimal) -> Loss:
    """What `epsilon` and `delta` add in the account's own coordinates.

    Claim: the account's limit with all its grants is no more than that of a budget of all their ε and δ.
    Because: it is that budget's limit, less what the account has already. Checked by: test_grants_add_up.
    Raises ConfigFault where there can be no such budget.
    """
    policy = config.terms(standing.name)
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
    return [*_seen(account(config, Catalog(), each.standing.name), each.standing), _state(each)]


def _together(config: Config, standing: Standing) -> Sequence[str]:
    """The cap on what all analysts spend together."""
    return _seen(Account(AccountRef("everyone together"), Catalog(), config.group_terms("everyone")), standing)


def _seen(whose: Account, standing: Standing) -> Sequence[str]:
    [seen] = budget(whose, standing).rows
    return [_text(value) for value in seen]


def _text(value: Value) -> str:
    match value:
        case None:
            return ""
        case datetime():
            return f"{value.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
        case Decimal():
            return f"{value:f}"
        case _:
            return str(value)


def _state(each: _Account) -> str:
    return "stopped" if each.stopped else "open"

"""`dpproxy budget`: what analysts have and spent, and more of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Annotated

import typer
from rich.table import Table

from dpproxy.accounting.account import Terms, terms
from dpproxy.catalog.policy import Catalog
from dpproxy.catalog.views import VIEWS
from dpproxy.cli.commands import say
from dpproxy.cli.connections import kept, known, opened_ledger
from dpproxy.cli.console import AsJson, answers, messages, progress, table
from dpproxy.cli.policy_file import ConfigFile, loaded
from dpproxy.config import Config
from dpproxy.errors import ConfigFault
from dpproxy.ledger import EVER, EVERYONE, AccountRef, HeldAccount, Ledger, Reset, Standing
from dpproxy.ledger.adopted_terms import Proposal
from dpproxy.ledger.adoption import spendable
from dpproxy.rows import Value
from dpproxy.server.policy_terms import policy_terms
from dpproxy.server.services import account
from dpproxy.session.dp_tables import amounts, budget

budgets = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="What analysts have, what they spent, and more of it."
)


@dataclass(frozen=True, slots=True)
class _Account:
    """The accounts of one analyst, or of all together; what the history of each amounts to; and whether they are
    stopped after an engine's failure."""

    held: Sequence[HeldAccount]
    figures: Sequence[Decimal]
    stopped: bool = False


@budgets.command()
def show(
    config: ConfigFile,
    analyst: Annotated[str | None, typer.Argument(help="Only this analyst's account.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show budgets and what is left of them."""
    policy = loaded(config)
    names = list(policy.analysts) if analyst is None else [known(policy, analyst)]
    accounts, together = asyncio.run(_accounts(policy, names))
    capped = together if analyst is None and together.held[0].terms is not None else None
    if as_json:
        typer.echo(json.dumps(_as_json(policy, accounts, capped)))
        return
    shown = _table(policy, accounts)
    if capped is not None:
        shown.add_row(*_together(capped), "")
    answers().print(shown)


@budgets.command()
def grant(
    config: ConfigFile,
    analyst: Annotated[str, typer.Argument(help="Whose budget is raised.")],
    epsilon: Annotated[str, typer.Option(help="How much more epsilon.")] = "0",
    delta: Annotated[str, typer.Option(help="How much more delta.")] = "0",
) -> None:
    """Raise an analyst's budget: the account of their current period, for good."""
    policy = loaded(config)
    more = _amount("epsilon", epsilon), _amount("delta", delta)
    if not any(more):
        raise typer.BadParameter("nothing more is given: write --epsilon, --delta, or both")
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


@budgets.command()
def adopt(
    config: ConfigFile,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask: it was confirmed elsewhere.")] = False,
) -> None:
    """Confirm what a changed policy lets analysts spend. Until then the terms before it hold as well.

    What was lost under the terms before is lost: an account that is begun anew comes on top of it.
    """
    policy = loaded(config)
    if asyncio.run(_adopt(policy, yes)):
        say("Adopted; it is in force from the next statement on, at each proxy that serves this policy.")
    else:
        say("Nothing waits to be adopted.")


async def _adopt(config: Config, yes: bool) -> bool:
    """Whether there was anything to adopt."""
    async with opened_ledger(config) as ledger:
        while True:
            seen = await ledger.proposal(policy_terms(config))
            if not seen.decided.waiting:
                return False
            messages().print(_changes(seen))
            if not yes and not typer.confirm("Adopt this?", err=True):
                raise typer.Exit(1)
            if await ledger.adopt(seen, "budget adopt"):
                return True
            say("It has changed meanwhile.")


def _changes(seen: Proposal) -> Table:
    """What was adopted last, and what will be."""
    rows = []
    for each in seen.decided.waiting:
        if each.is_of_a_budget:
            before, after = (spendable(seen.promise.accounting, term) for term in (each.before, each.after))
        else:
            before, after = each.before.meaning, each.after.meaning
        rows.append((f"{each.after.kind.value} {each.after.name}".strip(), before, after))
    return table("What may be lost in a year", ("of", "adopted until now", "from now on"), rows, 3)


async def _accounts(config: Config, names: Sequence[str]) -> tuple[Sequence[_Account], _Account]:
    """The accounts, and that of all analysts together."""
    if not kept(config):
        untouched = [_Account([_untouched(config, name)], [Decimal(0)]) for name in names]
        return untouched, _Account([HeldAccount(Standing(EVERYONE), Reset.NEVER, _cap(config))], [Decimal(0)])
    async with opened_ledger(config) as ledger:
        for line in (await ledger.proposal(policy_terms(config))).lines:
            say(f"warning: waits for `dpproxy budget adopt`: {line}")
        with progress() as bar:
            accounts = [await _account(ledger, config, name) for name in bar.track(names, description="accounts")]
        return accounts, await _of_all(ledger, _cap(config))


async def _account(ledger: Ledger, config: Config, name: str) -> _Account:
    held = await ledger.accounts(_ref(config, name), config.terms(name))
    histories = [await ledger.history(each.standing) for each in held]
    return _Account(held, amounts(held, histories, config.terms(name)), await ledger.stopped(name))


async def _of_all(ledger: Ledger, cap: Terms | None) -> _Account:
    """Its figure is worked out where there is a cap, at whose δ it is."""
    held = await ledger.group_account(EVERYONE, cap)
    if held.terms is None:
        return _Account([held], [Decimal(0)])
    return _Account([held], amounts([held], [await ledger.group_history(held.standing)], held.terms))


def _ref(config: Config, analyst: str) -> AccountRef:
    return account(config, Catalog(), analyst).ref


def _cap(config: Config) -> Terms | None:
    return None if config.budgets.everyone is None else config.group_terms(EVERYONE)


def _untouched(config: Config, analyst: str) -> HeldAccount:
    """Which period it is, only a ledger's clock says."""
    ref = _ref(config, analyst)
    period = EVER if ref.reset is Reset.NEVER else ""
    return HeldAccount(Standing(analyst, period=period), ref.reset, config.terms(analyst))


async def _grant(config: Config, analyst: str, epsilon: Decimal, delta: Decimal) -> _Account:
    """Another grant, a reset or the next period may come in between: then it is looked at again.

    Where another reset waits to be adopted, two accounts hold, and it is granted to both.
    """
    async with opened_ledger(config) as ledger:
        for each in await ledger.accounts(_ref(config, analyst), config.terms(analyst)):
            _refuse(each, epsilon, delta)
        for ref in await _refs(ledger, config, analyst):
            while not await ledger.grant(ref, await ledger.standing(ref), epsilon, delta):
                pass
        return await _account(ledger, config, analyst)


async def _refs(ledger: Ledger, config: Config, analyst: str) -> Sequence[AccountRef]:
    ref = _ref(config, analyst)
    return [replace(ref, reset=each.reset) for each in await ledger.accounts(ref, config.terms(analyst))]


def _refuse(held: HeldAccount, epsilon: Decimal, delta: Decimal) -> None:
    """Raises ConfigFault where there can be no such budget."""
    assert held.terms is not None
    try:
        terms(held.terms.accounting, held.terms.epsilon + epsilon, held.terms.delta + delta)
    except ValueError as cause:
        raise ConfigFault("the budget cannot be raised so", detail=str(cause)) from None


async def _reset(config: Config, analyst: str) -> str:
    """The label of the account that was begun; of each, where two hold."""
    async with opened_ledger(config) as ledger:
        return '" and "'.join([await ledger.reset(ref) for ref in await _refs(ledger, config, analyst)])


async def _reset_everyone(config: Config) -> str:
    if config.budgets.everyone is None:
        raise ConfigFault("there is no budget of everyone's", detail=f"{config.path}: budgets.everyone: is not there")
    async with opened_ledger(config) as ledger:
        return await ledger.reset_group(EVERYONE)


def _amount(option: str, text: str) -> Decimal:
    try:
        amount = Decimal(text)
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite() or not 0 <= amount <= 10**6:
        raise typer.BadParameter(f"{text!r} is not a number of at least 0", param_hint=f"--{option}")
    return amount


def _table(config: Config, accounts: Sequence[_Account]) -> Table:
    """The columns of dp.budget, as each analyst sees them, and whether they are stopped."""
    headers = [*(column.name for column in VIEWS["budget"]), "state"]
    return table("Budgets", headers, [row for each in accounts for row in _rows(config, each)], 2)


def _rows(config: Config, each: _Account) -> Sequence[Sequence[str]]:
    [name] = {held.standing.name for held in each.held}
    return [[*seen, _state(each)] for seen in _seen(each, config.terms(name), _epsilon(config, each))]


def _together(account: _Account) -> Sequence[str]:
    """What all analysts have spent together, and the cap on it."""
    _, *rest = _seen(account, _limit(account), None)[0]
    return ["everyone together", *rest]


def _epsilon(config: Config, each: _Account) -> Decimal:
    """What one statement of an analyst costs where they set nothing else."""
    return config.analysts[each.held[0].standing.name].statement_epsilon


def _seen(each: _Account, otherwise: Terms, epsilon: Decimal | None) -> Sequence[Sequence[str]]:
    return [[_text(value) for value in row] for row in budget(each.held, otherwise, each.figures, epsilon).rows]


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


def _as_json(config: Config, accounts: Sequence[_Account], together: _Account | None) -> Mapping[str, object]:
    """What the table shows, under the names of dp.budget."""
    return {
        "accounts": [
            {**row, "stopped": each.stopped}
            for each in accounts
            for row in _plain(each, config.terms(each.held[0].standing.name), _epsilon(config, each))
        ],
        "everyone": None if together is None else _plain(together, _limit(together), None)[0],
    }


def _limit(together: _Account) -> Terms:
    [held] = together.held
    assert held.terms is not None, "a cap is shown where there is one"
    return held.terms


def _plain(each: _Account, otherwise: Terms, epsilon: Decimal | None) -> Sequence[Mapping[str, str | None]]:
    names = [column.name for column in VIEWS["budget"]]
    seen = budget(each.held, otherwise, each.figures, epsilon).rows
    return [{name: _value(value) for name, value in zip(names, row, strict=True)} for row in seen]


def _value(value: Value) -> str | None:
    """A number keeps its digits, as a text; a time is in UTC."""
    match value:
        case None:
            return None
        case datetime():
            return value.astimezone(UTC).isoformat()
        case _:
            return _text(value)


def _state(each: _Account) -> str:
    return "stopped" if each.stopped else "open"

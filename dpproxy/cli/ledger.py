"""`dpproxy ledger`: whether the ledger is whole, and what units have lost."""

from __future__ import annotations

import asyncio
import json
from decimal import Decimal
from pathlib import Path
from typing import Annotated

import typer

from dpproxy.accounting.loss import Accounting
from dpproxy.cli.commands import say
from dpproxy.cli.connections import opened_ledger
from dpproxy.cli.console import AsJson, answers, progress, table
from dpproxy.cli.policy_file import ConfigFile, loaded
from dpproxy.config import Config
from dpproxy.errors import ConfigFault
from dpproxy.ledger.adoption import up
from dpproxy.ledger.chain_head import ChainHead, read, write
from dpproxy.ledger.unit_losses import UnitLoss
from dpproxy.ledger.verification import Verification

ledgers = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Whether the ledger is whole, and what units have lost."
)

HeadFile = Annotated[
    Path | None, typer.Option("--head", metavar="FILE", help="The head that was kept; left out: the configured file.")
]


@ledgers.command()
def verify(config: ConfigFile, head: HeadFile = None, as_json: AsJson = False) -> None:
    """Look through the whole ledger: rows that were changed, left out or added, or an older copy.

    Ends with status 1 where something is wrong.
    """
    policy = loaded(config)
    kept = _kept(policy, head)
    found = asyncio.run(_verify(policy, kept))
    if as_json:
        typer.echo(json.dumps({**_written(found.head), "entries": found.entries, "faults": found.faults}))
    else:
        for fault in found.faults:
            answers().print(fault)
        if not found.faults:
            answers().print(f"The ledger is whole: {found.entries} entries, the last of them {found.head}.")
    if kept is None:
        say("warning: no head was kept, so an older copy would not be noticed")
    raise typer.Exit(1 if found.faults else 0)


@ledgers.command()
def report(config: ConfigFile, as_json: AsJson = False) -> None:
    """What each class of units has lost in total, over all analysts, periods and policies."""
    policy = loaded(config)
    losses = asyncio.run(_report(policy))
    if as_json:
        typer.echo(json.dumps([_as_json(policy.accounting, each) for each in losses]))
    else:
        rows = [(each.unit, str(each.charges), up(each.epsilon), up(each.delta)) for each in losses]
        answers().print(table("Lost in total", ("unit", "charges", "epsilon", "delta"), rows))


@ledgers.command()
def accept(
    config: ConfigFile, yes: Annotated[bool, typer.Option("--yes", help="Do not ask: it was looked into.")] = False
) -> None:
    """Go on with a ledger that does not know the head that was kept: an older copy, or another ledger.

    What was charged since is forgotten, and can be spent again: lower the budgets by as much. It is a row of its own.
    """
    policy = loaded(config)
    if asyncio.run(_accept(policy, yes)):
        say("Accepted; its head is kept from now on.")
    else:
        say("The ledger knows the head that was kept: there is nothing to accept.")


def _kept(config: Config, path: Path | None) -> ChainHead | None:
    kept = read(config.head if path is None else path)
    if kept is None and path is not None:
        raise ConfigFault("no head is kept there", detail=f"{path}: no such file")
    return kept


async def _verify(config: Config, kept: ChainHead | None) -> Verification:
    async with opened_ledger(config) as ledger:
        with progress() as bar:
            task = bar.add_task("entries", total=None)
            return await ledger.verify(kept, lambda done, of: bar.update(task, completed=done, total=of))


async def _report(config: Config) -> tuple[UnitLoss, ...]:
    """Under zCDP an ε is shown at the largest δ that an analyst's account holds back for it."""
    terms = [config.terms(name) for name in config.analysts]
    held_back = max((each.limit.delta for each in terms), default=Decimal("1e-6"))
    async with opened_ledger(config) as ledger:
        return await ledger.report(tuple(config.units), held_back)


async def _accept(config: Config, yes: bool) -> bool:
    kept = read(config.head)
    async with opened_ledger(config) as ledger:
        wrong = None if kept is None else await ledger.lost(kept)
        if kept is None or wrong is None:
            return False
        say(f"{config.head}: {wrong}")
        if not yes and not typer.confirm("Go on with this ledger?", err=True):
            raise typer.Exit(1)
        await ledger.accept(kept)
        write(config.head, await ledger.head())
        return True


def _written(head: ChainHead) -> dict[str, str | int]:
    return {"ledger": head.ledger, "number": head.number, "hash": head.hash.hex()}


def _as_json(accounting: Accounting, each: UnitLoss) -> dict[str, str | int]:
    main = {"rho": f"{each.loss.main:f}"} if accounting is Accounting.ZCDP else {}
    return {
        "unit": each.unit,
        "charges": each.charges,
        "epsilon": f"{each.epsilon:f}",
        "delta": f"{each.delta:f}",
        **main,
    }

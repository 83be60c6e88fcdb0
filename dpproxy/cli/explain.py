"""`dpproxy explain`: what a statement would cost and how it would be bounded. Nobody connects, nothing is charged."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Annotated

import typer

from dpproxy.answering.answer import times_of
from dpproxy.answering.resources import AnalystAccount
from dpproxy.catalog.policy import Catalog
from dpproxy.cli.commands import say
from dpproxy.cli.connections import approved_columns, fitted, kept, known, opened_engine, opened_ledger
from dpproxy.cli.console import AsJson, answers, caret
from dpproxy.cli.explain_accounting import as_json as as_plain
from dpproxy.cli.explain_accounting import as_table, repetitions
from dpproxy.cli.planned_statements import planned_with_room, statements_of
from dpproxy.cli.policy_file import ConfigFile, loaded
from dpproxy.config import Config
from dpproxy.errors import DPProxyError, FeatureNotSupported, FrontUnavailable, LedgerUnavailable
from dpproxy.ledger import HeldAccount, Standing
from dpproxy.plan.private_plan import Plan
from dpproxy.plan.timing import Speed
from dpproxy.public_columns import only_approved
from dpproxy.server.services import account
from dpproxy.session.explained import explained
from dpproxy.session.verdicts import Explains, Statement

_FREE = ("Cost: epsilon 0, delta 0", "It reads no private table of the policy: it runs in the front as it stands.")
_NOT_LOOKED_FOR = "the cost of a first time: EXPLAIN in a session knows what was paid for before"


def explain(
    config: ConfigFile,
    sql: Annotated[str, typer.Argument(metavar="SQL", help="One SELECT.")],
    analyst: Annotated[str, typer.Option("--as", metavar="ANALYST", help="Whose tables and budget.")],
    accounting: Annotated[
        bool, typer.Option("--accounting", help="What 1, 10, 100 and more runs come to, by five ways of accounting.")
    ] = False,
    repeat: Annotated[int, typer.Option(help="The most runs that --accounting shows.", min=1, max=10**6)] = 1000,
    as_json: AsJson = False,
) -> None:
    """Show a statement's cost, noise and bounded SQL; free."""
    policy = loaded(config)
    try:
        plan = asyncio.run(_planned(policy, known(policy, analyst), sql))
    except DPProxyError as fault:
        if fault.position is not None:
            say(caret(sql, fault.position))
        raise
    if accounting and plan is not None:
        terms = policy.terms(analyst)
        rows = repetitions(plan, terms, repeat)
        if as_json:
            typer.echo(json.dumps(as_plain(rows, terms)))
        else:
            answers().print(as_table(rows, terms))
        return
    _print(policy, analyst, plan, as_json)


def _print(config: Config, analyst: str, plan: Plan | None, as_json: bool) -> None:
    if plan is None:
        typer.echo(json.dumps([{"Cost": {"epsilon": 0, "delta": 0}}]) if as_json else "\n".join(_FREE))
        return
    say(_NOT_LOOKED_FOR)
    held = asyncio.run(_accounts(config, account(config, Catalog(), analyst)))
    use = Explains("json" if as_json else "text", verbose=True)
    typer.echo("\n".join(str(line) for line in explained(plan, use, held, {}, {})))


async def _planned(config: Config, analyst: str, sql: str) -> Plan | None:
    """None where it is free."""
    async with opened_engine(config) as engine:
        whole = (await fitted(config, engine)).catalog
        catalog = only_approved(config, whole, await approved_columns(config, whole))
        plan = await planned_with_room(config, catalog, analyst, engine, _only(statements_of(sql, catalog, analyst)))
        if plan is not None and plan.releases:
            times_of(plan, Speed(config.engine.statement_timeout, engine.per_operation))
        return plan


def _only(statements: tuple[Statement, ...]) -> Statement:
    if len(statements) != 1:
        raise FeatureNotSupported(f"{len(statements)} statements were given", hint="Explain one at a time.")
    return statements[0]


async def _accounts(config: Config, asking: AnalystAccount) -> Sequence[HeldAccount]:
    """The analyst's accounts; an untouched one where no ledger can be read."""
    if kept(config):
        try:
            async with opened_ledger(config) as ledger:
                return await ledger.accounts(asking.ref, asking.terms)
        except (FrontUnavailable, LedgerUnavailable) as fault:
            say(f"the ledger cannot be read, so the whole budget is shown: {fault}")
    return [HeldAccount(Standing(asking.ref.analyst), asking.ref.reset, asking.terms)]

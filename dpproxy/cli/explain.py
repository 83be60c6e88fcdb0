"""`dpproxy explain`: what a statement would cost and how it would be bounded. Nobody connects, nothing is charged."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, assert_never

import typer

from dpproxy.answering.answer import times_of
from dpproxy.answering.resources import AnalystAccount
from dpproxy.catalog.policy import Catalog, Table
from dpproxy.catalog.views import VIEWS
from dpproxy.cli.connections import kept, known, opened_engine, opened_ledger
from dpproxy.cli.console import AsJson, ConfigFile, answers, caret, loaded, say
from dpproxy.cli.explain_accounting import as_json as as_plain
from dpproxy.cli.explain_accounting import as_table, repetitions
from dpproxy.config import Config
from dpproxy.errors import DPProxyError, FeatureNotSupported, FrontUnavailable, InternalFault, LedgerUnavailable
from dpproxy.ledger import HeldAccount, Standing
from dpproxy.plan.private_plan import Plan
from dpproxy.plan.timing import Speed
from dpproxy.rewrite import Question, plan_statement, read_settings
from dpproxy.rewrite.checker import CheckFault, check_plan
from dpproxy.rewrite.explain import explain_as, explain_text
from dpproxy.schema_fit import fit
from dpproxy.server.services import account
from dpproxy.session.dp_tables import left
from dpproxy.session.gate import examine
from dpproxy.session.verdicts import GateNames, Pass, Plain, Private, Refuse, Statement, Unsupported, Wrapped

_FREE = ("Cost: epsilon 0, delta 0", "It reads no private table of the policy: it runs in the front as it stands.")


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
    """Show what a statement costs, its noise and its bounded SQL, as EXPLAIN does; free."""
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
    held = asyncio.run(_accounts(config, account(config, Catalog(), analyst)))
    typer.echo(explain_as("json", plan, *left(held)) if as_json else "\n".join(explain_text(plan, *left(held))))


async def _planned(config: Config, analyst: str, sql: str) -> Plan | None:
    """None where it is free."""
    async with opened_engine(config) as engine:
        catalog = (await fit(config, engine)).catalog
        statement = _only(examine(sql, _names(catalog, analyst)))
    try:
        question = _question(config, catalog, analyst, statement)
        if question is None:
            return None
        plan = _plan(question, account(config, catalog, analyst), engine.dialect)
        if plan.releases:
            times_of(plan, Speed(config.engine.statement_timeout, engine.per_operation))
    except DPProxyError as fault:
        fault.position = None if fault.position is None else fault.position + statement.start
        raise
    return plan


def _plan(question: Question, asking: AnalystAccount, dialect: str) -> Plan:
    """The plan of a statement, verified as for an answer."""
    try:
        plan = plan_statement(question, asking.catalog, asking.terms, dialect)
        check_plan(plan, asking.catalog, dialect, asking.terms.accounting)
    except CheckFault as fault:
        raise InternalFault from fault
    return plan


def _only(statements: tuple[Statement, ...]) -> Statement:
    if len(statements) != 1:
        raise FeatureNotSupported(f"{len(statements)} statements were given", hint="Explain one at a time.")
    return statements[0]


def _question(config: Config, catalog: Catalog, analyst: str, statement: Statement) -> Question | None:
    """What is asked of the rewrite; None where it has nothing to do. Raises what the gate refuses."""
    match statement.verdict:
        case Pass():
            return None
        case Refuse(error):
            raise error
        case Private(written, form):
            tables = {name: name.removeprefix("public.") for name in written}
        case _:
            assert_never(statement.verdict)
    match form:
        case Plain():
            sql = statement.sql
        case Wrapped(select=select, start=start):
            sql = " " * start + select
        case Unsupported(error):
            raise error
        case _:
            assert_never(form)
    options = config.startup_options(analyst)
    settings = read_settings(
        {name.removeprefix("dp."): value for name, value in options.items()}, config.terms(analyst)
    )
    return Question(sql, (), (), settings, tables, datetime.now())


def _names(catalog: Catalog, analyst: str) -> GateNames:
    """Names as they may be written. Typing is the front's; here no table of the analyst's own can shadow another."""
    private = {name for each in catalog.tables.values() if not each.public for name in _written(each)}
    public = {name for each in catalog.tables.values() if each.public for name in _written(each)}
    return GateNames(frozenset(private | {f"dp.{view}" for view in VIEWS}), frozenset(public), analyst)


def _written(table: Table) -> tuple[str, ...]:
    qualified = f"{table.schema}.{table.relation}"
    return (table.relation, qualified) if table.schema == "public" else (qualified,)


async def _accounts(config: Config, asking: AnalystAccount) -> Sequence[HeldAccount]:
    """The analyst's accounts; an untouched one where no ledger can be read."""
    if kept(config):
        try:
            async with opened_ledger(config) as ledger:
                return await ledger.accounts(asking.ref, asking.terms)
        except (FrontUnavailable, LedgerUnavailable) as fault:
            say(f"the ledger cannot be read, so the whole budget is shown: {fault}")
    return [HeldAccount(Standing(asking.ref.analyst), asking.ref.reset, asking.terms)]

"""Statements planned as an analyst's session would, without one: nobody connects, and nothing is charged."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import assert_never

from dpproxy.answering.public_keys import Sizes, counting, public_texts
from dpproxy.answering.resources import AnalystAccount
from dpproxy.catalog.policy import Catalog, Table
from dpproxy.catalog.views import VIEWS
from dpproxy.config import Config
from dpproxy.engines import Engine, Ticket
from dpproxy.errors import DPProxyError, InternalFault
from dpproxy.plan.private_plan import Plan
from dpproxy.plan.timing import Speed
from dpproxy.rewrite import Question, plan_statement, read_settings
from dpproxy.rewrite.checker import CheckFault, check_plan
from dpproxy.server.services import account
from dpproxy.session.gate import examine
from dpproxy.session.held_keys import with_room
from dpproxy.session.time_parts import within_time
from dpproxy.session.verdicts import GateNames, Pass, Plain, Private, Refuse, Statement, Unsupported, Wrapped


def statements_of(sql: str, catalog: Catalog, analyst: str) -> tuple[Statement, ...]:
    """The statements of a text, each with what the gate says of it."""
    return examine(sql, _names(catalog, analyst))


def planned(config: Config, catalog: Catalog, analyst: str, dialect: str, statement: Statement) -> Plan | None:
    """The plan of a statement, verified as for an answer; None where it is free. Raises what an answer would, with the
    position in the whole text."""
    try:
        question = _question(config, catalog, analyst, statement)
        return None if question is None else _plan(question, account(config, catalog, analyst), dialect)
    except DPProxyError as fault:
        fault.position = None if fault.position is None else fault.position + statement.start
        raise


async def planned_with_room(
    config: Config, catalog: Catalog, analyst: str, engine: Engine, statement: Statement
) -> Plan | None:
    """The same, where the engine says how many keys public tables have."""

    async def made(question: Question) -> Plan:
        return _plan(question, account(config, catalog, analyst), engine.dialect)

    async def sizes_of(plan: Plan) -> Sizes:
        texts = public_texts(plan)
        return await engine.run(counting(texts), Ticket()) if texts else {}

    try:
        question = _question(config, catalog, analyst, statement)
        if question is None:
            return None
        speed = Speed(config.engine.statement_timeout, engine.per_operation)
        return await within_time(question, partial(with_room, planned=made, sizes_of=sizes_of), speed)
    except DPProxyError as fault:
        fault.position = None if fault.position is None else fault.position + statement.start
        raise


def _plan(question: Question, asking: AnalystAccount, dialect: str) -> Plan:
    try:
        plan = plan_statement(question, asking.catalog, asking.terms, dialect)
        check_plan(plan, asking.catalog, dialect, asking.terms.accounting)
    except CheckFault as fault:
        raise InternalFault from fault
    return plan


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

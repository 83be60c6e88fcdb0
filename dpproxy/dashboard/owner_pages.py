"""What the owner is shown: all accounts, what was asked, who is stopped, who is connected.

Checked by: tests/test_dashboard.py.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from aiohttp import web

from dpproxy.dashboard.accounts import AccountFigures, analyst_figures, analyst_spending, everyone_figures
from dpproxy.dashboard.charts import SpendingChart
from dpproxy.dashboard.pages import DASHBOARD, Dashboard, for_owner, form, page, to
from dpproxy.dashboard.statement_pages import StatementShown, asked_before, error_cell, listed, statement_page
from dpproxy.dashboard.visitors import Visitor
from dpproxy.ledger.ledger_reader import AnalystCharge
from dpproxy.server.logins import Login
from dpproxy.server.logs import event
from dpproxy.server.policy_terms import policy_terms

_LATEST: Final = 50
_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Analyst:
    """One analyst's accounts, what they spent lately, and how often they were stopped, if they are."""

    name: str
    accounts: Sequence[AccountFigures]
    chart: SpendingChart
    stopped: int


@dataclass(frozen=True, slots=True)
class _Session:
    number: int | None
    analyst: str
    client: str
    since: datetime
    at_work: bool


@for_owner
async def owner_page(request: web.Request, _: Visitor) -> web.StreamResponse:
    """All of it."""
    dashboard = request.app[DASHBOARD]
    alarms = await dashboard.ledger.alarms()
    analysts = [await _analyst(dashboard, name, alarms.get(name, 0)) for name in dashboard.config.analysts]
    before = asked_before(request)
    found = [_shown(each) for each in await dashboard.reader.latest(_LATEST + 1, before)]
    return page(
        request,
        "owner.html",
        analysts=analysts,
        everyone=await everyone_figures(dashboard.ledger, dashboard.config),
        alarms=alarms,
        waiting=(await dashboard.ledger.proposal(policy_terms(dashboard.config))).lines,
        most=dashboard.config.privacy.max_failures,
        statements=listed(found, _LATEST, before, "/owner", "statements"),
        sessions=[_session(each) for each in dashboard.proxy.logins],
        accounting=dashboard.config.accounting.value,
    )


async def _analyst(dashboard: Dashboard, name: str, stopped: int) -> _Analyst:
    figures = await analyst_figures(dashboard.ledger, dashboard.config, name)
    chart = await analyst_spending(dashboard.reader, dashboard.config, name, datetime.now(UTC).date())
    return _Analyst(name, figures, chart, stopped)


def _session(login: Login) -> _Session:
    number = None if login.session is None else login.session.metrics.session
    at_work = login.session is not None and not login.session.resting
    return _Session(number, login.user, login.client, login.since, at_work)


@for_owner
async def clear_alarm(request: web.Request, visitor: Visitor) -> web.StreamResponse:
    """Let an analyst go on, as `dpproxy analyst clear` does."""
    analyst = (await form(request, visitor)).get("analyst", "")
    dashboard = request.app[DASHBOARD]
    cleared = await dashboard.ledger.clear(analyst, dashboard.config.privacy.max_failures)
    event(_log, logging.WARNING, "an alarm was cleared at the page", analyst=analyst, cleared=cleared)
    to("/owner")


@for_owner
async def owner_statement(request: web.Request, _: Visitor) -> web.StreamResponse:
    """One statement, of whichever analyst."""
    shown = await _found(request)
    return await statement_page(request, shown, back="/owner")


@for_owner
async def owner_error(request: web.Request, _: Visitor) -> web.StreamResponse:
    """Its error in a few words, for the list."""
    return await error_cell(request, await _found(request))


async def _found(request: web.Request) -> StatementShown:
    number = int(request.match_info["number"])
    found = await request.app[DASHBOARD].reader.charge(number) if number < 2**62 else None
    if found is None:
        raise web.HTTPNotFound
    return _shown(found)


def _shown(found: AnalystCharge) -> StatementShown:
    return StatementShown(found, f"/owner/statements/{found.number}")

"""What an analyst is shown: their own account and history, and what a statement would cost.

Checked by: tests/test_dashboard.py.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from aiohttp import web

from dpproxy.dashboard.accounts import analyst_figures, analyst_spending
from dpproxy.dashboard.explanations import IN_DETAIL, IN_SHORT, Explanation, StatementFault, explained
from dpproxy.dashboard.pages import DASHBOARD, for_analyst, form, page
from dpproxy.dashboard.statement_pages import StatementShown, asked_before, error_cell, listed, statement_page
from dpproxy.dashboard.visitors import Visitor
from dpproxy.ledger.ledger_reader import AnalystCharge

_LATEST: Final = 100


@for_analyst
async def account_page(request: web.Request, _: Visitor, name: str) -> web.StreamResponse:
    """The account, the history, and an empty box."""
    epsilon = request.app[DASHBOARD].config.analysts[name].statement_epsilon
    return await _page(request, name, "", f"{epsilon:f}", None)


@for_analyst
async def explain(request: web.Request, visitor: Visitor, name: str) -> web.StreamResponse:
    """The same with what a session says to EXPLAIN of the statement in the box."""
    fields = await form(request, visitor)
    statement, epsilon = fields.get("statement", "").replace("\r\n", "\n"), fields.get("epsilon", "").strip()
    settings = {"dp.epsilon": epsilon} if epsilon else {}
    words = IN_DETAIL if fields.get("details") else IN_SHORT
    result = await explained(request.app[DASHBOARD].proxy, name, statement, settings, words)
    return await _page(request, name, statement, epsilon, result)


async def _page(
    request: web.Request, name: str, statement: str, epsilon: str, result: Explanation | StatementFault | None
) -> web.StreamResponse:
    dashboard = request.app[DASHBOARD]
    config, ledger = dashboard.config, dashboard.ledger
    before = asked_before(request)
    found = [_shown(each) for each in await dashboard.reader.own_latest(name, _LATEST + 1, before)]
    return page(
        request,
        "account.html",
        accounts=await analyst_figures(ledger, config, name),
        stopped=await ledger.stopped(name),
        chart=await analyst_spending(dashboard.reader, config, name, datetime.now(UTC).date()),
        statements=listed(found, _LATEST, before, "/account", "history"),
        accounting=config.accounting.value,
        statement=statement,
        epsilon=epsilon,
        explanation=result if isinstance(result, Explanation) else None,
        fault=result if isinstance(result, StatementFault) else None,
    )


@for_analyst
async def account_statement(request: web.Request, _: Visitor, name: str) -> web.StreamResponse:
    """One of their statements."""
    return await statement_page(request, await _found(request, name), back="/account")


@for_analyst
async def account_error(request: web.Request, _: Visitor, name: str) -> web.StreamResponse:
    """Its error in a few words, for the history."""
    return await error_cell(request, await _found(request, name))


async def _found(request: web.Request, name: str) -> StatementShown:
    found = await request.app[DASHBOARD].reader.own_charge(name, int(request.match_info["number"]))
    if found is None:
        raise web.HTTPNotFound
    return _shown(found)


def _shown(found: AnalystCharge) -> StatementShown:
    return StatementShown(found, f"/account/statements/{found.number}")

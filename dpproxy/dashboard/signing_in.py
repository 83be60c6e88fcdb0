"""Signing in and out.

The owner's password is a verifier in the policy, [server] dashboard_password, made as analysts' are. So it is the same
after a restart and at each of several proxies, and there is no secret in the log, which many may read.

Checked by: tests/test_dashboard.py.
"""

from __future__ import annotations

import logging
import math
from typing import Final

from aiohttp import web

from dpproxy.dashboard.guards import is_from_this_machine
from dpproxy.dashboard.pages import DASHBOARD, form, page, to, unsigned_form, visitor_of
from dpproxy.dashboard.visitors import Analyst, Owner
from dpproxy.server.logs import event

_log: Final = logging.getLogger(__name__)
_WRONG: Final = "This name and password do not fit."
_WRONG_OWNER: Final = "This is not the owner's password."


async def home(request: web.Request) -> web.StreamResponse:
    """Where the page begins, which depends on who asks."""
    visitor = visitor_of(request)
    to("/sign-in" if visitor is None else "/owner" if isinstance(visitor.who, Owner) else "/account")


async def sign_in_page(request: web.Request) -> web.StreamResponse:
    """The forms."""
    if visitor_of(request) is not None:
        to("/")
    return _forms(request)


async def sign_in(request: web.Request) -> web.StreamResponse:
    """An analyst, by the password that sessions take."""
    fields = await unsigned_form(request)
    name, password = fields.get("name", ""), fields.get("password", "")
    dashboard = request.app[DASHBOARD]
    if (late := _too_often(request)) is not None:
        return late
    analysts = dashboard.config.analysts
    section = analysts.get(name)
    trusted = section is not None and section.trust and dashboard.takes_trust and is_from_this_machine(request)
    if not trusted and not await dashboard.passwords.of_analyst(name, password, analysts):
        return _refused(request, _WRONG)
    section = analysts[name]
    return _let_in(request, Analyst(name, (section.trust, section.password)))


async def owner_signs_in(request: web.Request) -> web.StreamResponse:
    """The owner; nobody, where the policy has no password for it."""
    fields = await unsigned_form(request)
    dashboard = request.app[DASHBOARD]
    verifier = dashboard.server.dashboard_password
    if verifier is None:
        raise web.HTTPNotFound
    if (late := _too_often(request)) is not None:
        return late
    if not await dashboard.passwords.of_owner(fields.get("password", ""), verifier):
        return _refused(request, _WRONG_OWNER)
    return _let_in(request, Owner())


async def sign_out(request: web.Request) -> web.StreamResponse:
    """From now on the cookie is nobody's."""
    dashboard = request.app[DASHBOARD]
    if (visitor := visitor_of(request)) is not None:
        await form(request, visitor)
        dashboard.visitors.leave(request.cookies.get(dashboard.cookie, ""))
    to("/sign-in")


def _forms(request: web.Request, status: int = 200, wrong: str = "") -> web.Response:
    owner = request.app[DASHBOARD].server.dashboard_password is not None
    return page(request, "sign_in.html", status, wrong=wrong, owner_may=owner)


def _too_often(request: web.Request) -> web.Response | None:
    wait = request.app[DASHBOARD].tries.wait(request.remote or "")
    if not wait:
        return None
    event(_log, logging.WARNING, "too many passwords are tried at the page", client=request.remote or "")
    seconds = math.ceil(wait)
    refused = _forms(request, 429, f"Too many passwords were tried. Try again in {seconds} seconds.")
    refused.headers["Retry-After"] = str(seconds)
    return refused


def _refused(request: web.Request, wrong: str) -> web.Response:
    event(_log, logging.INFO, "a password was wrong at the page", client=request.remote or "")
    return _forms(request, 401, wrong)


def _let_in(request: web.Request, who: Owner | Analyst) -> web.Response:
    dashboard = request.app[DASHBOARD]
    dashboard.tries.succeeded(request.remote or "")
    dashboard.visitors.leave(request.cookies.get(dashboard.cookie, ""))
    event(_log, logging.INFO, "signed in to the page", client=request.remote or "", visitor=_shown(who))
    response = web.Response(status=303, headers={"Location": "/"})
    secret = dashboard.visitors.enter(who)
    response.set_cookie(
        dashboard.cookie, secret, httponly=True, samesite="Strict", secure=dashboard.is_encrypted, path="/"
    )
    return response


def _shown(who: Owner | Analyst) -> str:
    return "the owner" if isinstance(who, Owner) else who.name

"""What all pages have in common: who asks, what a form may hold, and how a page is written.

Checked by: tests/test_dashboard.py.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from functools import wraps
from typing import Final, NoReturn

from aiohttp import web
from jinja2 import Environment, PackageLoader, StrictUndefined

from dpproxy.config import Config
from dpproxy.config.sections import ServerSection
from dpproxy.dashboard.passwords import Passwords, Tries
from dpproxy.dashboard.stored_answers import ReleasedNumber
from dpproxy.dashboard.visitors import Analyst, Owner, Visitor, Visitors
from dpproxy.ledger.ledger import Ledger
from dpproxy.ledger.ledger_reader import LedgerReader
from dpproxy.server.proxy import Proxy

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
TOKEN: Final = "token"


@dataclass(frozen=True, slots=True)
class Dashboard:
    """What pages are made of. server: the section of the policy, which only a restart changes. cookie: the name of the
    one that visitors have."""

    proxy: Proxy
    server: ServerSection
    reader: LedgerReader
    visitors: Visitors
    passwords: Passwords
    tries: Tries
    cookie: str

    @property
    def is_encrypted(self) -> bool:
        """Whether browsers come by https."""
        return (self.server.dashboard_url or "").startswith("https://")

    @property
    def takes_trust(self) -> bool:
        """Whether an analyst without a password may sign in from this machine: not where visitors come through another
        proxy, which is on this machine, too."""
        return self.server.dashboard_url is None

    @property
    def config(self) -> Config:
        """The policy that is served now."""
        return self.proxy.services.config

    @property
    def ledger(self) -> Ledger:
        """The ledger that statements are charged to."""
        return self.proxy.services.permanent.resources.ledger


DASHBOARD: Final = web.AppKey("dashboard", Dashboard)


def _number(value: Decimal | float | None) -> str:
    if value is None:
        return ""
    return f"{value:,d}" if isinstance(value, int) else f"{float(value):,.6g}"


def about(value: float) -> str:
    """An error, to three digits: it is no exact one."""
    return _number(float(f"{value:.3g}"))


def _error(bar: ReleasedNumber) -> str:
    """Half of the interval, where the number is its middle; else both ends."""
    if bar.ends is None:
        return ""
    low, high = bar.ends
    half = (high - low) / 2
    return f"± {about(half)}" if abs((low + high) / 2 - bar.value) <= half / 100 else f"{about(low)} to {about(high)}"


def _moment(value: datetime | None) -> str:
    return "" if value is None else f"{value.astimezone(UTC):%Y-%m-%d %H:%M}"


_TEMPLATES: Final = Environment(
    loader=PackageLoader("dpproxy.dashboard"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_TEMPLATES.filters.update(
    number=_number, about=about, error=_error, moment=_moment, percent=lambda share: f"{share:.1%}"
)


def page(request: web.Request, name: str, status: int = 200, **values: object) -> web.Response:
    """A page of the template `name`; all texts in it are escaped."""
    visitor = visitor_of(request)
    common = {
        "visitor": visitor,
        "name": visitor.who.name if visitor is not None and isinstance(visitor.who, Analyst) else "",
        "is_owner": visitor is not None and isinstance(visitor.who, Owner),
        "database": request.app[DASHBOARD].proxy.database,
    }
    text = _TEMPLATES.get_template(name).render(common | values)
    return web.Response(text=text, content_type="text/html", status=status)


def visitor_of(request: web.Request) -> Visitor | None:
    """Who asks, if they have signed in, and may still by the policy of now."""
    dashboard = request.app[DASHBOARD]
    visitor = dashboard.visitors.of(request.cookies.get(dashboard.cookie, ""))
    if visitor is None or isinstance(visitor.who, Owner):
        return visitor
    section = dashboard.config.analysts.get(visitor.who.name)
    return visitor if section is not None and visitor.who.way_in == (section.trust, section.password) else None


def to(place: str) -> NoReturn:
    """Send the browser to another page of this one."""
    raise web.HTTPSeeOther(place)


async def form(request: web.Request, visitor: Visitor) -> dict[str, str]:
    """The fields of a form that a page of theirs sent. Raises HTTPForbidden for any other."""
    fields = await unsigned_form(request)
    if not visitor.sent(fields.get(TOKEN, "")):
        raise web.HTTPForbidden(text="the form is not one of this page, or is of a visit that has ended\n")
    return fields


async def unsigned_form(request: web.Request) -> dict[str, str]:
    """The fields of a form of who has not signed in yet. Files are no fields."""
    return {name: value for name, value in (await request.post()).items() if isinstance(value, str)}


def for_owner(handler: Callable[[web.Request, Visitor], Awaitable[web.StreamResponse]]) -> Handler:
    """Answers the owner alone; for anybody else there is no such page."""

    @wraps(handler)
    async def answered(request: web.Request) -> web.StreamResponse:
        visitor = visitor_of(request)
        if visitor is None:
            to("/sign-in")
        if not isinstance(visitor.who, Owner):
            raise web.HTTPNotFound
        return await handler(request, visitor)

    return answered


def for_analyst(handler: Callable[[web.Request, Visitor, str], Awaitable[web.StreamResponse]]) -> Handler:
    """Answers an analyst, who is named; the name comes from the visit, and is nothing that is sent.

    Claim: an analyst is told nothing of another's account. Because: what handlers read, they read by this name alone.
    Checked by: tests/test_dashboard.py::test_an_analyst_sees_nothing_of_another.
    """

    @wraps(handler)
    async def answered(request: web.Request) -> web.StreamResponse:
        visitor = visitor_of(request)
        if visitor is None:
            to("/sign-in")
        if not isinstance(visitor.who, Analyst):
            raise web.HTTPNotFound
        return await handler(request, visitor, visitor.who.name)

    return answered

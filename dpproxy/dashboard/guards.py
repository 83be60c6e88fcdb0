"""What holds for each request, whatever it asks: to which host, from where, how large; and the headers of each answer.

Checked by: tests/test_dashboard.py.
"""

from __future__ import annotations

import ipaddress
import logging
from collections.abc import Mapping
from typing import Final

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from dpproxy.config.sections import ServerSection
from dpproxy.errors import DPProxyError

MOST_BYTES: Final = 256 * 1024
_log: Final = logging.getLogger(__name__)
# Nothing from elsewhere, nothing inline, no frame around it, and forms go nowhere else.
_POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        *(f"{kind}-src 'self'" for kind in ("style", "script", "img", "connect")),
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
_HEADERS: Final = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Server": "dpproxy",
}
_LOOPBACK_NAMES: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})


def is_loopback(address: str | None) -> bool:
    """Whether a peer's address is of this machine."""
    try:
        known = ipaddress.ip_address((address or "").partition("%")[0])
    except ValueError:
        return False
    mapped = known.ipv4_mapped if isinstance(known, ipaddress.IPv6Address) else None
    return (mapped or known).is_loopback


def origins(server: ServerSection, port: int) -> frozenset[str]:
    """Where the page is, as browsers write it: what a name leads to is somebody else's to say, so that a page from
    elsewhere could be led here under its own name."""
    if server.dashboard_url is not None:
        return frozenset({server.dashboard_url})
    hosts = {server.dashboard_host, *_LOOPBACK_NAMES}
    return frozenset(f"http://{f'[{host}]' if ':' in host and host[0] != '[' else host}:{port}" for host in hosts)


def is_from_this_machine(request: web.Request) -> bool:
    """Whether nobody else can have sent it: a proxy on this machine passes on what comes from anywhere, so what came
    through one, or asks for another name, did not."""
    forwarded = any(name in request.headers for name in ("Forwarded", "X-Forwarded-For", "X-Real-IP", "Via"))
    host = request.host.rpartition(":")[0]
    return is_loopback(request.remote) and host in _LOOPBACK_NAMES and not forwarded


def guard(allowed: frozenset[str]) -> Middleware:
    """The middleware. allowed: the origins that the page is asked under.

    Claim: what changes something is asked by a page of this origin alone, and no page from elsewhere reads an answer.
    Because: a browser sends with each POST the origin that it comes from, or says that it is another site's; cookies
    are not sent for other sites' requests (SameSite), and each form carries a token that only its page has
    (`pages.form`). Checked by: tests/test_dashboard.py::test_forms_of_other_pages_are_refused.
    """
    hosts = {origin.partition("//")[2] for origin in allowed}

    @web.middleware
    async def guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            response = await _answered(request, handler, hosts, allowed)
        except web.HTTPException as answer:
            answer.headers.update(_headers(request))
            raise
        response.headers.update(_headers(request))
        return response

    return guarded


def _headers(request: web.Request) -> Mapping[str, str]:
    """Files of the package may be kept, and are asked for anew; pages are nobody's to keep."""
    return {**_HEADERS, "Cache-Control": "no-cache" if request.path.startswith("/static/") else "no-store"}


async def _answered(
    request: web.Request, handler: Handler, hosts: set[str], allowed: frozenset[str]
) -> web.StreamResponse:
    if request.host not in hosts:
        raise web.HTTPMisdirectedRequest(text="the page is not known under this name: see [server] dashboard_url\n")
    if request.method not in ("GET", "HEAD") and not _is_own(request, allowed):
        raise web.HTTPForbidden(text="the request comes from another site\n")
    try:
        return await handler(request)
    except DPProxyError as fault:
        raise web.HTTPServiceUnavailable(text=f"{fault.message}\n{fault.hint or ''}\n") from fault
    except web.HTTPException:
        raise
    except Exception as fault:
        _log.exception("the page could not be made")
        raise web.HTTPInternalServerError(text="internal error: the operator's log has the details\n") from fault


def _is_own(request: web.Request, allowed: frozenset[str]) -> bool:
    origin, site = request.headers.get("Origin"), request.headers.get("Sec-Fetch-Site")
    return (origin is None or origin in allowed) and site in (None, "same-origin", "none")

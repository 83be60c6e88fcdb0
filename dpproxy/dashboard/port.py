"""The listener of the page: what is served where, in the event loop that sessions are served in.

Checked by: tests/test_dashboard.py.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from aiohttp import web

from dpproxy.config import Config
from dpproxy.dashboard import analyst_pages, guards, owner_pages, signing_in
from dpproxy.dashboard.pages import DASHBOARD, Dashboard
from dpproxy.dashboard.passwords import Passwords, Tries
from dpproxy.dashboard.visitors import Visitors
from dpproxy.server.listening import cannot_listen
from dpproxy.server.logs import event
from dpproxy.server.proxy import Proxy

_MOST_CONNECTIONS: Final = 100
_IDLE: Final = 30.0  # seconds
_PARTING: Final = 2.0
_LONGEST: Final = 300.0  # of a connection: who sends a request byte by byte keeps others out for so long
_STATIC: Final = Path(__file__).parent / "static"
_log: Final = logging.getLogger(__name__)

ROUTES: Final = (
    web.get("/", signing_in.home),
    web.get("/sign-in", signing_in.sign_in_page),
    web.post("/sign-in", signing_in.sign_in),
    web.post("/sign-in/owner", signing_in.owner_signs_in),
    web.post("/sign-out", signing_in.sign_out),
    web.get("/owner", owner_pages.owner_page),
    web.post("/owner/clear", owner_pages.clear_alarm),
    web.get(r"/owner/statements/{number:\d{1,18}}", owner_pages.owner_statement),
    web.get(r"/owner/statements/{number:\d{1,18}}/error", owner_pages.owner_error),
    web.get("/account", analyst_pages.account_page),
    web.post("/account", analyst_pages.explain),
    web.get(r"/account/statements/{number:\d{1,18}}", analyst_pages.account_statement),
    web.get(r"/account/statements/{number:\d{1,18}}/error", analyst_pages.account_error),
)


class _TooMany(asyncio.Protocol):
    """A connection for which there is no room."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Close it at once."""
        transport.close()


@asynccontextmanager
async def served(proxy: Proxy, config: Config) -> AsyncIterator[int]:
    """The page for as long as the block lasts; its port. Raises ConfigFault."""
    host, wanted = config.server.dashboard_host, config.server.dashboard_port
    app = web.Application(client_max_size=guards.MOST_BYTES)
    runner = web.AppRunner(
        app, access_log=None, handle_signals=False, shutdown_timeout=_PARTING, keepalive_timeout=_IDLE
    )
    listener = await _listening(runner, host, wanted or 0)
    try:
        port: int = listener.sockets[0].getsockname()[1]
        await _set_up(app, runner, proxy, config, port)
        await listener.start_serving()
        _say(config, host, port)
        yield port
    finally:
        listener.close()
        await runner.cleanup()


async def _listening(runner: web.AppRunner, host: str, port: int) -> asyncio.Server:
    """Bound, and not served yet: which addresses the page has, its port says."""

    def connected() -> asyncio.BaseProtocol:
        server = runner.server
        if server is None or len(server.connections) >= _MOST_CONNECTIONS:
            return _TooMany()
        handler = server()
        asyncio.get_running_loop().call_later(_LONGEST, handler.force_close)
        return handler

    try:
        return await asyncio.get_running_loop().create_server(connected, host, port, start_serving=False)
    except OSError as fault:
        raise cannot_listen(fault, host, port, "dashboard_port") from fault


async def _set_up(app: web.Application, runner: web.AppRunner, proxy: Proxy, config: Config, port: int) -> None:
    server = config.server
    reader = proxy.services.permanent.resources.ledger.reader()
    # Cookies of one host are the same at all of its ports.
    cookie = f"{'__Host-' if (server.dashboard_url or '').startswith('https:') else ''}dpproxy_{port}"
    app[DASHBOARD] = Dashboard(proxy, server, reader, Visitors(), Passwords(), Tries(), cookie)
    app.middlewares.append(guards.guard(guards.origins(server, port)))
    app.add_routes(ROUTES)
    app.router.add_static("/static/", _STATIC, follow_symlinks=False)
    await runner.setup()


def _say(config: Config, host: str, port: int) -> None:
    event(_log, logging.INFO, "budget page", host=host, port=port)
    server = config.server
    if server.dashboard_url is None and not guards.is_loopback(host) and host != "localhost":
        _log.warning(
            "server.dashboard_host: passwords reach the page unencrypted from other machines; put a proxy with TLS"
            " before it, and its address into dashboard_url"
        )
    if server.dashboard_password is None:
        _log.warning("server.dashboard_password: there is none, so the budget page is for analysts alone")

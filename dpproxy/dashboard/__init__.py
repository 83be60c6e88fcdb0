"""The budget page: accounts, what was spent, and what a statement would cost, for a browser.

It reads the policy, the ledger and stored releases; the data has no way to it. It is an extra, `dpproxy[page]`, whose
libraries are loaded only where the policy has a port for it.

port        what is served where, beside a running proxy
guards      who may ask at all: hosts, origins, headers of each answer
passwords, visitors, signing_in     who asks: passwords and how often they are tried, and who has signed in
owner_pages, analyst_pages, pages   what is answered to whom
accounts, spending, explanations, stored_answers   what is told
charts      pictures, drawn here as SVG

Checked by: tests/test_dashboard.py, tests/test_dashboard_in_a_browser.py.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from dpproxy.config import Config
from dpproxy.errors import ConfigFault
from dpproxy.server.proxy import Proxy

_HINT: Final = "pip install 'dpproxy[page]', or take dashboard_port out of the policy."


@asynccontextmanager
async def dashboard_port(proxy: Proxy, config: Config) -> AsyncIterator[int | None]:
    """The page for as long as the block lasts, where the configuration has a port for it; the port.

    Raises ConfigFault where it cannot be served.
    """
    if config.server.dashboard_port is None:
        yield None
        return
    try:
        from dpproxy.dashboard.port import served
    except ModuleNotFoundError as fault:
        detail = f"{config.path}: server.dashboard_port: needs {fault.name}, which is not installed"
        raise ConfigFault("the budget page cannot be served", detail=detail, hint=_HINT) from fault
    async with served(proxy, config) as port:
        yield port

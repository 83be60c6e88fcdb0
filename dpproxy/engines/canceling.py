"""Waiting that a ticket ends."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from dpproxy.engines import Result, Ticket
from dpproxy.errors import QueryCanceled


async def canceled_by(ticket: Ticket, work: Coroutine[Any, Any, Result]) -> Result:
    """What `work` returns. Cancelling the ticket cancels it, at whichever await it is. Raises QueryCanceled then."""
    inner = asyncio.ensure_future(work)
    ticket.on_cancel(inner.cancel)
    try:
        return await inner
    except asyncio.CancelledError:
        outer = asyncio.current_task()
        if ticket.canceled and not (outer and outer.cancelling()):
            raise QueryCanceled("canceling statement due to user request") from None
        raise
    finally:
        ticket.on_cancel(None)

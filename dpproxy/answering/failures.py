"""Who is stopped when the engine fails, and which proofs are asked again: what one statement does to the others."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from dpproxy.answering.resources import Resources
from dpproxy.engines import Ticket
from dpproxy.errors import EngineFailure, LedgerUnavailable
from dpproxy.ledger.records import Receipt

_log = logging.getLogger(__name__)


class Stopped(EngineFailure):
    """The analyst is stopped, for what another statement did: there is no alarm of its own."""


@contextmanager
def in_flight(resources: Resources, analyst: str, ticket: Ticket) -> Iterator[None]:
    """The ticket is among those that a failure of another statement of the analyst's ends."""
    tickets = resources.in_flight.setdefault(analyst, set())
    tickets.add(ticket)
    try:
        yield
    finally:
        tickets.discard(ticket)
        if not tickets:
            resources.in_flight.pop(analyst, None)


async def check_not_stopped(resources: Resources, analyst: str, ticket: Ticket, charge: int) -> bool:
    """Raises Stopped where another statement of the analyst's has failed meanwhile, at this proxy or at another. Else,
    whether it is on record by now that the charge is answered.

    Claim: of all that an analyst has in flight when one of it fails, nothing is answered. Because: here each is stopped
    by its ticket, also while the ledger is asked, and what comes from elsewhere is in the ledger before it is told. A
    ledger that is away tells nothing: what was charged is answered, as it is whenever the ledger goes.
    Checked by: tests/test_answer.py::test_one_failure_ends_all_that_is_in_flight.
    """
    _check_here(resources, analyst, ticket)
    try:
        stopped = await resources.ledger.tell(charge, analyst)
    except LedgerUnavailable:
        _check_here(resources, analyst, ticket)
        return False
    _check_here(resources, analyst, ticket)
    if stopped:
        raise Stopped
    return True


def _check_here(resources: Resources, analyst: str, ticket: Ticket) -> None:
    if ticket.stopped or analyst in resources.unsaid:
        raise Stopped


async def raise_alarm(resources: Resources, analyst: str, receipt: Receipt, fault: EngineFailure) -> None:
    """Nobody but the analyst sees the failure, and only in the fixed text. The operator's log says of which kind it
    was, never in its own words, which may hold values and literals."""
    _log.error(
        "engine failure (%s) of %s in charge %d: the private statements of %s are stopped. Look into it, then run"
        " dpproxy analyst clear %s",
        type(fault.__cause__).__name__,
        analyst,
        receipt.id,
        analyst,
        analyst,
    )
    resources.unsaid.add(analyst)
    for ticket in resources.in_flight.get(analyst, ()):
        ticket.stop()
    try:
        await resources.ledger.stop_analyst(analyst, f"engine failure in charge {receipt.id}")
    except LedgerUnavailable:
        _log.exception("the alarm of %s is kept here until the ledger takes it", analyst)
    else:
        resources.unsaid.discard(analyst)

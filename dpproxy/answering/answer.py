"""The whole of a private answer, in the one order that is allowed: what is stored, a turn, the charge, a place, the
engine within its deadline, noise, the outcome."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from time import perf_counter

from dpproxy.accounting.account import asked_epsilon
from dpproxy.accounting.loss import ZERO, Accounting, Loss
from dpproxy.answering.failures import Stopped, check_not_stopped, in_flight, raise_alarm
from dpproxy.answering.public_keys import check_size, largest, sizes_of
from dpproxy.answering.resources import AnalystAccount, Resources
from dpproxy.answering.run import NONE, Known, OwnRows, prove_again, releases_in_order, run_releases
from dpproxy.answering.stored import Search, StoredReleases
from dpproxy.engines import Ticket, Work
from dpproxy.errors import (
    DPProxyError,
    EngineChanged,
    EngineFailure,
    EngineUnavailable,
    QueryCanceled,
    StatementTimeout,
)
from dpproxy.ledger.records import Outcome, Receipt
from dpproxy.plan.losses import dominating, lost
from dpproxy.plan.private_plan import Plan
from dpproxy.plan.timing import Schedule, Speed, schedule
from dpproxy.rows import Rows

_log = logging.getLogger(__name__)


class NoLongerStored(DPProxyError, sqlstate="40001"):
    """A statement that was to be told again from another one's stored release, which is gone."""

    def __init__(self) -> None:
        hint = "Nothing was charged. Run it again: it is paid for then."
        super().__init__("the stored release that answers this statement is no longer there", hint=hint)


@dataclass(frozen=True, slots=True)
class Answer:
    """The released rows. receipt: None where nothing was charged. again: when each stored one was made, by its
    place."""

    receipt: Receipt | None
    released: tuple[Rows, ...]
    again: Mapping[int, datetime] = field(default_factory=dict)


async def answer(
    resources: Resources,
    stored: StoredReleases | None,
    account: AnalystAccount,
    plan: Plan,
    statement: str,
    ticket: Ticket,
    own: OwnRows = NONE,
) -> Answer:
    """The released rows of a plan: those that were paid for before, and the others, charged now.

    Claim: what comes back was charged to this analyst at some time, all of it. Because: rows are kept under the name of
    the analyst who paid, after the charge, and found by this name alone. Checked by: tests/test_stored.py.
    Raises PrivacyBudgetExceeded, LedgerUnavailable, where the store cannot be reached, too, NoLongerStored, and
    EngineUnavailable where there is no way to the engine to begin with, uncharged; EngineFailure, QueryCanceled, and
    EngineUnavailable where it was lost since, charged. What is raised in the queue before is uncharged, QueryCanceled
    too.
    """
    search = Search(stored, account.ref.analyst, plan, own)
    try:
        # From here on, before anything is waited for, the engine that the plan was made for stays open.
        with resources.users.one():
            await search.recall(resources, ticket)
            if search.complete:
                return Answer(None, search.in_order(), search.again)
            if plan.again is not None:
                raise NoLongerStored
            receipt, released = await _queued(resources, account, plan, statement, ticket, own, search.known)
    except BaseException:
        # Also of who is cancelled in the moment in which the claims are there.
        search.forget(resources)
        raise
    search.keep(resources, released)
    return Answer(receipt, released, search.again)


async def _queued(
    resources: Resources,
    account: AnalystAccount,
    plan: Plan,
    statement: str,
    ticket: Ticket,
    own: OwnRows,
    known: Known,
) -> tuple[Receipt, tuple[Rows, ...]]:
    begun = perf_counter()
    async with resources.turn(account.ref.analyst, ticket):
        resources.observer.waited(perf_counter() - begun)
        return await _charged(resources, account, plan, statement, ticket, own, known)


async def _charged(
    resources: Resources,
    account: AnalystAccount,
    plan: Plan,
    statement: str,
    ticket: Ticket,
    own: OwnRows,
    known: Known,
) -> tuple[Receipt, tuple[Rows, ...]]:
    """The rows of all releases, and what was charged for those that are not known.

    Claim: private data is touched only after the cost of all that is run was durably charged, and only released rows
    come back. Because: `charge` returns after the commit and raises otherwise; before it nothing is asked but whether
    keys hold, and how many combinations public tables have; `release` is the only reader of `exact`.
    Checked by: tests/test_answer.py::test_nothing_runs_before_it_is_charged.
    """
    proof = account.catalog.proof
    accounting = account.terms.accounting
    (cost, epsilon), times = price(plan, known, accounting), times_of(plan, resources.speed)
    await resources.engine.reach()
    await prove_again(resources, proof, ticket)
    check_size(largest(plan, await sizes_of(resources, plan, ticket)))
    units = {unit for each in plan.releases for unit in each.bounded.units}
    pairs = dominating((each for index, each in enumerate(plan.releases) if index not in known), plan.time, accounting)
    receipt = await resources.ledger.charge(
        account.ref, cost, account.terms, account.groups, statement, epsilon, units, pairs
    )
    resources.observer.charged(account.ref.analyst, receipt.id, epsilon)
    work = releases_in_order(plan, own, known, proof)
    return receipt, await _run_charged(resources, account, receipt, work, times, ticket)


async def _run_charged(
    resources: Resources,
    account: AnalystAccount,
    receipt: Receipt,
    work: Work[tuple[Rows, ...]],
    times: Schedule,
    ticket: Ticket,
) -> tuple[Rows, ...]:
    """The released rows of work that is paid for. Whatever becomes of it, its outcome is on record."""
    analyst, outcome, on_record = account.ref.analyst, Outcome.ABANDONED, False
    try:
        with in_flight(resources, analyst, ticket):
            released = await _placed(resources, analyst, receipt, work, times, ticket)
            on_record = await check_not_stopped(resources, analyst, ticket, receipt.id)
        outcome = Outcome.ANSWERED
        return released
    except StatementTimeout:
        outcome = Outcome.TIMED_OUT
        raise
    except QueryCanceled as fault:
        outcome = Outcome.FAILED if ticket.stopped else Outcome.CANCELED
        if ticket.stopped:
            raise EngineFailure from fault
        raise
    except EngineUnavailable as fault:
        # No query was sent, so no row had a part in it: nobody is stopped.
        outcome, fault.hint = Outcome.FAILED, EngineUnavailable.CHARGED
        raise
    except EngineChanged as fault:
        outcome, fault.hint = Outcome.FAILED, EngineChanged.CHARGED
        _log.error("no key is believed until the policy is read again: a constraint of the engine's tables is gone")
        resources.refuted.add(account.catalog.proof)
        raise
    except Stopped:
        outcome = Outcome.FAILED
        raise
    except EngineFailure as fault:
        outcome = Outcome.FAILED
        if not receipt.stopped:
            await raise_alarm(resources, analyst, receipt, fault)
        raise
    finally:
        if not on_record:
            resources.later(resources.ledger.settle(receipt.id, outcome))


async def _placed(
    resources: Resources,
    analyst: str,
    receipt: Receipt,
    work: Work[tuple[Rows, ...]],
    times: Schedule,
    ticket: Ticket,
) -> tuple[Rows, ...]:
    """The released rows, of the engine, as soon as there is a place there.

    Claim: what anybody sees of it before its noised moment is when others left at theirs. Because: it is given its
    place when another is free, which is so from that one's moment on, and its own time begins there. Before the
    deadline lets it go nothing of it is seen: no answer, no outcome, no alarm, no free place.
    Checked by: tests/test_deadlines.py::test_a_place_is_free_at_the_noised_moment.
    """
    begun = perf_counter()
    async with resources.place(analyst, ticket):
        resources.observer.placed(perf_counter() - begun)
        if ticket.stopped:
            raise Stopped
        stopped = receipt.stopped or analyst in resources.unsaid
        async with resources.deadline(analyst, ticket, times) as seconds:
            return await run_releases(resources, work, ticket, seconds, stopped)


def times_of(plan: Plan, speed: Speed) -> Schedule:
    """The times of a plan that has releases. Raises NotPrivate where its time cannot be hidden."""
    if plan.time is None:
        raise ValueError("a statement that runs nothing has no time")
    return schedule(plan.time, plan.work, speed, plan.releases[0].bounded.unit)


def price(plan: Plan, known: Known, accounting: Accounting) -> tuple[Loss, Decimal]:
    """What the releases that are not known cost, and the ε that is.

    Claim: at least what those releases, and the time that they take, lose together. Because: the whole statement costs
    at least what all of them lose (`allocate`); a part of them costs what each mechanism itself says that it loses.
    Checked by: tests/test_stored.py::test_a_part_costs_what_it_loses.
    """
    if not known:
        return plan.cost, plan.epsilon
    if len(known) == len(plan.releases):
        return ZERO, ZERO.main
    cost = lost((each for index, each in enumerate(plan.releases) if index not in known), plan.time, accounting)
    return cost, asked_epsilon(accounting, cost.main)

"""Charge, run, release: the whole of a private answer, in the one order that is allowed."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, assert_never

from dpproxy.accounting.account import Terms
from dpproxy.accounting.loss import Loss
from dpproxy.catalog.model import Catalog
from dpproxy.engines import Engine, Ticket
from dpproxy.errors import DPProxyError, EngineFailure, LedgerUnavailable, QueryCanceled
from dpproxy.ledger.ledger import Ledger
from dpproxy.ledger.model import AccountRef, Outcome, Receipt
from dpproxy.plan.model import Domain, FromPublic, Literals, Plan, PrivateKeys
from dpproxy.release import release
from dpproxy.rows import Rows, Value

_log = logging.getLogger(__name__)
MOST_PUBLIC_KEYS = 10_000


class TooManyKeys(DPProxyError, sqlstate="54000"):
    """The keys of public tables have too many combinations."""


@dataclass(frozen=True, slots=True)
class Rooms:
    """What answers are made with. `later` runs a coroutine that nobody waits for.

    unsaid: analysts who must be stopped and whose alarm the ledger has not taken yet.
    """

    engine: Engine
    ledger: Ledger
    later: Callable[[Coroutine[Any, Any, None]], None]
    unsaid: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Account:
    """One analyst: the tables that they may use, what they may spend, and the limits of the groups they belong to."""

    ref: AccountRef
    catalog: Catalog
    terms: Terms
    groups: tuple[tuple[str, Loss], ...] = ()


async def answer(
    rooms: Rooms, account: Account, plan: Plan, statement: str, ticket: Ticket
) -> tuple[Receipt, tuple[Rows, ...]]:
    """The released rows of a plan, and what was charged for them.

    Claim: data is touched only after the plan's whole cost was durably charged, and only released rows come back.
    Because: `charge` returns after the commit and raises otherwise; `release` is the only reader of `exact`.
    Checked by: tests/test_answer.py::test_nothing_runs_before_it_is_charged.
    Raises PrivacyBudgetExceeded and LedgerUnavailable uncharged; EngineFailure and QueryCanceled charged.
    """
    receipt = await rooms.ledger.charge(
        account.ref, plan.cost, account.terms.limit, account.groups, statement, plan.epsilon
    )
    outcome = Outcome.ABANDONED
    try:
        released = await _release(rooms, plan, ticket, receipt.stopped or account.ref.analyst in rooms.unsaid)
        outcome = Outcome.ANSWERED
        return receipt, released
    except QueryCanceled:
        outcome = Outcome.CANCELED
        raise
    except EngineFailure as fault:
        outcome = Outcome.FAILED
        if not receipt.stopped:
            await _alarm(rooms, account.ref.analyst, receipt, fault)
        raise
    finally:
        rooms.later(rooms.ledger.settle(receipt.id, outcome))


async def _alarm(rooms: Rooms, analyst: str, receipt: Receipt, fault: EngineFailure) -> None:
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
    rooms.unsaid.add(analyst)
    try:
        await rooms.ledger.stop_analyst(analyst, f"engine failure in charge {receipt.id}")
    except LedgerUnavailable:
        _log.exception("the alarm of %s is kept here until the ledger takes it", analyst)
    else:
        rooms.unsaid.discard(analyst)


async def _release(rooms: Rooms, plan: Plan, ticket: Ticket, stopped: bool) -> tuple[Rows, ...]:
    """The released rows. Whatever goes wrong here may depend on a row, so all of it is told in the one fixed text."""
    if stopped:
        raise EngineFailure
    try:
        return await _run_and_release(rooms, plan, ticket)
    except (EngineFailure, QueryCanceled, TooManyKeys):
        raise
    except Exception as fault:
        raise EngineFailure from fault


async def _run_and_release(rooms: Rooms, plan: Plan, ticket: Ticket) -> tuple[Rows, ...]:
    keys = [key for each in plan.releases for key in each.bounded.keys]
    public = tuple(dict.fromkeys(key.domain.sql for key in keys if isinstance(key.domain, FromPublic)))
    # One call is one snapshot: public keys and private totals are of the same moment.
    results = await rooms.engine.run((*public, *(each.bounded.sql for each in plan.releases)), ticket)
    values = {sql: rows.column(0) for sql, rows in zip(public, results, strict=False)}
    exact = results[len(public) :]
    domains = [tuple(_domain(key.domain, values) for key in each.bounded.keys) for each in plan.releases]
    for each in domains:
        _check_size(each)
    together = zip(plan.releases, exact, domains, strict=True)
    return tuple(release(each, rows, known) for each, rows, known in together)


def _check_size(domains: tuple[tuple[Value, ...] | None, ...]) -> None:
    """Every public key is a row of the answer. How many there are is public, and so is this refusal."""
    size = math.prod(len(domain) for domain in domains if domain is not None)
    if size > MOST_PUBLIC_KEYS:
        raise TooManyKeys(
            f"GROUP BY has {size} public keys, and each would be a row of the answer; {MOST_PUBLIC_KEYS} is the most",
            hint="Group by fewer columns of public tables, or narrow them with WHERE.",
        )


def _domain(domain: Domain, values: dict[str, tuple[Value, ...]]) -> tuple[Value, ...] | None:
    match domain:
        case Literals(literals):
            return literals
        case FromPublic(sql):
            return values[sql]
        case PrivateKeys():
            return None
        case _:
            assert_never(domain)

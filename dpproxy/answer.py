"""Charge, run, release: the whole of a private answer, in the one order that is allowed."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from decimal import Decimal
from time import perf_counter
from typing import Any, assert_never

from dpproxy.accounting.account import Terms, asked_epsilon
from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.catalog.model import Catalog, Proof
from dpproxy.engines import Engine, Query, Result, Ticket, Work, in_turn
from dpproxy.errors import (
    DPProxyError,
    EngineChanged,
    EngineFailure,
    EngineUnavailable,
    LedgerUnavailable,
    QueryCanceled,
)
from dpproxy.ledger.ledger import Ledger
from dpproxy.ledger.model import AccountRef, Outcome, Receipt
from dpproxy.observer import UNWATCHED, Observer
from dpproxy.plan.model import FromPublic, FromRelease, Key, OwnColumn, Plan, PublicColumn, ReleasedColumn
from dpproxy.plan.space import Space, key_space
from dpproxy.release import release
from dpproxy.repeats import loss
from dpproxy.rows import Rows, Value

_log = logging.getLogger(__name__)
MOST_PUBLIC_KEYS = 10_000
_PROVED = ((True,),)
OwnRows = Mapping[int, Rows]
"""What was read of the tables in `plan.told`: their columns in `plan.tables`, in order."""
NONE: OwnRows = {}
Known = Mapping[int, Rows]
"""Releases of a plan that were paid for before, by their place."""


class TooManyKeys(DPProxyError, sqlstate="54000"):
    """The keys of public tables have too many combinations."""


@dataclass(frozen=True, slots=True)
class Rooms:
    """What answers are made with. `later` runs a coroutine that nobody waits for.

    unsaid: analysts who must be stopped and whose alarm the ledger has not taken yet.
    refuted: proofs that did not hold when they were asked last.
    turn: waits for a place among the statements at work, and keeps it for a block.
    pace: a block of work that is paid for; what comes of it, whatever that is, leaves at a moment of the pace's own.
    """

    engine: Engine
    ledger: Ledger
    later: Callable[[Coroutine[Any, Any, None]], None]
    unsaid: set[str] = field(default_factory=set)
    refuted: set[Proof | None] = field(default_factory=set)
    turn: Callable[[str, Ticket], AbstractAsyncContextManager[None]] = lambda *_: nullcontext()
    pace: Callable[[str, Ticket], AbstractAsyncContextManager[None]] = lambda *_: nullcontext()
    observer: Observer = UNWATCHED


@dataclass(frozen=True, slots=True)
class Account:
    """One analyst: the tables that they may use, what they may spend, and the limits of the groups they belong to."""

    ref: AccountRef
    catalog: Catalog
    terms: Terms
    groups: tuple[tuple[str, Loss], ...] = ()


async def answer(
    rooms: Rooms,
    account: Account,
    plan: Plan,
    statement: str,
    ticket: Ticket,
    own: OwnRows = NONE,
    known: Known = NONE,
) -> tuple[Receipt, tuple[Rows, ...]]:
    """The released rows of a plan, and what was charged for them. `known` ones are there already: paid and released.

    Claim: data is touched only after the cost of all that is run was durably charged, and only released rows come back.
    Because: `charge` returns after the commit and raises otherwise; `release` is the only reader of `exact`.
    Checked by: tests/test_answer.py::test_nothing_runs_before_it_is_charged.
    Raises PrivacyBudgetExceeded, LedgerUnavailable, and EngineUnavailable where there is no way to the engine to begin
    with, uncharged; EngineFailure, QueryCanceled, and EngineUnavailable where it was lost since, charged. What is
    raised in the queue before is uncharged, QueryCanceled too.
    """
    async with rooms.turn(account.ref.analyst, ticket):
        return await _answer(rooms, account, plan, statement, ticket, own, known)


async def _answer(
    rooms: Rooms, account: Account, plan: Plan, statement: str, ticket: Ticket, own: OwnRows, known: Known
) -> tuple[Receipt, tuple[Rows, ...]]:
    cost, epsilon = price(plan, known, account.terms.accounting)
    proof = account.catalog.proof
    await rooms.engine.reach()
    await _prove_again(rooms, proof, ticket)
    receipt = await rooms.ledger.charge(account.ref, cost, account.terms.limit, account.groups, statement, epsilon)
    rooms.observer.charged(account.ref.analyst, receipt.id, epsilon)
    outcome = Outcome.ABANDONED
    try:
        stopped = receipt.stopped or account.ref.analyst in rooms.unsaid
        # Before the pace lets it go nothing of it is seen: no answer, no outcome, no alarm, no free place.
        async with rooms.pace(account.ref.analyst, ticket):
            released = await _release(rooms, _in_order(plan, own, known, proof), ticket, stopped)
        outcome = Outcome.ANSWERED
        return receipt, released
    except QueryCanceled:
        outcome = Outcome.CANCELED
        raise
    except EngineUnavailable as fault:
        # No query was sent, so no row had a part in it: nobody is stopped.
        outcome, fault.hint = Outcome.FAILED, EngineUnavailable.CHARGED
        raise
    except EngineChanged as fault:
        outcome, fault.hint = Outcome.FAILED, EngineChanged.CHARGED
        _log.error("no key is believed until the policy is read again: a constraint of the engine's tables is gone")
        rooms.refuted.add(proof)
        raise
    except EngineFailure as fault:
        outcome = Outcome.FAILED
        if not receipt.stopped:
            await _alarm(rooms, account.ref.analyst, receipt, fault)
        raise
    finally:
        rooms.later(rooms.ledger.settle(receipt.id, outcome))


async def _prove_again(rooms: Rooms, proof: Proof | None, ticket: Ticket) -> None:
    """Raises EngineChanged, uncharged, where what was refuted before still is, or cannot be asked."""
    if proof is None or proof not in rooms.refuted:
        return
    try:
        (found,) = await _run(rooms, in_turn(Query(proof.sql, lock=proof.lock)), ticket)
    except EngineFailure as fault:
        raise EngineChanged from fault
    if found.rows != _PROVED:
        raise EngineChanged
    rooms.refuted.discard(proof)


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


async def _release(rooms: Rooms, work: Work[tuple[Rows, ...]], ticket: Ticket, stopped: bool) -> tuple[Rows, ...]:
    """The released rows. Whatever goes wrong here may depend on a row, so all of it is told in the one fixed text."""
    if stopped:
        raise EngineFailure
    try:
        return await _run(rooms, work, ticket)
    except (EngineChanged, EngineFailure, EngineUnavailable, QueryCanceled, TooManyKeys):
        raise
    except Exception as fault:
        raise EngineFailure from fault


async def _run(rooms: Rooms, work: Work[Result], ticket: Ticket) -> Result:
    """The work done in the engine, and its time told to who watches."""
    begun = perf_counter()
    try:
        return await rooms.engine.run(work, ticket)
    finally:
        rooms.observer.engine(perf_counter() - begun)


def price(plan: Plan, known: Known, accounting: Accounting) -> tuple[Loss, Decimal]:
    """What the releases that are not known cost, and the ε that is.

    Claim: at least what those releases lose together. Because: the whole statement costs at least what all of them lose
    (`allocate`); a part of them costs what each mechanism itself says that it loses.
    Checked by: tests/test_recall.py::test_a_part_costs_what_it_loses.
    """
    if not known:
        return plan.cost, plan.epsilon
    cost = loss((each for index, each in enumerate(plan.releases) if index not in known), accounting)
    return cost, asked_epsilon(accounting, cost.main)


def _in_order(plan: Plan, own: OwnRows, known: Known, proof: Proof | None) -> Work[tuple[Rows, ...]]:
    """The releases one after the other, all in one snapshot: what is proved, public keys, exact totals, noise.

    Claim: what a later query is told of an earlier one is what was released of it; keys that the plan leans on hold.
    Because: `exact` goes into `release` and nowhere else, and every input is a column of `released`, or of `own`, which
    was there before; and `proof` was true in the snapshot of all others.
    Checked by: tests/test_answer.py::test_later_queries_read_released_rows.
    """
    public: dict[str, Rows] = {}
    released: list[Rows] = []
    if proof is not None and (yield Query(proof.sql, lock=proof.lock)).rows != _PROVED:
        raise EngineChanged
    for index, each in enumerate(plan.releases):
        if index in known:
            released.append(known[index])
            continue
        bounded = each.bounded
        for key in bounded.keys:
            if isinstance(key.domain, FromPublic) and key.domain.sql not in public:
                public[key.domain.sql] = yield _query(key.domain.sql, key.domain.inputs, released, own)
        space = key_space(bounded.keys, public, released)
        _check_size(bounded.keys, space)
        exact = yield _query(bounded.sql, bounded.inputs, released, own)
        released.append(release(each, exact, space))
    return tuple(released)


def _query(sql: str, inputs: Iterable[PublicColumn], released: Sequence[Rows], own: OwnRows) -> Query:
    return Query(sql, {each.name: values(each, dict(enumerate(released)), own) for each in inputs})


def values(column: PublicColumn, released: Known, own: OwnRows) -> tuple[Value, ...]:
    """The values of a column that a text of the engine is told."""
    match column:
        case ReleasedColumn(release, index):
            return released[release].column(index)
        case OwnColumn(table, index):
            return own[table].column(index)
        case _:
            assert_never(column)


def _check_size(keys: Sequence[Key], space: Space) -> None:
    """Every public key is a row of the answer. How many there are is public, and so is this refusal.

    Keys of an earlier release are its rows, no more.
    """
    size = math.prod(len(block.combinations) for block in space)
    if size > MOST_PUBLIC_KEYS and not any(isinstance(key.domain, FromRelease) for key in keys):
        raise TooManyKeys(
            f"GROUP BY has {size} public keys, and each would be a row of the answer; {MOST_PUBLIC_KEYS} is the most",
            hint="Group by fewer columns of public tables, or narrow them with WHERE.",
        )

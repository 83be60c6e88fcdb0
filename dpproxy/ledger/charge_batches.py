"""Charges that wait at the same time are made together: in one call, one transaction and one commit.

Each charge locks everyone's account and the head of the chain until it is on disk, so charges are made one after the
other, whoever makes them. While some are under way, those that come wait here; then they are made together, in the
order in which they came, each with a verdict of its own. And where the engine has enough to do, so that nobody is
answered sooner for being charged at once, they wait for others to come: `GATHERED` seconds at most.

Claim: a charge is made once at most, and whoever is told that it was made is told after it is on disk. What becomes of
one waiter (refused, cancelled, in error) changes nothing for the others.
Because: a batch is one transaction. A charge that the budget does not allow leaves no trace in it and makes nothing
fail. An error ends the transaction for all: where the server says that it ended so, nothing was made, and each is sent
once more, alone; in all other cases nothing is sent again. A waiter that goes away before the batch is sent is not in
it, and one that goes away later changes nothing: the batch is no waiter's task.
Checked by: tests/test_batches.py.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from itertools import islice
from typing import Final, LiteralString

import psycopg

from dpproxy.accounting.dominating_pairs import Pairs, written
from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.errors import LedgerUnavailable
from dpproxy.ledger.accounts_in_force import AccountInForce
from dpproxy.ledger.connection_pool import UNAVAILABLE, Row
from dpproxy.ledger.under_way import UnderWay
from dpproxy.wire import text_array

Party = tuple[str, str, str]
"""Its kind, its name, and when its budget starts anew."""

MOST: Final = 32
"""Charges in one batch: how long its locks are held has a bound."""
GATHERED: Final = 0.005
"""Seconds that a charge waits for others where nobody gains by its being made sooner."""
_CHARGE: Final = "SELECT * FROM dp_ledger.charge(%s::text[], %s::text[], %s::text[], %s, %s, %s, %s::json)"
_NOTHING_MADE: Final = ("22", "23", "40001", "40P01", "P0001")
"""What a server says of a transaction that it has undone, and that may be the fault of one charge: not of its own
state, since whoever waited for a lock or a disk would wait anew for each."""


@dataclass(frozen=True, slots=True)
class ChargeRequest:
    """A charge as it was worked out. holding: the accounts it is held to, the analyst's own first. pairs: of all that
    is told for it; None: not known."""

    data_version: str
    holding: tuple[AccountInForce, ...]
    statement: str
    epsilon: Decimal
    cost: Loss
    units: Collection[str] | None
    pairs: Pairs | None


@dataclass(frozen=True, slots=True)
class ChargeVerdict:
    """What became of a charge, and the accounts as they stand after it.

    id: None where it was not made: since limits were worked out of what has `changed`, or since the account at place
    `short` (from 1; 0 is none) has too little. stopped: whether an alarm stands for the analyst.
    """

    id: int | None
    changed: bool
    short: int
    periods: Sequence[str]
    ends: Sequence[datetime | None]
    mains: Sequence[Decimal]
    deltas: Sequence[Decimal]
    stopped: bool

    def after(self, holding: Sequence[AccountInForce]) -> list[AccountInForce]:
        """The accounts that the charge was held to."""
        rows = zip(holding, self.periods, self.ends, self.mains, self.deltas, strict=True)
        return [each.at(period, ends, Loss(main, delta)) for each, period, ends, main, delta in rows]


@dataclass(frozen=True, slots=True, eq=False)
class _Waiter:
    asked: ChargeRequest
    verdict: asyncio.Future[ChargeVerdict]
    came: float


class ChargeBatches:
    """The charges of one process. `run` sends a statement once, and returns its rows after its commit.

    patience: seconds that a charge may wait before it is sent, and that a lock may be waited for. supplied: whether the
    engine has enough to do.
    """

    def __init__(
        self,
        run: Callable[[LiteralString, Sequence[object]], Awaitable[list[Row]]],
        patience: float,
        accounting: Accounting,
        *,
        most: int = MOST,
        supplied: Callable[[], bool] = lambda: False,
    ) -> None:
        self._run = run
        self._patience = patience
        self._accounting = accounting
        self._most = most
        self._supplied = supplied
        self._waiting: dict[_Waiter, None] = {}
        self._under_way = UnderWay(self._next, self._wait)

    async def charge(self, asked: ChargeRequest) -> ChargeVerdict:
        """What became of a charge. Cancelled before it is sent, it is not made; later, it may be made all the same.

        Raises LedgerUnavailable where nothing is known of it, and where it was not sent in time.
        """
        loop = asyncio.get_running_loop()
        waiter = _Waiter(asked, loop.create_future(), loop.time())
        self._waiting[waiter] = None
        self._under_way.look()
        try:
            await asyncio.wait((waiter.verdict,), timeout=self._patience)
            if waiter in self._waiting:
                raise LedgerUnavailable("the ledger is too slow", hint=UNAVAILABLE)
            return await waiter.verdict
        finally:
            self._waiting.pop(waiter, None)
            if not waiter.verdict.cancel():
                waiter.verdict.exception()  # looked at, also where the caller was cancelled in the same moment

    async def close(self) -> None:
        """Waits for what was sent; what was not is refused."""
        _refuse(self._waiting, LedgerUnavailable("the ledger is closed", hint=UNAVAILABLE))
        self._waiting.clear()
        await self._under_way.ended()

    def _wait(self) -> float | None:
        """For how long those who are there may be kept waiting for others."""
        first = next(iter(self._waiting), None)
        if first is None:
            return None
        return first.came + GATHERED - asyncio.get_running_loop().time() if self._supplied() else 0.0

    async def _next(self) -> None:
        """Those who wait when this begins, which is after all that came at the same moment."""
        batch = self._taken()
        if not batch:
            return
        try:
            await self._make(batch)
        finally:
            _refuse(batch, LedgerUnavailable("the ledger cannot be reached", hint=UNAVAILABLE))

    def _taken(self) -> list[_Waiter]:
        """The first ones, in their order: a party has one account in a batch, so all have one version of the data."""
        version = next((each.asked.data_version for each in self._waiting), None)
        alike = (each for each in self._waiting if each.asked.data_version == version)
        batch = list(islice(alike, self._most))
        for each in batch:
            del self._waiting[each]
        return batch

    async def _make(self, batch: Sequence[_Waiter]) -> None:
        try:
            rows = await self._run(_CHARGE, self._parameters([each.asked for each in batch]))
        except LedgerUnavailable as fault:
            if len(batch) == 1 or not _undone(fault):
                _refuse(batch, fault)
                return
        else:
            for each, row in zip(batch, rows, strict=True):
                if not each.verdict.done():
                    each.verdict.set_result(ChargeVerdict(*row))
            return
        for each in batch:
            if not each.verdict.done():
                await self._make((each,))

    def _parameters(self, batch: Sequence[ChargeRequest]) -> tuple[object, ...]:
        """As dp_ledger.charge takes them: each party once, and charges that name parties by their places."""
        parties = dict.fromkeys(_party(each) for asked in batch for each in asked.holding)
        places = {party: place for place, party in enumerate(parties, 1)}
        kinds, names, resets = zip(*parties, strict=True)
        charges = json.dumps([_told(asked, places) for asked in batch])
        wait = round(self._patience * 1000)
        arrays = (text_array(each).decode() for each in (kinds, names, resets))
        return *arrays, batch[0].data_version, wait, self._accounting.value, charges


def _party(account: AccountInForce) -> Party:
    return account.kind, account.held.standing.name, account.held.reset.value


def _told(asked: ChargeRequest, places: Mapping[Party, int]) -> dict[str, object]:
    """A charge as JSON: amounts are text, which loses no digit."""
    standings = [each.held.standing for each in asked.holding]
    limits = [each.limit for each in asked.holding]
    return {
        "parties": [places[_party(each)] for each in asked.holding],
        "adoptions": [each.adoption for each in asked.holding],
        "granted_epsilons": [str(each.granted_epsilon) for each in standings],
        "granted_deltas": [str(each.granted_delta) for each in standings],
        "limit_mains": [None if each is None else str(each.main) for each in limits],
        "limit_deltas": [None if each is None else str(each.delta) for each in limits],
        "statement": asked.statement,
        "epsilon": str(asked.epsilon),
        "main": str(asked.cost.main),
        "delta": str(asked.cost.delta),
        "units": None if asked.units is None else sorted(set(asked.units)),
        "pairs": None if asked.pairs is None else written(asked.pairs),
    }


def _undone(fault: LedgerUnavailable) -> bool:
    cause = fault.__cause__
    return isinstance(cause, psycopg.Error) and (cause.sqlstate or "").startswith(_NOTHING_MADE)


def _refuse(waiters: Iterable[_Waiter], fault: LedgerUnavailable) -> None:
    """Each is told by an error of its own: what a caller adds to it, others do not see."""
    for each in waiters:
        if not each.verdict.done():
            own = LedgerUnavailable(fault.message, detail=fault.detail, hint=fault.hint)
            own.__cause__ = fault.__cause__
            each.verdict.set_exception(own)

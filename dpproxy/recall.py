"""What an analyst paid for is told again for nothing; the rest is answered, paid, and kept.

    Plan ─ identities ─> stored releases, or claims ─ answer ─> the others ─> kept

A release that reads an earlier one of its statement is looked for once that one is known: where it is not, both are
new.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from dpproxy.answer import NONE, Account, OwnRows, Rooms, answer, values
from dpproxy.engines import Ticket
from dpproxy.engines.canceling import canceled_by
from dpproxy.ledger.model import Receipt
from dpproxy.ledger.store import Store, Stored
from dpproxy.plan.model import Plan
from dpproxy.repeats import earlier, identity, inputs, read, written
from dpproxy.rows import Rows, Value

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Memory:
    """The stored releases. policy: the digest of all that gives a bounded text its meaning."""

    store: Store
    policy: bytes


@dataclass(frozen=True, slots=True)
class Told:
    """The released rows. receipt: None where nothing was charged. again: when each stored one was made, by its
    place."""

    receipt: Receipt | None
    released: tuple[Rows, ...]
    again: Mapping[int, datetime] = field(default_factory=dict)


@dataclass(slots=True)
class _Recalled:
    """What is there, by release, and the identities that are claimed."""

    known: dict[int, Rows] = field(default_factory=dict)
    again: dict[int, datetime] = field(default_factory=dict)
    claimed: list[bytes] = field(default_factory=list)


async def tell(
    rooms: Rooms,
    memory: Memory | None,
    account: Account,
    plan: Plan,
    statement: str,
    ticket: Ticket,
    own: OwnRows = NONE,
) -> Told:
    """The released rows of a plan: those that were paid for before, and the others, charged now.

    Claim: what comes back was charged to this analyst at some time, all of it. Because: rows are kept under the name of
    the analyst who paid, after the charge, and found by this name alone. Checked by: tests/test_recall.py.
    Raises what `answer` raises, and LedgerUnavailable where the store cannot be reached: uncharged.
    """
    if memory is None:
        return Told(*await answer(rooms, account, plan, statement, ticket, own))
    asking, found = _Asking(memory, account.ref.analyst, plan, own), _Recalled()
    try:
        if not plan.fresh:
            await canceled_by(ticket, asking.recall(found, account.ref.analyst in rooms.unsaid))
            rooms.observer.stored(len(found.known), len(plan.releases) - len(found.known))
        if len(found.known) == len(plan.releases):
            return Told(None, asking.in_order(found.known), found.again)
        receipt, released = await answer(rooms, account, plan, statement, ticket, own, found.known)
    except BaseException:
        # Also of who is cancelled in the moment in which the claims are there.
        rooms.later(asking.forget(found.claimed))
        raise
    rooms.later(asking.keep(released, found.known))
    return Told(receipt, released, found.again)


async def stored(memory: Memory | None, analyst: str, plan: Plan) -> int:
    """How many releases of a plan are there, for EXPLAIN. Of one that is told rows of the analyst's own tables, which
    EXPLAIN does not read, nothing is known."""
    if memory is None or plan.fresh or plan.told or not plan.releases:
        return 0
    asking, found = _Asking(memory, analyst, plan, NONE), _Recalled()
    await asking.look(found, asking.first())
    return len(found.known)


@dataclass(frozen=True, slots=True)
class _Asking:
    """One plan asked by one analyst."""

    memory: Memory
    analyst: str
    plan: Plan
    own: OwnRows

    async def recall(self, found: _Recalled, stopped: bool) -> None:
        """Add what is there, and what is claimed now, which is the caller's to end, whatever happens. Nothing for an
        analyst who is stopped: their statements are charged and fail.

        The first look claims what is not there, and waits for others who did. Later ones, which hold claims of the
        first, claim and wait for nothing.
        """
        if stopped:
            return
        first = self.first()
        taken = await self.memory.store.take(self.analyst, tuple(dict.fromkeys(first.values())))
        if taken.stopped:
            return
        found.claimed += [key for key in dict.fromkeys(first.values()) if key not in taken.there]
        _add(found, first, taken.there)
        await self.look(found, self._ready(found.known))

    def first(self) -> dict[int, bytes]:
        """The identities of the releases that read no other."""
        return self._identities({}, [i for i, each in enumerate(self.plan.releases) if not earlier(each)])

    async def look(self, found: _Recalled, identities: Mapping[int, bytes]) -> None:
        """Add what is there of these releases, and then of those that read them; claim nothing."""
        while identities:
            there = await self.memory.store.peek(self.analyst, tuple(identities.values()))
            if not any(key in there for key in identities.values()):
                return
            _add(found, identities, there)
            identities = self._ready(found.known)

    async def keep(self, released: Sequence[Rows], known: Mapping[int, Rows]) -> None:
        """Store what was paid for now."""
        new = [index for index in range(len(released)) if index not in known]
        identities = self._identities(dict(enumerate(released)), new)
        await self.memory.store.put(self.analyst, {key: written(released[i]) for i, key in identities.items()})

    async def forget(self, claimed: Sequence[bytes]) -> None:
        """There will be no release of these identities from here."""
        await self.memory.store.drop(self.analyst, claimed)

    def in_order(self, known: Mapping[int, Rows]) -> tuple[Rows, ...]:
        """All releases, where all are known."""
        return tuple(known[index] for index in range(len(self.plan.releases)))

    def _ready(self, known: Mapping[int, Rows]) -> dict[int, bytes]:
        """The identities of releases that read known ones alone."""
        waiting = [i for i, each in enumerate(self.plan.releases) if i not in known and earlier(each)]
        return self._identities(known, [i for i in waiting if earlier(self.plan.releases[i]) <= known.keys()])

    def _identities(self, known: Mapping[int, Rows], indices: Iterable[int]) -> dict[int, bytes]:
        return {
            index: identity(self.memory.policy, self.plan.releases[index], self._told(index, known))
            for index in indices
        }

    def _told(self, index: int, known: Mapping[int, Rows]) -> tuple[tuple[Value, ...], ...]:
        return tuple(values(each, known, self.own) for each in inputs(self.plan.releases[index]))


def _add(found: _Recalled, identities: Mapping[int, bytes], there: Mapping[bytes, Stored]) -> None:
    for index, key in identities.items():
        if key in there:
            found.known[index] = read(there[key].body)
            found.again[index] = there[key].at

"""What an analyst paid for is told again for nothing: the releases of a plan that are stored, or are claimed now.

A release that reads an earlier one of its statement is looked for once that one is known: where it is not, both are
new.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from dpproxy.answering.resources import Resources
from dpproxy.answering.run import NONE, Known, OwnRows, values
from dpproxy.engines import Ticket
from dpproxy.engines.canceling import canceled_by
from dpproxy.ledger.release_store import ReleaseStore, StoredRelease
from dpproxy.plan.private_plan import Plan
from dpproxy.release_identity import beside, earlier, identity, inputs, read, written
from dpproxy.rows import Rows, Value


@dataclass(frozen=True, slots=True)
class StoredReleases:
    """The stored releases. policy: the digest of all that gives a bounded text its meaning."""

    store: ReleaseStore
    policy: bytes


async def stored_releases(stored: StoredReleases | None, analyst: str, plan: Plan) -> Known:
    """The releases of a plan that are there, before it is run. Of one that is told rows of the analyst's own tables,
    which are not read yet, nothing is known."""
    if stored is None or plan.fresh or plan.told or not plan.releases:
        return {}
    search = Search(stored, analyst, plan, NONE)
    await search.look(stored, search.first(stored))
    return search.known


@dataclass(slots=True)
class Search:
    """One plan asked by one analyst: the releases that are there, by their place, and the identities claimed."""

    stored: StoredReleases | None
    analyst: str
    plan: Plan
    own: OwnRows
    known: dict[int, Rows] = field(default_factory=dict)
    again: dict[int, datetime] = field(default_factory=dict)
    claimed: list[bytes] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        """Whether all releases are there."""
        return self.stored is not None and len(self.known) == len(self.plan.releases)

    async def recall(self, resources: Resources, ticket: Ticket) -> None:
        """Look for what is there, unless the analyst asks for new noise."""
        if self.stored is None or self.plan.fresh:
            return
        await canceled_by(ticket, self._recall(self.stored, self.analyst in resources.unsaid))
        resources.observer.stored(len(self.known), len(self.plan.releases) - len(self.known))

    async def _recall(self, stored: StoredReleases, stopped: bool) -> None:
        """Add what is there, and what is claimed now, which is the caller's to end, whatever happens. Nothing for an
        analyst who is stopped: their statements are charged and fail.

        The first look claims what is not there, and waits for others who did. Later ones, which hold claims of the
        first, claim and wait for nothing.
        """
        if stopped:
            return
        first = self.first(stored)
        taken = await stored.store.take(self.analyst, tuple(dict.fromkeys(first.values())))
        if taken.stopped:
            return
        self.claimed += [key for key in dict.fromkeys(first.values()) if key not in taken.there]
        self._add(first, taken.there)
        await self.look(stored, self._ready(stored))

    def first(self, stored: StoredReleases) -> dict[int, bytes]:
        """The identities of the releases that read no other."""
        return self._identities(stored, {}, [i for i, each in enumerate(self.plan.releases) if not earlier(each)])

    async def look(self, stored: StoredReleases, identities: Mapping[int, bytes]) -> None:
        """Add what is there of these releases, and then of those that read them; claim nothing."""
        while identities:
            there = await stored.store.peek(self.analyst, tuple(identities.values()))
            if not any(key in there for key in identities.values()):
                return
            self._add(identities, there)
            identities = self._ready(stored)

    def keep(self, resources: Resources, released: Sequence[Rows]) -> None:
        """Some time, store what was paid for now."""
        if self.stored is not None:
            resources.later(self._keep(self.stored, released))

    async def _keep(self, stored: StoredReleases, released: Sequence[Rows]) -> None:
        new = [index for index in range(len(released)) if index not in self.known]
        identities = self._identities(stored, dict(enumerate(released)), new)
        await stored.store.put(self.analyst, {key: written(released[i]) for i, key in identities.items()})

    def forget(self, resources: Resources) -> None:
        """There will be no release of the claimed identities from here."""
        if self.stored is not None:
            resources.later(self.stored.store.drop(self.analyst, self.claimed))

    def in_order(self) -> tuple[Rows, ...]:
        """All releases, where all are known."""
        return tuple(self.known[index] for index in range(len(self.plan.releases)))

    def _ready(self, stored: StoredReleases) -> dict[int, bytes]:
        """The identities of releases that read known ones alone."""
        waiting = [i for i, each in enumerate(self.plan.releases) if i not in self.known and earlier(each)]
        ready = [i for i in waiting if earlier(self.plan.releases[i]) <= self.known.keys()]
        return self._identities(stored, self.known, ready)

    def _identities(
        self, stored: StoredReleases, known: Mapping[int, Rows], indices: Iterable[int]
    ) -> dict[int, bytes]:
        releases = self.plan.releases
        return {
            index: identity(stored.policy, releases[index], self._told(index, known), beside(releases, index))
            for index in indices
        }

    def _told(self, index: int, known: Mapping[int, Rows]) -> tuple[tuple[Value, ...], ...]:
        return tuple(values(each, known, self.own) for each in inputs(self.plan.releases[index]))

    def _add(self, identities: Mapping[int, bytes], there: Mapping[bytes, StoredRelease]) -> None:
        for index, key in identities.items():
            if key in there:
                self.known[index] = read(there[key].body)
                self.again[index] = there[key].at

"""The ledger's terms: read, compared with a policy's, and adopted; each policy that was served is a row.

Checked by: tests/test_policy_changes.py.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, LiteralString

from dpproxy.accounting.loss import Accounting
from dpproxy.errors import ConfigFault, LedgerUnavailable
from dpproxy.ledger.adoption import AdoptionDecision, PolicyTerm, PolicyTerms, TermChange, TermKind, decided, told
from dpproxy.ledger.connection_pool import Row

Run = Callable[[str, LiteralString, Sequence[object]], Awaitable[list[Row]]]
"""Sends one statement to the ledger, by the name that it is timed by."""

_TRIES: Final = 20
_LATEST: Final = """SELECT (SELECT coalesce(max(t.id), 0) FROM dp_ledger.adoptions t),
    (SELECT p.digest FROM dp_ledger.policies p ORDER BY p.id DESC LIMIT 1)"""
_TERMS: Final = """SELECT DISTINCT ON (t.kind, t.name) t.kind, t.name, t.meaning, t.epsilon, coalesce(t.delta, 0)
    FROM dp_ledger.adoptions t ORDER BY t.kind, t.name, t.id DESC"""
_USED: Final = """SELECT p.n FROM unnest(%s::text[], %s::text[]) WITH ORDINALITY AS p (kind, name, n)
    WHERE NOT dp_ledger.unused(p.kind, p.name)"""
_ADOPT: Final = """SELECT dp_ledger.adopt(%s, %s, %s, %s, %s, %s::text[], %s::text[], %s::text[], %s::numeric[],
    %s::numeric[], %s::boolean[])"""
_HINT: Final = "What was charged until now was charged for the units before. Confirm with dpproxy budget adopt."


@dataclass(frozen=True, slots=True)
class Proposal:
    """A policy beside the terms that were adopted last, as they were at one moment.

    latest: the number of the latest of those. known: whether it is the policy that was served last.
    """

    promise: PolicyTerms
    latest: int
    known: bool
    used: frozenset[tuple[TermKind, str]]
    decided: AdoptionDecision

    @property
    def lines(self) -> tuple[str, ...]:
        """What waits to be confirmed, a line each."""
        return tuple(told(self.promise.accounting, each) for each in self.decided.waiting)


async def proposal(run: Run, promise: PolicyTerms) -> Proposal:
    """What the ledger makes of a policy; nothing is written."""
    [[latest, digest]] = await run("terms", _LATEST, ())
    adopted = [PolicyTerm(TermKind(kind), *rest) for kind, *rest in await run("terms", _TERMS, ())]
    keys = [each.key for each in promise.terms]
    rows = await run("terms", _USED, ([kind.value for kind, _ in keys], [name for _, name in keys]))
    used = frozenset(keys[number - 1] for (number,) in rows)
    made = decided({each.key: each for each in adopted}, promise.terms, used)
    known = digest is not None and bytes(digest) == promise.digest
    return Proposal(promise, latest, known, used, made)


async def adopt(run: Run, wait: int, seen: Proposal, terms: Sequence[PolicyTerm], command: str) -> bool:
    """Write down the policy, and adopt these of its terms. False, and nothing is done, where others were adopted since
    it was seen, or where something was charged to whom nothing was."""
    columns = (
        [each.kind.value for each in terms],
        [each.name for each in terms],
        [each.meaning for each in terms],
        [each.epsilon for each in terms],
        [None if each.epsilon is None else each.delta for each in terms],
        [each.key not in seen.used for each in terms],
    )
    written = (seen.promise.digest, seen.promise.document, command)
    [[done]] = await run("adopt", _ADOPT, (wait, seen.latest, *written, *columns))
    return bool(done)


async def meet(run: Run, wait: int, promise: PolicyTerms, command: str) -> tuple[TermChange, ...]:
    """Adopt what is in force by itself; what waits is returned. Raises ConfigFault where that cannot wait."""
    for _ in range(_TRIES):
        seen = await proposal(run, promise)
        _refuse(promise.accounting, seen.decided.waiting)
        if seen.known and not seen.decided.by_itself:
            return seen.decided.waiting
        if await adopt(run, wait, seen, seen.decided.by_itself, command):
            return seen.decided.waiting
    raise LedgerUnavailable("the ledger's terms kept changing")


def _refuse(accounting: Accounting, waiting: Sequence[TermChange]) -> None:
    faults = [told(accounting, each) for each in waiting if not each.is_of_a_budget]
    if faults:
        raise ConfigFault("the policy protects other units than the ledger's", detail="\n".join(faults), hint=_HINT)

"""What holds for a charge: the terms that were adopted and those of the policy, and what was granted. Pure.

A proxy's policy and the ledger's adopted terms may differ: the policy was edited and the edit is not adopted yet, or
another proxy has another policy. Then both hold. With the same reset that is one account, held to the less of each of ε
and δ; with different ones it is two accounts, each charge counts in both, and must fit into both.

Claim: whatever policies proxies serve, and whenever they change, what an analyst (or a group) loses is at most what the
accounts of the adopted terms hold, grants included.
Because: each charge counts in the account of the terms that are adopted at that moment, compared under the same lock,
and fits in it; the policy's own terms only add a condition.
Checked by: tests/test_policy_changes.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from fractions import Fraction

from dpproxy.accounting.account import Terms, terms
from dpproxy.accounting.loss import Accounting, Loss, granted
from dpproxy.ledger.connection_pool import Row
from dpproxy.ledger.records import EVERYONE, AccountRef, HeldAccount, Receipt, Reset, Standing

_BELOW_ONE = 1 - Decimal("1e-20")


@dataclass(frozen=True, slots=True)
class PartyTerms:
    """What a policy gives to one party. epsilon is None where a group has no cap."""

    kind: str
    name: str
    reset: Reset
    epsilon: Decimal | None
    delta: Decimal


@dataclass(frozen=True, slots=True)
class AccountInForce:
    """One account that holds. adoption: the row of the terms that this was worked out of, None where there is none."""

    kind: str
    adoption: int | None
    held: HeldAccount

    @property
    def limit(self) -> Loss | None:
        """In the account's own coordinates; None without a limit."""
        return None if self.held.terms is None else self.held.terms.limit

    def at(self, period: str, ends: datetime | None, spent: Loss) -> AccountInForce:
        """The same as it stands later, nothing being granted or adopted meanwhile."""
        held, before = self.held, self.held.standing
        standing = Standing(before.name, spent, before.granted_epsilon, before.granted_delta, period, ends)
        return AccountInForce(self.kind, self.adoption, HeldAccount(standing, held.reset, held.terms))


def wanted(ref: AccountRef, of: Terms, groups: Sequence[tuple[str, Terms]]) -> tuple[PartyTerms, ...]:
    """The parties of a charge: the analyst, and all groups. Everyone's is always among them: a cap that is written
    later counts what was spent before."""
    capped = dict(groups)
    names = dict.fromkeys([*capped, EVERYONE])
    return (
        PartyTerms("analyst", ref.analyst, ref.reset, of.epsilon, of.delta),
        *(group_wanted(name, capped.get(name)) for name in names),
    )


def group_wanted(name: str, cap: Terms | None) -> PartyTerms:
    """A budget group and its cap, if it has one."""
    return PartyTerms("budget", name, Reset.NEVER, *((None, Decimal(0)) if cap is None else (cap.epsilon, cap.delta)))


def accounts(accounting: Accounting, parties: Sequence[PartyTerms], rows: Iterable[Row]) -> tuple[AccountInForce, ...]:
    """All accounts that hold for these parties, by the rows of dp_ledger.in_force."""
    return tuple(_account(accounting, parties[row[0] - 1], row) for row in rows)


def _account(accounting: Accounting, party: PartyTerms, row: Row) -> AccountInForce:
    _, adoption, adopted_reset, adopted_epsilon, adopted_delta, name, period, ends, main, delta, *more = row
    reset = Reset(name)
    epsilon, most = party.epsilon, party.delta
    if adoption is not None and name == adopted_reset and not _of_another(accounting, adopted_epsilon, adopted_delta):
        if reset is not party.reset:
            epsilon, most = adopted_epsilon, adopted_delta
        elif epsilon is None or adopted_epsilon is None:
            epsilon, most = (adopted_epsilon, adopted_delta) if epsilon is None else (epsilon, most)
        else:
            epsilon, most = min(epsilon, adopted_epsilon), min(most, adopted_delta)
    standing = Standing(party.name, Loss(main, delta), more[0], more[1], period, ends)
    whole = None if epsilon is None else whole_terms(accounting, epsilon + more[0], most + more[1])
    return AccountInForce(party.kind, adoption, HeldAccount(standing, reset, whole))


def whole_terms(accounting: Accounting, epsilon: Decimal, delta: Decimal) -> Terms:
    """Terms with what was granted. A δ of 1 or more promises nothing, and only grants come to it: an audit's do."""
    if delta < 1:
        return terms(accounting, epsilon, delta)
    made = terms(accounting, epsilon, _BELOW_ONE)
    most = granted(delta if accounting is Accounting.PURE else Fraction(delta) / 2)
    return replace(made, delta=delta, limit=replace(made.limit, delta=most))


def _of_another(accounting: Accounting, epsilon: Decimal | None, delta: Decimal) -> bool:
    """Whether these were adopted under another accounting, which is changed only while there are no charges."""
    return accounting is Accounting.ZCDP and epsilon is not None and delta == 0


def tightest(held: Sequence[HeldAccount]) -> HeldAccount:
    """Of an analyst's accounts the one that has the least left."""
    return min(held, key=lambda each: Decimal("Infinity") if each.left is None else each.left.main)


def receipt(number: int, stopped: bool, held: Sequence[HeldAccount]) -> Receipt:
    """What a charge is answered with: of the accounts that it was made to, the one with the least left."""
    shown = tightest(held)
    assert shown.terms is not None and shown.left is not None, "an analyst's account has a limit"
    return Receipt(number, shown.standing.spent, shown.left, stopped, shown.standing.period, shown.terms)

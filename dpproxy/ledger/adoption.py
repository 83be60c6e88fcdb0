"""Which changes of a policy are in force by themselves, and which wait until the owner confirms them. Pure.

The ledger keeps the terms that were adopted last: of each analyst and group, ε, δ and the reset; of each private table,
how a row's unit is found; and which databases count as neighbours.

- What the ledger has no terms of is adopted by itself: the first policy, a new analyst, a new table.
- So is what nothing was charged to yet, and what is only tighter: the same reset with no more ε and no more δ.
- Any other change of a budget waits. Until it is adopted the terms before it hold, and those of the policy too
  (`accounts_in_force.py`).
- A change of what a unit is, or of neighbours, cannot be held to the older and the newer at once: neither is the
  tighter one, and statements are priced by one alone. It is a fault until it is adopted. A change of `accounting` over
  charges is a fault for good: their sums have no meaning under the other.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from enum import Enum
from typing import Final, assert_never

from dpproxy.accounting.account import Terms, terms
from dpproxy.accounting.loss import Accounting
from dpproxy.accounting.periods import total
from dpproxy.ledger.records import Reset

NEIGHBORS: Final = "one unit, with all of its rows, is added or removed"
PUBLIC: Final = "no unit: it is public"
_UP: Final = Context(prec=6, rounding=ROUND_CEILING)
# Of which some part is in one calendar year: a leap year that begins on a Sunday has days of 54 weeks.
_MOST_IN_A_YEAR: Final = {Reset.DAILY: (366, "days"), Reset.WEEKLY: (54, "weeks"), Reset.MONTHLY: (12, "months")}


class TermKind(Enum):
    """Whose term it is."""

    ANALYST = "analyst"
    BUDGET = "budget"
    TABLE = "table"
    NEIGHBORS = "neighbors"


@dataclass(frozen=True, slots=True)
class PolicyTerm:
    """One thing that a policy promises. meaning: the reset of a budget, the way to a table's units, the neighbours.

    epsilon: None where it is no budget, or a group without a cap.
    """

    kind: TermKind
    name: str
    meaning: str
    epsilon: Decimal | None = None
    delta: Decimal = Decimal(0)

    @property
    def key(self) -> tuple[TermKind, str]:
        """What it is a term of."""
        return self.kind, self.name


@dataclass(frozen=True, slots=True)
class PolicyTerms:
    """All that a policy promises. document: the same as text, which the ledger keeps."""

    accounting: Accounting
    data_version: str
    terms: tuple[PolicyTerm, ...]

    @property
    def document(self) -> str:
        """JSON: the same for equal promises."""
        rows = [
            [each.kind.value, each.name, each.meaning, *map(_exactly, (each.epsilon, each.delta))]
            for each in sorted(self.terms, key=lambda each: (each.kind.value, each.name))
        ]
        return json.dumps({"accounting": self.accounting.value, "data_version": self.data_version, "terms": rows})

    @property
    def digest(self) -> bytes:
        """SHA-256 of the document."""
        return hashlib.sha256(self.document.encode()).digest()


@dataclass(frozen=True, slots=True)
class TermChange:
    """A term that is not in force as the policy has it. before: what was adopted last."""

    before: PolicyTerm
    after: PolicyTerm

    @property
    def is_of_a_budget(self) -> bool:
        """Whether the account before it can be held to meanwhile."""
        return self.after.kind in (TermKind.ANALYST, TermKind.BUDGET)


@dataclass(frozen=True, slots=True)
class AdoptionDecision:
    """What becomes of a policy. by_itself: adopted now. waiting: until the owner confirms it."""

    by_itself: tuple[PolicyTerm, ...]
    waiting: tuple[TermChange, ...]


Key = tuple[TermKind, str]


def decided(
    adopted: Mapping[Key, PolicyTerm], promised: Iterable[PolicyTerm], used: Collection[Key]
) -> AdoptionDecision:
    """adopted: the terms adopted last. used: those of the promised ones to which something was charged."""
    by_itself, waiting = [], []
    for term in promised:
        before = adopted.get(term.key)
        if before is None or (before != term and (term.key not in used or _only_tighter(before, term))):
            by_itself.append(term)
        elif before != term:
            waiting.append(TermChange(before, term))
    return AdoptionDecision(tuple(by_itself), tuple(waiting))


def _only_tighter(before: PolicyTerm, after: PolicyTerm) -> bool:
    """Whether nobody can lose more by it, at any time. Another reset is never only tighter: its accounts are others,
    which have spent nothing of what the accounts before them did."""
    if after.kind not in (TermKind.ANALYST, TermKind.BUDGET) or before.meaning != after.meaning:
        return after.kind is TermKind.TABLE and before.meaning == PUBLIC
    if after.epsilon is None or before.epsilon is None:
        return before.epsilon is None
    return after.epsilon <= before.epsilon and after.delta <= before.delta


def told(accounting: Accounting, change: TermChange) -> str:
    """What a change would let happen, in a line."""
    before, after = change.before, change.after
    match after.kind:
        case TermKind.ANALYST | TermKind.BUDGET:
            whose = after.name if after.kind is TermKind.ANALYST else f"{after.name} together"
            return f"{whose} could spend {spendable(accounting, after)}; it was {spendable(accounting, before)}"
        case TermKind.TABLE:
            return f"rows of {after.name} would be found by {after.meaning}; it was {before.meaning}"
        case TermKind.NEIGHBORS:
            return f"neighbours would differ in this: {after.meaning}; it was: {before.meaning}"
        case _:
            assert_never(after.kind)


def spendable(accounting: Accounting, term: PolicyTerm) -> str:
    """What a budget comes to over a year."""
    if term.epsilon is None:
        return "without a cap"
    return year(terms(accounting, term.epsilon, term.delta), Reset(term.meaning))


def year(of: Terms, reset: Reset) -> str:
    """What is lost in a year at most, all periods of it spent to their ends."""
    match reset:
        case Reset.NEVER:
            return f"epsilon {_short(of.epsilon)} (never resets)"
        case Reset.DATA_VERSION:
            return f"epsilon {_short(of.epsilon)} for each version of the data"
        case Reset.DAILY | Reset.WEEKLY | Reset.MONTHLY:
            number, name = _MOST_IN_A_YEAR[reset]
            all_ = total(of, number)
            epsilon = "without bound" if all_.epsilon is None else up(all_.epsilon)
            return f"epsilon {epsilon}, delta {up(all_.delta)} ({number} {name})"
        case _:
            assert_never(reset)


def up(value: Decimal) -> str:
    """Six digits, rounded up: it is not more than is said."""
    return _short(_UP.create_decimal(value))


def _exactly(value: Decimal | None) -> str | None:
    return None if value is None else f"{value.normalize():f}"


def _short(value: Decimal) -> str:
    return f"{float(value):.6g}"

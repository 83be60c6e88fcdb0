"""What a history of charges amounts to: the ε that its mechanisms come to at an account's δ, by their privacy loss
distribution. For information: what is enforced is the sum of losses, and this is never above what that comes to.

It is the figure of the mechanisms as they were, one after the other, as if they had been chosen beforehand. Where an
analyst chose prices by answers, a filter over sums holds all the same (`ledger.charge`); of this figure no such theorem
is known, so nothing is allowed by it.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import Final

from dpproxy.accounting.account import Terms, spent_epsilon
from dpproxy.accounting.conversion import epsilon_of_rho
from dpproxy.accounting.dominating_pairs import NO_PAIRS, Pairs, PurePair, together
from dpproxy.accounting.loss import ZERO, Accounting, Loss, granted
from dpproxy.accounting.privacy_loss import epsilon_of_pairs
from dpproxy.remembered import remembered

_SHOWN: Final = Context(prec=10, rounding=ROUND_CEILING)


@dataclass(frozen=True, slots=True)
class History:
    """All charges of an account. pairs: of the mechanisms of those that say which they were. unknown: what the others
    came to. spent: all of it."""

    pairs: Pairs = NO_PAIRS
    unknown: Loss = ZERO
    spent: Loss = ZERO


@remembered(256)
def amounts_to(history: History, terms: Terms) -> Decimal:
    """The ε of a history at the δ of `terms`, rounded up.

    Claim: all that was answered is (amounts_to, terms.delta)-differentially private, if the mechanisms had been chosen
    beforehand; and no lower than that of what was enforced where nothing else is known.
    Because: what is enforced is one bound, and the less of two is one. For the other, δ is split: what charges say that
    they spend of it, and the rest for the pairs (`epsilon_of_pairs`). Of charges that do not say what they were, pure
    ones are together a pure mechanism, whose pair is there; ρ-zCDP ones are (ε(ρ), δ')-private for half of the rest,
    and both halves add up by basic composition, also of mechanisms that take turns (Vadhan, Zhang 2023, "Concurrent
    composition theorems for differential privacy"). (Not by a normal pair of that ρ: a ρ-zCDP mechanism may have a
    privacy curve above that of Gaussian noise.)
    Checked by: tests/test_history.py.
    """
    enforced = spent_epsilon(terms, history.spent)
    left = granted(max(Fraction(0), Fraction(terms.delta) - Fraction(history.spent.delta)))
    if enforced == 0 or left == 0:
        return enforced
    return min(enforced, _of_pairs(history, terms.accounting, left, float(enforced)))


def _of_pairs(history: History, accounting: Accounting, delta: Decimal, about: float) -> Decimal:
    unknown = history.unknown.main
    match accounting:
        case Accounting.PURE:
            pairs = together((history.pairs, ((PurePair(unknown), 1),))) if unknown else history.pairs
            return _SHOWN.create_decimal(epsilon_of_pairs(pairs, float(delta), about))
        case Accounting.ZCDP:
            if not unknown:
                return _SHOWN.create_decimal(epsilon_of_pairs(history.pairs, float(delta), about))
            half = granted(Fraction(delta) / 2)
            if not half:
                return Decimal("Infinity")
            known = _SHOWN.create_decimal(epsilon_of_pairs(history.pairs, float(half), about))
            return _SHOWN.add(known, epsilon_of_rho(unknown, half))

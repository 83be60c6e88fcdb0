"""What several periods of one account come to together."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from dpproxy.accounting.account import Terms
from dpproxy.accounting.conversion import epsilon_of_rho
from dpproxy.accounting.loss import Accounting, charged


@dataclass(frozen=True, slots=True)
class PeriodsTotal:
    """(ε, δ) of several periods together; `epsilon` is None where δ comes to 1 or more, and nothing is promised."""

    epsilon: Decimal | None
    delta: Decimal


def total(terms: Terms, periods: int) -> PeriodsTotal:
    """What `periods` accounts with these terms, each spent to its limit, lose together.

    Claim: their statements together are (total.epsilon, total.delta)-differentially private.
    Because: pure: basic composition. zCDP: `periods` times ρ, shown at `periods` times the half of δ that is held back
    for it, and as much again for key selection. Everything is rounded up.
    Checked by: tests/test_accounting.py::test_periods_compose.
    """
    delta = charged(Fraction(terms.delta) * periods)
    if delta >= 1:
        return PeriodsTotal(None, delta)
    match terms.accounting:
        case Accounting.PURE:
            return PeriodsTotal(charged(Fraction(terms.epsilon) * periods), delta)
        case Accounting.ZCDP:
            held_back = charged(Fraction(terms.limit.delta) * periods)
            return PeriodsTotal(epsilon_of_rho(charged(Fraction(terms.limit.main) * periods), held_back), delta)

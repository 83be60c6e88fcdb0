"""Amplification by sampling: what a mechanism loses that reads a secret sample of the units.

Each unit is in the sample with probability p, by a coin of its own, which nobody knows; a mechanism that is
(ε, δ)-differentially private for whoever is in it then is (ε', p·δ)-differentially private for all:

    ε' = log(1 + p·(e^ε − 1))       ε = log(1 + (e^ε' − 1)/p)

*Proof* (of neighbours that differ by all rows of one unit; Li, Qardaji, Su 2012; Balle, Barthe, Gaboardi 2018, theorem
8). Let Q be the distribution of what is told without the unit, and R that with the unit in the sample; with it, it is P
= (1 − p)·Q + p·R, since the coins of others do not depend on its own. For each sample of the others, so on the whole,
R(E) <= e^ε·Q(E) + δ and Q(E) <= e^ε·R(E) + δ for every event E. So P(E) <= (1 − p + p·e^ε)·Q(E) + p·δ, the first
direction. And R(E) >= e^−ε·(Q(E) − δ), so that Q(E) <= (P(E) + p·e^−ε·δ)/(1 − p + p·e^−ε). The product of 1 − p + p·e^ε
and 1 − p + p·e^−ε is 1 + p·(1 − p)·(e^ε + e^−ε − 2), no less than 1; and e^−ε <= 1 − p + p·e^−ε: the second.

*Of all that reads one sample together.* Each mechanism that reads it is told by whom is in it, so that not each of them
is amplified but their composition: ε and δ are added up first. log(1 + p·(e^ε − 1)) is convex and 0 at 0, so that
amplifying one by one would charge less than is true. What reads all units between them does no harm: the argument holds
for the likelihood of all that the sampled ones tell, whatever they go by (concurrent composition: Vadhan, Zhang 2023).

*Under zCDP* there is no such formula: the divergence of a sampled Gaussian grows faster than in proportion to its order
(Mironov, Talwar, Zhang 2019), so that no ρ below that of the whole holds at all orders. What holds is ε'·tanh(ε'/2),
that of any ε'-differentially private mechanism; with δ', of all but a share δ' of what is told (Kairouz, Oh, Viswanath
2015: each such mechanism is a function of randomized response that tells all with probability δ'). And the ρ without a
sample always holds, since divergences are jointly quasi-convex (van Erven, Harremoës 2014, theorem 13).

Checked by: tests/test_amplification.py.
"""

from __future__ import annotations

from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import Final

from dpproxy.accounting.concentrated import pure_of_rho, rho_of_pure
from dpproxy.accounting.loss import Accounting, Loss, charged, granted

_DIGITS: Final = Context(prec=150)
_LARGEST: Final = 1000
"""Above, e^ε is more than anybody counts with; nothing that means anything is."""
_ABOVE: Final = 1 + Decimal("1e-60")
MOST_DELTA: Final = Decimal("0.5")
"""The most that the choice of keys may lose within a sample, whatever it is amplified to."""


def amplified(loss: Loss, rate: Fraction) -> Loss:
    """What mechanisms lose together that lose `loss` (ε and δ) within a sample of that rate; rounded up.

    Claim: not below log(1 + rate·(e^ε − 1)) and rate·δ. Because: in 150 digits, for ε of at least 1e-30, the grid's
    step, and a rate of at least 2^-64, what is added to 1 is at least 1e-50, and the logarithm off by less than 1e-90
    of itself. Above 1000 it is ε itself, which is more.
    Checked by: tests/test_amplification.py::test_it_is_the_formula_rounded_up.
    """
    return Loss(_outside(loss.main, rate), charged(rate * Fraction(loss.delta)))


def _outside(epsilon: Decimal, rate: Fraction) -> Decimal:
    if epsilon > _LARGEST:
        return epsilon
    with localcontext(_DIGITS):
        return charged((1 + _decimal(rate) * (epsilon.exp() - 1)).ln() * _ABOVE)


def within(loss: Loss, rate: Fraction) -> Loss:
    """The most that mechanisms may lose within a sample of that rate (ε and δ), for `loss` in all.

    Claim: amplified(within(loss, rate), rate) is no more than `loss`. Because: it is looked at, and lowered by a step
    of the grid, or to `loss` itself, until it is not. Checked by: tests/test_amplification.py::test_it_is_the_inverse.
    """
    with localcontext(_DIGITS):
        grown = (1 + (min(loss.main, Decimal(_LARGEST)).exp() - 1) / _decimal(rate)).ln() / _ABOVE / _ABOVE
    epsilon = max(loss.main, granted(grown))
    if _outside(epsilon, rate) > loss.main:
        epsilon = loss.main
    return Loss(epsilon, min(max(loss.delta, MOST_DELTA), granted(Fraction(loss.delta) / rate)))


def amplified_in(accounting: Accounting, pure: Loss, rate: Fraction) -> Loss:
    """The same as a loss of an account: ε', or the ρ of any ε'-differentially private mechanism."""
    outside = amplified(pure, rate)
    return outside if accounting is Accounting.PURE else Loss(rho_of_pure(outside.main), outside.delta)


def within_of(accounting: Accounting, loss: Loss, rate: Fraction) -> Loss:
    """The most that pure mechanisms may lose within a sample, for `loss` of an account in all."""
    outside = loss if accounting is Accounting.PURE else Loss(pure_of_rho(loss.main), loss.delta)
    return within(outside, rate)


def _decimal(rate: Fraction) -> Decimal:
    """Exact, of a rate of so many of 2^64."""
    return Decimal(rate.numerator) / Decimal(rate.denominator)

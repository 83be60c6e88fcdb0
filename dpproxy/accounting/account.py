"""The terms of an account: what it holds, and how a statement's ε and δ become a loss."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from dpproxy.accounting.conversion import epsilon_of_rho, rho_of_epsilon, told_epsilon_of_rho
from dpproxy.accounting.loss import Accounting, Loss, charged, granted

_ROOTS = Context(prec=30)
_FAR = 1e-4


@dataclass(frozen=True, slots=True)
class Terms:
    """What an analyst may spend: all that pricing needs to know of an account, and nothing that changes with use.

    epsilon, delta: the whole budget as the owner wrote it.
    limit: the same in the account's own coordinates (ρ and δ/2 under zCDP).
    max_epsilon: the most one statement may ask for.
    """

    accounting: Accounting
    epsilon: Decimal
    delta: Decimal
    limit: Loss
    max_epsilon: Decimal


def largest_epsilon(accounting: Accounting, main: Decimal) -> Decimal:
    """The ε of the largest statement whose main loss is `main`: ε itself, or the ε of that ρ = ε²/2."""
    left = max(main, Decimal(0))
    return left if accounting is Accounting.PURE else (2 * left).sqrt(Context(prec=60))


def most_per_statement(terms: Terms) -> Decimal:
    """The largest ε that one statement can cost: what may be asked for, and what the whole account holds. Rounded down,
    to what can be typed."""
    most = min(terms.max_epsilon, largest_epsilon(terms.accounting, terms.limit.main))
    return Context(prec=4, rounding=ROUND_FLOOR).create_decimal(most)


def terms(accounting: Accounting, epsilon: Decimal, delta: Decimal, max_epsilon: Decimal | None = None) -> Terms:
    """The terms of a budget of `epsilon` and `delta`. `max_epsilon` left out is the whole `epsilon`.

    Claim: losses that add up to no more than `limit` are (epsilon, delta)-differentially private together.
    Because: pure: basic composition. zCDP: ρ adds up (Bun, Steinke 2016), δ of key selection adds up, the former is
    (epsilon, δ/2)-private by `rho_of_epsilon`, and δ/2 is left for the latter.
    Checked by: tests/test_accounting.py::test_terms_hold_what_the_owner_wrote.

    Raises ValueError, fit to be shown to the owner: ε <= 0, δ outside [0, 1), or δ = 0 under zCDP.
    """
    if not (epsilon.is_finite() and epsilon > 0):
        raise ValueError(f"epsilon must be a number above 0, it is {epsilon}")
    if not (delta.is_finite() and 0 <= delta < 1):
        raise ValueError(f"delta must be at least 0 and below 1, it is {delta}")
    return Terms(accounting, epsilon, delta, _limit(accounting, epsilon, delta), max_epsilon or epsilon)


def _limit(accounting: Accounting, epsilon: Decimal, delta: Decimal) -> Loss:
    match accounting:
        case Accounting.PURE:
            return Loss(granted(epsilon), granted(delta))
        case Accounting.ZCDP:
            half = granted(Fraction(delta) / 2)
            if half == 0:
                raise ValueError('zcdp accounting needs a delta above 0; write one, or accounting = "pure"')
            return Loss(rho_of_epsilon(epsilon, half), half)


def statement_loss(terms: Terms, epsilon: Decimal) -> Decimal:
    """The main coordinate of a statement asked for at `epsilon`: ε itself, or ρ = ε²/2; rounded up to the grid."""
    match terms.accounting:
        case Accounting.PURE:
            return charged(epsilon)
        case Accounting.ZCDP:
            return charged(Fraction(epsilon) ** 2 / 2)


def asked_epsilon(accounting: Accounting, main: Decimal) -> Decimal:
    """The ε that a statement of this loss was asked for at, the other way round: ε itself, or √(2ρ), rounded up."""
    match accounting:
        case Accounting.PURE:
            return main
        case Accounting.ZCDP:
            root = _ROOTS.sqrt(_ROOTS.add(main, main))
            return root if Fraction(root) ** 2 >= 2 * Fraction(main) else _ROOTS.next_plus(root)


def default_delta(terms: Terms, epsilon: Decimal) -> Decimal:
    """The δ of a statement that releases private keys and names none: δ × statement ε / account ε, rounded down.

    The account's δ is here the part that key selection may spend, `terms.limit.delta`: all of it in pure accounting,
    half of it under zCDP, whose other half pays for showing ρ as an ε. Never above that part.
    """
    share = Fraction(epsilon) / Fraction(terms.epsilon)
    return granted(Fraction(terms.limit.delta) * min(share, Fraction(1)))


def spent_epsilon(terms: Terms, loss: Loss) -> Decimal:
    """The ε that `loss` amounts to: its main coordinate, or ε(ρ) at the δ that conversion holds back."""
    match terms.accounting:
        case Accounting.PURE:
            return loss.main
        case Accounting.ZCDP:
            return epsilon_of_rho(loss.main, terms.limit.delta)


def remaining_epsilon(terms: Terms, spent: Loss) -> Decimal:
    """What is left of the account's ε after `spent`, at least 0.

    Under zCDP this is not what the next statement may ask for: ρ adds up, ε does not.
    """
    return granted(max(Fraction(0), Fraction(terms.epsilon) - Fraction(spent_epsilon(terms, spent))))


def told_remaining(terms: Terms, spent: Loss) -> Decimal:
    """`remaining_epsilon` for a number that people read, in nine digits: exact where less would be left of them."""
    match terms.accounting:
        case Accounting.PURE:
            return remaining_epsilon(terms, spent)
        case Accounting.ZCDP:
            left = float(terms.epsilon) - told_epsilon_of_rho(spent.main, terms.limit.delta)
            return remaining_epsilon(terms, spent) if left < _FAR * float(terms.epsilon) else Decimal(repr(left))


def part(whole: Decimal, fraction: Fraction) -> Decimal:
    """That fraction of `whole`, rounded down to the grid."""
    return granted(Fraction(whole) * fraction)


def share(main: Decimal, parts: int) -> Decimal:
    """An even share of `main`, rounded down to the grid, so that parts × share <= main. `parts` is at least 1."""
    return granted(Fraction(main) / parts)

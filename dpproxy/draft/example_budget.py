"""The budget that a draft shows as an example, and the most that it lets one statement cost.

Checked by: tests/test_init_guesses.py.
"""

from __future__ import annotations

from decimal import ROUND_FLOOR, Decimal
from typing import Final

from dpproxy.accounting.account import most_per_statement, terms
from dpproxy.accounting.loss import Accounting

EPSILON: Final = "5"
DELTA: Final = "1e-6"
EVERYONE_EPSILON: Final = "20"
EVERYONE_DELTA: Final = "1e-5"


def largest_statement() -> Decimal:
    """What one statement may cost of it under zCDP, in tenths: a larger one would be refused, though it were the
    first."""
    most = most_per_statement(terms(Accounting.ZCDP, Decimal(EPSILON), Decimal(DELTA)))
    return most.quantize(Decimal("0.1"), ROUND_FLOOR)

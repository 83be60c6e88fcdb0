"""The rules of charging, kept in Postgres: every answer is on record before the data is touched.

Checked by: tests/test_ledger.py.
"""

from dpproxy.ledger.ledger import Ledger
from dpproxy.ledger.records import EVER, EVERYONE, AccountRef, Charge, HeldAccount, Outcome, Receipt, Reset, Standing

__all__ = [
    "EVER",
    "EVERYONE",
    "AccountRef",
    "Charge",
    "HeldAccount",
    "Ledger",
    "Outcome",
    "Receipt",
    "Reset",
    "Standing",
]

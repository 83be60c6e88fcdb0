"""The rules of charging, kept in Postgres: every answer is on record before the data is touched."""

from dpproxy.ledger.ledger import Ledger
from dpproxy.ledger.model import EVER, AccountRef, Charge, Outcome, Receipt, Reset, Standing

__all__ = ["EVER", "AccountRef", "Charge", "Ledger", "Outcome", "Receipt", "Reset", "Standing"]

"""What this proxy was told of accounts before: a server that knows of less was restored from an older copy.

Checked by: tests/test_periods.py.
"""

from __future__ import annotations

import logging
from typing import Final

from dpproxy.accounting.loss import ZERO, Loss
from dpproxy.errors import LedgerUnavailable

_HINT: Final = "Its server seems to have been restored from an older copy; the operator has to look into it."
_log: Final = logging.getLogger(__name__)

Seen = tuple[str, Loss]
"""The label of an account, and what it has spent."""


class RollbackGuard:
    """Each analyst's latest account. Once charges are missing, nothing is taken for a receipt any more."""

    def __init__(self) -> None:
        self._seen: dict[str, Seen] = {}
        self._lost = False

    def of(self, analyst: str) -> Seen:
        """What is known when a charge is sent."""
        return self._seen.get(analyst, ("", ZERO))

    def check(self, analyst: str, before: Seen, after: Seen, cost: Loss) -> None:
        """What an account had spent when a charge was sent, it has spent after it, and the charge besides.

        Raises LedgerUnavailable where it has not, and from then on.
        """
        (known, least), (period, spent) = before, after
        if period == known and not (least + cost).within(spent):
            self._lost = True
            _log.critical("the ledger has lost charges of %s: nothing is answered until a restart. %s", analyst, _HINT)
        label, latest = self.of(analyst)
        if label != period or not spent.within(latest):
            self._seen[analyst] = after
        if self._lost:
            raise LedgerUnavailable("the ledger has lost charges", hint=_HINT)

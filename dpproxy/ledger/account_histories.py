"""What was charged to an account, by what its mechanisms were: for the figure of their privacy loss distribution.

Kept by account, and read on from the last charge that was seen: an account's charges get their numbers under its lock,
so that none comes to be behind a later one.

Checked by: tests/test_account_histories.py.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, LiteralString

from dpproxy.accounting.dominating_pairs import read, repeated, together
from dpproxy.accounting.history import History
from dpproxy.accounting.loss import Loss
from dpproxy.ledger.connection_pool import Row
from dpproxy.ledger.records import Standing

Run = Callable[[str, LiteralString, Sequence[object]], Awaitable[list[Row]]]
"""Sends one statement to the ledger, by the name that it is timed by."""

_MOST: Final = 4096
_MOST_PAIRS: Final = 2_000
# One statement, so one moment. Charges of one statement text and setting have the same pairs, mostly.
_CHARGED: Final = """SELECT c.pairs, count(*), max(c.id), sum(c.main), sum(c.delta)
    FROM dp_ledger.charges c WHERE coalesce(c.analyst = %s::text, true) AND c.id > %s AND %s = ANY (
        coalesce(c.accounts, ARRAY['analyst/' || c.analyst || '/' || c.period])) GROUP BY c.pairs
    UNION ALL SELECT NULL, 0, 0, coalesce(sum(d.main), 0), coalesce(sum(d.delta), 0) FROM dp_ledger.carried d
    WHERE %s = 0 AND d.kind = %s AND d.name = %s AND d.period = %s"""


@dataclass(frozen=True, slots=True)
class _HistoryRead:
    """Up to which charge, and what they came to."""

    last: int
    history: History


class AccountHistories:
    """The histories of accounts, as far as they were asked for."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._seen: dict[tuple[str, str, str], _HistoryRead] = {}

    async def of(self, kind: str, standing: Standing) -> History:
        """All charges of an account, and what it had when the chain began. kind: analyst or budget, as of accounts."""
        key = kind, standing.name, standing.period
        before = self._seen.get(key, _HistoryRead(0, History()))
        analyst = standing.name if kind == "analyst" else None
        rows = await self._run("history", _CHARGED, (analyst, before.last, "/".join(key), before.last, *key))
        last = max([before.last, *(row[2] for row in rows)])
        now = _HistoryRead(last, await asyncio.to_thread(_added, before.history, rows))
        if len(self._seen) >= _MOST:
            self._seen.clear()
        if now.last >= self._seen.get(key, before).last:
            self._seen[key] = now
        return now.history


def _added(history: History, rows: Iterable[Row]) -> History:
    """With more charges: those whose pairs are not kept count by what they cost, and so do those that come when there
    are too many kinds of pairs already."""
    room = max(0, _MOST_PAIRS - len(history.pairs))
    all_ = sorted(rows, key=lambda row: row[0] is None)
    known = [row for row in all_[:room] if row[0] is not None]
    unknown = (Loss(main, delta) for *_, main, delta in all_[len(known) :])
    return History(
        together((history.pairs, *(repeated(read(text), times) for text, times, *_ in known))),
        sum(unknown, history.unknown),
        sum((Loss(main, delta) for *_, main, delta in all_), history.spent),
    )

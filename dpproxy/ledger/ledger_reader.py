"""What the ledger has of charges, for who looks at it again and again: sums by day, and single rows.

Sums are kept, and read on from the last charge of each analyst that was seen: an analyst's charges get their numbers
under one lock, so that none comes to be behind a later one.

Checked by: tests/test_ledger_reader.py.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Final, LiteralString

from dpproxy.accounting.loss import ZERO, Loss
from dpproxy.ledger.connection_pool import Row
from dpproxy.ledger.records import Outcome

Run = Callable[[str, LiteralString, Sequence[object]], Awaitable[list[Row]]]
"""Sends one statement to the ledger, by the name that it is timed by."""

_COLUMNS: Final = "c.at, c.period, c.statement, c.epsilon, c.main, c.delta, c.outcome"
_ANY: Final[LiteralString] = f"SELECT c.analyst, c.id, {_COLUMNS} FROM dp_ledger.charges c"
_LATEST: Final[LiteralString] = f"{_ANY} WHERE c.id < %s ORDER BY c.id DESC LIMIT %s"
_ONE: Final[LiteralString] = f"{_ANY} WHERE c.id = %s"
_OWN: Final[LiteralString] = f"""WITH t AS (SELECT coalesce(sum(a.charges), 0)::bigint AS n FROM dp_ledger.accounts a
        WHERE a.kind = 'analyst' AND a.name = %s)
    SELECT c.analyst, %s::bigint, {_COLUMNS} FROM dp_ledger.charges c, t WHERE c.analyst = %s AND t.n >= %s
    ORDER BY c.id DESC LIMIT 1 OFFSET (SELECT greatest(t.n - %s, 0) FROM t)"""
_OWN_LATEST: Final[
    LiteralString
] = f"""WITH t AS (SELECT coalesce(sum(a.charges), 0)::bigint AS n FROM dp_ledger.accounts a
        WHERE a.kind = 'analyst' AND a.name = %s)
    SELECT c.analyst, least(t.n + 1, %s::bigint) - row_number() OVER (ORDER BY c.id DESC), {_COLUMNS}
    FROM (SELECT o.* FROM dp_ledger.charges o WHERE o.analyst = %s ORDER BY o.id DESC LIMIT %s
        OFFSET (SELECT greatest(t.n + 1 - %s, 0) FROM t)) AS c, t ORDER BY c.id DESC"""
_GRANTS: Final = """SELECT g.period, (g.at AT TIME ZONE 'UTC')::date, sum(g.epsilon), sum(g.delta)
    FROM dp_ledger.grants g WHERE g.analyst = %s GROUP BY 1, 2 ORDER BY 2, 1"""
LATEST: Final = 2**62
"""Behind every number of a charge."""
_DAYS: Final = """SELECT c.period, (c.at AT TIME ZONE 'UTC')::date, count(*), sum(c.main), sum(c.delta), max(c.id)
    FROM dp_ledger.charges c WHERE c.analyst = %s AND c.id > %s GROUP BY 1, 2 ORDER BY 6"""


@dataclass(frozen=True, slots=True)
class AnalystCharge:
    """A charge and whose it is. number: its id for the owner; for an analyst, counted over their own."""

    analyst: str
    number: int
    at: datetime
    period: str
    statement: str
    epsilon: Decimal
    cost: Loss
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Day:
    """The charges of one analyst to one account on one day, by UTC."""

    period: str
    day: date
    statements: int
    spent: Loss


@dataclass(frozen=True, slots=True)
class DayGrant:
    """What the owner granted to one account on one day, by UTC."""

    period: str
    day: date
    epsilon: Decimal
    delta: Decimal


@dataclass(slots=True)
class _DaysRead:
    last: int
    days: dict[tuple[str, date], Day]


class LedgerReader:
    """Reads through `run`. Raises LedgerUnavailable."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._seen: dict[str, _DaysRead] = {}

    async def days(self, analyst: str) -> tuple[Day, ...]:
        """All of them, in the order of their last charges."""
        before = self._seen.get(analyst, _DaysRead(0, {}))
        rows = await self._run("days", _DAYS, (analyst, before.last))
        now = _DaysRead(max([before.last, *(row[5] for row in rows)]), dict(before.days))
        for period, day, count, main, delta, _ in rows:
            had = now.days.pop((period, day), Day(period, day, 0, ZERO))
            now.days[period, day] = Day(period, day, had.statements + count, had.spent + Loss(main, delta))
        if now.last >= self._seen.get(analyst, before).last:
            self._seen[analyst] = now
        return tuple(now.days.values())

    async def grants(self, analyst: str) -> tuple[DayGrant, ...]:
        """What was granted to them, by day."""
        return tuple(DayGrant(*row) for row in await self._run("grants", _GRANTS, (analyst,)))

    async def latest(self, limit: int, before: int = LATEST) -> tuple[AnalystCharge, ...]:
        """The latest charges of all analysts, newest first, numbered by their ids; those of before the id `before`."""
        return tuple(_charge(row) for row in await self._run("latest", _LATEST, (before, limit)))

    async def own_latest(self, analyst: str, limit: int, before: int = LATEST) -> tuple[AnalystCharge, ...]:
        """The same of an analyst's own, by their numbers among these."""
        rows = await self._run("own_latest", _OWN_LATEST, (analyst, before, analyst, limit, before))
        return tuple(_charge(row) for row in rows)

    async def charge(self, id_: int) -> AnalystCharge | None:
        """One, by its id."""
        return next((_charge(row) for row in await self._run("charge", _ONE, (id_,))), None)

    async def own_charge(self, analyst: str, number: int) -> AnalystCharge | None:
        """One of an analyst's, by its number among theirs; None where they have none of it."""
        if not 1 <= number < 2**62:
            return None
        rows = await self._run("own_charge", _OWN, (analyst, number, analyst, number, number))
        return next((_charge(row) for row in rows), None)


def _charge(row: Row) -> AnalystCharge:
    analyst, number, at, period, statement, epsilon, main, delta, outcome = row
    return AnalystCharge(analyst, number, at, period, statement, epsilon, Loss(main, delta), Outcome(outcome))


def running(days: Sequence[Day]) -> tuple[tuple[Day, Loss], ...]:
    """Each day, and what its account had spent at its end."""
    spent: dict[str, Loss] = {}
    found = []
    for each in sorted(days, key=lambda each: each.day):
        spent[each.period] = spent.get(each.period, ZERO) + each.spent
        found.append((each, spent[each.period]))
    return tuple(found)

"""The ledger: charge first, durably, and never give back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from time import perf_counter
from typing import Any, LiteralString

from psycopg.conninfo import conninfo_to_dict

from dpproxy.accounting.loss import GRID, Accounting, Loss
from dpproxy.errors import LedgerUnavailable
from dpproxy.ledger import schema
from dpproxy.ledger.model import AccountRef, Charge, Outcome, Receipt, Standing
from dpproxy.ledger.pool import Pool, Row
from dpproxy.ledger.remembered import Remembered
from dpproxy.ledger.shortage import Shortage, exceeded
from dpproxy.ledger.store import Store

PATIENCE = 5.0
_STATEMENT_LENGTH = 8_000
_MIGRATION_SECONDS = 600
_CHARGE = """SELECT * FROM dp.charge(
    %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s::text[], %s::numeric[], %s::numeric[])"""
_AT_START = "Nothing is served without the ledger: see to the server, or name another in [ledger] url."


class Ledger:
    """The accounts of all analysts, in a Postgres database. Raises LedgerUnavailable where that is not there.

    observe: told of each call that came back, by the method's name and its seconds.
    """

    def __init__(self, pool: Pool, accounting: Accounting) -> None:
        self._pool = pool
        self._accounting = accounting
        self._remembered = Remembered()
        self.observe: Callable[[str, float], None] | None = None

    @classmethod
    async def open(
        cls, conninfo: str, accounting: Accounting, *, patience: float = PATIENCE, connections: int = 8
    ) -> Ledger:
        """The ledger in the database that `conninfo` names, made there if it is the first time.

        patience: seconds that any one call may take before it is refused. Raises ConfigFault where the ledger's charges
        were made under another accounting.
        """
        pool = Pool(conninfo, patience, connections)
        try:
            async with pool.connection() as connection, asyncio.timeout(_MIGRATION_SECONDS):
                await schema.create(connection, accounting)
        except LedgerUnavailable as fault:
            await pool.close()
            detail = f"ledger: {_named(conninfo)}: {_told(fault.__cause__)}"
            raise LedgerUnavailable(fault.message, detail=detail, hint=_AT_START) from fault.__cause__
        except BaseException:
            await pool.close()
            raise
        return cls(pool, accounting)

    def store(self, size: int, age: float | None = None) -> Store:
        """The stored releases beside the accounts; see `Store` for `size` and `age`."""
        return Store(self._pool, size, age)

    def connections(self) -> dict[str, int]:
        """How many there are now, used and idle, and how many there may be."""
        return self._pool.connections()

    async def close(self) -> None:
        """Closes the connections."""
        await self._pool.close()

    async def charge(
        self,
        ref: AccountRef,
        cost: Loss,
        limit: Loss,
        group_limits: tuple[tuple[str, Loss], ...],
        statement: str,
        epsilon: Decimal,
    ) -> Receipt:
        """Charges `cost` to the analyst's account and to every budget group, all or nothing.

        Claim: at any time, and after any crash, what an account spent is at least the exact sum of the costs of all
        receipts ever returned for it, and was at most its limit (with grants) right after each charge.
        Because: one transaction, durable before its reply, locks the parties in the order of their key, reads which
        accounts are theirs now, compares in exact numerics and adds; nothing subtracts, no reply means no receipt.
        Checked by: test_racing_connections_never_overspend, test_no_receipt_is_lost_in_a_crash.

        limit, group_limits: of the policy as it is now, in the account's coordinates.
        epsilon: what the analyst asked for.
        Raises PrivacyBudgetExceeded where less is left, LedgerUnavailable where nothing is known of the charge.
        """
        _must_be_exact(cost)
        names = [name for name, _ in group_limits]
        mains = [loss.main for _, loss in group_limits]
        deltas = [loss.delta for _, loss in group_limits]
        paid = (*self._of(ref), statement[:_STATEMENT_LENGTH], epsilon, cost.main, cost.delta)
        before = self._remembered.of(ref.analyst)
        [row] = await self._run("charge", _CHARGE, (*paid, limit.main, limit.delta, names, mains, deltas))
        receipt, period, ends, group, spent_main, spent_delta, left_main, left_delta, stopped = row
        spent, left = Loss(spent_main, spent_delta), Loss(left_main, left_delta)
        if receipt is None:
            delta = dict(group_limits)[group].delta if group else limit.delta
            raise exceeded(Shortage(self._accounting, epsilon, cost.delta, spent, left, delta, group, ends))
        self._remembered.check(ref.analyst, before, (period, spent), cost)
        return Receipt(receipt, spent, left, stopped, period)

    async def settle(self, receipt_id: int, outcome: Outcome) -> None:
        """Writes down what became of a charge, once. The money stays spent, so this need not outlive a crash."""
        await self._run(
            "settle",
            "WITH lazy AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))"
            " UPDATE dp.charges SET outcome = %s FROM lazy WHERE id = %s AND outcome = 'charged'",
            (outcome.value, receipt_id),
        )

    async def standing(self, ref: AccountRef) -> Standing:
        """The current account as it stands; one that was never charged has spent nothing."""
        return await self._standing("analyst", ref)

    async def group_standing(self, group: str) -> Standing:
        """A budget group's account as it stands."""
        return await self._standing("budget", AccountRef(group))

    async def standings(self) -> tuple[Standing, ...]:
        """All accounts of analysts that were ever charged or granted to, by name and period. Their ends are not told:
        which of them are current, only `standing` says."""
        rows = await self._run(
            "standings",
            "SELECT name, period, NULL::timestamptz, main, delta, granted_main, granted_delta, granted_epsilon,"
            " granted_own_delta FROM dp.accounts WHERE kind = 'analyst'"
            " ORDER BY name, substring(period FROM '^(.*?)(?:#[0-9]+)?$'), length(period), period",
            (),
        )
        return tuple(_standing(*row) for row in rows)

    async def statements(self, analyst: str, limit: int = 1000) -> tuple[Charge, ...]:
        """The analyst's latest charges, of all periods, newest first."""
        rows = await self._run(
            "statements",
            "SELECT c.id, t.charges::bigint + 1 - row_number() OVER (ORDER BY c.id DESC), c.at, c.period, c.statement,"
            " c.epsilon, c.main, c.delta, c.outcome, c.left_main, c.left_delta"
            " FROM (SELECT * FROM dp.charges WHERE analyst = %s ORDER BY id DESC LIMIT %s) AS c,"
            " (SELECT sum(charges) AS charges FROM dp.accounts WHERE kind = 'analyst' AND name = %s) AS t"
            " ORDER BY c.id DESC",
            (analyst, limit, analyst),
        )
        return tuple(_charge(*row) for row in rows)

    async def grant(self, ref: AccountRef, seen: Standing, epsilon: Decimal, delta: Decimal, extra: Loss) -> bool:
        """Raises the current account's limit by `extra`, for its period; a row of its own keeps it, and what the owner
        wrote. False where the account is not the one that was `seen`, or was granted more since: nothing is done then.
        """
        _must_be_exact(extra)
        had = (seen.period, seen.granted_epsilon, seen.granted_delta)
        [[done]] = await self._run(
            "grant",
            "SELECT dp.grant_more(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
            (*self._of(ref), *had, epsilon, delta, extra.main, extra.delta),
        )
        return bool(done)

    async def reset(self, ref: AccountRef) -> str:
        """Begins a new account of the analyst's current period, with nothing spent and nothing granted; its label.

        Claim: a charge is in the old account or in the new one, whole, and the old one stays as it was.
        Because: both lock the same row of dp.periods before they read which account is the current one.
        Checked by: test_charges_meet_resets.
        """
        return await self._begin_anew("analyst", ref)

    async def reset_group(self, group: str) -> str:
        """The same for a budget group, which no period ends."""
        return await self._begin_anew("budget", AccountRef(group))

    async def stop_analyst(self, analyst: str, reason: str) -> None:
        """Raises the alarm for an analyst: each later charge says `stopped` until the operator clears it."""
        await self._run(
            "stop_analyst",
            "WITH strict AS MATERIALIZED (SELECT set_config('synchronous_commit', 'on', true))"
            " INSERT INTO dp.alarms (analyst, reason) SELECT %s, %s FROM strict ON CONFLICT DO NOTHING",
            (analyst, reason),
        )

    async def clear(self, analyst: str) -> bool:
        """The operator has looked into it: the analyst's statements run again. The alarm stays on record. Whether there
        was one."""
        cleared = await self._run(
            "clear",
            "UPDATE dp.alarms SET cleared_at = clock_timestamp() WHERE analyst = %s AND cleared_at IS NULL"
            " RETURNING analyst",
            (analyst,),
        )
        return bool(cleared)

    async def clear_all(self) -> tuple[str, ...]:
        """The same for all who are stopped; who they were, in order."""
        cleared = await self._run(
            "clear_all",
            "UPDATE dp.alarms SET cleared_at = clock_timestamp() WHERE cleared_at IS NULL RETURNING analyst",
            (),
        )
        return tuple(sorted(str(analyst) for (analyst,) in cleared))

    async def stopped(self, analyst: str) -> bool:
        """Whether an alarm stands for the analyst."""
        rows = await self._run(
            "stopped",
            "SELECT EXISTS (SELECT FROM dp.alarms WHERE analyst = %s AND cleared_at IS NULL)",
            (analyst,),
        )
        return bool(rows[0][0])

    async def _standing(self, kind: str, ref: AccountRef) -> Standing:
        rows = await self._run(
            "standing",
            "SELECT %s::text, s.* FROM dp.standing(%s, %s, %s, %s) AS s",
            (ref.analyst, kind, ref.analyst, ref.reset.value, ref.data_version),
        )
        return _standing(*rows[0])

    async def _begin_anew(self, kind: str, ref: AccountRef) -> str:
        [[label]] = await self._run("reset", "SELECT dp.begin_anew(%s, %s, %s, %s, %s, %s)", (kind, *self._of(ref)))
        return str(label)

    def _of(self, ref: AccountRef) -> tuple[str, str, str, int, str]:
        """What the functions take first: whose account, for how many milliseconds it may be waited for, and how loss is
        counted."""
        wait = round(self._pool.patience * 1000)
        return ref.analyst, ref.reset.value, ref.data_version, wait, self._accounting.value

    async def _run(self, name: str, query: LiteralString, parameters: Sequence[object]) -> list[Row]:
        begun = perf_counter()
        rows = await self._pool.run(query, parameters)
        if self.observe is not None:
            self.observe(name, perf_counter() - begun)
        return rows


def _named(conninfo: str) -> str:
    """A database by what may be shown of where it is."""
    given = conninfo_to_dict(conninfo)
    where, user = given.get("host") or given.get("hostaddr") or "localhost", given.get("user")
    port = f":{given['port']}" if given.get("port") else ""
    return f'the database "{given.get("dbname")}" at {where}{port}' + (f' as "{user}"' if user else "")


def _told(cause: BaseException | None) -> str:
    """What the server or libpq said, in one line."""
    return (str(cause).splitlines() or [type(cause).__name__])[0]


def _must_be_exact(loss: Loss) -> None:
    """A negative amount would give back, and NaN compares as it likes: neither may reach the ledger."""
    for value in (loss.main, loss.delta):
        if not value.is_finite() or value < 0 or (Fraction(value) / Fraction(GRID)).denominator != 1:
            raise ValueError(f"not an amount on the grid of {GRID}: {value}")


def _standing(
    name: str,
    period: str,
    ends: datetime | None,
    main: Decimal,
    delta: Decimal,
    granted_main: Decimal,
    granted_delta: Decimal,
    epsilon: Decimal,
    own_delta: Decimal,
) -> Standing:
    return Standing(name, Loss(main, delta), Loss(granted_main, granted_delta), epsilon, own_delta, period, ends)


def _charge(
    id_: int,
    number: int,
    at: Any,
    period: str,
    statement: str,
    epsilon: Decimal,
    main: Decimal,
    delta: Decimal,
    outcome: str,
    left_main: Decimal,
    left_delta: Decimal,
) -> Charge:
    cost, left = Loss(main, delta), Loss(left_main, left_delta)
    return Charge(id_, number, at, period, statement, epsilon, cost, Outcome(outcome), left)

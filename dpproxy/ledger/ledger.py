"""The ledger: charge first, durably, and never give back."""

from __future__ import annotations

from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any

from dpproxy.accounting.loss import GRID, Accounting, Loss
from dpproxy.errors import PrivacyBudgetExceeded
from dpproxy.ledger import schema
from dpproxy.ledger.model import AccountRef, Charge, Outcome, Receipt, Standing
from dpproxy.ledger.pool import Pool

PATIENCE = 5.0
_STATEMENT_LENGTH = 8_000
_CHARGE = "SELECT * FROM dp.charge(%s, %s, %s, %s, %s, %s, %s, %s, %s::text[], %s::numeric[], %s::numeric[])"


class Ledger:
    """The accounts of all analysts, in a Postgres database. Raises LedgerUnavailable where that is not there."""

    def __init__(self, pool: Pool, accounting: Accounting) -> None:
        self._pool = pool
        self._accounting = accounting

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
            async with pool.connection() as connection:
                await schema.create(connection, accounting)
        except BaseException:
            await pool.close()
            raise
        return cls(pool, accounting)

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
        Because: one transaction, durable before its reply, locks the accounts in the order of their key, compares in
        exact numerics and adds; nothing subtracts, and no reply means no receipt.
        Checked by: test_racing_connections_never_overspend, test_no_receipt_is_lost_in_a_crash.

        limit, group_limits: of the policy as it is now, in the account's coordinates.
        epsilon: what the analyst asked for.
        Raises PrivacyBudgetExceeded where less is left, LedgerUnavailable where nothing is known of the charge.
        """
        _must_be_exact(cost)
        names = [name for name, _ in group_limits]
        mains = [loss.main for _, loss in group_limits]
        deltas = [loss.delta for _, loss in group_limits]
        paid = (ref.analyst, ref.period, statement[:_STATEMENT_LENGTH], epsilon, cost.main, cost.delta)
        [row] = await self._pool.run(_CHARGE, (*paid, limit.main, limit.delta, names, mains, deltas))
        receipt, group, spent_main, spent_delta, left_main, left_delta, stopped = row
        if receipt is None:
            raise _exceeded(self._accounting, group, cost, Loss(left_main, left_delta))
        return Receipt(receipt, Loss(spent_main, spent_delta), Loss(left_main, left_delta), stopped)

    async def settle(self, receipt_id: int, outcome: Outcome) -> None:
        """Writes down what became of a charge, once. The money stays spent, so this need not outlive a crash."""
        await self._pool.run(
            "WITH lazy AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))"
            " UPDATE dp.charges SET outcome = %s FROM lazy WHERE id = %s AND outcome = 'charged'",
            (outcome.value, receipt_id),
        )

    async def standing(self, ref: AccountRef) -> Standing:
        """The account as it stands; one that was never charged has spent nothing."""
        rows = await self._pool.run(
            "SELECT name, period, main, delta, granted_main, granted_delta, granted_epsilon, granted_own_delta"
            " FROM dp.accounts WHERE kind = 'analyst' AND name = %s AND period = %s",
            (ref.analyst, ref.period),
        )
        nothing = Decimal(0)
        return _standing((ref.analyst, ref.period, *[nothing] * 6)) if not rows else _standing(rows[0])

    async def standings(self) -> tuple[Standing, ...]:
        """All accounts of analysts that were ever charged or granted to, by name and period."""
        rows = await self._pool.run(
            "SELECT name, period, main, delta, granted_main, granted_delta, granted_epsilon, granted_own_delta"
            " FROM dp.accounts WHERE kind = 'analyst' ORDER BY name, period",
            (),
        )
        return tuple(map(_standing, rows))

    async def group_spent(self, group: str) -> Loss:
        """What all charges to a budget group come to."""
        rows = await self._pool.run(
            "SELECT coalesce(sum(main), 0), coalesce(sum(delta), 0) FROM dp.accounts"
            " WHERE kind = 'budget' AND name = %s",
            (group,),
        )
        return Loss(*rows[0])

    async def statements(self, analyst: str, limit: int = 1000) -> tuple[Charge, ...]:
        """The analyst's latest charges, newest first."""
        rows = await self._pool.run(
            "SELECT id, row_number() OVER (ORDER BY id), at, period, statement, epsilon, main, delta, outcome,"
            " left_main, left_delta FROM dp.charges WHERE analyst = %s ORDER BY id DESC LIMIT %s",
            (analyst, limit),
        )
        return tuple(_charge(*row) for row in rows)

    async def grant(self, ref: AccountRef, epsilon: Decimal, delta: Decimal, extra: Loss) -> None:
        """Raises an account's limit by `extra`, for good; a row of its own keeps it, and what the owner wrote."""
        _must_be_exact(extra)
        await self._pool.run(
            "WITH kept AS (INSERT INTO dp.grants (analyst, period, epsilon, delta, main, own_delta)"
            " VALUES (%s, %s, %s, %s, %s, %s) RETURNING *)"
            " INSERT INTO dp.accounts AS a"
            " (kind, name, period, granted_epsilon, granted_own_delta, granted_main, granted_delta)"
            " SELECT 'analyst', analyst, period, epsilon, delta, main, own_delta FROM kept"
            " ON CONFLICT (kind, name, period) DO UPDATE SET"
            " granted_epsilon = a.granted_epsilon + excluded.granted_epsilon,"
            " granted_own_delta = a.granted_own_delta + excluded.granted_own_delta,"
            " granted_main = a.granted_main + excluded.granted_main,"
            " granted_delta = a.granted_delta + excluded.granted_delta",
            (ref.analyst, ref.period, epsilon, delta, extra.main, extra.delta),
        )

    async def stop_analyst(self, analyst: str, reason: str) -> None:
        """Raises the alarm for an analyst: each later charge says `stopped` until the operator clears it."""
        await self._pool.run(
            "WITH strict AS MATERIALIZED (SELECT set_config('synchronous_commit', 'on', true))"
            " INSERT INTO dp.alarms (analyst, reason) SELECT %s, %s FROM strict ON CONFLICT DO NOTHING",
            (analyst, reason),
        )

    async def clear(self, analyst: str) -> None:
        """The operator has looked into it: the analyst's statements run again. The alarm stays on record."""
        await self._pool.run(
            "UPDATE dp.alarms SET cleared_at = clock_timestamp() WHERE analyst = %s AND cleared_at IS NULL", (analyst,)
        )

    async def stopped(self, analyst: str) -> bool:
        """Whether an alarm stands for the analyst."""
        rows = await self._pool.run(
            "SELECT EXISTS (SELECT FROM dp.alarms WHERE analyst = %s AND cleared_at IS NULL)", (analyst,)
        )
        return bool(rows[0][0])


def _must_be_exact(loss: Loss) -> None:
    """A negative amount would give back, and NaN compares as it likes: neither may reach the ledger."""
    for value in (loss.main, loss.delta):
        if not value.is_finite() or value < 0 or (Fraction(value) / Fraction(GRID)).denominator != 1:
            raise ValueError(f"not an amount on the grid of {GRID}: {value}")


def _standing(row: tuple[Any, ...]) -> Standing:
    analyst, period, main, delta, granted_main, granted_delta, epsilon, own_delta = row
    return Standing(
        AccountRef(analyst, period), Loss(main, delta), Loss(granted_main, granted_delta), epsilon, own_delta
    )


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


def _exceeded(accounting: Accounting, group: str | None, cost: Loss, left: Loss) -> PrivacyBudgetExceeded:
    """Says what it costs and what is left: both are functions of earlier statements' texts, never of the data."""
    unit = "epsilon" if accounting is Accounting.PURE else "rho"
    whose = "your budget" if group is None else f'the budget "{group}"'
    return PrivacyBudgetExceeded(
        f"the statement costs {_amounts(unit, cost)}, and {_amounts(unit, left)} are left of {whose}",
        hint=_what_fits(accounting, cost, left),
    )


def _amounts(unit: str, loss: Loss) -> str:
    return f"{unit} {_short(max(loss.main, Decimal(0)))}, delta {_short(max(loss.delta, Decimal(0)))}"


def _what_fits(accounting: Accounting, cost: Loss, left: Loss) -> str:
    if cost.delta > left.delta:
        return "Group by public keys, which cost no delta, SET dp.delta lower, or ask the owner for more."
    if left.main <= 0:
        return "Nothing is left to spend; ask the owner for more."
    epsilon = left.main if accounting is Accounting.PURE else (2 * left.main).sqrt(Context(prec=60))
    return f"SET dp.epsilon = {_short(epsilon)} or less, or ask the owner for more."


def _short(value: Decimal) -> str:
    """Six digits, rounded down: what is named as left is there."""
    return f"{Context(prec=6, rounding=ROUND_FLOOR).create_decimal(value).normalize():g}"

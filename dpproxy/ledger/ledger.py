"""The ledger: charge first, durably, and never give back."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from decimal import Decimal
from time import perf_counter
from typing import LiteralString, TypeVar

from dpproxy.accounting.account import Terms
from dpproxy.accounting.dominating_pairs import Pairs
from dpproxy.accounting.history import History
from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.errors import LedgerUnavailable
from dpproxy.ledger import accounts_in_force, adopted_terms, migrations
from dpproxy.ledger.account_histories import AccountHistories
from dpproxy.ledger.accounts_in_force import AccountInForce, PartyTerms
from dpproxy.ledger.adopted_terms import Proposal
from dpproxy.ledger.adoption import PolicyTerms, TermChange
from dpproxy.ledger.approved_columns import ApprovedColumns
from dpproxy.ledger.budget_shortage import Shortage, exceeded
from dpproxy.ledger.chain_head import ChainHead, lost
from dpproxy.ledger.charge_batches import ChargeBatches, ChargeRequest
from dpproxy.ledger.connection_pool import LedgerConnections, Row, named, told
from dpproxy.ledger.gathered_requests import settled_outcomes, stopped_analysts, told_analysts
from dpproxy.ledger.ledger_reader import LedgerReader
from dpproxy.ledger.records import (
    MOST_ALARMS,
    AccountRef,
    Charge,
    HeldAccount,
    Outcome,
    Receipt,
    Standing,
    charge_of,
    must_be_exact,
    standing_of,
)
from dpproxy.ledger.release_store import ReleaseStore
from dpproxy.ledger.rollback_guard import RollbackGuard
from dpproxy.ledger.unit_losses import UnitLoss, report
from dpproxy.ledger.verification import Progress, Verification, verify

_T = TypeVar("_T")
PATIENCE = 5.0
_STATEMENT_LENGTH = 8_000
_MIGRATION_SECONDS = 600
_TRIES = 20
_IN_FORCE = "SELECT * FROM dp_ledger.in_force(%s::text[], %s::text[], %s::text[], %s)"
_HEAD = "SELECT l.identity, h.number, h.hash FROM dp_ledger.ledger l, dp_ledger.head h"
_ENTRY = """SELECT hash FROM dp_ledger.entries WHERE number = %s UNION ALL
    SELECT sha256(convert_to(identity::text, 'UTF8')) FROM dp_ledger.ledger WHERE %s = 0"""
_AT_START = "Nothing is served without the ledger: see to the server, or name another in [ledger] url."


class Ledger:
    """The accounts of all analysts, in a Postgres database. Raises LedgerUnavailable where that is not there.

    observe: told of each call that came back, by the method's name and its seconds. supplied: whether the engine has
    enough to do with what is charged already.
    """

    def __init__(self, pool: LedgerConnections, accounting: Accounting) -> None:
        self._pool = pool
        self._accounting = accounting
        self._batches = ChargeBatches(pool.run, pool.patience, accounting, supplied=lambda: self.supplied())
        gathered = pool.run, pool.patience
        self._settled, self._told = settled_outcomes(*gathered), told_analysts(*gathered)
        self._stopped = stopped_analysts(*gathered)
        self._remembered = RollbackGuard()
        self._histories = AccountHistories(self._run)
        self._known: dict[str, tuple[tuple[AccountRef, tuple[PartyTerms, ...]], tuple[AccountInForce, ...]]] = {}
        self.observe: Callable[[str, float], None] | None = None
        self.supplied: Callable[[], bool] = lambda: False

    @classmethod
    async def open(
        cls, conninfo: str, accounting: Accounting, *, patience: float = PATIENCE, connections: int = 8
    ) -> Ledger:
        """The ledger in the database that `conninfo` names, made there if it is the first time.

        patience: seconds that any one call may take before it is refused. Raises ConfigFault where the ledger's charges
        were made under another accounting.
        """
        pool = LedgerConnections(conninfo, patience, connections)
        try:
            async with pool.connection() as connection, asyncio.timeout(_MIGRATION_SECONDS):
                await migrations.create(connection, accounting)
        except LedgerUnavailable as fault:
            await pool.close()
            detail = f"ledger: {named(conninfo)}: {told(fault.__cause__)}"
            raise LedgerUnavailable(fault.message, detail=detail, hint=_AT_START) from fault.__cause__
        except BaseException:
            await pool.close()
            raise
        return cls(pool, accounting)

    def store(self, size: int, age: float | None = None) -> ReleaseStore:
        """The stored releases beside the accounts; see `ReleaseStore` for `size` and `age`."""
        return ReleaseStore(self._pool, size, age)

    def reader(self) -> LedgerReader:
        """For who looks at charges again and again."""
        return LedgerReader(self._run)

    def approved_columns(self) -> ApprovedColumns:
        """What is shown of public tables that list no columns."""
        return ApprovedColumns(self._run, self._wait)

    def connections(self) -> dict[str, int]:
        """How many there are now, used and idle, and how many there may be."""
        return self._pool.connections()

    async def close(self) -> None:
        """Closes the connections, when the charges that were sent are made."""
        await self._batches.close()
        await self._pool.close()

    async def charge(
        self,
        ref: AccountRef,
        cost: Loss,
        terms: Terms,
        groups: tuple[tuple[str, Terms], ...],
        statement: str,
        epsilon: Decimal,
        units: Collection[str] | None = None,
        pairs: Pairs | None = None,
    ) -> Receipt:
        """Charges `cost` to the analyst's accounts and to every budget group's, all or nothing.

        Claim: at any time, and after any crash, what an account spent is at least the exact sum of the costs of all
        receipts ever returned for it, and was at most its limit (with grants) right after each charge.
        Because: one transaction, durable before its reply, locks the parties in the order of their key, reads which
        accounts are theirs now, compares in exact numerics and adds, one charge after the other where several are made
        together (`charge_batches.py`); nothing subtracts, no reply means no receipt. The limits are those of the terms
        and grants that hold: both are compared under the lock.
        Checked by: tests/test_ledger.py::test_racing_connections_never_overspend, ::test_no_receipt_is_lost_in_a_crash.

        Claim: all answers that one account paid for are together (ε, δ)-differentially private for the account's ε and
        δ, although analysts choose each statement, its ε included, by the answers before it.
        Because: this function is a privacy filter, which lets a mechanism run only if the sum of all costs, its own
        included, is within a cap that was fixed before. The cost is fixed before the mechanism runs; the comparison is
        exact, and made under the lock, so that concurrent statements have one order. A refusal says nothing of rows: it
        is a function of costs. For such a filter the sum may be compared as if all costs had been fixed in advance.
        Pure: Rogers, Roth, Ullman and Vadhan (2016, the filter for basic composition): Σε within ε, Σδ within δ.
        zCDP, δ of key selection included: Feldman and Zrnic (2021, "Individual privacy accounting via a Rényi filter"),
        Whitehouse, Ramdas, Rogers and Wu (2023, "Fully adaptive composition", for approximate zCDP). In short: step i
        is, but for an event of probability δᵢ at most given all before, a mechanism whose outputs P, Q over neighbours
        have E[(P/Q)^(α−1)] <= e^((α−1)·α·ρᵢ) under P, for every order α, given all before. So the product of
        (P/Q)^(α−1) over all steps, times e^(−(α−1)·α·Σρᵢ), has mean 1 at most, whatever chose the ρᵢ: it is a
        supermartingale. On every path the filter keeps Σρᵢ within ρ, so that D_α of the whole is within ρ·α. And on
        every path Σδᵢ is within δ/2, so that no event happens but with that probability: the whole is
        δ/2-approximately ρ-zCDP, which is (ε, δ) by `accounting.terms`, whose other half of δ pays for ρ as an ε.
        Checked by: tests/test_policy_changes.py, against exact sums.

        terms, groups: of the policy as it is now. Group accounts are charged whether they have a cap or not.
        epsilon: what the analyst asked for. units: the unit classes whose rows are read; None: all there are. pairs: of
        what is told for it, for `history`; None: not known.
        Raises PrivacyBudgetExceeded where less is left, LedgerUnavailable where nothing is known of the charge.
        """
        must_be_exact(cost)
        parties = accounts_in_force.wanted(ref, terms, groups)
        for _ in range(_TRIES):
            holding = await self._holding(ref, parties)
            before = self._remembered.of(ref.analyst)
            text = statement[:_STATEMENT_LENGTH]
            asked = ChargeRequest(ref.data_version, holding, text, epsilon, cost, units, pairs)
            made = await self._timed("charge", self._batches.charge(asked))
            if not made.changed:
                break
            self._known.pop(ref.analyst, None)
        else:
            raise LedgerUnavailable("the accounts kept changing")
        accounts = made.after(holding)
        if made.id is None:
            raise exceeded(Shortage(self._accounting, epsilon, cost.delta, accounts[made.short - 1]))
        self._remembered.check(ref.analyst, before, (made.periods[0], accounts[0].held.standing.spent), cost)
        held = [each.held for each in accounts if each.kind == "analyst"]
        return accounts_in_force.receipt(made.id, made.stopped, held)

    async def settle(self, receipt_id: int, outcome: Outcome) -> None:
        """Writes down what became of a charge, once. The money stays spent, so this need not outlive a crash."""
        await self._timed("settle", self._settled.ask((receipt_id, outcome)))

    async def tell(self, receipt_id: int, analyst: str) -> bool:
        """Whether an alarm stands for the analyst, who is about to be told an answer. If not, the same statement writes
        down that the charge is answered, as `settle` does."""
        return await self._timed("tell", self._told.ask((receipt_id, analyst)))

    async def accounts(self, ref: AccountRef, terms: Terms) -> tuple[HeldAccount, ...]:
        """The analyst's accounts that hold, under a policy with these terms: the one of the adopted terms first. More
        than one only where another reset waits to be adopted."""
        party, *_ = accounts_in_force.wanted(ref, terms, ())
        return tuple(each.held for each in await self._in_force((party,), ref.data_version))

    async def group_account(self, group: str, cap: Terms | None) -> HeldAccount:
        """A budget group's account."""
        [found] = await self._in_force((accounts_in_force.group_wanted(group, cap),), "")
        return found.held

    async def history(self, standing: Standing) -> History:
        """What was charged to an analyst's account, by what its mechanisms were."""
        return await self._histories.of("analyst", standing)

    async def group_history(self, standing: Standing) -> History:
        """The same of a budget group's."""
        return await self._histories.of("budget", standing)

    async def standing(self, ref: AccountRef) -> Standing:
        """The account of this reset as it stands; one that was never charged has spent nothing."""
        return await self._standing("analyst", ref)

    async def group_standing(self, group: str) -> Standing:
        """A budget group's account as it stands."""
        return await self._standing("budget", AccountRef(group))

    async def proposal(self, promise: PolicyTerms) -> Proposal:
        """What of a policy is in force, and what waits to be adopted. Nothing is written."""
        return await adopted_terms.proposal(self._run, promise)

    async def meet(self, promise: PolicyTerms, command: str) -> tuple[TermChange, ...]:
        """Writes down the policy that is served from now on, and adopts what needs nobody's word; what is left waits.

        Raises ConfigFault where it protects other units than those that were charged for.
        """
        return await adopted_terms.meet(self._run, self._wait, promise, command)

    async def adopt(self, seen: Proposal, command: str) -> bool:
        """The owner confirms all that waited when it was seen. False, and nothing is done, where that changed since."""
        terms = (*seen.decided.by_itself, *(each.after for each in seen.decided.waiting))
        return await adopted_terms.adopt(self._run, self._wait, seen, terms, command)

    async def head(self) -> ChainHead:
        """The last entry of the chain."""
        [[identity, number, hash_]] = await self._run("head", _HEAD, ())
        return ChainHead(str(identity), number, bytes(hash_))

    async def lost(self, kept: ChainHead) -> str | None:
        """What is wrong with this ledger, which should know the head that was kept; None if nothing is."""
        rows = await self._run("head", _ENTRY, (kept.number, kept.number))
        now = await self.head()
        return lost(kept, now.ledger, bytes(rows[0][0]) if rows else None, now.number)

    async def verify(self, kept: ChainHead | None, progress: Progress) -> Verification:
        """Looks through all of it; see `verification.py`. Takes as long as it takes."""
        async with self._pool.connection() as connection:
            return await verify(connection, kept, progress)

    async def report(self, units: Collection[str], held_back: Decimal) -> tuple[UnitLoss, ...]:
        """What units of each class have lost in total."""
        async with self._pool.connection() as connection:
            return await report(connection, self._accounting, units, held_back)

    async def accept(self, kept: ChainHead) -> None:
        """The owner goes on with this ledger although it does not know the head that was kept: a row of its own."""
        parameters = (self._wait, kept.ledger, kept.number, kept.hash)
        await self._run("accept", "SELECT dp_ledger.accept(%s, %s::uuid, %s, %s)", parameters)

    async def standings(self) -> tuple[Standing, ...]:
        """All accounts of analysts that were ever charged or granted to, by name and period. Their ends are not told:
        which of them are current, only `standing` says."""
        rows = await self._run(
            "standings",
            "SELECT name, period, NULL::timestamptz, main, delta, granted_epsilon, granted_delta"
            " FROM dp_ledger.accounts WHERE kind = 'analyst'"
            " ORDER BY name, substring(period FROM '^(.*?)(?:#[0-9]+)?$'), length(period), period",
            (),
        )
        return tuple(standing_of(*row) for row in rows)

    async def statements(self, analyst: str, limit: int = 1000) -> tuple[Charge, ...]:
        """The analyst's latest charges, of all periods, newest first."""
        rows = await self._run(
            "statements",
            "SELECT c.id, t.charges::bigint + 1 - row_number() OVER (ORDER BY c.id DESC), c.at, c.period, c.statement,"
            " c.epsilon, c.main, c.delta, c.outcome, c.left_main, c.left_delta,"
            " a.main - coalesce(sum(c.main) OVER later, 0), a.delta - coalesce(sum(c.delta) OVER later, 0)"
            " FROM (SELECT * FROM dp_ledger.charges WHERE analyst = %s ORDER BY id DESC LIMIT %s) AS c"
            " CROSS JOIN (SELECT sum(charges) AS charges FROM dp_ledger.accounts"
            " WHERE kind = 'analyst' AND name = %s) AS t"
            " JOIN dp_ledger.accounts AS a ON a.kind = 'analyst' AND a.name = c.analyst AND a.period = c.period"
            " WINDOW later AS (PARTITION BY c.period ORDER BY c.id DESC"
            "                  ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) ORDER BY c.id DESC",
            (analyst, limit, analyst),
        )
        return tuple(charge_of(*row) for row in rows)

    async def grant(self, ref: AccountRef, seen: Standing, epsilon: Decimal, delta: Decimal) -> bool:
        """Adds to what the account of this reset may spend, for its current period; a row of its own keeps it. False
        where the account is not the one that was `seen`, or was granted more since: nothing is done then.
        """
        must_be_exact(Loss(epsilon, delta))
        had = (seen.period, seen.granted_epsilon, seen.granted_delta)
        [[done]] = await self._run(
            "grant",
            "SELECT dp_ledger.grant_more(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
            (*self._of(ref), *had, epsilon, delta),
        )
        return bool(done)

    async def reset(self, ref: AccountRef) -> str:
        """Begins a new account of the analyst's current period, with nothing spent and nothing granted; its label.

        Claim: a charge is in the old account or in the new one, whole, and the old one stays as it was.
        Because: both lock the same row of dp_ledger.periods before they read which account is the current one.
        Checked by: tests/test_periods.py::test_charges_meet_resets.
        """
        return await self._begin_anew("analyst", ref)

    async def reset_group(self, group: str) -> str:
        """The same for a budget group, which no period ends."""
        return await self._begin_anew("budget", AccountRef(group))

    async def stop_analyst(self, analyst: str, reason: str) -> None:
        """Raises the alarm for an analyst: each later charge says `stopped` until the operator clears it."""
        await self._run("stop_analyst", "SELECT dp_ledger.stop_analyst(%s, %s, %s)", (self._wait, analyst, reason))

    async def clear(self, analyst: str, most: int = MOST_ALARMS) -> bool:
        """The analyst's statements run again; the alarm stays on record. Whether there was one, of `most` in all.

        Claim: what failures tell an analyst in all is one of (n + 1)^most outcomes, n being the statements that they
        paid for. Because: each tells which of the statements since the last was the first to fail, if any was: from
        then on all answer alike until this, which is done so often at most.
        Checked by: tests/test_ledger.py::test_so_many_alarms_are_cleared_and_no_more.
        """
        [[cleared]] = await self._run("clear", "SELECT dp_ledger.clear(%s, %s, %s)", (self._wait, analyst, most))
        return bool(cleared)

    async def clear_all(self, most: int = MOST_ALARMS) -> tuple[str, ...]:
        """The same for all who are stopped; who they were, in order."""
        [[cleared]] = await self._run("clear_all", "SELECT dp_ledger.clear(%s, NULL, %s)", (self._wait, most))
        return tuple(sorted(cleared))

    async def alarms(self) -> dict[str, int]:
        """Those who are stopped, and how often each was so far."""
        rows = await self._run(
            "alarms",
            "SELECT m.analyst, count(*) FROM dp_ledger.alarms m WHERE EXISTS (SELECT FROM dp_ledger.alarms s"
            " WHERE s.analyst = m.analyst AND s.cleared_at IS NULL) GROUP BY m.analyst ORDER BY m.analyst",
            (),
        )
        return {str(analyst): int(count) for analyst, count in rows}

    async def stopped(self, analyst: str) -> bool:
        """Whether an alarm stands for the analyst."""
        return await self._timed("stopped", self._stopped.ask(analyst))

    async def _standing(self, kind: str, ref: AccountRef) -> Standing:
        rows = await self._run(
            "standing",
            "SELECT %s::text, s.* FROM dp_ledger.standing(%s, %s, %s, %s) AS s",
            (ref.analyst, kind, ref.analyst, ref.reset.value, ref.data_version),
        )
        return standing_of(*rows[0])

    async def _begin_anew(self, kind: str, ref: AccountRef) -> str:
        parameters = (kind, *self._of(ref))
        [[label]] = await self._run("reset", "SELECT dp_ledger.begin_anew(%s, %s, %s, %s, %s, %s)", parameters)
        return str(label)

    async def _holding(self, ref: AccountRef, parties: tuple[PartyTerms, ...]) -> tuple[AccountInForce, ...]:
        """The accounts of a charge as they were when they were read last: whoever charges compares."""
        known = self._known.get(ref.analyst)
        if known is not None and known[0] == (ref, parties):
            return known[1]
        found = await self._in_force(parties, ref.data_version)
        self._known[ref.analyst] = ((ref, parties), found)
        return found

    async def _in_force(self, parties: tuple[PartyTerms, ...], data_version: str) -> tuple[AccountInForce, ...]:
        columns = ([p.kind for p in parties], [p.name for p in parties], [p.reset.value for p in parties])
        rows = await self._run("in_force", _IN_FORCE, (*columns, data_version))
        return accounts_in_force.accounts(self._accounting, parties, rows)

    @property
    def _wait(self) -> int:
        """For how many milliseconds a lock may be waited for."""
        return round(self._pool.patience * 1000)

    def _of(self, ref: AccountRef) -> tuple[str, str, str, int, str]:
        """What the functions take first: whose account, how long it may be waited for, and how loss is counted."""
        return ref.analyst, ref.reset.value, ref.data_version, self._wait, self._accounting.value

    async def _run(self, name: str, query: LiteralString, parameters: Sequence[object]) -> list[Row]:
        return await self._timed(name, self._pool.run(query, parameters))

    async def _timed(self, name: str, call: Awaitable[_T]) -> _T:
        begun = perf_counter()
        done = await call
        if self.observe is not None:
            self.observe(name, perf_counter() - begun)
        return done

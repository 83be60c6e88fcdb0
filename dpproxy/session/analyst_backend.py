"""What one session's private statements are planned, answered and explained by, and what is kept for it afterwards."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC
from decimal import Decimal
from functools import partial
from time import perf_counter
from typing import Final, Protocol, TypeVar

from dpproxy.accounting.account import Terms, told_remaining
from dpproxy.answering.answer import Answer, answer, price, times_of
from dpproxy.answering.public_keys import Sizes, known_sizes, sizes_of
from dpproxy.answering.queue import TooManyStatements
from dpproxy.answering.resources import AnalystAccount
from dpproxy.answering.run import OwnRows
from dpproxy.answering.stored import stored_releases
from dpproxy.engines import Ticket
from dpproxy.error_bars import TypicalColumn
from dpproxy.error_bars.foreseen import Asked, Remembered, remembered_of, remembered_with
from dpproxy.errors import DPProxyError, LedgerUnavailable, QueryCanceled
from dpproxy.observer import UNOBSERVED, SessionObserver
from dpproxy.plan.private_plan import Plan, ViewColumn
from dpproxy.plan.settings import Settings
from dpproxy.post_arrays import Array, arrays
from dpproxy.post_processing import told_of
from dpproxy.rewrite import read_settings
from dpproxy.rewrite.question import Question
from dpproxy.rewrite.reading.recursion import RecursiveQuery
from dpproxy.rows import Rows
from dpproxy.session import dp_tables
from dpproxy.session.aims import aimed, missed
from dpproxy.session.analyst_context import AnalystContext
from dpproxy.session.explained import explained
from dpproxy.session.gate import examine
from dpproxy.session.held_keys import with_room
from dpproxy.session.made_plans import found_recursive, plan_of
from dpproxy.session.noise_notices import noise_notice
from dpproxy.session.private_backend import PostParameters
from dpproxy.session.stored_filters import filterable, is_there, stored_filters
from dpproxy.session.time_parts import within_time
from dpproxy.session.verdicts import Explains, GateNames
from dpproxy.session.worked_out import WorkedOut, takes_long, worked_out

_log: Final = logging.getLogger(__name__)
_Made = TypeVar("_Made")
_MOST_REMEMBERED: Final = 500


class PolicyChanged(DPProxyError, sqlstate="40001"):
    """The statement was planned by a policy that is not the present one."""

    def __init__(self) -> None:
        hint = "Nothing was charged. Run it again."
        super().__init__("the policy has changed while the statement was planned", hint=hint)


class Elsewhere(Protocol):
    """Does work for an analyst that takes long, where it keeps nobody else waiting; the ticket cancels it."""

    async def __call__(self, analyst: str, ticket: Ticket, make: Callable[[], _Made], /) -> _Made:
        """What `make` returns. May raise DPProxyError before it is called."""
        ...


async def at_once(_analyst: str, _ticket: Ticket, make: Callable[[], _Made]) -> _Made:
    """Do it here and now."""
    return make()


class AnalystBackend:
    """The `PrivateBackend` of one session."""

    def __init__(
        self,
        find: Callable[[], AnalystContext],
        asked: frozenset[str] = frozenset(),
        elsewhere: Elsewhere = at_once,
        figured: Elsewhere = at_once,
        observer: SessionObserver = UNOBSERVED,
    ) -> None:
        """find: the analyst's context as it is now. asked: the `dp.*` settings that the client's startup packet set.
        elsewhere: where plans are made and long texts read. figured: where it is worked out what histories amount to:
        for who waits for a plan it would be long."""
        self._find = find
        self._asked = asked
        self._elsewhere = elsewhere
        self._figured = figured
        self._observer = observer
        self._last: tuple[Plan, tuple[Rows, ...]] | None = None
        self._told_before: dict[Asked, Remembered] = {}
        self.explained: tuple[AnalystContext, Plan] | None = None
        self._planned_by: AnalystContext | None = None
        self._read: tuple[dict[str, str | None], Terms, Settings] | None = None
        self._ticket: Ticket | None = None
        self._working = False

    @property
    def _context(self) -> AnalystContext:
        """Asked anew at each use: a reload puts another policy in its place."""
        return self._find()

    @property
    def names(self) -> GateNames:
        """What the gate looks out for."""
        return self._find().names

    @property
    def oids(self) -> Mapping[int, str]:
        """Stubs by OID."""
        return self._context.front.oids

    @property
    def types(self) -> Mapping[int, str]:
        """Postgres's own types by OID."""
        return self._context.front.types

    @property
    def own_bytes(self) -> int:
        """How many bytes the tables of the analyst's own may take."""
        return self._context.own_bytes

    def cancel(self) -> bool:
        """Cancel what is under way; False where the front may be at work for it, and is to be told, too.

        A private statement goes back and forth between the front, which hears a request only while it works, and the
        proxy: what it is at now is for nobody to know. So a request is remembered until the statement's end.
        """
        if self._ticket is not None:
            self._ticket.cancel()
        return self._working

    @contextmanager
    def statement(self) -> Iterator[None]:
        """See `PrivateBackend`."""
        self._ticket = Ticket()
        try:
            yield
        finally:
            self._ticket = None

    @contextmanager
    def _at_work(self) -> Iterator[Ticket]:
        """The ticket of work that is not the front's, begun now. Raises QueryCanceled where it was cancelled before."""
        before, ticket = self._ticket, self._ticket or Ticket()
        if ticket.canceled:
            raise QueryCanceled("canceling statement due to user request")
        self._ticket, self._working = ticket, True
        try:
            yield ticket
        finally:
            self._ticket, self._working = before, False

    def denied(self, tables: Iterable[str]) -> str | None:
        """The first of these tables that the policy does not give to the analyst."""
        allowed = self._context.account.catalog.tables
        return next((each for each in tables if each in self._context.catalog.tables and each not in allowed), None)

    def is_private(self, table: str) -> bool:
        """Whether the proxy answers for it: a private table, or one of its own."""
        found = self._context.catalog.tables.get(table)
        return found is None or not found.public

    def settings(self, raw: Mapping[str, str | None]) -> Settings:
        """Validated; raises InvalidPrivacySetting."""
        asked, terms = dict.fromkeys(self._asked, "on") | dict(raw), self._context.account.terms
        if self._read is None or self._read[:2] != (asked, terms):
            self._read = asked, terms, read_settings(asked, terms)
        return self._read[2]

    async def look_through(self, text: str) -> None:
        """The gate remembers a long text that it saw last."""
        names = self._context.names
        await self._cancelable(names.schema, lambda: examine(text, names))

    async def recursive_queries(self, question: Question) -> tuple[RecursiveQuery, ...]:
        """What of a statement the front has to work out before it is planned. Raises DPProxyError."""
        context = self._context
        return await self._cancelable(context.account.ref.analyst, lambda: found_recursive(context, question))

    async def plan(self, question: Question) -> Plan:
        """The plan, made now or lately for the same question. Raises DPProxyError."""
        self._observer.asked(question.sql)
        with self._timed():
            context = self._planned_by = self._context
            target = question.settings.target
            question, aim = await aimed(
                question,
                self._told_before,
                context.account.terms.max_epsilon,
                partial(self._planned, context),
                partial(self._is_stored, context),
            )
            plan = await self._planned(context, question)
            plan = plan if not plan.may_filter else await self._filtered(context, question, plan)
            return replace(plan, target=target, aim=aim) if aim else plan

    async def _is_stored(self, context: AnalystContext, plan: Plan) -> bool:
        known = await stored_releases(context.stored, context.account.ref.analyst, plan)
        return bool(known) and len(known) == len(plan.releases)

    async def _planned(self, context: AnalystContext, question: Question) -> Plan:
        made = partial(with_room, planned=partial(self._made, context), sizes_of=partial(self._sizes, context))
        return await within_time(question, made, context.resources.speed)

    async def _sizes(self, context: AnalystContext, plan: Plan) -> Sizes:
        resources = context.resources
        if (known := known_sizes(resources, plan)) is not None:
            return known
        with self._at_work() as ticket, resources.users.one():
            async with resources.turn(context.account.ref.analyst, ticket):
                return await sizes_of(resources, plan, ticket)

    async def _made(self, context: AnalystContext, question: Question) -> Plan:
        if (plan := context.plans.find(question)) is None:
            plan = await self._cancelable(context.account.ref.analyst, lambda: plan_of(context, question))
            context.plans.keep(question, plan)
        return plan

    async def _filtered(self, context: AnalystContext, question: Question, plan: Plan) -> Plan:
        """The plan, or one that filters the stored groups of an earlier statement."""
        analyst = context.account.ref.analyst
        earlier = await filterable(context, question, plan)
        if not earlier:
            return plan
        found = await self._cancelable(analyst, lambda: stored_filters(context, question, earlier))
        for each in found:
            try:
                other = await self._planned(context, each.question)
            except QueryCanceled:
                raise
            except DPProxyError:
                continue
            if await is_there(context, other, each):
                return replace(other, again=each.number)
        return plan

    async def _cancelable(self, analyst: str, make: Callable[[], _Made]) -> _Made:
        with self._at_work() as ticket:
            return await self._elsewhere(analyst, ticket, make)

    async def run(self, plan: Plan, statement: str, own: OwnRows) -> PostParameters:
        """Statements over the proxy's own tables alone cost nothing and leave no trace."""
        with self._timed():
            context, seen = self._context, await self._views(plan)
            if self._planned_by is not context:
                raise PolicyChanged
            if not plan.releases:
                return PostParameters(arrays(plan.post, told_of(plan, ()), seen), _notices(plan.notice))
            answered = await self._answered(context, plan, statement, own)
            made = await self._worked_out(context, plan, answered.released, seen)
            self._remember(plan, made.columns)
            notices = await self._notice(plan, answered, made)
            return PostParameters(made.arrays, notices, context.stored is not None and not plan.fresh)

    async def _worked_out(
        self, context: AnalystContext, plan: Plan, released: Sequence[Rows], seen: Mapping[str, Rows]
    ) -> WorkedOut:
        """What is made of a long answer is made where nobody waits for it. It was paid for: where there is no place, it
        is made here, whatever others wait for."""
        if not takes_long(plan, released):
            return worked_out(plan, released, seen)
        analyst = context.account.ref.analyst
        try:
            with self._at_work() as ticket:
                return await self._figured(analyst, ticket, lambda: worked_out(plan, released, seen))
        except TooManyStatements:
            return worked_out(plan, released, seen)

    def _remember(self, plan: Plan, columns: tuple[TypicalColumn, ...]) -> None:
        """What the session was told of its numbers; the oldest is forgotten."""
        known = remembered_with(self._told_before, remembered_of(plan, columns))
        self._told_before = dict(list(known.items())[-_MOST_REMEMBERED:])

    async def _answered(self, context: AnalystContext, plan: Plan, statement: str, own: OwnRows) -> Answer:
        try:
            with self._at_work() as ticket:
                answered = await answer(
                    context.resources, context.stored, context.account, plan, statement, ticket, own
                )
        except LedgerUnavailable as fault:
            _log.error("no charge for a statement of %s: %s", context.account.ref.analyst, fault.__cause__ or fault)
            raise
        self._last = plan, answered.released
        return answered

    async def explain(self, plan: Plan, use: Explains) -> Array:
        """The rows of EXPLAIN. Raises NotPrivate where the statement's time would tell."""
        with self._timed():
            context, account = self._context, self._context.account
            self.explained = context, plan
            if plan.releases:
                times_of(plan, context.resources.speed)
            held = await context.resources.ledger.accounts(account.ref, account.terms)
            known = await stored_releases(context.stored, account.ref.analyst, plan)
            before, analyst = self._told_before, account.ref.analyst
            return await self._cancelable(analyst, lambda: explained(plan, use, held, known, before))

    @contextmanager
    def _timed(self) -> Iterator[None]:
        begun = perf_counter()
        try:
            yield
        finally:
            self._observer.worked(perf_counter() - begun)

    def needs_loading(self, written: Iterable[str]) -> bool:
        """Whether some of these public tables are not known to hold their rows."""
        return not self._context.loaded.issuperset(self._allowed(written))

    async def load(self, written: Iterable[str]) -> None:
        """Copy them into the front."""
        analyst_context, tables = self._context, self._allowed(written)
        await analyst_context.publics.ensure(tables)
        analyst_context.loaded.update(tables)

    def _allowed(self, written: Iterable[str]) -> list[str]:
        """The public tables of these names; whoever may not use one is refused by the front, and needs no rows."""
        analyst_context = self._context
        tables = [analyst_context.public[each] for each in written if each in analyst_context.public]
        return [each for each in tables if each in analyst_context.account.catalog.tables]

    async def _notice(self, plan: Plan, answered: Answer, made: WorkedOut) -> tuple[str, ...]:
        account, receipt = self._context.account, answered.receipt
        known = {i: each for i, each in enumerate(answered.released) if i in answered.again}
        cost, epsilon = price(plan, known, account.terms.accounting)
        if receipt is None:
            remaining, delta = dp_tables.left(await self._context.resources.ledger.accounts(account.ref, account.terms))
        else:
            remaining, delta = told_remaining(receipt.terms or account.terms, receipt.spent), receipt.left.delta
        charged = (
            f"dpproxy: charged epsilon {_short(epsilon)}, delta {_short(cost.delta)}{_again(answered, plan.again)}; "
            f"remaining epsilon {_short(remaining)}, delta {_short(delta)}{f'; {plan.aim}' if plan.aim else ''}"
        )
        most = min(account.terms.max_epsilon, remaining)
        return _notices(charged, missed(plan, made.columns, most), noise_notice(plan, made.told, made.columns, most))

    async def _views(self, plan: Plan) -> dict[str, Rows]:
        wanted = dict.fromkeys(each.view for each in plan.post.inputs if isinstance(each, ViewColumn))
        return {view: await self._view(view, plan.epsilon) for view in wanted}

    async def _view(self, view: str, epsilon: Decimal) -> Rows:
        account, ledger = self._context.account, self._context.resources.ledger
        match view:
            case "budget":
                return await self._budget(account, epsilon)
            case "statements":
                return dp_tables.statements(account, await ledger.statements(account.ref.analyst))
            case "last_statement":
                return dp_tables.last_statement(*(self._last or (None, ())))
            case "tables":
                return dp_tables.tables(account.catalog)
            case "columns":
                return dp_tables.columns(account.catalog)
            case "functions":
                return dp_tables.functions()
            case other:
                raise KeyError(other)

    async def _budget(self, account: AnalystAccount, epsilon: Decimal) -> Rows:
        """What histories amount to is worked out elsewhere: it takes seconds, the first time."""
        ledger = self._context.resources.ledger
        held = await ledger.accounts(account.ref, account.terms)
        histories = [await ledger.history(each.standing) for each in held]
        analyst, otherwise = account.ref.analyst, account.terms
        with self._at_work() as ticket:
            figures = await self._figured(analyst, ticket, lambda: dp_tables.amounts(held, histories, otherwise))
        return dp_tables.budget(held, otherwise, figures, epsilon)


def _notices(*texts: str | None) -> tuple[str, ...]:
    return tuple(each for each in texts if each is not None)


def _again(answered: Answer, statement: int | None) -> str:
    """Which answers are stored ones, of when, and of which other statement; that is no secret: they were this
    analyst's."""
    if not answered.again:
        return ""
    latest = max(answered.again.values()).astimezone(UTC)
    part = "" if answered.receipt is None else f"{len(answered.again)} of {len(answered.released)} parts: "
    other = "" if statement is None else f", told again from statement {statement}"
    return f" ({part}stored release of {latest:%Y-%m-%d %H:%M:%S} UTC{other}; SET dp.fresh = on to pay for new noise)"


def _short(value: object) -> str:
    return f"{float(str(value)):.6g}"

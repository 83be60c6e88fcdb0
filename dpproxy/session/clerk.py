"""The desk of one session: plans, answers, explains, and keeps what the session is told afterwards."""

from __future__ import annotations

import logging
import traceback
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC
from typing import Final, Protocol, TypeVar

from dpproxy.answer import Account, OwnRows, Rooms, price
from dpproxy.catalog.model import Catalog
from dpproxy.catalog.views import VIEWS
from dpproxy.engines import Ticket
from dpproxy.errors import DPProxyError, InternalFault, LedgerUnavailable, RowsOfUnits
from dpproxy.front.schema import FrontCatalog
from dpproxy.plan.model import Plan, ViewColumn
from dpproxy.plan.settings import Settings
from dpproxy.post import Array, arrays
from dpproxy.recall import Memory, Told, stored, tell
from dpproxy.rewrite import plan_statement, read_settings
from dpproxy.rewrite.checker import CheckFault, check_plan
from dpproxy.rewrite.explain import explain_as, explain_text
from dpproxy.rewrite.preview import empty_preview
from dpproxy.rewrite.question import Question
from dpproxy.rows import Rows
from dpproxy.session import views
from dpproxy.session.desk import Answered
from dpproxy.session.gate import examine
from dpproxy.session.parser import DEEP, TooComplex
from dpproxy.session.verdicts import Names

MOST_PLANS: Final = 500
MOST_CHARACTERS: Final = 500_000
_log: Final = logging.getLogger(__name__)
_Key = tuple[object, ...]
_Made = TypeVar("_Made")


class PolicyChanged(DPProxyError, sqlstate="40001"):
    """The statement was planned by a policy that is not the present one."""

    def __init__(self) -> None:
        hint = "Nothing was charged. Run it again."
        super().__init__("the policy has changed while the statement was planned", hint=hint)


class Loader(Protocol):
    """Copies public tables into the front."""

    async def ensure(self, names: Iterable[str], /) -> None:
        """See to it that those of these tables that are public hold their rows."""
        ...


@dataclass(frozen=True, slots=True)
class Office:
    """What all sessions of one analyst share. `catalog` is the whole policy, `plans` those made lately.

    public: the policy's name of each public table, by its name as written. loaded: those known to hold their rows.
    reads: the parameters that plans of a statement read, by all else that they depend on.
    previews: whether a statement that would return rows of units is answered with none, instead of refused.
    memory: the stored releases, if any are kept.
    """

    rooms: Rooms
    account: Account
    catalog: Catalog
    front: FrontCatalog
    publics: Loader
    names: Names
    public: Mapping[str, str]
    loaded: set[str]
    previews: bool = False
    memory: Memory | None = None
    plans: OrderedDict[tuple[_Key, _Key], Plan] = field(default_factory=OrderedDict)
    reads: dict[_Key, set[frozenset[int]]] = field(default_factory=dict)


def office(
    rooms: Rooms,
    account: Account,
    catalog: Catalog,
    front: FrontCatalog,
    publics: Loader,
    loaded: set[str],
    previews: bool,
    memory: Memory | None = None,
) -> Office:
    """The office of an analyst. `catalog`: the whole policy; the account has the part that they may use."""
    private = [f"dp.{view}" for view in VIEWS] + [each.name for each in catalog.tables.values() if not each.public]
    public = {written: each.name for each in catalog.tables.values() if each.public for written in _written(each.name)}
    names = Names(
        frozenset(written for name in private for written in _written(name)),
        frozenset(public),
        account.ref.analyst,
        front.closed,
    )
    return Office(rooms, account, catalog, front, publics, names, public, loaded, previews, memory)


def _written(name: str) -> tuple[str, str]:
    """How a table of the policy may be written: its own name, and with its schema."""
    schema, _, relation = name.rpartition(".")
    return relation, f"{schema or 'public'}.{relation}"


class Apart(Protocol):
    """Does work for an analyst that takes long, where it keeps nobody else waiting; the ticket cancels it."""

    async def __call__(self, analyst: str, ticket: Ticket, make: Callable[[], _Made], /) -> _Made:
        """What `make` returns. May raise DPProxyError before it is called."""
        ...


async def at_once(_analyst: str, _ticket: Ticket, make: Callable[[], _Made]) -> _Made:
    """Do it here and now."""
    return make()


class Clerk:
    """The `Desk` of one session."""

    def __init__(self, find: Callable[[], Office], asked: frozenset[str] = frozenset(), apart: Apart = at_once) -> None:
        """find: the analyst's office as it is now. asked: the `dp.*` settings that the client's startup packet set.
        apart: where plans are made and long texts read."""
        self._find = find
        self._asked = asked
        self._apart = apart
        self._last: Plan | None = None
        self._planned_by: Office | None = None
        self._ticket: Ticket | None = None

    @property
    def _office(self) -> Office:
        """Asked anew at each use: a reload puts another policy in its place."""
        return self._find()

    @property
    def names(self) -> Names:
        """What the gate looks out for."""
        return self._office.names

    @property
    def oids(self) -> Mapping[int, str]:
        """Stubs by OID."""
        return self._office.front.oids

    @property
    def types(self) -> Mapping[int, str]:
        """Postgres's own types by OID."""
        return self._office.front.types

    def cancel(self) -> bool:
        """Cancel what runs in the engine; False if nothing does."""
        if self._ticket is None:
            return False
        self._ticket.cancel()
        return True

    def denied(self, tables: Iterable[str]) -> str | None:
        """The first of these tables that the policy does not give to the analyst."""
        allowed = self._office.account.catalog.tables
        return next((each for each in tables if each in self._office.catalog.tables and each not in allowed), None)

    def is_private(self, table: str) -> bool:
        """Whether the proxy answers for it: a private table, or one of its own."""
        found = self._office.catalog.tables.get(table)
        return found is None or not found.public

    def settings(self, raw: Mapping[str, str | None]) -> Settings:
        """Validated; raises InvalidPrivacySetting."""
        return read_settings(dict.fromkeys(self._asked, "on") | dict(raw), self._office.account.terms)

    async def look_through(self, text: str) -> None:
        """The gate remembers a long text that it saw last."""
        names = self._office.names
        await self._cancelable(names.schema, lambda: examine(text, names))

    async def plan(self, question: Question) -> Plan:
        """The plan, made now or lately for the same question. Raises DPProxyError.

        The same it is whatever the values of parameters that no release reads: those that only the post statement has.
        """
        office = self._planned_by = self._office
        plans, asked = office.plans, _asked(question)
        for numbers in office.reads.get(asked, ()):
            if (plan := plans.get((asked, _values(question, numbers)))) is not None:
                plans.move_to_end((asked, _values(question, numbers)))
                return plan
        plan = await self._cancelable(office.account.ref.analyst, lambda: _made(office, question))
        office.reads.setdefault(asked, set()).add(plan.reads)
        plans[asked, _values(question, plan.reads)] = plan
        _forget_oldest(office)
        return plan

    async def _cancelable(self, analyst: str, make: Callable[[], _Made]) -> _Made:
        self._ticket = ticket = Ticket()
        try:
            return await self._apart(analyst, ticket, make)
        finally:
            self._ticket = None

    async def answer(self, plan: Plan, statement: str, own: OwnRows) -> Answered:
        """Statements over the proxy's own tables alone cost nothing and leave no trace."""
        office, seen = self._office, await self._views(plan)
        if self._planned_by is not office:
            raise PolicyChanged
        if not plan.releases:
            return Answered(arrays(plan.post, (), seen), plan.notice)
        self._ticket = Ticket()
        try:
            told = await tell(office.rooms, office.memory, office.account, plan, statement, self._ticket, own)
        except LedgerUnavailable as fault:
            _log.error("no charge for a statement of %s: %s", office.account.ref.analyst, fault.__cause__ or fault)
            raise
        finally:
            self._ticket = None
        self._last = plan
        return Answered(arrays(plan.post, told.released, seen), await self._notice(plan, told))

    async def explain(self, plan: Plan, format_: str) -> Array:
        """The rows of EXPLAIN as text, json, xml or yaml."""
        account = self._office.account
        standing = await self._office.rooms.ledger.standing(account.ref)
        left = account.terms.limit + standing.granted - standing.spent
        epsilon = views.remaining(account.terms, standing.spent, left)
        known = await stored(self._office.memory, account.ref.analyst, plan)
        if format_ == "text":
            return explain_text(plan, epsilon, left.delta, known)
        return (explain_as(format_, plan, epsilon, left.delta, known),)

    def needs_loading(self, written: Iterable[str]) -> bool:
        """Whether some of these public tables are not known to hold their rows."""
        return not self._office.loaded.issuperset(self._allowed(written))

    async def load(self, written: Iterable[str]) -> None:
        """Copy them into the front."""
        office, tables = self._office, self._allowed(written)
        await office.publics.ensure(tables)
        office.loaded.update(tables)

    def _allowed(self, written: Iterable[str]) -> list[str]:
        """The public tables of these names; whoever may not use one is refused by the front, and needs no rows."""
        office = self._office
        tables = [office.public[each] for each in written if each in office.public]
        return [each for each in tables if each in office.account.catalog.tables]

    async def _notice(self, plan: Plan, told: Told) -> str:
        account, receipt = self._office.account, told.receipt
        known = {i: each for i, each in enumerate(told.released) if i in told.again}
        cost, epsilon = price(plan, known, account.terms.accounting)
        if receipt is None:
            standing = await self._office.rooms.ledger.standing(account.ref)
            spent, left = standing.spent, account.terms.limit + standing.granted - standing.spent
        else:
            spent, left = receipt.spent, receipt.left
        remaining = views.remaining(account.terms, spent, left)
        return (
            f"dpproxy: charged epsilon {_short(epsilon)}, delta {_short(cost.delta)}{_again(told)}; "
            f"remaining epsilon {_short(remaining)}, delta {_short(left.delta)}"
        )

    async def _views(self, plan: Plan) -> dict[str, Rows]:
        wanted = dict.fromkeys(each.view for each in plan.post.inputs if isinstance(each, ViewColumn))
        return {view: await self._view(view) for view in wanted}

    async def _view(self, view: str) -> Rows:
        account, ledger = self._office.account, self._office.rooms.ledger
        match view:
            case "budget":
                return views.budget(account, await ledger.standing(account.ref))
            case "statements":
                return views.statements(account, await ledger.statements(account.ref.analyst))
            case "last_statement":
                return views.last_statement(self._last)
            case "tables":
                return views.tables(account.catalog)
            case "columns":
                return views.columns(account.catalog)
            case other:
                raise KeyError(other)


def _forget_oldest(office: Office) -> None:
    """A plan is a hundred times as large as its text: there may be many of short statements, or some of long ones."""
    plans = office.plans
    while len(plans) > MOST_PLANS or (
        len(plans) > 1 and sum(len(each.post.sql) for each in plans.values()) > MOST_CHARACTERS
    ):
        (oldest, _), _ = plans.popitem(last=False)
        if not any(key[0] == oldest for key in plans):
            office.reads.pop(oldest, None)


def _made(office: Office, question: Question) -> Plan:
    """A plan by the policy of an office, verified. Raises DPProxyError."""
    account, dialect = office.account, office.rooms.engine.dialect
    try:
        plan = _planned(office, question)
        check_plan(plan, account.catalog, dialect, account.terms.accounting)
        return plan
    except DPProxyError:
        raise
    except RecursionError as fault:
        raise TooComplex(DEEP, hint="Write it with fewer nested operators.") from fault
    except Exception as fault:
        # A refusal of the checker, or a fault of the rewrite's: either way before any charge.
        _log.error("no plan for a statement of %s: %s", account.ref.analyst, _told(fault))
        raise InternalFault from fault


def _planned(office: Office, question: Question) -> Plan:
    account = office.account
    try:
        return plan_statement(question, account.catalog, account.terms, office.rooms.engine.dialect)
    except RowsOfUnits:
        if not office.previews or any(each.type == "unknown" for each in question.columns):
            raise
        return empty_preview(question)


def _asked(question: Question) -> _Key:
    """All that a plan may depend on, but for the values of parameters."""
    types = tuple(parameter.type for parameter in question.parameters)
    rest = {each.name: getattr(question, each.name) for each in fields(question)}
    meant = (tuple(sorted(rest.pop(each).items())) for each in ("names", "own"))
    del rest["parameters"]
    return (types, *meant, *rest.values())


def _values(question: Question, numbers: frozenset[int]) -> _Key:
    """The values of some parameters, with their numbers."""
    return tuple((number, question.parameters[number].text) for number in sorted(numbers))


def _told(fault: Exception) -> str:
    """What the log may hold of a fault: its kind and where it was, and the checker's reason, but no text of the SQL."""
    frames = traceback.extract_tb(fault.__traceback__)[-3:]
    where = " < ".join(f"{frame.name}:{frame.lineno}" for frame in reversed(frames))
    return f"{fault.reason} at {where}" if isinstance(fault, CheckFault) else f"{type(fault).__name__} at {where}"


def _again(told: Told) -> str:
    """Which answers are stored ones, and of when; that is no secret: they were this analyst's."""
    if not told.again:
        return ""
    latest = max(told.again.values()).astimezone(UTC)
    part = "" if told.receipt is None else f"{len(told.again)} of {len(told.released)} parts: "
    return f" ({part}stored release of {latest:%Y-%m-%d %H:%M:%S} UTC; SET dp.fresh = on to pay for new noise)"


def _short(value: object) -> str:
    return f"{float(str(value)):.6g}"

"""Budget: an answer without its charge, or a charge smaller than its loss, whatever happens at whichever await.

tests/test_answer_any_order.py drives `answer` over fakes by hand; here everything behind a plan is real (`dying.py`),
and the process really is gone. tests/test_crashes.py kills served proxies at random moments, tests/test_races.py has
fifty clients race; what is asked over the wire is in test_budget_over_wire.py and test_budget_killed.py.
"""

from __future__ import annotations

import asyncio
import itertools
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from lanes import sized
from scratch_postgres import MAJORS, scratch_postgres
from worlds import fitted, make_world
from worlds import plan as planned

import dpproxy.answering.answer
import dpproxy.answering.run
from attacks.dying import Asked, Seen, Site, Strike, recorded
from dpproxy.accounting.account import Terms, terms
from dpproxy.accounting.loss import ZERO, Accounting, Loss
from dpproxy.answering.resources import AnalystAccount
from dpproxy.catalog.policy import Catalog
from dpproxy.errors import DPProxyError
from dpproxy.ledger import Ledger
from dpproxy.ledger.records import AccountRef, Outcome, Receipt
from dpproxy.plan.private_plan import Plan
from dpproxy.release_identity import written
from dpproxy.rows import Rows

pytestmark = pytest.mark.long

TERMS = terms(Accounting.ZCDP, Decimal(12), Decimal("1e-5"))
GROUP = terms(Accounting.ZCDP, Decimal(20), Decimal("2e-5"))
STRIDE = sized(8, 8, 1)
EXAMPLES = sized(4, 4, 200)
# Each may be asked by itself; the last two share their first release, and all read a number that makes them new.
PLANS = (
    "SELECT city, count(*) FROM people WHERE age > (SELECT avg(age) FROM people WHERE income < {0}) GROUP BY city",
    "SELECT count(*) FROM people WHERE income < {0}",
    "SELECT sex, avg(age) FROM people WHERE income < {0} GROUP BY sex",
    "SELECT city, count(*), sum(age) FROM people WHERE income < {0} GROUP BY city",
    "SELECT sum(person_id), max(age), mode() WITHIN GROUP (ORDER BY sex) FROM people WHERE income < {0}",
    "SELECT sex, avg(age) FROM people WHERE income < {0} GROUP BY sex ORDER BY count(*) DESC LIMIT 1",
    "SELECT (SELECT count(*) FROM people WHERE income < {0}), (SELECT sum(age) FROM people WHERE income < {0})",
    "SELECT (SELECT count(*) FROM people WHERE income < {0}), (SELECT sum(age * 2) FROM people WHERE income < {0})",
)


@dataclass
class Books:
    """All that was seen of some analysts, and what the ledger says of them."""

    site: Site
    owner: psycopg.Connection[Any]
    seen: list[Seen] = field(default_factory=list)

    def check(self, group: str, *analysts: str) -> None:
        """No answer without its charge, no charge below its loss, nothing stored or told but what was paid.

        In one snapshot: a charge of one who died may be under way.
        """
        self.owner.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        with self.owner.transaction():
            self._check_group(group)
            charges, stored = self._charges(analysts), self._stored(analysts)
        paid: dict[tuple[str, str], set[str]] = defaultdict(set)
        for each in self.seen:
            own = charges.pop(each.statement, [])
            self._check_one(each, own)
            for release, rows in each.released:
                paid[each.analyst, repr(release)].add(rows)
        assert not charges, "a charge of nothing that was asked"
        for each in self.seen:
            for release, rows in zip(each.plan.releases, each.told.released if each.told else (), strict=False):
                assert written(rows) in paid[each.analyst, repr(release)], "told what was not paid for"
        every = {(analyst, rows) for (analyst, _), kept in paid.items() for rows in kept}
        for analyst, body in stored:
            assert (analyst, body) in every, "stored what was not paid for"

    def _check_one(self, seen: Seen, own: Sequence[dict[str, Any]]) -> None:
        assert len(own) <= 1, "charged twice for one execution"
        cost = Loss(own[0]["main"], own[0]["delta"]) if own else Loss(Decimal(0), Decimal(0))
        assert seen.lost.within(cost), "a charge smaller than its loss"
        assert own or not seen.queries, "data was touched without a charge"
        mechanisms = [applied for each in seen.plan.releases for applied in each.mechanisms]
        assert len(seen.drawn) <= len(mechanisms), "noise was drawn twice for one charge"
        if seen.told is not None:
            assert len(seen.told.released) == len(seen.plan.releases)
            new = len(seen.plan.releases) - len(seen.told.again)
            assert len(seen.released) == new
            assert (seen.told.receipt is None) == (new == 0), "new rows without a charge"
            ids = [each["id"] for each in own]
            assert seen.told.receipt is None or ids == [seen.told.receipt.id], "an answer without its charge"

    def _charges(self, analysts: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
        """By statement. The accounts are checked on the way: each is the exact sum, and within its limit."""
        found: dict[str, list[dict[str, Any]]] = defaultdict(list)
        spent: dict[tuple[str, str], list[Loss]] = defaultdict(list)
        for each in self._rows("SELECT * FROM dp_ledger.charges WHERE analyst = ANY (%s) ORDER BY id", analysts):
            found[each["statement"]].append(each)
            spent[each["analyst"], each["period"]].append(Loss(each["main"], each["delta"]))
        for each in self._rows("SELECT * FROM dp_ledger.accounts WHERE kind = 'analyst' AND name = ANY (%s)", analysts):
            charged = sum(spent.pop((each["name"], each["period"]), []), ZERO)
            assert charged == Loss(each["main"], each["delta"]), "an account is not the sum of its charges"
            whole = TERMS.epsilon + each["granted_epsilon"], TERMS.delta + each["granted_delta"]
            limit = terms(Accounting.ZCDP, *whole).limit
            assert Loss(each["main"], each["delta"]).within(limit), "an account over its limit"
        assert not spent
        return found

    def _check_group(self, group: str) -> None:
        """What all spend together is the sum too, and within its limit."""
        [total] = self._rows(
            "SELECT coalesce(sum(main), 0) AS main, coalesce(sum(delta), 0) AS delta FROM dp_ledger.charges"
            " WHERE statement LIKE %s",
            f"{group}: %",
        )
        for each in self._rows("SELECT main, delta FROM dp_ledger.accounts WHERE kind = 'budget' AND name = %s", group):
            assert each == total
            assert Loss(each["main"], each["delta"]).within(GROUP.limit), "a group over its limit"

    def _stored(self, analysts: Sequence[str]) -> list[tuple[str, str]]:
        rows = self._rows("SELECT * FROM dp_ledger.releases WHERE analyst = ANY (%s) AND body IS NOT NULL", analysts)
        return [(each["analyst"], each["body"]) for each in rows]

    def _rows(self, query: str, parameter: object) -> list[dict[str, Any]]:
        given = list(parameter) if isinstance(parameter, tuple) else parameter
        with self.owner.cursor(row_factory=psycopg.rows.dict_row) as cursor:
            return cursor.execute(query.encode(), (given,)).fetchall()


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> tuple[Catalog, Path]:
    directory = tmp_path_factory.mktemp("budget")
    return fitted(make_world(directory))[1], directory / "world.duckdb"


@pytest.fixture(scope="module")
def site(catalog: tuple[Catalog, Path]) -> Iterator[Site]:
    with (
        scratch_postgres(list(MAJORS.values())[-1]) as server,
        pytest.MonkeyPatch.context() as patch,
        recorded(patch, Accounting.ZCDP),
    ):
        yield Site(server.conninfo, catalog[1], Accounting.ZCDP)


@pytest.fixture(scope="module")
def owner(site: Site) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(site.conninfo, autocommit=True) as connection:
        yield connection


_numbers = itertools.count(1_000_000)


def made(catalog: Catalog, which: int, number: int, account: Terms = TERMS) -> Plan:
    return planned(PLANS[which].format(number), catalog, {"epsilon": "1"}, account=account)


def account(name: str, catalog: Catalog, group: str = "everyone") -> AnalystAccount:
    return AnalystAccount(AccountRef(name), catalog, TERMS, ((group, GROUP),))


def ask(which: AnalystAccount, plan: Plan, **more: Any) -> Asked:
    """With a text of its own, by which its charge is found."""
    return Asked(which, plan, f"{which.groups[0][0]}: statement {next(_numbers)}", **more)


@pytest.mark.parametrize("which", range(len(PLANS)))
def test_each_mechanism_is_drawn_from_once(
    site: Site, owner: psycopg.Connection[Any], catalog: tuple[Catalog, Path], which: int
) -> None:
    """And loses no more than was charged: what the other tests compare."""
    name, plan = f"once {next(_numbers)}", made(catalog[0], which, next(_numbers))
    (seen,), _ = site.run([ask(account(name, catalog[0], name), plan)])
    assert seen.told is not None, repr(seen.fault)
    assert len(seen.drawn) == sum(len(each.mechanisms) for each in plan.releases)
    Books(site, owner, [seen]).check(name, name)


@pytest.mark.parametrize("strike", list(Strike))
def test_struck_at_every_await(
    site: Site, owner: psycopg.Connection[Any], catalog: tuple[Catalog, Path], strike: Strike
) -> None:
    """At each await, one after the other, until nothing is left to be struck. Whoever asks again gets an answer: the
    one that was paid for, or a new one that is paid."""
    for at in itertools.count(1):
        awaits = struck_and_asked_again(site, owner, catalog[0], {at: strike})
        if awaits < at:
            break
    assert at > 10, "there are more awaits than that"


@pytest.mark.parametrize("strike", [Strike.GONE, Strike.TICKET, Strike.INNER])
def test_struck_at_an_await_and_dead_at_a_later_one(
    site: Site, owner: psycopg.Connection[Any], catalog: tuple[Catalog, Path], strike: Strike
) -> None:
    """Some pairs of awaits, all of them with BUDGET_PAIRS=1."""
    for first in itertools.count(1, STRIDE):
        for second in itertools.count(first + 1, STRIDE):
            awaits = struck_and_asked_again(site, owner, catalog[0], {first: strike, second: Strike.DEATH})
            if awaits < second:
                break
        if awaits < first:
            break


async def not_waited_for(charge: Any, self: Ledger, *given: Any) -> Receipt:
    """The answer would be sooner."""
    _errands.append(asyncio.ensure_future(charge(self, *given)))
    return Receipt(0, ZERO, ZERO, False)


async def given_back(settle: Any, self: Ledger, receipt: int, outcome: Outcome) -> None:
    """Whoever cancels gets the money back."""
    await settle(self, receipt, outcome)
    if outcome is not Outcome.ANSWERED:
        await self._run(
            "refund",
            "WITH gone AS (DELETE FROM dp_ledger.charges WHERE id = %s RETURNING *) UPDATE dp_ledger.accounts a"
            " SET main = a.main - gone.main, delta = a.delta - gone.delta FROM gone WHERE a.name = gone.analyst",
            (receipt,),
        )


def half_of_it(price: Any, *given: Any) -> Any:
    """A price that forgets a mechanism."""
    cost, epsilon = price(*given)
    return Loss(cost.main / 2, cost.delta), epsilon


def drawn_again(release: Any, *given: Any) -> Rows:
    """Noise that did not please."""
    release(*given)
    rows: Rows = release(*given)
    return rows


_errands: list[asyncio.Future[Any]] = []
PLANTED = (
    (Ledger, "charge", not_waited_for, Strike.DEATH),
    (Ledger, "settle", given_back, Strike.GONE),
    (dpproxy.answering.answer, "price", half_of_it, Strike.DEATH),
    (dpproxy.answering.run, "release", drawn_again, Strike.DEATH),
)


@pytest.mark.parametrize(("where", "name", "fault", "strike"), PLANTED, ids=[each[2].__name__ for each in PLANTED])
def test_a_planted_fault_is_found(
    site: Site,
    owner: psycopg.Connection[Any],
    catalog: tuple[Catalog, Path],
    monkeypatch: pytest.MonkeyPatch,
    where: object,
    name: str,
    fault: Any,
    strike: Strike,
) -> None:
    """What these tests are worth: with each of them the books do not come out right, at some await."""
    site.run([ask(account("first", catalog[0]), made(catalog[0], 1, 1))])
    was = getattr(where, name)
    monkeypatch.setattr(where, name, lambda *given: fault(was, *given))
    with pytest.raises(AssertionError, match=r"charge|loss|drawn"):
        for at in itertools.count(1):
            awaits = struck_and_asked_again(site, owner, catalog[0], {at: strike})
            if awaits < at:
                break


def struck_and_asked_again(
    site: Site, owner: psycopg.Connection[Any], catalog: Catalog, strikes: Mapping[int, Strike]
) -> int:
    """How many awaits there were."""
    name = f"struck{next(_numbers)}"
    who, plan = account(name, catalog, name), made(catalog, 0, next(_numbers))
    (struck,), awaits = site.run([ask(who, plan)], strikes)
    books = Books(site, owner, [struck])
    books.check(name, name)
    (again,), _ = site.run([ask(who, plan)])
    books.seen.append(again)
    books.check(name, name)
    assert again.told is not None, repr(again.fault)
    if struck.told is not None and again.told.receipt is None:
        assert list(map(written, again.told.released)) == list(map(written, struck.told.released))
    return awaits


_PLACES = st.integers(1, 40)
_STATEMENTS = st.tuples(
    st.integers(0, 1),  # who asks
    st.integers(0, len(PLANS) - 1),
    st.integers(0, 1),  # of which number
    st.booleans(),  # at which proxy
    st.sampled_from([False, False, False, True]),  # whether it is fresh
    st.sampled_from([False] * 9 + [True]),  # whether the engine fails
)


class Lives(RuleBasedStateMachine):
    """Lives of two proxies with one ledger: statements asked all at once, struck at some awaits, and asked again by
    those who come after. The owner resets, grants and clears alarms between them."""

    site: Site
    owner: psycopg.Connection[Any]
    catalog: Catalog

    @initialize()
    def open(self) -> None:
        self.group = f"machine{next(_numbers)}"
        self.names = [f"{self.group} {each}" for each in ("alice", "bob")]
        self.numbers = [next(_numbers), next(_numbers)]
        self.books = Books(self.site, self.owner)

    @rule(
        statements=st.lists(_STATEMENTS, min_size=1, max_size=4),
        strikes=st.dictionaries(_PLACES, st.sampled_from(list(Strike)), max_size=2),
    )
    def live(self, statements: list[tuple[int, int, int, bool, bool, bool]], strikes: Mapping[int, Strike]) -> None:
        asked = []
        for who, which, number, proxy, fresh, fails in statements:
            plan = replace(made(self.catalog, which, self.numbers[number]), fresh=fresh)
            asked.append(ask(account(self.names[who], self.catalog, self.group), plan, proxy=int(proxy), fails=fails))
        seen, _ = self.site.run(asked, strikes)
        self.books.seen += seen
        for each in seen:
            assert each.fault is None or isinstance(each.fault, DPProxyError | asyncio.CancelledError)

    @rule(who=st.integers(0, 1))
    def reset(self, who: int) -> None:
        self.owner.execute("SELECT dp_ledger.begin_anew('analyst', %s, 'never', '', 5000, 'zcdp')", (self.names[who],))

    @rule()
    def clear(self) -> None:
        self.owner.execute("UPDATE dp_ledger.alarms SET cleared_at = now() WHERE analyst = ANY (%s)", (self.names,))

    @invariant()
    def the_books_are_right(self) -> None:
        if hasattr(self, "books") and self.books.seen:
            self.books.check(self.group, *self.names)


def test_whatever_happens_every_answer_was_paid_for(
    site: Site, owner: psycopg.Connection[Any], catalog: tuple[Catalog, Path]
) -> None:
    site.run([ask(account("first", catalog[0]), made(catalog[0], 0, 1))])  # the ledger's tables are there then
    machine = type("Lives", (Lives,), {"site": site, "owner": owner, "catalog": catalog[0]})
    few = settings(
        max_examples=EXAMPLES, stateful_step_count=8, deadline=None, database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    run_state_machine_as_test(machine, settings=few)

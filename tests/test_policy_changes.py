"""The promise over edits of the policy: what was shown and confirmed is never exceeded, whatever is edited, granted,
reset or restored, in whatever order, by how many proxies."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import psycopg
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test
from scratch_postgres import INSTALLATIONS, ScratchPostgres, scratch_postgres
from test_budget_commands import change, move
from towns import Town, cells, serving

from dpproxy.accounting.account import Terms, terms
from dpproxy.accounting.conversion import epsilon_of_rho
from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.errors import ConfigFault, PrivacyBudgetExceeded
from dpproxy.ledger import AccountRef, Ledger, Reset
from dpproxy.ledger.accounts_in_force import tightest
from dpproxy.ledger.adoption import NEIGHBORS, PolicyTerm, PolicyTerms, TermKind, decided
from dpproxy.ledger.chain_head import ChainHead

pytestmark = pytest.mark.long

COUNT = "SELECT count(*) FROM people WHERE age > 17"
WEEK = datetime(2026, 11, 22, 12, tzinfo=UTC)
TABLES = (
    *("accounts", "charges", "grants", "periods", "resets", "policies", "adoptions", "acceptances", "carried"),
    *("entries", "head", "alarms"),
)


@pytest.fixture(scope="module")
def server() -> Iterator[ScratchPostgres]:
    if not INSTALLATIONS:
        pytest.skip("no Postgres on this machine")
    with scratch_postgres(list(INSTALLATIONS.values())[-1]) as running:
        yield running


@pytest.fixture
def empty(server: ScratchPostgres) -> ScratchPostgres:
    with psycopg.connect(server.conninfo, autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS dp, dp_ledger CASCADE")
    return server


@pytest.fixture
def town(
    empty: ScratchPostgres, tmp_path: object, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Town:
    """A town whose ledger is on the server, under pure accounting; alice has ε 1 for ever, half of it a statement."""
    town = Town(tmp_path, capsys, monkeypatch)  # type: ignore[arg-type]
    there = f"postgresql://{empty.owner}@/{empty.database}?host={empty.directory}"
    change(town, "[engine]\n", f'[ledger]\nurl = "{there}"\n\n[engine]\n')
    change(town, "[units.person]", '[privacy]\naccounting = "pure"\nstored_bytes = 0\n\n[units.person]')
    change(town, "epsilon = 5.0\ndelta = 1e-6\n[analysts.alice.defaults]", f"{ALICE}[analysts.alice.defaults]")
    return town


ALICE = 'reset = "never"\nepsilon = 1.0\ndelta = 1e-6\n'


def edit(town: Town, reset: str, epsilon: str = "1.0") -> None:
    """The policy's text for alice, anew."""
    text = town.config.read_text()
    begin = text.index('reset = "')
    end = text.index("[analysts.alice.defaults]")
    town.config.write_text(f'{text[:begin]}reset = "{reset}"\nepsilon = {epsilon}\ndelta = 1e-6\n{text[end:]}')


def answered(town: Town, most: int = 8) -> int:
    """How many statements of ε 0.5 a proxy answers to alice until it is enough."""
    with (
        serving(town.config) as (_, port),
        psycopg.connect(f"host=127.0.0.1 port={port} dbname=town user=alice", autocommit=True) as alice,
    ):
        for number in range(most):
            try:
                alice.execute(f"{COUNT} AND age <> {number}")  # type: ignore[arg-type]
            except psycopg.Error as fault:
                assert fault.sqlstate == "DP001"
                return number
        return most


def lost(server: ScratchPostgres) -> Decimal:
    with psycopg.connect(server.conninfo) as connection:
        row = connection.execute("SELECT coalesce(sum(main), 0) FROM dp_ledger.charges").fetchone()
        assert row is not None
        return Decimal(row[0])


@pytest.mark.long
def test_editing_the_reset_makes_no_budget(town: Town, server: ScratchPostgres) -> None:
    """Finding 4: never, monthly, weekly, daily gave four times ε. Each edit is a row, is shown, and waits."""
    assert answered(town) == 2
    for reset in ("monthly", "weekly", "daily"):
        edit(town, reset)
        ran = town.run("check")
        assert ran.status == 0
        assert "alice could spend epsilon" in ran.err and "it was epsilon 1 (never resets)" in ran.err
        assert f"dpproxy budget adopt --config {town.config}" in ran.err
        assert answered(town) == 0
    assert lost(server) == 1
    with psycopg.connect(server.conninfo) as connection:
        assert connection.execute("SELECT count(*), count(DISTINCT digest) FROM dp_ledger.policies").fetchone() == (
            4,
            4,
        )
    edit(town, "never")
    assert "not in force" not in town.run("check").err
    assert answered(town) == 0
    edit(town, "daily")
    move(server, "2027-03-01 12:00+00")
    ran = town.run("budget", "adopt", "--yes")
    assert ran.status == 0
    assert cells(ran.err, "analyst alice")[1:] == ["epsilon 1 (never resets)", "epsilon 366, delta 0.000366 (366 days)"]
    assert answered(town) == 2
    assert "Nothing waits" in town.run("budget", "adopt").err
    assert lost(server) == 2


@pytest.mark.long
def test_what_is_not_confirmed_is_not_adopted(town: Town, server: ScratchPostgres) -> None:
    assert answered(town) == 2
    edit(town, "never", "3.0")
    ran = town.plain("budget", "adopt", "--config", str(town.config), stdin="n\n")
    assert ran.status == 1
    assert answered(town) == 0
    assert town.plain("budget", "adopt", "--config", str(town.config), stdin="y\n").status == 0
    assert answered(town) == 4
    edit(town, "never", "3.5")
    assert town.run("budget", "grant", "alice", "--epsilon", "0.5").status == 0
    assert answered(town) == 1, "a grant is on top of what is in force"
    assert lost(server) == Decimal("3.5")


@pytest.mark.long
def test_a_cap_on_everyone_counts_what_was_spent_before(town: Town, server: ScratchPostgres) -> None:
    """Finding 3: six were spent under a cap of two, and `budget show` was content."""
    edit(town, "never", "6.0")
    change(town, "[budgets.everyone]\nepsilon = 20.0\ndelta = 1e-5\n", "")
    assert answered(town, 5) == 5
    town.config.write_text(f"{town.config.read_text()}\n[budgets.everyone]\nepsilon = 2\ndelta = 1e-5\n")
    shown = cells(town.run("budget", "show").out, "everyone together")
    assert (shown[2], shown[4], shown[6]) == ("2", "2.5", "0")
    assert answered(town) == 0
    change(town, "[budgets.everyone]\nepsilon = 2\ndelta = 1e-5\n", "")
    assert "everyone together could spend without a cap; it was epsilon 2" in town.run("check").err
    assert answered(town) == 0
    assert town.run("budget", "adopt", "--yes").status == 0
    assert answered(town, 1) == 1


def test_another_unit_has_to_be_confirmed(town: Town) -> None:
    assert answered(town) == 2
    text = town.config.read_text()
    change(town, 'key = "person_id"', 'key = "age"')
    ran = town.run("serve")
    assert ran.status == 1
    assert "protects other units" in ran.err and "people.age; it was people.person_id" in ran.err
    assert "people.age; it was people.person_id" in town.run("check").err
    town.config.write_text(text)
    assert answered(town) == 0


@pytest.mark.parametrize("accounting", [Accounting.PURE, Accounting.ZCDP])
async def test_a_grant_does_not_outlive_the_policy_it_was_made_for(
    empty: ScratchPostgres, accounting: Accounting
) -> None:
    """Finding 2: ε = 10, a grant of 1, then ε = 1: 2 is shown, and 3.64 could be spent under zCDP."""
    delta = Decimal("1e-6")
    alice = AccountRef("alice")
    ledger = await Ledger.open(empty.conninfo, accounting)
    ten, one = (terms(accounting, Decimal(each), delta) for each in (10, 1))
    await ledger.meet(promise(accounting, alice=(Reset.NEVER, ten)), "serve")
    assert await ledger.grant(alice, await ledger.standing(alice), Decimal(1), Decimal(0))
    await ledger.meet(promise(accounting, alice=(Reset.NEVER, one)), "serve")
    [held] = await ledger.accounts(alice, one)
    assert held.terms is not None and held.terms.epsilon == 2
    cost = Loss(Decimal("0.001"), Decimal(0))
    with pytest.raises(PrivacyBudgetExceeded):
        while True:
            receipt = await ledger.charge(alice, cost, one, (), "SELECT 1", Decimal("0.1"))
            if receipt.left.main > Decimal("0.05"):
                cost = Loss(receipt.left.main - Decimal("0.02"), Decimal(0))
            else:
                cost = Loss(Decimal("0.001"), Decimal(0))
    spent = (await ledger.standing(alice)).spent.main
    whole = spent if accounting is Accounting.PURE else epsilon_of_rho(spent, delta / 2)
    assert Decimal("1.9") < whole <= 2
    await ledger.close()


async def test_two_proxies_of_two_policies_are_held_to_what_was_adopted(empty: ScratchPostgres) -> None:
    """Also in the moment in which one of them is confirmed, and whatever was read before."""
    alice, monthly = AccountRef("alice"), AccountRef("alice", Reset.MONTHLY)
    one = terms(Accounting.PURE, Decimal(1), Decimal(0))
    two = [await Ledger.open(empty.conninfo, Accounting.PURE) for _ in range(2)]
    changed = promise(Accounting.PURE, alice=(Reset.MONTHLY, one))
    assert await two[0].meet(promise(Accounting.PURE, alice=(Reset.NEVER, one)), "serve") == ()
    await paid(two[0], alice, one, "0.6")
    [waiting] = await two[1].meet(changed, "serve")
    assert (waiting.before.meaning, waiting.after.meaning) == ("never", "monthly")
    await paid(two[1], monthly, one, "0.1")
    assert [each.standing.spent.main for each in await two[1].accounts(monthly, one)] == [
        Decimal("0.7"),
        Decimal("0.1"),
    ]
    for ledger, ref in zip(two, (alice, monthly), strict=True):
        with pytest.raises(PrivacyBudgetExceeded):
            await paid(ledger, ref, one, "0.4")
    seen = await two[1].proposal(changed)
    assert await two[1].adopt(seen, "budget adopt")
    assert not await two[1].adopt(seen, "budget adopt"), "it was adopted meanwhile"
    assert tightest(await two[0].accounts(alice, one)).standing.spent.main == Decimal("0.7")
    await paid(two[0], alice, one, "0.3")
    with pytest.raises(PrivacyBudgetExceeded):
        await paid(two[0], alice, one, "0.1")
    await paid(two[1], monthly, one, "0.6")
    with pytest.raises(PrivacyBudgetExceeded):
        await paid(two[1], monthly, one, "0.1")
    for ledger in two:
        await ledger.close()


async def test_what_races_with_an_adoption_is_wholly_before_or_after(empty: ScratchPostgres) -> None:
    """Charges that were sent under terms that were just replaced are worked out again, and none is lost or doubled."""
    ledger = await Ledger.open(empty.conninfo, Accounting.PURE, connections=20)
    steps = [terms(Accounting.PURE, Decimal(each) / 10, Decimal(0)) for each in range(1, 31)]
    await ledger.meet(promise(Accounting.PURE, alice=(Reset.NEVER, steps[0])), "serve")
    answers = 0

    async def spender() -> None:
        nonlocal answers
        while (await ledger.standing(AccountRef("alice"))).spent.main < 3:
            try:
                await paid(ledger, AccountRef("alice"), steps[-1], "0.1")
                answers += 1
            except PrivacyBudgetExceeded:
                await asyncio.sleep(0.001)

    spenders = asyncio.gather(*(spender() for _ in range(8)))
    for number, step in enumerate(steps[1:]):
        while answers < number - 2:  # no faster than charges are made, which are given up where terms keep changing
            await asyncio.sleep(0.001)
        raised = promise(Accounting.PURE, alice=(Reset.NEVER, step))
        while not await ledger.adopt(await ledger.proposal(raised), "budget adopt"):
            pass
        assert (await ledger.standing(AccountRef("alice"))).spent.main <= step.epsilon
    await asyncio.wait_for(spenders, 60)
    assert answers == 30
    await ledger.close()


def test_what_needs_no_word_of_the_owner() -> None:
    """By term: what was adopted, what the policy says, whether anything was charged to it, and what becomes of it."""
    person = PolicyTerm(TermKind.TABLE, "visits", "people.id")
    one = PolicyTerm(TermKind.ANALYST, "alice", "never", Decimal(1), Decimal("1e-6"))
    cap = PolicyTerm(TermKind.BUDGET, "everyone", "never", Decimal(2), Decimal("1e-6"))
    uncapped = replace(cap, epsilon=None, delta=Decimal(0))
    cases = [
        (None, one, True, "taken"),
        (one, replace(one, epsilon=Decimal("0.5")), True, "taken"),
        (one, replace(one, delta=Decimal("1e-7")), True, "taken"),
        (one, replace(one, epsilon=Decimal("1.0")), True, "same"),
        (one, replace(one, epsilon=Decimal(2)), True, "waits"),
        (one, replace(one, epsilon=Decimal(2)), False, "taken"),
        (one, replace(one, epsilon=Decimal("0.5"), delta=Decimal("2e-6")), True, "waits"),
        (one, replace(one, meaning="daily"), True, "waits"),
        (replace(one, meaning="daily"), one, True, "waits"),
        (uncapped, cap, True, "taken"),
        (cap, uncapped, True, "waits"),
        (uncapped, uncapped, True, "same"),
        (person, replace(person, meaning="people.household"), True, "waits"),
        (person, replace(person, meaning="people.household"), False, "taken"),
        (replace(person, meaning="no unit: it is public"), person, True, "taken"),
        (person, replace(person, meaning="no unit: it is public"), True, "waits"),
        (PolicyTerm(TermKind.NEIGHBORS, "", "rows"), PolicyTerm(TermKind.NEIGHBORS, "", NEIGHBORS), True, "waits"),
    ]
    for before, after, used, expected in cases:
        adopted = {} if before is None else {before.key: before}
        found = decided(adopted, [after], {after.key} if used else ())
        told = "taken" if found.by_itself else "waits" if found.waiting else "same"
        assert told == expected, (before, after, used)


async def test_other_units_over_charges_are_a_fault_until_they_are_adopted(empty: ScratchPostgres) -> None:
    ledger = await Ledger.open(empty.conninfo, Accounting.PURE)
    one = terms(Accounting.PURE, Decimal(1), Decimal(0))
    people, homes = (
        PolicyTerms(
            Accounting.PURE,
            "",
            (PolicyTerm(TermKind.TABLE, "people", key), PolicyTerm(TermKind.NEIGHBORS, "", NEIGHBORS)),
        )
        for key in ("people.id", "people.home")
    )
    for each in (people, homes, people):
        assert await ledger.meet(each, "serve") == ()
    await paid(ledger, AccountRef("alice"), one, "0.1")
    with pytest.raises(ConfigFault, match="protects other units") as fault:
        await ledger.meet(homes, "serve")
    assert "rows of people would be found by people.home; it was people.id" in (fault.value.detail or "")
    assert await ledger.adopt(await ledger.proposal(homes), "budget adopt")
    assert await ledger.meet(homes, "serve") == ()
    await ledger.close()


def promise(accounting: Accounting, cap: Terms | None = None, **analysts: tuple[Reset, Terms]) -> PolicyTerms:
    """What a policy of these analysts promises."""
    given = [
        PolicyTerm(TermKind.ANALYST, name, reset.value, of.epsilon, of.delta) for name, (reset, of) in analysts.items()
    ]
    together = (None, Decimal(0)) if cap is None else (cap.epsilon, cap.delta)
    return PolicyTerms(accounting, "", (*given, PolicyTerm(TermKind.BUDGET, "everyone", "never", *together)))


async def paid(ledger: Ledger, ref: AccountRef, of: Terms, epsilon: str, cap: Terms | None = None) -> None:
    groups = () if cap is None else (("everyone", cap),)
    await ledger.charge(ref, Loss(Decimal(epsilon), Decimal(0)), of, groups, "SELECT 1", Decimal(epsilon))


@dataclass(frozen=True)
class Given:
    """What a policy, or the ledger, gives to one party. epsilon: None where there is no cap."""

    reset: Reset
    epsilon: Fraction | None
    delta: Fraction

    def has_no_more_than(self, other: Given) -> bool:
        if self.reset is not other.reset:
            return False
        if self.epsilon is None or other.epsilon is None:
            return other.epsilon is None
        return self.epsilon <= other.epsilon and self.delta <= other.delta

    def terms(self) -> Terms | None:
        if self.epsilon is None:
            return None
        return terms(Accounting.PURE, exact(self.epsilon), exact(self.delta))


def exact(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


Key = tuple[str, Reset, str]
Amounts = tuple[Fraction, Fraction]
EPSILONS = st.integers(2, 12).map(lambda tenths: Fraction(tenths, 10))
DELTAS = st.sampled_from([Fraction(1, 10**6), Fraction(1, 10**7)])
RESETS = st.sampled_from([Reset.NEVER, Reset.MONTHLY, Reset.WEEKLY, Reset.DAILY])
UNCAPPED = Given(Reset.NEVER, None, Fraction(0))
BUDGETS = st.builds(Given, RESETS, EPSILONS, DELTAS)
CAPS = st.one_of(st.just(UNCAPPED), st.builds(Given, st.just(Reset.NEVER), EPSILONS, DELTAS))
COSTS = st.tuples(st.integers(1, 8).map(lambda t: Fraction(t, 10)), st.sampled_from([Fraction(0), Fraction(3, 10**7)]))
PROXIES, ANALYSTS = st.integers(0, 1), st.sampled_from(["alice", "bob"])


class Edits(RuleBasedStateMachine):
    """Two proxies, each with a policy of its own. The oracle keeps every loss as a fraction, and what was confirmed."""

    server: ScratchPostgres
    owner: psycopg.Connection[Any]
    ledgers: Sequence[Ledger]
    loop: asyncio.Runner

    @initialize(budgets=st.lists(BUDGETS, min_size=2, max_size=2), cap=CAPS)
    def begin(self, budgets: list[Given], cap: Given) -> None:
        self.owner.execute(f"TRUNCATE {', '.join(f'dp_ledger.{name}' for name in TABLES)} RESTART IDENTITY")
        self.owner.execute(
            "INSERT INTO dp_ledger.head"
            " SELECT true, 0, sha256(convert_to(identity::text, 'UTF8')) FROM dp_ledger.ledger"
        )
        for ledger in self.ledgers:
            ledger._remembered, ledger._known = type(ledger._remembered)(), {}
        self.now = WEEK
        self.move()
        self.adopted: dict[str, Given] = {}
        self.numbers: dict[tuple[str, str], int] = {}
        self.latest: dict[tuple[str, Reset], date] = {}
        self.spent = defaultdict[Key, Amounts](lambda: (Fraction(0), Fraction(0)))
        self.granted = defaultdict[Key, Fraction](Fraction)
        self.true = defaultdict[str, Amounts](lambda: (Fraction(0), Fraction(0)))
        self.confirmed = defaultdict[Key, Amounts](lambda: (Fraction(0), Fraction(0)))
        self.unbounded: set[Key] = set()
        self.kept: ChainHead | None = None
        self.older: ChainHead | None = None
        first = {"alice": budgets[0], "bob": budgets[1], "everyone": cap}
        self.policies = [dict(first), dict(first)]
        for proxy in (0, 1):
            self.served(proxy)

    def move(self) -> None:
        self.owner.execute("UPDATE public.moved SET at = %s", (self.now,))

    def key(self, party: str, reset: Reset) -> Key:
        """The account that is current, as the ledger should have it."""
        today = max(self.now.date(), self.latest.get((party, reset), date.min))
        base = {
            Reset.NEVER: "ever",
            Reset.DAILY: today.isoformat(),
            Reset.WEEKLY: "{}-W{:02}".format(*today.isocalendar()),
            Reset.MONTHLY: f"{today:%Y-%m}",
        }[reset]
        return party, reset, f"{base}#{self.numbers.get((party, base), 1)}"

    def touched(self, party: str, reset: Reset) -> None:
        self.latest[party, reset] = max(self.now.date(), self.latest.get((party, reset), date.min))

    def held(self, proxy: int, party: str) -> list[Given]:
        """What holds: the adopted terms and the proxy's own; the same reset is one account."""
        adopted, own = self.adopted[party], self.policies[proxy][party]
        return [adopted] if adopted == own else [adopted, own]

    def confirm(self, party: str) -> None:
        """The current account of the adopted terms may come to what they say, and never to less again."""
        given = self.adopted[party]
        key = self.key(party, given.reset)
        if given.epsilon is None:
            self.unbounded.add(key)
        else:
            before, whole = self.confirmed[key], (given.epsilon + self.granted[key], given.delta)
            self.confirmed[key] = max(before[0], whole[0]), max(before[1], whole[1])

    def promise(self, proxy: int) -> PolicyTerms:
        policy = self.policies[proxy]
        budgets = {name: (policy[name].reset, policy[name].terms()) for name in ("alice", "bob")}
        return promise(Accounting.PURE, policy["everyone"].terms(), **budgets)  # type: ignore[arg-type]

    def is_used(self, party: str) -> bool:
        keys = [key for key in {*self.spent, *self.granted} if key[0] == party]
        return any(any(self.spent[key]) or self.granted[key] for key in keys)

    def served(self, proxy: int) -> None:
        waiting = self.loop.run(self.ledgers[proxy].meet(self.promise(proxy), "serve"))
        for party, given in self.policies[proxy].items():
            before = self.adopted.get(party)
            if before is None or not self.is_used(party) or given.has_no_more_than(before):
                self.adopted[party] = given
        assert {each.after.name for each in waiting} == {
            party for party, given in self.policies[proxy].items() if given != self.adopted[party]
        }

    @rule(proxy=PROXIES, analyst=ANALYSTS, given=BUDGETS)
    def edit_a_budget(self, proxy: int, analyst: str, given: Given) -> None:
        self.policies[proxy][analyst] = given
        self.served(proxy)

    @rule(proxy=PROXIES, analyst=ANALYSTS, reset=RESETS)
    def edit_a_reset(self, proxy: int, analyst: str, reset: Reset) -> None:
        self.policies[proxy][analyst] = replace(self.policies[proxy][analyst], reset=reset)
        self.served(proxy)

    @rule(proxy=PROXIES, cap=CAPS)
    def edit_the_cap(self, proxy: int, cap: Given) -> None:
        self.policies[proxy]["everyone"] = cap
        self.served(proxy)

    @rule(proxy=PROXIES)
    def adopt(self, proxy: int) -> None:
        seen = self.loop.run(self.ledgers[proxy].proposal(self.promise(proxy)))
        assert self.loop.run(self.ledgers[proxy].adopt(seen, "budget adopt"))
        self.adopted |= self.policies[proxy]

    @rule(proxy=PROXIES, analyst=ANALYSTS, cost=COSTS)
    def charge(self, proxy: int, analyst: str, cost: Amounts) -> None:
        policy = self.policies[proxy]
        keys: dict[Key, None] = {}
        fits = True
        for party in (analyst, "everyone"):
            for given in self.held(proxy, party):
                key = self.key(party, given.reset)
                keys[key] = None
                if given.epsilon is not None:
                    fits = fits and self.spent[key][0] + cost[0] <= given.epsilon + self.granted[key]
                    fits = fits and self.spent[key][1] + cost[1] <= given.delta
        ref, own = AccountRef(analyst, policy[analyst].reset), policy[analyst].terms()
        cap = policy["everyone"].terms()
        groups = () if cap is None else (("everyone", cap),)
        asked = self.ledgers[proxy].charge(ref, Loss(*map(exact, cost)), own, groups, "q", exact(cost[0]))  # type: ignore[arg-type]
        try:
            self.loop.run(asked)
        except PrivacyBudgetExceeded:
            assert not fits
        else:
            assert fits
            for key in keys:
                self.spent[key] = self.spent[key][0] + cost[0], self.spent[key][1] + cost[1]
            self.true[analyst] = self.true[analyst][0] + cost[0], self.true[analyst][1] + cost[1]
        for party in (analyst, "everyone"):
            self.confirm(party)
        for party, reset, _ in keys:
            self.touched(party, reset)
        self.never_above_what_was_confirmed(analyst)

    def never_above_what_was_confirmed(self, analyst: str) -> None:
        """What was lost in truth, beside all accounts of terms that were adopted while it was lost."""
        whole = [most for key, most in self.confirmed.items() if key[0] == analyst]
        assert self.true[analyst][0] <= sum(most[0] for most in whole)
        assert self.true[analyst][1] <= sum(most[1] for most in whole)
        together = [self.true[each] for each in ("alice", "bob")]
        if not any(key[0] == "everyone" for key in self.unbounded):
            most = [most for key, most in self.confirmed.items() if key[0] == "everyone"]
            assert sum(each[0] for each in together) <= sum(each[0] for each in most)

    @rule(proxy=PROXIES, analyst=ANALYSTS, epsilon=EPSILONS)
    def grant(self, proxy: int, analyst: str, epsilon: Fraction) -> None:
        """As `dpproxy budget grant` does: to all accounts that hold."""
        ledger = self.ledgers[proxy]
        for reset in {given.reset: None for given in self.held(proxy, analyst)}:
            ref = AccountRef(analyst, reset)
            seen = self.loop.run(ledger.standing(ref))
            assert self.loop.run(ledger.grant(ref, seen, exact(epsilon), Decimal(0)))
            self.granted[self.key(analyst, reset)] += epsilon
            self.touched(analyst, reset)

    @rule(proxy=PROXIES, analyst=ANALYSTS)
    def reset(self, proxy: int, analyst: str) -> None:
        for reset in {given.reset: None for given in self.held(proxy, analyst)}:
            self.begin_anew(analyst, reset)
            self.loop.run(self.ledgers[proxy].reset(AccountRef(analyst, reset)))

    @rule(proxy=PROXIES)
    def reset_everyone(self, proxy: int) -> None:
        self.begin_anew("everyone", Reset.NEVER)
        self.loop.run(self.ledgers[proxy].reset_group("everyone"))

    def begin_anew(self, party: str, reset: Reset) -> None:
        base = self.key(party, reset)[2].partition("#")[0]
        self.numbers[party, base] = self.numbers.get((party, base), 1) + 1
        self.touched(party, reset)

    @rule(hours=st.integers(-200, 800))
    def the_clock_moves(self, hours: int) -> None:
        self.now += timedelta(hours=hours)
        self.move()

    @rule()
    def copy(self) -> None:
        """A copy of the ledger is taken; the head is kept as it is then."""
        self.owner.execute("DROP SCHEMA IF EXISTS copied CASCADE")
        self.copied("copied")
        self.older = self.loop.run(self.ledgers[0].head())

    @rule()
    def restore(self) -> None:
        """The copy is put in place, found out by the head that is kept elsewhere, and undone."""
        kept = self.loop.run(self.ledgers[0].head())
        if self.older is None:
            return
        self.owner.execute("DROP SCHEMA IF EXISTS newest CASCADE")
        self.copied("newest")
        self.put_in_place("copied")
        wrong = self.loop.run(self.ledgers[0].lost(kept))
        assert (wrong is None) == (self.older == kept)
        self.put_in_place("newest")
        assert self.loop.run(self.ledgers[0].lost(kept)) is None

    def copied(self, schema: str) -> None:
        self.owner.execute(f"CREATE SCHEMA {schema}")
        for name in TABLES:
            self.owner.execute(f"CREATE TABLE {schema}.{name} AS TABLE dp_ledger.{name}")

    def put_in_place(self, schema: str) -> None:
        with self.owner.transaction():
            self.owner.execute(f"TRUNCATE {', '.join(f'dp_ledger.{name}' for name in TABLES)}")
            for name in TABLES:
                self.owner.execute(f"INSERT INTO dp_ledger.{name} SELECT * FROM {schema}.{name}")

    def teardown(self) -> None:
        found = self.loop.run(self.ledgers[0].verify(None, lambda *_: None))
        assert found.faults == [
            "function dp_ledger.clock is another one than this version of dpproxy makes"
        ]  # the test's own


def test_whatever_is_edited(empty: ScratchPostgres) -> None:
    with asyncio.Runner() as runner, psycopg.connect(empty.conninfo, autocommit=True) as owner:
        ledgers = [runner.run(Ledger.open(empty.conninfo, Accounting.PURE)) for _ in range(2)]
        owner.execute("SET synchronous_commit = off")
        owner.execute("DROP TABLE IF EXISTS public.moved")
        owner.execute("CREATE TABLE public.moved (at timestamptz NOT NULL)")
        owner.execute("INSERT INTO public.moved VALUES (%s)", (WEEK,))
        owner.execute(
            "CREATE OR REPLACE FUNCTION dp_ledger.clock() RETURNS timestamptz LANGUAGE sql VOLATILE AS"
            " 'SELECT at FROM public.moved'"
        )

        class OnServer(Edits):
            pass

        OnServer.server, OnServer.owner, OnServer.ledgers, OnServer.loop = empty, owner, ledgers, runner
        run_state_machine_as_test(
            OnServer, settings=settings(max_examples=25, stateful_step_count=30, deadline=None, derandomize=True)
        )
        for ledger in ledgers:
            runner.run(ledger.close())

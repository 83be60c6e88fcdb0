"""The checker attacked: mutants of every plan of the fixtures, and of random ones, are refused, or do no harm.

A mutant that the checker takes is run over neighbouring worlds: it must keep the claims of its plan there, and fail for
no rows (`harm`). ATTACKED=500 draws so many mutants of each kind in place of the few that there are by default, and
tries all that are taken; WORLDS_ATTACKED=20 tries each over so many worlds.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from random import Random

import pytest
from lanes import sized
from neighbours import halls
from neighbours.dice import Dice
from neighbours.grammar import statement
from neighbours.trial import policy
from scratch_postgres import MAJORS
from sql_cases import by_file, cases
from worlds import TERMS, plan

from attacks.harm import Street, crowded, harm, street, street_in
from attacks.plan_mutants import claimed, loosened, of_bounded, with_release
from attacks.reads import faults
from attacks.sql_mutants import KINDS, Grown, grown
from dpproxy.errors import DPProxyError
from dpproxy.plan.private_plan import FromRelease, Literals, Plan
from dpproxy.rewrite.checker import CheckFault, check_plan
from dpproxy.rewrite.checker.limits import origin

pytestmark = pytest.mark.long

DIALECTS = ("duckdb", "postgres")
EACH = sized(0, 0, 500)
WORLDS = sized(1, 1, 20)
RANDOM = EACH or 8
TRIED = EACH or 1  # of the mutants of a kind that the checker takes
# The issue's own: a clip removed, a limit loosened, a key added, a function swapped, the unit changed.
NAMED = ("a clip removed", "a limit loosened", "a key added", "a function swapped", "the unit changed")
# What no plan may hold, wherever it stands.
NEVER = (
    "a subquery over everybody", "a hidden column", "a whole row", "a star", "a volatile function", "another schema",
)  # fmt: skip


@dataclass(frozen=True)
class Target:
    """Release `index` of an accepted plan."""

    plan: Plan
    index: int
    dialect: str

    @property
    def sql(self) -> str:
        return self.plan.releases[self.index].bounded.sql

    def mutant(self, sql: str) -> Plan:
        return with_release(self.plan, self.index, of_bounded(self.plan.releases[self.index], sql=sql))

    @cache  # noqa: B019
    def grown(self) -> Grown:
        return grown(self.sql, self.dialect, policy())


def refused(made: Plan, dialect: str) -> bool:
    try:
        check_plan(made, policy(), dialect, TERMS.accounting)
    except CheckFault:
        return True
    return False


@cache
def plans(dialect: str) -> tuple[Plan, ...]:
    """All plans of the fixtures, and as many random ones as are asked for."""
    asked = [(case.sql, case.settings) for path in by_file("rewrite") for case in cases(path)]
    asked += [(each.instead.sql, {}) for path in by_file("refuse") for each in cases(path) if each.instead]
    asked += [(made.sql, made.settings) for i in range(RANDOM) if (made := statement(Dice.seeded(f"attacked {i}")))]
    return tuple(made for sql, settings in asked if (made := _planned(sql, settings, dialect)) is not None)


def _planned(sql: str, settings: dict[str, str | None] | dict[str, str], dialect: str) -> Plan | None:
    try:
        return plan(sql, policy(), settings, dialect=dialect)
    except DPProxyError:
        return None


@cache
def targets(dialect: str) -> tuple[Target, ...]:
    """Each bounded SQL once."""
    found = {
        release.bounded.sql: Target(made, index, dialect)
        for made in plans(dialect)
        for index, release in enumerate(made.releases)
    }
    return tuple(found.values())


def drawn(kind: str, count: int, dialect: str, random: Random) -> Iterator[tuple[Target, Plan]]:
    """So many mutants of a kind, of targets at random."""
    made = 0
    while made < count:
        target = random.choice(targets(dialect))
        sites = [site for site in target.grown().sites if site.kind == kind]
        if not sites:
            continue
        sql = target.grown().mutant(random.choice(sites), dialect)
        if sql != target.grown().tree.sql(dialect):
            made += 1
            yield target, target.mutant(sql)


@dataclass
class Tally:
    """What became of the mutants of each kind."""

    refused: Counter[str]
    harmless: Counter[str]

    def __str__(self) -> str:
        kinds = [kind for kind in KINDS if self.refused[kind] or self.harmless[kind]]
        return "\n".join(f"{k}: {self.refused[k]} refused, {self.harmless[k]} taken, harmless" for k in kinds)


def attack(kinds: tuple[str, ...], count: int, dialect: str, streets: list[Street]) -> Tally:
    """Mutants of these kinds. Raises AssertionError for one that is taken, and does harm."""
    random, tally = Random(f"{dialect} {count} {kinds}"), Tally(Counter(), Counter())
    for kind in kinds:
        for target, made in drawn(kind, count, dialect, random):
            if refused(made, dialect):
                tally.refused[kind] += 1
                continue
            tried = streets if tally.harmless[kind] < TRIED else []
            told = [each for at in tried if (each := harm(made, target.index, at, random)) is not None]
            sql = made.releases[target.index].bounded.sql
            assert not told, f"{kind}: {told[0]}\nmutant: {sql}\nplanned: {target.sql}"
            tally.harmless[kind] += 1
    print(f"\n{dialect}\n{tally}")
    return tally


@pytest.fixture(scope="module")
def streets() -> Iterator[dict[str, list[Street]]]:
    """Neighbouring worlds in DuckDB."""
    with ExitStack() as stack:
        yield {
            "duckdb": [stack.enter_context(street(crowded(f"attacked {i}"), policy())) for i in range(WORLDS)],
            "postgres": [],
        }


def test_every_plan_is_a_target() -> None:
    for dialect in DIALECTS:
        assert len(targets(dialect)) > 350
        assert not any(refused(made, dialect) for made in plans(dialect))


@pytest.mark.parametrize("kind", NAMED)
def test_mutants_of_the_named_kinds_are_refused_or_harmless(kind: str, streets: dict[str, list[Street]]) -> None:
    tally = attack((kind,), EACH or 50, "duckdb", streets["duckdb"])
    assert tally.refused[kind] >= 25


def test_mutants_of_all_other_kinds_are_refused_or_harmless(streets: dict[str, list[Street]]) -> None:
    others = tuple(kind for kind in KINDS if kind not in (*NAMED, *NEVER))
    tally = attack(others, EACH or 8, "duckdb", streets["duckdb"])
    assert all(tally.refused[kind] for kind in others if kind not in ("a text changed", "a set operation swapped"))


def test_mutants_in_postgres_are_refused_or_harmless(tmp_path: Path) -> None:
    with halls.keyed(tmp_path, list(MAJORS.values())[-1]) as hall, street_in(hall, crowded("attacked 0")) as at:
        tally = attack(NAMED, EACH or 20, "postgres", [at])
        assert all(tally.refused[kind] >= 9 for kind in NAMED)
        attack(tuple(kind for kind in KINDS if kind not in (*NAMED, *NEVER)), EACH or 3, "postgres", [at])


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_no_plan_may_hold_is_refused_wherever_it_stands(dialect: str) -> None:
    """Volatile functions, files, other people's rows, hidden and system columns, other schemas, whole rows."""
    random = Random(dialect)
    for kind in NEVER:
        for target, made in drawn(kind, EACH or 10, dialect, random):
            assert refused(made, dialect), f"{kind}\nmutant: {made.releases[target.index].bounded.sql}"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_declared_keys_are_held_to_wherever_they_stand(dialect: str) -> None:
    """A limit that is counted by them has no step: without their filter a unit has NULL, and what nobody declared.
    Packed counts have no filter: they add what is declared, and nothing else (tests/test_packed_within_caps.py)."""
    found = Counter[str]()
    for target in targets(dialect):
        keys, releases = target.plan.releases[target.index].bounded.keys, target.plan.releases
        if not any(isinstance(origin(key, releases).domain, Literals) for key in keys) or re.search(
            r" & [1-9]", target.sql
        ):
            continue
        sites = [site for site in target.grown().sites if site.kind == "a filter on keys dropped"]
        assert sites, target.sql
        for site in sites:
            mutant = target.grown().mutant(site, dialect)
            assert refused(target.mutant(mutant), dialect), mutant
        found["of an earlier release" if isinstance(keys[0].domain, FromRelease) else "its own"] += 1
    assert found["of an earlier release"] >= 3 and found["its own"] > 50, found


@pytest.mark.parametrize("dialect", DIALECTS)
def test_loosened_plans_are_refused(dialect: str) -> None:
    random, found = Random(dialect), Counter[str]()
    for made in plans(dialect):
        mutants = [(kind, each) for kind, each in loosened(made) if each != made] if made.releases else []
        for kind, each in mutants if EACH else random.sample(mutants, k=min(1, len(mutants))):
            assert refused(each, dialect), f"{kind} of {made}"
            found[kind] += 1
    print(found)
    assert len(found) >= 15


def test_other_claims_are_refused_or_true(streets: dict[str, list[Street]]) -> None:
    """Another reason for no limit, other rows, another kind of measure: where they are taken, they hold."""
    random, found = Random("claims"), Counter[str]()
    for target in random.sample(targets("duckdb"), k=len(targets("duckdb")) if EACH else 20):
        for kind, each in claimed(replace(target.plan, releases=target.plan.releases)):
            if refused(each, "duckdb"):
                found[f"{kind} refused"] += 1
                continue
            changed = next(i for i, r in enumerate(each.releases) if r != target.plan.releases[i])
            at = random.choice(streets["duckdb"])
            assert harm(each, changed, at, random) is None, f"{kind}: {each.releases[changed].bounded}"
            found[f"{kind} true"] += 1
    print(found)
    assert found["limit refused"] > 20 and found["rows refused"] > 15


@pytest.mark.parametrize("kind", ["a clip removed", "a limit loosened", "the unit changed", "a join changed"])
def test_the_oracle_tells_harm(kind: str, streets: dict[str, list[Street]]) -> None:
    """Among the mutants that the checker refuses are those that break claims: it is not for nothing."""
    random = Random(f"teeth {kind}")
    told: Counter[str] = Counter()
    for target, made in drawn(kind, 400, "duckdb", random):
        if refused(made, "duckdb"):
            told[str(harm(made, target.index, streets["duckdb"][0], random))[:60]] += 1
        if len(told) > 3:
            return
    raise AssertionError(f"no harm told of {kind}: {told}")


def test_what_reads_more_is_told_by_the_second_look() -> None:
    """`reads.faults` is weaker than the checker, and yet sees most of what reads private rows without a bound."""
    random, seen = Random("second look"), Counter[str]()
    for kind in ("a subquery over everybody", "a hidden column", "another schema", "the unit changed"):
        for _, made in drawn(kind, 25, "duckdb", random):
            seen[kind] += bool(faults(made, policy(), "duckdb"))
    print(seen)
    assert all(count >= 8 for count in seen.values()), seen

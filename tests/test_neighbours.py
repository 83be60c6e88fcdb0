"""The heart of the guarantee: no unit moves a bounded result further than its plan claims, whatever the data.

Random worlds, random statements; every bounded SQL runs in DuckDB over the world and over each neighbour, which has
one unit less, or one heavy unit more. NEIGHBOURS=nightly runs 25 times as many.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import pytest
from hypothesis import HealthCheck, Phase, Verbosity, event, given, settings
from hypothesis import strategies as st
from neighbours.claims import broken, shown
from neighbours.data import Neighbours, World, opened, worlds
from neighbours.places import FAILURES
from neighbours.statements import Statement, statements
from worlds import fitted, make_world, plan

from dpproxy.catalog.model import Catalog
from dpproxy.engines import Query
from dpproxy.errors import DPProxyError
from dpproxy.plan.model import FromPublic, Limit, Plan, Release

NIGHTLY = os.environ.get("NEIGHBOURS") == "nightly"
WORLDS = 1500 if NIGHTLY else 60
CASES: Counter[str] = Counter()
_COMMON = {
    "deadline": None,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
    "verbosity": Verbosity.quiet,  # ClaimBroken says all that reproduces it
    "database": None,
    "phases": [Phase.generate, Phase.shrink] if NIGHTLY else [Phase.generate],  # a report is whole without shrinking
}


# Beside the random ones, over every world: a key that few random statements have, and whose limit is the policy's word.
ALWAYS = (
    Statement("SELECT flag, COUNT(*), SUM(quantity) FROM lineitem GROUP BY flag", {}),
    Statement("SELECT sex, COUNT(*), AVG(age) FROM people GROUP BY sex", {}),
)


class ClaimBroken(AssertionError):
    """A unit moved a result further than the plan claims, or the engine raised."""


@cache
def policy() -> Catalog:
    """The catalog of sql_fixtures/world.toml."""
    with TemporaryDirectory() as directory:
        return fitted(make_world(Path(directory)))[1]


def planned(statement: Statement) -> Plan | None:
    """The plan, or None where the statement is refused."""
    try:
        return plan(statement.sql, policy(), statement.settings)
    except DPProxyError as refusal:
        CASES["refused"] += 1
        event(f"refused: {refusal.message[:40]}")
        return None
    except Exception as fault:
        raise ClaimBroken(f"planning raised {fault!r}\nsettings: {statement.settings}\n{statement.sql}") from fault


def check(release: Release, statement: Statement, world: World, around: Neighbours) -> None:
    """Every neighbour against the claims of one release. Raises ClaimBroken with all that reproduces it."""
    name = "base"
    try:
        for key in release.bounded.keys:
            if isinstance(key.domain, FromPublic):
                assert all(len(row) > key.domain.column for row in around.base(Query(key.domain.sql)).rows)
        base = shown(release.bounded, around.base)
        for name, cursor in around.others.items():
            other = shown(release.bounded, cursor)
            one, less = (other, base) if name == "heavy" else (base, other)
            CASES["cases"] += 1
            CASES["moving"] += one != less
            if faults := list(broken(release, one, less)):
                raise AssertionError("\n".join(faults))
    except (AssertionError, *FAILURES, DPProxyError) as fault:
        raise ClaimBroken(_report(fault, release, statement, world, name)) from fault


def _report(fault: Exception, release: Release, statement: Statement, world: World, name: str) -> str:
    heavy = world.heavy.format(s="base") if name == "heavy" else ""
    return "\n".join(
        [
            f"{type(fault).__name__}: {fault}",
            f"neighbour: {name}",
            f"settings: {statement.settings}",
            f"statement: {statement.sql}",
            f"limit: {release.bounded.limit.name}, groups {release.bounded.groups}, rows {release.bounded.rows}",
            f"bounded: {release.bounded.sql}",
            f"world:\n{world.script('base')}{heavy}",
        ]
    )


Change = Callable[[Release], Release | None]


def examine(world: World, asked: list[Statement], change: Change) -> None:
    """Plan the statements and check every release that `change` gives."""
    found = [(made, statement) for statement in asked if (made := planned(statement)) is not None]
    releases = [(changed, statement) for made, statement in found for r in made.releases if (changed := change(r))]
    CASES["statements"] += len(asked)
    CASES.update(release.bounded.limit.name for release, _ in releases)
    with opened(world, policy()) as around:
        for release, statement in releases:
            check(release, statement, world, around)


@settings(max_examples=WORLDS, **_COMMON)
@given(world=worlds(), asked=st.lists(statements(), min_size=10, max_size=10))
def test_no_unit_moves_more_than_the_plan_claims(world: World, asked: list[Statement]) -> None:
    examine(world, [*asked, *ALWAYS], lambda release: release)


def test_most_statements_are_planned_and_enough_cases_ran() -> None:
    """What the test above counted, before anything is planted."""
    if not CASES["statements"]:
        pytest.skip("the test above has not run")
    print(f"\nneighbours: {dict(CASES)}")
    assert CASES["refused"] < CASES["statements"] / 2
    assert CASES["cases"] >= 15 * WORLDS and CASES["moving"] >= CASES["cases"] / 10
    assert all(CASES[limit.name] for limit in Limit)


def test_planning_reads_no_rows(tmp_path: Path) -> None:
    """The same plan, text for text, where a unit is gone from the file that the policy was fitted to."""
    (tmp_path / "other").mkdir()
    other = make_world(tmp_path / "other")
    with duckdb.connect(str(tmp_path / "other" / "world.duckdb")) as connection:
        connection.execute("DELETE FROM visits WHERE person_id = 7; DELETE FROM people WHERE person_id = 7")
    catalog = fitted(other)[1]
    assert catalog == policy()
    for sql in ("SELECT dept, avg(cost) FROM visits GROUP BY dept", "SELECT city, count(*) FROM people GROUP BY city"):
        assert plan(sql, catalog) == plan(sql, policy())


def _fewer_groups(release: Release) -> Release:
    """groups - 1, in the claim and in the noise that is made for it."""
    bounded = replace(release.bounded, groups=release.bounded.groups - 1)
    noises = [
        replace(n, sensitivity=bounded.sensitivity(m)) for n, m in zip(release.noises, bounded.measures, strict=True)
    ]
    return replace(release, bounded=bounded, noises=tuple(noises))


def _closer_bounds(release: Release) -> Release | None:
    """Every bound one step closer to 0."""
    bounded = release.bounded
    measures = [replace(m, lower=min(m.lower + 1, 0), upper=max(m.upper - 1, 0)) for m in bounded.measures]
    return replace(release, bounded=replace(bounded, measures=tuple(measures))) if measures else None


def _quieter(release: Release) -> Release | None:
    """Noise made for one step less."""
    noises = [replace(n, sensitivity=replace(n.sensitivity, linf=n.sensitivity.linf - 1)) for n in release.noises]
    return replace(release, noises=tuple(noises)) if noises else None


def _without(pattern: str, instead: str) -> Change:
    """The bounded SQL without a step of it."""

    def plant(release: Release) -> Release | None:
        changed, found = re.subn(pattern, instead, release.bounded.sql)
        return replace(release, bounded=replace(release.bounded, sql=changed)) if found else None

    return plant


PLANTED: dict[str, Change] = {
    "groups one too few": _fewer_groups,
    "bounds one step too close": _closer_bounds,
    "noise for one step less": _quieter,
    "rows of a unit are not clamped": _without(r"LEAST\(GREATEST\(COUNT\(\*\), 0\), \d+\)", "COUNT(*)"),
    "sums of a unit are not clamped": _without(
        r"LEAST\(GREATEST\((COALESCE\(SUM\(m0\), 0\)), -?\d+\), \d{1,18}\)", r"\1"
    ),
    "no limit of keys": _without(r"WHERE r <= \d+", ""),
    "a limit over all units at once": _without("PARTITION BY u ORDER BY", "ORDER BY"),
    "keys outside of their values": _without(r"\(k\d IN \((?:[^()]|\([^()]*\))*\)( OR k\d IS NULL)?\)", "TRUE"),
    "a join that mixes units": _without(r'ON \(s(\d)\."(person_id|custkey)" = s(\d)\."\2"\)', "ON TRUE"),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_noticed(name: str) -> None:
    """The harness has teeth: a plan that claims too much is caught, all but the rarest within the examples above."""

    @settings(max_examples=10 * WORLDS, **(_COMMON | {"phases": [Phase.generate]}))
    @given(world=worlds(), asked=st.lists(statements(), min_size=10, max_size=10))
    def hunt(world: World, asked: list[Statement]) -> None:
        examine(world, [*asked, *ALWAYS], PLANTED[name])

    with pytest.raises(ClaimBroken) as caught:
        hunt()
    assert isinstance(caught.value.__cause__, AssertionError)

"""Where nobody declared caps: no unit moves what the engine finds further than its clip and its spread claim.

Random worlds; statements of every form that is scaled down, and random ones; each bounded SQL runs over the world and
over each neighbour, which has one unit less, or one heavy unit more: in DuckDB, and in Postgres in the longer lanes.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import TypeVar

import duckdb
import pytest
from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis import strategies as st
from lanes import sized, thinned
from neighbours import halls
from neighbours.claims import Inputs, broken_gains
from neighbours.dag import reads_centres_alone, some_centres
from neighbours.data import Neighbours, World, opened, opened_in, worlds
from neighbours.places import FAILURES, Hall, Place, in_duckdb
from neighbours.statements import Statement, statements
from scratch_postgres import MAJORS
from uncapped import ACCOUNTS, STATEMENTS, capped, policy, uncapped
from worlds import plan
from worlds import uncapped as without_caps

from dpproxy.accounting.loss import Accounting
from dpproxy.canonical import canonical
from dpproxy.engines import EngineQuery
from dpproxy.errors import DPProxyError
from dpproxy.mechanisms.clipped_max import ClippedMax
from dpproxy.mechanisms.kinds import AtAClip
from dpproxy.mechanisms.norms import Norm, edge
from dpproxy.mechanisms.spread_selection import MOST_LONELY, WHOLE
from dpproxy.plan.private_plan import Bounded, FromPublic, Limit, Measure, MeasureKind, PrivateKeys, Release
from dpproxy.rows import Value

pytestmark = pytest.mark.larger

WORLDS, IN_POSTGRES = sized((1, 1), (2, 2), (1500, 500))
CASES: Counter[str] = Counter()
_COMMON = {
    "deadline": None,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
    "verbosity": Verbosity.quiet,
    "database": None,
    "phases": [Phase.generate],
}
Key = tuple[Value, ...]
Thing = TypeVar("Thing")


class ClaimBroken(AssertionError):
    """A unit moved more than the plan claims, or the engine raised."""


@dataclass
class Found:
    """What the engine finds: for each measure the units by bucket, and totals by bucket and key; weights by key."""

    units: list[Counter[int]]
    totals: list[Counter[tuple[int, Key]]]
    weights: Counter[Key] = field(default_factory=Counter)


def found(bounded: Bounded, place: Place, inputs: Inputs | None = None) -> Found:
    """Run it, with the centres that it reads, and read each row as `release` does. Raises AssertionError for rows that
    no release takes."""
    count, width = len(bounded.measures), len(bounded.keys)
    rows = place(EngineQuery(bounded.sql, inputs or {}))
    names = [each.name for each in bounded.keys] + [*bounded.before_measures]
    assert [each.name for each in rows.columns] == [*names, *(each.name for each in bounded.measures)]
    it = Found([Counter() for _ in range(count)], [Counter() for _ in range(count)])
    seen = set()
    for row in rows.rows:
        key = tuple(canonical(value, each.type) for value, each in zip(row, bounded.keys, strict=False))
        numbers = [None if value is None else _whole(value) for value in row[width:]]
        weight = numbers.pop(0) if bounded.counts_units else 0
        (units, *buckets), totals = numbers[: count + 1], numbers[count + 1 :]
        assert units is not None and weight is not None and units >= 0 and weight >= 0
        given_by = [at for at, bucket in enumerate(buckets) if bucket is not None]
        assert len(given_by) == min(count, 1)
        measure = given_by[0] if given_by else 0
        bucket = (buckets[measure] or 0) if count else 0
        assert bucket >= 0 and (key, measure, bucket) not in seen, "a row twice"
        seen.add((key, measure, bucket))
        if measure == 0:
            it.weights[key] += weight
        if count:
            it.units[measure][bucket] += units
            it.totals[measure][bucket, key] += totals[measure] or 0
    return it


def _whole(value: Value) -> int:
    assert not isinstance(value, bool | float) and value == int(value)  # type: ignore[arg-type]
    return int(value)  # type: ignore[arg-type]


def broken(bounded: Bounded, one: Found, other: Found) -> Iterator[str]:
    """Each claim that the step between neighbours breaks; `one` has the unit."""
    for index, measure in enumerate(bounded.measures):
        units = _step(one.units[index], other.units[index])
        totals = _step(one.totals[index], other.totals[index])
        if list(units.values()) not in ([], [1]):
            yield f"{measure.name}: units move by {units}"
            continue
        if measure.kind is MeasureKind.DISTINCT:
            yield from _broken_by_number(measure, totals)
            continue
        if any(bucket not in units for bucket, _ in totals):
            yield f"{measure.name}: totals move by {totals}, the unit is in {units}"
            continue
        steps = [abs(step) for step in totals.values()]
        if any(step > measure.bound for step in steps):
            yield f"{measure.name} moves by {totals}, its bound is {measure.bound}"
        if bounded.limit is not Limit.NORM_CLIPPED and len(steps) > 1:
            yield f"{measure.name} moves in {len(steps)} keys, of a unit that has one"
        length = sum(steps) ** 2 if bounded.clip is Norm.L1 else sum(step**2 for step in steps)
        if any(length > edge(bucket) ** 2 for bucket in units):
            yield f"{measure.name} moves by {totals}, beyond the edge of {units}"
    yield from _broken_weights(bounded, _step(one.weights, other.weights))


def _broken_by_number(measure: Measure, totals: dict[tuple[int, Key], int]) -> Iterator[str]:
    """Of distinct values in buckets up to any, a unit takes away no more than its edge, in all keys together."""
    for last in sorted({bucket for bucket, _ in totals}):
        moved: Counter[Key] = Counter()
        for (bucket, key), step in totals.items():
            moved[key] += step if bucket <= last else 0
        if any(step < 0 for step in moved.values()) or sum(moved.values()) > edge(last):
            yield f"{measure.name} up to bucket {last} moves by {dict(moved)}"
    taken: Counter[int] = Counter()
    for (bucket, _), step in totals.items():
        taken[bucket] += step
    yield from broken_gains(measure.name, taken)


def _broken_weights(bounded: Bounded, weights: dict[Key, int]) -> Iterator[str]:
    if any(step < 0 for step in weights.values()):
        yield f"weights move by {weights}"
    if bounded.spread is None:
        if list(weights.values()) not in ([], [1]):
            yield f"the unit counts in {weights}"
        return
    private = [place for place, key in enumerate(bounded.keys) if isinstance(key.domain, PrivateKeys)]
    parts: Counter[Key] = Counter()
    for key, step in weights.items():
        parts[tuple(key[place] for place in private)] += step
    length = sum(parts.values()) if bounded.spread is Norm.L1 else math.sqrt(sum(step**2 for step in parts.values()))
    if length > WHOLE:
        yield f"weights move by {length} parts: {parts}"


def _step(one: Counter[Thing], other: Counter[Thing]) -> dict[Thing, int]:
    return {key: one[key] - other[key] for key in one.keys() | other.keys() if one[key] != other[key]}


Change = Callable[[Release], Release | None]


def scaled(sql: str, raw: dict[str, str], accounting: Accounting, around: Neighbours) -> list[Release]:
    """The releases of a statement that are scaled down and read nothing that was released but centres."""
    try:
        made = plan(sql, around.catalog, raw, account=ACCOUNTS[accounting], dialect=around.dialect)
    except DPProxyError:
        CASES["refused"] += 1
        return []
    return [each for each in made.releases if each.bounded.clip is not None and reads_centres_alone(each)]


def check(release: Release, around: Neighbours) -> None:
    """Every neighbour against the claims. Raises ClaimBroken with what reproduces it but the world."""
    bounded, name = release.bounded, "base"
    CASES[bounded.limit.name] += 1
    CASES[f"spread {bounded.spread}"] += 1
    CASES["centred"] += bool(bounded.inputs)
    clips = [each.mechanism for each in release.mechanisms if isinstance(each.mechanism, AtAClip | ClippedMax)]
    try:
        assert [each.norm for each in clips] == [bounded.clip] * len(bounded.measures)
        inputs = some_centres(release, Random(CASES["cases"]))
        base = found(bounded, around.base, inputs)
        for name, place in around.others.items():
            other = found(bounded, place, inputs)
            one, less = (other, base) if name == "heavy" else (base, other)
            CASES["cases"] += 1
            CASES["moving"] += one != less
            if faults := list(broken(bounded, one, less)):
                raise AssertionError("\n".join(faults))
    except (AssertionError, *FAILURES, DPProxyError) as fault:
        raise ClaimBroken(f"{type(fault).__name__}: {fault}\nneighbour: {name}\n{bounded.sql}") from fault


def examine(
    world: World,
    asked: list[Statement],
    around: AbstractContextManager[Neighbours],
    change: Change = lambda release: release,
) -> None:
    """All statements in every accounting, the random ones in one."""
    with around as places:
        for accounting in Accounting:
            every = [Statement(sql, {}) for sql in STATEMENTS] + asked * (accounting is Accounting.ZCDP)
            for statement in every:
                for release in scaled(statement.sql, statement.settings, accounting, places):
                    if (changed := change(release)) is not None:
                        try:
                            check(changed, places)
                        except ClaimBroken as fault:
                            told = f"{statement}\n{world.script('base')}{world.heavy.format(s='base')}"
                            raise ClaimBroken(f"{fault}\n{told}") from fault.__cause__


@settings(max_examples=WORLDS, **_COMMON)
@given(world=worlds(), asked=st.lists(statements(), min_size=8, max_size=8))
def test_no_unit_moves_more_than_its_clip(world: World, asked: list[Statement]) -> None:
    examine(world, asked, opened(world, policy()))


@settings(max_examples=WORLDS, **_COMMON)
@given(world=worlds(), asked=st.lists(statements(), min_size=2, max_size=2))
def test_no_unit_moves_more_where_caps_only_end_the_search(world: World, asked: list[Statement]) -> None:
    examine(world, asked, opened(world, capped()))


def test_enough_cases_ran() -> None:
    """What the test above counted, before anything is planted."""
    if not CASES["cases"]:
        pytest.skip("the test above has not run")
    print(f"\nneighbours: {dict(CASES)}")
    assert CASES["cases"] >= 60 * WORLDS and CASES["moving"] >= CASES["cases"] / 10
    assert all(CASES[each.name] for each in (Limit.NORM_CLIPPED, Limit.NO_KEYS, Limit.KEY_OF_UNIT))
    assert all(CASES[f"spread {each}"] for each in (None, *Norm)) and CASES["centred"]


@pytest.mark.long
def test_no_unit_moves_more_in_postgres(tmp_path: Path) -> None:
    with halls.keyed(tmp_path, list(MAJORS.values())[-1]) as keyed:
        hall = Hall(keyed.connection, without_caps(keyed.catalog))
        CASES.clear()

        @settings(max_examples=IN_POSTGRES, **_COMMON)
        @given(world=worlds(), asked=st.lists(statements(), min_size=8, max_size=8))
        def hunt(world: World, asked: list[Statement]) -> None:
            examine(world, asked, opened_in(hall, world))

        hunt()
    print(f"\nneighbours in postgres: {dict(CASES)}")
    assert CASES["cases"] >= 40 * IN_POSTGRES and CASES["moving"] >= CASES["cases"] / 10


@pytest.mark.long
@pytest.mark.parametrize("accounting", Accounting)
@pytest.mark.parametrize("keys", [1, 2, 63, MOST_LONELY - 1, MOST_LONELY, MOST_LONELY + 1, 20_000])
def test_a_unit_of_many_keys(accounting: Accounting, keys: int) -> None:
    """It weighs one, or nothing beyond MOST_LONELY; and is one unit of one bucket all the same."""
    made = uncapped("SELECT visit_id, count(*), sum(cost) FROM visits GROUP BY visit_id", accounting)
    bounded = made.releases[0].bounded
    assert bounded.spread is bounded.clip
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE visits (visit_id BIGINT, person_id BIGINT, cost DOUBLE)")
        connection.execute("INSERT INTO visits SELECT i, 2, 7 FROM range(10) AS g(i)")
        other = found(bounded, in_duckdb(connection))
        connection.execute(f"INSERT INTO visits SELECT i, 1, 400 FROM range({keys}) AS g(i), range(3)")
        one = found(bounded, in_duckdb(connection))
    assert not list(broken(bounded, one, other))
    weighed = one.weights.total() - other.weights.total()
    assert weighed == 0 if keys > MOST_LONELY else weighed > 0
    assert [each.total() for each in one.units] == [2] * len(bounded.measures)
    assert sum(one.totals[0].values()) == 10 + 3 * keys


EXTREMES = ("9223372036854775807", "-9223372036854775808", "'1e308'", "'-1e308'", "'inf'", "'nan'", "NULL", "0.005")


@pytest.mark.parametrize("accounting", thinned(Accounting, 2))
def test_extreme_values_of_one_unit(accounting: Accounting) -> None:
    """Without bounds: thousands of the largest values overflow nothing, in the sum or in the squares."""
    tables = dict(policy().tables)
    tables["visits"] = replace(
        tables["visits"],
        columns=tuple(replace(each, bounds=None) if each.name == "cost" else each for each in tables["visits"].columns),
    )
    sql = "SELECT visit_id % 50, sum(cost), avg(cost), count(cost) FROM visits GROUP BY 1"
    last = uncapped(sql, accounting, catalog=replace(policy(), tables=tables)).releases[-1]
    bounded = last.bounded
    for at, value in enumerate(EXTREMES):
        inputs = some_centres(last, Random(at))
        with duckdb.connect() as connection:
            connection.execute("CREATE TABLE visits (visit_id BIGINT, person_id BIGINT, cost DOUBLE)")
            connection.execute("INSERT INTO visits VALUES (3, 2, 7), (4, 2, -1e300)")
            other = found(bounded, in_duckdb(connection), inputs)
            connection.execute(f"INSERT INTO visits SELECT i, 1, CAST({value} AS DOUBLE) FROM range(5000) AS g(i)")
            one = found(bounded, in_duckdb(connection), inputs)
        assert not list(broken(bounded, one, other)), value


def _without(pattern: str, instead: str) -> Change:
    """The bounded SQL with a step of it changed."""

    def plant(release: Release) -> Release | None:
        changed, count = re.subn(pattern, instead, release.bounded.sql)
        return replace(release, bounded=replace(release.bounded, sql=changed)) if count else None

    return plant


_SIZE = r"(ABS\(m\d\)|CAST\(m\d AS INT128\) \* m\d)"

PLANTED: dict[str, Change] = {
    "an edge rounded down": _without(r"CEIL\(LN", "FLOOR(LN"),
    "squares taken for sums": _without(r"11\.541560327111707", "5.7707801635558535"),
    "a norm of one row": _without(rf"SUM\({_SIZE}\) AS s", r"MIN(\1) AS s"),
    "sums without sizes": _without(r"SUM\(ABS\((m\d)\)\) AS s", r"SUM(\1) AS s"),
    "every row is the first": _without(r"CASE WHEN a\.r = g\.r THEN 1 ELSE 0 END", "1"),
    "each key weighs one": _without(r"CASE WHEN d > 4096 THEN 0 ELSE .*? END AS w", "1048576 AS w"),
    "weights rounded up": _without(r"FLOOR\(1048576", "CEIL(1 + 1048576"),
    "units norms over all": _without(rf"SUM\({_SIZE}\) AS s", r"SUM(SUM(\1)) OVER () AS s"),
    "a norm of others too": _without(r"ON a\.u = g\.u", "ON a.u <= g.u"),
}


@pytest.mark.long
@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_noticed(name: str) -> None:
    """The harness has teeth."""

    @settings(max_examples=10 * WORLDS, **_COMMON)
    @given(world=worlds(), asked=st.just([]))
    def hunt(world: World, asked: list[Statement]) -> None:
        examine(world, asked, opened(world, policy()), PLANTED[name])

    with pytest.raises(ClaimBroken) as caught:
        hunt()
    assert isinstance(caught.value.__cause__, AssertionError)


def test_public_rows_are_read_once() -> None:
    """Of the statements one at least has keys from a public table: their keys are dropped after units were counted."""
    releases = [each for sql in STATEMENTS for each in uncapped(sql).releases if each.bounded.clip is not None]
    assert any(isinstance(key.domain, FromPublic) for each in releases for key in each.bounded.keys)

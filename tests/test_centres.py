"""What averages are centred on: a release before tells it, for a small part of the price."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from statistics import median

import duckdb
import pytest
from complete_engines import COMPLETE
from neighbours.dag import CENTRES, noise_of
from neighbours.places import in_duckdb
from uncapped import policy, uncapped
from worlds import fitted as fitted_to
from worlds import make_world, plan

from dpproxy.accounting.loss import Accounting
from dpproxy.catalog.types import BIGINT
from dpproxy.engines import EngineQuery
from dpproxy.error_bars import ToldRows, margins
from dpproxy.estimates import Noised, estimate
from dpproxy.mechanisms.clipped_noise import ClippedNoise, TotalsByNorm
from dpproxy.mechanisms.noise import laplace
from dpproxy.mechanisms.noise_at_a_clip import PARTS, Clipped
from dpproxy.mechanisms.norms import edge
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.plan.formulas import CentreOf, MeanOf
from dpproxy.plan.private_plan import Bounded, Measure, MeasureKind, Plan, Release
from dpproxy.plan.space import key_space
from dpproxy.plan.told_columns import ReleasedColumn
from dpproxy.release import release
from dpproxy.rewrite.checker import CheckFault, check_plan
from dpproxy.rewrite.explain import explain_text
from dpproxy.rows import Column, Rows

AVERAGE = "SELECT avg(cost) FROM visits"
BY_FLOOR = "SELECT visit_id % 2 AS k, avg(cost) FROM visits WHERE visit_id % 2 IN (0, 1) GROUP BY 1"
DIALECTS = COMPLETE
FIRST = ReleasedColumn(0, 0)


def centres(made: Plan) -> list[ReleasedColumn | None]:
    """What each sum of distances is moved by, of the last release."""
    return [each.moved for each in made.releases[-1].bounded.measures if each.kind is MeasureKind.CENTRED]


# Which statements have one


@pytest.mark.parametrize("accounting", Accounting)
@pytest.mark.parametrize(
    ("sql", "found"),
    [
        (AVERAGE, [FIRST]),
        ("SELECT dept, count(*), avg(cost) FROM visits GROUP BY dept", [FIRST]),
        ("SELECT dept, avg(cost), stddev(cost), sum(cost) FROM visits GROUP BY dept", [FIRST]),
        ("SELECT corr(cost, visit_id) FROM visits", [FIRST, ReleasedColumn(0, 1)]),
        ("SELECT avg(cost), avg(cost) FILTER (WHERE dept = 'cardio') FROM visits", [FIRST, ReleasedColumn(0, 1)]),
        ("SELECT avg(person_id) FROM people", [FIRST]),
        ("SELECT sum(cost), count(cost) FROM visits", []),
        ("SELECT avg(age), stddev(age) FROM people", [None]),
    ],
)
def test_where_units_are_scaled_down_a_release_tells_the_centre(
    sql: str, found: list[ReleasedColumn | None], accounting: Accounting
) -> None:
    made = uncapped(sql, accounting)
    assert centres(made) == found
    assert len(made.releases) == (2 if any(found) else 1)
    if any(found):
        formulas = [each.formula for each in made.releases[0].outputs]
        assert all(isinstance(each, CentreOf) for each in formulas) and len(formulas) == len(found)
        assert made.releases[0].bounded.keys == ()
        assert {each for each in found if each} == set(made.releases[1].bounded.inputs)


def test_with_caps_and_bounds_it_is_the_middle(tmp_path_factory: pytest.TempPathFactory) -> None:
    catalog = fitted_to(make_world(tmp_path_factory.mktemp("world")))[1]
    made = plan("SELECT dept, avg(cost) FROM visits GROUP BY dept", catalog)
    assert len(made.releases) == 1 and centres(made) == [None]


def test_the_same_average_has_one_centre_in_a_statement() -> None:
    twice = f"SELECT a.avg - b.avg FROM ({AVERAGE}) AS a, ({AVERAGE}) AS b"
    assert len(uncapped(twice).releases) == 2
    sets = "SELECT flag, avg(quantity) FROM lineitem GROUP BY ROLLUP (flag)"
    kinds = [[isinstance(o.formula, CentreOf) for o in each.outputs] for each in uncapped(sets).releases]
    assert kinds == [[True], [False], [False]]


@pytest.mark.parametrize("accounting", Accounting)
def test_it_has_a_small_part_of_the_price(accounting: Accounting) -> None:
    made = uncapped("SELECT dept, avg(cost) FROM visits GROUP BY dept", accounting)
    before, main = (
        sum(each.mechanism.loss(accounting).main for each in it.mechanisms) for it in made.releases
    )  # fmt: skip
    assert 0.05 < before / (before + main) < 0.12
    assert before + main <= made.cost.main


def test_explain_says_where_it_comes_from() -> None:
    text = "\n".join(explain_text(uncapped(AVERAGE), Decimal(1), Decimal(0)))
    assert "centred sum around what release 1 told" in text
    assert 'Reads $r1: column centre of AVG("visits"."cost") of release 1' in text


# What is told


def noised(total: int, count: int) -> Noised:
    of = [Measure(f"m{i}", MeasureKind.CENTRED, -100, 100, Decimal("0.5"), Decimal(40), "x") for i in range(2)]
    noise = laplace(Sensitivity(1, 1), Decimal(1))
    return Noised(of, {0: noise, 1: noise}, {0: total, 1: count}, 0)


@pytest.mark.parametrize(
    ("total", "count", "told"),
    [(700, 100, 7), (-749, 100, -7), (751, 100, 8), (10**6, 100, 60), (-(10**6), 100, -60), (700, 1, 0), (700, -5, 0)],
)
def test_it_is_a_whole_number_of_steps_within_bounds_or_the_middle(total: int, count: int, told: int) -> None:
    """Where the count may be that of no rows, it is the middle: nothing runs away with few units."""
    assert estimate(CentreOf(0, 1, 60), noised(total, count)) == told
    assert estimate(MeanOf(0, 1), noised(700, 100)) == 40 + Fraction(7, 2)


def visits(costs: Sequence[float]) -> duckdb.DuckDBPyConnection:
    """Two visits for each of so many persons, in a key each."""
    connection = duckdb.connect()
    connection.execute("CREATE TABLE visits (visit_id BIGINT, person_id BIGINT, cost DOUBLE)")
    connection.execute(
        "INSERT INTO visits SELECT i, i // 2, c FROM (SELECT unnest(?) AS c, unnest(?) AS i)",
        [costs, list(range(len(costs)))],
    )
    return connection


def told(each: Release, connection: duckdb.DuckDBPyConnection, earlier: Sequence[Rows]) -> Rows:
    """The release over those visits."""
    inputs = {column.name: earlier[column.release].column(column.column) for column in each.bounded.inputs}
    exact = in_duckdb(connection)(EngineQuery(each.bounded.sql, inputs))
    return release(each, exact, key_space(each.bounded.keys, {}, earlier), earlier)


def largest(noise: ClippedNoise, exact: TotalsByNorm) -> Clipped:
    """At a clip which nobody is above, without noise: totals as they are."""
    clip = edge(max(exact.units, default=0))
    totals = [sum(by_bucket.values()) * PARTS * clip.denominator // clip.numerator for by_bucket in exact.totals]
    return Clipped(clip, tuple(totals))


@pytest.mark.parametrize("centre", CENTRES)
def test_without_noise_the_mean_is_the_same_around_any_centre(
    centre: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where a release tells what is no centre: it is held in the engine, and in the estimate it has to be held by
    whoever tells it."""
    made = uncapped(AVERAGE)
    most = made.releases[0].outputs[0].formula
    assert isinstance(most, CentreOf)
    held = 0 if centre is None else max(-most.most, min(most.most, centre))
    monkeypatch.setattr(ClippedNoise, "release", largest)
    with noise_of(lambda total: total), visits([120, 130.5, 80, 99.25, 7, 4000]) as connection:
        earlier = Rows((Column("o0", "bigint"),), ((held,),))
        ((mean, *_),) = told(made.releases[1], connection, [earlier]).rows
    assert mean == pytest.approx((120 + 130.5 + 80 + 99.25 + 7 + 400) / 6, rel=1e-6)  # the bounds end at 400


def errors(made: Plan, connection: duckdb.DuckDBPyConnection, true: float) -> list[float]:
    found = []
    for _ in range(61):
        earlier: list[Rows] = []
        for each in made.releases:
            earlier.append(told(each, connection, earlier))
        found += [abs(float(str(row[len(made.releases[-1].bounded.keys)])) - true) for row in earlier[-1].rows]
    return found


@pytest.mark.long
@pytest.mark.parametrize("accounting", Accounting)
def test_what_is_alike_and_far_from_the_middle_errs_much_less(accounting: Accounting) -> None:
    """Around the middle of [0, 400] it errs a dozen times as much. A near one is above 0.045 in one of four cases, and
    a far one below 0.09: that half of 61 are is rarer than once in 100,000 runs, for each of both."""
    made = uncapped(BY_FLOOR.replace("visit_id % 2 AS k,", "").replace(" GROUP BY 1", ""), accounting)
    middle = replace(made.releases[1], bounded=_around_the_middle(made.releases[1]))
    with visits([380 + at % 5 for at in range(8000)]) as connection:
        near = errors(made, connection, 382)
        far = errors(replace(made, releases=(made.releases[0], middle)), connection, 382)
    assert 2 * median(near) < median(far)


WORLDS = {
    "alike, far from the middle": [380 + at % 5 + at % 10 / 2 for at in range(4000)],
    "a long tail": [min(400.0, math.exp(3 + at * 37 % 101 / 25)) for at in range(4000)],
}


@pytest.mark.long
@pytest.mark.parametrize("accounting", Accounting)
@pytest.mark.parametrize("world", WORLDS)
def test_the_interval_of_an_average_holds_the_mean_as_often_as_it_says(world: str, accounting: Accounting) -> None:
    """The centre is a number that was told, so that the noise is that of the sum around it and of the count. That so
    many fewer are covered is rarer than once in a million runs."""
    costs, keys, runs = WORLDS[world], 10, 15
    true = [sum(costs[key::keys]) / len(costs[key::keys]) for key in range(keys)]
    values = ", ".join(map(str, range(keys)))
    made = uncapped(
        f"SELECT visit_id % 10, avg(cost) FROM visits WHERE visit_id % 10 IN ({values}) GROUP BY 1", accounting
    )
    shares = dict.fromkeys((Decimal("0.9"), Decimal("0.95"), Decimal("0.99")), 0.0)
    with visits(costs) as connection:
        for _ in range(runs):
            earlier: list[Rows] = []
            for each in made.releases:
                earlier.append(told(each, connection, earlier))
            for confidence in shares:
                found = margins(ToldRows(made.releases, earlier, earlier), 1, 1, confidence)
                ends = zip(found.low.tolist(), found.high.tolist(), earlier[1].rows, strict=True)
                held = [not (high < true[int(str(row[0]))] or true[int(str(row[0]))] < low) for low, high, row in ends]
                shares[confidence] += sum(held) / (keys * runs)
    for confidence, share in shares.items():
        sure = float(confidence)
        assert share >= sure - 5 * math.sqrt(sure * (1 - sure) / (keys * runs)), confidence


def _around_the_middle(it: Release) -> Bounded:
    sql = it.bounded.sql.replace("CAST($r0c0 AS BIGINT[])", "CAST([0] AS BIGINT[])")
    measures = tuple(replace(each, moved=None) for each in it.bounded.measures)
    return replace(it.bounded, sql=sql, inputs=(), measures=measures)


# The checker


TOLD = "CAST($r0c0 AS BIGINT[])[1]"
HELD = f"LEAST(GREATEST({TOLD}, "


@pytest.mark.parametrize("accounting", Accounting)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_plan_passes(dialect: str, accounting: Accounting) -> None:
    check_plan(uncapped(AVERAGE, accounting, dialect), policy(), dialect, accounting)


@pytest.mark.parametrize(
    ("text", "instead", "fault"),
    [
        (TOLD, '(SELECT MAX(t."visit_id") FROM "visits" AS t)', "inputs"),
        (TOLD, "CAST($r0c0 AS DOUBLE[])[1]", "whole number"),
        (TOLD, "CAST($r0c0 AS BIGINT[])[2]", "Bracket"),
        (TOLD, "CAST($r0c0 AS BIGINT[])[1:1]", "Bracket"),
        (TOLD, "CAST([7] AS BIGINT[])[1]", "Bracket|Array"),
        (TOLD, 'CAST([s0."visit_id"] AS BIGINT[])[1]', "Bracket|Array"),
        (TOLD, 's0."cost"[1]', "Bracket"),
        (TOLD, 's0."visit_id"', "inputs"),
        (TOLD, "CAST($r1c0 AS BIGINT[])[1]", "inputs"),
        (TOLD, "7", "inputs"),
        (f"- {HELD}", f"+ {HELD}", "not clipped"),
        (HELD, f"GREATEST(LEAST({TOLD}, ", "not proved to be a whole number"),
    ],
)
def test_another_centre_is_refused(text: str, instead: str, fault: str) -> None:
    """An exact value of the data, or of the row, above all."""
    made = uncapped(AVERAGE)
    first, main = made.releases
    changed = main.bounded.sql.replace(text, instead)
    assert changed != main.bounded.sql
    mutant = replace(made, releases=(first, replace(main, bounded=replace(main.bounded, sql=changed))))
    with pytest.raises(CheckFault, match=fault):
        check_plan(mutant, policy(), "duckdb", Accounting.ZCDP)


@pytest.mark.parametrize("moved", [ReleasedColumn(0, 1), ReleasedColumn(1, 0)])
def test_a_measure_is_moved_by_what_its_text_is_told(moved: ReleasedColumn) -> None:
    made = uncapped(AVERAGE)
    first, main = made.releases
    measures = tuple(replace(each, moved=moved if each.moved else None) for each in main.bounded.measures)
    mutant = replace(made, releases=(first, replace(main, bounded=replace(main.bounded, measures=measures))))
    with pytest.raises(CheckFault, match="not told"):
        check_plan(mutant, policy(), "duckdb", Accounting.ZCDP)


def test_a_centre_of_what_has_no_noise_is_refused() -> None:
    made = uncapped(AVERAGE)
    first, main = made.releases
    (output,) = first.outputs
    for formula in (CentreOf(0, 2, 5), CentreOf(2, 0, 5)):
        mutant = replace(made, releases=(replace(first, outputs=(replace(output, formula=formula),)), main))
        with pytest.raises(CheckFault, match="no measure"):
            check_plan(mutant, policy(), "duckdb", Accounting.ZCDP)
    assert output.type == BIGINT

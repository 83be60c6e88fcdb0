"""What is told of how sure an answer is, beside it and before it: when, and in which words."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest
from worlds import TERMS, plan, uncapped

from dpproxy.catalog.policy import Catalog
from dpproxy.error_bars import Margins, ToldRows, typical_columns
from dpproxy.mechanisms.kinds import AtAClip
from dpproxy.mechanisms.quantile_ends import DEVIATIONS
from dpproxy.mechanisms.selection import Selection
from dpproxy.plan.formulas import QuantileOf
from dpproxy.plan.private_plan import Plan, Release
from dpproxy.released_clips import kept_totals
from dpproxy.rewrite import read_settings
from dpproxy.rewrite.explain import explain_text
from dpproxy.rows import Column, Rows, Value
from dpproxy.session.dp_tables import last_statement
from dpproxy.session.noise_notices import noise_notice


def answered(made: Plan, *rows: tuple[Value, ...]) -> ToldRows:
    told = Rows(tuple(Column(f"c{at}", "numeric") for at in range(len(rows[0]))), rows)
    return ToldRows(made.releases, [told], [told])


def notice(made: Plan, told: ToldRows, most: Decimal) -> str | None:
    return noise_notice(made, told, typical_columns(told), most)


def test_a_good_answer_has_none(catalog: Catalog) -> None:
    made = plan("SELECT sex, count(*) FROM people GROUP BY sex", catalog, {"epsilon": "0.1"})
    assert notice(made, answered(made, ("F", 300), ("M", 200)), Decimal(5)) is None


def test_noise_is_told_with_what_to_type(catalog: Catalog) -> None:
    made = plan("SELECT sex, count(*) FROM people GROUP BY sex", catalog, {"epsilon": "0.1", "mechanism": "laplace"})
    told = answered(made, ("F", 30), ("M", -20))
    text = notice(made, told, Decimal(5))
    noise = "dpproxy: mostly noise: COUNT(*): ±30 on about 25, not to be told from 0 at epsilon 0.1 (95 %)"
    assert text == f"{noise}; SET dp.epsilon = 1 would tell a size of 30 to ±3"
    assert notice(made, told, Decimal("0.5")) == f"{noise}; SET dp.epsilon = 0.5 would tell a size of 30 to ±6"
    short = notice(made, told, Decimal("0.1"))
    assert short is not None
    assert short.endswith("; fewer groups or columns would have less of it each")


def test_what_is_held_at_zero_is_told_as_that(catalog: Catalog) -> None:
    made = plan("SELECT count(*) FROM people", catalog, {"epsilon": "0.1", "mechanism": "laplace", "nonnegative": "on"})
    assert notice(made, answered(made, (0,)), Decimal(5)) == (
        "dpproxy: mostly noise: COUNT(*): ±30 on 0, where dp.nonnegative holds what is below it (95 %);"
        " SET dp.epsilon = 1 would tell a size of 30 to ±3"
    )


@pytest.mark.parametrize(
    ("sql", "value", "said"),
    [
        ("count(*)", 40, "about 40 (95 %); SET dp.epsilon = 0.75 would give ±4"),
        (
            "count(*)",
            -40,
            "about -40, not to be told from 0 at epsilon 0.1 (95 %); SET dp.epsilon = 1 would tell a size",
        ),
        ("sum(CASE WHEN age < 50 THEN -1 ELSE 1 END)", -40, "about -40 (95 %); SET dp.epsilon = 0.75 would give ±4"),
        ("sum(CASE WHEN age < 50 THEN -1 ELSE 1 END)", -20, "about -20, not to be told from 0 at epsilon 0.1 (95 %)"),
    ],
)
def test_a_size_is_taken_for_one_where_it_is_more_than_noise(catalog: Catalog, sql: str, value: int, said: str) -> None:
    """A count below 0 is none, however far."""
    made = plan(f"SELECT {sql} FROM people", catalog, {"epsilon": "0.1", "mechanism": "laplace"})
    assert f"±30 on {said}" in (notice(made, answered(made, (value,)), Decimal(5)) or "")


@pytest.mark.parametrize(
    ("target", "said"), [("5 %", "it was aimed at ±5 %"), ("40", "SET dp.target_half_width to less")]
)
def test_beside_a_target_no_epsilon_is_set(catalog: Catalog, target: str, said: str) -> None:
    made = plan("SELECT count(*) FROM people", catalog, {"epsilon": "0.1", "mechanism": "laplace"})
    aim = read_settings({"target_half_width": target}, TERMS).target
    text = notice(replace(made, target=aim), answered(made, (20,)), Decimal(5))
    noise = "COUNT(*): ±30 on about 20, not to be told from 0 at epsilon 0.1 (95 %)"
    assert text == f"dpproxy: mostly noise: {noise}; {said}"


def test_one_poor_group_of_many_says_nothing(catalog: Catalog) -> None:
    made = plan("SELECT sex, count(*) FROM people GROUP BY sex", catalog, {"epsilon": "0.1"})
    assert notice(made, answered(made, ("F", 3000), ("M", 2)), Decimal(5)) is None


@pytest.mark.parametrize("value", [0, None])
def test_nothing_and_null_are_no_trouble(catalog: Catalog, value: Value) -> None:
    made = plan("SELECT count(*), sum(age) FROM people", catalog, {"epsilon": "0.1"})
    text = notice(made, answered(made, (value, value)), Decimal(5))
    assert (text is None) is (value is None)


def test_a_statistic_that_is_null_says_why(catalog: Catalog) -> None:
    made = plan("SELECT avg(age), count(*) FROM people WHERE city = 'no such'", catalog, {"epsilon": "0.1"})
    text = notice(made, answered(made, (None, 4000)), Decimal(5))
    assert text == (
        'dpproxy: no number could be told of AVG("people"."age") (NULL: at epsilon 0.1 the rows, or their spread, are'
        " no more than noise); SET dp.epsilon higher, or ask of more rows"
    )
    grouped = plan("SELECT sex, avg(age) FROM people GROUP BY sex", catalog, {"epsilon": "0.1"})
    assert notice(grouped, answered(grouped, ("F", 40), ("M", None)), Decimal(5)) is None


def test_columns_of_one_label_are_named_once(catalog: Catalog) -> None:
    """As those of a list of percentiles are, each of which is a column."""
    made = plan("SELECT count(*) FROM people", catalog, {"epsilon": "0.1", "mechanism": "laplace"})
    columns = typical_columns(told := answered(made, (20,)))
    assert noise_notice(made, told, columns * 2, Decimal(5)) == noise_notice(made, told, columns, Decimal(5))


def test_no_group_is_told_with_how_many_each_needs(catalog: Catalog) -> None:
    made = plan("SELECT city, count(*) FROM people GROUP BY city", catalog, {"epsilon": "0.1"})
    told = answered(made, ("x", 1))
    none = [replace(told.rows[0], rows=())]
    said = notice(made, replace(told, rows=none, released=none), Decimal(5))
    assert said is not None and said.startswith("dpproxy: no group was told: at epsilon 0.1 each needs about ")
    assert (
        "persons (who is in several groups counts in each only in part); SET dp.epsilon higher, or group more coarsely"
        in said
    )
    public = plan("SELECT sex, count(*) FROM people WHERE age > 20 GROUP BY sex", catalog, {"epsilon": "0.1"})
    nothing = answered(public, ("F", 100), ("M", 100))
    assert notice(public, replace(nothing, rows=none, released=none), Decimal(5)) is None


@pytest.mark.parametrize("sql", ["SELECT city, count(*) FROM people GROUP BY city", "SELECT DISTINCT city FROM people"])
def test_groups_that_hardly_passed_are_told_as_that(catalog: Catalog, sql: str) -> None:
    """By their released numbers of units, where these are in the answer."""
    made = plan(sql, catalog, {"epsilon": "0.1"})
    found = made.releases[0].applied_to(None)
    assert isinstance(found, Selection)
    small, large = found.threshold + 1, 3 * found.threshold
    counted = bool(made.releases[0].outputs)

    def said(*counts: int) -> str | None:
        rows = [(f"city {at}", *([count] if counted else [])) for at, count in enumerate(counts)]
        return notice(made, answered(made, *rows), Decimal(5))

    text = said(small, small, large)
    assert (text is not None) is counted
    assert said(small, large, large) is None
    if text is not None:
        assert "most groups that were told have hardly the " in text and "smaller ones are left out" in text


def test_the_last_statement_tells_how_sure_a_statistic_is(catalog: Catalog) -> None:
    """A typical row's, where its totals are known; before anything was released, nothing."""
    made = plan("SELECT avg(age) FROM people", catalog, {"epsilon": "0.1"})
    columns = (Column("o0", "numeric"), Column("total of m0", "numeric"), Column("total of m1", "numeric"))
    rows = Rows(columns, ((Decimal(40), Decimal(-20000), Decimal(1000)),))
    ((name, mechanism, stddev, half_width),) = last_statement(made, [rows]).rows
    assert name == 'AVG("people"."age")'
    assert mechanism == last_statement(made).rows[0][1]
    assert isinstance(stddev, float)
    assert isinstance(half_width, float)
    assert 0.5 < stddev < half_width < 10
    assert last_statement(made).rows[0][2:] == (None, None)


def test_error_bars_are_free_and_said(catalog: Catalog) -> None:
    asked = "SELECT count(*), dp.low(count(*)), dp.high(sum(age) / count(*)) FROM people"
    lines = explain_text(plan(asked, catalog), Decimal(5), Decimal(0))
    (bars,) = [line for line in lines if line.startswith("Error bars: ")]
    assert bars == (
        "Error bars: free, of columns, at 0.95; of expressions, by 399 replicates of the noise around what is released"
    )
    without = plan("SELECT count(*), sum(age) / count(*) FROM people", catalog)
    assert plan(asked, catalog).cost == without.cost
    assert plan(asked, catalog).releases == without.releases
    assert not [line for line in explain_text(without, Decimal(5), Decimal(0)) if line.startswith("Error bars")]


def test_values_beyond_what_counts_are_told_of(catalog: Catalog) -> None:
    """Where nobody bounded them they count up to 2^45 steps, and a clip of that size says that many are larger."""
    made = plan("SELECT sum(person_id) FROM people", uncapped(catalog), {"epsilon": "1"})
    for clip, said in ((2**20, False), (2**45, True)):
        rows = Rows((Column("o0", "numeric"), Column("clip of m0", "numeric")), ((2**50, Decimal(clip)),))
        text = notice(made, ToldRows(made.releases, [rows], [rows]), Decimal(5)) or ""
        words = "it may be far off: values beyond ±35,000,000,000,000 count as that, which many seem to be"
        assert (words in text) == said


def _at_a_clip(release: Release, number: Decimal) -> Rows:
    """All numbers of a release alike, and each clip of eight steps."""
    clips = sum(isinstance(each.mechanism, AtAClip) for each in release.mechanisms)
    numbers = len(release.outputs) + len(kept_totals(release))
    columns = tuple(Column(f"c{at}", "numeric") for at in range(numbers + clips))
    return Rows(columns, ((*[number] * numbers, *[Decimal(8)] * clips),))


@pytest.mark.parametrize(
    ("value", "people", "said"),
    [("person_id * 0.1::float8", 5000, True), ("person_id * 0.1::float8", 20, False), ("person_id", 5000, False)],
)
def test_values_that_rounding_may_have_made_nothing_are_told_of(
    catalog: Catalog, value: str, people: int, said: bool
) -> None:
    """A sum of floating point at a clip of some steps of 0.0001, of many rows; not of few, which have such a clip, too,
    nor of whole numbers."""
    made = plan(f"SELECT avg({value}), count(*) FROM people", uncapped(catalog), {"epsilon": "1"})
    centre, around = made.releases
    rows = [_at_a_clip(centre, Decimal(0)), _at_a_clip(around, Decimal(people))]
    text = notice(made, ToldRows(made.releases, rows, rows), Decimal(5)) or ""
    assert ("it may be far off: values are rounded to 0.0001 before they are added up" in text) == said


def test_what_may_be_far_too_small_is_told_as_that(catalog: Catalog) -> None:
    """Where nothing tells how much a clip has cut off, an end of the interval is open; what is known is the noise."""
    made = plan("SELECT dept, sum(cost) FROM visits GROUP BY dept", uncapped(catalog), {"epsilon": "0.1"})
    told = answered(made, ("a", 4000.0), ("b", 5000.0), ("c", -100.0))
    (column,) = typical_columns(told)
    ends = np.array([3000.0, 4000.0, -1100.0]), np.array([5000.0, 6000.0, 900.0])
    known = replace(column, margins=Margins(*ends, np.ones(3)))
    assert "far too small" not in (noise_notice(made, told, [known], Decimal(5)) or "")
    open_above = replace(column, margins=Margins(ends[0], np.full(3, np.nan), np.ones(3)))
    label = 'SUM("visits"."cost")'
    assert noise_notice(made, told, [open_above], Decimal(5)) == (
        f"dpproxy: {label}: it may be far too small, since so much was scaled down to a clip that how much is missing"
        " is not known (dp.high is NULL, or what bounds allow); SET dp.epsilon higher, or group more coarsely"
    )
    without = replace(column, margins=Margins(np.full(3, np.nan), np.full(3, np.nan), np.ones(3)))
    said = noise_notice(made, told, [without], Decimal(5))
    assert said is not None and f"{label}: it may be far off, since so much" in said and "too small" not in said
    noisy = replace(column, margins=Margins(ends[0] - 20000, np.full(3, np.nan), np.ones(3)))
    said = noise_notice(made, told, [noisy], Decimal(5))
    assert said is not None and said.startswith(
        f"dpproxy: mostly noise: {label}: ±21,000 on about 4,000, not to be told"
    )
    assert "; SET dp.epsilon higher, or group more coarsely; SUM(" in said and said.endswith(
        "(dp.high is NULL, or what bounds allow)"
    )


def test_a_greatest_value_has_an_open_end_and_no_notice(catalog: Catalog) -> None:
    made = plan("SELECT max(income) FROM people", catalog, {"epsilon": "0.1"})
    told = answered(made, (80.0,))
    (column,) = typical_columns(told)
    above = replace(column, margins=Margins(np.array([79.0]), np.array([np.nan]), np.ones(1)))
    assert noise_notice(made, told, [above], Decimal(5)) is None


@pytest.mark.parametrize(
    ("aggregate", "rank", "known"),
    [("min(age)", "0/1", "- 2"), ("max(age)", "1/1", "3 -"), ("dp.median(age)", "1/2", "3 -")],
)
def test_a_quantile_that_may_be_anywhere_is_told_as_that(
    catalog: Catalog, aggregate: str, rank: str, known: str
) -> None:
    """What is told where hardly a row has a value looks like any other; an extreme's own end is never known."""
    made = plan(f"SELECT sex, {aggregate} FROM people GROUP BY sex", catalog, {"epsilon": "0.1"})
    place = next(at for at, each in enumerate(made.releases) if isinstance(each.outputs[0].formula, QuantileOf))

    def said(ends: str) -> str | None:
        columns = (Column("k0", "text"), Column("o0", "integer"), Column(f"ends of {rank}", "text"))
        told = Rows(columns, tuple((key, 40, " ".join([ends] * len(DEVIATIONS))) for key in "FM"))
        rows = [told if at == place else Rows(columns[:1], ()) for at in range(len(made.releases))]
        answer = ToldRows(made.releases, rows, rows)
        return notice(made, answer, Decimal(5))

    text = said("- -")
    assert text is not None and text.startswith("dpproxy: nothing is known of ")
    assert "at epsilon 0.1 too few rows have a value" in text and "mostly noise" not in text
    assert "nothing is known" not in (said(known) or "")

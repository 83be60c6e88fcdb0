"""What is told of how sure an answer is, beside it and before it: when, and in which words."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from worlds import TERMS, plan

from dpproxy.catalog.policy import Catalog
from dpproxy.error_bars import ToldRows, typical_columns
from dpproxy.mechanisms.selection import Selection
from dpproxy.plan.formulas import QuantileOf
from dpproxy.plan.private_plan import Plan
from dpproxy.released_ends import ends_name
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


def _ranked(made: Plan, *ends: str) -> ToldRows:
    """An answer of one quantile, with the ends of its intervals as they are stored."""
    rank = next(each.formula.rank for each in made.releases[0].outputs if isinstance(each.formula, QuantileOf))
    told = Rows((Column("q0", "integer"),), tuple((40,) for _ in ends))
    kept = Rows((*told.columns, Column(ends_name(rank), "text")), tuple((40, each) for each in ends))
    return ToldRows(made.releases, [kept], [told])


OPEN = " ".join(["-"] * 8)


@pytest.mark.parametrize(
    "asked",
    [
        "max(age) FROM people",
        "min(visit_id) FROM visits",
        "percentile_disc(0.5) WITHIN GROUP (ORDER BY visit_id) FROM visits",
    ],
)
def test_a_quantile_that_may_be_of_no_rows_is_told_as_that(catalog: Catalog, asked: str) -> None:
    """Where nothing lies surely on either side, in most groups. An extreme is open at its own end in any case."""
    made = plan(f"SELECT {asked}", catalog, {"epsilon": "0.1"})
    label = made.releases[0].outputs[0].label
    assert notice(made, _ranked(made, OPEN), Decimal(5)) == (
        f"dpproxy: any value may stand for {label}: at epsilon 0.1 nothing shows that there are rows,"
        " and of none a value is told, too, not NULL; SET dp.epsilon higher, or ask of more rows"
    )
    assert OPEN not in (one_side := " ".join(["3 -"] * 4))
    assert "any value" not in (notice(made, _ranked(made, one_side), Decimal(5)) or "")
    assert "any value" not in (notice(made, _ranked(made, OPEN, one_side), Decimal(5)) or "")


def test_of_a_quantile_between_declared_bounds_its_interval_is_told(catalog: Catalog) -> None:
    made = plan("SELECT dp.median(age) FROM people", catalog, {"epsilon": "0.1"})
    text = notice(made, _ranked(made, OPEN), Decimal(5))
    assert text is not None and text.startswith("dpproxy: mostly noise: PERCENTILE_CONT") and "any value" not in text


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

"""Error bars, asked by clients: they cost nothing, and come in any form in which numbers do."""

from __future__ import annotations

import asyncio
from typing import Any

import asyncpg
import psycopg
import pytest

from .served import Served, psql, psql_program, spent

pytestmark = pytest.mark.long

BY_SEX = "SELECT sex, count(*), avg(age) FROM people GROUP BY sex ORDER BY 1"
WITH_BARS = """
SELECT sex, count(*) AS n, dp.low(count(*)), dp.high(count(*)), dp.half_width(count(*)), dp.stddev(count(*)),
    dp.clipped(count(*)) FROM people GROUP BY sex ORDER BY sex
"""
EXPRESSIONS = (
    "avg(age)",
    "round(avg(age), 1)",
    "1.0 * count(*) / sum(count(*)) OVER ()",
    "count(*) FILTER (WHERE age > 40) - count(*) / 2",
    "CASE WHEN count(*) > 3 THEN sum(age) / nullif(count(*), 0) ELSE 0 END",
    "greatest(sqrt(abs(sum(age))), ln(1 + abs(count(*))))",
    "coalesce(stddev(age), 0)::numeric(10, 2)",
    "corr(age, income)",
    "sum(count(*)) OVER (ORDER BY sex) - lag(count(*), 1) OVER (ORDER BY sex)",
    "count(*) / (SELECT count(*) FROM visits)::float8",
)
# Each kind of operator and function, where no noise is by a hair on one side of a limit and then on the other.
EXACT = (
    "-count(*) + 3 * sum(age) % 7",
    "count(*) / 7",
    "(count(*) * 1.5)::integer",
    "round(count(*) * 1.25, 1)",
    "floor(count(*) + 0.5) * ceil(count(*) - 0.5)",
    "power(count(*), 2)",
    "exp(-abs(count(*)) / 100.0::float8)",
    "CASE sex WHEN 'F' THEN count(*) ELSE -count(*) END",
    "CASE WHEN count(*) BETWEEN 1 AND 1000000 AND NOT count(*) < 5 THEN 1 WHEN count(*) IS NULL THEN 2 ELSE 3 END",
    "CASE WHEN count(*) > 10 OR count(*) <> 3 THEN least(count(*), 50) END",
    "coalesce(nullif(greatest(count(*), 0), -1), 7)",
    "avg(count(*)) OVER ()",
    "max(count(*)) OVER () - min(count(*)) OVER ()",
    "var_pop(age) / avg(age)",
    "regr_slope(income, age) + regr_intercept(income, age)",
)


@pytest.fixture
def erna(erna: psycopg.Connection[Any]) -> psycopg.Connection[Any]:
    """She may spend without an end."""
    erna.execute("SET dp.epsilon = 100")
    return erna


@pytest.mark.parametrize("binary", [False, True])
def test_bars_stand_beside_their_numbers(erna: psycopg.Connection[Any], binary: bool) -> None:
    before = spent(erna)[2]
    rows = erna.execute(WITH_BARS, binary=binary).fetchall()
    assert spent(erna)[2] == before + 1
    for _, count, low, high, half_width, stddev, clipped in rows:
        assert low <= count <= high
        assert half_width == pytest.approx((high - low) / 2)
        assert stddev > 0
        assert clipped == 0


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_what_is_computed_lies_between_its_ends(erna: psycopg.Connection[Any], expression: str) -> None:
    """The front computes all of it: no function raises, types fit."""
    sql = f"SELECT {expression} AS x, dp.low({expression}), dp.high({expression}), dp.stddev({expression})"
    rows = erna.execute(f"{sql} FROM people GROUP BY sex").fetchall()
    assert len(rows) == 2
    for value, low, high, _ in rows:
        assert (value is None) == (low is None and high is None)
        assert value is None or float(low) - 1 <= float(value) <= float(high) + 1


@pytest.mark.parametrize("expression", [*EXPRESSIONS, *EXACT])
def test_without_noise_the_ends_are_the_number_itself(erna: psycopg.Connection[Any], expression: str) -> None:
    """What is computed of replicates is what Postgres computes of the numbers."""
    erna.execute("SET dp.epsilon = 1e5")
    sql = f"SELECT {expression} AS x, dp.low({expression}), dp.high({expression}) FROM people GROUP BY sex"
    for value, low, high in erna.execute(sql).fetchall():
        expected = None if value is None else pytest.approx(float(value), rel=1e-3, abs=1e-3)
        assert (low, high) == (expected, expected)


def test_a_divisor_that_may_be_nothing_has_no_ends_and_raises_nothing(erna: psycopg.Connection[Any]) -> None:
    erna.execute("SET dp.epsilon = 1e-3")
    nobody = "count(*) FILTER (WHERE age > 119)"
    ratio = f"1.0 * count(*) / nullif({nobody}, 0)"
    ((low, high),) = erna.execute(f"SELECT dp.low({ratio}), dp.high({ratio}) FROM people").fetchall()
    assert low is None or high is None or low <= high


def test_a_confidence_is_a_share(erna: psycopg.Connection[Any]) -> None:
    widths = []
    for each in ("0.5", "'90 %'", "0.95", "0.99", "0.999"):
        erna.execute(f"SET dp.confidence = {each}")
        ((width, ratio),) = erna.execute(
            "SELECT dp.half_width(count(*)), dp.half_width(sum(age) / count(*)::float8) FROM people"
        ).fetchall()
        widths.append((width, ratio))
    assert widths == sorted(widths)
    with pytest.raises(psycopg.errors.InvalidParameterValue):
        erna.execute("SET dp.confidence = 2")


def test_a_bar_by_itself_is_refused(erna: psycopg.Connection[Any]) -> None:
    with pytest.raises(psycopg.errors.FeatureNotSupported, match="released by the same statement"):
        erna.execute("SELECT dp.low(3)")
    with pytest.raises(psycopg.errors.FeatureNotSupported, match="cannot be told"):
        erna.execute("SELECT dp.low(extract(year FROM max(joined))) FROM people")


def test_what_is_computed_of_a_median_has_an_interval(erna: psycopg.Connection[Any]) -> None:
    """As far as the median's own, where nothing else is in it."""
    median, turned, apart = "dp.median(age)", "-2 * dp.median(age) + 10", "dp.median(age) - avg(age)"
    asked = f"{median}, {', '.join(f'dp.low({each}), dp.high({each})' for each in (median, turned, apart))}"
    for told, low, high, least, most, below, above in erna.execute(f"SELECT {asked} FROM people GROUP BY sex"):
        assert low <= told <= high and (least, most) == (10 - 2 * high, 10 - 2 * low)
        assert above - below >= 0.9 * (high - low)


QUARTILES = [f"percentile_cont({each}) WITHIN GROUP (ORDER BY age)" for each in ("0.25", "0.5", "0.75")]


def test_quartiles_have_intervals(erna: psycopg.Connection[Any]) -> None:
    """In order; an extreme is open at its end."""
    asked = ", ".join(f"dp.low({each}), {each}, dp.high({each})" for each in QUARTILES)
    (found,) = erna.execute(f"SELECT {asked} FROM people").fetchall()
    assert None not in found and list(found) == sorted(found)
    ((low, least, high),) = erna.execute("SELECT dp.low(min(age)), min(age), dp.high(min(age)) FROM people").fetchall()
    assert low is None and least <= high, "nothing says how small"
    few = "SELECT dp.low(dp.median(age)), dp.high(dp.median(age)), dp.high(min(age)) FROM people WHERE age < 0"
    assert erna.execute(few).fetchall() == [(0, 120, 120)], "the bounds, of no row at all"


def test_a_median_has_an_interval(erna: psycopg.Connection[Any]) -> None:
    """By group, too, at any confidence, and free; as columns, for who does not ask."""
    asked = "dp.median(age) AS median, dp.low(dp.median(age)), dp.high(dp.median(age)), dp.half_width(dp.median(age))"
    for confidence in ("0.9", "0.99"):
        erna.execute(f"SET dp.confidence = {confidence}")
        for group in ("", " GROUP BY sex ORDER BY sex"):
            for median, low, high, half_width in erna.execute(f"SELECT {asked} FROM people{group}").fetchall():
                assert low <= median <= high and half_width == (high - low) / 2
    (said,) = erna.execute("SELECT mechanism, stddev, half_width FROM dp.last_statement").fetchall()
    assert said[0] == "exponential mechanism" and said[1] is None and said[2] is not None
    charged = [_charge(erna, f"SELECT {each} FROM people") for each in (asked, "dp.median(age)")]
    assert charged[0] == charged[1]
    erna.execute("SET dp.error_columns = on")
    cursor = erna.execute("SELECT dp.median(age) AS median FROM people")
    assert [each.name for each in cursor.description or ()] == ["median", "median_low", "median_high"]
    ((median, low, high),) = cursor.fetchall()
    assert low <= median <= high


def _charge(connection: psycopg.Connection[Any], sql: str) -> object:
    connection.execute(sql)
    return connection.execute("SELECT epsilon FROM dp.statements ORDER BY id DESC LIMIT 1").fetchall()


def test_a_target_chooses_the_price(erna: psycopg.Connection[Any]) -> None:
    """It is said before and after; of a share of what is not known yet, from the second answer on."""
    said: list[str] = []
    erna.add_notice_handler(lambda told: said.append(told.message_primary or ""))
    erna.execute("SET dp.target_half_width = 3")
    (aim,) = [line for (line,) in erna.execute("EXPLAIN SELECT count(*) FROM people").fetchall() if "Target" in line]
    ((width, _),) = erna.execute("SELECT dp.half_width(count(*)), count(*) FROM people").fetchall()
    assert 2 <= width <= 3 and said[-1].endswith(aim.strip().removeprefix("Target: "))
    erna.execute("SET dp.target_half_width = '2 %'")
    for words in ("no epsilon is known yet for ±2 %", "was chosen for ±2 %"):
        said.clear()
        erna.execute("SELECT avg(age) FROM people WHERE age > 20")
        assert words in said[0]
        # Where the answer is less sure than that, it says so, and what asking again costs.
        assert all("came out as sure as ±" in each and "and not ±2 %" in each for each in said[1:2])
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="must be above 0"):
        erna.execute("SET dp.target_half_width = 0")


def test_columns_are_added_for_who_cannot_ask(erna: psycopg.Connection[Any]) -> None:
    erna.execute("SET dp.error_columns = on")
    cursor = erna.execute(BY_SEX)
    names = [each.name for each in cursor.description or ()]
    assert names == ["sex", "count", "count_low", "count_high", "avg", "avg_low", "avg_high"]
    for _, count, low, high, mean, mean_low, mean_high in cursor.fetchall():
        assert low <= count <= high
        assert mean_low <= mean <= mean_high
    erna.execute("SET dp.error_columns = off")
    assert len(erna.execute(BY_SEX).description or ()) == 3


def test_columns_are_added_to_answers_alone(erna: psycopg.Connection[Any]) -> None:
    """Where their number is known before, and where rows are told apart by them, they stay as they are."""
    erna.execute("SET dp.error_columns = on")
    erna.execute("CREATE TABLE kept AS SELECT sex, count(*) AS n FROM people GROUP BY sex")
    assert len(erna.execute("SELECT * FROM kept").description or ()) == 2
    erna.execute("DROP TABLE kept")
    assert len(erna.execute("SELECT DISTINCT count(*) FROM people").description or ()) == 1
    assert len(erna.execute("SELECT bool_or(age > 90) FROM people").description or ()) == 1
    assert len(erna.execute("SELECT 1 AS one").description or ()) == 1


def test_who_asks_for_the_columns_first_gets_those(world: Served) -> None:
    """Asyncpg describes each statement before it is bound, and reads rows of just that width."""

    async def ask() -> list[int]:
        connection = await asyncpg.connect(**world.keywords("erna"))
        try:
            await connection.execute("SET dp.epsilon = 100")
            await connection.execute("SET dp.error_columns = on")
            return [len(each) for each in await connection.fetch(BY_SEX)]
        finally:
            await connection.close()

    assert asyncio.run(ask()) == [3, 3]


def test_psql_shows_them(world: Served) -> None:
    program = psql_program()
    assert program is not None
    script = f"SET dp.epsilon = 100; SET dp.error_columns = on; {BY_SEX}"
    said = psql(program, world.conninfo("erna"), script=script)
    assert [line.count("|") for line in said.out.splitlines() if line.startswith(("F|", "M|"))] == [6, 6]

"""Counts under conditions of which no row meets two, asked by clients: columns as Postgres has them, one price."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from .served import spent

pytestmark = pytest.mark.long

SEXES = "count(*) FILTER (WHERE sex = 'F') AS f, sum(CASE WHEN sex = 'M' THEN 1 ELSE 0 END) AS m"


@pytest.mark.parametrize("binary", [False, True])
def test_they_are_what_the_groups_are(erna: psycopg.Connection[Any], binary: bool) -> None:
    by_sex = dict(erna.execute("SELECT sex, count(*) FROM people GROUP BY sex").fetchall())
    before = spent(erna)[2]
    cursor = erna.execute(f"SELECT {SEXES} FROM people", binary=binary)
    assert [(each.name, each.type_code) for each in cursor.description or ()] == [("f", 20), ("m", 20)]
    assert cursor.fetchall() == [(by_sex["F"], by_sex["M"])]
    assert spent(erna)[2] == before + 1


def test_by_a_key_in_its_order_with_having_and_error_bars(erna: psycopg.Connection[Any]) -> None:
    groups = erna.execute("SELECT smoker, sex, count(*) FROM people GROUP BY 1, 2").fetchall()
    wide = erna.execute(f"SELECT smoker, {SEXES} FROM people GROUP BY smoker").fetchall()
    counted = {(smoker, sex): count for smoker, sex, count in groups}
    assert wide == [(each, counted[each, "F"], counted[each, "M"]) for each in (False, True)]
    erna.execute("SET dp.error_columns = on")
    asked = f"SELECT smoker, {SEXES}, dp.stddev(count(*) FILTER (WHERE sex = 'F')) FROM people GROUP BY smoker"
    rows = erna.execute(f"{asked} HAVING count(*) FILTER (WHERE sex = 'F') > 0 ORDER BY f DESC").fetchall()
    assert [row[1] for row in rows] == sorted((counted[each, "F"] for each in (False, True)), reverse=True)
    assert all(low <= f <= high and low2 <= m <= high2 for _, f, low, high, m, low2, high2, _ in rows)


def test_read_by_a_later_release_and_by_the_front(erna: psycopg.Connection[Any]) -> None:
    inner = f"SELECT f - m FROM (SELECT {SEXES} FROM people) AS t"
    ((apart,),) = erna.execute(inner).fetchall()
    ((more,),) = erna.execute(f"SELECT count(*) FROM people WHERE age > ({inner})").fetchall()
    ((plain,),) = erna.execute("SELECT count(*) FROM people WHERE age > %s", (apart,)).fetchall()
    assert more == plain


def test_what_is_told_of_it(erna: psycopg.Connection[Any]) -> None:
    lines = [line for (line,) in erna.execute(f"EXPLAIN SELECT {SEXES} FROM people").fetchall()]
    assert any("COUNT(*) FILTER(WHERE" in line and "SUM(CASE WHEN" in line for line in lines)
    erna.execute(f"SELECT {SEXES} FROM people")
    assert len(erna.execute("SELECT mechanism FROM dp.last_statement").fetchall()) == 1

"""Medians, percentiles and extremes, asked by clients: types are Postgres's, one statement has one price."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest

from .served import Served, psql, spent

pytestmark = pytest.mark.long

DEAR = "SET dp.epsilon = 1000"
QUARTILES = "SELECT percentile_cont(ARRAY[0.25, 0.5, 0.75]) WITHIN GROUP (ORDER BY age) FROM people"
# Ages are 18 to 77, about seven people of each; at this price the noise moves no rank by one.
BY_SEX = (
    "SELECT sex, dp.median(age), percentile_disc(0.1) WITHIN GROUP (ORDER BY age) FROM people GROUP BY sex ORDER BY 1"
)


@pytest.mark.parametrize("binary", [False, True])
def test_quantiles_come_back_in_their_types(erna: psycopg.Connection[Any], binary: bool) -> None:
    before = spent(erna)[2]
    cursor = erna.execute(QUARTILES, prepare=True, binary=binary)
    assert [column.name for column in cursor.description or ()] == ["percentile_cont"]
    ((quartiles,),) = cursor.fetchall()
    assert all(isinstance(each, float) for each in quartiles) and quartiles == sorted(quartiles)
    assert all(abs(each - near) <= 2 for each, near in zip(quartiles, (32.5, 47.5, 62.5), strict=True))
    assert spent(erna)[2] == before + 1
    found = erna.execute(BY_SEX, binary=binary).fetchall()
    assert [(sex, type(median), type(least)) for sex, median, least in found] == [("F", float, int), ("M", float, int)]


def test_extremes_of_each_type(erna: psycopg.Connection[Any]) -> None:
    sql = "SELECT min(age), max(income), min(joined), max(joined::timestamp) FROM people"
    ((age, income, joined, moment),) = erna.execute(sql).fetchall()
    assert 18 <= age <= 20 and 70_000 < income <= 80_000
    assert isinstance(joined, date) and isinstance(moment, datetime) and joined < moment.date()


def test_parameters_explain_and_last_statement(erna: psycopg.Connection[Any]) -> None:
    asked = "SELECT percentile_disc(%s::float8[]) WITHIN GROUP (ORDER BY age DESC) FROM people"
    ((found,),) = erna.execute(asked, ([0.1, 0.9],)).fetchall()
    assert found[0] > found[1]
    lines = [line for (line,) in erna.execute(f"EXPLAIN VERBOSE {BY_SEX}").fetchall()]
    assert any("off in rank by" in line for line in lines)
    erna.execute(BY_SEX)
    rows = erna.execute("SELECT mechanism, stddev, half_width FROM dp.last_statement").fetchall()
    assert {name for name, _, _ in rows} <= {"exponential mechanism", "noisy tree"}
    assert rows[0][1] is None and rows[0][2] > 0


def test_a_text_has_none(erna: psycopg.Connection[Any]) -> None:
    before = spent(erna)
    with pytest.raises(psycopg.errors.FeatureNotSupported, match="quantiles of text values"):
        erna.execute("SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY city) FROM people")
    assert spent(erna) == before


def test_the_names_of_other_databases_have_a_hint(erna: psycopg.Connection[Any]) -> None:
    """Over private, public and no tables, by both protocols; Postgres's place and words stay."""
    for source in (" FROM people", " FROM departments", ""):
        for prepare in (False, True):
            with pytest.raises(psycopg.errors.UndefinedFunction, match=r"function median\(integer\)") as caught:
                erna.execute(f"SELECT median(40){source}", prepare=prepare)
            assert caught.value.diag.message_hint == "Write dp.median(x)."
            assert caught.value.diag.statement_position == "8"
    with pytest.raises(psycopg.errors.UndefinedFunction) as caught:
        erna.execute("SELECT 1; SELECT median(age) FROM people")
    assert (caught.value.diag.message_hint, caught.value.diag.statement_position) == ("Write dp.median(x).", "18")


def test_psql(world: Served, psql_path: Path) -> None:
    said = psql(
        psql_path,
        world.conninfo("erna"),
        script=f"{DEAR};\nSELECT dp.median(beds), max(beds) FROM departments;\n{QUARTILES};\n",
    )
    assert said.out.splitlines()[:2] == ["SET", "17.5|30"] and said.out.splitlines()[2].startswith("{")

"""Windows over rows of several units: psycopg before a whole proxy, without noise that shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from .backends import Backend, served_lavishly
from .served import Served, spent

pytestmark = pytest.mark.long

SETTINGS = "-c dp.epsilon=1000000 -c dp.max_rows_per_unit=300 -c dp.max_groups_per_unit=8"


@pytest.fixture(scope="module")
def served(backend: Backend, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served_lavishly(backend, tmp_path_factory.mktemp("windows")) as served:
        yield served


@pytest.fixture
def alice(served: Served) -> Iterator[psycopg.Connection[Any]]:
    with served.connect(options=SETTINGS) as connection:
        yield connection


def test_buckets_are_about_as_large_as_each_other(alice: psycopg.Connection[Any]) -> None:
    """400 people, who joined on as many days."""
    buckets = "SELECT q, count(*), min(joined) FROM (SELECT joined, ntile(4) OVER (ORDER BY joined) AS q FROM people) t"
    rows = alice.execute(f"{buckets} GROUP BY q ORDER BY q").fetchall()
    assert [q for q, _, _ in rows] == [1, 2, 3, 4]
    assert all(abs(count - 100) <= 3 for _, count, _ in rows)
    assert sorted(least for _, _, least in rows) == [least for _, _, least in rows]


def test_each_row_is_compared_with_its_partition(alice: psycopg.Connection[Any]) -> None:
    over = "SELECT dept, count(*) FROM (SELECT dept, cost, avg(cost) OVER (PARTITION BY dept) AS a FROM visits) t"
    joined = (
        "SELECT dept, count(*) FROM visits JOIN (SELECT dept, avg(cost) AS a FROM visits GROUP BY dept) t USING (dept)"
    )
    found, same = (sorted(alice.execute(f"{sql} WHERE cost > a GROUP BY dept").fetchall()) for sql in (over, joined))
    assert [dept for dept, _ in found] == ["cardio", "neuro", "ortho"]
    assert all(abs(one - other) <= 3 for (_, one), (_, other) in zip(found, same, strict=True))


def test_distinct_rows_of_partitions_are_groups(alice: psycopg.Connection[Any]) -> None:
    rows = alice.execute("SELECT DISTINCT dept, count(*) OVER (PARTITION BY dept) FROM visits ORDER BY 1").fetchall()
    assert rows == alice.execute("SELECT dept, count(*) FROM visits GROUP BY dept ORDER BY 1").fetchall()


def test_it_is_one_charge_and_explain_says_how(alice: psycopg.Connection[Any]) -> None:
    sql = "SELECT q, avg(age) FROM (SELECT age, ntile(2) OVER (ORDER BY joined) AS q FROM people) t GROUP BY q"
    (_, _, charges), told = spent(alice), [row[0] for row in alice.execute(f"EXPLAIN {sql}")]
    assert any("PERCENTILE_DISC(0.5)" in line for line in told)
    alice.execute(sql)
    assert spent(alice)[2] == charges + 1


def test_a_refusal_is_free(alice: psycopg.Connection[Any]) -> None:
    before = spent(alice)
    with pytest.raises(psycopg.Error, match="a window over rows of several persons"):
        alice.execute("SELECT avg(r) FROM (SELECT rank() OVER (ORDER BY cost) AS r FROM visits) t")
    assert spent(alice) == before

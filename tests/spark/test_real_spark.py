"""A Spark itself, in one JVM: the values that Sail is held to, an interrupted statement, and a server that goes.

It takes some minutes, and a Spark of its own: `SPARK_HOME=…/site-packages/pyspark pytest --lane=all tests/spark`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from spark_servers import SPARK_HOME, real_spark
from test_spark_checker import add_in_doubles, raise_for_none
from test_spark_joins import differing_joins
from test_spark_numbers import KNOWN, NUMBERS, TRUE_OR_FALSE, WORDS, random_numbers
from test_spark_pairs import STATEMENTS, are_those_of_duckdb, as_views, filled
from test_spark_regexes import TOLD, random_moments, random_patterns, random_texts, wrong
from test_spark_texts import KNOWN as REPLACED
from test_spark_texts import wrongly_replaced
from test_spark_values import NONE, WIDE, differing, differing_totals, policy, world
from worlds import fitted

from dpproxy.engines import EngineQuery, Ticket, in_turn
from dpproxy.engines.spark.dialect.days_in_texts import DAYS, MOMENTS
from dpproxy.engines.spark.driver import SparkEngine
from dpproxy.engines.spark.sessions import Session
from dpproxy.errors import QueryCanceled

pytestmark = [pytest.mark.long, pytest.mark.skipif(not SPARK_HOME, reason="no SPARK_HOME")]
LONG = EngineQuery("SELECT SUM(a.id * b.id % 7) AS n FROM range(3000000) AS a CROSS JOIN range(3000000) AS b")


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with real_spark(tmp_path_factory.mktemp("spark")) as url:
        yield url


def test_values_are_those_of_duckdb(spark: str, tmp_path: Path) -> None:
    world(tmp_path / "all", Random(5), 150, 200)
    here, there = (policy(tmp_path, url, "all", WIDE) for url in ("duckdb:", spark))
    assert list(differing(here, there, fitted(there)[1])) == []


def test_totals_by_norm_are_those_of_duckdb(spark: str, tmp_path: Path) -> None:
    world(tmp_path / "all", Random(5), 150, 200)
    here, there = (policy(tmp_path, url, "all", NONE) for url in ("duckdb:", spark))
    assert list(differing_totals(here, there, fitted(there)[1])) == []


def test_joins_are_those_of_duckdb(spark: str, tmp_path: Path) -> None:
    assert list(differing_joins(tmp_path, spark)) == []


def test_patterns_need_no_matcher(spark: str) -> None:
    session, random = Session(spark), Random(3)
    session.begin({})
    assert wrong(session, TOLD, random_texts(random, 60)) == []
    assert wrong(session, random_patterns(random, 60), random_texts(random, 60)) == []
    assert wrong(session, (DAYS, MOMENTS), random_moments(random, 300)) == []
    session.end()


def test_texts_are_read_and_changed_without_one(spark: str) -> None:
    session, random = Session(spark), Random(3)
    session.begin({})
    assert wrong(session, NUMBERS, [*KNOWN, *random_numbers(random, 60)]) == []
    assert wrong(session, WORDS, TRUE_OR_FALSE) == []
    assert wrongly_replaced(session, [*random_texts(random, 60), *REPLACED]) == []
    session.end()


def test_pairs_are_those_of_duckdb(spark: str, tmp_path: Path) -> None:
    session = Session(spark)
    session.begin({})
    with filled() as duck:
        for name in STATEMENTS:
            are_those_of_duckdb(name, duck, as_views(duck, session, tmp_path))
    session.end()


def test_texts_that_are_tried(spark: str) -> None:
    session = Session(spark)
    session.begin({})
    raise_for_none(session)
    add_in_doubles(session)
    session.end()


def test_what_sail_does_not_raise_for(spark: str) -> None:
    session = Session(spark)
    session.begin({})
    for sql in (
        r"x LIKE 'a\\b' FROM (VALUES ('ab')) AS t(x)",
        "SUM(x) FROM (VALUES (9223372036854775807L), (1L)) AS t(x)",
        "x + 1 FROM (VALUES (9223372036854775807L)) AS t(x)",
        *(f"{each} OVER (PARTITION BY x) FROM (VALUES (1)) AS t(x)" for each in ("ROW_NUMBER()", "RANK()", "LAG(x)")),
    ):
        with pytest.raises(Exception, match=r".*"):
            session.query(f"SELECT {sql}")
    session.end()


async def test_a_statement_is_interrupted(spark: str) -> None:
    engine = await SparkEngine.open(spark, {}, max_concurrency=1, statement_timeout=300)
    ticket = Ticket()
    asyncio.get_running_loop().call_later(2, ticket.cancel)
    with pytest.raises(QueryCanceled):
        await engine.run(in_turn(LONG), ticket)
    await engine.close()

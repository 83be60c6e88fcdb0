"""A cluster on one machine, with a proxy before it: machines that go during a statement, and many analysts at once.

Two workers of one core and 2 GiB, a master and a Connect server are processes of their own; TPC-H's rows are Parquet,
of scale 0.1, or those of a folder that `make_lake` made and `SPARK_LAKE` names.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from clients.served import Served, serving, spent
from spark_cluster import Cluster, cluster, wait_for_executors
from spark_servers import SPARK_HOME
from test_spark_tpch import ALMOST_NO_NOISE, ANSWERED, right, truth
from tpch.answers import Row
from tpch.lake import make_lake, write_lake_policy
from tpch.queries import Query, queries
from worlds import fitted, opened_room, plan

from dpproxy.engines import EngineQuery

pytestmark = [pytest.mark.long, pytest.mark.skipif(not SPARK_HOME, reason="no SPARK_HOME")]
ANALYSTS = 16
_THERE = os.environ.get("SPARK_LAKE")
FILTERED = "SELECT sum(l_extendedprice) FROM lineitem WHERE l_shipdate >= DATE '1998-06-01'"


@dataclass(frozen=True)
class Lake:
    """A cluster, the proxy before it, and where the rows are."""

    spark: Cluster
    proxy: Served
    rows: Path

    def connect(self, number: int) -> psycopg.Connection[Any]:
        """Analyst `number`, to whom noise and limits are as good as nothing."""
        return self.proxy.connect(f"analyst{number}", options=ALMOST_NO_NOISE)

    def truth(self, query: Query) -> list[Row]:
        """What the rows say."""
        return truth(query, self.rows)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    place = tmp_path_factory.mktemp("cluster")
    rows = Path(_THERE) if _THERE else make_lake(tmp_path_factory.mktemp("lake"), 0.1)
    with cluster(place) as spark:
        policy = write_lake_policy(place / "policy.toml", rows, spark.url, ANALYSTS)
        with serving(policy, "tpch") as proxy:
            yield Lake(spark, proxy, rows)


@pytest.mark.parametrize("number", ANSWERED)
def test_answers_are_right(number: int, lake: Lake) -> None:
    query = queries()[number]
    with lake.connect(0) as analyst:
        right(query, analyst.execute(query.sql).fetchall(), lake.truth(query))


def test_a_release_shuffles_once_by_unit(lake: Lake) -> None:
    """And once more what it says, a row of each task; its filters are those of the scan."""
    config, catalog = fitted(lake.proxy.policy)
    (release,) = plan(FILTERED, catalog, dialect="spark").releases
    with opened_room(config) as ask:
        told = str(ask(EngineQuery(f"EXPLAIN FORMATTED {release.bounded.sql}")).rows[0][0])
    (by,) = re.findall(r"hashpartitioning\(([^)]*)\)", told)
    assert by.startswith("u#") and told.count("SinglePartition") == 1
    assert "GreaterThanOrEqual(l_shipdate,1998-06-01)" in told and "l_quantity" not in told


def test_a_worker_that_is_killed_is_no_matter(lake: Lake) -> None:
    """Spark computes again what it had; the answer comes once, and is charged once."""
    query = queries()[1]
    with lake.connect(1) as analyst, ThreadPoolExecutor() as pool:
        _, _, before = spent(analyst)
        answer = pool.submit(lambda: analyst.execute(query.sql).fetchall())
        worker = lake.spark.busy_worker()
        lake.spark.kill(worker)
        assert not answer.done()
        right(query, answer.result(), lake.truth(query))
        assert _last_outcome(analyst) == "answered"
        _, _, after = spent(analyst)
        assert after == before + 1
    lake.spark.start_worker(worker)
    wait_for_executors(lake.spark, 2)


def _last_outcome(analyst: psycopg.Connection[Any]) -> str:
    ((outcome,),) = analyst.execute("SELECT outcome FROM dp.statements ORDER BY id DESC LIMIT 1").fetchall()
    return str(outcome)


def test_all_analysts_at_once(lake: Lake) -> None:
    """Each asks something of its own, twice."""
    sql = queries()[6].sql

    def twice(number: int) -> None:
        with lake.connect(number) as analyst:
            for quantity in (1 + number, 30 + number):
                query = Query(6, sql.replace("l_quantity < 24", f"l_quantity < {quantity}"), 0, {})
                assert query.sql != sql
                right(query, analyst.execute(query.sql).fetchall(), lake.truth(query))

    with ThreadPoolExecutor(ANALYSTS) as pool:
        list(pool.map(twice, range(ANALYSTS)))


def test_a_server_that_is_killed_is_told_of_and_comes_back(lake: Lake) -> None:
    """During a statement the analyst is stopped, charged; before one is nobody. Its sessions were lost."""
    query = queries()[1]
    with lake.connect(2) as analyst, lake.connect(3) as other, ThreadPoolExecutor() as pool:
        _, _, before = spent(analyst)
        answer = pool.submit(lambda: analyst.execute(query.sql).fetchall())
        lake.spark.busy_worker()
        lake.spark.kill("connect")
        assert _state(answer) == "DP005"
        assert spent(analyst)[2] == before + 1
        free = spent(other)
        assert _state(pool.submit(lambda: other.execute(query.sql).fetchall())) == "08006"
        assert spent(other) == free
        lake.spark.start_connect()
        wait_for_executors(lake.spark, 2)
        right(query, _answered(other, query.sql), lake.truth(query))
        assert _state(pool.submit(lambda: analyst.execute(query.sql).fetchall())) == "DP005"
        command = [sys.executable, "-m", "dpproxy.cli", "analyst", "clear", "analyst2", "--config"]
        subprocess.run([*command, str(lake.proxy.policy)], check=True, capture_output=True)
        right(query, analyst.execute(query.sql).fetchall(), lake.truth(query))


def _state(answer: Future[Any]) -> str | None:
    with pytest.raises(psycopg.Error) as error:
        answer.result()
    return error.value.sqlstate


def _answered(analyst: psycopg.Connection[Any], sql: str) -> list[Row]:
    """A way that failed is tried again after a while."""
    for _ in range(60):
        try:
            return analyst.execute(sql).fetchall()
        except psycopg.OperationalError as error:
            assert error.sqlstate == "08006"
            time.sleep(1)
    raise AssertionError("the server is not reached again")

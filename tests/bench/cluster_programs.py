"""Programs that put the questions of `bench.lake_peers` to libraries which are drivers of a cluster of Spark's.

Each is told the tests' folder, that of the rows, the cluster's master, the leaders of its workers' sessions, the plain
queries and how many runs; it prints for each question what the library and the plain query took, in turn, by the clock
and of the processors of workers, driver and program, and answers, as JSON. The first run is not counted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from bench.accuracy.rivals import Rival
from bench.peer_programs import END, LIMITS, SMARTNOISE, TUMULT
from spark_servers import SPARK_HOME

_ASK = """
import os
tests, folder, master, runs = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[6])
workers, texts = json.loads(sys.argv[4]), json.loads(sys.argv[5])
sys.path.insert(0, tests)
from bench.consumed import of_sessions
os.setsid()
meter = of_sessions({os.getpid(), *workers})
os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
from pyspark.sql import SparkSession
spark = SparkSession.builder.master(master)
for name, value in json.loads(sys.argv[7]).items():
    spark = spark.config(name, value)
spark = spark.getOrCreate()
for each in ("customer", "orders", "lineitem"):
    spark.read.parquet(f"{folder}/{each}").createOrReplaceTempView(each)
def taken(action):
    before, begun = meter(), time.perf_counter()
    found = action()
    return found, [time.perf_counter() - begun, (meter() - before).processors]
def ask(name, private, _):
    rounds = [(taken(private), taken(lambda: spark.sql(texts[name]).collect())) for _ in range(runs + 1)][1:]
    told[name] = {
        "private": [mine[1] for mine, _ in rounds], "plain": [other[1] for _, other in rounds],
        "answers": [[float(each) for each in mine[0]] for mine, _ in rounds]}
frames = {
    "orders": "SELECT o_custkey AS pid, o_orderpriority AS k FROM orders",
    "lines": "SELECT l_custkey AS pid, l_returnflag AS k, CAST(l_extendedprice AS DOUBLE) AS price FROM lineitem",
    "people": "SELECT c_custkey AS pid, c_mktsegment AS k, CAST(c_acctbal AS DOUBLE) AS bal FROM customer"}
"""
_VIEWS = """
ENGINE, SCHEMA, connection = "spark", "dbo", spark
frames["lines"] = frames["lines"].replace("l_extendedprice AS", "l_extendedprice / 1000 AS")
for name, sql in frames.items():
    spark.sql(sql).createOrReplaceTempView(f"own_{name}")
def rows(found):
    return found.collect()
def plain(sql):
    raise NotImplementedError
"""


def programs() -> Mapping[str, Rival]:
    """By the library; their drivers are of the cluster's own version, whatever the library asks for by itself."""
    driver = f"pyspark=={_version()}"
    begin = LIMITS + _ASK
    return {
        "SmartNoise SQL": Rival(("smartnoise-sql", driver), begin + _VIEWS + SMARTNOISE + END),
        "Tumult Analytics": Rival(
            ("tmlt-analytics",), begin + TUMULT + END, instead=(driver, "py4j", "pandas>=2.2,<3")
        ),
    }


def _version() -> str:
    told = (Path(SPARK_HOME or "") / "version.py").read_text()
    return re.findall(r"__version__.*['\"](.+)['\"]", told)[0]

"""Programs that put the questions of `bench.peers` to other libraries.

Each is told the folder with the Parquet files, a Postgres with the same tables, and how many runs; it prints, for each
question that the library has an answer for, seconds, seconds of the plain query, and answers, as JSON. The first run is
not counted.
"""

from __future__ import annotations

from collections.abc import Mapping

from bench.accuracy.rivals import Rival

LIMITS = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
ORDERS, LINES, PRICE = 40, 150, 105000.0
FLAGS = ["A", "N", "R"]
PRIORITIES = ["1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW"]
SEGMENTS = ["AUTOMOBILE", "BUILDING", "FURNITURE", "HOUSEHOLD", "MACHINERY"]
told = {}
"""
"""How every program begins."""
_ASK = """
folder, server, runs = sys.argv[1], sys.argv[2], int(sys.argv[3])
def timed(action):
    begun = time.perf_counter()
    return action(), time.perf_counter() - begun
def ask(name, private, plain):
    rounds = [(timed(private), timed(plain)) for _ in range(runs + 1)][1:]
    told[name] = {
        "seconds": [mine[1] for mine, _ in rounds], "plain": [other[1] for _, other in rounds],
        "answers": [[float(each) for each in mine[0]] for mine, _ in rounds]}
"""
_BEGIN = LIMITS + _ASK
END = """
print(json.dumps(told))
"""
_IN_POSTGRES = """
import psycopg2
ENGINE, SCHEMA = "postgres", "public"
connection = psycopg2.connect(server)
connection.autocommit = True
cursor = connection.cursor()
cursor.execute("CREATE OR REPLACE VIEW own_orders AS SELECT o_custkey AS pid, o_orderpriority AS k FROM orders")
cursor.execute(
    "CREATE OR REPLACE VIEW own_lines AS SELECT o_custkey AS pid, l_returnflag AS k, l_extendedprice / 1000 AS price "
    "FROM lineitem JOIN orders ON l_orderkey = o_orderkey")  # its noise may not be above a million
cursor.execute(
    "CREATE OR REPLACE VIEW own_people AS SELECT c_custkey AS pid, c_mktsegment AS k, c_acctbal AS bal FROM customer")
def plain(sql):
    cursor.execute(sql)
    return cursor.fetchall()
def rows(found):
    return found[1:]
"""
SMARTNOISE = """
from snsql import Privacy, from_connection
def table(most, **columns):
    return {"max_ids": most, "sample_max_ids": True, "censor_dims": False, "clamp_counts": False,
            "pid": {"type": "int", "private_id": True}, "k": {"type": "string"}, **columns}
about = {"": {SCHEMA: {
    "own_orders": table(ORDERS),
    "own_lines": table(LINES, price={"type": "float", "lower": 0.0, "upper": PRICE / 1000}),
    "own_people": table(1, bal={"type": "float", "lower": -1000.0, "upper": 10000.0})}}}
def connected(epsilon):
    terms = Privacy(epsilon=epsilon, delta=1e-7)
    return from_connection(connection, privacy=terms, metadata=about, engine=ENGINE)
def asked(sql):
    whole = connected(1.0).get_privacy_cost(sql)[0]
    found = [each[-1] for each in sorted(map(tuple, rows(connected(1.0 / whole).execute(sql))))]
    return [each * 1000 for each in found] if "price" in sql else found
for name, sql in {
    "orders": "SELECT COUNT(*) AS n FROM SCHEMA.own_orders",
    "prices": "SELECT SUM(price) AS n FROM SCHEMA.own_lines",
    "prices by flag": "SELECT k, SUM(price) AS n FROM SCHEMA.own_lines GROUP BY k",
    "orders by priority": "SELECT k, COUNT(*) AS n FROM SCHEMA.own_orders GROUP BY k",
    "balance by segment": "SELECT k, AVG(bal) AS n FROM SCHEMA.own_people GROUP BY k",
}.items():
    sql = sql.replace("SCHEMA", SCHEMA)
    ask(name, lambda: asked(sql), lambda: plain(sql))
"""
"""Asks the views `own_orders`, `own_lines` and `own_people` of SCHEMA by the `connection`."""
_IN_ONE_JVM = """
import os
os.environ["PYSPARK_PYTHON"] = sys.executable
from pyspark.sql import SparkSession
spark = (SparkSession.builder.master("local[2]").config("spark.driver.memory", "6g")
         .config("spark.sql.shuffle.partitions", "8").config("spark.ui.enabled", "false").getOrCreate())
for each in ("customer", "orders", "lineitem"):
    spark.read.parquet(f"{folder}/{each}.parquet").createOrReplaceTempView(each)
frames = {
    "orders": "SELECT o_custkey AS pid, o_orderpriority AS k FROM orders",
    "lines": "SELECT o_custkey AS pid, l_returnflag AS k, CAST(l_extendedprice AS DOUBLE) AS price "
             "FROM lineitem JOIN orders ON l_orderkey = o_orderkey",
    "people": "SELECT c_custkey AS pid, c_mktsegment AS k, CAST(c_acctbal AS DOUBLE) AS bal FROM customer"}
"""
TUMULT = """
from tmlt.analytics import AddRowsWithID, KeySet, MaxRowsPerID, PureDPBudget, QueryBuilder, Session
session = Session.Builder().with_privacy_budget(PureDPBudget(float("inf"))).with_id_space("people")
for name, sql in frames.items():
    session = session.with_private_dataframe(name, spark.sql(sql), AddRowsWithID("pid", "people"))
session = session.build()
def told_of(query):
    return [list(each)[-1] for each in sorted(map(tuple, session.evaluate(query, PureDPBudget(1)).collect()))]
def keys(values):
    return KeySet.from_dict({"k": values})
def lines():
    return QueryBuilder("lines").enforce(MaxRowsPerID(LINES))
def orders():
    return QueryBuilder("orders").enforce(MaxRowsPerID(ORDERS))
def people():
    return QueryBuilder("people").enforce(MaxRowsPerID(1))
for name, query, of, what in (
    ("orders", lambda: orders().count(), "orders", "count(*)"),
    ("prices", lambda: lines().sum("price", 0.0, PRICE), "lines", "sum(price)"),
    ("prices by flag", lambda: lines().groupby(keys(FLAGS)).sum("price", 0.0, PRICE), "lines", "k, sum(price)"),
    ("orders by priority", lambda: orders().groupby(keys(PRIORITIES)).count(), "orders", "k, count(*)"),
    ("balance by segment", lambda: people().groupby(keys(SEGMENTS)).average("bal", -1000.0, 10000.0), "people",
     "k, avg(bal)"),
):
    plain = f"SELECT {what} FROM ({frames[of]})" + (" GROUP BY k" if what.startswith("k") else "")
    ask(name, lambda: told_of(query()), lambda: spark.sql(plain).collect())
"""
"""Asks the queries `frames` by the session `spark`."""
_OPENDP = """
import polars as pl
import opendp.prelude as dp
dp.enable_features("contrib")
def scan(name):
    return pl.scan_parquet(f"{folder}/{name}.parquet")
orders = scan("orders").select(pid="o_custkey", k="o_orderpriority", at="o_orderkey")
lines = scan("lineitem").join(orders, left_on="l_orderkey", right_on="at").select(
    "pid", k="l_returnflag", price=pl.col("l_extendedprice").cast(pl.Float64))
orders = orders.select("pid", "k")
people = scan("customer").select(pid="c_custkey", k="c_mktsegment", bal=pl.col("c_acctbal").cast(pl.Float64))
def query(frame, most):
    margins = [dp.polars.Margin(by=by, max_length=10_000_000, max_groups=10) for by in ([], ["k"])]
    context = dp.Context.compositor(
        data=frame, privacy_unit=dp.unit_of(contributions=1, identifier=pl.col("pid")),
        privacy_loss=dp.loss_of(epsilon=1.0), split_evenly_over=1, margins=margins)
    return context.query().truncate_per_group(most)
def by_key(frame, most, keys, *what):
    found = query(frame, most).group_by("k").agg(*what).with_keys(pl.LazyFrame({"k": keys}))
    return found.release().collect()
def values(frame):
    return [each[-1] for each in sorted(frame.rows())]
def total(column, low, high):
    return pl.col(column).fill_null(0.0).fill_nan(0.0).dp.sum((low, high))
def averaged():
    found = by_key(people, 1, SEGMENTS, total("bal", -1000.0, 10000.0), dp.len().alias("n"))
    return [each[1] / each[2] for each in sorted(found.rows())]
ask("orders", lambda: values(query(orders, ORDERS).select(dp.len()).release().collect()),
    lambda: orders.select(pl.len()).collect())
ask("prices", lambda: values(query(lines, LINES).select(total("price", 0.0, PRICE)).release().collect()),
    lambda: lines.select(pl.col("price").sum()).collect())
ask("prices by flag",
    lambda: values(by_key(lines, LINES, FLAGS, total("price", 0.0, PRICE))),
    lambda: lines.group_by("k").agg(pl.col("price").sum()).collect())
ask("orders by priority", lambda: values(by_key(orders, ORDERS, PRIORITIES, dp.len())),
    lambda: orders.group_by("k").agg(pl.len()).collect())
ask("balance by segment", averaged, lambda: people.group_by("k").agg(pl.col("bal").mean()).collect())
"""
_DIFFPRIVLIB = """
import pandas
from diffprivlib import tools
def read(name, *columns):
    return pandas.read_parquet(f"{folder}/{name}.parquet", columns=list(columns))
def orders():
    return read("orders", "o_custkey", "o_orderpriority")
def lines():
    joined = read("lineitem", "l_orderkey", "l_returnflag", "l_extendedprice").merge(
        read("orders", "o_orderkey", "o_custkey"), left_on="l_orderkey", right_on="o_orderkey")
    return joined.assign(price=joined.l_extendedprice.astype(float))
def counted(values, most, epsilon):
    return tools.sum(values.to_numpy(float), epsilon=epsilon, bounds=(0, most))
def by_key(frame, unit, key, keys, what, most):
    # A customer is in all keys, whose prices add up.
    return [counted(what(frame[frame[key] == each].groupby(unit)), most, 1 / len(keys)) for each in keys]
ask("orders", lambda: [counted(orders().groupby("o_custkey").size(), ORDERS, 1.0)], lambda: len(orders()))
ask("prices", lambda: [counted(lines().groupby("o_custkey").price.sum(), LINES * PRICE, 1.0)],
    lambda: lines().price.sum())
ask("prices by flag",
    lambda: by_key(lines(), "o_custkey", "l_returnflag", FLAGS, lambda each: each.price.sum(), LINES * PRICE),
    lambda: lines().groupby("l_returnflag").price.sum())
ask("orders by priority",
    lambda: by_key(orders(), "o_custkey", "o_orderpriority", PRIORITIES, lambda each: each.size(), ORDERS),
    lambda: orders().groupby("o_orderpriority").size())
def people():
    found = read("customer", "c_mktsegment", "c_acctbal")
    return found.assign(bal=found.c_acctbal.astype(float))
def balances():
    each = people()
    parts = [each[each.c_mktsegment == k].bal.to_numpy() for k in SEGMENTS]
    return [tools.mean(part, epsilon=1.0, bounds=(-1000, 10000)) for part in parts]
ask("balance by segment", balances, lambda: people().groupby("c_mktsegment").bal.mean())
"""
PEERS: Mapping[str, Rival] = {
    "SmartNoise SQL on Postgres": Rival(
        ("smartnoise-sql", "psycopg2-binary"), _BEGIN + _IN_POSTGRES + SMARTNOISE + END
    ),
    "Tumult on Spark": Rival(("tmlt-analytics",), _BEGIN + _IN_ONE_JVM + TUMULT + END),
    "OpenDP on polars": Rival(("opendp[polars]",), _BEGIN + _OPENDP + END),
    "diffprivlib on pandas": Rival(
        ("diffprivlib", "scikit-learn<1.6", "pandas", "pyarrow"), _BEGIN + _DIFFPRIVLIB + END
    ),
}

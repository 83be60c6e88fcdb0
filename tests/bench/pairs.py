"""Rows that belong to a customer and a supplier each: queries 5, 7, 8 and 21 as Race-to-the-Top asks them, of which it
leaves most conditions out, and counts over the joins with the conditions of TPC-H. Its Q21 protects orders beside
suppliers, and here it is customers, with all of their orders.

Each is asked of the engine once, as the proxy asks it, and released many times: ε = 0.8, pure. Seconds are those of the
clock, and of all processors together.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Final

from tpch.data import make_rows, write_policy
from worlds import fitted, opened_room, plan, recorded

from dpproxy.accounting.account import terms
from dpproxy.accounting.loss import Accounting
from dpproxy.catalog.policy import Catalog
from dpproxy.config import Config
from dpproxy.engines import EngineQuery
from dpproxy.plan.private_plan import Release
from dpproxy.release import release
from dpproxy.rewrite.checker import check_plan
from dpproxy.rows import Rows

ACCOUNT: Final = terms(Accounting.PURE, Decimal(10**6), Decimal(0))
_LINES = "lineitem JOIN orders ON l_orderkey = o_orderkey JOIN supplier ON l_suppkey = s_suppkey"
_BOTH = f"{_LINES} JOIN customer ON o_custkey = c_custkey"
_NATIONS = "JOIN nation n1 ON s_nationkey = n1.n_nationkey JOIN nation n2 ON c_nationkey = n2.n_nationkey"
_Q5 = f"{_BOTH} JOIN nation ON s_nationkey = n_nationkey JOIN region ON n_regionkey = r_regionkey"
_Q7 = f"{_BOTH} {_NATIONS}"
_Q8 = f"{_BOTH} {_NATIONS} JOIN part ON l_partkey = p_partkey JOIN region ON n2.n_regionkey = r_regionkey"
_Q21 = f"{_LINES} JOIN nation ON s_nationkey = n_nationkey"
JOINS: Final[Mapping[str, str]] = {
    "Q5": f"{_Q5} WHERE c_nationkey = s_nationkey",
    "Q7": _Q7,
    "Q8, of its two years": f"{_Q8} WHERE o_orderdate BETWEEN DATE '1995-01-01' AND DATE '1996-12-31'",
    "Q21": _Q21,
    "Q5 with its conditions": f"{_Q5} WHERE c_nationkey = s_nationkey AND r_name = 'ASIA' "
    "AND o_orderdate >= DATE '1994-01-01' AND o_orderdate < DATE '1995-01-01'",
    "Q7 with its conditions": f"{_Q7} WHERE l_shipdate BETWEEN DATE '1995-01-01' AND DATE '1996-12-31' AND "
    "((n1.n_name = 'FRANCE' AND n2.n_name = 'GERMANY') OR (n1.n_name = 'GERMANY' AND n2.n_name = 'FRANCE'))",
    "Q8 with its conditions": f"{_Q8} WHERE o_orderdate BETWEEN DATE '1995-01-01' AND DATE '1996-12-31' "
    "AND r_name = 'AMERICA' AND p_type = 'ECONOMY ANODIZED STEEL'",
    "Q21 with its conditions": f"{_Q21} WHERE o_orderstatus = 'F' AND l_receiptdate > l_commitdate "
    "AND n_name = 'SAUDI ARABIA'",
}
_SUMS: Final[Mapping[str, str]] = {"Q7": "sum(l_extendedprice * (1 - l_discount) / 1000)"}
_LINEITEM = (
    'unit = "customer"\nprimary_key = ["l_orderkey", "l_linenumber"]\nlink = { l_orderkey = "orders.o_orderkey" }'
)
_OF_BOTH = """primary_key = ["l_orderkey", "l_linenumber"]
units = { customer = { l_orderkey = "orders.o_orderkey" }, supplier = { l_suppkey = "supplier.s_suppkey" } }"""
_SUPPLIER = """[tables.supplier]
unit = "supplier"
primary_key = ["s_suppkey"]
max_rows = 10000
[tables.supplier.columns]
s_suppkey = { type = "bigint" }
s_nationkey = { type = "bigint" }
s_name = { type = "text" }

[units.supplier]
table = "supplier"
key = "s_suppkey"
"""
_PARTSUPP = '[tables.partsupp]\nunit = "supplier"\nlink = { ps_suppkey = "supplier.s_suppkey" }'


def of_two_units(directory: Path) -> tuple[Config, Catalog]:
    """The policy over the rows in the directory in which customers and suppliers are protected."""
    path = write_policy(directory)
    text = path.read_text().replace(_LINEITEM, _OF_BOTH)
    text = text.replace('[tables.supplier]\npublic = true\nprimary_key = ["s_suppkey"]\n', _SUPPLIER)
    text = text.replace("[tables.partsupp]\npublic = true", _PARTSUPP)
    path.write_text(text)
    return fitted(recorded(path))


def lines(scale: float, runs: int, directory: Path | None = None) -> Iterator[str]:
    """A line for each join. directory: where there are rows already."""
    with TemporaryDirectory() as made:
        place = Path(made) if directory is None else directory
        if directory is None:
            make_rows(place, scale)
        config, catalog = of_two_units(place)
        with opened_room(config) as ask:
            for name, join in JOINS.items():
                added = _SUMS.get(name, "count(*)")
                found = plan(f"SELECT {added} FROM {join}", catalog, {"epsilon": "0.8"}, account=ACCOUNT)
                check_plan(found, catalog, "duckdb", Accounting.PURE)
                (counted,) = found.releases
                begun = _clocks()
                exact = ask(EngineQuery(counted.bounded.sql, numbers=True))
                yield f"{name}: {_told(counted, exact, runs, _since(begun, 1))}"


def _clocks() -> tuple[float, float]:
    return perf_counter(), process_time()


def _since(begun: tuple[float, float], runs: int) -> str:
    clock, processors = (now - before for now, before in zip(_clocks(), begun, strict=True))
    return f"{clock / runs:.1f} s ({processors / runs:.1f} s)"


def _told(counted: Release, exact: Rows, runs: int, asked: str) -> str:
    assert exact.numbers is not None, "the engine has whole numbers as arrays"
    true, begun = float(exact.numbers[2].sum()) * float(counted.bounded.measures[0].step), _clocks()
    told = [release(counted, exact, ()).rows[0][:2] for _ in range(runs)]
    each = _since(begun, runs)
    errors = [abs(float(str(count)) - true) / true * 100 for count, _ in told]
    clips = sorted({int(str(clip).partition(".")[0]) for _, clip in told})
    return (
        f"{true:,.0f} in all, {exact.numbers.shape[1]:,} pairs, mean error {statistics.mean(errors):.3g} %, largest "
        f"{max(errors):.3g} %, clips {', '.join(map(str, clips))}; engine {asked}, release {each}"
    )

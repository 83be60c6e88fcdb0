"""What is asked: the 22 queries, and for those that give single customers or orders the nearest that does not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from tpch.texts import texts


@dataclass(frozen=True, slots=True)
class Query:
    """A statement. `keys`: how many columns of its answer, which come first, say what a row is about.

    limits: settings that an analyst may choose who knows the specification, and not the data: how many rows one
    customer has within a row of the answer, and within how many of them.
    """

    number: int
    sql: str
    keys: int
    limits: Mapping[str, int]


_KEYS = (2, 8, 1, 1, 1, 0, 3, 1, 2, 2, 1, 1, 1, 0, 4, 3, 0, 5, 0, 2, 1, 1)

# A customer has 15 orders in 80 months, of four lines each, and each line has a supplier of one of 25 nations. A line's
# price is a third of the bound on average, so a limit of one row lets a sum of three rows pass.
_LIMITS: Mapping[int, Mapping[str, int]] = {
    1: {"max_rows_per_unit": 45},
    3: {"max_rows_per_unit": 2, "max_groups_per_unit": 2},
    4: {"max_rows_per_unit": 2},
    5: {"max_rows_per_unit": 1, "max_groups_per_unit": 1},
    6: {"max_rows_per_unit": 1},
    7: {"max_rows_per_unit": 1, "max_groups_per_unit": 2},
    8: {"max_rows_per_unit": 1, "max_groups_per_unit": 1},
    9: {"max_rows_per_unit": 2, "max_groups_per_unit": 6},
    10: {"max_rows_per_unit": 4},
    12: {"max_rows_per_unit": 2},
    14: {"max_rows_per_unit": 4},
    15: {"max_rows_per_unit": 1, "max_groups_per_unit": 2},
    17: {"max_rows_per_unit": 1, "max_groups_per_unit": 1},
    18: {"max_rows_per_unit": 7, "max_groups_per_unit": 1},
    19: {"max_rows_per_unit": 1},
    20: {"max_rows_per_unit": 1, "max_groups_per_unit": 1},
    21: {"max_rows_per_unit": 1, "max_groups_per_unit": 1},
}

# Rows about one order or customer become rows about a day, a nation, a priority.
_NEAREST = {
    3: (
        2,
        """
        SELECT o_orderdate, o_shippriority, sum(l_extendedprice * (1 - l_discount)) AS revenue
        FROM customer, orders, lineitem
        WHERE c_mktsegment = 'BUILDING' AND c_custkey = o_custkey AND l_orderkey = o_orderkey
          AND o_orderdate < DATE '1995-03-15' AND l_shipdate > DATE '1995-03-15'
        GROUP BY o_orderdate, o_shippriority
        ORDER BY revenue DESC, o_orderdate
        LIMIT 10
        """,
    ),
    10: (
        1,
        """
        SELECT n_name, sum(l_extendedprice * (1 - l_discount)) AS revenue
        FROM customer, orders, lineitem, nation
        WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND o_orderdate >= DATE '1993-10-01'
          AND o_orderdate < DATE '1994-01-01' AND l_returnflag = 'R' AND c_nationkey = n_nationkey
        GROUP BY n_name
        ORDER BY revenue DESC
        LIMIT 20
        """,
    ),
    18: (
        1,
        """
        SELECT o_orderpriority, sum(l_quantity)
        FROM customer, orders, lineitem
        WHERE o_orderkey IN (SELECT l_orderkey FROM lineitem GROUP BY l_orderkey HAVING sum(l_quantity) > 300)
          AND c_custkey = o_custkey AND o_orderkey = l_orderkey
        GROUP BY o_orderpriority
        ORDER BY o_orderpriority
        """,
    ),
}
NEAREST: Mapping[int, Query] = MappingProxyType(
    {number: Query(number, sql, keys, _LIMITS[number]) for number, (keys, sql) in _NEAREST.items()}
)


def queries() -> dict[int, Query]:
    """The 22, verbatim."""
    pairs = zip(texts().items(), _KEYS, strict=True)
    return {number: Query(number, sql, keys, _LIMITS.get(number, {})) for (number, sql), keys in pairs}

"""What a node of an expression costs for one row: ten of the cheapest are one row operation.

Every node that bounded SQL may hold has a weight: functions and operators in their table, the others here. One that
has none is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from sqlglot import exp

from dpproxy.rewrite.checker.functions import FUNCTIONS

OPERATION = 10  # nodes
SCANNED = OPERATION  # a row that is read, filtered or handed on
HASHED = 2 * OPERATION  # a row in a hash table: of a join, of GROUP BY, of DISTINCT, of a set operation
SORTED = 8 * OPERATION  # a row that is put in order: ORDER BY, a window, a count of distinct values
RELEASED = 20 * OPERATION  # a key of a unit in one measure: its noise, and its way to the analyst
FLOOR = 100 * OPERATION  # a release, however little it reads


def _weights(table: Mapping[int, tuple[type[exp.Expr], ...]]) -> Mapping[type[exp.Expr], int]:
    return {kind: weight for weight, kinds in table.items() for kind in kinds}


WEIGHTS = MappingProxyType(
    {
        **_weights(
            {
                0: (exp.Paren, exp.Star, exp.Var, exp.Identifier, exp.DataType, exp.DataTypeParam, exp.Alias,
                    exp.Ordered),
                1: (exp.If, exp.Tuple, exp.Parameter, exp.Placeholder, exp.BitwiseAnd, exp.BitwiseRightShift),
                6 * OPERATION: (exp.SHA2, exp.SHA2Digest),
                2: (exp.Sum, exp.Avg, exp.Min, exp.Max, exp.LogicalAnd, exp.LogicalOr, exp.Count),
                SORTED: (
                    exp.Distinct, exp.RowNumber, exp.Rank, exp.DenseRank, exp.PercentRank, exp.CumeDist, exp.Ntile,
                    exp.FirstValue, exp.LastValue, exp.NthValue, exp.Lag, exp.Lead,
                ),
            }
        ),
        **{kind: each.weight for kind, each in FUNCTIONS.items()},
    }
)  # fmt: skip
TEXT_CAST = 10  # to or from text, which is written and read letter by letter

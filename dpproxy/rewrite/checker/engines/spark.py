"""Spark in ANSI mode, and Sail: what has no room raises in the one, and is cut off in the other; in doubt it raises."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from dpproxy.rewrite.checker.engines.facts import Facts
from dpproxy.rewrite.checker.held import Kind

_KNOWN: Final = (
    "Column Subquery Exists Literal Null Boolean And Or Not Is EQ NEQ LT LTE GT GTE NullSafeEQ NullSafeNEQ In Between"
    " Case Coalesce Nullif Least Greatest Add Sub Mul Neg Abs Round Cast Length StrPosition Chr DPipe MD5"
    " Sum Count Min Max RowNumber DenseRank Rank Window"
)
FACTS: Final = Facts(
    name="spark",
    casts_are_tried=True,
    sums_in="DECIMAL(38, 0)",
    nodes=frozenset(_KNOWN.split()),
    float_overflows=True,  # Spark's does not, of which nothing is leant on
    float_cast_underflows=True,
    float_cast_of_decimal_overflows=False,  # 38 digits fit
    float_has_modulo=False,
    power_raises=True,
    decimal_without_limits=False,
    decimal_overflows=True,
    decimals_lose_places=True,
    decimals_compared_in_one=True,
    decimals_beside_floats=False,
    decimal_may_be_nan=False,
    round_adds_places=False,
    division_is_float=False,
    rests_are_float=True,
    floats_of_whole=frozenset({"FLOOR", "CEIL", "ROUND", "TRUNC"}),
    long_numbers_are_float=True,
    whole_modulo_overflows=True,
    sign_types=MappingProxyType({}),
    mean_is_decimal=False,
    sum_types=MappingProxyType(dict.fromkeys((Kind.SMALLINT, Kind.INTEGER, Kind.BIGINT), Kind.DECIMAL)),
    wide="DECIMAL(38, 0)",
    length_type=Kind.INTEGER,
    fields_are_decimals=True,
    digest_below="",
    hashed="",
    has_try_cast=False,
    tried_alone=frozenset(),
    text_takes_type_beside=False,
    text_holds_nul=True,
    like_escape="\\",
    negative_length_raises=True,
    split_part_zero_raises=True,
    functions=frozenset({"OCTET_LENGTH"}),
    days_are_endless=False,
    first_day=0,
    last_day=0,
)

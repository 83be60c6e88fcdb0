"""Spark in ANSI mode, and Sail: what has no room raises in the one, and is cut off in the other; in doubt it raises."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from dpproxy.rewrite.checker.engines.facts import Facts
from dpproxy.rewrite.checker.held import WHOLE, Kind

_KNOWN: Final = (
    "Column Subquery Exists Literal Null Boolean And Or Not Is EQ NEQ LT LTE GT GTE NullSafeEQ NullSafeNEQ In Between"
    " Case Coalesce Nullif Least Greatest Add Sub Mul IntDiv Mod Div Neg Abs Floor Ceil Round Sqrt Ln Cast TryCast"
    " Length StrPosition Chr DPipe MD5 Upper Lower Substring Left Right Trim Like ILike StartsWith Anonymous"
    " Reverse Translate Pad SplitPart Repeat ConcatWs Exp Cbrt Sin Cos Pow Log Sign"
    " Extract TimestampTrunc TimeToStr Interval DateDiff Concat Replace Sum Count Min Max"
    " RowNumber DenseRank Rank Ntile PercentRank CumeDist Lag Lead FirstValue LastValue Window"
)
FACTS: Final = Facts(
    name="spark",
    casts_are_tried=True,
    sums_in="DECIMAL(38, 0)",
    adds_in_doubles=True,
    nodes=frozenset(_KNOWN.split()),
    arrays_in_text=True,
    arrays_have_places=False,
    times_are_called=True,
    shares_rows=False,
    ranks_need_an_order=True,
    sums_have_bits=False,
    float_overflows=False,
    float_cast_underflows=False,
    float_cast_of_decimal_overflows=False,  # 38 digits fit
    float_has_modulo=False,
    power_raises=True,
    zero_has_a_sign=True,  # in Sail; and Spark's NULLIF leaves none
    whole_of_floats=frozenset({"FLOOR", "CEIL"}),
    decimal_without_limits=False,
    decimal_overflows=True,
    decimals_are_divided=False,
    choices_keep_places=False,  # of Sail's
    decimals_compared_in_one=True,
    decimals_beside_floats=False,
    decimal_may_be_nan=False,
    round_adds_places=False,
    division_is_float=True,  # of doubles and whole numbers; of decimals there is none
    rests_are_float=True,
    floats_of_whole=frozenset({"FLOOR", "CEIL", "ROUND", "TRUNC"}),
    long_numbers_are_float=True,
    whole_modulo_overflows=True,
    sign_types=MappingProxyType(dict.fromkeys((*WHOLE, Kind.DECIMAL, Kind.DOUBLE), Kind.DOUBLE)),
    mean_is_decimal=False,
    sum_types=MappingProxyType(dict.fromkeys((Kind.SMALLINT, Kind.INTEGER, Kind.BIGINT), Kind.DECIMAL)),
    wide="DECIMAL(38, 0)",
    place_type=Kind.INTEGER,
    length_type=Kind.INTEGER,
    field_type=Kind.INTEGER,
    digest_below="SHA2($text, 256) < '$digits'",
    drawn="CAST(:coin AS STRING) || CAST($key AS STRING)",
    hashed="XXHASH64(CAST($key AS STRING))",
    has_try_cast=True,
    tries_texts_alone=True,
    tried_alone=frozenset(),
    text_takes_type_beside=False,
    text_holds_nul=True,
    like_escape="\\",
    like_escapes_wildcards_alone=True,
    negative_length_raises=True,
    split_part_zero_raises=True,
    functions=frozenset({"OCTET_LENGTH", "XXHASH64"}),
    days_are_endless=False,
    moments_are_cast=True,
    first_day=-366_000,  # a thousand years before the first of Spark's calendar
    last_day=4_018_000,  # and after the last
    first_truncated=612_513,  # Sail counts nanoseconds, of which 64 bits hold 584 years
    last_truncated=825_814,
)

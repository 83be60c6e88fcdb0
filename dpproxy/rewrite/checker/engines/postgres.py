"""Postgres: floating point raises where it overflows or underflows; a numeric has no limits, and may be NaN."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from dpproxy.rewrite.checker.engines.facts import Facts
from dpproxy.rewrite.checker.held import NUMBERS, Kind

FACTS: Final = Facts(
    name="postgres",
    casts_are_tried=False,
    sums_in="",
    adds_in_doubles=False,
    nodes=frozenset(),
    arrays_in_text=False,
    arrays_have_places=False,
    times_are_called=False,
    shares_rows=True,
    ranks_need_an_order=False,
    sums_have_bits=False,
    float_overflows=True,
    float_cast_underflows=True,
    float_cast_of_decimal_overflows=True,
    float_has_modulo=False,
    power_raises=True,
    zero_has_a_sign=False,
    whole_of_floats=frozenset(),
    decimal_without_limits=True,
    decimal_overflows=False,
    decimals_are_divided=True,
    choices_keep_places=True,
    decimals_compared_in_one=False,
    decimals_beside_floats=True,
    decimal_may_be_nan=True,
    round_adds_places=True,
    division_is_float=False,
    rests_are_float=False,
    floats_of_whole=frozenset({"FLOOR", "CEIL", "ROUND", "TRUNC"}),
    long_numbers_are_float=False,
    whole_modulo_overflows=False,
    sign_types=MappingProxyType({**dict.fromkeys((*NUMBERS, Kind.NOTHING), Kind.DOUBLE), Kind.DECIMAL: Kind.DECIMAL}),
    mean_is_decimal=True,
    sum_types=MappingProxyType(
        {
            **dict.fromkeys((Kind.SMALLINT, Kind.INTEGER, Kind.NOTHING), Kind.BIGINT),
            **dict.fromkeys((Kind.BIGINT, Kind.HUGEINT), Kind.DECIMAL),
        }
    ),
    wide="DECIMAL",
    place_type=Kind.BIGINT,
    length_type=Kind.INTEGER,
    field_type=Kind.DECIMAL,
    digest_below=r"SHA256(CONVERT_TO($text, 'UTF8')) < CAST('\x$digits' AS BYTEA)",
    drawn="CAST($$coin AS TEXT) || CAST($key AS TEXT)",
    hashed="HASHTEXTEXTENDED(CAST($key AS TEXT), 0)",
    has_try_cast=False,
    tries_texts_alone=False,
    tried_alone=frozenset(),
    text_takes_type_beside=True,
    text_holds_nul=False,
    like_escape="\\",
    like_escapes_wildcards_alone=False,
    negative_length_raises=True,
    split_part_zero_raises=True,
    functions=frozenset({"FLOAT8LARGER", "FLOAT8SMALLER", "OCTET_LENGTH"}),
    days_are_endless=True,
    moments_are_cast=False,
    first_day=-1_721_000,  # from 4714 BC
    last_day=98_000_000,  # to the year 270000
    first_truncated=-1_721_000,
    last_truncated=98_000_000,
)

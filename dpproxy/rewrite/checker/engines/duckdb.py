"""DuckDB: floating point raises for nothing but logarithms, roots and casts; decimals have 38 digits."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from dpproxy.rewrite.checker.engines.facts import Facts
from dpproxy.rewrite.checker.held import NUMBERS, WHOLE, Kind

FACTS: Final = Facts(
    name="duckdb",
    casts_are_tried=False,
    sums_in="",
    adds_in_doubles=True,
    nodes=frozenset(),
    arrays_in_text=False,
    arrays_have_places=True,
    times_are_called=False,
    shares_rows=True,
    ranks_need_an_order=False,
    sums_have_bits=True,
    float_overflows=False,
    float_cast_underflows=False,
    float_cast_of_decimal_overflows=False,  # 38 digits fit
    float_has_modulo=True,
    power_raises=False,
    zero_has_a_sign=False,
    whole_of_floats=frozenset(),
    decimal_without_limits=False,
    decimal_overflows=True,
    decimals_are_divided=True,
    choices_keep_places=False,
    decimals_compared_in_one=True,
    decimals_beside_floats=True,
    decimal_may_be_nan=False,
    round_adds_places=False,
    division_is_float=True,
    rests_are_float=True,
    floats_of_whole=frozenset({"FLOOR", "CEIL"}),
    long_numbers_are_float=True,
    whole_modulo_overflows=True,
    sign_types=MappingProxyType(dict.fromkeys((*NUMBERS, Kind.NOTHING), Kind.TINYINT)),
    mean_is_decimal=False,
    sum_types=MappingProxyType(dict.fromkeys((*WHOLE, Kind.BOOLEAN, Kind.NOTHING), Kind.HUGEINT)),
    wide="INT128",
    place_type=Kind.BIGINT,
    length_type=Kind.BIGINT,
    field_type=Kind.BIGINT,
    digest_below="SHA256($text) < '$digits'",
    drawn="CAST($$coin AS TEXT) || CAST($key AS TEXT)",
    hashed="CAST(HASH($key) % 9223372036854775807 AS BIGINT)",
    has_try_cast=True,
    tries_texts_alone=False,
    tried_alone=frozenset(
        {"TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TINYINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"}
    ),
    text_takes_type_beside=False,
    text_holds_nul=True,
    like_escape="",
    like_escapes_wildcards_alone=False,
    negative_length_raises=False,
    split_part_zero_raises=False,
    functions=frozenset({"HASH"}),
    days_are_endless=True,
    moments_are_cast=False,
    first_day=-98_000_000,  # from 270000 BC
    last_day=98_000_000,  # to the year 270000
    first_truncated=-98_000_000,
    last_truncated=98_000_000,
)

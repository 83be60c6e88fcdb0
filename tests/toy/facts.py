"""SQLite as the checker has to know it. In doubt it raises more: it has no fractions, no dates and no floating point,
and what is said of them lets nothing be proved."""

from __future__ import annotations

from types import MappingProxyType

from dpproxy.rewrite.checker.engines import Facts
from dpproxy.rewrite.checker.held import Kind

FACTS = Facts(
    name="sqlite",
    casts_are_tried=False,
    sums_in="",
    nodes=frozenset(),
    arrays_in_text=False,
    times_are_called=False,
    float_overflows=True,
    float_cast_underflows=True,
    float_cast_of_decimal_overflows=True,
    float_has_modulo=False,
    power_raises=True,
    zero_has_a_sign=False,
    whole_of_floats=frozenset(),
    decimal_without_limits=False,
    decimal_overflows=True,
    decimals_are_divided=True,
    choices_keep_places=True,
    decimals_compared_in_one=True,
    decimals_beside_floats=False,
    decimal_may_be_nan=True,
    round_adds_places=True,
    division_is_float=False,
    rests_are_float=True,
    floats_of_whole=frozenset({"FLOOR", "CEIL", "ROUND", "TRUNC"}),
    long_numbers_are_float=True,
    whole_modulo_overflows=True,
    sign_types=MappingProxyType({}),
    mean_is_decimal=False,
    # The driver's own SUM adds up without an end, and gives what has no room in 64 bits as the last that has.
    sum_types=MappingProxyType(dict.fromkeys((Kind.SMALLINT, Kind.INTEGER, Kind.BIGINT), Kind.HUGEINT)),
    wide="BIGINT",
    place_type=Kind.BIGINT,
    length_type=Kind.BIGINT,
    field_type=Kind.DECIMAL,
    digest_below="",
    drawn="",
    hashed="",
    has_try_cast=False,
    tries_texts_alone=False,
    tried_alone=frozenset(),
    text_takes_type_beside=False,
    text_holds_nul=False,
    like_escape="",
    like_escapes_wildcards_alone=False,
    negative_length_raises=True,
    split_part_zero_raises=True,
    functions=frozenset({"OCTET_LENGTH"}),
    days_are_endless=False,
    first_day=0,
    last_day=0,
    first_truncated=0,
    last_truncated=0,
)

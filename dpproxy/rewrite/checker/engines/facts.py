"""The questions that the checker asks of an engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dpproxy.rewrite.checker.held import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the checker has to know of an engine. None has a default: whoever adds an engine answers each.

    Where in doubt, the answer is the one that lets the engine raise more often, or proves less of a value.
    """

    name: str
    """As sqlglot calls its dialect, and the engine's driver too."""

    # Texts that are read again

    casts_are_tried: bool
    """Whether the parser reads CAST as one that does not raise, which the engine's does: it is no TRY_CAST then, which
    the parser marks as safe."""
    sums_in: str
    """The type that what is added up has to be cast to, as SUM of BIGINT has no room for more than a bigint: 2^63 of
    them have room there. Only whole numbers are added up then, and there are no means. Empty: SUM of whole numbers is
    in a wider type by itself."""
    nodes: frozenset[str]
    """The kinds of nodes in expressions of which it is known that they do here what is proved of them. Empty: of each
    kind that the checker has a rule for."""
    adds_in_doubles: bool
    """Whether SUM of floating point raises for no numbers whose sum has room, and is made of additions, in whatever
    order, of which each is rounded to the nearest number. Else no SUM of what is cast to it is read."""

    arrays_in_text: bool
    """Whether an array is told as one text of JSON, EXPLODE(CAST(FROM_JSON(:name, 'ARRAY<STRING>') AS ARRAY<t>)), and
    several side by side are zipped, INLINE(ARRAYS_ZIP(…)) AS (…): read as UNNEST(CAST($name AS t[])) of each."""

    arrays_have_places: bool
    """Whether x[1] is the first value of an array, or NULL where it has none, and never raises: of what is told, it is
    read as a query of the array's rows, which has that one. Else no text has it."""

    times_are_called: bool
    """Whether the days between two dates are DATEDIFF(a, b), a - b being an interval: read as a - b; the microseconds
    between two timestamps are UNIX_MICROS(CAST(a AS TIMESTAMP)) - UNIX_MICROS(CAST(b AS TIMESTAMP)), and a text of one
    is DATE_FORMAT(a, …), in the letters of its own, of digits alone: read as DATE_DIFF, and as that of a."""

    shares_rows: bool
    """Whether WITH x AS MATERIALIZED (…) makes its rows once, whatever is read of them and how often: rows that are
    numbered there have one number wherever they are read. Else no text has it."""

    ranks_need_an_order: bool
    """Whether a rank or a place in a window without an order raises, whatever the rows are. Else all its rows are of
    one place, or numbered in any order."""
    sums_have_bits: bool
    """Whether a SUM of bigints is a whole number of 128 bits, of which x >> n, with n from 0 to 127, raises for none,
    nor x & n, which is between 0 and n, of it or of a bigint. Else no text has them."""

    # Floating point

    float_overflows: bool
    """Whether arithmetic, EXP, powers and sums of floating point raise where the result has no room, and products,
    quotients, EXP and powers where it is too small. Else it is infinite, or 0, and nothing raises."""
    float_cast_underflows: bool
    """Whether a cast to floating point raises where a number that is not 0 would be 0 there. Else it is 0."""
    float_cast_of_decimal_overflows: bool
    """Whether a decimal without limits may have no room in floating point, so that the cast of it raises."""
    float_has_modulo: bool
    """Whether a % b of floating point raises for no a, and for no b but 0."""
    power_raises: bool
    """Whether a power raises for a base below 0 and an exponent that is not whole, or 0 and one below 0. Else it is
    NaN, or infinite."""

    zero_has_a_sign: bool
    """Whether NULLIF(x, 0) may leave a -0.0, by which to divide raises: x is told apart from it by having 0 added."""
    whole_of_floats: frozenset[str]
    """Of FLOOR and CEIL, those that make a bigint of floating point: the nearest one where that has no room. The others
    leave its type."""

    # Decimals

    decimal_without_limits: bool
    """Whether a decimal without digits in its type has room for any number, and whether sums and products with one do.
    Else such a type is refused."""
    decimal_overflows: bool
    """Whether sums, products, rests and SUM of decimals raise where the result needs more digits than a decimal has.
    Else such results have no limits."""
    decimals_are_divided: bool
    """Whether it is known what a / b of decimals is. Else there is no such quotient."""
    choices_keep_places: bool
    """Whether a CASE of two decimals that need more digits than a decimal has keeps the places of both. Else there is
    no such choice."""
    decimals_compared_in_one: bool
    """Whether an exact number beside a decimal is first cast to one decimal for both, which may have no room."""
    decimals_beside_floats: bool
    """Whether an exact number that is no whole one may stand beside floating point: it is compared as that. Else
    floating point is made a decimal, for which it may have no room: the two are never beside each other."""
    decimal_may_be_nan: bool
    """Whether a decimal may be NaN, of any digits: it is above all others and equal to itself. A decimal of known
    digits then has known ends only if it is proved to be no NaN."""
    round_adds_places: bool
    """Whether ROUND(x, n) of a decimal has n digits after its point even if x has less."""

    # Types of results

    division_is_float: bool
    """Whether a / b is a double whatever its sides are, raising for none but b = 0. Else whole numbers are cut off to a
    whole one, decimals make one without limits, and floating point is as `float_overflows` would have it."""
    rests_are_float: bool
    """Whether a % b of decimals, or of a decimal and a whole number, may be floating point, and a // b of them is. Else
    both are decimals."""
    floats_of_whole: frozenset[str]
    """Of FLOOR, CEIL, ROUND and TRUNC, those that make another number than a whole one of a whole number. The others
    leave its type."""
    long_numbers_are_float: bool
    """Whether a number as written is floating point with an exponent, or with more digits than a decimal has. Else it
    is a decimal."""
    whole_modulo_overflows: bool
    """Whether the least number of a type % -1 raises, as its quotient does."""
    sign_types: Mapping[Kind, Kind]
    """The type of SIGN, by that of its argument."""
    mean_is_decimal: bool
    """Whether AVG of exact numbers is a decimal without limits. Else it is a double."""
    sum_types: Mapping[Kind, Kind]
    """The type of SUM, by that of its argument, where that is neither a decimal nor floating point."""
    place_type: Kind
    """The type of ROW_NUMBER, RANK, DENSE_RANK and NTILE."""
    length_type: Kind
    """The type of a length, and of a place, in a text."""
    field_type: Kind
    """The type of what EXTRACT makes: a decimal of every field, which of an infinite moment may be infinite; or a type
    of whole numbers, but for EPOCH and JULIAN, which are doubles, and of an infinite moment NULL."""

    wide: str
    """A type in which squares of whole numbers up to 2^45, and sums of 2^36 of them, have room and are exact."""

    # Casts and texts

    digest_below: str
    """The condition that SHA-256 of a text, as 64 hexadecimal digits, comes before some digits: a template of $text and
    $digits. Digits are in order, whatever the collation, and it raises for no text."""
    drawn: str
    """What a unit's coin is made of: the text of a run's secret, and after it the unit's key: a template of $key."""
    hashed: str
    """A bigint that is the same for equal keys of a unit, of one type: a template of $key. It raises for none."""
    has_try_cast: bool
    """Whether TRY_CAST is there: NULL where a cast would raise."""
    tries_texts_alone: bool
    """Whether of texts alone it is known that TRY_CAST raises for none."""
    tried_alone: frozenset[str]
    """Types of columns whose values may have no room in the engine's other types: TRY_CAST alone reads them. To cast
    one, or to write it as a text, may raise, or end the database."""
    text_takes_type_beside: bool
    """Whether a text as written, beside a value of another type, is read as that type before any row is."""
    text_holds_nul: bool
    """Whether a text can hold the letter 0. Else CHR(0) raises."""
    like_escape: str
    """The letter that escapes in LIKE without ESCAPE: a pattern that ends in it raises. Empty: none does."""
    like_escapes_wildcards_alone: bool
    """Whether an escape before a letter that is neither a wildcard nor an escape raises."""
    negative_length_raises: bool
    """Whether SUBSTRING raises for a length below 0."""
    split_part_zero_raises: bool
    """Whether SPLIT_PART raises for the part 0."""
    functions: frozenset[str]
    """Functions that the parser has no node for, of those that the checker knows."""

    # The calendar

    days_are_endless: bool
    """Whether a date or a timestamp may be infinite. Else the cast of a text that says so raises."""

    moments_are_cast: bool
    """Whether a TIMESTAMP WITH TIME ZONE may be cast to a timestamp, which raises for none, and is the same moment:
    every session is in UTC."""

    first_day: int
    """The first day of timestamps, since the year 1, or one after it: some room is left."""
    last_day: int
    """The last day, in the same way: a day, a zone or a rounding further raises for none."""

    first_truncated: int
    """The first day of which DATE_TRUNC is asked."""
    last_truncated: int
    """And the last one."""

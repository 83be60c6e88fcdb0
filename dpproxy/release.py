"""The one door out: exact integers per key go in, noised rows come out.

    Rows of the bounded SQL ─ _cells ─> totals by key, outside of public domains dropped
                            ─ _select ─> private keys that may be named
                            ─ _every_key ─> selected private keys × all public combinations, absent ones included
                            ─ add_noise ─> a vector for each measure, over all those keys
                            ─ estimate ─> numbers, scaled back, in the types of their columns

What is left of the data after `add_noise` and `_select` is their results; all that follows is post-processing.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Context, Decimal
from fractions import Fraction
from itertools import chain, product
from typing import Any, assert_never
from uuid import UUID

from dpproxy.catalog.types import Family, SqlType
from dpproxy.errors import EngineFailure
from dpproxy.estimates import Noised, estimate
from dpproxy.mechanisms.noise import add_noise
from dpproxy.mechanisms.selection import select
from dpproxy.plan.formulas import CountOf, Formula, SelectedCount, SumOf, uses_selected_count
from dpproxy.plan.model import Bounded, Key, Measure, Output, PrivateKeys, Release
from dpproxy.plan.space import Block, KeyValues, Space
from dpproxy.rows import Column, Rows, Value

MEAN_DIGITS = 16
_BITS = {"smallint": 15, "integer": 31, "bigint": 63}
_LARGEST_FLOAT = {"real": Fraction(3.4028234663852886e38), "double precision": Fraction(1.7976931348623157e308)}
_ALL_DIGITS = Context(prec=400_000)
_NAN, _DECIMAL_NAN = math.nan, Decimal("NaN")


@dataclass(frozen=True, slots=True)
class _Cell:
    """What the engine found for one key: its number of units, and a total for each measure."""

    units: int
    totals: tuple[int, ...]


def release(plan_release: Release, exact: Rows, space: Space) -> Rows:
    """The noised rows of one release point: columns are the keys, then the outputs, typed as the plan says.

    exact: rows of the bounded SQL: keys, then `n` if it counts units, then measures; None counts as 0.
    space: all keys but the private ones, in blocks. With no private key every combination of blocks is in the result,
    the first block's changing slowest; with no key at all there is one row.

    Claim: the rows lose, together, the sum of noise_loss over `noises` and selection_loss of `selection`.
    Because: which private keys appear is `select`'s result, which public ones is known beforehand, and every number is
    `add_noise` of a vector over all of those, each once, absent ones as 0. Losses add up, the rest is post-processing.
    Checked by: tests/test_release.py::test_values_belong_to_their_keys, ::test_absent_public_keys_get_noise,
    ::test_unselected_keys_leave_nothing.

    Raises ValueError for a plan that does not hang together, before it looks at any row, and EngineFailure for rows
    that are not what bounded SQL can yield (a key twice, a wrong type).
    """
    bounded = plan_release.bounded
    _check(plan_release, space)
    public, private = tuple(_distinct(bounded.keys, block) for block in space), _private_places(bounded.keys)
    cells = _cells(bounded, exact, public)
    chosen = _select(plan_release, cells, private)
    keys = list(_every_key(chosen, public, private))
    noised = _noise(plan_release, cells, keys)
    found = [
        Noised(bounded.measures, plan_release.noises, [totals[index] for totals in noised], chosen[_part(key, private)])
        for index, key in enumerate(keys)
    ]
    outputs = [_output(output, bounded.measures, found) for output in plan_release.outputs]
    return Rows(_columns(plan_release), tuple((*key, *values) for key, *values in zip(keys, *outputs, strict=True)))


def _check(plan_release: Release, space: Space) -> None:
    """Claim: a private key is never released but by selection, and no measure without noise.

    Because: anything else is refused here, by the plan alone.
    Checked by: tests/test_release.py::test_plans_that_do_not_hang_together_are_refused.
    """
    bounded, selection = plan_release.bounded, plan_release.selection
    private, places = _private_places(bounded.keys), [place for block in space for place in block.places]
    if sorted((*private, *places)) != list(range(len(bounded.keys))):
        raise ValueError("a release needs values for each key that is not private, in one block")
    if len(plan_release.noises) != len(bounded.measures):
        raise ValueError("a release needs noise for each measure")
    if bool(private) != (selection is not None) or (selection and not bounded.counts_units):
        raise ValueError("a release has key selection, over a number of units, if and only if some key is private")
    for measure, noise in zip(bounded.measures, plan_release.noises, strict=True):
        claimed = bounded.sensitivity(measure)
        if noise.sensitivity.l0 < claimed.l0 or noise.sensitivity.linf < claimed.linf:
            raise ValueError(f"the noise of {measure.label!r} is made for less than its sensitivity")
    counted = any(uses_selected_count(output.formula) for output in plan_release.outputs)
    if counted and places:
        raise ValueError("a selected count can stand for a count only where all keys are private")


def _cells(bounded: Bounded, exact: Rows, public: Space) -> dict[KeyValues, _Cell]:
    """The engine's rows by key, without those of which a public combination is not in its block.

    Claim: one unit moves the cells no further than the rows they come from.
    Because: a row is kept or dropped by its key alone, and no two rows are ever merged: that could add up what one
    unit gave to both, past linf.
    Checked by: tests/test_release.py::test_a_key_twice_is_a_failure.
    """
    width = len(bounded.keys)
    blocks = [(block.places, frozenset(block.combinations)) for block in public]
    cells: dict[KeyValues, _Cell] = {}
    for row in exact.rows:
        if len(row) != width + bounded.counts_units + len(bounded.measures):
            raise EngineFailure()
        key = tuple(canonical(value, key.type) for value, key in zip(row, bounded.keys, strict=False))
        if all(_part(key, places) in combinations for places, combinations in blocks):
            if key in cells:
                raise EngineFailure()
            cells[key] = _cell(bounded, row[width:])
    return cells


def _cell(bounded: Bounded, values: Sequence[Value]) -> _Cell:
    numbers = tuple(_whole(value) for value in values)
    return _Cell(numbers[0], numbers[1:]) if bounded.counts_units else _Cell(0, numbers)


def _whole(value: Value) -> int:
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int | Decimal) or value != int(value):
        raise EngineFailure()
    return int(value)


def _select(plan_release: Release, cells: Mapping[KeyValues, _Cell], private: tuple[int, ...]) -> dict[KeyValues, int]:
    """The private parts of keys that may be named, each with its noisy number of units, in the order of their values.

    Claim: loses selection_loss(selection).
    Because: a private part's score is the sum of its units over public keys, for which the plan claims l0, l1 and linf;
    the order in which scores are given to `select` follows from the values alone.
    Checked by: tests/test_release.py::test_unselected_keys_leave_nothing, ::test_scores_add_up_over_public_keys.
    """
    if plan_release.selection is None:
        return {(): 0}
    scores: dict[KeyValues, int] = {}
    for key, cell in cells.items():
        part = _part(key, private)
        scores[part] = scores.get(part, 0) + cell.units
    parts = sorted(scores, key=lambda part: tuple(map(_rank, part)))
    selected = select(plan_release.selection, [scores[part] for part in parts])
    return {parts[index]: count for index, count in selected.items()}


def _private_places(keys: Sequence[Key]) -> tuple[int, ...]:
    return tuple(place for place, key in enumerate(keys) if isinstance(key.domain, PrivateKeys))


def _part(key: KeyValues, places: Sequence[int]) -> KeyValues:
    return tuple(key[place] for place in places)


def _every_key(chosen: Mapping[KeyValues, int], public: Space, private: tuple[int, ...]) -> Iterator[KeyValues]:
    """Each once, because a private part is once in `chosen` and a combination once in its block."""
    places = (*private, *(place for block in public for place in block.places))
    order = sorted(range(len(places)), key=places.__getitem__)
    for part in chosen:
        for combinations in product(*(block.combinations for block in public)):
            yield _part((*part, *chain.from_iterable(combinations)), order)


def _noise(plan_release: Release, cells: Mapping[KeyValues, _Cell], keys: Sequence[KeyValues]) -> tuple[list[int], ...]:
    """For each measure its noisy totals, over all `keys`.

    Claim: measure i loses noise_loss(noises[i]).
    Because: the vector's entries are the totals of known keys, 0 where there are no rows, so one unit moves it as
    `Bounded.sensitivity` says, and `_check` saw that the noise was made for no less.
    Checked by: tests/test_release.py::test_absent_public_keys_get_noise.
    """
    absent = _Cell(0, (0,) * len(plan_release.noises))
    found = [cells.get(key, absent).totals for key in keys]
    return tuple(
        add_noise(noise, [totals[index] for totals in found]) for index, noise in enumerate(plan_release.noises)
    )


def _output(output: Output, measures: Sequence[Measure], keys: Sequence[Noised]) -> list[Value]:
    """One released column, by its formula, for each key."""
    digits = _digits(output.formula, measures)
    return [_value(estimate(output.formula, each), output.type, digits) for each in keys]


def _digits(formula: Formula, measures: Sequence[Measure]) -> int:
    """Of a numeric: how many come after the point."""
    match formula:
        case CountOf() | SelectedCount():
            return 0
        case SumOf(index):
            return max(0, -int(measures[index].step.as_tuple().exponent))
        case _:
            return MEAN_DIGITS


def _value(value: Fraction | bool | None, sql_type: SqlType, digits: int) -> Value:
    return value if value is None or isinstance(value, bool) else _typed(value, sql_type, digits)


def _typed(value: Fraction, sql_type: SqlType, digits: int) -> Value:
    """`value` in the type of its column: saturated at the type's ends, numeric rounded to `digits` after the point."""
    match sql_type.family:
        case Family.INTEGER:
            bound = 1 << _BITS[sql_type.name]
            return max(-bound, min(bound - 1, _rounded(value)))
        case Family.NUMERIC:
            return _ALL_DIGITS.scaleb(Decimal(_rounded(value * 10**digits)), -digits)
        case Family.FLOAT:
            largest = _LARGEST_FLOAT[sql_type.name]
            return _float(float(max(-largest, min(largest, value))), sql_type)
        case Family.TEXT | Family.BOOLEAN | Family.DATE | Family.TIMESTAMP | Family.UUID | Family.INTERVAL:
            raise ValueError(f"no noisy number has type {sql_type}")
        case _:
            assert_never(sql_type.family)


def _rounded(value: Fraction) -> int:
    """The nearest whole number, halves away from 0 as Postgres has it."""
    size = (2 * abs(value) + 1) // 2
    return size if value >= 0 else -size


def _columns(plan_release: Release) -> tuple[Column, ...]:
    keys = (Column(key.name, str(key.type)) for key in plan_release.bounded.keys)
    return (*keys, *(Column(output.name, str(output.type)) for output in plan_release.outputs))


def _distinct(keys: Sequence[Key], block: Block) -> Block:
    """The block with canonical values, each combination once."""
    types = [keys[place].type for place in block.places]
    values = (tuple(map(canonical, combination, types)) for combination in block.combinations)
    return Block(block.places, tuple(dict.fromkeys(values)))


def canonical(value: Value, sql_type: SqlType) -> Value:
    """`value` as the one Python value that stands for it in its type, so that equal keys are equal and look equal.

    Which of -0.0 and 0.0, or 1.5 and 1.50, the engine shows for a group is up to single rows; none of it leaves. NaN is
    one object, so that tuples and sets find it again. Raises EngineFailure where the value is not of the type.
    """
    match sql_type.family, value:
        case _, None:
            return None
        case (Family.BOOLEAN, bool()) | (Family.TEXT, str()) | (Family.UUID, UUID()):
            return value
        case (Family.INTEGER, int() | Decimal()) if not isinstance(value, bool):
            return _whole(value)
        case (Family.NUMERIC, int() | float() | Decimal()) if not isinstance(value, bool):
            return _numeric(Decimal(value), sql_type)
        case (Family.FLOAT, int() | float() | Decimal()) if not isinstance(value, bool):
            return _float(float(value), sql_type)
        case (Family.DATE, datetime()) if value.time() == time():
            return value.date()
        case (Family.DATE, date()) if not isinstance(value, datetime):
            return value
        case (Family.TIMESTAMP, datetime()):
            return value
        case (Family.TIMESTAMP, date()):
            return datetime.combine(value, time())
        case _:
            raise EngineFailure()


def _numeric(value: Decimal, sql_type: SqlType) -> Decimal:
    """With as many digits after the point as the type says, else as few as there can be; never rounded."""
    if not value.is_finite():
        return _DECIMAL_NAN if value.is_nan() else value
    shortest = _ALL_DIGITS.normalize(value) if value else Decimal(0)
    scale = sql_type.modifiers[1] if len(sql_type.modifiers) == 2 else 0
    exponent = min(-scale, int(shortest.as_tuple().exponent))
    return shortest.quantize(Decimal((0, (1,), exponent)), context=_ALL_DIGITS)


def _float(value: float, sql_type: SqlType) -> float:
    """Of the type's precision, 0.0 for -0.0, and one object for NaN."""
    if math.isnan(value):
        return _NAN
    if sql_type.name == "real" and abs(value) <= _LARGEST_FLOAT["real"]:
        value = struct.unpack("f", struct.pack("f", value))[0]
    return value + 0.0


def _rank(value: Value) -> tuple[Any, ...]:
    """A total order among the canonical values of one type: text by its UTF-8 bytes, then NaN, then NULL."""
    if value is None:
        return (2,)
    if isinstance(value, str):
        return (0, value.encode("utf-8", "surrogatepass"))
    return (1,) if value != value else (0, value)

"""The one door out: exact integers per key go in, released rows come out.

    Rows of the bounded SQL ─ _cells ─> totals by key, outside of public domains dropped
                            ─ _tell ─> what each mechanism tells, one after the other, going by those before it:
                                         keys, selected ones × all public combinations, absent ones included,
                                         and noised totals over them
                            ─ estimate ─> numbers, scaled back, in the types of their columns

What is left of the data after the mechanisms is what they told; all that follows is post-processing.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from decimal import Context, Decimal
from fractions import Fraction
from itertools import chain, product
from typing import Any, assert_never
from uuid import UUID

from dpproxy.catalog.types import Family, SqlType
from dpproxy.errors import EngineFailure
from dpproxy.estimates import Noised, estimate
from dpproxy.mechanisms.noise import Noise
from dpproxy.mechanisms.noisy_max import NoisyMax
from dpproxy.mechanisms.selection import Selection
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.plan.formulas import (
    CountOf,
    CovarianceOf,
    DecisionOf,
    DispersionOf,
    FitOf,
    Formula,
    LineOf,
    MeanOf,
    SelectedCount,
    SumOf,
    uses_selected_count,
)
from dpproxy.plan.private_plan import Applied, Bounded, Key, Measure, Output, PrivateKeys, Release
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


@dataclass(frozen=True, slots=True)
class _Told:
    """What the mechanisms have told so far: the keys of the answer; for each the number of units that selected its
    private part (0 where it has none), and by measure the noise and the noised total."""

    keys: tuple[KeyValues, ...]
    selected: tuple[int, ...]
    noises: Mapping[int, Noise]
    totals: Mapping[int, Sequence[int]]

    def only(self, place: int | None) -> _Told:
        """What is left of it for the key at that place; None: there is no key."""
        kept = slice(0) if place is None else slice(place, place + 1)
        totals = {measure: noised[kept] for measure, noised in self.totals.items()}
        return replace(self, keys=self.keys[kept], selected=self.selected[kept], totals=totals)


@dataclass(frozen=True, slots=True)
class _Exact:
    """What the mechanisms read. public: all keys but the private ones; private: the places of those."""

    cells: Mapping[KeyValues, _Cell]
    public: Space
    private: tuple[int, ...]

    def vector(self, keys: Sequence[KeyValues], measure: int) -> list[int]:
        """The totals of a measure over known keys, 0 where there are no rows.

        Claim: one unit moves it as `Bounded.sensitivity` says. Because: the keys do not depend on it but through
        mechanisms, and absent ones are there.
        Checked by: tests/test_release.py::test_absent_public_keys_get_noise.
        """
        return [self.cells[key].totals[measure] if key in self.cells else 0 for key in keys]

    def scores(self) -> dict[KeyValues, int]:
        """The private parts of keys with their numbers of units, summed over public keys, in the order of their values.

        Claim: what the order tells follows from the values alone, and one unit moves the numbers as the plan claims.
        Checked by: tests/test_release.py::test_unselected_keys_leave_nothing, ::test_scores_add_up_over_public_keys.
        """
        scores: dict[KeyValues, int] = {}
        for key, cell in self.cells.items():
            part = _part(key, self.private)
            scores[part] = scores.get(part, 0) + cell.units
        return {part: scores[part] for part in sorted(scores, key=lambda part: tuple(map(_rank, part)))}


def release(plan_release: Release, exact: Rows, space: Space) -> Rows:
    """The released rows of one release point: columns are the keys, then the outputs, typed as the plan says.

    exact: rows of the bounded SQL: keys, then `n` if it counts units, then measures; None counts as 0.
    space: all keys but the private ones, in blocks. With no private key every combination of blocks is in the result,
    the first block's changing slowest; with no key at all there is one row.

    Claim: the rows lose, together, the sum of the mechanisms' losses.
    Because: the rows are made of what the mechanisms told (`_Told`) and of the plan alone. Each read a vector that one
    unit moves within what it is made for (`_check`), over keys that those before it told. Losses add up, the rest is
    post-processing.
    Checked by: tests/test_release.py::test_values_belong_to_their_keys, ::test_absent_public_keys_get_noise,
    ::test_unselected_keys_leave_nothing.

    Raises ValueError for a plan that does not hang together, before it looks at any row, and EngineFailure for rows
    that are not what bounded SQL can yield (a key twice, a wrong type).
    """
    bounded = plan_release.bounded
    _check(plan_release, space)
    public, private = tuple(_distinct(bounded.keys, block) for block in space), _private_places(bounded.keys)
    told = _tell(plan_release.mechanisms, _Exact(_cells(bounded, exact, public), public, private))
    found = [
        Noised(bounded.measures, told.noises, {at: totals[index] for at, totals in told.totals.items()}, selected)
        for index, selected in enumerate(told.selected)
    ]
    outputs = [_output(output, bounded.measures, found) for output in plan_release.outputs]
    return Rows(
        _columns(plan_release), tuple((*key, *values) for key, *values in zip(told.keys, *outputs, strict=True))
    )


def _check(plan_release: Release, space: Space) -> None:
    """Claim: a private key is never released but by selection, and nothing of a measure but by a mechanism.

    Because: anything else is refused here, by the plan alone.
    Checked by: tests/test_release.py::test_plans_that_do_not_hang_together_are_refused.
    """
    bounded = plan_release.bounded
    private, places = _private_places(bounded.keys), [place for block in space for place in block.places]
    if sorted((*private, *places)) != list(range(len(bounded.keys))):
        raise ValueError("a release needs values for each key that is not private, in one block")
    read = [each.measure for each in plan_release.mechanisms]
    if read != [None] * bounded.counts_units + list(range(len(bounded.measures))):
        raise ValueError("a release needs a mechanism for the number of units, where it is counted, and each measure")
    if bool(private) != bounded.counts_units:
        raise ValueError("a release counts units if and only if some key is private")
    for each in plan_release.mechanisms:
        _check_applied(each, bounded)
    counted = any(uses_selected_count(output.formula) for output in plan_release.outputs)
    if counted and (places or not private):
        raise ValueError("a selected count can stand for a count only where all keys are private")


def _check_applied(applied: Applied, bounded: Bounded) -> None:
    """Whether the mechanism can read what it is applied to, and is made for how far one unit moves that."""
    match applied.mechanism:
        case Selection():
            if applied.measure is not None:
                raise ValueError("key selection reads the number of units")
        case Noise() as noise:
            if applied.measure is None:
                raise ValueError("private keys are told by selection alone")
            _check_made_for(noise.made_for, bounded, applied.measure)
        case NoisyMax() as choice:
            if applied.measure is None or bounded.counts_units:
                raise ValueError("private keys are told by selection alone")
            _check_made_for(choice.made_for, bounded, applied.measure)
            measure = bounded.measures[applied.measure]
            if choice.one_sided and measure.lower < 0 < measure.upper:
                raise ValueError(f"the choice by {measure.label!r} is made for less than its sensitivity: two signs")
        case _:
            assert_never(applied.mechanism)


def _check_made_for(made_for: Sensitivity, bounded: Bounded, measure: int) -> None:
    claimed = bounded.sensitivity(bounded.measures[measure])
    if made_for.l0 < claimed.l0 or made_for.linf < claimed.linf:
        raise ValueError(f"the mechanism of {bounded.measures[measure].label!r} is made for less than its sensitivity")


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


def _tell(mechanisms: Sequence[Applied], exact: _Exact) -> _Told:
    """What the mechanisms tell, each of which is told what those before it did.

    Without private keys all are known beforehand; else there is none before selection tells some.
    """
    told = _keyed({} if exact.private else {(): 0}, exact)
    for each in mechanisms:
        told = _apply(each, exact, told)
    return told


def _apply(applied: Applied, exact: _Exact, told: _Told) -> _Told:
    """What is told after one more mechanism."""
    match applied.mechanism:
        case Selection() as selection:
            scores = exact.scores()
            parts, selected = list(scores), selection.release(list(scores.values()))
            return _keyed({parts[index]: count for index, count in selected.items()}, exact)
        case Noise() as noise:
            assert applied.measure is not None, "_check saw it"
            totals = noise.release(exact.vector(told.keys, applied.measure))
            noises = {**told.noises, applied.measure: noise}
            return replace(told, noises=noises, totals={**told.totals, applied.measure: totals})
        case NoisyMax() as choice:
            assert applied.measure is not None, "_check saw it"
            return told.only(choice.release(exact.vector(told.keys, applied.measure)))
        case _:
            assert_never(applied.mechanism)


def _keyed(selected: Mapping[KeyValues, int], exact: _Exact) -> _Told:
    """The selected private parts, each with every public combination."""
    keys = tuple(_every_key(selected, exact.public, exact.private))
    return _Told(keys, tuple(selected[_part(key, exact.private)] for key in keys), {}, {})


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
        case MeanOf() | DispersionOf() | CovarianceOf() | LineOf() | FitOf() | DecisionOf():
            return MEAN_DIGITS
        case _:
            assert_never(formula)


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

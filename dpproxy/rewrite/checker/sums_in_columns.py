"""A unit's sums and counts by a few known keys in one row of it, a column for each: proved under the steps of
`packed`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from string import Template
from typing import Final

from sqlglot import exp

from dpproxy.plan.private_plan import Bounded, Key, Measure, MeasureKind
from dpproxy.rewrite.checker.clipped import MOST_STEPS, ROWS, STEP
from dpproxy.rewrite.checker.engines import Facts
from dpproxy.rewrite.checker.fault import CheckFault, require
from dpproxy.rewrite.checker.in_doubles import read_in_doubles
from dpproxy.rewrite.checker.nodes import parsed
from dpproxy.rewrite.checker.packed import (
    among_text,
    conditions_of,
    equal_text,
    few_values,
    names_by_measure,
    unscaled,
    untotalled,
)
from dpproxy.rewrite.checker.relations import UNIT, Range
from dpproxy.rewrite.checker.syntax import derived, filtered, grouped, only, plain, query_of, source_of
from dpproxy.rows import Value

_COUNTED: Final = Template("COUNT(CASE WHEN $test THEN 1 END) AS s0")
_THERE: Final = Template("SELECT $items FROM $rows WHERE s0 > 0")
_OWN: Final = Template("CASE WHEN $test THEN $measure END AS x")
_OF_ROWS: Final = Template("LEAST(COUNT(CASE WHEN $test THEN 1 END), $most) AS x")


def has_sums(bounded: Bounded) -> bool:
    """Whether what is in columns is more than a count of rows alone."""
    return [measure.kind for measure in bounded.measures] != [MeasureKind.ROWS]


@dataclass(frozen=True, slots=True)
class InColumns:
    """The query whose rows have the unit, the key and what they add; conditions on the key that are true of each row
    that counts; between which ends a row may add, for each measure of which it adds a number."""

    rows: exp.Expr
    conditions: list[exp.Expr]
    rooms: Mapping[str, Range]


def read_columns(total: exp.Select, bounded: Bounded, engine: Facts) -> InColumns:
    """What is under the steps.

    Claim: if nothing is raised, and what rows add is within `rooms`, `bounded` says the truth of the
    result. Because: GROUP BY u makes one row of a unit, whose numbers, one of each measure and value, are functions of
    its own rows: how many have that value, or the sum of what those add, held to [lower, upper] (`in_doubles`). So they
    are its contributions to these keys, and 0 to those that it has no row in; a row in another key is in none. Where a
    clip is chosen, and so units are counted, a unit is left out that has no row in these keys, by a count of its own;
    where caps hold, nobody is told of units. `unscaled` and `untotalled` say what becomes of the numbers; squares of
    numbers up to MOST_STEPS have room.
    Checked by: tests/test_sums_in_columns.py.
    Raises CheckFault where a step is anything else.
    """
    key, values = few_values(bounded)
    if bounded.clip is None:
        units = untotalled(total, bounded, key, values, engine)
    else:
        require(all(each.bound <= MOST_STEPS for each in bounded.measures), "a contribution has no room")
        units = _of_those_there(unscaled(total, bounded, key, values, engine), bounded, values, engine)
    only(units, "expressions", "from_", "group")
    require([plain(part) for part in grouped(units)] == [UNIT], "numbers are not by unit")
    require(source_of(units).alias == "r", "a step reads another one than it should")
    counted = [] if bounded.clip is None else _counted(key, values, engine)
    require(units.expressions[: len(counted)] == counted, "rows in the keys are not counted")
    numbers, rooms = iter(units.expressions[len(counted) :]), dict[str, Range]()
    for measure, names in zip(bounded.measures, names_by_measure(bounded, values), strict=True):
        for name, value in zip(names, values, strict=True):
            item = next(numbers, None)
            if type(item) is not exp.Alias or item.alias != name:
                raise CheckFault("a number is not where it belongs")
            room = _room_of(item.this, measure, equal_text(key, value, engine), engine)
            if room is not None:
                rooms[measure.name] = _within(rooms.get(measure.name, room), room)
    require(next(numbers, None) is None, "there are other numbers than keys")
    return InColumns(query_of(units), conditions_of(key, values, engine), rooms)


def _room_of(number: exp.Expr, measure: Measure, test: str, engine: Facts) -> Range | None:
    """Between which ends a row may add, if the number is what a unit's rows add that pass the test, held to what they
    may add at most; None where it counts them."""
    if measure.kind is MeasureKind.ROWS:
        require(measure.lower == 0, "a count that may be below 0")
        require(number == _item(_OF_ROWS.substitute(test=test, most=measure.upper), engine), "not a count of its key")
        return None
    found = read_in_doubles(number, engine)
    if found is None or (found.least, found.most) != (measure.lower, measure.upper):
        raise CheckFault("a number is not held to what a unit may add")
    own = _item(_OWN.substitute(test=test, measure=measure.name), engine)
    require(found.added == own, "a number is not that of its own key")
    return found.room


def _within(one: Range, other: Range) -> Range:
    return max(one[0], other[0]), min(one[1], other[1])


def _item(text: str, engine: Facts) -> exp.Expr:
    (expected,) = parsed(STEP.substitute(items=text, rows=ROWS + "r"), engine.name).expressions
    inner: exp.Expr = expected.this
    return inner


def _counted(key: Key, values: tuple[Value, ...], engine: Facts) -> list[exp.Expr]:
    """How many rows of a unit are in one of the keys."""
    text = _COUNTED.substitute(test=among_text(key, values, engine))
    return list(parsed(STEP.substitute(items=text, rows=ROWS + "r"), engine.name).expressions)


def _of_those_there(numbers: exp.Select, bounded: Bounded, values: tuple[Value, ...], engine: Facts) -> exp.Select:
    """The SELECT of all units' numbers under that of those with a row in one of the keys."""
    only(numbers, "expressions", "from_", "where")
    names = ", ".join(name for each in names_by_measure(bounded, values) for name in each)
    expected = parsed(_THERE.substitute(items=names, rows=ROWS + "q"), engine.name)
    require(source_of(numbers).alias == "q", "a step reads another one than it should")
    require(numbers.expressions == expected.expressions, "what is read of units is not what it has to be")
    require(filtered(numbers) == filtered(expected), "units are left out")
    return derived(numbers)

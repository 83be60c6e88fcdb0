"""A unit's sums by a few known keys in one row of it, a column for each: proved under the steps of `packed`."""

from __future__ import annotations

from string import Template
from typing import Final

from sqlglot import exp

from dpproxy.plan.private_plan import Bounded, Key, MeasureKind
from dpproxy.rewrite.checker.clipped import MOST_STEPS, ROWS, STEP
from dpproxy.rewrite.checker.engines import Facts
from dpproxy.rewrite.checker.fault import CheckFault, require
from dpproxy.rewrite.checker.in_doubles import added_in_doubles
from dpproxy.rewrite.checker.nodes import parsed
from dpproxy.rewrite.checker.packed import (
    among_text,
    conditions_of,
    equal_text,
    few_values,
    names_of,
    unscaled,
    untotalled,
)
from dpproxy.rewrite.checker.relations import UNIT
from dpproxy.rewrite.checker.syntax import derived, filtered, grouped, only, plain, query_of, source_of
from dpproxy.rows import Value

_COUNTED: Final = Template("COUNT(CASE WHEN $test THEN 1 END) AS s0")
_THERE: Final = Template("SELECT $items FROM $rows WHERE s0 > 0")
_OWN: Final = Template("CASE WHEN $test THEN m0 END AS m0")


def has_sums(bounded: Bounded) -> bool:
    """Whether what is in columns is a sum, and no count of rows."""
    return [measure.kind is MeasureKind.ROWS for measure in bounded.measures] == [False]


def rows_in_columns(total: exp.Select, bounded: Bounded, engine: Facts) -> tuple[list[exp.Expr], exp.Expr]:
    """The query under the steps, whose rows have the unit, the key and `m0`, and conditions on the key that are true of
    each row that counts.

    Claim: if nothing is raised, and `m0` is a whole number from 0 to 2^53 or NULL, `bounded` says the truth of the
    result. Because: GROUP BY u makes one row of a unit, whose numbers, one of each value, are functions of its own
    rows: the sum of `m0` of those with that value, held to [0, upper] (`in_doubles`). So they are its contributions to
    these keys, and 0 to those that it has no row in; a row in another key is in none. Where a clip is chosen, and so
    units are counted, a unit is left out that has no row in these keys, by a count of its own; where caps hold, nobody
    is told of units. `unscaled` and `untotalled` say what becomes of the numbers; squares of numbers up to MOST_STEPS
    have room.
    Checked by: tests/test_sums_in_columns.py.
    Raises CheckFault where a step is anything else.
    """
    key, measure, values = few_values(bounded)
    require(measure.lower == 0, "sums in columns that may be below 0")
    if bounded.clip is None:
        units = untotalled(total, bounded, key, values, engine)
    else:
        require(measure.upper <= MOST_STEPS, "a contribution has no room")
        units = _of_those_there(unscaled(total, bounded, key, values, engine), values, engine)
    only(units, "expressions", "from_", "group")
    require([plain(part) for part in grouped(units)] == [UNIT], "numbers are not by unit")
    require(source_of(units).alias == "r", "a step reads another one than it should")
    counted = [] if bounded.clip is None else _counted(key, values, engine)
    require(units.expressions[: len(counted)] == counted, "rows in the keys are not counted")
    numbers = units.expressions[len(counted) :]
    require(len(numbers) == len(values), "there are other numbers than keys")
    for item, name, value in zip(numbers, names_of(values), values, strict=True):
        require(type(item) is exp.Alias and item.alias == name, "a number is not where it belongs")
        added = added_in_doubles(item.this, engine)
        if added is None or added[1] != measure.upper:
            raise CheckFault("a number is not held to what a unit may add")
        own = _OWN.substitute(test=equal_text(key, value, engine))
        (expected,) = parsed(STEP.substitute(items=own, rows=ROWS + "r"), engine.name).expressions
        require(added[0] == expected.this, "a number is not that of its own key")
    return conditions_of(key, values, engine), query_of(units)


def _counted(key: Key, values: tuple[Value, ...], engine: Facts) -> list[exp.Expr]:
    """How many rows of a unit are in one of the keys."""
    text = _COUNTED.substitute(test=among_text(key, values, engine))
    return list(parsed(STEP.substitute(items=text, rows=ROWS + "r"), engine.name).expressions)


def _of_those_there(numbers: exp.Select, values: tuple[Value, ...], engine: Facts) -> exp.Select:
    """The SELECT of all units' numbers under that of those with a row in one of the keys."""
    only(numbers, "expressions", "from_", "where")
    expected = parsed(_THERE.substitute(items=", ".join(names_of(values)), rows=ROWS + "q"), engine.name)
    require(source_of(numbers).alias == "q", "a step reads another one than it should")
    require(numbers.expressions == expected.expressions, "what is read of units is not what it has to be")
    require(filtered(numbers) == filtered(expected), "units are left out")
    return derived(numbers)

"""date_bin(stride, x, origin): the begin of the bin that a moment lies in, of bins of one length from an origin on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from sqlglot import exp

from dpproxy.catalog.types import TEXT, TIMESTAMP
from dpproxy.rewrite.expressions.constants.domains import folded, image
from dpproxy.rewrite.expressions.constants.literals import as_type, constant, is_constant, is_null, value_of
from dpproxy.rewrite.expressions.facts import ranges
from dpproxy.rewrite.expressions.facts.fact import Interval, Typed
from dpproxy.rewrite.expressions.intervals.durations import Duration, as_duration, of_parts
from dpproxy.rewrite.expressions.intervals.elapsed import micros_between
from dpproxy.rewrite.expressions.intervals.spans import MOST, micros_of, moment_at, moment_of
from dpproxy.rewrite.expressions.intervals.whole_numbers import minus, plus, remainder, whole
from dpproxy.rewrite.expressions.time.grains import MOST_VALUES
from dpproxy.rewrite.expressions.time.moving import moved
from dpproxy.rewrite.expressions.trees.build import cast
from dpproxy.rewrite.expressions.trees.refusals import refused
from dpproxy.rewrite.expressions.types import moments
from dpproxy.rewrite.expressions.types.calendars import DAY, in_years, years
from dpproxy.rewrite.expressions.walk import Walk
from dpproxy.rows import Value

_STRIDE = (
    "Write a constant, as in date_bin('15 minutes', x, TIMESTAMP '2024-01-01'); date_trunc('month', x) has months."
)
_ORIGIN = "Write a constant: date_bin('15 minutes', x, TIMESTAMP '2024-01-01')."
_SOURCE = "Cast it: date_bin('7 days', CAST(x AS timestamp), TIMESTAMP '2024-01-01')."


def binned(node: exp.Expression, walk: Walk) -> Typed:
    """date_bin(stride, x, origin) of a timestamp, with or without time zone, by constants.

    Claim: no engine raises. Because: x and the origin lie in the years 0001 to 9999, so that what is between them is a
    number of microseconds of 64 bits; x goes back by less than a stride. Checked by: tests/test_expressions.py.
    """
    stride, source = _stride(node, as_duration(node, walk(node.this))), walk(node.expression)
    if not (moments.is_moment(source) or source.fact.type == TIMESTAMP):
        raise refused(node, f"date_bin() of a {source.fact.type} is not supported over private tables", _SOURCE)
    origin = as_type(node, _origin(node, walk), source.fact.type)
    if not is_constant(origin) or is_null(origin):
        raise refused(node, "the origin of date_bin() must be a constant", _ORIGIN)
    source, origin = moments.alike(node, [source, origin])
    if moments.is_moment(source):
        made = _begin(node, stride, moments.in_utc(source), moments.in_utc(origin))
        return moments.of_utc(made, source.fact.type)
    return _begin(node, stride, source, origin)


def _origin(node: exp.Expression, walk: Walk) -> Typed:
    """The third argument, which the parser takes for a unit: a text or a name becomes a word."""
    third = node.args.get("unit")
    if third is None:
        raise refused(node, "date_bin() without an origin is not supported over private tables", _ORIGIN)
    return constant(third.name, TEXT) if isinstance(third, exp.Var) else walk(third)


def _stride(node: exp.Expression, stride: Typed) -> int:
    """Its microseconds."""
    span = stride.span if isinstance(stride, Duration) else None
    length = 0 if span is None or span.months else span.days * DAY + span.micros
    if not 0 < length <= MOST.micros:
        raise refused(node, "the stride of date_bin() must be a constant above 0, without months", _STRIDE)
    return length


def _begin(node: exp.Expression, stride: int, moment: Typed, origin: Typed) -> Typed:
    start = moment_of(value_of(origin))

    def begin(value: Value) -> datetime:
        return start + (moment_of(value) - start) // timedelta(microseconds=stride) * timedelta(microseconds=stride)

    def fold(value: Value) -> Value:
        return begin(value)

    if result := folded(fold, TIMESTAMP, moment):
        return result
    kept = in_years(moment)
    past = remainder(plus(remainder(micros_between(kept, origin), stride), whole(stride)), stride)
    made = moved(node, kept, of_parts(whole(0), whole(0), minus(whole(0), past)))
    ends = ranges.each(lambda known: _between(begin, known), moment.fact.interval)
    domain = image(fold, moment) if moment.fact.domain is not None else _begins(ends, stride)
    # A sum with intervals is not proved to be a timestamp, as a key has to be; a cast is.
    return Typed(cast(made.sql, TIMESTAMP), replace(made.fact, interval=ends or made.fact.interval, domain=domain))


def _between(begin: Callable[[Value], datetime], known: Interval) -> Interval | None:
    """Where the bins of moments begin that lie between two."""
    if not ranges.contains(years(TIMESTAMP), known):
        return None
    try:
        return ranges.monotone(lambda end: micros_of(begin(moment_at(end))), known)
    except ArithmeticError:
        return None


def _begins(ends: Interval | None, stride: int) -> tuple[Value, ...] | None:
    """Each of them, where they are few."""
    if ends is None or (ends.upper - ends.lower) // stride >= MOST_VALUES:
        return None
    return tuple(moment_at(micros) for micros in range(int(ends.lower), int(ends.upper) + 1, stride))

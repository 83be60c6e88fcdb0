"""The rows of generate_series(), as Postgres computes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, datetime, time
from itertools import islice

from sqlglot import exp

from dpproxy.catalog.types import BIGINT, INTEGER, TIMESTAMP, TIMESTAMPTZ, Family, SqlType
from dpproxy.errors import DPProxyError, FeatureNotSupported
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.expressions.constants.literals import as_type, is_constant, is_untyped, value_of
from dpproxy.rewrite.expressions.facts.fact import Typed
from dpproxy.rewrite.expressions.intervals.spans import Span, shifted
from dpproxy.rewrite.expressions.intervals.written_spans import read_span
from dpproxy.rewrite.expressions.trees.refusals import refused
from dpproxy.rows import Value

_TIMES = (Family.DATE, Family.TIMESTAMP)
_STEP = "Write it so: generate_series('2024-01-01'::date, '2024-12-01', '1 month'); '1 month 15 days'::interval."


def series(node: exp.ExplodingGenerateSeries, most: int, context: PlanningContext) -> tuple[SqlType, list[Value]]:
    """The type and the values of a series, no more than `most` + 1 of them.

    Of dates Postgres makes timestamps with time zone, at the session's midnight of each day, as date_trunc does.
    Raises FeatureNotSupported for a series that is not of whole numbers, dates or timestamps.
    """
    ends = [context.total(node.args[name], {}) for name in ("start", "end")]
    if not all(is_constant(end) for end in ends):
        raise refused(node, "the ends of generate_series() are no constants", "Write constants or parameters.")
    families = {end.fact.type.family for end in ends if not is_untyped(end)}
    if families == {Family.INTEGER}:
        return _whole(node, ends, most, context)
    if families and families <= set(_TIMES):
        types = {end.fact.type for end in ends if not is_untyped(end)}
        local = TIMESTAMP in types and TIMESTAMPTZ not in types
        return _moments(node, ends, TIMESTAMP if local else TIMESTAMPTZ, most, context)
    raise refused(
        node,
        "generate_series() over private tables is of whole numbers, dates or timestamps",
        "Cast the ends: generate_series(1, 10), generate_series('2024-01-01'::date, '2024-12-01', '1 month').",
    )


def _whole(
    node: exp.ExplodingGenerateSeries, ends: list[Typed], most: int, context: PlanningContext
) -> tuple[SqlType, list[Value]]:
    by = node.args.get("step")
    if isinstance(by, exp.Interval):
        raise refused(node, "the step of a series of numbers is a number", "Write generate_series(0, 100, 10).")
    typed = [*ends, *([] if by is None else [context.total(by, {})])]
    if not all(is_constant(each) for each in typed):
        raise refused(node, "the step of generate_series() is no constant", "Write a constant or a parameter.")
    if any(each.fact.type.family is not Family.INTEGER for each in typed if not is_untyped(each)):
        raise refused(node, "a series of decimals is not supported", "Divide whole numbers: g / 10.0.")
    type_ = BIGINT if any(each.fact.type == BIGINT for each in typed) else INTEGER
    values = [value_of(as_type(node, each, type_)) for each in typed]
    if None in values:
        return type_, []
    start, end, *steps = (int(value) for value in values)  # type: ignore[arg-type]
    step = steps[0] if steps else 1
    _check_step(node, step)
    return type_, list(islice(range(start, end + (1 if step > 0 else -1), step), most + 1))


def _moments(
    node: exp.ExplodingGenerateSeries, ends: list[Typed], type_: SqlType, most: int, context: PlanningContext
) -> tuple[SqlType, list[Value]]:
    span = _span(node, context)
    if span is None:
        return type_, []
    if type_ == TIMESTAMPTZ and span.micros:
        raise refused(
            node,
            "a series of dates in steps of hours depends on the time zone",
            "Make it one of timestamps: generate_series('2024-01-01'::timestamp, '2024-01-02', '1 hour').",
        )
    read = [as_type(node, each, TIMESTAMP) for each in ends]
    if not all(map(is_constant, read)):
        raise refused(node, "the series has no end", "Write both ends as days: '2024-01-01', '2024-12-31'.")
    start, end = (_moment(value_of(each)) for each in read)
    forward = (span.months * 30 + span.days) * 86_400_000_000 + span.micros
    _check_step(node, forward)
    if start is None or end is None:
        return type_, []
    inside: Callable[[datetime], bool] = (lambda at: at <= end) if forward > 0 else (lambda at: at >= end)
    try:
        return type_, list(islice(_steps(start, span, inside), most + 1))
    except ArithmeticError:
        raise refused(node, "the series leaves the calendar", "Use the years 0001 to 9999.") from None


def _steps(start: datetime, span: Span, inside: Callable[[datetime], bool]) -> Iterator[datetime]:
    """Each moment is the one before, moved: from January 31 by months it is February 29, then March 29."""
    at = start
    while inside(at):
        yield at
        at = shifted(at, span)


def _span(node: exp.ExplodingGenerateSeries, context: PlanningContext) -> Span | None:
    """The step of a series of moments; None for NULL."""
    step = node.args.get("step")
    step = None if step is None else context.constant(step)
    while isinstance(step, exp.Cast | exp.Paren):
        step = step.this
    match step:
        case exp.Null():
            return None
        case exp.Interval():
            return _read(node, _written(step))
        case exp.Literal() if step.is_string:
            return _read(node, str(step.this))
        case exp.Neg() if isinstance(step.this, exp.Interval):
            return -_read(node, _written(step.this))
        case _:
            raise _no_step(node)


def _read(node: exp.Expression, text: str) -> Span:
    try:
        return read_span(node, text)
    except FeatureNotSupported:
        raise _no_step(node) from None


def _no_step(node: exp.Expression) -> DPProxyError:
    return refused(node, "the step of the series is no constant interval", _STEP)


def _written(interval: exp.Interval) -> str:
    unit = interval.args.get("unit")
    return f"{interval.this.this} {unit.name}" if unit else str(interval.this.this)


def _moment(value: Value) -> datetime | None:
    if value is None or isinstance(value, datetime):
        return value
    assert isinstance(value, date)
    return datetime.combine(value, time())


def _check_step(node: exp.Expression, step: int) -> None:
    if not step:
        raise refused(
            node, "the step of generate_series() is zero", "Use a step that moves: generate_series(1, 10, 2)."
        )

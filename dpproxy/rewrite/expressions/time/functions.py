"""Dates and times. What analysts may write, a row each."""

from __future__ import annotations

from sqlglot import exp

from dpproxy.rewrite.expressions.function import Function, Own, PlainNode, Short
from dpproxy.rewrite.expressions.time import ages, clocks, date_reading, dates, formats, make_date

FUNCTIONS = (
    Function(
        kind=exp.Extract,
        names=("EXTRACT", "date_part"),
        signatures=("field, timestamp → numeric", "field, interval → numeric"),
        rule=dates.extract,
        arguments="this expression",
        makes={exp.Extract: Own(), exp.DateDiff: Own()},
        examples=("extract(year FROM joined)",),
        note="over bounded dates its values are public keys",
    ),
    Function(
        kind=exp.TimestampTrunc,
        names=("date_trunc",),
        signatures=("text, timestamp → timestamp",),
        rule=dates.truncate,
        arguments="this unit",
        makes={exp.TimestampTrunc: PlainNode()},
        examples=("date_trunc('month', joined)",),
        note="over bounded dates its values are public keys",
    ),
    Function(
        kind=exp.Anonymous,
        names=("make_date",),
        signatures=("integer, integer, integer → date",),
        rule=make_date.make_date,
        arguments="this expressions",
        examples=("make_date(2020, 1, age)",),
        note="no such day: NULL",
    ),
    Function(
        kind=exp.Anonymous,
        names=("age",),
        signatures=("timestamp → interval", "timestamp, timestamp → interval"),
        rule=ages.age,
        arguments="this expressions",
        examples=("age(joined) > interval '1 year'",),
    ),
    Function(
        kind=exp.TimeToStr,
        names=("to_char",),
        signatures=("timestamp, text → text",),
        rule=formats.to_char,
        arguments="this format",
        makes={exp.TimeToStr: Short()},
        examples=("to_char(joined, 'YYYY-MM')",),
        note="some templates; the refusal names them",
    ),
    Function(
        kind=exp.StrToDate,
        names=("to_date",),
        signatures=("text, text → date",),
        rule=date_reading.by_template,
        arguments="this format",
        examples=("joined > to_date('2024-01-01', 'YYYY-MM-DD')",),
        note="constant templates, with a month's number, Mon or Month; no such day, or another form: NULL",
    ),
    Function(
        kind=exp.StrToTime,
        names=("to_timestamp",),
        signatures=("text, text → timestamp with time zone",),
        rule=date_reading.moment_by_template,
        arguments="this format",
        examples=("joined > to_timestamp('2024-01-01', 'YYYY-MM-DD')",),
        note="of constants, with names of months, too",
    ),
    Function(
        kind=exp.CurrentDate,
        names=("current_date",),
        signatures=("→ date",),
        rule=clocks.today,
        arguments="",
        examples=("joined < current_date",),
        note="the statement's own moment, not the engine's",
    ),
    Function(
        kind=exp.CurrentTimestamp,
        names=("now", "current_timestamp"),
        signatures=("→ timestamp with time zone",),
        rule=clocks.now,
        arguments="",
        examples=("joined < now()",),
        note="the statement's own moment, not the engine's",
    ),
    Function(
        kind=exp.Localtimestamp,
        names=("localtimestamp",),
        signatures=("→ timestamp",),
        rule=clocks.local,
        arguments="",
        examples=("joined < localtimestamp",),
        note="the statement's own moment, not the engine's",
    ),
    Function(
        kind=exp.Anonymous,
        names=("transaction_timestamp",),
        signatures=("→ timestamp with time zone",),
        rule=clocks.now,
        arguments="this expressions",
        examples=("joined < transaction_timestamp()",),
        note="the statement's own moment, not the engine's",
    ),
)

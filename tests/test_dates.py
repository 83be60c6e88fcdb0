"""Dates, timestamps and intervals over rows, against a real Postgres, row by row over the ends of every calendar."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from fractions import Fraction

import duckdb
import psycopg
import pytest
import sqlglot
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lanes import sized, thinned
from scratch_postgres import INSTALLATIONS, scratch_postgres
from sqlglot import exp
from worlds import NOW, at_the_time

from dpproxy.catalog.policy import TableColumn
from dpproxy.catalog.types import parse_type
from dpproxy.errors import FeatureNotSupported
from dpproxy.rewrite.algebra.render import value_text
from dpproxy.rewrite.expressions import Interval, Scope, Typed, column_fact, conjuncts, narrow, total
from dpproxy.rewrite.expressions.intervals.spans import Span
from dpproxy.rewrite.expressions.intervals.written_spans import read_span
from dpproxy.rewrite.expressions.time.date_texts import PATTERNS
from dpproxy.rewrite.reading.clock import clock
from dpproxy.rewrite.reading.dialect import AsWritten, check_intervals
from dpproxy.rewrite.reading.parse import parse_statement

COLUMNS = (
    TableColumn("a", parse_type("date"), nullable=True),
    TableColumn("b", parse_type("date"), nullable=True),
    TableColumn("s", parse_type("timestamp"), nullable=True),
    TableColumn("u", parse_type("timestamp"), nullable=True),
    TableColumn("k", parse_type("integer"), nullable=True),
    TableColumn("x", parse_type("double precision"), nullable=True),
    TableColumn("v", parse_type("text"), nullable=True),
    TableColumn("day", parse_type("date"), bounds=(date(2023, 11, 15), date(2025, 2, 3))),
    TableColumn("hour", parse_type("timestamp"), bounds=(datetime(2024, 2, 28, 22, 30), datetime(2024, 3, 1, 1, 15))),
)
SCOPE: Scope = {("t", c.name): Typed(exp.column(c.name, "t", quoted=True), column_fact(c, True)) for c in COLUMNS}
DAYS = [
    *("infinity", "-infinity", "0001-01-01", "0001-12-31", "9999-12-31", "9999-11-30", "10000-01-01", "4000-06-15 BC"),
    *(
        "0001-12-31 BC",
        "2020-02-29",
        "2021-02-28",
        "2024-01-31",
        "2024-12-30",
        "2000-01-01",
        "1900-03-01",
        "1970-01-01",
    ),
    *("1969-12-31", "2026-01-01", "2023-10-15", "0099-07-09", "1582-10-10"),
]
TIMES = [
    *("infinity", "-infinity", "0001-01-01 00:00:00", "9999-12-31 23:59:59.999999", "294246-12-31 23:59:59.999999"),
    *("4713-01-01 00:00:00 BC", "2020-02-29 13:14:15.5", "2024-01-30 23:00:00", "2024-01-31 01:00:00.000001"),
    *("1969-12-31 23:59:59.999999", "2000-12-31 12:00:00", "2021-01-03 11:59:59.9", "0050-02-28 08:09:10.111213"),
    *("1999-12-31 00:00:00", "2024-02-29 00:59:59.123456"),
]
TEXTS = [
    *(
        "2024-02-29",
        "2023-02-29",
        "2024-02-29 10:11:12.5",
        "2024-02-29T10:11",
        "0000-01-01",
        "1900-02-29",
        "2000-02-29",
    ),
    *("9999-12-31 23:59:59.999999", "2024-13-01", "2024-04-31", "2024-12-31 24:00:00", "x", "", "29.02.2024", "202402"),
    *("2024-02-29\n", "20240229", "0001-01-01", "2024-06-30 23:60:00"),
]
NUMBERS = ["0", "1", "-1", "12", "2147483647", "-2147483648", "31", "400", "-54000", "2024"]
FLOATS = ["0", "1.5", "-0.25", "'NaN'", "'inf'", "1e300", "0.0000001", "12345.678901"]


def rows(count: int) -> list[str]:
    def pick(values: Sequence[str], row: int, by: int, quoted: bool = True) -> str:
        at = (row * by + row // 5) % (len(values) + 1)
        return "NULL" if at == len(values) else f"'{values[at]}'" if quoted else values[at]

    day, at = "DATE '2023-11-15'", "TIMESTAMP '2024-02-28 22:30:00'"
    return [
        f"({pick(DAYS, row, 1)}, {pick(DAYS, row, 4)}, {pick(TIMES, row, 1)}, {pick(TIMES, row, 3)}, "
        f"{pick(NUMBERS, row, 1, False)}, {pick(FLOATS, row, 1, False)}, {pick(TEXTS, row, 1)}, "
        f"{day} + {row * 7 % 447}, {at} + INTERVAL '1 minute' * {row * 41 % 1606})"
        for row in range(count)
    ]


def of_duckdb(text: str) -> str:
    """DuckDB puts BC into parentheses, and before the time."""
    return re.sub(r"((?: [\d:.]+)?) BC'", r" (BC)\1'", text)


def create() -> str:
    return f"CREATE TABLE t ({', '.join(f'{column.name} {column.type}' for column in COLUMNS)})"


@pytest.fixture(scope="module")
def duck() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute(create())
        connection.execute(of_duckdb(f"INSERT INTO t VALUES {', '.join(rows(48))}"))
        yield connection


@pytest.fixture(scope="module")
def postgres() -> Iterator[psycopg.Connection]:
    if not INSTALLATIONS:
        pytest.skip("no Postgres on this machine")
    with (
        scratch_postgres(next(iter(INSTALLATIONS.values()))) as server,
        psycopg.connect(server.conninfo, autocommit=True) as connection,
    ):
        connection.execute(create())
        connection.execute(f"INSERT INTO t VALUES {', '.join(rows(48))}")  # type: ignore[arg-type]
        connection.execute("ALTER TABLE t ADD place serial")
        yield connection


def parse(text: str) -> exp.Expression:
    tree = clock(sqlglot.parse_one(f"SELECT {text}", read=AsWritten), NOW).expressions[0]
    for column in tree.find_all(exp.Column):
        column.set("table", exp.to_identifier("t"))
    return tree


def made(text: str) -> Typed:
    return total(parse(text), SCOPE)


# Each form, in both engines, against Postgres's own reading of the analyst's words.

FIELDS_OF_DAYS = (
    *("year", "quarter", "month", "week", "day", "dow", "isodow", "doy", "isoyear", "decade", "century", "millennium"),
    "epoch",
)
FIELDS_OF_TIMES = ("hour", "minute", "second", "milliseconds", "microseconds")
FIELDS_OF_INTERVALS = (
    *("millennium", "century", "decade", "year", "month", "day", "hour", "minute", "second", "milliseconds"),
    *("microseconds", "epoch"),
)
TEMPLATES = (
    *("YYYY-MM-DD", "YYYY-MM", "YYYYMMDD", "Month", "FMMonth DD, YYYY", "MONTH", "month Mon MON mon", "Day|DAY|day"),
    *("Dy DY dy", "D ID", "Q", 'YYYY-"Q"Q', 'IYYY-"W"IW-ID', "IYY IY I YYY YY Y", "DDD DDDDD", "WW W", "FMDD/FMMM"),
    *("FMYYYY FMYY FMDDD FMWW FMIW FMDay FMMON", "yyyy-mm-dd", '\\Y "a\\"b" x%Y', 'FM "FM" DD', "é YYYY"),
)
TIMED_TEMPLATES = (
    "HH24:MI:SS",
    "HH12 HH AM pm a.m. P.M.",
    "MS US FMMS FMUS",
    'YYYY-MM-DD"T"HH24:MI:SS.US',
    "FMHH24hFMMI",
)
FORMS = (
    *(f"extract({field} FROM {x})" for field in FIELDS_OF_DAYS for x in ("a", "s", "day")),
    *(f"extract({field} FROM {x})" for field in FIELDS_OF_TIMES for x in ("s", "hour")),
    "extract(julian FROM a)",
    *(f"extract({field} FROM {x})" for field in FIELDS_OF_INTERVALS for x in ("s - u", "age(a, b)", "age(s, u)")),
    *(f"extract({field} FROM k * INTERVAL '1 month -3 days 04:05:06.7')" for field in ("year", "day", "hour", "epoch")),
    "extract(years FROM age(timestamp '2024-02-29 12:00', timestamp '2000-02-29 13:00'))",
    "extract(day FROM age(s, a))",
    "extract(month FROM age(a))",
    "extract(epoch FROM a - s)",
    "extract(second FROM -(s - u) + INTERVAL '1.5 seconds')",
    "extract(day FROM (s - u) * 2)",
    *(
        f"date_trunc('{unit}', {x})"
        for unit in ("year", "quarter", "month", "week", "day")
        for x in ("s", "a::timestamp")
    ),
    *(f"date_trunc('{unit}', s)" for unit in ("hour", "minute", "second", "milliseconds")),
    *(f"date_trunc('{unit}', day)::date" for unit in ("year", "quarter", "months", "week", "day")),
    *("date_bin('15 minutes', s, TIMESTAMP '2024-01-01 00:05')", "date_bin('7 days', a::timestamp, '2024-01-03')"),
    *(f"to_char({x}, '{template}')" for template in TEMPLATES for x in ("a", "s")),
    *(f"to_char(s, '{template}')" for template in TIMED_TEMPLATES),
    "to_char(a, 'HH24:MI')",
    *("a + INTERVAL '1 month'", "a - INTERVAL '1 year 2 days'", "INTERVAL '3 hours' + s", "s + '1 day'::interval"),
    *("s - INTERVAL '1 mon 2 days 03:04:05.006'", "a + INTERVAL '-1' MONTH", "a + 1.5 * INTERVAL '1 month'"),
    *("a + k", "a - k", "a - b", "a - 30", "a + k * INTERVAL '1 day'", "s + k * INTERVAL '1 month'"),
    *("s - k * INTERVAL '1 minute'", "s + INTERVAL '1 hour' * k", "s + x * INTERVAL '1 hour'", "s + (s - u)"),
    *(
        "s + (a - s)",
        "a + make_interval(months => 1, days => -1)",
        "s + make_interval(secs => k)",
        "s + INTERVAL '7 days' / 2",
    ),
    *(
        "a + make_interval(1, 2, 3, 4, 5, 6, 7.5)",
        "s + age(s, u)",
        "date_trunc('month', a)::date + INTERVAL '1 month -1 day'",
    ),
    *("s - u > INTERVAL '1 day'", "s - u <= '36 hours'", "age(a, b) >= INTERVAL '18 years'", "s - u = s - u"),
    *("s - u BETWEEN INTERVAL '-1 year' AND INTERVAL '400 days'", "age(s, u) < s - u", "s - u IN ('1 day', '2 days')"),
    *("k * INTERVAL '1 day' > INTERVAL '1 month'", "(s - u) IS NULL", "s - u IS DISTINCT FROM INTERVAL '1 day'"),
    *("a + (k || ' days')::interval", "s - CAST(k::text || 'hours' AS interval)", "a + concat(k, ' mons')::interval"),
    *("a < s", "a = date_trunc('day', s)", "a >= '2024-01-01'", "s BETWEEN a AND b"),
    *("a::timestamp", "s::date", "a::timestamp::date", "CAST(date_trunc('month', s) AS date)"),
    *(
        "make_date(k, 2, 29)",
        "make_date(2024, k, 31)",
        "make_date(2023, 2, k)",
        "make_date(k, k, k)",
        "make_date(2024, 2, 29)",
    ),
    *("v::date", "v::timestamp", "to_date(v, 'YYYY-MM-DD')", "to_date(v, 'DD.MM.YYYY')", "to_date(v, 'YYYYMM')"),
    *("to_date('31.12.2024', 'DD.MM.YYYY')", "to_date(v, 'YYYYMMDD')"),
    *("to_date('feb 29, 2024', 'Mon DD, YYYY')", "to_date('29 FEBRUARY 2024', 'DD Month YYYY')"),
    *("to_date(to_char(a, 'DD Mon YYYY'), 'DD Mon YYYY')", "to_date(to_char(a, 'FMMonth DD, YYYY'), 'Month DD, YYYY')"),
    *("to_date(to_char(a, 'YYYY/FMMONTH/DD'), 'YYYY/month/DD')", "to_date(to_char(a, 'mon YYYY'), 'MON YYYY')"),
    *(
        "a < to_timestamp('29 February 2024 10:30', 'DD Month YYYY HH24:MI')",
        "s > to_timestamp('2024 May 01', 'YYYY Mon DD')",
    ),
    *(
        "a < current_date",
        "s > now() - INTERVAL '30 days'",
        "current_date - a",
        "date_trunc('month', now())",
        "localtimestamp",
    ),
    *(
        "extract(year FROM age(current_date, a))",
        "s < transaction_timestamp()",
        "current_timestamp > a",
        "current_date + 1",
    ),
)
# Where Postgres reads more forms of text than one, and where a date moves by more than 4,500 years.
LENIENT = re.compile(r"\bv\b|to_date|s \+ (age|\()")


@pytest.mark.parametrize("text", thinned(FORMS, 3))
def test_forms(duck: duckdb.DuckDBPyConnection, postgres: psycopg.Connection, text: str) -> None:
    typed, columns = made(text), set(re.findall(r"\b[absuk]\b", text))
    mine = duck.execute(f"SELECT {value_text(typed.sql, 'duckdb')} FROM t").fetchall()
    engine = of_rows(postgres, value_text(typed.sql, "postgres"))
    theirs = of_rows(postgres, at_the_time(text))
    odd = [row[0] for row in postgres.execute(f"SELECT {out_of_years(columns)} FROM t ORDER BY place").fetchall()]  # type: ignore[arg-type]
    assert len(mine) == len(theirs) == len(odd)
    for (value,), other, expected, is_odd in zip(mine, engine, theirs, odd, strict=True):
        assert not isinstance(other, Raised) or other.out_of_python, (text, other)
        if (not isinstance(other, Raised) and not isinstance(value, str)) or "to_char" in text:
            assert alike(value, other), (text, value, other)
        if isinstance(expected, Raised):
            assert value is None or isinstance(value, bool) or expected.out_of_python, (text, value, expected)
        elif (value is None or "IS " in text) and (is_odd or LENIENT.search(text)):
            continue
        else:
            assert alike(value, expected), (text, value, expected)


class Raised:
    """What Postgres said instead of a value."""

    def __init__(self, message: str) -> None:
        self.message = message
        self.out_of_python = re.search(r"too (large|small)|BC|before year 1|after year", message) is not None

    def __repr__(self) -> str:
        return self.message


def of_rows(postgres: psycopg.Connection, text: str) -> list[object]:
    try:
        return [row[0] for row in postgres.execute(f"SELECT {text} FROM t ORDER BY place").fetchall()]  # type: ignore[arg-type]
    except psycopg.Error:
        count = postgres.execute("SELECT count(*) FROM t").fetchone()
        assert count is not None
        return [of_row(postgres, text, place) for place in range(1, count[0] + 1)]


def of_row(postgres: psycopg.Connection, text: str, place: int) -> object:
    try:
        row = postgres.execute(f"SELECT {text} FROM t WHERE place = {place}").fetchone()  # type: ignore[arg-type]
        assert row is not None
        return row[0]
    except psycopg.Error as fault:
        return Raised(str(fault))


def out_of_years(columns: set[str]) -> str:
    """Whether one of these is a day before the year 1 or after 9999, or moves dates by thousands of years."""
    ends = [
        f"COALESCE({name} < '0001-01-01' OR {name} > '9999-12-31 23:59:59.999999', false)"
        for name in sorted(columns - {"k"})
    ]
    return " OR ".join([*ends, *(["COALESCE(abs(k::bigint) > 50000, false)"] if "k" in columns else [])]) or "false"


def alike(mine: object, theirs: object) -> bool:
    if isinstance(mine, datetime) and isinstance(theirs, datetime):
        return mine == theirs.replace(tzinfo=None)
    return mine == theirs


def test_every_text_of_the_pattern_is_a_date(duck: duckdb.DuckDBPyConnection, postgres: psycopg.Connection) -> None:
    """All days of some years and what lies between them: exactly those that there are, in both engines."""
    texts = [f"{year:04}-{month:02}-{day:02}" for year in YEARS for month in range(14) for day in range(33)]
    days = [there(text) for text in texts]
    sql = made("v::date").sql
    for run, dialect in ((duck.execute, "duckdb"), (postgres.execute, "postgres")):
        values = ", ".join(f"('{text}', {place})" for place, text in enumerate(texts))
        query = f"SELECT {value_text(sql, dialect)} FROM (VALUES {values}) AS t(v, place) ORDER BY place"
        assert [row[0] for row in run(query).fetchall()] == days  # type: ignore[arg-type]


YEARS = (0, 1, 4, 99, 100, 400, 1582, 1900, 1999, 2000, 2004, 2023, 2024, 2100, 4000, 9996, 9999)


def there(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


@pytest.mark.larger
@settings(max_examples=sized(13, 40, 400), deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(
        st.sampled_from([*PATTERNS, *(f"FM{pattern}" for pattern in PATTERNS), *"-/ .,:", '"x\\"y"', "%", "T", "é"]),
        min_size=1,
        max_size=6,
    )
)
def test_templates_are_those_of_postgres(
    duck: duckdb.DuckDBPyConnection, postgres: psycopg.Connection, pieces: list[str]
) -> None:
    text = f"to_char(hour + INTERVAL '1 day' * k * 37, '{''.join(pieces)}')"
    try:
        typed = made(text)
    except FeatureNotSupported:
        return
    where = "k BETWEEN -50000 AND 50000"
    mine = duck.execute(f"SELECT {value_text(typed.sql, 'duckdb')} FROM t WHERE {where}").fetchall()
    for sql in (value_text(typed.sql, "postgres"), text):
        assert mine == postgres.execute(f"SELECT {sql} FROM t WHERE {where} ORDER BY place").fetchall(), text  # type: ignore[arg-type]


# Intervals as they are written.

PARTS = st.builds(
    lambda amount, unit: f"{amount} {unit}",
    st.sampled_from(["1", "-2", "+3", "0.5", "1.25", "-0.75", "10", "0"]),
    st.sampled_from(
        ["years", "year", "mons", "month", "week", "days", "d", "hours", "h", "min", "sec", "ms", "us", "decade"]
    ),
)
CLOCKS = st.sampled_from(["", "04:05", "-04:05:06", "+100:00:00.123456", "ago"])


@pytest.mark.larger
@settings(max_examples=sized(27, 80, 800), deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(st.lists(PARTS, min_size=1, max_size=4, unique_by=lambda part: part.split()[1][:2]), CLOCKS)
def test_intervals_are_read_as_postgres_does(postgres: psycopg.Connection, parts: list[str], last: str) -> None:
    text = " ".join([*parts, last]).strip()
    try:
        theirs = span_of(postgres, "%s::interval", text)
    except psycopg.Error:
        return
    assert read_span(exp.null(), text) == theirs, text


@pytest.mark.parametrize(
    "text", ["P1Y2M3DT4H5M6.7S", "PT0.5H", "P-1M", "@ 1 day 2 hours ago", "1 mon -1 days +00:00:01.5"]
)
def test_forms_of_intervals(postgres: psycopg.Connection, text: str) -> None:
    assert read_span(exp.null(), text) == span_of(postgres, "%s::interval", text)


@pytest.mark.larger
@settings(max_examples=sized(27, 80, 800), deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(
    st.builds(Span, st.integers(-50, 50), st.integers(-70, 70), st.integers(-(10**11), 10**11)),
    st.floats(-9, 9).filter(lambda factor: abs(factor) > 0.001) | st.sampled_from([0.1, 0.5, 1 / 3, 2.5, 3.0]),
)
def test_intervals_are_multiplied_as_postgres_does(postgres: psycopg.Connection, span: Span, factor: float) -> None:
    text = f"{span.months} mons {span.days} days {span.micros} us"
    assert span.times(factor) == span_of(postgres, f"%s::interval * {factor!r}::float8", text)
    assert span.over(factor) == span_of(postgres, f"%s::interval / {factor!r}::float8", text)


def span_of(postgres: psycopg.Connection, sql: str, text: str) -> Span:
    fields = "extract(year FROM i) * 12 + extract(month FROM i), extract(day FROM i), extract(hour FROM i) * 3600000000"
    rest = "extract(minute FROM i) * 60000000 + extract(microseconds FROM i)"
    row = postgres.execute(f"SELECT {fields} + {rest} FROM (SELECT {sql}) AS q(i)", (text,)).fetchone()  # type: ignore[arg-type]
    assert row is not None
    return Span(*map(int, row))


# What is known of bounded dates.


def known(text: str, where: str = "TRUE") -> Typed:
    return total(parse(text), narrow(conjuncts(parse(where)), SCOPE))


QUARTERS = (1, 4, 7, 10)
FREE = ["extract(year FROM a)", "date_trunc('minute', s)", "day", "to_char(a, 'YYYY')", "day + 1"]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("extract(year FROM day)", [2023, 2024, 2025]),
        ("extract(quarter FROM hour)", [1]),
        ("extract(dow FROM a)", [0, 1, 2, 3, 4, 5, 6]),
        ("extract(hour FROM hour)", list(range(24))),
        ("extract(isoyear FROM day)", [2023, 2024, 2025]),
        ("extract(day FROM hour)", [1, 28, 29]),
        (
            "date_trunc('quarter', day)::date",
            [date(2023, 10, 1), *(date(2024, m, 1) for m in (1, 4, 7, 10)), date(2025, 1, 1)],
        ),
        ("date_trunc('day', hour)", [datetime(2024, 2, 28), datetime(2024, 2, 29), datetime(2024, 3, 1)]),
        ("to_char(hour, 'FMMon DD')", ["Feb 28", "Feb 29", "Mar 01"]),
        ("to_char(a, 'FMDay')", ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]),
        ("to_char(s, 'AM')", ["AM", "PM"]),
    ],
)
def test_finite_sets_of_values(text: str, values: list[object]) -> None:
    domain = known(text).fact.domain
    assert domain is not None and list(domain) == values


@pytest.mark.parametrize(
    "text", ["extract(year FROM a)", "date_trunc('minute', s)", "day", "to_char(a, 'YYYY')", "day + 1"]
)
def test_what_stays_private(text: str) -> None:
    assert known(text).fact.domain is None


def test_what_conditions_say_of_an_interval_leaves_it_one() -> None:
    where = "age(s, u) > INTERVAL '18 years' AND (s - u) IS NOT NULL AND s - u IN ('1 day', '2 days')"
    for text in ("extract(year FROM age(s, u))", "extract(day FROM s - u)", "s - (s - u)"):
        assert known(text, where).sql == known(text).sql


def test_every_month_there_is_and_no_other() -> None:
    domain = known("date_trunc('month', day)").fact.domain
    assert domain is not None
    assert list(domain) == [datetime(2023 + at // 12, at % 12 + 1, 1) for at in range(10, 26)]
    assert len(known("to_char(day, 'YYYY-MM')").fact.domain or ()) == len(domain)


def ends(first: str, last: str) -> Interval:
    start = datetime(1970, 1, 1)
    micros = [(datetime.fromisoformat(end) - start) // timedelta(microseconds=1) for end in (first, last)]
    return Interval(Fraction(micros[0]), Fraction(micros[1]))


@pytest.mark.parametrize(
    ("where", "first", "last"),
    [
        ("day >= DATE '2024-01-01' AND day < DATE '2024-01-01' + INTERVAL '1 year'", "2024-01-01", "2024-12-31"),
        ("extract(year FROM day) = 2024", "2024-01-01", "2024-12-31"),
        ("2024 = date_part('year', day)", "2024-01-01", "2024-12-31"),
        ("extract(year FROM day)::float8 = 2024", "2024-01-01", "2024-12-31"),
        ("extract(year FROM day) IN (2023, 2024)", "2023-11-15", "2024-12-31"),
        ("extract(year FROM day) BETWEEN 2024 AND 2025", "2024-01-01", "2025-02-03"),
        ("date_trunc('year', day) = '2024-01-01'", "2024-01-01", "2024-12-31"),
        ("date_trunc('month', day)::date = DATE '2024-02-01'", "2024-02-01", "2024-02-29"),
        ("date_trunc('month', day) > DATE '2024-02-01'", "2024-03-01", "2025-02-03"),
        ("to_char(day, 'YYYY-MM') = '2024-05'", "2024-05-01", "2024-05-31"),
        ("day + INTERVAL '1 month' < '2024-03-01'", "2023-11-15", "2024-01-31"),
        ("day - 30 >= '2024-12-31'", "2025-01-30", "2025-02-03"),
        ("NOT extract(year FROM day) > 2023", "2023-11-15", "2023-12-31"),
        ("day > TIMESTAMP '2024-01-01 12:00' AND day < TIMESTAMP '2024-02-01 12:00'", "2024-01-02", "2024-02-01"),
        ("day BETWEEN current_date - 30 AND current_date", "2024-04-17", "2024-05-17"),
        ("day >= date_trunc('month', now()) - INTERVAL '1 month'", "2024-04-01", "2025-02-03"),
        ("extract(epoch FROM day) >= 1735689600", "2025-01-01", "2025-02-03"),
        ("extract(month FROM day) = 2", "2023-11-15", "2025-02-03"),
        ("extract(year FROM day) = 1999", "2023-11-15", "2025-02-03"),
    ],
)
def test_conditions_on_functions_narrow_dates(where: str, first: str, last: str) -> None:
    days, micros = known("day", where).fact.interval, ends(first, last)
    assert days == Interval(micros.lower / 86_400_000_000, micros.upper / 86_400_000_000)


@pytest.mark.parametrize(
    ("where", "first", "last"),
    [
        ("hour >= DATE '2024-02-29' AND hour < DATE '2024-03-01'", "2024-02-29", "2024-02-29 23:59:59.999999"),
        ("date_trunc('hour', hour) = '2024-02-29 05:00:00'", "2024-02-29 05:00", "2024-02-29 05:59:59.999999"),
        ("hour::date = '2024-02-29'", "2024-02-29", "2024-02-29 23:59:59.999999"),
        ("hour + INTERVAL '1 day' <= '2024-03-01 12:00'", "2024-02-28 22:30", "2024-02-29 12:00"),
        ("hour + INTERVAL '1 month' <= '2024-03-30 12:00'", "2024-02-28 22:30", "2024-03-01 01:15"),
    ],
)
def test_conditions_on_functions_narrow_timestamps(where: str, first: str, last: str) -> None:
    assert known("hour", where).fact.interval == ends(first, last)


COMPARED = st.builds(
    lambda function, compare, value: f"{function} {compare} {value}",
    st.sampled_from(
        ["date_trunc('month', day)", "day + INTERVAL '1 month'", "date_trunc('week', day)::date", "day - 45"]
    ),
    st.sampled_from(["<", "<=", "=", ">", ">="]),
    st.dates(date(2023, 10, 1), date(2025, 3, 31)).map(lambda value: f"DATE '{value}'"),
) | st.builds(
    lambda field, compare, value: f"extract({field} FROM day) {compare} {value}",
    st.sampled_from(["year", "isoyear", "decade", "month", "week", "doy"]),
    st.sampled_from(["<", "<=", "=", ">", ">=", "<>"]),
    st.sampled_from(["2", "9", "50", "202", "2023", "2024", "2024.5"]),
)


@pytest.mark.larger
@settings(max_examples=sized(27, 80, 800), deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(st.lists(COMPARED, min_size=1, max_size=3), st.sampled_from([" AND ", " OR "]))
def test_narrowed_dates_hold_for_the_rows_that_remain(
    duck: duckdb.DuckDBPyConnection, conditions: list[str], word: str
) -> None:
    where = word.join(conditions)
    fact = known("day", where).fact
    days = (
        f"SELECT day FROM (SELECT DATE '2023-11-15' + CAST(n AS int) AS day FROM range(447) AS r(n)) AS t WHERE {where}"
    )
    for (day,) in duck.execute(days).fetchall():
        assert fact.interval and fact.interval.lower <= (day - date(1970, 1, 1)).days <= fact.interval.upper, where
        assert fact.domain is None or day in fact.domain


# Odds and ends.


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("s - u", "EXTRACT(epoch"),
        ("extract(hour FROM a)", "CAST"),
        ("extract(fortnight FROM a)", "Fields are"),
        ("date_trunc('century', s)", "Units are"),
        ("to_char(a, 'DDTH')", "Leave them out"),
        ("to_char(a, 'TMMonth')", "Leave them out"),
        ("to_char(s, 'TZ')", "Patterns are"),
        ("to_char(a, v)", "to_char(x, 'YYYY-MM')"),
        ("to_char(k, '999')", "Compare or combine"),
        ("to_date(v, 'Dy DD Mon YYYY')", "YYYY-MM-DD"),
        ("to_date(v, 'DD Mon MM YYYY')", "once each"),
        ("to_date('31 Foo 2024', 'DD Mon YYYY')", "exactly as"),
        ("to_date('1.2.2024', 'DD.MM.YYYY')", "exactly as"),
        ("a + INTERVAL '1 fortnight'", "INTERVAL '1 month 2 days'"),
        ("a + INTERVAL '90000 years'", "a few thousand years"),
        ("a - INTERVAL '9000 years'", "a few thousand years"),
        ("a + (v || ' days')::interval", "INTERVAL '1 day'"),
        ("a + (k || ' fortnights')::interval", "INTERVAL '1 day'"),
        ("a + v::interval", "INTERVAL '1 day'"),
        ("(s - u) / 2", "EXTRACT(epoch"),
        ("x * INTERVAL '1 month' < INTERVAL '1 day'", "CAST(x AS integer)"),
        ("coalesce(s - u, INTERVAL '1 day') > '1 day'", "EXTRACT(epoch"),
    ],
)
def test_refusals_say_what_to_write(text: str, hint: str) -> None:
    with pytest.raises(FeatureNotSupported) as caught:
        made(text)
    assert hint in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("1 day", True),
        ("+3 days", True),
        ("-1.5 hours", True),
        ("1 day 2 hours", True),
        ("2:30", True),
        ("@ 1 day", True),
        ("1 day 02:00", False),
        ("3 days ago", False),
        (".5 days", False),
        ("- 1 day", False),
        ("P5M", False),
    ],
)
def test_what_the_parser_would_forget_of_an_interval_is_refused(text: str, kept: bool) -> None:
    for sql in (f"SELECT a + interval '{text}'", f"SELECT INTERVAL '1 year' + '{text}'::interval"):
        if kept:
            check_intervals(AsWritten().tokenize(sql))
        else:
            with pytest.raises(FeatureNotSupported):
                check_intervals(AsWritten().tokenize(sql))
    check_intervals(AsWritten().tokenize(f"SELECT a + CAST('{text}' AS interval), a - '{text}'::interval"))


def test_without_a_time_clocks_are_refused() -> None:
    tree = sqlglot.parse_one("SELECT t.a < current_date", read=AsWritten).expressions[0]
    with pytest.raises(FeatureNotSupported):
        total(tree, SCOPE)


def test_templates_stay_as_they_are_written() -> None:
    text = "SELECT TO_CHAR(d, '%Y dy Dy'), TO_DATE(v, '%Y')"
    assert sqlglot.parse_one(text, read=AsWritten).sql(AsWritten) == text


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("SELECT date_part('year', d), EXTRACT(year FROM d)", "double numeric"),
        ("SELECT extract(dow FROM d + date_part('month', e) * INTERVAL '1 day')", "numeric double"),
        (
            "SELECT DATE_PART('day', age(d, e)) / extract(day FROM now()), (date_part('hour', s))",
            "double numeric double",
        ),
        (
            "SELECT 1 FROM t WHERE extract(year FROM (SELECT max(date_part('epoch', s)::int + d) FROM u)) = 2",
            "numeric double",
        ),
        (
            "SELECT date_part('day', DATE '2020-01-01'), 'extract(', extract /* date_part( */ (day FROM d)",
            "double numeric",
        ),
    ],
)
def test_date_part_and_extract_are_told_apart(sql: str, told: str) -> None:
    tree = parse_statement(sql)
    found = sorted(tree.find_all(exp.Extract), key=lambda node: node.meta["start"])
    kinds = [
        "double" if isinstance(node.parent, exp.Cast) and node.parent.this is node else "numeric" for node in found
    ]
    assert " ".join(kinds) == told
    names = [sql[node.meta["start"] : node.meta["end"] + 1].lower() for node in found]
    assert names == [{"double": "date_part", "numeric": "extract"}[kind] for kind in kinds]

"""A table of extreme and of ordinary values, what a policy says of it, and a grammar of expressions over it."""

from __future__ import annotations

import functools
from datetime import date
from decimal import Decimal
from fractions import Fraction

import duckdb
import psycopg
import sqlglot
from hypothesis import strategies as st
from psycopg.types.string import TextLoader
from sqlglot import exp
from worlds import NOW

from dpproxy.catalog.policy import TableColumn
from dpproxy.catalog.types import parse_type
from dpproxy.engines import dialects
from dpproxy.engines.dialects import dialect_of
from dpproxy.rewrite import algebra
from dpproxy.rewrite.algebra.render import value_text, written
from dpproxy.rewrite.expressions import Scope, Typed, column_fact
from dpproxy.rewrite.expressions.facts.fact import exact
from dpproxy.rewrite.expressions.table import FUNCTIONS
from dpproxy.rewrite.expressions.trees.build import without_nan
from dpproxy.rewrite.reading.clock import clock
from dpproxy.rewrite.reading.dialect import AsWritten, check_intervals

DAYS = (date(2020, 1, 1), date(2029, 12, 31))
COLUMNS = (
    TableColumn("i2", parse_type("smallint"), bounds=(-5, 90), nullable=True),
    TableColumn("i4", parse_type("integer"), bounds=(0, 120), nullable=True),
    TableColumn("i8", parse_type("bigint"), nullable=True),
    TableColumn("code", parse_type("integer"), values=(1, 2, 3), nullable=True),
    TableColumn("n", parse_type("numeric(15,2)"), bounds=(Decimal(-1000), Decimal(100000)), nullable=True),
    TableColumn("rate", parse_type("numeric(4,4)"), bounds=(Decimal(0), Decimal("0.1")), nullable=True),
    TableColumn("wide", parse_type("numeric(38,10)"), nullable=True),
    TableColumn("huge", parse_type("numeric(38,0)"), nullable=True),
    TableColumn("x", parse_type("double precision"), bounds=(0.0, 500000.0), nullable=True),
    TableColumn("y", parse_type("double precision"), nullable=True),
    TableColumn("r", parse_type("real"), bounds=(-100.0, 100.0), nullable=True),
    TableColumn("sex", parse_type("text"), values=("F", "M"), nullable=True),
    TableColumn("v", parse_type("text"), nullable=True),
    TableColumn("d", parse_type("date"), bounds=DAYS, nullable=True),
    TableColumn("e", parse_type("date"), nullable=True),
    TableColumn("ts", parse_type("timestamp"), nullable=True),
    TableColumn("ok", parse_type("boolean"), nullable=True),
    TableColumn("sure", parse_type("integer"), bounds=(1, 9)),
)
SCOPE: Scope = {("t", c.name): Typed(exp.column(c.name, "t", quoted=True), column_fact(c, True)) for c in COLUMNS}

# The same where they are read in Postgres.
IN_POSTGRES: Scope = {
    ("t", c.name): Typed(without_nan(typed.sql.copy()), typed.fact) if dialect_of("postgres").may_be_nan(c) else typed
    for c, typed in zip(COLUMNS, SCOPE.values(), strict=True)
}

_ODD_DAYS = ["'infinity'", "'-infinity'", "'0001-01-01'", "'9999-12-31'", "'5881580-07-10'", "'5877642-06-25 (BC)'"]
EXTREMES: dict[str, list[str]] = {
    "i2": ["-32768", "32767", "0", "-1", "1", "7", "NULL"],
    "i4": ["-2147483648", "2147483647", "0", "-1", "1", "40", "NULL"],
    "i8": ["-9223372036854775808", "9223372036854775807", "0", "-1", "1", "4294967296", "NULL"],
    "code": ["1", "2", "3", "-7", "NULL"],
    "n": ["9999999999999.99", "-9999999999999.99", "0", "0.01", "-0.01", "0.05", "99.995", "12345.67", "NULL"],
    "rate": ["0.9999", "-0.9999", "0", "0.0500", "0.0001", "NULL"],
    "wide": [
        "9999999999999999999999999999.9999999999",
        "-9999999999999999999999999999.9999999999",
        "0.0000000001",
        "0",
    ],
    "huge": ["99999999999999999999999999999999999999", "-99999999999999999999999999999999999999", "0", "1", "NULL"],
    "x": ["'NaN'", "'inf'", "'-inf'", "-0.0", "0.0", "5e-324", "1.7976931348623157e308", "2.5", "100000.125", "NULL"],
    "y": [
        "'NaN'",
        "'inf'",
        "'-inf'",
        "-1.7976931348623157e308",
        "2147483647.5",
        "9.223372036854775e18",
        "-0.5",
        "NULL",
    ],
    "r": ["'NaN'", "'inf'", "'-inf'", "3.4028234e38", "1e-45", "0.1", "-99.5", "NULL"],
    "sex": ["'F'", "'M'", "''", "'other'", "NULL"],
    "v": [
        "''",
        "'a'",
        "'A%_b!'",
        "chr(0)",
        "'x' || chr(0) || 'y'",
        "repeat('é', 5000)",
        "'2023-02-29'",
        "'2024-02-29 10:00:00'",
        "'ẞİß\t\n '",
        "'  b '",
        "'a' || chr(10) || 'b'",
        "'e' || chr(769)",
        "'😀'",
        "repeat('9', 400)",
        "'.' || repeat('9', 100)",
        "'-9.' || repeat('9', 90)",
        "repeat('9', 37) || '.5'",
        "'+0012.995 '",
        "'1e99'",
        "'-.5E-7'",
        "'TRU'",
        "'a-b--c'",
        "NULL",
    ],
    "d": [*_ODD_DAYS, "'2020-02-29'", "'2024-12-31'", "NULL"],
    "e": ["'2021-03-31'", *_ODD_DAYS, "'1970-01-01'", "NULL"],
    "ts": [
        *("'infinity'", "'-infinity'", "'0001-01-01 00:00:00'", "'9999-12-31 23:59:59.999999'"),
        *("'294247-01-10 04:00:54.775806'", "'290309-12-22 (BC) 00:00:00'", "'2020-02-29 13:14:15.5'", "NULL"),
    ],
    "ok": ["TRUE", "FALSE", "NULL"],
    "sure": ["1", "9", "2147483647", "-2147483648", "5"],
}
# The same columns as Postgres can have them: NaN in numerics, its own ends of the calendar, no letter 0.
_TIMES_OF_POSTGRES = {
    "d": ["'5874897-12-31'", "'4713-01-01 BC'"],
    "ts": ["'294276-12-31 23:59:59.999999'", "'4713-01-01 00:00:00 BC'"],
}
_MORE_OF_POSTGRES: dict[str, list[str]] = {
    **{name: ["'NaN'"] for name in ("n", "rate", "wide", "huge")},
    "x": [
        *("1e308", "-1e308", "1e-308", "1e-320", "-5e-324", "1e154", "1e-160", "0.1", "700", "-800"),
        *("1.0000000000000002", "1e100"),
    ],
    "y": ["5e-324", "1e-308", "1e154", "-1e-200", "3", "709.9", "1e30"],
    "r": ["1.2e-38", "-1e38", "1e20", "1e-30"],
    "v": [
        *("' '", "'100%'", r"'\'", "'1e-99'", "'-9223372036854775808'", "'𝒳􏿽'"),
        *("'0.' || repeat('1', 20000)", "repeat('0', 20000) || '7'", "repeat('ab', 150000)"),
    ],
}


def _in_postgres(name: str, values: list[str]) -> list[str]:
    days = [value for value in values if "(BC)" not in value and "5881580" not in value and "294247" not in value]
    times = _TIMES_OF_POSTGRES.get("d" if name == "e" else name, [])
    return [value for value in days if "chr(0)" not in value] + times + _MORE_OF_POSTGRES.get(name, [])


EXTREMES_OF_POSTGRES = {name: _in_postgres(name, values) for name, values in EXTREMES.items()}
ORDINARY: dict[str, list[str]] = {
    "i2": ["-5", "90", "0", "7", "NULL", "3"],
    "i4": ["0", "120", "40", "41", "NULL", "17"],
    "i8": ["-7", "100007", "0", "12", "NULL"],
    "code": ["1", "2", "3", "NULL"],
    "n": ["-1000", "100000", "0.05", "99.99", "12.34", "NULL"],
    "rate": ["0", "0.1", "0.05", "0.0625", "NULL"],
    "wide": ["0.0000000001", "3.25", "-17.5", "NULL"],
    "huge": ["0", "12", "-345", "NULL"],
    "x": ["0", "500000", "2.5", "3.5", "1234.25", "NULL"],
    "y": ["-0.5", "0.25", "17", "3.75", "NULL"],
    "r": ["-100", "100", "0.1", "0.5", "NULL"],
    "sex": ["'F'", "'M'", "NULL"],
    "v": ["''", "'a'", "'A%_b!'", "'  b '", "'abcabc'", "NULL", "'a-b--c'", "'a' || chr(10) || 'b1'", "'12'", "'\\^$'"],
    "d": ["'2020-01-01'", "'2029-12-31'", "'2020-02-29'", "'2024-12-31'", "NULL"],
    "e": ["'1999-03-31'", "'1970-01-01'", "'2021-07-04'", "NULL"],
    "ts": ["'2020-02-29 13:14:15.5'", "'1999-12-31 23:59:59.999999'", "'2021-07-04 00:00:00'", "NULL"],
    "ok": ["TRUE", "FALSE", "NULL"],
    "sure": ["1", "9", "5"],
}


def rows_of(values: dict[str, list[str]], count: int) -> list[str]:
    """`count` rows as SQL, in which the columns' values meet in ever new combinations."""
    names = [column.name for column in COLUMNS]
    return [
        "("
        + ", ".join(
            values[name][(row * (1 + at % 5) + row // 7 + at) % len(values[name])] for at, name in enumerate(names)
        )
        + ")"
        for row in range(count)
    ]


def create(text_type: str = "text") -> str:
    """CREATE TABLE, in words that DuckDB and Postgres understand."""
    return f"CREATE TABLE t ({', '.join(f'{column.name} {column.type}' for column in COLUMNS)})"


def engine() -> duckdb.DuckDBPyConnection:
    """DuckDB with `t` of extreme and ordinary values, and `ordinary` of the latter alone."""
    connection = duckdb.connect()
    connection.execute(create())
    connection.execute(create().replace("TABLE t ", "TABLE ordinary "))
    extreme, ordinary = rows_of(EXTREMES, 90), rows_of(ORDINARY, 60)
    connection.execute(f"INSERT INTO t VALUES {', '.join(extreme + ordinary)}")
    connection.execute(f"INSERT INTO ordinary VALUES {', '.join(ordinary)}")
    return connection


def fill_postgres(connection: psycopg.Connection) -> None:
    """The same in a Postgres: `t` as a scan reads it, of extremes and ordinary values, and `ordinary` of the latter."""
    ordinary = rows_of(ORDINARY, 60)
    connection.execute(create())
    connection.execute(create().replace("TABLE t ", "TABLE ordinary "))
    connection.execute(f"INSERT INTO t VALUES {', '.join(rows_of(EXTREMES_OF_POSTGRES, 150) + ordinary)}")
    connection.execute(f"INSERT INTO ordinary VALUES {', '.join(ordinary)}")
    connection.execute("ALTER TABLE t RENAME TO stored")
    connection.execute(f"CREATE VIEW t AS SELECT {read_columns()} FROM stored")
    for name in ("date", "timestamp"):
        connection.adapters.register_loader(name, TextLoader)


def read_columns() -> str:
    """The columns of `t` as a scan of Postgres reads them."""
    read = {column.name: dialects.read(column, "postgres") for column in COLUMNS}
    return ", ".join(name if sql is None else f"{sql.sql('postgres')} AS {name}" for name, sql in read.items())


def parse(text: str) -> exp.Expression:
    """An expression in which columns without a table are those of `t`."""
    check_intervals(AsWritten().tokenize(f"SELECT {text}"))
    tree = clock(sqlglot.parse_one(f"SELECT {text}", read=AsWritten), NOW).expressions[0]
    for column in tree.find_all(exp.Column):
        column.set("table", exp.to_identifier("t"))
    return tree


def number(value: object) -> Fraction | None:
    """The number in an `Interval` that a result of the engine is."""
    return exact(value)  # type: ignore[arg-type]


_NUMBERS = ["i2", "i4", "i8", "code", "n", "rate", "wide", "huge", "x", "y", "r", "sure"]
_CONSTANTS = [
    "0",
    "1",
    "-1",
    "2",
    "7",
    "100",
    "0.06",
    "0.5",
    "2147483648",
    "9223372036854775807",
    "1e5",
    "1e30",
    "NULL",
]
_TEXTS = ["''", "'a'", "'F'", "'%_'", "'abc'", "'é'"]
_DAYS = ["DATE '2020-02-29'", "DATE '2024-12-31'", "'2021-01-01'"]
_BUCKETS = ["0, 120, 12", "0, 100.5, 7", "50, -10, 3", "0.1, 0.2, 1", "ARRAY[18, 65]", "ARRAY[0.5, 2.5, 2.5]"]
_PATTERNS = ["'a%'", "'%_%'", "'A!%%'", r"'\%a'", "''", "'_'", r"'a\\b'"]
_MADE = ["sex", "sex || '%'", "concat('_', sex, '%')", "CASE WHEN ok THEN '%' ELSE sex END"]
_REGEXES = [
    *("'a'", "'^a'", "'b$'", "'a.b'", "'[^a-c]+'", r"'\d'", r"'^\s*\w+\s*$'", "'(a|b){2}'", "'^(a|abc)+$'", "'a*?b'"),
    *("''", "'A|b'", "'é'", r"'\\'", "'[[:alpha:]_%]'", "'^.{3}'", "'x{0,2}-'", "'(?i)ABC'"),
]
_REPLACED = [
    *(r"'\d+', '#'", "'[^a-z]', '', 'g'", r"'(a)(b)', '\2\1', 'g'", r"'^(.*)-(.*)$', '\2'", r"'\s+', ' ', 'g'"),
    *(r"'b', '<\&>', 'gi'", "'a|b|c', 'é', 'g'", "'x*', '-'", "'$', '!'", r"'^\s+|\s+$', '', 'g'", r"'.', '\\', 'i'"),
]
_SIMILAR = ["'%b%'", "'(a|b)%'", "'_'", r"'%\%%'", "'[a-c]+'", "'a{1,2}_*'", "'%.%'", "''"]
_ARRAYS = ["ARRAY[1, 2, 40]", "'{1,2.5,NULL}'", "'{}'", "'{-5,12}'::int[]", "NULL::int[]", "ARRAY[0.5, 3]"]
_SPANS = [
    "INTERVAL '1 month'",
    "INTERVAL '40 days'",
    "INTERVAL '1 year 2 months 3 days 04 hours'",
    "INTERVAL '-5' YEAR",
    "'1.5 days -00:30'::interval",
]
_FIELDS_OF_DAYS = [
    *("year", "quarter", "month", "week", "day", "doy", "dow", "isodow"),
    *("isoyear", "decade", "century", "millennium"),
]
_FIELDS_OF_TIMES = ["hour", "minute", "second", "milliseconds", "microseconds", "epoch"]
_TEMPLATES = [
    *("'YYYY-MM'", "'Mon YYYY'", "'Day, DD FMMonth'", "'IYYY-\"W\"IW'", "'Q'", "'HH12:MI:SS.MS am'", "'D DDD W WW'"),
    *("'YYYYMMDD'", "'dy'", "'US'", "'FMDDFMMM'"),
]


_TURNS = st.sampled_from(["1", "2", "-1", "-3", "9"])
_PADDED = ["5, 'xy'", "2", "0, 'x'", "-3, 'x'", "4, ''", "100, 'é'"]
_ARRAY = st.sampled_from(_ARRAYS)


def called(signature: str) -> list[str]:
    """The functions of the table that have that signature, by their names."""
    return [name for each in FUNCTIONS if signature in each.signatures for name in each.names if name.islower()]


def _joined(*parts: st.SearchStrategy[str] | str) -> st.SearchStrategy[str]:
    return st.tuples(*(st.just(part) if isinstance(part, str) else part for part in parts)).map("".join)


@functools.cache
def numbers(depth: int) -> st.SearchStrategy[str]:
    """Expressions that are numbers."""
    leaf = st.sampled_from(_NUMBERS) | st.sampled_from(_CONSTANTS)
    if depth == 0:
        return leaf
    inner, whole = numbers(depth - 1), st.sampled_from(["-2", "-1", "0", "1", "2", "3"])
    types = st.sampled_from(
        ["smallint", "int", "bigint", "numeric", "numeric(10,2)", "numeric(38,5)", "float8", "real"]
    )
    return st.one_of(
        leaf,
        _joined("(", inner, st.sampled_from([" + ", " - ", " * ", " / ", " % "]), inner, ")"),
        _joined("(-(", inner, "))"),
        _joined("CAST(", inner, " AS ", types, ")"),
        _joined(
            st.sampled_from(["abs", *called("double precision → double precision")]),
            "(",
            inner,
            ")",
        ),
        _joined(
            st.sampled_from(called(", ".join(["double precision"] * 2) + " → double precision")),
            "(",
            inner,
            ", ",
            inner,
            ")",
        ),
        _joined("log(", st.sampled_from(["2", "10", "0.5", "1.5"]), ", ", inner, ")"),
        _joined("div(", inner, ", ", inner, ")"),
        _joined("width_bucket(", inner, ", ", st.sampled_from(_BUCKETS), ")"),
        _joined("ascii(", texts(depth - 1), ")"),
        _joined("CAST(", texts(depth - 1), " AS ", types, ")"),
        _joined("CASE WHEN ", truths(depth - 1), " THEN i4 % 7 WHEN i4 % 7 < 4 THEN i4 % 7 END"),
        _joined(st.sampled_from(["round", "trunc"]), "(", inner, ", ", whole, ")"),
        _joined("power(", inner, ", ", st.sampled_from(["2", "3", "-1", "0.5", "0", "1.5", "-2"]), ")"),
        _joined("CASE WHEN ", truths(depth - 1), " THEN ", inner, " ELSE ", inner, " END"),
        _joined("CASE WHEN x > 100 THEN 100 WHEN x < 0 THEN 0 ELSE x END"),
        _joined("CASE ", inner, " WHEN ", inner, " THEN ", inner, " END"),
        _joined(st.sampled_from(["coalesce", "greatest", "least", "nullif"]), "(", inner, ", ", inner, ")"),
        _joined("extract(", st.sampled_from([*_FIELDS_OF_DAYS, "epoch", "julian"]), " FROM ", days(depth - 1), ")"),
        _joined("extract(", st.sampled_from([*_FIELDS_OF_DAYS, *_FIELDS_OF_TIMES]), " FROM ", moments(depth - 1), ")"),
        _joined(
            "extract(",
            st.sampled_from(["year", "month", "day", "decade", *_FIELDS_OF_TIMES]),
            " FROM ",
            intervals(depth - 1),
            ")",
        ),
        _joined("(", days(depth - 1), " - ", days(depth - 1), ")"),
        _joined("length(", texts(depth - 1), ")"),
        _joined("strpos(", texts(depth - 1), ", ", texts(depth - 1), ")"),
        _joined("(", truths(depth - 1), ")::int"),
    )


@functools.cache
def texts(depth: int) -> st.SearchStrategy[str]:
    """Expressions that are text."""
    leaf = st.sampled_from(["sex", "v"]) | st.sampled_from(_TEXTS)
    if depth == 0:
        return leaf
    inner, count = texts(depth - 1), st.sampled_from(["-1", "0", "1", "2", "2147483647"])
    place = st.sampled_from(["code", "i2", "i4", "-sure", "strpos(v, '-') + 1", "length(v) - 2", "2", "NULL"])
    return st.one_of(
        leaf,
        _joined(st.sampled_from(called("text → text")), "(", inner, ")"),
        _joined("trim(both 'ab' from ", inner, ")"),
        _joined(st.sampled_from(["left", "right"]), "(", inner, ", ", count, ")"),
        _joined("substring(", inner, ", ", count, ", ", st.sampled_from(["0", "1", "5", "2147483647"]), ")"),
        _joined("(", inner, " || ", inner, ")"),
        _joined("concat(", inner, ", ", inner, ", '-', ok)"),
        _joined("concat_ws(", st.sampled_from(["'-'", "''", "', '"]), ", ", inner, ", ", inner, ", i4)"),
        _joined("substring(", inner, ", ", place, ")"),
        _joined("substring(", inner, " FROM ", place, " FOR ", place, ")"),
        _joined(st.sampled_from(["left", "right"]), "(", inner, ", ", place, ")"),
        _joined("split_part(", inner, ", ", st.sampled_from(["'-'", "'b'", "''", "'--'"]), ", ", _TURNS, ")"),
        _joined("repeat(", inner, ", ", st.sampled_from(["-1", "0", "1", "3", "20"]), ")"),
        _joined(st.sampled_from(["lpad", "rpad"]), "(", inner, ", ", st.sampled_from(_PADDED), ")"),
        _joined("translate(", inner, ", ", st.sampled_from(["'ab', 'x'", "'aab', 'xyz'", "'', 'é'", "'é', 'e'"]), ")"),
        _joined("chr(", st.sampled_from(["i4", "i8::int", "ascii(v)", "code + 64", "sure * 100000", "0"]), ")"),
        _joined("initcap(", st.sampled_from(["sex", "sex || '-x Y' || code", "lower(sex)"]), ")"),
        _joined("regexp_replace(", inner, ", ", st.sampled_from(_REPLACED), ")"),
        _joined("replace(", inner, ", ", st.sampled_from(["'a', ''", "'a', 'bc'", "'', 'x'", "'é', 'e'"]), ")"),
        _joined("CASE WHEN ", truths(depth - 1), " THEN ", inner, " ELSE ", inner, " END"),
        _joined(st.sampled_from(["coalesce", "greatest", "least", "nullif"]), "(", inner, ", ", inner, ")"),
        _joined("CAST(", st.sampled_from(["i4", "i8", "n", "ok", "d", "ts", "code", "sex"]), " AS text)"),
        _joined("CAST(", inner, " AS varchar(2))"),
        _joined("to_char(", days(depth - 1) | moments(depth - 1), ", ", st.sampled_from(_TEMPLATES), ")"),
    )


@functools.cache
def days(depth: int) -> st.SearchStrategy[str]:
    """Expressions that are dates."""
    leaf = st.sampled_from(["d", "e"]) | st.sampled_from(_DAYS[:2])
    if depth == 0:
        return leaf
    inner, shift = days(depth - 1), st.sampled_from(["i4", "i2", "code", "30", "-7", "i8::int"])
    return st.one_of(
        leaf,
        _joined("(", inner, st.sampled_from([" + ", " - "]), shift, ")"),
        _joined("CAST(", moments(depth - 1), " AS date)"),
        _joined("CAST(", st.sampled_from(["v", "sex || '2020-02-29'", "CAST(d AS text)"]), " AS date)"),
        _joined("make_date(", st.sampled_from(["i4", "2024", "i2 + 2000"]), ", ", shift, ", ", shift, ")"),
        st.sampled_from(["'YYYY-MM-DD'", "'DD.MM.YYYY'", "'YYYYMM'"]).flatmap(
            lambda form: _joined("to_date(", st.sampled_from(["v", f"to_char(d, {form})"]), f", {form})")
        ),
        _joined(st.sampled_from(["coalesce", "greatest", "least", "nullif"]), "(", inner, ", ", inner, ")"),
        _joined("CASE WHEN ", truths(depth - 1), " THEN ", inner, " ELSE ", inner, " END"),
    )


@functools.cache
def moments(depth: int) -> st.SearchStrategy[str]:
    """Expressions that are timestamps."""
    leaf = st.sampled_from(["ts", "TIMESTAMP '2020-02-29 12:30:00'"])
    if depth == 0:
        return leaf
    inner = days(depth - 1) | moments(depth - 1)
    units = st.sampled_from(["year", "quarter", "month", "week", "day", "hour", "second"])
    return st.one_of(
        leaf,
        _joined("(", inner, st.sampled_from([" + ", " - "]), intervals(depth - 1), ")"),
        _joined("CAST(", st.sampled_from(["v", "CAST(ts AS text)", "CAST(d AS text) || ' 10:00'"]), " AS timestamp)"),
        _joined("date_trunc('", units, "', ", moments(depth - 1), ")"),
        _joined("date_bin('90 minutes', ", moments(depth - 1), ", TIMESTAMP '2020-01-01')"),
        _joined("CAST(", inner, " AS timestamp)"),
        _joined(st.sampled_from(["coalesce", "greatest", "least"]), "(", inner, ", ", moments(depth - 1), ")"),
    )


@functools.cache
def intervals(depth: int) -> st.SearchStrategy[str]:
    """Expressions that are intervals."""
    leaf, time = st.sampled_from(_SPANS), days(max(depth - 1, 0)) | moments(max(depth - 1, 0))
    if depth == 0:
        return leaf
    inner, whole = intervals(depth - 1), st.sampled_from(["i4", "i2", "code", "3", "-1"])
    return st.deferred(
        lambda: st.one_of(
            leaf,
            _joined("(", moments(depth - 1), " - ", time, ")"),
            _joined("age(", time, ", ", time, ")"),
            _joined("(", inner, st.sampled_from([" + ", " - "]), inner, ")"),
            _joined("(", leaf, " * ", whole, ")"),
            _joined("(", whole, " * ", leaf, ")"),
            _joined("(INTERVAL '2 hours' * ", st.sampled_from(["x", "y", "n", "2.5", "r"]), ")"),
            _joined("(", leaf, " / ", st.sampled_from(["3", "0.7"]), ")"),
            _joined("(-", inner, ")"),
            _joined("make_interval(days => ", st.sampled_from(["i4", "i2", "4"]), ", months => code)"),
        )
    )


@functools.cache
def truths(depth: int) -> st.SearchStrategy[str]:
    """Expressions that are booleans."""
    compare = st.sampled_from(
        [" = ", " <> ", " < ", " <= ", " > ", " >= ", " IS DISTINCT FROM ", " IS NOT DISTINCT FROM "]
    )
    below = max(depth - 1, 0)
    n, t, d, m = numbers(below), texts(below), days(below), moments(below)
    leaf = st.one_of(
        st.just("ok"),
        _joined("(", n, compare, n, ")"),
        _joined("(", t, compare, t, ")"),
        _joined("(", d, compare, d | st.sampled_from(_DAYS), ")"),
        _joined("(", d | m, compare, m, ")"),
        _joined("(", intervals(below), compare, intervals(below) | st.just("'1 day'"), ")"),
        _joined("(", n, " BETWEEN ", n, " AND ", n, ")"),
        _joined("(", n, " IN (", n, ", 1, 2.5, NULL))"),
        _joined("(", t, " NOT IN ('F', 'abc', ", t, "))"),
        _joined("(", t, st.sampled_from([" LIKE ", " NOT LIKE ", " ILIKE "]), st.sampled_from(_PATTERNS), ")"),
        _joined("(", t, st.sampled_from([" LIKE ", " NOT ILIKE "]), "(", st.sampled_from(_MADE), "))"),
        _joined("(", n | t | d, st.sampled_from([" IS NULL", " IS NOT NULL"]), ")"),
        _joined("starts_with(", t, ", ", t, ")"),
        _joined("(", t, st.sampled_from([" ~ ", " ~* ", " !~ ", " !~* "]), st.sampled_from(_REGEXES), ")"),
        _joined("(", t, st.sampled_from([" SIMILAR TO ", " NOT SIMILAR TO "]), st.sampled_from(_SIMILAR), ")"),
        _joined("(", n, " BETWEEN SYMMETRIC ", n, " AND ", n, ")"),
        _joined("(", n, st.sampled_from([" = ANY (", " <> ALL (", " > ANY (", " <= ALL ("]), _ARRAY, "))"),
        _joined("(", t, " LIKE ANY (ARRAY[", st.sampled_from(_PATTERNS), ", 'b%']))"),
        _joined("((", n, ", ", t, ") IN ((1, 'F'), (2, 'a')))"),
        _joined("CAST(", t, " AS boolean)"),
    )
    if depth == 0:
        return leaf
    inner = truths(depth - 1)
    return st.one_of(
        leaf,
        _joined("(", inner, st.sampled_from([" AND ", " OR "]), inner, ")"),
        _joined("(NOT ", inner, ")"),
        _joined("(", inner, st.sampled_from([" IS TRUE", " IS NOT FALSE", " IS UNKNOWN"]), ")"),
    )


def anything() -> st.SearchStrategy[str]:
    """Expressions of any kind, up to a depth of three."""
    return st.one_of(numbers(2), numbers(3), texts(2), truths(2), days(2), moments(2))


def engine_text(tree: exp.Expression, dialect: str) -> str:
    """A total form in the engine's words, its steps written out."""
    return value_text(dialect_of(dialect).total(tree), dialect)


def query_text(table: str, dialect: str, **trees: exp.Expression) -> str:
    """A query of total forms over a table that is called t, its steps as the engine gets them."""
    items = tuple(algebra.Item(name, dialect_of(dialect).total(tree)) for name, tree in trees.items())
    return written(algebra.Select(items, algebra.of(algebra.Scan((table,)), "t")), dialect).sql

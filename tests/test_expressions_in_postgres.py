"""Total forms in Postgres, from 13 on: no row raises, and what is known of a form is true of its values there."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import cache

import duckdb
import psycopg
import pytest
from expression_world import (
    IN_POSTGRES,
    SCOPE,
    anything,
    called,
    engine,
    engine_text,
    fill_postgres,
    numbers,
    parse,
    query_text,
)
from hypothesis import example, given
from hypothesis import strategies as st
from scratch_postgres import MAJORS, scratch_postgres
from test_expressions import admitted as admitted_by_all
from test_expressions import generated, same, within

from dpproxy.catalog.policy import TableColumn
from dpproxy.catalog.types import Family, SqlType, parse_type
from dpproxy.engines import dialects
from dpproxy.engines.dialects import dialect_of
from dpproxy.errors import DPProxyError
from dpproxy.rewrite.checker.nodes import columns_of, parsed
from dpproxy.rewrite.expressions import Typed, step_range, steps, total
from dpproxy.rewrite.expressions.constants.literals import is_constant
from dpproxy.rewrite.expressions.facts.fact import Interval
from dpproxy.rewrite.expressions.numbers.exact_steps import exact_steps
from dpproxy.rewrite.expressions.numbers.grid import Clip
from dpproxy.rewrite.expressions.table import RULES

Postgres = psycopg.Connection[tuple[object, ...]]
pytestmark = [pytest.mark.skipif(not MAJORS, reason="no Postgres on this machine"), pytest.mark.long]
_WIDER = {"smallint": 0, "integer": 1, "bigint": 2}


@pytest.fixture(scope="module")
def duck() -> Iterator[duckdb.DuckDBPyConnection]:
    with engine() as connection:
        yield connection


def opened(major: int) -> Iterator[Postgres]:
    with (
        scratch_postgres(MAJORS[major]) as server,
        psycopg.connect(server.conninfo, autocommit=True) as connection,
    ):
        fill_postgres(connection)
        yield connection


@pytest.fixture(scope="module")
def newest() -> Iterator[Postgres]:
    yield from opened(max(MAJORS))


@pytest.fixture(scope="module", params=sorted(MAJORS)[:-1])
def version(request: pytest.FixtureRequest) -> Iterator[Postgres]:
    """Each before the newest, which is asked for more."""
    yield from opened(request.param)


def admitted(text: str) -> Typed | None:
    try:
        return total(parse(text), IN_POSTGRES)
    except DPProxyError:
        return None


def text_of(typed: Typed) -> str:
    return engine_text(dialect_of("postgres").typed(typed.sql, typed.fact.engine), "postgres")


def run(postgres: Postgres, typed: Typed, table: str = "t") -> list[object]:
    """The values over the rows of a table or a query, in order. What is known of the form is asserted of them."""
    sql, tree = text_of(typed), dialect_of("postgres").typed(typed.sql, typed.fact.engine)
    made = query_text("given", "postgres", v=tree).replace('"given"', table)
    query = f"SELECT v, pg_typeof(v)::text FROM ({made}) AS q"
    rows = postgres.execute(query).fetchall()  # type: ignore[arg-type]
    if rows and not is_constant(typed):
        assert is_held(str(rows[0][1]), typed.fact.engine), sql
    for value, _ in rows:
        known = None if typed.fact.proved is None else _blurred(postgres, sql, typed.fact.proved)
        assert known is None or within(value, known), (sql, value)
    return [value for value, _ in rows]


def _blurred(postgres: Postgres, sql: str, proved: Interval) -> Interval:
    """13 has the time between two moments as a double: past 285 years it misses some microseconds."""
    if "EPOCH" not in sql or postgres.info.server_version >= 140000:
        return proved
    return Interval(proved.lower - 64, proved.upper + 64)


def is_held(found: str, said: SqlType) -> bool:
    """Whether the form is of the type that it is said to have: a text of any length, a whole number in less room."""
    if said.family is Family.TEXT:
        return found in ("text", "character varying")
    return found == said.name or (found, said.name) == ("integer", "smallint")


@generated(200)
@given(anything())
def test_generated_expressions_are_total_in_postgres(newest: Postgres, text: str) -> None:
    typed = admitted(text)
    if typed is not None:
        run(newest, typed)
        tree = parsed(f"SELECT {text_of(typed)} AS m0 FROM t", "postgres")
        assert list(columns_of(tree.expressions[0].this)) or not typed.fact.private


@generated(40)
@given(anything())
def test_generated_expressions_are_total_in_every_version(version: Postgres, text: str) -> None:
    typed = admitted(text)
    if typed is not None:
        run(version, typed)


@generated(200)
@given(anything())
@example("CAST((i2 + wide) AS smallint)")
@example("round(i2 + wide)")
@example("nullif(NULL, i2)")
@example("make_date(i4, code, i4) + (ts - d)")
def test_both_engines_give_the_same(duck: duckdb.DuckDBPyConnection, newest: Postgres, text: str) -> None:
    typed = admitted(text)
    if typed is None or "é" in text or "initcap" in text:
        return
    theirs = run(newest, typed, "ordinary")
    here = admitted_by_all(text)
    assert here is not None
    mine = [row[0] for row in duck.execute(query_text("ordinary", "duckdb", v=here.sql)).fetchall()]
    tolerance = 1e-5 if re.search(r"\b(r|real)\b", text) else 1e-9
    for one, other in zip(mine, theirs, strict=True):
        assert same(one, _as_python(other, one), tolerance), (text, one, other)


def _as_python(value: object, like: object) -> object:
    """Dates come as text from Postgres, which has more of them than Python, and writes those before our era its way."""
    if isinstance(value, str) and isinstance(like, str) and "(BC)" in like and value.endswith(" BC"):
        return " (BC)".join((value[:-3][:10], value[:-3][10:]))
    return type(like).fromisoformat(value) if isinstance(value, str) and isinstance(like, date) else value


# Each rule, each function, over all pairs of extremes.

NUMBERS = ["i2", "i4", "i8", "n", "rate", "wide", "huge", "x", "y", "r"]
_PAIRED = [
    "{a} + {b}",
    "{a} - {b}",
    "{a} * {b}",
    "{a} / {b}",
    "{a} % {b}",
    "div({a}, {b})",
    "{a} < {b}",
    "{a} > {b}",
    "{a} <> {b}",
    "{a} <= {b} OR {a} >= {b}",
]
_PAIRED += ["greatest({a}, {b}, 0)", "least({a}, {b}) * 2", "nullif({a}, {b})", "coalesce({a}, {b}) - 1"]
_PAIRED += ["({a} * {b}) * ({a} / {b})", "({a} - {b}) / ({a} + {b}) * 1e-300", "{a} IS DISTINCT FROM {b}"]
_PAIRED += ["CASE WHEN {a} > 0 THEN {b} END / 1e200", "{a} BETWEEN SYMMETRIC {b} AND 7", "{a} IN ({b}, 1, NULL)"]
# The exponent of a power is a constant.
_PAIRED += [f"{name}({{a}}, {{b}})" for name in called(", ".join(["double precision"] * 2) + " → double precision")]
_SINGLE = [f"{name}({{a}})" for name in ("abs", "-", "pi() * ", *called("double precision → double precision"))]
_SINGLE += [
    f"power({{a}}, {k})" for k in ("2", "3", "-1", "-2", "0.5", "-0.5", "0", "1.5", "100", "-100", "0.01", "17")
]
_SINGLE += [
    "log(2, {a})",
    "round({a}, 2)",
    "trunc({a}, -3)",
    "round({a}::float8::numeric, 3)",
    "width_bucket({a}, 0, 1e10, 9)",
]
_SINGLE += [
    "width_bucket({a}, ARRAY[0.5, 1e30])",
    "{a} * 1e-300",
    "{a} / 1e300",
    "{a} / 1e-300",
    "{a} * 1e300 * 1e-300",
]
_SINGLE += [f"{{a}}::{name}" for name in ("smallint", "int", "bigint", "real", "float8", "numeric", "numeric(38,5)")]
_SINGLE += [f"{{a}}::{name}" for name in ("numeric(3,1)", "numeric(15,15)", "numeric(20)")]
_SINGLE += ["exp({a}) * {a}", "exp(-{a}) - 1", "ln(exp({a}))", "sqrt({a}) * {a} * {a}", "(x - {a}) / 3 + x * 1e-9"]
_SINGLE += ["{a}::real + r", "{a}::real * r", "r / {a}::real", "-({a}::real)", "(DATE '2020-02-29' + {a}::int)"]
_SINGLE += [
    "({a} * INTERVAL '2 hours') > INTERVAL '1 day'",
    "ts + {a} * INTERVAL '1 second'",
    "{a} = ANY ('{{1,2.5}}')",
]
TEXTS = [
    *(f"{name}(v)" for name in called("text → text")),
    *("initcap(sex)", "length(v)", "ascii(v)", "chr(ascii(v))", "chr(i4)"),
    *("trim(both 'a ' from v)", "ltrim(v)", "rtrim(v, '9')", "substring(v, i4, i2)", "substring(v from -1 for 3)"),
    *(
        "left(v, i4)",
        "right(v, i8::int)",
        "left(v, -2)",
        "strpos(v, 'a')",
        "position('😀' in v)",
        "starts_with(v, 'a')",
    ),
    *("replace(v, 'a', 'bb')", "v || v || sex", "concat(v, n, d, ok)", "concat_ws('-', v, i8, ts)", "repeat(v, 20)"),
    *(
        "lpad(v, 1000, 'é')",
        "rpad(v, 3)",
        "split_part(v, '-', 2)",
        "split_part(v, '--', -1)",
        "translate(v, 'aé', 'x')",
    ),
    *("v LIKE 'a%'", r"v LIKE '%\%_'", "v ILIKE '%É%'", "v LIKE 'x!_' ESCAPE '!'", r"v ~ '^\s*\w+$'", "v ~* 'É|b'"),
    *("regexp_replace(v, '[^a-z]', '', 'g')", "v SIMILAR TO '%(a|b)_'", "regexp_like(v, 'A', 'i')", "v::numeric(9,2)"),
    *(
        "v::int",
        "v::bigint",
        "v::numeric",
        "v::numeric(38,38)",
        "v::numeric(38,36)",
        "v::numeric(4,4)",
        "v::float8",
        "v::real",
        "v::boolean",
        "v::date",
    ),
    *(
        "v::timestamp",
        "v::varchar(2)",
        "i8::text",
        "n::text",
        "d::text",
        "ts::text",
        "ok::text",
        "ok::int",
        "i4::boolean",
    ),
    *("to_date(v, 'YYYY-MM-DD')", "to_date(v, 'DD.MM.YYYY')", "v IS NULL", "ok IS NOT TRUE", "NOT ok OR ok AND v = ''"),
    *(
        "v > 'a'",
        "greatest(v, sex)",
        "CASE v WHEN sex THEN 1 ELSE 2 END",
        "TRUE",
        "NULL",
        "now() > ts",
        "current_date - d",
    ),
    *("localtimestamp - ts > INTERVAL '1 day'", "v IS NOT DISTINCT FROM sex", "i4 IS NULL", "coalesce(v, sex)"),
]
FIELDS = [
    "year",
    "quarter",
    "month",
    "week",
    "day",
    "doy",
    "dow",
    "isodow",
    "isoyear",
    "decade",
    "century",
    "millennium",
]
FIELDS += ["epoch", "julian", "hour", "minute", "second", "milliseconds", "microseconds"]
UNITS = ["year", "quarter", "month", "week", "day", "hour", "minute", "second", "milliseconds"]
TIMES = [f"extract({field} FROM {moment})" for field in FIELDS for moment in ("d", "ts")]
TIMES += [f"extract({field} FROM {by})" for field in FIELDS for by in ("ts - d", "age(ts, d)", "i4 * INTERVAL '1 day'")]
TIMES += [f"date_trunc('{unit}', {moment})" for unit in UNITS for moment in ("d", "ts")]
TIMES += [
    "d + i4",
    "d - e",
    "d - i4",
    "ts::date",
    "d::timestamp",
    "ts + INTERVAL '1 month'",
    "d - INTERVAL '9000 years'",
]
TIMES += [
    "make_date(i4, i2, sure)",
    "ts + make_interval(days => i4, secs => 1.5)",
    "to_char(ts, 'YYYY-MM-DD HH24:MI:SS.US')",
]
TIMES += [
    "to_char(d, 'Day DDD IYYY-IW Q')",
    "to_char(ts, 'FMMonth DY HH12 AM MS')",
    "age(d) > INTERVAL '1 year'",
    "d < ts",
]
TIMES += ["ts > TIMESTAMP '2020-01-01' - INTERVAL '-3000000 hours'", "d BETWEEN '2020-01-01' AND DATE '2021-01-01'"]
TIMES += ["to_timestamp('2020-02-03', 'YYYY-MM-DD') < ts", "date_trunc('month', d) + INTERVAL '1 month -1 day'"]
TIMES += [
    "date_bin('15 minutes', ts, TIMESTAMP '2020-01-01')",
    "date_bin('90 days 0.000001 seconds', ts, '0001-01-01')",
]
TEXTS += ["substring(v from 'a(.*)$')", "substring(v from '^[a-z]*')"]


def distinct(*names: str) -> str:
    """All combinations of the values of some columns, beside rows of the others."""
    others = ", ".join(name for _, name in SCOPE if name not in names)
    each = " CROSS JOIN ".join(f"(SELECT DISTINCT {name} FROM t) AS {name}_" for name in names)
    return f"(SELECT * FROM {each} CROSS JOIN (SELECT {others} FROM t LIMIT 1) AS rest)"


def meets(postgres: Postgres, text: str, table: str) -> set[type]:
    """Runs what the rules make of a text, and says which nodes it has: none where it is refused."""
    typed = made(text)
    if typed is None:
        return set()
    run(postgres, typed, table)
    return {type(node) for node in parse(text).walk()}


@cache
def made(text: str) -> Typed | None:
    """What the rules make of a text: the same for every version."""
    return admitted(text)


def test_every_rule_meets_the_extremes_of_postgres(newest: Postgres) -> None:
    met: set[type] = set()
    for form, (a, b) in itertools.product(_PAIRED, itertools.product(NUMBERS, NUMBERS)):
        met |= meets(newest, form.format(a=a, b=b), distinct(*{a: 0, b: 0}))
    for form, a in itertools.product(_SINGLE, NUMBERS):
        met |= meets(newest, form.format(a=a), distinct(a))
    for text in (*TEXTS, *TIMES):
        met |= meets(newest, text, "t")
    assert [kind.__name__ for kind in RULES if kind not in met] == ["AtTimeZone", "Parameter"]


def test_every_rule_meets_the_extremes_of_every_version(version: Postgres) -> None:
    pairs = zip(itertools.cycle(NUMBERS), [*NUMBERS[3:], *NUMBERS[:3]], strict=False)
    for form, (a, b) in itertools.product(_PAIRED, pairs):
        meets(version, form.format(a=a, b=b), "t")
    for form, a in itertools.product(_SINGLE, ("x", "wide", "i8")):
        meets(version, form.format(a=a), "t")
    for text in (*TEXTS, *TIMES):
        meets(version, text, "t")


@pytest.mark.parametrize(
    "text",
    [
        *("x * y", "x / y", "y - x * 2", "r * r", "exp(x)", "power(y, 3)", "y::real", "x::int", "n::bigint", "i8 * i8"),
        *("i4 / i2", "ln(y)", "sqrt(x)", "chr(i4)", "v::date", "d + i4", "substring(v, 1, i2)", "v::numeric(9,2)"),
    ],
)
def test_postgres_itself_raises(newest: Postgres, text: str) -> None:
    """The rows are extreme enough: the analyst's own words raise over them."""
    with pytest.raises(psycopg.Error):
        newest.execute(f"SELECT {text} FROM stored AS t").fetchall()  # type: ignore[arg-type]


@generated(100)
@given(
    numbers(1),
    st.fractions(-(10**6), 10**6, max_denominator=1000),
    st.fractions(0, 10**6, max_denominator=1000),
    st.sampled_from(["1", "0.01", "0.5", "1000", "3", "0.0001"]),
    st.integers(-1000, 1000),
    st.sampled_from([steps, exact_steps]),
)
@example("n * (1 - rate) * n", Fraction(-(10**6)), Fraction(2 * 10**6), "0.0001", 3, exact_steps)
@example("i8 * i4", Fraction(-7), Fraction(9), "1", 0, exact_steps)
@example("n", Fraction(1, 3), Fraction(9), "0.5", 1, exact_steps)
def test_steps_stay_in_range(
    newest: Postgres, text: str, lower: Fraction, width: Fraction, step: str, centre: int, clip: Clip
) -> None:
    typed = admitted(text)
    if typed is None or typed.fact.type.family is Family.TEXT:
        return
    least, most = step_range(lower, lower + width, Decimal(centre), Decimal(step))
    sql = engine_text(clip(typed, lower, lower + width, Decimal(centre), Decimal(step)), "postgres")
    near = engine_text(steps(typed, lower, lower + width, Decimal(centre), Decimal(step)), "postgres")
    rows = newest.execute(f"SELECT {text_of(typed)}, {sql}, {near} FROM t").fetchall()  # type: ignore[arg-type]
    for value, counted, about in rows:
        assert (counted is None) == (value is None or value != value), (text, value)
        assert counted is None or least <= counted <= most  # type: ignore[operator]
        assert counted == about or abs(counted - about) <= 1  # type: ignore[operator]


# How a scan reads columns.


def read(postgres: Postgres, type_: str, said: str, values: list[str], stored: str | None = None) -> list[object]:
    sql = dialects.read(TableColumn("c", parse_type(said), stored=stored), "postgres")
    text = "c" if sql is None else sql.sql("postgres")
    rows = ", ".join(f"({value}::{type_})" for value in values)
    return [row[0] for row in postgres.execute(f"SELECT {text} FROM (VALUES {rows}) AS t(c)").fetchall()]  # type: ignore[arg-type]


def test_a_numeric_is_read_without_what_has_no_digits(version: Postgres) -> None:
    values = ["'NaN'", "'12.34'", "'-1e14'", "NULL"]
    assert dialects.read(TableColumn("c", parse_type("numeric(20,2)")), "postgres") is None
    huge = [*values, "'1e131000'", "'-1e400'", "'1e-400'", "'0.1'", "('1' || repeat('0', 299))", "'1e-310'"]
    huge += ["'Infinity'", "'-Infinity'"] if version.info.server_version >= 140000 else []
    found = read(version, "numeric", "numeric", huge)
    assert found[:10] == [None, 12.34, -1e14, None, 1e300, -1e300, 0.0, 0.1, 1e299, 0.0]
    assert found[10:] == [1e300, -1e300][: len(huge) - 10]
    found = read(version, "numeric", "numeric(5,1)", [*huge, "'9999.94'", "'9999.95'", "'-9999.94'"], "numeric")
    most = Decimal("9999.9")
    assert found[:10] == [None, Decimal("12.3"), -most, None, most, -most, Decimal(0), Decimal("0.1"), most, 0]
    assert found[-3:] == [most, most, -most]


def test_what_the_policy_calls_otherwise_is_cast(version: Postgres) -> None:
    version.execute("CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE DOMAIN small AS smallint CHECK (VALUE > 0)")
    assert read(version, "mood", "text", ["'ok'", "NULL"], "mood") == ["ok", None]
    assert read(version, "small", "smallint", ["7", "NULL"], "small") == [7, None]
    version.execute("SET TimeZone = 'America/New_York'")
    stamps = ["'2024-05-17 10:30+02'", "'infinity'", "'4713-01-01 00:00:00+14 BC'", "'294276-12-31 23:59:59-12'"]
    found = read(version, "timestamptz", "timestamp", stamps[:3], "timestamp with time zone")
    assert found == ["2024-05-17 08:30:00", "infinity", "4714-12-31 10:00:00 BC"]


def test_a_text_grows_to_a_gigabyte_nowhere(newest: Postgres) -> None:
    newest.execute("CREATE TABLE long AS SELECT repeat('ab', 30000000) AS v")
    try:
        with pytest.raises(psycopg.Error):
            newest.execute("SELECT length(repeat(v, 20)) FROM long")
        for text, expected in (
            ("repeat(v, 20)", None),
            ("length(v)", 60000000),
            ("left(v, 2) || sex", "abF"),
            ("v || v", None),
        ):
            typed = total(parse(text), SCOPE)
            sql = f"SELECT {text_of(typed)} FROM (SELECT v, 'F' AS sex FROM long) AS t"
            assert newest.execute(sql).fetchone() == (expected,)  # type: ignore[arg-type]
    finally:
        newest.execute("DROP TABLE long")


@pytest.mark.parametrize(
    "text", ["CAST(least('5', v) AS smallint)", "CAST(coalesce(v, '5') AS integer)", "CAST(greatest('0', v) AS bigint)"]
)
def test_a_long_text_has_no_other_one_in_its_place(newest: Postgres, text: str) -> None:
    """What skips NULL, once took a long text for NULL where it was tested, and for itself where it was cast."""
    typed = admitted(text)
    assert typed is not None
    newest.execute("CREATE TEMPORARY TABLE long AS SELECT '1' || repeat('x', 250000) AS v")
    assert newest.execute(f"SELECT {text_of(typed)} FROM long AS t").fetchone() == (None,)
    newest.execute("DROP TABLE long")

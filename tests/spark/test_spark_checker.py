"""What the checker knows of Spark: sums that have room, casts that raise, and no node that nobody has tried."""

from __future__ import annotations

import math
from contextlib import nullcontext
from dataclasses import replace
from decimal import Decimal
from hashlib import md5, sha256
from pathlib import Path
from random import Random

import pytest
from sqlglot import exp, parse_one
from test_spark_values import CLOSE, planned, policy, world
from worlds import TERMS, fitted

from dpproxy.catalog.policy import Catalog
from dpproxy.engines.dialects import dialect_of
from dpproxy.engines.spark.sessions import Session
from dpproxy.rewrite.checker import check_plan
from dpproxy.rewrite.checker.engines import facts_of
from dpproxy.rewrite.checker.fault import CheckFault
from dpproxy.rewrite.checker.held import Held, Kind, decimal, whole
from dpproxy.rewrite.checker.nodes import asked, parsed
from dpproxy.rewrite.checker.total import Total
from dpproxy.rewrite.checker.total_times import MICROS

SPARK = facts_of("spark")
ARRAY = "EXPLODE(CAST(FROM_JSON(:r0c0, 'ARRAY<STRING>') AS ARRAY<BIGINT>))"
TWO = "UNNEST(CAST($r0c0 AS BIGINT[])) AS o0, UNNEST(CAST($r0c0 AS BIGINT[])) AS o1"
STATEMENT = "SELECT sex, count(*), sum(age), sum(rent) FROM people GROUP BY sex"


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    directory = tmp_path_factory.mktemp("world")
    world(directory / "all", Random(1), 5, 5)
    return fitted(policy(directory, "duckdb:", "all", CLOSE))[1]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("SUM(CAST(m1 AS DECIMAL(38, 0)))", "SUM(m1)"),
        ("SUM(CAST(m1 AS DECIMAL(38, 0)))", "SUM(CAST(m1 AS BIGINT))"),
        ("SUM(CAST(m1 AS DECIMAL(38, 0)))", "SUM(TRY_CAST(m1 AS DECIMAL(38, 0)))"),
        ("SUM(CAST(m1 AS DECIMAL(38, 0)))", "SUM(CAST(m1 AS DECIMAL(20, 0)))"),
        ("SUM(CAST(m1 AS DECIMAL(38, 0)))", "SUM(CAST(m1 * 2 AS DECIMAL(38, 0)))"),
        ("CAST(s0.`rent` *", "CAST(1 + s0.`rent` *"),
        ("CAST(s0.`rent` *", "CAST(CBRT(s0.`rent`) *"),
        ("THEN CAST(", "THEN TRY_CAST("),
        ("<= 5000.00", "<= CAST('5000' AS DOUBLE)"),
        ("CASE WHEN s0.`rent`", "CASE WHEN FLOOR(s0.`rent`)"),
    ],
)
def test_mutants_of_a_text_are_refused(old: str, new: str, catalog: Catalog) -> None:
    made = planned(STATEMENT, catalog, "spark")
    (release,) = made.releases
    assert old in release.bounded.sql
    mutant = replace(release, bounded=replace(release.bounded, sql=release.bounded.sql.replace(old, new)))
    with pytest.raises(CheckFault):
        check_plan(replace(made, releases=(mutant,)), catalog, "spark", TERMS.accounting)


def add_in_doubles(session: Session) -> None:
    """Raises AssertionError where sums in floating point, held to 2^53, are others than in whole numbers."""
    for numbers in ([], [3, 4], [2**53, 1, 1], [1, 1, 2**53], [2**53 - 1, 1], [2**52, 2**52 - 1], [2**53] * 9):
        rows = ", ".join(f"({number}L)" for number in numbers)
        source = f"(VALUES {rows}) AS t(x)" if numbers else "(VALUES (1L)) AS t(x) WHERE x > 1"
        held = f"CAST(LEAST(GREATEST(COALESCE(SUM(CAST(x AS DOUBLE)), 0), 0), {2**53}) AS BIGINT)"
        assert session.query(f"SELECT {held} AS n FROM {source}").rows == ((min(sum(numbers), 2**53),),)

    for numbers in ([], [3, -4], [2**23, -(2**23), -1], [-9, -9], [-100] * 9):
        rows = ", ".join(f"({number}L)" for number in numbers)
        source = f"(VALUES {rows}) AS t(x)" if numbers else "(VALUES (1L)) AS t(x) WHERE x > 1"
        few = "CASE WHEN COUNT(*) <= 8 THEN COALESCE(SUM(CAST(x AS DOUBLE)), 0) ELSE 0 END"
        held = f"CAST(LEAST(GREATEST({few}, -5), {2**53}) AS BIGINT)"
        told = max(sum(numbers), -5) if len(numbers) < 9 else 0
        assert session.query(f"SELECT {held} AS n FROM {source}").rows == ((told,),)


def test_sums_in_doubles_are_those_of_whole_numbers(session: Session) -> None:
    add_in_doubles(session)


def proved(sql: str, **columns: Held) -> Held:
    return Total(lambda node: columns.get(node.name), SPARK)(parsed(f"SELECT {sql}", "spark").expressions[0])


@pytest.mark.parametrize(
    ("sql", "fault"),
    [
        ("SQRT(x)", "a root of what could be less than 0"),
        ("x / x", "a division by what could be 0"),
        ("y / NULLIF(y, 0)", "a division by what could be -0.0"),
        ("y / NULLIF(y - CAST('0.0' AS DOUBLE), 0)", "a division by what could be -0.0"),
        ("d / 2", "a quotient of decimals"),
        ("x % x", "what could be 0"),
        ("y % NULLIF(y, 0)", "a rest of a division by what could be -0.0"),
        ("(FLOOR(y) + 1) * x", "bigint arithmetic could overflow"),
        ("CEIL(CAST('1e300' AS DOUBLE)) + 1", "bigint arithmetic could overflow"),
        ("POWER(y, 2)", None),
        ("POWER(y, -1)", "a power of what could be 0"),
        ("POWER(y - 1, 0.5)", "a power of what could be less than 0"),
        ("LOG10(y)", "a logarithm of what could be 0 or less"),
        ("CAST(SIGN(d) AS BIGINT)", None),
        ("INITCAP(t)", "not known"),
        ("AVG(x)", "not known"),
        ("t LIKE t", "a pattern of any length"),
        (r"t LIKE 'a\\\\'", None),
        (r"t LIKE 'a\\'", "could end in its escape"),
        (r"t LIKE 'a\\b'", "escapes a letter that needs it not"),
        ("SUBSTRING(t, 1, -1)", "a length that could be less than 0"),
        ("EXTRACT(YEAR FROM m) * 1000000", "integer arithmetic could overflow"),
        ("DATEDIFF(a, CAST('0001-01-01' AS DATE)) * 100000", "integer arithmetic could overflow"),
        ("DATE_TRUNC('MONTH', m)", "cut that is too far off"),
        ("LENGTH(t) * 2", "integer arithmetic could overflow"),
        ("d > y", "a decimal beside floating point"),
        ("d * y", "a decimal beside floating point"),
        ("SUM(d)", "a sum of a decimal"),
        ("SUM(y)", "a sum of a double"),
        ("w * w", None),
        ("w * w * w", "could overflow"),
        ("CASE WHEN x > 0 THEN CAST(d AS DECIMAL(38, 4)) ELSE CAST('0.5' AS DECIMAL(10, 5)) END", "could lose places"),
        ("SUM(CAST(w AS DECIMAL(38, 2)))", "a sum of a decimal"),
        ("SUM(CAST(d AS DECIMAL(38, 2)))", None),
        ("SUM(CAST(d AS DECIMAL(37, 2)))", "a sum of a decimal"),
        ("ROW_NUMBER() OVER (PARTITION BY x ORDER BY x) * 10", "integer arithmetic could overflow"),
        ("CAST(ROW_NUMBER() OVER (PARTITION BY x ORDER BY x) AS BIGINT) * 10", None),
        ("UNIX_MICROS(CAST(m AS TIMESTAMP)) - UNIX_MICROS(CAST(m AS TIMESTAMP))", None),
        ("m + INTERVAL '1' MONTH", None),
        ("m + INTERVAL '2000' YEAR", "could leave the calendar"),
        ("DATE_FORMAT(m, 'yyyy-MM')", None),
        ("CAST('infinity' AS DATE)", "is no date"),
        ("t = 1", "a text beside"),
        ("TRY_CAST(t AS DECIMAL(38, 0))", None),
        ("TRY_CAST(x AS DECIMAL(38, 0))", "a cast of no text that is tried"),
        ("TRY_CAST(y AS BIGINT)", "a cast of no text that is tried"),
        ("x * x", "could overflow"),
        ("REPEAT(t, 100000000)", "could grow without end"),
        ("REPEAT(t, x)", "a count of no known range"),
        ("LPAD(t, 5, '0')", None),
        ("SPLIT_PART(t, '/', 0)", "a part whose number could be 0"),
        ("SPLIT_PART(t, '/', -1)", None),
        ("LEFT(t, x)", "a count of no known range"),
        ("LEFT(t, CAST(GREATEST(CAST(LENGTH(t) AS BIGINT) - 1, 0) AS INT))", None),
        ("TRANSLATE(t, TRANSLATE(t, '01', ''), '')", None),
        ("CONCAT_WS('/', t, t)", None),
        ("TRY_CAST(t AS DECIMAL(38, 2))", None),
        ("TRY_CAST(t AS DOUBLE)", None),
        ("SIN(y)", None),
        ("TAN(y)", "not on the list"),
        ("REGEXP_REPLACE(t, 'a', 'b')", "not known"),
    ],
)
def test_what_is_not_proved(sql: str, fault: str | None) -> None:
    columns = {"x": whole(Kind.BIGINT), "d": decimal(10, 2), "w": decimal(19, 0), "y": Held(Kind.DOUBLE, 0, 1)}
    days = {"a": Held(Kind.DATE, 1, 3_652_059), "m": Held(Kind.TIMESTAMP, MICROS, 3_652_059 * MICROS)}
    with nullcontext() if fault is None else pytest.raises(CheckFault, match=fault):
        proved(sql, t=Held(Kind.TEXT), **columns, **days)


@pytest.mark.parametrize(
    "sql",
    [
        "EXPLODE(CAST(:r0c0 AS ARRAY<BIGINT>)) AS o0",
        "EXPLODE(CAST(FROM_JSON(:r0c0, 'ARRAY<BIGINT>') AS ARRAY<BIGINT>)) AS o0",
        "EXPLODE(FROM_JSON(:r0c0, 'ARRAY<STRING>')) AS o0",
        "INLINE(ARRAYS_ZIP(FROM_JSON(:r0c0, 'ARRAY<STRING>'), FROM_JSON(:r0c1, 'ARRAY<STRING>'))) AS (o0, o1)",
        f"INLINE(ARRAYS_ZIP({ARRAY}, {ARRAY})) AS (o0, o1), 1 AS o2",
        f"INLINE(ARRAYS_ZIP({ARRAY}, {ARRAY})) AS (o0)",
        f"INLINE({ARRAY}) AS (o0)",
        "FROM_JSON(:r0c0, 'ARRAY<STRING>') AS o0",
        "CAST(:r0c0 AS STRING) AS o0",
        "UNIX_MICROS(CAST(m AS TIMESTAMP)) AS o0",
        "UNIX_MICROS(m) - UNIX_MICROS(m) AS o0",
        "UNIX_MICROS(CAST(m AS DATE)) - UNIX_MICROS(CAST(m AS DATE)) AS o0",
        "CAST(m AS TIMESTAMP) - CAST(m AS TIMESTAMP) + UNIX_MICROS(CAST(m AS TIMESTAMP)) AS o0",
    ],
)
def test_arrays_and_moments_are_told_in_one_way(sql: str) -> None:
    """Arrays as text of JSON, and moments as what is between two; what is not that form is on no list."""
    with pytest.raises(CheckFault):
        parsed(f"SELECT {sql}", "spark")


def test_arrays_are_read_as_arrays() -> None:
    for written, read in (
        (f"{ARRAY} AS o0", "UNNEST(CAST($r0c0 AS BIGINT[])) AS o0"),
        (f"INLINE(ARRAYS_ZIP({ARRAY[8:-1]}, {ARRAY[8:-1]})) AS (o0, o1)", TWO),
    ):
        assert parsed(f"SELECT {written}", "spark").sql("duckdb") == f"SELECT {read}"


def test_sums_are_read_as_sums_of_what_is_added() -> None:
    read = asked("SELECT SUM(CAST(x AS DECIMAL(38, 0))) AS m FROM `t` AS s", "spark")
    assert read.sql() == parse_one("SELECT SUM(x) AS m FROM t AS s").sql().replace("t AS", '"t" AS')
    assert proved("SUM(x)", x=whole(Kind.BIGINT)).kind is Kind.DECIMAL


# What the engine itself does


def first(session: Session, sql: str) -> object:
    return session.query(sql).rows[0][0]


def test_sums_have_room_where_they_are_cast(session: Session) -> None:
    rows = "(VALUES (9223372036854775807), (9223372036854775807), (-1)) AS t(x)"
    assert first(session, f"SELECT SUM(CAST(x AS {SPARK.sums_in})) AS n FROM {rows}") == 2 * (2**63 - 1) - 1
    squares = f"SUM(CAST(CAST(x AS {SPARK.wide}) * x AS {SPARK.sums_in}))"
    found = first(session, f"SELECT {squares} AS n FROM (VALUES ({2**45}), (-{2**45})) AS t(x)")
    assert int(str(found)) == 2 * 2**90


def test_casts_raise_and_are_read_as_tried(session: Session) -> None:
    assert type(parse_one("CAST('x' AS INT)", read="spark")) is exp.TryCast and SPARK.casts_are_tried
    for sql in ("SELECT CAST('x' AS INT) AS n", "SELECT CAST('infinity' AS DATE) AS n"):
        with pytest.raises(Exception, match=r".*"):
            session.query(sql)


def test_texts_that_are_tried_raise_for_none(session: Session) -> None:
    raise_for_none(session)


def raise_for_none(session: Session) -> None:
    """A whole number is what its letters say."""
    assert SPARK.has_try_cast and SPARK.tries_texts_alone
    for text, value in (
        *(("12", 12), (" +007\n", 7), ("-12", -12), ("0" * 60 + "7", 7), ("9" * 38, 10**38 - 1), ("9" * 39, None)),
        *(("", None), ("x", None), ("--1", None), ("0x1", None), ("1_0", None), ("\0", None), ("☃", None), ("-0", 0)),
    ):
        written = exp.Literal.string(text).sql("spark")
        assert first(session, f"SELECT TRY_CAST({written} AS DECIMAL(38, 0)) AS n") == value, text


def test_nulls_texts_and_clamps(session: Session) -> None:
    """What limits, keys and clips lean on."""
    for sql, value in (
        ("LEAST(NULL, 3)", 3),
        ("GREATEST(NULL, 3, CAST(5 AS DECIMAL(38, 0)))", 5),
        ("MD5('1|ä')", md5("1|ä".encode()).hexdigest()),
        ("LOCATE(CHR(0), 'ab')", 0),
        ("LENGTH('é☃')", 2),
        ("'B' < 'a' AND 'a' < 'ä' AND 'a' <> 'A'", True),
        ("ROUND(CAST(2.5 AS DECIMAL(10, 2)) * 1.0)", Decimal(3)),
        ("CAST(ROUND(CAST(-2.5 AS DECIMAL(10, 2)) * 1.0) AS BIGINT)", -3),
        ("CAST(CEIL(LN(CAST(GREATEST(1000, 1) AS DOUBLE)) * 11.541560327111707) AS INT)", 80),
    ):
        assert first(session, f"SELECT {sql} AS n") == value, sql


def test_what_the_record_says_of_values(session: Session) -> None:
    """Of what it says that others do not do, each time one that raises."""
    for sql in (
        "1D / NULLIF(x, 0) FROM (VALUES (CAST('-0.0' AS DOUBLE))) AS t(x)",
        "DATE_TRUNC('MONTH', x) FROM (VALUES (CAST('1600-01-01 00:00:00' AS TIMESTAMP_NTZ))) AS t(x)",
        "POWER(x, -1D) FROM (VALUES (CAST(0 AS DOUBLE))) AS t(x)",
        "SUM(x) FROM (SELECT CAST(5 AS BIGINT) DIV x AS x FROM (VALUES (0)) AS t(x))",
    ):
        with pytest.raises(Exception, match=r".*"):
            session.query(f"SELECT {sql}")
    for sql, value in (
        ("CEIL(x) FROM (VALUES (CAST('1e300' AS DOUBLE))) AS t(x)", 2**63 - 1),
        ("FLOOR(x) FROM (VALUES (CAST('-Infinity' AS DOUBLE))) AS t(x)", -(2**63)),
        ("DATE_TRUNC('MONTH', x) FROM (VALUES (CAST('1678-01-01 00:00:00' AS TIMESTAMP_NTZ))) AS t(x)", "1678-01-01"),
        ("DATE_TRUNC('YEAR', x) FROM (VALUES (CAST('2262-01-01 00:00:00' AS TIMESTAMP_NTZ))) AS t(x)", "2262-01-01"),
        ("DATEDIFF(DATE '9999-12-31', DATE '0001-01-01')", 3_652_058),
        *((f"TYPEOF({each}() OVER (ORDER BY 1))", "int") for each in ("ROW_NUMBER", "RANK", "DENSE_RANK")),
        ("TYPEOF(COUNT(*) OVER (ORDER BY 1))", "bigint"),
        ("CAST(9.999999999 AS DECIMAL(38, 18)) * CAST(0.000000001 AS DECIMAL(38, 18))", Decimal("9.999999999e-9")),
        ("CAST(1.00001 AS DECIMAL(38, 5)) > CAST(1 AS DECIMAL(38, 0))", True),
        ("TYPEOF(SUM(CAST(x AS DECIMAL(38, 2)))) FROM (VALUES (1)) AS t(x)", "decimal(38,2)"),
        (
            "UNIX_MICROS(CAST(CAST('0001-01-01 00:00:00.000001' AS TIMESTAMP_NTZ) AS TIMESTAMP))",
            1 - 62135596800 * 10**6,
        ),
        ("DATE_FORMAT(DATE '0001-02-03', 'yyyy.MM/dd HH:mm')", "0001.02/03 00:00"),
        *((f"TYPEOF(EXTRACT({each} FROM DATE '2020-01-01'))", "int") for each in ("YEAR", "DOY", "WEEK", "MONTH")),
        ("TYPEOF(LENGTH('a'))", "int"),
        ("TYPEOF(FLOOR(1.5D))", "bigint"),
        *((f"TYPEOF(SIGN({each}))", "double") for each in ("CAST(-2 AS SMALLINT)", "5", "7L", "1.5", "1.5D")),
        ("POWER(CAST('-Infinity' AS DOUBLE), 0.5D)", math.inf),
        ("LOG10(1000D)", 3.0),
        ("SHA2('abc', 256)", sha256(b"abc").hexdigest()),
    ):
        found = first(session, f"SELECT {sql}")
        assert (str(found)[:10] if isinstance(value, str) and "-" in value else found) == value, sql


def test_the_dialect_has_no_more_than_the_record() -> None:
    around = {"Identifier", "Paren", "Var", "DataType", "DataTypeParam", "Star", "Tuple", "If"}
    around |= {"RegexpLike", "RegexpReplace", "Escape"}  # which are written as others
    around |= {"Distinct"}  # of what is counted, which each engine has
    has = {kind.__name__ for kind in vars(exp).values() if isinstance(kind, type) and dialect_of("spark").has(kind)}
    assert has <= SPARK.nodes | around


def test_texts_are_written_for_a_path(tmp_path: Path) -> None:
    assert dialect_of("spark").written(exp.column("a b", quoted=True)) == "`a b`"

"""The checker proves that expressions raise for no row: all that are generated, and none that an engine raises for."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

import duckdb
import psycopg
import pytest
import sqlglot
from expression_world import (
    _NUMBERS,
    COLUMNS,
    IN_POSTGRES,
    SCOPE,
    anything,
    called,
    engine,
    engine_text,
    fill_postgres,
    parse,
)
from hypothesis import HealthCheck, Phase, given, settings
from lanes import sized
from scratch_postgres import MAJORS, scratch_postgres
from sqlglot import exp

from dpproxy.catalog.types import parse_type
from dpproxy.errors import DPProxyError
from dpproxy.rewrite.checker.columns import of_column
from dpproxy.rewrite.checker.engines import facts_of
from dpproxy.rewrite.checker.fault import CheckFault
from dpproxy.rewrite.checker.held import Held
from dpproxy.rewrite.checker.total import Total
from dpproxy.rewrite.expressions import total

DIALECTS = ("duckdb", "postgres")
SCOPES = {"duckdb": SCOPE, "postgres": IN_POSTGRES}


def proved(sql: str, dialect: str) -> Held:
    """What is proved of a text over the columns of the expressions' world. Raises CheckFault."""
    columns = {column.name: of_column(column.type, facts_of(dialect)) for column in COLUMNS}
    return Total(lambda node: columns[node.name], facts_of(dialect))(sqlglot.parse_one(sql, read=dialect))


def unproved(text: str, dialect: str) -> str | None:
    """Why the checker does not prove what the rewriter makes of a text; "" if it does, None if nothing is made."""
    try:
        sql = engine_text(total(parse(text), SCOPES[dialect]).sql, dialect)
    except DPProxyError:
        return None
    try:
        proved(sql, dialect)
    except CheckFault as fault:
        return fault.reason
    return ""


@pytest.mark.larger
@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_is_generated_is_proved(dialect: str) -> None:
    """The proof is of its own making, and still finds what the rewriter found: one in some thousands it does not."""
    seen, missed = 0, list[str]()

    @settings(
        max_examples=sized(50, 150, 1500),
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(anything())
    def hunt(text: str) -> None:
        nonlocal seen
        reason = unproved(text, dialect)
        seen += reason is not None
        if reason:
            missed.append(f"{reason}: {text}")

    hunt()
    assert seen > sized(33, 100, 1000)
    assert len(missed) <= sized(1, 1, 5), missed


def ordinary() -> Iterator[str]:
    """Numbers of all types with each other, and what people ask of them."""
    numbers, more = _NUMBERS, ("2.5", "3", "1e30", "CAST(y AS REAL)")
    yield from (f"{a} {op} {b}" for a in numbers for b in (*numbers, *more) for op in "+-*/%")
    few = ("r", "x", "n", "y")
    yield from (f"{a} {op} {b} {last} {c}" for a in few for b in few for c in few for op in "+*/" for last in "*/-")
    names = ("abs", "round", "floor", "ceil", "trunc", "sign", "sqrt", "ln", "exp", "log", "cbrt", "degrees", "-")
    yield from (f"{name}({a})" for a in numbers for name in names)
    yield from (f"power({a}, {power})" for a in numbers for power in ("2", "3", "-1", "0.5", "0", "1.5", "-2"))
    yield from (f"{name}({a}, {b})" for a in numbers for b in few for name in ("greatest", "coalesce", "nullif", "div"))
    types = (
        "smallint",
        "bigint",
        "numeric",
        "numeric(10,2)",
        "numeric(38,5)",
        "numeric(2,2)",
        "float8",
        "real",
        "text",
    )
    mixed = (*numbers, "y * r", "r * r", "n * n", "y * 1e300")
    yield from (f"CAST({a} AS {name})" for a in mixed for name in types)
    yield from (f"CAST(v AS numeric({digits},{scale}))" for digits in (4, 37, 38) for scale in range(digits + 1))


@pytest.mark.parametrize("dialect", ["duckdb", pytest.param("postgres", marks=pytest.mark.long)])
def test_what_is_ordinary_is_proved(dialect: str) -> None:
    """None of it may be refused by the checker alone: that would be an internal error."""
    seen, missed = 0, list[str]()
    for text in ordinary():
        reason = unproved(text, dialect)
        seen += reason is not None
        if reason:
            missed.append(f"{reason}: {text}")
    assert seen > 2000
    assert missed == []


# Expressions, and what of them raises for some row.
RAISING = {
    "duckdb": {
        "i4 + 1": "could overflow",
        "i8 * 2": "could overflow",
        "-i8": "a sign could overflow",
        "ABS(i4)": "ABS could overflow",
        "CAST(i8 AS INT)": "no room in a integer",
        "CAST(x AS BIGINT)": "no room in a bigint",
        "CAST(y AS DECIMAL(10, 2))": "no room in a decimal",
        "CAST(y AS REAL)": "no room in a real",
        "CAST(v AS INT)": "could be no integer",
        "CAST(v AS DATE)": "could be no date",
        "CAST(CASE WHEN REGEXP_MATCHES(v, '^[0-9]*$') THEN v END AS BIGINT)": "could be no bigint",
        "CAST(e AS TIMESTAMP)": "too far off",
        "e + 1": "no range is known",
        "e - d": "no known range",
        "ts + INTERVAL '1' DAY": "no range is known",
        "DATE_TRUNC('month', e)": "too far off",
        "LN(x)": "0 or less",
        "LN(ABS(x))": "0 or less",
        "SQRT(x)": "less than 0",
        "wide * wide": "could overflow",
        "huge + 1": "could overflow",
        "v = 1": "a text beside a integer",
        "v IN ('a', 2)": "a text beside a integer",
        "v IN ()": "a list of no members",
        "CASE WHEN ok THEN v ELSE i4 END": "a text beside a integer",
        "v AND ok": "no boolean",
        "CHR(i4)": "no letter",
        "REPEAT(v, i4)": "without end",
        "REGEXP_MATCHES(v, v)": "no constant",
        "v LIKE 'a!' ESCAPE '!'": "ends in its escape",
        "v LIKE v": "a pattern of any length",
        "v LIKE LEFT(v, -1) ESCAPE ''": "a pattern of any length",
        "v LIKE LEFT(v, 9) ESCAPE '!'": "no constant, with an escape",
        "LEFT(v, i8)": "no known range",
        "i8 // NULLIF(i8, 0)": "could overflow",
        "i4 // i8": "what could be 0",
        "i4 % 0": "what could be 0",
        "x / y": "what could be 0",
        "CAST('x' AS DATE)": "no date",
        "CAST('300' AS SMALLINT) * 200": "could overflow",
    },
    "postgres": {
        "i4 / i2": "what could be 0",
        "i4 / NULLIF(i4 - 1, 0)": "could overflow",
        "i4 % i2": "what could be 0",
        "x / y": "what could be 0",
        "x / NULLIF(y, 0)": "could overflow",
        "x + y": "could overflow",
        "x * 2.0": "could overflow",
        "EXP(x)": "leave its range",
        "POWER(x, CAST('2.0' AS DOUBLE PRECISION))": "no known range",
        "POWER(i4, CAST('0.5' AS DOUBLE PRECISION))": "less than 0",
        "CAST(n AS BIGINT)": "could be NaN",
        "CAST(x AS REAL)": "no room in a real",
        "SUBSTRING(v FROM 1 FOR i4)": "less than 0",
        "SPLIT_PART(v, '-', i4)": "could be 0",
        "CHR(0)": "no letter",
        "v LIKE v ESCAPE ''": "a pattern of any length",
        "v ILIKE LEFT(v, 5000) ESCAPE ''": "a pattern of any length",
        "v LIKE LEFT(v, 9)": "end in its escape",
        "v LIKE LEFT(v, 9) ESCAPE '!!'": "no constant letter",
        "CAST(EXTRACT(YEAR FROM e) AS BIGINT)": "no room in a bigint",
        "LOG(CASE WHEN n > 0 THEN n END, 5)": "a base that could be 1",
        "CAST('1e131071' AS DECIMAL) * n": "a decimal could overflow",
        "CAST('1e999' AS DECIMAL) * n": "a decimal could overflow",
        "ts AT TIME ZONE 'Asia/Tokyo'": "no known range",
        "ts AT TIME ZONE 'Mars/Olympus'": "may not know",
        "EXTRACT(HOUR FROM ts AT TIME ZONE 'UTC')": "a field of a timestamp with time zone",
        "CAST(CASE WHEN COALESCE(CASE WHEN OCTET_LENGTH(v) < 9 THEN v END, '5') ~ '^[\\t-\\r ]*[\\+\\-]?0*[0-9]{1,38}"
        "[\\t-\\r ]*$' THEN COALESCE(v, '5') END AS DECIMAL(38, 0))": "could be no decimal",
    },
}
# The same with what keeps them from it.
KEPT = {
    "duckdb": (
        "CAST(i4 AS BIGINT) + 1",
        "CASE WHEN i8 BETWEEN -9 AND 9 THEN i8 * 2 END",
        "CASE WHEN i8 > -9 THEN CASE WHEN i8 > 9 THEN 9 ELSE i8 END * 2 END",
        "CAST(CASE WHEN x BETWEEN 0 AND 9 THEN x END AS BIGINT)",
        "CASE WHEN x > 0 THEN LN(x) END",
        "CASE WHEN NOT x <= 0 THEN LN(x) END",
        "SQRT(ABS(x))",
        "TRY_CAST(v AS INT)",
        "x / NULLIF(y, 0)",
        "i4 % 7",
        "CASE WHEN e BETWEEN CAST('2000-01-01' AS DATE) AND CAST('2030-01-01' AS DATE) THEN e + 1 END",
        "CHR(65)",
        "v LIKE LEFT(v, 9)",
    ),
    "postgres": (
        "i2 / NULLIF(CAST(i4 AS BIGINT), 0)",
        "CASE WHEN i4 > 0 THEN i2 / i4 END",
        "CASE WHEN x BETWEEN 1 AND 9 THEN x / CAST('2.0' AS DOUBLE PRECISION) END",
        "x + 1.0",
        "CAST(NULLIF(n, CAST('NaN' AS DECIMAL)) AS BIGINT)",
        "CASE WHEN n < 5.5 THEN CASE WHEN n > 0 THEN CAST(n AS INT) END END",
        "n * n * n * n * n",
        "LOG(2, CASE WHEN n > 0 THEN n END)",
        "EXTRACT(HOUR FROM ts AT TIME ZONE 'UTC' AT TIME ZONE 'UTC')",
        "CASE WHEN ts BETWEEN CAST('2000-01-01' AS TIMESTAMP) AND CAST('2030-01-01' AS TIMESTAMP) THEN ts END"
        " AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo'",
        "NOT (v ILIKE LEFT(v, 9) ESCAPE '')",
        "FLOAT8SMALLER(FLOAT8LARGER(x, CAST('-9.0' AS DOUBLE PRECISION)), CAST('9.0' AS DOUBLE PRECISION)) + 1.0",
        "POWER(CASE WHEN x BETWEEN -8 AND 8 THEN CASE WHEN ABS(x) < CAST('0.125' AS DOUBLE PRECISION)"
        " THEN CAST('0.0' AS DOUBLE PRECISION) ELSE x END END, 300)",
        "CASE WHEN NOT ABS(x) < CAST('1e-300' AS DOUBLE PRECISION) AND ABS(x) < 9 THEN x END"
        " * CAST(NULLIF(rate, CAST('NaN' AS DECIMAL)) AS DOUBLE PRECISION)",
    ),
}


@pytest.mark.parametrize(("dialect", "sql"), [(dialect, sql) for dialect in DIALECTS for sql in RAISING[dialect]])
def test_what_raises_is_refused(dialect: str, sql: str) -> None:
    with pytest.raises(CheckFault, match=RAISING[dialect][sql]):
        proved(sql, dialect)


@pytest.mark.parametrize(("dialect", "sql"), [(dialect, sql) for dialect in DIALECTS for sql in KEPT[dialect]])
def test_what_is_kept_from_it_is_proved(dialect: str, sql: str) -> None:
    proved(sql, dialect)


def unguarded(sql: str, dialect: str) -> str:
    """A text without its guards: CASE WHEN … THEN x END is x."""
    tree = sqlglot.parse_one(f"SELECT {sql}", read=dialect)
    for case in list(tree.find_all(exp.Case))[::-1]:
        if case.args.get("default") is None:
            case.replace(case.args["ifs"][-1].args["true"])
    return tree.expressions[0].sql(dialect=dialect)


def raises(connection: duckdb.DuckDBPyConnection | psycopg.Connection, sql: str) -> bool:
    try:
        connection.execute(f"SELECT {sql} FROM t").fetchall()  # type: ignore[call-overload]
    except (duckdb.Error, psycopg.Error):
        return True
    return False


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_function_without_its_guard_is_refused_where_it_raises(
    dialect: str, duck: duckdb.DuckDBPyConnection, postgres: psycopg.Connection
) -> None:
    """Of each function of one double or one text, over rows of extremes: what is proved raises for none."""
    connection = {"duckdb": duck, "postgres": postgres}[dialect]
    calls = [f"{name}(y)" for name in called("double precision → double precision")]
    calls += [f"{name}(v)" for name in called("text → text")]
    refused = set()
    for call in calls:
        try:
            sql = unguarded(engine_text(total(parse(call), SCOPES[dialect]).sql, dialect), dialect)
        except DPProxyError:
            continue
        if raises(connection, sql):
            with pytest.raises(CheckFault):
                proved(sql, dialect)
            refused.add(call)
    # Of an older DuckDB these raise, too.
    assert dialect == "duckdb" or {"sqrt(y)", "ln(y)", "log10(y)"} <= refused


def strays(value: object, held: Held) -> bool:
    """Whether a number lies where it is not held to be."""
    if value is None or isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return False
    if isinstance(value, float | Decimal) and math.isnan(value):
        return not (held.nan or held.most is None)
    if isinstance(value, float) and math.isinf(value):
        return value < 0 if held.least is not None else held.most is not None
    below = held.least is not None and value < held.least
    small = isinstance(value, float) and 0 < abs(value) < Fraction(2) ** held.fine
    return below or small or (held.most is not None and value > held.most)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_values_lie_where_the_checker_says(
    dialect: str, duck: duckdb.DuckDBPyConnection, postgres: psycopg.Connection
) -> None:
    """Of each function of one or two doubles, of text as a number, over rows of extremes: its range is one."""
    connection = {"duckdb": duck, "postgres": postgres}[dialect]
    calls = [f"{name}({side})" for name in called("double precision → double precision") for side in ("x", "y")]
    calls += [f"{name}(x, y)" for name in called("double precision, double precision → double precision")]
    calls += [f"{name}(v)" for name in called("text → integer")]
    found = []
    for call in calls:
        try:
            sql = engine_text(total(parse(call), SCOPES[dialect]).sql, dialect)
        except DPProxyError:
            continue
        held = proved(sql, dialect)
        rows = connection.execute(f"SELECT {sql} FROM t").fetchall()  # type: ignore[call-overload]
        found += [(call, value, held) for (value,) in rows if strays(value, held)]
    assert found == []


# Of a numeric of any digits, which no cast makes a double.
UNLIMITED = (
    "CAST(n AS DOUBLE PRECISION)",
    "CAST(CASE WHEN n BETWEEN -10 AND 10 THEN n END AS DOUBLE PRECISION)",
    "CAST(CASE WHEN n BETWEEN -10 AND 10 THEN n END * 1.5 AS DOUBLE PRECISION)",
    "CAST(COALESCE(n, 5) AS DOUBLE PRECISION)",
    "CAST(SUM(n) AS DOUBLE PRECISION)",
)


@pytest.mark.parametrize("sql", UNLIMITED)
def test_a_numeric_of_any_digits_is_no_double(sql: str, postgres: psycopg.Connection) -> None:
    held = of_column(parse_type("numeric"), facts_of("postgres"))
    with pytest.raises(CheckFault, match=r"no room in a double|could underflow"):
        Total(lambda _: held, facts_of("postgres"))(sqlglot.parse_one(sql, read="postgres"))
    with pytest.raises(psycopg.errors.NumericValueOutOfRange):
        rows = "(VALUES (1e-400), (1e400)) AS t(n)"
        postgres.execute(f"SELECT {sql} FROM {rows}").fetchall()  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def duck() -> Iterator[duckdb.DuckDBPyConnection]:
    yield engine()


@pytest.fixture(scope="module")
def postgres() -> Iterator[psycopg.Connection]:
    with (
        scratch_postgres(list(MAJORS.values())[-1]) as server,
        psycopg.connect(server.conninfo, autocommit=True) as made,
    ):
        fill_postgres(made)
        yield made


def test_what_is_proved_raises_in_no_engine(duck: duckdb.DuckDBPyConnection, postgres: psycopg.Connection) -> None:
    """Over rows of extremes."""
    for sql in KEPT["duckdb"]:
        duck.execute(f"SELECT {sql} FROM t").fetchall()
    for sql in KEPT["postgres"]:
        postgres.execute(f"SELECT {sql} FROM t").fetchall()  # type: ignore[arg-type]


@pytest.mark.parametrize("around", ["(({}) + 1.5e300) - 1.5e300", "CASE WHEN {} BETWEEN 0 AND 9 THEN 1 ELSE 2 END + 0"])
def test_each_part_is_proved_once_however_deep_it_stands(around: str) -> None:
    asked: list[exp.Expr] = []
    number = of_column(parse_type("integer"), facts_of("postgres"))

    def leaf(node: exp.Expr) -> Held:
        asked.append(node)
        return number

    text = "x"
    for _ in range(12):
        text = f"({around.format(text)})"
    Total(leaf, facts_of("postgres"))(sqlglot.parse_one(text, read="postgres"))
    assert len(asked) == 1


def test_what_is_known_in_a_branch_is_not_known_outside() -> None:
    with pytest.raises(CheckFault, match="division by what could be 0"):
        proved("CASE WHEN i4 <> 0 THEN 1 / i4 ELSE 2 / i4 END", "postgres")

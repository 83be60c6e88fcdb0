"""Engines by their facts: a record each, which the engine itself bears out, and none without one."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from pathlib import Path
from string import Template

import duckdb
import numpy
import psycopg
import pytest
from scratch_postgres import MAJORS, scratch_postgres
from sqlglot import exp, parse_one
from worlds import TERMS

from dpproxy.catalog.policy import Catalog, Table, TableColumn, Unit
from dpproxy.catalog.types import Family, parse_type
from dpproxy.engines import dialects
from dpproxy.engines.dialects import UnknownEngine
from dpproxy.engines.duckdb.driver import DuckDBEngine
from dpproxy.engines.duckdb.schema import postgres_type
from dpproxy.engines.postgres.driver import PostgresEngine
from dpproxy.engines.spark.driver import SparkEngine
from dpproxy.plan.private_plan import Plan
from dpproxy.rewrite import Question, plan_statement
from dpproxy.rewrite.checker import check_plan, engines
from dpproxy.rewrite.checker.columns import of_column
from dpproxy.rewrite.checker.engines import Facts, facts_of
from dpproxy.rewrite.checker.families import EXACT_NUMBERS, family
from dpproxy.rewrite.checker.fault import CheckFault
from dpproxy.rewrite.checker.held import WHOLE, Held, Kind, whole
from dpproxy.rewrite.checker.nodes import NAMED
from dpproxy.rewrite.checker.total import Total
from dpproxy.rewrite.settings import Settings

CHECKER = Path(engines.__file__).parents[1]
ENGINES = ("duckdb", "postgres")
"""Spark's record is tried in tests/spark/test_spark_checker.py."""
PEOPLE = Table(
    "people",
    (TableColumn("id", parse_type("bigint")),),
    unit="person",
    unit_key="id",
    unique=frozenset({("id",)}),
    max_rows_per_unit=100,
    max_groups_per_unit=8,
)
CATALOG = Catalog({"people": PEOPLE}, {"person": Unit("person", "people", "id")})


def planned(sql: str, dialect: str) -> Plan:
    question = Question(sql, (), (), Settings(Decimal("0.5")), {name: name for name in CATALOG.tables})
    return plan_statement(question, CATALOG, TERMS, dialect)


SQL = "SELECT count(*) FROM people"


def test_every_engine_has_a_driver_a_dialect_and_a_record_of_facts() -> None:
    drivers = {DuckDBEngine.dialect, PostgresEngine.dialect, SparkEngine.dialect}
    assert drivers == dialects.folders() == engines.records() == {*ENGINES, "spark"}


def test_an_engine_without_a_dialect_is_refused_by_the_planner() -> None:
    with pytest.raises(UnknownEngine, match="no dialect is known of the engine mysql"):
        planned(SQL, "mysql")


@pytest.mark.parametrize("sql", [SQL, "SELECT 1 AS one"])
def test_a_dialect_alone_makes_no_engine(sql: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """DuckDB's dialect registered as `mysql`, of which sqlglot knows how to write texts: they would be neither's."""
    mine = replace(dialects.dialect_of("duckdb"), name="mysql")
    monkeypatch.setitem(dialects._REGISTERED, "mysql", mine)
    with pytest.raises(CheckFault, match="nothing is known of the engine mysql"):
        check_plan(planned(sql, "duckdb"), CATALOG, "mysql", TERMS.accounting)
    if sql is SQL:
        with pytest.raises(CheckFault, match="nothing is known of the engine mysql"):
            planned(sql, "mysql")


def test_a_record_that_goes_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned(SQL, "postgres")
    check_plan(plan, CATALOG, "postgres", TERMS.accounting)
    monkeypatch.setattr(engines, "_FACTS", {"duckdb": facts_of("duckdb")})
    monkeypatch.setattr(engines, "records", lambda: frozenset({"duckdb"}))
    with pytest.raises(CheckFault, match="nothing is known of the engine postgres"):
        check_plan(plan, CATALOG, "postgres", TERMS.accounting)


@pytest.mark.parametrize("fact", [field.name for field in fields(Facts)])
def test_a_record_answers_every_question(fact: str) -> None:
    answers = {field.name: getattr(facts_of("duckdb"), field.name) for field in fields(Facts)}
    del answers[fact]
    with pytest.raises(TypeError, match=fact):
        Facts(**answers)


def test_every_fact_says_what_it_means() -> None:
    (record,) = (
        node for node in ast.parse((CHECKER / "engines/facts.py").read_text()).body if type(node) is ast.ClassDef
    )
    body = record.body[1:]
    for field, meaning in zip(body[::2], body[1::2], strict=True):
        assert isinstance(field, ast.AnnAssign) and isinstance(meaning, ast.Expr), ast.unparse(field)
        assert field.value is None, f"{ast.unparse(field)} has a default"


@pytest.mark.parametrize("fact", [field.name for field in fields(Facts)])
def test_every_fact_is_asked(fact: str) -> None:
    texts = [path.read_text() for path in CHECKER.glob("*.py")]
    assert any(f"engine.{fact}" in text for text in texts) or fact == "name"


def test_a_sum_of_what_has_no_sum_is_refused() -> None:
    with pytest.raises(CheckFault, match="a sum of a text"):
        Total(lambda _: Held(Kind.TEXT), facts_of("duckdb"))(exp.Sum(this=exp.column("x")))


def test_a_sum_of_rounded_whole_numbers_is_whole() -> None:
    for rounded, least, most in (("ROUND(x, -1)", -10, 20), ("ROUND(x)", -7, 12), ("TRUNC(x, -1)", 0, 10)):
        at = Total(lambda _: Held(Kind.INTEGER, -7, 12), facts_of("duckdb"))
        found = at(parse_one(rounded, read="duckdb"))
        assert (found.kind, found.least, found.most) == (Kind.INTEGER, min(least, 0), most), rounded
        assert at(parse_one(f"SUM({rounded})", read="duckdb")).kind is Kind.HUGEINT
        whole = parse_one(f"SUM({rounded})", read="duckdb")
        assert family(whole, lambda _: Family.INTEGER, facts_of("duckdb")) is Family.INTEGER
        assert family(whole, lambda _: Family.INTEGER, facts_of("postgres")) is None


# What the engines themselves do


@dataclass(frozen=True, slots=True)
class Engine:
    """An engine that expressions are tried in."""

    facts: Facts
    first: Callable[[str], object]
    typed: str

    def __call__(self, expression: str) -> object:
        return self.first(f"SELECT {expression}")

    def raises(self, expression: str) -> bool:
        try:
            self(expression)
        except (duckdb.Error, psycopg.Error):
            return True
        return False

    def kind(self, expression: str) -> Kind:
        """The kind of a value, by the name of its type."""
        name = str(self(f"CAST({self.typed}({expression}) AS TEXT)")).partition("(")[0].lower()
        return Kind({"numeric": "decimal", "double precision": "double"}.get(name, name))


@pytest.fixture(scope="module")
def tried() -> Iterator[Mapping[str, Engine]]:
    with (
        scratch_postgres(list(MAJORS.values())[-1]) as server,
        psycopg.connect(server.conninfo, autocommit=True) as there,
        duckdb.connect() as here,
    ):

        def asked(sql: str) -> object:
            row = here.execute(sql).fetchone()
            assert row is not None
            return row[0]

        def asked_there(sql: str) -> object:
            row = there.execute(sql.encode()).fetchone()
            assert row is not None
            return row[0]

        yield {
            "duckdb": Engine(facts_of("duckdb"), asked, "typeof"),
            "postgres": Engine(facts_of("postgres"), asked_there, "pg_typeof"),
        }


MENDED = {("duckdb", "whole_modulo_overflows")}
"""What older versions that are supported raise for, and newer ones do not: DuckDB before 2.0.1."""
NINES = f"CAST('{'9' * 38}' AS DECIMAL(38,0))"
LARGE = {"duckdb": NINES, "postgres": f"CAST('{'9' * 400}' AS NUMERIC)"}
RAISED_FOR: Mapping[str, str] = {
    "float_overflows": "CAST('1e308' AS FLOAT8) * CAST(10 AS FLOAT8)",
    "float_cast_underflows": "CAST(CAST('1e-60' AS FLOAT8) AS REAL)",
    "power_raises": "POWER(CAST(-8 AS FLOAT8), CAST('0.5' AS FLOAT8))",
    "decimal_overflows": f"{NINES} + {NINES}",
    "decimals_compared_in_one": f"{NINES} > CAST('0.1' AS DECIMAL(38,37))",
    "whole_modulo_overflows": "CAST(-2147483648 AS INTEGER) % CAST(-1 AS INTEGER)",
    "negative_length_raises": "SUBSTRING('abc', 1, -1)",
    "split_part_zero_raises": "SPLIT_PART('a-b', '-', 0)",
}
"""Where a fact holds, the engine raises for this; where it does not, not."""
HAS: Mapping[str, str] = {
    "float_has_modulo": "CAST(3 AS FLOAT8) % CAST(2 AS FLOAT8)",
    "decimal_without_limits": f"CAST('{'9' * 400}' AS NUMERIC)",
    "decimal_may_be_nan": "CAST('NaN' AS NUMERIC)",
    "has_try_cast": "TRY_CAST('x' AS INTEGER)",
    "text_holds_nul": "CHR(0)",
    "days_are_endless": "CAST(CAST('infinity' AS DATE) AS TEXT)",
    "decimals_beside_floats": "CAST(12.5 AS DECIMAL(10,2)) < CAST('NaN' AS FLOAT8)",
}
"""Where a fact does not hold, the engine raises for this; where it does, not."""
TYPED: Mapping[str, tuple[str, Kind, Kind]] = {
    "division_is_float": ("1 / 2", Kind.DOUBLE, Kind.INTEGER),
    "mean_is_decimal": ("AVG(1)", Kind.DECIMAL, Kind.DOUBLE),
    "rests_are_float": ("CAST(7 AS DECIMAL(38,0)) % CAST('0.1' AS DECIMAL(38,37))", Kind.DOUBLE, Kind.DECIMAL),
    "long_numbers_are_float": ("1e3", Kind.DOUBLE, Kind.DECIMAL),
}
"""Of an expression, the kind where a fact holds, and where it does not."""
ALONE = {
    "name", "float_cast_of_decimal_overflows", "round_adds_places", "sum_types",
    "sign_types", "floats_of_whole", "length_type", "functions", "wide", "digest_below", "hashed",
    "casts_are_tried", "sums_in", "nodes", "decimals_are_divided", "choices_keep_places", "place_type",
    "text_takes_type_beside", "tried_alone", "moments_are_cast", "tries_texts_alone",
    "like_escape", "first_day", "last_day", "field_type", "arrays_in_text", "times_are_called", "zero_has_a_sign",
    "whole_of_floats", "like_escapes_wildcards_alone", "drawn", "first_truncated", "last_truncated", "shares_rows",
    "sums_have_bits", "adds_in_doubles", "ranks_need_an_order", "arrays_have_places",
}  # fmt: skip
"""Tried in a test of their own."""


def test_texts_of_these_are_read_as_they_are_run(tried: Mapping[str, Engine]) -> None:
    """A cast is one, sums have room by themselves, all kinds of nodes are known, and products keep their places."""
    for name, engine in tried.items():
        assert type(parse_one("CAST(x AS INT)", read=name)) is exp.Cast and not engine.facts.casts_are_tried
        assert not engine.facts.tries_texts_alone and not engine.facts.moments_are_cast
        rows = "(SELECT SUM(x) FROM (VALUES (9223372036854775807), (9223372036854775807)) AS t(x))"
        assert engine(rows) == 2 * (2**63 - 1) and not engine.facts.sums_in and not engine.facts.nodes
        product = "CAST('0.123456789' AS DECIMAL(18,9)) * CAST('0.000000001' AS DECIMAL(18,9))"
        assert Decimal(str(engine(product))) == Decimal("0.123456789e-9")


def test_forms_that_spark_alone_has_others_of(tried: Mapping[str, Engine]) -> None:
    """A zero with a sign is 0, a whole number of a double is one, fields have a type, and moments are cut far away."""
    for name, engine in tried.items():
        assert engine("NULLIF(CAST('-0.0' AS FLOAT8), 0)") is None and not engine.facts.zero_has_a_sign
        assert {engine.kind(f"{call}(CAST(1.5 AS FLOAT8))") for call in ("FLOOR", "CEIL")} == {Kind.DOUBLE}
        assert engine.facts.whole_of_floats == frozenset()
        assert engine.kind("ROW_NUMBER() OVER ()") is engine.facts.place_type
        chosen = "CASE WHEN 1 = 1 THEN CAST(0.00001 AS DECIMAL(10,5)) ELSE CAST(1 AS DECIMAL(38,4)) END"
        assert (Decimal(str(engine(chosen))) == Decimal("0.00001")) is engine.facts.choices_keep_places
        assert engine.kind("EXTRACT(year FROM DATE '2000-01-01')") is engine.facts.field_type
        assert not engine.raises("'ab' LIKE 'a\\b'") and not engine.facts.like_escapes_wildcards_alone
        assert (engine.facts.first_truncated, engine.facts.last_truncated) == (
            engine.facts.first_day,
            engine.facts.last_day,
        )
        for year in ("0001", "9999"):
            assert not engine.raises(f"DATE_TRUNC('month', TIMESTAMP '{year}-02-03')")
        assert not engine.raises("DATE '2000-01-02' - DATE '2000-01-01' + 1"), name
        assert not engine.facts.times_are_called and not engine.facts.arrays_in_text
        assert engine.facts.drawn == facts_of("duckdb").drawn


def test_the_first_value_of_an_array_is_at_its_first_place(tried: Mapping[str, Engine]) -> None:
    """Of an array with none it is NULL. Postgres has no such text, since it has no need of it."""
    for name, engine in tried.items():
        if engine.facts.arrays_have_places:
            assert name == "duckdb"
            assert engine("CAST([7, 8] AS BIGINT[])[1]") == 7 and engine("CAST([] AS BIGINT[])[1]") is None
            assert engine("CAST(NULL AS BIGINT[])[1]") is None


def test_every_fact_is_tried() -> None:
    assert {*RAISED_FOR, *HAS, *TYPED, *ALONE} == {field.name for field in fields(Facts)}


NARROW = {
    "TINYINT": "100",
    "UTINYINT": "200",
    "USMALLINT": "60000",
    "UINTEGER": "4000000000",
    "UBIGINT": "10" + 18 * "0",
}


@pytest.mark.parametrize("kind", NARROW)
def test_narrow_whole_numbers_overflow_as_they_are_and_fit_into_a_wider_type(kind: str) -> None:
    """All of a type's numbers are in the wider one, of which Postgres has the same sums."""
    read = postgres_type(kind)
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t AS SELECT CAST({NARROW[kind]} AS {kind}) AS x")
        with pytest.raises(duckdb.Error):
            connection.execute(
                "SELECT x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x FROM t"
            )
        ends = "SELECT CAST(~(CAST(0 AS {0})) AS {0}), CAST(0 AS {0})" if kind[0] == "U" else "SELECT -128, 127"
        for end in connection.execute(ends.format(kind)).fetchone() or ():
            found = connection.execute(f"SELECT TRY_CAST(CAST({end} AS {kind}) AS {read})").fetchone()
            assert found == (end,)


def test_what_is_tried_alone_raises_where_it_is_cast() -> None:
    """Seconds that microseconds have no room for, as they come from files: a cast raises, TRY_CAST gives NULL."""
    beyond = {"TIMESTAMP_S": (4 * 10**15, "s"), "TIMESTAMP_MS": (2**63 - 2, "ms")}
    assert facts_of("postgres").tried_alone == frozenset()
    assert facts_of("duckdb").tried_alone == {*beyond, "TIMESTAMP_NS", *NARROW}
    for kind, (value, unit) in beyond.items():
        with duckdb.connect() as connection:
            connection.register("given", {"x": numpy.array([value], dtype="int64").view(f"datetime64[{unit}]")})
            connection.execute(f"CREATE TABLE t AS SELECT CAST(x AS {kind}) AS x FROM given")
            assert connection.execute("SELECT TRY_CAST(x AS TIMESTAMP) FROM t").fetchall() == [(None,)]
            with pytest.raises(duckdb.Error):
                connection.execute("SELECT CAST(x AS TIMESTAMP) FROM t").fetchall()


@pytest.mark.parametrize("name", ENGINES)
def test_squares_are_exact_in_the_wide_type(name: str, tried: Mapping[str, Engine]) -> None:
    wide, most = facts_of(name).wide, 2**45
    found = tried[name](f"(SELECT SUM(CAST(x AS {wide}) * x) FROM (VALUES ({most}), (-{most}), (1)) AS t(x))")
    assert int(str(found)) == 2 * most**2 + 1


@pytest.mark.parametrize("name", ENGINES)
def test_shared_rows_are_made_once(name: str, tried: Mapping[str, Engine]) -> None:
    """Of what is drawn anew wherever it is made, and of numbers, each row has one, in an order that nobody has said."""
    drawn = "SELECT x, RANDOM() AS y, ROW_NUMBER() OVER () AS r FROM GENERATE_SERIES(1, 5000) AS t(x)"
    joined = "SELECT COUNT(*) AS n FROM a AS a JOIN (SELECT x, MIN(y) AS y, MIN(r) AS r FROM a AS a GROUP BY x) AS g"
    same = f"{joined} ON a.x = g.x WHERE a.y = g.y AND a.r = g.r"
    assert facts_of(name).shares_rows
    assert tried[name](f"(SELECT n FROM (WITH a AS MATERIALIZED ({drawn}) {same}) AS t)") == 5000


@pytest.mark.parametrize("rank", ["ROW_NUMBER()", "RANK()", "NTILE(2)", "CUME_DIST()", "LAG(x)"])
@pytest.mark.parametrize("name", ENGINES)
def test_ranks_need_no_order(name: str, rank: str, tried: Mapping[str, Engine]) -> None:
    """Spark's do: tests/spark/test_real_spark.py."""
    assert not facts_of(name).ranks_need_an_order
    window = f"SELECT {rank} OVER (PARTITION BY x) FROM (VALUES (1)) AS t(x)"
    assert tried[name](f"(SELECT COUNT(*) FROM ({window}) AS r)") == 1


@pytest.mark.parametrize("name", ENGINES)
def test_bits_of_sums_are_told_where_they_are(name: str, tried: Mapping[str, Engine]) -> None:
    """Of the largest and the least that so many bigints add up to, and of what is below 0."""
    if not facts_of(name).sums_have_bits:
        return
    most, low = 2**63 - 1, 2**31 - 1
    for added in ([1], [0], [-1], [most] * 3, [-most - 1] * 3, [2**62, 2**31, 2**31, 1, 1, 1]):
        values = ", ".join(f"({each})" for each in added)
        summed = f"(SELECT SUM(CAST(x AS BIGINT)) FROM (VALUES {values}) AS t(x))"
        for bits in (0, 31, 62, 127):
            found = tried[name](f"CAST(({summed} >> {bits}) & {low} AS BIGINT)")
            assert found is not None and 0 <= int(str(found)) <= low
            assert sum(added) < 0 or int(str(found)) == (sum(added) >> bits) & low
        assert tried[name](f"CAST({summed} & 0 AS BIGINT)") == 0
        assert tried[name](f"CAST(CAST({added[0]} AS BIGINT) & 0 AS BIGINT)") == 0


@pytest.mark.parametrize("name", ENGINES)
def test_digests_are_in_order(name: str, tried: Mapping[str, Engine]) -> None:
    """Of SHA-256's digits, before those that begin it and after those that are one less."""
    template = Template(facts_of(name).digest_below)
    for text in ("", "a", "person 1", "Zoë ☃", "x" * 1000, *map(str, range(40))):
        first = int(hashlib.sha256(text.encode()).hexdigest()[:16], 16)
        for digits, below in ((first, False), (first + 1, True), (2**63, first < 2**63)):
            written = template.substitute(text=f"CAST('{text}' AS TEXT)", digits=f"{digits:016x}")
            assert bool(tried[name](f"(SELECT {written})")) is below, (text, digits)


@pytest.mark.parametrize("name", ENGINES)
def test_hashes_are_of_the_key_alone(name: str, tried: Mapping[str, Engine]) -> None:
    """One number for equal keys, another for each of many: of whole numbers, texts, days and uuids."""
    template, found = Template(facts_of(name).hashed), set()
    uuid = "'00000000-0000-0000-0000-0000000000"
    keys = [*(f"CAST({each} AS BIGINT)" for each in range(-20, 20)), "CAST('2020-01-01' AS DATE)"]
    keys += [*(f"CAST('{'x' * each}' AS TEXT)" for each in range(20)), *(f"CAST({uuid}{n}' AS UUID)" for n in (10, 20))]
    for key in keys:
        numbers = {int(str(tried[name](f"(SELECT {template.substitute(key=key)} AS i)"))) for _ in range(2)}
        assert len(numbers) == 1 and all(-(2**63) <= each < 2**63 for each in numbers)
        found |= numbers
    assert len(found) == len(keys)


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("fact", RAISED_FOR)
def test_the_engine_raises_as_its_record_says(name: str, fact: str, tried: Mapping[str, Engine]) -> None:
    raises, said = tried[name].raises(RAISED_FOR[fact]), getattr(facts_of(name), fact)
    assert raises is said or (said and (name, fact) in MENDED)


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("fact", HAS)
def test_the_engine_has_what_its_record_says(name: str, fact: str, tried: Mapping[str, Engine]) -> None:
    assert tried[name].raises(HAS[fact]) is not getattr(facts_of(name), fact)


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("fact", TYPED)
def test_the_engine_types_as_its_record_says(name: str, fact: str, tried: Mapping[str, Engine]) -> None:
    expression, where_true, where_false = TYPED[fact]
    assert tried[name].kind(expression) is (where_true if getattr(facts_of(name), fact) else where_false)


@pytest.mark.parametrize("name", ENGINES)
def test_casts_and_rounding_of_decimals(name: str, tried: Mapping[str, Engine]) -> None:
    engine = tried[name]
    assert engine.raises(f"CAST({LARGE[name]} AS FLOAT8)") is engine.facts.float_cast_of_decimal_overflows
    rounded = str(engine("CAST(ROUND(CAST('1.5' AS DECIMAL(9,1)), 3) AS TEXT)"))
    assert rounded == ("1.500" if engine.facts.round_adds_places else "1.5")


@pytest.mark.parametrize("name", ENGINES)
def test_types_of_signs(name: str, tried: Mapping[str, Engine]) -> None:
    engine = tried[name]
    for type_ in ("smallint", "integer", "bigint", "decimal", "real", "float8"):
        kind = Kind({"float8": "double"}.get(type_, type_))
        assert engine.kind(f"SIGN(CAST(1 AS {type_}))") is engine.facts.sign_types[kind], type_


@pytest.mark.parametrize("name", ENGINES)
def test_roundings_of_whole_numbers(name: str, tried: Mapping[str, Engine]) -> None:
    engine = tried[name]
    for kind in (Kind.SMALLINT, Kind.INTEGER, Kind.BIGINT):
        for call, rest in (("FLOOR", ""), ("CEIL", ""), *((c, r) for c in ("ROUND", "TRUNC") for r in ("", ", -1"))):
            found = engine.kind(f"{call}(CAST(7 AS {kind.value}){rest})")
            assert (found is not kind) is (call in engine.facts.floats_of_whole), (call, rest, kind)


_OPERANDS = ("smallint", "integer", "bigint", "decimal(9,2)", "decimal(38,0)", "decimal(38,10)", "real", "float8")
_OF_TWO = ("{} + {}", "{} - {}", "{} * {}", "{} / {}", "{} % {}", "COALESCE({}, {})", "NULLIF({}, {})")
_OF_ONE = (
    *("-{}", "ABS({})", "FLOOR({})", "CEIL({})", "ROUND({})", "TRUNC({})", "SIGN({})", "SUM({})", "AVG({})"),
    *("CASE WHEN 1 < 2 THEN {} END", "GREATEST({}, 1)", "({} + 1.5) / 2", "{} * 1e3", f"{{}} + {'7' * 39}.5"),
)


@pytest.mark.parametrize("name", ENGINES)
def test_what_is_said_to_be_exact_is_exact(name: str, tried: Mapping[str, Engine]) -> None:
    """A number that is said to be whole is of a whole type, and one that is said to be exact of no floating point."""
    engine, pairs = tried[name], [(one, other) for one in _OPERANDS for other in _OPERANDS]
    asked = [(form, (one,)) for form in _OF_ONE for one in _OPERANDS]
    asked += [(form, pair) for form in (*_OF_TWO, *(["{} // {}"] if name == "duckdb" else [])) for pair in pairs]
    exact = 0
    for form, types in asked:
        sql = form.format(*(f"CAST({value} AS {type_})" for value, type_ in zip((7, 2), types, strict=False)))
        said = family(parse_one(sql, read=name), lambda _: None, engine.facts)
        if said in EXACT_NUMBERS and not engine.raises(sql):
            exact += 1
            kind = engine.kind(sql)
            assert kind in (WHOLE if said is Family.INTEGER else {*WHOLE, Kind.DECIMAL}), (sql, said)
    assert exact > 150


@pytest.mark.parametrize("sql", ["SIGN(x) * 100 * 2", "SIGN(x) * 100 + SIGN(x) * 100"])
def test_a_sign_is_as_small_as_the_engine_has_it(sql: str, tried: Mapping[str, Engine]) -> None:
    """A number as written takes the type of what is beside it."""
    with pytest.raises(CheckFault, match="tinyint arithmetic could overflow"):
        Total(lambda _: whole(Kind.INTEGER), facts_of("duckdb"))(parse_one(sql, read="duckdb"))
    assert tried["duckdb"].raises(f"{sql} FROM (VALUES (5)) AS t(x)")


@pytest.mark.parametrize("sql", ["x * x", "SUM(x)", "COALESCE(x, CAST('0.1' AS DECIMAL(38,20)))"])
def test_a_decimal_without_limits_has_the_digits_that_it_needs(sql: str, tried: Mapping[str, Engine]) -> None:
    """A result is not taken for one that fits in the type of its parts."""
    digits, scale = (38, 20) if "COALESCE" in sql else (38, 0)
    cast = f"CAST({sql} AS DECIMAL({digits},{scale}))"
    postgres = facts_of("postgres")
    with pytest.raises(CheckFault, match="no room in a decimal"):
        Total(lambda _: of_column(parse_type("numeric(38,0)"), postgres), postgres)(parse_one(cast, read="postgres"))
    assert tried["postgres"].raises(f"{cast} FROM (VALUES ({NINES}), ({NINES})) AS t(x)")


@pytest.mark.parametrize("name", ENGINES)
def test_types_of_sums_and_lengths(name: str, tried: Mapping[str, Engine]) -> None:
    engine = tried[name]
    sums = engine.facts.sum_types
    for kind in (Kind.SMALLINT, Kind.INTEGER, Kind.BIGINT):
        assert engine.kind(f"SUM(CAST(1 AS {kind.value}))") is sums[kind]
    assert engine.raises("SUM(TRUE)") is (Kind.BOOLEAN not in sums)
    assert engine.kind("LENGTH('a')") is engine.facts.length_type


@pytest.mark.parametrize("name", ENGINES)
def test_texts_as_written_and_escapes(name: str, tried: Mapping[str, Engine]) -> None:
    """A text that is read as what is beside it may be no such value: the checker asks that it be one elsewhere."""
    engine = tried[name]
    if engine.facts.text_takes_type_beside:
        assert engine("DATE '2000-01-01' < '2000-1-2'") is True
    assert engine.raises("'a' LIKE '\\'") is bool(engine.facts.like_escape)
    if engine.facts.like_escape:
        assert engine(f"'%' LIKE '{engine.facts.like_escape}%' AND NOT 'a' LIKE '{engine.facts.like_escape}%'") is True


@pytest.mark.parametrize("name", ENGINES)
def test_functions(name: str, tried: Mapping[str, Engine]) -> None:
    arguments = {"OCTET_LENGTH": "'a'"}
    has = {each for each in (*NAMED, "HASH") if not tried[name].raises(f"{each}({arguments.get(each, '1.5, 2.5')})")}
    assert has == tried[name].facts.functions


@pytest.mark.parametrize("name", ENGINES)
def test_the_calendar_has_room(name: str, tried: Mapping[str, Engine]) -> None:
    """A year more on either side."""
    engine, start = tried[name], 730_120  # the day of 2000-01-01
    for day in (engine.facts.first_day - 366, engine.facts.last_day + 366):
        moved = f"CAST(DATE '2000-01-01' + CAST({day - start} AS INTEGER) AS TIMESTAMP)"  # psycopg has no BC
        assert not engine.raises(f"CAST(DATE_TRUNC('hour', {moved}) AS TEXT)")

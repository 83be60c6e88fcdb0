"""The checker and private relations: every form that the rewriter may write is proved, and no loosening of one is.

Forms and mutations are the .sql files in tests/checker. A form is proved in each shape that it deserves and in no
other; DuckDB runs it, and there a unit's rows are the same whoever else is in the tables.
"""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from random import Random

import duckdb
import pytest
from applied import applied
from checker import Change, Form, forms
from checker.mutants import Mutants
from lanes import sized, thinned
from worlds import SCRIPT, statements

from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.catalog.policy import Catalog
from dpproxy.catalog.types import parse_type
from dpproxy.mechanisms.noise import gaussian
from dpproxy.mechanisms.selection import gaussian_selection
from dpproxy.mechanisms.timing import deadline_noise
from dpproxy.plan.formulas import CountOf
from dpproxy.plan.private_plan import (
    Bounded,
    Key,
    Limit,
    Measure,
    MeasureKind,
    Output,
    Plan,
    Post,
    PrivateKeys,
    Release,
)
from dpproxy.rewrite.checker import CheckFault, check_plan

FORMS = tuple(forms())
CHANGES = tuple((form, change) for form in FORMS for change in form.changes)
DIALECTS = ("duckdb", "postgres")
SHAPES = ("rows", "steady", "single")
UNPROVED = {"steady": "not proved: the keys are a function of the unit", "single": "not proved: one row per unit"}
SHARE, DELTA = Decimal("0.01"), Decimal("1e-8")
SHARE_OF_TIME = Decimal("0.001")
TIME = deadline_noise(Accounting.ZCDP, SHARE_OF_TIME)
TOTAL = "CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0"
# What k0 is: of each type until one fits, the numbers of several texts last, and in a form that has one.
TYPES = ("text", "bigint", "boolean", "date", "timestamp without time zone", "double precision", "numeric")
SEVERAL_TEXTS = TYPES[-2:]
OWN = {
    "person": ('"visits" WHERE "person_id" = {}', '"people" WHERE "person_id" = {}'),
    "customer": (
        '"lineitem" WHERE "orderkey" IN (SELECT "orderkey" FROM "orders" WHERE "custkey" = {})',
        '"orders" WHERE "custkey" = {}',
        '"customer" WHERE "custkey" = {}',
    ),
}
UNITS = (7, 1, 2, 3, 100089)
# What is said in Postgres of a number as written, which is a numeric there and exact in any order.
NUMERIC_THERE = (None, "a quotient could underflow")
# That a text makes sense, and fails for no row, is the claim of others.
NOT_RUN = (duckdb.BinderException, duckdb.ParserException, duckdb.ConversionException, duckdb.InvalidInputException)


@pytest.fixture(scope="module")
def engine() -> Iterator[duckdb.DuckDBPyConnection]:
    """The world, where some cities are departments and some nations are people, so that joins meet."""
    with duckdb.connect() as connection:
        for statement in statements(SCRIPT):
            connection.execute(statement)
        connection.execute("INSERT INTO departments VALUES ('Delft', 'Gouda', 2), ('Leiden', 'Leiden', 40)")
        connection.execute("INSERT INTO nation SELECT i, 'Delft ' || i FROM generate_series(4, 90) AS g(i)")
        yield connection


TOLD = {
    "text": "STRPOS(k0, CHR(0)) = 0",
    "date": "k0 BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE)",
    "timestamp without time zone": (
        "k0 BETWEEN CAST('0001-01-01' AS TIMESTAMP) AND CAST('9999-12-31 23:59:59.999999' AS TIMESTAMP)"
    ),
}


def told(rows: str, type_: str, dialect: str) -> str:
    """Those whose keys can be told."""
    if type_ not in TOLD or (type_ == "text" and dialect == "postgres"):
        return rows
    return f"SELECT * FROM ({rows}) AS q WHERE ({TOLD[type_]} OR k0 IS NULL)"


def order(type_: str) -> str:
    """How the keys of a unit are ranked."""
    number = "NULLIF(NULLIF(CAST(k0 AS DOUBLE PRECISION), 0), CAST('NaN' AS DOUBLE PRECISION))"
    text = f"CAST({number if type_ in SEVERAL_TEXTS else 'k0'} AS TEXT)"
    return f"ORDER BY MD5(CAST(u AS TEXT) || COALESCE({text}, '')), k0"


def shaped(form: Form, shape: str, type_: str, dialect: str = "duckdb") -> Bounded:
    """The bounded text that counts a form's rows by k0, in the shape of what it is said to be."""
    contributions = f"SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM ({form.sql}) AS r GROUP BY u, k0"
    contributions = told(contributions, type_, dialect)
    groups, rows, limit = {
        "rows": (3, 20, Limit.KEYS_LIMITED),
        "steady": (1, 20, Limit.KEY_OF_UNIT),
        "single": (1, 1, Limit.ONE_ROW),
    }[shape]
    ranked = f"SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u {order(type_)}) AS r FROM ({contributions}) AS c"
    source = {
        "rows": f"{TOTAL} FROM (SELECT k0, m0 FROM ({ranked}) AS w WHERE r <= 3) AS l",
        "steady": f"{TOTAL} FROM ({contributions}) AS c",
        "single": f"COUNT(*) AS m0 FROM ({told(form.sql, type_, dialect)}) AS r",
    }[shape]
    key = Key("k0", parse_type(type_), PrivateKeys(), "k0")
    measure = Measure("m0", MeasureKind.ROWS, 0, rows, Decimal(1), Decimal(0), "rows")
    text = f"SELECT k0, COUNT(*) AS n, {source} GROUP BY k0"
    return Bounded(text, form.unit, (key,), (measure,), True, groups, rows, limit)


def refusal(form: Form, shape: str, catalog: Catalog, dialect: str) -> str | None:
    """The checker's reason; None if it is content with one of the types that k0 might be."""
    found = [refused_as(form, shape, type_, catalog, dialect) for type_ in TYPES]
    others = [reason for reason in found if reason is not None and not reason.startswith("k0 is not read")]
    return None if None in found else next(iter(others), found[0])


def refused_as(form: Form, shape: str, type_: str, catalog: Catalog, dialect: str) -> str | None:
    """The reason, where k0 is of a type."""
    bounded = shaped(form, shape, type_, dialect)
    noises = tuple(gaussian(bounded.sensitivity(measure), SHARE) for measure in bounded.measures)
    selection = gaussian_selection(bounded.groups, bounded.groups, 1, SHARE, DELTA)
    release = Release(bounded, applied(noises, selection), (Output("o0", parse_type("bigint"), CountOf(0), "rows"),))
    plan = Plan((release,), Post("SELECT 1", (), ()), Loss(SHARE * 2 + SHARE_OF_TIME, DELTA), Decimal(1), time=TIME)
    try:
        check_plan(plan, catalog, dialect, Accounting.ZCDP)
    except CheckFault as fault:
        return fault.reason
    return None


@pytest.mark.parametrize("dialect", ["duckdb", pytest.param("postgres", marks=pytest.mark.long)])
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_forms_are_proved_to_be_what_they_are(form: Form, dialect: str, catalog: Catalog) -> None:
    for at, shape in enumerate(SHAPES):
        found = refusal(form, shape, catalog, dialect)
        assert (found is None) == (at <= SHAPES.index(form.proved)), shape


@pytest.mark.parametrize("dialect", ["duckdb", pytest.param("postgres", marks=pytest.mark.long)])
@pytest.mark.parametrize(
    ("form", "change"), CHANGES, ids=lambda each: each.name if isinstance(each, Form) else each.new
)
def test_changed_forms_are_refused(form: Form, change: Change, dialect: str, catalog: Catalog) -> None:
    assert change.old in form.sql
    sql = form.sql.replace(change.old, change.new, 1)
    found = refusal(Form(form.name, form.proved, form.unit, sql, ()), form.proved, catalog, dialect)
    if dialect == "postgres" and re.search(r"\d\.\d", change.new) and found in NUMERIC_THERE:
        return  # what is wrong with a double is right, or wrong otherwise, with a numeric
    assert found is not None
    assert re.search(change.reason, found), found


@pytest.mark.parametrize("form", thinned(FORMS, 3), ids=lambda form: form.name)
def test_a_units_rows_are_its_own(form: Form, engine: duckdb.DuckDBPyConnection) -> None:
    """There are rows, one key or one row for a unit if so proved; and without a unit all others' are as before."""
    everybody = _rows(form, engine)
    assert len(everybody) >= 5
    assert _broken(form, form.proved, everybody, UNITS, engine) is None


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_bounded_texts_run(form: Form, engine: duckdb.DuckDBPyConnection) -> None:
    for shape in SHAPES[: SHAPES.index(form.proved) + 1]:
        assert engine.execute(shaped(form, shape, "bigint").sql).fetchall()


@pytest.mark.larger
def test_what_is_not_refused_is_harmless(catalog: Catalog, engine: duckdb.DuckDBPyConnection) -> None:
    """Random mutants: each that is proved to be something is so in DuckDB.."""
    random = Random("mutants")
    mutants = Mutants(FORMS, random)
    taken = 0
    for _ in range(sized(30, 150, 20_000)):
        form, sql = mutants.next()
        mutant = Form(form.name, form.proved, form.unit, sql, ())
        proved = [shape for shape in SHAPES if refusal(mutant, shape, catalog, "duckdb") is None]
        with contextlib.suppress(*NOT_RUN):
            if proved and engine.execute(f"SELECT COUNT(*) < 20000 FROM ({sql}) AS r").fetchall() == [(True,)]:
                everybody = _rows(mutant, engine)
                found = [unit for unit, *_ in everybody if isinstance(unit, int)] or [1]
                left_out = (UNITS[0], *random.choices(found, k=2))
                assert _broken(mutant, proved[-1], everybody, left_out, engine) is None, sql
                taken += 1
    assert taken >= sized(2, 12, 1000)


def _broken(
    form: Form,
    proved: str,
    everybody: Counter[tuple[object, ...]],
    left_out: Sequence[int],
    engine: duckdb.DuckDBPyConnection,
) -> str | None:
    """What of the proof is not so, None if all of it is."""
    counted: Counter[object] = Counter()
    for (unit, *_), count in everybody.items():
        counted[unit] += count if proved == "single" else 1
    if None in counted:
        return "rows of nobody"
    if proved != "rows" and max(counted.values(), default=0) > 1:
        return f"a unit is not {proved}"
    for unit in left_out:
        engine.begin()
        for own in OWN[form.unit]:
            engine.execute("DELETE FROM " + own.format(unit))
        others = _rows(form, engine)
        engine.rollback()
        if others != Counter({row: count for row, count in everybody.items() if row[0] != unit}):
            return f"without {unit}, other rows are others"
    return None


def _rows(form: Form, engine: duckdb.DuckDBPyConnection) -> Counter[tuple[object, ...]]:
    return Counter(engine.execute(f"SELECT u, k0 FROM ({form.sql}) AS r").fetchall())

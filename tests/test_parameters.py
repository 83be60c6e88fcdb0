"""Parameters wherever a literal may stand: the plan is that of the statement with the value written out."""

from __future__ import annotations

import pytest
from worlds import plan

from dpproxy.catalog.policy import Catalog
from dpproxy.errors import FeatureNotSupported
from dpproxy.plan.private_plan import Plan
from dpproxy.rewrite import Parameter


def releases(made: Plan) -> list[object]:
    return [(r.bounded.sql, [k.domain for k in r.bounded.keys], r.bounded.measures) for r in made.releases]


@pytest.mark.parametrize(
    ("where", "written", "parameters"),
    [
        ("age = ANY($1)", "age IN (30, 40, NULL)", [("integer[]", "{30,40,NULL}")]),
        # psycopg sends a list of small numbers as smallint[], asyncpg as what the server asks for.
        ("age = ANY($1)", "age IN (30, 40)", [("smallint[]", "{30,40}")]),
        ("age = ANY($1)", "age IN (30, 40)", [("_int4", "{30,40}")]),
        ("age <> ALL($1)", "TRUE", [("integer[]", "{}")]),
        ("NOT (age = ANY($1::int[]))", "NOT (age IN (30))", [("bigint[]", "{30}")]),
        (
            "city = ANY($1)",
            "city IN ('Delft', 'a \"b\\,', 'NULL', '')",
            [("text[]", '{Delft,"a \\"b\\\\,","NULL",""}')],
        ),
        ("city = ANY($1)", "city IN ('Delft')", [("character varying[]", "{Delft}")]),
        ("joined = ANY($1)", "joined IN ('2020-01-01')", [("date[]", "{2020-01-01}")]),
        ("joined > ALL($1)", "(joined > '2020-01-01')", [("date[]", "{2020-01-01}")]),
        ("income = ANY($1)", "income IN (1.5, 2000)", [("double precision[]", "{1.5,2000}")]),
        ("smoker = ANY($1)", "smoker IN (TRUE, NULL)", [("boolean[]", "{t,NULL}")]),
        ("age = ANY(ARRAY[$1, $2])", "age IN (3, 4)", [("integer", "3"), ("integer", "4")]),
        ("city LIKE $1 AND city ILIKE $2", "city LIKE 'D%' AND city ILIKE '%t'", [("text", "D%"), ("text", "%t")]),
        ("city LIKE ANY($1)", "((city LIKE 'D%') OR (city LIKE '%a'))", [("text[]", "{D%,%a}")]),
        (r"city ~ $1 AND city !~* $2", r"city ~ '^\w' AND city !~* 'x$'", [("text", r"^\w"), ("text", "x$")]),
        ("city SIMILAR TO $1", "city SIMILAR TO '(D|G)%'", [("text", "(D|G)%")]),
        (
            "substr(city, $1, $2) = $3",
            "substr(city, 1, 2) = 'De'",
            [("integer", "1"), ("integer", "2"), ("text", "De")],
        ),
        ("left(city, $1) = $2", "left(city, -2) = 'De'", [("integer", "-2"), ("character varying", "De")]),
        ("split_part(city, $1, $2) = ''", "split_part(city, '-', 2) = ''", [("text", "-"), ("integer", "2")]),
        ("regexp_replace(city, $1, $2, $3) = ''", "regexp_replace(city, 'a', 'b', 'g') = ''", list("abg")),
        ("age BETWEEN $1 AND $2", "age BETWEEN 30 AND 40", [("integer", "30"), ("integer", "40")]),
        ("age BETWEEN SYMMETRIC $1 AND $2", "age BETWEEN SYMMETRIC 40 AND 30", [("integer", "40"), ("integer", "30")]),
        ("age > $1 / 2.0", "age > 60 / 2.0", [("integer", "60")]),
        ("income < $1", "income < 12.5", [("numeric", "12.5")]),
        ("joined >= $1", "joined >= DATE '2020-01-01'", [("date", "2020-01-01")]),
        ("(sex, smoker) = ($1, $2)", "(sex, smoker) = ('F', TRUE)", [("text", "F"), ("boolean", "true")]),
    ],
)
def test_where(where: str, written: str, parameters: list[object], catalog: Catalog) -> None:
    given = tuple(Parameter("text", each) if isinstance(each, str) else Parameter(*each) for each in parameters)  # type: ignore[misc]
    asked = "SELECT city, count(*), sum(age) FROM people WHERE {} GROUP BY city"
    made = plan(asked.format(where), catalog, parameters=given)
    assert releases(made) == releases(plan(asked.format(written), catalog))


def test_a_list_of_nothing_is_paid_for(catalog: Catalog) -> None:
    """Where FALSE itself is written, the statement is empty and free: see rewrite.statement.empty."""
    (release,) = plan(
        "SELECT city, count(*) FROM people WHERE age = ANY($1) GROUP BY city",
        catalog,
        parameters=(Parameter("integer[]", "{}"),),
    ).releases
    assert "FALSE" in release.bounded.sql


@pytest.mark.parametrize(
    ("key", "written", "parameters"),
    [
        ("width_bucket(age, $1, $2, $3)", "width_bucket(age, 0, 100, 10)", ["0", "100", "10"]),
        ("width_bucket(income, $1::float8, $2, $3)", "width_bucket(income, 0, 5e5, 10)", ["0", "500000", "10"]),
        ("substring(city from $1 for $2)", "substring(city from 1 for 2)", ["1", "2"]),
        ("CASE WHEN age < $1 THEN $2 ELSE $3 END", "CASE WHEN age < 18 THEN 1 ELSE 2 END", ["18", "1", "2"]),
        ("round(age * 1.5, $1)", "round(age * 1.5, -1)", ["-1"]),
        ("log($1, age)", "log(2, age)", ["2"]),
        ("power(age, $1)", "power(age, 2)", ["2"]),
    ],
)
def test_keys(key: str, written: str, parameters: list[str], catalog: Catalog) -> None:
    given = tuple(Parameter("integer", text) for text in parameters)
    made = plan(f"SELECT {key} AS k, count(*) FROM people GROUP BY 1", catalog, parameters=given)
    assert releases(made) == releases(plan(f"SELECT {written} AS k, count(*) FROM people GROUP BY 1", catalog))


def test_thresholds(catalog: Catalog) -> None:
    asked = "SELECT width_bucket(age, {}) AS k, count(*) FROM people GROUP BY 1"
    made = plan(asked.format("$1"), catalog, parameters=(Parameter("integer[]", "{18,65}"),))
    assert releases(made) == releases(plan(asked.format("ARRAY[18, 65]"), catalog))


@pytest.mark.parametrize(
    "where", ["city LIKE $1", "city ~ $1", "left(city, 2) = $1", "city = ANY($1::text[])", "city > $1"]
)
def test_null_is_no_reason_to_refuse(where: str, catalog: Catalog) -> None:
    assert plan(f"SELECT count(*) FROM people WHERE {where}", catalog, parameters=(Parameter("text", None),)).releases


@pytest.mark.parametrize("call", ["left(city, $1)", "split_part(city, 'a', $1)", "lpad(city, $1)", "substr(city, $1)"])
def test_functions_of_null(call: str, catalog: Catalog) -> None:
    asked = f"SELECT count({call}) FROM people"
    assert plan(asked, catalog, parameters=(Parameter("integer", None),)).releases


@pytest.mark.parametrize("text", ["{{1,2},{3,4}}", "[0:1]={1,2}", "{1,", '{"1}', "1,2", "{1}{2}"])
def test_arrays_of_another_form_are_refused(text: str, catalog: Catalog) -> None:
    with pytest.raises(FeatureNotSupported) as caught:
        plan("SELECT count(*) FROM people WHERE age = ANY($1)", catalog, parameters=(Parameter("integer[]", text),))
    assert caught.value.hint


def test_types_without_a_rule_are_refused(catalog: Catalog) -> None:
    for type_ in ("point", '"char"', "unknown", "regclass", "json", "interval[]"):
        with pytest.raises(FeatureNotSupported):
            plan("SELECT count(*) FROM people WHERE age > $1", catalog, parameters=(Parameter(type_, "1"),))

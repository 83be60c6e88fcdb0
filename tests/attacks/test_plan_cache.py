"""Budget: a plan that is kept is told for another question only where it is the same plan.

A session keeps plans by the question, without the values of parameters that no release reads (`Plan.reads`). Were one
of those read after all, an analyst would get a plan with another's constants, and a stored release of it. So whatever
those values are, planning anew must come to the same.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import fields, replace
from datetime import datetime
from decimal import Decimal
from fractions import Fraction

import pytest
from lanes import thinned_rows
from worlds import MINE, NOW, TERMS, names_of

from dpproxy.catalog.policy import Catalog
from dpproxy.errors import DPProxyError
from dpproxy.plan.private_plan import OwnTable, Plan
from dpproxy.plan.settings import Mechanism, Settings, Target
from dpproxy.rewrite import Parameter, Question, plan_statement, read_settings
from dpproxy.rows import Column
from dpproxy.session.kept_plans import asked_of, values_of

VALUES = {
    "integer": ("3", "-1", None),
    "text": ("D%", "a'b", None),
    "double precision": ("1.5", "-0", None),
    "date": ("2022-01-01", "2024-02-29", None),
    "boolean": ("true", "false", None),
    "integer[]": ("{1,2}", "{}", None),
}
STATEMENTS = (
    ("SELECT count(*), $1 FROM people WHERE age > $2", "integer integer"),
    ("SELECT count(*) FROM people WHERE age > $1 AND $2", "integer boolean"),
    ("SELECT count(*) FROM people WHERE $1 OR age > $2", "boolean integer"),
    ("SELECT count(*) FROM people WHERE CASE WHEN $1 THEN age > $2 ELSE age > $3 END", "boolean integer integer"),
    ("SELECT count(*) FROM people WHERE coalesce($1, $2) < age", "integer integer"),
    ("SELECT count(*) FROM people WHERE age = ANY ($1) OR age < $2", "integer[] integer"),
    ("SELECT sex, count(*) FROM people GROUP BY sex HAVING count(*) > $1 ORDER BY count(*) * $2 LIMIT $3",
     "integer integer integer"),
    ("SELECT city, count(*) AS n FROM people WHERE city LIKE $1 GROUP BY city ORDER BY n + $2", "text integer"),
    ("SELECT width_bucket(age, $1, 100, 5) AS b, count(*) + $2 FROM people GROUP BY 1", "integer integer"),
    ("SELECT CASE WHEN age < $1 THEN $2 ELSE $3 END AS k, count(*) FROM people GROUP BY 1", "integer text text"),
    ("SELECT count(*) FILTER (WHERE age > $1), $2::text FROM people", "integer text"),
    ("SELECT sum(least(age, $1)), avg(age) + $2 FROM people", "integer double precision"),
    ("SELECT count(*) FROM people WHERE income > (SELECT avg(income) + $1 FROM people WHERE age < $2)",
     "double precision integer"),
    ("SELECT n FROM (SELECT count(*) AS n FROM people WHERE joined < $1) AS t WHERE n > $2", "date integer"),
    ("SELECT count(*) FROM people WHERE age > $1 UNION ALL SELECT $2 ORDER BY 1", "integer integer"),
    ("SELECT count(*) FROM people p JOIN (VALUES ($1), ($2)) AS v (a) ON v.a = p.age", "integer integer"),
    ("SELECT count(*) FROM people, generate_series(1, $1) AS g WHERE age > $2", "integer integer"),
    ("SELECT g, (SELECT count(*) FROM people WHERE age = g) FROM generate_series($1, 5) AS g WHERE g > $2",
     "integer integer"),
    ("WITH x AS (SELECT $1 AS a) SELECT count(*) FROM people, x WHERE age > a AND smoker = $2", "integer boolean"),
    ("SELECT dept, count(*) FROM visits WHERE dept IN (SELECT dept FROM departments WHERE beds > $1) GROUP BY dept"
     " ORDER BY $2", "integer text"),
    ("SELECT count(DISTINCT person_id) * $1 FROM visits WHERE day BETWEEN $2 AND $3", "integer date date"),
    ("SELECT count(*) FROM people WHERE (age, smoker) = ($1, $2)", "integer boolean"),
    ("SELECT count(*) FROM people WHERE $1 IS NULL OR age > $2", "integer integer"),
    ("SELECT count(*) FROM visits v WHERE EXISTS (SELECT FROM mine m WHERE m.dept = v.dept AND m.weight > $1) AND"
     " cost < $2", "integer double precision"),
    ("SELECT epsilon, $1 FROM dp.budget WHERE epsilon > $2", "text integer"),
)  # fmt: skip


def question(sql: str, parameters: tuple[Parameter, ...], catalog: Catalog) -> Question:
    settings = read_settings({"epsilon": "1"}, TERMS)
    return Question(sql, parameters, (), settings, names_of(catalog), NOW, {"mine": MINE})


def outcome(asked: Question, catalog: Catalog) -> Plan | tuple[str, str]:
    try:
        return plan_statement(asked, catalog, TERMS, "duckdb")
    except DPProxyError as fault:
        return fault.sqlstate, fault.message


def given(types: str) -> Iterator[tuple[Parameter, ...]]:
    """Every combination of the values of some parameters."""
    names = types.replace("double precision", "double_precision").split()
    kinds = [each.replace("_", " ") for each in names]
    for texts in itertools.product(*(VALUES[kind] for kind in kinds)):
        yield tuple(Parameter(kind, text) for kind, text in zip(kinds, texts, strict=True))


@pytest.mark.parametrize(("sql", "types"), thinned_rows(STATEMENTS, 2))
def test_a_kept_plan_is_the_one_that_would_be_made(catalog: Catalog, sql: str, types: str) -> None:
    """As a session looks: any plan that was made for the same values of what it reads."""
    kept: dict[tuple[object, ...], Plan] = {}
    reads, answered = set[frozenset[int]](), 0
    for parameters in given(types):
        asked = question(sql, parameters, catalog)
        made = outcome(asked, catalog)
        for numbers in reads:
            known = kept.get((asked_of(asked), values_of(asked, numbers)))
            assert known is None or known == made, [each.text for each in parameters]
        if isinstance(made, Plan):
            answered += 1
            reads.add(made.reads)
            kept[asked_of(asked), values_of(asked, made.reads)] = made
    assert answered, "there is nothing to be kept"


def test_whatever_else_is_asked_is_another_question(catalog: Catalog) -> None:
    """All parts of a question, and all settings, each changed by itself."""
    asked = question("SELECT count(*) FROM people WHERE age > $1", (Parameter("integer", "3"),), catalog)
    weights, confidence, target = (("n", Fraction(2)),), Decimal("0.9"), Target(Decimal(50), False)
    settings = Settings(
        Decimal("0.5"), Decimal("1e-9"), 7, 7, Mechanism.LAPLACE, True, True, 7, weights, confidence, True, target
    )
    other = Question(
        "SELECT count(*) FROM people WHERE age > $1 ",
        (Parameter("bigint", "3"),),
        (Column("count", "bigint"),),
        settings,
        {"people": "visits"},
        datetime(2024, 5, 17, 10, 31),
        {"mine": OwnTable("alice", "mine", (Column("dept", "text"),))},
        "Europe/Amsterdam",
        (("SELECT dept FROM departments", 20_000),),
        Fraction(1, 3),
    )
    found = {asked_of(asked)}
    for each in fields(Question):
        found.add(asked_of(replace(asked, **{each.name: getattr(other, each.name)})))
    assert len(found) == 1 + len(fields(Question))
    found = {asked_of(asked)}
    for each in fields(Settings):
        changed = replace(asked.settings, **{each.name: getattr(settings, each.name)})
        found.add(asked_of(replace(asked, settings=changed)))
    assert len(found) == 1 + len(fields(Settings))
    null, first = replace(asked, parameters=(Parameter("integer", None),)), frozenset({0})
    assert values_of(asked, first) != values_of(null, first)

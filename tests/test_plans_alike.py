"""Plans of one shape: what is filled with a value is the plan that would be made for it, or there is none."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from threading import get_ident
from types import SimpleNamespace
from typing import Any

import pytest
from lanes import thinned, thinned_rows
from sql_cases import Case, by_file, cases
from varied_values import varied
from worlds import NOW, OWN, TERMS, fitted, make_world, names_of, question_of

from dpproxy.catalog.policy import Catalog
from dpproxy.engines import Ticket
from dpproxy.errors import DPProxyError
from dpproxy.plan.private_plan import Plan
from dpproxy.plan.timing import Speed
from dpproxy.rewrite import Parameter, Question, plan_statement, read_settings
from dpproxy.rewrite import bare_values as bare_values_module
from dpproxy.rewrite.bare_values import BareValues, bare_values
from dpproxy.rewrite.plans_alike import filled, known_values, shape_of
from dpproxy.session import made_plans
from dpproxy.session.analyst_backend import AnalystBackend
from dpproxy.session.kept_plans import MOST_CHARACTERS, KeptPlans, PlanShapes

Given = Sequence[str | None]
AGES: Given = ("40", "60", "50", "0", "120", "119", "1", "200", "150", "-5", "-9", "-7", None, "041", "3000000000")
DAYS: Given = ("2021-01-01", "2024-12-31", "2022-02-28", "2010-05-05", "2030-01-01", "infinity", "0044-03-15 BC", None)
TEXTS: Given = ("Delft", "Leiden", "Gouda", "D%", "a'b", "", "40", "x" * 5000, None)
# What is asked, the types of its parameters, the values of each; and whether values are filled in.
ASKED: tuple[tuple[str, str, tuple[Given, ...], bool], ...] = (
    ("SELECT count(*) FROM people WHERE age >= $1", "integer", (AGES,), True),
    ("SELECT count(*) FROM people WHERE $1 > age", "bigint", (AGES,), True),
    ("SELECT count(*) FROM people WHERE age = $1", "integer", (AGES,), True),
    ("SELECT count(*) FROM people WHERE age <> $1 AND smoker", "smallint", (AGES[:-1],), True),
    ("SELECT count(*), sum(income) FROM people WHERE (joined < $1)", "date", (DAYS,), True),
    ("SELECT city, avg(income) FROM people WHERE age < $1 GROUP BY city", "integer", (AGES,), True),
    ("SELECT sex, max(income) FROM people WHERE age BETWEEN $1 AND $2 GROUP BY sex", "integer integer",
     (AGES[:8], AGES[:8]), True),
    ("SELECT count(*) FROM people WHERE age > $1 AND joined > $2 AND person_id <> $3", "integer date bigint",
     (AGES[:4], DAYS[:4], AGES[:4]), True),
    ("SELECT count(*) FROM people WHERE person_id = $1", "bigint", (AGES,), True),
    ("SELECT sum(income) FROM people WHERE income > $1", "integer", (AGES,), False),
    ("SELECT count(*) FROM people WHERE income > $1", "integer", (AGES,), True),
    ("SELECT sum(quantity) FROM lineitem WHERE shipdate >= $1 AND linenumber < $2", "date integer",
     (("1993-01-01", "1997-12-31", "1995-06-30"), ("3", "6", "4", "5")), True),
    ("SELECT flag, count(*) FROM lineitem JOIN orders USING (orderkey) WHERE linenumber <= $1 GROUP BY flag", "integer",
     (AGES,), True),
    ("SELECT count(*) FROM people WHERE age >= $1 LIMIT $2", "integer bigint", (AGES[:4], AGES[:4]), True),
    ("SELECT sex, count(*) FROM people WHERE age >= $1 GROUP BY sex HAVING count(*) > $2", "integer integer",
     (AGES[:4], AGES[:4]), True),
    ("SELECT count(*) FROM (SELECT age, sex FROM people) t WHERE age > $1", "integer", (AGES,), True),
    ("SELECT city, count(*) FROM (SELECT city, age FROM people WHERE age > $1) t GROUP BY city", "integer", (AGES,),
     True),
    ("SELECT sum(a) FROM (SELECT age, sex FROM people WHERE age > $1) t (a, s)", "integer", (AGES[:3],), False),
    ("SELECT avg(age) FROM (SELECT age FROM people) t WHERE age > $1", "integer", (AGES,), False),
    ("SELECT count(*) FROM (SELECT age, sex FROM people) t WHERE age > $1 AND sex = $2", "integer text",
     (AGES[:4], ("F", "M")), True),
    # What narrows a column that is read elsewhere.
    ("SELECT sum(age) FROM people WHERE age >= $1", "integer", (AGES,), False),
    ('SELECT sum("age") FROM people WHERE AGE < $1', "integer", (AGES,), False),
    ("SELECT age, count(*) FROM people WHERE age >= $1 GROUP BY age", "integer", (AGES,), False),
    ("SELECT count(*) FROM people WHERE age > $1 AND age < $2", "integer integer", (AGES[:4], AGES[:4]), False),
    ("SELECT sum(cost) FROM visits v JOIN people p USING (person_id) WHERE p.person_id > $1", "bigint", (AGES,), False),
    # What is no condition by itself, or not of a column alone.
    ("SELECT count(*) FROM people WHERE age >= $1 OR smoker", "integer", (AGES,), True),
    ("SELECT count(*) FROM people WHERE NOT age >= $1", "integer", (AGES,), True),
    ("SELECT count(*) FROM people WHERE age + 1 >= $1", "integer", (AGES,), True),
    ("SELECT count(*) FROM people WHERE age >= $1 + 1", "integer", (AGES[:8],), False),
    ("SELECT count(*) FILTER (WHERE age >= $1) FROM people", "integer", (AGES,), True),
    ("SELECT sum(CASE WHEN age >= $1 THEN 1 ELSE 0 END) FROM people", "integer", (AGES,), True),
    ("SELECT sum(least(age, $1)) FROM people", "integer", (AGES,), False),
    ("SELECT count(*) + $1 FROM people WHERE age >= $1", "integer", (AGES,), False),
    ("SELECT count(*) FROM people WHERE city = $1", "text", (TEXTS,), True),
    ("SELECT count(*) FROM people WHERE city LIKE $1", "text", (TEXTS,), True),
    ("SELECT count(*) FROM people WHERE joined + $1::interval > DATE '2024-01-01'", "text", (("1 day", "2 months"),),
     False),
    ("SELECT count(*) FROM people WHERE income > $1", "double precision", (("1.5", "7", "NaN", None),), False),
    ("SELECT count(*) FROM people WHERE income > $1", "numeric", (("1.5", "7", "-1.50"),), False),
    ("SELECT count(*) FROM people WHERE person_id IN (SELECT person_id FROM visits WHERE cost > $1)", "integer",
     (AGES,), True),
    ("SELECT n FROM (SELECT count(*) AS n FROM people WHERE age > $1) AS t", "integer", (AGES,), True),
    # Texts, lists, decimals, what is told of groups, and what the statement makes.
    ("SELECT sum(income) FROM people WHERE city <> $1 AND age > $2", "text integer", (TEXTS[:3], AGES[:4]), True),
    ("SELECT count(*) FROM people WHERE city IN ($1, $2)", "text text", (TEXTS[:4], TEXTS[:4]), True),
    ("SELECT count(*) FROM people WHERE city NOT IN ($1, 'Delft')", "text", (("Leiden", "Gouda", "Hoorn"),), True),
    ("SELECT count(*) FROM people WHERE city < $1", "text", (TEXTS[:4],), True),
    ("SELECT count(*) FROM people WHERE sex = $1", "text", (("F", "M", "X", "F", "M"),), True),
    ("SELECT sex, count(*) FROM people WHERE sex = $1 GROUP BY sex", "text", (("F", "M", "X", "F", "M"),), False),
    ("SELECT count(*) FILTER (WHERE sex = $1) FROM people", "text", (("X", "Y", "Z", "F", "M"),), False),
    ("SELECT count(*) FROM people WHERE age IN ($1, $2, 7)", "integer integer", (AGES[:6], AGES[:6]), True),
    ("SELECT count(*) FILTER (WHERE age = $1) FROM people", "integer", (("-5", "150", "40", "60", "50", "200"),), True),
    ("SELECT count(*) FROM people WHERE upper(city) = $1", "text", (TEXTS,), False),
    ("SELECT count(*) FROM people WHERE city = $1 OR city = $2", "text text", (TEXTS[:3], TEXTS[:3]), False),
    ("SELECT sum(price) FROM lineitem WHERE discount >= $1", "numeric",
     (("0.01", "0.09", "0.05", "0.10", "0.5"),), True),
    ("SELECT sex, count(*) FROM people GROUP BY sex HAVING avg(age) > $1", "integer", (AGES,), True),
    ("SELECT count(*) FROM people WHERE age * 2 < $1", "integer", (AGES[:6],), True),
    ("SELECT count(*) FROM people WHERE age * 2 = $1", "integer", (AGES[:6],), False),
    ("SELECT count(*) FROM (SELECT rank() OVER (PARTITION BY person_id ORDER BY day) AS r FROM visits) t WHERE r <= $1",
     "integer", (("1", "3", "2", "40", "30", "50"),), True),
    ("SELECT count(*) FROM (SELECT rank() OVER (PARTITION BY person_id ORDER BY day) AS r FROM visits) t WHERE r = $1",
     "integer", (("1", "3", "2", "40", "30", "50"),), False),
    ("SELECT count(*) FROM (SELECT person_id FROM visits GROUP BY person_id HAVING count(*) > $1) t", "integer",
     (("1", "4", "2", "3", "40", "0"),), True),
    ("SELECT count(*) FROM people AS age WHERE age IS NOT NULL AND person_id > $1", "integer", (AGES,), False),
    ("SELECT ntile(4) OVER (ORDER BY age), $1 FROM people WHERE age > $1", "integer", (AGES[:3],), False),
)  # fmt: skip
# The same with values that are written out, and the texts in which none may be looked for.
WRITTEN = (
    ("SELECT count(*) FROM people WHERE age >= {}", True),
    ("SELECT count(*) FROM people WHERE smoker AND age<{} AND sex = 'F'", True),
    ("SELECT city, sum(income) FROM people WHERE person_id > {} GROUP BY city ORDER BY 2 LIMIT 3", True),
    ("SELECT count(*) FROM people WHERE city = '= 7' AND age >= {}", True),
    ("SELECT sum(age) FROM people WHERE age >= {}", False),
    ("SELECT count(*) FROM people WHERE age >= {}.5", True),
    ("SELECT count(*) FROM people WHERE age >= {} -- > 7", False),
    ("SELECT count(*) FROM people WHERE age >= {} /* > 7 */", False),
    ("SELECT count(*) FROM people WHERE city = E'\\' > {}'", False),
    ("SELECT count(*) FROM people WHERE city = $$ > {} $$", False),
    ('SELECT count(*) AS "> {}" FROM people', False),
    ("SELECT count(*) FROM people WHERE city = 'it''s > {}'", False),
    ("SELECT count(*) FROM people WHERE age >= -{}", False),
    ("SELECT sum(CASE WHEN age > {} THEN 1 ELSE 0 END) FROM people", True),
    ("SELECT sex, count(*) FROM people WHERE age > {} GROUP BY sex HAVING count(*) > 10", True),
    ("SELECT count(*) FROM people WHERE age BETWEEN 0 AND {} AND person_id + 1 > 7", True),
    ("SELECT count(*) FROM people WHERE age >= 1 AND age < {}", True),
    ("SELECT count(*) FROM people WHERE age <= {} AND age > 1", True),
    ("SELECT count(*) FROM people WHERE age > 1 AND age < {}", False),
    ("SELECT count(*) FROM people GROUP BY sex HAVING count(*) > {}", True),
    ("SELECT sex, count(*) FROM people GROUP BY sex ORDER BY sex LIMIT {}", True),
    ("SELECT sex FROM people GROUP BY sex ORDER BY count(*) DESC LIMIT {}", True),
    ("SELECT CASE WHEN count(*) > {} THEN 'many' ELSE 'few' END FROM people", True),
    ("SELECT {} * avg(income) FROM people", True),
    ("SELECT avg(income) / {} FROM people", True),
    ("SELECT sum({} * age) FROM people", False),
    ("SELECT sum(n) FROM (SELECT count(*) AS n FROM visits GROUP BY person_id HAVING count(*) > {}) t", False),
    ("SELECT count(*) FROM visits WHERE dept IN (SELECT dept FROM departments WHERE beds > {})", True),
    ("SELECT count(*) FROM (SELECT rank() OVER (ORDER BY day) AS r FROM visits WHERE cost > 3) t WHERE r <= {}", False),
    ("SELECT count(*) FROM people WHERE age > 1 AND age >= {}", False),
    ("SELECT count(*) FROM people WHERE age > 1 AND age <= {} AND age <> 7", False),
    ("SELECT count(*) FROM people WHERE age >= 1.5 AND age < {}", True),
)
# The same with days.
DATED = (
    ("SELECT count(*) FROM people WHERE joined < DATE '{}'", True),
    ("SELECT sex, count(*) FROM people WHERE joined >= date '2021-01-01' AND joined < date '{}' GROUP BY sex", True),
    ("SELECT count(*) FROM people WHERE joined BETWEEN DATE '2021-01-01' AND DATE '{}' AND age > 40", True),
    ("SELECT sum(quantity) FROM lineitem WHERE shipdate >= DATE '1994-01-01' AND shipdate < DATE '{}'", True),
    ("SELECT count(*) FROM people WHERE joined > DATE '2021-01-01' AND joined < DATE '{}'", False),
    ("SELECT count(*) FROM people WHERE joined < DATE '{}' + 1", False),
    ("SELECT count(*) FROM people WHERE joined < DATE '{}'::timestamp", False),
    ("SELECT max(joined) FROM people WHERE joined < DATE '{}'", False),
    ("SELECT count(*) FROM people WHERE joined < '{}'", True),
)
FIXTURES = [case for path in by_file("rewrite") if path.stem != "expressions" for case in cases(path)]
WRITTEN_DAYS = (
    "2021-06-01",
    "2024-12-31",
    "2022-02-28",
    "2010-05-05",
    "2022-11-30",
    "2021-01-02",
    "2023-02-29",
    "2030-01-01",
)
NUMBERS = ("40", "60", "50", "7", "200", "0", "3000000000", "99999999999999999999")


def question(catalog: Catalog, sql: str, *parameters: Parameter) -> Question:
    return Question(sql, parameters, (), read_settings({"epsilon": "1"}, TERMS), names_of(catalog), NOW, OWN)


def made(catalog: Catalog, asked: Question, dialect: str = "duckdb") -> Plan | str:
    try:
        return plan_statement(asked, catalog, TERMS, dialect)
    except DPProxyError as fault:
        return f"{fault.sqlstate} {fault.message}"


def told_alike(catalog: Catalog, questions: Sequence[Question], dialect: str) -> int:
    """How many of the questions, asked one after the other, were answered by the plan of others: each by its own."""
    shapes, found = PlanShapes(), 0
    for asked in questions:
        values = known_values(asked, catalog)
        shape = None if values is None else shapes.find(values)
        plan = made(catalog, asked, dialect)
        if values is not None and shape is not None:
            assert filled(shape, values, catalog, dialect) == plan, asked
            found += 1
        elif values is not None and isinstance(plan, Plan):
            shapes.learn(values, plan)
    return found


@pytest.mark.parametrize("dialect", ["duckdb", pytest.param("postgres", marks=pytest.mark.long)])
@pytest.mark.parametrize(("sql", "types", "given", "fills"), thinned_rows(ASKED, 2))
def test_a_filled_plan_is_the_one_that_would_be_made(
    catalog: Catalog, sql: str, types: str, given: tuple[Given, ...], fills: bool, dialect: str
) -> None:
    combinations = [
        question(catalog, sql, *map(Parameter, types.split(), values)) for values in itertools.product(*given)
    ]
    asked = combinations if len(combinations) < 16 else random.Random(5).sample(combinations, 16)
    assert bool(told_alike(catalog, asked, dialect)) is fills


@pytest.mark.parametrize(("sql", "fills"), WRITTEN)
def test_so_it_is_where_values_are_written_out(catalog: Catalog, sql: str, fills: bool) -> None:
    asked = [question(catalog, sql.format(number)) for number in NUMBERS]
    assert bool(told_alike(catalog, asked, "duckdb")) is fills


@pytest.mark.parametrize(("sql", "fills"), DATED)
def test_so_it_is_with_days(catalog: Catalog, sql: str, fills: bool) -> None:
    asked = [question(catalog, sql.format(day)) for day in WRITTEN_DAYS]
    assert bool(told_alike(catalog, asked, "duckdb")) is fills


@pytest.mark.parametrize("case", thinned(FIXTURES, 5), ids=[f"{each.path.stem}: {each.title}" for each in FIXTURES])
def test_whatever_is_filled_is_what_would_be_made(catalog: Catalog, case: Case) -> None:
    """Each statement of the fixtures, with other values in the places of its own."""
    rng, base = random.Random(3), question_of(case.sql, catalog, case.settings)
    if known_values(base, catalog) is not None:
        told_alike(catalog, [replace(base, sql=varied(case.sql, catalog, rng)) for _ in range(8)], "duckdb")


@pytest.mark.parametrize("signs", [(">=", "<"), (">", "<="), (">=", "<="), ("<", ">="), ("<=", ">")])
def test_two_ends_of_one_column(catalog: Catalog, signs: tuple[str, str]) -> None:
    """Of values near one another, at the ends of the policy, and the wrong way around."""
    text = f"SELECT count(*) FROM people WHERE age {signs[0]} {{}} AND age {signs[1]} {{}}"
    ends = (0, 1, 2, 39, 40, 41, 119, 120, 121)
    pairs = random.Random(9).sample(list(itertools.product(ends, repeat=2)), 60)
    assert told_alike(catalog, [question(catalog, text.format(*pair)) for pair in pairs], "duckdb") > 10


def test_a_value_that_is_written_out_is_no_parameter(catalog: Catalog) -> None:
    """A plan says which parameters it reads: of one for a number in the text, other parameters would be told."""
    text = "SELECT count(*) FROM people WHERE age < {}"
    written = [question(catalog, text.format(number)) for number in (40, 60)]
    given = [question(catalog, text.format("$1"), Parameter("integer", number)) for number in ("50", "45")]
    assert told_alike(catalog, [*written, *given], "duckdb") == 0


def test_values_that_the_policy_lists_are_told_apart(tmp_path: Path) -> None:
    """Of one that is not among them the plan says so, though it lies between two that are."""
    policy = make_world(tmp_path)
    bounds = 'age = { type = "integer", bounds = [0, 120] }'
    assert bounds in policy.read_text()
    policy.write_text(policy.read_text().replace(bounds, 'age = { type = "integer", values = [18, 20, 40, 77] }'))
    listed = fitted(policy)[1]
    for text in ("age = {}", "age <> {}", "age > {}", "age >= 18 AND age < {}", "age BETWEEN 19 AND {}"):
        shapes = PlanShapes()
        for number in (18, 77, 20, 30, 40, 76):
            asked = question(listed, f"SELECT count(*) FROM people WHERE {text.format(number)}")
            values, plan = known_values(asked, listed), made(listed, asked)
            assert isinstance(plan, Plan)
            shape = None if values is None else shapes.find(values)
            if values is not None and shape is None:
                shapes.learn(values, plan)
            elif values is not None and shape is not None:
                assert filled(shape, values, listed, "duckdb") in (None, plan), asked


def test_most_values_come_to_lie_between_others(catalog: Catalog) -> None:
    drawn = random.Random(7).sample(range(1, 120), 40)
    asked = [question(catalog, "SELECT count(*) FROM people WHERE age < $1", Parameter("integer", str(each)))
             for each in drawn]  # fmt: skip
    assert told_alike(catalog, asked, "duckdb") > 25


def planned(catalog: Catalog, values: Sequence[int]) -> Iterator[tuple[BareValues, Plan]]:
    for value in values:
        asked = question(catalog, "SELECT count(*) FROM people WHERE age < $1", Parameter("integer", str(value)))
        bare, plan = bare_values(asked), made(catalog, asked)
        assert bare is not None and isinstance(plan, Plan)
        yield bare, plan


def test_plans_that_differ_in_more_have_no_shape(catalog: Catalog) -> None:
    """Whatever differs: a number that follows from the value, another one, the price, what is told beside."""
    one, (bare, plan) = planned(catalog, (40, 60))
    assert shape_of(one, (bare, plan)) is not None
    (release,) = plan.releases
    sql = release.bounded.sql
    for other in (
        replace(plan, cost=plan.cost + plan.cost),
        replace(plan, epsilon=plan.epsilon / 2),
        replace(plan, releases=()),
        *(
            replace(plan, releases=(replace(release, bounded=replace(release.bounded, **changed)),))
            for changed in (
                {"sql": f"{sql} LIMIT 61"},
                {"sql": f"{sql} LIMIT 60"},
                {"sql": sql.replace("60", "61")},
                {"sql": sql.replace('"age" < 60', "60 > 60")},
                {"groups": release.bounded.groups + 1},
                {"plain": sql},
                {"notes": ("60",)},
            )
        ),
    ):
        assert shape_of(one, (bare, other)) is None


def context_of(catalog: Catalog) -> Any:
    account = SimpleNamespace(catalog=catalog, terms=TERMS, ref=SimpleNamespace(analyst="alice"))
    engine = SimpleNamespace(dialect="duckdb")
    return SimpleNamespace(account=account, resources=SimpleNamespace(engine=engine, sizes={}, speed=Speed(60, 1e-7)))


def test_what_is_filled_is_checked(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    """A filling that the checker does not take is none: the plan is made after all."""
    low, high, (between, plan) = planned(catalog, (40, 60, 50))
    shape = shape_of(low, high)
    assert shape is not None
    assert made_plans.filled_plan(context_of(catalog), shape, between) == plan
    (release,) = plan.releases
    rows = replace(release.bounded, sql=release.bounded.sql.replace("COUNT(*)", "SUM(1000)"))
    for wrong in (
        replace(plan, cost=plan.cost.__class__(plan.cost.main / 2, plan.cost.delta)),
        replace(plan, releases=(replace(release, bounded=rows),)),
    ):
        monkeypatch.setattr(made_plans, "filled", lambda *_, wrong=wrong: wrong)
        assert made_plans.filled_plan(context_of(catalog), shape, between) is None


def test_a_shape_holds_between_what_was_planned(catalog: Catalog) -> None:
    shapes = PlanShapes()
    plans = dict(zip((40, 60, 39, 61, 80, 70), planned(catalog, (40, 60, 39, 61, 80, 70)), strict=True))
    for value in (40, 60):
        shapes.learn(*plans[value])
    assert [shapes.find(plans[value][0]) is not None for value in (39, 40, 60, 61)] == [False, True, True, False]
    shapes.learn(*plans[80])
    assert [shapes.find(plans[value][0]) is not None for value in (39, 61, 70, 80)] == [False, True, True, True]


async def test_no_text_is_read_where_others_wait(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    """A long one takes its time: in the thread where plans are made, which is for one analyst after the other."""
    read, threads = bare_values_module.parse_statement, list[int]()
    monkeypatch.setattr(bare_values_module, "parse_statement", lambda sql: threads.append(get_ident()) or read(sql))
    context = context_of(catalog)
    context.plans, context.stored = KeptPlans(), None

    async def elsewhere(_analyst: str, _ticket: Ticket, make: Callable[[], Any]) -> Any:
        return await asyncio.to_thread(make)

    backend = AnalystBackend(lambda: context, elsewhere=elsewhere)
    ages = ", ".join(map(str, range(100)))
    text = f"SELECT count(*) FROM people WHERE income > {{}} AND age IN ({ages})"
    plans = [await backend.plan(question(catalog, text.format(number))) for number in (40, 60, 50)]
    assert plans[2] == made(catalog, question(catalog, text.format(50)))
    assert threads and get_ident() not in threads


def test_long_values_are_not_kept_in_numbers(catalog: Catalog) -> None:
    """They are a part of the texts for the engine, or, where those do not read them, of what was asked."""
    kept, shapes = KeptPlans(), PlanShapes()
    for letter in "abcdefgh":
        asked = question(catalog, "SELECT count(*) FROM people WHERE city = $1", Parameter("text", letter * 200_000))
        plan = made(catalog, asked)
        assert isinstance(plan, Plan)
        kept.keep(asked, plan)
    assert 1 < len(kept.plans) < 8 and kept.characters <= MOST_CHARACTERS
    told = "SELECT count(*), $2::text FROM people WHERE age > $1"
    for size, is_kept in ((10, True), (100_000, False)):
        parameters = [(Parameter("integer", age), Parameter("text", "x" * size)) for age in ("40", "60", "50")]
        *first, last = (question(catalog, told, *each) for each in parameters)
        for asked in first:
            values, plan = bare_values(asked), made(catalog, asked)
            assert values is not None and isinstance(plan, Plan)
            shapes.learn(values, plan)
        between = bare_values(last)
        assert between is not None and (shapes.find(between) is not None) is is_kept


def test_many_conditions_are_read_one_by_one(catalog: Catalog) -> None:
    """As many as a statement may have: more than Python's stack holds."""
    found = bare_values(question(catalog, "SELECT count(*) FROM people WHERE age > 40" + " AND smoker" * 1_600))
    assert found is not None and [each.at for each in found.values] == [40]


def test_of_a_long_text_nothing_is_kept(catalog: Catalog) -> None:
    """So that what is kept of texts is small, whatever is asked."""
    before = bare_values_module._bare_lately.cache_info().misses
    short, long = (f"SELECT count(*) FROM people WHERE age >= 40 {'AND smoker ' * times}" for times in (1, 400))
    assert bare_values(question(catalog, long)) is not None
    assert bare_values_module._bare_lately.cache_info().misses == before
    assert bare_values(question(catalog, short)) is not None
    assert bare_values_module._bare_lately.cache_info().misses == before + 1

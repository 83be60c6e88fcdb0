"""Which statements are read as a filter over an earlier one's groups, and what becomes of them.

tests/clients/test_filtered.py has the answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lanes import sized
from worlds import MINE, NOW, SCRIPT, TERMS

from dpproxy.post_arrays import text
from dpproxy.rewrite import Parameter, Question, read_settings
from dpproxy.rewrite.reading.parse import parse_statement
from dpproxy.rewrite.retelling import may_filter, retellings
from dpproxy.rows import Column

COLUMNS = frozenset({"city", "sex", "smoker", "age", "income", "joined"})
ONE = "SELECT count(*) FROM people WHERE city = 'A'"
COUNT = 'SELECT a0 AS "c0" FROM groups WHERE'
CITIES = "SELECT city, count(*) FROM people GROUP BY city"
PAIRS = "SELECT city, sex, count(*), avg(age) FROM people WHERE age > 30 GROUP BY 1, 2 HAVING count(*) > 3 ORDER BY 3"


def filters(asked: Question) -> bool:
    """Whether it could be a filter over the groups of an earlier statement."""
    return may_filter(asked, parse_statement(asked.sql))


def question(sql: str, width: int = 1, *values: tuple[str, str | None]) -> Question:
    columns = tuple(Column(f"c{index}", "bigint") for index in range(width))
    parameters = tuple(Parameter(*each) for each in values)
    return Question(sql, parameters, columns, read_settings({"epsilon": "1"}, TERMS), {}, NOW)


def read(earlier: str, asked: Question) -> tuple[str, dict[int, set[str]]] | None:
    """What stands in the place of the earlier groups, without what they are; and what is wanted of them."""
    for found in retellings(asked, [earlier], COLUMNS):
        sql = found.question.sql
        assert found.earlier == earlier
        begin, end = sql.index("(SELECT"), sql.index(") AS dpproxy_again")
        shown = (sql[:begin] + "groups" + sql[end + len(") AS dpproxy_again") :]).replace("dpproxy_again.", "")
        return shown, {place: set(values) for place, values in found.wanted.items()}
    return None


@pytest.mark.parametrize(
    ("earlier", "asked", "width", "shown", "wanted"),
    [
        (CITIES, "SELECT count(*) FROM people p WHERE p.city = 'A'", 1, f"{COUNT} k0 = 'A'", {0: {"A"}}),
        (CITIES, "SELECT count(*) FROM people WHERE 'A' = city", 1, f"{COUNT} k0 = 'A'", {0: {"A"}}),
        (
            CITIES,
            "SELECT city, count(*) AS n FROM people WHERE city IN ('A', 'B') GROUP BY city ORDER BY c1 LIMIT 1",
            2,
            """SELECT k0 AS "c0", a0 AS "c1" FROM groups WHERE k0 IN ('A', 'B') ORDER BY c1 LIMIT 1""",
            {0: {"A", "B"}},
        ),
        (
            PAIRS,
            "SELECT sex, round(avg(age), 2) FROM people WHERE city = 'A' AND (age > 30) GROUP BY 1 HAVING count(*) > 9",
            2,
            """SELECT k1 AS "c0", ROUND(a1, 2) AS "c1" FROM groups WHERE a0 > 9 AND k0 = 'A'""",
            {0: {"A"}},
        ),
        (
            "SELECT smoker, age, count(*) FROM people GROUP BY smoker, age",
            "SELECT age, count(*) FROM people WHERE NOT smoker AND 18 <= age GROUP BY age",
            2,
            """SELECT k1 AS "c0", a0 AS "c1" FROM groups WHERE NOT k0 AND k1 >= 18""",
            {0: {"f"}},
        ),
        (
            "SELECT age % 10 AS d, count(*) FROM people GROUP BY d",
            "SELECT count(*) FROM people WHERE age % 10 = 3",
            1,
            f"{COUNT} k0 = 3",
            {0: {"3"}},
        ),
        (
            "SELECT joined, count(*) FROM people GROUP BY joined",
            "SELECT joined, count(*) FROM people WHERE joined BETWEEN DATE '2020-01-01' AND $1 GROUP BY joined",
            2,
            """SELECT k0 AS "c0", a0 AS "c1" FROM groups WHERE k0 BETWEEN CAST('2020-01-01' AS DATE) AND $1""",
            {},
        ),
    ],
)  # fmt: skip
def test_filters(earlier: str, asked: str, width: int, shown: str, wanted: dict[int, set[str]]) -> None:
    given = question(asked, width, ("date", "2020-01-31"))
    assert filters(given)
    assert read(earlier, given) == (shown, wanted)


def test_the_groups_are_those_of_the_earlier_statement() -> None:
    asked = question("SELECT avg(age) FROM people WHERE age > 30 AND city = 'A' AND sex = 'F'")
    [found] = retellings(asked, [PAIRS], COLUMNS)
    inner = "SELECT city AS k0, sex AS k1, COUNT(*) AS a0, AVG(age) AS a1 FROM people WHERE age > 30 GROUP BY city, sex"
    assert inner in found.question.sql
    assert replace(found.question, sql=asked.sql) == asked


@pytest.mark.parametrize(
    ("earlier", "asked"),
    [
        # other rows
        (CITIES, "SELECT count(*) FROM visits WHERE city = 'A'"),
        (CITIES, "SELECT count(*) FROM people WHERE city = 'A' AND age > 3"),
        ("SELECT city, count(*) FROM people WHERE age > 3 GROUP BY city", ONE),
        (CITIES, "SELECT count(*) FROM people JOIN visits USING (person_id) WHERE city = 'A'"),
        # other numbers, or several to be added up
        (CITIES, "SELECT sum(age) FROM people WHERE city = 'A'"),
        (CITIES, "SELECT count(*) FILTER (WHERE smoker) FROM people WHERE city = 'A'"),
        (CITIES, "SELECT count(*) FROM people WHERE city IN ('A', 'B')"),
        (PAIRS, "SELECT count(*) FROM people WHERE age > 30 AND city = 'A'"),
        (CITIES, "SELECT sex, count(*) FROM people WHERE city = 'A' GROUP BY sex"),
        # what is no filter on a key
        (CITIES, "SELECT count(*) FROM people WHERE city = 'A' OR sex = 'F'"),
        (CITIES, "SELECT count(*) FROM people WHERE city = sex"),
        (CITIES, "SELECT count(*) FROM people WHERE city = NULL"),
        (CITIES, "SELECT city, count(*) FROM people WHERE city < 'M' GROUP BY city"),
        (CITIES, "SELECT city, count(*) FROM people WHERE city < CAST('M' AS text) GROUP BY city"),
        (CITIES, "SELECT city, count(*) FROM people WHERE city = 'A' AND city IN ('A', 'B') GROUP BY city"),
        (CITIES, CITIES),
        # what is not understood whole
        (CITIES, "SELECT DISTINCT count(*) FROM people WHERE city = 'A'"),
        (CITIES, "WITH t AS (SELECT 1) SELECT count(*) FROM people WHERE city = 'A'"),
        (CITIES, "SELECT count(*), (SELECT 1) FROM people WHERE city = 'A'"),
        ("SELECT city, sex, count(*) FROM people GROUP BY ROLLUP (city, sex)", ONE),
        ("SELECT count(*) FROM people", ONE),
        ("CREATE TABLE t AS SELECT 1", ONE),
        # names that mean a column of the table, though an item is called so
        (
            "SELECT upper(city) AS city, count(*) FROM people GROUP BY city",
            "SELECT count(*) FROM people WHERE upper(city) = 'A'",
        ),
        (PAIRS, "SELECT upper(sex) AS sex FROM people WHERE age > 30 AND city = 'A' GROUP BY people.sex ORDER BY sex"),
    ],
)  # fmt: skip
def test_what_is_none(earlier: str, asked: str) -> None:
    for width in (1, 2):
        assert read(earlier, question(asked, width)) is None


def test_parameters_are_constants() -> None:
    sql = "SELECT count(*) FROM people WHERE city = $1"
    assert read(CITIES, question(sql, 1, ("text", "A"))) == (
        """SELECT a0 AS "c0" FROM groups WHERE k0 = $1""",
        {0: {"A"}},
    )
    assert read(CITIES, question(sql, 1, ("text", None))) is None
    assert read(CITIES, question(sql, 1)) is None
    smokers = "SELECT smoker, count(*) FROM people GROUP BY smoker"
    found = read(smokers, question("SELECT count(*) FROM people WHERE smoker = $1", 1, ("boolean", "true")))
    assert found is not None
    assert found[1] == {0: {"t"}}
    ranged = "SELECT city, count(*) FROM people WHERE city > $1 GROUP BY city"
    assert read(CITIES, question(ranged, 2, ("text", "A"))) is None


def test_what_may_be_a_filter() -> None:
    asked = question(ONE)
    assert filters(asked)
    assert not filters(replace(asked, settings=replace(asked.settings, fresh=True)))
    assert not filters(replace(asked, own={"mine": MINE}))
    assert not filters(question("SELECT count(*) FROM people"))
    assert not filters(question("SELECT count(*) FROM people WHERE city = sex"))


@pytest.fixture(scope="module")
def people() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute(SCRIPT)
        yield connection


KEYS = ("sex", "smoker", "city", "age % 3")
FILTERS = (
    *(
        "sex = 'F'",
        "'M' = sex",
        "smoker",
        "NOT smoker",
        "smoker = true",
        "city = 'Delft'",
        "city IN ('Delft', 'Gouda')",
    ),
    *("age % 3 = 1", "age % 3 > 0", "age % 3 BETWEEN 1 AND 2", "2 >= age % 3", "sex IN ('F')", "age % 3 IN (0, 2)"),
)
OTHERS = ("age > 30", "income < 50000", "city IS NOT NULL")
AGGREGATES = ("count(*)", "sum(age)", "avg(income)", "count(*) FILTER (WHERE age > 40)", "1 + count(*)")


@pytest.mark.larger
@given(data=st.data())
@settings(max_examples=sized(50, 150, 1500), deadline=None)
def test_it_means_what_was_asked(people: duckdb.DuckDBPyConnection, data: st.DataObject) -> None:
    """Without noise the retold text has the rows of what was asked, wherever the groups that it wants are there."""
    earlier_keys = data.draw(st.lists(st.sampled_from(KEYS), min_size=1, unique=True))
    rest = data.draw(st.lists(st.sampled_from(OTHERS), unique=True, max_size=2))
    earlier = select(earlier_keys, data.draw(aggregates), rest, "people")
    pins = data.draw(st.lists(st.sampled_from(FILTERS), min_size=1, max_size=3, unique=True))
    keys = data.draw(st.lists(st.sampled_from(earlier_keys), unique=True))
    used = data.draw(aggregates)
    sql = select(keys, used, data.draw(st.permutations([*rest, *pins])), "people AS p")
    for found in retellings(question(sql, len(keys) + len(used)), [earlier], COLUMNS):
        groups = people.execute(earlier).fetchall()
        wanted = found.wanted.items()
        there = {tuple(text(row[place]) for place, _ in wanted) for row in groups}
        if all(each in there for each in product(*(values for _, values in wanted))):
            told = sorted(map(repr, people.execute(found.question.sql.replace('"', "")).fetchall()))
            assert told == sorted(map(repr, people.execute(sql).fetchall()))


aggregates = st.lists(st.sampled_from(AGGREGATES), min_size=1, max_size=3, unique=True)


def select(keys: Sequence[str], used: Sequence[str], conditions: Sequence[str], source: str) -> str:
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    group = f" GROUP BY {', '.join(keys)}" if keys else ""
    return f"SELECT {', '.join([*keys, *used])} FROM {source}{where}{group}"

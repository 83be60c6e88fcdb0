"""Units: no statement makes Zelda count for more than the plan says, or hides whose rows they are.

Each attack moves the plain engine's answer by all that Zelda has, times what the statement multiplies it by. The proxy
refuses it, or moves by no more than EXPLAIN claims: asked at an ε so large that no noise is left.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest

from attacks.duel import Duel, Pair, Seen

pytestmark = pytest.mark.long

# Nobody's rows, or several people's: refused, with a hint.
REFUSED = {
    # Units mixed.
    "a join on what many share": "SELECT count(*) FROM visits a JOIN visits b ON a.dept = b.dept",
    "a cross join": "SELECT count(*) FROM people p, visits v WHERE v.cost > 400",
    "a comparison of two people": "SELECT count(*) FROM people p JOIN people q ON p.income < q.income",
    "two units": "SELECT count(*) FROM customer c JOIN people p ON p.age >= c.nationkey",
    "two units by their keys": "SELECT count(*) FROM customer c LEFT JOIN people p ON p.person_id >= c.custkey",
    "a key that is another's number": "SELECT count(*) FROM people p JOIN visits v ON p.person_id <> v.person_id",
    "a key after arithmetic": "SELECT count(*) FROM people p JOIN visits v ON p.person_id % 10 = v.person_id % 10",
    "a key within bounds": (
        "SELECT count(*) FROM people p JOIN visits v ON v.person_id BETWEEN p.person_id - 9 AND 2000"
    ),
    "a key, or not": "SELECT count(*) FROM people p JOIN visits v ON p.person_id = v.person_id OR v.cost > 400",
    "a key, negated": "SELECT count(*) FROM people p JOIN visits v ON NOT p.person_id = v.person_id",
    "a key that nobody has": (
        "SELECT count(*) FROM people p LEFT JOIN visits v ON coalesce(v.person_id, p.person_id) = p.person_id"
    ),
    "an alias in the key's place": (
        "SELECT count(*) FROM people p JOIN (SELECT visit_id % 400 AS person_id, cost FROM visits) v"
        " ON p.person_id = v.person_id"
    ),
    "a constant in the key's place": (
        "SELECT count(*) FROM people p JOIN (SELECT 7 AS person_id, cost FROM visits) v ON p.person_id = v.person_id"
    ),
    "a key swapped with another column": (
        "SELECT count(*) FROM people p JOIN (SELECT person_id AS v, visit_id - 100000 AS person_id FROM visits) t"
        " ON p.person_id = t.person_id"
    ),
    "keys of two rows, crossed": (
        "SELECT count(*) FROM visits a JOIN visits b ON a.person_id = b.visit_id - 99010 AND b.person_id > 0"
    ),
    "a natural join on other columns": (
        "SELECT count(*) FROM (SELECT age AS n FROM people) p NATURAL JOIN (SELECT i AS n FROM odds) o"
    ),
    # Rows of others in a subquery.
    "another's row in EXISTS": (
        "SELECT count(*) FROM people p WHERE EXISTS (SELECT FROM people q WHERE q.income > p.income + 1e9)"
    ),
    "the least, sorted": (
        "SELECT count(*) FROM people WHERE income >"
        " (SELECT income FROM people ORDER BY income DESC NULLS LAST LIMIT 1) - 1"
    ),
    "an array of others": "SELECT count(*) FROM people WHERE age = ANY (ARRAY(SELECT i FROM odds WHERE i = 64))",
    # Windows over everybody.
    "a rank among all": (
        "SELECT count(*) FROM (SELECT rank() OVER (ORDER BY income DESC NULLS LAST) AS r FROM people) t WHERE r > 1"
    ),
    "the row before": (
        "SELECT sum(d) FROM (SELECT age - lag(age) OVER (ORDER BY person_id) AS d FROM people) t WHERE d < 0"
    ),
    "a number in all rows": (
        "SELECT count(*) FROM (SELECT row_number() OVER (ORDER BY cost DESC) AS r, cost FROM visits) t WHERE r > 1500"
    ),
    # Rows chosen among all.
    "the first of all": (
        "SELECT count(*) FROM (SELECT cost FROM visits ORDER BY cost DESC LIMIT 300) t WHERE cost < 400"
    ),
    "all but the first": "SELECT sum(cost) FROM (SELECT cost FROM visits ORDER BY cost DESC OFFSET 300) t",
    "one of each": (
        "SELECT count(*) FROM (SELECT DISTINCT ON (dept) dept, cost FROM visits ORDER BY dept, cost DESC) t"
        " WHERE cost > 400"
    ),
    "distinct rows beside a window": (
        "SELECT count(*) FROM (SELECT DISTINCT cost, rank() OVER (ORDER BY cost) FROM visits) t WHERE cost > 400"
    ),
    "a sample of blocks of rows": "SELECT sum(cost) FROM visits TABLESAMPLE SYSTEM (100)",
    "a sample that is known": "SELECT count(*) FROM visits TABLESAMPLE BERNOULLI (100) REPEATABLE (7)",
    "the first, laterally": (
        "SELECT count(*) FROM departments d, LATERAL (SELECT cost FROM visits v WHERE v.dept = d.dept"
        " ORDER BY cost DESC LIMIT 1) t WHERE cost > 400"
    ),
    # Lost in set operations.
    "with the public": "SELECT count(*) FROM (SELECT dept FROM visits UNION ALL SELECT dept FROM departments) t",
    "with another unit": ("SELECT count(*) FROM (SELECT person_id FROM visits UNION ALL SELECT custkey FROM orders) t"),
    # Groups that are people.
    "a group for each": "SELECT person_id, count(*) FROM visits GROUP BY person_id",
    "a group for each, behind a name": "SELECT who, count(*) FROM (SELECT person_id AS who FROM visits) t GROUP BY who",
    "rows": "SELECT person_id, cost FROM visits WHERE cost > 400",
    "a merge of keys that nobody owns": (
        "SELECT count(*) FROM (SELECT person_id, dept FROM visits GROUP BY person_id, dept HAVING max(cost) > 400) t"
        " JOIN visits v ON v.dept = t.dept"
    ),
}

# Answered, one release after the other: what the first tells of all is noised and paid for when the second reads it.
IN_TURN = {
    "all others": "SELECT count(*) FROM people WHERE age >= ALL (SELECT i FROM odds WHERE i IS NOT NULL)",
    "another's rows in IN": (
        "SELECT count(*) FROM people WHERE age IN (SELECT age FROM people WHERE city = 'Zeldatown')"
    ),
    "the greatest of all, beside each": (
        "SELECT count(*) FROM (SELECT income, max(income) OVER () AS most FROM people) t WHERE income < most / 2"
    ),
    "the number of rows in each": ("SELECT count(*) FROM (SELECT count(*) OVER () AS n FROM people) t WHERE n > 400"),
    "a partition without the unit": (
        "SELECT count(*) FROM (SELECT count(*) OVER (PARTITION BY dept) AS n FROM visits) t WHERE n > 550"
    ),
    "the greatest of all": "SELECT count(*) FROM people WHERE income < (SELECT max(income) FROM people) / 2",
    "the greatest of her like": (
        "SELECT count(*) FROM people p WHERE income < (SELECT max(q.income) / 2 FROM people q WHERE q.sex = p.sex)"
    ),
    "the keys of many": (
        "SELECT count(*) FROM (SELECT dept FROM visits GROUP BY dept HAVING count(*) > 400) t"
        " JOIN visits v ON v.dept = t.dept"
    ),
}

# Answered: what is made of a number that was told.
OF_NUMBERS = {
    "the rows of a recursion": (
        "WITH RECURSIVE t(n) AS (SELECT count(*) FROM visits WHERE cost > 400"
        " UNION ALL SELECT n - 1 FROM t WHERE n > 0) SELECT count(*) FROM t"
    ),
}

# Answered: of keys of either side that many units have, or that are public, as if each said DISTINCT.
OF_KEYS = {
    "set against set": "SELECT count(*) FROM (SELECT age FROM people EXCEPT SELECT i FROM odds) t",
    "common rows": "SELECT count(*) FROM (SELECT city FROM people INTERSECT SELECT 'Zeldatown' FROM visits) t",
    "one of both": "SELECT count(*) FROM (SELECT i FROM odds UNION SELECT age FROM people) t",
    "all but hers": (
        "SELECT count(*) FROM (SELECT dept FROM departments EXCEPT SELECT dept FROM visits WHERE cost > 400) t"
    ),
}

# Answered: of however many rows, what Zelda moves is held to the plan's bound.
BOUNDED = {
    # Rows multiplied.
    "she has many rows": "SELECT count(*) FROM visits",
    "each pair of hers": "SELECT count(*) FROM visits a JOIN visits b ON a.person_id = b.person_id",
    "each triple, of some": (
        "SELECT count(*) FROM visits a JOIN visits b ON a.person_id = b.person_id JOIN odds o"
        " ON o.person_id = b.person_id WHERE o.i = 0"
    ),
    "a series beside each": "SELECT count(*) FROM visits, generate_series(1, 500) AS g(n)",
    "a series, laterally": "SELECT sum(g.n) FROM visits v CROSS JOIN LATERAL generate_series(1, 50) AS g(n)",
    "values beside each": "SELECT sum(c) FROM visits, (VALUES (1), (1), (1), (1)) AS t(c)",
    "a public table beside each": "SELECT count(*) FROM visits CROSS JOIN departments CROSS JOIN nation",
    "a public table many times": (
        "SELECT sum(least(greatest(d.beds, 0), 100)) FROM visits v JOIN departments d ON d.dept <> v.dept"
    ),
    "again and again": (
        "SELECT count(*) FROM (SELECT person_id FROM visits UNION ALL SELECT person_id FROM visits"
        " UNION ALL SELECT person_id FROM visits) t"
    ),
    "an outer join": "SELECT count(*) FROM people p LEFT JOIN visits v ON v.person_id = p.person_id",
    "a full join": "SELECT count(*) FROM people p FULL JOIN visits v ON v.person_id = p.person_id",
    "a right join": "SELECT count(*) FROM people p RIGHT JOIN visits v ON v.person_id = p.person_id",
    "hers, laterally": (
        "SELECT sum(t.n) FROM people p, LATERAL (SELECT count(*) AS n FROM visits v WHERE v.person_id = p.person_id) t"
    ),
    "a subquery's count": ("SELECT sum((SELECT count(*) FROM visits v WHERE v.person_id = p.person_id)) FROM people p"),
    "a window's number": (
        "SELECT sum(r) FROM (SELECT row_number() OVER (PARTITION BY person_id ORDER BY cost, visit_id) AS r"
        " FROM visits) t"
    ),
    "different values of hers": "SELECT count(DISTINCT visit_id) FROM visits",
    "different days of hers": "SELECT count(DISTINCT day) FROM visits WHERE cost > 400",
    # Values out of bounds.
    "what she paid": "SELECT sum(cost) FROM visits",
    "what she paid, squared": "SELECT sum(cost * cost) FROM visits",
    "what she earns": "SELECT sum(income) FROM people",
    "in groups of her own": "SELECT person_id * 1 + 0, count(*) FROM visits GROUP BY 1",
    "among different rows": "SELECT count(*) FROM (SELECT DISTINCT cost FROM visits) t WHERE cost > 400",
    "in groups": "SELECT dept, count(*), sum(cost) FROM visits GROUP BY dept",
    "in public groups": "SELECT sex, count(*), sum(income) FROM people GROUP BY sex",
    "in groups of all sets": "SELECT dept, count(*) FROM visits GROUP BY CUBE (dept)",
    "per unit, and then": (
        "SELECT sum(n), count(*) FROM (SELECT person_id, count(*) AS n FROM visits GROUP BY person_id) t"
    ),
    "decided by the greatest": (
        "SELECT sum(n) FROM (SELECT person_id, max(cost) AS n FROM visits GROUP BY person_id HAVING max(cost) > 400) t"
    ),
    "a filter": "SELECT count(*) FILTER (WHERE cost > 400) FROM visits",
    "a case": "SELECT sum(CASE WHEN cost > 400 THEN 1000000 ELSE 0 END) FROM visits",
    "after renaming": (
        "SELECT count(*) FROM (SELECT person_id AS cost, cost AS person_id FROM visits) t WHERE person_id > 400"
    ),
    "behind the key's name": ("SELECT count(*) FROM (SELECT 1 AS person_id, cost FROM visits) t WHERE cost > 400"),
    "in a table of her own": "WITH people AS (SELECT * FROM visits) SELECT count(*) FROM people",
    "in several tables of one name": (
        "WITH visits AS (SELECT v.* FROM visits v, generate_series(1, 9) AS g(n)),"
        " people AS (SELECT * FROM visits) SELECT count(*) FROM people"
    ),
}


@dataclass(frozen=True)
class Claim:
    """What one unit moves at most: the sum over all measures and keys, in their own units."""

    moves: float
    slack: float


@pytest.fixture
def exact(asking: Callable[[str], Pair]) -> Pair:
    """The analyst whose answers have no noise."""
    return asking("exact")


def claim(pair: Pair, sql: str) -> Claim:
    """What EXPLAIN says. The slack is a thousand steps and a rounding: noise that is left."""
    measures = [measure for release in releases(pair, sql) for measure in release["Measures"]]
    moves = sum(each["Sensitivity"] * each["Keys per Unit"] for each in measures)
    return Claim(moves, sum(50 * each["Standard Deviation"] + each["Step"] for each in measures))


def releases(pair: Pair, sql: str) -> list[dict[str, Any]]:
    """What EXPLAIN says of each."""
    said = pair.here.ask(f"EXPLAIN (FORMAT JSON) {sql}")
    assert said.error is None, (sql, said.error)
    document = said.rows[0][0]
    found: list[dict[str, Any]] = (document if isinstance(document, list) else json.loads(document))[0]["Releases"]
    return found


def moved(here: Seen, gone: Seen) -> float:
    """By how much the numbers of two answers differ, all rows together; texts and NULLs are keys."""
    return sum(abs(each) for each in _total(here, gone).values())


def _total(here: Seen, gone: Seen) -> Mapping[tuple[object, ...], float]:
    total: Counter[Any] = Counter()
    for seen, sign in ((here, 1), (gone, -1)):
        for row in seen.rows:
            key = tuple(value for value in row if not isinstance(value, int | float | Decimal))
            for place, value in enumerate(row):
                if isinstance(value, int | float | Decimal):
                    total[key, place] += sign * float(value)
    return total


def test_what_puts_people_together_is_refused(duel: Duel, mallory: Pair) -> None:
    wrong = []
    for name, sql in REFUSED.items():
        plain = duel.plain.ask(sql)
        if plain[0].error is None and not moved(*plain):
            wrong.append(f"{name}: no attack, it tells nothing of her: {plain[0].rows[:3]}")
        here, gone = mallory.ask(sql)
        if here.error is None or here.state not in ("DP002", "0A000", "42803", "42883"):
            wrong.append(f"{name}: {here}")
        if here != gone or here.charged:
            wrong.append(f"{name}: {here} against {gone}")
        if here.state == "DP002" and not (here.error and here.error[3]):
            wrong.append(f"{name}: no hint")
    assert not wrong, "\n".join(wrong)


def test_what_is_told_of_all_is_told_before_it_is_compared_with(duel: Duel, mallory: Pair) -> None:
    """As a release of its own, whose noised numbers are all that the next has of others' rows; both in one price."""
    for name, sql in IN_TURN.items():
        assert moved(*duel.plain.ask(sql)), name
        here, gone = mallory.ask(sql)
        assert here.outline == gone.outline, (name, here, gone)
        assert here.charged is not None, (name, here.error)
        assert here.charged[0] == 1
        first, second = releases(mallory, sql)
        assert (first["After"], first["Reads"]) == ([], []), name
        assert second["After"] == [1]
        assert {each["Release"] for each in second["Reads"]} == {1}, name
        assert all(each["Mechanism"] and each["Scale"] for each in (*first["Measures"], *second["Measures"])), name
        assert second["Bounded SQL"].count("person_id") <= 2, (name, "its own rows, and nobody's beside")


def test_a_recursion_is_of_numbers_that_were_told(duel: Duel, mallory: Pair) -> None:
    """The front makes it of the one release, which is all that is paid for."""
    for name, sql in OF_NUMBERS.items():
        assert moved(*duel.plain.ask(sql)), name
        here, gone = mallory.ask(sql)
        assert here.outline == gone.outline, (name, here, gone)
        assert here.charged is not None and here.charged[0] == 1, (name, here.error)
        (only,) = releases(mallory, sql)
        assert only["Reads"] == [] and all(each["Mechanism"] and each["Scale"] for each in only["Measures"]), name


def test_sets_are_of_keys_that_were_told(duel: Duel, mallory: Pair) -> None:
    """Her own keys are in none of them: they pass the threshold once in 1/δ answers."""
    for name, sql in OF_KEYS.items():
        assert moved(*duel.plain.ask(sql)), name
        here, gone = mallory.ask(sql)
        assert here.outline == gone.outline, (name, here, gone)
        assert here.charged is not None and here.charged[1] > 0, (name, here.error)
    assert mallory.ask(OF_KEYS["common rows"])[0].rows == ((0,),), "her town is no key that was told"


def test_a_sample_is_of_units_and_that_of_all_is_all(duel: Duel, mallory: Pair, exact: Pair) -> None:
    """What the coins leave of her moves no more than all of her; DuckDB itself samples other rows for these words."""
    everything, sampled = "SELECT count(*) FROM visits", "SELECT count(*) FROM visits TABLESAMPLE BERNOULLI ({})"
    most = claim(exact, sampled.format(100))
    assert most == claim(exact, everything)
    assert moved(*duel.plain.ask(everything)) > most.moves
    assert moved(*exact.ask(sampled.format(100))) <= most.moves + most.slack
    for rate in (100, 50, 0.1):
        here, gone = mallory.ask(sampled.format(rate))
        assert here.outline == gone.outline, rate
        assert here.charged == (1, 0)


def test_she_moves_no_answer_by_more_than_is_claimed(duel: Duel, exact: Pair) -> None:
    wrong, more = [], 0
    for name, sql in BOUNDED.items():
        plain, found, most = duel.plain.ask(sql), exact.ask(sql), claim(exact, sql)
        assert plain[1].error is None, (name, plain[1])
        more += plain[0].error is not None or moved(*plain) > most.moves
        if plain[0].error is None and not moved(*plain):
            wrong.append(f"{name}: no attack, it tells nothing of her")
        if found[0].error or found[0].outline != found[1].outline or not found[0].charged:
            wrong.append(f"{name}: {found[0].error} against {found[1].error}")
        elif moved(*found) > most.moves + most.slack:
            wrong.append(f"{name}: she moves it by {moved(*found)}, and the claim is {most}: {found[0].rows}")
    assert not wrong, "\n".join(wrong)
    assert more >= len(BOUNDED) // 2, "most of these move the plain answer by more than the proxy claims"

"""Windows over rows of several units, aggregates of whomever's rows that are joined, and recursive queries, on
neighbouring databases: no unit moves more than is claimed, whatever was released before."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from lanes import seed, sized
from neighbours import halls, rooms
from neighbours.dice import Dice
from neighbours.grammar import Statement
from neighbours.places import Hall
from neighbours.trial import planned, policy, tried
from scratch_postgres import MAJORS

SEED = seed()
WORLDS = sized(1, 4, 200)
NEAR = (
    "WITH RECURSIVE near AS (SELECT dept, building, 0 AS level FROM departments UNION ALL SELECT d.dept, d.building, "
    "n.level + 1 FROM departments d JOIN near n ON d.building = n.building WHERE n.level < 2) "
)
ASKED = (
    "SELECT COUNT(*), SUM(cost) FROM (SELECT cost, AVG(cost) OVER () AS a FROM visits) t WHERE cost > a",
    "SELECT dept, COUNT(*) FROM (SELECT dept, cost, MAX(cost) OVER (PARTITION BY dept) AS m FROM visits) t "
    "WHERE cost * 2 > m GROUP BY dept",
    "SELECT p.city, SUM(p.age) FROM (SELECT city, age, COUNT(*) OVER (PARTITION BY city) AS n FROM people) p "
    "WHERE p.n > 3 GROUP BY p.city",
    "SELECT q, COUNT(*), SUM(cost) FROM (SELECT cost, NTILE(4) OVER (ORDER BY day DESC) AS q FROM visits) t GROUP BY q",
    "SELECT sex, q, COUNT(*) FROM (SELECT sex, NTILE(3) OVER (PARTITION BY sex ORDER BY income) AS q FROM people) t "
    "GROUP BY sex, q",
    "SELECT COUNT(*), SUM(c) FROM (SELECT person_id, SUM(cost) AS c, AVG(SUM(cost)) OVER () AS a FROM visits "
    "GROUP BY person_id) t WHERE c > a",
    "SELECT DISTINCT flag, SUM(quantity) OVER (PARTITION BY flag) FROM lineitem",
    "SELECT flag, SUM(quantity) FROM (SELECT flag, quantity, ROW_NUMBER() OVER (ORDER BY price) AS r FROM lineitem) t "
    "GROUP BY flag",
    "SELECT COUNT(*), SUM((SELECT SUM(m.quantity) FROM lineitem m WHERE m.orderkey = l.orderkey)) FROM lineitem l "
    "WHERE l.price > (SELECT AVG(n.price) FROM lineitem n WHERE n.flag = l.flag)",
    f"{NEAR}SELECT n.level, COUNT(*), SUM(v.cost) FROM visits v JOIN near n ON n.dept = v.dept GROUP BY n.level",
    f"{NEAR}SELECT COUNT(*) FROM visits WHERE dept IN (SELECT dept FROM near WHERE level = 2)",
    "WITH RECURSIVE n(i) AS (SELECT 18 UNION ALL SELECT i + 1 FROM n WHERE i < 40) "
    "SELECT n.i, SUM(p.income) FROM people p JOIN n ON p.age BETWEEN n.i AND n.i + 5 GROUP BY n.i",
)
STATEMENTS = [Statement(sql, sql, {}, ()) for sql in ASKED]


@pytest.mark.parametrize("made", STATEMENTS, ids=ASKED)
def test_all_are_answered(made: Statement) -> None:
    assert planned(made, {}, policy()) is not None
    assert planned(made, {}, policy(), "postgres") is not None


@pytest.mark.larger
def test_no_unit_moves_more_than_the_plan_claims() -> None:
    for number in range(WORLDS):
        with rooms.opened(rooms.broken(Dice.seeded(f"windows {SEED} {number}")), policy()) as around:
            for made in STATEMENTS:
                tried(made, around, Random(f"{SEED} {number} {made.sql}"))


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    with halls.keyed(tmp_path_factory.mktemp("hall"), next(iter(MAJORS.values()))) as made:
        yield made


@pytest.mark.long
def test_no_unit_moves_more_in_postgres(hall: Hall) -> None:
    with rooms.opened_in(hall, rooms.broken(Dice.seeded(f"windows {SEED} in postgres"))) as around:
        for made in STATEMENTS:
            tried(made, around, Random(f"{SEED} in postgres {made.sql}"))

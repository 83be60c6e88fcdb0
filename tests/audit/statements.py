"""Statements over the world of sql_fixtures for the audit: aggregates by keys, the forms of the language, and random
ones of the grammar that the tests of neighbours have. Several texts of `SERIES` are asked in turn, as one."""

from __future__ import annotations

from itertools import product

from neighbours.dice import Dice
from neighbours.grammar import statement

from dpproxy.audit.asking import Statements

# A table more for that world's policy, each row of which belongs to a customer and to a supplier.
TWO_UNITS = """
[units.supplier]
table = "supplier"
key = "suppkey"
[tables.supplier]
unit = "supplier"
primary_key = ["suppkey"]
columns = { suppkey = { type = "bigint" } }
[tables.shipments]
units = { customer = { custkey = "customer.custkey" }, supplier = { suppkey = "supplier.suppkey" } }
columns = { custkey = { type = "bigint" }, suppkey = { type = "bigint" } }
"""
_OF_PEOPLE = (
    "count(*)",
    "count(income)",
    "sum(age)",
    "sum(income)",
    "avg(income)",
    "stddev(age)",
    "corr(age, income)",
    "count(DISTINCT city)",
    "count(*), sum(age), avg(income)",
)
_BY_PEOPLE = (
    "",
    "sex",
    "city",
    "smoker",
    "extract(year FROM joined)",
    "CASE WHEN age >= 60 THEN 'old' ELSE 'young' END",
    "sex, smoker",
    "sex, city",
)
_OF_VISITS = (
    "count(*)",
    "sum(cost)",
    "avg(cost)",
    "count(DISTINCT person_id)",
    "count(DISTINCT day)",
    "count(*) FILTER (WHERE cost > 100)",
)
_BY_VISITS = ("", "dept", "extract(month FROM day)", "building")
_OF_LINES = (
    "count(*)",
    "sum(quantity)",
    "sum(price * (1 - discount))",
    "avg(discount)",
    "count(DISTINCT orderkey)",
)
_BY_LINES = ("", "flag", "priority", "segment")
_VISITS = "visits JOIN departments USING (dept)"
_LINES = "lineitem JOIN orders USING (orderkey) JOIN customer USING (custkey)"

FORMS = """
SELECT DISTINCT city FROM people
SELECT count(*) FROM (SELECT DISTINCT city FROM people) AS t
SELECT city, count(*) FROM people GROUP BY city HAVING count(*) > 10 ORDER BY 2 DESC LIMIT 3
SELECT sex FROM people GROUP BY sex ORDER BY count(*) DESC LIMIT 1
SELECT priority, flag FROM orders JOIN lineitem USING (orderkey) GROUP BY 1, 2 ORDER BY count(*) DESC LIMIT 2
SELECT priority, flag, count(*) FROM orders JOIN lineitem USING (orderkey) GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 1
SELECT dept FROM visits JOIN departments USING (dept) GROUP BY dept ORDER BY count(*) DESC LIMIT 1
SELECT dp.median(age), max(age) FROM people
SELECT sex, mode() WITHIN GROUP (ORDER BY smoker) FROM people GROUP BY sex
SELECT mode() WITHIN GROUP (ORDER BY city) FROM people
SELECT string_agg(DISTINCT city, ',') FROM people
SELECT min(city), sum(DISTINCT age) FROM people
SELECT sex, array_agg(DISTINCT dept), count(*) FROM people JOIN visits USING (person_id) GROUP BY sex
SELECT sex, percentile_disc(ARRAY[0.1, 0.5, 0.9]) WITHIN GROUP (ORDER BY income) FROM people GROUP BY sex
SELECT dept, dp.median(cost) FROM visits GROUP BY dept
SELECT sex, count(*) * 100.0 / sum(count(*)) OVER () FROM people GROUP BY sex
SELECT sex, rank() OVER (ORDER BY count(*)) FROM people GROUP BY sex
SELECT max(n) FROM (SELECT dept, count(*) AS n FROM visits GROUP BY dept) AS t
SELECT avg(n) FROM (SELECT person_id, count(*) AS n FROM visits GROUP BY person_id) AS t
SELECT count(*) FROM (SELECT person_id, sum(cost) AS c FROM visits GROUP BY person_id) AS t WHERE c > 500
SELECT count(*) FROM people WHERE income > (SELECT avg(income) FROM people)
SELECT count(*) FROM people p WHERE EXISTS (SELECT 1 FROM visits v WHERE v.person_id = p.person_id AND v.cost > 300)
SELECT count(*) FROM people WHERE person_id IN (SELECT person_id FROM visits WHERE dept = 'cardio')
SELECT 'a' AS k, count(*) FROM people UNION ALL SELECT 'b', count(*) FROM visits
WITH t AS (SELECT sex, count(*) AS n FROM people GROUP BY sex) SELECT a.n - b.n FROM t a, t b WHERE a.sex < b.sex
SELECT sex, count(*) FROM people GROUP BY ROLLUP (sex)
SELECT sex, smoker, count(*) FROM people GROUP BY GROUPING SETS ((sex), (smoker))
SELECT (SELECT count(*) FROM people) + (SELECT count(*) FROM customer)
SELECT count(*) > 60 FROM people
SELECT d.dept, (SELECT count(*) FROM visits v WHERE v.dept = d.dept) FROM departments d
SELECT sum(least(greatest(cost, 0), 10)) FROM visits
SELECT count(*) FROM people WHERE 100 / age > 2
SELECT count(*) FROM people WHERE sqrt(age - 60) > 1
SELECT count(*) FROM people WHERE age * 1000000000 > 5
SELECT count(*) FROM people WHERE ln(income) > 1
SELECT sum(CASE WHEN sex = 'F' THEN income ELSE 0 END) FROM people
SELECT smoker, count(*) FILTER (WHERE sex = 'F'), sum(CASE sex WHEN 'M' THEN 1 ELSE 0 END) FROM people GROUP BY smoker
SELECT p.sex, avg(v.cost) FROM people p JOIN visits v USING (person_id) GROUP BY p.sex
SELECT p.sex, count(v.cost) FROM people p LEFT JOIN visits v USING (person_id) GROUP BY p.sex
SELECT count(*) FROM visits v JOIN visits w ON v.person_id = w.person_id
SELECT date_trunc('year', joined), count(*) FROM people GROUP BY 1
SELECT width_bucket(age, 0, 120, 4), count(*) FROM people GROUP BY 1
SELECT upper(city), count(*) FROM people GROUP BY 1
SELECT nation, count(*), sum(acctbal) FROM customer JOIN nation USING (nationkey) GROUP BY nation
SELECT priority, count(DISTINCT custkey) FROM orders GROUP BY priority
SELECT segment, sum(acctbal) FROM customer GROUP BY segment
SELECT count(*) FROM orders WHERE orderdate > DATE '1998-01-01' + 900
""".strip().splitlines()

SERIES = (
    ("SELECT count(*) FROM people", "SELECT count(*) FROM people WHERE income IS NULL OR income < 100"),
    ("SELECT sum(age) FROM people", "SELECT sum(age) FROM people WHERE age < 60"),
    ("SELECT count(*) FROM people", "SELECT count( * ) FROM people", "SELECT count(1) FROM people"),
)
_RANDOM = 110


def statements() -> list[Statements]:
    """All of them, the same each time."""
    texts = [_grouped(of, by, "people") for of, by in product(_OF_PEOPLE, _BY_PEOPLE)]
    texts += [_grouped(of, by, _VISITS if by == "building" else "visits") for of, by in product(_OF_VISITS, _BY_VISITS)]
    texts += [_grouped(of, by, _LINES) for of, by in product(_OF_LINES, _BY_LINES)]
    texts += FORMS
    texts += [statement(Dice.seeded(f"audit {number}")).sql for number in range(_RANDOM)]
    return [*((text,) for text in dict.fromkeys(texts)), *SERIES]


def _grouped(of: str, by: str, source: str) -> str:
    return f"SELECT {by}, {of} FROM {source} GROUP BY {by}" if by else f"SELECT {of} FROM {source}"

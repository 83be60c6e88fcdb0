"""What the fuzzers found, and what it was: every run begins with these, and each must be well for good."""

from __future__ import annotations

FOUND: dict[str, dict[bytes, str]] = {
    "wire": {},
    "session": {},
    "planner": {
        b"(SELECT count(*) FROM people p, LATERAL (SELECT    ) t)": "a derived table of no columns",
        b"SELECT avg(a) FROM (SELECT person_id, count(*) AS a FROM visits GROUP BY 99999999999999999999) t": "a place "
        "in the SELECT list that no machine word holds",
        b"SELECT count(*) FROM customer WHERE nationkey IN (SELECT nationkey FROM nation EXCEPT "
        b"SELECT 99999999999999999999)": "two aliases alike, where the sides of a set operation are of two types",
        b"SELECT count(*) FROM people WHERE joined > to_date(NULL)": "a call without an argument that it needs",
        b"WITH visits AS (SELECT * FROM people) SELECT (WITH p AS MATERIALIZED (SELECT count(*) FROM people p WHERE "
        b"(p.person_id, p.age) IN (SELECT v.person_id FROM visits PEOPLE)) TABLE p)": "a WITH of its own",
        b"SELECT count(*) FROM people WHERE div() IS NULL": "an operator written as a call, without operands",
    },
}

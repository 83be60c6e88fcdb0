-- no rows asked for: names and types, and nothing is charged
SELECT * FROM visits LIMIT 0;
-- =>
-- post: SELECT "visits"."visit_id" AS "visit_id", "visits"."person_id" AS "person_id", "visits"."day" AS "day", "visits"."cost" AS "cost", "visits"."dept" AS "dept" FROM (SELECT CAST(NULL AS bigint) AS "visit_id", CAST(NULL AS bigint) AS "person_id", CAST(NULL AS date) AS "day", CAST(NULL AS double precision) AS "cost", CAST(NULL AS text) AS "dept" WHERE FALSE) AS "visits" LIMIT 0

-- none can be
SELECT p.age, v.cost FROM people p JOIN visits v USING (person_id) WHERE 1 = 0 AND v.cost > 5 ORDER BY 1;
-- =>
-- post: SELECT "p"."age" AS "age", "v"."cost" AS "cost" FROM (SELECT CAST(NULL AS bigint) AS "person_id", CAST(NULL AS integer) AS "age", CAST(NULL AS text) AS "sex", CAST(NULL AS double precision) AS "income", CAST(NULL AS text) AS "city", CAST(NULL AS boolean) AS "smoker", CAST(NULL AS date) AS "joined" WHERE FALSE) AS "p" JOIN (SELECT CAST(NULL AS bigint) AS "visit_id", CAST(NULL AS bigint) AS "person_id", CAST(NULL AS date) AS "day", CAST(NULL AS double precision) AS "cost", CAST(NULL AS text) AS "dept" WHERE FALSE) AS "v" ON "p"."person_id" = "v"."person_id" WHERE 1 = 0 AND "v"."cost" > 5 ORDER BY "age"

-- a privilege tried
SELECT TRUE AS "_" FROM "public"."people" WHERE 1 <> 1 LIMIT 0;
-- =>
-- post: SELECT TRUE AS "_" FROM (SELECT CAST(NULL AS bigint) AS "person_id", CAST(NULL AS integer) AS "age", CAST(NULL AS text) AS "sex", CAST(NULL AS double precision) AS "income", CAST(NULL AS text) AS "city", CAST(NULL AS boolean) AS "smoker", CAST(NULL AS date) AS "joined" WHERE FALSE) AS "people" WHERE 1 <> 1 LIMIT 0

-- a release that is not asked for
SELECT * FROM (SELECT sex, count(*) AS n FROM people GROUP BY sex) AS q WHERE (0 = 1);
-- =>
-- post: SELECT "q"."sex" AS "sex", "q"."n" AS "n" FROM (SELECT "people"."sex" AS "sex", COUNT(*) AS "n" FROM (SELECT CAST(NULL AS bigint) AS "person_id", CAST(NULL AS integer) AS "age", CAST(NULL AS text) AS "sex", CAST(NULL AS double precision) AS "income", CAST(NULL AS text) AS "city", CAST(NULL AS boolean) AS "smoker", CAST(NULL AS date) AS "joined" WHERE FALSE) AS "people" GROUP BY "people"."sex") AS "q" WHERE (0 = 1)

-- in parentheses, and beside a public table
SELECT p.sex, v.*, d.beds FROM (people p JOIN visits v ON p.person_id = v.person_id), departments d WHERE NULL;
-- =>
-- post: SELECT "dpproxy joined p"."p.sex" AS "sex", "dpproxy joined p"."v.visit_id" AS "visit_id", "dpproxy joined p"."v.person_id" AS "person_id", "dpproxy joined p"."v.day" AS "day", "dpproxy joined p"."v.cost" AS "cost", "dpproxy joined p"."v.dept" AS "dept", "d"."beds" AS "beds" FROM (SELECT "p"."sex" AS "p.sex", "v"."visit_id" AS "v.visit_id", "v"."person_id" AS "v.person_id", "v"."day" AS "v.day", "v"."cost" AS "v.cost", "v"."dept" AS "v.dept" FROM (SELECT CAST(NULL AS bigint) AS "person_id", CAST(NULL AS integer) AS "age", CAST(NULL AS text) AS "sex", CAST(NULL AS double precision) AS "income", CAST(NULL AS text) AS "city", CAST(NULL AS boolean) AS "smoker", CAST(NULL AS date) AS "joined" WHERE FALSE) AS "p" JOIN (SELECT CAST(NULL AS bigint) AS "visit_id", CAST(NULL AS bigint) AS "person_id", CAST(NULL AS date) AS "day", CAST(NULL AS double precision) AS "cost", CAST(NULL AS text) AS "dept" WHERE FALSE) AS "v" ON "p"."person_id" = "v"."person_id") AS "dpproxy joined p", "public"."departments" AS "d" WHERE NULL

-- FETCH, with a CTE
WITH q AS (SELECT * FROM visits) SELECT day, cost FROM q FETCH FIRST 0 ROWS ONLY;
-- =>
-- post: WITH "q" AS (SELECT "visits"."visit_id" AS "visit_id", "visits"."person_id" AS "person_id", "visits"."day" AS "day", "visits"."cost" AS "cost", "visits"."dept" AS "dept" FROM (SELECT CAST(NULL AS bigint) AS "visit_id", CAST(NULL AS bigint) AS "person_id", CAST(NULL AS date) AS "day", CAST(NULL AS double precision) AS "cost", CAST(NULL AS text) AS "dept" WHERE FALSE) AS "visits") SELECT "q"."day" AS "day", "q"."cost" AS "cost" FROM "q" AS "q" FETCH FIRST 0 ROWS ONLY

-- groups of nothing
SELECT sex, count(*) FROM people WHERE false GROUP BY sex;
-- =>
-- post: SELECT "people"."sex" AS "sex", COUNT(*) AS "count" FROM (SELECT CAST(NULL AS bigint) AS "person_id", CAST(NULL AS integer) AS "age", CAST(NULL AS text) AS "sex", CAST(NULL AS double precision) AS "income", CAST(NULL AS text) AS "city", CAST(NULL AS boolean) AS "smoker", CAST(NULL AS date) AS "joined" WHERE FALSE) AS "people" WHERE FALSE GROUP BY "people"."sex"

-- HAVING that is false
SELECT count(*) FROM people HAVING 1 = 2;
-- =>
-- post: SELECT COUNT(*) AS "count" FROM (SELECT CAST(NULL AS bigint) AS "person_id", CAST(NULL AS integer) AS "age", CAST(NULL AS text) AS "sex", CAST(NULL AS double precision) AS "income", CAST(NULL AS text) AS "city", CAST(NULL AS boolean) AS "smoker", CAST(NULL AS date) AS "joined" WHERE FALSE) AS "people" HAVING 1 = 2

-- subqueries and sets
SELECT age FROM people WHERE person_id IN (SELECT person_id FROM visits) UNION ALL SELECT beds FROM departments LIMIT 0;
-- =>
-- post: SELECT "people"."age" AS "age" FROM (SELECT CAST(NULL AS bigint) AS "person_id", CAST(NULL AS integer) AS "age", CAST(NULL AS text) AS "sex", CAST(NULL AS double precision) AS "income", CAST(NULL AS text) AS "city", CAST(NULL AS boolean) AS "smoker", CAST(NULL AS date) AS "joined" WHERE FALSE) AS "people" WHERE "people"."person_id" IN (SELECT "visits"."person_id" AS "person_id" FROM (SELECT CAST(NULL AS bigint) AS "visit_id", CAST(NULL AS bigint) AS "person_id", CAST(NULL AS date) AS "day", CAST(NULL AS double precision) AS "cost", CAST(NULL AS text) AS "dept" WHERE FALSE) AS "visits") UNION ALL SELECT "departments"."beds" AS "beds" FROM "public"."departments" AS "departments" LIMIT 0

-- not empty: a count of nothing is a row
SELECT count(*) FROM people WHERE false;
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND FALSE) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- not empty: the row of all
SELECT sex, count(*) FROM people WHERE false GROUP BY ROLLUP (sex);
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND FALSE) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND FALSE) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0_sets.k0 AS "sex", dpproxy_0_sets.a0 AS "count" FROM (SELECT dpproxy_0.k0 AS k0, dpproxy_0.o0 AS a0 FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0" UNION ALL SELECT CAST(NULL AS TEXT) AS k0, dpproxy_1.o0 AS a0 FROM (SELECT * FROM UNNEST(CAST($3 AS BIGINT[])) AS r("o0")) AS "dpproxy_1") AS dpproxy_0_sets

-- not empty: nothing to group by
SELECT count(*) FROM people WHERE false GROUP BY ();
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND FALSE) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0_sets.a0 AS "count" FROM (SELECT dpproxy_0.o0 AS a0 FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0") AS dpproxy_0_sets

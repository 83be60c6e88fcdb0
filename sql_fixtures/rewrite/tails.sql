-- ORDER BY without LIMIT in a derived table says nothing
SELECT sex, count(*) FROM (SELECT sex, age FROM people ORDER BY age) t GROUP BY sex;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."u" AS u, s0."c0" AS k0 FROM (SELECT s0."person_id" AS u, s0."sex" AS c0, s0."age" AS c1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- ORDER BY and LIMIT over released rows
SELECT city, count(*) AS n FROM people GROUP BY city ORDER BY n DESC, city LIMIT 2;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- post: SELECT dpproxy_0.k0 AS "city", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0" ORDER BY "n" DESC, "city" LIMIT 2

-- LIMIT in a derived table of released rows
SELECT sum(n) FROM (SELECT city, count(*) AS n FROM people GROUP BY city ORDER BY 2 DESC, 1 LIMIT 2 OFFSET 1) t;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- post: SELECT SUM("t"."n") AS "sum" FROM (SELECT dpproxy_0.k0 AS "city", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0" ORDER BY "n" DESC, "city" LIMIT 2 OFFSET 1) AS "t"

-- LIMIT in a derived table of public rows
SELECT t.dept, count(*) FROM visits v JOIN (SELECT dept, beds FROM departments ORDER BY beds DESC, dept LIMIT 2) t USING (dept) GROUP BY t.dept;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0 FROM "visits" AS s0 JOIN (SELECT s0."dept" AS c0, s0."beds" AS c1 FROM "departments" AS s0 ORDER BY s0."beds" DESC NULLS FIRST, s0."dept" LIMIT 2) AS s1 ON s0."dept" = s1."c0" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0 FROM (SELECT s0."dept" AS c0, s0."beds" AS c1 FROM "departments" AS s0 ORDER BY s0."beds" DESC NULLS FIRST, s0."dept" LIMIT 2) AS s1
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "dept", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- a limited public query in a subquery
SELECT count(*) FROM visits WHERE dept IN (SELECT dept FROM departments ORDER BY beds LIMIT 2);
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND EXISTS(SELECT 1 FROM (SELECT q2_s0."dept" AS c0 FROM "departments" AS q2_s0 ORDER BY q2_s0."beds" LIMIT 2) AS q1_s0 WHERE s0."dept" = q1_s0."c0")) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- FETCH FIRST over released rows
SELECT city, count(*) FROM people GROUP BY city ORDER BY 2 DESC, 1 FETCH FIRST 2 ROWS ONLY;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- post: SELECT dpproxy_0.k0 AS "city", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0" ORDER BY "count" DESC, "city" FETCH FIRST 2 ROWS ONLY

-- the first rows of a release, joined with private ones
SELECT t.city, avg(age) FROM people p JOIN (SELECT city, count(*) AS n FROM people GROUP BY city ORDER BY n DESC, city LIMIT 2) t ON p.city = t.city GROUP BY t.city;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, COUNT(*) AS m1 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s1."c0" AS k0, CAST(CASE WHEN s0."age" > 120 THEN 120 WHEN s0."age" < 0 THEN 0 ELSE s0."age" END - 60 AS BIGINT) AS m0 FROM "people" AS s0 JOIN (SELECT s0."k0" AS c0, s0."o0" AS c1 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0, UNNEST(CAST($r0c1 AS BIGINT[])) AS o0) AS s0 ORDER BY s0."o0" DESC NULLS FIRST, s0."k0" LIMIT 2) AS s1 ON s0."city" = s1."c0" WHERE s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0 FROM (SELECT s0."k0" AS c0, s0."o0" AS c1 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0, UNNEST(CAST($r0c1 AS BIGINT[])) AS o0) AS s0 ORDER BY s0."o0" DESC NULLS FIRST, s0."k0" LIMIT 2) AS s1, r0c0, r0c1
-- m0: CENTRED -60..60 step 1
-- m1: ROWS 0..1 step 1
-- inputs: r0c0, r0c1
-- post: SELECT dpproxy_1.k0 AS "city", dpproxy_1.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DECIMAL[])) AS r("k0", "o0")) AS "dpproxy_1"

-- LIMIT over one row
SELECT count(*) FROM people LIMIT 1;
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0" LIMIT 1

-- ORDER BY what is not among the items
SELECT sex FROM people GROUP BY sex ORDER BY avg(age) DESC;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, COUNT(*) AS m1 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, CAST(CASE WHEN s0."age" > 120 THEN 120 WHEN s0."age" < 0 THEN 0 ELSE s0."age" END - 60 AS BIGINT) AS m0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: CENTRED -60..60 step 1
-- m1: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "sex" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DECIMAL[])) AS r("k0", "o0")) AS "dpproxy_0" ORDER BY dpproxy_0.o0 DESC

-- HAVING without GROUP BY
SELECT count(*) FROM people HAVING count(*) > 10;
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0" WHERE dpproxy_0.o0 > 10

-- FETCH FIRST in a public query
SELECT count(*) FROM visits JOIN (SELECT dept FROM departments ORDER BY beds FETCH FIRST 2 ROWS ONLY) d USING (dept);
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 JOIN (SELECT s0."dept" AS c0 FROM "departments" AS s0 ORDER BY s0."beds" LIMIT 2) AS s1 ON s0."dept" = s1."c0" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- LIMIT ALL is none
SELECT count(*) FROM visits JOIN (SELECT dept FROM departments ORDER BY beds LIMIT ALL) d USING (dept);
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 JOIN (SELECT s0."dept" AS c0 FROM "departments" AS s0) AS s1 ON s0."dept" = s1."c0" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- LIMIT of a constant expression, and OFFSET
SELECT count(*) FROM visits JOIN (SELECT dept FROM departments ORDER BY beds LIMIT 1 + 1 OFFSET 1) d USING (dept);
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 JOIN (SELECT s0."dept" AS c0 FROM "departments" AS s0 ORDER BY s0."beds" LIMIT 2 OFFSET 1) AS s1 ON s0."dept" = s1."c0" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- OFFSET and LIMIT by subqueries over released rows
SELECT sex, count(*) FROM people GROUP BY sex ORDER BY (SELECT count(*) FROM visits), sex LIMIT (SELECT 2) OFFSET (SELECT 0);
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0" ORDER BY (SELECT dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($3 AS BIGINT[])) AS r("o0")) AS "dpproxy_1"), "sex" LIMIT (SELECT 2 AS "_column_0") OFFSET (SELECT 0 AS "_column_0")

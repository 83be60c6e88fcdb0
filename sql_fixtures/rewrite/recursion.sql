-- the front works it out, and the engine is told its rows
WITH RECURSIVE near AS (SELECT dept, building, 0 AS level FROM departments WHERE beds > 16 UNION ALL SELECT d.dept, d.building, n.level + 1 FROM departments d JOIN near n ON d.building = n.building WHERE n.level < 2) SELECT n.dept, n.level, count(*), sum(v.cost) FROM visits v JOIN near n ON n.dept = v.dept GROUP BY n.dept, n.level;
-- =>
SELECT k0, k1, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT k0, k1, m0, m1 FROM (SELECT k0, k1, m0, m1, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0, NULLIF(NULLIF(CAST(k1 AS DOUBLE), 0), CAST('NaN' AS DOUBLE)))), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COUNT(*), 0), 20) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 800000) AS m1 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0, s1."c1" AS k1, CAST(CASE WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."cost" * CAST('100.0' AS DOUBLE)) WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT) AS m1 FROM "visits" AS s0 JOIN (SELECT UNNEST(CAST($t0c0 AS TEXT[])) AS c0, UNNEST(CAST($t0c1 AS INT[])) AS c1) AS s1 ON s1."c0" = s0."dept" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0, s1."c1" AS d1 FROM (SELECT UNNEST(CAST($t0c0 AS TEXT[])) AS c0, UNNEST(CAST($t0c1 AS INT[])) AS c1) AS s1, t0c0, t0c1
-- k1: column 1 of SELECT DISTINCT s1."c0" AS d0, s1."c1" AS d1 FROM (SELECT UNNEST(CAST($t0c0 AS TEXT[])) AS c0, UNNEST(CAST($t0c1 AS INT[])) AS c1) AS s1, t0c0, t0c1
-- m0: ROWS 0..20 step 1
-- m1: SUM 0..800000 step 0.01
-- inputs: t0c0, t0c1
-- post: SELECT dpproxy_0.k0 AS "dept", dpproxy_0.k1 AS "level", dpproxy_0.o0 AS "count", dpproxy_0.o1 AS "sum" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS INT[]), CAST($3 AS BIGINT[]), CAST($4 AS DOUBLE PRECISION[])) AS r("k0", "k1", "o0", "o1")) AS "dpproxy_0"

-- it reads others before it, by names that its search path does not change
WITH RECURSIVE large AS (SELECT dept, beds FROM departments WHERE beds > 10), halves AS (SELECT dept, beds FROM large UNION SELECT dept, beds / 2 FROM halves WHERE beds > 12), named AS (SELECT dept, max(beds) AS m FROM large GROUP BY dept) SELECT h.beds, count(*) FROM visits v JOIN halves h ON h.dept = v.dept JOIN named n ON n.dept = h.dept AND n.m = h.beds GROUP BY h.beds;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, NULLIF(NULLIF(CAST(k0 AS DOUBLE), 0), CAST('NaN' AS DOUBLE)))), k0) AS r FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."c1" AS k0 FROM "visits" AS s0 JOIN (SELECT UNNEST(CAST($t0c0 AS TEXT[])) AS c0, UNNEST(CAST($t0c1 AS INT[])) AS c1) AS s1 ON s1."c0" = s0."dept" JOIN (SELECT s0."g0" AS c0, s0."v0" AS c1 FROM (SELECT g0, MAX(a0) AS v0 FROM (SELECT s0."c0" AS g0, s0."c1" AS a0 FROM (SELECT s0."dept" AS c0, s0."beds" AS c1 FROM "departments" AS s0 WHERE s0."beds" > 10) AS s0) AS r GROUP BY g0) AS s0) AS s2 ON s2."c0" = s1."c0" AND s2."c1" = s1."c1" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c1" AS d0 FROM (SELECT UNNEST(CAST($t0c0 AS TEXT[])) AS c0, UNNEST(CAST($t0c1 AS INT[])) AS c1) AS s1 CROSS JOIN (SELECT s0."g0" AS c0, s0."v0" AS c1 FROM (SELECT g0, MAX(a0) AS v0 FROM (SELECT s0."c0" AS g0, s0."c1" AS a0 FROM (SELECT s0."dept" AS c0, s0."beds" AS c1 FROM "departments" AS s0 WHERE s0."beds" > 10) AS s0) AS r GROUP BY g0) AS s0) AS s2 WHERE s2."c0" = s1."c0" AND s2."c1" = s1."c1", t0c0, t0c1
-- m0: ROWS 0..20 step 1
-- inputs: t0c0, t0c1
-- post: WITH "large" AS (SELECT "departments"."dept" AS "dept", "departments"."beds" AS "beds" FROM "public"."departments" AS "departments" WHERE "departments"."beds" > 10), "named" AS (SELECT "large"."dept" AS "dept", MAX("large"."beds") AS "m" FROM "large" AS "large" GROUP BY "large"."dept") SELECT dpproxy_0.k0 AS "beds", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS INT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- numbers without any table, with named columns
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT n.i, count(p.age) FROM n LEFT JOIN people p ON p.age = 20 + n.i GROUP BY n.i;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, NULLIF(NULLIF(CAST(k0 AS DOUBLE), 0), CAST('NaN' AS DOUBLE)))), k0) AS r FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 100) AS m0 FROM (SELECT s1."person_id" AS u, s0."c0" AS k0 FROM (SELECT UNNEST(CAST($t0c0 AS INT[])) AS c0) AS s0 JOIN "people" AS s1 ON s1."age" = (CAST(20 AS BIGINT) + CAST(s0."c0" AS BIGINT)) WHERE s1."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS c) AS w WHERE r <= 8) AS l GROUP BY k0;
-- unit person: 100 rows, 8 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s0."c0" AS d0 FROM (SELECT UNNEST(CAST($t0c0 AS INT[])) AS c0) AS s0, t0c0
-- m0: ROWS 0..100 step 1
-- inputs: t0c0
-- note: rows that the outer join of "n" and "p" makes without a unit are dropped
-- post: SELECT dpproxy_0.k0 AS "i", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS INT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- in a subquery, and twice
WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i * 2 FROM n WHERE i < 40) SELECT count(*) FROM people p WHERE p.age IN (SELECT i FROM n) OR p.age > (SELECT max(i) FROM n);
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND (CASE WHEN EXISTS(SELECT 1 FROM (SELECT UNNEST(CAST($t0c0 AS INT[])) AS c0) AS q1_s0 WHERE s0."age" = q1_s0."c0") THEN TRUE WHEN EXISTS(SELECT 1 FROM (SELECT UNNEST(CAST($t0c0 AS INT[])) AS c0) AS q1_s0 WHERE (s0."age" = q1_s0."c0") IS NULL) THEN NULL ELSE FALSE END OR (s0."age" > (SELECT t."c0" FROM (SELECT q1_s0."v0" AS c0 FROM (SELECT MAX(a0) AS v0 FROM (SELECT q1_s0."c0" AS a0 FROM (SELECT UNNEST(CAST($t0c0 AS INT[])) AS c0) AS q1_s0) AS r) AS q1_s0) AS t)))) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- inputs: t0c0
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- two that read one another, one after the other
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3), m(i, j) AS (SELECT i, 20 FROM n UNION ALL SELECT i, j + 10 FROM m WHERE j < 40) SELECT m.j, count(*) FROM people p JOIN m ON p.age = m.i + m.j GROUP BY m.j;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, NULLIF(NULLIF(CAST(k0 AS DOUBLE), 0), CAST('NaN' AS DOUBLE)))), k0) AS r FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 100) AS m0 FROM (SELECT s0."person_id" AS u, s1."c1" AS k0 FROM "people" AS s0 JOIN (SELECT UNNEST(CAST($t0c0 AS INT[])) AS c0, UNNEST(CAST($t0c1 AS INT[])) AS c1) AS s1 ON s0."age" = (CAST(s1."c0" AS BIGINT) + CAST(s1."c1" AS BIGINT)) WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS c) AS w WHERE r <= 8) AS l GROUP BY k0;
-- unit person: 100 rows, 8 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c1" AS d0 FROM (SELECT UNNEST(CAST($t0c0 AS INT[])) AS c0, UNNEST(CAST($t0c1 AS INT[])) AS c1) AS s1, t0c0, t0c1
-- m0: ROWS 0..100 step 1
-- inputs: t0c0, t0c1
-- post: SELECT dpproxy_0.k0 AS "j", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS INT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- beside released rows the front reads it as it was written
WITH RECURSIVE n(i) AS (SELECT 20 UNION ALL SELECT i + 1 FROM n WHERE i < 25), a AS (SELECT age, count(*) AS c FROM people WHERE age BETWEEN 20 AND 23 GROUP BY age) SELECT n.i, a.c FROM n LEFT JOIN a ON a.age = n.i;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT s0."person_id" AS u, s0."age" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND (s0."age" BETWEEN 20 AND 23)) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- post: WITH "a" AS (SELECT dpproxy_0.k0 AS "age", dpproxy_0.o0 AS "c" FROM (SELECT * FROM UNNEST(CAST($1 AS INT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0") SELECT "n"."i" AS "i", "a"."c" AS "c" FROM (WITH RECURSIVE n(i) AS (SELECT 20 UNION ALL SELECT i + 1 FROM n WHERE i < 25) SELECT * FROM "n") AS "n" LEFT JOIN "a" AS "a" ON "a"."age" = "n"."i"

-- over released rows it is the front's
WITH RECURSIVE a AS (SELECT sex, count(*) AS c FROM people GROUP BY sex), r AS (SELECT sex, c, 1 AS level FROM a UNION ALL SELECT sex, c / 2, level + 1 FROM r WHERE level < 3) SELECT sex, level, c FROM r;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: WITH RECURSIVE "a" AS (SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "c" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"), "r" AS (SELECT "a"."sex" AS "sex", "a"."c" AS "c", 1 AS "level" FROM "a" AS "a" UNION ALL SELECT "r"."sex" AS "sex", "r"."c" / 2 AS "_column_1", "r"."level" + 1 AS "_column_2" FROM "r" AS "r" WHERE "r"."level" < 3) SELECT "r ~2"."sex" AS "sex", "r ~2"."level" AS "level", "r ~2"."c" AS "c" FROM "r" AS "r ~2"

-- a release within it
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < (SELECT count(*) / 100 FROM people)) SELECT i FROM n;
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: WITH RECURSIVE "n"("i") AS (SELECT 1 AS "i" UNION ALL SELECT "n"."i" + 1 AS "i" FROM "n" AS "n" WHERE "n"."i" < (SELECT dpproxy_0.o0 / 100 AS "_column_0" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0")) SELECT "n ~2"."i" AS "i" FROM "n" AS "n ~2"

-- keys that a recursive set is of
WITH RECURSIVE r AS (SELECT dept FROM visits UNION SELECT dept FROM r) SELECT dept FROM r;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT k0 FROM (SELECT k0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- post: WITH RECURSIVE "r" AS (SELECT dpproxy_0.k0 AS "dept" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[])) AS r("k0")) AS "dpproxy_0" UNION SELECT "r"."dept" AS "dept" FROM "r" AS "r") SELECT "r ~2"."dept" AS "dept" FROM "r" AS "r ~2"

-- what nothing reads is not run, and nothing is paid for it
WITH RECURSIVE endless AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM endless), other AS (SELECT i FROM endless), rows AS (SELECT person_id FROM people), ranked AS (SELECT rank() OVER (ORDER BY cost) AS r FROM visits), paid AS (SELECT dept, sum(cost) FROM visits GROUP BY dept) SELECT count(*) FROM people;
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

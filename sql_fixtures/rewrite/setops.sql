-- UNION ALL of rows of one unit
SELECT k, count(*) FROM (SELECT person_id, 'person' AS k FROM people UNION ALL SELECT person_id, 'visit' FROM visits) t GROUP BY k;
-- =>
SELECT v.k0 AS k0, CASE WHEN v.i = 0 THEN t.p0 WHEN v.i = 1 THEN t.p1 END AS m0 FROM (SELECT CAST(LEAST(GREATEST(COALESCE(SUM(p0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p0, CAST(LEAST(GREATEST(COALESCE(SUM(p1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p1 FROM (SELECT LEAST(CAST(COALESCE(s0, 0) & 2147483647 AS BIGINT), 21) AS p0, LEAST(CAST((COALESCE(s0, 0) >> 31) & 2147483647 AS BIGINT), 21) AS p1 FROM (SELECT u, SUM(CASE WHEN k0 = 'person' THEN 1 WHEN k0 = 'visit' THEN 2147483648 END) AS s0 FROM (SELECT s0."u" AS u, s0."c1" AS k0 FROM (SELECT s0."person_id" AS u, s0."person_id" AS c0, 'person' AS c1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL UNION ALL SELECT s0."person_id" AS u, s0."person_id" AS c0, 'visit' AS c1 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS r GROUP BY u) AS q WHERE s0 IS NOT NULL) AS c) AS t CROSS JOIN (SELECT v0.i AS i, v0.k0 AS k0 FROM (VALUES (0, 'person'), (1, 'visit')) AS v0(i, k0)) AS v;
-- unit person: 21 rows, 2 keys (FEW_PUBLIC_KEYS)
-- k0: values 'person', 'visit'
-- m0: ROWS 0..21 step 1
-- post: SELECT dpproxy_0.k0 AS "k", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- UNION ALL without the key among the columns
SELECT avg(x) FROM (SELECT age AS x FROM people UNION ALL SELECT age + 1 FROM people WHERE smoker) t;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT u, LEAST(GREATEST(COALESCE(SUM(m0), 0), -120), 122) AS m0, LEAST(GREATEST(COUNT(*), 0), 2) AS m1 FROM (SELECT s0."u" AS u, CAST(CASE WHEN s0."c0" > 121 THEN 121 WHEN s0."c0" < 0 THEN 0 ELSE s0."c0" END - 60 AS BIGINT) AS m0 FROM (SELECT h0.u AS u, CAST(h0."c0" AS BIGINT) AS c0 FROM (SELECT s0."person_id" AS u, s0."age" AS c0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS h0 WHERE h0.u IS NOT NULL UNION ALL SELECT s0."person_id" AS u, CAST(s0."age" AS BIGINT) + CAST(1 AS BIGINT) AS c0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."smoker") AS s0 WHERE s0."u" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 2 rows, 1 keys (NO_KEYS)
-- m0: CENTRED -120..122 step 1
-- m1: ROWS 0..2 step 1
-- post: SELECT dpproxy_0.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS DECIMAL[])) AS r("o0")) AS "dpproxy_0"

-- UNION within the unit
SELECT count(*) FROM (SELECT person_id, dept FROM visits WHERE cost > 100 UNION SELECT person_id, dept FROM visits WHERE cost < 300) t;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 40) AS m0 FROM (SELECT s0."u" AS u FROM (SELECT s0."person_id" AS u, s0."person_id" AS c0, s0."dept" AS c1 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."cost" > CAST('100.0' AS DOUBLE) UNION SELECT s0."person_id" AS u, s0."person_id" AS c0, s0."dept" AS c1 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."cost" < CAST('300.0' AS DOUBLE)) AS s0 WHERE s0."u" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 40 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..40 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- INTERSECT within the unit
SELECT count(*) FROM (SELECT person_id FROM visits WHERE dept = 'cardio' INTERSECT SELECT person_id FROM visits WHERE dept = 'neuro') t;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 1) AS m0 FROM (SELECT s0."u" AS u FROM (SELECT s0."person_id" AS u, s0."person_id" AS c0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."dept" = 'cardio' INTERSECT SELECT s0."person_id" AS u, s0."person_id" AS c0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."dept" = 'neuro') AS s0 WHERE s0."u" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- EXCEPT within the unit
SELECT count(*) FROM (SELECT person_id FROM people EXCEPT SELECT person_id FROM visits WHERE cost > 50) t;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 1) AS m0 FROM (SELECT s0."u" AS u FROM (SELECT s0."person_id" AS u, s0."person_id" AS c0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL EXCEPT SELECT s0."person_id" AS u, s0."person_id" AS c0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."cost" > CAST('50.0' AS DOUBLE)) AS s0 WHERE s0."u" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- EXCEPT ALL and INTERSECT ALL
SELECT count(*) FROM (SELECT person_id, dept FROM visits EXCEPT ALL SELECT person_id, dept FROM visits WHERE cost > 200 INTERSECT ALL SELECT person_id, dept FROM visits) t;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."u" AS u FROM (SELECT s0."person_id" AS u, s0."person_id" AS c0, s0."dept" AS c1 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL EXCEPT ALL (SELECT s0."person_id" AS u, s0."person_id" AS c0, s0."dept" AS c1 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."cost" > CAST('200.0' AS DOUBLE) INTERSECT ALL SELECT s0."person_id" AS u, s0."person_id" AS c0, s0."dept" AS c1 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL)) AS s0 WHERE s0."u" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- three sides
SELECT k, count(*) FROM (SELECT person_id, 1 AS k FROM people UNION ALL SELECT person_id, 2 FROM visits UNION ALL SELECT person_id, 3 FROM visits WHERE cost > 200) t GROUP BY k;
-- =>
SELECT v.k0 AS k0, CASE WHEN v.i = 0 THEN t.p0 WHEN v.i = 1 THEN t.p1 WHEN v.i = 2 THEN t.p2 END AS m0 FROM (SELECT CAST(LEAST(GREATEST(COALESCE(SUM(p0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p0, CAST(LEAST(GREATEST(COALESCE(SUM(p1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p1, CAST(LEAST(GREATEST(COALESCE(SUM(p2), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p2 FROM (SELECT LEAST(CAST(COALESCE(s0, 0) & 2147483647 AS BIGINT), 41) AS p0, LEAST(CAST((COALESCE(s0, 0) >> 31) & 2147483647 AS BIGINT), 41) AS p1, LEAST(CAST((COALESCE(s0, 0) >> 62) & 2147483647 AS BIGINT), 41) AS p2 FROM (SELECT u, SUM(CASE WHEN k0 = 1 THEN 1 WHEN k0 = 2 THEN 2147483648 WHEN k0 = 3 THEN 4611686018427387904 END) AS s0 FROM (SELECT s0."u" AS u, s0."c1" AS k0 FROM ((SELECT s0."person_id" AS u, s0."person_id" AS c0, 1 AS c1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL UNION ALL SELECT s0."person_id" AS u, s0."person_id" AS c0, 2 AS c1 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) UNION ALL SELECT s0."person_id" AS u, s0."person_id" AS c0, 3 AS c1 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."cost" > CAST('200.0' AS DOUBLE)) AS s0 WHERE s0."u" IS NOT NULL) AS r GROUP BY u) AS q WHERE s0 IS NOT NULL) AS c) AS t CROSS JOIN (SELECT v0.i AS i, v0.k0 AS k0 FROM (VALUES (0, 1), (1, 2), (2, 3)) AS v0(i, k0)) AS v;
-- unit person: 41 rows, 3 keys (FEW_PUBLIC_KEYS)
-- k0: values 1, 2, 3
-- m0: ROWS 0..41 step 1
-- post: SELECT dpproxy_0.k0 AS "k", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS INT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- joined with the person
SELECT sex, count(*) FROM (SELECT person_id FROM visits WHERE dept = 'cardio' UNION SELECT person_id FROM visits WHERE dept = 'neuro') t JOIN people USING (person_id) GROUP BY sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 40) AS m0 FROM (SELECT s0."u" AS u, s1."sex" AS k0 FROM (SELECT s0."person_id" AS u, s0."person_id" AS c0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."dept" = 'cardio' UNION SELECT s0."person_id" AS u, s0."person_id" AS c0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."dept" = 'neuro') AS s0 JOIN "people" AS s1 ON s0."u" = s1."person_id" WHERE s0."u" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') END) AS c GROUP BY k0;
-- unit person: 40 rows, 1 keys (KEY_OF_UNIT)
-- k0: values 'F', 'M'
-- m0: ROWS 0..40 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- the key in another place
SELECT count(*) FROM (SELECT dept, person_id FROM visits UNION SELECT dept, person_id FROM visits) t JOIN people p ON p.person_id = t.person_id;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 40) AS m0 FROM (SELECT s0."u" AS u FROM (SELECT s0."person_id" AS u, s0."dept" AS c0, s0."person_id" AS c1 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL UNION SELECT s0."person_id" AS u, s0."dept" AS c0, s0."person_id" AS c1 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS s0 JOIN "people" AS s1 ON s1."person_id" = s0."u" WHERE s0."u" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 40 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..40 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- UNION ALL of releases
SELECT 'all' AS k, count(*) AS n FROM people UNION ALL SELECT sex, count(*) FROM people GROUP BY sex ORDER BY n, k;
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT 'all' AS "k", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0" UNION ALL SELECT dpproxy_1.k0 AS "sex", dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($2 AS TEXT[]), CAST($3 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_1" ORDER BY "n", "k"

-- UNION of releases, in a CTE
WITH a AS (SELECT city AS k, count(*) AS n FROM people GROUP BY city UNION SELECT dept, count(*) FROM visits GROUP BY dept) SELECT count(*), sum(n) FROM a;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- m0: ROWS 0..20 step 1
-- post: WITH "a" AS (SELECT dpproxy_0.k0 AS "k", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0" UNION SELECT dpproxy_1.k0 AS "dept", dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($3 AS TEXT[]), CAST($4 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_1") SELECT COUNT(*) AS "count", SUM("a"."n") AS "sum" FROM "a" AS "a"

-- INTERSECT and EXCEPT of releases
SELECT city FROM people GROUP BY city HAVING count(*) > 20 INTERSECT SELECT city FROM people WHERE age > 30 GROUP BY city EXCEPT SELECT 'Delft';
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."age" > 30) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- post: SELECT dpproxy_0.k0 AS "city" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0" WHERE dpproxy_0.o0 > 20 INTERSECT SELECT dpproxy_1.k0 AS "city" FROM (SELECT * FROM UNNEST(CAST($3 AS TEXT[])) AS r("k0")) AS "dpproxy_1" EXCEPT SELECT 'Delft' AS "_column_0"

-- a release and public rows
SELECT building AS k, 0 AS n FROM departments UNION ALL SELECT city, count(*) FROM people GROUP BY city;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- post: SELECT "departments"."building" AS "k", 0 AS "n" FROM "public"."departments" AS "departments" UNION ALL SELECT dpproxy_0.k0 AS "city", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- public rows together, joined
SELECT t.k, count(*) FROM visits v JOIN (SELECT dept AS k FROM departments WHERE beds > 16 UNION SELECT 'neuro') t ON t.k = v.dept GROUP BY t.k;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0 FROM "visits" AS s0 JOIN (SELECT s0."dept" AS c0 FROM "departments" AS s0 WHERE s0."beds" > 16 UNION SELECT 'neuro' AS c0) AS s1 ON s1."c0" = s0."dept" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0 FROM (SELECT s0."dept" AS c0 FROM "departments" AS s0 WHERE s0."beds" > 16 UNION SELECT 'neuro' AS c0) AS s1
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "k", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- declared values of both sides are the keys
SELECT s, count(*) FROM (SELECT sex AS s FROM people WHERE sex = 'F' UNION ALL SELECT sex FROM people WHERE sex = 'M') t GROUP BY s;
-- =>
SELECT v.k0 AS k0, CASE WHEN v.i = 0 THEN t.p0 WHEN v.i = 1 THEN t.p1 END AS m0 FROM (SELECT CAST(LEAST(GREATEST(COALESCE(SUM(p0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p0, CAST(LEAST(GREATEST(COALESCE(SUM(p1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p1 FROM (SELECT LEAST(CAST(COALESCE(s0, 0) & 2147483647 AS BIGINT), 2) AS p0, LEAST(CAST((COALESCE(s0, 0) >> 31) & 2147483647 AS BIGINT), 2) AS p1 FROM (SELECT u, SUM(CASE WHEN k0 = 'F' THEN 1 WHEN k0 = 'M' THEN 2147483648 END) AS s0 FROM (SELECT s0."u" AS u, s0."c0" AS k0 FROM (SELECT s0."person_id" AS u, s0."sex" AS c0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."sex" = 'F' UNION ALL SELECT s0."person_id" AS u, s0."sex" AS c0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."sex" = 'M') AS s0 WHERE s0."u" IS NOT NULL) AS r GROUP BY u) AS q WHERE s0 IS NOT NULL) AS c) AS t CROSS JOIN (SELECT v0.i AS i, v0.k0 AS k0 FROM (VALUES (0, 'F'), (1, 'M')) AS v0(i, k0)) AS v;
-- unit person: 2 rows, 2 keys (FEW_PUBLIC_KEYS)
-- k0: values 'F', 'M'
-- m0: ROWS 0..2 step 1
-- post: SELECT dpproxy_0.k0 AS "s", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- an expression beside a column: both are held alike
SELECT avg(x) FROM (SELECT age AS x FROM people UNION ALL SELECT age + 1 FROM people WHERE smoker) t;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT u, LEAST(GREATEST(COALESCE(SUM(m0), 0), -120), 122) AS m0, LEAST(GREATEST(COUNT(*), 0), 2) AS m1 FROM (SELECT s0."u" AS u, CAST(CASE WHEN s0."c0" > 121 THEN 121 WHEN s0."c0" < 0 THEN 0 ELSE s0."c0" END - 60 AS BIGINT) AS m0 FROM (SELECT h0.u AS u, CAST(h0."c0" AS BIGINT) AS c0 FROM (SELECT s0."person_id" AS u, s0."age" AS c0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS h0 WHERE h0.u IS NOT NULL UNION ALL SELECT s0."person_id" AS u, CAST(s0."age" AS BIGINT) + CAST(1 AS BIGINT) AS c0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."smoker") AS s0 WHERE s0."u" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 2 rows, 1 keys (NO_KEYS)
-- m0: CENTRED -120..122 step 1
-- m1: ROWS 0..2 step 1
-- post: SELECT dpproxy_0.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS DECIMAL[])) AS r("o0")) AS "dpproxy_0"

-- numbers of two types
SELECT sum(x) FROM (SELECT age AS x FROM people UNION ALL SELECT cost FROM visits) t;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 84000000) AS m0 FROM (SELECT s0."u" AS u, CAST(CASE WHEN (s0."c0" * CAST('10000.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."c0" * CAST('10000.0' AS DOUBLE)) <= 4000000 THEN (s0."c0" * CAST('10000.0' AS DOUBLE)) WHEN (s0."c0" * CAST('10000.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 4000000 END AS BIGINT) AS m0 FROM (SELECT h0.u AS u, CAST(h0."c0" AS DOUBLE) AS c0 FROM (SELECT s0."person_id" AS u, s0."age" AS c0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS h0 WHERE h0.u IS NOT NULL UNION ALL SELECT s0."person_id" AS u, s0."cost" AS c0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 21 rows, 1 keys (NO_KEYS)
-- m0: SUM 0..84000000 step 0.0001
-- post: SELECT dpproxy_0.o0 AS "sum" FROM (SELECT * FROM UNNEST(CAST($1 AS DOUBLE PRECISION[])) AS r("o0")) AS "dpproxy_0"

-- UNION of numbers of two types, within the unit
SELECT count(*) FROM (SELECT person_id, age AS x FROM people UNION SELECT person_id, cost FROM visits) t;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 21) AS m0 FROM (SELECT s0."u" AS u FROM (SELECT h0.u AS u, h0."c0" AS c0, CAST(h0."c1" AS DOUBLE) AS c1 FROM (SELECT s0."person_id" AS u, s0."person_id" AS c0, s0."age" AS c1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS h0 WHERE h0.u IS NOT NULL UNION SELECT s0."person_id" AS u, s0."person_id" AS c0, s0."cost" AS c1 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 21 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..21 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- IN a union whose sides are held in different types
SELECT count(*) FROM customer WHERE nationkey IN (SELECT nationkey FROM nation UNION SELECT 2.5);
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."custkey" AS u FROM "customer" AS s0 WHERE s0."custkey" IS NOT NULL AND EXISTS(SELECT 1 FROM (SELECT CAST(h0."c0" AS DECIMAL(11, 1)) AS c0 FROM (SELECT q2_s0."nationkey" AS c0 FROM "nation" AS q2_s0) AS h0 UNION SELECT CAST(h0."c0" AS DECIMAL(11, 1)) AS c0 FROM (SELECT 2.5 AS c0) AS h0) AS q1_s0 WHERE s0."nationkey" = q1_s0."c0")) AS r;
-- unit customer: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- public rows that are nobody's: released keys are taken away
SELECT dept FROM departments EXCEPT SELECT dept FROM visits;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT k0 FROM (SELECT k0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- post: SELECT "departments"."dept" AS "dept" FROM "public"."departments" AS "departments" EXCEPT SELECT dpproxy_0.k0 AS "dept" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[])) AS r("k0")) AS "dpproxy_0"

-- UNION without the unit's key is of keys
SELECT count(*) FROM (SELECT dept FROM visits UNION SELECT dept FROM visits WHERE cost > 100) t;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT k0 FROM (SELECT k0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
SELECT k0, COUNT(*) AS n FROM (SELECT k0 FROM (SELECT k0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."cost" > CAST('100.0' AS DOUBLE)) AS r GROUP BY u, k0) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- post: SELECT COUNT(*) AS "count" FROM (SELECT dpproxy_0.k0 AS "dept" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[])) AS r("k0")) AS "dpproxy_0" UNION SELECT dpproxy_1.k0 AS "dept" FROM (SELECT * FROM UNNEST(CAST($2 AS TEXT[])) AS r("k0")) AS "dpproxy_1") AS "t"

-- INTERSECT of what many share is of keys
SELECT count(*) FROM (SELECT city FROM people WHERE smoker INTERSECT SELECT city FROM people WHERE NOT smoker) t;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."smoker") AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND NOT s0."smoker") AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- post: SELECT COUNT(*) AS "count" FROM (SELECT dpproxy_0.k0 AS "city" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[])) AS r("k0")) AS "dpproxy_0" INTERSECT SELECT dpproxy_1.k0 AS "city" FROM (SELECT * FROM UNNEST(CAST($2 AS TEXT[])) AS r("k0")) AS "dpproxy_1") AS "t"

-- an answer of a set operation is of keys
SELECT city FROM people UNION SELECT building FROM departments ORDER BY 1;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- post: SELECT dpproxy_0.k0 AS "city" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[])) AS r("k0")) AS "dpproxy_0" UNION SELECT "departments"."building" AS "building" FROM "public"."departments" AS "departments" ORDER BY "city"

-- what a side reads is released once
SELECT city FROM people WHERE age > (SELECT avg(age) FROM people) INTERSECT SELECT city FROM people WHERE smoker;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, COUNT(*) AS m1 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN s0."age" > 120 THEN 120 WHEN s0."age" < 0 THEN 0 ELSE s0."age" END - 60 AS BIGINT) AS m0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: CENTRED -60..60 step 1
-- m1: ROWS 0..1 step 1
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND CAST(s0."age" AS DOUBLE) > (SELECT t."c0" FROM (SELECT q1_s0."o0" AS c0 FROM (SELECT UNNEST(CAST($r0c0 AS DOUBLE[])) AS o0) AS q1_s0) AS t)) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- inputs: r0c0
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."smoker") AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- post: SELECT dpproxy_1.k0 AS "city" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[])) AS r("k0")) AS "dpproxy_1" INTERSECT SELECT dpproxy_2.k0 AS "city" FROM (SELECT * FROM UNNEST(CAST($2 AS TEXT[])) AS r("k0")) AS "dpproxy_2"

-- keys of two units
SELECT sex FROM people UNION SELECT segment FROM customer;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."custkey" AS u, s0."segment" AS k0 FROM "customer" AS s0 WHERE s0."custkey" IS NOT NULL) AS q WHERE k0 IN ('AUTOMOBILE', 'BUILDING', 'MACHINERY')) AS r GROUP BY k0;
-- unit customer: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'AUTOMOBILE', 'BUILDING', 'MACHINERY'
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "sex" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[])) AS r("k0")) AS "dpproxy_0" UNION SELECT dpproxy_1.k0 AS "segment" FROM (SELECT * FROM UNNEST(CAST($2 AS TEXT[])) AS r("k0")) AS "dpproxy_1"

-- private rows beside a released mean
WITH a AS (SELECT avg(age) AS m FROM people) SELECT count(*) FROM people, a WHERE age > m;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, COUNT(*) AS m1 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN s0."age" > 120 THEN 120 WHEN s0."age" < 0 THEN 0 ELSE s0."age" END - 60 AS BIGINT) AS m0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: CENTRED -60..60 step 1
-- m1: ROWS 0..1 step 1
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 CROSS JOIN (SELECT s0."o0" AS c0 FROM (SELECT UNNEST(CAST($r0c0 AS DOUBLE[])) AS o0) AS s0) AS s1 WHERE s0."person_id" IS NOT NULL AND CAST(s0."age" AS DOUBLE) > s1."c0") AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- inputs: r0c0
-- post: WITH "a" AS (SELECT dpproxy_0.o0 AS "m" FROM (SELECT * FROM UNNEST(CAST($2 AS DECIMAL[])) AS r("o0")) AS "dpproxy_0") SELECT dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_1"

-- private rows joined with released groups
SELECT p.sex, count(*) FROM people p JOIN (SELECT sex, avg(age) AS m FROM people GROUP BY sex) a ON a.sex = p.sex WHERE p.age > a.m GROUP BY p.sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, COUNT(*) AS m1 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, CAST(CASE WHEN s0."age" > 120 THEN 120 WHEN s0."age" < 0 THEN 0 ELSE s0."age" END - 60 AS BIGINT) AS m0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: CENTRED -60..60 step 1
-- m1: ROWS 0..1 step 1
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 JOIN (SELECT s0."k0" AS c0, s0."o0" AS c1 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0, UNNEST(CAST($r0c1 AS DOUBLE[])) AS o0) AS s0) AS s1 ON s1."c0" = s0."sex" WHERE s0."person_id" IS NOT NULL AND CAST(s0."age" AS DOUBLE) > s1."c1") AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- inputs: r0c0, r0c1
-- post: SELECT dpproxy_1.k0 AS "sex", dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_1"

-- keys of a release are public keys of the next
SELECT a.city, count(*) FROM people p JOIN (SELECT city FROM people GROUP BY city HAVING count(*) > 50) a ON a.city = p.city GROUP BY a.city;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s1."c0" AS k0 FROM "people" AS s0 JOIN (SELECT s0."k0" AS c0 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0, UNNEST(CAST($r0c1 AS BIGINT[])) AS o0) AS s0 WHERE s0."o0" > 50) AS s1 ON s1."c0" = s0."city" WHERE s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0 FROM (SELECT s0."k0" AS c0 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0, UNNEST(CAST($r0c1 AS BIGINT[])) AS o0) AS s0 WHERE s0."o0" > 50) AS s1, r0c0, r0c1
-- m0: ROWS 0..1 step 1
-- inputs: r0c0, r0c1
-- post: SELECT dpproxy_1.k0 AS "city", dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_1"

-- a ratio to a grand total
SELECT sex, count(*)::float8 / sum(count(*)) OVER () FROM people GROUP BY sex;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", CAST(dpproxy_0.o0 AS DOUBLE PRECISION) / NULLIF(SUM(dpproxy_0.o0) OVER (), '0') AS "_column_1" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- two aggregates joined
SELECT a.sex, a.n, b.m FROM (SELECT sex, count(*) AS n FROM people GROUP BY sex) a JOIN (SELECT p.sex, avg(v.cost) AS m FROM people p JOIN visits v USING (person_id) GROUP BY p.sex) b ON a.sex = b.sex;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), -400000), 400000) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 20) AS m1 FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, CAST(CASE WHEN (s1."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s1."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s1."cost" * CAST('100.0' AS DOUBLE)) WHEN (s1."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END - 20000 AS BIGINT) AS m0, CASE WHEN s1."cost" IS NOT NULL AND s1."cost" <> CAST('NaN' AS DOUBLE) THEN 1 END AS m1 FROM "people" AS s0 JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') END) AS c GROUP BY k0;
-- unit person: 20 rows, 1 keys (KEY_OF_UNIT)
-- k0: values 'F', 'M'
-- m0: CENTRED -400000..400000 step 0.01
-- m1: VALUES 0..20 step 1
-- post: SELECT "a"."sex" AS "sex", "a"."n" AS "n", "b"."m" AS "m" FROM (SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0") AS "a" JOIN (SELECT dpproxy_1.k0 AS "sex", dpproxy_1.o0 AS "m" FROM (SELECT * FROM UNNEST(CAST($3 AS TEXT[]), CAST($4 AS DOUBLE PRECISION[])) AS r("k0", "o0")) AS "dpproxy_1") AS "b" ON "a"."sex" = "b"."sex"

-- two aggregates in a full join
SELECT coalesce(a.dept, b.dept), a.n, b.n FROM (SELECT dept, count(*) AS n FROM visits WHERE cost < 200 GROUP BY dept) a FULL JOIN (SELECT dept, count(*) AS n FROM visits WHERE cost >= 200 GROUP BY dept) b ON a.dept = b.dept;
-- =>
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."cost" < CAST('200.0' AS DOUBLE)) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- m0: ROWS 0..20 step 1
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."cost" >= CAST('200.0' AS DOUBLE)) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- m0: ROWS 0..20 step 1
-- post: SELECT COALESCE("a"."dept", "b"."dept") AS "coalesce", "a"."n" AS "_column_1", "b"."n" AS "_column_2" FROM (SELECT dpproxy_0.k0 AS "dept", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0") AS "a" FULL JOIN (SELECT dpproxy_1.k0 AS "dept", dpproxy_1.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($3 AS TEXT[]), CAST($4 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_1") AS "b" ON "a"."dept" = "b"."dept"

-- a CTE used twice is released once
WITH a AS (SELECT dept, count(*) AS n FROM visits GROUP BY dept) SELECT x.dept, x.n - y.n FROM a x CROSS JOIN a y WHERE x.dept < y.dept;
-- =>
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- m0: ROWS 0..20 step 1
-- post: WITH "a" AS (SELECT dpproxy_0.k0 AS "dept", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0") SELECT "x"."dept" AS "dept", "x"."n" - "y"."n" AS "_column_1" FROM "a" AS "x" CROSS JOIN "a" AS "y" WHERE "x"."dept" < "y"."dept"

-- the same question twice is released once
SELECT (SELECT count(*) FROM people) + (SELECT count(*) FROM people) AS twice;
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT (SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0") + (SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($2 AS BIGINT[])) AS r("o0")) AS "dpproxy_0") AS "twice"

-- nested aggregates over released rows
SELECT avg(n), max(n) FROM (SELECT city, count(*) AS n FROM people GROUP BY city) t;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- post: SELECT AVG("t"."n") AS "avg", MAX("t"."n") AS "max" FROM (SELECT dpproxy_0.k0 AS "city", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0") AS "t"

-- a release, a release that reads it, a release that reads that
WITH a AS (SELECT avg(age) AS m FROM people), b AS (SELECT avg(income) AS m FROM people, a WHERE age > a.m) SELECT count(*) FROM people, b WHERE income > b.m;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, COUNT(*) AS m1 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN s0."age" > 120 THEN 120 WHEN s0."age" < 0 THEN 0 ELSE s0."age" END - 60 AS BIGINT) AS m0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: CENTRED -60..60 step 1
-- m1: ROWS 0..1 step 1
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN s0."income" < 0 THEN 0 WHEN s0."income" <= 500000 THEN s0."income" WHEN s0."income" < CAST('NaN' AS DOUBLE) THEN 500000 END - 250000 AS BIGINT) AS m0, CASE WHEN s0."income" IS NOT NULL AND s0."income" <> CAST('NaN' AS DOUBLE) THEN 1 END AS m1 FROM "people" AS s0 CROSS JOIN (SELECT s0."o0" AS c0 FROM (SELECT UNNEST(CAST($r0c0 AS DOUBLE[])) AS o0) AS s0) AS s1 WHERE s0."person_id" IS NOT NULL AND CAST(s0."age" AS DOUBLE) > s1."c0") AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: CENTRED -250000..250000 step 1
-- m1: VALUES 0..1 step 1
-- inputs: r0c0
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 CROSS JOIN (SELECT s0."o0" AS c0 FROM (SELECT UNNEST(CAST($r1c0 AS DOUBLE[])) AS o0) AS s0) AS s1 WHERE s0."person_id" IS NOT NULL AND s0."income" > s1."c0") AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- inputs: r1c0
-- post: WITH "a" AS (SELECT dpproxy_0.o0 AS "m" FROM (SELECT * FROM UNNEST(CAST($2 AS DECIMAL[])) AS r("o0")) AS "dpproxy_0"), "b" AS (SELECT dpproxy_1.o0 AS "m" FROM (SELECT * FROM UNNEST(CAST($3 AS DOUBLE PRECISION[])) AS r("o0")) AS "dpproxy_1") SELECT dpproxy_2.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_2"

-- released rows compared with private ones by a subquery
SELECT dept, count(*) FROM visits v WHERE cost > (SELECT avg(cost) FROM visits) GROUP BY dept;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT u, LEAST(GREATEST(COALESCE(SUM(m0), 0), -400000), 400000) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 20) AS m1 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."cost" * CAST('100.0' AS DOUBLE)) WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END - 20000 AS BIGINT) AS m0, CASE WHEN s0."cost" IS NOT NULL AND s0."cost" <> CAST('NaN' AS DOUBLE) THEN 1 END AS m1 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: CENTRED -400000..400000 step 0.01
-- m1: VALUES 0..20 step 1
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."cost" > (SELECT t."c0" FROM (SELECT q1_s0."o0" AS c0 FROM (SELECT UNNEST(CAST($r0c0 AS DOUBLE[])) AS o0) AS q1_s0) AS t)) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- m0: ROWS 0..20 step 1
-- inputs: r0c0
-- post: SELECT dpproxy_1.k0 AS "dept", dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_1"

-- a release over a join with a public table, of released rows
SELECT d.building, sum(t.n) FROM departments d JOIN (SELECT dept, count(*) AS n FROM visits GROUP BY dept) t ON t.dept = d.dept GROUP BY d.building;
-- =>
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- m0: ROWS 0..20 step 1
-- post: SELECT "d"."building" AS "building", SUM("t"."n") AS "sum" FROM "public"."departments" AS "d" JOIN (SELECT dpproxy_0.k0 AS "dept", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0") AS "t" ON "t"."dept" = "d"."dept" GROUP BY "d"."building"

-- a percentage by group, of a CTE
WITH t AS (SELECT p.sex, v.dept, count(*) AS n FROM people p JOIN visits v USING (person_id) GROUP BY 1, 2) SELECT sex, dept, round(100.0 * n / sum(n) OVER (PARTITION BY sex), 1) AS part FROM t ORDER BY 1, 2;
-- =>
SELECT k0, k1, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, k1, m0 FROM (SELECT k0, k1, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0, k1)), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, s1."dept" AS k1 FROM "people" AS s0 JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') AND (STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL) END) AS c) AS w WHERE r <= 8) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 8 keys (KEYS_LIMITED)
-- k0: values 'F', 'M'
-- k1: private
-- m0: ROWS 0..20 step 1
-- post: WITH "t" AS (SELECT dpproxy_0.k0 AS "sex", dpproxy_0.k1 AS "dept", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_0") SELECT "t"."sex" AS "sex", "t"."dept" AS "dept", ROUND(100.0 * "t"."n" / NULLIF(SUM("t"."n") OVER (PARTITION BY "t"."sex"), '0'), 1) AS "part" FROM "t" AS "t" ORDER BY "sex", "dept"

-- private rows LEFT JOINed with released ones
SELECT count(*), count(a.n) FROM people p LEFT JOIN (SELECT city, count(*) AS n FROM people WHERE age > 30 GROUP BY city) a ON a.city = p.city;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."age" > 30) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
SELECT COUNT(*) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT s0."person_id" AS u, CASE WHEN s1."c1" IS NOT NULL THEN 1 END AS m1 FROM "people" AS s0 LEFT JOIN (SELECT s0."k0" AS c0, s0."o0" AS c1 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0, UNNEST(CAST($r0c1 AS BIGINT[])) AS o0) AS s0) AS s1 ON s1."c0" = s0."city" WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- m1: VALUES 0..1 step 1
-- inputs: r0c0, r0c1
-- post: SELECT dpproxy_1.o0 AS "_column_0", dpproxy_1.o1 AS "_column_1" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[])) AS r("o0", "o1")) AS "dpproxy_1"

-- a window over released rows, joined with private ones
SELECT t.r, count(*) FROM people p JOIN (SELECT city, rank() OVER (ORDER BY count(*) DESC, city) AS r FROM people GROUP BY city) t ON t.city = p.city GROUP BY t.r;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, NULLIF(NULLIF(CAST(k0 AS DOUBLE), 0), CAST('NaN' AS DOUBLE)))), k0) AS r FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 100) AS m0 FROM (SELECT s0."person_id" AS u, s1."c1" AS k0 FROM "people" AS s0 JOIN (SELECT s0."c0" AS c0, s0."w0" AS c1 FROM (SELECT c0, c1, c2, RANK() OVER (ORDER BY "c1" DESC NULLS FIRST, "c2") AS w0 FROM (SELECT s0."k0" AS c0, s0."o0" AS c1, s0."k0" AS c2 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0, UNNEST(CAST($r0c1 AS BIGINT[])) AS o0) AS s0) AS r) AS s0) AS s1 ON s1."c0" = s0."city" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS c) AS w WHERE r <= 8) AS l GROUP BY k0;
-- unit person: 100 rows, 8 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c1" AS d0 FROM (SELECT s0."c0" AS c0, s0."w0" AS c1 FROM (SELECT c0, c1, c2, RANK() OVER (ORDER BY "c1" DESC NULLS FIRST, "c2") AS w0 FROM (SELECT s0."k0" AS c0, s0."o0" AS c1, s0."k0" AS c2 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0, UNNEST(CAST($r0c1 AS BIGINT[])) AS o0) AS s0) AS r) AS s0) AS s1, r0c0, r0c1
-- m0: ROWS 0..100 step 1
-- inputs: r0c0, r0c1
-- post: SELECT dpproxy_1.k0 AS "r", dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_1"

-- released rows compared with all of a release
SELECT x.city, x.n FROM (SELECT city, count(*) AS n FROM people GROUP BY city) x WHERE x.n >= ALL (SELECT count(*) FROM people GROUP BY city);
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- post: SELECT "x"."city" AS "city", "x"."n" AS "n" FROM (SELECT dpproxy_0.k0 AS "city", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0") AS "x" WHERE "x"."n" >= ALL (SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($3 AS TEXT[]), CAST($4 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0")

-- HAVING against a mean of the same release
SELECT city, count(*) FROM people GROUP BY city HAVING count(*) > (SELECT avg(n) FROM (SELECT count(*) AS n FROM people GROUP BY city) t);
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- post: SELECT dpproxy_0.k0 AS "city", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0" WHERE dpproxy_0.o0 > (SELECT AVG("t"."n") AS "avg" FROM (SELECT dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($3 AS TEXT[]), CAST($4 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0") AS "t")

-- DISTINCT over a window over a release
SELECT DISTINCT sex, count(*) OVER () FROM people GROUP BY sex;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT DISTINCT dpproxy_0.k0 AS "sex", COUNT(*) OVER () AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[])) AS r("k0")) AS "dpproxy_0"

-- decisions about released numbers
SELECT count(*) > 0, CASE WHEN (SELECT count(*) FROM people) > 100 THEN 'many' END FROM people WHERE age > 70;
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."age" > 70) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 > 0 AS "_column_0", CASE WHEN (SELECT dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($2 AS BIGINT[])) AS r("o0")) AS "dpproxy_1") > 100 THEN 'many' END AS "case" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- a total below its parts
SELECT dept, n, sum(n) OVER (ORDER BY dept) FROM (SELECT dept, count(*) AS n FROM visits GROUP BY dept) t UNION ALL SELECT 'total', count(*), NULL FROM visits ORDER BY 1;
-- =>
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- m0: ROWS 0..20 step 1
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT "t"."dept" AS "dept", "t"."n" AS "n", SUM("t"."n") OVER (ORDER BY "t"."dept") AS "sum" FROM (SELECT dpproxy_0.k0 AS "dept", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($2 AS TEXT[]), CAST($3 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0") AS "t" UNION ALL SELECT 'total' AS "_column_0", dpproxy_1.o0 AS "count", NULL AS "_column_2" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_1" ORDER BY "dept"

-- rows of a release with the largest of it
SELECT * FROM (SELECT city, count(*) AS n FROM people GROUP BY city) t WHERE n = (SELECT max(n) FROM (SELECT city, count(*) AS n FROM people GROUP BY city) u);
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- post: SELECT "t"."city" AS "city", "t"."n" AS "n" FROM (SELECT dpproxy_0.k0 AS "city", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0") AS "t" WHERE "t"."n" = (SELECT MAX("u"."n") AS "max" FROM (SELECT dpproxy_0.k0 AS "city", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($3 AS TEXT[]), CAST($4 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0") AS "u")

-- an element of an array, and a format
SELECT q[1] < q[3] AS rising, (ARRAY['few', 'many'])[1 + (n > 100)::int], format('%s of %-6s%%', n, round(a)) FROM (SELECT percentile_cont(ARRAY[0.1, 0.5, 0.9]) WITHIN GROUP (ORDER BY income) AS q, count(*) AS n, avg(age) AS a FROM people) t;
-- =>
SELECT COUNT(*) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN s0."age" > 120 THEN 120 WHEN s0."age" < 0 THEN 0 ELSE s0."age" END - 60 AS BIGINT) AS m1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- m1: CENTRED -60..60 step 1
SELECT b, COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u, CASE WHEN s0."income" IS NOT NULL AND s0."income" <> CAST('NaN' AS DOUBLE) THEN CAST(CASE WHEN (s0."income" / CAST('8.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."income" / CAST('8.0' AS DOUBLE)) <= 62500 THEN (s0."income" / CAST('8.0' AS DOUBLE)) WHEN (s0."income" / CAST('8.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 62500 END AS BIGINT) END AS b FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r WHERE b IS NOT NULL GROUP BY b;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: HISTOGRAM 0..1 step 1
-- told: QuantileTree 1/10, 1/2, 9/10 of m0 among 62501
-- post: SELECT "t"."q"[1] < "t"."q"[3] AS "rising", (ARRAY['few', 'many'])[1 + CAST(("t"."n" > 100) AS INT)] AS "array", FORMAT('%s of %-6s%%', "t"."n", ROUND("t"."a")) AS "format" FROM (SELECT ARRAY[dpproxy_0.q0, dpproxy_0.q1, dpproxy_0.q2] AS "q", dpproxy_0.o0 AS "n", dpproxy_0.o1 AS "a" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS DECIMAL[]), CAST($3 AS DOUBLE PRECISION[]), CAST($4 AS DOUBLE PRECISION[]), CAST($5 AS DOUBLE PRECISION[])) AS r("o0", "o1", "q0", "q1", "q2")) AS "dpproxy_0") AS "t"

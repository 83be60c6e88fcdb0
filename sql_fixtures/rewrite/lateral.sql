-- the last visit of each person
SELECT sex, avg(t.cost) FROM people p, LATERAL (SELECT cost FROM visits v WHERE v.person_id = p.person_id ORDER BY day DESC, visit_id LIMIT 1) t GROUP BY sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), -20000), 20000) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 1) AS m1 FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, CAST(CASE WHEN (s1."c0" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s1."c0" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s1."c0" * CAST('100.0' AS DOUBLE)) WHEN (s1."c0" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END - 20000 AS BIGINT) AS m0, CASE WHEN s1."c0" IS NOT NULL AND s1."c0" <> CAST('NaN' AS DOUBLE) THEN 1 END AS m1 FROM "people" AS s0 JOIN (SELECT s0."u" AS u, s0."c0" AS c0, s0."u" AS c1 FROM (SELECT s0."u" AS u, s0."c0" AS c0, s0."u" AS c1, s0."w0" AS c2 FROM (SELECT u, c0, c1, c2, c3, c4, ROW_NUMBER() OVER (PARTITION BY u, "c2" ORDER BY "c3" DESC NULLS FIRST, "c4", "c0", "c1", "c2") AS w0 FROM (SELECT s0."person_id" AS u, s0."cost" AS c0, s0."person_id" AS c1, s0."person_id" AS c2, s0."day" AS c3, s0."visit_id" AS c4 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c2" <= 1) AS s1 ON s1."u" = s0."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') END) AS c GROUP BY k0;
-- unit person: 1 rows, 1 keys (KEY_OF_UNIT)
-- k0: values 'F', 'M'
-- m0: CENTRED -20000..20000 step 0.01
-- m1: VALUES 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DOUBLE PRECISION[])) AS r("k0", "o0")) AS "dpproxy_0"

-- the two dearest visits, by CROSS JOIN LATERAL
SELECT sex, sum(t.cost) FROM people p CROSS JOIN LATERAL (SELECT cost FROM visits WHERE person_id = p.person_id ORDER BY cost DESC LIMIT 2) AS t GROUP BY sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 80000) AS m0 FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, CAST(CASE WHEN (s1."c0" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s1."c0" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s1."c0" * CAST('100.0' AS DOUBLE)) WHEN (s1."c0" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT) AS m0 FROM "people" AS s0 JOIN (SELECT s0."u" AS u, s0."c0" AS c0, s0."u" AS c1 FROM (SELECT s0."u" AS u, s0."c0" AS c0, s0."u" AS c1, s0."w0" AS c2 FROM (SELECT u, c0, c1, c2, c3, ROW_NUMBER() OVER (PARTITION BY u, "c2" ORDER BY "c3" DESC NULLS FIRST, "c0", "c1", "c2") AS w0 FROM (SELECT s0."person_id" AS u, s0."cost" AS c0, s0."person_id" AS c1, s0."person_id" AS c2, s0."cost" AS c3 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c2" <= 2) AS s1 ON s1."u" = s0."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') END) AS c GROUP BY k0;
-- unit person: 2 rows, 1 keys (KEY_OF_UNIT)
-- k0: values 'F', 'M'
-- m0: SUM 0..80000 step 0.01
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "sum" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DOUBLE PRECISION[])) AS r("k0", "o0")) AS "dpproxy_0"

-- people without visits are kept
SELECT count(*), count(t.cost) FROM people p LEFT JOIN LATERAL (SELECT cost FROM visits v WHERE v.person_id = p.person_id ORDER BY cost DESC, visit_id LIMIT 1) t ON TRUE;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 1) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 1) AS m1 FROM (SELECT s0."person_id" AS u, CASE WHEN s1."c0" IS NOT NULL AND s1."c0" <> CAST('NaN' AS DOUBLE) THEN 1 END AS m1 FROM "people" AS s0 LEFT JOIN (SELECT s0."u" AS u, s0."c0" AS c0, s0."u" AS c1 FROM (SELECT s0."u" AS u, s0."c0" AS c0, s0."u" AS c1, s0."w0" AS c2 FROM (SELECT u, c0, c1, c2, c3, c4, ROW_NUMBER() OVER (PARTITION BY u, "c2" ORDER BY "c3" DESC NULLS FIRST, "c4", "c0", "c1", "c2") AS w0 FROM (SELECT s0."person_id" AS u, s0."cost" AS c0, s0."person_id" AS c1, s0."person_id" AS c2, s0."cost" AS c3, s0."visit_id" AS c4 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c2" <= 1) AS s1 ON TRUE AND s1."u" = s0."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- m1: VALUES 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "_column_0", dpproxy_0.o1 AS "_column_1" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[])) AS r("o0", "o1")) AS "dpproxy_0"

-- an aggregate: one row for each person, 0 where there is none
SELECT n, count(*) FROM people p CROSS JOIN LATERAL (SELECT least(count(*), 3) AS n FROM visits v WHERE v.person_id = p.person_id) t WHERE n IN (0, 1, 2, 3) GROUP BY n;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, LEAST(COALESCE(s1."c0", 0), 3) AS k0 FROM "people" AS s0 LEFT JOIN (SELECT s0."u" AS u, s0."v0" AS c0, s0."u" AS c1 FROM (SELECT u, COUNT(*) AS v0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS s1 ON s1."u" = s0."person_id" WHERE s0."person_id" IS NOT NULL AND LEAST(COALESCE(s1."c0", 0), 3) IN (0, 1, 2, 3)) AS q WHERE k0 IN (0, 1, 2, 3)) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 0, 1, 2, 3
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "n", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- several aggregates
SELECT sex, avg(t.n), avg(t.m) FROM people p, LATERAL (SELECT count(*) AS n, max(cost) AS m FROM visits v WHERE v.person_id = p.person_id AND v.cost > 100) t GROUP BY sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, COUNT(*) AS m1, CAST(LEAST(GREATEST(COALESCE(SUM(m2), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m2, CAST(LEAST(GREATEST(COALESCE(SUM(m3), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m3 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, CAST(CASE WHEN COALESCE(s1."c0", 0) > 20 THEN 20 WHEN COALESCE(s1."c0", 0) < 0 THEN 0 ELSE COALESCE(s1."c0", 0) END - 10 AS BIGINT) AS m0, CAST(CASE WHEN (s1."c1" * CAST('100.0' AS DOUBLE)) < 10000 THEN 10000 WHEN (s1."c1" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s1."c1" * CAST('100.0' AS DOUBLE)) WHEN (s1."c1" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END - 25000 AS BIGINT) AS m2, CASE WHEN s1."c1" IS NOT NULL AND s1."c1" <> CAST('NaN' AS DOUBLE) THEN 1 END AS m3 FROM "people" AS s0 LEFT JOIN (SELECT s0."u" AS u, s0."v0" AS c0, s0."v1" AS c1, s0."u" AS c2 FROM (SELECT u, COUNT(*) AS v0, MAX(a0) AS v1 FROM (SELECT s0."person_id" AS u, s0."cost" AS a0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."cost" > CAST('100.0' AS DOUBLE)) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS s1 ON s1."u" = s0."person_id" WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: CENTRED -10..10 step 1
-- m1: ROWS 0..1 step 1
-- m2: CENTRED -15000..15000 step 0.01
-- m3: VALUES 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "_column_1", dpproxy_0.o1 AS "_column_2" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DECIMAL[]), CAST($3 AS DOUBLE PRECISION[])) AS r("k0", "o0", "o1")) AS "dpproxy_0"

-- OFFSET: all but the first
SELECT count(*) FROM people p, LATERAL (SELECT visit_id FROM visits v WHERE v.person_id = p.person_id ORDER BY day, visit_id OFFSET 1 LIMIT 2) t;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 3) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 JOIN (SELECT s0."u" AS u, s0."c0" AS c0, s0."u" AS c1 FROM (SELECT s0."u" AS u, s0."c0" AS c0, s0."u" AS c1, s0."w0" AS c2 FROM (SELECT u, c0, c1, c2, c3, c4, ROW_NUMBER() OVER (PARTITION BY u, "c2" ORDER BY "c3", "c4", "c0", "c1", "c2") AS w0 FROM (SELECT s0."person_id" AS u, s0."visit_id" AS c0, s0."person_id" AS c1, s0."person_id" AS c2, s0."day" AS c3, s0."visit_id" AS c4 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c2" <= 3 AND s0."c2" > 1) AS s1 ON s1."u" = s0."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 3 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..3 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- neither limit nor aggregate
SELECT sex, count(*) FROM people p, LATERAL (SELECT cost FROM visits v WHERE v.person_id = p.person_id AND cost > 200) t GROUP BY sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 JOIN (SELECT s0."person_id" AS u, s0."cost" AS c0, s0."person_id" AS c1 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."cost" > CAST('200.0' AS DOUBLE)) AS s1 ON s1."u" = s0."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') END) AS c GROUP BY k0;
-- unit person: 20 rows, 1 keys (KEY_OF_UNIT)
-- k0: values 'F', 'M'
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- a public table
SELECT t.building, count(*) FROM visits v, LATERAL (SELECT building FROM departments d WHERE d.dept = v.dept) t GROUP BY t.building;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0 FROM "visits" AS s0 JOIN (SELECT s0."building" AS c0, s0."dept" AS c1 FROM "departments" AS s0) AS s1 ON s1."c1" = s0."dept" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0 FROM (SELECT s0."building" AS c0, s0."dept" AS c1 FROM "departments" AS s0) AS s1
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "building", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- LATERAL that is not correlated
SELECT count(*) FROM people p, LATERAL (SELECT 1 AS one) t;
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- LATERAL over released rows
SELECT a.sex, t.b FROM (SELECT sex, count(*) AS n FROM people GROUP BY sex) a, LATERAL (SELECT a.n * 2 AS b) t;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT "a"."sex" AS "sex", "t"."b" AS "b" FROM (SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0") AS "a", LATERAL (SELECT "a"."n" * 2 AS "b") AS "t"

-- LATERAL that reads LATERAL
SELECT count(*) FROM people p JOIN LATERAL (SELECT * FROM visits v WHERE v.person_id = p.person_id) x ON TRUE JOIN LATERAL (SELECT * FROM departments d WHERE d.dept = x.dept) y ON TRUE WHERE y.beds > 16;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 JOIN (SELECT s0."person_id" AS u, s0."visit_id" AS c0, s0."person_id" AS c1, s0."day" AS c2, s0."cost" AS c3, s0."dept" AS c4, s0."person_id" AS c5 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS s1 ON TRUE AND s1."u" = s0."person_id" JOIN (SELECT s0."dept" AS c0, s0."building" AS c1, s0."beds" AS c2, s0."dept" AS c3 FROM "departments" AS s0) AS s2 ON TRUE AND s2."c3" = s1."c4" WHERE s0."person_id" IS NOT NULL AND s2."c2" > 16) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- its aggregate, aggregated
SELECT sex, avg(n) FROM people p, LATERAL (SELECT count(*) AS n FROM visits v WHERE v.person_id = p.person_id) t GROUP BY sex HAVING avg(n) > 1 ORDER BY avg(n) DESC;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, COUNT(*) AS m1 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, CAST(CASE WHEN COALESCE(s1."c0", 0) > 20 THEN 20 WHEN COALESCE(s1."c0", 0) < 0 THEN 0 ELSE COALESCE(s1."c0", 0) END - 10 AS BIGINT) AS m0 FROM "people" AS s0 LEFT JOIN (SELECT s0."u" AS u, s0."v0" AS c0, s0."u" AS c1 FROM (SELECT u, COUNT(*) AS v0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS s1 ON s1."u" = s0."person_id" WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: CENTRED -10..10 step 1
-- m1: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DECIMAL[])) AS r("k0", "o0")) AS "dpproxy_0" WHERE dpproxy_0.o0 > 1 ORDER BY "avg" DESC

-- LATERAL by an inequality beside the unit's key
SELECT sex, count(*) FROM people p, LATERAL (SELECT v.dept FROM visits v WHERE v.person_id = p.person_id AND v.cost > p.age) x GROUP BY sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 JOIN (SELECT s0."person_id" AS u, s0."dept" AS c0, s0."cost" AS c1, s0."person_id" AS c2 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS s1 ON s1."c1" > CAST(s0."age" AS DOUBLE) AND s1."u" = s0."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') END) AS c GROUP BY k0;
-- unit person: 20 rows, 1 keys (KEY_OF_UNIT)
-- k0: values 'F', 'M'
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- LEFT JOIN LATERAL by an inequality beside the unit's key
SELECT count(*), count(x.dept) FROM people p LEFT JOIN LATERAL (SELECT v.dept FROM visits v WHERE v.person_id = p.person_id AND v.cost > p.age) x ON TRUE;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 20) AS m1 FROM (SELECT s0."person_id" AS u, CASE WHEN s1."c0" IS NOT NULL THEN 1 END AS m1 FROM "people" AS s0 LEFT JOIN (SELECT s0."person_id" AS u, s0."dept" AS c0, s0."cost" AS c1, s0."person_id" AS c2 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS s1 ON TRUE AND s1."c1" > CAST(s0."age" AS DOUBLE) AND s1."u" = s0."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- m1: VALUES 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "_column_0", dpproxy_0.o1 AS "_column_1" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[])) AS r("o0", "o1")) AS "dpproxy_0"

-- LATERAL that computes of both rows
SELECT sex, sum(x.c) FROM people p, LATERAL (SELECT v.cost * p.age AS c FROM visits v WHERE v.person_id = p.person_id) x GROUP BY sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 96000000) AS m0 FROM (SELECT t.u AS u, t.x1 AS k0, CAST(CASE WHEN t.g0 < 0 THEN 0 WHEN t.g0 <= 4800000 THEN t.g0 WHEN t.g0 < CAST('NaN' AS DOUBLE) THEN 4800000 END AS BIGINT) AS m0 FROM (SELECT s0."person_id" AS u, s0."sex" AS x1, (s1."c0" * CAST(s0."age" AS DOUBLE)) * CAST('100.0' AS DOUBLE) AS g0 FROM "people" AS s0 JOIN (SELECT s0."person_id" AS u, s0."cost" AS c0, s0."person_id" AS c1 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS s1 ON s1."u" = s0."person_id" WHERE s0."person_id" IS NOT NULL) AS t WHERE t.u IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') END) AS c GROUP BY k0;
-- unit person: 20 rows, 1 keys (KEY_OF_UNIT)
-- k0: values 'F', 'M'
-- m0: SUM 0..96000000 step 0.01
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "sum" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DOUBLE PRECISION[])) AS r("k0", "o0")) AS "dpproxy_0"

-- LATERAL that computes of the row before it
SELECT x.decade, count(*) FROM people p CROSS JOIN LATERAL (SELECT p.age / 10 AS decade) x GROUP BY x.decade ORDER BY x.decade;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT s0."person_id" AS u, CAST(s0."age" AS BIGINT) // CAST(10 AS BIGINT) AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- post: SELECT dpproxy_0.k0 AS "decade", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS INT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0" ORDER BY "decade"

-- LATERAL that computes of what another computed
SELECT count(*) FROM people p, LATERAL (SELECT p.age * 2 AS a) x, LATERAL (SELECT x.a + 1 AS b WHERE x.a > 20) y WHERE y.b < 100;
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND ((CAST(s0."age" AS BIGINT) * CAST(2 AS BIGINT)) + CAST(1 AS BIGINT)) < 100 AND (CAST(s0."age" AS BIGINT) * CAST(2 AS BIGINT)) > 20) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- LATERAL that computes, with names behind it
SELECT avg(x.c) FROM people p LEFT JOIN LATERAL (SELECT p.age * 2) AS x(c) ON TRUE;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, COUNT(*) AS m1 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN (CAST(s0."age" AS BIGINT) * CAST(2 AS BIGINT)) > 240 THEN 240 WHEN (CAST(s0."age" AS BIGINT) * CAST(2 AS BIGINT)) < 0 THEN 0 ELSE CAST(s0."age" AS BIGINT) * CAST(2 AS BIGINT) END - 120 AS BIGINT) AS m0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND TRUE) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: CENTRED -120..120 step 1
-- m1: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS DECIMAL[])) AS r("o0")) AS "dpproxy_0"

-- LATERAL with groups of the unit's rows
SELECT sex, avg(x.n) FROM people p, LATERAL (SELECT v.dept, count(*) AS n FROM visits v WHERE v.person_id = p.person_id GROUP BY v.dept) x GROUP BY sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), -180), 200) AS m0, LEAST(GREATEST(COUNT(*), 0), 20) AS m1 FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, CAST(CASE WHEN s1."c1" > 20 THEN 20 WHEN s1."c1" < 1 THEN 1 ELSE s1."c1" END - 10 AS BIGINT) AS m0 FROM "people" AS s0 JOIN (SELECT s0."u" AS u, s0."g0" AS c0, s0."v0" AS c1, s0."u" AS c2 FROM (SELECT u, g0, COUNT(*) AS v0 FROM (SELECT s0."person_id" AS u, s0."dept" AS g0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, g0) AS s0 WHERE s0."u" IS NOT NULL) AS s1 ON s1."u" = s0."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') END) AS c GROUP BY k0;
-- unit person: 20 rows, 1 keys (KEY_OF_UNIT)
-- k0: values 'F', 'M'
-- m0: CENTRED -180..200 step 1
-- m1: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DECIMAL[])) AS r("k0", "o0")) AS "dpproxy_0"

-- LATERAL with the first groups of the unit's rows
SELECT x.dept, count(*) FROM people p, LATERAL (SELECT v.dept, count(*) AS n FROM visits v WHERE v.person_id = p.person_id GROUP BY v.dept ORDER BY count(*) DESC, v.dept LIMIT 1) x GROUP BY x.dept;
-- =>
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 1) AS m0 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0 FROM "people" AS s0 JOIN (SELECT s0."u" AS u, s0."c0" AS c0, s0."c1" AS c1, s0."u" AS c2 FROM (SELECT s0."u" AS u, s0."c0" AS c0, s0."c1" AS c1, s0."u" AS c2, s0."w0" AS c3 FROM (SELECT u, c0, c1, c2, c3, c4, c5, ROW_NUMBER() OVER (PARTITION BY u, "c3" ORDER BY "c4" DESC NULLS FIRST, "c5", "c0", "c1", "c2", "c3") AS w0 FROM (SELECT s0."u" AS u, s0."g0" AS c0, s0."v0" AS c1, s0."u" AS c2, s0."u" AS c3, s0."v0" AS c4, s0."g0" AS c5 FROM (SELECT u, g0, COUNT(*) AS v0 FROM (SELECT s0."person_id" AS u, s0."dept" AS g0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, g0) AS s0 WHERE s0."u" IS NOT NULL) AS r) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c3" <= 1) AS s1 ON s1."u" = s0."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 8) AS l GROUP BY k0;
-- unit person: 1 rows, 8 keys (KEYS_LIMITED)
-- k0: private
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "dept", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- LATERAL with DISTINCT rows of the unit
SELECT sex, count(*) FROM people p, LATERAL (SELECT DISTINCT v.dept FROM visits v WHERE v.person_id = p.person_id) x GROUP BY sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 JOIN (SELECT s0."u" AS u, s0."g0" AS c0, s0."u" AS c1 FROM (SELECT u, g0 FROM (SELECT s0."person_id" AS u, s0."dept" AS g0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, g0) AS s0 WHERE s0."u" IS NOT NULL) AS s1 ON s1."u" = s0."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') END) AS c GROUP BY k0;
-- unit person: 20 rows, 1 keys (KEY_OF_UNIT)
-- k0: values 'F', 'M'
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- LATERAL with groups of public rows
SELECT d.dept, x.sex, x.n FROM departments d LEFT JOIN LATERAL (SELECT p.sex, count(*) AS n FROM visits v JOIN people p USING (person_id) WHERE v.dept = d.dept GROUP BY p.sex HAVING count(*) > 10) x ON TRUE;
-- =>
SELECT k0, k1, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, k1, m0 FROM (SELECT k0, k1, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0, k1)), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."sex" AS k0, s0."dept" AS k1 FROM "visits" AS s0 JOIN "people" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') AND (STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL) END) AS c) AS w WHERE r <= 8) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 8 keys (KEYS_LIMITED)
-- k0: values 'F', 'M'
-- k1: private
-- m0: ROWS 0..20 step 1
-- post: SELECT "d"."dept" AS "dept", "x"."sex" AS "sex", "x"."n" AS "n" FROM "public"."departments" AS "d" LEFT JOIN (SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "n", dpproxy_0.k1 AS "dpproxy key 0" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_0" WHERE dpproxy_0.o0 > 10) AS "x" ON TRUE AND "x"."dpproxy key 0" = "d"."dept"

-- LATERAL with the largest groups of public rows
SELECT d.dept, x.city, x.n FROM departments d CROSS JOIN LATERAL (SELECT p.city, count(*) AS n FROM visits v JOIN people p USING (person_id) WHERE v.dept = d.dept GROUP BY p.city ORDER BY 2 DESC LIMIT 3) x;
-- =>
SELECT k0, k1, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, k1, m0 FROM (SELECT k0, k1, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0, k1)), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."city" AS k0, s0."dept" AS k1 FROM "visits" AS s0 JOIN "people" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN (STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AND (STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL) END) AS c) AS w WHERE r <= 8) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 8 keys (KEYS_LIMITED)
-- k0: private
-- k1: private
-- m0: ROWS 0..20 step 1
-- post: SELECT "d"."dept" AS "dept", "x"."city" AS "city", "x"."n" AS "n" FROM "public"."departments" AS "d" JOIN (SELECT "dpproxy number"."city" AS "city", "dpproxy number"."n" AS "n", "dpproxy number"."dpproxy key 0" AS "dpproxy key 0" FROM (SELECT dpproxy_0.k0 AS "city", dpproxy_0.o0 AS "n", dpproxy_0.k1 AS "dpproxy key 0", ROW_NUMBER() OVER (PARTITION BY dpproxy_0.k1 ORDER BY dpproxy_0.o0 DESC) AS "dpproxy number" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_0") AS "dpproxy number" WHERE "dpproxy number"."dpproxy number" <= 3) AS "x" ON "x"."dpproxy key 0" = "d"."dept"

-- LATERAL of an aggregate by an inequality with public rows
SELECT d.dept, x.n, x.n * 2 AS twice, x.a FROM departments d CROSS JOIN LATERAL (SELECT count(*) AS n, avg(v.cost) AS a FROM visits v WHERE v.cost > d.beds) x WHERE x.n > 3;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, NULLIF(NULLIF(CAST(k0 AS DOUBLE), 0), CAST('NaN' AS DOUBLE)))), k0) AS r FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0 FROM "visits" AS s0 CROSS JOIN (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."beds" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s1 WHERE s0."person_id" IS NOT NULL AND s0."cost" > CAST(s1."c0" AS DOUBLE)) AS r GROUP BY u, k0) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0 FROM (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."beds" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s1
-- m0: ROWS 0..20 step 1
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, NULLIF(NULLIF(CAST(k0 AS DOUBLE), 0), CAST('NaN' AS DOUBLE)))), k0) AS r FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0 FROM "visits" AS s0 CROSS JOIN (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."beds" AS g0 FROM "departments" AS s0 LEFT JOIN (SELECT UNNEST(CAST($r0c0 AS INT[])) AS k0, UNNEST(CAST($r0c1 AS BIGINT[])) AS o0) AS s1 ON s1."k0" = s0."beds" WHERE COALESCE(s1."o0", 0) > 3) AS r GROUP BY g0) AS s0) AS s1 WHERE s0."person_id" IS NOT NULL AND s0."cost" > CAST(s1."c0" AS DOUBLE)) AS r GROUP BY u, k0) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0 FROM (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."beds" AS g0 FROM "departments" AS s0 LEFT JOIN (SELECT UNNEST(CAST($r0c0 AS INT[])) AS k0, UNNEST(CAST($r0c1 AS BIGINT[])) AS o0) AS s1 ON s1."k0" = s0."beds" WHERE COALESCE(s1."o0", 0) > 3) AS r GROUP BY g0) AS s0) AS s1, r0c0, r0c1
-- m0: ROWS 0..20 step 1
-- inputs: r0c0, r0c1
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT k0, m0, m1 FROM (SELECT k0, m0, m1, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, NULLIF(NULLIF(CAST(k0 AS DOUBLE), 0), CAST('NaN' AS DOUBLE)))), k0) AS r FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), -400000), 400000) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 20) AS m1 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0, CAST(CASE WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."cost" * CAST('100.0' AS DOUBLE)) WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END - 20000 AS BIGINT) AS m0, CASE WHEN s0."cost" IS NOT NULL AND s0."cost" <> CAST('NaN' AS DOUBLE) THEN 1 END AS m1 FROM "visits" AS s0 CROSS JOIN (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."beds" AS g0 FROM "departments" AS s0 LEFT JOIN (SELECT UNNEST(CAST($r0c0 AS INT[])) AS k0, UNNEST(CAST($r0c1 AS BIGINT[])) AS o0) AS s1 ON s1."k0" = s0."beds" WHERE COALESCE(s1."o0", 0) > 3) AS r GROUP BY g0) AS s0) AS s1 WHERE s0."person_id" IS NOT NULL AND s0."cost" > CAST(s1."c0" AS DOUBLE)) AS r GROUP BY u, k0) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0 FROM (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."beds" AS g0 FROM "departments" AS s0 LEFT JOIN (SELECT UNNEST(CAST($r0c0 AS INT[])) AS k0, UNNEST(CAST($r0c1 AS BIGINT[])) AS o0) AS s1 ON s1."k0" = s0."beds" WHERE COALESCE(s1."o0", 0) > 3) AS r GROUP BY g0) AS s0) AS s1, r0c0, r0c1
-- m0: CENTRED -400000..400000 step 0.01
-- m1: VALUES 0..20 step 1
-- inputs: r0c0, r0c1
-- post: SELECT "d"."dept" AS "dept", (COALESCE(dpproxy_1_0.o0, 0)) AS "n", (COALESCE(dpproxy_1_1.o0, 0)) * 2 AS "twice", (dpproxy_2_2.o0) AS "a" FROM "public"."departments" AS "d" LEFT JOIN (SELECT * FROM UNNEST(CAST($1 AS INT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_1_0" ON dpproxy_1_0.k0 = "d"."beds" LEFT JOIN (SELECT * FROM UNNEST(CAST($3 AS INT[]), CAST($4 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_1_1" ON dpproxy_1_1.k0 = "d"."beds" LEFT JOIN (SELECT * FROM UNNEST(CAST($5 AS INT[]), CAST($6 AS DOUBLE PRECISION[])) AS r("k0", "o0")) AS "dpproxy_2_2" ON dpproxy_2_2.k0 = "d"."beds" LEFT JOIN (SELECT * FROM UNNEST(CAST($7 AS INT[]), CAST($8 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0_3" ON dpproxy_0_3.k0 = "d"."beds" WHERE (COALESCE(dpproxy_0_3.o0, 0)) > 3

-- LATERAL of an aggregate by an inequality within the unit
SELECT sex, sum(x.n) FROM people p, LATERAL (SELECT count(*) AS n FROM visits v WHERE v.person_id = p.person_id AND v.day BETWEEN p.joined AND p.joined + 30) x GROUP BY sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, CAST(CASE WHEN (SELECT COUNT(*) FROM "visits" AS q1_s0 WHERE q1_s0."person_id" = s0."person_id" AND (q1_s0."day" BETWEEN s0."joined" AND (CASE WHEN s0."joined" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."joined" END + CAST(30 AS INT)))) > 20 THEN 20 WHEN (SELECT COUNT(*) FROM "visits" AS q1_s0 WHERE q1_s0."person_id" = s0."person_id" AND (q1_s0."day" BETWEEN s0."joined" AND (CASE WHEN s0."joined" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."joined" END + CAST(30 AS INT)))) < 0 THEN 0 ELSE (SELECT COUNT(*) FROM "visits" AS q1_s0 WHERE q1_s0."person_id" = s0."person_id" AND (q1_s0."day" BETWEEN s0."joined" AND (CASE WHEN s0."joined" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."joined" END + CAST(30 AS INT)))) END AS BIGINT) AS m0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: SUM 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "sum" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DECIMAL[])) AS r("k0", "o0")) AS "dpproxy_0"

-- VALUES of columns
SELECT x.kind, x.value, count(*) FROM people p CROSS JOIN LATERAL (VALUES ('sex', p.sex), ('city', p.city)) AS x(kind, value) GROUP BY x.kind, x.value;
-- =>
SELECT k0, k1, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, k1, m0 FROM (SELECT k0, k1, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0, k1)), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COUNT(*), 0), 2) AS m0 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0, CASE WHEN s1."c1" = 1 THEN s0."sex" ELSE s0."city" END AS k1 FROM "people" AS s0 CROSS JOIN (SELECT CASE WHEN s0."c0" = 1 THEN 'sex' ELSE 'city' END AS c0, s0."c0" AS c1 FROM (SELECT v0.c0 AS c0 FROM (VALUES (CAST(1 AS INT)), (CAST(2 AS INT))) AS v0(c0)) AS s0) AS s1 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('sex', 'city') AND (STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL) END) AS c) AS w WHERE r <= 2) AS l GROUP BY k0, k1;
-- unit person: 2 rows, 2 keys (KEYS_LIMITED)
-- k0: values 'sex', 'city'
-- k1: private
-- m0: ROWS 0..2 step 1
-- post: SELECT dpproxy_0.k0 AS "kind", dpproxy_0.k1 AS "value", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_0"

-- VALUES of columns by LEFT JOIN
SELECT kind, avg(value), count(value) FROM people p LEFT JOIN LATERAL (VALUES ('age', age::float8), ('income', income)) x(kind, value) ON TRUE WHERE value > 20 GROUP BY kind;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), -499980), 499980) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 2) AS m1 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0, CAST(CASE WHEN CASE WHEN s1."c1" = 1 THEN CAST(s0."age" AS DOUBLE) ELSE s0."income" END < 20 THEN 20 WHEN CASE WHEN s1."c1" = 1 THEN CAST(s0."age" AS DOUBLE) ELSE s0."income" END <= 500000 THEN CASE WHEN s1."c1" = 1 THEN CAST(s0."age" AS DOUBLE) ELSE s0."income" END WHEN CASE WHEN s1."c1" = 1 THEN CAST(s0."age" AS DOUBLE) ELSE s0."income" END < CAST('NaN' AS DOUBLE) THEN 500000 END - 250010 AS BIGINT) AS m0, CASE WHEN CASE WHEN s1."c1" = 1 THEN CAST(s0."age" AS DOUBLE) ELSE s0."income" END IS NOT NULL AND CASE WHEN s1."c1" = 1 THEN CAST(s0."age" AS DOUBLE) ELSE s0."income" END <> CAST('NaN' AS DOUBLE) THEN 1 END AS m1 FROM "people" AS s0 CROSS JOIN (SELECT CASE WHEN s0."c0" = 1 THEN 'age' ELSE 'income' END AS c0, s0."c0" AS c1 FROM (SELECT v0.c0 AS c0 FROM (VALUES (CAST(1 AS INT)), (CAST(2 AS INT))) AS v0(c0)) AS s0) AS s1 WHERE s0."person_id" IS NOT NULL AND CASE WHEN s1."c1" = 1 THEN CAST(s0."age" AS DOUBLE) ELSE s0."income" END > CAST('20.0' AS DOUBLE)) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('age', 'income') END) AS c GROUP BY k0;
-- unit person: 2 rows, 2 keys (FEW_PUBLIC_KEYS)
-- k0: values 'age', 'income'
-- m0: CENTRED -499980..499980 step 1
-- m1: VALUES 0..2 step 1
-- post: SELECT dpproxy_0.k0 AS "kind", dpproxy_0.o0 AS "avg", dpproxy_0.o1 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DOUBLE PRECISION[]), CAST($3 AS BIGINT[])) AS r("k0", "o0", "o1")) AS "dpproxy_0"

-- UNION ALL of columns
SELECT x.kind, count(*) FROM people p, LATERAL (SELECT 'sex' AS kind, p.sex AS value UNION ALL SELECT 'city', p.city) x GROUP BY x.kind;
-- =>
SELECT v.k0 AS k0, CASE WHEN v.i = 0 THEN t.p0 WHEN v.i = 1 THEN t.p1 END AS m0 FROM (SELECT CAST(LEAST(GREATEST(COALESCE(SUM(p0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p0, CAST(LEAST(GREATEST(COALESCE(SUM(p1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p1 FROM (SELECT LEAST(CAST(COALESCE(s0, 0) & 2147483647 AS BIGINT), 2) AS p0, LEAST(CAST((COALESCE(s0, 0) >> 31) & 2147483647 AS BIGINT), 2) AS p1 FROM (SELECT u, SUM(CASE WHEN k0 = 'sex' THEN 1 WHEN k0 = 'city' THEN 2147483648 END) AS s0 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0 FROM "people" AS s0 CROSS JOIN (SELECT CASE WHEN s0."c0" = 1 THEN 'sex' ELSE 'city' END AS c0, s0."c0" AS c1 FROM (SELECT v0.c0 AS c0 FROM (VALUES (CAST(1 AS INT)), (CAST(2 AS INT))) AS v0(c0)) AS s0) AS s1 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS q WHERE s0 IS NOT NULL) AS c) AS t CROSS JOIN (SELECT v0.i AS i, v0.k0 AS k0 FROM (VALUES (0, 'sex'), (1, 'city')) AS v0(i, k0)) AS v;
-- unit person: 2 rows, 2 keys (FEW_PUBLIC_KEYS)
-- k0: values 'sex', 'city'
-- m0: ROWS 0..2 step 1
-- post: SELECT dpproxy_0.k0 AS "kind", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- VALUES of columns within a unit
SELECT avg(m) FROM (SELECT p.person_id, max(x.v) AS m FROM people p, LATERAL (VALUES (p.age), (p.age + 10)) x(v) GROUP BY p.person_id) t;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, COUNT(*) AS m1 FROM (SELECT s0."u" AS u, CAST(CASE WHEN s0."c1" > 130 THEN 130 WHEN s0."c1" < 0 THEN 0 ELSE s0."c1" END - 65 AS BIGINT) AS m0 FROM (SELECT s0."u" AS u, s0."u" AS c0, s0."v0" AS c1 FROM (SELECT u, MAX(a0) AS v0 FROM (SELECT s0."person_id" AS u, CASE WHEN s1."c0" = 1 THEN s0."age" ELSE CAST(s0."age" AS BIGINT) + CAST(10 AS BIGINT) END AS a0 FROM "people" AS s0 CROSS JOIN (SELECT s0."c0" AS c0 FROM (SELECT v0.c0 AS c0 FROM (VALUES (CAST(1 AS INT)), (CAST(2 AS INT))) AS v0(c0)) AS s0) AS s1 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: CENTRED -65..65 step 1
-- m1: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS DECIMAL[])) AS r("o0")) AS "dpproxy_0"

-- VALUES of columns of public rows
SELECT d.dept, x.v FROM departments d, LATERAL (VALUES (d.beds), (d.beds * 2)) x(v) WHERE d.dept IN (SELECT dept FROM visits);
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT k0 FROM (SELECT k0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- note: values of "visits"."dept": those that were chosen; what few persons have is left out
-- note: values of "visits"."dept" that few persons have count as absent
-- post: SELECT "d"."dept" AS "dept", "x"."v" AS "v" FROM "public"."departments" AS "d", LATERAL (SELECT CASE "a_dpproxy row"."n" WHEN 1 THEN "d"."beds" ELSE "d"."beds" * 2 END AS "v" FROM (VALUES (1), (2)) AS "a_dpproxy row"("n")) AS "x" WHERE "d"."dept" IN (SELECT dpproxy_0.k0 FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[])) AS r("k0")) AS "dpproxy_0")

-- the first row of the unit by LATERAL, by an inequality
SELECT sex, avg(x.cost), count(*) FROM people p LEFT JOIN LATERAL (SELECT v.cost FROM visits v WHERE v.person_id = p.person_id AND v.day > p.joined ORDER BY v.day, v.visit_id LIMIT 1) x ON TRUE GROUP BY sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1, CAST(LEAST(GREATEST(COALESCE(SUM(m2), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m2 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), -20000), 20000) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 1) AS m1, LEAST(GREATEST(COUNT(*), 0), 1) AS m2 FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, CAST(CASE WHEN (s1."c0" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s1."c0" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s1."c0" * CAST('100.0' AS DOUBLE)) WHEN (s1."c0" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END - 20000 AS BIGINT) AS m0, CASE WHEN s1."c0" IS NOT NULL AND s1."c0" <> CAST('NaN' AS DOUBLE) THEN 1 END AS m1 FROM "people" AS s0 LEFT JOIN (SELECT s0."u" AS u, s0."c0" AS c0, s0."u" AS c1 FROM (SELECT s0."u" AS u, s0."c0" AS c0, s0."u" AS c1, s0."w0" AS c2 FROM (SELECT u, c0, c1, c2, c3, c4, ROW_NUMBER() OVER (PARTITION BY u, "c2" ORDER BY "c3", "c4", "c0", "c1", "c2") AS w0 FROM (SELECT s0."person_id" AS u, s0."cost" AS c0, s1."person_id" AS c1, s1."person_id" AS c2, s0."day" AS c3, s0."visit_id" AS c4 FROM "visits" AS s0 CROSS JOIN "people" AS s1 WHERE s0."person_id" IS NOT NULL AND s0."person_id" = s1."person_id" AND s0."day" > s1."joined") AS r) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c2" <= 1) AS s1 ON TRUE AND s1."u" = s0."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') END) AS c GROUP BY k0;
-- unit person: 1 rows, 1 keys (KEY_OF_UNIT)
-- k0: values 'F', 'M'
-- m0: CENTRED -20000..20000 step 0.01
-- m1: VALUES 0..1 step 1
-- m2: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "avg", dpproxy_0.o1 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DOUBLE PRECISION[]), CAST($3 AS BIGINT[])) AS r("k0", "o0", "o1")) AS "dpproxy_0"

-- groups by LATERAL, by an inequality with public rows
SELECT d.dept, x.sex, x.n FROM departments d CROSS JOIN LATERAL (SELECT p.sex, count(*) AS n FROM visits v JOIN people p USING (person_id) WHERE v.cost > d.beds GROUP BY p.sex) x;
-- =>
SELECT k0, k1, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, k1, m0 FROM (SELECT k0, k1, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0, k1)), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."sex" AS k0, s2."dept" AS k1 FROM "visits" AS s0 JOIN "people" AS s1 ON s0."person_id" = s1."person_id" CROSS JOIN "departments" AS s2 WHERE s0."person_id" IS NOT NULL AND s0."cost" > CAST(s2."beds" AS DOUBLE)) AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') AND (STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL) END) AS c) AS w WHERE r <= 8) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 8 keys (KEYS_LIMITED)
-- k0: values 'F', 'M'
-- k1: column 0 of SELECT DISTINCT s2."dept" AS d0 FROM "departments" AS s2
-- m0: ROWS 0..20 step 1
-- post: SELECT "d"."dept" AS "dept", "x"."sex" AS "sex", "x"."n" AS "n" FROM "public"."departments" AS "d" JOIN (SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "n", dpproxy_0.k1 AS "dpproxy key 0" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_0") AS "x" ON "x"."dpproxy key 0" = "d"."dept"

-- groups and first rows by LATERAL, by inequalities within the unit
SELECT sum(x.n), count(y.cost) FROM people p, LATERAL (SELECT v.dept, count(*) AS n FROM visits v WHERE v.person_id = p.person_id AND v.cost > p.age GROUP BY v.dept) x, LATERAL (SELECT v.cost FROM visits v WHERE v.person_id = p.person_id AND v.cost > p.age ORDER BY v.cost, v.visit_id LIMIT 2) y;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT u, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 400) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 20) AS m1 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN s1."c1" > 20 THEN 20 WHEN s1."c1" < 1 THEN 1 ELSE s1."c1" END AS BIGINT) AS m0, CASE WHEN s2."c0" IS NOT NULL AND s2."c0" <> CAST('NaN' AS DOUBLE) THEN 1 END AS m1 FROM "people" AS s0 JOIN (SELECT s0."u" AS u, s0."g0" AS c0, s0."v0" AS c1, s0."u" AS c2 FROM (SELECT u, g0, COUNT(*) AS v0 FROM (SELECT s0."person_id" AS u, s0."dept" AS g0 FROM "visits" AS s0 CROSS JOIN "people" AS s1 WHERE s0."person_id" IS NOT NULL AND s0."person_id" = s1."person_id" AND s0."cost" > CAST(s1."age" AS DOUBLE)) AS r GROUP BY u, g0) AS s0 WHERE s0."u" IS NOT NULL) AS s1 ON s1."u" = s0."person_id" JOIN (SELECT s0."u" AS u, s0."c0" AS c0, s0."u" AS c1 FROM (SELECT s0."u" AS u, s0."c0" AS c0, s0."u" AS c1, s0."w0" AS c2 FROM (SELECT u, c0, c1, c2, c3, c4, ROW_NUMBER() OVER (PARTITION BY u, "c2" ORDER BY "c3", "c4", "c0", "c1", "c2") AS w0 FROM (SELECT s0."person_id" AS u, s0."cost" AS c0, s1."person_id" AS c1, s1."person_id" AS c2, s0."cost" AS c3, s0."visit_id" AS c4 FROM "visits" AS s0 CROSS JOIN "people" AS s1 WHERE s0."person_id" IS NOT NULL AND s0."person_id" = s1."person_id" AND s0."cost" > CAST(s1."age" AS DOUBLE)) AS r) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c2" <= 2) AS s2 ON s2."u" = s0."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: SUM 0..400 step 1
-- m1: VALUES 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "sum", dpproxy_0.o1 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS DECIMAL[]), CAST($2 AS BIGINT[])) AS r("o0", "o1")) AS "dpproxy_0"

-- an aggregate by LATERAL, by inequalities and a condition of the join
SELECT o.priority, sum(x.late) FROM orders o JOIN LATERAL (SELECT count(*) AS late FROM lineitem l WHERE l.orderkey = o.orderkey AND l.shipdate > o.orderdate + 30) x ON x.late > 0 GROUP BY o.priority;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 4000) AS m0 FROM (SELECT s0."custkey" AS u, s0."priority" AS k0, CAST(CASE WHEN (SELECT COUNT(*) FROM "lineitem" AS q1_s0 WHERE q1_s0."orderkey" = s0."orderkey" AND q1_s0."shipdate" > (CASE WHEN s0."orderdate" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."orderdate" END + CAST(30 AS INT))) > 100 THEN 100 WHEN (SELECT COUNT(*) FROM "lineitem" AS q1_s0 WHERE q1_s0."orderkey" = s0."orderkey" AND q1_s0."shipdate" > (CASE WHEN s0."orderdate" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."orderdate" END + CAST(30 AS INT))) < 0 THEN 0 ELSE (SELECT COUNT(*) FROM "lineitem" AS q1_s0 WHERE q1_s0."orderkey" = s0."orderkey" AND q1_s0."shipdate" > (CASE WHEN s0."orderdate" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."orderdate" END + CAST(30 AS INT))) END AS BIGINT) AS m0 FROM "orders" AS s0 WHERE s0."custkey" IS NOT NULL AND (SELECT COUNT(*) FROM "lineitem" AS q1_s0 WHERE q1_s0."orderkey" = s0."orderkey" AND q1_s0."shipdate" > (CASE WHEN s0."orderdate" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."orderdate" END + CAST(30 AS INT))) > 0) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('1-URGENT', '5-LOW') END) AS c GROUP BY k0;
-- unit customer: 40 rows, 2 keys (FEW_PUBLIC_KEYS)
-- k0: values '1-URGENT', '5-LOW'
-- m0: SUM 0..4000 step 1
-- post: SELECT dpproxy_0.k0 AS "priority", dpproxy_0.o0 AS "sum" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DECIMAL[])) AS r("k0", "o0")) AS "dpproxy_0"

-- a list of aggregates of a unit's rows
SELECT x.kind, avg(x.n) FROM people p, LATERAL (SELECT 'visits' AS kind, count(*) AS n FROM visits v WHERE v.person_id = p.person_id UNION ALL SELECT 'cost', sum(cost) FROM visits v WHERE v.person_id = p.person_id) x GROUP BY 1;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), -40000000), 40000000) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 100) AS m1 FROM (SELECT t.u AS u, t.x1 AS k0, CAST(CASE WHEN t.g0 < 0 THEN 0 WHEN t.g0 <= 800000 THEN t.g0 WHEN t.g0 < CAST('NaN' AS DOUBLE) THEN 800000 END - 400000 AS BIGINT) AS m0, CASE WHEN CASE WHEN t.x2 = 1 THEN CAST(COALESCE(t.x3, 0) AS DOUBLE) ELSE t.x4 END IS NOT NULL AND CASE WHEN t.x2 = 1 THEN CAST(COALESCE(t.x3, 0) AS DOUBLE) ELSE t.x4 END <> CAST('NaN' AS DOUBLE) THEN 1 END AS m1 FROM (SELECT s0."person_id" AS u, s3."c0" AS x1, s3."c1" AS x2, s1."c0" AS x3, s2."c0" AS x4, CASE WHEN s3."c1" = 1 THEN CAST(COALESCE(s1."c0", 0) AS DOUBLE) ELSE s2."c0" END * CAST('100.0' AS DOUBLE) AS g0 FROM "people" AS s0 LEFT JOIN (SELECT s0."u" AS u, s0."v0" AS c0, s0."u" AS c1 FROM (SELECT u, COUNT(*) AS v0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS s1 ON s1."u" = s0."person_id" LEFT JOIN (SELECT s0."u" AS u, s0."v0" AS c0, s0."u" AS c1 FROM (SELECT u, CAST(CAST(CASE WHEN SUM(a0) > 4611686018427387904 THEN 4611686018427387904 WHEN SUM(a0) < (-4611686018427387904) THEN -4611686018427387904 ELSE SUM(a0) END AS BIGINT) AS DOUBLE) / CAST('100.0' AS DOUBLE) AS v0 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."cost" * CAST('100.0' AS DOUBLE)) WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT) AS a0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS s2 ON s2."u" = s0."person_id" CROSS JOIN (SELECT CASE WHEN s0."c0" = 1 THEN 'visits' ELSE 'cost' END AS c0, s0."c0" AS c1 FROM (SELECT v0.c0 AS c0 FROM (VALUES (CAST(1 AS INT)), (CAST(2 AS INT))) AS v0(c0)) AS s0) AS s3 WHERE s0."person_id" IS NOT NULL) AS t WHERE t.u IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('visits', 'cost') END) AS c GROUP BY k0;
-- unit person: 100 rows, 2 keys (FEW_PUBLIC_KEYS)
-- k0: values 'visits', 'cost'
-- m0: CENTRED -40000000..40000000 step 0.01
-- m1: VALUES 0..100 step 1
-- post: SELECT dpproxy_0.k0 AS "kind", dpproxy_0.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DOUBLE PRECISION[])) AS r("k0", "o0")) AS "dpproxy_0"

-- and beside public rows
SELECT d.dept, x.kind, x.n FROM departments d CROSS JOIN LATERAL (SELECT 'visits', count(*) FROM visits v WHERE v.dept = d.dept UNION ALL SELECT 'cost', sum(cost) FROM visits v WHERE v.dept = d.dept) AS x(kind, n);
-- =>
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- m0: ROWS 0..20 step 1
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 800000) AS m0 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0, CAST(CASE WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."cost" * CAST('100.0' AS DOUBLE)) WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT) AS m0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- m0: SUM 0..800000 step 0.01
-- post: SELECT "d"."dept" AS "dept", "x"."kind" AS "kind", (CASE "x"."dpproxy column 1" WHEN 1 THEN (COALESCE("a_dpproxy side 0"."dpproxy aggregate 0", 0)) ELSE ("a_dpproxy side 1"."dpproxy aggregate 0") END) AS "n" FROM "public"."departments" AS "d" LEFT JOIN (SELECT dpproxy_0.o0 AS "dpproxy aggregate 0", dpproxy_0.k0 AS "dpproxy key 0" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0") AS "a_dpproxy side 0" ON "a_dpproxy side 0"."dpproxy key 0" = "d"."dept" LEFT JOIN (SELECT dpproxy_1.o0 AS "dpproxy aggregate 0", dpproxy_1.k0 AS "dpproxy key 0" FROM (SELECT * FROM UNNEST(CAST($3 AS TEXT[]), CAST($4 AS DOUBLE PRECISION[])) AS r("k0", "o0")) AS "dpproxy_1") AS "a_dpproxy side 1" ON "a_dpproxy side 1"."dpproxy key 0" = "d"."dept", (SELECT CASE "a_dpproxy row"."n" WHEN 1 THEN 'visits' ELSE 'cost' END AS "kind", "a_dpproxy row"."n" AS "dpproxy column 1" FROM (VALUES (1), (2)) AS "a_dpproxy row"("n")) AS "x"

-- the first row, and what is computed of it and of the row before
SELECT p.sex, avg(x.c) FROM people p CROSS JOIN LATERAL (SELECT v.cost * p.age AS c FROM visits v WHERE v.person_id = p.person_id ORDER BY v.day, v.visit_id LIMIT 1) x GROUP BY p.sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), -2400000), 2400000) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 1) AS m1 FROM (SELECT t.u AS u, t.x1 AS k0, CAST(CASE WHEN t.g0 < 0 THEN 0 WHEN t.g0 <= 4800000 THEN t.g0 WHEN t.g0 < CAST('NaN' AS DOUBLE) THEN 4800000 END - 2400000 AS BIGINT) AS m0, CASE WHEN (t.x2 * CAST(t.x3 AS DOUBLE)) IS NOT NULL AND (t.x2 * CAST(t.x3 AS DOUBLE)) <> CAST('NaN' AS DOUBLE) THEN 1 END AS m1 FROM (SELECT s0."person_id" AS u, s0."sex" AS x1, s1."c0" AS x2, s0."age" AS x3, (s1."c0" * CAST(s0."age" AS DOUBLE)) * CAST('100.0' AS DOUBLE) AS g0 FROM "people" AS s0 JOIN (SELECT s0."u" AS u, s0."c0" AS c0, s0."u" AS c1 FROM (SELECT s0."u" AS u, s0."c0" AS c0, s0."u" AS c1, s0."w0" AS c2 FROM (SELECT u, c0, c1, c2, c3, c4, ROW_NUMBER() OVER (PARTITION BY u, "c2" ORDER BY "c3", "c4", "c0", "c1", "c2") AS w0 FROM (SELECT s0."person_id" AS u, s0."cost" AS c0, s0."person_id" AS c1, s0."person_id" AS c2, s0."day" AS c3, s0."visit_id" AS c4 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c2" <= 1) AS s1 ON s1."u" = s0."person_id" WHERE s0."person_id" IS NOT NULL) AS t WHERE t.u IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') END) AS c GROUP BY k0;
-- unit person: 1 rows, 1 keys (KEY_OF_UNIT)
-- k0: values 'F', 'M'
-- m0: CENTRED -2400000..2400000 step 0.01
-- m1: VALUES 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DOUBLE PRECISION[])) AS r("k0", "o0")) AS "dpproxy_0"

-- first rows in the order of what is computed of both
SELECT avg(x.c) FROM people p CROSS JOIN LATERAL (SELECT v.cost * p.age AS c FROM visits v WHERE v.person_id = p.person_id ORDER BY c DESC LIMIT 1) x;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT u, LEAST(GREATEST(COALESCE(SUM(m0), 0), -2400000), 2400000) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 1) AS m1 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN (s1."c0" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s1."c0" * CAST('100.0' AS DOUBLE)) <= 4800000 THEN (s1."c0" * CAST('100.0' AS DOUBLE)) WHEN (s1."c0" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 4800000 END - 2400000 AS BIGINT) AS m0, CASE WHEN s1."c0" IS NOT NULL AND s1."c0" <> CAST('NaN' AS DOUBLE) THEN 1 END AS m1 FROM "people" AS s0 JOIN (SELECT s0."u" AS u, s0."c0" AS c0, s0."u" AS c1 FROM (SELECT s0."u" AS u, s0."c0" * CAST(s0."c1" AS DOUBLE) AS c0, s0."u" AS c1, s0."w0" AS c2 FROM (SELECT u, c0, c1, c2, c3, c4, ROW_NUMBER() OVER (PARTITION BY u, "c3" ORDER BY "c4" DESC NULLS FIRST, "c0", "c1", "c2", "c3") AS w0 FROM (SELECT s0."person_id" AS u, s0."cost" AS c0, s1."age" AS c1, s1."person_id" AS c2, s1."person_id" AS c3, s0."cost" * CAST(s1."age" AS DOUBLE) AS c4 FROM "visits" AS s0 CROSS JOIN "people" AS s1 WHERE s0."person_id" IS NOT NULL AND s0."person_id" = s1."person_id") AS r) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c2" <= 1) AS s1 ON s1."u" = s0."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: CENTRED -2400000..2400000 step 0.01
-- m1: VALUES 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS DOUBLE PRECISION[])) AS r("o0")) AS "dpproxy_0"

-- LEFT JOIN LATERAL of a first row that is computed of both
SELECT count(*), avg(x.c) FROM people p LEFT JOIN LATERAL (SELECT coalesce(v.cost, 1) * p.age AS c FROM visits v WHERE v.person_id = p.person_id ORDER BY v.day, v.visit_id LIMIT 1) x ON TRUE;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1, CAST(LEAST(GREATEST(COALESCE(SUM(m2), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m2 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 1) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), -2400000), 2400000) AS m1, LEAST(GREATEST(COALESCE(SUM(m2), 0), 0), 1) AS m2 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN (s1."c0" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s1."c0" * CAST('100.0' AS DOUBLE)) <= 4800000 THEN (s1."c0" * CAST('100.0' AS DOUBLE)) WHEN (s1."c0" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 4800000 END - 2400000 AS BIGINT) AS m1, CASE WHEN s1."c0" IS NOT NULL AND s1."c0" <> CAST('NaN' AS DOUBLE) THEN 1 END AS m2 FROM "people" AS s0 LEFT JOIN (SELECT s0."u" AS u, s0."c0" AS c0, s0."u" AS c1 FROM (SELECT s0."u" AS u, COALESCE(s0."c1", CAST('1.0' AS DOUBLE)) * CAST(s0."c0" AS DOUBLE) AS c0, s0."u" AS c1, s0."w0" AS c2 FROM (SELECT u, c0, c1, c2, c3, c4, c5, ROW_NUMBER() OVER (PARTITION BY u, "c3" ORDER BY "c4", "c5", "c0", "c1", "c2", "c3") AS w0 FROM (SELECT s0."person_id" AS u, s1."age" AS c0, s0."cost" AS c1, s1."person_id" AS c2, s1."person_id" AS c3, s0."day" AS c4, s0."visit_id" AS c5 FROM "visits" AS s0 CROSS JOIN "people" AS s1 WHERE s0."person_id" IS NOT NULL AND s0."person_id" = s1."person_id") AS r) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c2" <= 1) AS s1 ON TRUE AND s1."u" = s0."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- m1: CENTRED -2400000..2400000 step 0.01
-- m2: VALUES 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count", dpproxy_0.o1 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS DOUBLE PRECISION[])) AS r("o0", "o1")) AS "dpproxy_0"

-- LEFT JOIN LATERAL of rows that are computed of both
SELECT count(*), avg(x.c) FROM people p LEFT JOIN LATERAL (SELECT coalesce(v.cost, 1) * p.age AS c FROM visits v WHERE v.person_id = p.person_id) x ON TRUE;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1, CAST(LEAST(GREATEST(COALESCE(SUM(m2), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m2 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), -48000000), 48000000) AS m1, LEAST(GREATEST(COALESCE(SUM(m2), 0), 0), 20) AS m2 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN (s1."c0" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s1."c0" * CAST('100.0' AS DOUBLE)) <= 4800000 THEN (s1."c0" * CAST('100.0' AS DOUBLE)) WHEN (s1."c0" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 4800000 END - 2400000 AS BIGINT) AS m1, CASE WHEN s1."c0" IS NOT NULL AND s1."c0" <> CAST('NaN' AS DOUBLE) THEN 1 END AS m2 FROM "people" AS s0 LEFT JOIN (SELECT s0."person_id" AS u, COALESCE(s0."cost", CAST('1.0' AS DOUBLE)) * CAST(s1."age" AS DOUBLE) AS c0, s1."person_id" AS c1 FROM "visits" AS s0 CROSS JOIN "people" AS s1 WHERE s0."person_id" IS NOT NULL AND s0."person_id" = s1."person_id") AS s1 ON TRUE AND s1."u" = s0."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- m1: CENTRED -48000000..48000000 step 0.01
-- m2: VALUES 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count", dpproxy_0.o1 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS DOUBLE PRECISION[])) AS r("o0", "o1")) AS "dpproxy_0"

-- an aggregate of what is computed of both
SELECT sum(x.c) FROM people p, LATERAL (SELECT sum(v.cost * p.age) AS c FROM visits v WHERE v.person_id = p.person_id) x;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN (s1."c0" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s1."c0" * CAST('100.0' AS DOUBLE)) <= 96000000 THEN (s1."c0" * CAST('100.0' AS DOUBLE)) WHEN (s1."c0" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 96000000 END AS BIGINT) AS m0 FROM "people" AS s0 LEFT JOIN (SELECT s0."u" AS u, s0."v0" AS c0, s0."u" AS c1 FROM (SELECT u, CAST(CAST(CASE WHEN SUM(a0) > 4611686018427387904 THEN 4611686018427387904 WHEN SUM(a0) < (-4611686018427387904) THEN -4611686018427387904 ELSE SUM(a0) END AS BIGINT) AS DOUBLE) / CAST('100.0' AS DOUBLE) AS v0 FROM (SELECT t.u AS u, CAST(CASE WHEN t.g0 < 0 THEN 0 WHEN t.g0 <= 4800000 THEN t.g0 WHEN t.g0 < CAST('NaN' AS DOUBLE) THEN 4800000 END AS BIGINT) AS a0 FROM (SELECT s0."person_id" AS u, (s0."cost" * CAST(s1."age" AS DOUBLE)) * CAST('100.0' AS DOUBLE) AS g0 FROM "visits" AS s0 CROSS JOIN "people" AS s1 WHERE s0."person_id" IS NOT NULL AND s0."person_id" = s1."person_id") AS t WHERE t.u IS NOT NULL) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS s1 ON s1."u" = s0."person_id" WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: SUM 0..96000000 step 0.01
-- post: SELECT dpproxy_0.o0 AS "sum" FROM (SELECT * FROM UNNEST(CAST($1 AS DOUBLE PRECISION[])) AS r("o0")) AS "dpproxy_0"

-- EXISTS with groups of the unit that asks
SELECT count(*) FROM people p WHERE EXISTS (SELECT 1 FROM visits v WHERE v.person_id = p.person_id GROUP BY v.dept HAVING count(*) > 2);
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND EXISTS(SELECT 1 FROM (SELECT q1_s0."u" AS u, 1 AS c0, q1_s0."u" AS c1 FROM (SELECT u, g0, COUNT(*) AS v0 FROM (SELECT q1_s0."person_id" AS u, q1_s0."dept" AS g0 FROM "visits" AS q1_s0 WHERE q1_s0."person_id" IS NOT NULL) AS r GROUP BY u, g0) AS q1_s0 WHERE q1_s0."u" IS NOT NULL AND q1_s0."v0" > 2) AS q1_s0 WHERE q1_s0."u" = s0."person_id")) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- IN with groups, correlated by another column, too
SELECT count(*) FROM people p WHERE p.person_id IN (SELECT v.person_id FROM visits v WHERE v.dept = p.city GROUP BY v.person_id);
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND EXISTS(SELECT 1 FROM (SELECT q1_s0."u" AS u, q1_s0."u" AS c0, q1_s0."g1" AS c1 FROM (SELECT u, g1 FROM (SELECT q1_s0."person_id" AS u, q1_s0."dept" AS g1 FROM "visits" AS q1_s0 WHERE q1_s0."person_id" IS NOT NULL) AS r GROUP BY u, g1) AS q1_s0 WHERE q1_s0."u" IS NOT NULL) AS q1_s0 WHERE q1_s0."c1" = s0."city" AND s0."person_id" = q1_s0."u")) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- EXISTS with groups of whomever
SELECT count(*) FROM people p WHERE EXISTS (SELECT q.city FROM people q WHERE q.city = p.city GROUP BY q.city HAVING count(*) > 50);
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT q1_s0."person_id" AS u, q1_s0."city" AS k0 FROM "people" AS q1_s0 WHERE q1_s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND EXISTS(SELECT 1 FROM (SELECT q2_s0."k0" AS c0, q2_s0."k0" AS c1 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0, UNNEST(CAST($r0c1 AS BIGINT[])) AS o0) AS q2_s0 WHERE q2_s0."o0" > 50) AS q1_s0 WHERE q1_s0."c1" = s0."city")) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- inputs: r0c0, r0c1
-- post: SELECT dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_1"

-- a public row asks for groups
SELECT d.dept FROM departments d WHERE NOT EXISTS (SELECT v.dept FROM visits v WHERE v.dept = d.dept GROUP BY v.dept HAVING avg(v.cost) > 100);
-- =>
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT k0, m0, m1 FROM (SELECT k0, m0, m1, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), -400000), 400000) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 20) AS m1 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0, CAST(CASE WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."cost" * CAST('100.0' AS DOUBLE)) WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END - 20000 AS BIGINT) AS m0, CASE WHEN s0."cost" IS NOT NULL AND s0."cost" <> CAST('NaN' AS DOUBLE) THEN 1 END AS m1 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- m0: CENTRED -400000..400000 step 0.01
-- m1: VALUES 0..20 step 1
-- post: SELECT "d"."dept" AS "dept" FROM "public"."departments" AS "d" WHERE NOT EXISTS(SELECT "dpproxy groups 0"."c0" FROM (SELECT dpproxy_0.k0 AS "c0", dpproxy_0.k0 AS "k0" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DOUBLE PRECISION[])) AS r("k0", "o0")) AS "dpproxy_0" WHERE dpproxy_0.o0 > 100) AS "dpproxy groups 0" WHERE "dpproxy groups 0"."k0" = "d"."dept")

-- the first group of a public row
SELECT d.dept, (SELECT p.city FROM visits v JOIN people p USING (person_id) WHERE v.dept = d.dept GROUP BY p.city ORDER BY count(*) DESC LIMIT 1) FROM departments d;
-- =>
SELECT k0, k1, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, k1, m0 FROM (SELECT k0, k1, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0, k1)), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."city" AS k0, s0."dept" AS k1 FROM "visits" AS s0 JOIN "people" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN (STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AND (STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL) END) AS c) AS w WHERE r <= 8) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 8 keys (KEYS_LIMITED)
-- k0: private
-- k1: private
-- m0: ROWS 0..20 step 1
-- post: SELECT "d"."dept" AS "dept", (SELECT "dpproxy groups 0"."c0" FROM (SELECT dpproxy_0.k0 AS "c0", dpproxy_0.k1 AS "k0", dpproxy_0.o0 AS "o0" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_0") AS "dpproxy groups 0" WHERE "dpproxy groups 0"."k0" = "d"."dept" ORDER BY "dpproxy groups 0"."o0" DESC LIMIT 1) AS "city" FROM "public"."departments" AS "d"

-- a value of the one group of a public row
SELECT d.dept, (SELECT count(*) FROM visits v WHERE v.dept = d.dept GROUP BY v.dept HAVING count(*) > 10) FROM departments d;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0 FROM "visits" AS s0 CROSS JOIN (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s1 WHERE s0."person_id" IS NOT NULL AND s0."dept" = s1."c0") AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0 FROM (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s1
-- m0: ROWS 0..20 step 1
-- post: SELECT "d"."dept" AS "dept", (CASE WHEN dpproxy_0_0.o0 > 10 THEN dpproxy_0_0.o0 END) AS "count" FROM "public"."departments" AS "d" LEFT JOIN (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0_0" ON dpproxy_0_0.k0 = "d"."dept"

-- a value of the one group of the unit that asks
SELECT count(*) FROM people p WHERE (SELECT sum(v.cost) / count(*) FROM visits v WHERE v.person_id = p.person_id GROUP BY v.person_id HAVING count(*) > 2) > 100;
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 LEFT JOIN (SELECT s0."u" AS u, s0."u" AS c0, s0."v0" AS c1, s0."v1" AS c2, s0."v2" AS c3 FROM (SELECT u, COUNT(*) AS v0, COUNT(*) AS v1, CAST(CAST(CASE WHEN SUM(a0) > 4611686018427387904 THEN 4611686018427387904 WHEN SUM(a0) < (-4611686018427387904) THEN -4611686018427387904 ELSE SUM(a0) END AS BIGINT) AS DOUBLE) / CAST('100.0' AS DOUBLE) AS v2 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."cost" * CAST('100.0' AS DOUBLE)) WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT) AS a0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS s1 ON s1."u" = s0."person_id" WHERE s0."person_id" IS NOT NULL AND CASE WHEN (COALESCE(s1."c1", 0) > 2) AND (COALESCE(s1."c2", 0) > 0) THEN s1."c3" / NULLIF(CAST(COALESCE(s1."c1", 0) AS DOUBLE), 0) END > CAST('100.0' AS DOUBLE)) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- a value under a condition on the whole
SELECT avg(coalesce((SELECT max(v.cost) FROM visits v WHERE v.person_id = p.person_id HAVING count(*) > 2), 0)) FROM people p;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT t.u AS u, CAST(CASE WHEN t.g0 < 0 THEN 0 WHEN t.g0 <= 40000 THEN t.g0 WHEN t.g0 < CAST('NaN' AS DOUBLE) THEN 40000 END - 20000 AS BIGINT) AS m0, CASE WHEN COALESCE(CASE WHEN COALESCE(t.x1, 0) > 2 THEN t.x2 END, CAST('0.0' AS DOUBLE)) IS NOT NULL AND COALESCE(CASE WHEN COALESCE(t.x1, 0) > 2 THEN t.x2 END, CAST('0.0' AS DOUBLE)) <> CAST('NaN' AS DOUBLE) THEN 1 END AS m1 FROM (SELECT s0."person_id" AS u, s1."c1" AS x1, s1."c2" AS x2, COALESCE(CASE WHEN COALESCE(s1."c1", 0) > 2 THEN s1."c2" END, CAST('0.0' AS DOUBLE)) * CAST('100.0' AS DOUBLE) AS g0 FROM "people" AS s0 LEFT JOIN (SELECT s0."u" AS u, s0."u" AS c0, s0."v0" AS c1, s0."v1" AS c2 FROM (SELECT u, COUNT(*) AS v0, MAX(a0) AS v1 FROM (SELECT s0."person_id" AS u, s0."cost" AS a0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS s1 ON s1."u" = s0."person_id" WHERE s0."person_id" IS NOT NULL) AS t WHERE t.u IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: CENTRED -20000..20000 step 0.01
-- m1: VALUES 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS DOUBLE PRECISION[])) AS r("o0")) AS "dpproxy_0"

-- the key itself of the one group
SELECT count(*) FROM people p WHERE p.person_id = (SELECT v.person_id FROM visits v WHERE v.person_id = p.person_id GROUP BY v.person_id HAVING min(v.cost) > 50);
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 LEFT JOIN (SELECT s0."u" AS u, s0."u" AS c0, s0."v0" AS c1, s0."v1" AS c2, s0."v2" AS c3 FROM (SELECT u, MIN(a0) AS v0, COUNT(*) AS v1, MAX(a1) AS v2 FROM (SELECT s0."person_id" AS u, s0."cost" AS a0, s0."person_id" AS a1 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS s1 ON s1."u" = s0."person_id" WHERE s0."person_id" IS NOT NULL AND s0."person_id" = CASE WHEN (s1."c1" > CAST('50.0' AS DOUBLE)) AND (COALESCE(s1."c2", 0) > 0) THEN s1."c3" END) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- the first value of the unit that asks, in its own order
SELECT dept, count(*) FROM visits v WHERE v.cost = (SELECT w.cost FROM visits w WHERE w.person_id = v.person_id ORDER BY w.cost DESC LIMIT 1) GROUP BY dept;
-- =>
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."cost" = (SELECT MAX(q1_s0."cost") FROM "visits" AS q1_s0 WHERE q1_s0."person_id" = s0."person_id")) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "dept", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

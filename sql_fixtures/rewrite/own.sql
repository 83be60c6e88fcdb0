-- its columns are arrays that the engine is told, those that are used
SELECT v.dept, count(*) FROM visits v JOIN alice.mine m ON m.dept = v.dept WHERE m.weight > 2 GROUP BY v.dept;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0 FROM "visits" AS s0 JOIN (SELECT UNNEST(CAST($t0c0 AS TEXT[])) AS c0, UNNEST(CAST($t0c1 AS INT[])) AS c1) AS s1 ON s1."c0" = s0."dept" WHERE s0."person_id" IS NOT NULL AND s1."c1" > 2) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0 FROM (SELECT UNNEST(CAST($t0c0 AS TEXT[])) AS c0, UNNEST(CAST($t0c1 AS INT[])) AS c1) AS s1 WHERE s1."c1" > 2, t0c0, t0c1
-- m0: ROWS 0..20 step 1
-- inputs: t0c0, t0c1
-- post: SELECT dpproxy_0.k0 AS "dept", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- its columns are public keys
SELECT m.dept, m.weight, sum(v.cost) FROM visits v JOIN mine m USING (dept) GROUP BY m.dept, m.weight;
-- =>
SELECT k0, k1, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, k1, m0 FROM (SELECT k0, k1, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0, NULLIF(NULLIF(CAST(k1 AS DOUBLE), 0), CAST('NaN' AS DOUBLE)))), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 800000) AS m0 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0, s1."c1" AS k1, CAST(CASE WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."cost" * CAST('100.0' AS DOUBLE)) WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT) AS m0 FROM "visits" AS s0 JOIN (SELECT UNNEST(CAST($t0c0 AS TEXT[])) AS c0, UNNEST(CAST($t0c1 AS INT[])) AS c1) AS s1 ON s0."dept" = s1."c0" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0, s1."c1" AS d1 FROM (SELECT UNNEST(CAST($t0c0 AS TEXT[])) AS c0, UNNEST(CAST($t0c1 AS INT[])) AS c1) AS s1, t0c0, t0c1
-- k1: column 1 of SELECT DISTINCT s1."c0" AS d0, s1."c1" AS d1 FROM (SELECT UNNEST(CAST($t0c0 AS TEXT[])) AS c0, UNNEST(CAST($t0c1 AS INT[])) AS c1) AS s1, t0c0, t0c1
-- m0: SUM 0..800000 step 0.01
-- inputs: t0c0, t0c1
-- post: SELECT dpproxy_0.k0 AS "dept", dpproxy_0.k1 AS "weight", dpproxy_0.o0 AS "sum" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS INT[]), CAST($3 AS DOUBLE PRECISION[])) AS r("k0", "k1", "o0")) AS "dpproxy_0"

-- membership
SELECT count(*) FROM visits WHERE dept IN (SELECT dept FROM mine WHERE weight > 2);
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND EXISTS(SELECT 1 FROM (SELECT UNNEST(CAST($t0c0 AS TEXT[])) AS c0, UNNEST(CAST($t0c1 AS INT[])) AS c1) AS q1_s0 WHERE q1_s0."c1" > 2 AND s0."dept" = q1_s0."c0")) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- inputs: t0c0, t0c1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- rows that are not there
SELECT count(*) FROM visits v WHERE NOT EXISTS (SELECT 1 FROM mine m WHERE m.dept = v.dept AND m.since > v.day);
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND NOT EXISTS(SELECT 1 FROM (SELECT UNNEST(CAST($t0c0 AS TEXT[])) AS c0, UNNEST(CAST($t0c1 AS DATE[])) AS c1) AS q1_s0 WHERE q1_s0."c0" = s0."dept" AND q1_s0."c1" > s0."day")) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- inputs: t0c0, t0c1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- one value
SELECT count(*) FROM visits WHERE cost > (SELECT max(weight) FROM mine) * 10;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."cost" > CAST(CAST((SELECT t."c0" FROM (SELECT q1_s0."v0" AS c0 FROM (SELECT MAX(a0) AS v0 FROM (SELECT q1_s0."c0" AS a0 FROM (SELECT UNNEST(CAST($t0c0 AS INT[])) AS c0) AS q1_s0) AS r) AS q1_s0) AS t) AS BIGINT) * CAST(10 AS BIGINT) AS DOUBLE)) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- inputs: t0c0
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- a name that needs quotes, and a numeric
SELECT count(*) FROM visits v JOIN mine m ON m.dept = v.dept WHERE m."Odd ""name""" < 1 AND m.share <> 0.5;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 JOIN (SELECT UNNEST(CAST($t0c0 AS TEXT[])) AS c0, UNNEST(CAST($t0c1 AS DECIMAL(6, 2)[])) AS c1, UNNEST(CAST($t0c2 AS DOUBLE[])) AS c2) AS s1 ON s1."c0" = s0."dept" WHERE s0."person_id" IS NOT NULL AND s1."c2" < CAST('1.0' AS DOUBLE) AND s1."c1" <> 0.5) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- inputs: t0c0, t0c1, t0c2
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- rows without any column
SELECT count(*) FROM people CROSS JOIN mine;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 100) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 CROSS JOIN (SELECT UNNEST(CAST($t0c0 AS TEXT[])) AS c0) AS s1 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 100 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..100 step 1
-- inputs: t0c0
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- twice
SELECT count(*) FROM visits v JOIN mine a ON a.dept = v.dept LEFT JOIN mine b ON b.share = a.share AND b.weight > a.weight WHERE b.weight IS NULL;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 JOIN (SELECT UNNEST(CAST($t0c0 AS TEXT[])) AS c0, UNNEST(CAST($t0c1 AS INT[])) AS c1, UNNEST(CAST($t0c2 AS DECIMAL(6, 2)[])) AS c2) AS s1 ON s1."c0" = s0."dept" LEFT JOIN (SELECT UNNEST(CAST($t0c0 AS TEXT[])) AS c0, UNNEST(CAST($t0c1 AS INT[])) AS c1, UNNEST(CAST($t0c2 AS DECIMAL(6, 2)[])) AS c2) AS s2 ON s2."c2" = s1."c2" AND s2."c1" > s1."c1" WHERE s0."person_id" IS NOT NULL AND s2."c1" IS NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- inputs: t0c0, t0c1, t0c2
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- aggregated first, bounds by a clip
WITH heaviest AS (SELECT dept, max(weight) AS w FROM mine GROUP BY dept) SELECT v.dept, sum(LEAST(GREATEST(h.w, 0), 10)) FROM visits v JOIN heaviest h ON h.dept = v.dept GROUP BY v.dept;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 200) AS m0 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0, CAST(CASE WHEN LEAST(GREATEST(s1."c1", 0), 10) > 10 THEN 10 WHEN LEAST(GREATEST(s1."c1", 0), 10) < 0 THEN 0 ELSE LEAST(GREATEST(s1."c1", 0), 10) END AS BIGINT) AS m0 FROM "visits" AS s0 JOIN (SELECT s0."g0" AS c0, s0."v0" AS c1 FROM (SELECT g0, MAX(a0) AS v0 FROM (SELECT s0."c0" AS g0, s0."c1" AS a0 FROM (SELECT UNNEST(CAST($t0c0 AS TEXT[])) AS c0, UNNEST(CAST($t0c1 AS INT[])) AS c1) AS s0) AS r GROUP BY g0) AS s0) AS s1 ON s1."c0" = s0."dept" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0 FROM (SELECT s0."g0" AS c0, s0."v0" AS c1 FROM (SELECT g0, MAX(a0) AS v0 FROM (SELECT s0."c0" AS g0, s0."c1" AS a0 FROM (SELECT UNNEST(CAST($t0c0 AS TEXT[])) AS c0, UNNEST(CAST($t0c1 AS INT[])) AS c1) AS s0) AS r GROUP BY g0) AS s0) AS s1, t0c0, t0c1
-- m0: SUM 0..200 step 1
-- inputs: t0c0, t0c1
-- post: WITH "heaviest" AS (SELECT "mine"."dept" AS "dept", MAX("mine"."weight") AS "w" FROM "alice"."mine" AS "mine" GROUP BY "mine"."dept") SELECT dpproxy_0.k0 AS "dept", dpproxy_0.o0 AS "sum" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- with public rows and released ones, in the engine
SELECT count(*) FROM visits v JOIN (SELECT r.dept FROM (SELECT dept, count(*) AS n FROM visits GROUP BY dept) r JOIN mine m ON m.dept = r.dept JOIN departments d ON d.dept = m.dept WHERE r.n > m.weight) x ON x.dept = v.dept;
-- =>
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- m0: ROWS 0..20 step 1
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 JOIN (SELECT s0."c0" AS c0 FROM (SELECT s0."k0" AS c0, s0."o0" AS c1 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0, UNNEST(CAST($r0c1 AS BIGINT[])) AS o0) AS s0) AS s0 JOIN (SELECT UNNEST(CAST($t0c0 AS TEXT[])) AS c0, UNNEST(CAST($t0c1 AS INT[])) AS c1) AS s1 ON s1."c0" = s0."c0" JOIN "departments" AS s2 ON s2."dept" = s1."c0" WHERE s0."c1" > s1."c1") AS s1 ON s1."c0" = s0."dept" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- inputs: r0c0, r0c1, t0c0, t0c1
-- post: SELECT dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_1"

-- behind a release the front reads it itself
SELECT m.dept, m.weight, r.n FROM (SELECT dept, count(*) AS n FROM visits GROUP BY dept) r JOIN alice.mine m ON m.dept = r.dept WHERE m.notes IS NOT NULL;
-- =>
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- m0: ROWS 0..20 step 1
-- post: SELECT "m"."dept" AS "dept", "m"."weight" AS "weight", "r"."n" AS "n" FROM (SELECT dpproxy_0.k0 AS "dept", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0") AS "r" JOIN "alice"."mine" AS "m" ON "m"."dept" = "r"."dept" WHERE "m"."notes" IS NOT NULL

-- a correlated aggregate over private rows
SELECT m.dept, m.weight, (SELECT count(*) FROM visits v WHERE v.dept = m.dept) AS n FROM mine m WHERE m.weight > 2;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0 FROM "visits" AS s0 CROSS JOIN (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."c0" AS g0 FROM (SELECT UNNEST(CAST($t0c0 AS TEXT[])) AS c0, UNNEST(CAST($t0c1 AS INT[])) AS c1) AS s0 WHERE s0."c1" > 2) AS r GROUP BY g0) AS s0) AS s1 WHERE s0."person_id" IS NOT NULL AND s0."dept" = s1."c0") AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0 FROM (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."c0" AS g0 FROM (SELECT UNNEST(CAST($t0c0 AS TEXT[])) AS c0, UNNEST(CAST($t0c1 AS INT[])) AS c1) AS s0 WHERE s0."c1" > 2) AS r GROUP BY g0) AS s0) AS s1, t0c0, t0c1
-- m0: ROWS 0..20 step 1
-- inputs: t0c0, t0c1
-- post: SELECT "m"."dept" AS "dept", "m"."weight" AS "weight", (COALESCE(dpproxy_0_0.o0, 0)) AS "n" FROM "alice"."mine" AS "m" LEFT JOIN (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0_0" ON dpproxy_0_0.k0 = "m"."dept" WHERE "m"."weight" > 2

-- in a set operation
SELECT count(*) FROM visits v JOIN (SELECT dept FROM mine UNION SELECT dept FROM departments) d ON d.dept = v.dept;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 JOIN (SELECT s0."c0" AS c0 FROM (SELECT UNNEST(CAST($t0c0 AS TEXT[])) AS c0) AS s0 UNION SELECT s0."dept" AS c0 FROM "departments" AS s0) AS s1 ON s1."c0" = s0."dept" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- inputs: t0c0
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

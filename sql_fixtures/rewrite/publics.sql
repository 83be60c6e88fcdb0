-- keys of a public table, and public conditions
SELECT d.building, count(*) FROM visits v JOIN departments d ON v.dept = d.dept WHERE d.beds > 10 AND v.cost > 100 GROUP BY d.building;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."building" AS k0 FROM "visits" AS s0 JOIN "departments" AS s1 ON s0."dept" = s1."dept" WHERE s0."person_id" IS NOT NULL AND s1."beds" > 10 AND s0."cost" > CAST('100.0' AS DOUBLE)) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."building" AS d0 FROM "departments" AS s1 WHERE s1."beds" > 10
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "building", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- keys of two public tables
SELECT d.building, n.nation, count(*) FROM visits v JOIN departments d ON v.dept = d.dept CROSS JOIN nation n GROUP BY d.building, n.nation;
-- =>
SELECT k0, k1, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, k1, m0 FROM (SELECT k0, k1, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0, k1)), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."building" AS k0, s2."nation" AS k1 FROM "visits" AS s0 JOIN "departments" AS s1 ON s0."dept" = s1."dept" CROSS JOIN "nation" AS s2 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN (STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AND (STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL) END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."building" AS d0 FROM "departments" AS s1
-- k1: column 0 of SELECT DISTINCT s2."nation" AS d0 FROM "nation" AS s2
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "building", dpproxy_0.k1 AS "nation", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_0"

-- keys of two public tables that hang together are joint
SELECT d.building, e.dept, count(*) FROM visits v JOIN departments d ON v.dept = d.dept JOIN departments e ON e.building = d.building GROUP BY d.building, e.dept;
-- =>
SELECT k0, k1, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, k1, m0 FROM (SELECT k0, k1, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0, k1)), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."building" AS k0, s2."dept" AS k1 FROM "visits" AS s0 JOIN "departments" AS s1 ON s0."dept" = s1."dept" JOIN "departments" AS s2 ON s2."building" = s1."building" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN (STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AND (STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL) END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."building" AS d0, s2."dept" AS d1 FROM "departments" AS s1 CROSS JOIN "departments" AS s2 WHERE s2."building" = s1."building"
-- k1: column 1 of SELECT DISTINCT s1."building" AS d0, s2."dept" AS d1 FROM "departments" AS s1 CROSS JOIN "departments" AS s2 WHERE s2."building" = s1."building"
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "building", dpproxy_0.k1 AS "dept", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_0"

-- an expression of a public column
SELECT upper(d.building) || '!' AS b, count(*) FROM visits v JOIN departments d ON v.dept = d.dept GROUP BY 1;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, UPPER(s1."building") || '!' AS k0 FROM "visits" AS s0 JOIN "departments" AS s1 ON s0."dept" = s1."dept" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT UPPER(s1."building") || '!' AS d0 FROM "departments" AS s1
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "b", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- a public column through a derived table of private rows
SELECT t.building, count(*) FROM (SELECT d.building, v.cost FROM visits v JOIN departments d ON v.dept = d.dept WHERE d.beds > 10) t WHERE t.cost > 10 GROUP BY t.building;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."u" AS u, s0."c0" AS k0 FROM (SELECT s0."person_id" AS u, s1."building" AS c0, s0."cost" AS c1 FROM "visits" AS s0 JOIN "departments" AS s1 ON s0."dept" = s1."dept" WHERE s0."person_id" IS NOT NULL AND s1."beds" > 10) AS s0 WHERE s0."u" IS NOT NULL AND s0."c1" > CAST('10.0' AS DOUBLE)) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s0p0."d0" AS d0 FROM (SELECT DISTINCT s1."building" AS d0 FROM "departments" AS s1 WHERE s1."beds" > 10) AS s0p0
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "building", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- a public derived table
SELECT t.size, count(*) FROM visits v JOIN (SELECT dept, CASE WHEN beds > 16 THEN 'large' ELSE 'small' END AS size FROM departments) t ON t.dept = v.dept GROUP BY t.size;
-- =>
SELECT v.k0 AS k0, CASE WHEN v.i = 0 THEN t.p0 WHEN v.i = 1 THEN t.p1 END AS m0 FROM (SELECT CAST(LEAST(GREATEST(COALESCE(SUM(p0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p0, CAST(LEAST(GREATEST(COALESCE(SUM(p1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p1 FROM (SELECT LEAST(CAST(COALESCE(s0, 0) & 2147483647 AS BIGINT), 20) AS p0, LEAST(CAST((COALESCE(s0, 0) >> 31) & 2147483647 AS BIGINT), 20) AS p1 FROM (SELECT u, SUM(CASE WHEN k0 = 'large' THEN 1 WHEN k0 = 'small' THEN 2147483648 END) AS s0 FROM (SELECT s0."person_id" AS u, s1."c1" AS k0 FROM "visits" AS s0 JOIN (SELECT s0."dept" AS c0, CASE WHEN s0."beds" > 16 THEN 'large' ELSE 'small' END AS c1 FROM "departments" AS s0) AS s1 ON s1."c0" = s0."dept" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS q WHERE s0 IS NOT NULL) AS c) AS t CROSS JOIN (SELECT v0.i AS i, v0.k0 AS k0 FROM (VALUES (0, 'large'), (1, 'small')) AS v0(i, k0)) AS v;
-- unit person: 20 rows, 2 keys (FEW_PUBLIC_KEYS)
-- k0: values 'large', 'small'
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "size", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- a public CTE with aggregates
WITH large AS (SELECT building, sum(beds) AS beds FROM departments GROUP BY building HAVING sum(beds) > 20) SELECT l.building, count(*) FROM visits v JOIN departments d ON v.dept = d.dept JOIN large l ON l.building = d.building GROUP BY l.building;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s2."c0" AS k0 FROM "visits" AS s0 JOIN "departments" AS s1 ON s0."dept" = s1."dept" JOIN (SELECT s0."g0" AS c0, s0."v0" AS c1 FROM (SELECT g0, CAST(CASE WHEN SUM(a0) > 1000000000000000000 THEN 1000000000000000000 WHEN SUM(a0) < (-1000000000000000000) THEN -1000000000000000000 ELSE SUM(a0) END AS BIGINT) AS v0 FROM (SELECT s0."building" AS g0, s0."beds" AS a0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0 WHERE s0."v0" > 20) AS s2 ON s2."c0" = s1."building" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."building" AS d0 FROM "departments" AS s1 CROSS JOIN (SELECT s0."g0" AS c0, s0."v0" AS c1 FROM (SELECT g0, CAST(CASE WHEN SUM(a0) > 1000000000000000000 THEN 1000000000000000000 WHEN SUM(a0) < (-1000000000000000000) THEN -1000000000000000000 ELSE SUM(a0) END AS BIGINT) AS v0 FROM (SELECT s0."building" AS g0, s0."beds" AS a0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0 WHERE s0."v0" > 20) AS s2 WHERE s2."c0" = s1."building"
-- m0: ROWS 0..20 step 1
-- post: WITH "large" AS (SELECT "departments"."building" AS "building", SUM("departments"."beds") AS "beds" FROM "public"."departments" AS "departments" GROUP BY "departments"."building" HAVING SUM("departments"."beds") > 20) SELECT dpproxy_0.k0 AS "building", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- ORDER BY and LIMIT in a public query
SELECT t.dept, count(*) FROM visits v JOIN (SELECT dept FROM departments ORDER BY beds DESC LIMIT 2) t ON t.dept = v.dept GROUP BY t.dept;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0 FROM "visits" AS s0 JOIN (SELECT s0."dept" AS c0 FROM "departments" AS s0 ORDER BY s0."beds" DESC NULLS FIRST LIMIT 2) AS s1 ON s1."c0" = s0."dept" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0 FROM (SELECT s0."dept" AS c0 FROM "departments" AS s0 ORDER BY s0."beds" DESC NULLS FIRST LIMIT 2) AS s1
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "dept", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- a public condition with IN over a public table
SELECT d.building, count(*) FROM visits v JOIN departments d ON v.dept = d.dept WHERE d.dept IN (SELECT e.dept FROM departments e WHERE e.beds > 16) GROUP BY d.building;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."building" AS k0 FROM "visits" AS s0 JOIN "departments" AS s1 ON s0."dept" = s1."dept" WHERE s0."person_id" IS NOT NULL AND EXISTS(SELECT 1 FROM "departments" AS q1_s0 WHERE q1_s0."beds" > 16 AND s1."dept" = q1_s0."dept")) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."building" AS d0 FROM "departments" AS s1 WHERE EXISTS(SELECT 1 FROM "departments" AS q1_s0 WHERE q1_s0."beds" > 16 AND s1."dept" = q1_s0."dept")
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "building", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- a key with NULL where the outer join finds nothing
SELECT d.building, count(*) FROM visits v LEFT JOIN departments d ON v.dept = d.dept AND d.beds > 20 GROUP BY d.building;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."building" AS k0 FROM "visits" AS s0 LEFT JOIN "departments" AS s1 ON s0."dept" = s1."dept" AND s1."beds" > 20 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."building" AS d0 FROM "departments" AS s1 WHERE s1."beds" > 20 or NULL
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "building", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- a key of the private side stays private
SELECT v.dept, d.building, count(*) FROM visits v JOIN departments d ON v.dept = d.dept GROUP BY v.dept, d.building;
-- =>
SELECT k0, k1, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, k1, m0 FROM (SELECT k0, k1, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0, k1)), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0, s1."building" AS k1 FROM "visits" AS s0 JOIN "departments" AS s1 ON s0."dept" = s1."dept" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN (STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AND (STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL) END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."dept" AS d0, s1."building" AS d1 FROM "departments" AS s1
-- k1: column 1 of SELECT DISTINCT s1."dept" AS d0, s1."building" AS d1 FROM "departments" AS s1
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "dept", dpproxy_0.k1 AS "building", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_0"

-- a public subquery as a key
SELECT (SELECT max(building) FROM departments) AS b, count(*) FROM people GROUP BY 1;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, (SELECT t."c0" FROM (SELECT q1_s0."v0" AS c0 FROM (SELECT MAX(a0) AS v0 FROM (SELECT q1_s0."building" AS a0 FROM "departments" AS q1_s0) AS r) AS q1_s0) AS t) AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- post: SELECT dpproxy_0.k0 AS "b", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- public rows alone cost nothing
SELECT building, count(*) FROM departments GROUP BY building;
-- =>
-- post: SELECT "departments"."building" AS "building", COUNT(*) AS "count" FROM "public"."departments" AS "departments" GROUP BY "departments"."building"

-- a public column that meets an expression: the values that there are, of those that the expression may have
SELECT n.nationkey, count(*) FROM nation n JOIN orders o ON extract(month FROM o.orderdate) = n.nationkey GROUP BY n.nationkey;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, NULLIF(NULLIF(CAST(k0 AS DOUBLE), 0), CAST('NaN' AS DOUBLE)))), k0) AS r FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 40) AS m0 FROM (SELECT s1."custkey" AS u, s0."nationkey" AS k0 FROM "nation" AS s0 JOIN "orders" AS s1 ON EXTRACT(MONTH FROM CASE WHEN s1."orderdate" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s1."orderdate" END) = s0."nationkey" WHERE s1."custkey" IS NOT NULL) AS r GROUP BY u, k0) AS c) AS w WHERE r <= 8) AS l GROUP BY k0;
-- unit customer: 40 rows, 8 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s0."nationkey" AS d0 FROM "nation" AS s0 WHERE s0."nationkey" IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
-- m0: ROWS 0..40 step 1
-- post: SELECT dpproxy_0.k0 AS "nationkey", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS INT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- a public column that meets an expression, and is listed: what is listed
SELECT n.nationkey, count(*) FROM nation n JOIN orders o ON extract(month FROM o.orderdate) = n.nationkey WHERE n.nationkey IN (1, 2) GROUP BY n.nationkey;
-- =>
SELECT v.k0 AS k0, CASE WHEN v.i = 0 THEN t.p0 WHEN v.i = 1 THEN t.p1 END AS m0 FROM (SELECT CAST(LEAST(GREATEST(COALESCE(SUM(p0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p0, CAST(LEAST(GREATEST(COALESCE(SUM(p1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p1 FROM (SELECT LEAST(CAST(COALESCE(s0, 0) & 2147483647 AS BIGINT), 40) AS p0, LEAST(CAST((COALESCE(s0, 0) >> 31) & 2147483647 AS BIGINT), 40) AS p1 FROM (SELECT u, SUM(CASE WHEN k0 = 1 THEN 1 WHEN k0 = 2 THEN 2147483648 END) AS s0 FROM (SELECT s1."custkey" AS u, s0."nationkey" AS k0 FROM "nation" AS s0 JOIN "orders" AS s1 ON EXTRACT(MONTH FROM CASE WHEN s1."orderdate" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s1."orderdate" END) = s0."nationkey" WHERE s1."custkey" IS NOT NULL AND s0."nationkey" IN (1, 2)) AS r GROUP BY u) AS q WHERE s0 IS NOT NULL) AS c) AS t CROSS JOIN (SELECT v0.i AS i, v0.k0 AS k0 FROM (VALUES (0, 1), (1, 2)) AS v0(i, k0)) AS v;
-- unit customer: 40 rows, 2 keys (FEW_PUBLIC_KEYS)
-- k0: values 1, 2
-- m0: ROWS 0..40 step 1
-- post: SELECT dpproxy_0.k0 AS "nationkey", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS INT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- an aggregate over private rows for each public row
SELECT d.dept, (SELECT count(*) FROM visits v WHERE v.dept = d.dept) AS n FROM departments d;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0 FROM "visits" AS s0 CROSS JOIN (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s1 WHERE s0."person_id" IS NOT NULL AND s0."dept" = s1."c0") AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0 FROM (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s1
-- m0: ROWS 0..20 step 1
-- post: SELECT "d"."dept" AS "dept", (COALESCE(dpproxy_0_0.o0, 0)) AS "n" FROM "public"."departments" AS "d" LEFT JOIN (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0_0" ON dpproxy_0_0.k0 = "d"."dept"

-- a mean for each public row, with a condition on it
SELECT d.dept FROM departments d WHERE d.beds > (SELECT avg(v.cost) / 20 FROM visits v WHERE v.dept = d.dept);
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT k0, m0, m1 FROM (SELECT k0, m0, m1, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), -400000), 400000) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 20) AS m1 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0, CAST(CASE WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."cost" * CAST('100.0' AS DOUBLE)) WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END - 20000 AS BIGINT) AS m0, CASE WHEN s0."cost" IS NOT NULL AND s0."cost" <> CAST('NaN' AS DOUBLE) THEN 1 END AS m1 FROM "visits" AS s0 CROSS JOIN (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s1 WHERE s0."person_id" IS NOT NULL AND s0."dept" = s1."c0") AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0 FROM (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s1
-- m0: CENTRED -400000..400000 step 0.01
-- m1: VALUES 0..20 step 1
-- post: SELECT "d"."dept" AS "dept" FROM "public"."departments" AS "d" LEFT JOIN (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DOUBLE PRECISION[])) AS r("k0", "o0")) AS "dpproxy_0_0" ON dpproxy_0_0.k0 = "d"."dept" WHERE "d"."beds" > (dpproxy_0_0.o0 / 20)

-- private rows below the mean of their public group (TPC-H Q17)
SELECT sum(v.cost) FROM visits v JOIN departments d ON d.dept = v.dept WHERE d.building = 'north' AND v.cost < (SELECT 0.5 * avg(w.cost) FROM visits w WHERE w.dept = d.dept);
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT k0, m0, m1 FROM (SELECT k0, m0, m1, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), -400000), 400000) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 20) AS m1 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0, CAST(CASE WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."cost" * CAST('100.0' AS DOUBLE)) WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END - 20000 AS BIGINT) AS m0, CASE WHEN s0."cost" IS NOT NULL AND s0."cost" <> CAST('NaN' AS DOUBLE) THEN 1 END AS m1 FROM "visits" AS s0 CROSS JOIN (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0 WHERE s0."building" = 'north') AS r GROUP BY g0) AS s0) AS s1 WHERE s0."person_id" IS NOT NULL AND s0."dept" = s1."c0") AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0 FROM (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0 WHERE s0."building" = 'north') AS r GROUP BY g0) AS s0) AS s1
-- m0: CENTRED -400000..400000 step 0.01
-- m1: VALUES 0..20 step 1
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 800000) AS m0 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."cost" * CAST('100.0' AS DOUBLE)) WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT) AS m0 FROM "visits" AS s0 JOIN "departments" AS s1 ON s1."dept" = s0."dept" LEFT JOIN (SELECT s0."g0" AS c0, s0."v0" AS c1 FROM (SELECT g0, MAX(a0) AS v0 FROM (SELECT s0."k0" AS g0, s0."o0" AS a0 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0, UNNEST(CAST($r0c1 AS DOUBLE[])) AS o0) AS s0) AS r GROUP BY g0) AS s0) AS s2 ON s2."c0" = s1."dept" WHERE s0."person_id" IS NOT NULL AND s1."building" = 'north' AND s0."cost" < (CAST('0.5' AS DOUBLE) * s2."c1")) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: SUM 0..800000 step 0.01
-- inputs: r0c0, r0c1
-- post: SELECT dpproxy_1.o0 AS "sum" FROM (SELECT * FROM UNNEST(CAST($1 AS DOUBLE PRECISION[])) AS r("o0")) AS "dpproxy_1"

-- correlated by two public columns
SELECT count(*) FROM visits v JOIN departments d ON d.dept = v.dept WHERE v.cost > (SELECT avg(w.cost) FROM visits w JOIN departments e ON e.dept = w.dept WHERE e.building = d.building AND e.beds = d.beds);
-- =>
SELECT k0, k1, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT k0, k1, m0, m1 FROM (SELECT k0, k1, m0, m1, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0, NULLIF(NULLIF(CAST(k1 AS DOUBLE), 0), CAST('NaN' AS DOUBLE)))), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COALESCE(SUM(m0), 0), -400000), 400000) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 20) AS m1 FROM (SELECT s0."person_id" AS u, s2."c0" AS k0, s2."c1" AS k1, CAST(CASE WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."cost" * CAST('100.0' AS DOUBLE)) WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END - 20000 AS BIGINT) AS m0, CASE WHEN s0."cost" IS NOT NULL AND s0."cost" <> CAST('NaN' AS DOUBLE) THEN 1 END AS m1 FROM "visits" AS s0 JOIN "departments" AS s1 ON s1."dept" = s0."dept" CROSS JOIN (SELECT s0."g0" AS c0, s0."g1" AS c1 FROM (SELECT g0, g1 FROM (SELECT s0."building" AS g0, s0."beds" AS g1 FROM "departments" AS s0) AS r GROUP BY g0, g1) AS s0) AS s2 WHERE s0."person_id" IS NOT NULL AND s1."building" = s2."c0" AND s1."beds" = s2."c1") AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s2."c0" AS d0, s2."c1" AS d1 FROM "departments" AS s1 CROSS JOIN (SELECT s0."g0" AS c0, s0."g1" AS c1 FROM (SELECT g0, g1 FROM (SELECT s0."building" AS g0, s0."beds" AS g1 FROM "departments" AS s0) AS r GROUP BY g0, g1) AS s0) AS s2 WHERE s1."building" = s2."c0" AND s1."beds" = s2."c1"
-- k1: column 1 of SELECT DISTINCT s2."c0" AS d0, s2."c1" AS d1 FROM "departments" AS s1 CROSS JOIN (SELECT s0."g0" AS c0, s0."g1" AS c1 FROM (SELECT g0, g1 FROM (SELECT s0."building" AS g0, s0."beds" AS g1 FROM "departments" AS s0) AS r GROUP BY g0, g1) AS s0) AS s2 WHERE s1."building" = s2."c0" AND s1."beds" = s2."c1"
-- m0: CENTRED -400000..400000 step 0.01
-- m1: VALUES 0..20 step 1
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 JOIN "departments" AS s1 ON s1."dept" = s0."dept" LEFT JOIN (SELECT s0."g0" AS c0, s0."g1" AS c1, s0."v0" AS c2 FROM (SELECT g0, g1, MAX(a0) AS v0 FROM (SELECT s0."k0" AS g0, s0."k1" AS g1, s0."o0" AS a0 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0, UNNEST(CAST($r0c1 AS INT[])) AS k1, UNNEST(CAST($r0c2 AS DOUBLE[])) AS o0) AS s0) AS r GROUP BY g0, g1) AS s0) AS s2 ON s2."c0" = s1."building" AND s2."c1" = s1."beds" WHERE s0."person_id" IS NOT NULL AND s0."cost" > s2."c2") AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- inputs: r0c0, r0c1, r0c2
-- post: SELECT dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_1"

-- another condition within
SELECT n.nation, (SELECT sum(c.acctbal) FROM customer c WHERE c.nationkey = n.nationkey AND c.segment = 'BUILDING') FROM nation n WHERE n.nationkey < 3;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT s0."custkey" AS u, s1."c0" AS k0, CAST(CASE WHEN (CAST(s0."acctbal" AS DOUBLE) * CAST('100.0' AS DOUBLE)) > 1000000 THEN 1000000 WHEN (CAST(s0."acctbal" AS DOUBLE) * CAST('100.0' AS DOUBLE)) < (-100000) THEN -100000 ELSE (CAST(s0."acctbal" AS DOUBLE) * CAST('100.0' AS DOUBLE)) END AS BIGINT) AS m0 FROM "customer" AS s0 CROSS JOIN (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."nationkey" AS g0 FROM "nation" AS s0 WHERE s0."nationkey" < 3) AS r GROUP BY g0) AS s0) AS s1 WHERE s0."custkey" IS NOT NULL AND s0."segment" = 'BUILDING' AND s0."nationkey" = s1."c0") AS r GROUP BY k0;
-- unit customer: 1 rows, 1 keys (ONE_ROW)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0 FROM (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."nationkey" AS g0 FROM "nation" AS s0 WHERE s0."nationkey" < 3) AS r GROUP BY g0) AS s0) AS s1
-- m0: SUM -100000..1000000 step 0.01
-- post: SELECT "n"."nation" AS "nation", (dpproxy_0_0.o0) AS "sum" FROM "public"."nation" AS "n" LEFT JOIN (SELECT * FROM UNNEST(CAST($1 AS INT[]), CAST($2 AS DECIMAL[])) AS r("k0", "o0")) AS "dpproxy_0_0" ON dpproxy_0_0.k0 = "n"."nationkey" WHERE "n"."nationkey" < 3

-- a join within (TPC-H Q20)
SELECT n.nation FROM nation n WHERE n.nationkey * 10000 > (SELECT 0.5 * sum(l.quantity) FROM customer c JOIN orders o ON o.custkey = c.custkey JOIN lineitem l ON l.orderkey = o.orderkey WHERE c.nationkey = n.nationkey) ORDER BY n.nation;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, NULLIF(NULLIF(CAST(k0 AS DOUBLE), 0), CAST('NaN' AS DOUBLE)))), k0) AS r FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 500000) AS m0 FROM (SELECT s0."custkey" AS u, s3."c0" AS k0, CAST(CASE WHEN (CAST(s2."quantity" AS DOUBLE) * CAST('100.0' AS DOUBLE)) > 5000 THEN 5000 WHEN (CAST(s2."quantity" AS DOUBLE) * CAST('100.0' AS DOUBLE)) < 0 THEN 0 ELSE (CAST(s2."quantity" AS DOUBLE) * CAST('100.0' AS DOUBLE)) END AS BIGINT) AS m0 FROM "customer" AS s0 JOIN "orders" AS s1 ON s1."custkey" = s0."custkey" JOIN "lineitem" AS s2 ON s2."orderkey" = s1."orderkey" CROSS JOIN (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."nationkey" AS g0 FROM "nation" AS s0) AS r GROUP BY g0) AS s0) AS s3 WHERE s0."custkey" IS NOT NULL AND s0."nationkey" = s3."c0") AS r GROUP BY u, k0) AS c) AS w WHERE r <= 8) AS l GROUP BY k0;
-- unit customer: 100 rows, 8 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s3."c0" AS d0 FROM (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."nationkey" AS g0 FROM "nation" AS s0) AS r GROUP BY g0) AS s0) AS s3
-- m0: SUM 0..500000 step 0.01
-- post: SELECT "n"."nation" AS "nation" FROM "public"."nation" AS "n" LEFT JOIN (SELECT * FROM UNNEST(CAST($1 AS INT[]), CAST($2 AS DECIMAL[])) AS r("k0", "o0")) AS "dpproxy_0_0" ON dpproxy_0_0.k0 = "n"."nationkey" WHERE "n"."nationkey" * 10000 > (0.5 * dpproxy_0_0.o0) ORDER BY "n"."nation"

-- counts are zero where there is none
SELECT d.dept, (SELECT count(*) FROM visits v WHERE v.dept = d.dept AND v.cost > 399.9) FROM departments d ORDER BY 2, 1;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0 FROM "visits" AS s0 CROSS JOIN (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s1 WHERE s0."person_id" IS NOT NULL AND s0."cost" > CAST('399.9' AS DOUBLE) AND s0."dept" = s1."c0") AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0 FROM (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s1
-- m0: ROWS 0..20 step 1
-- post: SELECT "d"."dept" AS "dept", (COALESCE(dpproxy_0_0.o0, 0)) AS "count" FROM "public"."departments" AS "d" LEFT JOIN (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0_0" ON dpproxy_0_0.k0 = "d"."dept" ORDER BY "count", "dept"

-- beside a condition of public columns, which narrows the keys
SELECT d.dept FROM departments d WHERE (SELECT count(*) FROM visits v WHERE v.dept = d.dept AND v.cost > 100) > 5 AND d.beds > 10;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0 FROM "visits" AS s0 CROSS JOIN (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0 WHERE s0."beds" > 10) AS r GROUP BY g0) AS s0) AS s1 WHERE s0."person_id" IS NOT NULL AND s0."cost" > CAST('100.0' AS DOUBLE) AND s0."dept" = s1."c0") AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0 FROM (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0 WHERE s0."beds" > 10) AS r GROUP BY g0) AS s0) AS s1
-- m0: ROWS 0..20 step 1
-- post: SELECT "d"."dept" AS "dept" FROM "public"."departments" AS "d" LEFT JOIN (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0_0" ON dpproxy_0_0.k0 = "d"."dept" WHERE (COALESCE(dpproxy_0_0.o0, 0)) > 5 AND "d"."beds" > 10

-- in an aggregate of public rows
SELECT d.building, sum((SELECT count(*) FROM visits v WHERE v.dept = d.dept)) FROM departments d GROUP BY d.building;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0 FROM "visits" AS s0 CROSS JOIN (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s1 WHERE s0."person_id" IS NOT NULL AND s0."dept" = s1."c0") AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0 FROM (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s1
-- m0: ROWS 0..20 step 1
-- post: SELECT "d"."building" AS "building", SUM((SELECT COALESCE(MAX(dpproxy_0.o0), 0) AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0" WHERE dpproxy_0.k0 = "d"."dept")) AS "sum" FROM "public"."departments" AS "d" GROUP BY "d"."building"

-- HAVING within: no row, no value
SELECT d.dept, (SELECT count(*) FROM visits v WHERE v.dept = d.dept HAVING count(*) > 5) FROM departments d;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0 FROM "visits" AS s0 CROSS JOIN (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s1 WHERE s0."person_id" IS NOT NULL AND s0."dept" = s1."c0") AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0 FROM (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s1
-- m0: ROWS 0..20 step 1
-- post: SELECT "d"."dept" AS "dept", (CASE WHEN dpproxy_0_0.o0 > 5 THEN dpproxy_0_0.o0 END) AS "count" FROM "public"."departments" AS "d" LEFT JOIN (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0_0" ON dpproxy_0_0.k0 = "d"."dept"

-- in a CTE that private rows are joined with
WITH t AS (SELECT d.dept, (SELECT count(*) FROM visits v WHERE v.dept = d.dept) AS n FROM departments d) SELECT count(*) FROM visits v JOIN t ON t.dept = v.dept WHERE t.n > 100;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0 FROM "visits" AS s0 CROSS JOIN (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s1 WHERE s0."person_id" IS NOT NULL AND s0."dept" = s1."c0") AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0 FROM (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s1
-- m0: ROWS 0..20 step 1
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 JOIN (SELECT s0."dept" AS c0, COALESCE(s1."o0", 0) AS c1 FROM "departments" AS s0 LEFT JOIN (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0, UNNEST(CAST($r0c1 AS BIGINT[])) AS o0) AS s1 ON s1."k0" = s0."dept") AS s1 ON s1."c0" = s0."dept" WHERE s0."person_id" IS NOT NULL AND s1."c1" > 100) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- inputs: r0c0, r0c1
-- post: WITH "t" AS (SELECT "d"."dept" AS "dept", (COALESCE(dpproxy_0_0.o0, 0)) AS "n" FROM "public"."departments" AS "d" LEFT JOIN (SELECT * FROM UNNEST(CAST($2 AS TEXT[]), CAST($3 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0_0" ON dpproxy_0_0.k0 = "d"."dept") SELECT dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_1"

-- correlated with released rows: their keys are those of the next
SELECT a.sex, (SELECT avg(income) FROM people p WHERE p.sex = a.sex) FROM (SELECT sex, count(*) AS m FROM people GROUP BY sex) a;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s1."c0" AS k0, CAST(CASE WHEN s0."income" < 0 THEN 0 WHEN s0."income" <= 500000 THEN s0."income" WHEN s0."income" < CAST('NaN' AS DOUBLE) THEN 500000 END - 250000 AS BIGINT) AS m0, CASE WHEN s0."income" IS NOT NULL AND s0."income" <> CAST('NaN' AS DOUBLE) THEN 1 END AS m1 FROM "people" AS s0 CROSS JOIN (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."c0" AS g0 FROM (SELECT s0."k0" AS c0, s0."o0" AS c1 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0, UNNEST(CAST($r0c1 AS BIGINT[])) AS o0) AS s0) AS s0) AS r GROUP BY g0) AS s0) AS s1 WHERE s0."person_id" IS NOT NULL AND s0."sex" = s1."c0") AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: CENTRED -250000..250000 step 1
-- m1: VALUES 0..1 step 1
-- inputs: r0c0, r0c1
-- post: SELECT "a"."sex" AS "sex", (dpproxy_1_0.o0) AS "avg" FROM (SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "m" FROM (SELECT * FROM UNNEST(CAST($3 AS TEXT[]), CAST($4 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0") AS "a" LEFT JOIN (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DOUBLE PRECISION[])) AS r("k0", "o0")) AS "dpproxy_1_0" ON dpproxy_1_0.k0 = "a"."sex"

-- NULL on the outer side counts none
SELECT nation, (SELECT count(*) FROM visits v WHERE v.dept = d.dept) AS n FROM nation LEFT JOIN departments d ON d.beds = nation.nationkey;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0 FROM "visits" AS s0 CROSS JOIN (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s1 WHERE s0."person_id" IS NOT NULL AND s0."dept" = s1."c0") AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0 FROM (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s1
-- m0: ROWS 0..20 step 1
-- post: SELECT "nation"."nation" AS "nation", (COALESCE(dpproxy_0_1.o0, 0)) AS "n" FROM "public"."nation" AS "nation" LEFT JOIN "public"."departments" AS "d" ON "d"."beds" = "nation"."nationkey" LEFT JOIN (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0_1" ON dpproxy_0_1.k0 = "d"."dept"

-- two look-ups beside each other from a list of values, which stays where it is
SELECT b.dept, (SELECT count(*) FROM visits v WHERE v.dept = b.dept), (SELECT avg(cost) FROM visits v WHERE v.dept = b.dept) FROM (VALUES ('cardio'), ('neuro')) b(dept);
-- =>
SELECT v.k0 AS k0, CASE WHEN v.i = 0 THEN t.p0 WHEN v.i = 1 THEN t.p1 END AS m0 FROM (SELECT CAST(LEAST(GREATEST(COALESCE(SUM(p0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p0, CAST(LEAST(GREATEST(COALESCE(SUM(p1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p1 FROM (SELECT LEAST(CAST(COALESCE(s0, 0) & 2147483647 AS BIGINT), 20) AS p0, LEAST(CAST((COALESCE(s0, 0) >> 31) & 2147483647 AS BIGINT), 20) AS p1 FROM (SELECT u, SUM(CASE WHEN k0 = 'cardio' THEN 1 WHEN k0 = 'neuro' THEN 2147483648 END) AS s0 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0 FROM "visits" AS s0 CROSS JOIN (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."c0" AS g0 FROM (SELECT v0.c0 AS c0 FROM (VALUES (CAST('cardio' AS TEXT)), (CAST('neuro' AS TEXT))) AS v0(c0)) AS s0) AS r GROUP BY g0) AS s0) AS s1 WHERE s0."person_id" IS NOT NULL AND s0."dept" = s1."c0") AS r GROUP BY u) AS q WHERE s0 IS NOT NULL) AS c) AS t CROSS JOIN (SELECT v0.i AS i, v0.k0 AS k0 FROM (VALUES (0, 'cardio'), (1, 'neuro')) AS v0(i, k0)) AS v;
-- unit person: 20 rows, 2 keys (FEW_PUBLIC_KEYS)
-- k0: values 'cardio', 'neuro'
-- m0: ROWS 0..20 step 1
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), -400000), 400000) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 20) AS m1 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0, CAST(CASE WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."cost" * CAST('100.0' AS DOUBLE)) WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END - 20000 AS BIGINT) AS m0, CASE WHEN s0."cost" IS NOT NULL AND s0."cost" <> CAST('NaN' AS DOUBLE) THEN 1 END AS m1 FROM "visits" AS s0 CROSS JOIN (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."c0" AS g0 FROM (SELECT v0.c0 AS c0 FROM (VALUES (CAST('cardio' AS TEXT)), (CAST('neuro' AS TEXT))) AS v0(c0)) AS s0) AS r GROUP BY g0) AS s0) AS s1 WHERE s0."person_id" IS NOT NULL AND s0."dept" = s1."c0") AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('cardio', 'neuro') END) AS c GROUP BY k0;
-- unit person: 20 rows, 2 keys (FEW_PUBLIC_KEYS)
-- k0: values 'cardio', 'neuro'
-- m0: CENTRED -400000..400000 step 0.01
-- m1: VALUES 0..20 step 1
-- post: SELECT "b"."dept" AS "dept", (COALESCE(dpproxy_0_0.o0, 0)) AS "count", (dpproxy_1_1.o0) AS "avg" FROM (VALUES ('cardio'), ('neuro')) AS "b"("dept") LEFT JOIN (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0_0" ON dpproxy_0_0.k0 = "b"."dept" LEFT JOIN (SELECT * FROM UNNEST(CAST($3 AS TEXT[]), CAST($4 AS DOUBLE PRECISION[])) AS r("k0", "o0")) AS "dpproxy_1_1" ON dpproxy_1_1.k0 = "b"."dept"

-- the condition of an outer join takes away no key of the rows that stay
SELECT d.dept, (SELECT count(*) FROM visits v WHERE v.dept = d.dept) FROM departments d LEFT JOIN nation n ON d.beds = n.nationkey;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0 FROM "visits" AS s0 CROSS JOIN (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s1 WHERE s0."person_id" IS NOT NULL AND s0."dept" = s1."c0") AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0 FROM (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s1
-- m0: ROWS 0..20 step 1
-- post: SELECT "d"."dept" AS "dept", (COALESCE(dpproxy_0_1.o0, 0)) AS "count" FROM "public"."departments" AS "d" LEFT JOIN "public"."nation" AS "n" ON "d"."beds" = "n"."nationkey" LEFT JOIN (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0_1" ON dpproxy_0_1.k0 = "d"."dept"

-- private rows below the mean of their private group
SELECT p.sex, count(*) FROM people p WHERE p.age < (SELECT avg(q.age) FROM people q WHERE q.city = p.city) GROUP BY p.sex;
-- =>
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0, CAST(CASE WHEN s0."age" > 120 THEN 120 WHEN s0."age" < 0 THEN 0 ELSE s0."age" END - 60 AS BIGINT) AS m0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- m0: CENTRED -60..60 step 1
-- note: looked up by "q"."city": by a value that was not chosen, a count is 0 and all else is NULL
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 LEFT JOIN (SELECT s0."g0" AS c0, s0."v0" AS c1 FROM (SELECT g0, MAX(a0) AS v0 FROM (SELECT s0."k0" AS g0, s0."o0" AS a0 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0, UNNEST(CAST($r0c1 AS DOUBLE[])) AS o0) AS s0) AS r GROUP BY g0) AS s0) AS s1 ON s1."c0" = s0."city" WHERE s0."person_id" IS NOT NULL AND CAST(s0."age" AS DOUBLE) < s1."c1") AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- inputs: r0c0, r0c1
-- post: SELECT dpproxy_1.k0 AS "sex", dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_1"

-- a count of a private group, of no group 0
SELECT avg(cost) FROM visits v WHERE (SELECT count(*) FROM visits w WHERE w.dept = v.dept) > 100;
-- =>
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- m0: ROWS 0..20 step 1
-- note: looked up by "w"."dept": by a value that was not chosen, a count is 0 and all else is NULL
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT u, LEAST(GREATEST(COALESCE(SUM(m0), 0), -400000), 400000) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 20) AS m1 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."cost" * CAST('100.0' AS DOUBLE)) WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END - 20000 AS BIGINT) AS m0, CASE WHEN s0."cost" IS NOT NULL AND s0."cost" <> CAST('NaN' AS DOUBLE) THEN 1 END AS m1 FROM "visits" AS s0 LEFT JOIN (SELECT s0."g0" AS c0, s0."v0" AS c1 FROM (SELECT g0, MAX(a0) AS v0 FROM (SELECT s0."k0" AS g0, s0."o0" AS a0 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0, UNNEST(CAST($r0c1 AS BIGINT[])) AS o0) AS s0) AS r GROUP BY g0) AS s0) AS s1 ON s1."c0" = s0."dept" WHERE s0."person_id" IS NOT NULL AND COALESCE(s1."c1", 0) > 100) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: CENTRED -400000..400000 step 0.01
-- m1: VALUES 0..20 step 1
-- inputs: r0c0, r0c1
-- post: SELECT dpproxy_1.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS DOUBLE PRECISION[])) AS r("o0")) AS "dpproxy_1"

-- by a private and a declared column
SELECT count(*) FROM people p WHERE p.age > (SELECT avg(q.age) FROM people q WHERE q.city = p.city AND q.sex = p.sex GROUP BY q.city, q.sex);
-- =>
SELECT k0, k1, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, COUNT(*) AS m1 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0, s0."sex" AS k1, CAST(CASE WHEN s0."age" > 120 THEN 120 WHEN s0."age" < 0 THEN 0 ELSE s0."age" END - 60 AS BIGINT) AS m0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE (STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AND k1 IN ('F', 'M')) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- k1: values 'F', 'M'
-- m0: CENTRED -60..60 step 1
-- m1: ROWS 0..1 step 1
-- note: looked up by "q"."city", "q"."sex": by a value that was not chosen, a count is 0 and all else is NULL
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 LEFT JOIN (SELECT s0."g0" AS c0, s0."g1" AS c1, s0."v0" AS c2 FROM (SELECT g0, g1, MAX(a0) AS v0 FROM (SELECT s0."k0" AS g0, s0."k1" AS g1, s0."o0" AS a0 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0, UNNEST(CAST($r0c1 AS TEXT[])) AS k1, UNNEST(CAST($r0c2 AS DOUBLE[])) AS o0) AS s0) AS r GROUP BY g0, g1) AS s0) AS s1 ON s1."c0" = s0."city" AND s1."c1" = s0."sex" WHERE s0."person_id" IS NOT NULL AND CAST(s0."age" AS DOUBLE) > s1."c2") AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- inputs: r0c0, r0c1, r0c2
-- post: SELECT dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_1"

-- two outer columns, equal to one key
SELECT d.dept, e.building, (SELECT count(*) FROM visits v WHERE v.dept = d.dept AND v.dept = e.dept) FROM departments d CROSS JOIN departments e ORDER BY (SELECT avg(v.cost) FROM visits v WHERE v.dept = d.dept AND v.dept = e.dept);
-- =>
SELECT k0, k1, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, k1, m0 FROM (SELECT k0, k1, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0, k1)), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0, s1."c1" AS k1 FROM "visits" AS s0 CROSS JOIN (SELECT s0."g0" AS c0, s0."g1" AS c1 FROM (SELECT g0, g1 FROM (SELECT s0."dept" AS g0, s1."dept" AS g1 FROM "departments" AS s0 CROSS JOIN "departments" AS s1) AS r GROUP BY g0, g1) AS s0) AS s1 WHERE s0."person_id" IS NOT NULL AND s0."dept" = s1."c0" AND s0."dept" = s1."c1") AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN (STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AND (STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL) END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0, s1."c0" AS d1 FROM (SELECT s0."g0" AS c0, s0."g1" AS c1 FROM (SELECT g0, g1 FROM (SELECT s0."dept" AS g0, s1."dept" AS g1 FROM "departments" AS s0 CROSS JOIN "departments" AS s1) AS r GROUP BY g0, g1) AS s0) AS s1
-- k1: column 1 of SELECT DISTINCT s1."c0" AS d0, s1."c0" AS d1 FROM (SELECT s0."g0" AS c0, s0."g1" AS c1 FROM (SELECT g0, g1 FROM (SELECT s0."dept" AS g0, s1."dept" AS g1 FROM "departments" AS s0 CROSS JOIN "departments" AS s1) AS r GROUP BY g0, g1) AS s0) AS s1
-- m0: ROWS 0..20 step 1
SELECT k0, k1, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT k0, k1, m0, m1 FROM (SELECT k0, k1, m0, m1, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0, k1)), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COALESCE(SUM(m0), 0), -400000), 400000) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 20) AS m1 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0, s1."c1" AS k1, CAST(CASE WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."cost" * CAST('100.0' AS DOUBLE)) WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END - 20000 AS BIGINT) AS m0, CASE WHEN s0."cost" IS NOT NULL AND s0."cost" <> CAST('NaN' AS DOUBLE) THEN 1 END AS m1 FROM "visits" AS s0 CROSS JOIN (SELECT s0."g0" AS c0, s0."g1" AS c1 FROM (SELECT g0, g1 FROM (SELECT s0."dept" AS g0, s1."dept" AS g1 FROM "departments" AS s0 CROSS JOIN "departments" AS s1) AS r GROUP BY g0, g1) AS s0) AS s1 WHERE s0."person_id" IS NOT NULL AND s0."dept" = s1."c0" AND s0."dept" = s1."c1") AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN (STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AND (STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL) END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0, s1."c0" AS d1 FROM (SELECT s0."g0" AS c0, s0."g1" AS c1 FROM (SELECT g0, g1 FROM (SELECT s0."dept" AS g0, s1."dept" AS g1 FROM "departments" AS s0 CROSS JOIN "departments" AS s1) AS r GROUP BY g0, g1) AS s0) AS s1
-- k1: column 1 of SELECT DISTINCT s1."c0" AS d0, s1."c0" AS d1 FROM (SELECT s0."g0" AS c0, s0."g1" AS c1 FROM (SELECT g0, g1 FROM (SELECT s0."dept" AS g0, s1."dept" AS g1 FROM "departments" AS s0 CROSS JOIN "departments" AS s1) AS r GROUP BY g0, g1) AS s0) AS s1
-- m0: CENTRED -400000..400000 step 0.01
-- m1: VALUES 0..20 step 1
-- post: SELECT "d"."dept" AS "dept", "e"."building" AS "building", (COALESCE(dpproxy_0_1.o0, 0)) AS "count" FROM "public"."departments" AS "d" CROSS JOIN "public"."departments" AS "e" LEFT JOIN (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_0_1" ON dpproxy_0_1.k0 = "d"."dept" AND dpproxy_0_1.k1 = "e"."dept" ORDER BY (SELECT MAX(dpproxy_1.o0) AS "avg" FROM (SELECT * FROM UNNEST(CAST($4 AS TEXT[]), CAST($5 AS TEXT[]), CAST($6 AS DOUBLE PRECISION[])) AS r("k0", "k1", "o0")) AS "dpproxy_1" WHERE dpproxy_1.k0 = "d"."dept" AND dpproxy_1.k1 = "e"."dept")

-- two columns of private rows, equal to one key
SELECT count(*) FROM people p WHERE p.age > (SELECT avg(q.age) FROM people q WHERE q.city = p.city AND q.city = p.sex);
-- =>
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0, CAST(CASE WHEN s0."age" > 120 THEN 120 WHEN s0."age" < 0 THEN 0 ELSE s0."age" END - 60 AS BIGINT) AS m0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- m0: CENTRED -60..60 step 1
-- note: looked up by "q"."city": by a value that was not chosen, a count is 0 and all else is NULL
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 LEFT JOIN (SELECT s0."g0" AS c0, s0."g0" AS c1, s0."v0" AS c2 FROM (SELECT g0, MAX(a0) AS v0 FROM (SELECT s0."k0" AS g0, s0."o0" AS a0 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0, UNNEST(CAST($r0c1 AS DOUBLE[])) AS o0) AS s0) AS r GROUP BY g0) AS s0) AS s1 ON s1."c0" = s0."city" AND s1."c1" = s0."sex" WHERE s0."person_id" IS NOT NULL AND CAST(s0."age" AS DOUBLE) > s1."c2") AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- inputs: r0c0, r0c1
-- post: SELECT dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_1"

-- a derived table within, which is correlated by what is around both
SELECT d.dept, (SELECT max(t.n) FROM (SELECT v.day, count(*) AS n FROM visits v WHERE v.dept = d.dept AND v.cost > 5 GROUP BY v.day HAVING count(*) > 3) AS t) FROM departments d;
-- =>
SELECT k0, k1, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, k1, m0 FROM (SELECT k0, k1, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0, k1)), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s0."day" AS k0, s0."dept" AS k1 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."cost" > CAST('5.0' AS DOUBLE)) AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN (k0 BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) OR k0 IS NULL) AND (STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL) END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- k1: private
-- m0: ROWS 0..20 step 1
-- post: SELECT "d"."dept" AS "dept", (SELECT MAX("t"."n") AS "max" FROM (SELECT dpproxy_0.k0 AS "day", dpproxy_0.o0 AS "n", dpproxy_0.k1 AS "dpproxy of 0" FROM (SELECT * FROM UNNEST(CAST($1 AS DATE[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_0" WHERE dpproxy_0.o0 > 3) AS "t" WHERE "t"."dpproxy of 0" = "d"."dept") AS "max" FROM "public"."departments" AS "d"

-- rows of a derived table within
SELECT d.dept, (SELECT avg(t.c) FROM (SELECT v.cost AS c FROM visits v WHERE d.dept = v.dept) AS t JOIN departments e ON true WHERE t.c > 1) FROM departments d;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT k0, m0, m1 FROM (SELECT k0, m0, m1, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), -399000), 399000) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 20) AS m1 FROM (SELECT s0."u" AS u, s2."c0" AS k0, CAST(CASE WHEN (s0."c0" * CAST('100.0' AS DOUBLE)) < 100 THEN 100 WHEN (s0."c0" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."c0" * CAST('100.0' AS DOUBLE)) WHEN (s0."c0" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END - 20050 AS BIGINT) AS m0, CASE WHEN s0."c0" IS NOT NULL AND s0."c0" <> CAST('NaN' AS DOUBLE) THEN 1 END AS m1 FROM (SELECT s0."person_id" AS u, s0."cost" AS c0, s0."dept" AS c1 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS s0 CROSS JOIN "departments" AS s1 CROSS JOIN (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s2 WHERE s0."u" IS NOT NULL AND s0."c0" > CAST('1.0' AS DOUBLE) AND s0."c1" = s2."c0") AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s2."c0" AS d0 FROM (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s2
-- m0: CENTRED -399000..399000 step 0.01
-- m1: VALUES 0..20 step 1
-- post: SELECT "d"."dept" AS "dept", (dpproxy_0_0.o0) AS "avg" FROM "public"."departments" AS "d" LEFT JOIN (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DOUBLE PRECISION[])) AS r("k0", "o0")) AS "dpproxy_0_0" ON dpproxy_0_0.k0 = "d"."dept"

-- by another condition than equality, of public columns
SELECT d.dept, (SELECT count(*) FROM visits v WHERE v.cost < d.beds AND upper(v.dept) = upper(d.dept)), (SELECT sum(w.cost) FROM visits w WHERE w.dept <= d.dept), (SELECT avg(x.cost) FROM visits x WHERE d.building IS NULL OR x.dept = d.dept) FROM departments d WHERE d.beds > 10;
-- =>
SELECT k0, k1, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, k1, m0 FROM (SELECT k0, k1, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, NULLIF(NULLIF(CAST(k0 AS DOUBLE), 0), CAST('NaN' AS DOUBLE)), k1)), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0, s1."c1" AS k1 FROM "visits" AS s0 CROSS JOIN (SELECT s0."g0" AS c0, s0."g1" AS c1 FROM (SELECT g0, g1 FROM (SELECT s0."beds" AS g0, s0."dept" AS g1 FROM "departments" AS s0 WHERE s0."beds" > 10) AS r GROUP BY g0, g1) AS s0) AS s1 WHERE s0."person_id" IS NOT NULL AND s0."cost" < CAST(s1."c0" AS DOUBLE) AND UPPER(s0."dept") = UPPER(s1."c1")) AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0, s1."c1" AS d1 FROM (SELECT s0."g0" AS c0, s0."g1" AS c1 FROM (SELECT g0, g1 FROM (SELECT s0."beds" AS g0, s0."dept" AS g1 FROM "departments" AS s0 WHERE s0."beds" > 10) AS r GROUP BY g0, g1) AS s0) AS s1
-- k1: column 1 of SELECT DISTINCT s1."c0" AS d0, s1."c1" AS d1 FROM (SELECT s0."g0" AS c0, s0."g1" AS c1 FROM (SELECT g0, g1 FROM (SELECT s0."beds" AS g0, s0."dept" AS g1 FROM "departments" AS s0 WHERE s0."beds" > 10) AS r GROUP BY g0, g1) AS s0) AS s1
-- m0: ROWS 0..20 step 1
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 800000) AS m0 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0, CAST(CASE WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."cost" * CAST('100.0' AS DOUBLE)) WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT) AS m0 FROM "visits" AS s0 CROSS JOIN (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0 WHERE s0."beds" > 10) AS r GROUP BY g0) AS s0) AS s1 WHERE s0."person_id" IS NOT NULL AND s0."dept" <= s1."c0") AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0 FROM (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0 WHERE s0."beds" > 10) AS r GROUP BY g0) AS s0) AS s1
-- m0: SUM 0..800000 step 0.01
SELECT k0, k1, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT k0, k1, m0, m1 FROM (SELECT k0, k1, m0, m1, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0, k1)), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COALESCE(SUM(m0), 0), -400000), 400000) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 20) AS m1 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0, s1."c1" AS k1, CAST(CASE WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."cost" * CAST('100.0' AS DOUBLE)) WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END - 20000 AS BIGINT) AS m0, CASE WHEN s0."cost" IS NOT NULL AND s0."cost" <> CAST('NaN' AS DOUBLE) THEN 1 END AS m1 FROM "visits" AS s0 CROSS JOIN (SELECT s0."g0" AS c0, s0."g1" AS c1 FROM (SELECT g0, g1 FROM (SELECT s0."building" AS g0, s0."dept" AS g1 FROM "departments" AS s0 WHERE s0."beds" > 10) AS r GROUP BY g0, g1) AS s0) AS s1 WHERE s0."person_id" IS NOT NULL AND ((s1."c0" IS NULL) OR (s0."dept" = s1."c1"))) AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN (STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AND (STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL) END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0, s1."c1" AS d1 FROM (SELECT s0."g0" AS c0, s0."g1" AS c1 FROM (SELECT g0, g1 FROM (SELECT s0."building" AS g0, s0."dept" AS g1 FROM "departments" AS s0 WHERE s0."beds" > 10) AS r GROUP BY g0, g1) AS s0) AS s1
-- k1: column 1 of SELECT DISTINCT s1."c0" AS d0, s1."c1" AS d1 FROM (SELECT s0."g0" AS c0, s0."g1" AS c1 FROM (SELECT g0, g1 FROM (SELECT s0."building" AS g0, s0."dept" AS g1 FROM "departments" AS s0 WHERE s0."beds" > 10) AS r GROUP BY g0, g1) AS s0) AS s1
-- m0: CENTRED -400000..400000 step 0.01
-- m1: VALUES 0..20 step 1
-- post: SELECT "d"."dept" AS "dept", (COALESCE(dpproxy_0_0.o0, 0)) AS "count", (dpproxy_1_1.o0) AS "sum", (dpproxy_2_2.o0) AS "avg" FROM "public"."departments" AS "d" LEFT JOIN (SELECT * FROM UNNEST(CAST($1 AS INT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_0_0" ON dpproxy_0_0.k0 = "d"."beds" AND dpproxy_0_0.k1 = "d"."dept" LEFT JOIN (SELECT * FROM UNNEST(CAST($4 AS TEXT[]), CAST($5 AS DOUBLE PRECISION[])) AS r("k0", "o0")) AS "dpproxy_1_1" ON dpproxy_1_1.k0 = "d"."dept" LEFT JOIN (SELECT * FROM UNNEST(CAST($6 AS TEXT[]), CAST($7 AS TEXT[]), CAST($8 AS DOUBLE PRECISION[])) AS r("k0", "k1", "o0")) AS "dpproxy_2_2" ON dpproxy_2_2.k0 IS NOT DISTINCT FROM "d"."building" AND dpproxy_2_2.k1 IS NOT DISTINCT FROM "d"."dept" WHERE "d"."beds" > 10

-- a whole row of a table whose name is that of an outer one
SELECT d.dept, (SELECT max(CAST(d AS text)) FROM departments d), (SELECT count(*) FROM visits v WHERE v.dept = d.dept) FROM departments d;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0 FROM "visits" AS s0 CROSS JOIN (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s1 WHERE s0."person_id" IS NOT NULL AND s0."dept" = s1."c0") AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0 FROM (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s1
-- m0: ROWS 0..20 step 1
-- post: SELECT "d"."dept" AS "dept", (SELECT MAX(CAST("d ~2" AS TEXT)) AS "max" FROM "public"."departments" AS "d ~2") AS "max", (COALESCE(dpproxy_0_0.o0, 0)) AS "count" FROM "public"."departments" AS "d" LEFT JOIN (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0_0" ON dpproxy_0_0.k0 = "d"."dept"

-- a derived table of public rows, correlated and read as a whole row, stays as it is
SELECT d.dept, (SELECT json_agg(t) FROM (SELECT e.dept FROM departments e WHERE e.building = d.building) AS t), (SELECT count(*) FROM visits v WHERE v.dept = d.dept) FROM departments d;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0 FROM "visits" AS s0 CROSS JOIN (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s1 WHERE s0."person_id" IS NOT NULL AND s0."dept" = s1."c0") AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0 FROM (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s1
-- m0: ROWS 0..20 step 1
-- post: SELECT "d"."dept" AS "dept", (SELECT JSON_AGG("t") AS "json_agg" FROM (SELECT "e"."dept" AS "dept" FROM "public"."departments" AS "e" WHERE "e"."building" = "d"."building") AS "t") AS "json_agg", (COALESCE(dpproxy_0_0.o0, 0)) AS "count" FROM "public"."departments" AS "d" LEFT JOIN (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0_0" ON dpproxy_0_0.k0 = "d"."dept"

-- a derived table of rows, correlated by an inequality
SELECT d.dept, (SELECT avg(t.c) FROM (SELECT v.cost AS c FROM visits v WHERE v.cost > d.beds AND v.dept = d.dept) t) FROM departments d;
-- =>
SELECT k0, k1, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT k0, k1, m0, m1 FROM (SELECT k0, k1, m0, m1, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0, NULLIF(NULLIF(CAST(k1 AS DOUBLE), 0), CAST('NaN' AS DOUBLE)))), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COALESCE(SUM(m0), 0), -400000), 400000) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 20) AS m1 FROM (SELECT s0."u" AS u, s1."c0" AS k0, s1."c1" AS k1, CAST(CASE WHEN (s0."c0" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."c0" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."c0" * CAST('100.0' AS DOUBLE)) WHEN (s0."c0" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END - 20000 AS BIGINT) AS m0, CASE WHEN s0."c0" IS NOT NULL AND s0."c0" <> CAST('NaN' AS DOUBLE) THEN 1 END AS m1 FROM (SELECT s0."person_id" AS u, s0."cost" AS c0, s0."cost" AS c1, s0."dept" AS c2 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS s0 CROSS JOIN (SELECT s0."g0" AS c0, s0."g1" AS c1 FROM (SELECT g0, g1 FROM (SELECT s0."dept" AS g0, s0."beds" AS g1 FROM "departments" AS s0) AS r GROUP BY g0, g1) AS s0) AS s1 WHERE s0."u" IS NOT NULL AND s0."c2" = s1."c0" AND s0."c1" > CAST(s1."c1" AS DOUBLE)) AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0, s1."c1" AS d1 FROM (SELECT s0."g0" AS c0, s0."g1" AS c1 FROM (SELECT g0, g1 FROM (SELECT s0."dept" AS g0, s0."beds" AS g1 FROM "departments" AS s0) AS r GROUP BY g0, g1) AS s0) AS s1
-- k1: column 1 of SELECT DISTINCT s1."c0" AS d0, s1."c1" AS d1 FROM (SELECT s0."g0" AS c0, s0."g1" AS c1 FROM (SELECT g0, g1 FROM (SELECT s0."dept" AS g0, s0."beds" AS g1 FROM "departments" AS s0) AS r GROUP BY g0, g1) AS s0) AS s1
-- m0: CENTRED -400000..400000 step 0.01
-- m1: VALUES 0..20 step 1
-- post: SELECT "d"."dept" AS "dept", (dpproxy_0_0.o0) AS "avg" FROM "public"."departments" AS "d" LEFT JOIN (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS INT[]), CAST($3 AS DOUBLE PRECISION[])) AS r("k0", "k1", "o0")) AS "dpproxy_0_0" ON dpproxy_0_0.k0 = "d"."dept" AND dpproxy_0_0.k1 = "d"."beds"

-- a derived table of rows, joined and correlated by an inequality
SELECT d.dept, (SELECT count(*) FROM people p JOIN (SELECT v.person_id FROM visits v WHERE v.cost > d.beds OR v.dept = d.dept) t ON t.person_id = p.person_id) FROM departments d;
-- =>
SELECT k0, k1, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, k1, m0 FROM (SELECT k0, k1, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, NULLIF(NULLIF(CAST(k0 AS DOUBLE), 0), CAST('NaN' AS DOUBLE)), k1)), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s2."c0" AS k0, s2."c1" AS k1 FROM "people" AS s0 JOIN (SELECT s0."person_id" AS u, s0."person_id" AS c0, s0."cost" AS c1, s0."dept" AS c2 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS s1 ON s1."u" = s0."person_id" CROSS JOIN (SELECT s0."g0" AS c0, s0."g1" AS c1 FROM (SELECT g0, g1 FROM (SELECT s0."beds" AS g0, s0."dept" AS g1 FROM "departments" AS s0) AS r GROUP BY g0, g1) AS s0) AS s2 WHERE s0."person_id" IS NOT NULL AND ((s1."c1" > CAST(s2."c0" AS DOUBLE)) OR (s1."c2" = s2."c1"))) AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL END) AS c) AS w WHERE r <= 8) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 8 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s2."c0" AS d0, s2."c1" AS d1 FROM (SELECT s0."g0" AS c0, s0."g1" AS c1 FROM (SELECT g0, g1 FROM (SELECT s0."beds" AS g0, s0."dept" AS g1 FROM "departments" AS s0) AS r GROUP BY g0, g1) AS s0) AS s2
-- k1: column 1 of SELECT DISTINCT s2."c0" AS d0, s2."c1" AS d1 FROM (SELECT s0."g0" AS c0, s0."g1" AS c1 FROM (SELECT g0, g1 FROM (SELECT s0."beds" AS g0, s0."dept" AS g1 FROM "departments" AS s0) AS r GROUP BY g0, g1) AS s0) AS s2
-- m0: ROWS 0..20 step 1
-- post: SELECT "d"."dept" AS "dept", (COALESCE(dpproxy_0_0.o0, 0)) AS "count" FROM "public"."departments" AS "d" LEFT JOIN (SELECT * FROM UNNEST(CAST($1 AS INT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_0_0" ON dpproxy_0_0.k0 IS NOT DISTINCT FROM "d"."beds" AND dpproxy_0_0.k1 IS NOT DISTINCT FROM "d"."dept"

-- a derived table of the unit's rows, correlated by more than its key
SELECT count(*) FROM people p WHERE EXISTS (SELECT 1 FROM (SELECT v.day FROM visits v WHERE v.person_id = p.person_id AND v.cost > p.age) t WHERE t.day > p.joined);
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND EXISTS(SELECT 1 FROM (SELECT q1_s0."person_id" AS u, q1_s0."day" AS c0, q1_s0."person_id" AS c1, q1_s0."cost" AS c2 FROM "visits" AS q1_s0 WHERE q1_s0."person_id" IS NOT NULL) AS q1_s0 WHERE q1_s0."c0" > s0."joined" AND q1_s0."u" = s0."person_id" AND q1_s0."c2" > CAST(s0."age" AS DOUBLE))) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- a derived table that computes of the row around it
SELECT count(*) FROM people p WHERE 100 < (SELECT max(t.c) FROM (SELECT v.cost + p.age AS c FROM visits v WHERE v.person_id = p.person_id) t);
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND CAST('100.0' AS DOUBLE) < (SELECT MAX(q1_s0."c0" + CAST(s0."age" AS DOUBLE)) FROM (SELECT q1_s0."person_id" AS u, q1_s0."cost" AS c0, q1_s0."person_id" AS c1 FROM "visits" AS q1_s0 WHERE q1_s0."person_id" IS NOT NULL) AS q1_s0 WHERE q1_s0."u" = s0."person_id")) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

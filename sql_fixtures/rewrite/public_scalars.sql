-- the first of several rows
SELECT count(*) FROM people WHERE age > (SELECT beds FROM departments WHERE building = 'south' LIMIT 1);
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."age" > (SELECT t."c0" FROM (SELECT q1_s0."beds" AS c0 FROM "departments" AS q1_s0 WHERE q1_s0."building" = 'south' ORDER BY q1_s0."beds" LIMIT 1) AS t)) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- the first in an order
SELECT count(*) FROM people WHERE age > (SELECT beds FROM departments ORDER BY building DESC FETCH FIRST ROW ONLY);
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."age" > (SELECT t."c0" FROM (SELECT q1_s0."beds" AS c0 FROM "departments" AS q1_s0 ORDER BY q1_s0."building" DESC NULLS FIRST, q1_s0."beds" LIMIT 1) AS t)) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- a value that may be several
SELECT count(*) FROM customer WHERE nationkey = (SELECT nationkey FROM nation WHERE nation = 'BRAZIL');
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."custkey" AS u FROM "customer" AS s0 WHERE s0."custkey" IS NOT NULL AND s0."nationkey" = (SELECT t."c0" FROM (SELECT q1_s0."v0" AS c0 FROM (SELECT MAX(a0) AS v0 FROM (SELECT q1_s0."c0" AS a0 FROM (SELECT q1_s0."nationkey" AS c0 FROM "nation" AS q1_s0 WHERE q1_s0."nation" = 'BRAZIL') AS q1_s0) AS r) AS q1_s0) AS t)) AS r;
-- unit customer: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- before the charge: SELECT (SELECT "nation"."nationkey" AS "nationkey" FROM "public"."nation" AS "nation" WHERE "nation"."nation" = 'BRAZIL') IS NULL
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- a truth that may be several
SELECT count(*) FROM people WHERE smoker = (SELECT beds > 10 FROM departments WHERE building = 'south');
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."smoker" = (SELECT t."c0" FROM (SELECT q1_s0."v0" AS c0 FROM (SELECT BOOL_OR(CAST(a0 AS BOOLEAN)) AS v0 FROM (SELECT q1_s0."c0" AS a0 FROM (SELECT q1_s0."beds" > 10 AS c0 FROM "departments" AS q1_s0 WHERE q1_s0."building" = 'south') AS q1_s0) AS r) AS q1_s0) AS t)) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- before the charge: SELECT (SELECT "departments"."beds" > 10 AS "_column_0" FROM "public"."departments" AS "departments" WHERE "departments"."building" = 'south') IS NULL
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- a value of several groups
SELECT count(*) FROM people WHERE age > (SELECT max(beds) FROM departments WHERE dept = 'ortho' GROUP BY building);
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."age" > (SELECT t."c0" FROM (SELECT q1_s0."v0" AS c0 FROM (SELECT MAX(a0) AS v0 FROM (SELECT q1_s0."c0" AS a0 FROM (SELECT q1_s0."v0" AS c0 FROM (SELECT g0, MAX(a0) AS v0 FROM (SELECT q1_s0."building" AS g0, q1_s0."beds" AS a0 FROM "departments" AS q1_s0 WHERE q1_s0."dept" = 'ortho') AS r GROUP BY g0) AS q1_s0) AS q1_s0) AS r) AS q1_s0) AS t)) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- before the charge: SELECT (SELECT MAX("departments"."beds") AS "max" FROM "public"."departments" AS "departments" WHERE "departments"."dept" = 'ortho' GROUP BY "departments"."building") IS NULL
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- a value of a union
SELECT count(*) FROM people WHERE age > (SELECT beds FROM departments UNION SELECT nationkey FROM nation ORDER BY 1 DESC LIMIT 1);
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."age" > (SELECT t."c0" FROM (SELECT q1_s0."c0" AS c0 FROM (SELECT q2_s0."beds" AS c0 FROM "departments" AS q2_s0 UNION SELECT q2_s0."nationkey" AS c0 FROM "nation" AS q2_s0) AS q1_s0 ORDER BY q1_s0."c0" DESC NULLS FIRST, q1_s0."c0" LIMIT 1) AS t)) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- in an aggregate and in the front
SELECT sum(age * (SELECT beds FROM departments WHERE dept = 'ortho')), (SELECT building FROM departments WHERE dept = 'ortho') FROM people;
-- =>
SELECT COUNT(*) AS c, b0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT m0, CAST(CEIL(LN(CAST(GREATEST(ABS(m0), 1) AS DOUBLE)) * 11.541560327111707) AS INT) AS b0 FROM (SELECT u, LEAST(GREATEST(COALESCE(SUM(m0), 0), -35184372088832), 35184372088832) AS m0 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN (CAST(s0."age" AS BIGINT) * CAST((SELECT t."c0" FROM (SELECT q1_s0."v0" AS c0 FROM (SELECT MAX(a0) AS v0 FROM (SELECT q1_s0."c0" AS a0 FROM (SELECT q1_s0."beds" AS c0 FROM "departments" AS q1_s0 WHERE q1_s0."dept" = 'ortho') AS q1_s0) AS r) AS q1_s0) AS t) AS BIGINT)) > 35184372088832 THEN 35184372088832 WHEN (CAST(s0."age" AS BIGINT) * CAST((SELECT t."c0" FROM (SELECT q1_s0."v0" AS c0 FROM (SELECT MAX(a0) AS v0 FROM (SELECT q1_s0."c0" AS a0 FROM (SELECT q1_s0."beds" AS c0 FROM "departments" AS q1_s0 WHERE q1_s0."dept" = 'ortho') AS q1_s0) AS r) AS q1_s0) AS t) AS BIGINT)) < (-35184372088832) THEN -35184372088832 ELSE CAST(s0."age" AS BIGINT) * CAST((SELECT t."c0" FROM (SELECT q1_s0."v0" AS c0 FROM (SELECT MAX(a0) AS v0 FROM (SELECT q1_s0."c0" AS a0 FROM (SELECT q1_s0."beds" AS c0 FROM "departments" AS q1_s0 WHERE q1_s0."dept" = 'ortho') AS q1_s0) AS r) AS q1_s0) AS t) AS BIGINT) END AS BIGINT) AS m0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c) AS t GROUP BY b0;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- scaled down to a clip of the L2 norm
-- m0: SUM -35184372088832..35184372088832 step 1
-- before the charge: SELECT (SELECT "departments"."beds" AS "beds" FROM "public"."departments" AS "departments" WHERE "departments"."dept" = 'ortho') IS NULL, (SELECT "departments ~2"."building" AS "building" FROM "public"."departments" AS "departments ~2" WHERE "departments ~2"."dept" = 'ortho') IS NULL
-- post: SELECT dpproxy_0.o0 AS "sum", (SELECT "departments ~2"."building" AS "building" FROM "public"."departments" AS "departments ~2" WHERE "departments ~2"."dept" = 'ortho') AS "building" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- the front asks no more where it is proved
SELECT count(*), (SELECT max(beds) FROM departments), (SELECT 1), (SELECT beds FROM departments LIMIT 1) FROM people;
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count", (SELECT MAX("departments"."beds") AS "max" FROM "public"."departments" AS "departments") AS "max", (SELECT 1 AS "_column_0") AS "_column_2", (SELECT "departments ~2"."beds" AS "beds" FROM "public"."departments" AS "departments ~2" LIMIT 1) AS "beds" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- with a WITH of its own
SELECT count(*) FROM people WHERE age > (WITH d AS (SELECT * FROM departments) SELECT beds FROM d WHERE dept = 'ortho');
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."age" > (SELECT t."c0" FROM (SELECT q1_s0."v0" AS c0 FROM (SELECT MAX(a0) AS v0 FROM (SELECT q1_s0."c0" AS a0 FROM (SELECT q1_s0."c2" AS c0 FROM (SELECT q2_s0."dept" AS c0, q2_s0."building" AS c1, q2_s0."beds" AS c2 FROM "departments" AS q2_s0) AS q1_s0 WHERE q1_s0."c0" = 'ortho') AS q1_s0) AS r) AS q1_s0) AS t)) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- before the charge: SELECT (WITH "d" AS (SELECT "departments"."dept" AS "dept", "departments"."building" AS "building", "departments"."beds" AS "beds" FROM "public"."departments" AS "departments") SELECT "d"."beds" AS "beds" FROM "d" AS "d" WHERE "d"."dept" = 'ortho') IS NULL
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- of constants
SELECT count(*) FROM people WHERE age > (SELECT x FROM (VALUES (30), (40)) AS v (x) WHERE x > 30);
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."age" > (SELECT t."c0" FROM (SELECT q1_s0."v0" AS c0 FROM (SELECT MAX(a0) AS v0 FROM (SELECT q1_s0."c0" AS a0 FROM (SELECT q1_s0."c0" AS c0 FROM (SELECT v0.c0 AS c0 FROM (VALUES (CAST(30 AS INT)), (CAST(40 AS INT))) AS v0(c0)) AS q1_s0 WHERE q1_s0."c0" > 30) AS q1_s0) AS r) AS q1_s0) AS t)) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- before the charge: SELECT (SELECT "v"."x" AS "x" FROM (VALUES (30), (40)) AS "v"("x") WHERE "v"."x" > 30) IS NULL
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- the first of several rows, correlated
SELECT count(*) FROM visits v WHERE cost > (SELECT beds FROM departments d WHERE d.building = v.dept ORDER BY d.dept LIMIT 1);
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."cost" > CAST((SELECT t."c0" FROM (SELECT q1_s0."beds" AS c0 FROM "departments" AS q1_s0 WHERE q1_s0."building" = s0."dept" ORDER BY q1_s0."dept", q1_s0."beds" LIMIT 1) AS t) AS DOUBLE)) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- the first of a release
SELECT count(*) FROM people p WHERE p.city = (SELECT q.city FROM people q GROUP BY q.city ORDER BY count(*) DESC LIMIT 1);
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."city" = (SELECT t."c0" FROM (SELECT q1_s0."k0" AS c0 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0, UNNEST(CAST($r0c1 AS BIGINT[])) AS o0) AS q1_s0 ORDER BY q1_s0."o0" DESC NULLS FIRST, q1_s0."k0" LIMIT 1) AS t)) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- inputs: r0c0, r0c1
-- post: SELECT dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_1"

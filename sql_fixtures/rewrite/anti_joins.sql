-- public rows without a private partner
SELECT d.dept FROM departments d LEFT JOIN visits v ON v.dept = d.dept AND v.cost > 100 WHERE v.visit_id IS NULL AND d.beds > 3;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT k0 FROM (SELECT k0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."cost" > CAST('100.0' AS DOUBLE)) AS r GROUP BY u, k0) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- note: values of "v"."dept": those that were chosen; what few persons have is left out
-- note: values of "v"."dept" that few persons have count as absent
-- post: SELECT "d"."dept" AS "dept" FROM "public"."departments" AS "d" WHERE "d"."beds" > 3 AND NOT EXISTS(SELECT 1 FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[])) AS r("k0")) AS "dpproxy_0" WHERE dpproxy_0.k0 = "d"."dept")

-- grouped, and joined by USING
SELECT n.nation, count(*) FROM nation n LEFT JOIN customer c USING (nationkey) WHERE c.custkey IS NULL GROUP BY n.nation;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT s0."custkey" AS u, s0."nationkey" AS k0 FROM "customer" AS s0 WHERE s0."custkey" IS NOT NULL) AS r GROUP BY k0;
-- unit customer: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- note: values of "c"."nationkey": those that were chosen; what few customers have is left out
-- note: values of "c"."nationkey" that few customers have count as absent
-- post: SELECT "n"."nation" AS "nation", COUNT(*) AS "count" FROM "public"."nation" AS "n" WHERE NOT EXISTS(SELECT 1 FROM (SELECT * FROM UNNEST(CAST($1 AS INT[])) AS r("k0")) AS "dpproxy_0" WHERE dpproxy_0.k0 = "n"."nationkey") GROUP BY "n"."nation"

-- after a join of public tables
SELECT count(*) FROM departments d JOIN nation n ON n.nationkey < d.beds LEFT JOIN visits v ON v.dept = d.dept WHERE v.dept IS NULL;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT k0 FROM (SELECT k0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- note: values of "v"."dept": those that were chosen; what few persons have is left out
-- note: values of "v"."dept" that few persons have count as absent
-- post: SELECT COUNT(*) AS "count" FROM "public"."departments" AS "d" JOIN "public"."nation" AS "n" ON "n"."nationkey" < "d"."beds" WHERE NOT EXISTS(SELECT 1 FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[])) AS r("k0")) AS "dpproxy_0" WHERE dpproxy_0.k0 = "d"."dept")

-- private rows keep their join
SELECT count(*) FROM people p LEFT JOIN visits v ON v.person_id = p.person_id WHERE v.person_id IS NULL;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 LEFT JOIN "visits" AS s1 ON s1."person_id" = s0."person_id" WHERE s0."person_id" IS NOT NULL AND s1."person_id" IS NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

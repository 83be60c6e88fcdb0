-- a join on what determines the person, by the policy
SELECT count(*) FROM visits a JOIN visits b ON a.visit_id = b.visit_id;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 JOIN "visits" AS s1 ON s0."visit_id" = s1."visit_id" AND s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- note: rows are joined within one person, whom visits.(visit_id) determines by the policy
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- among other conditions, in WHERE
SELECT a.dept, sum(b.cost) FROM visits a, visits b WHERE a.visit_id = b.visit_id AND a.cost > 100 GROUP BY a.dept;
-- =>
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 800000) AS m0 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0, CAST(CASE WHEN (s1."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s1."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s1."cost" * CAST('100.0' AS DOUBLE)) WHEN (s1."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT) AS m0 FROM "visits" AS s0 JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL AND s0."visit_id" = s1."visit_id" AND s0."cost" > CAST('100.0' AS DOUBLE)) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- m0: SUM 0..800000 step 0.01
-- note: rows are joined within one person, whom visits.(visit_id) determines by the policy
-- post: SELECT dpproxy_0.k0 AS "dept", dpproxy_0.o0 AS "sum" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DOUBLE PRECISION[])) AS r("k0", "o0")) AS "dpproxy_0"

-- an outer join keeps rows that nothing of the same person meets
SELECT count(*), count(b.visit_id) FROM visits a LEFT JOIN visits b ON a.visit_id = b.visit_id AND b.cost > 200;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 20) AS m1 FROM (SELECT s0."person_id" AS u, CASE WHEN s1."visit_id" IS NOT NULL THEN 1 END AS m1 FROM "visits" AS s0 LEFT JOIN "visits" AS s1 ON s0."visit_id" = s1."visit_id" AND s1."cost" > CAST('200.0' AS DOUBLE) AND s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- m1: VALUES 0..20 step 1
-- note: rows are joined within one person, whom visits.(visit_id) determines by the policy
-- post: SELECT dpproxy_0.o0 AS "_column_0", dpproxy_0.o1 AS "_column_1" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[])) AS r("o0", "o1")) AS "dpproxy_0"

-- derived tables that have lost the key
WITH dear AS (SELECT visit_id, cost FROM visits WHERE cost > 200) SELECT avg(d.cost) FROM dear d JOIN (SELECT visit_id, dept FROM visits) v ON v.visit_id = d.visit_id WHERE v.dept = 'cardio';
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT u, LEAST(GREATEST(COALESCE(SUM(m0), 0), -200000), 200000) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 20) AS m1 FROM (SELECT s0."u" AS u, CAST(CASE WHEN (s0."c1" * CAST('100.0' AS DOUBLE)) < 20000 THEN 20000 WHEN (s0."c1" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."c1" * CAST('100.0' AS DOUBLE)) WHEN (s0."c1" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END - 30000 AS BIGINT) AS m0, CASE WHEN s0."c1" IS NOT NULL AND s0."c1" <> CAST('NaN' AS DOUBLE) THEN 1 END AS m1 FROM (SELECT s0."person_id" AS u, s0."visit_id" AS c0, s0."cost" AS c1 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."cost" > CAST('200.0' AS DOUBLE)) AS s0 JOIN (SELECT s0."person_id" AS u, s0."visit_id" AS c0, s0."dept" AS c1 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS s1 ON s1."c0" = s0."c0" AND s0."u" = s1."u" WHERE s0."u" IS NOT NULL AND s1."c1" = 'cardio') AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: CENTRED -200000..200000 step 0.01
-- m1: VALUES 0..20 step 1
-- note: rows are joined within one person, whom visits.(visit_id) determines by the policy
-- post: SELECT dpproxy_0.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS DOUBLE PRECISION[])) AS r("o0")) AS "dpproxy_0"

-- to a third one that is tied to one of them
SELECT p.sex, count(*) FROM people p JOIN visits a ON a.person_id = p.person_id JOIN visits b ON b.visit_id = a.visit_id GROUP BY p.sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 JOIN "visits" AS s1 ON s1."person_id" = s0."person_id" JOIN "visits" AS s2 ON s2."visit_id" = s1."visit_id" AND s1."person_id" = s2."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') END) AS c GROUP BY k0;
-- unit person: 20 rows, 1 keys (KEY_OF_UNIT)
-- k0: values 'F', 'M'
-- m0: ROWS 0..20 step 1
-- note: rows are joined within one person, whom visits.(visit_id) determines by the policy
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- nothing is added where rows are tied already
SELECT count(*) FROM visits a JOIN visits b ON a.visit_id = b.visit_id AND a.person_id = b.person_id;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 JOIN "visits" AS s1 ON s0."visit_id" = s1."visit_id" AND s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- EXISTS is of the unit that asks, where it is correlated by what determines the unit
SELECT count(*) FROM visits a WHERE EXISTS (SELECT 1 FROM visits b WHERE b.visit_id = a.visit_id AND b.cost > 200);
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND EXISTS(SELECT 1 FROM "visits" AS q1_s0 WHERE q1_s0."visit_id" = s0."visit_id" AND q1_s0."cost" > CAST('200.0' AS DOUBLE) AND s0."person_id" = q1_s0."person_id")) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- note: rows are joined within one person, whom visits.(visit_id) determines by the policy
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- and NOT EXISTS, over a join of which one table is tied to it
SELECT a.dept, count(*) FROM visits a WHERE NOT EXISTS (SELECT 1 FROM visits b JOIN people p ON p.person_id = b.person_id WHERE b.visit_id = a.visit_id AND p.smoker) GROUP BY a.dept;
-- =>
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND NOT EXISTS(SELECT 1 FROM "visits" AS q1_s0 JOIN "people" AS q1_s1 ON q1_s1."person_id" = q1_s0."person_id" WHERE q1_s0."visit_id" = s0."visit_id" AND q1_s1."smoker" AND s0."person_id" = q1_s0."person_id")) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- m0: ROWS 0..20 step 1
-- note: rows are joined within one person, whom visits.(visit_id) determines by the policy
-- post: SELECT dpproxy_0.k0 AS "dept", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- IN, ANY and ALL compare with it
SELECT count(*) FROM visits a WHERE a.visit_id IN (SELECT b.visit_id FROM visits b WHERE b.cost > 200) OR a.visit_id <> ALL (SELECT b.visit_id FROM visits b WHERE b.cost < 100);
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND (EXISTS(SELECT 1 FROM "visits" AS q1_s0 WHERE q1_s0."cost" > CAST('200.0' AS DOUBLE) AND s0."visit_id" = q1_s0."visit_id" AND s0."person_id" = q1_s0."person_id") OR (NOT EXISTS(SELECT 1 FROM "visits" AS q1_s0 WHERE q1_s0."cost" < CAST('100.0' AS DOUBLE) AND s0."visit_id" = q1_s0."visit_id" AND s0."person_id" = q1_s0."person_id")))) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- note: rows are joined within one person, whom visits.(visit_id) determines by the policy
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- a scalar that is aggregated of the unit's rows
SELECT count(*) FROM visits a WHERE a.cost > (SELECT avg(b.cost) FROM visits b WHERE b.visit_id = a.visit_id);
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."cost" > (SELECT (CAST(CAST(CASE WHEN SUM(CAST(CASE WHEN (q1_s0."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (q1_s0."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (q1_s0."cost" * CAST('100.0' AS DOUBLE)) WHEN (q1_s0."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT)) > 4611686018427387904 THEN 4611686018427387904 WHEN SUM(CAST(CASE WHEN (q1_s0."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (q1_s0."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (q1_s0."cost" * CAST('100.0' AS DOUBLE)) WHEN (q1_s0."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT)) < (-4611686018427387904) THEN -4611686018427387904 ELSE SUM(CAST(CASE WHEN (q1_s0."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (q1_s0."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (q1_s0."cost" * CAST('100.0' AS DOUBLE)) WHEN (q1_s0."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT)) END AS BIGINT) AS DOUBLE) / CAST('100.0' AS DOUBLE)) / NULLIF(CAST(COUNT(q1_s0."cost") AS DOUBLE), 0) FROM "visits" AS q1_s0 WHERE q1_s0."visit_id" = s0."visit_id" AND s0."person_id" = q1_s0."person_id")) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- note: rows are joined within one person, whom visits.(visit_id) determines by the policy
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- two queries further in
SELECT count(*) FROM people p JOIN visits a USING (person_id) WHERE EXISTS (SELECT 1 FROM departments d WHERE d.dept = a.dept AND EXISTS (SELECT 1 FROM visits b WHERE b.visit_id = a.visit_id AND b.dept <> d.dept));
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL AND EXISTS(SELECT 1 FROM "departments" AS q1_s0 WHERE q1_s0."dept" = s1."dept" AND EXISTS(SELECT 1 FROM "visits" AS q2_s0 WHERE q2_s0."visit_id" = s1."visit_id" AND q2_s0."dept" <> q1_s0."dept" AND s1."person_id" = q2_s0."person_id"))) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- note: rows are joined within one person, whom visits.(visit_id) determines by the policy
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- nothing is added where it is tied by the unit's key already
SELECT count(*) FROM visits a WHERE EXISTS (SELECT 1 FROM visits b WHERE b.visit_id = a.visit_id AND b.person_id = a.person_id AND b.cost > 200);
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND EXISTS(SELECT 1 FROM "visits" AS q1_s0 WHERE q1_s0."visit_id" = s0."visit_id" AND q1_s0."person_id" = s0."person_id" AND q1_s0."cost" > CAST('200.0' AS DOUBLE))) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

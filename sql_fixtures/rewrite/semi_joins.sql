-- people by what two tables say: each is asked for by itself
SELECT count(DISTINCT p.person_id) FROM people p JOIN visits v ON v.person_id = p.person_id JOIN visits w ON w.person_id = p.person_id WHERE v.dept = 'cardio' AND w.cost > 100 AND p.sex = 'F';
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."sex" = 'F' AND EXISTS(SELECT 1 FROM "visits" AS q1_s0 WHERE q1_s0."dept" = 'cardio' AND q1_s0."person_id" = s0."person_id") AND EXISTS(SELECT 1 FROM "visits" AS q1_s0 WHERE q1_s0."cost" > CAST('100.0' AS DOUBLE) AND q1_s0."person_id" = s0."person_id")) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- by group, beside a public table that ties one of them
SELECT p.sex, count(DISTINCT p.person_id) FROM people p, visits v, visits w, departments d WHERE v.person_id = p.person_id AND w.person_id = p.person_id AND d.dept = w.dept AND d.beds > 2 AND v.cost < 50 GROUP BY p.sex;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND EXISTS(SELECT 1 FROM "visits" AS q1_s0 CROSS JOIN "departments" AS q1_s1 WHERE q1_s0."person_id" = s0."person_id" AND q1_s1."dept" = q1_s0."dept" AND q1_s1."beds" > 2) AND EXISTS(SELECT 1 FROM "visits" AS q1_s0 WHERE q1_s0."person_id" = s0."person_id" AND q1_s0."cost" < CAST('50.0' AS DOUBLE))) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- DISTINCT over a join whose second table is not read
SELECT DISTINCT p.city FROM people p JOIN visits v ON v.person_id = p.person_id JOIN visits w ON w.person_id = v.person_id WHERE v.dept = 'cardio' AND w.dept = 'neuro';
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND EXISTS(SELECT 1 FROM "visits" AS q1_s0 CROSS JOIN "visits" AS q1_s1 WHERE q1_s0."dept" = 'cardio' AND q1_s1."dept" = 'neuro' AND q1_s0."person_id" = s0."person_id" AND q1_s1."person_id" = q1_s0."person_id")) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- post: SELECT dpproxy_0.k0 AS "city" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[])) AS r("k0")) AS "dpproxy_0"

-- how often each row is there is what is asked
SELECT count(*) FROM people p JOIN visits v ON v.person_id = p.person_id JOIN visits w ON w.person_id = p.person_id WHERE w.dept = 'neuro';
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT s0."u" AS u, CAST(CASE WHEN CAST(s0."c1" AS DOUBLE) > 400 THEN 400 WHEN CAST(s0."c1" AS DOUBLE) < 1 THEN 1 ELSE CAST(s0."c1" AS DOUBLE) END AS BIGINT) AS m0 FROM (SELECT s0."u" AS u, s0."u" AS c0, CAST(s0."g1" AS DECIMAL(19, 0)) * CAST(s0."g2" AS DECIMAL(19, 0)) AS c1 FROM (SELECT u, g1, g2 FROM (SELECT s0."person_id" AS u, s1."c1" AS g1, s2."c1" AS g2 FROM "people" AS s0 JOIN (SELECT s0."u" AS u, s0."u" AS c0, s0."v0" AS c1 FROM (SELECT u, COUNT(*) AS v0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 JOIN "visits" AS s1 ON s1."person_id" = s0."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS s1 ON s1."u" = s0."person_id" JOIN (SELECT s0."u" AS u, s0."u" AS c0, s0."v0" AS c1 FROM (SELECT u, COUNT(*) AS v0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 JOIN "visits" AS s1 ON s1."person_id" = s0."person_id" WHERE s0."person_id" IS NOT NULL AND s1."dept" = 'neuro') AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS s2 ON s2."u" = s0."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, g1, g2) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: SUM 0..400 step 1
-- post: SELECT CAST(COALESCE(dpproxy_0.o0, 0) AS BIGINT) AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS DECIMAL[])) AS r("o0")) AS "dpproxy_0"

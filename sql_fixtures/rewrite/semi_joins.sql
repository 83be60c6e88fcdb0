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
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 JOIN "visits" AS s1 ON s1."person_id" = s0."person_id" JOIN "visits" AS s2 ON s2."person_id" = s0."person_id" WHERE s0."person_id" IS NOT NULL AND s2."dept" = 'neuro') AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- a test of each column
SELECT count(*), count(*) FILTER (WHERE p IS NULL) FROM people p WHERE p IS NOT NULL;
-- =>
SELECT COUNT(*) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT s0."person_id" AS u, CASE WHEN (s0."person_id" IS NULL) AND (s0."age" IS NULL) AND (s0."sex" IS NULL) AND (s0."income" IS NULL) AND (s0."city" IS NULL) AND (s0."smoker" IS NULL) AND (s0."joined" IS NULL) THEN 1 END AS m1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND NOT s0."person_id" IS NULL AND NOT s0."age" IS NULL AND NOT s0."sex" IS NULL AND NOT s0."income" IS NULL AND NOT s0."city" IS NULL AND NOT s0."smoker" IS NULL AND NOT s0."joined" IS NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- m1: VALUES 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "_column_0", dpproxy_0.o1 AS "_column_1" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[])) AS r("o0", "o1")) AS "dpproxy_0"

-- rows that an outer join did not find
SELECT sum(CASE WHEN v IS NULL THEN 1 ELSE 0 END), count(*) FILTER (WHERE NOT v.* IS NULL) FROM people p LEFT JOIN visits v USING (person_id);
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT u, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 20) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 20) AS m1 FROM (SELECT t.u AS u, CAST(CASE WHEN t.g0 > 1 THEN 1 WHEN t.g0 < 0 THEN 0 ELSE t.g0 END AS BIGINT) AS m0, CASE WHEN NOT ((t.x1 IS NULL) AND (t.x2 IS NULL) AND (t.x3 IS NULL) AND (t.x4 IS NULL) AND (t.x5 IS NULL)) THEN 1 END AS m1 FROM (SELECT s0."person_id" AS u, s1."visit_id" AS x1, s1."person_id" AS x2, s1."day" AS x3, s1."cost" AS x4, s1."dept" AS x5, CASE WHEN (s1."visit_id" IS NULL) AND (s1."person_id" IS NULL) AND (s1."day" IS NULL) AND (s1."cost" IS NULL) AND (s1."dept" IS NULL) THEN 1 ELSE 0 END AS g0 FROM "people" AS s0 LEFT JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS t WHERE t.u IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: SUM 0..20 step 1
-- m1: VALUES 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "sum", dpproxy_0.o1 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[])) AS r("o0", "o1")) AS "dpproxy_0"

-- a count of rows
SELECT sex, count(p), count(p.*) FROM people p LEFT JOIN visits v USING (person_id) GROUP BY sex HAVING count(p) > 3;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 LEFT JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') END) AS c GROUP BY k0;
-- unit person: 20 rows, 1 keys (KEY_OF_UNIT)
-- k0: values 'F', 'M'
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "_column_1", dpproxy_0.o0 AS "_column_2" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0" WHERE dpproxy_0.o0 > 3

-- fields of rows
SELECT (p).sex, sum((v).cost) FROM people p JOIN visits v ON (v).person_id = (p).person_id GROUP BY (p).sex ORDER BY (p).sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 800000) AS m0 FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, CAST(CASE WHEN (s1."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s1."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s1."cost" * CAST('100.0' AS DOUBLE)) WHEN (s1."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT) AS m0 FROM "people" AS s0 JOIN "visits" AS s1 ON s1."person_id" = s0."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') END) AS c GROUP BY k0;
-- unit person: 20 rows, 1 keys (KEY_OF_UNIT)
-- k0: values 'F', 'M'
-- m0: SUM 0..800000 step 0.01
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "sum" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DOUBLE PRECISION[])) AS r("k0", "o0")) AS "dpproxy_0" ORDER BY "sex"

-- a group's row in HAVING
SELECT d.dept, count(*) FROM departments d JOIN visits v USING (dept) GROUP BY d.dept HAVING d IS NOT NULL AND (d).beds > 4;
-- =>
SELECT k0, k1, k2, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, k1, k2, m0 FROM (SELECT k0, k1, k2, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0, NULLIF(NULLIF(CAST(k1 AS DOUBLE), 0), CAST('NaN' AS DOUBLE)), k2)), k0, k1, k2) AS r FROM (SELECT * FROM (SELECT u, k0, k1, k2, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s1."person_id" AS u, s0."dept" AS k0, s0."beds" AS k1, s0."building" AS k2 FROM "departments" AS s0 JOIN "visits" AS s1 ON s0."dept" = s1."dept" WHERE s1."person_id" IS NOT NULL) AS r GROUP BY u, k0, k1, k2) AS q WHERE CASE WHEN m0 & 0 = 0 THEN (STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AND (STRPOS(k2, CHR(0)) = 0 OR k2 IS NULL) END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0, k1, k2;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s0."dept" AS d0, s0."beds" AS d1, s0."building" AS d2 FROM "departments" AS s0
-- k1: column 1 of SELECT DISTINCT s0."dept" AS d0, s0."beds" AS d1, s0."building" AS d2 FROM "departments" AS s0
-- k2: column 2 of SELECT DISTINCT s0."dept" AS d0, s0."beds" AS d1, s0."building" AS d2 FROM "departments" AS s0
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "dept", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS INT[]), CAST($3 AS TEXT[]), CAST($4 AS BIGINT[])) AS r("k0", "k1", "k2", "o0")) AS "dpproxy_0" WHERE (dpproxy_0.k0 IS NOT NULL AND dpproxy_0.k2 IS NOT NULL AND dpproxy_0.k1 IS NOT NULL) AND dpproxy_0.k1 > 4

-- rows of the unit
SELECT count(*) FROM (SELECT p.person_id, p.age FROM people p JOIN visits v USING (person_id) GROUP BY p.person_id HAVING p IS NOT NULL) t WHERE t IS NOT NULL;
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."u" AS u FROM (SELECT s0."u" AS u, s0."u" AS c0, s0."g1" AS c1 FROM (SELECT u, g1, g2, g3, g4, g5, g6 FROM (SELECT s0."person_id" AS u, s0."age" AS g1, s0."joined" AS g2, s0."smoker" AS g3, s0."city" AS g4, s0."income" AS g5, s0."sex" AS g6 FROM "people" AS s0 JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, g1, g2, g3, g4, g5, g6) AS s0 WHERE s0."u" IS NOT NULL AND NOT s0."u" IS NULL AND NOT s0."g1" IS NULL AND NOT s0."g6" IS NULL AND NOT s0."g5" IS NULL AND NOT s0."g4" IS NULL AND NOT s0."g3" IS NULL AND NOT s0."g2" IS NULL) AS s0 WHERE s0."u" IS NOT NULL AND NOT s0."u" IS NULL AND NOT s0."c1" IS NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- rows of a query of WITH
WITH r AS (SELECT person_id, count(*) AS n FROM visits GROUP BY person_id) SELECT count(*), count(r) FROM r WHERE r IS NOT NULL;
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."u" AS u FROM (SELECT s0."u" AS u, s0."u" AS c0, s0."v0" AS c1 FROM (SELECT u, COUNT(*) AS v0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND NOT s0."u" IS NULL AND NOT s0."c1" IS NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "_column_0", dpproxy_0.o0 AS "_column_1" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- rows of a release
WITH r AS (SELECT city, count(*) AS n FROM people GROUP BY city) SELECT r AS pair, (r).n, r::text AS written FROM r WHERE r IS NOT NULL ORDER BY r;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- post: WITH "r" AS (SELECT dpproxy_0.k0 AS "city", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0") SELECT "r" AS "pair", "r"."n" AS "n", CAST("r" AS TEXT) AS "written" FROM "r" AS "r" WHERE ("r"."city" IS NOT NULL AND "r"."n" IS NOT NULL) ORDER BY "r"

-- a released row beside private ones
SELECT count(*) FROM visits v, (SELECT avg(cost) AS a FROM visits) t WHERE t IS NOT NULL AND v.cost > (t).a;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT u, LEAST(GREATEST(COALESCE(SUM(m0), 0), -400000), 400000) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 20) AS m1 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."cost" * CAST('100.0' AS DOUBLE)) WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END - 20000 AS BIGINT) AS m0, CASE WHEN s0."cost" IS NOT NULL AND s0."cost" <> CAST('NaN' AS DOUBLE) THEN 1 END AS m1 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: CENTRED -400000..400000 step 0.01
-- m1: VALUES 0..20 step 1
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 CROSS JOIN (SELECT s0."o0" AS c0 FROM (SELECT UNNEST(CAST($r0c0 AS DOUBLE[])) AS o0) AS s0) AS s1 WHERE s0."person_id" IS NOT NULL AND NOT s1."c0" IS NULL AND s0."cost" > s1."c0") AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- inputs: r0c0
-- post: SELECT dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_1"

-- groups of released rows
SELECT r, count(*) FROM (SELECT city, count(*) AS n FROM people GROUP BY city) r GROUP BY r HAVING r IS NOT NULL;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- post: SELECT "r" AS "r", COUNT(*) AS "count" FROM (SELECT dpproxy_0.k0 AS "city", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0") AS "r" GROUP BY "r" HAVING "r" IS NOT NULL

-- rows of several values
SELECT ROW(sex, count(*)), row_to_json(ROW(sex, 1)) FROM people WHERE ROW(smoker, sex) = ROW(TRUE, 'F') OR NOT smoker GROUP BY sex ORDER BY array_position(ARRAY['M', 'F'], sex);
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND (((s0."smoker" = TRUE) AND (s0."sex" = 'F')) OR (NOT s0."smoker"))) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT (dpproxy_0.k0, dpproxy_0.o0) AS "row", ROW_TO_JSON((dpproxy_0.k0, 1)) AS "row_to_json" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0" ORDER BY ARRAY_POSITION(ARRAY['M', 'F'], dpproxy_0.k0)

-- ROLLUP
SELECT sex, smoker, count(*) FROM people GROUP BY ROLLUP (sex, smoker);
-- =>
SELECT k0, k1, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, s0."smoker" AS k1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M') AND k1 IN (FALSE, TRUE)) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- k1: values False, True
-- m0: ROWS 0..1 step 1
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0_sets.k0 AS "sex", dpproxy_0_sets.k1 AS "smoker", dpproxy_0_sets.a0 AS "count" FROM (SELECT dpproxy_0.k0 AS k0, dpproxy_0.k1 AS k1, dpproxy_0.o0 AS a0 FROM (SELECT * FROM UNNEST(CAST($2 AS TEXT[]), CAST($3 AS BOOLEAN[]), CAST($4 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_0" UNION ALL SELECT dpproxy_1.k0 AS k0, CAST(NULL AS BOOLEAN) AS k1, dpproxy_1.o0 AS a0 FROM (SELECT * FROM UNNEST(CAST($5 AS TEXT[]), CAST($6 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_1" UNION ALL SELECT CAST(NULL AS TEXT) AS k0, CAST(NULL AS BOOLEAN) AS k1, dpproxy_2.o0 AS a0 FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_2") AS dpproxy_0_sets

-- CUBE
SELECT sex, smoker, avg(age) FROM people GROUP BY CUBE (sex, smoker);
-- =>
SELECT k0, k1, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, COUNT(*) AS m1 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, s0."smoker" AS k1, CAST(CASE WHEN s0."age" > 120 THEN 120 WHEN s0."age" < 0 THEN 0 ELSE s0."age" END - 60 AS BIGINT) AS m0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M') AND k1 IN (FALSE, TRUE)) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- k1: values False, True
-- m0: CENTRED -60..60 step 1
-- m1: ROWS 0..1 step 1
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, COUNT(*) AS m1 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, CAST(CASE WHEN s0."age" > 120 THEN 120 WHEN s0."age" < 0 THEN 0 ELSE s0."age" END - 60 AS BIGINT) AS m0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: CENTRED -60..60 step 1
-- m1: ROWS 0..1 step 1
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, COUNT(*) AS m1 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."smoker" AS k0, CAST(CASE WHEN s0."age" > 120 THEN 120 WHEN s0."age" < 0 THEN 0 ELSE s0."age" END - 60 AS BIGINT) AS m0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN (FALSE, TRUE)) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values False, True
-- m0: CENTRED -60..60 step 1
-- m1: ROWS 0..1 step 1
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, COUNT(*) AS m1 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN s0."age" > 120 THEN 120 WHEN s0."age" < 0 THEN 0 ELSE s0."age" END - 60 AS BIGINT) AS m0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: CENTRED -60..60 step 1
-- m1: ROWS 0..1 step 1
-- post: SELECT dpproxy_0_sets.k0 AS "sex", dpproxy_0_sets.k1 AS "smoker", dpproxy_0_sets.a0 AS "avg" FROM (SELECT dpproxy_0.k0 AS k0, dpproxy_0.k1 AS k1, dpproxy_0.o0 AS a0 FROM (SELECT * FROM UNNEST(CAST($4 AS TEXT[]), CAST($5 AS BOOLEAN[]), CAST($6 AS DECIMAL[])) AS r("k0", "k1", "o0")) AS "dpproxy_0" UNION ALL SELECT dpproxy_1.k0 AS k0, CAST(NULL AS BOOLEAN) AS k1, dpproxy_1.o0 AS a0 FROM (SELECT * FROM UNNEST(CAST($7 AS TEXT[]), CAST($8 AS DECIMAL[])) AS r("k0", "o0")) AS "dpproxy_1" UNION ALL SELECT CAST(NULL AS TEXT) AS k0, dpproxy_2.k0 AS k1, dpproxy_2.o0 AS a0 FROM (SELECT * FROM UNNEST(CAST($2 AS BOOLEAN[]), CAST($3 AS DECIMAL[])) AS r("k0", "o0")) AS "dpproxy_2" UNION ALL SELECT CAST(NULL AS TEXT) AS k0, CAST(NULL AS BOOLEAN) AS k1, dpproxy_3.o0 AS a0 FROM (SELECT * FROM UNNEST(CAST($1 AS DECIMAL[])) AS r("o0")) AS "dpproxy_3") AS dpproxy_0_sets

-- GROUPING SETS
SELECT sex, smoker, count(*) FROM people GROUP BY GROUPING SETS ((sex), (smoker), ());
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."smoker" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN (FALSE, TRUE)) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values False, True
-- m0: ROWS 0..1 step 1
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0_sets.k0 AS "sex", dpproxy_0_sets.k1 AS "smoker", dpproxy_0_sets.a0 AS "count" FROM (SELECT dpproxy_0.k0 AS k0, CAST(NULL AS BOOLEAN) AS k1, dpproxy_0.o0 AS a0 FROM (SELECT * FROM UNNEST(CAST($2 AS TEXT[]), CAST($3 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0" UNION ALL SELECT CAST(NULL AS TEXT) AS k0, dpproxy_1.k0 AS k1, dpproxy_1.o0 AS a0 FROM (SELECT * FROM UNNEST(CAST($4 AS BOOLEAN[]), CAST($5 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_1" UNION ALL SELECT CAST(NULL AS TEXT) AS k0, CAST(NULL AS BOOLEAN) AS k1, dpproxy_2.o0 AS a0 FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_2") AS dpproxy_0_sets

-- GROUPING() tells the rows apart
SELECT sex, smoker, grouping(sex) AS a, grouping(sex, smoker) AS b, count(*) FROM people GROUP BY ROLLUP (sex, smoker) ORDER BY b, sex, smoker;
-- =>
SELECT k0, k1, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, s0."smoker" AS k1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M') AND k1 IN (FALSE, TRUE)) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- k1: values False, True
-- m0: ROWS 0..1 step 1
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0_sets.k0 AS "sex", dpproxy_0_sets.k1 AS "smoker", dpproxy_0_sets.a0 AS "a", dpproxy_0_sets.a1 AS "b", dpproxy_0_sets.a2 AS "count" FROM (SELECT dpproxy_0.k0 AS k0, dpproxy_0.k1 AS k1, 0 AS a0, 0 AS a1, dpproxy_0.o0 AS a2 FROM (SELECT * FROM UNNEST(CAST($2 AS TEXT[]), CAST($3 AS BOOLEAN[]), CAST($4 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_0" UNION ALL SELECT dpproxy_1.k0 AS k0, CAST(NULL AS BOOLEAN) AS k1, 0 AS a0, 1 AS a1, dpproxy_1.o0 AS a2 FROM (SELECT * FROM UNNEST(CAST($5 AS TEXT[]), CAST($6 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_1" UNION ALL SELECT CAST(NULL AS TEXT) AS k0, CAST(NULL AS BOOLEAN) AS k1, 1 AS a0, 3 AS a1, dpproxy_2.o0 AS a2 FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_2") AS dpproxy_0_sets ORDER BY "b", "sex", "smoker"

-- a key beside ROLLUP
SELECT sex, smoker, count(*) FROM people GROUP BY sex, ROLLUP (smoker);
-- =>
SELECT k0, k1, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, s0."smoker" AS k1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M') AND k1 IN (FALSE, TRUE)) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- k1: values False, True
-- m0: ROWS 0..1 step 1
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0_sets.k0 AS "sex", dpproxy_0_sets.k1 AS "smoker", dpproxy_0_sets.a0 AS "count" FROM (SELECT dpproxy_0.k0 AS k0, dpproxy_0.k1 AS k1, dpproxy_0.o0 AS a0 FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BOOLEAN[]), CAST($3 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_0" UNION ALL SELECT dpproxy_1.k0 AS k0, CAST(NULL AS BOOLEAN) AS k1, dpproxy_1.o0 AS a0 FROM (SELECT * FROM UNNEST(CAST($4 AS TEXT[]), CAST($5 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_1") AS dpproxy_0_sets

-- columns that go together
SELECT sex, smoker, age > 40 AS old, count(*) FROM people GROUP BY ROLLUP ((sex, smoker), old);
-- =>
SELECT k0, k1, k2, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, s0."smoker" AS k1, s0."age" > 40 AS k2 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M') AND k1 IN (FALSE, TRUE) AND k2 IN (FALSE, TRUE)) AS r GROUP BY k0, k1, k2;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- k1: values False, True
-- k2: values False, True
-- m0: ROWS 0..1 step 1
SELECT k0, k1, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, s0."smoker" AS k1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M') AND k1 IN (FALSE, TRUE)) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- k1: values False, True
-- m0: ROWS 0..1 step 1
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0_sets.k0 AS "sex", dpproxy_0_sets.k1 AS "smoker", dpproxy_0_sets.k2 AS "old", dpproxy_0_sets.a0 AS "count" FROM (SELECT dpproxy_0.k0 AS k0, dpproxy_0.k1 AS k1, dpproxy_0.k2 AS k2, dpproxy_0.o0 AS a0 FROM (SELECT * FROM UNNEST(CAST($2 AS TEXT[]), CAST($3 AS BOOLEAN[]), CAST($4 AS BOOLEAN[]), CAST($5 AS BIGINT[])) AS r("k0", "k1", "k2", "o0")) AS "dpproxy_0" UNION ALL SELECT dpproxy_1.k0 AS k0, dpproxy_1.k1 AS k1, CAST(NULL AS BOOLEAN) AS k2, dpproxy_1.o0 AS a0 FROM (SELECT * FROM UNNEST(CAST($6 AS TEXT[]), CAST($7 AS BOOLEAN[]), CAST($8 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_1" UNION ALL SELECT CAST(NULL AS TEXT) AS k0, CAST(NULL AS BOOLEAN) AS k1, CAST(NULL AS BOOLEAN) AS k2, dpproxy_2.o0 AS a0 FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_2") AS dpproxy_0_sets

-- sets in sets
SELECT sex, smoker, count(*) FROM people GROUP BY GROUPING SETS (ROLLUP (sex), CUBE (smoker));
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."smoker" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN (FALSE, TRUE)) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values False, True
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0_sets.k0 AS "sex", dpproxy_0_sets.k1 AS "smoker", dpproxy_0_sets.a0 AS "count" FROM (SELECT dpproxy_0.k0 AS k0, CAST(NULL AS BOOLEAN) AS k1, dpproxy_0.o0 AS a0 FROM (SELECT * FROM UNNEST(CAST($4 AS TEXT[]), CAST($5 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0" UNION ALL SELECT CAST(NULL AS TEXT) AS k0, CAST(NULL AS BOOLEAN) AS k1, dpproxy_1.o0 AS a0 FROM (SELECT * FROM UNNEST(CAST($6 AS BIGINT[])) AS r("o0")) AS "dpproxy_1" UNION ALL SELECT CAST(NULL AS TEXT) AS k0, dpproxy_2.k0 AS k1, dpproxy_2.o0 AS a0 FROM (SELECT * FROM UNNEST(CAST($2 AS BOOLEAN[]), CAST($3 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_2" UNION ALL SELECT CAST(NULL AS TEXT) AS k0, CAST(NULL AS BOOLEAN) AS k1, dpproxy_1.o0 AS a0 FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_1") AS dpproxy_0_sets

-- private keys, and HAVING
SELECT city, sex, count(*) FROM people GROUP BY ROLLUP (city, sex) HAVING count(*) > 10;
-- =>
SELECT k0, k1, COUNT(*) AS n, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0, s0."sex" AS k1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE (STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AND k1 IN ('F', 'M')) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- k1: values 'F', 'M'
-- m0: ROWS 0..1 step 1
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0_sets.k0 AS "city", dpproxy_0_sets.k1 AS "sex", dpproxy_0_sets.a0 AS "count" FROM (SELECT dpproxy_0.k0 AS k0, dpproxy_0.k1 AS k1, dpproxy_0.o0 AS a0 FROM (SELECT * FROM UNNEST(CAST($2 AS TEXT[]), CAST($3 AS TEXT[]), CAST($4 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_0" UNION ALL SELECT dpproxy_1.k0 AS k0, CAST(NULL AS TEXT) AS k1, dpproxy_1.o0 AS a0 FROM (SELECT * FROM UNNEST(CAST($5 AS TEXT[]), CAST($6 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_1" UNION ALL SELECT CAST(NULL AS TEXT) AS k0, CAST(NULL AS TEXT) AS k1, dpproxy_2.o0 AS a0 FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_2") AS dpproxy_0_sets WHERE dpproxy_0_sets.a0 > 10

-- in a derived table, aggregated once more
SELECT max(n) FROM (SELECT sex, count(*) AS n FROM people GROUP BY CUBE (sex)) t WHERE sex IS NULL;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT MAX("t"."n") AS "max" FROM (SELECT dpproxy_0_sets.k0 AS "sex", dpproxy_0_sets.a0 AS "n" FROM (SELECT dpproxy_0.k0 AS k0, dpproxy_0.o0 AS a0 FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0" UNION ALL SELECT CAST(NULL AS TEXT) AS k0, dpproxy_1.o0 AS a0 FROM (SELECT * FROM UNNEST(CAST($3 AS BIGINT[])) AS r("o0")) AS "dpproxy_1") AS dpproxy_0_sets) AS "t" WHERE "t"."sex" IS NULL

-- the empty set alone
SELECT count(*) FROM people GROUP BY ();
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0_sets.a0 AS "count" FROM (SELECT dpproxy_0.o0 AS a0 FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0") AS dpproxy_0_sets

-- a key twice
SELECT sex, count(*) FROM people GROUP BY GROUPING SETS ((sex), (sex));
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0_sets.k0 AS "sex", dpproxy_0_sets.a0 AS "count" FROM (SELECT dpproxy_0.k0 AS k0, dpproxy_0.o0 AS a0 FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0" UNION ALL SELECT dpproxy_0.k0 AS k0, dpproxy_0.o0 AS a0 FROM (SELECT * FROM UNNEST(CAST($3 AS TEXT[]), CAST($4 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0") AS dpproxy_0_sets

-- positions in CUBE
SELECT age > 40 AS old, sex, count(*) FROM people GROUP BY CUBE (1, 2);
-- =>
SELECT k0, k1, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."age" > 40 AS k0, s0."sex" AS k1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN (FALSE, TRUE) AND k1 IN ('F', 'M')) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values False, True
-- k1: values 'F', 'M'
-- m0: ROWS 0..1 step 1
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."age" > 40 AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN (FALSE, TRUE)) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values False, True
-- m0: ROWS 0..1 step 1
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0_sets.k0 AS "old", dpproxy_0_sets.k1 AS "sex", dpproxy_0_sets.a0 AS "count" FROM (SELECT dpproxy_0.k0 AS k0, dpproxy_0.k1 AS k1, dpproxy_0.o0 AS a0 FROM (SELECT * FROM UNNEST(CAST($4 AS BOOLEAN[]), CAST($5 AS TEXT[]), CAST($6 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_0" UNION ALL SELECT dpproxy_1.k0 AS k0, CAST(NULL AS TEXT) AS k1, dpproxy_1.o0 AS a0 FROM (SELECT * FROM UNNEST(CAST($7 AS BOOLEAN[]), CAST($8 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_1" UNION ALL SELECT CAST(NULL AS BOOLEAN) AS k0, dpproxy_2.k0 AS k1, dpproxy_2.o0 AS a0 FROM (SELECT * FROM UNNEST(CAST($2 AS TEXT[]), CAST($3 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_2" UNION ALL SELECT CAST(NULL AS BOOLEAN) AS k0, CAST(NULL AS TEXT) AS k1, dpproxy_3.o0 AS a0 FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_3") AS dpproxy_0_sets

-- the empty set in GROUPING SETS alone
SELECT count(*) FROM people GROUP BY GROUPING SETS (());
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0_sets.a0 AS "count" FROM (SELECT dpproxy_0.o0 AS a0 FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0") AS dpproxy_0_sets

-- private rows grouped within a unit, then in sets
SELECT sex, dept, avg(n) FROM (SELECT p.person_id, p.sex, v.dept, count(*) AS n FROM people p JOIN visits v USING (person_id) GROUP BY p.person_id, p.sex, v.dept) t GROUP BY GROUPING SETS ((sex), (dept));
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), -180), 200) AS m0, LEAST(GREATEST(COUNT(*), 0), 20) AS m1 FROM (SELECT s0."u" AS u, s0."c1" AS k0, CAST(CASE WHEN s0."c3" > 20 THEN 20 WHEN s0."c3" < 1 THEN 1 ELSE s0."c3" END - 10 AS BIGINT) AS m0 FROM (SELECT s0."u" AS u, s0."u" AS c0, s0."g1" AS c1, s0."g2" AS c2, s0."v0" AS c3 FROM (SELECT u, g1, g2, COUNT(*) AS v0 FROM (SELECT s0."person_id" AS u, s0."sex" AS g1, s1."dept" AS g2 FROM "people" AS s0 JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, g1, g2) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') END) AS c GROUP BY k0;
-- unit person: 20 rows, 1 keys (KEY_OF_UNIT)
-- k0: values 'F', 'M'
-- m0: CENTRED -180..200 step 1
-- m1: ROWS 0..20 step 1
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT k0, m0, m1 FROM (SELECT k0, m0, m1, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), -9), 10) AS m0, LEAST(GREATEST(COUNT(*), 0), 1) AS m1 FROM (SELECT s0."u" AS u, s0."c2" AS k0, CAST(CASE WHEN s0."c3" > 20 THEN 20 WHEN s0."c3" < 1 THEN 1 ELSE s0."c3" END - 10 AS BIGINT) AS m0 FROM (SELECT s0."u" AS u, s0."u" AS c0, s0."g1" AS c1, s0."g2" AS c2, s0."v0" AS c3 FROM (SELECT u, g1, g2, COUNT(*) AS v0 FROM (SELECT s0."person_id" AS u, s0."sex" AS g1, s1."dept" AS g2 FROM "people" AS s0 JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, g1, g2) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 8) AS l GROUP BY k0;
-- unit person: 1 rows, 8 keys (KEYS_LIMITED)
-- k0: private
-- m0: CENTRED -9..10 step 1
-- m1: ROWS 0..1 step 1
-- post: SELECT dpproxy_0_sets.k0 AS "sex", dpproxy_0_sets.k1 AS "dept", dpproxy_0_sets.a0 AS "avg" FROM (SELECT dpproxy_0.k0 AS k0, CAST(NULL AS TEXT) AS k1, dpproxy_0.o0 AS a0 FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DECIMAL[])) AS r("k0", "o0")) AS "dpproxy_0" UNION ALL SELECT CAST(NULL AS TEXT) AS k0, dpproxy_1.k0 AS k1, dpproxy_1.o0 AS a0 FROM (SELECT * FROM UNNEST(CAST($3 AS TEXT[]), CAST($4 AS DECIMAL[])) AS r("k0", "o0")) AS "dpproxy_1") AS dpproxy_0_sets

-- HAVING by GROUPING()
SELECT sex, smoker, count(*), grouping(smoker) FROM people WHERE city = 'Delft' GROUP BY GROUPING SETS ((sex, smoker), (sex)) HAVING grouping(smoker) = 1 OR count(*) > 5;
-- =>
SELECT k0, k1, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, s0."smoker" AS k1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."city" = 'Delft') AS q WHERE k0 IN ('F', 'M') AND k1 IN (FALSE, TRUE)) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- k1: values False, True
-- m0: ROWS 0..1 step 1
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."city" = 'Delft') AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0_sets.k0 AS "sex", dpproxy_0_sets.k1 AS "smoker", dpproxy_0_sets.a0 AS "count", dpproxy_0_sets.a1 AS "grouping" FROM (SELECT dpproxy_0.k0 AS k0, dpproxy_0.k1 AS k1, dpproxy_0.o0 AS a0, 0 AS a1 FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BOOLEAN[]), CAST($3 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_0" UNION ALL SELECT dpproxy_1.k0 AS k0, CAST(NULL AS BOOLEAN) AS k1, dpproxy_1.o0 AS a0, 1 AS a1 FROM (SELECT * FROM UNNEST(CAST($4 AS TEXT[]), CAST($5 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_1") AS dpproxy_0_sets WHERE dpproxy_0_sets.a1 = 1 OR dpproxy_0_sets.a0 > 5

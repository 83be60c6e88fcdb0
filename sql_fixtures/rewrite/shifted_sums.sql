-- three sums of a value come of the one in the middle and a count
SELECT sum(age), sum(age + 1) AS next, sum(2 + age) FROM people;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, COUNT(*) AS m1 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN (CAST(s0."age" AS BIGINT) + CAST(1 AS BIGINT)) > 121 THEN 121 WHEN (CAST(s0."age" AS BIGINT) + CAST(1 AS BIGINT)) < 1 THEN 1 ELSE CAST(s0."age" AS BIGINT) + CAST(1 AS BIGINT) END AS BIGINT) AS m0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: SUM 0..121 step 1
-- m1: ROWS 0..1 step 1
-- post: SELECT (dpproxy_0.o0 - 1 * dpproxy_0.o1) AS "_column_0", dpproxy_0.o0 AS "next", (dpproxy_0.o0 + 1 * dpproxy_0.o1) AS "_column_2" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[])) AS r("o0", "o1")) AS "dpproxy_0"

-- what is taken away
SELECT sex, sum(age - 10), sum(age - (-5)), sum(age + 3) FROM people GROUP BY sex ORDER BY sum(age - 10);
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, COUNT(*) AS m1 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, CAST(CASE WHEN (CAST(s0."age" AS BIGINT) + CAST(3 AS BIGINT)) > 123 THEN 123 WHEN (CAST(s0."age" AS BIGINT) + CAST(3 AS BIGINT)) < 3 THEN 3 ELSE CAST(s0."age" AS BIGINT) + CAST(3 AS BIGINT) END AS BIGINT) AS m0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: SUM 0..123 step 1
-- m1: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", (dpproxy_0.o0 - 13 * dpproxy_0.o1) AS "_column_1", (dpproxy_0.o0 + 2 * dpproxy_0.o1) AS "_column_2", dpproxy_0.o0 AS "_column_3" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[]), CAST($3 AS BIGINT[])) AS r("k0", "o0", "o1")) AS "dpproxy_0" ORDER BY "_column_1"

-- with one FILTER; sums with another are others
SELECT sum(age + 1) FILTER (WHERE smoker), sum(age + 2) FILTER (WHERE smoker), sum(age + 3) FILTER (WHERE smoker), sum(age + 4) FROM people;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1, CAST(LEAST(GREATEST(COALESCE(SUM(m2), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m2 FROM (SELECT s0."person_id" AS u, CASE WHEN s0."smoker" THEN CAST(CASE WHEN (CAST(s0."age" AS BIGINT) + CAST(2 AS BIGINT)) > 122 THEN 122 WHEN (CAST(s0."age" AS BIGINT) + CAST(2 AS BIGINT)) < 2 THEN 2 ELSE CAST(s0."age" AS BIGINT) + CAST(2 AS BIGINT) END AS BIGINT) END AS m0, CASE WHEN s0."smoker" THEN 1 END AS m1, CAST(CASE WHEN (CAST(s0."age" AS BIGINT) + CAST(4 AS BIGINT)) > 124 THEN 124 WHEN (CAST(s0."age" AS BIGINT) + CAST(4 AS BIGINT)) < 4 THEN 4 ELSE CAST(s0."age" AS BIGINT) + CAST(4 AS BIGINT) END AS BIGINT) AS m2 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: SUM 0..122 step 1
-- m1: VALUES 0..1 step 1
-- m2: SUM 0..124 step 1
-- post: SELECT (dpproxy_0.o0 - 1 * dpproxy_0.o1) AS "_column_0", dpproxy_0.o0 AS "_column_1", (dpproxy_0.o0 + 1 * dpproxy_0.o1) AS "_column_2", dpproxy_0.o2 AS "_column_3" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[]), CAST($3 AS BIGINT[])) AS r("o0", "o1", "o2")) AS "dpproxy_0"

-- in HAVING and in an expression
SELECT city, sum(age + 1) / count(*) FROM people GROUP BY city HAVING sum(age + 2) > 10 AND sum(age + 4) > 20;
-- =>
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0, CAST(CASE WHEN (CAST(s0."age" AS BIGINT) + CAST(2 AS BIGINT)) > 122 THEN 122 WHEN (CAST(s0."age" AS BIGINT) + CAST(2 AS BIGINT)) < 2 THEN 2 ELSE CAST(s0."age" AS BIGINT) + CAST(2 AS BIGINT) END AS BIGINT) AS m0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- m0: SUM 0..122 step 1
-- post: SELECT dpproxy_0.k0 AS "city", (dpproxy_0.o0 - 1 * dpproxy_0.o1) / NULLIF(dpproxy_0.o1, '0') AS "_column_1" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[]), CAST($3 AS BIGINT[])) AS r("k0", "o0", "o1")) AS "dpproxy_0" WHERE dpproxy_0.o0 > 10 AND (dpproxy_0.o0 + 2 * dpproxy_0.o1) > 20

-- numerics, by decimals
SELECT sum(price + 0.5), sum(price - 0.25), sum(price + 2) FROM lineitem;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT u, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 1000005000) AS m0, LEAST(GREATEST(COUNT(*), 0), 100) AS m1 FROM (SELECT t.u AS u, CAST(CASE WHEN t.g0 > 10000050 THEN 10000050 WHEN t.g0 < 50 THEN 50 ELSE t.g0 END AS BIGINT) AS m0 FROM (SELECT h0."custkey" AS u, CAST(CAST(s0."price" AS DECIMAL(16, 2)) + CAST(0.5 AS DECIMAL(16, 2)) AS DOUBLE) * CAST('100.0' AS DOUBLE) AS g0 FROM "lineitem" AS s0 JOIN "orders" AS h0 ON s0."orderkey" = h0."orderkey" WHERE h0."custkey" IS NOT NULL) AS t WHERE t.u IS NOT NULL) AS r GROUP BY u) AS c;
-- unit customer: 100 rows, 1 keys (NO_KEYS)
-- m0: SUM 0..1000005000 step 0.01
-- m1: ROWS 0..100 step 1
-- post: SELECT dpproxy_0.o0 AS "_column_0", (dpproxy_0.o0 - 0.75 * dpproxy_0.o1) AS "_column_1", (dpproxy_0.o0 + 1.5 * dpproxy_0.o1) AS "_column_2" FROM (SELECT * FROM UNNEST(CAST($1 AS DECIMAL[]), CAST($2 AS BIGINT[])) AS r("o0", "o1")) AS "dpproxy_0"

-- two are two
SELECT sum(age + 1), sum(age + 2) FROM people;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN (CAST(s0."age" AS BIGINT) + CAST(1 AS BIGINT)) > 121 THEN 121 WHEN (CAST(s0."age" AS BIGINT) + CAST(1 AS BIGINT)) < 1 THEN 1 ELSE CAST(s0."age" AS BIGINT) + CAST(1 AS BIGINT) END AS BIGINT) AS m0, CAST(CASE WHEN (CAST(s0."age" AS BIGINT) + CAST(2 AS BIGINT)) > 122 THEN 122 WHEN (CAST(s0."age" AS BIGINT) + CAST(2 AS BIGINT)) < 2 THEN 2 ELSE CAST(s0."age" AS BIGINT) + CAST(2 AS BIGINT) END AS BIGINT) AS m1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: SUM 0..121 step 1
-- m1: SUM 0..122 step 1
-- post: SELECT dpproxy_0.o0 AS "_column_0", dpproxy_0.o1 AS "_column_1" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[])) AS r("o0", "o1")) AS "dpproxy_0"

-- floating point rounds, and stays as it is
SELECT sum(income + 1), sum(income + 2), sum(income + 3) FROM people;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1, CAST(LEAST(GREATEST(COALESCE(SUM(m2), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m2 FROM (SELECT t.u AS u, CAST(CASE WHEN t.g0 < 1 THEN 1 WHEN t.g0 <= 500001 THEN t.g0 WHEN t.g0 < CAST('NaN' AS DOUBLE) THEN 500001 END AS BIGINT) AS m0, CAST(CASE WHEN t.g1 < 2 THEN 2 WHEN t.g1 <= 500002 THEN t.g1 WHEN t.g1 < CAST('NaN' AS DOUBLE) THEN 500002 END AS BIGINT) AS m1, CAST(CASE WHEN t.g2 < 3 THEN 3 WHEN t.g2 <= 500003 THEN t.g2 WHEN t.g2 < CAST('NaN' AS DOUBLE) THEN 500003 END AS BIGINT) AS m2 FROM (SELECT s0."person_id" AS u, s0."income" + CAST('1.0' AS DOUBLE) AS g0, s0."income" + CAST('2.0' AS DOUBLE) AS g1, s0."income" + CAST('3.0' AS DOUBLE) AS g2 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS t WHERE t.u IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: SUM 0..500001 step 1
-- m1: SUM 0..500002 step 1
-- m2: SUM 0..500003 step 1
-- post: SELECT dpproxy_0.o0 AS "_column_0", dpproxy_0.o1 AS "_column_1", dpproxy_0.o2 AS "_column_2" FROM (SELECT * FROM UNNEST(CAST($1 AS DOUBLE PRECISION[]), CAST($2 AS DOUBLE PRECISION[]), CAST($3 AS DOUBLE PRECISION[])) AS r("o0", "o1", "o2")) AS "dpproxy_0"

-- decimals with an integer have another type
SELECT sum(age + 1), sum(age + 2), sum(age + 0.5) FROM people;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1, CAST(LEAST(GREATEST(COALESCE(SUM(m2), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m2 FROM (SELECT t.u AS u, CAST(CASE WHEN t.g0 > 121 THEN 121 WHEN t.g0 < 1 THEN 1 ELSE t.g0 END AS BIGINT) AS m0, CAST(CASE WHEN t.g1 > 122 THEN 122 WHEN t.g1 < 2 THEN 2 ELSE t.g1 END AS BIGINT) AS m1, CAST(CASE WHEN t.g2 > 1205 THEN 1205 WHEN t.g2 < 5 THEN 5 ELSE t.g2 END AS BIGINT) AS m2 FROM (SELECT s0."person_id" AS u, CAST(s0."age" AS BIGINT) + CAST(1 AS BIGINT) AS g0, CAST(s0."age" AS BIGINT) + CAST(2 AS BIGINT) AS g1, CAST(CAST(s0."age" AS DECIMAL(11, 1)) + CAST(0.5 AS DECIMAL(11, 1)) AS DOUBLE) * CAST('10.0' AS DOUBLE) AS g2 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS t WHERE t.u IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: SUM 0..121 step 1
-- m1: SUM 0..122 step 1
-- m2: SUM 0..1205 step 0.1
-- post: SELECT dpproxy_0.o0 AS "_column_0", dpproxy_0.o1 AS "_column_1", dpproxy_0.o2 AS "_column_2" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[]), CAST($3 AS DECIMAL[])) AS r("o0", "o1", "o2")) AS "dpproxy_0"

-- a median, one row per unit
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY age) FROM people;
-- =>
SELECT b, COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN s0."age" > 120 THEN 120 WHEN s0."age" < 0 THEN 0 ELSE s0."age" END AS BIGINT) AS b FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r WHERE b IS NOT NULL GROUP BY b;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: HISTOGRAM 0..1 step 1
-- told: QuantileBrackets 1/2 of m0 among 121
-- post: SELECT dpproxy_0.q0 AS "percentile_cont" FROM (SELECT * FROM UNNEST(CAST($1 AS DOUBLE PRECISION[])) AS r("q0")) AS "dpproxy_0"

-- several fractions share one histogram, and so do the extremes
SELECT sex, percentile_cont(ARRAY[0.25, 0.5, 0.75]) WITHIN GROUP (ORDER BY age), percentile_disc(0.5) WITHIN GROUP (ORDER BY age), min(age), max(age) FROM people GROUP BY sex;
-- =>
SELECT k0, b, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, CAST(CASE WHEN s0."age" > 120 THEN 120 WHEN s0."age" < 0 THEN 0 ELSE s0."age" END AS BIGINT) AS b FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r WHERE b IS NOT NULL GROUP BY k0, b;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: HISTOGRAM 0..1 step 1
-- told: QuantileTree 1/4, 1/2, 3/4, 0/1, 1/1 of m0 among 121
-- post: SELECT dpproxy_0.k0 AS "sex", ARRAY[dpproxy_0.q0, dpproxy_0.q1, dpproxy_0.q2] AS "percentile_cont", dpproxy_0.q3 AS "percentile_disc", dpproxy_0.q4 AS "min", dpproxy_0.q5 AS "max" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DOUBLE PRECISION[]), CAST($3 AS DOUBLE PRECISION[]), CAST($4 AS DOUBLE PRECISION[]), CAST($5 AS INT[]), CAST($6 AS INT[]), CAST($7 AS INT[])) AS r("k0", "q0", "q1", "q2", "q3", "q4", "q5")) AS "dpproxy_0"

-- falling, a fraction counts from above
SELECT percentile_disc(0.1) WITHIN GROUP (ORDER BY age DESC) FROM people;
-- =>
SELECT b, COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN s0."age" > 120 THEN 120 WHEN s0."age" < 0 THEN 0 ELSE s0."age" END AS BIGINT) AS b FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r WHERE b IS NOT NULL GROUP BY b;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: HISTOGRAM 0..1 step 1
-- told: QuantileBrackets 9/10 of m0 among 121
-- post: SELECT dpproxy_0.q0 AS "percentile_disc" FROM (SELECT * FROM UNNEST(CAST($1 AS INT[])) AS r("q0")) AS "dpproxy_0"

-- a median by its name, where a condition is true
SELECT dp.median(income) FILTER (WHERE sex = 'F') AS typical FROM people;
-- =>
SELECT b, COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u, CASE WHEN s0."sex" = 'F' AND s0."income" IS NOT NULL AND s0."income" <> CAST('NaN' AS DOUBLE) THEN CAST(CASE WHEN (s0."income" / CAST('8.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."income" / CAST('8.0' AS DOUBLE)) <= 62500 THEN (s0."income" / CAST('8.0' AS DOUBLE)) WHEN (s0."income" / CAST('8.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 62500 END AS BIGINT) END AS b FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r WHERE b IS NOT NULL GROUP BY b;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: HISTOGRAM 0..1 step 1
-- told: QuantileBrackets 1/2 of m0 among 62501
-- post: SELECT dpproxy_0.q0 AS "typical" FROM (SELECT * FROM UNNEST(CAST($1 AS DOUBLE PRECISION[])) AS r("q0")) AS "dpproxy_0"

-- the median of released numbers is the front's
SELECT dp.median(n) FROM (SELECT sex, count(*) AS n FROM people GROUP BY sex) t;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT dp.MEDIAN("t"."n") AS "median" FROM (SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0") AS "t"

-- a unit of many rows weighs as one
SELECT percentile_disc(0.9) WITHIN GROUP (ORDER BY cost) FROM visits;
-- =>
SELECT b, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT b, (m0 * 65536) // CAST(LEAST(GREATEST(SUM(m0) OVER (PARTITION BY u), 1), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, b, LEAST(GREATEST(COUNT(*), 0), 2147483647) AS m0 FROM (SELECT s0."person_id" AS u, CASE WHEN s0."cost" IS NOT NULL AND s0."cost" <> CAST('NaN' AS DOUBLE) THEN CAST(CASE WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."cost" * CAST('100.0' AS DOUBLE)) WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT) END AS b FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r WHERE b IS NOT NULL GROUP BY u, b) AS c) AS l GROUP BY b;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: HISTOGRAM 0..65536 step 0.0000152587890625
-- told: QuantileBrackets 9/10 of m0 among 40001
-- post: SELECT dpproxy_0.q0 AS "percentile_disc" FROM (SELECT * FROM UNNEST(CAST($1 AS DOUBLE PRECISION[])) AS r("q0")) AS "dpproxy_0"

-- by private keys, with a limit
SELECT dept, max(cost) FROM visits GROUP BY dept;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT k0 FROM (SELECT k0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
SELECT k0, b, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, b, m0 FROM (SELECT k0, b, (m0 * 65536) // CAST(LEAST(GREATEST(SUM(m0) OVER (PARTITION BY u, k0), 1), 4611686018427387904) AS BIGINT) AS m0, DENSE_RANK() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS g FROM (SELECT * FROM (SELECT u, k0, b, LEAST(GREATEST(COUNT(*), 0), 2147483647) AS m0 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0, CASE WHEN s0."cost" IS NOT NULL AND s0."cost" <> CAST('NaN' AS DOUBLE) THEN CAST(CASE WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."cost" * CAST('100.0' AS DOUBLE)) WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT) END AS b FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r WHERE b IS NOT NULL GROUP BY u, k0, b) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS c) AS w WHERE g <= 3) AS l GROUP BY k0, b;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of release 0
-- m0: HISTOGRAM 0..65536 step 0.0000152587890625
-- told: QuantileBrackets 1/1 of m0 among 40001
-- post: SELECT dpproxy_0.k0 AS "dept", dpproxy_0.q0 AS "max" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DOUBLE PRECISION[])) AS r("k0", "q0")) AS "dpproxy_0"

-- dates, by public keys that one unit has many of
SELECT building, min(v.day), dp.median(v.day), count(*) FROM visits v JOIN departments d USING (dept) GROUP BY building;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."building" AS k0 FROM "visits" AS s0 JOIN "departments" AS s1 ON s0."dept" = s1."dept" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."building" AS d0 FROM "departments" AS s1
-- m0: ROWS 0..20 step 1
SELECT k0, b, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, b, m0 FROM (SELECT k0, b, (m0 * 65536) // CAST(LEAST(GREATEST(SUM(m0) OVER (PARTITION BY u, k0), 1), 4611686018427387904) AS BIGINT) AS m0, DENSE_RANK() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS g FROM (SELECT * FROM (SELECT u, k0, b, LEAST(GREATEST(COUNT(*), 0), 2147483647) AS m0 FROM (SELECT t.u AS u, t.x1 AS k0, CAST(CASE WHEN t.g0 > 21914 THEN 21914 WHEN t.g0 < 18262 THEN 18262 ELSE t.g0 END - 18262 AS BIGINT) AS b FROM (SELECT s0."person_id" AS u, s1."building" AS x1, CAST(CASE WHEN s0."day" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."day" END - CAST('1970-01-01' AS DATE) AS BIGINT) AS g0 FROM "visits" AS s0 JOIN "departments" AS s1 ON s0."dept" = s1."dept" WHERE s0."person_id" IS NOT NULL) AS t WHERE t.u IS NOT NULL) AS r WHERE b IS NOT NULL GROUP BY u, k0, b) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS c) AS w WHERE g <= 3) AS l GROUP BY k0, b;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."building" AS d0 FROM "departments" AS s1
-- m0: HISTOGRAM 0..65536 step 0.0000152587890625
-- told: QuantileTree 0/1, 1/2 of m0 among 3653
-- post: SELECT dpproxy_0.k0 AS "building", dpproxy_0.q0 AS "min", dpproxy_0.q1 AS "median", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[]), CAST($3 AS DATE[]), CAST($4 AS DATE[])) AS r("k0", "o0", "q0", "q1")) AS "dpproxy_0"

-- numbers without bounds
SELECT dp.median(visit_id) FROM visits;
-- =>
SELECT b, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT b, (m0 * 65536) // CAST(LEAST(GREATEST(SUM(m0) OVER (PARTITION BY u), 1), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, b, LEAST(GREATEST(COUNT(*), 0), 2147483647) AS m0 FROM (SELECT t.u AS u, CAST(CASE WHEN t.g2 < (-94208) THEN -94208 WHEN t.g2 <= 94208 THEN t.g2 WHEN t.g2 < CAST('NaN' AS DOUBLE) THEN 94208 END - (-94208) AS BIGINT) AS b FROM (SELECT t.u AS u, CASE WHEN CAST(t.x1 AS DOUBLE) < CAST('0.0' AS DOUBLE) THEN -LN(CASE WHEN t.g1 BETWEEN CAST('5e-324' AS DOUBLE) AND CAST('Infinity' AS DOUBLE) THEN t.g1 END) WHEN CAST(t.x1 AS DOUBLE) >= CAST('0.0' AS DOUBLE) THEN LN(CASE WHEN t.g0 BETWEEN CAST('5e-324' AS DOUBLE) AND CAST('Infinity' AS DOUBLE) THEN t.g0 END) END * CAST('128.0' AS DOUBLE) AS g2 FROM (SELECT s0."person_id" AS u, s0."visit_id" AS x1, CAST('1.0' AS DOUBLE) + (LEAST(CAST(s0."visit_id" AS DOUBLE), CAST('1e+280' AS DOUBLE)) * CAST('1.0' AS DOUBLE)) AS g0, CAST('1.0' AS DOUBLE) - (GREATEST(CAST(s0."visit_id" AS DOUBLE), CAST('-1e+280' AS DOUBLE)) * CAST('1.0' AS DOUBLE)) AS g1 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS t WHERE t.u IS NOT NULL) AS t WHERE t.u IS NOT NULL) AS r WHERE b IS NOT NULL GROUP BY u, b) AS c) AS l GROUP BY b;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: HISTOGRAM 0..65536 step 0.0000152587890625
-- told: QuantileBrackets 1/2 of m0 among 188417
-- post: SELECT dpproxy_0.q0 AS "median" FROM (SELECT * FROM UNNEST(CAST($1 AS DOUBLE PRECISION[])) AS r("q0")) AS "dpproxy_0"

-- a timestamp without bounds
SELECT max(CAST(day AS timestamp) + interval '1 hour') FROM visits;
-- =>
SELECT b, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT b, (m0 * 65536) // CAST(LEAST(GREATEST(SUM(m0) OVER (PARTITION BY u), 1), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, b, LEAST(GREATEST(COUNT(*), 0), 2147483647) AS m0 FROM (SELECT t.u AS u, CAST(CASE WHEN t.g0 > 393224 THEN 393224 WHEN t.g0 < 327693 THEN 327693 ELSE t.g0 END - 327692 AS BIGINT) AS b FROM (SELECT s0."person_id" AS u, CAST(CAST(DATE_DIFF('MICROSECOND', CAST('1970-01-01 00:00:00' AS TIMESTAMP), CAST(CASE WHEN s0."day" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."day" END AS TIMESTAMP) + INTERVAL '3600000000' MICROSECOND) AS DECIMAL(19, 0)) * CAST(0.000001 AS DECIMAL(6, 6)) AS DOUBLE) / CAST('4815.0' AS DOUBLE) AS g0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS t WHERE t.u IS NOT NULL) AS r WHERE b IS NOT NULL GROUP BY u, b) AS c) AS l GROUP BY b;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: HISTOGRAM 0..65536 step 0.0000152587890625
-- told: QuantileBrackets 1/1 of m0 among 65533
-- post: SELECT dpproxy_0.q0 AS "max" FROM (SELECT * FROM UNNEST(CAST($1 AS TIMESTAMP[])) AS r("q0")) AS "dpproxy_0"

-- a fraction that is a parameter of an array's text
SELECT percentile_cont('{0.5,0.9}'::float8[]) WITHIN GROUP (ORDER BY price) FROM lineitem;
-- =>
SELECT b, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT b, (m0 * 65536) // CAST(LEAST(GREATEST(SUM(m0) OVER (PARTITION BY u), 1), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, b, LEAST(GREATEST(COUNT(*), 0), 2147483647) AS m0 FROM (SELECT h0."custkey" AS u, CAST(CASE WHEN (CAST(s0."price" AS DOUBLE) / CAST('1.53' AS DOUBLE)) > 65359 THEN 65359 WHEN (CAST(s0."price" AS DOUBLE) / CAST('1.53' AS DOUBLE)) < 0 THEN 0 ELSE (CAST(s0."price" AS DOUBLE) / CAST('1.53' AS DOUBLE)) END AS BIGINT) AS b FROM "lineitem" AS s0 JOIN "orders" AS h0 ON s0."orderkey" = h0."orderkey" WHERE h0."custkey" IS NOT NULL) AS r WHERE b IS NOT NULL GROUP BY u, b) AS c) AS l GROUP BY b;
-- unit customer: 100 rows, 1 keys (NO_KEYS)
-- m0: HISTOGRAM 0..65536 step 0.0000152587890625
-- told: QuantileTree 1/2, 9/10 of m0 among 65360
-- post: SELECT ARRAY[dpproxy_0.q0, dpproxy_0.q1] AS "percentile_cont" FROM (SELECT * FROM UNNEST(CAST($1 AS DOUBLE PRECISION[]), CAST($2 AS DOUBLE PRECISION[])) AS r("q0", "q1")) AS "dpproxy_0"

-- many fractions, from a tree of noisy counts
SELECT percentile_cont(ARRAY[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]) WITHIN GROUP (ORDER BY age) FROM people;
-- =>
SELECT b, COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN s0."age" > 120 THEN 120 WHEN s0."age" < 0 THEN 0 ELSE s0."age" END AS BIGINT) AS b FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r WHERE b IS NOT NULL GROUP BY b;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: HISTOGRAM 0..1 step 1
-- told: QuantileTree 1/10, 1/5, 3/10, 2/5, 1/2, 3/5, 7/10, 4/5, 9/10 of m0 among 121
-- post: SELECT ARRAY[dpproxy_0.q0, dpproxy_0.q1, dpproxy_0.q2, dpproxy_0.q3, dpproxy_0.q4, dpproxy_0.q5, dpproxy_0.q6, dpproxy_0.q7, dpproxy_0.q8] AS "percentile_cont" FROM (SELECT * FROM UNNEST(CAST($1 AS DOUBLE PRECISION[]), CAST($2 AS DOUBLE PRECISION[]), CAST($3 AS DOUBLE PRECISION[]), CAST($4 AS DOUBLE PRECISION[]), CAST($5 AS DOUBLE PRECISION[]), CAST($6 AS DOUBLE PRECISION[]), CAST($7 AS DOUBLE PRECISION[]), CAST($8 AS DOUBLE PRECISION[]), CAST($9 AS DOUBLE PRECISION[])) AS r("q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7", "q8")) AS "dpproxy_0"

-- the largest of what each unit has
SELECT max(dearest) FROM (SELECT person_id, max(cost) AS dearest FROM visits GROUP BY person_id) t;
-- =>
SELECT b, COUNT(*) AS m0 FROM (SELECT s0."u" AS u, CASE WHEN s0."c1" IS NOT NULL AND s0."c1" <> CAST('NaN' AS DOUBLE) THEN CAST(CASE WHEN (s0."c1" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."c1" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."c1" * CAST('100.0' AS DOUBLE)) WHEN (s0."c1" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT) END AS b FROM (SELECT s0."u" AS u, s0."u" AS c0, s0."v0" AS c1 FROM (SELECT u, MAX(a0) AS v0 FROM (SELECT s0."person_id" AS u, s0."cost" AS a0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS r WHERE b IS NOT NULL GROUP BY b;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: HISTOGRAM 0..1 step 1
-- told: QuantileBrackets 1/1 of m0 among 40001
-- post: SELECT dpproxy_0.q0 AS "max" FROM (SELECT * FROM UNNEST(CAST($1 AS DOUBLE PRECISION[])) AS r("q0")) AS "dpproxy_0"

-- above its own median
SELECT count(*) FROM people WHERE age > (SELECT dp.median(age) FROM people);
-- =>
SELECT b, COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN s0."age" > 120 THEN 120 WHEN s0."age" < 0 THEN 0 ELSE s0."age" END AS BIGINT) AS b FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r WHERE b IS NOT NULL GROUP BY b;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: HISTOGRAM 0..1 step 1
-- told: QuantileBrackets 1/2 of m0 among 121
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND CAST(s0."age" AS DOUBLE) > (SELECT t."c0" FROM (SELECT q1_s0."q0" AS c0 FROM (SELECT UNNEST(CAST($r0c0 AS DOUBLE[])) AS q0) AS q1_s0) AS t)) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- inputs: r0c0
-- post: SELECT dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_1"

-- the largest of different values
SELECT max(DISTINCT age) FROM people;
-- =>
SELECT b, COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN s0."age" > 120 THEN 120 WHEN s0."age" < 0 THEN 0 ELSE s0."age" END AS BIGINT) AS b FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r WHERE b IS NOT NULL GROUP BY b;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: HISTOGRAM 0..1 step 1
-- told: QuantileBrackets 1/1 of m0 among 121
-- post: SELECT dpproxy_0.q0 AS "max" FROM (SELECT * FROM UNNEST(CAST($1 AS INT[])) AS r("q0")) AS "dpproxy_0"

-- in HAVING and ORDER BY
SELECT sex FROM people GROUP BY sex HAVING max(age) > 30 ORDER BY dp.median(age) DESC LIMIT 1;
-- =>
SELECT k0, b, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, CAST(CASE WHEN s0."age" > 120 THEN 120 WHEN s0."age" < 0 THEN 0 ELSE s0."age" END AS BIGINT) AS b FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r WHERE b IS NOT NULL GROUP BY k0, b;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: HISTOGRAM 0..1 step 1
-- told: QuantileTree 1/1, 1/2 of m0 among 121
-- post: SELECT dpproxy_0.k0 AS "sex" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS INT[]), CAST($3 AS DOUBLE PRECISION[])) AS r("k0", "q0", "q1")) AS "dpproxy_0" WHERE dpproxy_0.q0 > 30 ORDER BY dpproxy_0.q1 DESC LIMIT 1

-- the least and the greatest length of time, of some rows, under HAVING
SELECT sex, max(joined - TIMESTAMP '2020-01-01') FILTER (WHERE smoker) FROM people GROUP BY sex HAVING min(joined - TIMESTAMP '2020-01-01') > INTERVAL '3 days';
-- =>
SELECT k0, b, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT t.u AS u, t.x1 AS k0, CASE WHEN t.x2 THEN CAST(CASE WHEN t.g0 > 57346 THEN 57346 WHEN t.g0 < (-8189) THEN -8189 ELSE t.g0 END - (-8190) AS BIGINT) END AS b FROM (SELECT s0."person_id" AS u, s0."sex" AS x1, s0."smoker" AS x2, CAST(CAST(DATE_DIFF('MICROSECOND', CAST('2020-01-01 00:00:00' AS TIMESTAMP), CAST(CASE WHEN s0."joined" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."joined" END AS TIMESTAMP)) AS DECIMAL(19, 0)) * CAST(0.000001 AS DECIMAL(6, 6)) AS DOUBLE) / CAST('3850.986496' AS DOUBLE) AS g0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS t WHERE t.u IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r WHERE b IS NOT NULL GROUP BY k0, b;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: HISTOGRAM 0..1 step 1
-- told: QuantileBrackets 1/1 of m0 among 65537
SELECT k0, b, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT t.u AS u, t.x1 AS k0, CAST(CASE WHEN t.g0 > 57346 THEN 57346 WHEN t.g0 < (-8189) THEN -8189 ELSE t.g0 END - (-8190) AS BIGINT) AS b FROM (SELECT s0."person_id" AS u, s0."sex" AS x1, CAST(CAST(DATE_DIFF('MICROSECOND', CAST('2020-01-01 00:00:00' AS TIMESTAMP), CAST(CASE WHEN s0."joined" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."joined" END AS TIMESTAMP)) AS DECIMAL(19, 0)) * CAST(0.000001 AS DECIMAL(6, 6)) AS DOUBLE) / CAST('3850.986496' AS DOUBLE) AS g0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS t WHERE t.u IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r WHERE b IS NOT NULL GROUP BY k0, b;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: HISTOGRAM 0..1 step 1
-- told: QuantileBrackets 0/1 of m0 among 65537
-- post: SELECT dpproxy_0.k0 AS "sex", (CAST(TRUNC((CAST(CASE WHEN (dpproxy_0.q0) BETWEEN -(9000000000000) AND (9000000000000) THEN (dpproxy_0.q0) END AS DOUBLE PRECISION)) / 86400) AS INT) * INTERVAL '1 DAY' + CAST(((CAST(CASE WHEN (dpproxy_0.q0) BETWEEN -(9000000000000) AND (9000000000000) THEN (dpproxy_0.q0) END AS DOUBLE PRECISION)) - 86400 * TRUNC((CAST(CASE WHEN (dpproxy_0.q0) BETWEEN -(9000000000000) AND (9000000000000) THEN (dpproxy_0.q0) END AS DOUBLE PRECISION)) / 86400)) * 1000000 AS BIGINT) * INTERVAL '1 MICROSECOND') AS "max" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DECIMAL[]), CAST($3 AS DECIMAL[])) AS r("k0", "q0", "q1")) AS "dpproxy_0" WHERE (CAST(TRUNC((CAST(CASE WHEN (dpproxy_0.q1) BETWEEN -(9000000000000) AND (9000000000000) THEN (dpproxy_0.q1) END AS DOUBLE PRECISION)) / 86400) AS INT) * INTERVAL '1 DAY' + CAST(((CAST(CASE WHEN (dpproxy_0.q1) BETWEEN -(9000000000000) AND (9000000000000) THEN (dpproxy_0.q1) END AS DOUBLE PRECISION)) - 86400 * TRUNC((CAST(CASE WHEN (dpproxy_0.q1) BETWEEN -(9000000000000) AND (9000000000000) THEN (dpproxy_0.q1) END AS DOUBLE PRECISION)) / 86400)) * 1000000 AS BIGINT) * INTERVAL '1 MICROSECOND') > INTERVAL '3 DAYS'

-- the first visit of each person
SELECT dept, count(*) FROM (SELECT dept, row_number() OVER (PARTITION BY person_id ORDER BY day) AS r FROM visits) t WHERE r = 1 GROUP BY dept;
-- =>
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 1) AS m0 FROM (SELECT s0."u" AS u, s0."c0" AS k0 FROM (SELECT s0."u" AS u, s0."c0" AS c0, s0."w0" AS c1 FROM (SELECT u, c0, c1, c2, ROW_NUMBER() OVER (PARTITION BY u, "c1" ORDER BY "c2", "c0", "c1") AS w0 FROM (SELECT s0."person_id" AS u, s0."dept" AS c0, s0."person_id" AS c1, s0."day" AS c2 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c1" = 1) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 <= 1 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 1) AS l GROUP BY k0;
-- unit person: 1 rows, 1 keys (KEYS_LIMITED)
-- k0: private
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "dept", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- the three dearest visits of each person
SELECT sum(cost) FROM (SELECT cost, row_number() OVER (PARTITION BY person_id ORDER BY cost DESC, visit_id) AS r FROM visits) t WHERE r <= 3;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 120000) AS m0 FROM (SELECT s0."u" AS u, CAST(CASE WHEN (s0."c0" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."c0" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."c0" * CAST('100.0' AS DOUBLE)) WHEN (s0."c0" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT) AS m0 FROM (SELECT s0."u" AS u, s0."c0" AS c0, s0."w0" AS c1 FROM (SELECT u, c0, c1, c2, c3, ROW_NUMBER() OVER (PARTITION BY u, "c1" ORDER BY "c2" DESC NULLS FIRST, "c3", "c0", "c1") AS w0 FROM (SELECT s0."person_id" AS u, s0."cost" AS c0, s0."person_id" AS c1, s0."cost" AS c2, s0."visit_id" AS c3 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c1" <= 3) AS r GROUP BY u) AS c;
-- unit person: 3 rows, 1 keys (NO_KEYS)
-- m0: SUM 0..120000 step 0.01
-- post: SELECT dpproxy_0.o0 AS "sum" FROM (SELECT * FROM UNNEST(CAST($1 AS DOUBLE PRECISION[])) AS r("o0")) AS "dpproxy_0"

-- days between visits
SELECT avg(day - before) FROM (SELECT day, lag(day) OVER (PARTITION BY person_id ORDER BY day, visit_id) AS before FROM visits) t WHERE before IS NOT NULL;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT u, LEAST(GREATEST(COALESCE(SUM(m0), 0), -73040), 73040) AS m0, LEAST(GREATEST(COUNT(*), 0), 20) AS m1 FROM (SELECT t.u AS u, CAST(CASE WHEN t.g0 > 3652 THEN 3652 WHEN t.g0 < (-3652) THEN -3652 ELSE t.g0 END AS BIGINT) AS m0 FROM (SELECT s0."u" AS u, CAST(CASE WHEN s0."c0" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."c0" END - CASE WHEN s0."c1" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."c1" END AS BIGINT) AS g0 FROM (SELECT s0."u" AS u, s0."c0" AS c0, s0."w0" AS c1 FROM (SELECT u, c0, c1, c2, c3, LAG("c2") OVER (PARTITION BY u, "c1" ORDER BY "c2", "c3", "c0", "c1") AS w0 FROM (SELECT s0."person_id" AS u, s0."day" AS c0, s0."person_id" AS c1, s0."day" AS c2, s0."visit_id" AS c3 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND NOT s0."c1" IS NULL) AS t WHERE t.u IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: CENTRED -73040..73040 step 1
-- m1: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS DECIMAL[])) AS r("o0")) AS "dpproxy_0"

-- LEAD over the same window, by name
SELECT count(*) FILTER (WHERE next > cost), count(*) FILTER (WHERE last < cost) FROM (SELECT cost, lead(cost) OVER w AS next, lag(cost) OVER w AS last FROM visits WINDOW w AS (PARTITION BY person_id ORDER BY day, visit_id)) t;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT u, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 20) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 20) AS m1 FROM (SELECT s0."u" AS u, CASE WHEN s0."c1" > s0."c0" THEN 1 END AS m0, CASE WHEN s0."c2" < s0."c0" THEN 1 END AS m1 FROM (SELECT s0."u" AS u, s0."c0" AS c0, s0."w0" AS c1, s0."w1" AS c2 FROM (SELECT u, c0, c1, c2, c3, c4, LEAD("c4") OVER (PARTITION BY u, "c1" ORDER BY "c2", "c3", "c0", "c1", "c4") AS w0, LAG("c4") OVER (PARTITION BY u, "c1" ORDER BY "c2", "c3", "c0", "c1", "c4") AS w1 FROM (SELECT s0."person_id" AS u, s0."cost" AS c0, s0."person_id" AS c1, s0."day" AS c2, s0."visit_id" AS c3, s0."cost" AS c4 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: VALUES 0..20 step 1
-- m1: VALUES 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "_column_0", dpproxy_0.o1 AS "_column_1" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[])) AS r("o0", "o1")) AS "dpproxy_0"

-- a share of the person's own total
SELECT dept, count(*) FILTER (WHERE cost / total > 0.5) FROM (SELECT dept, cost, sum(cost) OVER (PARTITION BY person_id) AS total FROM visits WHERE cost > 1) t GROUP BY dept;
-- =>
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 20) AS m0 FROM (SELECT s0."u" AS u, s0."c0" AS k0, CASE WHEN (s0."c1" / NULLIF(s0."c2", 0)) > CAST('0.5' AS DOUBLE) THEN 1 END AS m0 FROM (SELECT s0."u" AS u, s0."c0" AS c0, s0."c1" AS c1, s0."w0" AS c2 FROM (SELECT u, c0, c1, c2, c3, CAST(CAST(CASE WHEN SUM(CAST(CASE WHEN ("c3" * CAST('100.0' AS DOUBLE)) < 100 THEN 100 WHEN ("c3" * CAST('100.0' AS DOUBLE)) <= 40000 THEN ("c3" * CAST('100.0' AS DOUBLE)) WHEN ("c3" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT)) OVER (PARTITION BY u, "c2") > 4611686018427387904 THEN 4611686018427387904 WHEN SUM(CAST(CASE WHEN ("c3" * CAST('100.0' AS DOUBLE)) < 100 THEN 100 WHEN ("c3" * CAST('100.0' AS DOUBLE)) <= 40000 THEN ("c3" * CAST('100.0' AS DOUBLE)) WHEN ("c3" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT)) OVER (PARTITION BY u, "c2") < (-4611686018427387904) THEN -4611686018427387904 ELSE SUM(CAST(CASE WHEN ("c3" * CAST('100.0' AS DOUBLE)) < 100 THEN 100 WHEN ("c3" * CAST('100.0' AS DOUBLE)) <= 40000 THEN ("c3" * CAST('100.0' AS DOUBLE)) WHEN ("c3" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT)) OVER (PARTITION BY u, "c2") END AS BIGINT) AS DOUBLE) / CAST('100.0' AS DOUBLE) AS w0 FROM (SELECT s0."person_id" AS u, s0."dept" AS c0, s0."cost" AS c1, s0."person_id" AS c2, s0."cost" AS c3 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."cost" > CAST('1.0' AS DOUBLE)) AS r) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 <= 20 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- m0: VALUES 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "dept", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- a running total
SELECT count(*) FROM (SELECT sum(cost) OVER (PARTITION BY person_id ORDER BY day, visit_id) AS spent FROM visits) t WHERE spent > 500;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."u" AS u FROM (SELECT s0."u" AS u, s0."w0" AS c0 FROM (SELECT u, c0, c1, c2, c3, CAST(CAST(CASE WHEN SUM(CAST(CASE WHEN ("c3" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN ("c3" * CAST('100.0' AS DOUBLE)) <= 40000 THEN ("c3" * CAST('100.0' AS DOUBLE)) WHEN ("c3" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT)) OVER (PARTITION BY u, "c0" ORDER BY "c1", "c2") > 4611686018427387904 THEN 4611686018427387904 WHEN SUM(CAST(CASE WHEN ("c3" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN ("c3" * CAST('100.0' AS DOUBLE)) <= 40000 THEN ("c3" * CAST('100.0' AS DOUBLE)) WHEN ("c3" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT)) OVER (PARTITION BY u, "c0" ORDER BY "c1", "c2") < (-4611686018427387904) THEN -4611686018427387904 ELSE SUM(CAST(CASE WHEN ("c3" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN ("c3" * CAST('100.0' AS DOUBLE)) <= 40000 THEN ("c3" * CAST('100.0' AS DOUBLE)) WHEN ("c3" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT)) OVER (PARTITION BY u, "c0" ORDER BY "c1", "c2") END AS BIGINT) AS DOUBLE) / CAST('100.0' AS DOUBLE) AS w0 FROM (SELECT s0."person_id" AS u, s0."person_id" AS c0, s0."day" AS c1, s0."visit_id" AS c2, s0."cost" AS c3 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c0" > CAST('500.0' AS DOUBLE)) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- a moving mean
SELECT avg(m) FROM (SELECT avg(cost) OVER (PARTITION BY person_id ORDER BY day, visit_id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS m FROM visits) t;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT u, LEAST(GREATEST(COALESCE(SUM(m0), 0), -40000000), 40000000) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 20) AS m1 FROM (SELECT s0."u" AS u, CAST(CASE WHEN (s0."c0" * CAST('10000.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."c0" * CAST('10000.0' AS DOUBLE)) <= 4000000 THEN (s0."c0" * CAST('10000.0' AS DOUBLE)) WHEN (s0."c0" * CAST('10000.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 4000000 END - 2000000 AS BIGINT) AS m0, CASE WHEN s0."c0" IS NOT NULL AND s0."c0" <> CAST('NaN' AS DOUBLE) THEN 1 END AS m1 FROM (SELECT s0."u" AS u, s0."w0" AS c0 FROM (SELECT u, c0, c1, c2, c3, (CAST(CAST(CASE WHEN SUM(CAST(CASE WHEN ("c3" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN ("c3" * CAST('100.0' AS DOUBLE)) <= 40000 THEN ("c3" * CAST('100.0' AS DOUBLE)) WHEN ("c3" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT)) OVER (PARTITION BY u, "c0" ORDER BY "c1", "c2", "c0", "c3" ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) > 4611686018427387904 THEN 4611686018427387904 WHEN SUM(CAST(CASE WHEN ("c3" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN ("c3" * CAST('100.0' AS DOUBLE)) <= 40000 THEN ("c3" * CAST('100.0' AS DOUBLE)) WHEN ("c3" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT)) OVER (PARTITION BY u, "c0" ORDER BY "c1", "c2", "c0", "c3" ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) < (-4611686018427387904) THEN -4611686018427387904 ELSE SUM(CAST(CASE WHEN ("c3" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN ("c3" * CAST('100.0' AS DOUBLE)) <= 40000 THEN ("c3" * CAST('100.0' AS DOUBLE)) WHEN ("c3" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT)) OVER (PARTITION BY u, "c0" ORDER BY "c1", "c2", "c0", "c3" ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) END AS BIGINT) AS DOUBLE) / CAST('100.0' AS DOUBLE)) / NULLIF(CAST(COUNT("c3") OVER (PARTITION BY u, "c0" ORDER BY "c1", "c2", "c0", "c3" ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS DOUBLE), 0) AS w0 FROM (SELECT s0."person_id" AS u, s0."person_id" AS c0, s0."day" AS c1, s0."visit_id" AS c2, s0."cost" AS c3 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: CENTRED -40000000..40000000 step 0.0001
-- m1: VALUES 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS DOUBLE PRECISION[])) AS r("o0")) AS "dpproxy_0"

-- partitioned by the person and more
SELECT r, count(*) FROM (SELECT rank() OVER (PARTITION BY person_id, dept ORDER BY day) AS r FROM visits) t WHERE r IN (1, 2, 3) GROUP BY r;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."u" AS u, s0."c0" AS k0 FROM (SELECT s0."u" AS u, s0."w0" AS c0 FROM (SELECT u, c0, c1, c2, RANK() OVER (PARTITION BY u, "c0", "c1" ORDER BY "c2") AS w0 FROM (SELECT s0."person_id" AS u, s0."person_id" AS c0, s0."dept" AS c1, s0."day" AS c2 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c0" IN (1, 2, 3)) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 <= 20 THEN k0 IN (1, 2, 3) END) AS c GROUP BY k0;
-- unit person: 20 rows, 3 keys (FEW_PUBLIC_KEYS)
-- k0: values 1, 2, 3
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "r", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- the person second among what it is partitioned by
SELECT count(*) FROM (SELECT dense_rank() OVER (PARTITION BY dept, person_id ORDER BY day) AS r FROM visits) t WHERE r = 2;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."u" AS u FROM (SELECT s0."u" AS u, s0."w0" AS c0 FROM (SELECT u, c0, c1, c2, DENSE_RANK() OVER (PARTITION BY u, "c0", "c1" ORDER BY "c2") AS w0 FROM (SELECT s0."person_id" AS u, s0."dept" AS c0, s0."person_id" AS c1, s0."day" AS c2 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c0" = 2) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- the first and the last value
SELECT count(*) FROM (SELECT first_value(dept) OVER w AS a, last_value(dept) OVER (PARTITION BY person_id ORDER BY day, visit_id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS b FROM visits WINDOW w AS (PARTITION BY person_id ORDER BY day, visit_id)) t WHERE a <> b;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."u" AS u FROM (SELECT s0."u" AS u, s0."w0" AS c0, s0."w1" AS c1 FROM (SELECT u, c0, c1, c2, c3, FIRST_VALUE("c3") OVER (PARTITION BY u, "c0" ORDER BY "c1", "c2", "c0", "c3") AS w0, LAST_VALUE("c3") OVER (PARTITION BY u, "c0" ORDER BY "c1", "c2", "c0", "c3" ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS w1 FROM (SELECT s0."person_id" AS u, s0."person_id" AS c0, s0."day" AS c1, s0."visit_id" AS c2, s0."dept" AS c3 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c0" <> s0."c1") AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- counts with FILTER over a window
SELECT avg(n) FROM (SELECT count(*) FILTER (WHERE cost > 100) OVER (PARTITION BY person_id) AS n FROM visits) t;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT u, LEAST(GREATEST(COALESCE(SUM(m0), 0), -200), 200) AS m0, LEAST(GREATEST(COUNT(*), 0), 20) AS m1 FROM (SELECT s0."u" AS u, CAST(CASE WHEN s0."c0" > 20 THEN 20 WHEN s0."c0" < 0 THEN 0 ELSE s0."c0" END - 10 AS BIGINT) AS m0 FROM (SELECT s0."u" AS u, s0."w0" AS c0 FROM (SELECT u, c0, c1, COUNT(CASE WHEN "c1" THEN 1 END) OVER (PARTITION BY u, "c0") AS w0 FROM (SELECT s0."person_id" AS u, s0."person_id" AS c0, s0."cost" > CAST('100.0' AS DOUBLE) AS c1 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: CENTRED -200..200 step 1
-- m1: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS DECIMAL[])) AS r("o0")) AS "dpproxy_0"

-- a window over groups within a person
SELECT dept, count(*) FROM (SELECT person_id, dept, row_number() OVER (PARTITION BY person_id ORDER BY count(*) DESC, dept) AS r FROM visits GROUP BY person_id, dept) t WHERE r = 1 GROUP BY dept;
-- =>
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 1) AS m0 FROM (SELECT s0."u" AS u, s0."c1" AS k0 FROM (SELECT s0."u" AS u, s0."u" AS c0, s0."c1" AS c1, s0."w0" AS c2 FROM (SELECT u, c0, c1, c2, c3, c4, ROW_NUMBER() OVER (PARTITION BY u, "c2" ORDER BY "c3" DESC NULLS FIRST, "c4", "c0", "c1", "c2") AS w0 FROM (SELECT s0."u" AS u, s0."u" AS c0, s0."g1" AS c1, s0."u" AS c2, s0."v0" AS c3, s0."g1" AS c4 FROM (SELECT u, g1, COUNT(*) AS v0 FROM (SELECT s0."person_id" AS u, s0."dept" AS g1 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, g1) AS s0 WHERE s0."u" IS NOT NULL) AS r) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c2" = 1) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 <= 1 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 1) AS l GROUP BY k0;
-- unit person: 1 rows, 1 keys (KEYS_LIMITED)
-- k0: private
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "dept", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- partitioned by a column that settles the unit
SELECT avg(r) FROM (SELECT rank() OVER (PARTITION BY orderkey ORDER BY price) AS r FROM lineitem) t;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT u, LEAST(GREATEST(COALESCE(SUM(m0), 0), -4900), 5000) AS m0, LEAST(GREATEST(COUNT(*), 0), 100) AS m1 FROM (SELECT s0."u" AS u, CAST(CASE WHEN s0."c0" > 100 THEN 100 WHEN s0."c0" < 1 THEN 1 ELSE s0."c0" END - 50 AS BIGINT) AS m0 FROM (SELECT s0."u" AS u, s0."w0" AS c0 FROM (SELECT u, c0, c1, RANK() OVER (PARTITION BY u, "c0" ORDER BY "c1") AS w0 FROM (SELECT h0."custkey" AS u, s0."orderkey" AS c0, s0."price" AS c1 FROM "lineitem" AS s0 JOIN "orders" AS h0 ON s0."orderkey" = h0."orderkey" WHERE h0."custkey" IS NOT NULL) AS r) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit customer: 100 rows, 1 keys (NO_KEYS)
-- m0: CENTRED -4900..5000 step 1
-- m1: ROWS 0..100 step 1
-- post: SELECT dpproxy_0.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS DECIMAL[])) AS r("o0")) AS "dpproxy_0"

-- partitioned by the key of the other side of a join
SELECT p_sex, count(*) FROM (SELECT p.sex AS p_sex, row_number() OVER (PARTITION BY v.person_id ORDER BY v.day, v.visit_id) AS r FROM people p JOIN visits v ON p.person_id = v.person_id) t WHERE r = 2 GROUP BY p_sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 2) AS m0 FROM (SELECT s0."u" AS u, s0."c0" AS k0 FROM (SELECT s0."u" AS u, s0."c0" AS c0, s0."w0" AS c1 FROM (SELECT u, c0, c1, c2, c3, ROW_NUMBER() OVER (PARTITION BY u, "c1" ORDER BY "c2", "c3", "c0", "c1") AS w0 FROM (SELECT s0."person_id" AS u, s0."sex" AS c0, s1."person_id" AS c1, s1."day" AS c2, s1."visit_id" AS c3 FROM "people" AS s0 JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS r) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c1" = 2) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 <= 2 THEN k0 IN ('F', 'M') END) AS c GROUP BY k0;
-- unit person: 2 rows, 1 keys (KEY_OF_UNIT)
-- k0: values 'F', 'M'
-- m0: ROWS 0..2 step 1
-- post: SELECT dpproxy_0.k0 AS "p_sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- NTILE, PERCENT_RANK, CUME_DIST and NTH_VALUE
SELECT avg(a), avg(b), avg(c), avg(d) FROM (SELECT ntile(4) OVER (PARTITION BY person_id ORDER BY cost, visit_id) AS a, percent_rank() OVER (PARTITION BY person_id ORDER BY cost) AS b, cume_dist() OVER (PARTITION BY person_id ORDER BY cost) AS c, nth_value(cost, 2) OVER (PARTITION BY person_id ORDER BY cost, visit_id) AS d FROM visits) t;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1, CAST(LEAST(GREATEST(COALESCE(SUM(m2), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m2, CAST(LEAST(GREATEST(COALESCE(SUM(m3), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m3, CAST(LEAST(GREATEST(COALESCE(SUM(m4), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m4, CAST(LEAST(GREATEST(COALESCE(SUM(m5), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m5, CAST(LEAST(GREATEST(COALESCE(SUM(m6), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m6, CAST(LEAST(GREATEST(COALESCE(SUM(m7), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m7 FROM (SELECT u, LEAST(GREATEST(COALESCE(SUM(m0), 0), -20), 40) AS m0, LEAST(GREATEST(COUNT(*), 0), 20) AS m1, LEAST(GREATEST(COALESCE(SUM(m2), 0), -10000000), 10000000) AS m2, LEAST(GREATEST(COALESCE(SUM(m3), 0), 0), 20) AS m3, LEAST(GREATEST(COALESCE(SUM(m4), 0), -10000000), 10000000) AS m4, LEAST(GREATEST(COALESCE(SUM(m5), 0), 0), 20) AS m5, LEAST(GREATEST(COALESCE(SUM(m6), 0), -400000), 400000) AS m6, LEAST(GREATEST(COALESCE(SUM(m7), 0), 0), 20) AS m7 FROM (SELECT t.u AS u, CAST(CASE WHEN t.x1 > 4 THEN 4 WHEN t.x1 < 1 THEN 1 ELSE t.x1 END - 2 AS BIGINT) AS m0, CAST(CASE WHEN t.g0 < 0 THEN 0 WHEN t.g0 <= 1000000 THEN t.g0 WHEN t.g0 < CAST('NaN' AS DOUBLE) THEN 1000000 END - 500000 AS BIGINT) AS m2, CASE WHEN t.x2 IS NOT NULL AND t.x2 <> CAST('NaN' AS DOUBLE) THEN 1 END AS m3, CAST(CASE WHEN t.g1 < 0 THEN 0 WHEN t.g1 <= 1000000 THEN t.g1 WHEN t.g1 < CAST('NaN' AS DOUBLE) THEN 1000000 END - 500000 AS BIGINT) AS m4, CASE WHEN t.x3 IS NOT NULL AND t.x3 <> CAST('NaN' AS DOUBLE) THEN 1 END AS m5, CAST(CASE WHEN t.g2 < 0 THEN 0 WHEN t.g2 <= 40000 THEN t.g2 WHEN t.g2 < CAST('NaN' AS DOUBLE) THEN 40000 END - 20000 AS BIGINT) AS m6, CASE WHEN t.x4 IS NOT NULL AND t.x4 <> CAST('NaN' AS DOUBLE) THEN 1 END AS m7 FROM (SELECT s0."u" AS u, s0."c0" AS x1, s0."c1" AS x2, s0."c2" AS x3, s0."c3" AS x4, s0."c1" * CAST('1000000.0' AS DOUBLE) AS g0, s0."c2" * CAST('1000000.0' AS DOUBLE) AS g1, s0."c3" * CAST('100.0' AS DOUBLE) AS g2 FROM (SELECT s0."u" AS u, s0."w0" AS c0, s0."w1" AS c1, s0."w2" AS c2, s0."w3" AS c3 FROM (SELECT u, c0, c1, c2, NTILE(4) OVER (PARTITION BY u, "c0" ORDER BY "c1", "c2", "c0") AS w0, PERCENT_RANK() OVER (PARTITION BY u, "c0" ORDER BY "c1") AS w1, CUME_DIST() OVER (PARTITION BY u, "c0" ORDER BY "c1") AS w2, NTH_VALUE("c1", 2) OVER (PARTITION BY u, "c0" ORDER BY "c1", "c2", "c0") AS w3 FROM (SELECT s0."person_id" AS u, s0."person_id" AS c0, s0."cost" AS c1, s0."visit_id" AS c2 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS t WHERE t.u IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: CENTRED -20..40 step 1
-- m1: ROWS 0..20 step 1
-- m2: CENTRED -10000000..10000000 step 0.000001
-- m3: VALUES 0..20 step 1
-- m4: CENTRED -10000000..10000000 step 0.000001
-- m5: VALUES 0..20 step 1
-- m6: CENTRED -400000..400000 step 0.01
-- m7: VALUES 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "_column_0", dpproxy_0.o1 AS "_column_1", dpproxy_0.o2 AS "_column_2", dpproxy_0.o3 AS "_column_3" FROM (SELECT * FROM UNNEST(CAST($1 AS DECIMAL[]), CAST($2 AS DOUBLE PRECISION[]), CAST($3 AS DOUBLE PRECISION[]), CAST($4 AS DOUBLE PRECISION[])) AS r("o0", "o1", "o2", "o3")) AS "dpproxy_0"

-- windows over windows
SELECT avg(round(gap)) FROM (SELECT avg(d) OVER (PARTITION BY person_id) AS gap, r FROM (SELECT person_id, day - lag(day) OVER (PARTITION BY person_id ORDER BY day, visit_id) AS d, row_number() OVER (PARTITION BY person_id ORDER BY day, visit_id) AS r FROM visits) a) b WHERE r = 1;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT u, LEAST(GREATEST(COALESCE(SUM(m0), 0), -73040), 73040) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 20) AS m1 FROM (SELECT s0."u" AS u, CAST(CASE WHEN ROUND(s0."c0", 0) < (-3652) THEN -3652 WHEN ROUND(s0."c0", 0) <= 3652 THEN ROUND(s0."c0", 0) WHEN ROUND(s0."c0", 0) < CAST('NaN' AS DOUBLE) THEN 3652 END AS BIGINT) AS m0, CASE WHEN ROUND(s0."c0", 0) IS NOT NULL THEN 1 END AS m1 FROM (SELECT s0."u" AS u, s0."w0" AS c0, s0."c0" AS c1 FROM (SELECT u, c0, c1, c2, CAST(CAST(CASE WHEN SUM("c2") OVER (PARTITION BY u, "c1") > 1000000000000000000 THEN 1000000000000000000 WHEN SUM("c2") OVER (PARTITION BY u, "c1") < (-1000000000000000000) THEN -1000000000000000000 ELSE SUM("c2") OVER (PARTITION BY u, "c1") END AS BIGINT) AS DOUBLE) / NULLIF(CAST(COUNT("c2") OVER (PARTITION BY u, "c1") AS DOUBLE), 0) AS w0 FROM (SELECT s0."u" AS u, s0."c2" AS c0, s0."u" AS c1, s0."c1" AS c2 FROM (SELECT s0."u" AS u, s0."u" AS c0, CAST(CASE WHEN s0."c1" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."c1" END - CASE WHEN s0."w0" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."w0" END AS BIGINT) AS c1, s0."w1" AS c2 FROM (SELECT u, c0, c1, c2, c3, c4, LAG("c3") OVER (PARTITION BY u, "c2" ORDER BY "c3", "c4", "c0", "c1", "c2") AS w0, ROW_NUMBER() OVER (PARTITION BY u, "c2" ORDER BY "c3", "c4", "c0", "c1", "c2") AS w1 FROM (SELECT s0."person_id" AS u, s0."person_id" AS c0, s0."day" AS c1, s0."person_id" AS c2, s0."day" AS c3, s0."visit_id" AS c4 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS r) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c1" = 1) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: CENTRED -73040..73040 step 1
-- m1: VALUES 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS DECIMAL[])) AS r("o0")) AS "dpproxy_0"

-- a window over released rows
SELECT sex, count(*), rank() OVER (ORDER BY count(*) DESC), sum(count(*)) OVER (), lag(count(*)) OVER (ORDER BY sex) FROM people GROUP BY sex;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count", RANK() OVER (ORDER BY dpproxy_0.o0 DESC) AS "rank", SUM(dpproxy_0.o0) OVER () AS "sum", LAG(dpproxy_0.o0) OVER (ORDER BY dpproxy_0.k0) AS "lag" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- a moving mean over released rows
SELECT month, n, avg(n) OVER (ORDER BY month ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM (SELECT date_trunc('month', day) AS month, count(*) AS n FROM visits WHERE day < DATE '2024-06-01' GROUP BY 1) t ORDER BY month;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, DATE_TRUNC('MONTH', CAST(CASE WHEN s0."day" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."day" END AS TIMESTAMP)) AS k0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."day" < CAST('2024-06-01' AS DATE)) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 <= 20 THEN k0 IN (CAST('2020-01-01' AS TIMESTAMP), CAST('2020-02-01' AS TIMESTAMP), CAST('2020-03-01' AS TIMESTAMP), CAST('2020-04-01' AS TIMESTAMP), CAST('2020-05-01' AS TIMESTAMP), CAST('2020-06-01' AS TIMESTAMP), CAST('2020-07-01' AS TIMESTAMP), CAST('2020-08-01' AS TIMESTAMP), CAST('2020-09-01' AS TIMESTAMP), CAST('2020-10-01' AS TIMESTAMP), CAST('2020-11-01' AS TIMESTAMP), CAST('2020-12-01' AS TIMESTAMP), CAST('2021-01-01' AS TIMESTAMP), CAST('2021-02-01' AS TIMESTAMP), CAST('2021-03-01' AS TIMESTAMP), CAST('2021-04-01' AS TIMESTAMP), CAST('2021-05-01' AS TIMESTAMP), CAST('2021-06-01' AS TIMESTAMP), CAST('2021-07-01' AS TIMESTAMP), CAST('2021-08-01' AS TIMESTAMP), CAST('2021-09-01' AS TIMESTAMP), CAST('2021-10-01' AS TIMESTAMP), CAST('2021-11-01' AS TIMESTAMP), CAST('2021-12-01' AS TIMESTAMP), CAST('2022-01-01' AS TIMESTAMP), CAST('2022-02-01' AS TIMESTAMP), CAST('2022-03-01' AS TIMESTAMP), CAST('2022-04-01' AS TIMESTAMP), CAST('2022-05-01' AS TIMESTAMP), CAST('2022-06-01' AS TIMESTAMP), CAST('2022-07-01' AS TIMESTAMP), CAST('2022-08-01' AS TIMESTAMP), CAST('2022-09-01' AS TIMESTAMP), CAST('2022-10-01' AS TIMESTAMP), CAST('2022-11-01' AS TIMESTAMP), CAST('2022-12-01' AS TIMESTAMP), CAST('2023-01-01' AS TIMESTAMP), CAST('2023-02-01' AS TIMESTAMP), CAST('2023-03-01' AS TIMESTAMP), CAST('2023-04-01' AS TIMESTAMP), CAST('2023-05-01' AS TIMESTAMP), CAST('2023-06-01' AS TIMESTAMP), CAST('2023-07-01' AS TIMESTAMP), CAST('2023-08-01' AS TIMESTAMP), CAST('2023-09-01' AS TIMESTAMP), CAST('2023-10-01' AS TIMESTAMP), CAST('2023-11-01' AS TIMESTAMP), CAST('2023-12-01' AS TIMESTAMP), CAST('2024-01-01' AS TIMESTAMP), CAST('2024-02-01' AS TIMESTAMP), CAST('2024-03-01' AS TIMESTAMP), CAST('2024-04-01' AS TIMESTAMP), CAST('2024-05-01' AS TIMESTAMP)) END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: values datetime.datetime(2020, 1, 1, 0, 0), datetime.datetime(2020, 2, 1, 0, 0), datetime.datetime(2020, 3, 1, 0, 0), datetime.datetime(2020, 4, 1, 0, 0), datetime.datetime(2020, 5, 1, 0, 0), datetime.datetime(2020, 6, 1, 0, 0), datetime.datetime(2020, 7, 1, 0, 0), datetime.datetime(2020, 8, 1, 0, 0), datetime.datetime(2020, 9, 1, 0, 0), datetime.datetime(2020, 10, 1, 0, 0), datetime.datetime(2020, 11, 1, 0, 0), datetime.datetime(2020, 12, 1, 0, 0), datetime.datetime(2021, 1, 1, 0, 0), datetime.datetime(2021, 2, 1, 0, 0), datetime.datetime(2021, 3, 1, 0, 0), datetime.datetime(2021, 4, 1, 0, 0), datetime.datetime(2021, 5, 1, 0, 0), datetime.datetime(2021, 6, 1, 0, 0), datetime.datetime(2021, 7, 1, 0, 0), datetime.datetime(2021, 8, 1, 0, 0), datetime.datetime(2021, 9, 1, 0, 0), datetime.datetime(2021, 10, 1, 0, 0), datetime.datetime(2021, 11, 1, 0, 0), datetime.datetime(2021, 12, 1, 0, 0), datetime.datetime(2022, 1, 1, 0, 0), datetime.datetime(2022, 2, 1, 0, 0), datetime.datetime(2022, 3, 1, 0, 0), datetime.datetime(2022, 4, 1, 0, 0), datetime.datetime(2022, 5, 1, 0, 0), datetime.datetime(2022, 6, 1, 0, 0), datetime.datetime(2022, 7, 1, 0, 0), datetime.datetime(2022, 8, 1, 0, 0), datetime.datetime(2022, 9, 1, 0, 0), datetime.datetime(2022, 10, 1, 0, 0), datetime.datetime(2022, 11, 1, 0, 0), datetime.datetime(2022, 12, 1, 0, 0), datetime.datetime(2023, 1, 1, 0, 0), datetime.datetime(2023, 2, 1, 0, 0), datetime.datetime(2023, 3, 1, 0, 0), datetime.datetime(2023, 4, 1, 0, 0), datetime.datetime(2023, 5, 1, 0, 0), datetime.datetime(2023, 6, 1, 0, 0), datetime.datetime(2023, 7, 1, 0, 0), datetime.datetime(2023, 8, 1, 0, 0), datetime.datetime(2023, 9, 1, 0, 0), datetime.datetime(2023, 10, 1, 0, 0), datetime.datetime(2023, 11, 1, 0, 0), datetime.datetime(2023, 12, 1, 0, 0), datetime.datetime(2024, 1, 1, 0, 0), datetime.datetime(2024, 2, 1, 0, 0), datetime.datetime(2024, 3, 1, 0, 0), datetime.datetime(2024, 4, 1, 0, 0), datetime.datetime(2024, 5, 1, 0, 0)
-- m0: ROWS 0..20 step 1
-- post: SELECT "t"."month" AS "month", "t"."n" AS "n", AVG("t"."n") OVER (ORDER BY "t"."month" ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS "avg" FROM (SELECT dpproxy_0.k0 AS "month", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS TIMESTAMPTZ[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0") AS "t" ORDER BY "month"

-- a window over public rows, joined
SELECT d.r, count(*) FROM visits v JOIN (SELECT dept, rank() OVER (ORDER BY beds DESC) AS r FROM departments) d ON d.dept = v.dept GROUP BY d.r;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, NULLIF(NULLIF(CAST(k0 AS DOUBLE), 0), CAST('NaN' AS DOUBLE)))), k0) AS r FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."c1" AS k0 FROM "visits" AS s0 JOIN (SELECT s0."c0" AS c0, s0."w0" AS c1 FROM (SELECT c0, c1, RANK() OVER (ORDER BY "c1" DESC NULLS FIRST) AS w0 FROM (SELECT s0."dept" AS c0, s0."beds" AS c1 FROM "departments" AS s0) AS r) AS s0) AS s1 ON s1."c0" = s0."dept" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c1" AS d0 FROM (SELECT s0."c0" AS c0, s0."w0" AS c1 FROM (SELECT c0, c1, RANK() OVER (ORDER BY "c1" DESC NULLS FIRST) AS w0 FROM (SELECT s0."dept" AS c0, s0."beds" AS c1 FROM "departments" AS s0) AS r) AS s0) AS s1
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "r", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- DISTINCT beside windows: of the rows that these give
SELECT count(*) FROM (SELECT DISTINCT person_id, rank() OVER (PARTITION BY person_id ORDER BY day) AS r FROM visits) t;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."u" AS u FROM (SELECT s0."u" AS u, s0."u" AS c0, s0."g1" AS c1 FROM (SELECT u, g1 FROM (SELECT s0."u" AS u, s0."c1" AS g1 FROM (SELECT s0."u" AS u, s0."u" AS c0, s0."w0" AS c1 FROM (SELECT u, c0, c1, c2, RANK() OVER (PARTITION BY u, "c1" ORDER BY "c2") AS w0 FROM (SELECT s0."person_id" AS u, s0."person_id" AS c0, s0."person_id" AS c1, s0."day" AS c2 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS r GROUP BY u, g1) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- DISTINCT beside windows, in an order of its items
SELECT DISTINCT upper(dept) AS u, upper(dept) AS w, rank() OVER (PARTITION BY person_id ORDER BY day) AS u FROM visits ORDER BY w, rank() OVER (PARTITION BY person_id ORDER BY day) DESC LIMIT 3;
-- =>
SELECT k0, k1, COUNT(*) AS n FROM (SELECT k0, k1 FROM (SELECT k0, k1, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0, NULLIF(NULLIF(CAST(k1 AS DOUBLE), 0), CAST('NaN' AS DOUBLE)))), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1 FROM (SELECT s0."u" AS u, s0."c0" AS k0, s0."c1" AS k1 FROM (SELECT s0."u" AS u, UPPER(s0."c0") AS c0, s0."w0" AS c1 FROM (SELECT u, c0, c1, c2, RANK() OVER (PARTITION BY u, "c1" ORDER BY "c2") AS w0 FROM (SELECT s0."person_id" AS u, s0."dept" AS c0, s0."person_id" AS c1, s0."day" AS c2 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS r GROUP BY u, k0, k1) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS c) AS w WHERE r <= 3) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- k1: private
-- post: SELECT dpproxy_0.k0 AS "u", dpproxy_0.k0 AS "w", dpproxy_0.k1 AS "u" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "k1")) AS "dpproxy_0" ORDER BY dpproxy_0.k0, dpproxy_0.k1 DESC LIMIT 3

-- DISTINCT beside windows, of public rows
SELECT count(*) FROM visits v JOIN (SELECT DISTINCT building, row_number() OVER (PARTITION BY building ORDER BY beds) AS r, dept FROM departments) d ON d.dept = v.dept WHERE d.r = 1;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 JOIN (SELECT s0."g0" AS c0, s0."g1" AS c1, s0."g2" AS c2 FROM (SELECT g0, g1, g2 FROM (SELECT s0."c0" AS g0, s0."c1" AS g1, s0."c2" AS g2 FROM (SELECT s0."c0" AS c0, s0."w0" AS c1, s0."c1" AS c2 FROM (SELECT c0, c1, c2, c3, ROW_NUMBER() OVER (PARTITION BY "c2" ORDER BY "c3") AS w0 FROM (SELECT s0."building" AS c0, s0."dept" AS c1, s0."building" AS c2, s0."beds" AS c3 FROM "departments" AS s0) AS r) AS s0) AS s0) AS r GROUP BY g0, g1, g2) AS s0) AS s1 ON s1."c2" = s0."dept" WHERE s0."person_id" IS NOT NULL AND s1."c1" = 1) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

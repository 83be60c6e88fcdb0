-- a number of everybody, looked up by each row
SELECT count(*) FROM (SELECT cost, avg(cost) OVER () AS a FROM visits) t WHERE cost > a;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT u, LEAST(GREATEST(COALESCE(SUM(m0), 0), -400000), 400000) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 20) AS m1 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."cost" * CAST('100.0' AS DOUBLE)) WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END - 20000 AS BIGINT) AS m0, CASE WHEN s0."cost" IS NOT NULL AND s0."cost" <> CAST('NaN' AS DOUBLE) THEN 1 END AS m1 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: CENTRED -400000..400000 step 0.01
-- m1: VALUES 0..20 step 1
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."u" AS u FROM (SELECT s0."person_id" AS u, s0."cost" AS c0, s1."c0" AS c1 FROM "visits" AS s0 CROSS JOIN (SELECT s0."o0" AS c0 FROM (SELECT UNNEST(CAST($r0c0 AS DOUBLE[])) AS o0) AS s0) AS s1 WHERE s0."person_id" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c0" > s0."c1") AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- inputs: r0c0
-- note: a window over rows of several persons is a release, of one row for each partition: NULL where there is none
-- post: SELECT dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_1"

-- a number of each partition
SELECT dept, count(*) FROM (SELECT dept, cost, avg(cost) OVER (PARTITION BY dept) AS a FROM visits) t WHERE cost > a GROUP BY dept;
-- =>
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT k0, m0, m1 FROM (SELECT k0, m0, m1, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), -400000), 400000) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 20) AS m1 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0, CAST(CASE WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."cost" * CAST('100.0' AS DOUBLE)) WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END - 20000 AS BIGINT) AS m0, CASE WHEN s0."cost" IS NOT NULL AND s0."cost" <> CAST('NaN' AS DOUBLE) THEN 1 END AS m1 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- m0: CENTRED -400000..400000 step 0.01
-- m1: VALUES 0..20 step 1
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."u" AS u, s0."c0" AS k0 FROM (SELECT s0."person_id" AS u, s0."dept" AS c0, s0."cost" AS c1, s1."c1" AS c2 FROM "visits" AS s0 LEFT JOIN (SELECT s0."k0" AS c0, s0."o0" AS c1 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0, UNNEST(CAST($r0c1 AS DOUBLE[])) AS o0) AS s0) AS s1 ON s0."dept" = s1."c0" WHERE s0."person_id" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c1" > s0."c2") AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- m0: ROWS 0..20 step 1
-- inputs: r0c0, r0c1
-- note: a window over rows of several persons is a release, of one row for each partition: NULL where there is none
-- post: SELECT dpproxy_1.k0 AS "dept", dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_1"

-- several ways to part the rows, and several windows of one
SELECT sex, count(*) FROM (SELECT sex, age, count(*) OVER w AS n, avg(age) OVER w AS a, max(age) OVER () AS m FROM people WHERE NOT smoker WINDOW w AS (PARTITION BY sex)) t WHERE n > 100 AND age > a AND age < m GROUP BY sex;
-- =>
SELECT k0, COUNT(*) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, CAST(CASE WHEN s0."age" > 120 THEN 120 WHEN s0."age" < 0 THEN 0 ELSE s0."age" END - 60 AS BIGINT) AS m1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND NOT s0."smoker") AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- m1: CENTRED -60..60 step 1
SELECT b, COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN s0."age" > 120 THEN 120 WHEN s0."age" < 0 THEN 0 ELSE s0."age" END AS BIGINT) AS b FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND NOT s0."smoker") AS r WHERE b IS NOT NULL GROUP BY b;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: HISTOGRAM 0..1 step 1
-- told: QuantileBrackets 1/1 of m0 among 121
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."u" AS u, s0."c0" AS k0 FROM (SELECT s0."person_id" AS u, s0."sex" AS c0, s0."age" AS c1, s1."c1" AS c2, s1."c2" AS c3, s2."c0" AS c4 FROM "people" AS s0 LEFT JOIN (SELECT s0."k0" AS c0, s0."o0" AS c1, s0."o1" AS c2 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0, UNNEST(CAST($r0c1 AS BIGINT[])) AS o0, UNNEST(CAST($r0c2 AS DOUBLE[])) AS o1) AS s0) AS s1 ON s0."sex" = s1."c0" CROSS JOIN (SELECT s0."q0" AS c0 FROM (SELECT UNNEST(CAST($r1c0 AS INT[])) AS q0) AS s0) AS s2 WHERE s0."person_id" IS NOT NULL AND NOT s0."smoker") AS s0 WHERE s0."u" IS NOT NULL AND s0."c2" > 100 AND CAST(s0."c1" AS DOUBLE) > s0."c3" AND s0."c1" < s0."c4") AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- inputs: r0c0, r0c1, r0c2, r1c0
-- note: a window over rows of several persons is a release, of one row for each partition: NULL where there is none
-- post: SELECT dpproxy_2.k0 AS "sex", dpproxy_2.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_2"

-- with a filter, of rows that are joined
SELECT count(*) FROM (SELECT v.cost, sum(v.cost) FILTER (WHERE d.beds > 16) OVER (PARTITION BY d.building) AS s FROM visits v JOIN departments d ON d.dept = v.dept) t WHERE cost * 1000 > s;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 800000) AS m0 FROM (SELECT s0."person_id" AS u, s1."building" AS k0, CASE WHEN s1."beds" > 16 THEN CAST(CASE WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."cost" * CAST('100.0' AS DOUBLE)) WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT) END AS m0 FROM "visits" AS s0 JOIN "departments" AS s1 ON s1."dept" = s0."dept" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."building" AS d0 FROM "departments" AS s1
-- m0: SUM 0..800000 step 0.01
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."u" AS u FROM (SELECT s0."person_id" AS u, s0."cost" AS c0, s2."c1" AS c1 FROM "visits" AS s0 JOIN "departments" AS s1 ON s1."dept" = s0."dept" LEFT JOIN (SELECT s0."k0" AS c0, s0."o0" AS c1 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0, UNNEST(CAST($r0c1 AS DOUBLE[])) AS o0) AS s0) AS s2 ON s1."building" = s2."c0" WHERE s0."person_id" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND (s0."c0" * CAST('1000.0' AS DOUBLE)) > s0."c1") AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- inputs: r0c0, r0c1
-- note: a window over rows of several persons is a release, of one row for each partition: NULL where there is none
-- post: SELECT dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_1"

-- partitions that are not declared: those that were not released have NULL
SELECT count(*) FROM (SELECT income, city, avg(income) OVER (PARTITION BY city) AS a FROM people) t WHERE income > a;
-- =>
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0, CAST(CASE WHEN s0."income" < 0 THEN 0 WHEN s0."income" <= 500000 THEN s0."income" WHEN s0."income" < CAST('NaN' AS DOUBLE) THEN 500000 END - 250000 AS BIGINT) AS m0, CASE WHEN s0."income" IS NOT NULL AND s0."income" <> CAST('NaN' AS DOUBLE) THEN 1 END AS m1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- m0: CENTRED -250000..250000 step 1
-- m1: VALUES 0..1 step 1
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 100) AS m0 FROM (SELECT s0."u" AS u FROM (SELECT s0."person_id" AS u, s0."income" AS c0, s0."city" AS c1, s1."c1" AS c2 FROM "people" AS s0 LEFT JOIN (SELECT s0."k0" AS c0, s0."o0" AS c1 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0, UNNEST(CAST($r0c1 AS DOUBLE[])) AS o0) AS s0) AS s1 ON COALESCE(s0."city", '') = COALESCE(s1."c0", '') AND (s0."city" IS NULL) = (s1."c0" IS NULL) WHERE s0."person_id" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c0" > s0."c2") AS r GROUP BY u) AS c;
-- unit person: 100 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..100 step 1
-- inputs: r0c0, r0c1
-- note: a window over rows of several persons is a release, of one row for each partition: NULL where there is none
-- post: SELECT dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_1"

-- where each value lies among released quantiles
SELECT q, count(*) FROM (SELECT ntile(4) OVER (ORDER BY joined) AS q FROM people) t GROUP BY q;
-- =>
SELECT b, COUNT(*) AS m0 FROM (SELECT t.u AS u, CAST(CASE WHEN t.g0 > 20818 THEN 20818 WHEN t.g0 < 17897 THEN 17897 ELSE t.g0 END - 17897 AS BIGINT) AS b FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN s0."joined" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."joined" END - CAST('1970-01-01' AS DATE) AS BIGINT) AS g0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS t WHERE t.u IS NOT NULL) AS r WHERE b IS NOT NULL GROUP BY b;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: HISTOGRAM 0..1 step 1
-- told: QuantileTree 1/4, 1/2, 3/4 of m0 among 2922
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."u" AS u, s0."c0" AS k0 FROM (SELECT s0."person_id" AS u, CASE WHEN s0."joined" <= s1."c0" THEN 1 WHEN s0."joined" <= s1."c1" THEN 2 WHEN s0."joined" <= s1."c2" THEN 3 ELSE 4 END AS c0 FROM "people" AS s0 CROSS JOIN (SELECT s0."q0" AS c0, s0."q1" AS c1, s0."q2" AS c2 FROM (SELECT UNNEST(CAST($r0c0 AS DATE[])) AS q0, UNNEST(CAST($r0c1 AS DATE[])) AS q1, UNNEST(CAST($r0c2 AS DATE[])) AS q2) AS s0) AS s1 WHERE s0."person_id" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS q WHERE k0 IN (1, 2, 3, 4)) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 1, 2, 3, 4
-- m0: ROWS 0..1 step 1
-- inputs: r0c0, r0c1, r0c2
-- note: a window over rows of several persons is a release, of one row for each partition: NULL where there is none
-- post: SELECT dpproxy_1.k0 AS "q", dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS INT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_1"

-- from above, within each partition
SELECT sex, q, count(*) FROM (SELECT sex, ntile(2) OVER (PARTITION BY sex ORDER BY joined DESC) AS q FROM people) t GROUP BY sex, q;
-- =>
SELECT k0, b, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT t.u AS u, t.x1 AS k0, CAST(CASE WHEN t.g0 > 20818 THEN 20818 WHEN t.g0 < 17897 THEN 17897 ELSE t.g0 END - 17897 AS BIGINT) AS b FROM (SELECT s0."person_id" AS u, s0."sex" AS x1, CAST(CASE WHEN s0."joined" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."joined" END - CAST('1970-01-01' AS DATE) AS BIGINT) AS g0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS t WHERE t.u IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r WHERE b IS NOT NULL GROUP BY k0, b;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: HISTOGRAM 0..1 step 1
-- told: QuantileBrackets 1/2 of m0 among 2922
SELECT k0, k1, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."u" AS u, s0."c0" AS k0, s0."c1" AS k1 FROM (SELECT s0."person_id" AS u, s0."sex" AS c0, CASE WHEN s0."joined" IS NULL THEN 1 WHEN s0."joined" > s1."c1" THEN 1 ELSE 2 END AS c1 FROM "people" AS s0 LEFT JOIN (SELECT s0."k0" AS c0, s0."q0" AS c1 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0, UNNEST(CAST($r0c1 AS DATE[])) AS q0) AS s0) AS s1 ON s0."sex" = s1."c0" WHERE s0."person_id" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS q WHERE k0 IN ('F', 'M') AND k1 IN (1, 2)) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- k1: values 1, 2
-- m0: ROWS 0..1 step 1
-- inputs: r0c0, r0c1
-- note: a window over rows of several persons is a release, of one row for each partition: NULL where there is none
-- post: SELECT dpproxy_1.k0 AS "sex", dpproxy_1.k1 AS "q", dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS INT[]), CAST($3 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_1"

-- rows of units against all of them
SELECT count(*) FROM (SELECT person_id, sum(cost) AS c, avg(sum(cost)) OVER () AS a FROM visits GROUP BY person_id) t WHERE c > a;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT s0."u" AS u, CAST(CASE WHEN (s0."v0" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."v0" * CAST('100.0' AS DOUBLE)) <= 800000 THEN (s0."v0" * CAST('100.0' AS DOUBLE)) WHEN (s0."v0" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 800000 END - 400000 AS BIGINT) AS m0, CASE WHEN s0."v0" IS NOT NULL AND s0."v0" <> CAST('NaN' AS DOUBLE) THEN 1 END AS m1 FROM (SELECT u, CAST(CAST(CASE WHEN SUM(a0) > 4611686018427387904 THEN 4611686018427387904 WHEN SUM(a0) < (-4611686018427387904) THEN -4611686018427387904 ELSE SUM(a0) END AS BIGINT) AS DOUBLE) / CAST('100.0' AS DOUBLE) AS v0 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."cost" * CAST('100.0' AS DOUBLE)) WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT) AS a0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: CENTRED -400000..400000 step 0.01
-- m1: VALUES 0..1 step 1
SELECT COUNT(*) AS m0 FROM (SELECT s0."u" AS u FROM (SELECT s0."u" AS u, s0."u" AS c0, s0."v0" AS c1, s1."c0" AS c2 FROM (SELECT u, CAST(CAST(CASE WHEN SUM(a0) > 4611686018427387904 THEN 4611686018427387904 WHEN SUM(a0) < (-4611686018427387904) THEN -4611686018427387904 ELSE SUM(a0) END AS BIGINT) AS DOUBLE) / CAST('100.0' AS DOUBLE) AS v0 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."cost" * CAST('100.0' AS DOUBLE)) WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT) AS a0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS s0 CROSS JOIN (SELECT s0."o0" AS c0 FROM (SELECT UNNEST(CAST($r0c0 AS DOUBLE[])) AS o0) AS s0) AS s1 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c1" > s0."c2") AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- inputs: r0c0
-- note: a window over rows of several persons is a release, of one row for each partition: NULL where there is none
-- post: SELECT dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_1"

-- over what a derived table grouped
SELECT count(*) FROM people p JOIN (SELECT person_id, n - avg(n) OVER () AS d FROM (SELECT person_id, count(*) AS n FROM visits GROUP BY person_id) x) t ON t.person_id = p.person_id WHERE t.d > 0;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, COUNT(*) AS m1 FROM (SELECT s0."u" AS u, CAST(CASE WHEN s0."c1" > 20 THEN 20 WHEN s0."c1" < 1 THEN 1 ELSE s0."c1" END - 10 AS BIGINT) AS m0 FROM (SELECT s0."u" AS u, s0."u" AS c0, s0."v0" AS c1 FROM (SELECT u, COUNT(*) AS v0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: CENTRED -9..10 step 1
-- m1: ROWS 0..1 step 1
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 JOIN (SELECT s0."u" AS u, s0."u" AS c0, CAST(s0."c1" AS DOUBLE) - s1."c0" AS c1 FROM (SELECT s0."u" AS u, s0."u" AS c0, s0."v0" AS c1 FROM (SELECT u, COUNT(*) AS v0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS s0 CROSS JOIN (SELECT s0."o0" AS c0 FROM (SELECT UNNEST(CAST($r0c0 AS DOUBLE[])) AS o0) AS s0) AS s1 WHERE s0."u" IS NOT NULL) AS s1 ON s1."u" = s0."person_id" WHERE s0."person_id" IS NOT NULL AND s1."c1" > CAST('0.0' AS DOUBLE)) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- inputs: r0c0
-- note: a window over rows of several persons is a release, of one row for each partition: NULL where there is none
-- post: SELECT dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_1"

-- distinct rows of whole partitions are groups
SELECT DISTINCT dept, count(*) OVER (PARTITION BY dept) AS n FROM visits;
-- =>
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "dept", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- of which not all parts are asked for
SELECT DISTINCT sex, count(*) OVER (PARTITION BY sex, smoker) AS n FROM people;
-- =>
SELECT k0, k1, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, s0."smoker" AS k1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M') AND k1 IN (FALSE, TRUE)) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- k1: values False, True
-- m0: ROWS 0..1 step 1
-- post: SELECT DISTINCT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BOOLEAN[]), CAST($3 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_0"

-- and of a unit's rows
SELECT avg(n) FROM (SELECT DISTINCT person_id, count(*) OVER (PARTITION BY person_id) AS n FROM visits) t;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, COUNT(*) AS m1 FROM (SELECT s0."u" AS u, CAST(CASE WHEN s0."c1" > 20 THEN 20 WHEN s0."c1" < 1 THEN 1 ELSE s0."c1" END - 10 AS BIGINT) AS m0 FROM (SELECT s0."u" AS u, s0."u" AS c0, s0."v0" AS c1 FROM (SELECT u, COUNT(*) AS v0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: CENTRED -9..10 step 1
-- m1: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS DECIMAL[])) AS r("o0")) AS "dpproxy_0"

-- a window that nothing reads is left out, and what is made of it
WITH ranked AS (SELECT dept, cost, rank() OVER (PARTITION BY dept ORDER BY cost DESC) AS r FROM visits), more AS (SELECT dept, cost, r + 1 AS s FROM ranked) SELECT dept, sum(cost) FROM more GROUP BY dept;
-- =>
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 800000) AS m0 FROM (SELECT s0."u" AS u, s0."c0" AS k0, CAST(CASE WHEN (s0."c1" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."c1" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."c1" * CAST('100.0' AS DOUBLE)) WHEN (s0."c1" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT) AS m0 FROM (SELECT s0."u" AS u, s0."c0" AS c0, s0."c1" AS c1 FROM (SELECT s0."person_id" AS u, s0."dept" AS c0, s0."cost" AS c1 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- m0: SUM 0..800000 step 0.01
-- post: SELECT dpproxy_0.k0 AS "dept", dpproxy_0.o0 AS "sum" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DOUBLE PRECISION[])) AS r("k0", "o0")) AS "dpproxy_0"

-- where nothing is left, a constant has its name
SELECT count(*) FROM (SELECT row_number() OVER (ORDER BY cost) AS r FROM visits) t;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."u" AS u FROM (SELECT s0."person_id" AS u, 1 AS c0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- an aggregate that nothing reads makes one row of all
SELECT count(*) FROM (SELECT max(r) AS m FROM (SELECT row_number() OVER (PARTITION BY person_id ORDER BY day, visit_id) AS r FROM visits) t) u;
-- =>
SELECT b, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT b, (m0 * 65536) // CAST(LEAST(GREATEST(SUM(m0) OVER (PARTITION BY u), 1), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, b, LEAST(GREATEST(COUNT(*), 0), 2147483647) AS m0 FROM (SELECT s0."u" AS u, CAST(CASE WHEN s0."c0" > 20 THEN 20 WHEN s0."c0" < 1 THEN 1 ELSE s0."c0" END - 1 AS BIGINT) AS b FROM (SELECT s0."u" AS u, s0."w0" AS c0 FROM (SELECT u, c0, c1, c2, ROW_NUMBER() OVER (PARTITION BY u, "c0" ORDER BY "c1", "c2", "c0") AS w0 FROM (SELECT s0."person_id" AS u, s0."person_id" AS c0, s0."day" AS c1, s0."visit_id" AS c2 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS r WHERE b IS NOT NULL GROUP BY u, b) AS c) AS l GROUP BY b;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: HISTOGRAM 0..65536 step 0.0000152587890625
-- told: QuantileTree 1/1 of m0 among 20
-- post: SELECT COUNT(*) AS "count" FROM (SELECT dpproxy_0.q0 AS "m" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("q0")) AS "dpproxy_0") AS "u"

-- ranks of released groups are read by the engine
WITH costly AS (SELECT dept, rank() OVER (ORDER BY sum(cost) DESC) AS r FROM visits GROUP BY dept) SELECT v.dept, count(*) FROM visits v JOIN costly c ON c.dept = v.dept WHERE c.r <= 2 GROUP BY v.dept;
-- =>
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 800000) AS m0 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0, CAST(CASE WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."cost" * CAST('100.0' AS DOUBLE)) WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT) AS m0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- m0: SUM 0..800000 step 0.01
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0 FROM "visits" AS s0 JOIN (SELECT s0."c0" AS c0, s0."w0" AS c1 FROM (SELECT c0, c1, RANK() OVER (ORDER BY "c1" DESC NULLS FIRST) AS w0 FROM (SELECT s0."k0" AS c0, s0."o0" AS c1 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0, UNNEST(CAST($r0c1 AS DOUBLE[])) AS o0) AS s0) AS r) AS s0) AS s1 ON s1."c0" = s0."dept" WHERE s0."person_id" IS NOT NULL AND s1."c1" <= 2) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0 FROM (SELECT s0."c0" AS c0, s0."w0" AS c1 FROM (SELECT c0, c1, RANK() OVER (ORDER BY "c1" DESC NULLS FIRST) AS w0 FROM (SELECT s0."k0" AS c0, s0."o0" AS c1 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0, UNNEST(CAST($r0c1 AS DOUBLE[])) AS o0) AS s0) AS r) AS s0) AS s1 WHERE s1."c1" <= 2, r0c0, r0c1
-- m0: ROWS 0..20 step 1
-- inputs: r0c0, r0c1
-- post: WITH "costly" AS (SELECT dpproxy_0.k0 AS "dept", RANK() OVER (ORDER BY dpproxy_0.o0 DESC) AS "r" FROM (SELECT * FROM UNNEST(CAST($3 AS TEXT[]), CAST($4 AS DOUBLE PRECISION[])) AS r("k0", "o0")) AS "dpproxy_0") SELECT dpproxy_1.k0 AS "dept", dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_1"

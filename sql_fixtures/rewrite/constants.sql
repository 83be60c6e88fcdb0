-- ranges as a list of values: its names are public keys
SELECT b.name, count(*) FROM people JOIN (VALUES ('young', 0, 40), ('old', 40, 120)) b(name, lo, hi) ON age >= lo AND age < hi GROUP BY b.name;
-- =>
SELECT v.k0 AS k0, CASE WHEN v.i = 0 THEN t.p0 WHEN v.i = 1 THEN t.p1 END AS m0 FROM (SELECT CAST(LEAST(GREATEST(COALESCE(SUM(p0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p0, CAST(LEAST(GREATEST(COALESCE(SUM(p1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p1 FROM (SELECT LEAST(CAST(COALESCE(s0, 0) & 2147483647 AS BIGINT), 2) AS p0, LEAST(CAST((COALESCE(s0, 0) >> 31) & 2147483647 AS BIGINT), 2) AS p1 FROM (SELECT u, SUM(CASE WHEN k0 = 'young' THEN 1 WHEN k0 = 'old' THEN 2147483648 END) AS s0 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0 FROM "people" AS s0 JOIN (SELECT v0.c0 AS c0, v0.c1 AS c1, v0.c2 AS c2 FROM (VALUES (CAST('young' AS TEXT), CAST(0 AS INT), CAST(40 AS INT)), (CAST('old' AS TEXT), CAST(40 AS INT), CAST(120 AS INT))) AS v0(c0, c1, c2)) AS s1 ON s0."age" >= s1."c1" AND s0."age" < s1."c2" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS q WHERE s0 IS NOT NULL) AS c) AS t CROSS JOIN (SELECT v0.i AS i, v0.k0 AS k0 FROM (VALUES (0, 'young'), (1, 'old')) AS v0(i, k0)) AS v;
-- unit person: 2 rows, 2 keys (FEW_PUBLIC_KEYS)
-- k0: values 'young', 'old'
-- m0: ROWS 0..2 step 1
-- post: SELECT dpproxy_0.k0 AS "name", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- keys of one list are joint: only the pairs that it has
SELECT b.name, b.lo, avg(income) FROM people, (VALUES ('young', 0, 40), ('old', 40, 120)) b(name, lo, hi) WHERE age >= lo AND age < hi GROUP BY b.name, b.lo ORDER BY b.lo;
-- =>
SELECT k0, k1, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT k0, k1, m0, m1 FROM (SELECT k0, k1, m0, m1, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0, NULLIF(NULLIF(CAST(k1 AS DOUBLE), 0), CAST('NaN' AS DOUBLE)))), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COALESCE(SUM(m0), 0), -500000), 500000) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 2) AS m1 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0, s1."c1" AS k1, CAST(CASE WHEN s0."income" < 0 THEN 0 WHEN s0."income" <= 500000 THEN s0."income" WHEN s0."income" < CAST('NaN' AS DOUBLE) THEN 500000 END - 250000 AS BIGINT) AS m0, CASE WHEN s0."income" IS NOT NULL AND s0."income" <> CAST('NaN' AS DOUBLE) THEN 1 END AS m1 FROM "people" AS s0 CROSS JOIN (SELECT v0.c0 AS c0, v0.c1 AS c1, v0.c2 AS c2 FROM (VALUES (CAST('young' AS TEXT), CAST(0 AS INT), CAST(40 AS INT)), (CAST('old' AS TEXT), CAST(40 AS INT), CAST(120 AS INT))) AS v0(c0, c1, c2)) AS s1 WHERE s0."person_id" IS NOT NULL AND s0."age" >= s1."c1" AND s0."age" < s1."c2") AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 2) AS l GROUP BY k0, k1;
-- unit person: 2 rows, 2 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0, s1."c1" AS d1 FROM (SELECT v0.c0 AS c0, v0.c1 AS c1, v0.c2 AS c2 FROM (VALUES (CAST('young' AS TEXT), CAST(0 AS INT), CAST(40 AS INT)), (CAST('old' AS TEXT), CAST(40 AS INT), CAST(120 AS INT))) AS v0(c0, c1, c2)) AS s1
-- k1: column 1 of SELECT DISTINCT s1."c0" AS d0, s1."c1" AS d1 FROM (SELECT v0.c0 AS c0, v0.c1 AS c1, v0.c2 AS c2 FROM (VALUES (CAST('young' AS TEXT), CAST(0 AS INT), CAST(40 AS INT)), (CAST('old' AS TEXT), CAST(40 AS INT), CAST(120 AS INT))) AS v0(c0, c1, c2)) AS s1
-- m0: CENTRED -500000..500000 step 1
-- m1: VALUES 0..2 step 1
-- post: SELECT dpproxy_0.k0 AS "name", dpproxy_0.k1 AS "lo", dpproxy_0.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS INT[]), CAST($3 AS DOUBLE PRECISION[])) AS r("k0", "k1", "o0")) AS "dpproxy_0" ORDER BY "lo"

-- a lookup by a unique column keeps a unit's one row
SELECT t.x, count(*) FROM people JOIN (VALUES ('F', 1), ('M', 2)) AS t (s, x) ON t.s = sex GROUP BY t.x;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s1."c1" AS k0 FROM "people" AS s0 JOIN (SELECT v0.c0 AS c0, v0.c1 AS c1 FROM (VALUES (CAST('F' AS TEXT), CAST(1 AS INT)), (CAST('M' AS TEXT), CAST(2 AS INT))) AS v0(c0, c1)) AS s1 ON s1."c0" = s0."sex" WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN (1, 2)) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 1, 2
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "x", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS INT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- a column that is not unique does not
SELECT count(*), sum(t.x) FROM people JOIN (VALUES ('F', 1), ('F', 2), ('M', -3)) AS t (s, x) ON t.s = sex;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 3) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), -9), 6) AS m1 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN s1."c1" > 2 THEN 2 WHEN s1."c1" < (-3) THEN -3 ELSE s1."c1" END AS BIGINT) AS m1 FROM "people" AS s0 JOIN (SELECT v0.c0 AS c0, v0.c1 AS c1 FROM (VALUES (CAST('F' AS TEXT), CAST(1 AS INT)), (CAST('F' AS TEXT), CAST(2 AS INT)), (CAST('M' AS TEXT), CAST(-3 AS INT))) AS v0(c0, c1)) AS s1 ON s1."c0" = s0."sex" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 3 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..3 step 1
-- m1: SUM -9..6 step 1
-- post: SELECT dpproxy_0.o0 AS "count", dpproxy_0.o1 AS "sum" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[])) AS r("o0", "o1")) AS "dpproxy_0"

-- decades
SELECT g, count(*) FROM generate_series(20, 70, 10) g JOIN people ON age >= g AND age < g + 10 GROUP BY g;
-- =>
SELECT v.k0 AS k0, CASE WHEN v.i = 0 THEN t.p0 WHEN v.i = 1 THEN t.p1 WHEN v.i = 2 THEN t.p2 WHEN v.i = 3 THEN t.p3 WHEN v.i = 4 THEN t.p4 WHEN v.i = 5 THEN t.p5 END AS m0 FROM (SELECT CAST(LEAST(GREATEST(COALESCE(SUM(p0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p0, CAST(LEAST(GREATEST(COALESCE(SUM(p1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p1, CAST(LEAST(GREATEST(COALESCE(SUM(p2), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p2, CAST(LEAST(GREATEST(COALESCE(SUM(p3), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p3, CAST(LEAST(GREATEST(COALESCE(SUM(p4), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p4, CAST(LEAST(GREATEST(COALESCE(SUM(p5), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p5 FROM (SELECT LEAST(CAST(COALESCE(s0, 0) & 4095 AS BIGINT), 6) AS p0, LEAST(CAST((COALESCE(s0, 0) >> 12) & 4095 AS BIGINT), 6) AS p1, LEAST(CAST((COALESCE(s0, 0) >> 24) & 4095 AS BIGINT), 6) AS p2, LEAST(CAST((COALESCE(s0, 0) >> 36) & 4095 AS BIGINT), 6) AS p3, LEAST(CAST((COALESCE(s0, 0) >> 48) & 4095 AS BIGINT), 6) AS p4, LEAST(CAST((COALESCE(s0, 0) >> 60) & 4095 AS BIGINT), 6) AS p5 FROM (SELECT u, SUM(CASE WHEN k0 = 20 THEN 1 WHEN k0 = 30 THEN 4096 WHEN k0 = 40 THEN 16777216 WHEN k0 = 50 THEN 68719476736 WHEN k0 = 60 THEN 281474976710656 WHEN k0 = 70 THEN 1152921504606846976 END) AS s0 FROM (SELECT s1."person_id" AS u, s0."c0" AS k0 FROM (SELECT v0.c0 AS c0 FROM (VALUES (CAST(20 AS INT)), (CAST(30 AS INT)), (CAST(40 AS INT)), (CAST(50 AS INT)), (CAST(60 AS INT)), (CAST(70 AS INT))) AS v0(c0)) AS s0 JOIN "people" AS s1 ON s1."age" >= s0."c0" AND s1."age" < (CAST(s0."c0" AS BIGINT) + CAST(10 AS BIGINT)) WHERE s1."person_id" IS NOT NULL) AS r GROUP BY u) AS q WHERE s0 IS NOT NULL) AS c) AS t CROSS JOIN (SELECT v0.i AS i, v0.k0 AS k0 FROM (VALUES (0, 20), (1, 30), (2, 40), (3, 50), (4, 60), (5, 70)) AS v0(i, k0)) AS v;
-- unit person: 6 rows, 6 keys (FEW_PUBLIC_KEYS)
-- k0: values 20, 30, 40, 50, 60, 70
-- m0: ROWS 0..6 step 1
-- post: SELECT dpproxy_0.k0 AS "g", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS INT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- a series that falls, and one without alias
SELECT generate_series AS g, count(*) FROM people, generate_series(60, 20, -20) WHERE age > generate_series GROUP BY 1;
-- =>
SELECT v.k0 AS k0, CASE WHEN v.i = 0 THEN t.p0 WHEN v.i = 1 THEN t.p1 WHEN v.i = 2 THEN t.p2 END AS m0 FROM (SELECT CAST(LEAST(GREATEST(COALESCE(SUM(p0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p0, CAST(LEAST(GREATEST(COALESCE(SUM(p1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p1, CAST(LEAST(GREATEST(COALESCE(SUM(p2), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p2 FROM (SELECT LEAST(CAST(COALESCE(s0, 0) & 2147483647 AS BIGINT), 3) AS p0, LEAST(CAST((COALESCE(s0, 0) >> 31) & 2147483647 AS BIGINT), 3) AS p1, LEAST(CAST((COALESCE(s0, 0) >> 62) & 2147483647 AS BIGINT), 3) AS p2 FROM (SELECT u, SUM(CASE WHEN k0 = 60 THEN 1 WHEN k0 = 40 THEN 2147483648 WHEN k0 = 20 THEN 4611686018427387904 END) AS s0 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0 FROM "people" AS s0 CROSS JOIN (SELECT v0.c0 AS c0 FROM (VALUES (CAST(60 AS INT)), (CAST(40 AS INT)), (CAST(20 AS INT))) AS v0(c0)) AS s1 WHERE s0."person_id" IS NOT NULL AND s0."age" > s1."c0") AS r GROUP BY u) AS q WHERE s0 IS NOT NULL) AS c) AS t CROSS JOIN (SELECT v0.i AS i, v0.k0 AS k0 FROM (VALUES (0, 60), (1, 40), (2, 20)) AS v0(i, k0)) AS v;
-- unit person: 3 rows, 3 keys (FEW_PUBLIC_KEYS)
-- k0: values 60, 40, 20
-- m0: ROWS 0..3 step 1
-- post: SELECT dpproxy_0.k0 AS "g", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS INT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- a calendar of months; rows without a unit are dropped, each month is there
SELECT m, count(v.visit_id) FROM generate_series('2024-01-01'::date, '2024-04-01', '1 month') m LEFT JOIN visits v ON day >= m AND day < m + interval '1 month' GROUP BY m ORDER BY m;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s1."person_id" AS u, s0."c0" AS k0 FROM (SELECT v0.c0 AS c0 FROM (VALUES (CAST('2024-01-01 00:00:00' AS TIMESTAMP)), (CAST('2024-02-01 00:00:00' AS TIMESTAMP)), (CAST('2024-03-01 00:00:00' AS TIMESTAMP)), (CAST('2024-04-01 00:00:00' AS TIMESTAMP))) AS v0(c0)) AS s0 JOIN "visits" AS s1 ON CAST(CASE WHEN s1."day" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s1."day" END AS TIMESTAMP) >= s0."c0" AND CAST(CASE WHEN s1."day" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s1."day" END AS TIMESTAMP) < (s0."c0" + INTERVAL '1' MONTH) WHERE s1."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN (CAST('2024-01-01' AS TIMESTAMP), CAST('2024-02-01' AS TIMESTAMP), CAST('2024-03-01' AS TIMESTAMP), CAST('2024-04-01' AS TIMESTAMP)) END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: values datetime.datetime(2024, 1, 1, 0, 0), datetime.datetime(2024, 2, 1, 0, 0), datetime.datetime(2024, 3, 1, 0, 0), datetime.datetime(2024, 4, 1, 0, 0)
-- m0: ROWS 0..20 step 1
-- note: rows that the outer join of "m" and "v" makes without a unit are dropped
-- post: SELECT dpproxy_0.k0 AS "m", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TIMESTAMPTZ[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0" ORDER BY "m"

-- a calendar of timestamps
SELECT m AS week, sum(cost) FROM generate_series('2024-01-01'::timestamp, '2024-01-31', interval '1 week') AS w(m), visits WHERE day >= m AND day < m + interval '1 week' GROUP BY m;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 800000) AS m0 FROM (SELECT s1."person_id" AS u, s0."c0" AS k0, CAST(CASE WHEN (s1."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s1."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s1."cost" * CAST('100.0' AS DOUBLE)) WHEN (s1."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT) AS m0 FROM (SELECT v0.c0 AS c0 FROM (VALUES (CAST('2024-01-01 00:00:00' AS TIMESTAMP)), (CAST('2024-01-08 00:00:00' AS TIMESTAMP)), (CAST('2024-01-15 00:00:00' AS TIMESTAMP)), (CAST('2024-01-22 00:00:00' AS TIMESTAMP)), (CAST('2024-01-29 00:00:00' AS TIMESTAMP))) AS v0(c0)) AS s0 CROSS JOIN "visits" AS s1 WHERE s1."person_id" IS NOT NULL AND CAST(CASE WHEN s1."day" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s1."day" END AS TIMESTAMP) >= s0."c0" AND CAST(CASE WHEN s1."day" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s1."day" END AS TIMESTAMP) < (s0."c0" + INTERVAL '7' DAY)) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN (CAST('2024-01-01' AS TIMESTAMP), CAST('2024-01-08' AS TIMESTAMP), CAST('2024-01-15' AS TIMESTAMP), CAST('2024-01-22' AS TIMESTAMP), CAST('2024-01-29' AS TIMESTAMP)) END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: values datetime.datetime(2024, 1, 1, 0, 0), datetime.datetime(2024, 1, 8, 0, 0), datetime.datetime(2024, 1, 15, 0, 0), datetime.datetime(2024, 1, 22, 0, 0), datetime.datetime(2024, 1, 29, 0, 0)
-- m0: SUM 0..800000 step 0.01
-- post: SELECT dpproxy_0.k0 AS "week", dpproxy_0.o0 AS "sum" FROM (SELECT * FROM UNNEST(CAST($1 AS TIMESTAMP[]), CAST($2 AS DOUBLE PRECISION[])) AS r("k0", "o0")) AS "dpproxy_0"

-- a list in WITH, read below and above the release
WITH b(name, lo, hi) AS (VALUES ('young', 0, 40), ('old', 40, 120)), t AS (SELECT b.name, count(*) AS n FROM people, b WHERE age >= lo AND age < hi GROUP BY b.name) SELECT b.name, n, hi - lo AS width FROM b LEFT JOIN t USING (name) ORDER BY lo;
-- =>
SELECT v.k0 AS k0, CASE WHEN v.i = 0 THEN t.p0 WHEN v.i = 1 THEN t.p1 END AS m0 FROM (SELECT CAST(LEAST(GREATEST(COALESCE(SUM(p0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p0, CAST(LEAST(GREATEST(COALESCE(SUM(p1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p1 FROM (SELECT LEAST(CAST(COALESCE(s0, 0) & 2147483647 AS BIGINT), 2) AS p0, LEAST(CAST((COALESCE(s0, 0) >> 31) & 2147483647 AS BIGINT), 2) AS p1 FROM (SELECT u, SUM(CASE WHEN k0 = 'young' THEN 1 WHEN k0 = 'old' THEN 2147483648 END) AS s0 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0 FROM "people" AS s0 CROSS JOIN (SELECT s0."c0" AS c0, s0."c1" AS c1, s0."c2" AS c2 FROM (SELECT v0.c0 AS c0, v0.c1 AS c1, v0.c2 AS c2 FROM (VALUES (CAST('young' AS TEXT), CAST(0 AS INT), CAST(40 AS INT)), (CAST('old' AS TEXT), CAST(40 AS INT), CAST(120 AS INT))) AS v0(c0, c1, c2)) AS s0) AS s1 WHERE s0."person_id" IS NOT NULL AND s0."age" >= s1."c1" AND s0."age" < s1."c2") AS r GROUP BY u) AS q WHERE s0 IS NOT NULL) AS c) AS t CROSS JOIN (SELECT v0.i AS i, v0.k0 AS k0 FROM (VALUES (0, 'young'), (1, 'old')) AS v0(i, k0)) AS v;
-- unit person: 2 rows, 2 keys (FEW_PUBLIC_KEYS)
-- k0: values 'young', 'old'
-- m0: ROWS 0..2 step 1
-- post: WITH "b" AS (SELECT "_values"."column1" AS "name", "_values"."column2" AS "lo", "_values"."column3" AS "hi" FROM (VALUES ('young', 0, 40), ('old', 40, 120)) AS "_values"("column1", "column2", "column3")), "t" AS (SELECT dpproxy_0.k0 AS "name", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0") SELECT "b ~2"."name" AS "name", "t"."n" AS "n", "b ~2"."hi" - "b ~2"."lo" AS "width" FROM "b" AS "b ~2" LEFT JOIN "t" AS "t" ON "b ~2"."name" = "t"."name" ORDER BY "b ~2"."lo"

-- joined with releases alone: the front computes it, whatever its length
SELECT s, coalesce(t.n, 0) AS n FROM (VALUES ('F', 1), ('M', 2), ('X', 3)) AS v(s, i) LEFT JOIN (SELECT sex, count(*) AS n FROM people GROUP BY sex) t ON s = sex CROSS JOIN generate_series(1, 2000) g WHERE g = 2000 ORDER BY i;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT "v"."s" AS "s", COALESCE("t"."n", 0) AS "n" FROM (VALUES ('F', 1), ('M', 2), ('X', 3)) AS "v"("s", "i") LEFT JOIN (SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0") AS "t" ON "v"."s" = "t"."sex" CROSS JOIN GENERATE_SERIES(1, 2000) AS "g"("g") WHERE "g"."g" = 2000 ORDER BY "v"."i"

-- IN of values is IN of a list
SELECT count(*) FROM people WHERE age IN (VALUES (20), (30)) OR age NOT IN (VALUES (40), (NULL));
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND ((s0."age" IN (20, 30)) OR (NOT (s0."age" IN (40, NULL))))) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- IN of rows, and of an array's elements
SELECT count(*) FROM people WHERE (sex, age) IN (VALUES ('F', 20), ('M', 33)) OR age IN (SELECT x FROM unnest(ARRAY[41, 42, NULL]) AS x);
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND (EXISTS(SELECT 1 FROM (SELECT v0.c0 AS c0, v0.c1 AS c1 FROM (VALUES (CAST('F' AS TEXT), CAST(20 AS INT)), (CAST('M' AS TEXT), CAST(33 AS INT))) AS v0(c0, c1)) AS q1_s0 WHERE s0."sex" = q1_s0."c0" AND s0."age" = q1_s0."c1") OR CASE WHEN EXISTS(SELECT 1 FROM (SELECT v0.c0 AS c0 FROM (VALUES (CAST(41 AS INT)), (CAST(42 AS INT)), (CAST(NULL AS INT))) AS v0(c0)) AS q1_s0 WHERE s0."age" = q1_s0."c0") THEN TRUE WHEN EXISTS(SELECT 1 FROM (SELECT v0.c0 AS c0 FROM (VALUES (CAST(41 AS INT)), (CAST(42 AS INT)), (CAST(NULL AS INT))) AS v0(c0)) AS q1_s0 WHERE (s0."age" = q1_s0."c0") IS NULL) THEN NULL ELSE FALSE END)) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- the one value, and EXISTS
SELECT sex, count(*) FROM people WHERE age > (VALUES (30)) AND EXISTS (VALUES (1)) AND age <> ALL (VALUES (50), (51)) GROUP BY sex;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."age" > (SELECT t."c0" FROM (SELECT q1_s0."c0" AS c0 FROM (SELECT v0.c0 AS c0 FROM (VALUES (CAST(30 AS INT))) AS v0(c0)) AS q1_s0) AS t) AND EXISTS(SELECT 1 FROM (SELECT v0.c0 AS c0 FROM (VALUES (CAST(1 AS INT))) AS v0(c0)) AS q1_s0) AND (NOT EXISTS(SELECT 1 FROM (SELECT v0.c0 AS c0 FROM (VALUES (CAST(50 AS INT)), (CAST(51 AS INT))) AS v0(c0)) AS q1_s0 WHERE s0."age" = q1_s0."c0"))) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- arrays side by side, the shorter one ending in NULL
SELECT x, y, count(*) FROM people, unnest(ARRAY[10, 40, 70], ARRAY['a', 'b']) AS t(x, y) WHERE age > x GROUP BY x, y;
-- =>
SELECT k0, k1, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, k1, m0 FROM (SELECT k0, k1, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, NULLIF(NULLIF(CAST(k0 AS DOUBLE), 0), CAST('NaN' AS DOUBLE)), k1)), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COUNT(*), 0), 3) AS m0 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0, s1."c1" AS k1 FROM "people" AS s0 CROSS JOIN (SELECT v0.c0 AS c0, v0.c1 AS c1 FROM (VALUES (CAST(10 AS INT), CAST('a' AS TEXT)), (CAST(40 AS INT), CAST('b' AS TEXT)), (CAST(70 AS INT), CAST(NULL AS TEXT))) AS v0(c0, c1)) AS s1 WHERE s0."person_id" IS NOT NULL AND s0."age" > s1."c0") AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0, k1;
-- unit person: 3 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0, s1."c1" AS d1 FROM (SELECT v0.c0 AS c0, v0.c1 AS c1 FROM (VALUES (CAST(10 AS INT), CAST('a' AS TEXT)), (CAST(40 AS INT), CAST('b' AS TEXT)), (CAST(70 AS INT), CAST(NULL AS TEXT))) AS v0(c0, c1)) AS s1
-- k1: column 1 of SELECT DISTINCT s1."c0" AS d0, s1."c1" AS d1 FROM (SELECT v0.c0 AS c0, v0.c1 AS c1 FROM (VALUES (CAST(10 AS INT), CAST('a' AS TEXT)), (CAST(40 AS INT), CAST('b' AS TEXT)), (CAST(70 AS INT), CAST(NULL AS TEXT))) AS v0(c0, c1)) AS s1
-- m0: ROWS 0..3 step 1
-- post: SELECT dpproxy_0.k0 AS "x", dpproxy_0.k1 AS "y", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS INT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_0"

-- the text of an array
SELECT u, count(*) FROM people JOIN unnest('{F,M,X,NULL}'::text[]) u ON u = sex GROUP BY u;
-- =>
SELECT v.k0 AS k0, CASE WHEN v.i = 0 THEN t.p0 WHEN v.i = 1 THEN t.p1 END AS m0 FROM (SELECT CAST(LEAST(GREATEST(COALESCE(SUM(p0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p0, CAST(LEAST(GREATEST(COALESCE(SUM(p1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p1 FROM (SELECT LEAST(CAST(COALESCE(s0, 0) & 2147483647 AS BIGINT), 4) AS p0, LEAST(CAST((COALESCE(s0, 0) >> 31) & 2147483647 AS BIGINT), 4) AS p1 FROM (SELECT u, SUM(CASE WHEN k0 = 'F' THEN 1 WHEN k0 = 'M' THEN 2147483648 END) AS s0 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0 FROM "people" AS s0 JOIN (SELECT v0.c0 AS c0 FROM (VALUES (CAST('F' AS TEXT)), (CAST('M' AS TEXT)), (CAST('X' AS TEXT)), (CAST(NULL AS TEXT))) AS v0(c0)) AS s1 ON s1."c0" = s0."sex" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS q WHERE s0 IS NOT NULL) AS c) AS t CROSS JOIN (SELECT v0.i AS i, v0.k0 AS k0 FROM (VALUES (0, 'F'), (1, 'M')) AS v0(i, k0)) AS v;
-- unit person: 4 rows, 2 keys (FEW_PUBLIC_KEYS)
-- k0: values 'F', 'M'
-- m0: ROWS 0..4 step 1
-- post: SELECT dpproxy_0.k0 AS "u", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- no row at all
SELECT sex, count(*) FROM people, unnest('{}'::int[]) x WHERE x < age GROUP BY sex;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 CROSS JOIN (SELECT v0.c0 AS c0 FROM (VALUES (CAST(NULL AS INT))) AS v0(c0) WHERE FALSE) AS s1 WHERE s0."person_id" IS NOT NULL AND s1."c0" < s0."age") AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- values of several types are of their common type
SELECT v.d, v.w, count(*) FROM visits JOIN (VALUES (DATE '2024-01-01', 1), ('2024-06-01', 2.50), (NULL, -1)) v(d, w) ON day >= d GROUP BY v.d, v.w;
-- =>
SELECT k0, k1, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, k1, m0 FROM (SELECT k0, k1, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0, NULLIF(NULLIF(CAST(k1 AS DOUBLE), 0), CAST('NaN' AS DOUBLE)))), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0, s1."c1" AS k1 FROM "visits" AS s0 JOIN (SELECT v0.c0 AS c0, v0.c1 AS c1 FROM (VALUES (CAST('2024-01-01' AS DATE), CAST(1 AS DECIMAL(12, 2))), (CAST('2024-06-01' AS DATE), CAST(2.50 AS DECIMAL(12, 2))), (CAST(NULL AS DATE), CAST(-1 AS DECIMAL(12, 2)))) AS v0(c0, c1)) AS s1 ON s0."day" >= s1."c0" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0, s1."c1" AS d1 FROM (SELECT v0.c0 AS c0, v0.c1 AS c1 FROM (VALUES (CAST('2024-01-01' AS DATE), CAST(1 AS DECIMAL(12, 2))), (CAST('2024-06-01' AS DATE), CAST(2.50 AS DECIMAL(12, 2))), (CAST(NULL AS DATE), CAST(-1 AS DECIMAL(12, 2)))) AS v0(c0, c1)) AS s1
-- k1: column 1 of SELECT DISTINCT s1."c0" AS d0, s1."c1" AS d1 FROM (SELECT v0.c0 AS c0, v0.c1 AS c1 FROM (VALUES (CAST('2024-01-01' AS DATE), CAST(1 AS DECIMAL(12, 2))), (CAST('2024-06-01' AS DATE), CAST(2.50 AS DECIMAL(12, 2))), (CAST(NULL AS DATE), CAST(-1 AS DECIMAL(12, 2)))) AS v0(c0, c1)) AS s1
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "d", dpproxy_0.k1 AS "w", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS DATE[]), CAST($2 AS DECIMAL[]), CAST($3 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_0"

-- VALUES beside a release in UNION
SELECT sex, count(*) FROM people GROUP BY sex UNION ALL VALUES ('none', 0);
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0" UNION ALL SELECT "_values"."column1" AS "column1", "_values"."column2" AS "column2" FROM (VALUES ('none', 0)) AS "_values"("column1", "column2")

-- a LEFT JOIN to a list: NULL is a key
SELECT v.x, count(*) FROM people p LEFT JOIN (VALUES ('F', 1)) v(s, x) ON p.sex = v.s GROUP BY v.x;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s1."c1" AS k0 FROM "people" AS s0 LEFT JOIN (SELECT v0.c0 AS c0, v0.c1 AS c1 FROM (VALUES (CAST('F' AS TEXT), CAST(1 AS INT))) AS v0(c0, c1)) AS s1 ON s0."sex" = s1."c0" WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN (1) OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 1, None
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "x", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS INT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- computed over a series, in a derived table
SELECT t.x, count(*) FROM people, (SELECT x * 10 AS x FROM generate_series(1, 5) x WHERE x <> 2) t WHERE age > t.x GROUP BY t.x;
-- =>
SELECT v.k0 AS k0, CASE WHEN v.i = 0 THEN t.p0 WHEN v.i = 1 THEN t.p1 WHEN v.i = 2 THEN t.p2 WHEN v.i = 3 THEN t.p3 END AS m0 FROM (SELECT CAST(LEAST(GREATEST(COALESCE(SUM(p0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p0, CAST(LEAST(GREATEST(COALESCE(SUM(p1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p1, CAST(LEAST(GREATEST(COALESCE(SUM(p2), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p2, CAST(LEAST(GREATEST(COALESCE(SUM(p3), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p3 FROM (SELECT LEAST(CAST(COALESCE(s0, 0) & 1048575 AS BIGINT), 5) AS p0, LEAST(CAST((COALESCE(s0, 0) >> 20) & 1048575 AS BIGINT), 5) AS p1, LEAST(CAST((COALESCE(s0, 0) >> 40) & 1048575 AS BIGINT), 5) AS p2, LEAST(CAST((COALESCE(s0, 0) >> 60) & 1048575 AS BIGINT), 5) AS p3 FROM (SELECT u, SUM(CASE WHEN k0 = 10 THEN 1 WHEN k0 = 30 THEN 1048576 WHEN k0 = 40 THEN 1099511627776 WHEN k0 = 50 THEN 1152921504606846976 END) AS s0 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0 FROM "people" AS s0 CROSS JOIN (SELECT CAST(s0."c0" AS BIGINT) * CAST(10 AS BIGINT) AS c0 FROM (SELECT v0.c0 AS c0 FROM (VALUES (CAST(1 AS INT)), (CAST(2 AS INT)), (CAST(3 AS INT)), (CAST(4 AS INT)), (CAST(5 AS INT))) AS v0(c0)) AS s0 WHERE s0."c0" <> 2) AS s1 WHERE s0."person_id" IS NOT NULL AND s0."age" > s1."c0") AS r GROUP BY u) AS q WHERE s0 IS NOT NULL) AS c) AS t CROSS JOIN (SELECT v0.i AS i, v0.k0 AS k0 FROM (VALUES (0, 10), (1, 30), (2, 40), (3, 50)) AS v0(i, k0)) AS v;
-- unit person: 5 rows, 4 keys (FEW_PUBLIC_KEYS)
-- k0: values 10, 30, 40, 50
-- m0: ROWS 0..5 step 1
-- post: SELECT dpproxy_0.k0 AS "x", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS INT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- names in capitals, in parentheses, LATERAL of constants
SELECT "G"."N", count(*) FROM (people CROSS JOIN LATERAL generate_series(1, 2) AS "G"("N")) GROUP BY "N";
-- =>
SELECT v.k0 AS k0, CASE WHEN v.i = 0 THEN t.p0 WHEN v.i = 1 THEN t.p1 END AS m0 FROM (SELECT CAST(LEAST(GREATEST(COALESCE(SUM(p0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p0, CAST(LEAST(GREATEST(COALESCE(SUM(p1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p1 FROM (SELECT LEAST(CAST(COALESCE(s0, 0) & 2147483647 AS BIGINT), 2) AS p0, LEAST(CAST((COALESCE(s0, 0) >> 31) & 2147483647 AS BIGINT), 2) AS p1 FROM (SELECT u, SUM(CASE WHEN k0 = 1 THEN 1 WHEN k0 = 2 THEN 2147483648 END) AS s0 FROM (SELECT s0."u" AS u, s0."c0" AS k0 FROM (SELECT s0."person_id" AS u, s1."c0" AS c0 FROM "people" AS s0 CROSS JOIN (SELECT v0.c0 AS c0 FROM (VALUES (CAST(1 AS INT)), (CAST(2 AS INT))) AS v0(c0)) AS s1 WHERE s0."person_id" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS r GROUP BY u) AS q WHERE s0 IS NOT NULL) AS c) AS t CROSS JOIN (SELECT v0.i AS i, v0.k0 AS k0 FROM (VALUES (0, 1), (1, 2)) AS v0(i, k0)) AS v;
-- unit person: 2 rows, 2 keys (FEW_PUBLIC_KEYS)
-- k0: values 1, 2
-- m0: ROWS 0..2 step 1
-- post: SELECT dpproxy_0.k0 AS "N", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS INT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- the last three days
SELECT h, count(v.visit_id) FROM generate_series(current_date - 2, current_date, '1 day') h LEFT JOIN visits v ON day = h GROUP BY h;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s1."person_id" AS u, s0."c0" AS k0 FROM (SELECT v0.c0 AS c0 FROM (VALUES (CAST('2024-05-15 00:00:00' AS TIMESTAMP)), (CAST('2024-05-16 00:00:00' AS TIMESTAMP)), (CAST('2024-05-17 00:00:00' AS TIMESTAMP))) AS v0(c0)) AS s0 JOIN "visits" AS s1 ON CAST(CASE WHEN s1."day" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s1."day" END AS TIMESTAMP) = s0."c0" WHERE s1."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN (CAST('2024-05-15' AS TIMESTAMP), CAST('2024-05-16' AS TIMESTAMP), CAST('2024-05-17' AS TIMESTAMP)) END) AS c GROUP BY k0;
-- unit person: 20 rows, 3 keys (FEW_PUBLIC_KEYS)
-- k0: values datetime.datetime(2024, 5, 15, 0, 0), datetime.datetime(2024, 5, 16, 0, 0), datetime.datetime(2024, 5, 17, 0, 0)
-- m0: ROWS 0..20 step 1
-- note: rows that the outer join of "h" and "v" makes without a unit are dropped
-- post: SELECT dpproxy_0.k0 AS "h", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TIMESTAMPTZ[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- a calendar in WITH, by a series in the SELECT list
WITH cal AS (SELECT generate_series(DATE '2024-01-01', DATE '2024-12-01', INTERVAL '1 month')::date AS m) SELECT cal.m, count(v.visit_id), COALESCE(sum(v.cost), 0) FROM cal LEFT JOIN visits v ON date_trunc('month', v.day)::date = cal.m GROUP BY cal.m ORDER BY cal.m;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT k0, m0, m1 FROM (SELECT k0, m0, m1, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 800000) AS m1 FROM (SELECT s1."person_id" AS u, s0."c0" AS k0, CAST(CASE WHEN (s1."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s1."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s1."cost" * CAST('100.0' AS DOUBLE)) WHEN (s1."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT) AS m1 FROM (SELECT CAST(s0."c0" AS DATE) AS c0 FROM (SELECT v0.c0 AS c0 FROM (VALUES (CAST('2024-01-01 00:00:00' AS TIMESTAMP)), (CAST('2024-02-01 00:00:00' AS TIMESTAMP)), (CAST('2024-03-01 00:00:00' AS TIMESTAMP)), (CAST('2024-04-01 00:00:00' AS TIMESTAMP)), (CAST('2024-05-01 00:00:00' AS TIMESTAMP)), (CAST('2024-06-01 00:00:00' AS TIMESTAMP)), (CAST('2024-07-01 00:00:00' AS TIMESTAMP)), (CAST('2024-08-01 00:00:00' AS TIMESTAMP)), (CAST('2024-09-01 00:00:00' AS TIMESTAMP)), (CAST('2024-10-01 00:00:00' AS TIMESTAMP)), (CAST('2024-11-01 00:00:00' AS TIMESTAMP)), (CAST('2024-12-01 00:00:00' AS TIMESTAMP))) AS v0(c0)) AS s0) AS s0 JOIN "visits" AS s1 ON CAST(DATE_TRUNC('MONTH', CAST(CASE WHEN s1."day" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s1."day" END AS TIMESTAMP)) AS DATE) = s0."c0" WHERE s1."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN (CAST('2024-01-01' AS DATE), CAST('2024-02-01' AS DATE), CAST('2024-03-01' AS DATE), CAST('2024-04-01' AS DATE), CAST('2024-05-01' AS DATE), CAST('2024-06-01' AS DATE), CAST('2024-07-01' AS DATE), CAST('2024-08-01' AS DATE), CAST('2024-09-01' AS DATE), CAST('2024-10-01' AS DATE), CAST('2024-11-01' AS DATE), CAST('2024-12-01' AS DATE)) END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: values datetime.date(2024, 1, 1), datetime.date(2024, 2, 1), datetime.date(2024, 3, 1), datetime.date(2024, 4, 1), datetime.date(2024, 5, 1), datetime.date(2024, 6, 1), datetime.date(2024, 7, 1), datetime.date(2024, 8, 1), datetime.date(2024, 9, 1), datetime.date(2024, 10, 1), datetime.date(2024, 11, 1), datetime.date(2024, 12, 1)
-- m0: ROWS 0..20 step 1
-- m1: SUM 0..800000 step 0.01
-- note: rows that the outer join of "cal" and "v" makes without a unit are dropped
-- post: WITH "cal" AS (SELECT CAST("a_dpproxy series"."dpproxy series" AS DATE) AS "m" FROM GENERATE_SERIES(CAST('2024-01-01' AS DATE), CAST('2024-12-01' AS DATE), INTERVAL '1 MONTH') AS "a_dpproxy series"("dpproxy series")) SELECT dpproxy_0.k0 AS "m", dpproxy_0.o0 AS "count", COALESCE(dpproxy_0.o1, 0) AS "coalesce" FROM (SELECT * FROM UNNEST(CAST($1 AS DATE[]), CAST($2 AS BIGINT[]), CAST($3 AS DOUBLE PRECISION[])) AS r("k0", "o0", "o1")) AS "dpproxy_0" ORDER BY "m"

-- a series within an expression, and a list, named by the function
SELECT d.day, s.unnest, count(*) FROM (SELECT DATE '2024-01-01' + generate_series(0, 6) AS day) d JOIN visits v ON v.day = d.day JOIN (SELECT unnest(ARRAY['cardio', 'neuro'])) s ON s.unnest = v.dept GROUP BY d.day, s.unnest;
-- =>
SELECT k0, k1, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, k1, m0 FROM (SELECT k0, k1, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0, k1)), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s1."person_id" AS u, s0."c0" AS k0, s2."c0" AS k1 FROM (SELECT CAST('2024-01-01' AS DATE) + CAST(s0."c0" AS INT) AS c0 FROM (SELECT v0.c0 AS c0 FROM (VALUES (CAST(0 AS INT)), (CAST(1 AS INT)), (CAST(2 AS INT)), (CAST(3 AS INT)), (CAST(4 AS INT)), (CAST(5 AS INT)), (CAST(6 AS INT))) AS v0(c0)) AS s0) AS s0 JOIN "visits" AS s1 ON s1."day" = s0."c0" JOIN (SELECT s0."c0" AS c0 FROM (SELECT v0.c0 AS c0 FROM (VALUES (CAST('cardio' AS TEXT)), (CAST('neuro' AS TEXT))) AS v0(c0)) AS s0) AS s2 ON s2."c0" = s1."dept" WHERE s1."person_id" IS NOT NULL) AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN (CAST('2024-01-01' AS DATE), CAST('2024-01-02' AS DATE), CAST('2024-01-03' AS DATE), CAST('2024-01-04' AS DATE), CAST('2024-01-05' AS DATE), CAST('2024-01-06' AS DATE), CAST('2024-01-07' AS DATE)) AND k1 IN ('cardio', 'neuro') END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: values datetime.date(2024, 1, 1), datetime.date(2024, 1, 2), datetime.date(2024, 1, 3), datetime.date(2024, 1, 4), datetime.date(2024, 1, 5), datetime.date(2024, 1, 6), datetime.date(2024, 1, 7)
-- k1: values 'cardio', 'neuro'
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "day", dpproxy_0.k1 AS "unnest", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS DATE[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_0"

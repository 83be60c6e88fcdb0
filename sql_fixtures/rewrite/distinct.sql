-- DISTINCT as a choice of keys
SELECT DISTINCT city FROM people;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- post: SELECT dpproxy_0.k0 AS "city" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[])) AS r("k0")) AS "dpproxy_0"

-- DISTINCT of several columns, in order
SELECT DISTINCT sex, city FROM people WHERE age > 30 ORDER BY sex, city;
-- =>
SELECT k0, k1, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, s0."city" AS k1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."age" > 30) AS q WHERE k0 IN ('F', 'M') AND (STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL)) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- k1: private
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.k1 AS "city" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[])) AS r("k0", "k1")) AS "dpproxy_0" ORDER BY "sex", "city"

-- DISTINCT of an expression with declared values
SELECT DISTINCT extract(year FROM joined) AS y FROM people ORDER BY y;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, EXTRACT(YEAR FROM CASE WHEN s0."joined" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."joined" END) AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN (2019, 2020, 2021, 2022, 2023, 2024, 2025, 2026)) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values Decimal('2019'), Decimal('2020'), Decimal('2021'), Decimal('2022'), Decimal('2023'), Decimal('2024'), Decimal('2025'), Decimal('2026')
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "y" FROM (SELECT * FROM UNNEST(CAST($1 AS DECIMAL[])) AS r("k0")) AS "dpproxy_0" ORDER BY "y"

-- DISTINCT of public keys
SELECT DISTINCT d.building FROM visits v JOIN departments d USING (dept);
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."building" AS k0 FROM "visits" AS s0 JOIN "departments" AS s1 ON s0."dept" = s1."dept" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."building" AS d0 FROM "departments" AS s1
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "building" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[])) AS r("k0")) AS "dpproxy_0"

-- DISTINCT over released rows
SELECT DISTINCT count(*) > 10 FROM people GROUP BY sex, smoker;
-- =>
SELECT k0, k1, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, s0."smoker" AS k1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M') AND k1 IN (FALSE, TRUE)) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- k1: values False, True
-- m0: ROWS 0..1 step 1
-- post: SELECT DISTINCT dpproxy_0.o0 > 10 AS "_column_0" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BOOLEAN[]), CAST($3 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_0"

-- DISTINCT within a unit
SELECT dept, count(*) FROM (SELECT DISTINCT person_id, dept FROM visits) t GROUP BY dept;
-- =>
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 1) AS m0 FROM (SELECT s0."u" AS u, s0."c1" AS k0 FROM (SELECT s0."u" AS u, s0."u" AS c0, s0."g1" AS c1 FROM (SELECT u, g1 FROM (SELECT s0."person_id" AS u, s0."dept" AS g1 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, g1) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 1 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "dept", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- DISTINCT within a unit, counted per person
SELECT avg(n) FROM (SELECT person_id, count(*) AS n FROM (SELECT DISTINCT person_id, dept, day FROM visits) a GROUP BY person_id) b;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, COUNT(*) AS m1 FROM (SELECT s0."u" AS u, CAST(CASE WHEN s0."c1" > 20 THEN 20 WHEN s0."c1" < 1 THEN 1 ELSE s0."c1" END - 10 AS BIGINT) AS m0 FROM (SELECT s0."u" AS u, s0."u" AS c0, s0."v0" AS c1 FROM (SELECT u, COUNT(*) AS v0 FROM (SELECT s0."u" AS u FROM (SELECT s0."u" AS u, s0."u" AS c0, s0."g1" AS c1, s0."g2" AS c2 FROM (SELECT u, g1, g2 FROM (SELECT s0."person_id" AS u, s0."dept" AS g1, s0."day" AS g2 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, g1, g2) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: CENTRED -9..10 step 1
-- m1: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS DECIMAL[])) AS r("o0")) AS "dpproxy_0"

-- DISTINCT ON the person: the last visit
SELECT dept, count(*), avg(cost) FROM (SELECT DISTINCT ON (person_id) person_id, dept, cost FROM visits ORDER BY person_id, day DESC, visit_id) t GROUP BY dept;
-- =>
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1, CAST(LEAST(GREATEST(COALESCE(SUM(m2), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m2 FROM (SELECT k0, m0, m1, m2 FROM (SELECT k0, m0, m1, m2, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 1) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), -20000), 20000) AS m1, LEAST(GREATEST(COALESCE(SUM(m2), 0), 0), 1) AS m2 FROM (SELECT s0."u" AS u, s0."c1" AS k0, CAST(CASE WHEN (s0."c2" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."c2" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."c2" * CAST('100.0' AS DOUBLE)) WHEN (s0."c2" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END - 20000 AS BIGINT) AS m1, CASE WHEN s0."c2" IS NOT NULL AND s0."c2" <> CAST('NaN' AS DOUBLE) THEN 1 END AS m2 FROM (SELECT s0."u" AS u, s0."u" AS c0, s0."c1" AS c1, s0."c2" AS c2 FROM (SELECT s0."u" AS u, s0."u" AS c0, s0."c1" AS c1, s0."c2" AS c2, s0."w0" AS c3 FROM (SELECT u, c0, c1, c2, c3, c4, c5, ROW_NUMBER() OVER (PARTITION BY u, "c3" ORDER BY "c3", "c4" DESC NULLS FIRST, "c5", "c0", "c1", "c2") AS w0 FROM (SELECT s0."person_id" AS u, s0."person_id" AS c0, s0."dept" AS c1, s0."cost" AS c2, s0."person_id" AS c3, s0."day" AS c4, s0."visit_id" AS c5 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c3" = 1) AS s0 WHERE s0."u" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 1) AS l GROUP BY k0;
-- unit person: 1 rows, 1 keys (KEYS_LIMITED)
-- k0: private
-- m0: ROWS 0..1 step 1
-- m1: CENTRED -20000..20000 step 0.01
-- m2: VALUES 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "dept", dpproxy_0.o0 AS "count", dpproxy_0.o1 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[]), CAST($3 AS DOUBLE PRECISION[])) AS r("k0", "o0", "o1")) AS "dpproxy_0"

-- DISTINCT ON the person and more
SELECT dept, avg(cost) FROM (SELECT DISTINCT ON (person_id, dept) person_id, dept, cost FROM visits ORDER BY person_id, dept, cost DESC) t GROUP BY dept;
-- =>
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT k0, m0, m1 FROM (SELECT k0, m0, m1, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), -400000), 400000) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 20) AS m1 FROM (SELECT s0."u" AS u, s0."c1" AS k0, CAST(CASE WHEN (s0."c2" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."c2" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."c2" * CAST('100.0' AS DOUBLE)) WHEN (s0."c2" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END - 20000 AS BIGINT) AS m0, CASE WHEN s0."c2" IS NOT NULL AND s0."c2" <> CAST('NaN' AS DOUBLE) THEN 1 END AS m1 FROM (SELECT s0."u" AS u, s0."u" AS c0, s0."c1" AS c1, s0."c2" AS c2 FROM (SELECT s0."u" AS u, s0."u" AS c0, s0."c1" AS c1, s0."c2" AS c2, s0."w0" AS c3 FROM (SELECT u, c0, c1, c2, c3, c4, c5, ROW_NUMBER() OVER (PARTITION BY u, "c3", "c4" ORDER BY "c3", "c4", "c5" DESC NULLS FIRST, "c0", "c1", "c2") AS w0 FROM (SELECT s0."person_id" AS u, s0."person_id" AS c0, s0."dept" AS c1, s0."cost" AS c2, s0."person_id" AS c3, s0."dept" AS c4, s0."cost" AS c5 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c3" = 1) AS s0 WHERE s0."u" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- m0: CENTRED -400000..400000 step 0.01
-- m1: VALUES 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "dept", dpproxy_0.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DOUBLE PRECISION[])) AS r("k0", "o0")) AS "dpproxy_0"

-- DISTINCT ON by the name of an output
SELECT count(*) FROM (SELECT DISTINCT ON (who) person_id AS who, cost AS c FROM visits ORDER BY who, c DESC) t WHERE c > 300;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 1) AS m0 FROM (SELECT s0."u" AS u FROM (SELECT s0."u" AS u, s0."u" AS c0, s0."c1" AS c1 FROM (SELECT s0."u" AS u, s0."u" AS c0, s0."c1" AS c1, s0."w0" AS c2 FROM (SELECT u, c0, c1, c2, c3, ROW_NUMBER() OVER (PARTITION BY u, "c2" ORDER BY "c2", "c3" DESC NULLS FIRST, "c0", "c1") AS w0 FROM (SELECT s0."person_id" AS u, s0."person_id" AS c0, s0."cost" AS c1, s0."person_id" AS c2, s0."cost" AS c3 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c2" = 1) AS s0 WHERE s0."u" IS NOT NULL AND s0."c1" > CAST('300.0' AS DOUBLE)) AS r GROUP BY u) AS c;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- DISTINCT ON released rows
SELECT DISTINCT ON (sex) sex, smoker, count(*) FROM people GROUP BY sex, smoker ORDER BY sex, count(*) DESC;
-- =>
SELECT k0, k1, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, s0."smoker" AS k1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M') AND k1 IN (FALSE, TRUE)) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- k1: values False, True
-- m0: ROWS 0..1 step 1
-- post: SELECT DISTINCT ON ("sex") dpproxy_0.k0 AS "sex", dpproxy_0.k1 AS "smoker", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BOOLEAN[]), CAST($3 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_0" ORDER BY "sex", "count" DESC

-- DISTINCT ON public rows, joined
SELECT t.building, count(*) FROM visits v JOIN (SELECT DISTINCT ON (building) building, dept FROM departments ORDER BY building, beds DESC) t ON t.dept = v.dept GROUP BY t.building;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0 FROM "visits" AS s0 JOIN (SELECT s0."c0" AS c0, s0."c1" AS c1 FROM (SELECT s0."c0" AS c0, s0."c1" AS c1, s0."w0" AS c2 FROM (SELECT c0, c1, c2, c3, ROW_NUMBER() OVER (PARTITION BY "c2" ORDER BY "c2", "c3" DESC NULLS FIRST) AS w0 FROM (SELECT s0."building" AS c0, s0."dept" AS c1, s0."building" AS c2, s0."beds" AS c3 FROM "departments" AS s0) AS r) AS s0) AS s0 WHERE s0."c2" = 1) AS s1 ON s1."c1" = s0."dept" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0 FROM (SELECT s0."c0" AS c0, s0."c1" AS c1 FROM (SELECT s0."c0" AS c0, s0."c1" AS c1, s0."w0" AS c2 FROM (SELECT c0, c1, c2, c3, ROW_NUMBER() OVER (PARTITION BY "c2" ORDER BY "c2", "c3" DESC NULLS FIRST) AS w0 FROM (SELECT s0."building" AS c0, s0."dept" AS c1, s0."building" AS c2, s0."beds" AS c3 FROM "departments" AS s0) AS r) AS s0) AS s0 WHERE s0."c2" = 1) AS s1
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "building", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- DISTINCT public rows, joined
SELECT t.building, count(*) FROM people CROSS JOIN (SELECT DISTINCT building FROM departments) t GROUP BY t.building;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 100) AS m0 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0 FROM "people" AS s0 CROSS JOIN (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."building" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s1 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 8) AS l GROUP BY k0;
-- unit person: 100 rows, 8 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0 FROM (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."building" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s1
-- m0: ROWS 0..100 step 1
-- post: SELECT dpproxy_0.k0 AS "building", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- DISTINCT keys, counted
SELECT count(*) FROM (SELECT DISTINCT city FROM people) t;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- post: SELECT COUNT(*) AS "count" FROM (SELECT dpproxy_0.k0 AS "city" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[])) AS r("k0")) AS "dpproxy_0") AS "t"

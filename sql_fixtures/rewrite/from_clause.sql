-- LEFT JOIN of a unit's rows: people without visits are there once
SELECT sex, count(*), count(v.visit_id) FROM people p LEFT JOIN visits v ON p.person_id = v.person_id GROUP BY sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 20) AS m1 FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, CASE WHEN s1."visit_id" IS NOT NULL THEN 1 END AS m1 FROM "people" AS s0 LEFT JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') END) AS c GROUP BY k0;
-- unit person: 20 rows, 1 keys (KEY_OF_UNIT)
-- k0: values 'F', 'M'
-- m0: ROWS 0..20 step 1
-- m1: VALUES 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "_column_1", dpproxy_0.o1 AS "_column_2" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[]), CAST($3 AS BIGINT[])) AS r("k0", "o0", "o1")) AS "dpproxy_0"

-- LEFT JOIN with more in its ON: the tie holds where the row is present
SELECT count(*), count(v.day) FROM people p LEFT JOIN visits v ON v.person_id = p.person_id AND v.cost > 300 AND p.smoker;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 20) AS m1 FROM (SELECT s0."person_id" AS u, CASE WHEN s1."day" IS NOT NULL THEN 1 END AS m1 FROM "people" AS s0 LEFT JOIN "visits" AS s1 ON s1."person_id" = s0."person_id" AND s1."cost" > CAST('300.0' AS DOUBLE) AND s0."smoker" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- m1: VALUES 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "_column_0", dpproxy_0.o1 AS "_column_1" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[])) AS r("o0", "o1")) AS "dpproxy_0"

-- RIGHT JOIN is the LEFT JOIN of the other
SELECT sex, count(v.visit_id) FROM visits v RIGHT JOIN people p ON p.person_id = v.person_id GROUP BY sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, CASE WHEN s1."visit_id" IS NOT NULL THEN 1 END AS m0 FROM "people" AS s0 LEFT JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') END) AS c GROUP BY k0;
-- unit person: 20 rows, 1 keys (KEY_OF_UNIT)
-- k0: values 'F', 'M'
-- m0: VALUES 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- RIGHT JOIN after another join: what stands before it is a derived table
SELECT d.building, count(p.person_id), count(v.visit_id) FROM departments d JOIN visits v ON d.dept = v.dept RIGHT JOIN people p ON p.person_id = v.person_id GROUP BY d.building;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT k0, m0, m1 FROM (SELECT k0, m0, m1, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 20) AS m1 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0, CASE WHEN s1."c1" IS NOT NULL THEN 1 END AS m1 FROM "people" AS s0 LEFT JOIN (SELECT s1."person_id" AS u, s0."building" AS c0, s1."visit_id" AS c1, s1."person_id" AS c2 FROM "departments" AS s0 JOIN "visits" AS s1 ON s0."dept" = s1."dept" WHERE s1."person_id" IS NOT NULL) AS s1 ON s0."person_id" = s1."u" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 8) AS l GROUP BY k0;
-- unit person: 20 rows, 8 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1p0."d0" AS d0 FROM (SELECT DISTINCT s0."building" AS d0 FROM "departments" AS s0) AS s1p0 or NULL
-- m0: ROWS 0..20 step 1
-- m1: VALUES 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "building", dpproxy_0.o0 AS "_column_1", dpproxy_0.o1 AS "_column_2" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[]), CAST($3 AS BIGINT[])) AS r("k0", "o0", "o1")) AS "dpproxy_0"

-- FULL JOIN of two private tables: the unit is that of either
SELECT count(*), count(p.person_id), count(v.visit_id) FROM people p FULL JOIN visits v ON p.person_id = v.person_id;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1, CAST(LEAST(GREATEST(COALESCE(SUM(m2), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m2 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 20) AS m1, LEAST(GREATEST(COALESCE(SUM(m2), 0), 0), 20) AS m2 FROM (SELECT COALESCE(s0."person_id", s1."person_id") AS u, CASE WHEN s0."person_id" IS NOT NULL THEN 1 END AS m1, CASE WHEN s1."visit_id" IS NOT NULL THEN 1 END AS m2 FROM "people" AS s0 FULL JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" WHERE COALESCE(s0."person_id", s1."person_id") IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- m1: VALUES 0..20 step 1
-- m2: VALUES 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "_column_0", dpproxy_0.o1 AS "_column_1", dpproxy_0.o2 AS "_column_2" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[]), CAST($3 AS BIGINT[])) AS r("o0", "o1", "o2")) AS "dpproxy_0"

-- FULL JOIN of rows of a unit, filtered afterwards
SELECT a.sex, count(*) FROM (SELECT person_id, sex FROM people WHERE age > 40) a FULL JOIN (SELECT person_id, cost FROM visits WHERE cost > 200) b USING (person_id) WHERE a.sex = 'F' OR b.cost > 300 GROUP BY a.sex;
-- =>
SELECT v.k0 AS k0, CASE WHEN v.i = 0 THEN t.p0 WHEN v.i = 1 THEN t.p1 WHEN v.i = 2 THEN t.p2 END AS m0 FROM (SELECT CAST(LEAST(GREATEST(COALESCE(SUM(p0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p0, CAST(LEAST(GREATEST(COALESCE(SUM(p1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p1, CAST(LEAST(GREATEST(COALESCE(SUM(p2), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p2 FROM (SELECT LEAST(CAST(COALESCE(s0, 0) & 2147483647 AS BIGINT), 20) AS p0, LEAST(CAST((COALESCE(s0, 0) >> 31) & 2147483647 AS BIGINT), 20) AS p1, LEAST(CAST((COALESCE(s0, 0) >> 62) & 2147483647 AS BIGINT), 20) AS p2 FROM (SELECT u, SUM(CASE WHEN k0 = 'F' THEN 1 WHEN k0 = 'M' THEN 2147483648 WHEN k0 IS NULL THEN 4611686018427387904 END) AS s0 FROM (SELECT COALESCE(s0."u", s1."u") AS u, s0."c1" AS k0 FROM (SELECT s0."person_id" AS u, s0."person_id" AS c0, s0."sex" AS c1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."age" > 40) AS s0 FULL JOIN (SELECT s0."person_id" AS u, s0."person_id" AS c0, s0."cost" AS c1 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."cost" > CAST('200.0' AS DOUBLE)) AS s1 ON s0."u" = s1."u" WHERE COALESCE(s0."u", s1."u") IS NOT NULL AND ((s0."c1" = 'F') OR (s1."c1" > CAST('300.0' AS DOUBLE)))) AS r GROUP BY u) AS q WHERE s0 IS NOT NULL) AS c) AS t CROSS JOIN (SELECT v0.i AS i, v0.k0 AS k0 FROM (VALUES (0, 'F'), (1, 'M'), (2, NULL)) AS v0(i, k0)) AS v;
-- unit person: 20 rows, 3 keys (FEW_PUBLIC_KEYS)
-- k0: values 'F', 'M', None
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- FULL JOIN with USING: the column is that of either side
SELECT count(person_id), count(*) FROM people FULL JOIN visits USING (person_id);
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT u, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 20) AS m0, LEAST(GREATEST(COUNT(*), 0), 20) AS m1 FROM (SELECT COALESCE(s0."person_id", s1."person_id") AS u, CASE WHEN COALESCE(s0."person_id", s1."person_id") IS NOT NULL THEN 1 END AS m0 FROM "people" AS s0 FULL JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" WHERE COALESCE(s0."person_id", s1."person_id") IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: VALUES 0..20 step 1
-- m1: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "_column_0", dpproxy_0.o1 AS "_column_1" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[])) AS r("o0", "o1")) AS "dpproxy_0"

-- FULL JOIN and a third table
SELECT d.building, count(*) FROM people p FULL JOIN visits v ON p.person_id = v.person_id JOIN departments d ON d.dept = v.dept GROUP BY d.building;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."u" AS u, s1."building" AS k0 FROM (SELECT COALESCE(s0."person_id", s1."person_id") AS u, s1."dept" AS c0 FROM "people" AS s0 FULL JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" WHERE COALESCE(s0."person_id", s1."person_id") IS NOT NULL) AS s0 JOIN "departments" AS s1 ON s1."dept" = s0."c0" WHERE s0."u" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 8) AS l GROUP BY k0;
-- unit person: 20 rows, 8 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."building" AS d0 FROM "departments" AS s1
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "building", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- a public table on the right of LEFT JOIN
SELECT d.building, count(*) FROM visits v LEFT JOIN departments d ON v.dept = d.dept AND d.beds > 16 GROUP BY d.building;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."building" AS k0 FROM "visits" AS s0 LEFT JOIN "departments" AS s1 ON s0."dept" = s1."dept" AND s1."beds" > 16 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."building" AS d0 FROM "departments" AS s1 WHERE s1."beds" > 16 or NULL
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "building", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- a public table on the left of LEFT JOIN: rows without a unit are dropped
SELECT d.building, count(v.visit_id) FROM departments d LEFT JOIN visits v ON v.dept = d.dept GROUP BY d.building;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s1."person_id" AS u, s0."building" AS k0 FROM "departments" AS s0 JOIN "visits" AS s1 ON s1."dept" = s0."dept" WHERE s1."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s0."building" AS d0 FROM "departments" AS s0
-- m0: ROWS 0..20 step 1
-- note: rows that the outer join of "d" and "v" makes without a unit are dropped
-- post: SELECT dpproxy_0.k0 AS "building", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- a public table on the right of RIGHT JOIN
SELECT d.building, count(v.visit_id) FROM visits v RIGHT JOIN departments d ON v.dept = d.dept GROUP BY d.building;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s1."person_id" AS u, s0."building" AS k0 FROM "departments" AS s0 JOIN "visits" AS s1 ON s1."dept" = s0."dept" WHERE s1."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s0."building" AS d0 FROM "departments" AS s0
-- m0: ROWS 0..20 step 1
-- note: rows that the outer join of "d" and "v" makes without a unit are dropped
-- post: SELECT dpproxy_0.k0 AS "building", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- FULL JOIN with a public table
SELECT d.dept, count(v.visit_id) FROM visits v FULL JOIN departments d ON v.dept = d.dept GROUP BY d.dept;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."dept" AS k0 FROM "visits" AS s0 LEFT JOIN "departments" AS s1 ON s0."dept" = s1."dept" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."dept" AS d0 FROM "departments" AS s1 or NULL
-- m0: ROWS 0..20 step 1
-- note: rows that the outer join of "v" and "d" makes without a unit are dropped
-- post: SELECT dpproxy_0.k0 AS "dept", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- FULL JOIN with a public table on the left
SELECT d.dept, count(v.visit_id) FROM departments d FULL JOIN visits v ON v.dept = d.dept GROUP BY d.dept;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."dept" AS k0 FROM "visits" AS s0 LEFT JOIN "departments" AS s1 ON s0."dept" = s1."dept" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."dept" AS d0 FROM "departments" AS s1 or NULL
-- m0: ROWS 0..20 step 1
-- note: rows that the outer join of "d" and "v" makes without a unit are dropped
-- post: SELECT dpproxy_0.k0 AS "dept", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- CROSS JOIN with a public table
SELECT d.building, count(*) FROM people CROSS JOIN departments d WHERE d.beds > 16 GROUP BY d.building;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 100) AS m0 FROM (SELECT s0."person_id" AS u, s1."building" AS k0 FROM "people" AS s0 CROSS JOIN "departments" AS s1 WHERE s0."person_id" IS NOT NULL AND s1."beds" > 16) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 8) AS l GROUP BY k0;
-- unit person: 100 rows, 8 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."building" AS d0 FROM "departments" AS s1 WHERE s1."beds" > 16
-- m0: ROWS 0..100 step 1
-- post: SELECT dpproxy_0.k0 AS "building", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- a range condition with a public table
SELECT d.dept, count(*) FROM people p JOIN departments d ON p.age BETWEEN d.beds AND d.beds + 10 GROUP BY d.dept;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 100) AS m0 FROM (SELECT s0."person_id" AS u, s1."dept" AS k0 FROM "people" AS s0 JOIN "departments" AS s1 ON s0."age" BETWEEN s1."beds" AND (CAST(s1."beds" AS BIGINT) + CAST(10 AS BIGINT)) WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 8) AS l GROUP BY k0;
-- unit person: 100 rows, 8 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."dept" AS d0 FROM "departments" AS s1
-- m0: ROWS 0..100 step 1
-- post: SELECT dpproxy_0.k0 AS "dept", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- no condition at all with a public table
SELECT count(*) FROM people JOIN departments d ON TRUE;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 100) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 CROSS JOIN "departments" AS s1 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 100 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..100 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- a condition of public columns alone
SELECT count(*) FROM people p JOIN departments d ON d.beds > 16;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 100) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 JOIN "departments" AS s1 ON s1."beds" > 16 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 100 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..100 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- joins inside of parentheses
SELECT d.building, count(*) FROM people p JOIN (visits v JOIN departments d ON v.dept = d.dept) ON p.person_id = v.person_id GROUP BY d.building;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0 FROM "people" AS s0 JOIN (SELECT s0."person_id" AS u, s1."building" AS c0, s0."person_id" AS c1 FROM "visits" AS s0 JOIN "departments" AS s1 ON s0."dept" = s1."dept" WHERE s0."person_id" IS NOT NULL) AS s1 ON s0."person_id" = s1."u" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 8) AS l GROUP BY k0;
-- unit person: 20 rows, 8 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1p0."d0" AS d0 FROM (SELECT DISTINCT s1."building" AS d0 FROM "departments" AS s1) AS s1p0
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "building", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- an outer join inside of parentheses
SELECT sex, count(*), count(v.visit_id), count(d.dept) FROM people p LEFT JOIN (visits v JOIN departments d ON v.dept = d.dept AND d.beds > 16) ON p.person_id = v.person_id GROUP BY sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1, CAST(LEAST(GREATEST(COALESCE(SUM(m2), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m2 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 20) AS m1, LEAST(GREATEST(COALESCE(SUM(m2), 0), 0), 20) AS m2 FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, CASE WHEN s1."c0" IS NOT NULL THEN 1 END AS m1, CASE WHEN s1."c1" IS NOT NULL THEN 1 END AS m2 FROM "people" AS s0 LEFT JOIN (SELECT s0."person_id" AS u, s0."visit_id" AS c0, s1."dept" AS c1, s0."person_id" AS c2 FROM "visits" AS s0 JOIN "departments" AS s1 ON s0."dept" = s1."dept" AND s1."beds" > 16 WHERE s0."person_id" IS NOT NULL) AS s1 ON s0."person_id" = s1."u" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') END) AS c GROUP BY k0;
-- unit person: 20 rows, 1 keys (KEY_OF_UNIT)
-- k0: values 'F', 'M'
-- m0: ROWS 0..20 step 1
-- m1: VALUES 0..20 step 1
-- m2: VALUES 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "_column_1", dpproxy_0.o1 AS "_column_2", dpproxy_0.o2 AS "_column_3" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[]), CAST($3 AS BIGINT[]), CAST($4 AS BIGINT[])) AS r("k0", "o0", "o1", "o2")) AS "dpproxy_0"

-- parentheses in parentheses
SELECT count(*) FROM ((people p JOIN visits v USING (person_id)) JOIN departments d USING (dept)) WHERE d.beds > 15;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."u" AS u FROM (SELECT s0."u" AS u, s1."beds" AS c0 FROM (SELECT s0."person_id" AS u, s1."dept" AS c0 FROM "people" AS s0 JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS s0 JOIN "departments" AS s1 ON s0."c0" = s1."dept" WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c0" > 15) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- a comma join beside JOIN
SELECT d.building, p.sex, count(*) FROM departments d, people p JOIN visits v ON v.person_id = p.person_id WHERE d.dept = v.dept GROUP BY d.building, p.sex;
-- =>
SELECT k0, k1, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, k1, m0 FROM (SELECT k0, k1, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0, k1)), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s1."person_id" AS u, s0."building" AS k0, s1."sex" AS k1 FROM "departments" AS s0 CROSS JOIN "people" AS s1 JOIN "visits" AS s2 ON s2."person_id" = s1."person_id" WHERE s1."person_id" IS NOT NULL AND s0."dept" = s2."dept") AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN (STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AND k1 IN ('F', 'M') END) AS c) AS w WHERE r <= 8) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 8 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s0."building" AS d0 FROM "departments" AS s0
-- k1: values 'F', 'M'
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "building", dpproxy_0.k1 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_0"

-- a LEFT JOIN made inner by WHERE
SELECT count(*) FROM people p LEFT JOIN visits v ON p.person_id = v.person_id WHERE v.cost > 100;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 LEFT JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL AND s1."cost" > CAST('100.0' AS DOUBLE)) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- anti-join from the private side
SELECT sex, count(*) FROM people p LEFT JOIN visits v ON p.person_id = v.person_id WHERE v.visit_id IS NULL GROUP BY sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 LEFT JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL AND s1."visit_id" IS NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') END) AS c GROUP BY k0;
-- unit person: 20 rows, 1 keys (KEY_OF_UNIT)
-- k0: values 'F', 'M'
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- anti-join of private rows with a public table
SELECT count(*) FROM visits v LEFT JOIN departments d ON v.dept = d.dept AND d.building = 'north' WHERE d.dept IS NULL;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 LEFT JOIN "departments" AS s1 ON s0."dept" = s1."dept" AND s1."building" = 'north' WHERE s0."person_id" IS NOT NULL AND s1."dept" IS NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- two LEFT JOINs in a chain
SELECT count(*), count(o.orderkey), count(l.linenumber) FROM customer c LEFT JOIN orders o ON o.custkey = c.custkey LEFT JOIN lineitem l ON l.orderkey = o.orderkey;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1, CAST(LEAST(GREATEST(COALESCE(SUM(m2), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m2 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 100) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 100) AS m1, LEAST(GREATEST(COALESCE(SUM(m2), 0), 0), 100) AS m2 FROM (SELECT s0."custkey" AS u, CASE WHEN s1."orderkey" IS NOT NULL THEN 1 END AS m1, CASE WHEN s2."linenumber" IS NOT NULL THEN 1 END AS m2 FROM "customer" AS s0 LEFT JOIN "orders" AS s1 ON s1."custkey" = s0."custkey" LEFT JOIN "lineitem" AS s2 ON s2."orderkey" = s1."orderkey" WHERE s0."custkey" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit customer: 100 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..100 step 1
-- m1: VALUES 0..100 step 1
-- m2: VALUES 0..100 step 1
-- post: SELECT dpproxy_0.o0 AS "_column_0", dpproxy_0.o1 AS "_column_1", dpproxy_0.o2 AS "_column_2" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[]), CAST($3 AS BIGINT[])) AS r("o0", "o1", "o2")) AS "dpproxy_0"

-- a LEFT JOIN along the only link is an inner one
SELECT o.priority, count(*) FROM lineitem l LEFT JOIN orders o ON l.orderkey = o.orderkey GROUP BY o.priority;
-- =>
SELECT v.k0 AS k0, CASE WHEN v.i = 0 THEN t.p0 WHEN v.i = 1 THEN t.p1 END AS m0 FROM (SELECT CAST(LEAST(GREATEST(COALESCE(SUM(p0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p0, CAST(LEAST(GREATEST(COALESCE(SUM(p1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p1 FROM (SELECT LEAST(CAST(COALESCE(s0, 0) & 2147483647 AS BIGINT), 100) AS p0, LEAST(CAST((COALESCE(s0, 0) >> 31) & 2147483647 AS BIGINT), 100) AS p1 FROM (SELECT u, SUM(CASE WHEN k0 = '1-URGENT' THEN 1 WHEN k0 = '5-LOW' THEN 2147483648 END) AS s0 FROM (SELECT s1."custkey" AS u, s1."priority" AS k0 FROM "lineitem" AS s0 JOIN "orders" AS s1 ON s0."orderkey" = s1."orderkey" WHERE s1."custkey" IS NOT NULL) AS r GROUP BY u) AS q WHERE s0 IS NOT NULL) AS c) AS t CROSS JOIN (SELECT v0.i AS i, v0.k0 AS k0 FROM (VALUES (0, '1-URGENT'), (1, '5-LOW')) AS v0(i, k0)) AS v;
-- unit customer: 100 rows, 2 keys (FEW_PUBLIC_KEYS)
-- k0: values '1-URGENT', '5-LOW'
-- m0: ROWS 0..100 step 1
-- post: SELECT dpproxy_0.k0 AS "priority", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- a FROM without a table
SELECT (SELECT count(*) FROM people) AS n, (SELECT avg(age) FROM people) AS a;
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, COUNT(*) AS m1 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN s0."age" > 120 THEN 120 WHEN s0."age" < 0 THEN 0 ELSE s0."age" END - 60 AS BIGINT) AS m0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: CENTRED -60..60 step 1
-- m1: ROWS 0..1 step 1
-- post: SELECT (SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0") AS "n", (SELECT dpproxy_1.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($2 AS DECIMAL[])) AS r("o0")) AS "dpproxy_1") AS "a"

-- public, private and public in one chain of outer joins
SELECT d.building, n.nation, count(v.visit_id) FROM departments d LEFT JOIN visits v ON v.dept = d.dept LEFT JOIN nation n ON n.nationkey = d.beds / 10 GROUP BY d.building, n.nation;
-- =>
SELECT k0, k1, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, k1, m0 FROM (SELECT k0, k1, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0, k1)), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s1."person_id" AS u, s0."building" AS k0, s2."nation" AS k1 FROM "departments" AS s0 JOIN "visits" AS s1 ON s1."dept" = s0."dept" LEFT JOIN "nation" AS s2 ON s2."nationkey" = (CAST(s0."beds" AS BIGINT) // CAST(10 AS BIGINT)) WHERE s1."person_id" IS NOT NULL) AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN (STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AND (STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL) END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s0."building" AS d0 FROM "departments" AS s0
-- k1: column 0 of SELECT DISTINCT s2."nation" AS d0 FROM "nation" AS s2 or NULL
-- m0: ROWS 0..20 step 1
-- note: rows that the outer join of "d" and "v" makes without a unit are dropped
-- post: SELECT dpproxy_0.k0 AS "building", dpproxy_0.k1 AS "nation", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_0"

-- every person with every department, visited or not
SELECT count(*), count(v.cost) FROM people p CROSS JOIN departments d LEFT JOIN visits v ON v.dept = d.dept AND v.person_id = p.person_id;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 20) AS m1 FROM (SELECT s0."person_id" AS u, CASE WHEN s2."cost" IS NOT NULL AND s2."cost" <> CAST('NaN' AS DOUBLE) THEN 1 END AS m1 FROM "people" AS s0 CROSS JOIN "departments" AS s1 LEFT JOIN "visits" AS s2 ON s2."dept" = s1."dept" AND s2."person_id" = s0."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- m1: VALUES 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "_column_0", dpproxy_0.o1 AS "_column_1" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[])) AS r("o0", "o1")) AS "dpproxy_0"

-- private rows in parentheses on the right of a public LEFT JOIN
SELECT count(p.age) FROM departments d LEFT JOIN (visits v JOIN people p ON p.person_id = v.person_id) ON v.dept = d.dept;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s1."u" AS u FROM "departments" AS s0 JOIN (SELECT s0."person_id" AS u, s1."age" AS c0, s0."dept" AS c1 FROM "visits" AS s0 JOIN "people" AS s1 ON s1."person_id" = s0."person_id" WHERE s0."person_id" IS NOT NULL) AS s1 ON s1."c1" = s0."dept" WHERE s1."u" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- note: rows that the outer join of "d" and "v" makes without a unit are dropped
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- public rows without a partner among public rows, met by private ones
SELECT count(*) FROM visits v LEFT JOIN departments d ON d.dept = v.dept LEFT JOIN departments e ON e.building = d.building AND e.beds > d.beds WHERE e.dept IS NULL;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 LEFT JOIN "departments" AS s1 ON s1."dept" = s0."dept" LEFT JOIN "departments" AS s2 ON s2."building" = s1."building" AND s2."beds" > s1."beds" WHERE s0."person_id" IS NOT NULL AND s2."dept" IS NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- RIGHT JOIN of a public table after private ones: rows without a unit are dropped
SELECT p.sex, d.building, count(v.visit_id) FROM people p JOIN visits v ON p.person_id = v.person_id RIGHT JOIN departments d ON d.dept = v.dept AND d.beds > 16 WHERE p.sex = 'F' GROUP BY p.sex, d.building;
-- =>
SELECT k0, k1, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, k1, m0 FROM (SELECT k0, k1, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0, k1)), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s1."u" AS u, s1."c0" AS k0, s0."building" AS k1 FROM "departments" AS s0 JOIN (SELECT s0."person_id" AS u, s0."sex" AS c0, s1."visit_id" AS c1, s1."dept" AS c2 FROM "people" AS s0 JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS s1 ON s0."dept" = s1."c2" AND s0."beds" > 16 WHERE s1."u" IS NOT NULL AND s1."c0" = 'F') AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F') AND (STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL) END) AS c) AS w WHERE r <= 8) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 8 keys (KEYS_LIMITED)
-- k0: values 'F'
-- k1: column 0 of SELECT DISTINCT s0."building" AS d0 FROM "departments" AS s0 WHERE s0."beds" > 16
-- m0: ROWS 0..20 step 1
-- note: rows that the outer join of "d" and "p" makes without a unit are dropped
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.k1 AS "building", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_0"

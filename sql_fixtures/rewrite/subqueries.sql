-- IN over a public table
SELECT count(*) FROM visits WHERE dept IN (SELECT dept FROM departments WHERE beds > 16);
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND EXISTS(SELECT 1 FROM "departments" AS q1_s0 WHERE q1_s0."beds" > 16 AND s0."dept" = q1_s0."dept")) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- NOT IN over a public table
SELECT count(*) FROM visits WHERE dept NOT IN (SELECT dept FROM departments WHERE building = 'north');
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND NOT EXISTS(SELECT 1 FROM "departments" AS q1_s0 WHERE q1_s0."building" = 'north' AND s0."dept" = q1_s0."dept")) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- EXISTS over a public table, correlated
SELECT sex, count(*) FROM people p JOIN visits v USING (person_id) WHERE EXISTS (SELECT 1 FROM departments d WHERE d.dept = v.dept AND d.beds < p.age) GROUP BY sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL AND EXISTS(SELECT 1 FROM "departments" AS q1_s0 WHERE q1_s0."dept" = s1."dept" AND q1_s0."beds" < s0."age")) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') END) AS c GROUP BY k0;
-- unit person: 20 rows, 1 keys (KEY_OF_UNIT)
-- k0: values 'F', 'M'
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- NOT EXISTS over a public table
SELECT count(*) FROM visits v WHERE NOT EXISTS (SELECT * FROM departments d WHERE d.dept = v.dept AND d.building = 'south');
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND NOT EXISTS(SELECT 1 FROM "departments" AS q1_s0 WHERE q1_s0."dept" = s0."dept" AND q1_s0."building" = 'south')) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- a scalar over a public table
SELECT count(*) FROM people WHERE age > (SELECT max(beds) FROM departments);
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."age" > (SELECT t."c0" FROM (SELECT q1_s0."v0" AS c0 FROM (SELECT MAX(a0) AS v0 FROM (SELECT q1_s0."beds" AS a0 FROM "departments" AS q1_s0) AS r) AS q1_s0) AS t)) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- a scalar over a public table, correlated by its key
SELECT count(*) FROM visits v WHERE cost > 10 * (SELECT beds FROM departments d WHERE d.dept = v.dept);
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."cost" > CAST(CAST(10 AS BIGINT) * CAST((SELECT t."c0" FROM (SELECT q1_s0."beds" AS c0 FROM "departments" AS q1_s0 WHERE q1_s0."dept" = s0."dept") AS t) AS BIGINT) AS DOUBLE)) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- a scalar over a public table among the keys
SELECT (SELECT building FROM departments d WHERE d.dept = v.dept) AS b, count(*) FROM visits v GROUP BY (SELECT building FROM departments d WHERE d.dept = v.dept);
-- =>
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, (SELECT t."c0" FROM (SELECT q1_s0."building" AS c0 FROM "departments" AS q1_s0 WHERE q1_s0."dept" = s0."dept") AS t) AS k0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "b", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- a scalar over a public table in an aggregate
SELECT sum(LEAST(GREATEST((SELECT beds FROM departments d WHERE d.dept = v.dept), 0), 100)) FROM visits v WHERE EXISTS (SELECT 1 FROM departments d WHERE d.dept = v.dept);
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 2000) AS m0 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN LEAST(GREATEST((SELECT t."c0" FROM (SELECT q1_s0."beds" AS c0 FROM "departments" AS q1_s0 WHERE q1_s0."dept" = s0."dept") AS t), 0), 100) > 100 THEN 100 WHEN LEAST(GREATEST((SELECT t."c0" FROM (SELECT q1_s0."beds" AS c0 FROM "departments" AS q1_s0 WHERE q1_s0."dept" = s0."dept") AS t), 0), 100) < 0 THEN 0 ELSE LEAST(GREATEST((SELECT t."c0" FROM (SELECT q1_s0."beds" AS c0 FROM "departments" AS q1_s0 WHERE q1_s0."dept" = s0."dept") AS t), 0), 100) END AS BIGINT) AS m0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND EXISTS(SELECT 1 FROM "departments" AS q1_s0 WHERE q1_s0."dept" = s0."dept")) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: SUM 0..2000 step 1
-- post: SELECT dpproxy_0.o0 AS "sum" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- ANY and ALL over a public table
SELECT count(*) FILTER (WHERE age > ANY (SELECT beds FROM departments)), count(*) FILTER (WHERE age > ALL (SELECT beds FROM departments)) FROM people;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT s0."person_id" AS u, CASE WHEN EXISTS(SELECT 1 FROM "departments" AS q1_s0 WHERE s0."age" > q1_s0."beds") THEN 1 END AS m0, CASE WHEN (NOT EXISTS(SELECT 1 FROM "departments" AS q1_s0 WHERE s0."age" <= q1_s0."beds")) THEN 1 END AS m1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: VALUES 0..1 step 1
-- m1: VALUES 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "_column_0", dpproxy_0.o1 AS "_column_1" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[])) AS r("o0", "o1")) AS "dpproxy_0"

-- IN over rows of the same person
SELECT sex, count(*) FROM people WHERE person_id IN (SELECT person_id FROM visits WHERE cost > 300) GROUP BY sex;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND EXISTS(SELECT 1 FROM "visits" AS q1_s0 WHERE q1_s0."cost" > CAST('300.0' AS DOUBLE) AND s0."person_id" = q1_s0."person_id")) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- NOT IN over rows of the same person
SELECT count(*) FROM people WHERE person_id NOT IN (SELECT person_id FROM visits WHERE person_id IS NOT NULL);
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND NOT EXISTS(SELECT 1 FROM "visits" AS q1_s0 WHERE NOT q1_s0."person_id" IS NULL AND s0."person_id" = q1_s0."person_id")) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- EXISTS over rows of the same person
SELECT sex, count(*) FROM people p WHERE EXISTS (SELECT 1 FROM visits v WHERE v.person_id = p.person_id AND v.cost > 300) GROUP BY sex;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND EXISTS(SELECT 1 FROM "visits" AS q1_s0 WHERE q1_s0."person_id" = s0."person_id" AND q1_s0."cost" > CAST('300.0' AS DOUBLE))) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- NOT EXISTS over rows of the same person
SELECT count(*) FROM people p WHERE NOT EXISTS (SELECT 1 FROM visits v WHERE v.person_id = p.person_id);
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND NOT EXISTS(SELECT 1 FROM "visits" AS q1_s0 WHERE q1_s0."person_id" = s0."person_id")) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- EXISTS of a join in it
SELECT count(*) FROM people p WHERE EXISTS (SELECT 1 FROM visits v JOIN departments d ON d.dept = v.dept WHERE v.person_id = p.person_id AND d.building = 'south' AND d.beds < p.age);
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND EXISTS(SELECT 1 FROM "visits" AS q1_s0 JOIN "departments" AS q1_s1 ON q1_s1."dept" = q1_s0."dept" WHERE q1_s0."person_id" = s0."person_id" AND q1_s1."building" = 'south' AND q1_s1."beds" < s0."age")) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- EXISTS along links
SELECT priority, count(*) FROM orders o WHERE EXISTS (SELECT 1 FROM lineitem l WHERE l.orderkey = o.orderkey AND l.flag = 'R') GROUP BY priority;
-- =>
SELECT v.k0 AS k0, CASE WHEN v.i = 0 THEN t.p0 WHEN v.i = 1 THEN t.p1 END AS m0 FROM (SELECT CAST(LEAST(GREATEST(COALESCE(SUM(p0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p0, CAST(LEAST(GREATEST(COALESCE(SUM(p1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p1 FROM (SELECT LEAST(CAST(COALESCE(s0, 0) & 2147483647 AS BIGINT), 40) AS p0, LEAST(CAST((COALESCE(s0, 0) >> 31) & 2147483647 AS BIGINT), 40) AS p1 FROM (SELECT u, SUM(CASE WHEN k0 = '1-URGENT' THEN 1 WHEN k0 = '5-LOW' THEN 2147483648 END) AS s0 FROM (SELECT s0."custkey" AS u, s0."priority" AS k0 FROM "orders" AS s0 WHERE s0."custkey" IS NOT NULL AND EXISTS(SELECT 1 FROM "lineitem" AS q1_s0 WHERE q1_s0."orderkey" = s0."orderkey" AND q1_s0."flag" = 'R')) AS r GROUP BY u) AS q WHERE s0 IS NOT NULL) AS c) AS t CROSS JOIN (SELECT v0.i AS i, v0.k0 AS k0 FROM (VALUES (0, '1-URGENT'), (1, '5-LOW')) AS v0(i, k0)) AS v;
-- unit customer: 40 rows, 2 keys (FEW_PUBLIC_KEYS)
-- k0: values '1-URGENT', '5-LOW'
-- m0: ROWS 0..40 step 1
-- post: SELECT dpproxy_0.k0 AS "priority", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- EXISTS in EXISTS
SELECT count(*) FROM customer c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.custkey = c.custkey AND NOT EXISTS (SELECT 1 FROM lineitem l WHERE l.orderkey = o.orderkey AND l.flag = 'R'));
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."custkey" AS u FROM "customer" AS s0 WHERE s0."custkey" IS NOT NULL AND EXISTS(SELECT 1 FROM "orders" AS q1_s0 WHERE q1_s0."custkey" = s0."custkey" AND NOT EXISTS(SELECT 1 FROM "lineitem" AS q2_s0 WHERE q2_s0."orderkey" = q1_s0."orderkey" AND q2_s0."flag" = 'R'))) AS r;
-- unit customer: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- another line of the same order (TPC-H Q21)
SELECT count(*) FROM lineitem a WHERE EXISTS (SELECT 1 FROM lineitem b WHERE b.orderkey = a.orderkey AND b.linenumber <> a.linenumber);
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 100) AS m0 FROM (SELECT h0."custkey" AS u FROM "lineitem" AS s0 JOIN "orders" AS h0 ON s0."orderkey" = h0."orderkey" WHERE h0."custkey" IS NOT NULL AND EXISTS(SELECT 1 FROM "lineitem" AS q1_s0 WHERE q1_s0."orderkey" = s0."orderkey" AND q1_s0."linenumber" <> s0."linenumber")) AS r GROUP BY u) AS c;
-- unit customer: 100 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..100 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- the dearest visit of each person
SELECT dept, count(*) FROM visits v WHERE cost = (SELECT max(w.cost) FROM visits w WHERE w.person_id = v.person_id) GROUP BY dept;
-- =>
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0 FROM "visits" AS s0 LEFT JOIN (SELECT s0."u" AS u, s0."u" AS c0, s0."v0" AS c1 FROM (SELECT u, MAX(a0) AS v0 FROM (SELECT s0."person_id" AS u, s0."cost" AS a0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS s1 ON s1."u" = s0."person_id" WHERE s0."person_id" IS NOT NULL AND s0."cost" = s1."c1") AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "dept", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- above the person's own mean
SELECT count(*) FROM visits v WHERE v.cost > (SELECT avg(w.cost) FROM visits w WHERE w.person_id = v.person_id);
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 LEFT JOIN (SELECT s0."u" AS u, s0."u" AS c0, s0."v0" AS c1 FROM (SELECT u, (CAST(CAST(CASE WHEN SUM(a0) > 4611686018427387904 THEN 4611686018427387904 WHEN SUM(a0) < (-4611686018427387904) THEN -4611686018427387904 ELSE SUM(a0) END AS BIGINT) AS DOUBLE) / CAST('100.0' AS DOUBLE)) / NULLIF(CAST(COUNT(a1) AS DOUBLE), 0) AS v0 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."cost" * CAST('100.0' AS DOUBLE)) WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT) AS a0, s0."cost" AS a1 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS s1 ON s1."u" = s0."person_id" WHERE s0."person_id" IS NOT NULL AND s0."cost" > s1."c1") AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- a count of the person's rows
SELECT avg((SELECT count(*) FROM visits v WHERE v.person_id = p.person_id)) FROM people p;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, COUNT(*) AS m1 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN COALESCE(s1."c1", 0) > 20 THEN 20 WHEN COALESCE(s1."c1", 0) < 0 THEN 0 ELSE COALESCE(s1."c1", 0) END - 10 AS BIGINT) AS m0 FROM "people" AS s0 LEFT JOIN (SELECT s0."u" AS u, s0."u" AS c0, s0."v0" AS c1 FROM (SELECT u, COUNT(*) AS v0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS s1 ON s1."u" = s0."person_id" WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: CENTRED -10..10 step 1
-- m1: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS DECIMAL[])) AS r("o0")) AS "dpproxy_0"

-- several of the same rows share what is joined, whatever they are called
SELECT avg((SELECT sum(v.cost) FROM visits v WHERE v.person_id = p.person_id AND v.cost > 10) / (SELECT count(*) FROM visits w WHERE w.person_id = p.person_id AND w.cost > 10)) FROM people p WHERE (SELECT max(x.day) FROM visits x WHERE x.person_id = p.person_id) > DATE '2020-01-01';
-- =>
SELECT COUNT(*) AS c, b0, b1, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT m0, m1, CAST(CEIL(LN(CAST(GREATEST(ABS(m0), 1) AS DOUBLE)) * 11.541560327111707) AS INT) AS b0, CAST(CEIL(LN(CAST(GREATEST(ABS(m1), 1) AS DOUBLE)) * 11.541560327111707) AS INT) AS b1 FROM (SELECT u, LEAST(GREATEST(COALESCE(SUM(m0), 0), -35184372088832), 35184372088832) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 1) AS m1 FROM (SELECT t.u AS u, CAST(CASE WHEN t.g0 < (-35184372088832) THEN -35184372088832 WHEN t.g0 <= 35184372088832 THEN t.g0 WHEN t.g0 < CAST('NaN' AS DOUBLE) THEN 35184372088832 END AS BIGINT) AS m0, CASE WHEN (t.x1 / NULLIF(CAST(COALESCE(t.x2, 0) AS DOUBLE), 0)) IS NOT NULL AND (t.x1 / NULLIF(CAST(COALESCE(t.x2, 0) AS DOUBLE), 0)) <> CAST('NaN' AS DOUBLE) THEN 1 END AS m1 FROM (SELECT s0."person_id" AS u, s2."c1" AS x1, s2."c2" AS x2, (s2."c1" / NULLIF(CAST(COALESCE(s2."c2", 0) AS DOUBLE), 0)) * CAST('10000.0' AS DOUBLE) AS g0 FROM "people" AS s0 LEFT JOIN (SELECT s0."u" AS u, s0."u" AS c0, s0."v0" AS c1 FROM (SELECT u, MAX(a0) AS v0 FROM (SELECT s0."person_id" AS u, s0."day" AS a0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS s1 ON s1."u" = s0."person_id" LEFT JOIN (SELECT s0."u" AS u, s0."u" AS c0, s0."v0" AS c1, s0."v1" AS c2 FROM (SELECT u, CAST(CAST(CASE WHEN SUM(a0) > 4611686018427387904 THEN 4611686018427387904 WHEN SUM(a0) < (-4611686018427387904) THEN -4611686018427387904 ELSE SUM(a0) END AS BIGINT) AS DOUBLE) / CAST('100.0' AS DOUBLE) AS v0, COUNT(*) AS v1 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < 1000 THEN 1000 WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."cost" * CAST('100.0' AS DOUBLE)) WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT) AS a0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."cost" > CAST('10.0' AS DOUBLE)) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS s2 ON s2."u" = s0."person_id" WHERE s0."person_id" IS NOT NULL AND s1."c1" > CAST('2020-01-01' AS DATE)) AS t WHERE t.u IS NOT NULL) AS r GROUP BY u) AS c) AS t GROUP BY GROUPING SETS ((b0), (b1));
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- scaled down to a clip of the L2 norm
-- m0: CENTRED -35184372088832..35184372088832 step 0.0001
-- m1: VALUES 0..1 step 1
SELECT COUNT(*) AS c, b0, b1, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT m0, m1, CAST(CEIL(LN(CAST(GREATEST(ABS(m0), 1) AS DOUBLE)) * 11.541560327111707) AS INT) AS b0, CAST(CEIL(LN(CAST(GREATEST(ABS(m1), 1) AS DOUBLE)) * 11.541560327111707) AS INT) AS b1 FROM (SELECT u, LEAST(GREATEST(COALESCE(SUM(m0), 0), -35184372088832), 35184372088832) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 1) AS m1 FROM (SELECT t.u AS u, CAST(CASE WHEN t.g0 < (-35184372088832) THEN -35184372088832 WHEN t.g0 <= 35184372088832 THEN t.g0 WHEN t.g0 < CAST('NaN' AS DOUBLE) THEN 35184372088832 END AS BIGINT) - LEAST(GREATEST(CAST($r0c0 AS BIGINT[])[1], -35184372088832), 35184372088832) AS m0, CASE WHEN (t.x1 / NULLIF(CAST(COALESCE(t.x2, 0) AS DOUBLE), 0)) IS NOT NULL AND (t.x1 / NULLIF(CAST(COALESCE(t.x2, 0) AS DOUBLE), 0)) <> CAST('NaN' AS DOUBLE) THEN 1 END AS m1 FROM (SELECT s0."person_id" AS u, s2."c1" AS x1, s2."c2" AS x2, (s2."c1" / NULLIF(CAST(COALESCE(s2."c2", 0) AS DOUBLE), 0)) * CAST('10000.0' AS DOUBLE) AS g0 FROM "people" AS s0 LEFT JOIN (SELECT s0."u" AS u, s0."u" AS c0, s0."v0" AS c1 FROM (SELECT u, MAX(a0) AS v0 FROM (SELECT s0."person_id" AS u, s0."day" AS a0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS s1 ON s1."u" = s0."person_id" LEFT JOIN (SELECT s0."u" AS u, s0."u" AS c0, s0."v0" AS c1, s0."v1" AS c2 FROM (SELECT u, CAST(CAST(CASE WHEN SUM(a0) > 4611686018427387904 THEN 4611686018427387904 WHEN SUM(a0) < (-4611686018427387904) THEN -4611686018427387904 ELSE SUM(a0) END AS BIGINT) AS DOUBLE) / CAST('100.0' AS DOUBLE) AS v0, COUNT(*) AS v1 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < 1000 THEN 1000 WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."cost" * CAST('100.0' AS DOUBLE)) WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT) AS a0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."cost" > CAST('10.0' AS DOUBLE)) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS s2 ON s2."u" = s0."person_id" WHERE s0."person_id" IS NOT NULL AND s1."c1" > CAST('2020-01-01' AS DATE)) AS t WHERE t.u IS NOT NULL) AS r GROUP BY u) AS c) AS t GROUP BY GROUPING SETS ((b0), (b1));
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- scaled down to a clip of the L2 norm
-- m0: CENTRED -35184372088832..35184372088832 step 0.0001
-- m1: VALUES 0..1 step 1
-- inputs: r0c0
-- post: SELECT dpproxy_1.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS DOUBLE PRECISION[])) AS r("o0")) AS "dpproxy_1"

-- a key that is such a count, written twice
SELECT (SELECT count(*) FROM visits v WHERE v.person_id = p.person_id) AS n, count(*) FROM people p GROUP BY (SELECT count(*) FROM visits v WHERE v.person_id = p.person_id);
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT s0."person_id" AS u, COALESCE(s1."c1", 0) AS k0 FROM "people" AS s0 LEFT JOIN (SELECT s0."u" AS u, s0."u" AS c0, s0."v0" AS c1 FROM (SELECT u, COUNT(*) AS v0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS s1 ON s1."u" = s0."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- post: SELECT dpproxy_0.k0 AS "n", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- of rows that are joined, along a link
SELECT avg((SELECT sum(l.quantity) FROM lineitem l JOIN orders o ON o.orderkey = l.orderkey WHERE o.custkey = c.custkey AND o.priority = '1-URGENT')) FROM customer c;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT s0."custkey" AS u, CAST(CASE WHEN (CAST(s1."c1" AS DOUBLE) * CAST('100.0' AS DOUBLE)) > 500000 THEN 500000 WHEN (CAST(s1."c1" AS DOUBLE) * CAST('100.0' AS DOUBLE)) < 0 THEN 0 ELSE (CAST(s1."c1" AS DOUBLE) * CAST('100.0' AS DOUBLE)) END - 250000 AS BIGINT) AS m0, CASE WHEN s1."c1" IS NOT NULL THEN 1 END AS m1 FROM "customer" AS s0 LEFT JOIN (SELECT s0."u" AS u, s0."u" AS c0, s0."v0" AS c1 FROM (SELECT u, CAST(CASE WHEN SUM(a0) > 1000000000000000000 THEN 1000000000000000000 WHEN SUM(a0) < (-1000000000000000000) THEN -1000000000000000000 ELSE SUM(a0) END AS DECIMAL(21, 2)) AS v0 FROM (SELECT s1."custkey" AS u, s0."quantity" AS a0 FROM "lineitem" AS s0 JOIN "orders" AS s1 ON s1."orderkey" = s0."orderkey" WHERE s1."custkey" IS NOT NULL AND s1."priority" = '1-URGENT') AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS s1 ON s1."u" = s0."custkey" WHERE s0."custkey" IS NOT NULL) AS r;
-- unit customer: 1 rows, 1 keys (NO_KEYS)
-- m0: CENTRED -250000..250000 step 0.01
-- m1: VALUES 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS DECIMAL[])) AS r("o0")) AS "dpproxy_0"

-- of each row of a unit that has many
SELECT avg((SELECT sum(l.quantity) FROM lineitem l WHERE l.orderkey = o.orderkey)) FROM orders o;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT u, LEAST(GREATEST(COALESCE(SUM(m0), 0), -10000000), 10000000) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 40) AS m1 FROM (SELECT s0."custkey" AS u, CAST(CASE WHEN (CAST((SELECT CAST(CASE WHEN SUM(q1_s0."quantity") > 1000000000000000000 THEN 1000000000000000000 WHEN SUM(q1_s0."quantity") < (-1000000000000000000) THEN -1000000000000000000 ELSE SUM(q1_s0."quantity") END AS DECIMAL(21, 2)) FROM "lineitem" AS q1_s0 WHERE q1_s0."orderkey" = s0."orderkey") AS DOUBLE) * CAST('100.0' AS DOUBLE)) > 500000 THEN 500000 WHEN (CAST((SELECT CAST(CASE WHEN SUM(q1_s0."quantity") > 1000000000000000000 THEN 1000000000000000000 WHEN SUM(q1_s0."quantity") < (-1000000000000000000) THEN -1000000000000000000 ELSE SUM(q1_s0."quantity") END AS DECIMAL(21, 2)) FROM "lineitem" AS q1_s0 WHERE q1_s0."orderkey" = s0."orderkey") AS DOUBLE) * CAST('100.0' AS DOUBLE)) < 0 THEN 0 ELSE (CAST((SELECT CAST(CASE WHEN SUM(q1_s0."quantity") > 1000000000000000000 THEN 1000000000000000000 WHEN SUM(q1_s0."quantity") < (-1000000000000000000) THEN -1000000000000000000 ELSE SUM(q1_s0."quantity") END AS DECIMAL(21, 2)) FROM "lineitem" AS q1_s0 WHERE q1_s0."orderkey" = s0."orderkey") AS DOUBLE) * CAST('100.0' AS DOUBLE)) END - 250000 AS BIGINT) AS m0, CASE WHEN (SELECT CAST(CASE WHEN SUM(q1_s0."quantity") > 1000000000000000000 THEN 1000000000000000000 WHEN SUM(q1_s0."quantity") < (-1000000000000000000) THEN -1000000000000000000 ELSE SUM(q1_s0."quantity") END AS DECIMAL(21, 2)) FROM "lineitem" AS q1_s0 WHERE q1_s0."orderkey" = s0."orderkey") IS NOT NULL THEN 1 END AS m1 FROM "orders" AS s0 WHERE s0."custkey" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit customer: 40 rows, 1 keys (NO_KEYS)
-- m0: CENTRED -10000000..10000000 step 0.01
-- m1: VALUES 0..40 step 1
-- post: SELECT dpproxy_0.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS DECIMAL[])) AS r("o0")) AS "dpproxy_0"

-- by more than equality each row has its own
SELECT count(*) FROM visits v WHERE (SELECT count(*) FROM visits w WHERE w.person_id = v.person_id AND w.day < v.day) > 2;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND (SELECT COUNT(*) FROM "visits" AS q1_s0 WHERE q1_s0."person_id" = s0."person_id" AND q1_s0."day" < s0."day") > 2) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- a number of the row that asks stands beside the aggregate
SELECT count(*) FROM people p WHERE (SELECT p.age + count(*) FROM visits v WHERE v.person_id = p.person_id) > 40;
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 LEFT JOIN (SELECT s0."u" AS u, s0."u" AS c0, s0."v0" AS c1 FROM (SELECT u, COUNT(*) AS v0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS s1 ON s1."u" = s0."person_id" WHERE s0."person_id" IS NOT NULL AND (CAST(s0."age" AS DECIMAL(19, 0)) + CAST(COALESCE(s1."c1", 0) AS DECIMAL(19, 0))) > 40) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- a count of the person's rows as a key
SELECT least((SELECT count(*) FROM visits v WHERE v.person_id = p.person_id), 2) AS n, count(*) FROM people p GROUP BY n;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT s0."person_id" AS u, LEAST(COALESCE(s1."c1", 0), 2) AS k0 FROM "people" AS s0 LEFT JOIN (SELECT s0."u" AS u, s0."u" AS c0, s0."v0" AS c1 FROM (SELECT u, COUNT(*) AS v0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS s1 ON s1."u" = s0."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- post: SELECT dpproxy_0.k0 AS "n", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- ANY and ALL over rows of the same person
SELECT count(*) FROM visits v WHERE v.cost >= ALL (SELECT w.cost FROM visits w WHERE w.person_id = v.person_id);
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND (NOT EXISTS(SELECT 1 FROM "visits" AS q1_s0 WHERE q1_s0."person_id" = s0."person_id" AND s0."cost" < q1_s0."cost"))) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- IN of a pair
SELECT count(*) FROM visits v WHERE (person_id, day) IN (SELECT person_id, max(day) FROM visits GROUP BY person_id);
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND EXISTS(SELECT 1 FROM (SELECT s0."u" AS u, s0."u" AS c0, s0."v0" AS c1 FROM (SELECT u, MAX(a0) AS v0 FROM (SELECT s0."person_id" AS u, s0."day" AS a0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS q1_s0 WHERE s0."person_id" = q1_s0."u" AND s0."day" = q1_s0."c1")) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- IN over groups of the unit
SELECT sex, count(*) FROM people WHERE person_id IN (SELECT person_id FROM visits GROUP BY person_id HAVING sum(cost) > 500) GROUP BY sex;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND EXISTS(SELECT 1 FROM (SELECT s0."u" AS u, s0."u" AS c0 FROM (SELECT u, CAST(CAST(CASE WHEN SUM(a0) > 4611686018427387904 THEN 4611686018427387904 WHEN SUM(a0) < (-4611686018427387904) THEN -4611686018427387904 ELSE SUM(a0) END AS BIGINT) AS DOUBLE) / CAST('100.0' AS DOUBLE) AS v0 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."cost" * CAST('100.0' AS DOUBLE)) WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT) AS a0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL AND s0."v0" > CAST('500.0' AS DOUBLE)) AS q1_s0 WHERE s0."person_id" = q1_s0."u")) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- IN in CASE and among the keys
SELECT CASE WHEN person_id IN (SELECT person_id FROM visits) THEN 'seen' ELSE 'new' END AS kind, count(*) FROM people GROUP BY kind;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, CASE WHEN EXISTS(SELECT 1 FROM "visits" AS q1_s0 WHERE s0."person_id" = q1_s0."person_id") THEN 'seen' ELSE 'new' END AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('seen', 'new')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'seen', 'new'
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "kind", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- EXISTS in a condition with OR
SELECT count(*) FROM people p WHERE p.age > 70 OR EXISTS (SELECT 1 FROM visits v WHERE v.person_id = p.person_id AND v.cost > 350);
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND ((s0."age" > 70) OR EXISTS(SELECT 1 FROM "visits" AS q1_s0 WHERE q1_s0."person_id" = s0."person_id" AND q1_s0."cost" > CAST('350.0' AS DOUBLE)))) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- EXISTS in an aggregate's FILTER
SELECT sex, count(*) FILTER (WHERE EXISTS (SELECT 1 FROM visits v WHERE v.person_id = p.person_id)) FROM people p GROUP BY sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, CASE WHEN EXISTS(SELECT 1 FROM "visits" AS q1_s0 WHERE q1_s0."person_id" = s0."person_id") THEN 1 END AS m0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: VALUES 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- EXISTS in a join's ON
SELECT count(*), count(v.visit_id) FROM people p LEFT JOIN visits v ON v.person_id = p.person_id AND EXISTS (SELECT 1 FROM departments d WHERE d.dept = v.dept AND d.beds > 16);
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 20) AS m1 FROM (SELECT s0."person_id" AS u, CASE WHEN s1."visit_id" IS NOT NULL THEN 1 END AS m1 FROM "people" AS s0 LEFT JOIN "visits" AS s1 ON s1."person_id" = s0."person_id" AND EXISTS(SELECT 1 FROM "departments" AS q1_s0 WHERE q1_s0."dept" = s1."dept" AND q1_s0."beds" > 16) WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- m1: VALUES 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "_column_0", dpproxy_0.o1 AS "_column_1" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[])) AS r("o0", "o1")) AS "dpproxy_0"

-- a subquery over a released table is a constant
SELECT count(*) FROM people WHERE age > (SELECT avg(age) FROM people);
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, COUNT(*) AS m1 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN s0."age" > 120 THEN 120 WHEN s0."age" < 0 THEN 0 ELSE s0."age" END - 60 AS BIGINT) AS m0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: CENTRED -60..60 step 1
-- m1: ROWS 0..1 step 1
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND CAST(s0."age" AS DOUBLE) > (SELECT t."c0" FROM (SELECT q1_s0."o0" AS c0 FROM (SELECT UNNEST(CAST($r0c0 AS DOUBLE[])) AS o0) AS q1_s0) AS t)) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- inputs: r0c0
-- post: SELECT dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_1"

-- IN over released keys
SELECT count(*) FROM people WHERE city IN (SELECT city FROM people GROUP BY city HAVING count(*) > 50);
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND EXISTS(SELECT 1 FROM (SELECT q2_s0."k0" AS c0 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0, UNNEST(CAST($r0c1 AS BIGINT[])) AS o0) AS q2_s0 WHERE q2_s0."o0" > 50) AS q1_s0 WHERE s0."city" = q1_s0."c0")) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- inputs: r0c0, r0c1
-- post: SELECT dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_1"

-- ANY over released rows
SELECT count(*) FROM people WHERE age > ALL (SELECT avg(age) FROM people GROUP BY sex);
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, COUNT(*) AS m1 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, CAST(CASE WHEN s0."age" > 120 THEN 120 WHEN s0."age" < 0 THEN 0 ELSE s0."age" END - 60 AS BIGINT) AS m0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: CENTRED -60..60 step 1
-- m1: ROWS 0..1 step 1
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND (NOT CASE WHEN EXISTS(SELECT 1 FROM (SELECT q2_s0."o0" AS c0 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0, UNNEST(CAST($r0c1 AS DOUBLE[])) AS o0) AS q2_s0) AS q1_s0 WHERE CAST(s0."age" AS DOUBLE) <= q1_s0."c0") THEN TRUE WHEN EXISTS(SELECT 1 FROM (SELECT q2_s0."o0" AS c0 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0, UNNEST(CAST($r0c1 AS DOUBLE[])) AS o0) AS q2_s0) AS q1_s0 WHERE (CAST(s0."age" AS DOUBLE) <= q1_s0."c0") IS NULL) THEN NULL ELSE FALSE END)) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- inputs: r0c0, r0c1
-- post: SELECT dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_1"

-- a scalar release in HAVING
SELECT sex, count(*) FROM people GROUP BY sex HAVING avg(age) > (SELECT avg(age) FROM people) - 5;
-- =>
SELECT k0, COUNT(*) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, CAST(CASE WHEN s0."age" > 120 THEN 120 WHEN s0."age" < 0 THEN 0 ELSE s0."age" END - 60 AS BIGINT) AS m1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- m1: CENTRED -60..60 step 1
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, COUNT(*) AS m1 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN s0."age" > 120 THEN 120 WHEN s0."age" < 0 THEN 0 ELSE s0."age" END - 60 AS BIGINT) AS m0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: CENTRED -60..60 step 1
-- m1: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[]), CAST($3 AS DECIMAL[])) AS r("k0", "o0", "o1")) AS "dpproxy_0" WHERE dpproxy_0.o1 > (SELECT dpproxy_1.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($4 AS DECIMAL[])) AS r("o0")) AS "dpproxy_1") - 5

-- a scalar release among the items
SELECT sex, count(*)::float8 / (SELECT count(*) FROM people) AS share FROM people GROUP BY sex;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", CAST(dpproxy_0.o0 AS DOUBLE PRECISION) / NULLIF((SELECT dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($3 AS BIGINT[])) AS r("o0")) AS "dpproxy_1"), '0') AS "share" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- EXISTS that asks a row of a join with public rows
SELECT count(*) FROM departments d JOIN visits v ON v.dept = d.dept WHERE EXISTS (SELECT 1 FROM people p WHERE p.person_id = v.person_id AND p.smoker);
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s1."person_id" AS u FROM "departments" AS s0 JOIN "visits" AS s1 ON s1."dept" = s0."dept" WHERE s1."person_id" IS NOT NULL AND EXISTS(SELECT 1 FROM "people" AS q1_s0 WHERE q1_s0."person_id" = s1."person_id" AND q1_s0."smoker")) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- EXISTS over a side that an outer join may leave out
SELECT count(*) FROM people p LEFT JOIN visits v ON p.person_id = v.person_id AND v.cost > 300 WHERE NOT EXISTS (SELECT 1 FROM visits w WHERE w.person_id = v.person_id);
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 LEFT JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" AND s1."cost" > CAST('300.0' AS DOUBLE) WHERE s0."person_id" IS NOT NULL AND NOT EXISTS(SELECT 1 FROM "visits" AS q1_s0 WHERE q1_s0."person_id" = s1."person_id")) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- EXISTS with DISTINCT, ORDER BY and LIMIT asks the same
SELECT count(*) FROM people p WHERE EXISTS (SELECT DISTINCT v.person_id FROM visits v WHERE v.person_id = p.person_id ORDER BY 1 LIMIT 1);
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND EXISTS(SELECT 1 FROM "visits" AS q1_s0 WHERE q1_s0."person_id" = s0."person_id")) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- IN over a set operation of public rows
SELECT count(*) FROM customer c WHERE c.nationkey IN (SELECT nationkey FROM nation EXCEPT SELECT 1);
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."custkey" AS u FROM "customer" AS s0 WHERE s0."custkey" IS NOT NULL AND EXISTS(SELECT 1 FROM (SELECT q2_s0."nationkey" AS c0 FROM "nation" AS q2_s0 EXCEPT SELECT 1 AS c0) AS q1_s0 WHERE s0."nationkey" = q1_s0."c0")) AS r;
-- unit customer: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- IN over a set operation of released and public rows
SELECT count(*) FROM people WHERE city IN (SELECT city FROM people GROUP BY city UNION SELECT 'x');
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND EXISTS(SELECT 1 FROM (SELECT q2_s0."k0" AS c0 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0) AS q2_s0 UNION SELECT 'x' AS c0) AS q1_s0 WHERE s0."city" = q1_s0."c0")) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- inputs: r0c0
-- post: SELECT dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_1"

-- IN over a set operation of the same unit's rows
SELECT count(*) FROM people WHERE person_id IN (SELECT person_id FROM visits UNION SELECT person_id FROM people WHERE smoker);
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND EXISTS(SELECT 1 FROM (SELECT s0."person_id" AS u, s0."person_id" AS c0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL UNION SELECT s0."person_id" AS u, s0."person_id" AS c0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."smoker") AS q1_s0 WHERE s0."person_id" = q1_s0."u")) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- = ANY and <> ALL are IN and NOT IN
SELECT count(*) FILTER (WHERE person_id = ANY (SELECT person_id FROM visits WHERE cost > 300)), count(*) FILTER (WHERE person_id <> ALL (SELECT person_id FROM visits WHERE cost > 300)) FROM people;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT s0."person_id" AS u, CASE WHEN EXISTS(SELECT 1 FROM "visits" AS q1_s0 WHERE q1_s0."cost" > CAST('300.0' AS DOUBLE) AND s0."person_id" = q1_s0."person_id") THEN 1 END AS m0, CASE WHEN (NOT EXISTS(SELECT 1 FROM "visits" AS q1_s0 WHERE q1_s0."cost" > CAST('300.0' AS DOUBLE) AND s0."person_id" = q1_s0."person_id")) THEN 1 END AS m1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: VALUES 0..1 step 1
-- m1: VALUES 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "_column_0", dpproxy_0.o1 AS "_column_1" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[])) AS r("o0", "o1")) AS "dpproxy_0"

-- a sum of no rows is NULL
SELECT count(*) FROM people p WHERE (SELECT sum(cost) FROM visits v WHERE v.person_id = p.person_id) IS NULL;
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 LEFT JOIN (SELECT s0."u" AS u, s0."u" AS c0, s0."v0" AS c1 FROM (SELECT u, CAST(CAST(CASE WHEN SUM(a0) > 4611686018427387904 THEN 4611686018427387904 WHEN SUM(a0) < (-4611686018427387904) THEN -4611686018427387904 ELSE SUM(a0) END AS BIGINT) AS DOUBLE) / CAST('100.0' AS DOUBLE) AS v0 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."cost" * CAST('100.0' AS DOUBLE)) WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT) AS a0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS s1 ON s1."u" = s0."person_id" WHERE s0."person_id" IS NOT NULL AND s1."c1" IS NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- tied by more than the key
SELECT dept, count(*) FROM visits v WHERE v.day = (SELECT min(day) FROM visits w WHERE w.person_id = v.person_id AND w.dept = v.dept) GROUP BY dept;
-- =>
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0 FROM "visits" AS s0 LEFT JOIN (SELECT s0."u" AS u, s0."u" AS c0, s0."g1" AS c1, s0."v0" AS c2 FROM (SELECT u, g1, MIN(a0) AS v0 FROM (SELECT s0."person_id" AS u, s0."dept" AS g1, s0."day" AS a0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, g1) AS s0 WHERE s0."u" IS NOT NULL) AS s1 ON s1."u" = s0."person_id" AND s1."c1" = s0."dept" WHERE s0."person_id" IS NOT NULL AND s0."day" = s1."c2") AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "dept", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- tied by a link
SELECT count(*) FROM lineitem l WHERE l.quantity > (SELECT avg(m.quantity) FROM lineitem m WHERE m.orderkey = l.orderkey);
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 100) AS m0 FROM (SELECT h0."custkey" AS u FROM "lineitem" AS s0 LEFT JOIN (SELECT s0."u" AS u, s0."g0" AS c0, s0."v0" AS c1 FROM (SELECT h0."custkey" AS u, s0."g0" AS g0, s0."v0" AS v0 FROM (SELECT g0, CAST(CAST(CASE WHEN SUM(a0) > 1000000000000000000 THEN 1000000000000000000 WHEN SUM(a0) < (-1000000000000000000) THEN -1000000000000000000 ELSE SUM(a0) END AS DECIMAL(21, 2)) AS DOUBLE) / NULLIF(CAST(COUNT(a0) AS DOUBLE), 0) AS v0 FROM (SELECT s0."orderkey" AS g0, s0."quantity" AS a0 FROM "lineitem" AS s0) AS r GROUP BY g0) AS s0 JOIN "orders" AS h0 ON s0."g0" = h0."orderkey" WHERE h0."custkey" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS s1 ON s1."c0" = s0."orderkey" JOIN "orders" AS h0 ON s0."orderkey" = h0."orderkey" WHERE h0."custkey" IS NOT NULL AND CAST(s0."quantity" AS DOUBLE) > s1."c1") AS r GROUP BY u) AS c;
-- unit customer: 100 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..100 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- counted along a link
SELECT count(*) FROM orders o WHERE 2 < (SELECT count(*) FROM lineitem l WHERE l.orderkey = o.orderkey);
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 40) AS m0 FROM (SELECT s0."custkey" AS u FROM "orders" AS s0 WHERE s0."custkey" IS NOT NULL AND 2 < (SELECT COUNT(*) FROM "lineitem" AS q1_s0 WHERE q1_s0."orderkey" = s0."orderkey")) AS r GROUP BY u) AS c;
-- unit customer: 40 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..40 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- a number of rows by a release
SELECT sex, count(*) FROM people GROUP BY sex ORDER BY sex LIMIT (SELECT count(*) FROM people);
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0" ORDER BY "sex" LIMIT (SELECT dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($3 AS BIGINT[])) AS r("o0")) AS "dpproxy_1")

-- IN of a pair of a public and a private column
SELECT count(*) FROM people p JOIN visits v ON v.person_id = p.person_id JOIN departments d ON d.dept = v.dept WHERE (d.building, p.sex) IN (SELECT 'north', 'F');
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 JOIN "visits" AS s1 ON s1."person_id" = s0."person_id" JOIN "departments" AS s2 ON s2."dept" = s1."dept" WHERE s0."person_id" IS NOT NULL AND EXISTS(SELECT 1 WHERE s2."building" = 'north' AND s0."sex" = 'F')) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- NOT IN with NULL among public values
SELECT count(*) FROM visits v WHERE (v.dept, 1) IN (SELECT dept, 1 FROM departments) AND (v.dept, v.cost) NOT IN (SELECT dept, NULL::float8 FROM departments WHERE beds > 16);
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND EXISTS(SELECT 1 FROM "departments" AS q1_s0 WHERE s0."dept" = q1_s0."dept" AND TRUE) AND NOT CASE WHEN EXISTS(SELECT 1 FROM "departments" AS q1_s0 WHERE q1_s0."beds" > 16 AND s0."dept" = q1_s0."dept" AND s0."cost" = NULL) THEN TRUE WHEN EXISTS(SELECT 1 FROM "departments" AS q1_s0 WHERE q1_s0."beds" > 16 AND ((s0."dept" = q1_s0."dept") AND (s0."cost" = NULL)) IS NULL) THEN NULL ELSE FALSE END) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- for all departments there is a visit: NOT EXISTS in NOT EXISTS
SELECT count(*) FROM people p WHERE NOT EXISTS (SELECT 1 FROM departments d WHERE NOT EXISTS (SELECT 1 FROM visits v WHERE v.dept = d.dept AND v.person_id = p.person_id) AND d.beds > 10);
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND NOT EXISTS(SELECT 1 FROM "departments" AS q1_s0 WHERE NOT EXISTS(SELECT 1 FROM "visits" AS q2_s0 WHERE q2_s0."dept" = q1_s0."dept" AND q2_s0."person_id" = s0."person_id") AND q1_s0."beds" > 10)) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- > ALL of nothing is true, and > ANY of nothing is false
SELECT count(*) FILTER (WHERE p.income > ALL (SELECT v.cost FROM visits v WHERE v.person_id = p.person_id)), count(*) FILTER (WHERE NOT (p.income > ANY (SELECT v.cost FROM visits v WHERE v.person_id = p.person_id))) FROM people p;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT s0."person_id" AS u, CASE WHEN (NOT CASE WHEN EXISTS(SELECT 1 FROM "visits" AS q1_s0 WHERE q1_s0."person_id" = s0."person_id" AND s0."income" <= q1_s0."cost") THEN TRUE WHEN EXISTS(SELECT 1 FROM "visits" AS q1_s0 WHERE q1_s0."person_id" = s0."person_id" AND (s0."income" <= q1_s0."cost") IS NULL) THEN NULL ELSE FALSE END) THEN 1 END AS m0, CASE WHEN NOT CASE WHEN EXISTS(SELECT 1 FROM "visits" AS q1_s0 WHERE q1_s0."person_id" = s0."person_id" AND s0."income" > q1_s0."cost") THEN TRUE WHEN EXISTS(SELECT 1 FROM "visits" AS q1_s0 WHERE q1_s0."person_id" = s0."person_id" AND (s0."income" > q1_s0."cost") IS NULL) THEN NULL ELSE FALSE END THEN 1 END AS m1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: VALUES 0..1 step 1
-- m1: VALUES 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "_column_0", dpproxy_0.o1 AS "_column_1" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[])) AS r("o0", "o1")) AS "dpproxy_0"

-- IN is NULL where the value is
SELECT count(*) FILTER (WHERE (p.income IN (SELECT v.cost FROM visits v WHERE v.person_id = p.person_id)) IS NULL), count(*) FILTER (WHERE (city IN (SELECT building FROM departments)) IS NOT TRUE) FROM people p;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT s0."person_id" AS u, CASE WHEN CASE WHEN EXISTS(SELECT 1 FROM "visits" AS q1_s0 WHERE q1_s0."person_id" = s0."person_id" AND s0."income" = q1_s0."cost") THEN TRUE WHEN EXISTS(SELECT 1 FROM "visits" AS q1_s0 WHERE q1_s0."person_id" = s0."person_id" AND (s0."income" = q1_s0."cost") IS NULL) THEN NULL ELSE FALSE END IS NULL THEN 1 END AS m0, CASE WHEN NOT (CASE WHEN EXISTS(SELECT 1 FROM "departments" AS q1_s0 WHERE s0."city" = q1_s0."building") THEN TRUE WHEN EXISTS(SELECT 1 FROM "departments" AS q1_s0 WHERE (s0."city" = q1_s0."building") IS NULL) THEN NULL ELSE FALSE END IS TRUE) THEN 1 END AS m1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: VALUES 0..1 step 1
-- m1: VALUES 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "_column_0", dpproxy_0.o1 AS "_column_1" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[])) AS r("o0", "o1")) AS "dpproxy_0"

-- NOT IN over released keys, of which one may be NULL
SELECT count(*) FROM people WHERE city NOT IN (SELECT city FROM people GROUP BY city HAVING count(*) > 100);
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND NOT CASE WHEN EXISTS(SELECT 1 FROM (SELECT q2_s0."k0" AS c0 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0, UNNEST(CAST($r0c1 AS BIGINT[])) AS o0) AS q2_s0 WHERE q2_s0."o0" > 100) AS q1_s0 WHERE s0."city" = q1_s0."c0") THEN TRUE WHEN EXISTS(SELECT 1 FROM (SELECT q2_s0."k0" AS c0 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0, UNNEST(CAST($r0c1 AS BIGINT[])) AS o0) AS q2_s0 WHERE q2_s0."o0" > 100) AS q1_s0 WHERE (s0."city" = q1_s0."c0") IS NULL) THEN NULL ELSE FALSE END) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- inputs: r0c0, r0c1
-- post: SELECT dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_1"

-- a share of people by EXISTS
SELECT sex, avg(CASE WHEN EXISTS (SELECT 1 FROM visits v WHERE v.person_id = p.person_id) THEN 1 ELSE 0 END) FROM people p GROUP BY sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, COUNT(*) AS m1 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, CAST(CASE WHEN CASE WHEN EXISTS(SELECT 1 FROM "visits" AS q1_s0 WHERE q1_s0."person_id" = s0."person_id") THEN 1 ELSE 0 END > 1 THEN 1 WHEN CASE WHEN EXISTS(SELECT 1 FROM "visits" AS q1_s0 WHERE q1_s0."person_id" = s0."person_id") THEN 1 ELSE 0 END < 0 THEN 0 ELSE CASE WHEN EXISTS(SELECT 1 FROM "visits" AS q1_s0 WHERE q1_s0."person_id" = s0."person_id") THEN 1 ELSE 0 END END AS BIGINT) AS m0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: CENTRED 0..1 step 1
-- m1: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DECIMAL[])) AS r("k0", "o0")) AS "dpproxy_0"

-- a subquery in a subquery of public rows
SELECT count(*) FROM visits v WHERE v.dept = ANY (SELECT d.dept FROM departments d WHERE d.beds = (SELECT max(beds) FROM departments));
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND EXISTS(SELECT 1 FROM "departments" AS q1_s0 WHERE q1_s0."beds" = (SELECT t."c0" FROM (SELECT q2_s0."v0" AS c0 FROM (SELECT MAX(a0) AS v0 FROM (SELECT q2_s0."beds" AS a0 FROM "departments" AS q2_s0) AS r) AS q2_s0) AS t) AND s0."dept" = q1_s0."dept")) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- EXISTS of no columns, of all, and of a table
SELECT count(*) FROM people p WHERE EXISTS (SELECT FROM visits v WHERE v.person_id = p.person_id) AND EXISTS (SELECT v.*, p.age FROM visits v WHERE v.person_id = p.person_id AND v.cost > 100) AND EXISTS (TABLE departments);
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND EXISTS(SELECT 1 FROM "visits" AS q1_s0 WHERE q1_s0."person_id" = s0."person_id") AND EXISTS(SELECT 1 FROM "visits" AS q1_s0 WHERE q1_s0."person_id" = s0."person_id" AND q1_s0."cost" > CAST('100.0' AS DOUBLE)) AND EXISTS(SELECT 1 FROM "departments" AS q1_s0)) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- an aggregate in a subquery, of a query: it is of the rows of the subquery
SELECT least((SELECT count((SELECT count(*) FROM departments)) FROM visits v WHERE v.person_id = p.person_id), 2) AS n, count(*) FROM people p GROUP BY n;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT s0."person_id" AS u, LEAST((SELECT COUNT(CASE WHEN NOT (q1_s0."visit_id" IS NULL) IS NULL THEN (SELECT t."c0" FROM (SELECT q2_s0."v0" AS c0 FROM (SELECT COUNT(*) AS v0 FROM (SELECT 1 AS one FROM "departments" AS q2_s0) AS r) AS q2_s0) AS t) END) FROM "visits" AS q1_s0 WHERE q1_s0."person_id" = s0."person_id"), 2) AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- post: SELECT dpproxy_0.k0 AS "n", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- what the row that asks holds, where another one is there
SELECT count(*) FROM people p WHERE (SELECT p.age FROM people q WHERE q.person_id = p.person_id AND q.smoker) > 30;
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND (SELECT MAX(CASE WHEN NOT (q1_s0."person_id" IS NULL) IS NULL THEN s0."age" END) FROM "people" AS q1_s0 WHERE q1_s0."person_id" = s0."person_id" AND q1_s0."smoker") > 30) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- a filter of a query alone, in a subquery
SELECT count(*) FROM people p WHERE (SELECT count(*) FILTER (WHERE (SELECT sum(beds) FROM departments) > 30) FROM visits v WHERE v.person_id = p.person_id) > 2;
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND (SELECT COUNT(CASE WHEN NOT (q1_s0."visit_id" IS NULL) IS NULL THEN CASE WHEN (SELECT t."c0" FROM (SELECT q2_s0."v0" AS c0 FROM (SELECT CAST(CASE WHEN SUM(a0) > 1000000000000000000 THEN 1000000000000000000 WHEN SUM(a0) < (-1000000000000000000) THEN -1000000000000000000 ELSE SUM(a0) END AS BIGINT) AS v0 FROM (SELECT q2_s0."beds" AS a0 FROM "departments" AS q2_s0) AS r) AS q2_s0) AS t) > 30 THEN 1 END END) FROM "visits" AS q1_s0 WHERE q1_s0."person_id" = s0."person_id") > 2) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- the first of a person's own rows, in its order, as a value: joined as LATERAL
SELECT avg((SELECT v.cost FROM visits v WHERE v.person_id = p.person_id AND v.day > p.joined ORDER BY v.day, v.visit_id LIMIT 1)) FROM people p;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT u, LEAST(GREATEST(COALESCE(SUM(m0), 0), -20000), 20000) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 1) AS m1 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN (s1."c0" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s1."c0" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s1."c0" * CAST('100.0' AS DOUBLE)) WHEN (s1."c0" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END - 20000 AS BIGINT) AS m0, CASE WHEN s1."c0" IS NOT NULL AND s1."c0" <> CAST('NaN' AS DOUBLE) THEN 1 END AS m1 FROM "people" AS s0 LEFT JOIN (SELECT s0."u" AS u, s0."c0" AS c0, s0."u" AS c1 FROM (SELECT s0."u" AS u, s0."c0" AS c0, s0."u" AS c1, s0."w0" AS c2 FROM (SELECT u, c0, c1, c2, c3, c4, ROW_NUMBER() OVER (PARTITION BY u, "c2" ORDER BY "c3", "c4", "c0", "c1", "c2") AS w0 FROM (SELECT s0."person_id" AS u, s0."cost" AS c0, s1."person_id" AS c1, s1."person_id" AS c2, s0."day" AS c3, s0."visit_id" AS c4 FROM "visits" AS s0 CROSS JOIN "people" AS s1 WHERE s0."person_id" IS NOT NULL AND s0."person_id" = s1."person_id" AND s0."day" > s1."joined") AS r) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c2" <= 1) AS s1 ON TRUE AND s1."u" = s0."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: CENTRED -20000..20000 step 0.01
-- m1: VALUES 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS DOUBLE PRECISION[])) AS r("o0")) AS "dpproxy_0"

-- the row before one in the order of a key: LAG, without meeting all the others
SELECT o.priority, avg(o.orderdate - (SELECT p.orderdate FROM orders p WHERE p.custkey = o.custkey AND p.orderkey < o.orderkey ORDER BY p.orderkey DESC LIMIT 1)) FROM orders o WHERE o.orderdate > '1995-01-01' GROUP BY o.priority;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), -80280), 80320) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 40) AS m1 FROM (SELECT t.u AS u, t.x1 AS k0, CAST(CASE WHEN t.g0 > 2556 THEN 2556 WHEN t.g0 < (-1459) THEN -1459 ELSE t.g0 END - 548 AS BIGINT) AS m0, CASE WHEN CAST(CASE WHEN t.x2 BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN t.x2 END - CASE WHEN t.x3 BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN t.x3 END AS BIGINT) IS NOT NULL THEN 1 END AS m1 FROM (SELECT s0."u" AS u, s0."c1" AS x1, s0."c0" AS x2, s0."c2" AS x3, CAST(CASE WHEN s0."c0" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."c0" END - CASE WHEN s0."c2" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."c2" END AS BIGINT) AS g0 FROM (SELECT s0."u" AS u, s0."c0" AS c0, s0."c1" AS c1, s0."w0" AS c2 FROM (SELECT u, c0, c1, c2, c3, c4, LAG("c4") OVER (PARTITION BY u, "c2" ORDER BY "c3" ASC, "c0", "c1", "c2", "c4") AS w0 FROM (SELECT s0."custkey" AS u, s0."orderdate" AS c0, s0."priority" AS c1, s0."custkey" AS c2, s0."orderkey" AS c3, s0."orderdate" AS c4 FROM "orders" AS s0 WHERE s0."custkey" IS NOT NULL) AS r) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c0" > CAST('1995-01-01' AS DATE)) AS t WHERE t.u IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('1-URGENT', '5-LOW') END) AS c GROUP BY k0;
-- unit customer: 40 rows, 2 keys (FEW_PUBLIC_KEYS)
-- k0: values '1-URGENT', '5-LOW'
-- m0: CENTRED -80280..80320 step 1
-- m1: VALUES 0..40 step 1
-- post: SELECT dpproxy_0.k0 AS "priority", dpproxy_0.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DECIMAL[])) AS r("k0", "o0")) AS "dpproxy_0"

-- the row behind it, compared in WHERE
SELECT count(*) FROM orders o WHERE (SELECT p.priority FROM orders p WHERE o.orderkey < p.orderkey AND o.custkey = p.custkey ORDER BY p.orderkey FETCH FIRST 1 ROW ONLY) = o.priority;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 40) AS m0 FROM (SELECT s0."u" AS u FROM (SELECT s0."u" AS u, s0."c0" AS c0, s0."w0" AS c1 FROM (SELECT u, c0, c1, c2, c3, LEAD("c3") OVER (PARTITION BY u, "c1" ORDER BY "c2" ASC, "c0", "c1", "c3") AS w0 FROM (SELECT s0."custkey" AS u, s0."priority" AS c0, s0."custkey" AS c1, s0."orderkey" AS c2, s0."priority" AS c3 FROM "orders" AS s0 WHERE s0."custkey" IS NOT NULL) AS r) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c1" = s0."c0") AS r GROUP BY u) AS c;
-- unit customer: 40 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..40 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- in an order that may have ties, or of some rows alone: each row meets the others
SELECT count(*) FROM orders o WHERE (SELECT p.priority FROM orders p WHERE p.custkey = o.custkey AND p.orderkey < o.orderkey AND p.priority <> 'x' ORDER BY p.orderkey DESC LIMIT 1) = o.priority;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 40) AS m0 FROM (SELECT s0."custkey" AS u FROM "orders" AS s0 LEFT JOIN (SELECT s0."u" AS u, s0."c0" AS c0, s0."c1" AS c1 FROM (SELECT s0."u" AS u, s0."c0" AS c0, s0."c1" AS c1, s0."w0" AS c2 FROM (SELECT u, c0, c1, c2, c3, ROW_NUMBER() OVER (PARTITION BY u, "c2" ORDER BY "c3" DESC NULLS FIRST, "c0", "c1", "c2") AS w0 FROM (SELECT s0."custkey" AS u, s0."priority" AS c0, s1."orderkey" AS c1, s1."orderkey" AS c2, s0."orderkey" AS c3 FROM "orders" AS s0 CROSS JOIN "orders" AS s1 WHERE s0."custkey" IS NOT NULL AND s0."custkey" = s1."custkey" AND s0."orderkey" < s1."orderkey" AND s0."priority" <> 'x') AS r) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c2" <= 1) AS s1 ON TRUE AND s1."c1" = s0."orderkey" WHERE s0."custkey" IS NOT NULL AND s1."c0" = s0."priority") AS r GROUP BY u) AS c;
-- unit customer: 40 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..40 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- the same as a key, written twice, and in WHERE; none is NULL
SELECT (SELECT v.dept FROM visits v WHERE v.person_id = p.person_id ORDER BY v.day DESC, v.visit_id LIMIT 1) AS latest, count(*) FROM people p WHERE (SELECT v.cost FROM visits v WHERE v.person_id = p.person_id ORDER BY v.day, v.visit_id FETCH FIRST 1 ROW ONLY) > 100 GROUP BY (SELECT v.dept FROM visits v WHERE v.person_id = p.person_id ORDER BY v.day DESC, v.visit_id LIMIT 1);
-- =>
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 1) AS m0 FROM (SELECT s0."person_id" AS u, s2."c0" AS k0 FROM "people" AS s0 LEFT JOIN (SELECT s0."u" AS u, s0."c0" AS c0, s0."u" AS c1 FROM (SELECT s0."u" AS u, s0."c0" AS c0, s0."u" AS c1, s0."w0" AS c2 FROM (SELECT u, c0, c1, c2, c3, c4, ROW_NUMBER() OVER (PARTITION BY u, "c2" ORDER BY "c3", "c4", "c0", "c1", "c2") AS w0 FROM (SELECT s0."person_id" AS u, s0."cost" AS c0, s0."person_id" AS c1, s0."person_id" AS c2, s0."day" AS c3, s0."visit_id" AS c4 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c2" <= 1) AS s1 ON TRUE AND s1."u" = s0."person_id" LEFT JOIN (SELECT s0."u" AS u, s0."c0" AS c0, s0."u" AS c1 FROM (SELECT s0."u" AS u, s0."c0" AS c0, s0."u" AS c1, s0."w0" AS c2 FROM (SELECT u, c0, c1, c2, c3, c4, ROW_NUMBER() OVER (PARTITION BY u, "c2" ORDER BY "c3" DESC NULLS FIRST, "c4", "c0", "c1", "c2") AS w0 FROM (SELECT s0."person_id" AS u, s0."dept" AS c0, s0."person_id" AS c1, s0."person_id" AS c2, s0."day" AS c3, s0."visit_id" AS c4 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c2" <= 1) AS s2 ON TRUE AND s2."u" = s0."person_id" WHERE s0."person_id" IS NOT NULL AND s1."c0" > CAST('100.0' AS DOUBLE)) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 8) AS l GROUP BY k0;
-- unit person: 1 rows, 8 keys (KEYS_LIMITED)
-- k0: private
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "latest", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- from a query of WITH
WITH dear AS (SELECT person_id, day, cost FROM visits WHERE cost > 300) SELECT p.sex, avg((SELECT d.cost FROM dear d WHERE d.person_id = p.person_id ORDER BY d.day, d.cost LIMIT 1)) FROM people p GROUP BY p.sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), -5000), 5000) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 1) AS m1 FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, CAST(CASE WHEN (s1."c0" * CAST('100.0' AS DOUBLE)) < 30000 THEN 30000 WHEN (s1."c0" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s1."c0" * CAST('100.0' AS DOUBLE)) WHEN (s1."c0" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END - 35000 AS BIGINT) AS m0, CASE WHEN s1."c0" IS NOT NULL AND s1."c0" <> CAST('NaN' AS DOUBLE) THEN 1 END AS m1 FROM "people" AS s0 LEFT JOIN (SELECT s0."u" AS u, s0."c0" AS c0, s0."u" AS c1 FROM (SELECT s0."u" AS u, s0."c0" AS c0, s0."u" AS c1, s0."w0" AS c2 FROM (SELECT u, c0, c1, c2, c3, c4, ROW_NUMBER() OVER (PARTITION BY u, "c2" ORDER BY "c3", "c4", "c0", "c1", "c2") AS w0 FROM (SELECT s0."u" AS u, s0."c2" AS c0, s0."u" AS c1, s0."u" AS c2, s0."c1" AS c3, s0."c2" AS c4 FROM (SELECT s0."person_id" AS u, s0."person_id" AS c0, s0."day" AS c1, s0."cost" AS c2 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."cost" > CAST('300.0' AS DOUBLE)) AS s0 WHERE s0."u" IS NOT NULL) AS r) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c2" <= 1) AS s1 ON TRUE AND s1."u" = s0."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') END) AS c GROUP BY k0;
-- unit person: 1 rows, 1 keys (KEY_OF_UNIT)
-- k0: values 'F', 'M'
-- m0: CENTRED -5000..5000 step 0.01
-- m1: VALUES 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DOUBLE PRECISION[])) AS r("k0", "o0")) AS "dpproxy_0"

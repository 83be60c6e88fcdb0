-- a key of the unit: the city is the person's
SELECT p.city, count(*) FROM visits v JOIN people p ON v.person_id = p.person_id GROUP BY p.city;
-- =>
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."city" AS k0 FROM "visits" AS s0 JOIN "people" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c GROUP BY k0;
-- unit person: 20 rows, 1 keys (KEY_OF_UNIT)
-- k0: private
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "city", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- comma join with the condition in WHERE
SELECT p.sex, sum(v.cost) FROM visits v, people p WHERE v.person_id = p.person_id AND p.age >= 40 GROUP BY p.sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 800000) AS m0 FROM (SELECT s0."person_id" AS u, s1."sex" AS k0, CAST(CASE WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."cost" * CAST('100.0' AS DOUBLE)) WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT) AS m0 FROM "visits" AS s0 CROSS JOIN "people" AS s1 WHERE s0."person_id" IS NOT NULL AND s0."person_id" = s1."person_id" AND s1."age" >= 40) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') END) AS c GROUP BY k0;
-- unit person: 20 rows, 1 keys (KEY_OF_UNIT)
-- k0: values 'F', 'M'
-- m0: SUM 0..800000 step 0.01
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "sum" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DOUBLE PRECISION[])) AS r("k0", "o0")) AS "dpproxy_0"

-- USING
SELECT sex, avg(cost) FROM visits JOIN people USING (person_id) GROUP BY sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), -400000), 400000) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 20) AS m1 FROM (SELECT s0."person_id" AS u, s1."sex" AS k0, CAST(CASE WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."cost" * CAST('100.0' AS DOUBLE)) WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END - 20000 AS BIGINT) AS m0, CASE WHEN s0."cost" IS NOT NULL AND s0."cost" <> CAST('NaN' AS DOUBLE) THEN 1 END AS m1 FROM "visits" AS s0 JOIN "people" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') END) AS c GROUP BY k0;
-- unit person: 20 rows, 1 keys (KEY_OF_UNIT)
-- k0: values 'F', 'M'
-- m0: CENTRED -400000..400000 step 0.01
-- m1: VALUES 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DOUBLE PRECISION[])) AS r("k0", "o0")) AS "dpproxy_0"

-- a public table, by its key: the domain comes from it and public conditions
SELECT d.building, sum(v.cost) FROM visits v JOIN departments d ON v.dept = d.dept WHERE d.beds > 10 GROUP BY d.building;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 800000) AS m0 FROM (SELECT s0."person_id" AS u, s1."building" AS k0, CAST(CASE WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."cost" * CAST('100.0' AS DOUBLE)) WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT) AS m0 FROM "visits" AS s0 JOIN "departments" AS s1 ON s0."dept" = s1."dept" WHERE s0."person_id" IS NOT NULL AND s1."beds" > 10) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."building" AS d0 FROM "departments" AS s1 WHERE s1."beds" > 10
-- m0: SUM 0..800000 step 0.01
-- post: SELECT dpproxy_0.k0 AS "building", dpproxy_0.o0 AS "sum" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DOUBLE PRECISION[])) AS r("k0", "o0")) AS "dpproxy_0"

-- a public table that may fan out
SELECT count(*) FROM people p JOIN departments d ON p.age > d.beds;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 100) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 JOIN "departments" AS s1 ON s0."age" > s1."beds" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 100 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..100 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- a hidden join along the links
SELECT flag, sum(quantity), sum(price * (1 - discount)) FROM lineitem WHERE shipdate <= DATE '1996-09-02' GROUP BY flag;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 500000) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 100000000000) AS m1 FROM (SELECT t.u AS u, t.x1 AS k0, CAST(CASE WHEN t.g0 > 5000 THEN 5000 WHEN t.g0 < 0 THEN 0 ELSE t.g0 END AS BIGINT) AS m0, CAST(CASE WHEN t.g1 > 1000000000 THEN 1000000000 WHEN t.g1 < 0 THEN 0 ELSE t.g1 END AS BIGINT) AS m1 FROM (SELECT h0."custkey" AS u, s0."flag" AS x1, CAST(s0."quantity" AS DOUBLE) * CAST('100.0' AS DOUBLE) AS g0, CAST(CAST(s0."price" AS DECIMAL(19, 2)) * CAST(CAST(1 AS DECIMAL(16, 2)) - CAST(s0."discount" AS DECIMAL(16, 2)) AS DECIMAL(16, 2)) AS DOUBLE) * CAST('10000.0' AS DOUBLE) AS g1 FROM "lineitem" AS s0 JOIN "orders" AS h0 ON s0."orderkey" = h0."orderkey" WHERE h0."custkey" IS NOT NULL AND s0."shipdate" <= CAST('1996-09-02' AS DATE)) AS t WHERE t.u IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('A', 'N', 'R') END) AS c GROUP BY k0;
-- unit customer: 100 rows, 3 keys (FEW_PUBLIC_KEYS)
-- k0: values 'A', 'N', 'R'
-- m0: SUM 0..500000 step 0.01
-- m1: SUM 0..100000000000 step 0.0001
-- post: SELECT dpproxy_0.k0 AS "flag", dpproxy_0.o0 AS "_column_1", dpproxy_0.o1 AS "_column_2" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DECIMAL[]), CAST($3 AS DECIMAL[])) AS r("k0", "o0", "o1")) AS "dpproxy_0"

-- a chain of links written out
SELECT o.priority, count(*) FROM customer c JOIN orders o ON c.custkey = o.custkey JOIN lineitem l ON l.orderkey = o.orderkey WHERE c.segment = 'BUILDING' GROUP BY o.priority;
-- =>
SELECT v.k0 AS k0, CASE WHEN v.i = 0 THEN t.p0 WHEN v.i = 1 THEN t.p1 END AS m0 FROM (SELECT CAST(LEAST(GREATEST(COALESCE(SUM(p0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p0, CAST(LEAST(GREATEST(COALESCE(SUM(p1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p1 FROM (SELECT LEAST(CAST(COALESCE(s0, 0) & 2147483647 AS BIGINT), 100) AS p0, LEAST(CAST((COALESCE(s0, 0) >> 31) & 2147483647 AS BIGINT), 100) AS p1 FROM (SELECT u, SUM(CASE WHEN k0 = '1-URGENT' THEN 1 WHEN k0 = '5-LOW' THEN 2147483648 END) AS s0 FROM (SELECT s0."custkey" AS u, s1."priority" AS k0 FROM "customer" AS s0 JOIN "orders" AS s1 ON s0."custkey" = s1."custkey" JOIN "lineitem" AS s2 ON s2."orderkey" = s1."orderkey" WHERE s0."custkey" IS NOT NULL AND s0."segment" = 'BUILDING') AS r GROUP BY u) AS q WHERE s0 IS NOT NULL) AS c) AS t CROSS JOIN (SELECT v0.i AS i, v0.k0 AS k0 FROM (VALUES (0, '1-URGENT'), (1, '5-LOW')) AS v0(i, k0)) AS v;
-- unit customer: 100 rows, 2 keys (FEW_PUBLIC_KEYS)
-- k0: values '1-URGENT', '5-LOW'
-- m0: ROWS 0..100 step 1
-- post: SELECT dpproxy_0.k0 AS "priority", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- a public table joined to one row per unit by its primary key
SELECT n.nation, avg(c.acctbal) FROM customer c JOIN nation n ON c.nationkey = n.nationkey GROUP BY n.nation;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, COUNT(*) AS m1 FROM (SELECT * FROM (SELECT s0."custkey" AS u, s1."nation" AS k0, CAST(CASE WHEN (CAST(s0."acctbal" AS DOUBLE) * CAST('100.0' AS DOUBLE)) > 1000000 THEN 1000000 WHEN (CAST(s0."acctbal" AS DOUBLE) * CAST('100.0' AS DOUBLE)) < (-100000) THEN -100000 ELSE (CAST(s0."acctbal" AS DOUBLE) * CAST('100.0' AS DOUBLE)) END - 450000 AS BIGINT) AS m0 FROM "customer" AS s0 JOIN "nation" AS s1 ON s0."nationkey" = s1."nationkey" WHERE s0."custkey" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit customer: 1 rows, 1 keys (ONE_ROW)
-- k0: column 0 of SELECT DISTINCT s1."nation" AS d0 FROM "nation" AS s1
-- m0: CENTRED -550000..550000 step 0.01
-- m1: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "nation", dpproxy_0.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DECIMAL[])) AS r("k0", "o0")) AS "dpproxy_0"

-- rows per unit over a join are the largest of the tables' limits
SELECT count(*) FROM visits v JOIN people p ON v.person_id = p.person_id JOIN departments d ON d.dept = v.dept;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 JOIN "people" AS s1 ON s0."person_id" = s1."person_id" JOIN "departments" AS s2 ON s2."dept" = s0."dept" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- a LEFT JOIN: people without visits are there once
SELECT count(*) FROM people p LEFT JOIN visits v ON p.person_id = v.person_id;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 LEFT JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- a public table joined by its key to many rows of a unit: they stay as many
SELECT d.beds > 16 AS large, count(*) FROM people p JOIN visits v ON v.person_id = p.person_id JOIN departments d ON v.dept = d.dept GROUP BY d.beds > 16;
-- =>
SELECT v.k0 AS k0, CASE WHEN v.i = 0 THEN t.p0 WHEN v.i = 1 THEN t.p1 END AS m0 FROM (SELECT CAST(LEAST(GREATEST(COALESCE(SUM(p0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p0, CAST(LEAST(GREATEST(COALESCE(SUM(p1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p1 FROM (SELECT LEAST(CAST(COALESCE(s0, 0) & 2147483647 AS BIGINT), 20) AS p0, LEAST(CAST((COALESCE(s0, 0) >> 31) & 2147483647 AS BIGINT), 20) AS p1 FROM (SELECT u, SUM(CASE WHEN k0 = FALSE THEN 1 WHEN k0 = TRUE THEN 2147483648 END) AS s0 FROM (SELECT s0."person_id" AS u, s2."beds" > 16 AS k0 FROM "people" AS s0 JOIN "visits" AS s1 ON s1."person_id" = s0."person_id" JOIN "departments" AS s2 ON s1."dept" = s2."dept" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS q WHERE s0 IS NOT NULL) AS c) AS t CROSS JOIN (SELECT v0.i AS i, v0.k0 AS k0 FROM (VALUES (0, FALSE), (1, TRUE)) AS v0(i, k0)) AS v;
-- unit person: 20 rows, 2 keys (FEW_PUBLIC_KEYS)
-- k0: values False, True
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "large", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BOOLEAN[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- a public table joined by its key to one row per unit, through a constant
SELECT count(*) FROM people p JOIN nation n ON n.nationkey = 2;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 100) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 JOIN "nation" AS s1 ON s1."nationkey" = 2 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 100 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..100 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- two public tables, one by the other's column
SELECT n.nation, count(*) FROM visits v JOIN departments d ON d.dept = v.dept JOIN nation n ON n.nationkey = d.beds / 10 GROUP BY n.nation;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s2."nation" AS k0 FROM "visits" AS s0 JOIN "departments" AS s1 ON s1."dept" = s0."dept" JOIN "nation" AS s2 ON s2."nationkey" = (CAST(s1."beds" AS BIGINT) // CAST(10 AS BIGINT)) WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s2."nation" AS d0 FROM "departments" AS s1 CROSS JOIN "nation" AS s2 WHERE s2."nationkey" = (CAST(s1."beds" AS BIGINT) // CAST(10 AS BIGINT))
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "nation", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- conditions of joins narrow bounds
SELECT sum(p.age) FROM people p JOIN visits v ON v.person_id = p.person_id AND p.age BETWEEN 20 AND 60;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 1200) AS m0 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN s0."age" > 60 THEN 60 WHEN s0."age" < 20 THEN 20 ELSE s0."age" END AS BIGINT) AS m0 FROM "people" AS s0 JOIN "visits" AS s1 ON s1."person_id" = s0."person_id" AND (s0."age" BETWEEN 20 AND 60) WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: SUM 0..1200 step 1
-- post: SELECT dpproxy_0.o0 AS "sum" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- those of an outer join do not
SELECT sum(p.age), sum(v.cost) FROM people p LEFT JOIN visits v ON v.person_id = p.person_id AND p.age BETWEEN 20 AND 60 AND v.cost < 50;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT u, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 2400) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 800000) AS m1 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN s0."age" > 120 THEN 120 WHEN s0."age" < 0 THEN 0 ELSE s0."age" END AS BIGINT) AS m0, CAST(CASE WHEN (s1."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s1."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s1."cost" * CAST('100.0' AS DOUBLE)) WHEN (s1."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT) AS m1 FROM "people" AS s0 LEFT JOIN "visits" AS s1 ON s1."person_id" = s0."person_id" AND (s0."age" BETWEEN 20 AND 60) AND s1."cost" < CAST('50.0' AS DOUBLE) WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: SUM 0..2400 step 1
-- m1: SUM 0..800000 step 0.01
-- post: SELECT dpproxy_0.o0 AS "_column_0", dpproxy_0.o1 AS "_column_1" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS DOUBLE PRECISION[])) AS r("o0", "o1")) AS "dpproxy_0"

-- the largest limits of the tables hold for the join
-- set dp.max_rows_per_unit = 5
SELECT p.sex, count(*) FROM people p JOIN visits v ON v.person_id = p.person_id GROUP BY p.sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 5) AS m0 FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 JOIN "visits" AS s1 ON s1."person_id" = s0."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') END) AS c GROUP BY k0;
-- unit person: 5 rows, 1 keys (KEY_OF_UNIT)
-- k0: values 'F', 'M'
-- m0: ROWS 0..5 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

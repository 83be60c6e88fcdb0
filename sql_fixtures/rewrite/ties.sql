-- a self-join on the unit's key
SELECT count(*) FROM visits a JOIN visits b ON a.person_id = b.person_id AND a.visit_id < b.visit_id;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" AND s0."visit_id" < s1."visit_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- a self-join of three
SELECT count(*) FROM visits a, visits b, visits c WHERE a.person_id = b.person_id AND b.person_id = c.person_id AND a.cost < b.cost AND b.cost < c.cost AND a.day = b.day AND b.day = c.day;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 CROSS JOIN "visits" AS s1 CROSS JOIN "visits" AS s2 WHERE s0."person_id" IS NOT NULL AND s0."person_id" = s1."person_id" AND s1."person_id" = s2."person_id" AND s0."cost" < s1."cost" AND s1."cost" < s2."cost" AND s0."day" = s1."day" AND s1."day" = s2."day") AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- transitive equality
SELECT p.sex, count(*) FROM visits v, people p, visits w WHERE v.person_id = w.person_id AND p.person_id = w.person_id GROUP BY p.sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."sex" AS k0 FROM "visits" AS s0 CROSS JOIN "people" AS s1 CROSS JOIN "visits" AS s2 WHERE s0."person_id" IS NOT NULL AND s0."person_id" = s2."person_id" AND s1."person_id" = s2."person_id") AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') END) AS c GROUP BY k0;
-- unit person: 20 rows, 1 keys (KEY_OF_UNIT)
-- k0: values 'F', 'M'
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- equality through a public column
SELECT count(*) FROM people p JOIN departments d ON p.person_id = d.beds JOIN visits v ON v.person_id = d.beds;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 JOIN "departments" AS s1 ON s0."person_id" = s1."beds" JOIN "visits" AS s2 ON s2."person_id" = s1."beds" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- a key seen through a derived table
SELECT sex, count(*) FROM (SELECT person_id AS who, cost FROM visits WHERE cost > 100) v JOIN people p ON p.person_id = v.who GROUP BY sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."u" AS u, s1."sex" AS k0 FROM (SELECT s0."person_id" AS u, s0."person_id" AS c0, s0."cost" AS c1 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."cost" > CAST('100.0' AS DOUBLE)) AS s0 JOIN "people" AS s1 ON s1."person_id" = s0."u" WHERE s0."u" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') END) AS c GROUP BY k0;
-- unit person: 20 rows, 1 keys (KEY_OF_UNIT)
-- k0: values 'F', 'M'
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- a key seen through CTEs of CTEs
WITH a AS (SELECT person_id AS x, dept FROM visits), b AS (SELECT x AS y, dept AS d FROM a) SELECT d, sex, count(*) FROM b JOIN people ON y = person_id GROUP BY d, sex;
-- =>
SELECT k0, k1, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, k1, m0 FROM (SELECT k0, k1, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0, k1)), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."u" AS u, s0."c1" AS k0, s1."sex" AS k1 FROM (SELECT s0."u" AS u, s0."u" AS c0, s0."c1" AS c1 FROM (SELECT s0."person_id" AS u, s0."person_id" AS c0, s0."dept" AS c1 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS s0 JOIN "people" AS s1 ON s0."u" = s1."person_id" WHERE s0."u" IS NOT NULL) AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN (STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AND k1 IN ('F', 'M') END) AS c) AS w WHERE r <= 8) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 8 keys (KEYS_LIMITED)
-- k0: private
-- k1: values 'F', 'M'
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "d", dpproxy_0.k1 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_0"

-- a key seen through a join
SELECT count(*) FROM (SELECT o.custkey AS k, l.quantity AS q FROM lineitem l JOIN orders o USING (orderkey)) t JOIN customer c ON c.custkey = t.k WHERE c.segment = 'BUILDING';
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 100) AS m0 FROM (SELECT s0."u" AS u FROM (SELECT s1."custkey" AS u, s1."custkey" AS c0, s0."quantity" AS c1 FROM "lineitem" AS s0 JOIN "orders" AS s1 ON s0."orderkey" = s1."orderkey" WHERE s1."custkey" IS NOT NULL) AS s0 JOIN "customer" AS s1 ON s1."custkey" = s0."u" WHERE s0."u" IS NOT NULL AND s1."segment" = 'BUILDING') AS r GROUP BY u) AS c;
-- unit customer: 100 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..100 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- a link onto what is unique
SELECT flag, priority, count(*) FROM lineitem l JOIN orders o ON l.orderkey = o.orderkey GROUP BY flag, priority;
-- =>
SELECT k0, k1, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COUNT(*), 0), 100) AS m0 FROM (SELECT s1."custkey" AS u, s0."flag" AS k0, s1."priority" AS k1 FROM "lineitem" AS s0 JOIN "orders" AS s1 ON s0."orderkey" = s1."orderkey" WHERE s1."custkey" IS NOT NULL) AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('A', 'N', 'R') AND k1 IN ('1-URGENT', '5-LOW') END) AS c GROUP BY k0, k1;
-- unit customer: 100 rows, 6 keys (FEW_PUBLIC_KEYS)
-- k0: values 'A', 'N', 'R'
-- k1: values '1-URGENT', '5-LOW'
-- m0: ROWS 0..100 step 1
-- post: SELECT dpproxy_0.k0 AS "flag", dpproxy_0.k1 AS "priority", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_0"

-- two links onto the same row: lines of one order
SELECT count(*) FROM lineitem a JOIN lineitem b ON a.orderkey = b.orderkey AND a.linenumber < b.linenumber;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 100) AS m0 FROM (SELECT h0."custkey" AS u FROM "lineitem" AS s0 JOIN "lineitem" AS s1 ON s0."orderkey" = s1."orderkey" AND s0."linenumber" < s1."linenumber" JOIN "orders" AS h0 ON s0."orderkey" = h0."orderkey" WHERE h0."custkey" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit customer: 100 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..100 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- the parent in the middle is not there: the link's value is its key
SELECT c.segment, count(*) FROM customer c JOIN orders o ON c.custkey = o.custkey WHERE o.orderdate >= DATE '1995-01-01' GROUP BY c.segment;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 40) AS m0 FROM (SELECT s0."custkey" AS u, s0."segment" AS k0 FROM "customer" AS s0 JOIN "orders" AS s1 ON s0."custkey" = s1."custkey" WHERE s0."custkey" IS NOT NULL AND s1."orderdate" >= CAST('1995-01-01' AS DATE)) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('AUTOMOBILE', 'BUILDING', 'MACHINERY') END) AS c GROUP BY k0;
-- unit customer: 40 rows, 1 keys (KEY_OF_UNIT)
-- k0: values 'AUTOMOBILE', 'BUILDING', 'MACHINERY'
-- m0: ROWS 0..40 step 1
-- post: SELECT dpproxy_0.k0 AS "segment", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- a line to its customer through the order
SELECT c.segment, sum(l.quantity) FROM lineitem l, orders o, customer c WHERE l.orderkey = o.orderkey AND o.custkey = c.custkey GROUP BY c.segment;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 500000) AS m0 FROM (SELECT s1."custkey" AS u, s2."segment" AS k0, CAST(CASE WHEN (CAST(s0."quantity" AS DOUBLE) * CAST('100.0' AS DOUBLE)) > 5000 THEN 5000 WHEN (CAST(s0."quantity" AS DOUBLE) * CAST('100.0' AS DOUBLE)) < 0 THEN 0 ELSE (CAST(s0."quantity" AS DOUBLE) * CAST('100.0' AS DOUBLE)) END AS BIGINT) AS m0 FROM "lineitem" AS s0 CROSS JOIN "orders" AS s1 CROSS JOIN "customer" AS s2 WHERE s1."custkey" IS NOT NULL AND s0."orderkey" = s1."orderkey" AND s1."custkey" = s2."custkey") AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('AUTOMOBILE', 'BUILDING', 'MACHINERY') END) AS c GROUP BY k0;
-- unit customer: 100 rows, 1 keys (KEY_OF_UNIT)
-- k0: values 'AUTOMOBILE', 'BUILDING', 'MACHINERY'
-- m0: SUM 0..500000 step 0.01
-- post: SELECT dpproxy_0.k0 AS "segment", dpproxy_0.o0 AS "sum" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DECIMAL[])) AS r("k0", "o0")) AS "dpproxy_0"

-- no join to the parent where the table carries the key
SELECT priority, count(*) FROM orders GROUP BY priority;
-- =>
SELECT v.k0 AS k0, CASE WHEN v.i = 0 THEN t.p0 WHEN v.i = 1 THEN t.p1 END AS m0 FROM (SELECT CAST(LEAST(GREATEST(COALESCE(SUM(p0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p0, CAST(LEAST(GREATEST(COALESCE(SUM(p1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p1 FROM (SELECT LEAST(CAST(COALESCE(s0, 0) & 2147483647 AS BIGINT), 40) AS p0, LEAST(CAST((COALESCE(s0, 0) >> 31) & 2147483647 AS BIGINT), 40) AS p1 FROM (SELECT u, SUM(CASE WHEN k0 = '1-URGENT' THEN 1 WHEN k0 = '5-LOW' THEN 2147483648 END) AS s0 FROM (SELECT s0."custkey" AS u, s0."priority" AS k0 FROM "orders" AS s0 WHERE s0."custkey" IS NOT NULL) AS r GROUP BY u) AS q WHERE s0 IS NOT NULL) AS c) AS t CROSS JOIN (SELECT v0.i AS i, v0.k0 AS k0 FROM (VALUES (0, '1-URGENT'), (1, '5-LOW')) AS v0(i, k0)) AS v;
-- unit customer: 40 rows, 2 keys (FEW_PUBLIC_KEYS)
-- k0: values '1-URGENT', '5-LOW'
-- m0: ROWS 0..40 step 1
-- post: SELECT dpproxy_0.k0 AS "priority", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- a hidden join along a link, beside a public table
SELECT n.nation, l.flag, count(*) FROM lineitem l CROSS JOIN nation n GROUP BY n.nation, l.flag;
-- =>
SELECT k0, k1, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, k1, m0 FROM (SELECT k0, k1, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0, k1)), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COUNT(*), 0), 100) AS m0 FROM (SELECT h0."custkey" AS u, s1."nation" AS k0, s0."flag" AS k1 FROM "lineitem" AS s0 CROSS JOIN "nation" AS s1 JOIN "orders" AS h0 ON s0."orderkey" = h0."orderkey" WHERE h0."custkey" IS NOT NULL) AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN (STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AND k1 IN ('A', 'N', 'R') END) AS c) AS w WHERE r <= 8) AS l GROUP BY k0, k1;
-- unit customer: 100 rows, 8 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."nation" AS d0 FROM "nation" AS s1
-- k1: values 'A', 'N', 'R'
-- m0: ROWS 0..100 step 1
-- post: SELECT dpproxy_0.k0 AS "nation", dpproxy_0.k1 AS "flag", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_0"

-- a row that is unique: the same order on both sides
SELECT count(*) FROM orders a JOIN orders b ON a.orderkey = b.orderkey;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 40) AS m0 FROM (SELECT s0."custkey" AS u FROM "orders" AS s0 JOIN "orders" AS s1 ON s0."orderkey" = s1."orderkey" WHERE s0."custkey" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit customer: 40 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..40 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- NATURAL JOIN
SELECT sex, count(*) FROM people NATURAL JOIN visits GROUP BY sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') END) AS c GROUP BY k0;
-- unit person: 20 rows, 1 keys (KEY_OF_UNIT)
-- k0: values 'F', 'M'
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- NATURAL LEFT JOIN
SELECT sex, count(*), count(visit_id) FROM people NATURAL LEFT JOIN visits GROUP BY sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 20) AS m1 FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, CASE WHEN s1."visit_id" IS NOT NULL THEN 1 END AS m1 FROM "people" AS s0 LEFT JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') END) AS c GROUP BY k0;
-- unit person: 20 rows, 1 keys (KEY_OF_UNIT)
-- k0: values 'F', 'M'
-- m0: ROWS 0..20 step 1
-- m1: VALUES 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "_column_1", dpproxy_0.o1 AS "_column_2" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[]), CAST($3 AS BIGINT[])) AS r("k0", "o0", "o1")) AS "dpproxy_0"

-- USING with LEFT JOIN
SELECT sex, count(visit_id) FROM people LEFT JOIN visits USING (person_id) GROUP BY sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, CASE WHEN s1."visit_id" IS NOT NULL THEN 1 END AS m0 FROM "people" AS s0 LEFT JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') END) AS c GROUP BY k0;
-- unit person: 20 rows, 1 keys (KEY_OF_UNIT)
-- k0: values 'F', 'M'
-- m0: VALUES 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- USING with RIGHT JOIN
SELECT sex, count(visit_id) FROM visits RIGHT JOIN people USING (person_id) GROUP BY sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, CASE WHEN s1."visit_id" IS NOT NULL THEN 1 END AS m0 FROM "people" AS s0 LEFT JOIN "visits" AS s1 ON s1."person_id" = s0."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') END) AS c GROUP BY k0;
-- unit person: 20 rows, 1 keys (KEY_OF_UNIT)
-- k0: values 'F', 'M'
-- m0: VALUES 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- USING twice
SELECT building, sex, count(*) FROM people JOIN visits USING (person_id) JOIN departments USING (dept) GROUP BY building, sex;
-- =>
SELECT k0, k1, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, k1, m0 FROM (SELECT k0, k1, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0, k1)), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s2."building" AS k0, s0."sex" AS k1 FROM "people" AS s0 JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" JOIN "departments" AS s2 ON s1."dept" = s2."dept" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN (STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AND k1 IN ('F', 'M') END) AS c) AS w WHERE r <= 8) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 8 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s2."building" AS d0 FROM "departments" AS s2
-- k1: values 'F', 'M'
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "building", dpproxy_0.k1 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_0"

-- the key on the other side of the equality, among other conditions
SELECT count(*) FROM people p JOIN visits v ON v.cost > 10 AND v.person_id = p.person_id AND p.age > 30;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 JOIN "visits" AS s1 ON s1."cost" > CAST('10.0' AS DOUBLE) AND s1."person_id" = s0."person_id" AND s0."age" > 30 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- rows of a unit joined with rows of that unit
SELECT a.sex, avg(b.n) FROM people a JOIN (SELECT person_id, count(*) AS n FROM visits GROUP BY person_id) b ON a.person_id = b.person_id GROUP BY a.sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, COUNT(*) AS m1 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, CAST(CASE WHEN s1."c1" > 20 THEN 20 WHEN s1."c1" < 1 THEN 1 ELSE s1."c1" END - 10 AS BIGINT) AS m0 FROM "people" AS s0 JOIN (SELECT s0."u" AS u, s0."u" AS c0, s0."v0" AS c1 FROM (SELECT u, COUNT(*) AS v0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS s1 ON s0."person_id" = s1."u" WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: CENTRED -9..10 step 1
-- m1: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DECIMAL[])) AS r("k0", "o0")) AS "dpproxy_0"

-- both sides of the equality are of rows of a unit
SELECT count(*) FROM (SELECT person_id, max(cost) AS c FROM visits GROUP BY person_id) a JOIN (SELECT person_id, min(cost) AS c FROM visits GROUP BY person_id) b USING (person_id) WHERE a.c > 2 * b.c;
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."u" AS u FROM (SELECT s0."u" AS u, s0."u" AS c0, s0."v0" AS c1 FROM (SELECT u, MAX(a0) AS v0 FROM (SELECT s0."person_id" AS u, s0."cost" AS a0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS s0 JOIN (SELECT s0."u" AS u, s0."u" AS c0, s0."v0" AS c1 FROM (SELECT u, MIN(a0) AS v0 FROM (SELECT s0."person_id" AS u, s0."cost" AS a0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS s1 ON s0."u" = s1."u" WHERE s0."u" IS NOT NULL AND s0."c1" > (CAST('2.0' AS DOUBLE) * s1."c1")) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- the same column names on both sides
SELECT a.day, count(*) FROM visits a JOIN (SELECT person_id, day, dept FROM visits) b ON a.person_id = b.person_id AND a.day = b.day AND a.dept = b.dept GROUP BY a.day;
-- =>
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s0."day" AS k0 FROM "visits" AS s0 JOIN (SELECT s0."person_id" AS u, s0."person_id" AS c0, s0."day" AS c1, s0."dept" AS c2 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS s1 ON s0."person_id" = s1."u" AND s0."day" = s1."c1" AND s0."dept" = s1."c2" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "day", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS DATE[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- a second tie beside the key's
SELECT count(*) FROM visits v JOIN visits w USING (person_id) JOIN people p USING (person_id) WHERE p.age > 30 AND v.cost < w.cost AND w.day = v.day;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" JOIN "people" AS s2 ON s0."person_id" = s2."person_id" WHERE s0."person_id" IS NOT NULL AND s2."age" > 30 AND s0."cost" < s1."cost" AND s1."day" = s0."day") AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- NATURAL FULL JOIN
SELECT count(*) FROM people NATURAL FULL JOIN visits;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT COALESCE(s0."person_id", s1."person_id") AS u FROM "people" AS s0 FULL JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" WHERE COALESCE(s0."person_id", s1."person_id") IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- the key of a FULL JOIN with USING
SELECT avg(n), count(*) FROM (SELECT person_id, count(*) AS n FROM people FULL JOIN visits USING (person_id) GROUP BY person_id) t;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, COUNT(*) AS m1 FROM (SELECT s0."u" AS u, CAST(CASE WHEN s0."c1" > 20 THEN 20 WHEN s0."c1" < 1 THEN 1 ELSE s0."c1" END - 10 AS BIGINT) AS m0 FROM (SELECT s0."u" AS u, s0."u" AS c0, s0."v0" AS c1 FROM (SELECT u, COUNT(*) AS v0 FROM (SELECT COALESCE(s0."person_id", s1."person_id") AS u FROM "people" AS s0 FULL JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" WHERE COALESCE(s0."person_id", s1."person_id") IS NOT NULL) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: CENTRED -9..10 step 1
-- m1: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "avg", dpproxy_0.o1 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS DECIMAL[]), CAST($2 AS BIGINT[])) AS r("o0", "o1")) AS "dpproxy_0"

-- a semi-join by DISTINCT: one row per unit
SELECT sex, count(*) FROM people p JOIN (SELECT DISTINCT person_id FROM visits) v USING (person_id) GROUP BY sex;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 JOIN (SELECT s0."u" AS u, s0."u" AS c0 FROM (SELECT u FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS s1 ON s0."person_id" = s1."u" WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- one row per unit on both sides
SELECT count(*) FROM people p JOIN people q ON p.age = q.age AND p.person_id = q.person_id;
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 JOIN "people" AS s1 ON s0."age" = s1."age" AND s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- TRUE AND the tie
SELECT count(*) FROM people p JOIN visits v ON TRUE AND p.person_id = v.person_id;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 JOIN "visits" AS s1 ON TRUE AND s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- ON over RIGHT and LEFT JOIN
SELECT count(p.person_id), count(t.m), count(*) FROM visits v RIGHT JOIN people p USING (person_id) LEFT JOIN (SELECT person_id, max(cost) AS m FROM visits GROUP BY person_id) t ON t.person_id = p.person_id;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 20) AS m1 FROM (SELECT s0."person_id" AS u, CASE WHEN s2."c1" IS NOT NULL AND s2."c1" <> CAST('NaN' AS DOUBLE) THEN 1 END AS m1 FROM "people" AS s0 LEFT JOIN "visits" AS s1 ON s1."person_id" = s0."person_id" LEFT JOIN (SELECT s0."u" AS u, s0."u" AS c0, s0."v0" AS c1 FROM (SELECT u, MAX(a0) AS v0 FROM (SELECT s0."person_id" AS u, s0."cost" AS a0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS s2 ON s2."u" = s0."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- m1: VALUES 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "_column_0", dpproxy_0.o1 AS "_column_1", dpproxy_0.o0 AS "_column_2" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[])) AS r("o0", "o1")) AS "dpproxy_0"
